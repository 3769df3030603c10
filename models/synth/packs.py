"""Packs to draw scenes from: packaged art as it is, and the same art re-indexed, recoloured or blackened.

A style draws any number of index families: a font squeezed 0.5 to 1, a pip shape, sizes, places and
inks. Faces are made when asked for; nothing is kept but the art.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as PilImage
from PIL import ImageDraw, ImageFont

from models.synth.art import FACE_WIDTH_PX, RANKS, SUITS, font_files, load_face

W = FACE_WIDTH_PX
Box = tuple[float, float, float, float]
Colour = tuple[float, float, float]

FOREIGN_COURTS = frozenset(
    {"gnome_berlin", "gnome_lattmann", "gnome_rheinland", "gnome_tarocco", "gnome_ancient_french",
     "gnome_slavic_costumes", "kde_ancient_egyptians"}
)  # fmt: skip
"""Packs whose ace and court letters are not A J Q K: only their 2 to 10 are used."""

USED_KDE = frozenset({"kde_standard", "kde_white", "kde_ancient_egyptians"})
UNUSED = frozenset({"gnome_tango_nuevo", "kenney_small"})

HELD_OUT = frozenset(
    {"svgcards", "gnome_bellot", "kde_standard", "gnome_neoclassical", "gnome_neoclassical_4_color", "gnome_paris"}
)
"""Whole index families kept from training: Bellot, the KDE standard pack, neoclassical, Paris."""

HELD_OUT_FONTS = ("texgyreschola", "RobotoCondensed", "EBGaramond", "LeagueSpartan", "TribunADFStd", "LinLibertine")


@dataclass(frozen=True, slots=True)
class Place:
    """An index on a face: boxes of rank and suit, x over width, y over height of the face."""

    rank: Box
    suit: Box

    def turned(self) -> Place:
        """The same index in the opposite corner, upside down."""
        return Place(_turn(self.rank), _turn(self.suit))


def _turn(box: Box) -> Box:
    return 1 - box[2], 1 - box[3], 1 - box[0], 1 - box[1]


@dataclass(frozen=True, slots=True)
class Face:
    """One card to draw: BGR uint8 [H, 300, 3]; card None for backs, jokers, business cards."""

    image: np.ndarray
    card: str | None
    places: tuple[Place, ...]
    turned: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Pack:
    """Art of one pack and where its indices lie."""

    name: str
    faces: dict[str, np.ndarray]
    place: Place
    pips: dict[str, np.ndarray] = field(default_factory=dict)
    """Suit -> mask uint8 of the index pip, cut from the art."""

    def face(self, card: str) -> Face:
        return Face(self.faces[card], card, (self.place, self.place.turned()), (False, True))


def load_packs(work: Path) -> list[Pack]:
    """Every rendered pack whose index place can be found."""
    packs = []
    for folder in sorted((work / "cards").iterdir()):
        name = folder.name
        if not folder.is_dir() or name in UNUSED or (name.startswith("kde_") and name not in USED_KDE):
            continue
        faces = {}
        for path in sorted(folder.glob("??.png")):
            face = load_face(path)
            known = path.stem[0] in RANKS and path.stem[1] in SUITS
            if (
                known
                and face is not None
                and face.shape[0] < 1.7 * W
                and not (name in FOREIGN_COURTS and path.stem[0] in "AJQK")
            ):
                faces[path.stem] = face
        place = find_place(faces)
        if place is not None:
            packs.append(Pack(name, faces, place, _cut_pips(faces, place)))
    return packs


def find_place(faces: dict[str, np.ndarray]) -> Place | None:
    """Median boxes of rank and suit over the faces 2 to 9, or None when they cannot be told."""
    ranks, suits = [], []
    for card, image in faces.items():
        pair = _index_boxes(image) if card[0] in "23456789" else None
        if pair:
            ranks.append(pair[0])
            suits.append(pair[1])
    if len(ranks) < 8:
        return None
    rank, suit = np.median(ranks, 0), np.median(suits, 0)
    return Place((rank[0], rank[1], rank[2], rank[3]), (suit[0], suit[1], suit[2], suit[3]))


def _index_boxes(image: np.ndarray) -> tuple[Box, Box] | None:
    """Rank and suit boxes of a face: the two topmost marks of its left edge, one above the other."""
    high = image.shape[0]
    top, left = int(0.02 * high), int(0.025 * W)
    part = image[top : int(0.48 * high), left : int(0.42 * W)].astype(int)
    ground = np.median(part.reshape(-1, 3), 0)
    mask = (np.abs(part - ground).sum(2) > 110).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    _, _, stats, centres = cv2.connectedComponentsWithStats(mask)
    marks = [
        (int(s[0]), int(s[1]), int(s[2]), int(s[3]), float(c[0]))
        for s, c in zip(stats[1:], centres[1:], strict=True)
        if s[4] > 60 and s[2] < 0.33 * W and 0.02 * high < s[3] < 0.3 * high and c[0] < 0.2 * W
    ]
    marks.sort(key=lambda m: m[1])
    if len(marks) < 2:
        return None
    rank = marks[0]
    below = [m for m in marks[1:] if m[1] > rank[1] + 0.6 * rank[3] and abs(m[4] - rank[4]) < 0.07 * W]
    if not below:
        return None

    def box(m: tuple[int, int, int, int, float]) -> Box:
        return (m[0] + left) / W, (m[1] + top) / high, (m[0] + m[2] + left) / W, (m[1] + m[3] + top) / high

    return box(rank), box(below[0])


def _cut_pips(faces: dict[str, np.ndarray], place: Place) -> dict[str, np.ndarray]:
    """The index pip of each suit as a mask, cut from a low card of the pack."""
    pips = {}
    for suit in SUITS:
        image = next((faces[r + suit] for r in "75329" if r + suit in faces), None)
        if image is None:
            continue
        high = image.shape[0]
        x0, y0, x1, y1 = (round(v * s) for v, s in zip(place.suit, (W, high, W, high), strict=True))
        part = image[max(y0 - 2, 0) : y1 + 2, max(x0 - 2, 0) : x1 + 2].astype(np.float32)
        distance = np.abs(part - np.median(image[: high // 3, : W // 3].reshape(-1, 3), 0)).max(2)
        mask = np.clip(distance / max(float(distance.max()), 1) * 255, 0, 255).astype(np.uint8)
        pips[suit] = cv2.resize(mask, (64, round(64 * mask.shape[0] / mask.shape[1])), interpolation=cv2.INTER_CUBIC)
    return pips


def drawn_pip(suit: str, rng: random.Random) -> np.ndarray:
    """A pip drawn as curves: mask uint8 [64, 64], a little different each time."""
    size = 256
    mask, mid = np.zeros((size, size), np.uint8), size / 2
    if suit == "D":
        half, bulge = rng.uniform(0.32, 0.48) * size, rng.uniform(-0.06, 0.02) * size
        points = [
            (mid, 5),
            (mid + half / 2 + bulge, mid / 2 - bulge),
            (mid + half, mid),
            (mid + half / 2 + bulge, 1.5 * mid + bulge),
        ]
        points += [(2 * mid - x, 2 * mid - y) for x, y in points]
        cv2.fillPoly(mask, [np.array(points, np.int32)], 255)
    elif suit in "HS":
        t = np.linspace(0, 2 * np.pi, 120)
        x = 16 * np.sin(t) ** 3
        y = 13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)
        wide = rng.uniform(0.82, 1.02)
        if suit == "H":
            curve = np.stack([mid + x / 34 * size * 0.95 * wide, mid - y / 34 * size * 0.95 - 0.03 * size], 1)
        else:
            curve = np.stack([mid + x / 34 * size * 0.92 * wide, mid + y / 34 * size * 0.8 - 0.08 * size], 1)
        cv2.fillPoly(mask, [curve.astype(np.int32)], 255)
    else:
        radius = rng.uniform(0.19, 0.24) * size if rng.random() < 0.4 else rng.uniform(0.24, 0.31) * size
        spread, low = rng.uniform(0.2, 0.27) * size, rng.uniform(0.54, 0.62) * size
        for cx, cy in ((mid, rng.uniform(0.25, 0.31) * size), (mid - spread, low), (mid + spread, low)):
            cv2.circle(mask, (int(cx), int(cy)), int(radius), 255, -1)
        cv2.circle(mask, (int(mid), int(0.47 * size)), int(radius * 0.5), 255, -1)
    if suit in "CS":
        foot, waist = rng.uniform(0.1, 0.24) * size, rng.uniform(0.02, 0.06) * size
        stem = [(mid - waist, mid), (mid + waist, mid), (mid + foot, 0.97 * size), (mid - foot, 0.97 * size)]
        cv2.fillPoly(mask, [np.array(stem, np.int32)], 255)
    return cv2.resize(mask, (64, 64), interpolation=cv2.INTER_AREA)


_FONT_SIZE = 160
_glyphs: dict[tuple[str, str], np.ndarray | None] = {}


def glyph(text: str, font: Path) -> np.ndarray | None:
    """The text's ink as a mask uint8, cropped; None when the font has no such glyph."""
    key = (text, font.name)
    if key not in _glyphs:
        canvas = PilImage.new("L", (620, 320), 0)
        ImageDraw.Draw(canvas).text((60, 40), text, font=ImageFont.truetype(str(font), _FONT_SIZE), fill=255)
        ink = np.asarray(canvas)
        rows, columns = np.nonzero(ink > 60)
        _glyphs[key] = (
            ink[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1].copy() if len(rows) > 40 else None
        )
    return _glyphs[key]


