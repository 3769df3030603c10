"""Drawings in millimetres, and two ways to show them: a PDF of vector graphics, and a picture of pixels.

Knows nothing of tables or games.  Coordinates are mm, x right and y down, like the table's.  The PDF needs no library:
it is PDF 1.4 with filled areas, discs and Helvetica, which every viewer brings (ISO 32000-1, sections 8 and 9).
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

Colour: TypeAlias = tuple[float, float, float]
"""Red, green, blue, each 0 to 1."""
Point: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom, mm."""

BLACK: Colour = (0, 0, 0)
WHITE: Colour = (1, 1, 1)

POINTS_PER_MM = 72 / 25.4
"""PDF's unit is the point, 1/72 inch."""

_ARC = 0.5522847498
"""Handle of the Bezier curve that is nearest to a quarter circle, in radii."""

_CAP_HEIGHT = 0.72
"""Height of a capital in Helvetica, in font sizes: for centring words upright."""

_WIDTHS = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 "
    "584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 "
    "667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 "
    "278 556 500 722 500 500 500 334 260 334 584"
)
HELVETICA_WIDTHS = dict(zip(map(chr, range(32, 127)), map(int, _WIDTHS.split()), strict=True))
"""Advance widths of printable ASCII in thousandths of the font size (Adobe's Helvetica metrics)."""


