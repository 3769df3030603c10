"""How long from a fact to the lamp: ``python -m tests.bench.panel_latency``. It judges no figure.

The panel runs in its own thread on mock pins, as at the table.  A fact is a card laid; the clock stops when the pin of
a lamp has changed.  Mock pins cost less than real ones, so what is measured is all that is ours.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

from gpiozero import LED
from gpiozero.pins.mock import MockFactory

from firmware.panel.board import Panel, demo_board
from firmware.panel.mock import MockPins
from firmware.panel.signals import Colour, Meaning, PanelState, Said, signal, signals
from firmware.referee.cards import Card
from firmware.referee.events import Entry, Laid
from firmware.referee.match import Match, Setup
from tests.bench.rows import Row, show

ROUNDS = 200
NAMES = tuple("ABCDEFGH")


@dataclass(frozen=True, slots=True)
class Figures:
    """Latencies of one set-up in ms, and what the panel's threads cost a second of time in ms of one core."""

    fact_to_pin_ms: tuple[float, ...]
    thread_ms_s: float


def measure(seats: int, blinking: bool, rounds: int = ROUNDS, idle_s: float = 2.0) -> Figures:
    """The figures for ``seats`` seats whose other lights blink or stand."""
    panel, pins = demo_board(seats)
    with panel.start():
        panel.show(_background(seats, blinking))
        cost = _thread_cost(idle_s)
        latencies = [_fact_to_pin(panel, pins, seats, blinking) for _ in range(rounds)]
    return Figures(tuple(latencies), cost)


def _background(seats: int, blinking: bool) -> PanelState:
    meanings = (Meaning.REFUSED, Meaning.OUT_OF_STEP, Meaning.PAY, Meaning.SHOW_AGAIN) if blinking else (Meaning.TURN,)
    return PanelState(tuple(signal(meanings[n % len(meanings)], 3) for n in range(seats)), 17)


def _thread_cost(idle_s: float) -> float:
    began_s, wall_s = time.process_time(), time.monotonic()
    time.sleep(idle_s)
    return (time.process_time() - began_s) / (time.monotonic() - wall_s) * 1000


def _fact_to_pin(panel: Panel, pins: MockPins, seats: int, blinking: bool) -> float:
    """From a card laid by seat 1 to the change of seat 2's lamp, which the referee's new turn lights, in ms."""
    match = Match(Setup(game="fan_tan", seats=NAMES[:seats], dealer=seats))
    others = _background(seats, blinking).lights
    panel.show(PanelState((others[0], signal(Meaning.DARK), *others[2:]), 17))
    began_ns = time.monotonic_ns()
    rulings = match.add(Entry(0, Laid(Card.parse("7H"), "layout", 1)))
    new = signals(seats, match.view, [Said(0.0, ruling) for ruling in rulings])
    panel.show(PanelState((others[0], new.lights[1], *others[2:]), 18))
    assert pins.lights()[1] is Colour.GREEN
    return (_lit_ns(pins) - began_ns) / 1e6


def _lit_ns(pins: MockPins) -> int:
    """When seat 2's green lamp went on: its pin's newest change, or the chain's newest latch."""
    if pins.chain is not None:
        return pins.chain.latched_ns
    green = pins.config.lights[1][1]
    return next(change.t_ns for change in reversed(pins.trace) if change.gpio == green)


def bare_led_ms(rounds: int = ROUNDS) -> Iterator[float]:
    """What gpiozero alone takes to light one lamp on a mock pin, in ms: a line of a hobby program."""
    lamp = LED(2, pin_factory=MockFactory())
    for _ in range(rounds):
        lamp.off()
        began_ns = time.monotonic_ns()
        lamp.on()
        yield (time.monotonic_ns() - began_ns) / 1e6
    lamp.close()


def _p99(samples: tuple[float, ...]) -> float:
    return statistics.quantiles(samples, n=100, method="inclusive")[98]


def rows() -> Iterator[Row]:
    """The panel's part of the table, the large board with all eight blinking last."""
    bare = tuple(bare_led_ms())
    for seats in (2, 8):
        for blinking in (False, True):
            found = measure(seats, blinking)
            name = f"{seats} seats, {'all blinking' if blinking else 'all steady'}"
            yield Row(
                "panel", f"fact to pin, {name}, by the clock, ms", found.fact_to_pin_ms, "gpiozero's LED.on()", bare
            )
            yield Row("panel", f"the slowest of a hundred (p99), {name}, ms", (_p99(found.fact_to_pin_ms),))
            yield Row("panel", f"of one core, {name}, %", (found.thread_ms_s / 10,))


def main() -> None:
    """Print the rows."""
    show(rows())


if __name__ == "__main__":
    main()
