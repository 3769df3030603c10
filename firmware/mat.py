"""A mat for any table: zones, bowl and markers as a PDF to print, and the ``table.toml`` that belongs to it.

The zones of every size and number of seats come from here, so that mat, settings and simulated table agree.  Where the
markers lie is `vision.calibrate`'s to say, because it must find them again.  Seats are numbered clockwise as the camera
sees them, seat 1 at the bottom edge (the table contract); "0" is never a seat.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from vision.calibrate import RED_MARK_RADIUS_MM, Marker, mat_markers, red_mark_mm

from .drawing import BLACK, WHITE, Area, Box, Colour, Disc, Drawing, Page, Placed, Shape, Words, box, pdf
from .toml_text import points

Size = tuple[float, float]
Sheets = Literal["one", "a4", "a3"]

SEATS = range(2, 9)
STANDARD_MM: Size = (900, 700)
LEAST_MM: Size = (600, 500)
"""A smaller mat has no room for four hands of cards and a layout between them."""
MOST_MM: Size = (2000, 1500)
"""A larger one is more than a camera at 1.3 m sees sharply enough to read."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How deep a seat's zone is, and what is left free at the ends of the edges for markers, stock and bowl; mm."""

    depth_mm: float
    end_mm: float
    deep: bool


STRIPS = Plan(100, 150, deep=False)
"""A row of cards before each player, one large layout: Fan Tan, Five or Nine, Pope Joan, Matrimony."""

PILES = Plan(165, 200, deep=True)
"""Room for a hand and a pile before each player, the stock in the middle: Wish Card, Ranter-Go-Round."""

GAP_MM = 5
"""Between zones, so that no card lies in two."""
BOWL_MM = 72
"""Across the ring for the counters' bowl."""
_STOCK_MM = 73
"""Width of the stock's place in a corner: a card of 63 mm, laid without care."""

GROUND: Colour = (0.13, 0.33, 0.25)
"""A green on which white cards and black print both stand out (field report A03: never as light as the cards)."""
LINE: Colour = (0.80, 0.86, 0.82)
RED: Colour = (0.80, 0.08, 0.10)

PAPER_MM: dict[Sheets, Size] = {"a4": (210, 297), "a3": (297, 420)}
UNPRINTABLE_MM = 10
"""Home printers leave about this much of the paper's edge white."""

_EDGES: dict[int, tuple[int, int, int, int]] = {
    2: (1, 0, 1, 0),
    3: (1, 1, 0, 1),
    4: (1, 1, 1, 1),
    5: (1, 1, 2, 1),
    6: (2, 1, 2, 1),
    7: (2, 1, 3, 1),
    8: (3, 1, 3, 1),
}
"""Seats at the bottom, left, top and right edge, for each number of seats."""


class MatError(ValueError):
    """A mat that cannot be made; the message says which number does not fit and what does."""


@dataclass(frozen=True, slots=True)
class Place:
    """One zone of the table: its name, its box in mm, and to which edge its player sits (quarter turns of the text)."""

    name: str
    box: Box
    quarters: int = 0

    @property
    def polygon(self) -> tuple[tuple[float, float], ...]:
        """The zone's corners, clockwise from the top left, mm."""
        return box(*self.box)


def places(seats: int, size_mm: Size = STANDARD_MM, plan: Plan = STRIPS) -> tuple[Place, ...]:
    """Every zone of a table: ``seat-1`` .. ``seat-N``, ``layout``, ``stock``.

    :raises MatError: if the number of seats or the size cannot be had.
    """
    _check(seats, size_mm)
    wide, high = size_mm
    bottom, left, top, right = _EDGES[seats]
    end, deep, side = plan.end_mm, plan.depth_mm, plan.depth_mm + GAP_MM
    boxes = [
        *((b, 0) for b in reversed(_row(bottom, end, wide - end, high - deep, high))),
        *((_turned(b), 1) for b in reversed(_row(left, side, high - side, 0, deep))),
        *((b, 2) for b in _row(top, end, wide - end, 0, deep)),
        *((_turned(b), 3) for b in _row(right, side, high - side, wide - deep, wide)),
    ]
    named = [Place(f"seat-{number}", where, turned) for number, (where, turned) in enumerate(boxes, 1)]
    return (*named, *_common(size_mm, plan))


