"""A pack of cards of the project's own drawing: faces and backs as pictures with alpha. Draws; knows no table.

Faces look like a plain index pack: rank above suit top-left, the same turned by 180 degrees bottom-right, the usual
pip layouts, courts as framed two-headed figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from . import glyphs

Image = npt.NDArray[Any]
Colour = tuple[int, int, int]

CARD_MM = (63.0, 88.0)

#: Pixels a millimetre of the master drawing: twice what a Pi camera sees of a card, times three.
_MASTER = 8

#: OpenCV draws to 1/16 px when given coordinates with this many binary places.
_SHIFT = 4


@dataclass(frozen=True, slots=True)
class Style:
    """How a pack is drawn. Lengths in millimetres, colours BGR."""

    index_mm: float = 8.0
    stroke: float = 1.9  # of a glyph box 10 wide
    serif: bool = True
    pip_mm: float = 6.6
    red: Colour = (38, 32, 196)
    black: Colour = (30, 26, 26)
    paper: Colour = (247, 250, 251)
    back: Colour = (150, 72, 42)
    lattice: str = "diamonds"
    corner_mm: float = 3.2
    four_colour: bool = False

    def ink(self, suit: str) -> Colour:
        """The colour of a suit: red and black, or four colours (diamonds blue, clubs green)."""
        if self.four_colour and suit in "DC":
            return {"D": (190, 80, 20), "C": (50, 120, 30)}[suit]
        return self.red if suit in "HD" else self.black


def style(seed: int) -> Style:
    """One of many plausible packs; the same seed draws the same pack."""
    rng = Random(f"pack {seed}")
    return Style(
        index_mm=rng.uniform(7.0, 9.0),
        stroke=rng.uniform(1.7, 2.2),
        serif=rng.random() < 0.6,
        pip_mm=rng.uniform(6.0, 7.2),
        red=(rng.randint(30, 55), rng.randint(22, 45), rng.randint(180, 212)),
        paper=(rng.randint(236, 250), rng.randint(244, 251), rng.randint(246, 252)),
        back=rng.choice([(150, 72, 42), (60, 40, 160), (90, 110, 40), (110, 60, 110)]),
        lattice=rng.choice(["diamonds", "scales", "dots"]),
        corner_mm=rng.uniform(2.6, 3.8),
    )


@lru_cache(maxsize=256)
def face(card: str, how: Style, width_px: int) -> Image:
    """The face of ``card`` (``"7H"``), BGRA uint8 with rounded corners, ``width_px`` wide and 88/63 as high."""
    return _scaled(_master_face(card, how), width_px)


@lru_cache(maxsize=16)
def back(how: Style, width_px: int) -> Image:
    """The back of every card of the pack, BGRA uint8."""
    return _scaled(_master_back(how), width_px)


def _scaled(master: Image, width_px: int) -> Image:
    height_px = round(width_px * CARD_MM[1] / CARD_MM[0])
    return cv2.resize(master, (width_px, height_px), interpolation=cv2.INTER_AREA)


@lru_cache(maxsize=64)
def _master_face(card: str, how: Style) -> Image:
    canvas = _Canvas.blank(how.paper)
    rank, suit = card[0], card[1]
    ink = how.ink(suit)
    if rank in "JQK":
        _court(canvas, rank, suit, how)
    else:
        _pips(canvas, rank, suit, how)
    _index(canvas, rank, suit, how, ink)
    canvas.turn()
    _index(canvas, rank, suit, how, ink)
    canvas.turn()
    return canvas.finished(how)


def _index(canvas: _Canvas, rank: str, suit: str, how: Style, ink: Colour) -> None:
    high = how.index_mm
    wide = high * 0.70
    x, y = 5.6, 4.2 + high / 2
    canvas.glyph(rank, (x, y), (wide, high), how.stroke, how.serif, ink)
    canvas.pip(suit, (x, y + high / 2 + 1.0 + high * 0.44), high * 0.48, ink)


#: Half the pip field, mm: columns 14.5 mm to both sides, rows 27 mm up and down, as index packs have it.
_FIELD_MM = (14.0, 27.0)


def _pips(canvas: _Canvas, rank: str, suit: str, how: Style) -> None:
    ink = how.ink(suit)
    size = how.pip_mm * (2.0 if rank == "A" else 1.0)
    for x, y in glyphs.layout(rank):
        centre = (31.5 + x * _FIELD_MM[0], 44.0 + y * _FIELD_MM[1])
        canvas.pip(suit, centre, size, ink, upside_down=y > 0.01)


#: Frame of a court card, mm.
_FRAME = (13.5, 11.0, 49.5, 77.0)
_GOLD: Colour = (60, 186, 238)
_SKIN: Colour = (190, 214, 240)
_BLUE: Colour = (150, 74, 36)


def _court(canvas: _Canvas, rank: str, suit: str, how: Style) -> None:
    left, top, right, bottom = _FRAME
    for _ in range(2):
        _half_figure(canvas, rank, suit, how)
        canvas.turn()
    edge = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    canvas.stroke(glyphs.line(*edge), 0.5, how.ink("S"))


def _half_figure(canvas: _Canvas, rank: str, suit: str, how: Style) -> None:
    """The upper half: robe, collar, head, hair, crown or cap, and the suit beside it."""
    dark, red = how.ink("S"), how.red
    robe = red if suit in "HD" else _BLUE
    canvas.fill(glyphs.line((14.0, 44.0), (18.0, 36.0), (25.0, 32.5), (38.0, 32.5), (45.0, 36.0), (49.0, 44.0)), robe)
    for k in range(5):
        canvas.stroke(glyphs.line((17.0 + 7.2 * k, 44.0), (26.4 + 2.6 * k, 33.0)), 0.8, _GOLD)
    canvas.fill(glyphs.line((25.0, 32.5), (38.0, 32.5), (31.5, 42.0)), _GOLD)
    canvas.fill(glyphs.oval(31.5, 26.0, 6.9, 7.6), dark if rank == "K" else (70, 120, 170))
    canvas.fill(glyphs.oval(31.5, 26.3, 5.0, 6.4), _SKIN)
    _features(canvas, rank, dark, red)
    _headgear(canvas, rank, robe, dark)
    canvas.pip(suit, (19.2, 17.4), how.pip_mm * 0.82, how.ink(suit))


_BEARD = ((26.9, 28.6), (28.0, 36.5), (35.0, 36.5), (36.1, 28.6), (34.0, 31.6), (29.0, 31.6), (26.9, 28.6))


def _features(canvas: _Canvas, rank: str, dark: Colour, red: Colour) -> None:
    for x in (29.3, 33.7):
        canvas.fill(glyphs.oval(x, 25.0, 0.6, 0.5), dark)
        canvas.stroke(glyphs.line((x - 1.1, 23.6), (x + 1.1, 23.5)), 0.35, dark)
    canvas.stroke(glyphs.line((31.6, 25.2), (32.2, 27.6), (31.2, 27.7)), 0.3, dark)
    canvas.stroke(glyphs.line((30.2, 29.6), (31.5, 30.0), (32.8, 29.6)), 0.5, red)
    if rank == "K":
        canvas.fill(glyphs.bezier(*_BEARD), dark)


def _headgear(canvas: _Canvas, rank: str, robe: Colour, dark: Colour) -> None:
    if rank == "J":
        canvas.fill(glyphs.bezier((24.4, 21.6), (25.0, 14.6), (38.0, 14.6), (38.6, 21.6)), robe)
        canvas.stroke(glyphs.line((24.2, 21.6), (38.8, 21.6)), 1.6, _GOLD)
        return
    points = [(25.0, 21.8), (23.8, 14.4), (27.8, 18.4), (31.5, 12.8), (35.2, 18.4), (39.2, 14.4), (38.0, 21.8)]
    canvas.fill(glyphs.line(*points), _GOLD)
    canvas.stroke(glyphs.line(*points, points[0]), 0.4, dark)
    if rank == "Q":
        canvas.fill(glyphs.oval(31.5, 18.6, 1.3, 1.3), robe)


@lru_cache(maxsize=8)
def _master_back(how: Style) -> Image:
    canvas = _Canvas.blank(how.paper)
    canvas.fill(glyphs.line((3.4, 3.4), (59.6, 3.4), (59.6, 84.6), (3.4, 84.6)), how.back)
    light: Colour = tuple(min(255, round(c * 0.45 + 120)) for c in how.back)  # type: ignore[assignment]
    for x in np.arange(5.0, 59.0, 3.0):
        for y in np.arange(5.0, 84.0, 3.0):
            _motif(canvas, how.lattice, float(x), float(y), light)
    canvas.stroke(glyphs.line((4.6, 4.6), (58.4, 4.6), (58.4, 83.4), (4.6, 83.4), (4.6, 4.6)), 0.5, how.paper)
    return canvas.finished(how)


def _motif(canvas: _Canvas, lattice: str, x: float, y: float, ink: Colour) -> None:
    if lattice == "diamonds":
        canvas.stroke(glyphs.line((x - 1.5, y), (x, y - 1.5), (x + 1.5, y), (x, y + 1.5), (x - 1.5, y)), 0.35, ink)
    elif lattice == "scales":
        canvas.stroke(glyphs.bezier((x - 1.5, y), (x - 1.5, y + 2), (x + 1.5, y + 2), (x + 1.5, y)), 0.4, ink)
    else:
        canvas.fill(glyphs.oval(x, y, 0.7, 0.7), ink)


@dataclass(slots=True)
class _Canvas:
    """A card being drawn, in millimetres, at `_MASTER` px/mm."""

    image: Image

    @classmethod
    def blank(cls, paper: Colour) -> _Canvas:
        k = _MASTER
        return cls(np.full((round(CARD_MM[1] * k), round(CARD_MM[0] * k), 3), paper, np.uint8))

    def turn(self) -> None:
        self.image = np.ascontiguousarray(self.image[::-1, ::-1])

    def fill(self, outline_mm: Image, ink: Colour) -> None:
        cv2.fillPoly(self.image, [self._px(outline_mm)], ink, cv2.LINE_AA, _SHIFT)

    def stroke(self, path_mm: Image, width_mm: float, ink: Colour) -> None:
        thick = max(1, round(width_mm * _MASTER))
        cv2.polylines(self.image, [self._px(path_mm)], False, ink, thick, cv2.LINE_AA, _SHIFT)

    def glyph(
        self, rank: str, centre: tuple[float, float], size: tuple[float, float], weight: float, serif: bool, ink: Colour
    ) -> None:
        scale = np.array([size[0] / 10, size[1] / 14])
        for k, path in enumerate(glyphs.glyph(rank, serif)):
            thin = 0.62 if serif and path.shape[0] == 2 and path[0, 1] == path[1, 1] and k else 1.0
            self.stroke((path - [5, 7]) * scale + centre, weight * thin * scale[0], ink)

    def pip(
        self, suit: str, centre: tuple[float, float], half_mm: float, ink: Colour, upside_down: bool = False
    ) -> None:
        """``half_mm`` is nearly the pip's whole width: the outlines span about 1.9 of their box of 2."""
        flip = -1.0 if upside_down else 1.0
        for outline in glyphs.pip(suit):
            self.fill(outline * [half_mm * 0.70, flip * half_mm * 0.78] + np.asarray(centre), ink)

    def finished(self, how: Style) -> Image:
        """The master picture with alpha: corners rounded, a faint darker rim."""
        h, w = self.image.shape[:2]
        alpha = np.zeros((h, w), np.uint8)
        r = round(how.corner_mm * _MASTER)
        cv2.rectangle(alpha, (r, 0), (w - 1 - r, h - 1), 255, -1)
        cv2.rectangle(alpha, (0, r), (w - 1, h - 1 - r), 255, -1)
        for x, y in ((r, r), (w - 1 - r, r), (r, h - 1 - r), (w - 1 - r, h - 1 - r)):
            cv2.circle(alpha, (x, y), r, 255, -1)
        rim = cv2.erode(alpha, np.ones((5, 5), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
        self.image[rim == 0] = (196, 200, 202)
        return np.dstack([self.image, alpha])

    def _px(self, points_mm: Image) -> Image:
        return np.round(np.asarray(points_mm) * (_MASTER * (1 << _SHIFT))).astype(np.int32)
