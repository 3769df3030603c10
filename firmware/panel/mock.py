"""The panel with no Pi: gpiozero's own mock pins, a trace of what they did, and a hand to press buttons with.

The devices above are the real ones; only the pins end here.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPWMPin, MockSPIDevice

from .config import SPI0, BoardKind, PanelConfig
from .devices import DIGITS, SEVEN, light_chips
from .signals import Colour

#: Lit within this long ago counts as lit to the eye, for multiplexed digits (each is refreshed every 10 ms).
EYE_S = 0.25
#: Pin changes kept: the newest only, as a table may run for days.
TRACE_MAX = 100_000


@dataclass(frozen=True, slots=True)
class Change:
    """One pin's change: when (ns of the clock given), which GPIO, and its new level (True = high)."""

    t_ns: int
    gpio: int
    high: bool


class TracedPin(MockPWMPin):  # type: ignore[misc]  # gpiozero has no type hints
    """A mock pin that tells its factory of every change, and does not keep its own history for ever."""

    def _change_state(self, value: float) -> bool:
        changed: bool = super()._change_state(value)
        if changed:
            del self.states[:-1]
            self.factory.note(self.info.name, bool(value))
        return changed


class MockPins(MockFactory):  # type: ignore[misc]
    """Mock pins of one Pi, wired as ``config`` says. ``clock_ns`` stamps the trace."""

    def __init__(self, config: PanelConfig, clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        super().__init__(revision=config.revision, pin_class=TracedPin)
        self.config = config
        self.clock_ns = clock_ns
        self.trace: deque[Change] = deque(maxlen=TRACE_MAX)
        self._quiet = {*config.segments, *config.digits, *(SPI0.values() if config.board is BoardKind.LARGE else ())}
        self._seen: dict[int, tuple[float, str]] = {}
        self.chain = Registers(self) if config.board is BoardKind.LARGE else None

    def pin(self, name: Any, pin_class: Any = None, **more: Any) -> Any:
        """The pin called ``name``; one that exists already is taken as it is (the SPI clock is of another class)."""
        for _, info in self.board_info.find_pin(name):
            if info in self.pins:
                return self.pins[info]
        return super().pin(name, pin_class, **more)

    def note(self, name: str, high: bool) -> None:
        """Remember a change; a digit that is switched on shows what the segments hold at that moment."""
        gpio = int(name.removeprefix("GPIO"))
        if gpio not in self._quiet:
            self.trace.append(Change(self.clock_ns(), gpio, high))
        elif high and gpio in self.config.digits:
            self._seen[gpio] = (time.monotonic(), self._segments())

    def _segments(self) -> str:
        bits = sum(bool(self.pin(gpio).state) << bit for bit, gpio in enumerate(self.config.segments))
        return _CHARS.get(bits, "?")

    def lights(self) -> tuple[Colour, ...]:
        """What the seats' lamps show now, read from the pins (or the registers' outputs)."""
        if self.chain is not None:
            return self.chain.lights() if not self._high(self.config.enable) else (Colour.OFF,) * self.config.seats
        return tuple(_COLOURS[self._high(red), self._high(green), False] for red, green in self.config.lights)

    def digits(self) -> str:
        """What the eye sees on the digits: two characters."""
        if self.chain is not None:
            return self.chain.digits() if not self._high(self.config.enable) else " " * DIGITS
        return "".join(self._digit(gpio) for gpio in self.config.digits)

    def _digit(self, gpio: int) -> str:
        if self.pin(gpio).function != "output":
            return " "
        t_s, char = self._seen.get(gpio, (0.0, " "))
        return char if self._high(gpio) or time.monotonic() - t_s < EYE_S else " "

    def tone(self) -> int:
        """What the buzzer sounds, in hertz; 0 is silence."""
        pin = None if self.config.buzzer is None else self.pin(self.config.buzzer)
        return round(pin.frequency) if pin is not None and pin.frequency and pin.state else 0

    def _high(self, gpio: int | None) -> bool:
        return gpio is not None and bool(self.pin(gpio).state)

    def push(self, seat: int, down: bool) -> None:
        """A finger on the button of ``seat`` (0: the host's): the pin goes low while it is down."""
        gpio = self.config.buttons[seat - 1] if seat else self.config.host
        pin = self.pin(gpio)
        (pin.drive_low if down else pin.drive_high)()


class Registers(MockSPIDevice):  # type: ignore[misc]
    """A chain of 74HCT595 as the outputs show it: bits shift in on the clock, and appear when chip select rises."""

    def __init__(self, pins: MockPins) -> None:
        self.seats = pins.config.seats
        self.length = 8 * (light_chips(self.seats) + DIGITS)
        self.outputs = [0] * self.length
        self.latched_ns = 0
        self._clock_ns = pins.clock_ns
        super().__init__(SPI0["spi clock"], SPI0["spi data"], SPI0["spi in"], SPI0["spi latch"], pin_factory=pins)

    def on_select(self) -> None:
        """Chip select moved; on its rising edge the newest bits go to the outputs, the last one shifted in first."""
        if self.select_pin.state and len(self.rx_buf) >= self.length:
            self.outputs = [int(bit) for bit in reversed(self.rx_buf[-self.length :])]
            self.latched_ns = self._clock_ns()
        super().on_select()

    def lights(self) -> tuple[Colour, ...]:
        """The seats' colours."""
        bits = [bool(bit) for bit in self.outputs]
        return tuple(_COLOURS[bits[i], bits[i + 1], bits[i + 2]] for i in range(0, 3 * self.seats, 3))

    def digits(self) -> str:
        """The two characters on the digits."""
        start = 8 * light_chips(self.seats)
        chips = [self.outputs[i : i + 7] for i in (start, start + 8)]
        return "".join(_CHARS.get(sum(bit << n for n, bit in enumerate(chip)), "?") for chip in chips)


_CHARS = {bits: char for char, bits in SEVEN.items()}
_COLOURS = {(bool(r), bool(g), bool(b)): colour for colour in Colour for r, g, b in [colour.rgb]}
