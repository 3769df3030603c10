"""What the journal's tests share: a clock that only the test moves, small pictures, facts and a filled journal."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware.journal.journal import Journal
from firmware.journal.lines import SessionHeader
from firmware.referee.cards import Card, pack
from firmware.referee.events import Entry, Laid, Press, Pressed

SECOND_NS = 1_000_000_000
DAY_NS = 86_400 * SECOND_NS
#: 30 November 2026, 20:00 UTC.
EVENING_NS = 1_796_068_800 * SECOND_NS


@dataclass
class FakeClock:
    """Independent clocks; each reading of the wall moves both by ``tick_ns``."""

    mono: int = 100 * SECOND_NS
    wall: int = EVENING_NS
    boot: str = "b0071"
    tick_ns: int = 0

    def mono_ns(self) -> int:
        return self.mono

    def wall_ns(self) -> int:
        self.mono += self.tick_ns
        self.wall += self.tick_ns
        return self.wall

    def boot_id(self) -> str:
        return self.boot


HEADER = SessionHeader(
    game="fan_tan",
    seats=("Ann", "Bo", "Cy", "Di"),
    dealer=4,
    house={"ante": 1},
    deal={"counts": {"Ann": 13, "Bo": 13, "Cy": 13, "Di": 13}},
    program="0.1.0",
    model="5f" * 32,
    table={"table": {"width": 900, "height": 700}},
)


def picture(word: str, size: int = 400) -> bytes:
    """Bytes that begin and end as a JPEG file does, another content for every word."""
    block = hashlib.sha256(word.encode()).digest()
    return b"\xff\xd8\xff\xe0" + (block * (size // 32 + 1))[: size - 6] + b"\xff\xd9"


def laid(number: int, *, t: float | None = None) -> Entry:
    """The ``number``-th of a row of plausible facts: mostly cards laid, now and then a pass."""
    seat = number % 4 + 1
    t = number * 3.25 if t is None else t
    if number % 7 == 6:
        return Entry(number, Pressed(seat, Press.SHORT), t, t, source="button")
    card: Card = pack()[(number * 5 + 6) % 52]
    return Entry(number, Laid(card, "layout", seat), t, t + 0.1, 0.991, 0.97, "camera")


def fill(journal: Journal, count: int = 10, *, photos: bool = True, header: SessionHeader = HEADER) -> str:
    """Begin a session and append ``count`` facts; its id."""
    session_id = journal.begin(header)
    for number in range(count):
        proof = [picture(f"{session_id}-{number}-{view}") for view in ("crop", "whole")] if photos else []
        journal.append(session_id, laid(number), proof)
    return session_id


def numbers(journal: Journal, session_id: str) -> list[int]:
    return [entry.number for entry in journal.entries(session_id)]


def sql(folder: Path, *statements: str) -> list[Any]:
    """Change the database behind the journal's back; the rows of the last statement."""
    with closing(sqlite3.connect(folder / "sessions.db")) as db:
        rows: list[Any] = []
        for statement in statements:
            rows = db.execute(statement).fetchall()
        db.commit()
        return rows
