"""A drawn table seen from above, with cards and an arm, and a reader that knows what is visible on it.

The pictures are drawn honestly (what lies on top hides what lies below); only the reading of an index is short-cut:
`World.indices` answers what a perfect reader would find in the newest picture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pose import Pose
from vision.sightings import RANKS, SUITS
from vision.surface import Surface

cv2.setNumThreads(1)

CARD_MM = (63.0, 88.0)
INSET_MM = (5.5, 13.0)
SIZE_PX = (840, 660)
FPS = 15.0
SURFACE = Surface.fit(
    [[60, 50], [780, 50], [780, 610], [60, 610]],  # 0.8 px/mm with 60 to 75 mm of surroundings
    [[0, 0], [900, 0], [900, 700], [0, 700]],
)
GREEN = (60, 110, 40)
BOTTOM, LEFT, TOP, RIGHT = (450.0, 760.0), (-75.0, 350.0), (450.0, -60.0), (970.0, 350.0)

Image = NDArray[np.uint8]
Region = tuple[float, float, float, float]


@dataclass
class Drawn:
    """A card of the drawn table."""

    face: str
    pose: Pose


@dataclass(frozen=True)
class Read:
    """An index as a reader gives it."""

    rank_px: tuple[float, float]
    suit_px: tuple[float, float]
    rank_p: tuple[float, ...]
    suit_p: tuple[float, ...]


def probabilities(face: str, confidence: float = 0.97) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """What a reader that is so sure of ``face`` says."""
    side = confidence**0.5
    rank = tuple(side if r == face[0] else (1 - side) / 12 for r in RANKS)
    suit = tuple(side if s == face[1] else (1 - side) / 3 for s in SUITS)
    return rank, suit


@dataclass
class World:
    """The table now. ``arm``: (edge, hand) in mm, or None; ``reads``: says what is read of a face, each time."""

    cards: list[Drawn] = field(default_factory=list)
    arm: tuple[tuple[float, float], tuple[float, float]] | None = None
    light: float = 1.0
    table: tuple[int, int, int] = GREEN
    noise: float = 2.0
    reads: Callable[[str], tuple[tuple[float, ...], tuple[float, ...]]] = probabilities
    threshold: float = 0.85
    seed: int = 1
    sleeve: tuple[int, int, int] = (120, 60, 40)
    skin: tuple[int, int, int] = (120, 150, 200)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)
        self._table = _grained(self.table, self.seed)
        self._noises = _noises(self.noise, self.seed)
        self._frame = 0
        self._drawn: list[object] = []  # what `_lit` shows

    def cloth(self, rows: Image) -> None:
        """Another table: BGR uint8 [h, w or 1, 3]."""
        self._table, self._drawn = np.ascontiguousarray(np.broadcast_to(rows, self._table.shape)), []

    def picture(self) -> Image:
        """The camera's picture: BGR uint8."""
        now = [*((card.face, card.pose) for card in self.cards), self.arm, self.light, self.sleeve, self.skin]
        if now != self._drawn:
            self._drawn, self._lit = now, self._draw()
        self._frame += 1 + int(self._random.integers(len(self._noises) - 1))  # never the same noise twice running
        return np.asarray(cv2.add(self._lit, self._noises[self._frame % len(self._noises)], dtype=cv2.CV_8U), np.uint8)

    def _draw(self) -> Image:
        canvas = self._table.copy()
        for card in self.cards:
            _draw(canvas, card)
        if self.arm is not None:
            _draw_arm(canvas, *self.arm, self.sleeve, self.skin)
        return np.asarray(cv2.convertScaleAbs(canvas, alpha=self.light), np.uint8)

    def indices(self, image: Image, card_px: float, region: Region | None = None) -> list[Read]:
        """What a perfect reader finds."""
        del image, card_px
        x0, y0, x1, y1 = region or (0, 0, *SIZE_PX)
        found = []
        for place, card in enumerate(self.cards):
            if card.face == "back" or len(card.face) != 2:
                continue
            for rank, suit in _index_places(card.pose):
                px = SURFACE.px((rank + suit) / 2)
                inside = x0 <= px[0] <= x1 and y0 <= px[1] <= y1
                if inside and self._visible(place, rank) and self._visible(place, suit):
                    a, b = SURFACE.px(rank), SURFACE.px(suit)
                    found.append(Read((a[0], a[1]), (b[0], b[1]), *self.reads(card.face)))
        return found

    def _visible(self, place: int, point: NDArray[np.float64]) -> bool:
        if any(card.pose.inside(point, CARD_MM, -2.0) for card in self.cards[place + 1 :]):
            return False
        x, y = SURFACE.px(point)
        if not (0 <= x < SIZE_PX[0] and 0 <= y < SIZE_PX[1]):
            return False
        return self.arm is None or not _under_arm(point, *self.arm)

    # --- people ----------------------------------------------------------------------------------------------

    def still(self, seconds: float) -> Iterator[Image]:
        """Nothing happens for a while."""
        for _ in range(round(seconds * FPS)):
            yield self.picture()

    def reach(
        self, edge: tuple[float, float], start: tuple[float, float], stop: tuple[float, float]
    ) -> Iterator[Image]:
        """The arm's hand moves from ``start`` to ``stop`` (mm)."""
        steps = max(2, round(np.hypot(stop[0] - start[0], stop[1] - start[1]) / 80))
        for step in range(1, steps + 1):
            k = step / steps
            self.arm = (edge, (start[0] + (stop[0] - start[0]) * k, start[1] + (stop[1] - start[1]) * k))
            yield self.picture()

    def carry(self, card: Drawn, edge: tuple[float, float], stop: Pose) -> Iterator[Image]:
        """The arm moves ``card`` to ``stop``, its fingers on it."""
        start = card.pose
        steps = max(2, round(start.distance(stop) / 80))
        for step in range(1, steps + 1):
            k = step / steps
            card.pose = Pose(start.x + (stop.x - start.x) * k, start.y + (stop.y - start.y) * k, stop.angle)
            self.arm = (edge, card.pose.middle)
            yield self.picture()

    def leave(self) -> Iterator[Image]:
        """The arm goes back the way it came and is gone."""
        assert self.arm is not None
        edge, hand = self.arm
        yield from self.reach(edge, hand, edge)
        self.arm = None
        yield from self.still(0.4)

    def lay(self, face: str, pose: Pose, edge: tuple[float, float], hold_s: float = 0.25) -> Iterator[Image]:
        """Somebody brings a card, puts it down, holds it for a moment and goes."""
        card = Drawn(face, Pose(edge[0], edge[1], pose.angle))
        self.cards.append(card)
        yield from self.carry(card, edge, pose)
        yield from self.still(hold_s)
        yield from self.leave()

    def take(self, card: Drawn, edge: tuple[float, float]) -> Iterator[Image]:
        """Somebody takes a card off the table."""
        yield from self.reach(edge, edge, card.pose.middle)
        self.cards.remove(card)
        self.cards.append(card)
        yield from self.carry(card, edge, Pose(edge[0], edge[1], card.pose.angle))
        self.cards.remove(card)
        yield from self.leave()