def _common(size_mm: Size, plan: Plan) -> tuple[Place, Place]:
    """Layout and stock: the stock in a corner, or in the middle beside a smaller layout."""
    (wide, high), edge = size_mm, plan.depth_mm + GAP_MM
    if plan.deep:
        middle = wide / 2
        layout = Place("layout", (edge, edge, middle - GAP_MM, high - edge))
        return layout, Place("stock", (middle, edge, wide - edge, high - edge))
    corner = wide - plan.end_mm + GAP_MM
    stock = Place("stock", (corner, high - plan.depth_mm, corner + _STOCK_MM, high - 4))
    return Place("layout", (edge, edge, wide - edge, high - edge)), stock


def _check(seats: int, size_mm: Size) -> None:
    if seats not in SEATS:
        raise MatError(f"seats: {seats} is not between {SEATS.start} and {SEATS.stop - 1}")
    for name, value, least, most in zip(("width", "height"), size_mm, LEAST_MM, MOST_MM, strict=True):
        if not (math.isfinite(value) and least <= value <= most):
            raise MatError(f"{name}: {value:g} mm is not between {least:g} and {most:g} mm")


def _row(count: int, start: float, stop: float, top: float, bottom: float) -> list[Box]:
    """``count`` equal boxes side by side, from left to right, a gap between any two."""
    each = (stop - start + GAP_MM) / max(count, 1)
    return [(start + i * each, top, start + (i + 1) * each - GAP_MM, bottom) for i in range(count)]


def _turned(where: Box) -> Box:
    """A box whose x and y are exchanged: rows made into columns."""
    left, top, right, bottom = where
    return top, left, bottom, right


def bowl_mm(size_mm: Size = STANDARD_MM, plan: Plan = STRIPS) -> tuple[float, float]:
    """The middle of the ring for the counters' bowl: the corner at the lower left."""
    return plan.end_mm - GAP_MM - BOWL_MM / 2 - 2, size_mm[1] - plan.depth_mm / 2


# --- the drawing -------------------------------------------------------------------------------------------------


def mat_drawing(
    seats: int, size_mm: Size = STANDARD_MM, plan: Plan = STRIPS, ground: Colour | None = GROUND
) -> Drawing:
    """The whole mat, 1:1. ``ground`` None leaves the paper white: less ink, but use it on no white cards' table.

    :raises MatError: if the number of seats or the size cannot be had.
    """
    zones, bowl = places(seats, size_mm, plan), bowl_mm(size_mm, plan)
    line = LINE if ground else BLACK
    shapes: list[Shape] = [Area(box(0, 0, *size_mm), fill=ground)] if ground else []
    shapes += [Area(_inset(zone.box, 1.5), stroke=line, line_mm=0.7) for zone in zones]
    shapes += [_label(zone, plan, line) for zone in zones]
    shapes.append(Disc(bowl, BOWL_MM / 2, stroke=line, line_mm=0.7))
    shapes.append(Words("counters", bowl, 7, colour=line))
    shapes.append(Disc(red_mark_mm(), RED_MARK_RADIUS_MM, fill=RED))
    for marker in mat_markers(*size_mm):
        shapes += marker_shapes(marker)
    return Drawing(*size_mm, tuple(shapes))


_LABEL_ASIDE_MM = 50
"""From the middle of a seat's edge, where a marker may lie, to the middle of its name."""


def _inset(where: Box, by: float) -> tuple[tuple[float, float], ...]:
    return box(where[0] + by, where[1] + by, where[2] - by, where[3] - by)


