"""Draws the table at one moment as the camera would see it: still cards once, moving cards and hands over a copy."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from . import hands, pack, table
from .geometry import CARD_MM, Place, View, project
from .timeline import HandShown, Shown, Timeline

Image = npt.NDArray[Any]
Box = tuple[int, int, int, int]  # left, top, right, bottom in px

#: Cards are warped at this many times the picture's resolution and averaged down, for smooth edges.
_FINE = 2

#: In the light map kept as bytes this stands for full light.
_FULL = 128

#: How dark a shadow is right under a card or a hand.
_CARD_SHADE, _HAND_SHADE = 0.42, 0.40

#: Shadows fall this way (unit of the light's offset) and so far, mm, for lying and carried cards and for hands.
_FALL = (0.55, 0.83)
_LYING_MM, _CARRIED_MM, _HAND_MM = 0.7, 9.0, 13.0

#: Seconds that a picture is exposed: what moves is smeared over its way in that time.
EXPOSURE_S = 1 / 60

#: A pack shows a card's edge for about this many of its cards.
_CARDS_PER_EDGE = 3


@dataclass(slots=True)
class Scene:
    """A table ready to be drawn. ``swap`` shows other faces than the cards have: ``{"7H": "8H"}``."""

    timeline: Timeline
    view: View
    look: table.Look
    style: pack.Style
    arms: tuple[hands.Arm, ...]
    swap: dict[str, str] = field(default_factory=dict)
    _matrix: Image = field(init=False)
    _light: Image = field(init=False)
    _bare: Image = field(init=False)
    _glare: tuple[Box, Image] = field(init=False)
    _noise: Image = field(init=False)
    _still: tuple[list[Shown], Image] = field(init=False)

    def __post_init__(self) -> None:
        self._matrix = self.view.matrix
        light = table.light_map(self.look.light, self.view)
        self._light = np.clip(light * _FULL, 0, 255).astype(np.uint8)
        self._bare = cv2.multiply(table.draw(self.look, self.view), self._light, scale=1 / _FULL)
        self._glare = table.glare_map(self.look.light, self.view)
        self._noise = _noise_sheet(self.look, self.view.size_px)
        self._still = ([], self._bare.copy())

    def draw(self, t_s: float) -> Image:
        """The picture at ``t_s``, BGR uint8 (h, w, 3): a new array each time."""
        cards = self.timeline.cards_at(t_s)
        canvas = self._lying([c for c in cards if not c.moving]).copy()
        before = {c.face: c for c in self.timeline.cards_at(t_s - EXPOSURE_S)} if any(c.moving for c in cards) else {}
        for card in (c for c in cards if c.moving):
            self._carried(canvas, card, before.get(card.face), cards)
        for hand in self.timeline.hands_at(t_s):
            self._hand(canvas, hand, t_s)
        return self._developed(canvas, t_s)

    def _lying(self, cards: list[Shown]) -> Image:
        """The picture with the lying cards, kept from frame to frame: new cards on top are only added."""
        old, picture = self._still
        if cards != old:
            if cards[: len(old)] != old:
                old, picture = [], self._bare.copy()
            for card in cards[len(old) :]:
                self._stamp(picture, card, _LYING_MM)
            self._still = (cards, picture)
        return picture

    def _carried(self, canvas: Image, card: Shown, before: Shown | None, cards: list[Shown]) -> None:
        smear = _way(self._px(before.place), self._px(card.place)) if before and card.face else (0.0, 0.0)
        box = self._stamp(canvas, card, _CARRIED_MM * min(1.0, card.squeeze + 0.2), smear)
        for other in cards:
            if not other.moving and other.z > card.z and _meet(box, self._box(other)):
                self._stamp(canvas, other, _LYING_MM)

    def _stamp(self, canvas: Image, card: Shown, lift_mm: float, smear: tuple[float, float] = (0.0, 0.0)) -> Box:
        box = (0, 0, 0, 0)
        for place in _layers(card):
            box = self._stamp_one(canvas, card, place, lift_mm, smear)
        return box

    def _stamp_one(self, canvas: Image, card: Shown, place: Place, lift_mm: float, smear: tuple[float, float]) -> Box:
        corners = project(self._matrix, place.corners(card.squeeze))
        reach = 2 * lift_mm * self.view.px_per_mm + max(abs(smear[0]), abs(smear[1])) + 3
        box = _clip(corners, reach, self.view.size_px)
        if box[2] <= box[0] or box[3] <= box[1]:
            return box
        face = self.swap.get(card.face, card.face) if card.up else ""
        layer = _warped(self._sprite(face), corners, box, self.look.blur_px)
        if max(map(abs, smear)) > 1.5:
            layer = _smeared(layer, smear)
        self._blend(canvas, layer, box, lift_mm, _CARD_SHADE)
        return box

    def _hand(self, canvas: Image, hand: HandShown, t_s: float) -> None:
        arm = self.arms[hand.seat.number - 1]
        sprite = hands.sprite(arm, hand.grip, round(self.view.px_per_mm, 2))
        tip = self._px(Place(hand.x_mm, hand.y_mm))
        was = next((h for h in self.timeline.hands_at(t_s - EXPOSURE_S) if h.seat == hand.seat), hand)
        smear = _way(self._px(Place(was.x_mm, was.y_mm)), tip)
        affine = sprite.placement((tip[0], tip[1]), hand.lean_deg, self.view.px_per_mm)
        h, w = sprite.image.shape[:2]
        corners = np.array([[0, 0], [w, 0], [w, h], [0, h]]) @ affine[:, :2].T + affine[:, 2]
        box = _clip(corners, 2 * _HAND_MM * self.view.px_per_mm + max(map(abs, smear)), self.view.size_px)
        if box[2] <= box[0] or box[3] <= box[1]:
            return
        affine[:, 2] -= box[:2]
        layer = cv2.warpAffine(sprite.image, affine, (box[2] - box[0], box[3] - box[1]), flags=cv2.INTER_LINEAR)
        if max(map(abs, smear)) > 1.5:
            layer = _smeared(layer, smear)
        self._blend(canvas, layer, box, _HAND_MM, _HAND_SHADE)

    def _blend(self, canvas: Image, layer: Image, box: Box, lift_mm: float, shade: float) -> None:
        """Lay a premultiplied BGRA layer over the canvas, lit as the table is, with its shadow beneath."""
        left, top, right, bottom = box
        here = canvas[top:bottom, left:right]
        alpha = np.ascontiguousarray(layer[..., 3])
        shadow = _shadow(alpha, lift_mm * self.view.px_per_mm, shade)
        under = cv2.multiply(cv2.bitwise_not(alpha), shadow, scale=1 / 255)
        lit = cv2.multiply(
            cv2.cvtColor(layer, cv2.COLOR_BGRA2BGR), self._light[top:bottom, left:right], scale=1 / _FULL
        )
        cv2.multiply(here, cv2.cvtColor(under, cv2.COLOR_GRAY2BGR), dst=here, scale=1 / 255)
        cv2.add(here, lit, dst=here)

    def _developed(self, canvas: Image, t_s: float) -> Image:
        """Light that drifts and flickers, and the sensor's noise."""
        light, seed = self.look.light, self.look.seed
        if light.glare:
            (left, top, right, bottom), white = self._glare
            spot = canvas[top:bottom, left:right]
            spot[:] = spot + (255 - spot) * white
        gain = 1 + light.drift * math.sin(t_s / 9.0 + seed) + light.flicker * math.sin(t_s * 11.0)
        rng = Random(f"noise {seed} {t_s:.4f}")
        h, w = canvas.shape[:2]
        y, x = rng.randrange(_SHEET_SPARE), rng.randrange(_SHEET_SPARE)
        return cv2.addWeighted(canvas, gain, self._noise[y : y + h, x : x + w], 1.0, -128.0)

    def _sprite(self, face: str) -> Image:
        return _premultiplied(face, self.style, round(CARD_MM[0] * self.view.px_per_mm * _FINE))

    def _px(self, place: Place) -> Image:
        return np.asarray(project(self._matrix, [(place.x_mm, place.y_mm)])[0])

    def _box(self, card: Shown) -> Box:
        return _clip(project(self._matrix, card.place.corners()), 2.0, self.view.size_px)


