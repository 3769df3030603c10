"""The picture of a panel's wiring, drawn from the same description as its pin table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .config import BoardKind, PanelConfig
from .drawing import Box, Dot, Item, Line, Sheet, Words, png, sheet, svg
from .wiring import LARGE_OHM, PULL_OHM, SMALL_OHM, SUPPLY, WIRE_COLOURS, Wire, chips, wires

_GROUND = "#222222"

ROW_PX = 34  # from one row of components to the next, and from one pair of pins to the next
ROW_SHIFT_PX = 22  # so that no row lies on the line of a pin
TOP_PX = 96
HEADER_X = 150
LANES_X = 260
LANE_PX = 11


def draw(config: PanelConfig) -> Sheet:
    """The wiring as a picture: the header on the left, a row of parts for each pin, ground on the right."""
    shown = sorted((wire for wire in wires(config) if not wire.idle), key=_drawn_last)
    rows = {wire: _row_y(place, wire) for place, wire in enumerate(shown)}
    parts_x = LANES_X + LANE_PX * len(shown) + 60
    bottom = TOP_PX + ROW_PX * max(len(shown) + 1, 20)
    large = config.board is BoardKind.LARGE
    width = max(parts_x + 690, 60 + _CHIP_W * len(chips(config)))
    items = [
        *_title(config),
        Box(HEADER_X - 18, TOP_PX - 22, 60, 19 * ROW_PX + 44, "#e8f0e8"),
        *_routes(rows, parts_x),
        *_header(shown),
        *_rows(rows, parts_x),
        *(_chain(config, rows, parts_x, bottom) if large else _display(rows, parts_x)),
    ]
    return sheet(width, bottom + (_CHIP_H + 110 if large else 50), items)


def _row_y(place: int, wire: Wire) -> int:
    """The middle of a row; those past the ground rail leave a row free for its sign."""
    return TOP_PX + ROW_SHIFT_PX + ROW_PX * (place + _drawn_last(wire))


def _drawn_last(wire: Wire) -> bool:
    return not _ends_at_ground(wire)


def _title(config: PanelConfig) -> Iterator[Item]:
    yield Words(30, 40, f"Card Table, {config.board} board, {config.seats} seats", 22, bold=True)
    note = "Numbers in the header are its pins; GPIO numbers stand on the wires."
    yield Words(30, 64, note + " Wire it with the Pi switched off.", 13, colour="#555555")


def _pin_place(pin: int) -> tuple[float, float]:
    """The middle of a header pin: odd pins left, even pins right, pin 1 on top."""
    return HEADER_X + (24 if pin % 2 == 0 else 0), TOP_PX + ROW_PX * ((pin - 1) // 2)


def _header(shown: list[Wire]) -> Iterator[Item]:
    used = {wire.pin: wire for wire in shown}
    for pin in range(1, 41):
        x, y = _pin_place(pin)
        fill = used[pin].colour if pin in used else _supply_fill(pin)
        yield Dot(x, y, 8, fill)
        yield Words(x, y + 4, str(pin), 9, "middle", "#ffffff" if fill != "#d5d5d5" else "#444444")
        if pin % 2 and (pin in used or pin in SUPPLY):
            label = used[pin].name if pin in used else SUPPLY[pin]
            yield Words(HEADER_X - 28, y + 4, label, 11, "end")


def _supply_fill(pin: int) -> str:
    if pin in (1, 17):
        return "#f9a825"
    if pin in (2, 4):
        return "#e53935"
    return _GROUND if pin in (6, 9, 14, 20, 25, 30, 34, 39) else "#d5d5d5"


def _routes(rows: dict[Wire, int], parts_x: float) -> Iterator[Item]:
    """Each wire on a lane of its own; wires of left-hand pins leave between the pins of the right."""
    order = sorted(rows, key=lambda wire: _pin_place(wire.pin)[1])
    for place, wire in enumerate(order):
        x, y = _pin_place(wire.pin)
        lane, end = LANES_X + LANE_PX * place, rows[wire]
        start = [(x, y)] if wire.pin % 2 == 0 else [(x, y), (x + 12, y + 13), (HEADER_X + 40, y + 13)]
        leave = start[-1][1]
        yield Line((*start, (lane, leave), (lane, end), (parts_x, end)), wire.colour, 2)
        yield Words(parts_x - 6, end - 4, f"GPIO {wire.gpio}", 9, "end", wire.colour)


def _rows(rows: dict[Wire, int], x: float) -> Iterator[Item]:
    """The parts of each pin, up to the ground rail."""
    grounded = [y for wire, y in rows.items() if _ends_at_ground(wire)]
    rail = x + 470
    for wire, y in rows.items():
        yield Words(x + 8, y - 7, wire.name, 11, bold=True)
        if "button" in wire.name:
            yield from _button(x, y, rail)
        elif wire.name.endswith((" red", " green")):
            yield from _lamp(wire, x, y, rail)
        elif wire.name == "buzzer":
            yield from _buzzer(x, y, rail)
    yield Line(((rail, min(grounded) - 12), (rail, max(grounded) + 14)), _GROUND, 3)
    yield from _earth(rail, max(grounded) + 14)


def _ends_at_ground(wire: Wire) -> bool:
    return "button" in wire.name or wire.name == "buzzer" or wire.name.endswith((" red", " green"))


def _earth(x: float, y: float) -> Iterator[Item]:
    for place, half in enumerate((12, 8, 4)):
        yield Line(((x - half, y + 4 * place), (x + half, y + 4 * place)), _GROUND, 2)
    yield Words(x + 18, y + 8, "ground (header 6)", 11)


def _resistor(x: float, y: float, ohm: str) -> Iterator[Item]:
    yield Box(x, y - 7, 66, 14, "#f5e6c8")
    yield Words(x + 33, y + 4, ohm, 10, "middle")


def _button(x: float, y: float, rail: float) -> Iterator[Item]:
    yield Line(((x, y), (x + 240, y)))
    yield Dot(x + 244, y, 4, "#ffffff")
    yield Dot(x + 284, y, 4, "#ffffff")
    yield Line(((x + 240, y - 9), (x + 288, y - 9)), width=2.5)
    yield Line(((x + 264, y - 9), (x + 264, y - 15)), width=2.5)
    yield Line(((x + 288, y), (rail, y)))


def _lamp(wire: Wire, x: float, y: float, rail: float) -> Iterator[Item]:
    yield Line(((x, y), (x + 100, y)))
    yield from _resistor(x + 100, y, f"{SMALL_OHM} ohm")
    yield Line(((x + 166, y), (x + 244, y)))
    yield from _led(x + 244, y, wire.colour)
    yield Line(((x + 268, y), (rail, y)))


def _led(x: float, y: float, colour: str) -> Iterator[Item]:
    yield Line(((x, y - 8), (x, y + 8), (x + 18, y), (x, y - 8)), colour, 1.6, colour)
    yield Line(((x + 19, y - 8), (x + 19, y + 8)), colour, 2.5)
    yield Line(((x + 18, y), (x + 24, y)))


def _buzzer(x: float, y: float, rail: float) -> Iterator[Item]:
    yield Line(((x, y), (x + 100, y)))
    yield from _resistor(x + 100, y, "100 ohm")
    yield Line(((x + 166, y), (x + 244, y)))
    yield Dot(x + 256, y, 11, "#ffe0b2")
    yield Words(x + 256, y + 4, "~", 14, "middle", bold=True)
    yield Line(((x + 268, y), (rail, y)))


def _display(rows: dict[Wire, int], x: float) -> Iterator[Item]:
    """The small board's digits: segments through resistors, common cathodes through transistors; and the rest."""
    segments = [(wire, y) for wire, y in rows.items() if wire.name.startswith(("segment", "digit"))]
    for wire, y in segments:
        transistor = wire.name.startswith("digit")
        yield Line(((x, y), (x + 100, y)))
        yield from _resistor(x + 100, y, "1 k" if transistor else f"{SMALL_OHM} ohm")
        yield Line(((x + 166, y), (x + 300, y)))
        if transistor:
            yield Dot(x + 244, y, 10, "#efebe9")
            yield Words(x + 244, y + 4, "NPN", 7, "middle")
        yield Words(x + 308, y + 4, wire.name if not transistor else f"common cathode {wire.name[-1]}", 10)
    if segments:
        ys = [y for _, y in segments]
        yield Box(x + 300, min(ys) - 16, 250, max(ys) - min(ys) + 32, None)
        yield from _digit(x + 430, (min(ys) + max(ys)) / 2)
        yield from _digit(x + 490, (min(ys) + max(ys)) / 2)
    for place, words in enumerate(_SMALL_NOTES):
        yield Words(x + 490, TOP_PX + 20 + 16 * place, words, 11)


