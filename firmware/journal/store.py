"""The database: one file, write-ahead logging, every commit of a line flushed before it returns.

Speaks in rows and texts; what they mean is decided in journal.py. No cursor stays open between two calls, so no
reader pins the write-ahead file (E04). One lock lets the page's threads read what the table's loop writes.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any

from .errors import DiskFull, JournalError, from_os, from_sqlite, is_damage
from .guard import sync_folder
from .lines import Sealed
from .schema import STEPS, check, migrate, strange, version

NAME = "sessions.db"

#: The write-ahead file is folded into the main file at this many pages (4 kB each, so 2 MB) ...
CHECKPOINT_PAGES = 512
#: ... and cut back to this many bytes when a reader had made it grow (E04 asks for less than 8 MB).
WAL_LIMIT_BYTES = 4 << 20
#: How long a write waits for another program's short read or checkpoint, in ms.
BUSY_MS = 5_000
#: Lines read in one go: about 0.5 MB, and about 5 ms of the lock.
_CHUNK = 1_000


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as the list shows it; ``head`` is the hash of its last line (hex), ``number`` its place."""

    number: int
    id: str
    game: str
    started_ns: int
    ended: bool
    lines: int
    entries: int
    head: str
    disputes: int
    uncertain: bool
    club: str


@dataclass(frozen=True, slots=True)
class LineRow:
    """A line as the database keeps it: the sealed text and the columns told again from it."""

    seq: int
    kind: str
    deal: int
    entry: int | None
    sealed: Sealed


@dataclass(frozen=True, slots=True)
class RulingRow:
    """A ruling as it was shown: ``text`` is its JSON."""

    deal: int
    id: int
    entry: int
    kind: str
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class PhotoRow:
    """A picture: its hash (hex), size, and whether it was removed on purpose."""

    hash: str
    bytes: int
    gone: bool


_SESSION = "number, id, game, started_ns, ended, lines, entries, head, disputes, uncertain, club"