def _label(zone: Place, plan: Plan, colour: Colour) -> Words:
    """The zone's name: a seat's at the edge where its player sits, the others' in the corner or the middle."""
    left, top, right, bottom = zone.box
    x, y = (left + right) / 2, (top + bottom) / 2
    if zone.name == "stock":
        return Words("stock", (x, y), 8, colour=colour)
    if zone.name == "layout":
        return Words("layout", (left + 20, top + 9), 8, colour=colour)
    far = plan.depth_mm / 2 - 9
    sideways = _LABEL_ASIDE_MM
    shift = {0: (-sideways, far), 1: (-far, -sideways), 2: (sideways, -far), 3: (far, sideways)}[zone.quarters]
    return Words(
        zone.name.replace("seat-", "seat "), (x + shift[0], y + shift[1]), 10, quarters=zone.quarters, colour=colour
    )


def marker_shapes(marker: Marker) -> list[Shape]:
    """A marker on its white margin, as squares: runs of black cells are one area each."""
    left, top, side = marker.left_mm, marker.top_mm, marker.side_mm
    margin = marker.margin_mm
    shapes: list[Shape] = [Area(box(left - margin, top - margin, left + side + margin, top + side + margin), WHITE)]
    shapes.append(Area(box(left, top, left + side, top + side), BLACK))
    cells = marker.cells()
    step = side / len(cells)
    for row, line in enumerate(cells):
        for column, white in enumerate(line):
            if white:
                x, y = left + column * step, top + row * step
                shapes.append(Area(box(x, y, x + step, y + step), WHITE))
    return shapes


# --- sheets ------------------------------------------------------------------------------------------------------


def mat_pdf(
    seats: int,
    size_mm: Size = STANDARD_MM,
    plan: Plan = STRIPS,
    sheets: Sheets = "one",
    ground: Colour | None = GROUND,
) -> bytes:
    """The mat as a PDF: one big sheet, or A4 or A3 sheets to cut along the lines and to lay edge to edge.

    :raises MatError: if the number of seats or the size cannot be had.
    """
    drawing = mat_drawing(seats, size_mm, plan, ground)
    title = f"Card Table: mat for {seats} seats, {size_mm[0]:g} x {size_mm[1]:g} mm"
    if sheets == "one":
        return pdf([Page(*size_mm, (Placed(drawing),))], title)
    return pdf(tiles(drawing, PAPER_MM[sheets]), title)


def tiles(drawing: Drawing, paper_mm: Size) -> list[Page]:
    """The drawing cut into sheets of ``paper_mm``, whichever way round needs fewer; each with lines to cut along."""
    upright, across = (_tiled(drawing, paper) for paper in (paper_mm, (paper_mm[1], paper_mm[0])))
    return upright if len(upright) <= len(across) else across


def _tiled(drawing: Drawing, paper: Size) -> list[Page]:
    wide, high = paper[0] - 2 * UNPRINTABLE_MM, paper[1] - 2 * UNPRINTABLE_MM
    columns, rows = math.ceil(drawing.width_mm / wide), math.ceil(drawing.height_mm / high)
    each = drawing.width_mm / columns, drawing.height_mm / rows
    pages = []
    for row in range(rows):
        for column in range(columns):
            words = f"row {row + 1} of {rows}, sheet {column + 1} of {columns}: print at 100 %, cut along the line"
            pages.append(_tile(drawing, paper, (column * each[0], row * each[1]), each, words))
    return pages


def _tile(drawing: Drawing, paper: Size, corner: tuple[float, float], each: Size, words: str) -> Page:
    edge = UNPRINTABLE_MM
    window = (edge, edge, edge + each[0], edge + each[1])
    frame = Drawing(
        *paper,
        (
            Area(box(*window), stroke=BLACK, line_mm=0.1),
            Words(words, (paper[0] / 2, paper[1] - edge / 2), 3.2),
        ),
    )
    return Page(*paper, (Placed(drawing, edge - corner[0], edge - corner[1], window), Placed(frame)))


_CORNER_WORDS = ("top left", "top right", "bottom right", "bottom left")


def marker_pdf() -> bytes:
    """One A4 sheet with the four corner markers, to cut out and to lay on any cloth.

    Each card's outer corner, marked by a small triangle, goes exactly onto a corner of the playing area.
    """
    paper = PAPER_MM["a4"]
    return pdf([Page(*paper, (Placed(marker_sheet(), 0, 0),))], "Card Table: four corner markers")