@cache
def _grained(table: tuple[int, int, int], seed: int) -> Image:
    """A cloth of one colour, its threads 3 levels lighter and darker."""
    grain = np.random.default_rng(seed).normal(0, 3, (SIZE_PX[1], SIZE_PX[0], 1))
    return np.clip(np.array(table) + grain, 0, 255).astype(np.uint8)


@cache
def _noises(sigma: float, seed: int) -> list[NDArray[np.int16]]:
    """Five frames' noise, grey levels: more would show nothing new, and cost a third of the tests' time."""
    random = np.random.default_rng(seed + 1)
    return [random.normal(0, sigma, (SIZE_PX[1], SIZE_PX[0], 3)).astype(np.int16) for _ in range(5)]


def _index_places(pose: Pose) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Rank and suit of both indices, mm."""
    middle = np.array(pose.middle)
    out = []
    for way in (1, -1):
        right, down = pose.right * way, pose.down * way
        base = middle - right * (CARD_MM[0] / 2 - INSET_MM[0]) - down * (CARD_MM[1] / 2 - INSET_MM[1])
        out.append((base - down * 5, base + down * 5))
    return out


def _px(points: NDArray[np.float64]) -> NDArray[np.int32]:
    return np.round(SURFACE.px(points) * 16).astype(np.int32)


def _draw(canvas: Image, card: Drawn) -> None:
    outline = card.pose.outline(CARD_MM)
    cv2.fillConvexPoly(canvas, _px(outline), (238, 240, 242), cv2.LINE_AA, 4)
    cv2.polylines(canvas, [_px(outline)], True, (170, 170, 170), 1, cv2.LINE_AA, 4)
    if card.face == "back":
        cv2.fillConvexPoly(
            canvas, _px(card.pose.outline((CARD_MM[0] - 8, CARD_MM[1] - 8))), (150, 80, 50), cv2.LINE_AA, 4
        )
        return
    if len(card.face) != 2:
        return
    ink = (40, 40, 200) if card.face[1] in "HD" else (30, 30, 30)
    for rank, suit in _index_places(card.pose):
        for point in (rank, suit):
            cv2.circle(canvas, tuple(int(v) for v in SURFACE.px(point)), 2, ink, -1, cv2.LINE_AA)
    seed = RANKS.index(card.face[0]) * 4 + SUITS.index(card.face[1])
    places = np.random.default_rng(seed).uniform((-18, -30), (18, 30), (4 + seed % 5, 2))
    for x, y in places:
        point = np.array(card.pose.middle) + card.pose.right * x + card.pose.down * y
        cv2.circle(canvas, tuple(int(v) for v in SURFACE.px(point)), 4, ink, -1, cv2.LINE_AA)


def _arm_shape(
    edge: tuple[float, float], hand: tuple[float, float]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Beyond the edge, the wrist, and the finger tips (which reach 12 mm past ``hand``)."""
    way = np.subtract(hand, edge)
    way = way / max(float(np.hypot(*way)), 1e-6)
    return np.array(edge) - way * 150, np.array(hand) - way * 60, np.array(hand) + way * 12


def _draw_arm(
    canvas: Image,
    edge: tuple[float, float],
    hand: tuple[float, float],
    sleeve: tuple[int, int, int],
    skin: tuple[int, int, int],
) -> None:
    out, wrist, tips = (SURFACE.px(p) for p in _arm_shape(edge, hand))
    scale = SURFACE.px_per_mm
    ints = [tuple(int(v) for v in p) for p in (out, wrist, tips)]
    cv2.line(canvas, ints[0], ints[1], sleeve, round(70 * scale))
    cv2.line(canvas, ints[1], ints[2], skin, round(45 * scale))


def _under_arm(point: NDArray[np.float64], edge: tuple[float, float], hand: tuple[float, float]) -> bool:
    out, wrist, tips = _arm_shape(edge, hand)
    return _off_line(point, out, wrist) < 38 or _off_line(point, wrist, tips) < 25


def _off_line(point: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    along = b - a
    k = float(np.clip((point - a) @ along / max(float(along @ along), 1e-9), 0, 1))
    return float(np.hypot(*(point - a - k * along)))