@dataclass(frozen=True, slots=True)
class Library:
    """All there is to draw from, split so that whole families can be held out."""

    packs: tuple[Pack, ...]
    fonts: tuple[Path, ...]

    @classmethod
    def load(cls, work: Path, held_out: bool) -> Library:
        """Training art, or (``held_out``) the families and fonts that training never sees."""
        packs = tuple(p for p in load_packs(work) if (p.name in HELD_OUT) == held_out)
        fonts = tuple(f for f in font_files(work) if f.name.startswith(HELD_OUT_FONTS) == held_out)
        return cls(packs, fonts)

    def full(self) -> list[Pack]:
        """Packs with all 52 faces."""
        return [p for p in self.packs if len(p.faces) == 52]


@dataclass(frozen=True, slots=True)
class Style:
    """One index family over a base pack; all lengths over the face's width unless said."""

    base: Pack
    font: Path | None
    squeeze: float
    rank_high: float
    suit_wide: float
    left: float
    top: float
    gap: float
    inks: dict[str, Colour]
    ground: Colour | None
    pips: dict[str, np.ndarray]
    """Suit -> mask of the index's pip; its notches may have filled with ink."""
    large_pips: dict[str, np.ndarray]
    """Suit -> the same shape as it is meant."""
    four_corners: bool
    hollow: bool
    inverted_art: float
    pattern: PipPattern | None = None
    """Where and how large the pips of ace to ten are drawn anew; None keeps the base pack's."""

    def face(self, card: str) -> Face:
        image = self._art(card)
        if self.font is None:
            return Face(image, card, (self.base.place, self.base.place.turned()), (False, True))
        place = self._draw_index(image, card)
        image = cv2.rotate(image, cv2.ROTATE_180)
        self._draw_index(image, card)
        image = cv2.rotate(image, cv2.ROTATE_180)
        if not self.four_corners:
            return Face(image, card, (place, place.turned()), (False, True))
        side = self._draw_index(image, card, right=True)
        image = cv2.rotate(image, cv2.ROTATE_180)
        self._draw_index(image, card, right=True)
        image = cv2.rotate(image, cv2.ROTATE_180)
        return Face(image, card, (place, place.turned(), side, side.turned()), (False, True, False, True))

    def _art(self, card: str) -> np.ndarray:
        """The card without its new index: the base pack's art, or pips of this style's own shape."""
        if self.pattern is not None and self.font is not None:
            if card[0] not in "JQK":
                return self.pattern.draw(card, self.large_pips[card[1]], self.inks[card[1]], self.ground)
            image = self._coloured(card)
            self.pattern.mark_court(image, self.large_pips[card[1]], self.inks[card[1]], self.ground)
            return image
        return self._coloured(card)

    def _coloured(self, card: str) -> np.ndarray:
        image = self.base.faces[card].copy()
        return image if self.ground is None else self._blackened(image, card)

    def _blackened(self, image: np.ndarray, card: str) -> np.ndarray:
        assert self.ground is not None
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        if card[0] in "JQK" and self.inverted_art:
            grey[30:-30, 60:-60] = cv2.absdiff(grey[30:-30, 60:-60], np.array([255 * self.inverted_art]))
        ink = np.clip((1 - np.arange(256) / 255 - 0.05) * 1.35, 0, 1)[:, None]
        table = np.array(self.ground) * (1 - ink) + np.array(self.inks[card[1]]) * ink
        return np.asarray(cv2.LUT(cv2.merge([grey] * 3), table.astype(np.uint8)[None]))

    def _draw_index(self, image: np.ndarray, card: str, right: bool = False) -> Place:
        assert self.font is not None
        high = image.shape[0]
        ground: Colour = self.ground or _paper(image)
        rank = glyph("10" if card[0] == "T" else card[0], self.font)
        assert rank is not None
        rank_h = round(self.rank_high * W)
        widest = round(max(self.suit_wide * 1.35, self.rank_high * 0.8) * W)
        rank_w = min(max(round(rank.shape[1] * rank_h / rank.shape[0] * self.squeeze), 6), widest)
        pip = self.pips[card[1]]
        pip_w = round(self.suit_wide * W)
        pip_h = round(pip_w * pip.shape[0] / pip.shape[1])
        column = round(max(self.rank_high * 0.62 * self.squeeze + 0.02, self.suit_wide) * W)
        x = round(self.left * W) + column // 2
        if right:
            x = W - x
        y = round(self.top * W)
        pip_y = y + rank_h + round(self.gap * W)
        pad = max(column, rank_w, pip_w) // 2 + 3
        base = self.base.place
        clear_to = max(pip_y + pip_h + 3, int(max(base.suit[3], base.rank[3]) * high) + 3)
        clear_x = max(x + pad, int(max(base.suit[2], base.rank[2]) * W) + 3) if not right else 0
        if self.pattern is not None and card[0] not in "JQK":
            pass  # nothing of the base pack is there to be cleared away
        elif right:
            image[4:clear_to, x - pad : W - 4] = ground
        else:
            image[4:clear_to, 4:clear_x] = ground
        ink = self.inks[card[1]]
        rank_box = _stamp(image, cv2.resize(rank, (rank_w, rank_h), interpolation=cv2.INTER_AREA), x, y, ink)
        mask = cv2.resize(pip, (pip_w, pip_h), interpolation=cv2.INTER_AREA)
        if self.hollow:
            inner = cv2.erode(mask, np.ones((5, 5), np.uint8))
            mask = cv2.subtract(mask, (inner * 0.85).astype(np.uint8))
        suit_box = _stamp(image, mask, x, pip_y, ink)
        return Place(_over(rank_box, high), _over(suit_box, high))


