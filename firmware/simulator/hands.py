"""Hands and sleeves from above: one picture with alpha a player and grip, drawn once and then only turned and moved.

A hand's own frame: millimetres, the fingertips' working point at (0, 0), the arm towards +y (towards its owner).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[Any]
Colour = tuple[float, float, float]
Point = tuple[float, float]


class Grip(StrEnum):
    """What the fingers do."""

    HOLD = "hold"  # fingers bent over a card or a pack
    OPEN = "open"  # the flat hand: pushing, resting
    POINT = "point"


class Cuff(StrEnum):
    """What covers the arm."""

    BARE = "bare"
    PLAIN = "plain"
    STRIPES = "stripes"
    CHECKS = "checks"


@dataclass(frozen=True, slots=True)
class Arm:
    """A player's arm: skin and sleeve colours (BGR), how far behind the wrist the sleeve begins, left or right."""

    skin: Colour = (148, 178, 222)
    sleeve: Colour = (110, 60, 30)
    cuff: Cuff = Cuff.PLAIN
    cuff_mm: float = 25.0
    left: bool = False
    size: float = 1.0


_SKINS: list[Colour] = [
    (152, 184, 228), (138, 170, 214), (110, 150, 200), (86, 124, 176), (62, 92, 142), (44, 66, 106), (36, 52, 84),
]  # fmt: skip
_SLEEVES: list[Colour] = [
    (96, 52, 28), (44, 36, 150), (218, 220, 222), (120, 122, 120),
    (40, 40, 42), (60, 110, 60), (160, 130, 60), (70, 50, 90),
]  # fmt: skip


def arms(count: int, seed: int) -> tuple[Arm, ...]:
    """One arm a player; the same seed gives the same people."""
    rng = Random(f"arms {seed}")
    return tuple(
        Arm(
            rng.choice(_SKINS),
            rng.choice(_SLEEVES),
            rng.choices(list(Cuff), weights=[2, 4, 2, 1])[0],
            rng.uniform(10, 70),
            rng.random() < 0.2,
            rng.uniform(0.90, 1.06),
        )
        for _ in range(count)
    )


@dataclass(frozen=True, slots=True)
class Sprite:
    """A hand picture: premultiplied BGRA uint8, its px/mm, and the working point in its pixels."""

    image: Image
    px_per_mm: float
    tip_px: Point

    def placement(self, tip_at_px: Point, lean_deg: float, px_per_mm: float) -> Image:
        """The affine (2, 3) that puts the working point there.

        The arm leans so many degrees clockwise from straight down the picture.
        """
        k = px_per_mm / self.px_per_mm
        a = math.radians(lean_deg)
        c, s = k * math.cos(a), k * math.sin(a)
        tx = tip_at_px[0] - c * self.tip_px[0] + s * self.tip_px[1]
        ty = tip_at_px[1] - s * self.tip_px[0] - c * self.tip_px[1]
        return np.array([[c, -s, tx], [s, c, ty]], np.float64)


#: The sprite's frame in mm: left, top, right, bottom round the working point; long enough to reach across the table.
_FRAME_MM = (-110.0, -80.0, 110.0, 1300.0)

#: Knuckle places of the four fingers behind the working point (mm), index finger first; thumb on the left for a
#: right hand seen from above.
_KNUCKLES: list[Point] = [(-27.0, 62.0), (-9.0, 56.0), (9.0, 59.0), (26.0, 67.0)]
_WRIST: Point = (2.0, 146.0)

#: The back of the hand, from the index finger's side round the knuckles.
_PALM: list[Point] = [
    (-35, 66), (-27, 56), (-9, 50), (9, 52), (27, 60), (35, 72),
    (35, 96), (29, 128), (27, 152), (-23, 152), (-28, 130), (-37, 104),
]  # fmt: skip

