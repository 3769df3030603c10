"""What a start does before anything else: make the database and the spare logs agree, and lose no line doing so.

Damaged files are never deleted, they are set aside with the date (E02). Lines are believed by their hash chain only.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from firmware.referee.match import BadSetup

from .chain import genesis, link
from .errors import JournalError, from_os
from .guard import RESERVE_NAME, make_folder, sync_folder
from .judge import judge, rulings_of
from .lines import LineKind, Sealed, read_line
from .names import counted
from .photos import PhotoShelf
from .rows import Execute, add_line, add_rulings, add_session, drop_session, put_ruling, rulings_seal
from .spare import Spare, SpareText, is_line, safe_name, spare_row
from .store import NAME, RulingRow, SessionRow, Store, open_store, suspect_mark

ASIDE = "set-aside"
Rows = tuple[Sealed, ...]

#: A database up to this size is looked through at every start (measured: tests/bench/bench_journal.py, about 0.1 s
#: for 64 MB); a larger one only after it showed damage, so that the table is ready at once.
LOOK_THROUGH_BYTES = 64 << 20

#: So many of the newest sessions are compared with their spare logs at every start: what a cut write-ahead file can
#: have lost (2 MB, see store.py) lies in them.
COMPARED = 3


@dataclass(slots=True)
class Repairs:
    """What a start put right, in words for the page and the log. ``torn``: dropped bytes by session."""

    words: list[str] = field(default_factory=list)
    torn: dict[str, int] = field(default_factory=dict)
    rebuilt: bool = False


@dataclass(frozen=True, slots=True)
class Places:
    """Where a journal keeps its things."""

    folder: Path
    spare: Spare
    shelf: PhotoShelf


def open_sound(places: Places, wall_ns: int, *, alone: bool = False) -> tuple[Store, Repairs]:
    """The database, whole and in step with the spare logs; what is broken is set aside and rebuilt.

    ``alone``: as for `open_store`.

    :raises JournalError: if the disk cannot be written or the file is not ours to touch.
    """
    repairs = Repairs()
    path = places.folder / NAME
    try:
        _clear_the_way(places, path, repairs, wall_ns)
        store, fault = _try_open(path, expected=bool(places.spare.ids()), alone=alone)
        broken = None if store else _set_aside_database(places.folder, path, wall_ns)
        return _made_sound(store or open_store(path, alone=alone), places, broken, fault, repairs, wall_ns), repairs
    except JournalError:
        raise
    except OSError as error:
        raise from_os(error, places.folder) from None


def _made_sound(store: Store, places: Places, broken: Path | None, fault: str, repairs: Repairs, wall_ns: int) -> Store:
    """Fill a new database from what is left of the ``broken`` one, and hold it against the spare logs."""
    try:
        if fault:
            _rebuild(store, places, broken, repairs, fault)
        _compare(store, places, repairs, wall_ns)
        suspect_mark(store.path).unlink(missing_ok=True)
    except BaseException:
        store.close()
        raise
    return store


def _try_open(path: Path, *, expected: bool, alone: bool) -> tuple[Store | None, str]:
    """The open database, or what is wrong with it; an empty file is wrong if sessions are ``expected``."""
    if expected and (gone := lost(path)):
        return None, gone
    size = path.stat().st_size if path.exists() else 0
    try:
        store = open_store(path, alone=alone)
    except sqlite3.DatabaseError as error:
        return None, str(error)
    looked = size <= LOOK_THROUGH_BYTES or suspect_mark(path).exists()
    if fault := (store.fault() if looked else "") or store.strange():
        store.close()
        return None, fault
    return store, ""


def lost(path: Path) -> str:
    """What betrays a database at ``path`` that is not there any more, "" if it is."""
    if not path.exists():
        return "the file is gone"
    if not path.is_file():
        return "it is no file"
    return "" if path.stat().st_size else "the file is empty"


def _clear_the_way(places: Places, path: Path, repairs: Repairs, wall_ns: int) -> None:
    """Set aside what stands where the journal has a file or a folder and is neither; a link is somebody's wish."""
    files = [*_database_files(path)[1:], suspect_mark(path), places.folder / RESERVE_NAME]
    folders = [places.spare.folder, places.shelf.folder, places.shelf.unnamed]
    wrong = [file for file in files if file.exists() and not file.is_file()]
    wrong += [folder for folder in folders if folder.exists() and not folder.is_dir()]
    for thing in wrong:
        if not thing.is_symlink():
            aside = set_aside(places.folder, [thing], wall_ns)
            kind = "folder" if thing in folders else "file"
            repairs.words.append(f"{thing.name}: what stood there was no {kind} of ours: it was moved to {aside}")


