"""How a panel is wired: pin table, drawing and parts list, all from the same description of the board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from .config import HEADER, BoardKind, PanelConfig
from .devices import DIGITS, light_chips

#: Series resistor of a lamp on a pin (3.3 V, red or green LED of about 2.0 V): 2.8 mA, bright enough indoors.
SMALL_OHM = 470
#: Series resistor of a lamp on the chain (5 V, LED of 2 to 3 V): 3 to 4.5 mA; a 74HCT595 may give 70 mA in all.
LARGE_OHM = 680
#: Keeps a lamp dark while no program drives its pin (field report C09).
PULL_OHM = 10_000
#: What the 3.3 V pins of a Pi may give together.
PINS_MAX_MA = 50.0
LED_V = 2.0

#: The header's pins that feed the panel.
SUPPLY = {1: "3.3 V", 2: "5 V", 6: "ground"}
#: The colours that wires are drawn in, by a word of what they do.
WIRE_COLOURS = {
    "button": "#1565c0", "red": "#c62828", "green": "#2e7d32", "segment": "#6a1b9a", "digit": "#8d6e63",
    "buzzer": "#ef6c00", "lamps": "#00838f", "spi": "#00838f",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wire:
    """One pin of the header in use: what it does, what lies in its way, and where it ends."""

    name: str
    gpio: int
    through: str
    to: str

    @property
    def pin(self) -> int:
        """The pin on the 40-pin header."""
        return HEADER[self.gpio]

    @property
    def idle(self) -> bool:
        """Whether nothing is wired to it: the kernel's SPI driver holds it, so that it is not free."""
        return self.to == _HELD

    @property
    def colour(self) -> str:
        """The colour that its wire is drawn in, by what it does."""
        return next((colour for word, colour in WIRE_COLOURS.items() if word in self.name), "#444444")


def wires(config: PanelConfig) -> tuple[Wire, ...]:
    """Every pin in use, in the order of the description."""
    return tuple(Wire(name, gpio, *_way(name, config)) for name, gpio in config.pins())


def _way(name: str, config: PanelConfig) -> tuple[str, str]:
    """What lies between a pin and what it drives."""
    if "button" in name:
        return "-", "button, other side to ground"
    if name.endswith((" red", " green")):
        return f"{SMALL_OHM} ohm", f"{name.split()[-1]} LED to ground; {PULL_OHM // 1000} k from the pin to ground"
    if name.startswith("segment"):
        return f"{SMALL_OHM} ohm", f"segment {name[-1]} of both digits"
    if name.startswith("digit"):
        return "1 k", f"base of an NPN; collector to the common cathode of digit {name[-1]}, emitter to ground"
    if name == "buzzer":
        return "100 ohm", "passive piezo buzzer, other side to ground"
    return "-", _CHAIN[name]


_HELD = "nothing (the SPI driver holds it)"
_CHAIN = {
    "spi data": "SER of chip 1",
    "spi clock": "SRCLK of every chip",
    "spi latch": "RCLK of every chip",
    "spi in": _HELD,
    "spi second latch": _HELD,
    "lamps on": f"OE of every chip; {PULL_OHM // 1000} k to 3.3 V keeps the lamps dark",
}


def pin_table(config: PanelConfig) -> str:
    """The wiring as a text table, in the order of the header's pins."""
    rows = [("header", "GPIO", "what", "through", "to")]
    rows += [(str(w.pin), str(w.gpio), w.name, w.through, w.to) for w in sorted(wires(config), key=lambda w: w.pin)]
    rows += [(str(pin), "-", name, "-", _supplies(name, config)) for pin, name in SUPPLY.items() if _needs(pin, config)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def _needs(pin: int, config: PanelConfig) -> bool:
    return pin == 6 or config.board is BoardKind.LARGE


def _supplies(name: str, config: PanelConfig) -> str:
    match name:
        case "3.3 V":
            return f"{PULL_OHM // 1000} k to OE"
        case "5 V":
            return "VCC and SRCLR of every chip; 100 nF from VCC to ground at each"
    return "buttons, LEDs, buzzer" if config.board is BoardKind.SMALL else "buttons, buzzer, chips, LEDs, digits"


def current_ma(config: PanelConfig) -> float:
    """What the Pi's pins give at worst, all lamps and segments lit, in mA; the chain is fed from 5 V instead."""
    if config.board is not BoardKind.SMALL:
        return 0.0
    lamps = 2 * len(config.lights) + len(config.segments)
    return lamps * (3.3 - LED_V) / SMALL_OHM * 1000


def chips(config: PanelConfig) -> tuple[tuple[str, ...], ...]:
    """What the outputs QA to QH of each chip of the chain drive, the chip nearest the Pi first."""
    if config.board is not BoardKind.LARGE:
        return ()
    lamps = [f"seat {seat} {lamp}" for seat in range(1, config.seats + 1) for lamp in ("red", "green", "blue")]
    lamps += ["-"] * (8 * light_chips(config.seats) - len(lamps))
    lights = [tuple(lamps[start : start + 8]) for start in range(0, len(lamps), 8)]
    digits = [(*(f"{place} {segment}" for segment in "abcdefg"), "-") for place in ("tens", "units")]
    return (*lights, *digits[:DIGITS])


def parts(config: PanelConfig) -> tuple[tuple[int, str], ...]:
    """What to buy: how many of what."""
    count: Counter[str] = Counter()
    for wire in wires(config):
        count.update(_parts_of(wire))
    if config.board is BoardKind.LARGE:
        outputs = [output for chip in chips(config) for output in chip if output != "-"]
        count["74HCT595 shift register (HCT: it must read 3.3 V at a supply of 5 V)"] = len(chips(config))
        count["capacitor 100 nF"] = len(chips(config))
        count["RGB LED, common cathode"] = config.seats
        count[f"resistor {LARGE_OHM} ohm"] = len(outputs)
    if config.board is BoardKind.LARGE or config.digits:
        count["7-segment digit, common cathode, red"] = DIGITS
    return tuple((number, part) for part, number in count.items())


def _parts_of(wire: Wire) -> Iterable[str]:
    if "button" in wire.name:
        yield "push button (normally open)"
    if wire.name.endswith((" red", " green")):
        yield f"{wire.name.split()[-1]} LED (or half of a two-colour LED with common cathode)"
        yield f"resistor {PULL_OHM // 1000} k"
    if wire.name.startswith("digit"):
        yield "NPN transistor (BC547 or like it)"
    if wire.name == "buzzer":
        yield "passive piezo buzzer"
    if wire.name == "lamps on":
        yield f"resistor {PULL_OHM // 1000} k"
    if wire.through != "-":
        yield f"resistor {wire.through}"


def parts_list(config: PanelConfig) -> str:
    """The parts as text, with what the pins must give."""
    lines = [f"{number:3d} x {part}" for number, part in parts(config)]
    if config.board is BoardKind.SMALL:
        lines.append(f"At worst the pins give {current_ma(config):.0f} mA of the {PINS_MAX_MA:.0f} mA that they may.")
    return "\n".join(lines)