@dataclass(frozen=True, slots=True)
class Area:
    """A polygon, filled, outlined, or both. ``line_mm`` is the outline's width; dashed if ``dash_mm`` is not 0."""

    points: tuple[Point, ...]
    fill: Colour | None = None
    stroke: Colour | None = None
    line_mm: float = 0.5
    dash_mm: float = 0


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle, filled, outlined, or both."""

    middle: Point
    radius_mm: float
    fill: Colour | None = None
    stroke: Colour | None = None
    line_mm: float = 0.5


@dataclass(frozen=True, slots=True)
class Words:
    """One line of ASCII, centred on ``middle``, turned clockwise by quarter turns."""

    text: str
    middle: Point
    size_mm: float
    quarters: int = 0
    colour: Colour = BLACK


Shape: TypeAlias = Area | Disc | Words


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes on a ground of ``width_mm`` by ``height_mm``, later ones above earlier ones."""

    width_mm: float
    height_mm: float
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """A drawing moved by (``left_mm``, ``top_mm``) on a page; only what lies in ``window`` (page mm) shows."""

    drawing: Drawing
    left_mm: float = 0
    top_mm: float = 0
    window: Box | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One sheet of paper."""

    width_mm: float
    height_mm: float
    placed: tuple[Placed, ...]


def box(left: float, top: float, right: float, bottom: float) -> tuple[Point, ...]:
    """The four corners of a rectangle, clockwise from the top left."""
    return ((left, top), (right, top), (right, bottom), (left, bottom))


# --- PDF ---------------------------------------------------------------------------------------------------------


def pdf(pages: Sequence[Page], title: str) -> bytes:
    """The pages as one PDF file. A drawing that lies on several pages is stored once."""
    drawings = list({id(p.drawing): p.drawing for page in pages for p in page.placed}.values())
    names = {id(drawing): f"D{index}" for index, drawing in enumerate(drawings)}
    first_form, first_page = 5, 5 + len(drawings)
    forms = " ".join(f"/D{i} {first_form + i} 0 R" for i in range(len(drawings)))
    resources = f"<</Font<</F 3 0 R>>/XObject<<{forms}>>>>"
    kids = " ".join(f"{first_page + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        f"<</Title({_escape(title)})/Producer(Card Table)>>".encode(),
        *(_form(drawing) for drawing in drawings),
    ]
    for index, page in enumerate(pages):
        media = f"[0 0 {_pt(page.width_mm)} {_pt(page.height_mm)}]"
        contents = first_page + 2 * index + 1
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox{media}/Resources{resources}/Contents {contents} 0 R>>".encode()
        )
        objects.append(_stream("", _page_content(page, names)))
    return _file(objects)


def _file(objects: Sequence[bytes]) -> bytes:
    """Objects, numbered from 1 (the first is the catalogue, the fourth the title), with their table of places."""
    out, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<</Size %d/Root 1 0 R/Info 4 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def _stream(dictionary: str, text: str) -> bytes:
    data = zlib.compress(text.encode("latin-1", "replace"), 9)
    return f"<<{dictionary}/Filter/FlateDecode/Length {len(data)}>>\nstream\n".encode() + data + b"\nendstream"


def _form(drawing: Drawing) -> bytes:
    """A drawing as a form in its own mm, y down."""
    bounds = f"[0 0 {_n(drawing.width_mm)} {_n(drawing.height_mm)}]"
    head = f"/Type/XObject/Subtype/Form/BBox{bounds}/Resources<</Font<</F 3 0 R>>>>"
    return _stream(head, "\n".join(map(_pdf_shape, drawing.shapes)))


def _page_content(page: Page, names: dict[int, str]) -> str:
    flip = f"{_pt(1)} 0 0 -{_pt(1)} 0 {_pt(page.height_mm)} cm"
    parts = [flip]
    for placed in page.placed:
        window = ""
        if placed.window is not None:
            left, top, right, bottom = placed.window
            window = f"{_n(left)} {_n(top)} {_n(right - left)} {_n(bottom - top)} re W n "
        move = f"1 0 0 1 {_n(placed.left_mm)} {_n(placed.top_mm)} cm"
        parts.append(f"q {window}{move} /{names[id(placed.drawing)]} Do Q")
    return "\n".join(parts)


def _pdf_shape(shape: Shape) -> str:
    match shape:
        case Area(points):
            first, *rest = (f"{_n(x)} {_n(y)}" for x, y in points)
            path = f"{first} m " + " ".join(f"{p} l" for p in rest) + " h"
            return _painted(path, shape.fill, shape.stroke, shape.line_mm, shape.dash_mm)
        case Disc(middle, radius):
            return _painted(_circle(middle, radius), shape.fill, shape.stroke, shape.line_mm, 0)
        case Words():
            return _pdf_words(shape)


def _painted(path: str, fill: Colour | None, stroke: Colour | None, line_mm: float, dash_mm: float) -> str:
    operator = {(True, True): "B", (True, False): "f", (False, True): "S", (False, False): "n"}[
        fill is not None, stroke is not None
    ]
    inks = [f"{_rgb(fill)} rg"] if fill else []
    if stroke:
        dash = f"[{_n(dash_mm)}] 0 d" if dash_mm else "[] 0 d"
        inks.append(f"{_rgb(stroke)} RG {_n(line_mm)} w {dash}")
    return " ".join([*inks, path, operator])


def _circle(middle: Point, radius: float) -> str:
    x, y = middle
    around = [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 0)]
    path = [f"{_n(x + radius)} {_n(y)} m"]
    for (ax, ay), (bx, by) in itertools.pairwise(around):
        handles = ((ax + _ARC * bx, ay + _ARC * by), (bx + _ARC * ax, by + _ARC * ay), (bx, by))
        path.append(" ".join(f"{_n(x + radius * u)} {_n(y + radius * v)}" for u, v in handles) + " c")
    return " ".join([*path, "h"])


def _pdf_words(words: Words) -> str:
    along = _along(words.quarters)
    up = (along[1], -along[0])
    half, low = text_width_mm(words.text, words.size_mm) / 2, words.size_mm * _CAP_HEIGHT / 2
    x = words.middle[0] - along[0] * half - up[0] * low
    y = words.middle[1] - along[1] * half - up[1] * low
    matrix = " ".join(map(_n, (*along, *up, x, y)))
    return f"BT {_rgb(words.colour)} rg /F {_n(words.size_mm)} Tf {matrix} Tm ({_escape(words.text)}) Tj ET"


def text_width_mm(text: str, size_mm: float) -> float:
    """Width of a line of Helvetica, mm; what is not ASCII counts as wide as a digit."""
    return sum(HELVETICA_WIDTHS.get(letter, 556) for letter in text) * size_mm / 1000


def _along(quarters: int) -> tuple[int, int]:
    return ((1, 0), (0, 1), (-1, 0), (0, -1))[quarters % 4]


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _rgb(colour: Colour) -> str:
    return " ".join(map(_n, colour))


def _n(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".") or "0"


def _pt(value_mm: float) -> str:
    return _n(value_mm * POINTS_PER_MM)


# --- picture -----------------------------------------------------------------------------------------------------


def picture(drawing: Drawing, px_per_mm: float, fine: int = 2) -> NDArray[np.uint8]:
    """The drawing as BGR pixels [height, width, 3]; drawn ``fine`` times larger and averaged, so edges are smooth."""
    scale = px_per_mm * fine
    size = round(drawing.height_mm * px_per_mm) * fine, round(drawing.width_mm * px_per_mm) * fine
    canvas = np.full((*size, 3), 255, np.uint8)
    for shape in drawing.shapes:
        _paint(canvas, shape, scale)
    small = cv2.resize(canvas, (size[1] // fine, size[0] // fine), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


_SUBPIXEL_BITS = 4
"""OpenCV draws on a grid of 1/16 px; its pixel centres are whole numbers, ours lie at a half."""


def _px(points: Iterable[Point], scale: float) -> NDArray[np.int32]:
    steps = (np.asarray(list(points), float) * scale - 0.5) * (1 << _SUBPIXEL_BITS)
    return np.asarray(np.rint(steps), np.int32)


def _bgr(colour: Colour) -> tuple[int, int, int]:
    red, green, blue = (round(255 * part) for part in colour)
    return blue, green, red


def _paint(canvas: NDArray[np.uint8], shape: Shape, scale: float) -> None:
    match shape:
        case Area(points):
            outline = _px(points, scale)
            if shape.fill:
                cv2.fillPoly(canvas, [outline], _bgr(shape.fill), cv2.LINE_8, _SUBPIXEL_BITS)
            if shape.stroke:
                width = max(round(shape.line_mm * scale), 1)
                cv2.polylines(canvas, [outline], True, _bgr(shape.stroke), width, cv2.LINE_AA, _SUBPIXEL_BITS)
        case Disc(middle, radius):
            (x, y), reach = _px([middle], scale)[0].tolist(), round(radius * scale * (1 << _SUBPIXEL_BITS))
            if shape.fill:
                cv2.circle(canvas, (x, y), reach, _bgr(shape.fill), -1, cv2.LINE_AA, _SUBPIXEL_BITS)
            if shape.stroke:
                width = max(round(shape.line_mm * scale), 1)
                cv2.circle(canvas, (x, y), reach, _bgr(shape.stroke), width, cv2.LINE_AA, _SUBPIXEL_BITS)
        case Words():
            _paint_words(canvas, shape, scale)


def _paint_words(canvas: NDArray[np.uint8], words: Words, scale: float) -> None:
    """Words as a mask of their own, turned, and laid on; what reaches beyond the canvas is cut off."""
    if not words.text.strip():
        return
    font, thick = cv2.FONT_HERSHEY_SIMPLEX, max(round(words.size_mm * scale / 10), 1)
    font_scale = words.size_mm * scale * _CAP_HEIGHT / 21
    (wide, high), below = cv2.getTextSize(words.text, font, font_scale, thick)
    mask = np.zeros((high + 2 * below, wide + 2, 1), np.uint8)
    cv2.putText(mask, words.text, (1, high + below), font, font_scale, (255,), thick, cv2.LINE_AA)
    mask = np.ascontiguousarray(np.rot90(mask[..., 0], -words.quarters))
    left = math.floor(words.middle[0] * scale - mask.shape[1] / 2)
    top = math.floor(words.middle[1] * scale - mask.shape[0] / 2)
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + mask.shape[1], canvas.shape[1]), min(top + mask.shape[0], canvas.shape[0])
    if x0 >= x1 or y0 >= y1:
        return
    part = mask[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.float32) / 255
    ground = canvas[y0:y1, x0:x1]
    canvas[y0:y1, x0:x1] = np.rint(ground * (1 - part) + np.array(_bgr(words.colour), np.float32) * part)
