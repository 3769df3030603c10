"""What the journal costs: ``python -m tests.bench.journal_bench [FOLDER] [--sessions N] [--entries N] [--facts N]``.

It judges no figure. Times depend on the disk and on what else runs, so each comes beside something simple
done on the same disk in the same minute: durable entries beside bare SQLite with the same durability, opening a large
journal beside opening a small one.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firmware.journal.chain import genesis, link
from firmware.journal.clock import Stamp
from firmware.journal.explain import explain
from firmware.journal.journal import OPENING, Journal
from firmware.journal.lines import Line, LineKind, Sealed, SessionHeader, entry_body, line_text, read_line
from firmware.journal.listing import Query
from firmware.journal.recover import restore
from firmware.journal.replay import replay
from firmware.journal.spare import spare_row
from firmware.journal.verify import verify
from firmware.referee.cards import Card
from firmware.referee.events import Entry, Laid, Pressed
from tests.bench.rows import Row, show

#: Bytes of a crop and of a small whole view as the table makes them.
CROP_BYTES, VIEW_BYTES = 18_000, 40_000
#: Facts a second are told of so many at a time.
BATCH = 25

HEADER = SessionHeader(
    game="fan_tan",
    seats=("Ann", "Bo", "Cy", "Di"),
    dealer=4,
    deal={"counts": {"Ann": 13, "Bo": 13, "Cy": 13, "Di": 13}},
    program="bench",
    model="5f" * 32,
)


@dataclass(frozen=True, slots=True)
class Rate:
    """Durable facts one after the other: ms of the clock and of the processor of each, bytes that reached the disk."""

    clock_ms: tuple[float, ...]
    cpu_ms: float
    disk_bytes: float

    @property
    def per_s(self) -> tuple[float, ...]:
        """Facts a second, a sample for each `BATCH` of them."""
        batches = (self.clock_ms[first : first + BATCH] for first in range(0, len(self.clock_ms), BATCH))
        return tuple(1000 * len(batch) / sum(batch) for batch in batches)


def facts() -> Iterator[Entry]:
    """Facts without end: two cards laid, then a press."""
    cards = itertools.cycle(Card(rank, suit) for suit in "SHDC" for rank in "A23456789TJQK")
    for number in itertools.count():
        t = number * 3.0
        seat = number % 4 + 1
        fact = Pressed(seat) if number % 3 == 2 else Laid(next(cards), "layout", seat)
        yield Entry(number, fact, t, t + 0.1, 0.991, 0.97, "camera")


def photo(number: int, size: int) -> bytes:
    return b"\xff\xd8\xff\xe0" + random.Random(number).randbytes(size - 6) + b"\xff\xd9"


def _written_bytes() -> int:
    """Bytes this program has sent to the disk (0 where the system does not count them)."""
    try:
        text = Path("/proc/self/io").read_text("ascii")
    except OSError:
        return 0
    return int(next(row.split()[1] for row in text.splitlines() if row.startswith("write_bytes")))


def _rate(count: int, act: Callable[[int], object]) -> Rate:
    before, cpu_s, each_ms = _written_bytes(), time.process_time(), []
    for number in range(count):
        start_s = time.perf_counter()
        act(number)
        each_ms.append((time.perf_counter() - start_s) * 1000)
    cpu_ms = 1000 * (time.process_time() - cpu_s) / count
    return Rate(tuple(each_ms), cpu_ms, (_written_bytes() - before) / count)


def bare_sqlite(folder: Path, count: int) -> Rate:
    """The same texts, one a commit, WAL and FULL, into one table: what any durable log with SQLite costs here."""
    stream = facts()
    with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL").fetchall()
        db.execute("PRAGMA synchronous = FULL")
        db.execute("CREATE TABLE line(seq INTEGER PRIMARY KEY, text TEXT)")

        def put(number: int) -> None:
            text = line_text(_line(next(stream), number))
            db.execute("INSERT INTO line VALUES (?, ?)", (number, text))

        return _rate(count, put)


def ours(folder: Path, count: int, *, photos: bool) -> Rate:
    """`Journal.append` as the table calls it."""
    stream = facts()
    with Journal.open(folder / f"ours-{photos}") as journal:
        session = journal.begin(HEADER)

        def put(number: int) -> None:
            pictures = [photo(2 * number, CROP_BYTES), photo(2 * number + 1, VIEW_BYTES)] if photos else []
            journal.append(session, next(stream), pictures)

        return _rate(count, put)


def _line(entry: Entry, seq: int) -> Line:
    stamp = Stamp(10**12 + seq * 3 * 10**9, "b0071000", 1_796_068_800 * 10**9 + seq * 3 * 10**9)
    return Line(seq, LineKind.FACT, 1, stamp, entry_body(entry))


def _session(session_id: str, entries: int, *, ended: bool) -> list[Sealed]:
    """A whole session's lines."""
    first = replace(_line(Entry(0, Pressed(1)), 0), kind=LineKind.BEGIN, body=HEADER.to_json())
    lines = [first, *(_line(entry, entry.number + 1) for entry in itertools.islice(facts(), entries))]
    if ended:
        lines.append(replace(_line(Entry(0, Pressed(1)), entries + 1), kind=LineKind.END, body={"result": None}))
    sealed, head = [], genesis(session_id)
    for line in lines:
        text = line_text(line)
        head = link(head, text)
        sealed.append(Sealed(text, head))
    return sealed


