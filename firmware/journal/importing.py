"""A session exported elsewhere, put into this journal: only if its log is whole, and all of it or nothing."""

from __future__ import annotations

import lzma
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from firmware.referee.match import BadSetup

from . import quota
from .chain import parsed
from .errors import BadArchive, DiskFull, JournalError, NoSuchSession, from_os
from .export import FORMAT, LOG, MANIFEST, PICTURES, RULINGS
from .guard import free_bytes
from .journal import Journal
from .judge import judge, rulings_of
from .lines import UNFINISHED, Line, LineKind, Remark, Sealed, is_int, read_line
from .pen import seal
from .photos import MAX_BYTES, is_name, is_whole, photo_hash
from .recover import put_session
from .rows import put_ruling, removed_photos, ruling_row, rulings_seal
from .spare import parse
from .store import RulingRow
from .verify import log_findings

#: A log larger than this is not one of ours: the longest known deal (8,344 cards) has 3 MB.
MOST_TEXT_BYTES = 256 << 20
#: The manifest has less than 1 kB, a ruling about 300 bytes (so 50,000 of them fit). Both are parsed in one go, which
#: takes up to twenty times their size in memory.
MOST_BYTES = {MANIFEST: 1 << 20, RULINGS: 16 << 20}

_ID = re.compile(r"[0-9]{1,18}-[0-9a-z]{1,16}")


@dataclass(frozen=True, slots=True)
class _Archive:
    """What a ZIP file holds, checked."""

    id: str
    lines: tuple[Sealed, ...]
    read: tuple[Line, ...]
    rulings: tuple[RulingRow, ...]
    pictures: tuple[str, ...]


def import_zip(journal: Journal, path: Path) -> str:
    """Put a session from a file of `export_zip` into the journal, all of it or nothing; its id.

    One that was not over is closed as unfinished, so that no game of another table is resumed here. Pictures that are
    damaged in the file are lost, and the log says which. If the session is here already nothing changes but that
    pictures that it lacks are filled in.

    :raises BadArchive: if the file is no whole export, or another session of that name is here.
    """
    try:
        with _opened(path) as opened, zipfile.ZipFile(opened) as file, journal.still:
            archive = _checked(file, path)
            if (kept := _here(journal, archive, path)) is not None:
                _fill_in(journal, file, kept)
            else:
                _take_in(journal, file, archive, path)
    except JournalError:
        raise
    except _BAD_ZIP as error:
        raise BadArchive(f"{path}: not a whole ZIP file ({error}): copy or export it again") from None
    except OSError as error:
        raise from_os(error, path) from None
    return archive.id


#: What Python's reader of ZIP files raises for one that is broken: its own error, those of the packing methods (of
#: bz2 as an `OSError` without a number, which is told apart below), and what a member of an unknown method gives.
_BAD_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError)


def _take_in(journal: Journal, file: zipfile.ZipFile, archive: _Archive, path: Path) -> None:
    """Pictures, then the spare log, then the database; whatever of it is new goes again if one of them fails."""
    rulings = _sealed_rulings(archive, path)
    _check_room(journal, file, path)
    new: list[str] = []
    try:
        lost = [name for name in archive.pictures if not _keep(journal, file, name, new)]
        lines = [*archive.lines, *seal(archive.lines[-1].hash, _closing(journal, archive, rulings, lost))]
        journal.places.spare.rewrite(archive.id, lines)
        try:
            with journal.store.writing() as execute:
                number = put_session(execute, journal.photos, archive.id, lines)
                for row in rulings:
                    put_ruling(execute, number, row)
                _check_whole(journal, archive.id, path)
        except BaseException:
            journal.places.spare.remove(archive.id)
            raise
    except BaseException as error:
        journal.photos.remove(new)
        if isinstance(error, OSError) and not isinstance(error, JournalError):
            raise from_os(error, journal.folder) from None
        raise
    journal.store.checkpoint()


def _check_room(journal: Journal, file: zipfile.ZipFile, path: Path) -> None:
    """Refuse pictures that would take the room which the journal keeps for its log.

    :raises DiskFull: if there is none.
    """
    wanted = sum(info.file_size for info in file.infolist()) + quota.floor_bytes(journal)
    if free_bytes(journal.folder) < wanted:
        words = (
            f"importing {path} needs {wanted / 1e6:.0f} MB free on its disk; make room, or `cardtable forget` sessions"
        )
        raise DiskFull(f"{journal.folder}: {words}")


def _check_whole(journal: Journal, session_id: str, path: Path) -> None:
    """What is in the journal now, and not yet for good, is what `verify` calls whole (but for pictures).

    :raises BadArchive: if it is not.
    """
    if findings := log_findings(journal, session_id):
        raise BadArchive(f"{path}: the session in it is not whole: {findings[0].words}: ask for the file again")


