"""Compose pictures of cards on a table: layouts, hands and coins, light, lens, noise, compression.

One composer serves both networks. For the finder it draws whole scenes at the finder's own scale; for
the index reader it draws only the window round one index at the scale a camera would see it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from models.synth.packs import Box, Face, Library, Pack, Style, W, back, random_pack, stranger

cv2.setNumThreads(1)

CARD_ASPECT = 88 / 63


@dataclass(frozen=True, slots=True)
class Lay:
    """A card's middle (in card widths), its angle (radians, 0 upright, clockwise in the picture)."""

    x: float
    y: float
    angle: float


@dataclass(frozen=True, slots=True)
class Mark:
    """An index in a scene: places px, shares of rank and suit to be seen, wholly inside or not."""

    card: str
    rank: np.ndarray
    suit: np.ndarray
    box: np.ndarray
    rank_seen: float
    suit_seen: float
    inside: bool

    @property
    def seen(self) -> float:
        """Share to be seen of whichever of the two is seen less."""
        return min(self.rank_seen, self.suit_seen)


@dataclass(frozen=True, slots=True)
class Scene:
    """A drawn picture BGR uint8 [H, W, 3], its indices, and its cards' width in px.

    ``stretch`` is the width over the height of what was square: 1 as a camera takes it, another of a squashed picture.
    """

    image: np.ndarray
    marks: tuple[Mark, ...]
    card_px: float
    stretch: float = 1.0


# --- layouts: lists of Lay in card widths, later cards lie on top ---------------------------------


def _scatter(rng: random.Random, n: int, wide: float, high: float) -> list[Lay]:
    return [Lay(rng.uniform(0, wide), rng.uniform(0, high), rng.uniform(0, 2 * math.pi)) for _ in range(n)]


def _row(rng: random.Random, n: int, wide: float, high: float) -> list[Lay]:
    step, turn = rng.choice([rng.uniform(0.16, 0.4), rng.uniform(0.25, 0.7), rng.uniform(0.8, 1.2)]), _turn(rng)
    lays = [Lay((i - n / 2) * step + rng.gauss(0, 0.015), rng.gauss(0, 0.03), rng.gauss(0, 0.03)) for i in range(n)]
    return _placed(lays, rng.uniform(0, wide), rng.uniform(0, high), turn, rng)


def _column(rng: random.Random, n: int, wide: float, high: float) -> list[Lay]:
    step = rng.uniform(0.24, 0.6)
    lays = [Lay(rng.gauss(0, 0.03), (i - n / 2) * step, rng.gauss(0, 0.03)) for i in range(n)]
    return _placed(lays, rng.uniform(0, wide), rng.uniform(0, high), _turn(rng), rng)


def _fan(rng: random.Random, n: int, wide: float, high: float) -> list[Lay]:
    radius = rng.uniform(1.0, 3.2)
    step = rng.uniform(0.15, 0.45) / (radius + 0.7)
    lays = []
    for i in range(n):
        a = (i - (n - 1) / 2) * step + rng.gauss(0, 0.012)
        r = radius + rng.gauss(0, 0.02)
        lays.append(Lay(r * math.sin(a), -r * math.cos(a) + radius, a))
    return _placed(lays, rng.uniform(0, wide), rng.uniform(0, high), _turn(rng), rng)


def _pile(rng: random.Random, n: int, wide: float, high: float) -> list[Lay]:
    x, y, spread, turn = rng.uniform(0, wide), rng.uniform(0, high), rng.uniform(0.05, 0.5), _turn(rng)
    return [Lay(rng.gauss(x, spread), rng.gauss(y, spread), turn + rng.gauss(0, 0.35)) for _ in range(n)]


