"""Four phones and a wall at a simulated table: drawn pictures, the real reader, referee, journal and page.

Nothing is faked but camera and hands: the game is set up on the page, every press is a tap in Chromium, a card that
cannot be read is corrected by the table, and the program is stopped and started again in the middle.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

import pytest

from firmware.config import TableConfig, WebSettings, load_table
from firmware.journal.journal import Journal
from firmware.journal.replay import kept_results
from firmware.journal.verify import verify
from firmware.live import Live, Made, geometry
from firmware.page import Page, open_page
from firmware.panel.panel_none import NoPanel
from firmware.referee.events import Laid
from firmware.referee.script import load_scripts, run_script
from firmware.simulator import table as looks
from firmware.simulator.camera import SimulatedCamera
from firmware.simulator.record import script, table_toml
from firmware.simulator.session import Session, plan
from firmware.web.security import Keys
from vision.reader import RANKS, Index, Reader

from .browser import PATIENCE_S, PHONES, Phone, chromium

pytestmark = pytest.mark.slow

KEYS = Keys("ABCD2345", {seat: f"SEATSEAT{seat:02}" for seat in range(1, 11)}, "123456", b"k" * 32)
SIZES = ((320, 640), (390, 844), (768, 1024), (390, 844), (1280, 800))
#: So many entries after which the program is stopped and started again.
STOPPED_AFTER = 20


@dataclass(frozen=True)
class Smudged:
    """The real reader with a thumb on one card: its rank could be this one or the next."""

    reader: Reader
    card: str

    @property
    def threshold(self) -> float:
        return self.reader.threshold

    def indices(self, image: Any, card_px: float, region: Any = None) -> Sequence[Index]:
        return [self._smudge(index) for index in self.reader.indices(image, card_px, region)]

    def _smudge(self, index: Index) -> Index:
        if index.best != self.card:
            return index
        at = RANKS.index(self.card[0])
        doubt = tuple(0.5 if place in (at, (at + 1) % len(RANKS)) else 0.0 for place in range(len(RANKS)))
        return replace(index, rank_p=doubt, confidence=0.5)


@dataclass
class Program:
    """The table's program over one simulated camera: its loop turns in a thread, and asks for what people do."""

    folder: Path
    camera: SimulatedCamera
    config: TableConfig
    reader: Smudged
    asks: Queue[tuple[str, int]] = field(default_factory=Queue)
    answered: Queue[str] = field(default_factory=Queue)
    error: list[BaseException] = field(default_factory=list)
    told: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.presses = list(self.camera.presses)

    def run(self, port: int, until: Callable[[Live], bool]) -> None:
        """From now until ``until`` is true or the frames end: one life of the program."""
        try:
            with ExitStack() as stack:
                self._run(stack, port, until)
        except BaseException as error:
            self.error.append(error)
            self.asks.put(("failed", 0))

    def _run(self, stack: ExitStack, port: int, until: Callable[[Live], bool]) -> None:
        data = self.folder / "data"
        journal = stack.enter_context(Journal.open(data))
        made = Made("test", self.reader.reader.hash, geometry(self.config))
        live = Live(self.config, self.reader, journal, NoPanel(), made, self.camera.size_px)
        if (row := journal.live()) is not None:
            live.resume(row.id)
        reading = stack.enter_context(Journal.open(data, read_only=True))
        page = stack.enter_context(open_page(live, reading, WebSettings(port=port), KEYS))
        self.asks.put(("open", int(page.url.rpartition(":")[2])))
        while live.table is None:
            page.commands.serve()
        self._play(live, page, until)

    def _play(self, live: Live, page: Page, until: Callable[[Live], bool]) -> None:
        while not until(live) and (frame := self.camera.read()) is not None:
            while self.presses and self.presses[0].t_s <= frame.seconds:
                self._ask(page, "press", self.presses.pop(0).seat)
            page.commands.serve()
            live.step(frame)
            entries = live.table.match.entries if live.table else []
            unread = {one.number for one in entries if isinstance(one.fact, Laid) and one.fact.card is None}
            for number in unread - self.told:
                self.told.add(number)
                self._ask(page, "unread", number)
        if not until(live):
            self._ask(page, "end", 0)

    def _ask(self, page: Page, what: str, number: int) -> None:
        """People do something on their phones; the loop turns meanwhile, but the cards wait for them."""
        self.asks.put((what, number))
        while True:
            page.commands.serve()
            try:
                self.answered.get(timeout=0.01)
            except Empty:
                continue
            return


@pytest.fixture
def driver() -> Iterator[Any]:
    with chromium() as driver:
        yield driver


def test_a_whole_simulated_session_is_set_up_played_disputed_and_interrupted(driver: Any, tmp_path: Path) -> None:
    session = _session()
    smudged = next(move["card"] for move in session.moves[6:] if move["ev"] == "play")
    config = _config(session, tmp_path)
    program = Program(tmp_path, SimulatedCamera.over(session), config, Smudged(Reader.load(), smudged))
    first = Thread(target=program.run, args=(0, lambda live: _entries(live) >= STOPPED_AFTER), daemon=True)
    first.start()
    port = _next(program, "open")
    phones = [Phone(driver, host, port) for host in PHONES]
    for phone, (wide, high) in zip(phones, SIZES, strict=True):
        phone.open().size(wide, high)
    _set_up(phones, session)
    room = Room(program, phones, smudged)
    room.follow(first)
    for phone in phones:
        phone.sees(".pill", "finding the table")
        phone.run("window.same = true")

    second = Thread(target=program.run, args=(port, lambda live: False), daemon=True)
    second.start()
    assert _next(program, "open") == port
    assert room.corrected == 1  # before the program stopped; it knows the card again, though the camera cannot read it
    phones[4].sees(f".lying[data-card='{smudged}']")
    room.follow(second)

    assert room.taps > 40
    for phone in phones:
        assert phone.run("return window.same") is True  # nobody had to load the page again
        assert phone.run("return document.documentElement.scrollWidth <= innerWidth")
    _as_it_was_meant(tmp_path, session)


