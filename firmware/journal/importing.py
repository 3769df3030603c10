"""A session exported elsewhere, put into this journal: only if its chain and every picture are whole."""

from __future__ import annotations

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from .chain import parsed
from .errors import BadArchive, JournalError, NoSuchSession, from_os
from .export import FORMAT, LOG, MANIFEST, PICTURES, RULINGS
from .journal import Journal
from .lines import Line, LineKind, Sealed, read_line
from .photos import MAX_BYTES, is_name, is_whole, photo_hash
from .recover import restore
from .rows import removed_photos
from .spare import parse

#: A log larger than this is not one of ours: the longest known deal (8,344 cards) has 3 MB.
MOST_TEXT_BYTES = 256 << 20
#: The manifest has less than 1 kB, a ruling about 300 bytes (so 50,000 of them fit). Both are parsed in one go, which
#: takes up to twenty times their size in memory.
MOST_BYTES = {MANIFEST: 1 << 20, RULINGS: 16 << 20}

_ID = re.compile(r"[0-9]{1,9}-[0-9a-z]{1,16}")


@dataclass(frozen=True, slots=True)
class _Archive:
    """What a ZIP file holds, checked."""

    id: str
    lines: tuple[Sealed, ...]
    read: tuple[Line, ...]
    rulings: tuple[tuple[int, int, int, str, str, str], ...]
    pictures: tuple[str, ...]


def import_zip(journal: Journal, path: Path) -> str:
    """Put a session from a file of `export_zip` into the journal; its id. If it is here already nothing changes.

    One that was not over is closed as unfinished, so that no game of another table is resumed here.

    :raises BadArchive: if the file is no whole export, or another session of that name is here.
    """
    try:
        with _opened(path) as opened, zipfile.ZipFile(opened) as file:
            archive = _checked(file, path)
            if _here(journal, archive, path):
                return archive.id
            for name in archive.pictures:
                journal.photos.put([_picture(file, name, path)])
            _put(journal, archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
        raise BadArchive(f"{path}: not a whole ZIP file ({error}): copy or export it again") from None
    except JournalError:
        raise
    except OSError as error:
        raise from_os(error, path) from None
    return archive.id


def _opened(path: Path) -> BinaryIO:
    """The file at ``path``; a device or a pipe, which may never end or never begin, is not even read.

    :raises BadArchive: if it is no ordinary file.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise BadArchive(f"{path}: is no ordinary file: give a ZIP file of `cardtable export --format zip`")
    return os.fdopen(handle, "rb")


def _checked(file: zipfile.ZipFile, path: Path) -> _Archive:
    """The archive's session, its chain and lists checked; pictures are checked one by one as they are read."""
    manifest = _json(file, MANIFEST, path)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BadArchive(f"{path}: {MANIFEST} does not say {FORMAT!r}: only files of `cardtable export --format zip`")
    session_id = str(manifest.get("id"))
    if not _ID.fullmatch(session_id):
        raise BadArchive(f"{path}: {session_id[:80]!r} cannot be a session's name")
    data = _member(file, LOG, path, MOST_TEXT_BYTES)
    text = parse(session_id, data)
    if text.bad_line or text.torn_bytes or not text.lines or text.lines[-1].hash != manifest.get("head"):
        raise BadArchive(
            f"{path}: the log in it was changed or cut after line {len(text.lines)}: ask for the file again"
        )
    read = tuple(read_line(sealed.text) for sealed in text.lines)
    _check_lines(read, path)
    return _Archive(session_id, text.lines, read, _rulings(file, path), _wanted(read))


def _check_lines(lines: Sequence[Line], path: Path) -> None:
    """A chain can be whole and yet hold what no journal writes."""
    if [line.seq for line in lines if line.kind is LineKind.BEGIN] != [0]:
        raise BadArchive(f"{path}: the log does not begin with a session")
    for line in lines:
        if not all(is_name(name) for name in (*line.photos, *removed_photos(line))):
            words = "a picture with an impossible name"
            raise BadArchive(f"{path}: line {line.seq} of the log is none that a journal writes ({words})")


def _wanted(lines: Iterable[Line]) -> tuple[str, ...]:
    """The pictures that the log names and does not say were removed."""
    kept = list(lines)
    removed = {name for line in kept for name in removed_photos(line)}
    return tuple(sorted({name for line in kept for name in line.photos} - removed))


def _rulings(file: zipfile.ZipFile, path: Path) -> tuple[tuple[int, int, int, str, str, str], ...]:
    rows = _json(file, RULINGS, path)
    kinds = (int, int, int, str, str, str)
    fit = isinstance(rows, list) and all(
        isinstance(row, list) and tuple(type(value) for value in row) == kinds for row in rows
    )
    if not fit:
        raise BadArchive(f"{path}: {RULINGS} is not a list of rulings")
    return tuple((a, b, c, d, e, f) for a, b, c, d, e, f in rows)


def _picture(file: zipfile.ZipFile, name: str, path: Path) -> bytes:
    data = _member(file, f"{PICTURES}{name}.jpg", path, MAX_BYTES)
    if photo_hash(data) != name or not is_whole(data):
        raise BadArchive(f"{path}: picture {name[:12]} is not the one that the log names: ask for the file again")
    return data


def _json(file: zipfile.ZipFile, name: str, path: Path) -> Any:
    try:
        return parsed(_member(file, name, path, MOST_BYTES[name]))
    except ValueError as error:
        raise BadArchive(f"{path}: {name} is not JSON ({error})") from None


def _member(file: zipfile.ZipFile, name: str, path: Path, most: int) -> bytes:
    """One file of the archive, by exactly this name and never more than ``most`` bytes."""
    try:
        info = file.getinfo(name)
    except KeyError:
        raise BadArchive(f"{path}: {name} is missing in it: export the session again") from None
    if info.file_size > most:
        raise BadArchive(f"{path}: {name} has {info.file_size} bytes, that is no export of ours")
    with file.open(info) as member:
        return member.read(most)


def _here(journal: Journal, archive: _Archive, path: Path) -> bool:
    """Whether this very session is here; also if it was continued (or its pictures forgotten) since."""
    try:
        row = journal.session(archive.id)
    except NoSuchSession:
        return False
    kept = [line.sealed for line in journal.store.lines(row.number)]
    if tuple(kept[: len(archive.lines)]) == archive.lines:
        return True
    raise BadArchive(f"{path}: another session called {archive.id} is here: it stays as it is, nothing was imported")


def _put(journal: Journal, archive: _Archive) -> None:
    restore(journal.store, journal.photos, archive.id, archive.lines)
    number = journal.session(archive.id).number
    with journal.store.writing() as execute:
        for row in archive.rulings:
            execute("INSERT OR REPLACE INTO ruling VALUES (?, ?, ?, ?, ?, ?, ?)", (number, *row))
    journal.places.spare.rewrite(archive.id, archive.lines)
    if not any(line.kind is LineKind.END for line in archive.read):
        journal.end(archive.id, {"unfinished": True})
    journal.store.checkpoint()