#: The noise sheet is larger than the picture by this, and is laid at another place each frame.
_SHEET_SPARE = 96


def _noise_sheet(how: table.Look, size_px: tuple[int, int]) -> Image:
    rng = np.random.default_rng(how.seed + 1)
    w, h = size_px[0] + _SHEET_SPARE, size_px[1] + _SHEET_SPARE
    grey = cv2.GaussianBlur(rng.standard_normal((h, w, 1)).astype(np.float32), (0, 0), 0.6)
    colour = cv2.GaussianBlur(rng.standard_normal((h, w, 3)).astype(np.float32), (0, 0), 0.9)
    mix = grey[..., None] / grey.std() * 0.85 + colour / colour.std() * 0.5
    return np.asarray(np.clip(np.round(mix * how.noise + 128), 0, 255), np.uint8)


@lru_cache(maxsize=128)
def _premultiplied(face: str, style: pack.Style, width_px: int) -> Image:
    picture = pack.face(face, style, width_px) if face else pack.back(style, width_px)
    alpha = picture[..., 3:].astype(np.float32) / 255
    return np.dstack([(picture[..., :3] * alpha).astype(np.uint8), picture[..., 3]])


def _layers(card: Shown) -> list[Place]:
    """A pack shows the edges of the cards below, a little untidy; a single card only itself."""
    edges = math.ceil((card.count - 1) / _CARDS_PER_EDGE)
    rng = Random(f"pack {card.face} {edges}")
    below = [
        card.place.moved(0.30 * k + rng.uniform(-0.5, 0.5), 0.42 * k + rng.uniform(-0.5, 0.5), rng.uniform(-0.8, 0.8))
        for k in range(edges, 0, -1)
    ]
    return [*below, card.place]


