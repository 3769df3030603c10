"""The signs on a card as outlines: rank glyphs as strokes, suit pips as closed curves. Our own drawing, no fonts.

Ranks live in a box 10 wide and 14 high, pips in a box from -1 to 1 both ways; x right, y down.  Nothing here draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Curve = npt.NDArray[np.float64]

#: Points on one Bezier segment: smooth at 100 px height, cheap to draw.
_STEPS = 24

Point = tuple[float, float]


def bezier(start: Point, *controls: Point) -> Curve:
    """A chain of cubic Bezier segments from ``start``; ``controls`` come in threes. Shape (n, 2)."""
    points = [start, *controls]
    segments = [_cubic(points[i : i + 4]) for i in range(0, len(points) - 1, 3)]
    return np.concatenate(segments)


def _cubic(points: Sequence[Point]) -> Curve:
    t = np.linspace(0.0, 1.0, _STEPS)[:, None]
    a, b, c, d = (np.asarray(p, float) for p in points)
    curve: Curve = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
    return curve


def line(*points: Point) -> Curve:
    """A polyline through ``points``, shape (n, 2)."""
    return np.asarray(points, float)


def oval(x: float, y: float, rx: float, ry: float) -> Curve:
    """A closed ellipse round (x, y), shape (n, 2)."""
    a = np.linspace(0.0, 2 * np.pi, 4 * _STEPS)
    return np.stack([x + rx * np.cos(a), y + ry * np.sin(a)], 1)


_SIX = [
    bezier((8.7, 2.9), (7.6, -0.9), (0.9, -1.4), (0.9, 8.2), (0.9, 15.8), (9.2, 15.6), (9.2, 9.6)),
    bezier((9.2, 9.6), (9.2, 4.3), (1.6, 4.0), (1.0, 9.2)),
]

#: The strokes of each rank; the ten is a narrow one and a nought in a box 14 wide (`glyph` narrows it).
_STROKES: dict[str, list[Curve]] = {
    "A": [line((0.9, 13.8), (5.0, 0.4), (9.1, 13.8)), line((2.4, 9.3), (7.6, 9.3))],
    "2": [
        bezier((1.0, 4.2), (0.9, -1.2), (9.1, -1.4), (9.0, 4.0), (8.9, 7.4), (2.0, 10.0), (0.9, 13.4)),
        line((0.9, 13.4), (9.3, 13.4)),
    ],
    "3": [
        bezier((1.0, 3.2), (1.5, -0.9), (8.7, -1.0), (8.5, 3.6), (8.5, 6.0), (6.2, 6.5), (4.2, 6.5)),
        bezier((4.2, 6.5), (6.9, 6.5), (9.1, 7.4), (9.1, 10.1), (9.1, 15.0), (1.2, 15.0), (0.8, 10.6)),
    ],
    "4": [line((7.0, 13.9), (7.0, 0.5), (0.7, 9.8), (9.6, 9.8))],
    "5": [
        line((8.5, 0.7), (2.1, 0.7), (1.4, 6.6)),
        bezier((1.4, 6.6), (3.4, 4.4), (9.2, 4.6), (9.1, 9.4), (9.0, 15.0), (1.1, 15.0), (0.8, 10.9)),
    ],
    "6": _SIX,
    "7": [
        line((0.9, 2.8), (0.9, 0.7), (9.2, 0.7)),
        bezier((9.2, 0.7), (6.4, 5.0), (4.5, 9.0), (4.1, 13.9)),
    ],
    "8": [oval(5.0, 3.6, 3.6, 3.1), oval(5.0, 10.2, 4.2, 3.5)],
    "9": [np.array([10.0, 14.0]) - c for c in _SIX],
    "T": [line((0.6, 2.6), (2.6, 0.6), (2.6, 13.8)), oval(9.8, 7.0, 3.5, 6.5)],
    "J": [bezier((7.0, 0.4), (7.0, 4), (7.0, 7), (7.0, 10.0), (7.0, 14.9), (1.0, 14.8), (0.9, 10.4))],
    "Q": [oval(5.0, 7.0, 4.2, 6.4), line((5.0, 9.8), (9.4, 14.2))],
    "K": [line((1.6, 0.2), (1.6, 13.8)), line((8.8, 0.3), (1.8, 8.7)), line((4.3, 5.9), (9.2, 13.8))],
}

#: Short cross strokes at stroke ends (x from, x to, y), as old-style indices have them.
_SERIFS: dict[str, list[tuple[float, float, float]]] = {
    "A": [(-0.5, 2.4, 13.6), (7.6, 10.5, 13.6)],
    "4": [(5.0, 9.0, 13.6)],
    "T": [(0.8, 4.4, 13.6)],
    "J": [(4.6, 9.2, 0.6)],
    "K": [(0.0, 3.3, 0.5), (0.0, 3.3, 13.6), (7.2, 10.2, 0.5), (7.6, 10.6, 13.6)],
}

_TEN_WIDTH = 13.6


@cache
def glyph(rank: str, serif: bool) -> tuple[Curve, ...]:
    """The strokes of ``rank`` in the 10 by 14 box, with serifs or without."""
    extra = [line((a, y), (b, y)) for a, b, y in _SERIFS.get(rank, [])] if serif else []
    squeeze = np.array([10.0 / _TEN_WIDTH if rank == "T" else 1.0, 1.0])
    return tuple(c * squeeze for c in [*_STROKES[rank], *extra])


def _mirrored(half: Curve) -> Curve:
    return np.concatenate([half, half[::-1] * np.array([-1.0, 1.0])])


def _heart() -> Curve:
    half = bezier(
        (0.0, -0.55), (0.12, -0.86), (0.34, -0.95), (0.52, -0.95), (0.80, -0.95), (0.96, -0.72), (0.96, -0.44),
        (0.96, 0.10), (0.30, 0.42), (0.0, 1.0),
    )  # fmt: skip
    return _mirrored(half)


def _spade() -> list[Curve]:
    leaf = _heart() * np.array([0.98, -0.86]) + np.array([0.0, -0.14])
    return [leaf, _stem(0.42)]


def _stem(half_width: float) -> Curve:
    side = bezier((0.05, 0.25), (0.08, 0.62), (0.16, 0.84), (half_width, 1.0))
    return _mirrored(side)


def _club() -> list[Curve]:
    leaves = [oval(0.0, -0.52, 0.45, 0.45), oval(-0.52, 0.20, 0.45, 0.45), oval(0.52, 0.20, 0.45, 0.45)]
    heart = line((-0.3, -0.3), (0.3, -0.3), (0.34, 0.3), (-0.34, 0.3))
    return [*leaves, heart, _stem(0.42)]


def _diamond() -> Curve:
    side = bezier((0.0, -1.0), (0.18, -0.68), (0.46, -0.28), (0.74, 0.0), (0.46, 0.28), (0.18, 0.68), (0.0, 1.0))
    return _mirrored(side)


@cache
def pip(suit: str) -> tuple[Curve, ...]:
    """Closed outlines that together fill the pip of ``suit``, in a box from -1 to 1."""
    shapes: dict[str, Any] = {"H": [_heart()], "D": [_diamond()], "S": _spade(), "C": _club()}
    return tuple(shapes[suit])


#: Pip places on the face, x and y from -1 to 1 over the pip field; those with y > 0 stand on their heads.
_COLUMNS: dict[str, list[Point]] = {
    "A": [(0, 0)],
    "2": [(0, -1), (0, 1)],
    "3": [(0, -1), (0, 0), (0, 1)],
}
_CORNERS: list[Point] = [(-1, -1), (1, -1), (-1, 1), (1, 1)]
_SIDES: list[Point] = [*_CORNERS, (-1, 0), (1, 0)]
_EIGHT_ROWS: list[Point] = [(x, y) for y in (-1.0, -1 / 3, 1 / 3, 1.0) for x in (-1.0, 1.0)]


@cache
def layout(rank: str) -> tuple[Point, ...]:
    """Where the pips of a number card stand; empty for the courts."""
    more: dict[str, list[Point]] = {
        "4": _CORNERS,
        "5": [*_CORNERS, (0, 0)],
        "6": _SIDES,
        "7": [*_SIDES, (0, -0.5)],
        "8": [*_SIDES, (0, -0.5), (0, 0.5)],
        "9": [*_EIGHT_ROWS, (0, 0)],
        "T": [*_EIGHT_ROWS, (0, -2 / 3), (0, 2 / 3)],
    }
    return tuple(_COLUMNS.get(rank, more.get(rank, [])))
