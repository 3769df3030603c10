"""The session log: photo, then log, then light.

`Journal.append` returns only when the pictures and the line are durable, so a lamp lit after it always has both behind
it. A program that was killed comes back by reading the live session's lines and folding them through the referee.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import randbelow
from threading import RLock
from typing import Any

from firmware.referee.events import Entry
from firmware.referee.rulings import Ruling

from . import quota
from .chain import ALPHABET, genesis, link
from .clock import Clock, Stamp, SystemClock, now, step_ns
from .errors import BadEntry, Damaged, DiskFull, JournalError, NoSuchSession, from_os
from .guard import Lock, Reserve, make_folder
from .lines import Line, LineKind, Remark, Sealed, SessionHeader, entry_body, line_entry, line_text, read_line
from .listing import Query, Summary, find
from .photos import FOLDER as PHOTO_FOLDER
from .photos import PhotoShelf, is_name, is_whole
from .recover import Places, Repairs, open_sound, photo_sizes, session_number
from .rows import add_line, add_rulings, add_session, json_value, rulings_seal
from .spare import FOLDER as SPARE_FOLDER
from .spare import Spare
from .store import NAME, LineRow, RulingRow, SessionRow, Store, open_to_read

#: Random letters after a session's number, so that sessions of two tables rarely have the same name: 1 in a million.
_TOKEN_CHARS = 4

#: The number under which the referee's first words of a deal are kept, before any entry.
OPENING = -1

#: When the clock is set, so many of the newest sessions are looked at for the same boot; more evenings than that
#: without switching the table off are not expected.
_DOUBTED = 50


_ONLY_HERE = """
SELECT DISTINCT hash FROM evidence AS mine WHERE session = ?1
AND NOT EXISTS (SELECT 1 FROM evidence AS e WHERE e.hash = mine.hash AND e.session <> ?1) ORDER BY hash
"""


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
class Deal:
    """One deal of a session: its number from 1, the dealer's seat, and what is known of it."""

    number: int
    dealer: int | None
    known: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A line that has not got its place yet."""

    kind: LineKind
    deal: int
    body: Mapping[str, Any]
    photos: tuple[str, ...] = ()
    lost: str = ""


class Journal:
    """All sessions kept in one folder. See `open`; close it, or use it with ``with``.

    Threads may share it. Reading methods never hold the database longer than one short question.
    """

    def __init__(
        self,
        places: Places,
        store: Store,
        *,
        clock: Clock,
        lock: Lock | None,
        repairs: Repairs,
        photo_quota_bytes: int,
    ) -> None:
        """Put together from its parts; use `open`."""
        self.folder = places.folder
        self.photos = places.shelf
        self.photo_quota_bytes = photo_quota_bytes
        self._places = places
        self._store = store
        self._clock = clock
        self._lock = lock
        self._reserve = Reserve(places.folder)
        self._repairs = repairs
        self._tails: dict[str, Tail] = {}
        self._known: set[str] = set()
        self._spare_lacks: dict[str, int] = {}
        self._turn = RLock()

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        clock: Clock | None = None,
        read_only: bool = False,
        photo_quota_bytes: int = quota.QUOTA_BYTES,
    ) -> Journal:
        """Open the journal in ``folder`` (made if missing), and put right what a crash or a bad disk left.

        With ``read_only`` nothing is changed or repaired, and a program that writes does not stand in the way.

        :raises JournalBusy: if another program writes it.
        :raises JournalError: if it cannot be opened; the line says what to do.
        """
        clock = clock or SystemClock()
        places = Places(folder, Spare(folder / SPARE_FOLDER), PhotoShelf(folder / PHOTO_FOLDER))
        if read_only:
            store, lock, repairs = open_to_read(folder / NAME), None, Repairs()
        else:
            lock = _take(folder)
            store, repairs = _open_locked(places, lock, clock)
        journal = cls(places, store, clock=clock, lock=lock, repairs=repairs, photo_quota_bytes=photo_quota_bytes)
        if lock is not None:
            journal._reserve.fill()
        return journal

    def __enter__(self) -> Journal:
        """The journal itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close every file and let other programs in."""
        with self._turn:
            self._places.spare.close()
            self._store.close()
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    @property
    def store(self) -> Store:
        """The database, for the readers of this package."""
        return self._store

    @property
    def places(self) -> Places:
        """Where the journal keeps its files, for the readers of this package."""
        return self._places

    @property
    def notices(self) -> tuple[str, ...]:
        """What was put right at the start, in words; the page shows them."""
        return tuple(self._repairs.words)

    # -- writing

    def begin(self, header: SessionHeader) -> str:
        """Begin a session; its id. A session that was still open is closed as unfinished.

        :raises BadEntry: if the header names no seats or cannot be written as JSON.
        """
        with self._turn:
            self._writable()
            if not header.seats:
                raise BadEntry("a session needs at least one seat")
            if (open_one := self.live()) is not None:
                self.end(open_one.id, {"unfinished": True})
            present = now(self._clock)
            previous = self._last_stamp() or present
            if step_ns(previous, present):
                self._doubt_times(previous.boot)
            session_id, number = self._next_id()
            tail = Tail(number, session_id, 0, genesis(session_id), previous)
            self._commit(tail, [_Draft(LineKind.BEGIN, 1, _checked(header.to_json()))])
            return session_id

    def next_deal(self, session_id: str, dealer: int | None, known: Mapping[str, Any] | None = None) -> int:
        """Write that a further deal begins; its number, to be given to `append`."""
        with self._turn:
            tail = self._tail(session_id)
            number = self.deals(session_id)[-1].number + 1
            body = _checked({"dealer": dealer, "deal": dict(known or {})})
            self._commit(tail, [_Draft(LineKind.DEAL, number, body)])
            return number

    def append(self, session_id: str, entry: Entry, photos: Sequence[bytes] = (), *, deal: int = 1) -> Entry:
        """Make an entry durable, its JPEG pictures first; the entry with their names. Only now may the lamp light.

        An entry's number follows the last one of its deal (or of the session); said twice alike, it is kept once.
        If the disk has no room for pictures the entry is kept without, with the reason in the log.

        :raises BadEntry: if it cannot be the next entry.
        :raises JournalError: if the log cannot be written: nothing was kept, light nothing.
        """
        with self._turn:
            tail = self._tail(session_id)
            if (same := _said_before(tail, entry, deal)) is not None:
                return same
            _check_next(tail, entry, deal)
            names, lost = self._keep_photos(photos)
            names = (*entry.photos, *names)
            body = _checked(entry_body(entry))
            self._commit(tail, [_Draft(LineKind.FACT, deal, body, names, lost)])
            return replace(entry, photos=names)

    def add_rulings(self, session_id: str, entry: int, rulings: Iterable[Ruling], *, deal: int = 1) -> None:
        """Keep what the referee said about an entry, for readers. The log is the truth, this can be told again.

        ``entry`` is the entry that made him say it, `OPENING` for what he says before the first. Not flushed on its
        own (it rides with the next line), so it costs no wait before the lamp.
        """
        with self._turn, self._store.writing(durable=False) as execute:
            add_rulings(execute, self._row(session_id).number, deal, entry, rulings)

    def remark(self, session_id: str, code: Remark, *, deal: int = 1, **data: Any) -> Line:
        """Write a remark of the journal's own into a session's log, also after its end."""
        with self._turn:
            body = _checked({"code": code.value, **data})
            return self._commit(self._tail(session_id), [_Draft(LineKind.NOTE, deal, body)])[-1]

    def end(self, session_id: str, result: Any = None) -> None:
        """Write a session's result (plain JSON values) and that it is over; seals the rulings kept so far."""
        with self._turn:
            tail = self._tail(session_id)
            if tail.ended:
                raise BadEntry(f"session {session_id} is over already")
            deal = self.deals(session_id)[-1].number
            seal = rulings_seal(self._store.rulings(tail.session))
            self._commit(tail, [_Draft(LineKind.END, deal, _checked({"result": result, "rulings": seal}))])
            self._places.spare.close()
            self._store.checkpoint()
            self._reserve.fill()

    # -- reading

    def live(self) -> SessionRow | None:
        """The session that was begun last and is not over, or None."""
        found = self._store.sessions("ended = 0", limit=1)
        return found[0] if found else None

    def session(self, session_id: str) -> SessionRow:
        """A session by its id, by its number, or the newest one for ``last``.

        :raises NoSuchSession: if there is none.
        """
        return self._row(session_id)

    def header(self, session_id: str) -> SessionHeader:
        """What a session is played with."""
        return SessionHeader.from_json(next(self.lines(session_id)).body)

    def deals(self, session_id: str) -> tuple[Deal, ...]:
        """The deals of a session in order; the first stands in the header."""
        header = self.header(session_id)
        sql = "SELECT text FROM line WHERE session = ? AND kind = ? ORDER BY seq"
        later = [read_line(row[0]) for row in self._store.rows(sql, self._row(session_id).number, LineKind.DEAL.value)]
        first = Deal(1, header.dealer, header.deal)
        return (first, *(Deal(line.deal, line.body["dealer"], line.body["deal"]) for line in later))

    def lines(self, session_id: str) -> Iterator[Line]:
        """Every line of a session in order.

        :raises Damaged: at a line that cannot be read; those after it are never passed off as the next ones.
        """
        row = self._row(session_id)
        for seq, kept in enumerate(self._store.lines(row.number)):
            yield _read(row.id, seq, kept)

    def numbered(self, session_id: str) -> Iterator[tuple[Line, Entry]]:
        """The entries of a session with their lines (deal, clocks, why a picture is lacking)."""
        for line in self.lines(session_id):
            if line.kind is LineKind.FACT:
                yield line, line_entry(line)

    def entries(self, session_id: str, *, deal: int | None = None) -> Iterator[Entry]:
        """The entries of a session (or of one of its deals) in order."""
        return (entry for line, entry in self.numbered(session_id) if deal in (None, line.deal))

    def entry(self, session_id: str, number: int, *, deal: int = 1) -> Entry:
        """One entry by its number.

        :raises BadEntry: if there is none.
        """
        sql = "SELECT text FROM line WHERE session = ? AND deal = ? AND entry = ?"
        found = self._store.rows(sql, self._row(session_id).number, deal, number)
        if not found:
            raise BadEntry(f"session {session_id} has no entry {number} in deal {deal}")
        return line_entry(read_line(found[0][0]))

    def rulings(self, session_id: str, *, deal: int | None = None) -> list[RulingRow]:
        """What the referee said in a session, as far as it was kept (see replay.py to tell it again)."""
        number = self._row(session_id).number
        return self._store.rulings(number) if deal is None else self._store.rulings(number, "deal = ?", deal)

    def photo(self, name: str) -> bytes | None:
        """A picture's bytes by its name; None for any name that no line of this journal mentions (E08)."""
        if not is_name(name) or self._store.photo(name) is None:
            return None
        return self.photos.get(name)

    def sessions(self, query: Query | None = None) -> list[Summary]:
        """Sessions that fit a query, newest first; all of them by default."""
        return find(self._store, query or Query())

    def forget(self, session_id: str) -> int:
        """Remove a session's pictures and keep its log; the bytes freed. Pictures that another session has too stay."""
        with self._turn:
            row = self._row(session_id)
            names = [digest.hex() for (digest,) in self._store.rows(_ONLY_HERE, row.number)]
            if names:
                self.remark(row.id, Remark.FORGOTTEN, photos=names)
                self._store.checkpoint()
            return self.photos.remove(names)

    def backup(self, target: Path) -> None:
        """Copy the whole database into one file while it is in use (pictures are not part of it)."""
        self._store.backup(target)

    # -- inner

    def _writable(self) -> None:
        if self._lock is None:
            raise JournalError(f"{self.folder}: the journal was opened for reading only")

    def _row(self, session_id: str) -> SessionRow:
        found = self._store.sessions("id = ?", session_id, limit=1)
        if not found and session_id == "last":
            found = self._store.sessions(limit=1)
        if not found and session_id.isdecimal():
            found = self._store.sessions("number = ?", int(session_id), limit=1)
        if not found:
            raise NoSuchSession(f"no session is called {session_id[:80]!r}: `cardtable sessions` lists them")
        return found[0]

    def _next_id(self) -> tuple[str, int]:
        known = self._store.rows("SELECT coalesce(max(number), 0) FROM session")[0][0]
        number = 1 + max([known, *map(session_number, self._places.spare.ids())])
        token = "".join(ALPHABET[randbelow(len(ALPHABET))] for _ in range(_TOKEN_CHARS)).lower()
        return f"{number:05d}-{token}", number

    def _last_stamp(self) -> Stamp | None:
        rows = self._store.sessions(limit=1)
        last = [read_line(kept.sealed.text) for row in rows for kept in self._store.lines(row.number, row.lines - 1)]
        return last[-1].stamp if last else None

    def _doubt_times(self, boot: str) -> None:
        """The clock was set since the last session: the wall times of those of the same boot are doubtful (E07)."""
        newest = self._store.sessions(limit=_DOUBTED)
        doubtful = [row.number for row in newest if next(self.lines(row.id)).stamp.boot == boot]
        with self._store.writing() as execute:
            for number in doubtful:
                execute("UPDATE session SET uncertain = 1 WHERE number = ?", (number,))

    def _tail(self, session_id: str) -> Tail:
        self._writable()
        if (known := self._tails.get(session_id)) is not None:
            return known
        row = self._row(session_id)
        last = _read(row.id, row.lines - 1, next(self._store.lines(row.number, row.lines - 1)))
        sql = "SELECT text FROM line WHERE session = ? AND entry IS NOT NULL ORDER BY seq DESC LIMIT 1"
        fact = [read_line(found[0]) for found in self._store.rows(sql, row.number)]
        return Tail(row.number, row.id, row.lines, row.head, last.stamp, row.ended, fact[0] if fact else None)

    def _keep_photos(self, photos: Sequence[bytes]) -> tuple[tuple[str, ...], str]:
        """Make pictures durable; their names, and why some are lacking ("" for none)."""
        whole = [data for data in photos if is_whole(data)]
        reason = "damaged" if len(whole) < len(photos) else ""
        if not whole:
            return (), reason
        try:
            refusal = quota.make_room(self, sum(map(len, whole)))
            return ((), refusal) if refusal else (self.photos.put(whole), reason)
        except OSError:
            return (), "disk"  # the fact itself may still find room, and that counts

    def _commit(self, tail: Tail, drafts: list[_Draft]) -> list[Line]:
        """Write lines, durably in both logs, or none of them."""
        stamp = now(self._clock)
        remarks = [] if tail.ended else list(self._before(tail, stamp, drafts[0].deal))
        drafts = [*remarks, *drafts] if tail.seq else [*drafts, *remarks]
        lines = [Line(tail.seq + i, d.kind, d.deal, stamp, d.body, d.photos, d.lost) for i, d in enumerate(drafts)]
        sealed = _seal(tail.head, lines)
        self._tails.pop(tail.id, None)  # until the disk has said yes, only the disk knows where the log ends
        self._write(tail, lines, sealed)
        self._tails[tail.id] = _after(tail, lines, sealed[-1].hash)
        self._repairs.torn.pop(tail.id, None)
        self._known.add(tail.id)
        return lines

    def _before(self, tail: Tail, stamp: Stamp, deal: int) -> Iterator[_Draft]:
        """The remarks that come before the next line: the program came back, the clock was set, a tail was torn."""
        if resumed := tail.seq > 0 and tail.id not in self._known:
            yield _Draft(LineKind.NOTE, deal, {"code": Remark.RESUMED.value})
        if step := step_ns(tail.stamp, stamp):
            yield _Draft(LineKind.NOTE, deal, {"code": Remark.CLOCK_STEP.value, "seconds": step / 1e9})
        if dropped := self._repairs.torn.get(tail.id, 0):
            yield _Draft(LineKind.NOTE, deal, {"code": Remark.TAIL_REPAIRED.value, "bytes": dropped})
        if resumed and self._repairs.rebuilt:
            yield _Draft(LineKind.NOTE, deal, {"code": Remark.REBUILT.value})

    def _write(self, tail: Tail, lines: list[Line], sealed: list[Sealed]) -> None:
        """Write into the database, giving up the reserve if the disk is full, rebuilding it if it breaks."""
        try:
            self._write_rows(tail, lines, sealed)
        except DiskFull:
            if not self._reserve.give_up():
                raise
            self._write_rows(tail, lines, sealed)
        except Damaged:
            self._rebuild()
            self._write_rows(tail, lines, sealed)
        self._write_spare(tail, sealed)

    def _write_rows(self, tail: Tail, lines: list[Line], sealed: list[Sealed]) -> None:
        with self._store.writing() as execute:
            for line, text in zip(lines, sealed, strict=True):
                if line.kind is LineKind.BEGIN:
                    add_session(execute, tail.session, tail.id, line)
                add_line(execute, tail.session, line, text, photo_sizes(self.photos, line.photos))

    def _write_spare(self, tail: Tail, sealed: list[Sealed]) -> None:
        """Add to the spare log. It is the second copy: on a full disk it falls behind and is filled up later."""
        first = self._spare_lacks.get(tail.id, tail.seq)
        if first < tail.seq:
            sealed = [kept.sealed for kept in self._store.lines(tail.session, first)]
        try:
            self._places.spare.append(tail.id, sealed)
            self._spare_lacks.pop(tail.id, None)
        except OSError:
            self._spare_lacks[tail.id] = first
            self._reserve.give_up()

    def _rebuild(self) -> None:
        """The database broke under us: set it aside and carry on with a new one."""
        self._store.close()
        self._places.spare.close()
        self._store, again = open_sound(self._places, self._clock.wall_ns())
        self._repairs.words.extend(again.words)