#: For each grip: (reach, splay in degrees) of the four fingers, then the thumb's tip.
_GRIPS: dict[Grip, tuple[list[tuple[float, float]], Point]] = {
    Grip.HOLD: ([(64.0, 13.0), (61.0, 1.0), (48.0, -6.0), (30.0, -14.0)], (-31.0, 37.0)),
    Grip.OPEN: ([(76.0, -11.0), (86.0, -2.0), (79.0, 7.0), (62.0, 18.0)], (-74.0, 62.0)),
    Grip.POINT: ([(76.0, 14.0), (28.0, 2.0), (26.0, -2.0), (24.0, -8.0)], (-24.0, 44.0)),
}


@lru_cache(maxsize=48)
def sprite(arm: Arm, grip: Grip, px_per_mm: float) -> Sprite:
    """The picture of this arm with this grip, at about ``px_per_mm``."""
    fine = px_per_mm * 2
    canvas = _Canvas.blank(fine)
    _draw_sleeve_and_arm(canvas, arm)
    _draw_hand(canvas, arm, grip)
    image = canvas.premultiplied()
    if arm.left:
        image = np.ascontiguousarray(image[:, ::-1])
    k = px_per_mm / fine
    small = cv2.resize(image, None, fx=k, fy=k, interpolation=cv2.INTER_AREA)
    tip_x = -_FRAME_MM[0] * px_per_mm
    return Sprite(small, px_per_mm / arm.size, (tip_x, -_FRAME_MM[1] * px_per_mm))


def _draw_hand(canvas: _Canvas, arm: Arm, grip: Grip) -> None:
    fingers, thumb = _GRIPS[grip]
    over = grip is not Grip.HOLD
    if not over:
        _finger(canvas, arm, [(-14.0, 118.0), (-43.0, 78.0), thumb], 10.5)
    _palm(canvas, arm)
    if over:
        _finger(canvas, arm, [(-10.0, 122.0), (-48.0, 90.0), thumb], 10.5)
    for k in (3, 2, 1, 0):
        _finger(canvas, arm, list(_joints(_KNUCKLES[k], *fingers[k])), 9.4 - 0.9 * (k == 3))
    for x, y in _KNUCKLES:
        canvas.soften((x, y + 6), 7.0, 0.10)


def _joints(knuckle: Point, reach: float, splay_deg: float) -> Iterator[Point]:
    """From behind the knuckle over the middle joint to the tip."""
    a = math.radians(splay_deg)
    x, y = knuckle
    yield (x * 0.92, y + 26.0)
    yield (x + 0.52 * reach * math.sin(a * 0.8), y - 0.52 * reach * math.cos(a * 0.8))
    yield (x + reach * math.sin(a), y - reach * math.cos(a))


def _palm(canvas: _Canvas, arm: Arm) -> None:
    mask = canvas.mask()
    canvas.outline(mask, _smooth(np.asarray(_PALM, float)))
    canvas.paint(mask, arm.skin, 26.0, 0.86)
    for x, y in _KNUCKLES:
        canvas.line((x * 0.9, y + 12), (x * 0.35 + 1, 124), 3.0, 0.07)


def _finger(canvas: _Canvas, arm: Arm, joints: list[Point], radius: float) -> None:
    mask = canvas.mask()
    for (a, b), r in zip(pairwise(joints), (radius, radius * 0.9), strict=False):
        canvas.capsule(mask, a, b, r)
    cover = mask.copy()
    canvas.fade(cover, joints[0], ((2 * joints[0][0] + joints[1][0]) / 3, (2 * joints[0][1] + joints[1][1]) / 3))
    canvas.paint(mask, arm.skin, radius, 0.62, cover)
    _nail(canvas, arm, joints[-2], joints[-1], radius)


def _nail(canvas: _Canvas, arm: Arm, before: Point, tip: Point, radius: float) -> None:
    dx, dy = tip[0] - before[0], tip[1] - before[1]
    length = math.hypot(dx, dy) or 1.0
    centre = (tip[0] + dx / length * radius * 0.28, tip[1] + dy / length * radius * 0.28)
    light = tuple(min(255.0, 0.55 * c + 112) for c in arm.skin)
    canvas.nail(centre, math.degrees(math.atan2(dy, dx)), radius, light)


