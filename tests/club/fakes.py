"""A hub, tables and a way between them that loses and repeats, with a clock in the hand; no network."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firmware.club.database import Database
from firmware.club.hub import Hub
from firmware.club.teller import JournalSpool, Teller
from firmware.config import ClubSettings
from firmware.journal.journal import Journal
from firmware.web.source import Noticeboard

EVENING_NS = 1_796_068_800 * 10**9


@dataclass
class Clock:
    """Seconds that only the test moves; ns of the wall clock beside them."""

    t: float = 100.0

    def __call__(self) -> float:
        return self.t

    def wall_ns(self) -> int:
        return EVENING_NS + int(self.t * 1e9)


@dataclass
class FakeSpool:
    """A log in memory: so many lines by session."""

    lines: dict[str, int]
    ended: set[str] = field(default_factory=set)
    marks: list[tuple[str, str, int]] = field(default_factory=list)

    def offers(self, hub: str) -> list[object]:
        from firmware.club.messages import Offer

        return [Offer(name, count, "00" * 32, name in self.ended) for name, count in self.lines.items()]

    def payload(self, session: str, seq: int) -> bytes | None:
        return f"{session} {seq}".encode() if seq < self.lines[session] else None

    def told(self, hub: str, session: str, lines: int) -> None:
        self.marks.append((hub, session, lines))


@dataclass
class Broker:
    """Passes messages on between parts, in order; ``lose`` and ``twice`` are how often it does not, or twice over."""

    dice: random.Random = field(default_factory=lambda: random.Random(1))
    lose: float = 0.0
    twice: float = 0.0
    parts: list[tuple[object, Sequence[str]]] = field(default_factory=list)
    retained: dict[str, bytes] = field(default_factory=dict)
    waiting: list[tuple[str, bytes]] = field(default_factory=list)

    def connect(self, part: object) -> None:
        topics = tuple(part.topics)  # type: ignore[attr-defined]
        self.parts.append((part, topics))
        part.up(self.publish)  # type: ignore[attr-defined]
        for name, payload in list(self.retained.items()):
            if any(_fits(name, topic) for topic in topics):
                part.hear(name, payload)  # type: ignore[attr-defined]

    def disconnect(self, part: object) -> None:
        self.parts = [(one, topics) for one, topics in self.parts if one is not part]
        part.down()  # type: ignore[attr-defined]

    def publish(self, name: str, payload: bytes, retain: bool) -> None:
        if retain:
            self.retained[name] = payload
        elif self.dice.random() < self.lose:
            return
        for _ in range(2 if not retain and self.dice.random() < self.twice else 1):
            self.waiting.append((name, payload))

    def deliver(self) -> None:
        waiting, self.waiting = self.waiting, []
        for name, payload in waiting:
            for part, topics in list(self.parts):
                if any(_fits(name, topic) for topic in topics):
                    part.hear(name, payload)  # type: ignore[attr-defined]


def _fits(name: str, topic: str) -> bool:
    here, there = name.split("/"), topic.split("/")
    return len(here) == len(there) and all(b in ("+", a) for a, b in zip(here, there, strict=True))


@dataclass
class Club:
    """A hub and its tables on a fake broker."""

    clock: Clock
    broker: Broker
    database: Database
    notes: list[str] = field(default_factory=list)
    tellers: dict[str, Teller] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.hub = Hub(self.database, self.notes.append, wall_ns=self.clock.wall_ns, now_s=self.clock)

    @classmethod
    def at(cls, folder: Path, **broker: float) -> Club:
        return cls(Clock(), Broker(**broker), Database(str(folder / "hub.db")))  # type: ignore[arg-type]

    def table(self, name: str, journal: Journal, board: Noticeboard) -> Teller:
        spool = JournalSpool(journal, journal.mark_told, name)
        self.tellers[name] = Teller(ClubSettings(name, discovery=""), spool, board, self.notes.append, self.clock)
        self.broker.connect(self.tellers[name])
        return self.tellers[name]

    def turn(self, times: int = 1, step_s: float = 0.3) -> None:
        for _ in range(times):
            for part in [self.hub, *self.tellers.values()]:
                part.turn()
            self.broker.deliver()
            self.clock.t += step_s

    def until(self, true: Callable[[], bool], most: int = 3000) -> None:
        for _ in range(most):
            if true():
                return
            self.turn()
        raise AssertionError("it never came")
