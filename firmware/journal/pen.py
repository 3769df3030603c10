"""Where the next line of a log goes, and the writing of it: into the database, then into the spare log, or not at all.

A full disk takes the reserve. What `Pen.commit` returns is durable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .chain import link
from .clock import Clock, Stamp, now, step_ns
from .errors import Damaged, DiskFull
from .guard import Reserve
from .lines import Line, LineKind, Remark, Sealed, line_text, read_line
from .recover import Places, Repairs, open_sound, photo_sizes
from .rows import add_line, add_session
from .store import LineRow, SessionRow, Store


@dataclass(frozen=True, slots=True)
class Tail:
    """Where a session's log ends: what the next line must follow."""

    session: int
    id: str
    seq: int
    head: str
    stamp: Stamp
    ended: bool = False
    fact: Line | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A line that has not got its place yet."""

    kind: LineKind
    deal: int
    body: Mapping[str, Any]
    photos: tuple[str, ...] = ()
    lost: str = ""


class Pen:
    """Writes the lines of one journal."""

    def __init__(self, places: Places, store: Store, clock: Clock, repairs: Repairs) -> None:
        """Write into ``store`` and the spare logs of ``places``."""
        self.store = store
        self.reserve = Reserve(places.folder)
        self.repairs = repairs
        self._places = places
        self._clock = clock
        self._tails: dict[str, Tail] = {}
        self._known: set[str] = set()
        self._spare_lacks: dict[str, int] = {}

    def tail(self, row: SessionRow) -> Tail:
        """Where a session's log ends.

        :raises Damaged: if its last line cannot be read.
        """
        if (known := self._tails.get(row.id)) is not None:
            return known
        if (kept := next(self.store.lines(row.number, row.lines - 1), None)) is None:
            raise unreadable(row.id, row.lines - 1)
        last = read_row(row.id, row.lines - 1, kept)
        sql = "SELECT text FROM line WHERE session = ? AND entry IS NOT NULL ORDER BY seq DESC LIMIT 1"
        fact = [read_text(row.id, found[0]) for found in self.store.rows(sql, row.number)]
        return Tail(row.number, row.id, row.lines, row.head, last.stamp, row.ended, fact[0] if fact else None)

    def commit(self, tail: Tail, drafts: list[Draft]) -> list[Line]:
        """Write lines, durably in both logs, or none of them."""
        stamp = now(self._clock)
        remarks = [] if tail.ended else list(self._before(tail, stamp, drafts[0].deal))
        drafts = [*remarks, *drafts] if tail.seq else [*drafts, *remarks]
        lines = [Line(tail.seq + i, d.kind, d.deal, stamp, d.body, d.photos, d.lost) for i, d in enumerate(drafts)]
        sealed = seal(tail.head, lines)
        self._tails.pop(tail.id, None)  # until the disk has said yes, only the disk knows where the log ends
        self._write(tail, lines, sealed)
        self._tails[tail.id] = _after(tail, lines, sealed[-1].hash)
        self.repairs.torn.pop(tail.id, None)
        self._known.add(tail.id)
        return lines

    def _before(self, tail: Tail, stamp: Stamp, deal: int) -> Iterator[Draft]:
        """The remarks that come before the next line: the program came back, the clock was set, a tail was torn."""
        if resumed := tail.seq > 0 and tail.id not in self._known:
            yield Draft(LineKind.NOTE, deal, {"code": Remark.RESUMED.value})
        if step := step_ns(tail.stamp, stamp):
            yield Draft(LineKind.NOTE, deal, {"code": Remark.CLOCK_STEP.value, "seconds": step / 1e9})
        if dropped := self.repairs.torn.get(tail.id, 0):
            yield Draft(LineKind.NOTE, deal, {"code": Remark.TAIL_REPAIRED.value, "bytes": dropped})
        if resumed and self.repairs.rebuilt:
            yield Draft(LineKind.NOTE, deal, {"code": Remark.REBUILT.value})

    def _write(self, tail: Tail, lines: list[Line], sealed: list[Sealed]) -> None:
        """Write into the database, giving up the reserve if the disk is full."""
        try:
            self._write_rows(tail, lines, sealed)
        except DiskFull:
            if not self.reserve.give_up():
                raise
            self._write_rows(tail, lines, sealed)
        self._write_spare(tail, sealed)

    def _write_rows(self, tail: Tail, lines: list[Line], sealed: list[Sealed]) -> None:
        with self.store.writing() as execute:
            for line, text in zip(lines, sealed, strict=True):
                if line.kind is LineKind.BEGIN:
                    add_session(execute, tail.session, tail.id, line)
                add_line(execute, tail.session, line, text, photo_sizes(self._places.shelf, line.photos))

    def _write_spare(self, tail: Tail, sealed: list[Sealed]) -> None:
        """Add to the spare log. It is the second copy: on a full disk it falls behind and is filled up later."""
        first = self._spare_lacks.get(tail.id, tail.seq)
        if first < tail.seq:
            sealed = [kept.sealed for kept in self.store.lines(tail.session, first)]
        try:
            self._places.spare.append(tail.id, sealed)
            self._spare_lacks.pop(tail.id, None)
        except OSError:
            self._spare_lacks[tail.id] = first
            self.reserve.give_up()

    def rebuild(self) -> None:
        """The database broke under us: set it aside and carry on with a new one."""
        self._tails.clear()
        self.store.close()
        self._places.spare.close()
        self.store, again = open_sound(self._places, self._clock.wall_ns())
        self.repairs.words.extend(again.words)


def read_row(session_id: str, seq: int, kept: LineRow) -> Line:
    """The line of a row that should be line ``seq`` of its session.

    :raises Damaged: if it is not.
    """
    line = read_text(session_id, kept.sealed.text, seq)
    if line.seq != seq or kept.seq != seq:
        raise unreadable(session_id, seq)
    return line


def read_text(session_id: str, text: str, seq: int | None = None) -> Line:
    """The line that a text is, the ``seq``-th if that is known.

    :raises Damaged: if it is none.
    """
    try:
        return read_line(text)
    except ValueError:
        raise unreadable(session_id, seq) from None


def unreadable(session_id: str, seq: int | None) -> Damaged:
    """The error for a line (the ``seq``-th) that is not there or cannot be read."""
    which = "a line" if seq is None else f"line {seq}"
    return Damaged(
        f"session {session_id}: {which} of its log is missing or cannot be read: "
        f"`cardtable verify {session_id}` says what is left"
    )


def seal(head: str, lines: Iterable[Line]) -> list[Sealed]:
    """Lines as they are kept after a line with hash ``head``."""
    sealed = []
    for line in lines:
        text = line_text(line)
        head = link(head, text)
        sealed.append(Sealed(text, head))
    return sealed


def _after(tail: Tail, lines: Sequence[Line], head: str) -> Tail:
    last = lines[-1]
    facts = [line for line in lines if line.kind is LineKind.FACT]
    ended = tail.ended or any(line.kind is LineKind.END for line in lines)
    fact = facts[-1] if facts else tail.fact
    return Tail(tail.session, tail.id, last.seq + 1, head, last.stamp, ended, fact)
