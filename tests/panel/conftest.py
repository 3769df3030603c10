"""Panels on real gpiozero with mock pins of three Pis, and a clock that only the test moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest

from firmware.panel.board import Panel, open_panel
from firmware.panel.buttons import MS
from firmware.panel.config import BoardKind, default
from firmware.panel.mock import MockPins
from firmware.panel.signals import Colour, Meaning, PanelState, signal

REVISIONS = {"3B": "a02082", "4B": "c03111", "5B": "d04170"}


class Clock:
    """Time in ns that stands until `ms` moves it."""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns


@dataclass
class Bench:
    """A panel on mock pins. ``run_ms`` lets time pass, ticking whenever the panel asked for it."""

    panel: Panel
    pins: MockPins
    clock: Clock
    faults: list[str]

    def run_ms(self, length_ms: int) -> None:
        end_ns = self.clock.now_ns + length_ms * MS
        due_ns = self.panel.tick()
        while due_ns <= end_ns:
            self.clock.now_ns = max(due_ns, self.clock.now_ns + 1)
            due_ns = self.panel.tick()
        self.clock.now_ns = end_ns
        self.panel.tick()

    def press(self, seat: int, down_ms: int = 80, then_ms: int = 400) -> None:
        self.pins.push(seat, True)
        self.run_ms(down_ms)
        self.pins.push(seat, False)
        self.run_ms(then_ms)

    def show(self, *meanings: Meaning, count: int = 0, pool: int | None = None) -> None:
        self.panel.show(PanelState(tuple(signal(m, count) for m in meanings), pool))

    def lamp_trace(self, seat: int) -> list[tuple[int, str]]:
        """Every change of a small board's lamp since the start: (ms, "red on"), whole."""
        red, green = self.pins.config.lights[seat - 1]
        names = {red: "red", green: "green"}
        changes = [c for c in self.pins.trace if c.gpio in names]
        return [(c.t_ns // MS, f"{names[c.gpio]} {'on' if c.high else 'off'}") for c in changes]

    def said(self) -> list[str]:
        """The acts since the last call: ``["tap 1 of 2"]``."""
        return [f"{a.gesture}{f' {a.taps}' if a.taps else ''} of {a.seat}" for a in self.panel.acts()]


Maker = Callable[..., Bench]


@pytest.fixture
def bench() -> Iterator[Maker]:
    """Makes benches; every panel is closed in the end."""
    made: list[Bench] = []

    def make(board: str = "small", seats: int = 3, pi: str = "4B", **settings: object) -> Bench:
        config = replace(default(BoardKind(board), seats), factory="mock", revision=REVISIONS[pi], **settings)
        clock, faults = Clock(), list[str]()
        pins = MockPins(config, clock)
        made.append(Bench(open_panel(config, pins, clock, faults.append), pins, clock, faults))
        return made[-1]

    yield make
    for each in made:
        each.panel.close()


DARK = Colour.OFF