def _set_aside_database(folder: Path, path: Path, wall_ns: int) -> Path | None:
    """Where the broken database lies now; None if there was nothing of it."""
    files = [file for file in _database_files(path) if os.path.lexists(file)]
    return set_aside(folder, files, wall_ns) / path.name if files else None


def _database_files(path: Path) -> list[Path]:
    return [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm")]


def set_aside(folder: Path, files: Sequence[Path], wall_ns: int) -> Path:
    """Move files into a new folder named by the date (and a number: the date may repeat, E07); that folder."""
    day = datetime.fromtimestamp(wall_ns / 1e9, UTC).strftime("%Y-%m-%d")
    home = folder / ASIDE
    make_folder(home)
    number = 1 + sum(1 for _ in home.iterdir())
    target = home / f"{day}-{number}"
    make_folder(target)
    for file in files:
        if os.path.lexists(file):
            os.replace(file, target / file.name)
    sync_folder(target)
    sync_folder(folder)
    return target


# -- rebuilding the database


def _rebuild(store: Store, places: Places, broken: Path | None, repairs: Repairs, fault: str) -> None:
    """Put every session back, from its spare log or from what the broken database still tells, the longer one."""
    entries = sessions = 0
    with _Wreck(broken) as wreck:
        for session_id in sorted(places.spare.ids() | wreck.ids()):
            lines = max(places.spare.read(session_id).lines, trusted(session_id, wreck.lines(session_id)), key=len)
            if lines:
                restore(store, places.shelf, session_id, lines)
                _tell_again(store, session_id, lines, wreck.rulings(session_id))
                sessions, entries = sessions + 1, entries + len(lines)
    store.checkpoint()
    repairs.rebuilt = True
    aside = f"; the old file was moved to {broken.parent}, nothing was deleted" if broken else ""
    repairs.words.append(
        f"{store.path.name} could not be used ({fault}): a new one was made from the spare logs"
        f"{' and what could still be read in the old one' if broken else ''}, with {counted(sessions, 'session')} and "
        f"{counted(entries, 'line')}{aside}"
    )


class _Wreck:
    """A broken database, read as far as it goes."""

    def __init__(self, path: Path | None) -> None:
        """Open ``path`` for reading, if that is possible at all."""
        self._db: sqlite3.Connection | None = None
        if path is not None and path.is_file():
            self._db = sqlite3.connect(path.absolute().as_uri() + "?mode=ro", uri=True)

    def __enter__(self) -> _Wreck:
        return self

    def __exit__(self, *_: object) -> None:
        if self._db is not None:
            self._db.close()

    def ids(self) -> set[str]:
        """The sessions it still names."""
        return {row[0] for row in self._rows("SELECT id FROM session")}

    def lines(self, session_id: str) -> Iterator[Sealed]:
        """The lines it still has of a session, until the first that cannot be read."""
        sql = "SELECT text, hash FROM line WHERE session = (SELECT number FROM session WHERE id = ?) ORDER BY seq"
        for text, digest in self._rows(sql, session_id):
            yield Sealed(text, digest.hex())

    def rulings(self, session_id: str) -> list[RulingRow]:
        """The rulings that it still has of a session; none if it does not have all that were said."""
        sql = (
            "SELECT deal, id, entry, kind, code, text FROM ruling "
            "WHERE session = (SELECT number FROM session WHERE id = ?) ORDER BY deal, id"
        )
        return [RulingRow(*row) for row in self._rows(sql, session_id)]

    def _rows(self, sql: str, *values: str) -> Iterator[tuple[Any, ...]]:
        if self._db is None:
            return
        with suppress(sqlite3.Error):
            yield from self._db.execute(sql, values)


def trusted(session_id: str, lines: Iterator[Sealed]) -> tuple[Sealed, ...]:
    """The lines from the first on that follow from one another."""
    kept: list[Sealed] = []
    head = genesis(session_id)
    for sealed in lines:
        if link(head, sealed.text) != sealed.hash or not is_line(sealed, len(kept)):
            break
        kept.append(sealed)
        head = sealed.hash
    return tuple(kept)


def session_number(session_id: str) -> int:
    """The place of a session in the list, which its id begins with; 0 if it does not."""
    first = session_id.split("-")[0]
    return int(first) if first.isdecimal() else 0


def restore(store: Store, shelf: PhotoShelf, session_id: str, lines: Sequence[Sealed]) -> None:
    """Put a session that is not in the database back, in one transaction; the caller makes it durable."""
    with store.writing(durable=False) as execute:
        put_session(execute, shelf, session_id, lines)


def put_session(execute: Execute, shelf: PhotoShelf, session_id: str, lines: Sequence[Sealed]) -> int:
    """As `restore`, in a transaction that is open; the number that the session got, its own if that is free."""
    wanted = session_number(session_id)
    taken = execute("SELECT 1 FROM session WHERE number = ?", (wanted,)).fetchone()
    if taken or not wanted:
        wanted = _next_number(execute("SELECT max(number) FROM session").fetchone())
    _put(execute, shelf, session_id, wanted, lines)
    return wanted


def relist(store: Store, shelf: PhotoShelf, row: SessionRow, lines: Sequence[Sealed]) -> None:
    """Tell a session's rows and lists again from its lines; rulings that its end did not seal are judged again."""
    left = store.rulings(row.number)
    with store.writing() as execute:
        _put(execute, shelf, row.id, row.number, lines)
    _tell_again(store, row.id, lines, left)
    store.checkpoint()


def _tell_again(store: Store, session_id: str, lines: Sequence[Sealed], left: Sequence[RulingRow]) -> None:
    """Give a session its rulings back: those that are left if they are all that were said, else as they follow.

    A game that this program does not know stays without.
    """
    read = [read_line(sealed.text) for sealed in lines]
    number = store.sessions("id = ?", session_id)[0].number
    seal = read[-1].body.get("rulings") if read[-1].kind is LineKind.END else None
    with store.writing(durable=False) as execute:
        if rulings_seal(left) == seal:  # also where none was kept at the table
            for row in left:
                put_ruling(execute, number, row)
            return
        with suppress(BadSetup, ValueError, KeyError, TypeError):
            for deal, entry, ruling in rulings_of(judge(read)):
                add_rulings(execute, number, deal, entry, [ruling])


def _put(execute: Execute, shelf: PhotoShelf, session_id: str, number: int, lines: Sequence[Sealed]) -> None:
    add_session(execute, number, session_id, read_line(lines[0].text))
    _put_lines(execute, shelf, number, lines)


def _put_lines(execute: Execute, shelf: PhotoShelf, number: int, lines: Sequence[Sealed]) -> None:
    for sealed in lines:
        line = read_line(sealed.text)
        add_line(execute, number, line, sealed, photo_sizes(shelf, line.photos))


def _next_number(found: tuple[int | None]) -> int:
    return (found[0] or 0) + 1


def photo_sizes(shelf: PhotoShelf, names: Sequence[str]) -> dict[str, int]:
    """Bytes of the pictures that are there, by name."""
    sizes = {}
    for name in names:
        with suppress(OSError, ValueError):
            sizes[name] = os.lstat(shelf.path(name)).st_size
    return sizes


# -- comparing the two copies


def _compare(store: Store, places: Places, repairs: Repairs, wall_ns: int) -> None:
    """Make the sessions that may differ agree: those missing on one side, those not ended, and the newest."""
    spare = places.spare.ids()
    kept = {name for (name,) in store.rows("SELECT id FROM session")}
    newest = store.rows(
        "SELECT id FROM session WHERE ended = 0 OR number > (SELECT max(number) FROM session) - ?", COMPARED
    )
    for session_id in sorted(spare - set(map(safe_name, kept))):
        _restore_missing(store, places, session_id, repairs, wall_ns)
    without = {session_id for session_id in kept if safe_name(session_id) not in spare}
    for session_id in sorted(without.union(name for (name,) in newest)):
        agree(store, places, session_id, repairs, wall_ns)


def _restore_missing(store: Store, places: Places, session_id: str, repairs: Repairs, wall_ns: int) -> None:
    text = places.spare.read(session_id)
    if text.lines:
        restore(store, places.shelf, session_id, text.lines)
        _tell_again(store, session_id, text.lines, ())
        repairs.words.append(f"session {session_id} was missing in the database: put back with {len(text.lines)} lines")
    _mend_spare(places, session_id, text, text.lines, repairs, wall_ns)


def agree(store: Store, places: Places, session_id: str, repairs: Repairs, wall_ns: int) -> None:
    """Make the two logs of a session agree, if one of them can be believed."""
    row = store.sessions("id = ?", session_id)[0]
    text = places.spare.read(session_id)
    kept = tuple(line.sealed for line in store.lines(row.number))
    sound = trusted(session_id, iter(kept))
    if len(sound) == len(kept) == row.lines and text.lines[: len(kept)] != kept[: len(text.lines)]:
        repairs.words.append(f"session {session_id}: its two logs differ: see `cardtable verify {session_id}`")
        return
    best = max(sound, text.lines, key=len)
    if best != kept or len(kept) != row.lines:
        _replace(store, places, row, kept, best, repairs, wall_ns)
    _mend_spare(places, session_id, text, best, repairs, wall_ns)


def _replace(
    store: Store, places: Places, row: SessionRow, kept: Rows, best: Rows, repairs: Repairs, wall_ns: int
) -> None:
    """Give the database the lines it should have; lines that are only behind keep their rulings."""
    behind = best[: len(kept)] == kept and len(kept) == row.lines
    aside = None
    if not behind:
        aside = set_aside(places.folder, [], wall_ns)
        (aside / f"{safe_name(row.id)}.jsonl").write_bytes(b"".join(spare_row(sealed) for sealed in kept))
    if not best:
        with store.writing() as execute:
            drop_session(execute, row.number)
        words = f"neither of its logs can be read: it was taken out, what was left of it lies in {aside}"
        repairs.words.append(f"session {row.id}: {words}")
        return
    with store.writing() as execute:
        if behind:
            _put_lines(execute, places.shelf, row.number, best[len(kept) :])
        else:
            _put(execute, places.shelf, row.id, row.number, best)
    _tell_again(store, row.id, best, ())
    moved = f"; the lines that it had were written to {aside}" if aside else ""
    words = f"the database had {counted(len(kept), 'line')} of it, now {len(best)} from the spare log{moved}"
    repairs.words.append(f"session {row.id}: {words}")


def _mend_spare(
    places: Places, session_id: str, text: SpareText, lines: Sequence[Sealed], repairs: Repairs, wall_ns: int
) -> None:
    """Write the spare log anew where it is torn, broken or behind."""
    if text.torn_bytes:
        repairs.torn[session_id] = text.torn_bytes
        repairs.words.append(f"session {session_id}: {text.torn_bytes} bytes of a half-written last line were dropped")
    if text.bad_line or not places.spare.is_file(session_id):
        aside = set_aside(places.folder, [places.spare.path(session_id)], wall_ns)
        fault = (
            f"line {text.bad_line} of its spare log cannot be read" if text.bad_line else "its spare log was no file"
        )
        words = f"{fault}: it was moved to {aside}, a new one has the {counted(len(lines), 'line')} that are known"
        repairs.words.append(f"session {session_id}: {words}")
    if lines and (text.torn_bytes or text.bad_line or len(text.lines) < len(lines)):
        if not (text.torn_bytes or text.bad_line):
            words = f"its spare log had {counted(len(text.lines), 'line')}, now {len(lines)} from the database"
            repairs.words.append(f"session {session_id}: {words}")
        places.spare.rewrite(session_id, lines)