def build(folder: Path, sessions: int, entries: int) -> str:
    """A journal of so many sessions, the last one still open, with the rulings of every hundredth; the last id."""
    session_id = ""
    with Journal.open(folder) as journal:
        (folder / "spare").mkdir(exist_ok=True)
        for number in range(1, sessions + 1):
            session_id = f"{number:05d}-bench"
            lines = _session(session_id, entries, ended=number < sessions)
            journal.places.spare.path(session_id).write_bytes(b"".join(map(spare_row, lines)))
            restore(journal.store, journal.photos, session_id, lines)
            if number % 100 == 0 or number == sessions:
                _keep_rulings(journal, session_id)
        journal.store.checkpoint()
    return session_id


def _keep_rulings(journal: Journal, session_id: str) -> None:
    for one in replay(journal, session_id):
        for number, rulings in one.said:
            journal.add_rulings(session_id, number, rulings, deal=one.deal.number)


def _times_ms(act: Callable[[], object], rounds: int = 5) -> tuple[float, ...]:
    spent = []
    for _ in range(rounds):
        read_line.cache_clear()  # as a command finds it
        start_s = time.perf_counter()
        act()
        spent.append((time.perf_counter() - start_s) * 1000)
    return tuple(spent)


def resume(folder: Path) -> int:
    """What the table does when it comes back: open, find the live session, fold its entries."""
    with Journal.open(folder) as journal:
        live = journal.live()
        assert live is not None
        (one,) = replay(journal, live.id)
        return len(one.entries)


def readers(folder: Path, session_id: str) -> dict[str, tuple[float, ...]]:
    """Times of the reading commands in ms."""
    with Journal.open(folder, read_only=True) as journal:
        acts: dict[str, Callable[[], Any]] = {
            "sessions, newest 50": lambda: journal.sessions(Query(limit=50)),
            "sessions of one player, newest 50": lambda: journal.sessions(Query(player="ann", limit=50)),
            "explain one ruling": lambda: explain(journal, session_id, OPENING + 1),
            "verify one session": lambda: verify(journal, session_id),
        }
        return {what: _times_ms(act) for what, act in acts.items()}


def _write_rows(folder: Path, count: int) -> Iterator[Row]:
    bare = bare_sqlite(folder, count)
    for what, rate in (
        ("no pictures", ours(folder, count, photos=False)),
        ("a crop and a view each", ours(folder, count, photos=True)),
    ):
        yield Row("journal", f"durable facts a second, {what}", rate.per_s, "bare SQLite", bare.per_s)
        yield Row("journal", f"a durable fact, {what}, CPU ms", (rate.cpu_ms,), "bare SQLite", (bare.cpu_ms,))
        if rate.disk_bytes:
            disk_kb = [(one.disk_bytes / 1e3,) for one in (rate, bare)]
            yield Row("journal", f"a durable fact, {what}, kB to the disk", disk_kb[0], "bare SQLite", disk_kb[1])


def _read_rows(folder: Path, sessions: int, entries: int) -> Iterator[Row]:
    """Reading among many sessions beside reading from a journal with one alone."""
    small, large, many = folder / "small", folder / "large", f"one of {sessions:,} sessions of {entries} entries"
    only, last = build(small, 1, entries), build(large, sessions, entries)
    times = (_times_ms(lambda: resume(large)), _times_ms(lambda: resume(small)))
    yield Row("journal", f"open and fold the live session, {many}, ms", times[0], "the only one", times[1])
    alone = readers(small, only)
    for what, spent_ms in readers(large, last).items():
        yield Row("journal", f"{what}, {many}, ms", spent_ms, "the only one", alone[what])


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="on the disk to be measured")
    parser.add_argument("--facts", type=int, default=500)
    parser.add_argument("--sessions", type=int, default=500)
    parser.add_argument("--entries", type=int, default=200)
    asked = parser.parse_known_args()[0]
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        show(
            itertools.chain(_write_rows(Path(name), asked.facts), _read_rows(Path(name), asked.sessions, asked.entries))
        )


if __name__ == "__main__":
    main()
