"""Arms cannot leap: a picture in which one does is patched together from two, and proves nothing for a moment.

A camera or a decoder that is late delivers half of an old picture with half of a new one. In it an arm ends at a
straight line, and what it hides shows as it lay before; both look like a card that was taken or laid.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]

_FASTEST_MM_S: Final = 2500.0
"""No hand goes in or out faster: people lay cards at 500 to 1500 mm/s."""

_SLACK_MM: Final = 60.0
"""... and what is taken for its tip jumps by fingers and by the card in them."""

_SETTLED_SHARE: Final = 0.3
"""An arm leapt when so much of what it clearly covered shows the settled table in the other picture: a sleeve of the
table's own colour is lost and found, but the hand at its end stays a clear change."""

_TORN_S: Final = 0.5
"""So long after a leap nothing counts as settled: half pictures come in fits, and arms leap back."""


class Leaps:
    """Follows the arms of one camera, whose small pixels are ``mm_per_px`` wide."""

    def __init__(self, mm_per_px: float) -> None:
        self._mm_per_px = mm_per_px
        self._hand_of: NDArray[np.int16] | None = None
        self._changed: Mask | None = None
        self._reach: dict[int, float] = {}
        self._seen_s = self._torn_s = -np.inf

    def see(
        self, hand_of: NDArray[np.int16], changed: Mask, contacts: dict[int, tuple[int, int]], seconds: float
    ) -> None:
        """The next picture: whose hand is where, what changed clearly, and where each hand crosses the edge, px."""
        reach = {hand: self._reach_mm(hand_of, hand, at) for hand, at in contacts.items()}
        if self._hand_of is not None and self._changed is not None:
            far = _FASTEST_MM_S * (seconds - self._seen_s) + _SLACK_MM
            for hand in reach.keys() | self._reach.keys():
                leap = reach.get(hand, 0.0) - self._reach.get(hand, 0.0)
                there, then = (hand_of, changed) if leap > 0 else (self._hand_of, self._changed)
                other = self._changed if leap > 0 else changed
                if abs(leap) > far and _settled(other[(there == hand) & (then > 0)]) > _SETTLED_SHARE:
                    self._torn_s = seconds
        self._hand_of, self._changed, self._reach, self._seen_s = hand_of, changed, reach, seconds

    def torn(self, seconds: float) -> bool:
        """Has an arm leapt just now?"""
        return bool(seconds - self._torn_s < _TORN_S)

    def _reach_mm(self, hand_of: NDArray[np.int16], hand: int, at: tuple[int, int]) -> float:
        ys, xs = np.nonzero(hand_of == hand)
        if not len(xs):
            return 0.0
        return float(np.percentile(np.hypot(xs - at[0], ys - at[1]), 95)) * self._mm_per_px


def _settled(changed: Mask) -> float:
    """The share of these pixels that look as the settled table does."""
    return float((changed == 0).mean()) if changed.size else 0.0