def _closing(journal: Journal, archive: _Archive, rulings: Sequence[RulingRow], lost: list[str]) -> list[Line]:
    """The lines that an import adds: which pictures were lost, and that an open game is left."""
    last, stamp = archive.read[-1], journal.present()
    bodies: list[tuple[LineKind, dict[str, Any]]] = []
    if lost:
        bodies.append((LineKind.NOTE, {"code": Remark.LOST.value, "photos": lost}))
    if not any(line.kind is LineKind.END for line in archive.read):
        bodies.append((LineKind.END, {"result": dict(UNFINISHED), "rulings": rulings_seal(rulings)}))
    return [Line(last.seq + n, kind, last.deal, stamp, body) for n, (kind, body) in enumerate(bodies, start=1)]


def _sealed_rulings(archive: _Archive, path: Path) -> list[RulingRow]:
    """The rulings that the log's end sealed, from the file or judged again; of an open game as they are judged.

    :raises BadArchive: if this program cannot judge the session, or its rulings were changed.
    """
    try:
        told = [ruling_row(deal, entry, ruling) for deal, entry, ruling in rulings_of(judge(archive.read))]
    except (BadSetup, ValueError, KeyError, TypeError) as error:
        raise BadArchive(f"{path}: this program cannot judge the session in it: {error}") from None
    told.sort(key=lambda row: (row.deal, row.id))
    ends = [line.body.get("rulings") for line in archive.read if line.kind is LineKind.END]
    if not ends or not isinstance(ends[-1], dict):
        return told
    for rows in (list(archive.rulings), told):
        if rulings_seal(rows) == ends[-1]:
            return rows
    raise BadArchive(f"{path}: the rulings in it are not those that its log sealed: ask for the file again")


def _keep(journal: Journal, file: zipfile.ZipFile, name: str, new: list[str]) -> bool:
    """Put one picture on the shelf; whether the file has it whole. ``new`` gets its name if it was not here."""
    if (data := _picture(file, name)) is None:
        return journal.photos.fault(name) == ""
    if journal.photos.fault(name):
        journal.photos.put([data])
        new.append(name)
    return True


def _fill_in(journal: Journal, file: zipfile.ZipFile, kept: Sequence[Line]) -> None:
    """Give a session that is here the pictures that it lacks and the file has."""
    new: list[str] = []
    for name in _wanted(kept):
        if journal.photos.fault(name):
            _keep(journal, file, name, new)
    if new:
        with journal.store.writing() as execute:
            for name in new:
                row = (journal.photos.size(name), bytes.fromhex(name))
                execute("UPDATE photo SET bytes = ?, gone = 0 WHERE hash = ?", row)


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


def _rulings(file: zipfile.ZipFile, path: Path) -> tuple[RulingRow, ...]:
    rows = _json(file, RULINGS, path)
    kinds = (int, int, int, str, str, str)
    fit = isinstance(rows, list) and all(
        isinstance(row, list) and tuple(type(value) for value in row) == kinds and all(map(is_int, row[:3]))
        for row in rows
    )
    if not fit:
        raise BadArchive(f"{path}: {RULINGS} is not a list of rulings")
    return tuple(RulingRow(*row) for row in sorted(rows))


def _picture(file: zipfile.ZipFile, name: str) -> bytes | None:
    """A picture of the archive, None if it is not there or not the one that the log names."""
    try:
        data = _unpacked(file, f"{PICTURES}{name}.jpg", MAX_BYTES)
    except (KeyError, *_BAD_ZIP):
        return None
    return data if photo_hash(data) == name and is_whole(data) else None


def _json(file: zipfile.ZipFile, name: str, path: Path) -> Any:
    try:
        return parsed(_member(file, name, path, MOST_BYTES[name]))
    except ValueError as error:
        raise BadArchive(f"{path}: {name} is not JSON ({error})") from None


def _member(file: zipfile.ZipFile, name: str, path: Path, most: int) -> bytes:
    """One file of the archive that must be there."""
    try:
        return _unpacked(file, name, most)
    except KeyError:
        raise BadArchive(f"{path}: {name} is missing in it: export the session again") from None


def _unpacked(file: zipfile.ZipFile, name: str, most: int) -> bytes:
    """One file of the archive, by exactly this name and never more than ``most`` bytes.

    :raises KeyError: if it is not there.
    :raises ValueError: if it is larger (also than it says), or packed in a way that is broken.
    """
    info = file.getinfo(name)
    if info.file_size > most:
        raise ValueError(f"{name} has {info.file_size} bytes, that is no export of ours")
    try:
        with file.open(info) as member:
            return member.read(most)
    except OSError as error:
        if error.errno is not None:  # the disk's
            raise
        raise ValueError(f"{name} is damaged") from None


def _here(journal: Journal, archive: _Archive, path: Path) -> list[Line] | None:
    """The lines of this very session if it is here; also if it was continued (or its pictures forgotten) since."""
    if archive.id in journal.missing():
        words = f"session {archive.id} is here, but only its spare log"
        raise BadArchive(f"{path}: {words}: `cardtable repair` puts it back, then import again")
    try:
        row = journal.session(archive.id)
    except NoSuchSession:
        return None
    kept = [line.sealed for line in journal.store.lines(row.number)]
    if row.id == archive.id and tuple(kept[: len(archive.lines)]) == archive.lines:
        return list(journal.lines(row.id))
    raise BadArchive(f"{path}: another session called {archive.id} is here: it stays as it is, nothing was imported")
