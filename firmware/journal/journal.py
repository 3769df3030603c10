"""The session log: photo, then log, then light.

`Journal.append` returns only when the pictures and the line are durable, so a lamp lit after it always has both behind
it. A program that was killed comes back by reading the live session's lines and folding them through the referee.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from secrets import randbelow
from threading import RLock
from typing import Any, TypeVar, cast

from firmware.referee.events import Entry
from firmware.referee.rulings import Ruling

from . import quota
from .chain import ALPHABET, genesis
from .clock import Clock, Stamp, SystemClock, now, step_ns
from .errors import BadEntry, Damaged, DiskFull, JournalError, NoSuchSession, from_os
from .guard import Lock, Reserve, free_bytes, make_folder
from .judge import OPENING as OPENING  # for those who keep what was said before the first entry
from .judge import deals_of
from .lines import UNFINISHED, Line, LineKind, Remark, SessionHeader, entries_of, entry_body, line_entry, read_line
from .lines import Deal as Deal
from .listing import Query, Summary, find
from .names import counted
from .pen import Draft, Pen, Tail, read_row, read_text, unreadable
from .photos import FOLDER as PHOTO_FOLDER
from .photos import PhotoShelf, is_name, is_whole
from .recover import Places, Repairs, lost, open_sound, session_number
from .rows import add_rulings, json_value, rulings_seal
from .spare import FOLDER as SPARE_FOLDER
from .spare import Spare, safe_name
from .store import NAME, RulingRow, SessionRow, Store, open_to_read
from .wear import Wear, written_bytes

#: Random letters after a session's number, so that sessions of two tables rarely have the same name: 1 in a million.
_TOKEN_CHARS = 4

#: When the clock is set, so many of the newest sessions are looked at for the same boot; more evenings than that
#: without switching the table off are not expected.
_DOUBTED = 50


#: Opening the database takes less than this: 32 kB for the index shared with readers, and what repairs may write.
_OPENING_BYTES = 1 << 20

#: Less than this is no remedy for a full disk.
_WORTH_FORGETTING_BYTES = 1_000_000

_ONLY_HERE = """
SELECT DISTINCT hash FROM evidence AS mine WHERE session = ?1
AND NOT EXISTS (SELECT 1 FROM evidence AS e WHERE e.hash = mine.hash AND e.session <> ?1) ORDER BY hash
"""


_Method = TypeVar("_Method", bound=Callable[..., Any])


def _writes(method: _Method) -> _Method:
    """One writer at a time; and if the database breaks meanwhile it is rebuilt, and the method runs once more.

    A full disk is told with what of the journal's own could go.
    """

    @wraps(method)
    def guarded(journal: Journal, *args: Any, **kwargs: Any) -> Any:
        with journal._turn:
            journal._writable()
            try:
                return method(journal, *args, **kwargs)
            except Damaged:
                journal._pen.rebuild()
                return method(journal, *args, **kwargs)
            except DiskFull as error:
                more = journal.spare_words()
                raise DiskFull(str(error) if more in str(error) else f"{error}{more}") from error

    return cast(_Method, guarded)


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
        self._clock = clock
        self._lock = lock
        self._pen = Pen(places, store, clock, repairs)
        self._turn = RLock()
        self._began: dict[str, tuple[int, int]] = {}

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        clock: Clock | None = None,
        read_only: bool = False,
        alone: bool = False,
        photo_quota_bytes: int = quota.QUOTA_BYTES,
    ) -> Journal:
        """Open the journal in ``folder`` (made if missing), and put right what a crash or a bad disk left.

        With ``read_only`` nothing is changed or repaired, and a program that writes does not stand in the way. With
        ``alone`` nobody can read meanwhile, and it opens on a disk without a byte of room.

        :raises JournalBusy: if another program writes it.
        :raises JournalError: if it cannot be opened; the line says what to do.
        """
        clock = clock or SystemClock()
        places = Places(folder, Spare(folder / SPARE_FOLDER), PhotoShelf(folder / PHOTO_FOLDER))
        if read_only:
            _check_not_lost(places)
            store, lock, repairs = open_to_read(folder / NAME), None, Repairs()
        else:
            lock = _take(folder)
            store, repairs = _open_locked(places, lock, clock, alone)
        journal = cls(places, store, clock=clock, lock=lock, repairs=repairs, photo_quota_bytes=photo_quota_bytes)
        if lock is not None:
            journal._pen.reserve.fill()
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
            self.store.close()
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    @property
    def store(self) -> Store:
        """The database, for the readers of this package."""
        return self._pen.store

    @property
    def places(self) -> Places:
        """Where the journal keeps its files, for the readers of this package."""
        return self._places

    @property
    def still(self) -> AbstractContextManager[object]:
        """While this is held (``with journal.still:``) this program writes nothing."""
        return self._turn

    @property
    def read_only(self) -> bool:
        """Whether this journal may only be read, so that another program may be writing it."""
        return self._lock is None

    @property
    def notices(self) -> tuple[str, ...]:
        """What was put right at the start, in words; the page shows them."""
        return tuple(self._pen.repairs.words)

    # -- writing

    @_writes
    def begin(self, header: SessionHeader) -> str:
        """Begin a session; its id. A session that was still open is closed as unfinished.

        :raises BadEntry: if the header names no seats or cannot be written as JSON.
        """
        if not header.seats:
            raise BadEntry("a session needs at least one seat")
        if (open_one := self.live()) is not None:
            self.end(open_one.id, dict(UNFINISHED))
        present = now(self._clock)
        previous = self._last_stamp() or present
        if previous.boot == present.boot and (step := step_ns(previous, present)):
            self._doubt_times(previous.boot, step / 1e9)
        session_id, number = self._next_id()
        self._meter(session_id)
        tail = Tail(number, session_id, 0, genesis(session_id), previous)
        self._pen.commit(tail, [Draft(LineKind.BEGIN, 1, _checked(header.to_json()))])
        return session_id

    @_writes
    def next_deal(self, session_id: str, dealer: int | None, known: Mapping[str, Any] | None = None) -> int:
        """Write that a further deal begins; its number, to be given to `append`."""
        tail = self._tail(session_id)
        number = self.deals(session_id)[-1].number + 1
        body = _checked({"dealer": dealer, "deal": dict(known or {})})
        self._pen.commit(tail, [Draft(LineKind.DEAL, number, body)])
        return number

    @_writes
    def append(self, session_id: str, entry: Entry, photos: Sequence[bytes] = (), *, deal: int = 1) -> Entry:
        """Make an entry durable, its JPEG pictures first; the entry with their names. Only now may the lamp light.

        An entry's number follows the last one of its deal (or of the session); said twice alike, it is kept once.
        If the disk has no room for pictures the entry is kept without, with the reason in the log.

        :raises BadEntry: if it cannot be the next entry.
        :raises JournalError: if the log cannot be written: nothing was kept, light nothing.
        """
        tail = self._tail(session_id)
        if (same := _said_before(tail, entry, deal)) is not None:
            return same
        _check_next(tail, entry, deal)
        names, lost = self._keep_photos(photos)
        names = (*entry.photos, *names)
        body = _checked(entry_body(entry))
        self._pen.commit(tail, [Draft(LineKind.FACT, deal, body, names, lost)])
        return replace(entry, photos=names)

    @_writes
    def add_rulings(self, session_id: str, entry: int, rulings: Sequence[Ruling], *, deal: int = 1) -> None:
        """Keep what the referee said about an entry, for readers. The log is the truth, this can be told again.

        ``entry`` is the entry that made him say it, `OPENING` for what he says before the first. Not flushed on its
        own (it rides with the next line), so it costs no wait before the lamp; a disk that refuses keeps nothing.
        """
        try:
            number = self._row(session_id).number
            with self.store.writing(durable=False) as execute:
                add_rulings(execute, number, deal, entry, rulings)
        except (Damaged, NoSuchSession):
            raise
        except JournalError:  # the entry stands in the log, and its lamp may light
            return

    @_writes
    def remark(self, session_id: str, code: Remark, *, deal: int = 1, **data: Any) -> Line:
        """Write a remark of the journal's own into a session's log, also after its end."""
        body = _checked({"code": code.value, **data})
        return self._pen.commit(self._tail(session_id), [Draft(LineKind.NOTE, deal, body)])[-1]

    @_writes
    def end(self, session_id: str, result: Any = None) -> None:
        """Write a session's result (plain JSON values) and that it is over; seals the rulings kept so far."""
        tail = self._tail(session_id)
        if tail.ended:
            raise BadEntry(f"session {session_id} is over already")
        deal = self.deals(session_id)[-1].number
        seal = rulings_seal(self.store.rulings(tail.session))
        written = {} if (wear := self.wear(session_id)) is None else {"written": wear.to_json()}
        body = _checked({"result": result, "rulings": seal, **written})
        self._pen.commit(tail, [Draft(LineKind.END, deal, body)])
        self._places.spare.close()
        self.store.checkpoint()
        self._pen.reserve.fill()

    # -- reading

    def wear(self, session_id: str) -> Wear | None:
        """What this program has written to its disks since it began (or resumed) a session; None if it did neither."""
        if (began := self._began.get(session_id)) is None:
            return None
        before, since_ns = began
        return Wear(written_bytes() - before, (self._clock.mono_ns() - since_ns) / 1e9)

    def live(self) -> SessionRow | None:
        """The session that was begun last and is not over, or None."""
        found = self.store.sessions("ended = 0", limit=1)
        return found[0] if found else None

    def session(self, session_id: str) -> SessionRow:
        """A session by its id, by its number, or the newest one for ``last``.

        :raises NoSuchSession: if there is none.
        """
        return self._row(session_id)

    def header(self, session_id: str) -> SessionHeader:
        """What a session is played with.

        :raises Damaged: if its first line is not its beginning.
        """
        first = next(self.lines(session_id), None)
        if first is None or first.kind is not LineKind.BEGIN:
            raise unreadable(session_id, 0)
        return SessionHeader.from_json(first.body)

    def deals(self, session_id: str) -> tuple[Deal, ...]:
        """The deals of a session in order; the first stands in the header."""
        sql = "SELECT text FROM line WHERE session = ? AND kind IN (?, ?) ORDER BY seq"
        number = self._row(session_id).number
        found = self.store.rows(sql, number, LineKind.BEGIN.value, LineKind.DEAL.value)
        return deals_of(read_text(session_id, text) for (text,) in found)

    def lines(self, session_id: str) -> Iterator[Line]:
        """Every line of a session in order.

        :raises Damaged: at a line that cannot be read; those after it are never passed off as the next ones.
        """
        row = self._row(session_id)
        for seq, kept in enumerate(self.store.lines(row.number)):
            yield read_row(row.id, seq, kept)

    def numbered(self, session_id: str) -> Iterator[tuple[Line, Entry]]:
        """The entries of a session with their lines (deal, clocks, why a picture is lacking)."""
        return entries_of(self.lines(session_id))

    def entries(self, session_id: str, *, deal: int | None = None) -> Iterator[Entry]:
        """The entries of a session (or of one of its deals) in order."""
        return (entry for line, entry in self.numbered(session_id) if deal in (None, line.deal))

    def entry(self, session_id: str, number: int, *, deal: int = 1) -> Entry:
        """One entry by its number.

        :raises BadEntry: if there is none.
        """
        sql = "SELECT text FROM line WHERE session = ? AND deal = ? AND entry = ?"
        found = self.store.rows(sql, self._row(session_id).number, deal, number)
        if not found:
            raise BadEntry(f"session {session_id} has no entry {number} in deal {deal}")
        return line_entry(read_text(session_id, found[0][0]))

    def rulings(self, session_id: str, *, deal: int | None = None) -> list[RulingRow]:
        """What the referee said in a session, as far as it was kept (see replay.py to tell it again)."""
        number = self._row(session_id).number
        return self.store.rulings(number) if deal is None else self.store.rulings(number, "deal = ?", deal)

    def photo(self, name: str) -> bytes | None:
        """A picture's bytes by its name; None for any name that no line of this journal mentions (E08)."""
        if not is_name(name) or self.store.photo(name) is None:
            return None
        return self.photos.get(name)

    def sessions(self, query: Query | None = None) -> list[Summary]:
        """Sessions that fit a query, newest first; all of them by default."""
        return find(self.store, query or Query())

    def untold(self, club: str, hub: str, recent: int) -> list[SessionRow]:
        """The sessions played as table ``club`` of a club that ``hub`` is not known to have whole, oldest first.

        The log is the spool: what is to be told is read from it. The ``recent`` newest sessions are always there, so
        that a hub which lost some of them says so.
        """
        newest = "SELECT number FROM session WHERE club = ? AND club <> '' ORDER BY number DESC LIMIT ?"
        told = "SELECT 1 FROM told WHERE hub = ? AND told.session = number AND told.lines >= session.lines"
        where = f"club = ? AND club <> '' AND (number IN ({newest}) OR NOT EXISTS ({told}))"
        return self.store.sessions(where, club, club, recent, hub)[::-1]

    @_writes
    def mark_told(self, hub: str, session_id: str, lines: int) -> None:
        """Keep that ``hub`` has the first ``lines`` lines of a session. Not flushed: lost, it is told once more."""
        number = self._row(session_id).number
        if self.store.rows("SELECT 1 FROM told WHERE hub = ? AND session = ? AND lines >= ?", hub, number, lines):
            return
        with suppress(DiskFull), self.store.writing(durable=False) as execute:
            execute("INSERT OR REPLACE INTO told VALUES (?, ?, ?)", (hub, number, lines))

    @_writes
    def forget(self, session_id: str) -> int:
        """Remove a session's pictures and keep its log; the bytes freed. Pictures that another session has too stay."""
        row = self._row(session_id)
        names = [digest.hex() for (digest,) in self.store.rows(_ONLY_HERE, row.number)]
        freed = 0
        if names:
            try:
                self.remark(row.id, Remark.FORGOTTEN, photos=names)
            except DiskFull:  # their own room is what the log's line needs; they were to go anyway
                freed = self.photos.remove(names)
                self.remark(row.id, Remark.FORGOTTEN, photos=names)
            self.store.checkpoint()
        return freed + self.photos.remove(names)

    def missing(self) -> list[str]:
        """Sessions of which only the spare log is left; a start or `cardtable repair` puts them back."""
        spare = self._places.spare.ids()  # first: a session that begins meanwhile is in the database before
        kept = {safe_name(name) for (name,) in self.store.rows("SELECT id FROM session")}
        return sorted(spare - kept)

    def present(self) -> Stamp:
        """The present moment on the journal's clock."""
        return now(self._clock)

    def spare_words(self) -> str:
        """What of the journal's own could make room on a full disk, to be added to a refusal; "" for nothing."""
        sql = (
            "SELECT coalesce(sum(bytes), 0) FROM photo WHERE gone = 0 AND hash IN (SELECT hash FROM evidence "
            "JOIN session ON session.number = evidence.session WHERE session.ended = 1)"
        )
        try:
            kept_bytes = int(self.store.rows(sql)[0][0])
        except JournalError:
            return ""
        if kept_bytes < _WORTH_FORGETTING_BYTES:
            return ""
        return f", or end the table and `cardtable forget` sessions: {kept_bytes / 1e6:.0f} MB of pictures are kept"

    def backup(self, target: Path) -> None:
        """Copy the whole database into one file while it is in use (pictures are not part of it)."""
        self.store.backup(target)

    # -- inner

    def _writable(self) -> None:
        if self._lock is None:
            raise JournalError(f"{self.folder}: the journal was opened for reading only")

    def _row(self, session_id: str) -> SessionRow:
        found = self.store.sessions("id = ?", session_id, limit=1)
        if not found and session_id == "last":
            found = self.store.sessions(limit=1)
        if not found and session_id.isdecimal():
            found = self.store.sessions("number = ?", int(session_id), limit=1)
        if not found and session_id == "last":
            raise NoSuchSession(f"no session is kept in {self._places.folder} yet; CARDTABLE_DATA names another folder")
        if not found and session_id in self._places.spare.ids():
            words = "is missing in the database; its spare log is here: `cardtable repair` puts it back"
            raise NoSuchSession(f"session {session_id} {words}")
        if not found:
            raise NoSuchSession(f"no session is called {session_id[:80]!r}: `cardtable sessions` lists them")
        return found[0]

    def _next_id(self) -> tuple[str, int]:
        known = self.store.rows("SELECT coalesce(max(number), 0) FROM session")[0][0]
        number = 1 + max([known, *map(session_number, self._places.spare.ids())])
        token = "".join(ALPHABET[randbelow(len(ALPHABET))] for _ in range(_TOKEN_CHARS)).lower()
        return f"{number:05d}-{token}", number

    def _last_stamp(self) -> Stamp | None:
        rows = self.store.sessions(limit=1)
        last = [kept.sealed.text for row in rows for kept in self.store.lines(row.number, row.lines - 1)]
        with suppress(ValueError):  # a line that cannot be read tells no time; `verify` tells of it
            return read_line(last[-1]).stamp if last else None
        return None

    def _doubt_times(self, boot: str, seconds: float) -> None:
        """The clock was set since the last session: the logs of those of the same boot say so, oldest first (E07)."""
        for row in reversed(self.store.sessions("uncertain = 0", limit=_DOUBTED)):
            with suppress(Damaged, StopIteration):
                if next(self.lines(row.id)).stamp.boot == boot:
                    self.remark(row.id, Remark.CLOCK_STEP, seconds=seconds)

    def _tail(self, session_id: str) -> Tail:
        row = self._row(session_id)
        self._meter(row.id)
        return self._pen.tail(row)

    def _meter(self, session_id: str) -> None:
        self._began.setdefault(session_id, (written_bytes(), self._clock.mono_ns()))

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


def _check_not_lost(places: Places) -> None:
    """A database that is gone is not a journal without sessions.

    :raises Damaged: if there are spare logs and no database.
    """
    path = places.folder / NAME
    try:
        fault = lost(path)
    except OSError as error:
        raise from_os(error, path) from None
    if fault and (count := len(places.spare.ids())):
        words = f"{fault}, but the spare logs of {counted(count, 'session')} are here"
        raise Damaged(f"{path}: {words}: `cardtable repair` makes it anew from them (the table does it when it starts)")


def _take(folder: Path) -> Lock:
    try:
        make_folder(folder)
    except OSError as error:
        raise from_os(error, folder) from None
    return Lock.take(folder)


def _open_locked(places: Places, lock: Lock, clock: Clock, alone: bool) -> tuple[Store, Repairs]:
    try:
        if free_bytes(places.folder) < _OPENING_BYTES:
            Reserve(places.folder).give_up()
        sound = open_sound(places, clock.wall_ns(), alone=alone)
        places.shelf.sweep()
        return sound
    except BaseException:
        lock.release()
        raise


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