_SMALL_NOTES = (
    f"Each lamp's pin also has {PULL_OHM // 1000} k",
    "to ground: it stays dark",
    "while no program runs.",
    "",
    "NPN: base to the 1 k,",
    "collector to the cathode,",
    "emitter to ground.",
)


def _digit(x: float, y: float) -> Iterator[Item]:
    """An eight in seven bars."""
    w, h, red = 32, 32, "#c62828"
    for top in (-h, 0, h):
        yield Line(((x - w / 2 + 4, y + top), (x + w / 2 - 4, y + top)), red, 5)
    for side in (-w / 2, w / 2):
        yield Line(((x + side, y - h + 4), (x + side, y - 4)), red, 5)
        yield Line(((x + side, y + 4), (x + side, y + h - 4)), red, 5)


_CHIP_W, _CHIP_H = 168, 250  # px, the gap to the next chip included


def _chain(config: PanelConfig, rows: dict[Wire, int], x: float, bottom: float) -> Iterator[Item]:
    """The large board's chips side by side, their outputs named, and the four wires that they share."""
    shared = {wire.name: wire for wire in rows}
    count, top = len(chips(config)), bottom + 84
    for place, (name, label) in enumerate(_SHARED.items()):
        feet = [40 + chip * _CHIP_W + 24 + 32 * place for chip in range(1 if name == "spi data" else count)]
        yield from _bus(shared[name], x, rows[shared[name]], x + 130 - 12 * place, bottom + 16 * place, feet, top)
        yield Words(x + 150, rows[shared[name]] + 4, label, 11)
    for number, outputs in enumerate(chips(config)):
        yield from _chip(40 + number * _CHIP_W, top, number, outputs, number + 1 < count)
    for place, note in enumerate(_NOTES):
        yield Words(x + 190, max(rows.values()) + 60 + 18 * place, note, 12)


