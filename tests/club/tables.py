"""Simulated tables of a club: real journals, real referees, real tellers; only the cards are dealt by dice."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmware.club.teller import Teller, open_club
from firmware.config import ClubSettings
from firmware.journal.journal import Journal
from firmware.journal.replay import replay
from firmware.referee.match import Setup
from firmware.seen import Seen
from firmware.table import Table
from firmware.web.source import Noticeboard
from tests.referee.players import Table as Dice
from tests.referee.players import deal

GAMES = ("fan_tan", "wish_card", "five_or_nine", "pope_joan", "newmarket", "sevens")
#: A deal is left after so many facts, so that sessions have several deals.
LONGEST = 60


class Lights:
    """Nobody looks."""

    def show(self, state: Any) -> None:
        """Show nothing."""


@dataclass
class ClubTable:
    """One table: its journal, its board, and the teller when it is connected."""

    name: str
    folder: Path
    seed: int
    stack: ExitStack = field(default_factory=ExitStack)
    teller: Teller | None = None
    table: Table | None = None
    dice: Dice | None = None
    session: str = ""
    notes: list[str] = field(default_factory=list)

    def open(self, broker: str, **more: str) -> ClubTable:
        """Open the journal and tell the club at ``broker``."""
        self.random = random.Random(self.seed)
        self.board = Noticeboard({"state": "waiting"}, lambda action, actor: {"error": "nobody"})
        self.journal = self.stack.enter_context(Journal.open(self.folder))
        reading = self.stack.enter_context(Journal.open(self.folder, read_only=True))
        settings = ClubSettings(**{"table": self.name, "broker": broker, **more})
        club = open_club(settings, self.journal, reading, self.board, self.notes.append)
        self.teller = self.stack.enter_context(club)
        return self

    def begin(self) -> None:
        """A new session with its first deal."""
        self.dice = self._dice()
        setup: Setup = self.dice.match.setup
        self.table = Table.begin(
            self.journal, setup, lights=Lights(), board=self.board, program="test", model="none", table={},
            club=self.name,
        )  # fmt: skip
        self.session = self.table.session_id

    def _dice(self) -> Dice:
        game = self.random.choice(GAMES)
        return deal(game, self.random.randrange(10**6), seats=4, cheat=0.2, blunder=0.05)

    def fact(self) -> None:
        """The next thing that happens at this table; a new deal or session where the last one is over."""
        if self.table is None or self.dice is None:
            self.begin()
            return
        if self.dice.match.over or len(self.dice.facts) >= LONGEST:
            self.table.finish()
            self.begin()
            return
        fact = self.dice.next_fact()
        self.dice.tell(fact)
        self.table.enter(Seen(fact, self.table.now + 1.0, self.table.now + 1.1))

    def ledgers(self) -> dict[tuple[str, str, int], tuple[int, ...]]:
        """What each seat won or lost by session and deal, judged again from the log."""
        found = {}
        for one in self.journal.sessions():
            for again in replay(self.journal, one.row.id):
                key = self.name, one.row.id, again.deal.number
                found[key] = tuple(again.net().values())
        return found

    def lines(self) -> int:
        """How many lines its log has in all."""
        return sum(one.row.lines for one in self.journal.sessions())

    def close(self) -> None:
        """Close everything."""
        self.stack.close()


def until(true: Callable[[], object], patience_s: float, what: Callable[[], object] = lambda: "") -> None:
    """Wait until something is true."""
    import time

    end = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < end, what()
        time.sleep(0.02)
