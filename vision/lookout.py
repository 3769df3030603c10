"""Can this picture be believed? Told before anything is looked for in it: a camera in trouble is no empty table.

Gives each frame as it looks from the camera's first place, or the trouble that forbids to draw conclusions from it.
It knows no card and says nothing to people but the trouble's name and words.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .anchors import Look
from .frames import Frame
from .steady import Place, Steady, View
from .surface import Surface
from .words import Amiss

Image = NDArray[np.uint8]
Mask = NDArray[np.uint8]
Floats = NDArray[np.float64]

_EVERY_PX: Final = 16
"""Exposure is judged on every 16th pixel of every 16th line: 4,800 of them."""

_BLACK_LEVELS: Final = 30.0
"""A picture whose brightest hundredth is darker shows nothing: a lens cap leaves 5 to 15, a black cloth in a lit room
with anything on it 60."""

_BURNT: Final = 250
_BURNT_SHARE: Final = 0.5
"""Half of the picture burnt out: a white cloth in good light is below `_BURNT`, paper is not half of a table."""

_DIMMED: Final = 0.2
"""The light is off when the same places give less than this share of it: exposure is locked, cards are not read."""

_EDGE_LEVELS: Final = 15.0
"""Sharpness is judged on anchors with edges of this contrast and more: grain softens when a picture is only moved."""

_LEAST_EDGES: Final = 4

_BLURRED: Final = 0.5
"""Steps from pixel to pixel left over when the picture is out of focus by 3 px in 1280 (2.5 mm): no index is read."""

_STILL_THERE: Final = 0.5
"""Out of focus, edges still correlate with what they were by more than this; under a palm they do not."""

_NO_EDGES: Final = 0.5
"""A picture whose edges are less than half as hard as they were shows no table at all: the lens is covered."""

_SAID_AFTER_S: Final = 0.4
"""A single bad frame is passed over in silence; this is trouble."""

_MOVED_AFTER_S: Final = 1.4
"""A camera is looked for this long before people are asked to calibrate; hands over most of the table go sooner."""

_WELL_AFTER_S: Final = 0.3
"""Trouble that was said is over when all has been well for so long."""

_REPEATED_S: Final = 1.0
"""The same picture for so long is no picture: a sensor's noise never repeats."""

