"""The [panel] table of table.toml: which board, which pins, how buttons are timed, what is spoken.

Everything is checked at once, and each fault comes with its remedy; nothing here touches a pin.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from firmware.toml_text import quoted

from .buttons import Timing

#: GPIO number to header pin, the 40-pin header of every Pi since 2014. GPIO 0 and 1 belong to the HAT's EEPROM.
HEADER: Mapping[int, int] = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22,
    11: 23, 8: 24, 7: 26, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip

#: Pulled up by resistors on the Pi itself: a lamp there glows while no program runs.
PULLED_UP = (2, 3)
#: SPI0 as the kernel claims it: MOSI, MISO, SCLK, CE0 and, though nothing of ours is on it, CE1.
SPI0 = {"spi data": 10, "spi in": 9, "spi clock": 11, "spi latch": 8, "spi second latch": 7}

SMALL_SEATS_MAX = 4  # 4 seats take 23 of 26 pins; a fifth would need 3 more for a button and two lamps
LARGE_SEATS_MAX = 8  # three 74HCT595 hold eight red-green-blue lights
SEATS_MIN = 2


Word = TypeVar("Word", bound=StrEnum)


class PanelConfigError(ValueError):
    """The [panel] table cannot be used. The message holds every fault and its remedy, in one line."""


class BoardKind(StrEnum):
    """How the panel is built."""

    NONE = "none"  # no lights and no buttons: the page alone
    SMALL = "small"  # 2 to 4 seats, lamps straight on the pins
    LARGE = "large"  # up to 8 seats, lamps on a chain of 74HCT595


class Say(StrEnum):
    """What is spoken."""

    OFF = "off"
    FOULS = "fouls"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class PanelConfig:
    """A panel's description. Pins are GPIO numbers, not header pins; seat 1 comes first.

    ``buttons``: one a seat. ``lights``: (red, green) a seat, small board only. ``segments``: a to g, and ``digits``:
    tens then units, small board only. ``enable``: the chain's output enable, large board only. ``host``: a button
    for whoever runs the table. ``buzzer`` and ``host`` may be None. ``factory``: the pin library, "lgpio" on a Pi or
    "mock" (no pins at all, for trying things out); never any other than the one named. ``revision``: which Pi the
    mock pretends to be.
    """

    board: BoardKind = BoardKind.NONE
    seats: int = 4
    factory: str = "lgpio"
    revision: str = "c03111"
    buttons: tuple[int, ...] = ()
    lights: tuple[tuple[int, int], ...] = ()
    segments: tuple[int, ...] = ()
    digits: tuple[int, ...] = ()
    buzzer: int | None = None
    host: int | None = None
    enable: int | None = None
    timing: Timing = field(default_factory=Timing)
    say: Say = Say.FOULS
    sound: bool = True

    def pins(self) -> tuple[tuple[str, int], ...]:
        """Every pin in use with what it does: ``("seat 1 button", 2)``."""
        return tuple((use.name, use.pin) for use in _uses(self))


@dataclass(frozen=True, slots=True)
class _Use:
    """A pin in use: for what, and the key that says so ("" for the kernel's own)."""

    key: str
    name: str
    pin: int


def _uses(config: PanelConfig) -> Iterable[_Use]:
    yield from (_Use("buttons", f"seat {seat} button", pin) for seat, pin in enumerate(config.buttons, 1))
    for seat, (red, green) in enumerate(config.lights, 1):
        yield _Use("lights", f"seat {seat} red", red)
        yield _Use("lights", f"seat {seat} green", green)
    yield from (_Use("segments", f"segment {n}", pin) for n, pin in zip("abcdefg", config.segments, strict=False))
    yield from (_Use("digits", f"digit {place}", pin) for place, pin in enumerate(config.digits, 1))
    single = (
        ("buzzer", "buzzer", config.buzzer),
        ("host", "host button", config.host),
        ("enable", "lamps on", config.enable),
    )
    yield from (_Use(key, name, pin) for key, name, pin in single if pin is not None)
    if config.board is BoardKind.LARGE:
        yield from (_Use("", name, pin) for name, pin in SPI0.items())


SMALL = PanelConfig(
    board=BoardKind.SMALL,
    buttons=(2, 3, 4, 17),
    lights=((22, 23), (24, 10), (9, 25), (11, 8)),
    segments=(7, 5, 6, 12, 13, 19, 16),
    digits=(26, 20),
    buzzer=18,
    host=27,
)
LARGE = PanelConfig(
    board=BoardKind.LARGE,
    seats=8,
    buttons=(4, 17, 27, 22, 5, 6, 13, 19),
    buzzer=18,
    host=26,
    enable=25,
)
NONE = PanelConfig()
_DEFAULTS = {BoardKind.SMALL: SMALL, BoardKind.LARGE: LARGE, BoardKind.NONE: NONE}


def default(board: BoardKind, seats: int) -> PanelConfig:
    """The usual wiring of ``board`` for ``seats`` seats."""
    return panel_config({"board": board.value}, seats)


@dataclass(frozen=True, slots=True)
class KeyFault:
    """What is wrong with ``key`` of the [panel] table."""

    key: str
    words: str


class _Faults:
    """Collects what is wrong with the table ``data``; what would only follow from a faulty key is left out."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self._faulty: set[str] = set()
        self.found: list[KeyFault] = []

    def value(self, key: str, words: str) -> None:
        """The value of ``key`` cannot be what it stands for."""
        self.found.append(KeyFault(key, words))
        self._faulty.add(key)

    def fit(self, keys: Iterable[str], words: str) -> None:
        """The values of ``keys`` do not fit; said of the last of them that the file itself gives."""
        keys = list(keys)
        if self._faulty.isdisjoint(keys):
            given = [key for key in keys if key in self._data]
            self.found.append(KeyFault([*keys[:1], *given][-1], words))


def panel_config(data: Mapping[str, Any], seats: int) -> PanelConfig:
    """The panel that the [panel] table ``data`` describes, for ``seats`` seats; pins not given are the usual ones.

    :raises PanelConfigError: with every fault and its remedy.
    """
    config, faults = _read_all(data, seats)
    if faults:
        raise PanelConfigError("[panel] " + "; ".join(f"{fault.key}: {fault.words}" for fault in faults))
    return config


def panel_faults(data: Mapping[str, Any], seats: int) -> tuple[KeyFault, ...]:
    """All that is wrong with the [panel] table, each with its key and its remedy."""
    return _read_all(data, seats)[1]


def _read_all(data: Mapping[str, Any], seats: int) -> tuple[PanelConfig, tuple[KeyFault, ...]]:
    faults = _Faults(data)
    config = _read(data, seats, faults)
    _check(config, faults)
    return config, tuple(dict.fromkeys(faults.found))


def _read(data: Mapping[str, Any], seats: int, faults: _Faults) -> PanelConfig:
    _unknown(data, _KEYS, faults)
    kind = _choice(data, "board", BoardKind, BoardKind.NONE, faults)
    usual = _DEFAULTS[kind]
    most = {BoardKind.SMALL: SMALL_SEATS_MAX, BoardKind.LARGE: LARGE_SEATS_MAX}.get(kind, seats)
    used = min(seats, most)
    return PanelConfig(
        board=kind,
        seats=seats,
        factory=_word(data, "factory", ("lgpio", "mock"), usual.factory, faults),
        revision=_revision(data, usual.revision, faults),
        buttons=_pin_list(data, "buttons", usual.buttons[:used], faults),
        lights=_pin_pairs(data, "lights", usual.lights[:used], faults),
        segments=_pin_list(data, "segments", usual.segments, faults),
        digits=_pin_list(data, "digits", usual.digits, faults),
        buzzer=_pin(data, "buzzer", usual.buzzer, faults),
        host=_pin(data, "host", usual.host, faults),
        enable=_pin(data, "enable", usual.enable, faults),
        timing=_timing(data, faults),
        say=_choice(data, "say", Say, Say.FOULS, faults),
        sound=_flag(data, "sound", True, faults),
    )


_KEYS = (
    "board", "factory", "revision", "buttons", "lights", "segments", "digits", "buzzer", "host", "enable",
    "settle_ms", "hold_ms", "double_ms", "say", "sound",
)  # fmt: skip


def _check(config: PanelConfig, faults: _Faults) -> None:
    """What is wrong with a panel whose every value has the right type."""
    if config.board is BoardKind.NONE:
        return
    _seats_fit(config, faults)
    _one_use_a_pin(config, faults)
    for use in _uses(config):
        if use.pin not in HEADER:
            words = f"GPIO {quoted(use.pin)} ({use.name}) is not on the header of a Pi; use GPIO 2 to 27"
            faults.fit([use.key], words)
        elif use.pin in PULLED_UP and use.key not in ("buttons", "host", ""):
            words = f"GPIO {use.pin} ({use.name}) is pulled up on the Pi and would glow with no program"
            faults.fit([use.key], f"{words}; give it to a button")


def _seats_fit(config: PanelConfig, faults: _Faults) -> None:
    most = SMALL_SEATS_MAX if config.board is BoardKind.SMALL else LARGE_SEATS_MAX
    if not SEATS_MIN <= config.seats <= most:
        remedy = _other_seats(config.seats)
        faults.fit(["board"], f'"{config.board}" has 2 to {most} seats, the table {config.seats}; {remedy}')
        return
    if len(config.buttons) != config.seats:
        faults.fit(["buttons"], f"{config.seats} seats want {config.seats} pins, {len(config.buttons)} given")
    if config.board is BoardKind.SMALL:
        _small_fits(config, faults)
        return
    for key in ("lights", "segments", "digits"):
        if getattr(config, key):
            faults.fit([key], 'the large board has them on its chain; leave this out, or use board = "small"')
    if config.enable is None:
        faults.fit(["enable"], "the large board wants the pin that turns its lamps on, such as 25")


def _other_seats(seats: int) -> str:
    if seats < SEATS_MIN:
        return "give each seat a [[zone]] (seat-1, seat-2 ...)"
    return 'board = "large" has up to 8' if seats <= LARGE_SEATS_MAX else "8 is the most"


def _small_fits(config: PanelConfig, faults: _Faults) -> None:
    if len(config.lights) != config.seats:
        words = f"{config.seats} seats want {config.seats} pairs [red, green], {len(config.lights)} given"
        faults.fit(["lights"], words)
    if len(config.digits) not in (0, 2):
        faults.fit(["digits"], f"tens and units want 2 pins, {len(config.digits)} given; [] for none")
    if config.digits and len(config.segments) != 7:
        faults.fit(["segments"], f"a to g want 7 pins, {len(config.segments)} given")
    if config.enable is not None:
        faults.fit(["enable"], 'only the large board has it; leave it out, or use board = "large"')


def _one_use_a_pin(config: PanelConfig, faults: _Faults) -> None:
    users: dict[int, list[_Use]] = {}
    for use in _uses(config):
        users.setdefault(use.pin, []).append(use)
    spare = sorted(set(HEADER) - set(users) - {14, 15})
    free = f"free: {', '.join(map(str, spare))}" if spare else "no other is free"
    for pin, uses in users.items():
        if len(uses) > 1:
            names = " and ".join(use.name for use in uses)
            faults.fit((use.key for use in uses), f"GPIO {quoted(pin)} is used for {names}; {free}")


def _unknown(data: Mapping[str, Any], known: Iterable[str], faults: _Faults) -> None:
    known = list(known)
    for key in data:
        if key not in known:
            near = difflib.get_close_matches(key[:80], known, 1)
            faults.value(key, "unknown key" + (f"; did you mean {near[0]!r}?" if near else ""))


def _choice(data: Mapping[str, Any], key: str, kind: type[Word], usual: Word, faults: _Faults) -> Word:
    value = data.get(key, usual.value)
    if value in [str(member) for member in kind]:
        return kind(value)
    faults.value(key, f"{quoted(value)} is none of {', '.join(map(str, kind))}")
    return usual


def _word(data: Mapping[str, Any], key: str, words: tuple[str, ...], usual: str, faults: _Faults) -> str:
    value = data.get(key, usual)
    if value in words:
        return str(value)
    faults.value(key, f"{quoted(value)} is none of {', '.join(words)}")
    return usual


def _revision(data: Mapping[str, Any], usual: str, faults: _Faults) -> str:
    value = data.get("revision", usual)
    if isinstance(value, str) and re.fullmatch(r"[0-9a-f]{4,8}", value):
        return value
    faults.value("revision", f"a Pi's revision is 4 to 8 hexadecimal digits, such as {usual}, not {quoted(value)}")
    return usual


def _flag(data: Mapping[str, Any], key: str, usual: bool, faults: _Faults) -> bool:
    value = data.get(key, usual)
    if isinstance(value, bool):
        return value
    faults.value(key, f"true or false is wanted, not {quoted(value)}")
    return usual


def _pin(data: Mapping[str, Any], key: str, usual: int | None, faults: _Faults) -> int | None:
    """A pin; ``false`` leaves the usual one out."""
    value = data.get(key, usual)
    if value is None or value is False:
        return None
    if type(value) is int:
        return value
    faults.value(key, f"a GPIO number is wanted (or false for none), not {quoted(value)}")
    return usual


def _pin_list(data: Mapping[str, Any], key: str, usual: tuple[int, ...], faults: _Faults) -> tuple[int, ...]:
    value = data.get(key, list(usual))
    if isinstance(value, list) and all(type(pin) is int for pin in value):
        return tuple(value)
    faults.value(key, f"a list of GPIO numbers is wanted, not {quoted(value)}")
    return usual


def _pin_pairs(
    data: Mapping[str, Any], key: str, usual: tuple[tuple[int, int], ...], faults: _Faults
) -> tuple[tuple[int, int], ...]:
    value = data.get(key, [list(pair) for pair in usual])
    pairs = value if isinstance(value, list) else [value]
    if all(isinstance(p, list) and len(p) == 2 and all(type(pin) is int for pin in p) for p in pairs):
        return tuple((red, green) for red, green in pairs)
    faults.value(key, f"a list of pairs [red, green] is wanted, not {quoted(value)}")
    return usual


#: What each time may be, in ms: contacts need a few; people's holds and double presses are within these.
_RANGES = {"settle_ms": (2, 100), "hold_ms": (400, 5000), "double_ms": (0, 1000)}


def _timing(data: Mapping[str, Any], faults: _Faults) -> Timing:
    usual, values = Timing(), {}
    for key, (least, most) in _RANGES.items():
        value = data.get(key, getattr(usual, key))
        if type(value) is int and least <= value <= most:
            values[key] = value
        else:
            faults.value(key, f"{least} to {most} ms is wanted, not {quoted(value)}")
    return Timing(**values)
