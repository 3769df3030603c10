"""A film strip of a session: chosen pictures with the seats' lamps, the pool, and what the referee said below each.

Composes pictures and nothing else: who was told what, and when, comes from the caller.  Text is drawn with OpenCV's
line letters and suit signs with the pack's own pips, so that nothing has to be installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from . import glyphs

Image = npt.NDArray[Any]
Ink = tuple[int, int, int]

_FILM: Ink = (26, 22, 21)
_HOLE: Ink = (62, 57, 55)
_WHITE: Ink = (240, 240, 242)
_GREY: Ink = (168, 162, 158)
_RED_SUIT: Ink = (92, 92, 245)

#: What a lamp looks like, BGR, by the names that the panel uses.
_LAMPS: dict[str, Ink] = {
    "off": (70, 66, 64),
    "green": (96, 222, 74),
    "red": (70, 64, 240),
    "amber": (44, 176, 255),
    "blue": (250, 140, 70),
}

#: The bar beside a caption, by the kind of ruling.
_BARS: dict[str, Ink] = {
    "refused": _LAMPS["red"],
    "proved": _LAMPS["amber"],
    "conflict": _LAMPS["amber"],
    "over": _LAMPS["green"],
    "takes": _LAMPS["green"],
}

#: Everything is drawn at twice the size and averaged down: OpenCV's thin letters become smooth.
_FINE = 2
_FONT = cv2.FONT_HERSHEY_DUPLEX

_QUALITY: dict[str, list[int]] = {
    ".webp": [cv2.IMWRITE_WEBP_QUALITY, 80],
    ".png": [cv2.IMWRITE_PNG_COMPRESSION, 9],
}

_SUITS = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}


@dataclass(frozen=True, slots=True)
class Lamp:
    """A seat's lamp: the player's name, its colour by name (``off`` is dark), its place as shares of the picture."""

    name: str
    colour: str
    at: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Still:
    """One picture of the strip: BGR uint8 (h, w, 3), when it was taken, and what to say with it.

    ``caption`` is what the referee says; ``kind`` the kind of ruling (it colours the bar); ``pool`` is shown if given.
    """

    image: Image
    seconds: float
    caption: str
    kind: str = ""
    lamps: tuple[Lamp, ...] = ()
    pool: int | None = None


def lamp_places(count: int) -> tuple[tuple[float, float], ...]:
    """Where the lamps of so many seats stand in the picture, as shares of its width and height, seat 1 first."""
    sides = {2: "BT", 3: "BLR", 4: "BLTR", 5: "BLTTR", 6: "BLLTTR", 7: "BLLTTRR", 8: "BBLLTTRR"}[count]
    places = []
    for k, side in enumerate(sides):
        crowd = [i for i, s in enumerate(sides) if s == side]
        share = (crowd.index(k) + 1) / (len(crowd) + 1)
        at = {"B": (1 - share, 0.945), "L": (0.035, 1 - share), "T": (share, 0.055), "R": (0.965, share)}
        places.append(at[side])
    return tuple(places)


def strip(stills: Sequence[Still], title: str = "", *, columns: int = 3, cell_px: int = 460) -> Image:
    """The pictures in rows like a film, BGR uint8, each about ``cell_px`` wide.

    :raises ValueError: if there is no picture.
    """
    if not stills:
        raise ValueError("a film strip needs at least one picture; choose some frames of the session")
    cells = [_cell(still, cell_px) for still in stills]
    blank = np.full_like(cells[0], _FILM)
    rows = []
    for k in range(0, len(cells), columns):
        row = cells[k : k + columns]
        row += [blank] * (columns - len(row) if len(cells) > columns else 0)
        rows.append(_perforated(np.hstack(row)))
    body = np.vstack(rows)
    return np.vstack([_heading(title, body.shape[1]), body]) if title else body


def write_strip(path: Path, stills: Sequence[Still], title: str = "", *, columns: int = 3, cell_px: int = 460) -> None:
    """Write the strip as a picture; the file's ending says which kind (png, webp, jpg).

    :raises OSError: if it cannot be written.
    """
    _write(path, strip(stills, title, columns=columns, cell_px=cell_px))


def write_animation(
    path: Path, stills: Sequence[Still], *, width_px: int = 640, seconds_each: float = 0.25, linger_s: float = 1.4
) -> bool:
    """Write the pictures one after another as an animation (``.webp``, ``.png``); captioned ones stay longer.

    Returns False, and writes nothing, where this OpenCV (before 4.11) cannot write animations.

    :raises OSError: if it cannot be written.
    """
    if not hasattr(cv2, "imwriteanimation"):
        return False
    animation: Any = cv2.Animation()
    animation.frames = [_cell(still, width_px) for still in stills]
    shown_ms = [round(1000 * (linger_s if still.kind else seconds_each)) for still in stills]
    animation.durations = np.asarray(shown_ms, np.int32)
    if not cv2.imwriteanimation(str(path), animation, _QUALITY.get(path.suffix.lower(), [])):
        raise OSError(f"{path}: the animation could not be written; is the disk full, and does the name end in .webp?")
    return True


def _write(path: Path, picture: Image) -> None:
    try:
        good = cv2.imwrite(str(path), picture, _QUALITY.get(path.suffix.lower(), []))
    except cv2.error:
        good = False
    if not good:
        raise OSError(f"{path}: the picture could not be written; is the disk full, and does the name end in .png?")


def _cell(still: Still, width_px: int) -> Image:
    """One picture with lamps, and its caption below."""
    margin = round(width_px * 0.022)
    wide = width_px - 2 * margin
    high = round(wide * still.image.shape[0] / still.image.shape[1])
    picture = cv2.resize(still.image, (wide * _FINE, high * _FINE), interpolation=cv2.INTER_AREA)
    for lamp in still.lamps:
        _lamp(picture, lamp)
    caption = _caption(still, wide, round(width_px * 0.175))
    body = np.vstack([_rounded(picture), caption])
    frame = cv2.copyMakeBorder(body, 0, 0, margin * _FINE, margin * _FINE, cv2.BORDER_CONSTANT, value=_FILM)
    size = (frame.shape[1] // _FINE, frame.shape[0] // _FINE)
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA))


def _rounded(picture: Image) -> Image:
    h, w = picture.shape[:2]
    mask = _round_box(h, w, round(0.018 * w))[..., None] / np.float32(255)
    film = np.asarray(_FILM, np.float32)
    return np.asarray(film + (picture - film) * mask, np.uint8)


def _round_box(h: int, w: int, r: int) -> Image:
    mask = np.zeros((h, w), np.uint8)
    cv2.rectangle(mask, (r, 0), (w - 1 - r, h - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (w - 1, h - 1 - r), 255, -1)
    for x in (r, w - 1 - r):
        for y in (r, h - 1 - r):
            cv2.circle(mask, (x, y), r, 255, -1, cv2.LINE_AA)
    return mask


def _lamp(picture: Image, lamp: Lamp) -> None:
    """A round lamp in a dark ring, glowing if it is lit, with the player's name inside the picture."""
    h, w = picture.shape[:2]
    x, y, r = round(lamp.at[0] * w), round(lamp.at[1] * h), round(0.017 * w)
    ink = _LAMPS[lamp.colour]
    if lamp.colour != "off":
        _glow(picture, (x, y), 3.4 * r, ink)
    cv2.circle(picture, (x, y), r + max(2, r // 4), (24, 24, 24), -1, cv2.LINE_AA)
    cv2.circle(picture, (x, y), r, ink, -1, cv2.LINE_AA)
    if lamp.colour != "off":
        bright: Ink = (min(255, ink[0] + 110), min(255, ink[1] + 110), min(255, ink[2] + 110))
        cv2.circle(picture, (x - r // 4, y - r // 4), r // 2, bright, -1, cv2.LINE_AA)
    size = 0.030 * w
    length = _width(lamp.name, size)
    left = x + 2 * r if lamp.at[0] < 0.8 else x - 2 * r - length
    _text(picture, lamp.name, (left, y + round(size * 0.36)), size, _WHITE, shaded=True)


def _glow(picture: Image, centre: tuple[int, int], radius: float, ink: Ink) -> None:
    h, w = picture.shape[:2]
    r = round(1.6 * radius)
    left, top = max(0, centre[0] - r), max(0, centre[1] - r)
    here = picture[top : min(h, centre[1] + r), left : min(w, centre[0] + r)]
    y, x = np.mgrid[: here.shape[0], : here.shape[1]]
    distance = np.hypot(x + left - centre[0], y + top - centre[1])
    strength = (0.75 * np.exp(-((distance / (0.55 * radius)) ** 2)))[..., None]
    here[:] = np.clip(here + strength * np.asarray(ink, float), 0, 255).astype(np.uint8)


def _caption(still: Still, wide: int, high: int) -> Image:
    """The band below a picture: a coloured bar, the words in up to two lines, the time, the pool."""
    band = np.full((high * _FINE, wide * _FINE, 3), _FILM, np.uint8)
    h, w = band.shape[:2]
    size = 0.040 * w
    bar = _BARS.get(still.kind, _HOLE)
    cv2.rectangle(band, (0, round(0.16 * h)), (round(0.008 * w), round(0.88 * h)), bar, -1)
    left = round(0.03 * w)
    for k, line in enumerate(_wrapped(still.caption, size, w - left - round(0.15 * w))[:2]):
        _text(band, line, (left, round((0.40 + 0.38 * k) * h)), size, _WHITE)
    clock = f"{int(still.seconds) // 60}:{int(still.seconds) % 60:02d}"
    small = 0.78 * size
    _text(band, clock, (w - _width(clock, small), round(0.38 * h)), small, _GREY)
    if still.pool is not None:
        _pool(band, still.pool, round(0.72 * h), small)
    return band


def _pool(band: Image, pool: int, y: int, size: float) -> None:
    """A chip and the number of counters in the pool, at the right."""
    w = band.shape[1]
    words = str(pool)
    x = w - _width(words, size)
    _text(band, words, (x, y + round(0.02 * w)), size, _WHITE)
    centre, r = (x - round(1.0 * size), y + round(0.02 * w) - round(0.36 * size)), round(0.52 * size)
    cv2.circle(band, centre, r, (60, 60, 210), -1, cv2.LINE_AA)
    for a in np.arange(0, 2 * np.pi, np.pi / 3):
        spot = (centre[0] + round(0.78 * r * float(np.cos(a))), centre[1] + round(0.78 * r * float(np.sin(a))))
        cv2.circle(band, spot, max(1, round(0.17 * r)), _WHITE, -1, cv2.LINE_AA)
    cv2.circle(band, centre, round(0.55 * r), (120, 120, 235), -1, cv2.LINE_AA)


def _perforated(row: Image) -> Image:
    """Film edges with holes above and below a row."""
    w = row.shape[1]
    high, step = 26, 40
    edge = np.full((high, w, 3), _FILM, np.uint8)
    hole = cv2.cvtColor(_round_box(12, 20, 4), cv2.COLOR_GRAY2BGR) / np.float32(255)
    for x in range(step // 4, w - 20, step):
        here = edge[7:19, x : x + 20]
        here[:] = (hole * np.asarray(_HOLE, float) + (1 - hole) * here).astype(np.uint8)
    return np.vstack([edge, row, edge])


def _heading(title: str, wide: int) -> Image:
    band = np.full((64 * _FINE, wide * _FINE, 3), _FILM, np.uint8)
    _text(band, title, (28 * _FINE, 46 * _FINE), 25.0 * _FINE, _WHITE)
    return np.asarray(cv2.resize(band, (wide, 64), interpolation=cv2.INTER_AREA))


def _parts(words: str) -> Iterator[str]:
    """Runs of letters and single suit signs; other signs that the letters lack are written plainly."""
    plain = words.translate({0x2013: "-", 0x2014: "-", 0x2026: "...", 0x2019: "'", 0xB7: "-"})
    for part in re.split("([♠♥♦♣])", plain):
        if part:
            yield part if part in _SUITS else part.encode("ascii", "replace").decode()


def _width(words: str, size: float) -> int:
    """How wide ``words`` are in px when their capitals are about 0.7 ``size`` high."""
    return round(sum(1.0 * size if p in _SUITS else _run(p, size) for p in _parts(words)))


def _run(part: str, size: float) -> float:
    return float(cv2.getTextSize(part, _FONT, size / 30, _thick(size))[0][0])


def _thick(size: float) -> int:
    return max(1, round(size / 17))


def _text(canvas: Image, words: str, at: tuple[int, int], size: float, ink: Ink, *, shaded: bool = False) -> None:
    """Write ``words`` with their foot at ``at``; suit signs are drawn as pips."""
    x = float(at[0])
    thick = _thick(size)
    for part in _parts(words):
        if part in _SUITS:
            _sign(canvas, part, (x + 0.50 * size, at[1] - 0.36 * size), 0.38 * size, ink)
            x += 1.0 * size
            continue
        if shaded:
            cv2.putText(canvas, part, (round(x) + 2, at[1] + 2), _FONT, size / 30, (20, 20, 20), thick + 2, cv2.LINE_AA)
        cv2.putText(canvas, part, (round(x), at[1]), _FONT, size / 30, ink, thick, cv2.LINE_AA)
        x += _run(part, size)


def _sign(canvas: Image, sign: str, centre: tuple[float, float], half: float, ink: Ink) -> None:
    suit = _SUITS[sign]
    for outline in glyphs.pip(suit):
        points = np.round((outline * half + np.asarray(centre)) * 16).astype(np.int32)
        cv2.fillPoly(canvas, [points], _RED_SUIT if suit in "HD" else ink, cv2.LINE_AA, 4)


def _wrapped(words: str, size: float, room_px: float) -> list[str]:
    """The words in lines that fit; the last of two ends in dots where more would follow."""
    lines: list[str] = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _width(longer, size) > room_px:
            lines.append(word)
        else:
            lines[-1] = longer
    if len(lines) > 2:
        lines[1] = lines[1].rstrip(".,;:") + " ..."
    return lines