_GAP_S: Final = 1.5
"""No frame for so long, and for `_GAP_TIMES` the usual time between two, is a gap."""
_GAP_TIMES: Final = 5.0


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a frame is good for. ``image``: as from the first place, None where it must not be looked at.

    ``fresh`` uint8 [h, w]: 255 where the picture's border is new since the camera moved, else None. ``began`` and
    ``ended``: trouble that begins or ends with this frame, and since when.
    """

    image: Image | None
    fresh: Mask | None = None
    began: tuple[Amiss, float] | None = None
    ended: Amiss | None = None


@dataclass(slots=True)
class Lookout:
    """Follows one camera. ``marks_px``: where the mat's markers were calibrated to be, number -> corners [4, 2] px."""

    surface: Surface
    size_px: tuple[int, int]
    marks_px: Mapping[int, Floats] = field(default_factory=dict)
    trouble: Amiss | None = None
    steady: Steady = field(init=False)
    _clock_s: float = 0.0
    _ill: tuple[Amiss, float] | None = None
    _well_since: float | None = None
    _fresh: Mask | None = None
    _last: Frame | None = None
    _sample: Image | None = None
    _same_since: float = 0.0
    _intervals: deque[float] = field(default_factory=lambda: deque(maxlen=15))

    def __post_init__(self) -> None:
        self.steady = Steady(self.surface, self.size_px, self.marks_px)

    def see(self, frame: Frame) -> Outlook:
        """The next frame."""
        gap = self._gap(frame)
        if gap and self.trouble is None:
            return Outlook(None, None, (Amiss.LOST, frame.seconds - gap), Amiss.LOST)
        sample = frame.image[::_EVERY_PX, ::_EVERY_PX]
        old = self._not_new(frame, sample)
        amiss = _exposure(sample)
        view = None if amiss else self.steady.see(frame.image, self._clock_s)
        if view is not None:
            amiss = self._unsound(view) or old
        if amiss is None and view is not None:
            return self._good(view)
        return self._bad(amiss or Amiss.LOST, frame.seconds)

    def again(self) -> None:
        """The next frame's time is on another clock than those before: a session begins."""
        self._last = None

    # --- one frame -------------------------------------------------------------------------------------------

    def _gap(self, frame: Frame) -> float:
        """For how long no frame has come, if that is long; else 0. Moves our own clock on."""
        last, self._last = self._last, frame
        if last is None:
            return 0.0
        step = max(0.0, frame.seconds - last.seconds)
        usual = float(np.median(self._intervals)) if self._intervals else step
        self._intervals.append(step)
        self._clock_s += step
        return step if step > max(_GAP_S, _GAP_TIMES * usual) else 0.0

    def _not_new(self, frame: Frame, sample: Image) -> Amiss | None:
        """Is this an old picture again? Only a live camera's are asked; a recording may hold equal frames."""
        before, self._sample = self._sample, sample.copy()
        if not frame.taken_ns or before is None or not np.array_equal(before, sample):
            self._same_since = self._clock_s
            return None
        return Amiss.OLD if self._clock_s - self._same_since >= _REPEATED_S else None

    def _unsound(self, view: View) -> Amiss | None:
        """What is wrong with a well-exposed picture."""
        look = view.look
        if look is not None and _share(look.level) < _DIMMED:
            return Amiss.DARK
        soft, there = (False, False) if look is None else self._softness(look)
        if soft and there:
            return Amiss.BLURRED
        if view.place is not Place.UNKNOWN:
            return None
        return Amiss.COVERED if view.edges < _NO_EDGES else Amiss.MOVED

    def _softness(self, look: Look) -> tuple[bool, bool]:
        """Have the edges gone soft, and are they still there?"""
        some = self.steady.anchors
        if some is None or len(some) != len(look.sharp):
            return False, False
        edges = (some.contrast >= _EDGE_LEVELS) & (some.base >= _STILL_THERE)
        if int(edges.sum()) < _LEAST_EDGES:
            return False, False
        sharp = float(np.median(look.sharp[edges] / np.maximum(look.level[edges], 0.1)))
        return sharp < _BLURRED, float(np.median(look.score[edges])) > _STILL_THERE

    # --- from frame to frame ---------------------------------------------------------------------------------

    def _bad(self, amiss: Amiss, seconds: float) -> Outlook:
        self._well_since = None
        if self._ill is None or self._ill[0] is not amiss:
            self._ill = amiss, self._clock_s
        for_s = self._clock_s - self._ill[1]
        if amiss is self.trouble or for_s < (_MOVED_AFTER_S if amiss is Amiss.MOVED else _SAID_AFTER_S):
            return Outlook(None)
        before, self.trouble = self.trouble, amiss
        return Outlook(None, None, (amiss, seconds - for_s), before)

    def _good(self, view: View) -> Outlook:
        """The picture is good; after trouble that was said, only when it has been so for a moment."""
        self._fresh = view.unseen if view.unseen is not None else self._fresh
        self._well_since = self._clock_s if self._well_since is None else self._well_since
        self._ill = None
        if self.trouble is not None and self._clock_s - self._well_since < _WELL_AFTER_S:
            return Outlook(None)
        fresh, self._fresh, over, self.trouble = self._fresh, None, self.trouble, None
        return Outlook(view.image, fresh, None, over)


def _exposure(sample: Image) -> Amiss | None:
    """Black or burnt out? ``sample`` BGR [h, w, 3]."""
    if float(np.percentile(sample.max(2), 99)) < _BLACK_LEVELS:
        return Amiss.DARK
    return Amiss.BRIGHT if float((sample.min(2) >= _BURNT).mean()) > _BURNT_SHARE else None


def _share(values: Floats) -> float:
    return float(np.median(values)) if len(values) else 1.0
