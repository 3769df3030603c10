"""What changed while nobody looked: a lens that was covered, frames that were lost, a picture that stood still.

Of every small pixel it is known until when it was seen as it lay before. What differs in the first new picture after a
time without one came there unseen: nobody knows whose hand it was, nor exactly when.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Mask = NDArray[np.uint8]
Times = NDArray[np.float32]

_UNSEEN_S: Final = 0.4
"""Nobody lays a card and takes the hand out of the picture in less; without a new picture for so long, one may."""

_UNSEEN_TIMES: Final = 3.0
"""... but the usual time between two pictures of a slow camera, times this, is no such time."""

_UNSEEN_SHARE: Final = 0.3
"""A thing came unseen when so much of what it changed did: an arm at its side does not make it seen."""

_ALIVE_LEVELS: Final = 3
_ALIVE_SHARE: Final = 0.001
"""A picture is new when so many of its pixels differ from the last one's by so many grey levels, or when something
moved in it. Of a living camera's 0.1 to 4 % do; an old picture coded again changes one in 2,000."""

_ENTERING_MM: Final = 150.0
"""An arm that comes in while pictures arrive is first seen within this of the picture's edge."""

_SAME_S: Final = 0.35
"""A place is as it was before nobody looked when it looks so for this long: a hand of the table's colour flickers."""

_NEAR_HAND_MM: Final = 60.0
"""... and no hand is this near: its fingers may have the table's colour."""

_PENDING_S: Final = 3.0
"""What came unseen is told this long after the first new picture at the latest, unless an arm rests on it."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Nobody looked ``since_s``, and things happened. ``stood``: pictures came all the time, but no new ones."""

    since_s: float
    stood: bool


class Witness:
    """Follows one camera's small pictures of ``size`` (width, height), whose pixels are ``mm_per_px`` wide.

    ``least_mm2``: what is smaller is no thing.
    """

    def __init__(self, size: tuple[int, int], mm_per_px: float, least_mm2: float) -> None:
        shape = size[1], size[0]
        self.same_s: Times = np.full(shape, -math.inf, np.float32)
        """When each pixel was last seen as it lies settled."""
        self._least_px = least_mm2 / mm_per_px**2
        rim = min(round(_ENTERING_MM / mm_per_px), *(side // 3 for side in shape))
        near = 2 * round(_NEAR_HAND_MM / mm_per_px) + 1
        self._near_kernel = np.ones((near, near), np.uint8)
        self._differed_s: Times = np.full(shape, -math.inf, np.float32)
        self._inside = np.zeros(shape, bool)
        self._inside[rim:-rim, rim:-rim] = True
        self._unseen_s: Times = np.full(shape, math.inf, np.float32)  # since when nobody looked, where it changed then
        self._loose = np.zeros(shape, bool)  # what lay there in the last picture, seen and not told yet
        self._last: Image | None = None
        self._last_s = self._fresh_s = self._back_s = -math.inf
        self._steps: deque[float] = deque(maxlen=15)

    def see(self, raw: Image, moving: Mask, changed: Mask, hands: Mask, seconds: float) -> Gap | None:
        """The next picture that can be believed: where it moves, differs from the settled one, and where hands are.

        Gives the time in which nobody looked, if it ends with this picture and something came in meanwhile.
        """
        differs, gap = (changed > 0) | (hands > 0), None
        fresh = self._is_fresh(raw, moving)
        if fresh and self._last is not None and seconds - self._fresh_s > self._longest():
            news = differs & ~self._loose
            self._unseen_s[news] = np.minimum(self._unseen_s[news], self._fresh_s)
            self._back_s = seconds
            if int((news & ((hands == 0) | self._inside)).sum()) >= self._least_px:
                gap = Gap(self._fresh_s, self._last_s - self._fresh_s > self._longest())
        self._steps.append(seconds - self._last_s)
        self._fresh_s = seconds if fresh else self._fresh_s
        self._last, self._last_s, self._loose = raw, seconds, differs & (hands == 0)
        self.same_s[~differs] = seconds
        self._differed_s[differs] = seconds
        self._clear(hands, seconds)
        return gap

    def _clear(self, hands: Mask, seconds: float) -> None:
        """Where all is as it was before nobody looked, nothing came."""
        unseen = self._unseen_s < math.inf
        if unseen.any():
            free = cv2.dilate(hands, self._near_kernel) == 0
            self._unseen_s[unseen & free & (self._differed_s < seconds - _SAME_S)] = math.inf

    def adopt(self, mask: NDArray[np.bool_]) -> None:
        """What lies there is told, and settled."""
        self._unseen_s[mask] = math.inf

    def since(self, place: Mask, changed: Mask) -> float | None:
        """Since when nobody had looked, if what ``changed`` in this place did so unseen; else None."""
        there = (place > 0) & (changed > 0)
        times = self._unseen_s[there]
        unseen = times[times < math.inf]
        return float(unseen.min()) if unseen.size and unseen.size >= _UNSEEN_SHARE * times.size else None

    def pending_since(self) -> float | None:
        """The earliest time at which something may have happened unseen that is not told yet; None if nothing did."""
        if self._last_s - self._back_s > _PENDING_S:
            return None
        unseen = self._unseen_s[self._unseen_s < math.inf]
        return float(unseen.min()) if unseen.size >= self._least_px else None

    def standing_since(self) -> float | None:
        """Since when the picture stands still, as no living camera's does; None if it does not."""
        return self._fresh_s if self._last_s - self._fresh_s > self._longest() else None

    def _is_fresh(self, raw: Image, moving: Mask) -> bool:
        if self._last is None or cv2.countNonZero(moving) >= self._least_px:
            return True
        other = cv2.absdiff(raw, self._last).reshape(len(raw), -1)
        return int(np.count_nonzero(other >= _ALIVE_LEVELS)) > _ALIVE_SHARE * other.size

    def _longest(self) -> float:
        usual = float(np.median(self._steps)) if self._steps else 0.0
        return max(_UNSEEN_S, _UNSEEN_TIMES * usual)