@dataclass(frozen=True, slots=True)
class PipPattern:
    """Pips in their usual places; lengths over the face's width, ``top`` over its height."""

    wide: float
    column: float
    top: float
    ace_wide: float
    paper: Colour
    frame: bool

    def draw(self, card: str, pip: np.ndarray, ink: Colour, ground: Colour | None) -> np.ndarray:
        """Ace to ten with nothing but pips: uint8 [420, 300, 3]."""
        image = np.full((420, W, 3), ground or self.paper, np.uint8)
        if self.frame:
            cv2.rectangle(image, (6, 6), (W - 7, 413), ink, 1, cv2.LINE_AA)
        wide = self.ace_wide if card[0] == "A" else self.wide
        for x, y in _pip_places(card[0], self.column, self.top):
            self._pip(image, pip, ink, wide, (x, y))
        return image

    def mark_court(self, image: np.ndarray, pip: np.ndarray, ink: Colour, ground: Colour | None) -> None:
        """The large pip beside a court's index, in both corners."""
        for x, y in ((self.column, self.top), (1 - self.column, 1 - self.top)):
            reach = round(self.wide * W / 2) + 4
            middle = round(x * W), round(y * image.shape[0])
            corners = (middle[0] - reach, middle[1] - reach), (middle[0] + reach, middle[1] + reach)
            cv2.rectangle(image, *corners, ground or self.paper, -1)
            self._pip(image, pip, ink, self.wide, (x, y))

    def _pip(self, image: np.ndarray, pip: np.ndarray, ink: Colour, wide: float, at: tuple[float, float]) -> None:
        size = max(round(wide * W), 4), max(round(wide * W * pip.shape[0] / pip.shape[1]), 4)
        shrunk = cv2.resize(pip, size, interpolation=cv2.INTER_AREA if size[0] < pip.shape[1] else cv2.INTER_LINEAR)
        mask = cv2.rotate(shrunk, cv2.ROTATE_180) if at[1] > 0.5 else shrunk
        _stamp(image, mask, round(at[0] * W), max(round(at[1] * image.shape[0] - size[1] / 2), 0), ink)