def _grid(rng: random.Random, n: int, wide: float, high: float) -> list[Lay]:
    columns = rng.randint(2, 5)
    dx, dy = rng.uniform(0.95, 1.3), rng.uniform(0.6, 1.8)
    lays = [Lay(i % columns * dx, i // columns * dy, rng.gauss(0, 0.05)) for i in range(n)]
    return _placed(lays, rng.uniform(0, wide / 2), rng.uniform(0, high / 2), _turn(rng), rng)


def _turn(rng: random.Random) -> float:
    return rng.choice([0, 1, 2, 3]) * math.pi / 2 + rng.gauss(0, 0.25) if rng.random() < 0.6 else rng.uniform(0, 7)


def _placed(lays: list[Lay], x: float, y: float, turn: float, rng: random.Random) -> list[Lay]:
    """Turn a group as a whole, sometimes with single cards upside down, and put it at (x, y)."""
    c, s = math.cos(turn), math.sin(turn)
    flip = [math.pi if rng.random() < 0.15 else 0.0 for _ in lays]
    if rng.random() < 0.3:
        lays = lays[::-1]
    return [
        Lay(x + lay.x * c - lay.y * s, y + lay.x * s + lay.y * c, lay.angle + turn + f)
        for lay, f in zip(lays, flip, strict=True)
    ]


_LAYOUTS: tuple[tuple[Callable[[random.Random, int, float, float], list[Lay]], float, tuple[int, int]], ...] = (
    (_scatter, 0.2, (1, 6)),
    (_row, 0.25, (2, 9)),
    (_column, 0.1, (2, 6)),
    (_fan, 0.27, (3, 13)),
    (_pile, 0.08, (2, 6)),
    (_grid, 0.1, (2, 9)),
)


def layout(rng: random.Random, wide: float, high: float) -> list[Lay]:
    """Groups of cards on a table ``wide`` by ``high`` card widths."""
    budget = max(2, round(rng.uniform(0.5, 1.4) * wide * high * 0.42))
    lays: list[Lay] = []
    while len(lays) < budget:
        make, _, (least, most) = rng.choices(_LAYOUTS, [entry[1] for entry in _LAYOUTS])[0]
        lays += make(rng, rng.randint(least, most), wide, high)
    return lays


# --- the table, and what else lies on it -----------------------------------------------------------


def _table(rng: random.Random, nrng: np.random.Generator, high: int, wide: int) -> np.ndarray:
    """Cloth, wood, felt, white, stripes, checks or clutter: float32 [H, W, 3]."""
    base = rng.choice(
        [(60, 110, 40), (40, 80, 20), (90, 120, 150), (50, 80, 120), (130, 160, 190), (200, 205, 210), (238, 238, 238),
         (60, 50, 45), (90, 40, 30), (40, 40, 110), (170, 150, 120), (245, 248, 250), (25, 25, 28), (30, 30, 150)]
    )  # fmt: skip
    image = np.ones((high, wide, 3), np.float32) * (np.array(base, np.float32) + nrng.uniform(-25, 25, 3).astype("f4"))
    grain = rng.random() < 0.35
    for cell in (4, 16, 64):
        noise = nrng.standard_normal((max(high // cell, 1) + 2, wide // cell + 2)).astype(np.float32)
        if grain:
            noise = cv2.resize(noise, (wide, max(2, high // max(1, cell * 6))), interpolation=cv2.INTER_CUBIC) * 1.4
        image += cv2.resize(noise, (wide, high))[..., None] * rng.uniform(0, 9)
    if rng.random() < 0.12:
        period = rng.randint(10, 60)
        checks = ((np.arange(wide) // period) % 2)[None, :] + ((np.arange(high) // period) % 2)[:, None]
        image += (checks * rng.uniform(-40, 40))[..., None].astype(np.float32)
    if rng.random() < 0.35:
        for _ in range(rng.randint(1, 6)):
            _clutter(image, rng)
    return np.asarray(image)


def _clutter(image: np.ndarray, rng: random.Random) -> None:
    high, wide = image.shape[:2]
    colour = tuple(rng.uniform(0, 255) for _ in range(3))
    spot = (rng.randint(0, wide), rng.randint(0, high))
    kind = rng.random()
    if kind < 0.35:
        cv2.circle(image, spot, rng.randint(6, 60), colour, -1)
    elif kind < 0.6:
        cv2.line(image, spot, (rng.randint(0, wide), rng.randint(0, high)), colour, rng.randint(2, 20))
    elif kind < 0.8:
        text = "".join(rng.choice("ABCDEFGKLMNQRSTaegknot0123456789") for _ in range(rng.randint(1, 8)))
        ink = np.zeros((high, wide), np.uint8)
        cv2.putText(ink, text, spot, rng.randint(0, 7), rng.uniform(0.3, 1.4), 255, rng.randint(1, 3))
        image[ink > 127] = colour
    else:
        box = cv2.boxPoints((spot, (rng.uniform(10, 120), rng.uniform(10, 120)), rng.uniform(0, 90)))
        cv2.fillPoly(image, [box.astype(np.int32)], colour)


def _cover(image: np.ndarray, ids: np.ndarray, rng: random.Random, card_px: float) -> None:
    """Lay a hand, a sleeve, a coin or a pen over the cards."""
    high, wide = image.shape[:2]
    mask = np.zeros((high, wide), np.uint8)
    x, y = rng.uniform(0, wide), rng.uniform(0, high)
    kind = rng.random()
    if kind < 0.5:
        skin = rng.choice([(140, 170, 220), (110, 140, 200), (80, 110, 160), (50, 70, 110)])
        angle, thick = rng.uniform(0, 2 * math.pi), card_px * rng.uniform(0.22, 0.32)
        for i in range(rng.randint(1, 5)):
            a = angle + (i - 2) * 0.22
            start = (x + i * thick * math.sin(angle), y - i * thick * math.cos(angle))
            end = (start[0] + 4 * card_px * math.cos(a), start[1] + 4 * card_px * math.sin(a))
            cv2.line(mask, _px(start), _px(end), 255, max(int(thick), 1), cv2.LINE_AA)
        colour: tuple[float, ...] = skin
    elif kind < 0.8:
        colour = rng.choice([(60, 110, 150), (160, 160, 165), (60, 150, 190), (40, 60, 110)])
        cv2.circle(mask, _px((x, y)), max(int(card_px * rng.uniform(0.1, 0.22)), 2), 255, -1, cv2.LINE_AA)
    else:
        colour = tuple(rng.uniform(0, 255) for _ in range(3))
        end = (x + rng.gauss(0, 2 * card_px), y + rng.gauss(0, 2 * card_px))
        cv2.line(mask, _px((x, y)), _px(end), 255, max(int(card_px * rng.uniform(0.04, 0.3)), 1), cv2.LINE_AA)
    shade = cv2.GaussianBlur(mask, (0, 0), max(card_px * 0.05, 0.6)).astype(np.float32)[..., None] / 255
    image *= 1 - 0.35 * shade
    alpha = mask.astype(np.float32)[..., None] / 255
    tone = cv2.GaussianBlur(alpha, (0, 0), max(card_px * 0.08, 0.6))
    tone = tone[..., None] if tone.ndim == 2 else tone
    image *= 1 - alpha
    image += alpha * np.array(colour, np.float32) * (0.55 + 0.5 * tone)
    ids[mask > 100] = -2


def _px(point: tuple[float, float]) -> tuple[int, int]:
    return round(point[0]), round(point[1])


# --- drawing ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Laid:
    face: Face
    matrix: np.ndarray
    """3x3: face px -> picture px."""


_edges: dict[int, np.ndarray] = {}


def _edge_mask(high: int) -> np.ndarray:
    """Rounded outline of a face, uint8 [high, 300]."""
    if high not in _edges:
        mask, r = np.zeros((high, W), np.uint8), round(0.055 * W)
        cv2.rectangle(mask, (r, 1), (W - r - 1, high - 2), 255, -1)
        cv2.rectangle(mask, (1, r), (W - 2, high - r - 1), 255, -1)
        for x in (r, W - r - 1):
            for y in (r, high - r - 1):
                cv2.circle(mask, (x, y), r - 1, 255, -1)
        _edges[high] = mask
    return _edges[high]


def _matrix(lay: Lay, high: int, camera: np.ndarray, rng: random.Random) -> np.ndarray:
    """Face px -> picture px for a card laid at ``lay`` under a camera 3x3 (card widths -> px)."""
    aspect = CARD_ASPECT * rng.uniform(0.985, 1.015)
    c, s = math.cos(lay.angle), math.sin(lay.angle)
    place = np.array([[c, -s, lay.x], [s, c, lay.y], [0, 0, 1.0]])
    face = np.array([[1 / W, 0, -0.5], [0, aspect / high, -aspect / 2], [0, 0, 1.0]])
    return np.asarray(camera @ place @ face)


def _apply(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    """3x3 homography on points [n, 2]."""
    mapped = np.concatenate([points, np.ones((len(points), 1))], 1) @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def _draw(image: np.ndarray, ids: np.ndarray, number: int, laid: _Laid, tint: np.ndarray, rng: random.Random) -> None:
    """Draw one card with its shadow into the float picture; note where it lies in ``ids``."""
    high, wide = image.shape[:2]
    tall = laid.face.image.shape[0]
    quad = _apply(laid.matrix, np.array([[0, 0], [W, 0], [W, tall], [0, tall]], float))
    x0, y0 = np.maximum(np.floor(quad.min(0)).astype(int) - 3, 0)
    x1, y1 = np.minimum(np.ceil(quad.max(0)).astype(int) + 4, (wide, high))
    if x1 - x0 < 3 or y1 - y0 < 3:
        return
    source, mask, matrix = laid.face.image, _edge_mask(tall), laid.matrix
    scale = float(np.hypot(*(quad[1] - quad[0]))) / W
    while scale < 0.6:
        half = (source.shape[1] // 2, source.shape[0] // 2)
        ratio = np.diag([source.shape[1] / half[0], source.shape[0] / half[1], 1.0])
        source = cv2.resize(source, half, interpolation=cv2.INTER_AREA)
        mask = cv2.resize(mask, half, interpolation=cv2.INTER_AREA)
        matrix, scale = matrix @ ratio, scale * 2
    shift = (
        np.array([[1, 0, -x0 - 0.5], [0, 1, -y0 - 0.5], [0, 0, 1.0]])
        @ matrix
        @ np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    )
    size = (int(x1 - x0), int(y1 - y0))
    drawn = cv2.warpPerspective(source, shift, size, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    alpha = cv2.warpPerspective(mask, shift, size)
    part = image[y0:y1, x0:x1]
    shadow = cv2.GaussianBlur(alpha, (0, 0), rng.uniform(0.7, 2.5)).astype(np.float32) * (rng.uniform(0.05, 0.4) / 255)
    part *= (1 - shadow)[..., None]
    cover = (alpha.astype(np.float32) / 255)[..., None]
    part *= 1 - cover
    part += drawn * tint * (rng.uniform(0.92, 1.0) * cover)
    ids[y0:y1, x0:x1][alpha > 127] = number


def _marks(laid: list[_Laid], ids: np.ndarray) -> tuple[Mark, ...]:
    return tuple(
        _mark(number, card, place.rank, place.suit, ids)
        for number, card in enumerate(laid)
        if card.face.card is not None
        for place in card.face.places
    )


def _mark(number: int, laid: _Laid, rank: Box, suit: Box, ids: np.ndarray) -> Mark:
    high, wide = ids.shape
    scale = np.array([W, laid.face.image.shape[0]], float)

    def seen(box: Box) -> float:
        grid = np.stack(np.meshgrid(np.linspace(box[0], box[2], 6), np.linspace(box[1], box[3], 6)), -1).reshape(-1, 2)
        p = np.floor(_apply(laid.matrix, grid * scale)).astype(int)
        inside = (p[:, 0] >= 0) & (p[:, 0] < wide) & (p[:, 1] >= 0) & (p[:, 1] < high)
        hit = np.zeros(len(p), bool)
        hit[inside] = ids[p[inside, 1], p[inside, 0]] == number
        return float(hit.mean())

    middles = np.array([[(b[0] + b[2]) / 2, (b[1] + b[3]) / 2] for b in (rank, suit)]) * scale
    places = _apply(laid.matrix, middles)
    x0, y0, x1, y1 = min(rank[0], suit[0]), min(rank[1], suit[1]), max(rank[2], suit[2]), max(rank[3], suit[3])
    box = _apply(laid.matrix, np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]) * scale)
    inside = bool((box >= 1).all() and (box[:, 0] < wide - 1).all() and (box[:, 1] < high - 1).all())
    assert laid.face.card is not None
    return Mark(laid.face.card, places[0], places[1], box, seen(rank), seen(suit), inside)


# --- camera and light ------------------------------------------------------------------------------


MOST_STRETCH = math.log(1.85)
"""Largest stretch of a squashed picture: 16:9 made square, and a little slant."""


def _stretch(rng: random.Random) -> float:
    """Width over height of what was square: two in five pictures are squashed."""
    return math.exp(rng.uniform(-MOST_STRETCH, MOST_STRETCH)) if rng.random() < 0.4 else 1.0


def _camera(rng: random.Random, card_px: float, stretch: float) -> np.ndarray:
    """3x3: card widths -> px: a slanting view, a little perspective, the stretch of a squashed picture."""
    squash = np.diag([card_px * stretch**0.5, card_px / stretch**0.5, 1])
    tilt = np.eye(3)
    if rng.random() < 0.45:
        tilt[2, :2] = rng.uniform(-0.02, 0.02), rng.uniform(-0.035, 0.035)
    shear = np.array([[1, rng.gauss(0, 0.03), 0], [0, 1, 0], [0, 0, 1.0]])
    if rng.random() < 0.25:
        a, flat = rng.uniform(0, math.pi), rng.uniform(0.55, 0.95)
        turn = np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1.0]])
        shear = turn @ np.diag([1 / flat**0.5, flat**0.5, 1]) @ turn.T @ shear
    return np.asarray(squash @ shear @ tilt)


def _light(image: np.ndarray, rng: random.Random, nrng: np.random.Generator) -> np.ndarray:
    """Uneven, warm, dim, half-shadowed or glaring light on a float picture."""
    high, wide = image.shape[:2]
    slope = np.linspace(-0.5, 0.5, wide)[None, :] * rng.uniform(-0.5, 0.5) + np.linspace(-0.5, 0.5, high)[
        :, None
    ] * rng.uniform(-0.5, 0.5)
    level = rng.uniform(0.5, 1.15) if rng.random() < 0.88 else rng.uniform(0.22, 0.5)
    image = image * (level * (1 + slope))[..., None].astype(np.float32)
    warm = rng.uniform(0.6, 1.1) if rng.random() < 0.7 else rng.uniform(0.42, 0.7)
    image *= np.array([warm, rng.uniform(0.9, 1.05), rng.uniform(0.95, 1.15)], np.float32)
    if rng.random() < 0.2:
        edge = np.zeros((high, wide), np.uint8)
        box = cv2.boxPoints(
            (
                (rng.uniform(0, wide), rng.uniform(0, high)),
                (rng.uniform(0.3, 1.2) * wide, rng.uniform(0.2, 0.8) * high),
                rng.uniform(0, 180),
            )
        )
        cv2.fillPoly(edge, [box.astype(np.int32)], 255)
        soft = cv2.GaussianBlur(edge, (0, 0), rng.uniform(1, 0.06 * wide + 1.5)).astype(np.float32) / 255
        image *= (1 - rng.uniform(0.2, 0.65) * soft)[..., None]
    if rng.random() < 0.3:
        glow = np.zeros((high, wide), np.uint8)
        axes = (int(wide * rng.uniform(0.02, 0.2)) + 1, int(wide * rng.uniform(0.02, 0.15)) + 1)
        cv2.ellipse(glow, (rng.randint(0, wide), rng.randint(0, high)), axes, rng.randint(0, 180), 0, 360, 255, -1)
        soft = cv2.GaussianBlur(glow, (0, 0), 0.03 * wide + 1).astype(np.float32) / 255
        image += soft[..., None] * rng.uniform(20, 150)
    return image


def _lens(image: np.ndarray, rng: random.Random, nrng: np.random.Generator, card_px: float) -> np.ndarray:
    """Blur, motion, low resolution, noise, sharpening, grey, JPEG: float -> uint8."""
    high, wide = image.shape[:2]
    blur = rng.choice([0, 0, 0.3, 0.5, 0.7, 0.9, 1.2]) * min(max(card_px / 75, 0.8), 2.0)
    if blur:
        image = cv2.GaussianBlur(image, (0, 0), blur)
    if rng.random() < 0.1:
        size = rng.randint(3, 5 if card_px < 90 else 8)
        kernel = np.zeros((size, size), np.float32)
        cv2.line(kernel, (0, rng.randint(0, size - 1)), (size - 1, rng.randint(0, size - 1)), 1, 1)
        image = cv2.filter2D(image, -1, kernel / kernel.sum())
    if rng.random() < 0.25:
        least = max(0.35, min(34 / card_px, 0.95))
        factor = rng.uniform(least, 1)
        small = cv2.resize(
            image,
            (max(round(wide * factor), 4), max(round(high * factor), 4)),
            interpolation=rng.choice([cv2.INTER_AREA, cv2.INTER_LINEAR]),
        )
        image = cv2.resize(small, (wide, high), interpolation=rng.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC]))
    if rng.random() < 0.12:
        smooth = cv2.medianBlur(np.clip(image, 0, 255).astype(np.uint8), 3)
        image = smooth.astype(np.float32)
    noise = rng.uniform(0.3, 5) if rng.random() < 0.75 else rng.uniform(5, 14)
    image = image + nrng.standard_normal((high, wide, 1), np.float32) * noise
    if rng.random() < 0.3:
        image += cv2.resize(
            nrng.standard_normal((high // 2 + 1, wide // 2 + 1, 3)).astype(np.float32), (wide, high)
        ) * rng.uniform(1, 6)
    if rng.random() < 0.08:
        specks = nrng.random((high, wide)) < rng.uniform(0.002, 0.02)
        image[specks] = nrng.choice([0.0, 255.0], (int(specks.sum()), 1))
    if rng.random() < 0.06:
        image = np.repeat(image.mean(2, keepdims=True), 3, 2)
    if rng.random() < 0.35:
        contrast = rng.uniform(0.75, 1.35)
        image = (image - 110) * contrast + 110
    out = np.clip(image, 0, 255).astype(np.uint8)
    if rng.random() < 0.3:
        out = cv2.addWeighted(out, 1.8, cv2.GaussianBlur(out, (0, 0), rng.uniform(0.8, 1.5)), -0.8, 0)
    if rng.random() < 0.8:
        quality = rng.randint(40, 96)
        out = cv2.imdecode(cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR)
    return np.asarray(out, np.uint8)


# --- scenes ----------------------------------------------------------------------------------------


STRANGERS = 0.1
"""Share of backs, jokers, business cards and printed paper among what lies on a table."""


def _faces(library: Library, rng: random.Random, n: int, pack: Pack | Style | None = None) -> list[Face]:
    """Faces for n cards: mostly of one pack, a back or a stranger now and then."""
    pack = pack or random_pack(library, rng)
    mixed = rng.random() < 0.15
    chosen = []
    for _ in range(n):
        kind = rng.random()
        if kind < 0.05:
            chosen.append(back(rng))
        elif kind < STRANGERS:
            chosen.append(stranger(rng, library.fonts))
        else:
            source = random_pack(library, rng) if mixed else pack
            chosen.append(source.face(rng.choice(_cards(source))))
    return chosen


def _cards(pack: Pack | Style) -> list[str]:
    return list(pack.faces if isinstance(pack, Pack) else pack.base.faces)


def _compose(
    lays: list[Lay], faces: list[Face], camera: np.ndarray, size: tuple[int, int], card_px: float,
    rng: random.Random, nrng: np.random.Generator,
) -> tuple[np.ndarray, tuple[Mark, ...]]:  # fmt: skip
    wide, high = size
    image = _table(rng, nrng, high, wide)
    ids = np.full((high, wide), -1, np.int16)
    tint = np.array([rng.uniform(0.86, 1), rng.uniform(0.94, 1), 1], np.float32)
    laid = [_Laid(face, _matrix(lay, face.image.shape[0], camera, rng)) for lay, face in zip(lays, faces, strict=True)]
    for number, card in enumerate(laid):
        _draw(image, ids, number, card, tint, rng)
    for _ in range(rng.choices([0, 1, 2], [0.65, 0.25, 0.1])[0]):
        _cover(image, ids, rng, card_px)
    marks = _marks(laid, ids)
    image = _lens(_light(image, rng, nrng), rng, nrng, card_px)
    return image, marks


def scene(
    library: Library, rng: random.Random, nrng: np.random.Generator, size: int, card_px: float,
    pack: Pack | None = None,
) -> Scene:  # fmt: skip
    """A whole table, size x size px, cards about ``card_px`` wide, of any pack or of this one."""
    across = size / card_px
    lays = layout(rng, across, across)
    if card_px > size / 2.6 or rng.random() < 0.04:
        lays = [Lay(across / 2 + rng.gauss(0, 0.3), across / 2 + rng.gauss(0, 0.3), _turn(rng))]
    faces = _faces(library, rng, len(lays), pack)
    stretch = _stretch(rng)
    image, marks = _compose(lays, faces, _camera(rng, card_px, stretch), (size, size), card_px, rng, nrng)
    return Scene(image, marks, card_px, stretch)


CLOSE_CARDS = 4.5
"""Side of a close picture, in card widths."""


def close_up(library: Library, rng: random.Random, nrng: np.random.Generator, card_px: float) -> Scene:
    """A piece of a table a few cards wide, at the scale a camera would see it."""
    return scene(library, rng, nrng, int(min(max(CLOSE_CARDS * card_px, 256), 860)), card_px)


WINDOW_SPANS = 6.0
"""Side of the window drawn round one index, in rank-suit distances."""


def window(library: Library, rng: random.Random, nrng: np.random.Generator, card_px: float) -> Scene:
    """The surroundings of one index of a table, at the scale a camera would see it."""
    lays = layout(rng, 3.0, 3.0)
    aim = rng.randrange(len(lays))
    pack = random_pack(library, rng)
    face = pack.face(rng.choice(_cards(pack)))
    place = rng.choice(face.places)
    camera = _camera(rng, card_px, _stretch(rng))
    matrix = _matrix(lays[aim], face.image.shape[0], camera, rng)
    scale = np.array([W, face.image.shape[0]], float)
    boxes = np.array([[(b[0] + b[2]) / 2, (b[1] + b[3]) / 2] for b in (place.rank, place.suit)]) * scale
    rank, suit = _apply(matrix, boxes)
    span = float(np.hypot(*(suit - rank)))
    side = int(min(max(WINDOW_SPANS * span, 56), 300))
    middle = (rank + suit) / 2 + nrng.uniform(-0.3, 0.3, 2) * span
    camera = np.array([[1, 0, side / 2 - middle[0]], [0, 1, side / 2 - middle[1]], [0, 0, 1.0]]) @ camera
    near = [i for i, lay in enumerate(lays) if i == aim or _touches(lay, camera, side, card_px)]
    faces = _faces(library, rng, len(near), pack)
    faces[near.index(aim)] = face
    image, marks = _compose([lays[i] for i in near], faces, camera, (side, side), card_px, rng, nrng)
    return Scene(image, marks, card_px)


def _touches(lay: Lay, camera: np.ndarray, side: int, card_px: float) -> bool:
    """May a card reach into a window of this side?"""
    x, y = _apply(camera, np.array([[lay.x, lay.y]]))[0]
    reach = 0.9 * card_px * 1.2
    return bool(-reach < x < side + reach and -reach < y < side + reach)
