"""The two boards as gpiozero devices: lamps, digits, buzzer and button levels, and nothing that knows a meaning.

Every device is given its pin factory; gpiozero's global one is left alone.  Seat 0 is the host's button.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, Protocol

import gpiozero
from gpiozero.exc import GPIOPinInUse, SPISoftwareFallback

from .config import BoardKind, PanelConfig
from .pins import PanelError, in_use
from .signals import Colour

#: Called with the seat and whether its button is down, from whatever thread the pin library uses.
Heard = Callable[[int, bool], None]

DIGITS = 2
#: gpiozero's own hold is not used; its thread sleeps this long at a time, which is how long closing may wait for it.
HOLD_S = 0.1


class Board(Protocol):
    """What a panel needs of its devices. Methods may raise whatever the pin library raises.

    ``readers``: how to read each button (True = down) by seat, 0 is the host's; one that raises says nothing of others.
    """

    seats: int
    readers: Mapping[int, Callable[[], bool]]
    has_blue: bool
    has_digits: bool
    has_tone: bool

    def light(self, seat: int, colour: Colour) -> None:
        """Show ``colour`` at ``seat``, at the latest with the next `latch`."""

    def number(self, text: str) -> None:
        """Show ``text`` (two characters of `SEVEN`) on the pool's digits, as `light`."""

    def latch(self) -> None:
        """Make what was set visible; again is harmless, and mends what a spark has changed on a chain."""

    def tone(self, hertz: int) -> None:
        """Sound ``hertz``; 0 is silence."""

    def watch(self, heard: Heard | None) -> None:
        """Report button edges to ``heard``, or to nobody."""

    def close(self) -> None:
        """Everything off, then let the pins go."""


def open_board(config: PanelConfig, factory: Any) -> Board:
    """The devices that ``config`` describes, all claimed and all off.

    :raises PanelError: if a pin is taken, or is not there.
    """
    if config.board is BoardKind.NONE:
        raise PanelError('this table has no panel: set [panel] board = "small" or "large" in table.toml')
    try:
        return SmallBoard(config, factory) if config.board is BoardKind.SMALL else LargeBoard(config, factory)
    except GPIOPinInUse as error:
        raise PanelError(in_use(os.getpid())) from error
    except PanelError:
        raise
    except Exception as error:
        # lgpio's own exception is no GPIOZeroError: a line that the kernel's SPI or another program has is "GPIO busy".
        raise PanelError(_not_claimed(config, str(error) or type(error).__name__)) from error


def _not_claimed(config: PanelConfig, cause: str) -> str:
    spi, number = ("off", 1) if config.board is BoardKind.SMALL else ("on", 0)
    return (
        f"the panel's pins cannot be claimed ({cause}); stop what else uses them (systemctl stop cardtable), turn SPI "
        f"{spi} (sudo raspi-config nonint do_spi {number}), and check [panel] against `cardtable wiring`"
    )


class Common:
    """The devices that both boards have: a button a seat, the host's button, the buzzer."""

    def __init__(self, config: PanelConfig, factory: Any, claimed: ExitStack) -> None:
        pins = dict(enumerate(config.buttons, 1))
        if config.host is not None:
            pins[0] = config.host
        self.buttons = {
            seat: claimed.enter_context(gpiozero.Button(pin, hold_time=HOLD_S, pin_factory=factory))
            for seat, pin in pins.items()
        }
        self.buzzer = (
            claimed.enter_context(gpiozero.TonalBuzzer(config.buzzer, pin_factory=factory))
            if config.buzzer is not None and config.sound
            else None
        )

    @property
    def has_tone(self) -> bool:
        """Whether there is a buzzer, and it may sound."""
        return self.buzzer is not None

    def tone(self, hertz: int) -> None:
        """Sound ``hertz`` (220 to 880); 0 is silence."""
        if self.buzzer is not None:
            self.buzzer.play(gpiozero.tones.Tone.from_frequency(hertz) if hertz else None)

    @property
    def readers(self) -> dict[int, Callable[[], bool]]:
        """How to read each button, by seat."""
        return {seat: partial(_is_down, button) for seat, button in self.buttons.items()}

    def watch(self, heard: Heard | None) -> None:
        """Report edges; gpiozero's own bounce handling stays off, `buttons` judges them."""
        for seat, button in self.buttons.items():
            button.when_pressed = None if heard is None else _teller(heard, seat, True)
            button.when_released = None if heard is None else _teller(heard, seat, False)

    def hush(self) -> None:
        """Edges go to nobody, and gpiozero's hold threads are told to end together: each takes a tenth of a second."""
        self.watch(None)
        for button in self.buttons.values():
            if (thread := getattr(button, "_hold_thread", None)) is not None:
                thread.stopping.set()


def _is_down(button: gpiozero.Button) -> bool:
    return bool(button.is_pressed)


def _teller(heard: Heard, seat: int, down: bool) -> Callable[[], None]:
    return lambda: heard(seat, down)


class SmallBoard:
    """2 to 4 seats straight on the pins: a red/green `LEDBoard` a seat, two multiplexed digits."""

    def __init__(self, config: PanelConfig, factory: Any) -> None:
        self.seats = len(config.lights)
        with ExitStack() as claimed:
            self.lights = claimed.enter_context(_seat_lights(config, factory))
            self.display = claimed.enter_context(_digits(config, factory)) if config.digits else None
            common = Common(config, factory, claimed)
            self.readers: Mapping[int, Callable[[], bool]] = common.readers
            self.tone, self.watch, self._hush = common.tone, common.watch, common.hush
            self.has_blue, self.has_digits, self.has_tone = False, self.display is not None, common.has_tone
            self._devices = claimed.pop_all()

    def light(self, seat: int, colour: Colour) -> None:
        """Show ``colour``; blue is amber here."""
        red, green, blue = colour.rgb
        self.lights[seat - 1].value = (red or blue, green or blue)

    def number(self, text: str) -> None:
        """Show ``text`` on the digits."""
        if self.display is not None:
            self.display.value = text

    def latch(self) -> None:
        """Nothing: pins show at once."""

    def close(self) -> None:
        """Everything off, then let the pins go."""
        with self._devices:
            self._hush()
            self.lights.off()
            self.number(" " * DIGITS)
            self.tone(0)


