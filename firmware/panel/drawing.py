"""Lines, boxes, dots and words on a sheet, and the same sheet as SVG and as PNG. Nothing here knows what is drawn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Literal

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line through ``points`` (px), open unless ``fill`` is given."""

    points: tuple[Point, ...]
    colour: str = "#222222"
    width: float = 1.6
    fill: str | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle from its top-left corner (px)."""

    x: float
    y: float
    w: float
    h: float
    fill: str | None = "#ffffff"
    colour: str = "#222222"
    width: float = 1.4


@dataclass(frozen=True, slots=True)
class Dot:
    """A filled circle."""

    x: float
    y: float
    r: float
    fill: str = "#222222"
    colour: str = "#222222"


@dataclass(frozen=True, slots=True)
class Words:
    """A line of ASCII text; ``y`` is its base line, ``size`` its height in px."""

    x: float
    y: float
    text: str
    size: float = 13
    anchor: Anchor = "start"
    colour: str = "#222222"
    bold: bool = False


Item = Line | Box | Dot | Words


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is drawn, in order, on white paper of this size in px."""

    width: int
    height: int
    items: tuple[Item, ...]


def svg(sheet: Sheet) -> str:
    """The sheet as an SVG document."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{sheet.width}" height="{sheet.height}" '
        f'viewBox="0 0 {sheet.width} {sheet.height}" font-family="DejaVu Sans, Verdana, Arial, sans-serif">'
    )
    body = "\n".join(_svg(item) for item in sheet.items)
    return f'{head}\n<rect width="100%" height="100%" fill="#ffffff"/>\n{body}\n</svg>\n'


def _svg(item: Item) -> str:
    match item:
        case Line():
            points = " ".join(f"{x:g},{y:g}" for x, y in item.points)
            tag = "polyline" if item.fill is None else "polygon"
            fill = item.fill or "none"
            return (
                f'<{tag} points="{points}" fill="{fill}" stroke="{item.colour}" stroke-width="{item.width:g}" '
                f'stroke-linejoin="round"/>'
            )
        case Box():
            place = f'x="{item.x:g}" y="{item.y:g}" width="{item.w:g}" height="{item.h:g}"'
            paint = f'fill="{item.fill or "none"}" stroke="{item.colour}" stroke-width="{item.width:g}"'
            return f"<rect {place} {paint}/>"
        case Dot():
            return f'<circle cx="{item.x:g}" cy="{item.y:g}" r="{item.r:g}" fill="{item.fill}" stroke="{item.colour}"/>'
        case Words():
            weight = ' font-weight="bold"' if item.bold else ""
            return (
                f'<text x="{item.x:g}" y="{item.y:g}" font-size="{item.size:g}" text-anchor="{item.anchor}" '
                f'fill="{item.colour}"{weight}>{escape(item.text)}</text>'
            )


#: Drawn this many times larger, then made smaller: OpenCV's own smoothing leaves thin lines uneven.
OVERSAMPLE = 3


def png(sheet: Sheet, scale: int = 1) -> bytes:
    """The sheet as a PNG file, ``scale`` times its size, drawn with OpenCV from the same items."""
    import cv2
    import numpy as np

    k = OVERSAMPLE * scale
    image = np.full((sheet.height * k, sheet.width * k, 3), 255, np.uint8)
    for item in sheet.items:
        _paint(image, item, k)
    small = cv2.resize(image, (sheet.width * scale, sheet.height * scale), interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".png", small)[1])


def _paint(image: object, item: Item, k: int) -> None:
    import cv2
    import numpy as np

    match item:
        case Line():
            points = np.array([[_px(p, k) for p in item.points]], np.int32)
            if item.fill is not None:
                cv2.fillPoly(image, points, _bgr(item.fill))  # type: ignore[call-overload]
            closed = item.fill is not None
            cv2.polylines(image, points, closed, _bgr(item.colour), _thick(item.width, k), cv2.LINE_AA)  # type: ignore[call-overload]
        case Box():
            corners = _px((item.x, item.y), k), _px((item.x + item.w, item.y + item.h), k)
            if item.fill is not None:
                cv2.rectangle(image, *corners, _bgr(item.fill), -1)  # type: ignore[call-overload]
            cv2.rectangle(image, *corners, _bgr(item.colour), _thick(item.width, k), cv2.LINE_AA)  # type: ignore[call-overload]
        case Dot():
            place, radius = _px((item.x, item.y), k), round(item.r * k)
            cv2.circle(image, place, radius, _bgr(item.fill), -1, cv2.LINE_AA)  # type: ignore[call-overload]
            cv2.circle(image, place, radius, _bgr(item.colour), k, cv2.LINE_AA)  # type: ignore[call-overload]
        case Words():
            _write(image, item, k)


#: Height in px of a capital of OpenCV's plain font at scale 1, against the height of the same text in SVG.
HERSHEY_PX = 29


def _write(image: object, item: Words, k: int) -> None:
    import cv2

    size, thick = item.size * k / HERSHEY_PX, _thick(2.2 if item.bold else 1.3, k)
    (width, _), _ = cv2.getTextSize(item.text, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
    shift = {"start": 0.0, "middle": width / 2, "end": width}[item.anchor]
    place = (round(item.x * k - shift), round(item.y * k))
    cv2.putText(image, item.text, place, cv2.FONT_HERSHEY_SIMPLEX, size, _bgr(item.colour), thick, cv2.LINE_AA)  # type: ignore[call-overload]


def _px(point: Point, k: int) -> tuple[int, int]:
    return round(point[0] * k), round(point[1] * k)


def _thick(width: float, k: int) -> int:
    return max(1, round(width * k))


def _bgr(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return blue, green, red


def sheet(width: int, height: int, items: Iterable[Item]) -> Sheet:
    """A sheet of ``items``."""
    return Sheet(width, height, tuple(items))