def _draw_sleeve_and_arm(canvas: _Canvas, arm: Arm) -> None:
    mask = canvas.mask()
    forearm = [(-24, 138), (27, 138), (33, 230), (45, 400), (68, 1320), (-66, 1320), (-42, 400), (-30, 230)]
    canvas.outline(mask, np.asarray(forearm, float))
    canvas.paint(mask, arm.skin, 34.0, 0.66)
    if arm.cuff is not Cuff.BARE:
        _sleeve(canvas, arm)


def _sleeve(canvas: _Canvas, arm: Arm) -> None:
    y = _WRIST[1] + arm.cuff_mm
    side = np.linspace(y, 1320.0, 80)
    wave = 2.0 * np.sin(side / 17.0) + 1.6 * np.sin(side / 41.0)
    half = 37.0 + (side - y) * 0.045
    right = np.stack([half + wave + 1.0, side], 1)
    left = np.stack([-half + 0.7 * wave[::-1], side], 1)[::-1]
    mask = canvas.mask()
    canvas.outline(mask, np.concatenate([right, left]))
    canvas.paint(mask, arm.sleeve, 44.0, 0.55)
    canvas.cloth(mask, arm.cuff, y)


def _smooth(points: Image) -> Image:
    """A closed curve through the middles of a polygon's sides (Chaikin, three times)."""
    for _ in range(3):
        after = np.roll(points, -1, axis=0)
        points = np.stack([0.75 * points + 0.25 * after, 0.25 * points + 0.75 * after], 1).reshape(-1, 2)
    return points


def _box(mask: Image, margin: int) -> tuple[slice, slice]:
    """The rows and columns that the mask fills, with a margin, inside the picture."""
    x, y, w, h = cv2.boundingRect(mask)
    rows = slice(max(0, y - margin), min(mask.shape[0], y + h + margin))
    return (rows, slice(max(0, x - margin), min(mask.shape[1], x + w + margin)))