def _take(folder: Path) -> Lock:
    try:
        make_folder(folder)
    except OSError as error:
        raise from_os(error, folder) from None
    return Lock.take(folder)


def _open_locked(places: Places, lock: Lock, clock: Clock) -> tuple[Store, Repairs]:
    try:
        places.shelf.sweep()
        return open_sound(places, clock.wall_ns())
    except BaseException:
        lock.release()
        raise


def _read(session_id: str, seq: int, kept: LineRow) -> Line:
    try:
        line = read_line(kept.sealed.text)
    except ValueError:
        line = None
    if line is None or line.seq != seq or kept.seq != seq:
        raise Damaged(
            f"session {session_id}: line {seq} of its log is missing or cannot be read: "
            f"`cardtable verify {session_id}` says what is left"
        )
    return line


def _seal(head: str, lines: Iterable[Line]) -> list[Sealed]:
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


def _said_before(tail: Tail, entry: Entry, deal: int) -> Entry | None:
    """The last entry if this is the same one again (a caller that was not sure tries once more)."""
    last = tail.fact
    if last is None or last.deal != deal or dict(last.body) != entry_body(entry):
        return None
    return line_entry(last)


def _check_next(tail: Tail, entry: Entry, deal: int) -> None:
    if tail.ended:
        raise BadEntry(f"session {tail.id} is over: begin a new one")
    last = tail.fact
    expected = {0} if last is None else {last.body["number"] + 1}
    if last is not None and deal > last.deal:
        expected.add(0)
    if entry.number not in expected or (last is not None and deal < last.deal):
        wanted = " or ".join(map(str, sorted(expected)))
        raise BadEntry(f"session {tail.id}: entry {entry.number} of deal {deal} cannot come now, {wanted} is next")


def _checked(body: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        checked: Mapping[str, Any] = json_value(body)
    except ValueError as error:
        raise BadEntry(str(error)) from None
    return checked