def _pip_places(rank: str, column: float, top: float) -> list[tuple[float, float]]:
    """Middles of the pips of ace to ten, x over width, y over height."""
    left, right, low = column, 1 - column, 1 - top
    third = top + (low - top) / 3
    rows: tuple[float, ...]
    match rank:
        case "A":
            return [(0.5, 0.5)]
        case "2":
            return [(0.5, top), (0.5, low)]
        case "3":
            return [(0.5, top), (0.5, 0.5), (0.5, low)]
        case "9" | "T":
            rows = (top, third, 1 - third, low)
            between = [(0.5, (top + third) / 2), (0.5, 1 - (top + third) / 2)] if rank == "T" else [(0.5, 0.5)]
        case _:
            rows = (top, low) if rank in "45" else (top, 0.5, low)
            upper, lower = (0.5, (top + 0.5) / 2), (0.5, 1 - (top + 0.5) / 2)
            between = {"5": [(0.5, 0.5)], "7": [upper], "8": [upper, lower]}.get(rank, [])
    return [(x, y) for y in rows for x in (left, right)] + between


def _pattern(rng: random.Random) -> PipPattern:
    grey = rng.uniform(225, 255)
    return PipPattern(
        wide=rng.uniform(0.12, 0.24), column=rng.uniform(0.24, 0.34), top=rng.uniform(0.13, 0.23),
        ace_wide=rng.choice([rng.uniform(0.14, 0.3), rng.uniform(0.3, 0.6)]),
        paper=(grey - rng.uniform(0, 14), grey, grey), frame=rng.random() < 0.1,
    )  # fmt: skip