def _bus(wire: Wire, x: float, y: float, bend: float, bus_y: float, feet: list[int], top: float) -> Iterator[Item]:
    """A wire that goes down to a bus above the chips, and from there to a foot at each."""
    yield Line(((x, y), (bend, y), (bend, bus_y)), wire.colour, 2)
    yield Line(((min(bend, *feet), bus_y), (max(bend, *feet), bus_y)), wire.colour, 2)
    yield Dot(bend, bus_y, 3, wire.colour, wire.colour)
    for foot in feet:
        yield Line(((foot, bus_y), (foot, top)), wire.colour, 2)
        yield Dot(foot, bus_y, 3, wire.colour, wire.colour)


_SHARED = {
    "spi data": "SER of chip 1 only",
    "spi clock": "SRCLK of every chip",
    "spi latch": "RCLK of every chip",
    "lamps on": "OE of every chip, and 10 k to 3.3 V (header 1)",
}


def _chip(x: float, y: float, number: int, outputs: tuple[str, ...], more: bool) -> Iterator[Item]:
    yield Box(x, y, _CHIP_W - 22, _CHIP_H - 20, "#eceff1")
    for place, pin in enumerate(("SER", "SRCLK", "RCLK", "OE")):
        yield Words(x + 24 + 32 * place, y + 14, pin, 8, "middle")
    yield Words(x + 10, y + 36, f"chip {number + 1}: 74HCT595", 12, bold=True)
    for place, output in enumerate(outputs):
        line = y + 58 + 20 * place
        yield Words(x + 10, line, f"Q{'ABCDEFGH'[place]}", 11, bold=True)
        yield Words(x + 38, line, output, 11, colour=_lamp_colour(output))
    if more:
        right, ser = x + _CHIP_W - 22, x + _CHIP_W + 24
        link = ((right, y + 215), (right + 11, y + 215), (right + 11, y - 10), (ser, y - 10), (ser, y))
        yield Line(link, WIRE_COLOURS["spi"], 2)
        yield Words(right - 4, y + 219, "QH'", 9, "end")


def _lamp_colour(output: str) -> str:
    return {"red": "#c62828", "green": "#2e7d32", "blue": "#1565c0"}.get(output.split()[-1], "#444444")


_NOTES = (
    f"Each output: {LARGE_OHM} ohm, then its lamp or segment,",
    "then ground (common cathode).",
    "Each chip: VCC and SRCLR to 5 V (header 2),",
    "GND to ground, 100 nF between VCC and GND.",
    "QH' of each chip goes to SER of the next.",
)


def save(config: PanelConfig, folder: Path) -> tuple[Path, Path]:
    """Write ``wiring.svg`` and ``wiring.png`` (twice the size) into ``folder``; their paths.

    :raises OSError: if the folder cannot be written to.
    """
    drawn = draw(config)
    as_svg, as_png = folder / "wiring.svg", folder / "wiring.png"
    as_svg.write_text(svg(drawn), encoding="utf-8")
    as_png.write_bytes(png(drawn, scale=2))
    return as_svg, as_png
