"""Where things are: seats round the table, zones, places of cards, and the camera's view of it all.

Lengths are millimetres on the table, x right and y down as the camera sees it; angles are degrees clockwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Points = npt.NDArray[np.float64]
Rect = tuple[float, float, float, float]

TABLE_MM = (900.0, 700.0)
CARD_MM = (63.0, 88.0)


@dataclass(frozen=True, slots=True)
class Place:
    """A card's place: its centre in mm and its turn, 0 when it stands upright for the player at the bottom."""

    x_mm: float
    y_mm: float
    angle_deg: float = 0.0

    def moved(self, dx_mm: float, dy_mm: float, turn_deg: float = 0.0) -> Place:
        """The place shifted and turned by so much."""
        return Place(self.x_mm + dx_mm, self.y_mm + dy_mm, self.angle_deg + turn_deg)

    def corners(self, squeeze: float = 1.0) -> Points:
        """The card's four corners (4, 2) in mm from its own top-left clockwise.

        ``squeeze`` narrows it: a card being turned over.
        """
        w, h = CARD_MM[0] / 2 * max(squeeze, 0.02), CARD_MM[1] / 2
        box = np.array([[-w, -h], [w, -h], [w, h], [-w, h]])
        a = math.radians(self.angle_deg)
        turn = np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])
        corners: Points = box @ turn + [self.x_mm, self.y_mm]
        return corners


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's side of the table: ``edge`` is where he sits, ``facing_deg`` how his cards stand (0 at the bottom)."""

    number: int
    edge: tuple[float, float]
    facing_deg: float

    @property
    def ahead(self) -> tuple[float, float]:
        """Unit vector from the player into the table."""
        a = math.radians(self.facing_deg)
        return (math.sin(a), -math.cos(a))

    @property
    def right(self) -> tuple[float, float]:
        """Unit vector to the player's right hand."""
        a = math.radians(self.facing_deg)
        return (math.cos(a), math.sin(a))

    def at(self, ahead_mm: float, right_mm: float = 0.0) -> tuple[float, float]:
        """The point so far into the table and to the right from where he sits."""
        (ax, ay), (rx, ry) = self.ahead, self.right
        return (self.edge[0] + ax * ahead_mm + rx * right_mm, self.edge[1] + ay * ahead_mm + ry * right_mm)

    @property
    def shoulder(self) -> tuple[float, float]:
        """Where his arm comes from: behind the edge, a little to his right."""
        return self.at(-330.0, 90.0)


#: Sides on which the players of 2..8 sit, clockwise from the bottom, as TABLE.md counts seats.
_SIDES = {2: "BT", 3: "BLR", 4: "BLTR", 5: "BLTTR", 6: "BLLTTR", 7: "BLLTTRR", 8: "BBLLTTRR"}
_FACING = {"B": 0.0, "L": 90.0, "T": 180.0, "R": 270.0}


def seats(count: int, table_mm: tuple[float, float] = TABLE_MM) -> tuple[Seat, ...]:
    """The seats of a table for ``count`` players, clockwise, seat 1 at the bottom.

    :raises ValueError: for fewer than 2 or more than 8 players.
    """
    if count not in _SIDES:
        raise ValueError(f"a simulated table seats 2 to 8 players, not {count}")
    sides = _SIDES[count]
    return tuple(_seat(number, sides, table_mm) for number in range(1, count + 1))


def _seat(number: int, sides: str, table_mm: tuple[float, float]) -> Seat:
    side = sides[number - 1]
    same = [k for k, s in enumerate(sides) if s == side]
    share = (same.index(number - 1) + 1) / (len(same) + 1)
    w, h = table_mm
    edge = {
        "B": (w * (1 - share), h),
        "L": (0.0, h * (1 - share)),
        "T": (w * share, 0.0),
        "R": (w, h * share),
    }[side]
    return Seat(number, edge, _FACING[side])


