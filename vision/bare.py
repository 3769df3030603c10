"""The table without cards, as far as it has been seen: tells a place that was left from one that is covered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from .gate import Scene

Image = NDArray[np.uint8]
Mask = NDArray[np.uint8]

_SLACK_LEVELS: Final = 6
"""What was seen bare long ago may differ by this more than a change of now: light drifts unevenly."""

_SHADE: Final = (0.5, 1.05, 0.12)
"""Least and greatest share of its light that the table keeps in a shadow, and how far its channels may differ."""

_RIM_PX: Final = 5
"""A card's shadow falls this far, small pixels: not taken for the table's own colour at the start."""


@dataclass(slots=True)
class Bare:
    """``picture``: BGR [h, w, 3], small, in the light of the first frame."""

    picture: Any

    @classmethod
    def under(cls, small: Image, cards: Mask) -> Bare:
        """The table under ``cards`` is taken to look as it does round them."""
        hidden = cv2.dilate(cards, np.ones((_RIM_PX, _RIM_PX), np.uint8))
        return cls(cv2.inpaint(small, hidden, _RIM_PX, cv2.INPAINT_TELEA))

    def share(self, scene: Scene, inside: NDArray[np.bool_], threshold: NDArray[np.uint8]) -> float:
        """Share of the pixels ``inside`` that look like the bare table, or it in shadow."""
        now, bare = scene.small[inside].astype(np.float32), self.picture[inside].astype(np.float32)
        if len(now) == 0:
            return 0.0
        same = np.abs(now - bare).max(1) <= threshold[inside] + _SLACK_LEVELS
        least, most, spread = _SHADE
        share = (now + 2) / (bare + 2)
        shaded = (share.max(1) < most) & (share.min(1) > least) & (np.ptp(share, axis=1) < spread)
        return float((same | shaded).mean())

    def learn(self, scene: Scene, empty: Mask) -> None:
        """Where nothing lies now, the table looks so."""
        there = empty > 0
        self.picture[there] = scene.small[there]