def _seat_lights(config: PanelConfig, factory: Any) -> Any:
    boards = {
        f"seat{seat}": gpiozero.LEDBoard(red=red, green=green, _order=("red", "green"), pin_factory=factory)
        for seat, (red, green) in enumerate(config.lights, 1)
    }
    return gpiozero.LEDBoard(**boards, _order=tuple(boards), pin_factory=factory)


def _digits(config: PanelConfig, factory: Any) -> Any:
    with _default_factory(factory):
        char = gpiozero.LEDCharDisplay(*config.segments, font=_FONT, pin_factory=factory)
        return gpiozero.LEDMultiCharDisplay(char, *config.digits, pin_factory=factory)


@contextmanager
def _default_factory(factory: Any) -> Iterator[None]:
    """Gpiozero 2.0.1 makes inner devices (shared digits, mock SPI) with the global factory, whichever it is told."""
    before, gpiozero.Device.pin_factory = gpiozero.Device.pin_factory, factory
    try:
        yield
    finally:
        gpiozero.Device.pin_factory = before


class LargeBoard:
    """Up to 8 seats: red-green-blue lights and two digits on a chain of 74HCT595 on SPI0.

    The chain's output enable is held high by a resistor, so the lamps are dark before the first word is written and
    again whenever the program is gone.
    """

    def __init__(self, config: PanelConfig, factory: Any) -> None:
        self.seats = config.seats
        self._colours = [Colour.OFF] * config.seats
        self._text = " " * DIGITS
        with ExitStack() as claimed:
            self.enable = claimed.enter_context(
                gpiozero.OutputDevice(config.enable, active_high=False, pin_factory=factory)
            )
            self.chain = claimed.enter_context(Chain(pin_factory=factory))
            common = Common(config, factory, claimed)
            self.readers: Mapping[int, Callable[[], bool]] = common.readers
            self.tone, self.watch, self._hush = common.tone, common.watch, common.hush
            self.has_blue, self.has_digits, self.has_tone = True, True, common.has_tone
            self.latch()
            self.enable.on()
            self._devices = claimed.pop_all()

    def light(self, seat: int, colour: Colour) -> None:
        """Show ``colour``."""
        self._colours[seat - 1] = colour

    def number(self, text: str) -> None:
        """Show ``text`` on the digits."""
        self._text = text

    def latch(self) -> None:
        """Write all lamps and digits in one go."""
        self.chain.write(chain_words(self._colours, self._text))

    def close(self) -> None:
        """Everything off, then let the pins go."""
        with self._devices:
            self._hush()
            self.enable.off()
            self._colours = [Colour.OFF] * self.seats
            self.number(" " * DIGITS)
            self.latch()
            self.tone(0)


class Chain(gpiozero.SPIDevice):  # type: ignore[misc]  # gpiozero has no type hints
    """74HCT595 shift registers on SPI0: what is written last sits nearest the Pi; the latch is chip select."""

    def __init__(self, pin_factory: Any) -> None:
        with _default_factory(pin_factory), warnings.catch_warnings():
            # Software SPI would need seconds for what must take microseconds, and would hide a missing overlay.
            warnings.simplefilter("error", SPISoftwareFallback)
            try:
                super().__init__(port=0, device=0, pin_factory=pin_factory)
            except SPISoftwareFallback as error:
                raise PanelError(f"SPI is off ({error}); turn it on with: sudo raspi-config nonint do_spi 0") from error

    def write(self, words: tuple[int, ...]) -> None:
        """Shift ``words`` (bytes, the far end of the chain first) out and latch them."""
        self._spi.write(list(words))


#: The characters that light one segment alone, a to g.
SEGMENTS = ("a", "b", "c", "d", "e", "f", "-")
#: Segments a to g of a digit as bits 0 to 6.
SEVEN = {
    " ": 0b0000000, "-": 0b1000000, "0": 0b0111111, "1": 0b0000110, "2": 0b1011011, "3": 0b1001111, "4": 0b1100110,
    "5": 0b1101101, "6": 0b1111101, "7": 0b0000111, "8": 0b1111111, "9": 0b1101111,
    **{char: 1 << bit for bit, char in enumerate("abcdef")},
}  # fmt: skip

_FONT = {char: tuple(bits >> place & 1 for place in range(7)) for char, bits in SEVEN.items()}


def light_chips(seats: int) -> int:
    """How many registers hold ``seats`` lights of three lamps."""
    return -(-3 * seats // 8)


def chain_words(colours: list[Colour], text: str) -> tuple[int, ...]:
    """The chain's bytes, far end first: units, tens, lights. Seat 1 red is bit 0 of the chip nearest the Pi."""
    lamps = [lamp for colour in colours for lamp in colour.rgb]
    lights = [
        sum(lamp << bit for bit, lamp in enumerate(lamps[start : start + 8])) for start in range(0, len(lamps), 8)
    ]
    near_first = [*lights, *(SEVEN[char] for char in text)]
    return tuple(reversed(near_first))