@dataclass
class Room:
    """The people with their phones: they do what the table's program waits for."""

    program: Program
    phones: list[Phone]
    smudged: str
    taps: int = 0
    corrected: int = 0

    def follow(self, life: Thread) -> None:
        """Until the program stops."""
        while life.is_alive() or not self.program.asks.empty():
            try:
                what, number = self.program.asks.get(timeout=0.2)
            except Empty:
                continue
            assert what != "failed", self.program.error
            {"press": self._press, "unread": self._correct, "end": self._end}[what](number)
            self.program.answered.put(what)
        assert self.program.error == []

    def _press(self, seat: int) -> None:
        phone = self.phones[seat - 1]
        phone.tap(".press:not(:disabled)", "Pay one")
        self.taps += 1

    def _correct(self, number: int) -> None:
        """Seat 2 calls the referee over the unread card; at the wall, the host says what it was."""
        phone, wall = self.phones[1], self.phones[4]
        phone.sees(".due-card[data-state=out]")
        phone.go("log")
        phone.tap(".entry a", "could not be read")
        phone.tap(".choice.call")
        wall.sees(".due-words", "The referee was called")
        wall.go(f"entry/{number}")
        wall.sees(".photo-after img")
        wall.tap("summary.choice", "Correct it")
        wall.tap(f".pick input[value='{self.smudged[0]}']")
        wall.tap(f".pick input[value='{self.smudged[1]}']")
        wall.write("#why", "we all saw it")
        wall.tap(".correct button", "Correct the entry")
        wall.tap(".toast .now")
        wall.sees(".choices")
        wall.go("table")
        wall.sees(".due-card[data-state=playing]")
        wall.sees(f".lying[data-card='{self.smudged}'] use[href='#full-{self.smudged}']")
        phone.go("table")
        phone.sees(".press")
        self.corrected += 1

    def _end(self, _: int) -> None:
        """The deal is over: everybody sees who won; the host ends the session and looks at it again."""
        wall = self.phones[4]
        for phone in self.phones:
            phone.sees(".due-words", "has won")
        wall.tap(".steps button", "End the session")
        wall.tap(".toast .now")
        for phone in self.phones:
            phone.sees(".pill", "over")
        wall.go("sessions")
        wall.tap(".sessions a", "Fan Tan")
        wall.sees(".film-words", "No. 0")
        last = wall.run("return document.querySelectorAll('.strip button').length")
        wall.tap(f".strip button:nth-child({last})")
        wall.until(lambda one: len(one.all(".film .lying")) > 30, "the cards as they lay at the end")


def _set_up(phones: list[Phone], session: Session) -> None:
    """The host chooses the game and who sits where; each player takes the seat with the code."""
    *seats, wall = phones
    wall.open("#join=ABCD2345")
    wall.sees("#nav a", "Set up")
    wall.go("camera")
    wall.write(".panel input[type=password]", KEYS.host_pin)
    wall.tap(".panel .code-form button.main")
    wall.sees(".hints li")
    wall.go("setup")
    wall.tap(".game input[value=fan_tan]")
    for row, name in enumerate(session.names, start=1):
        wall.write(f".seating li:nth-child({row}) input:not([type=radio])", name)
    wall.tap(f".seating li:nth-child({session.dealer}) input[type=radio]")
    for rule, value in session.house.items():
        wall.write(f"#rule-{rule}", str(value))
        wall.run(f"document.querySelector('#rule-{rule}').dispatchEvent(new Event('change'))")
    for seat, phone in enumerate(seats, start=1):
        phone.open(f"#join=ABCD2345&seat={KEYS.seat_tokens[seat]}")
        phone.sees("#me", f"Seat {seat}")
    wall.tap(".start")
    for phone in phones:
        phone.sees("#main[data-view=table] .due-words", "Ann")


def _as_it_was_meant(folder: Path, session: Session) -> None:
    """The log is whole, and its result is what the people at the table did, judged from their own script."""
    with Journal.open(folder / "data", read_only=True) as journal:
        row = journal.sessions()[0].row
        assert row.ended
        assert verify(journal, row.id).whole
        kept = next(iter(kept_results(journal, row.id).values()))
    meant, _ = run_script(load_scripts(json.dumps(script(session)), "session")[0])
    assert kept == meant.result()


def _next(program: Program, what: str) -> int:
    got, number = program.asks.get(timeout=PATIENCE_S)
    assert got == what, program.error
    return number


def _entries(live: Live) -> int:
    return len(live.table.match.entries) if live.table else 0


def _session() -> Session:
    return plan(
        "fan_tan",
        4,
        3,
        faults=("withhold", "wrong_card"),
        look=looks.Look(3, looks.Surface.FELT),
        ranks="A23456789TJQK",
    )


def _config(session: Session, folder: Path) -> TableConfig:
    path = folder / "table.toml"
    path.write_text(table_toml(session), encoding="utf-8")
    return load_table(path)