def _over(box: tuple[int, int, int, int], high: int) -> Box:
    return box[0] / W, box[1] / high, box[2] / W, box[3] / high


def _paper(image: np.ndarray) -> Colour:
    colour = np.median(image[8 : image.shape[0] // 6, 8 : W // 8].reshape(-1, 3), 0)
    return (250.0, 250.0, 250.0) if colour.min() < 150 else (float(colour[0]), float(colour[1]), float(colour[2]))


def _stamp(image: np.ndarray, mask: np.ndarray, x_mid: int, y: int, ink: Colour) -> tuple[int, int, int, int]:
    """Ink a mask into the face centred on x_mid, below y; -> its box in px."""
    high, wide = mask.shape
    x = min(max(x_mid - wide // 2, 3), W - wide - 3)
    part = image[y : y + high, x : x + wide]
    alpha = mask[: part.shape[0], : part.shape[1], None].astype(np.float32) / 255
    part[:] = (part * (1 - alpha) + np.array(ink, np.float32) * alpha).astype(np.uint8)
    return x, y, x + wide, y + high


def _red(rng: random.Random) -> Colour:
    return rng.uniform(0, 70), rng.uniform(0, 60), rng.uniform(150, 235)


def _inks(rng: random.Random) -> dict[str, Colour]:
    red, black = _red(rng), (rng.uniform(0, 60),) * 3
    inks: dict[str, Colour] = {"H": red, "D": red, "S": black, "C": black}
    if rng.random() < 0.15:
        inks["D"] = rng.choice([(200.0, 90.0, 20.0), (220.0, 60.0, 30.0), (20.0, 120.0, 235.0), (30.0, 190.0, 230.0)])
        inks["C"] = rng.choice([(30.0, 130.0, 20.0), (60.0, 110.0, 10.0), (90.0, 150.0, 40.0)])
        if rng.random() < 0.3:
            inks["S"] = (150.0, 60.0, 30.0)
    return inks


def _metal(rng: random.Random, red: bool) -> Colour:
    """Gold, silver or, where it may be ``red``, copper and red foil."""
    kind = rng.random()
    shade = rng.uniform(0.7, 1.1)
    if kind < 0.5 or (kind >= 0.85 and not red):
        base = (rng.uniform(50, 130), rng.uniform(130, 190), rng.uniform(170, 230))
    elif kind < 0.85:
        grey = rng.uniform(140, 225)
        base = (grey + rng.uniform(0, 20), grey, grey - rng.uniform(0, 15))
    else:
        base = (rng.uniform(30, 80), rng.uniform(30, 70), rng.uniform(150, 220))
    return min(base[0] * shade, 255), min(base[1] * shade, 255), min(base[2] * shade, 255)


def _black_inks(rng: random.Random) -> dict[str, Colour]:
    first, second = _metal(rng, True), _metal(rng, False)
    if rng.random() < 0.3:
        first = second
    return {"H": first, "D": first, "S": second, "C": second}


BLACK_SHARE = 0.17
"""Share of packs printed in metal inks on black."""

PLAIN_SHARE = 0.35
"""Share of packs taken as their publisher drew them."""

OWN_PIPS_SHARE = 0.6
"""Share of re-indexed packs whose large pips are drawn anew too, in the shape of the index's pip."""


def random_pack(library: Library, rng: random.Random) -> Pack | Style:
    """A pack for one scene: as published, re-indexed, or black."""
    black = rng.random() < BLACK_SHARE
    if not black and rng.random() < PLAIN_SHARE:
        return rng.choice(library.packs)
    base = rng.choice(library.full())
    font = None if black and rng.random() < 0.35 else _usable_font(library, rng)
    rank_high = rng.uniform(0.1, 0.2) if rng.random() < 0.8 else rng.uniform(0.2, 0.3)
    inks = _black_inks(rng) if black else _inks(rng)
    dark = rng.uniform(5, 55)
    ground = (dark + rng.uniform(0, 10), dark, dark + rng.uniform(-4, 4)) if black else None
    pips = {s: _pip(s, library, rng) for s in SUITS}
    return Style(
        base, font, rng.choice([1.0, rng.uniform(0.5, 1.0)]), rank_high,
        suit_wide=rng.uniform(0.5, 0.95) * rank_high if rng.random() < 0.8 else rng.uniform(0.06, 0.14),
        left=rng.uniform(0.025, 0.06), top=rng.uniform(0.035, 0.09), gap=rng.uniform(0.005, 0.045),
        inks=inks, ground=ground, pips={s: p[0] for s, p in pips.items()},
        large_pips={s: p[1] for s, p in pips.items()},
        four_corners=rng.random() < 0.1, hollow=rng.random() < (0.2 if black else 0.02),
        inverted_art=rng.choice([0.0, 0.0, 0.5, 1.0]) if black else 0.0,
        pattern=_pattern(rng) if rng.random() < OWN_PIPS_SHARE else None,
    )  # fmt: skip


def _usable_font(library: Library, rng: random.Random) -> Path:
    while True:
        font = rng.choice(library.fonts)
        if all(glyph("10" if r == "T" else r, font) is not None for r in RANKS):
            return font


def _pip(suit: str, library: Library, rng: random.Random) -> tuple[np.ndarray, np.ndarray]:
    """A pip for the index, whose notches may have filled with ink, and the same as it is meant, for the card."""
    cut = [p.pips[suit] for p in library.packs if suit in p.pips]
    meant = rng.choice(cut) if cut and rng.random() < 0.4 else drawn_pip(suit, rng)
    index = _spread(meant, rng) if rng.random() < 0.6 else meant
    large = _spread(meant, rng) if rng.random() < 0.2 else meant
    high = max(round(meant.shape[0] * rng.uniform(0.74, 1.3)), 8)
    sized = [cv2.resize(mask, (64, high), interpolation=cv2.INTER_LINEAR) for mask in (index, large)]
    return sized[0], sized[1]


def _spread(mask: np.ndarray, rng: random.Random) -> np.ndarray:
    """Ink that ran: the notches of a small pip fill up, a club's leaves grow together (mask uint8 [h, 64])."""
    size = rng.choice([5, 7, 9, 11, 15])
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    closed = cv2.morphologyEx(cv2.copyMakeBorder(mask, 8, 8, 8, 8, cv2.BORDER_CONSTANT), cv2.MORPH_CLOSE, kernel)
    if rng.random() < 0.5:
        closed = cv2.dilate(closed, np.ones((3, 3), np.uint8), iterations=rng.randint(1, 2))
    return cv2.resize(closed, (64, mask.shape[0]), interpolation=cv2.INTER_AREA)


def back(rng: random.Random) -> Face:
    """A card back: a border and a lattice, or a plain pattern."""
    high, margin = 420, rng.choice([0, rng.randint(6, 24)])
    image = np.full((high, W, 3), rng.randint(225, 255), np.uint8)
    colour = tuple(rng.randint(0, 210) for _ in range(3))
    image[margin : high - margin, margin : W - margin] = colour
    inner = image[margin : high - margin, margin : W - margin]
    line = tuple(rng.randint(120, 255) for _ in range(3))
    step, width = rng.randint(8, 34), rng.randint(1, 5)
    kind = rng.random()
    for i in range(-high, W + high, step):
        if kind < 0.5:
            cv2.line(inner, (i, 0), (i + high, high), line, width)
            cv2.line(inner, (i + high, 0), (i, high), line, width)
        elif kind < 0.75:
            cv2.circle(inner, (W // 2, high // 2), max(i, 1), line, width)
        else:
            cv2.line(inner, (i, 0), (i, high), line, width)
    return Face(image, None, ())


def stranger(rng: random.Random, fonts: tuple[Path, ...]) -> Face:
    """A joker, a business card or a blank: text and marks that are no index."""
    high = rng.choice([420, 420, 300])
    paper = rng.randint(200, 255) if rng.random() < 0.85 else rng.randint(10, 60)
    image: np.ndarray = np.full((high, W, 3), paper, np.uint8)
    ink: Colour = _red(rng) if rng.random() < 0.4 else (rng.uniform(0, 90),) * 3
    font = rng.choice(fonts)
    if rng.random() < 0.6:
        for _ in range(2):
            y = 12
            for letter in rng.choice(["JOKER", "JOKER", "JOLLY", "*"]):
                mask = glyph(letter, font)
                if mask is not None:
                    size = rng.randint(20, 30)
                    _stamp(image, cv2.resize(mask, (size, size), interpolation=cv2.INTER_AREA), 26, y, ink)
                    y += size + 3
            image = cv2.rotate(image, cv2.ROTATE_180)
        cv2.ellipse(image, (W // 2, high // 2), (rng.randint(40, 80), rng.randint(40, 120)), 0, 0, 360, ink, -1)
    else:
        for _ in range(rng.randint(1, 7)):
            word = "".join(rng.choice("ABCDEFGHJKLMNOPQRSTUaeioumnrst0123456789") for _ in range(rng.randint(3, 9)))
            mask = glyph(word, font)
            if mask is not None:
                tall = rng.randint(10, 40)
                wide = min(round(mask.shape[1] * tall / mask.shape[0]), W - 20)
                stamp = cv2.resize(mask, (wide, tall), interpolation=cv2.INTER_AREA)
                _stamp(image, stamp, rng.randint(60, W - 60), rng.randint(5, high - 50), ink)
    return Face(image, None, ())