@dataclass(slots=True)
class _Canvas:
    """A hand being drawn: colour, cover, and its scale."""

    colour: Image  # float32 (h, w, 3)
    cover: Image  # float32 (h, w)
    scale: float

    @classmethod
    def blank(cls, scale: float) -> _Canvas:
        left, top, right, bottom = _FRAME_MM
        h, w = round((bottom - top) * scale), round((right - left) * scale)
        return cls(np.zeros((h, w, 3), np.float32), np.zeros((h, w), np.float32), scale)

    def mask(self) -> Image:
        return np.zeros(self.cover.shape, np.uint8)

    def px(self, points: Any) -> Image:
        shifted = (np.asarray(points, float) - [_FRAME_MM[0], _FRAME_MM[1]]) * self.scale * 16
        return np.asarray(np.round(shifted), np.int32)

    def outline(self, mask: Image, points: Image) -> None:
        cv2.fillPoly(mask, [self.px(points)], 255, cv2.LINE_AA, 4)

    def capsule(self, mask: Image, a: Point, b: Point, radius: float) -> None:
        pa, pb = self.px(a), self.px(b)
        cv2.line(mask, pa.tolist(), pb.tolist(), 255, max(1, round(2 * radius * self.scale)), cv2.LINE_AA, 4)

    def fade(self, mask: Image, a: Point, b: Point) -> None:
        """Thin the mask out from nothing at ``a`` to all of it at ``b``."""
        box = _box(mask, 1)
        (ax, ay), (bx, by) = (np.asarray(self.px(p), float) / 16 for p in (a, b))
        y, x = np.mgrid[box]
        along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
        mask[box] = (mask[box] * np.clip(along, 0, 1)).astype(np.uint8)

    def paint(self, mask: Image, colour: Colour, round_mm: float, rim: float, cover: Image | None = None) -> None:
        """Paint what ``cover`` (the mask itself, if None) covers, rounded as the mask's shape.

        Full colour inside, ``rim`` of it at the edge.
        """
        box = _box(mask, round(4 * self.scale))
        inside = (mask[box] > 127).astype(np.uint8)
        depth = np.minimum(cv2.distanceTransform(inside, cv2.DIST_L2, 5) / (round_mm * self.scale), 1.0)
        shade = rim + (1 - rim) * np.sqrt(np.maximum(0.0, 1 - (1 - depth) ** 2))
        shade = cv2.GaussianBlur(shade, (0, 0), 1.2 * self.scale)
        a = ((mask if cover is None else cover)[box] / np.float32(255))[..., None]
        self.colour[box] += a * (shade[..., None] * np.asarray(colour, np.float32) - self.colour[box])
        self.cover[box] = np.maximum(self.cover[box], a[..., 0])

    def soften(self, centre: Point, radius: float, amount: float) -> None:
        """A soft light spot: a knuckle."""
        spot = self.mask()
        x, y = self.px(centre).tolist()
        cv2.circle(spot, (x, y), round(radius * self.scale * 16), 255, -1, cv2.LINE_AA, 4)
        self._scale_softly(spot, radius * 0.5, 1 + amount)

    def line(self, a: Point, b: Point, width: float, amount: float) -> None:
        """A soft darker line: tendons."""
        spot = self.mask()
        self.capsule(spot, a, b, width / 2)
        self._scale_softly(spot, width * 0.6, 1 - amount)

    def _scale_softly(self, spot: Image, blur_mm: float, factor: float) -> None:
        box = _box(spot, round(3 * blur_mm * self.scale))
        soft = cv2.GaussianBlur(spot[box], (0, 0), blur_mm * self.scale) / np.float32(255)
        self.colour[box] *= 1 + (factor - 1) * soft[..., None]

    def nail(self, centre: Point, angle_deg: float, radius: float, colour: Any) -> None:
        spot = self.mask()
        x, y = (self.px(centre) / 16).round().astype(int).tolist()
        axes = (max(1, round(radius * 0.62 * self.scale)), max(1, round(radius * 0.5 * self.scale)))
        cv2.ellipse(spot, (x, y), axes, angle_deg, 0, 360, 120, -1, cv2.LINE_AA)
        box = _box(spot, round(2 * self.scale))
        a = cv2.GaussianBlur(spot[box], (0, 0), 0.6 * self.scale)[..., None] / np.float32(255)
        self.colour[box] += a * (np.asarray(colour, np.float32) - self.colour[box])

    def cloth(self, mask: Image, cuff: Cuff, hem_mm: float) -> None:
        """Folds, the hem's seam, and the pattern of a sleeve."""
        box = _box(mask, 0)
        y, x = (m / self.scale for m in np.mgrid[box])
        x, y = x + _FRAME_MM[0], y + _FRAME_MM[1]
        folds = np.random.default_rng(7).standard_normal((26, 5)).astype(np.float32)
        value = 1 + 0.07 * cv2.resize(folds, (x.shape[1], x.shape[0]), interpolation=cv2.INTER_CUBIC)
        if cuff is not Cuff.PLAIN:
            value = value * np.where((x % 14) < 4, 1.35, 1.0)
        if cuff is Cuff.CHECKS:
            value = value * np.where((y % 14) < 4, 0.72, 1.0)
        value = value * np.where(np.abs(y - hem_mm - 9) < 0.8, 0.8, 1.0)
        a = (mask[box] / np.float32(255))[..., None]
        self.colour[box] *= 1 + a * (value[..., None].astype(np.float32) - 1)

    def premultiplied(self) -> Image:
        out = np.dstack([self.colour * self.cover[..., None], self.cover * 255])
        return np.asarray(np.clip(out, 0, 255), np.uint8)
