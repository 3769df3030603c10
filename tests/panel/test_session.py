"""A whole Fan Tan deal at the panel: real buttons on mock pins, the real referee, and the trace of every light and pin.

``CARDTABLE_GOLDEN=write pytest tests/panel/test_session.py`` writes the trace anew; read it before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path

from firmware.panel.board import Panel
from firmware.panel.buttons import MS
from firmware.panel.desk import Desk, take
from firmware.panel.signals import PanelState, Said, signals
from firmware.referee.cards import Card
from firmware.referee.events import Entry, Fact, Laid, TakenBack
from firmware.referee.match import Match, Setup

from .conftest import Bench, Maker

GOLDEN = Path(__file__).with_name("fan_tan_session.txt")
NAMES = ("Ann", "Bo", "Cy")
DEAL = {"ranks": "A234", "suits": "SH", "counts": {"Ann": 3, "Bo": 3, "Cy": 2}}
SETUP = Setup(game="fan_tan", seats=NAMES, dealer=3, house={"ante": 1}, deal=DEAL)

# What happens when: (s, seat, what). A card laid or taken back is the camera's fact; a press goes through the pins.
STORY: list[tuple[float, int, str]] = [
    (3.0, 1, "2S"),
    (5.0, 1, "double press"),
    (13.0, 3, "3H"),  # out of turn
    (20.0, 3, "back 3H"),
    (22.0, 2, "press"),  # pays, and holds the wanted 3S
    (25.0, 3, "press"),
    (28.0, 1, "press"),
    (31.0, 2, "3S"),  # proves that payment false
    (42.0, 3, "press"),
    (45.0, 1, "4S"),
    (47.0, 2, "press"),
    (50.0, 3, "AS"),
    (52.0, 3, "hold"),  # calls the referee
    (60.0, 0, "settled"),
    (62.0, 3, "3H"),  # out: wins
]
END_S = 75.0
LOOK_MS = 250  # how often the lights are worked out anew, as the table does


class Session:
    """The table in a few lines: acts and facts to the referee, its view to the panel."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.match, self.desk = bench, Match(SETUP), Desk()
        self.said = [Said(0.0, ruling) for ruling in self.match.opening]
        self.lines: list[str] = []
        self.shown: PanelState | None = None

    @property
    def panel(self) -> Panel:
        return self.bench.panel

    @property
    def now_s(self) -> float:
        return self.bench.clock.now_ns / 1e9

    def run_until(self, end_s: float) -> None:
        while self.now_s < end_s:
            self.bench.run_ms(min(LOOK_MS, round((end_s - self.now_s) * 1000)))
            self.look()

    def look(self) -> None:
        for act in self.panel.acts():
            counters = dict(enumerate(self.match.view.counters, 1))
            self.desk, told = take(self.desk, act, self.now_s, counters)
            for fact in told.facts:
                self.enter(fact, "button")
        self.show()

    def enter(self, fact: Fact, source: str) -> None:
        entry = Entry(len(self.match.entries), fact, self.now_s, self.now_s, source=source)
        self.said += [Said(self.now_s, ruling) for ruling in self.match.add(entry)]
        self.show()

    def show(self) -> None:
        state = signals(3, self.match.view, self.said, self.now_s, self.desk.attention())
        self.panel.show(state)
        if state != self.shown:
            self.shown = state
            lights = "; ".join(
                f"{name}: {light.meaning}{f' {light.count}' if light.count else ''}"
                for name, light in zip(NAMES, state.lights, strict=True)
            )
            line = f"{self.now_s:6.2f} s  {lights}; pool {state.pool}"
            if not self.lines or self.lines[-1][10:] != line[10:]:
                self.lines.append(line)

    def do(self, seat: int, what: str) -> None:
        self.lines.append(f"{self.now_s:6.2f} s  -- {NAMES[seat - 1] if seat else 'the page'}: {what}")
        match what.split():
            case ["press"]:
                self.bench.press(seat)
            case ["double", "press"]:
                self.bench.press(seat, then_ms=120)
                self.bench.press(seat)
            case ["hold"]:
                self.bench.press(seat, down_ms=1100)
            case ["settled"]:
                self.desk = Desk()
            case ["back", card]:
                self.enter(TakenBack(Card.parse(card), "layout", seat), "camera")
            case [card]:
                self.enter(Laid(Card.parse(card), "layout", seat), "camera")
        self.look()


def play(bench: Bench) -> Session:
    session = Session(bench)
    session.show()
    for at_s, seat, what in STORY:
        session.run_until(at_s)
        session.do(seat, what)
    session.run_until(END_S)
    return session


def trace_of(bench: Bench) -> list[str]:
    """Every change of every lamp and of the buzzer's pin, whole; the buttons' own pins are the script's."""
    names = {gpio: name for name, gpio in bench.pins.config.pins() if "button" not in name}
    changes = [change for change in bench.pins.trace if change.gpio in names]
    return [f"{c.t_ns // MS:6d} ms  {names[c.gpio]} {'on' if c.high else 'off'}" for c in changes]


def test_the_whole_session_as_it_was_recorded(bench: Maker):
    table = bench(seats=3)
    session = play(table)
    recorded = "\n".join([*session.lines, "", "pins", *trace_of(table), ""])
    if os.environ.get("CARDTABLE_GOLDEN") == "write":
        GOLDEN.write_text(recorded, encoding="utf-8")
    assert recorded == GOLDEN.read_text(encoding="utf-8")
    assert table.faults == []


def test_the_session_holds_what_it_is_to_show(bench: Maker):
    text = "\n".join(play(bench(seats=3)).lines)
    wanted = "refused, out of step, your turn, waiting, paid 1, proved false, what you have, referee called, winner"
    assert [meaning for meaning in wanted.split(", ") if f": {meaning}" not in text] == []


def test_after_a_crash_the_lights_are_those_of_the_log(bench: Maker):
    before = play(bench(seats=3))
    panel = bench(seats=3)
    again = Match(SETUP)
    said = [Said(0.0, ruling) for ruling in again.opening]
    for entry in before.match.entries:
        said += [Said(entry.at, ruling) for ruling in again.add(entry)]
    panel.panel.show(signals(3, again.view, said, END_S))
    assert before.shown == signals(3, again.view, said, END_S)
    assert panel.pins.lights() == tuple(light.colour for light in before.shown.lights)