class Store:
    """One open database file."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Use an open ``connection`` to ``path``; see `open_store`."""
        self.path = path
        self._db = connection
        self._lock = RLock()

    # -- reading

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of a question, read at once.

        :raises JournalError: if the file cannot be read.
        """
        with self._lock, self._told():
            try:
                return self._db.execute(sql, values).fetchall()
            except UnicodeEncodeError:  # a text with half a character in it is none that a row can have
                return []

    def sessions(self, where: str = "1", *values: Any, limit: int = -1) -> list[SessionRow]:
        """Sessions that fit a condition, newest first."""
        sql = f"SELECT {_SESSION} FROM session WHERE {where} ORDER BY number DESC LIMIT ?"
        return [_session(row) for row in self.rows(sql, *values, limit)]

    def lines(self, session: int, first: int = 0, last: int = 1 << 60) -> Iterator[LineRow]:
        """The lines of a session from seq ``first`` to ``last`` in order, in chunks and with no open cursor."""
        sql = (
            "SELECT seq, kind, deal, entry, text, hash FROM line "
            "WHERE session = ? AND seq >= ? AND seq <= ? ORDER BY seq LIMIT ?"
        )
        while chunk := self.rows(sql, session, first, last, _CHUNK):
            yield from (_line(row) for row in chunk)
            if len(chunk) < _CHUNK:
                return
            first = chunk[-1][0] + 1

    def rulings(self, session: int, where: str = "1", *values: Any) -> list[RulingRow]:
        """A session's rulings in order, as far as they were kept."""
        sql = f"SELECT deal, id, entry, kind, code, text FROM ruling WHERE session = ? AND {where} ORDER BY deal, id"
        return [RulingRow(*row) for row in self.rows(sql, session, *values)]

    def photo(self, name: str) -> PhotoRow | None:
        """What is known of a picture, None if no line ever named it."""
        found = self.rows("SELECT bytes, gone FROM photo WHERE hash = ?", bytes.fromhex(name))
        return PhotoRow(name, found[0][0], bool(found[0][1])) if found else None

    def photo_bytes(self) -> int:
        """The size of all pictures kept, in bytes."""
        return int(self.rows("SELECT coalesce(sum(bytes), 0) FROM photo WHERE gone = 0")[0][0])

    # -- writing

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Callable[..., sqlite3.Cursor]]:
        """One transaction, whole or not at all; flushed to the disk before it ends unless ``durable`` is False.

        What can be told again from the lines need not be durable: it is safe from a stopped program either way.

        :raises JournalError: if the file cannot be written; nothing of the transaction is kept.
        """
        with self._lock, self._told():
            self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db.execute
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def checkpoint(self) -> None:
        """Fold the write-ahead file into the main file and cut it to nothing, as far as readers and the disk allow.

        What was to be durable is so before; on a full disk it stays in the write-ahead file.
        """
        with suppress(DiskFull), self._lock, self._told():
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def backup(self, target: Path) -> None:
        """Copy the database, write-ahead part and all, into one file (E03: never by copying the main file)."""
        with self._lock, self._told():
            other = sqlite3.connect(target)
            try:
                self._db.backup(other)
                other.execute("PRAGMA journal_mode = DELETE").fetchall()
            finally:
                other.close()

    @contextmanager
    def still(self) -> Iterator[None]:
        """Whatever is read meanwhile is of one moment, also while another program writes. For short questions only."""
        with self._lock, self._told():
            if self._db.in_transaction:
                yield
                return
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.execute("ROLLBACK")

    def strange(self) -> str:
        """What of the file's tables and triggers is not as this program makes them, in words; "" for nothing."""
        with self._lock, self._told():
            return strange(self._db)

    def fault(self) -> str:
        """What a look through the whole file finds wrong, "" for nothing."""
        try:
            with self._lock:
                found = self._db.execute("PRAGMA quick_check(1)").fetchall()
        except sqlite3.DatabaseError as error:
            return str(error)
        return "" if found == [("ok",)] else str(found[0][0])

    def close(self) -> None:
        """Close the file; the write-ahead part is folded in."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if is_damage(error):
                mark_suspect(self.path)
            raise from_sqlite(error, self.path) from error


def suspect_mark(path: Path) -> Path:
    """The file that says that the database at ``path`` showed damage and must be looked through at the next start."""
    return path.with_name(path.name + "-suspect")


def mark_suspect(path: Path) -> None:
    """Ask the next start to look through the whole database; quietly nothing on a disk that cannot be written."""
    with suppress(OSError):
        suspect_mark(path).touch()


def open_store(path: Path, *, alone: bool = False) -> Store:
    """Open or create the database for writing, and bring its tables up to date.

    ``alone``: nobody reads beside it, so that it needs no file for the index shared with readers: not a byte of room.

    :raises sqlite3.DatabaseError: if the file is damaged.
    :raises JournalError: if it is not ours, from a newer program, or cannot be written.
    """
    connection = _connected(path, path, timeout=BUSY_MS / 1000)
    try:
        if alone:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
        check(connection, path)
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}").fetchall()
        connection.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT_BYTES}").fetchall()
        _upgrade(connection, path)
        sync_folder(path.parent)
    except sqlite3.Error as error:
        connection.close()
        if is_damage(error):
            raise
        raise from_sqlite(error, path) from error
    except BaseException:
        connection.close()
        raise
    return Store(connection, path)


def open_to_read(path: Path) -> Store:
    """Open the database without the right to change anything, also on a disk that cannot be written.

    A missing file reads as a journal without sessions; an older one as it would be after its next start.

    :raises JournalError: if the file cannot be read, or needs a newer program.
    """
    try:
        connection = _connect_to_read(path)
    except JournalError:
        raise
    except OSError as error:
        raise from_os(error, path) from None
    try:
        check(connection, path)
        if version(connection) < len(STEPS):
            connection = _brought_up_to_date(connection)
    except sqlite3.Error as error:
        connection.close()
        raise from_sqlite(error, path) from error
    except BaseException:
        connection.close()
        raise
    return Store(connection, path)


def _brought_up_to_date(old: sqlite3.Connection) -> sqlite3.Connection:
    """An older database in memory, as this program would have it; the file stays as it is."""
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    with closing(old):
        old.backup(memory)
    migrate(memory)
    return memory


def _connect_to_read(path: Path) -> sqlite3.Connection:
    if not path.exists() or path.stat().st_size == 0:
        empty = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        migrate(empty)
        return empty
    address = path.absolute().as_uri() + "?mode=ro"
    found = _try_to_read(address)
    if found is None:
        found = _read_copy(path) if _has_wal(path) else _try_to_read(address + "&immutable=1")
    return found or _connected(address, path, uri=True)


def _connected(address: Path | str, path: Path, **more: Any) -> sqlite3.Connection:
    """A connection to the file at ``path``.

    :raises JournalError: if it cannot be opened.
    """
    try:
        found: sqlite3.Connection = sqlite3.connect(address, isolation_level=None, check_same_thread=False, **more)
    except sqlite3.Error as error:
        raise from_sqlite(error, path) from error
    return found


def _has_wal(path: Path) -> bool:
    wal = path.with_name(path.name + "-wal")
    return wal.exists() and wal.stat().st_size > 0


def _read_copy(path: Path) -> sqlite3.Connection | None:
    """The database with its write-ahead part, copied from a disk on which it cannot be opened."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        for suffix in ("", "-wal"):
            shutil.copyfile(path.with_name(path.name + suffix), copy.with_name(path.name + suffix))
        return _into_memory(copy)


def _into_memory(path: Path) -> sqlite3.Connection | None:
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    source = sqlite3.connect(path)
    try:
        source.backup(memory)
    except sqlite3.Error:
        memory.close()
        return None
    finally:
        source.close()
    return memory


def _try_to_read(address: str) -> sqlite3.Connection | None:
    try:
        connection = sqlite3.connect(
            address, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_MS / 1000
        )
    except sqlite3.Error:
        return None
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except sqlite3.Error:
        connection.close()
        return None
    return connection


def _upgrade(connection: sqlite3.Connection, path: Path) -> None:
    """Migrate, after a copy of an older file was put beside it."""
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if 0 < found < len(STEPS):
        copy = sqlite3.connect(path.with_name(f"{path.stem}-schema-{found}.db"))
        try:
            connection.backup(copy)
        finally:
            copy.close()
    migrate(connection)


def _session(row: Sequence[Any]) -> SessionRow:
    number, name, game, started, ended, lines, entries, head, disputes, uncertain, club = row
    marks = (disputes, bool(uncertain), club)
    return SessionRow(number, name, game, started, bool(ended), lines, entries, head.hex(), *marks)


def _line(row: Sequence[Any]) -> LineRow:
    seq, kind, deal, entry, text, digest = row
    return LineRow(seq, kind, deal, entry, Sealed(text, digest.hex()))