def marker_sheet() -> Drawing:
    """The A4 sheet of `marker_pdf` as a drawing."""
    paper = PAPER_MM["a4"]
    marker = mat_markers(*STANDARD_MM)[0]
    card = marker.side_mm + 2 * marker.left_mm
    shapes: list[Shape] = [
        Words("Card Table: corner markers. Print at 100 %.", (paper[0] / 2, 16), 6),
        Words("Cut along the dashed lines. Lay each card flat, the tip of its triangle", (paper[0] / 2, 26), 4.2),
        Words("on the corner of the playing area that its words name.", (paper[0] / 2, 32), 4.2),
    ]
    for index, name in enumerate(_CORNER_WORDS):
        left = 30 + (index % 2) * (card + 22)
        top = 46 + (index // 2) * (card + 30)
        shapes += _corner_card(index, name, left, top)
    return Drawing(*paper, (*shapes, *_ruler(30, 262)))


def _corner_card(index: int, name: str, left: float, top: float) -> list[Shape]:
    """A card that carries corner marker ``index`` as far from its outer corner as on the mat."""
    marker = mat_markers(*STANDARD_MM)[index]
    inset = mat_markers(*STANDARD_MM)[0].left_mm
    card = marker.side_mm + 2 * inset
    tip = ((left, top), (left + card, top), (left + card, top + card), (left, top + card))[index]
    in_x, in_y = (1 if tip[0] == left else -1), (1 if tip[1] == top else -1)
    return [
        Area(box(left, top, left + card, top + card), stroke=BLACK, line_mm=0.2, dash_mm=2),
        Area((tip, (tip[0] + 7 * in_x, tip[1]), (tip[0], tip[1] + 7 * in_y)), fill=BLACK),
        Words(name, (left + card / 2, top + card + 7), 5),
        *marker_shapes(Marker(marker.id, left + inset, top + inset, marker.side_mm)),
    ]


def _ruler(left: float, top: float) -> list[Shape]:
    """A bar that must measure 100 mm, to check the printer's scale."""
    cells = [
        Area(box(left + 10 * i, top, left + 10 * i + 10, top + 5), BLACK if i % 2 == 0 else WHITE) for i in range(10)
    ]
    frame = Area(box(left, top, left + 100, top + 5), stroke=BLACK, line_mm=0.2)
    return [*cells, frame, Words("100 mm: measure it. If it is not, print again at 100 %.", (left + 50, top + 11), 4.2)]


# --- settings ----------------------------------------------------------------------------------------------------


def table_toml(
    seats: int,
    size_mm: Size = STANDARD_MM,
    plan: Plan = STRIPS,
    picture_px: tuple[int, int] = (2304, 1296),
) -> str:
    """The text of the ``table.toml`` that belongs to the mat; ``[camera]`` holds a guess until it is calibrated.

    :raises MatError: if the number of seats or the size cannot be had.
    """
    zones = places(seats, size_mm, plan)
    lines = [
        "# The table. Lengths in mm, x right and y down as the camera sees it. See docs/configuration.md.",
        "[table]",
        f"width = {size_mm[0]:g}",
        f"height = {size_mm[1]:g}",
        "",
        "[card]",
        "width = 63",
        "height = 88",
        "",
        "# A guess: run `cardtable calibrate` with the camera in its place.",
        "[camera]",
        f"picture = {points(_guess(size_mm, picture_px))}",
        f"table = {points(box(0, 0, *size_mm))}",
    ]
    for zone in zones:
        lines += ["", "[[zone]]", f'name = "{zone.name}"', f"polygon = {points(zone.polygon)}"]
    return "\n".join(lines) + "\n"


def _guess(size_mm: Size, picture_px: tuple[int, int]) -> tuple[tuple[float, float], ...]:
    """The table in the middle of the picture, 95 % of the height or width that it can have."""
    scale = 0.95 * min(picture_px[0] / size_mm[0], picture_px[1] / size_mm[1])
    half = size_mm[0] * scale / 2, size_mm[1] * scale / 2
    x, y = picture_px[0] / 2, picture_px[1] / 2
    return box(x - half[0], y - half[1], x + half[0], y + half[1])
