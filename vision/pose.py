"""Where a card lies on the table, in millimetres, and the rectangle it fills."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pose:
    """A card's middle (mm) and turn: degrees clockwise as the camera sees it, 0 when its top points up."""

    x: float
    y: float
    angle: float

    @classmethod
    def of(cls, middle: Floats, down: Floats) -> Pose:
        """From its middle (mm) and the unit vector down the card."""
        return cls(float(middle[0]), float(middle[1]), math.degrees(math.atan2(-down[0], down[1])) % 360)

    @property
    def middle(self) -> tuple[float, float]:
        """Its middle, mm."""
        return self.x, self.y

    @property
    def down(self) -> Floats:
        """Unit vector from its top to its bottom."""
        turn = math.radians(self.angle)
        return np.array([-math.sin(turn), math.cos(turn)])

    @property
    def right(self) -> Floats:
        """Unit vector from its left to its right."""
        turn = math.radians(self.angle)
        return np.array([math.cos(turn), math.sin(turn)])

    def outline(self, card_mm: tuple[float, float]) -> Floats:
        """Its corners [4, 2] mm, clockwise from its own top-left."""
        x, y = self.right * card_mm[0] / 2, self.down * card_mm[1] / 2
        middle = np.array([self.x, self.y])
        return np.array([middle - x - y, middle + x - y, middle + x + y, middle - x + y])

    def distance(self, other: Pose) -> float:
        """Between the two middles, mm."""
        return math.hypot(self.x - other.x, self.y - other.y)

    def turned(self, other: Pose, half: bool = False) -> float:
        """The angle between the two, degrees 0..180; with ``half`` a card upside down counts as the same, 0..90."""
        around = 180.0 if half else 360.0
        difference = abs(self.angle - other.angle) % around
        return min(difference, around - difference)

    def as_it_lay(self, before: Pose) -> Pose:
        """The same rectangle, named the way round that is nearer to ``before``: a card has no top that one can see."""
        return self if self.turned(before) <= 90 else Pose(self.x, self.y, (self.angle + 180) % 360)

    def inside(self, point: Floats, card_mm: tuple[float, float], margin_mm: float = 0.0) -> bool:
        """Does the point (mm) lie on the card, at least ``margin_mm`` from its edges?"""
        across = np.asarray(point, float) - (self.x, self.y)
        return bool(
            abs(across @ self.right) <= card_mm[0] / 2 - margin_mm
            and abs(across @ self.down) <= card_mm[1] / 2 - margin_mm
        )