@dataclass(frozen=True, slots=True)
class Zone:
    """A named rectangle of the table: left, top, right, bottom in mm."""

    name: str
    rect: Rect

    def holds(self, x_mm: float, y_mm: float) -> bool:
        """Whether the point lies inside."""
        left, top, right, bottom = self.rect
        return left <= x_mm <= right and top <= y_mm <= bottom


#: How deep a seat's zone is: with packs and piles before the players, or just a strip.
DEEP_MM, STRIP_MM = 165.0, 98.0


def zones(count: int, deep: bool) -> tuple[Zone, ...]:
    """The zones of a table: a strip (or a deep place) before each seat, the layout, the stock."""
    depth = DEEP_MM if deep else STRIP_MM
    mine = [Zone(f"seat-{seat.number}", _before(seat, count, depth, deep)) for seat in seats(count)]
    if deep:
        common = [Zone("layout", (190, 175, 435, 525)), Zone("stock", (445, 175, 710, 525))]
    else:
        common = [Zone("layout", (110, 105, 790, 595)), Zone("stock", (796, 602, 898, 698))]
    return (*mine, *common)


def _before(seat: Seat, count: int, depth: float, deep: bool) -> Rect:
    sides = _SIDES[count]
    crowd = sides.count(sides[seat.number - 1])
    upright = seat.facing_deg in (90.0, 270.0)
    half = ((180.0 if deep else 240.0) if upright else (250.0 if deep else 300.0)) / crowd - (4 if crowd > 1 else 0)
    near, far = seat.at(3.0, -half), seat.at(3.0 + depth, half)
    xs, ys = sorted((near[0], far[0])), sorted((near[1], far[1]))
    return (round(xs[0], 1), round(ys[0], 1), round(xs[1], 1), round(ys[1], 1))


@dataclass(frozen=True, slots=True)
class View:
    """The camera: picture size and the homography from table mm to picture px."""

    size_px: tuple[int, int]
    picture: tuple[tuple[float, float], ...]  # the table's corners in the picture, px, from the top-left clockwise
    table_mm: tuple[float, float] = TABLE_MM

    @property
    def table_corners(self) -> tuple[tuple[float, float], ...]:
        """The four places of ``picture`` on the table."""
        w, h = self.table_mm
        return ((0.0, 0.0), (w, 0.0), (w, h), (0.0, h))

    @property
    def matrix(self) -> Matrix:
        """Homography (3, 3) from mm to px."""
        source = np.asarray(self.table_corners, np.float32)
        m: Matrix = np.asarray(cv2.getPerspectiveTransform(source, np.asarray(self.picture, np.float32)), float)
        return m

    @property
    def px_per_mm(self) -> float:
        """The scale along the table's width, averaged."""
        top, bottom = (math.dist(self.picture[a], self.picture[b]) for a, b in ((0, 1), (3, 2)))
        return (top + bottom) / 2 / self.table_mm[0]


def view(size_px: tuple[int, int] = (1280, 960), seed: int = 0) -> View:
    """A camera over the table that nearly looks straight down: the table fills the picture, a little askew."""
    rng = Random(f"view {seed}")
    w, h = size_px
    scale = min(w * 0.855 / TABLE_MM[0], h * 0.885 / TABLE_MM[1])
    left, top = (w - TABLE_MM[0] * scale) / 2, (h - TABLE_MM[1] * scale) / 2
    slack = 0.010 * w
    corners = [(0.0, 0.0), (TABLE_MM[0], 0.0), TABLE_MM, (0.0, TABLE_MM[1])]
    picture = tuple(
        (
            round(left + x * scale + rng.uniform(-slack, slack), 1),
            round(top + y * scale + rng.uniform(-slack, slack), 1),
        )
        for x, y in corners
    )
    return View(size_px, picture)


def project(matrix: Matrix, points_mm: Any) -> Points:
    """Points (n, 2) in mm to (n, 2) in px."""
    points = np.asarray(points_mm, float).reshape(-1, 2)
    flat = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    result: Points = flat[:, :2] / flat[:, 2:]
    return result