def _warped(sprite: Image, corners: Image, box: Box, blur_px: float) -> Image:
    """The sprite on these corners, cut to the box: BGRA, drawn finer and averaged."""
    h, w = sprite.shape[:2]
    source = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    target = ((corners - box[:2]) * _FINE).astype(np.float32)
    size = ((box[2] - box[0]) * _FINE, (box[3] - box[1]) * _FINE)
    fine = cv2.warpPerspective(sprite, cv2.getPerspectiveTransform(source, target), size, flags=cv2.INTER_LINEAR)
    if blur_px > 0:
        fine = cv2.GaussianBlur(fine, (0, 0), blur_px * _FINE)
    return cv2.resize(fine, (size[0] // _FINE, size[1] // _FINE), interpolation=cv2.INTER_AREA)


def _smeared(layer: Image, way: tuple[float, float]) -> Image:
    """The layer averaged over eight places along ``way`` (px): three halvings, each averaging two shifted copies."""
    h, w = layer.shape[:2]
    dx, dy = way
    for part in (0.5, 0.25, 0.125):
        shift = np.array([[1, 0, -dx * part], [0, 1, -dy * part]], np.float64)
        moved = cv2.warpAffine(layer, shift, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        layer = cv2.addWeighted(layer, 0.5, moved, 0.5, 0)
    return cv2.blur(layer, (1 + int(abs(dx) / 8), 1 + int(abs(dy) / 8)))


def _shadow(alpha: Image, lift_px: float, shade: float) -> Image:
    """255 where no shadow falls, less below the lifted shape."""
    h, w = alpha.shape
    small = max(1, round(lift_px / 3))
    shape = cv2.resize(alpha, (max(1, w // small), max(1, h // small)), interpolation=cv2.INTER_AREA)
    move = np.array([[1, 0, _FALL[0] * lift_px / small], [0, 1, _FALL[1] * lift_px / small]])
    moved = cv2.warpAffine(shape, move, (shape.shape[1], shape.shape[0]))
    soft = cv2.GaussianBlur(moved, (0, 0), max(0.8, 0.55 * lift_px / small))
    return cv2.convertScaleAbs(cv2.resize(soft, (w, h), interpolation=cv2.INTER_LINEAR), alpha=-shade, beta=255)


def _way(before: Image, now: Image) -> tuple[float, float]:
    return (float(now[0] - before[0]), float(now[1] - before[1]))


def _clip(points: Image, margin: float, size_px: tuple[int, int]) -> Box:
    (x0, y0), (x1, y1) = points.min(0) - margin, points.max(0) + margin
    return (max(0, int(x0)), max(0, int(y0)), min(size_px[0], math.ceil(x1)), min(size_px[1], math.ceil(y1)))


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
