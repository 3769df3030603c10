"""The spare log: each session's lines once more as plain text, ``spare/<session>.jsonl``, one JSON object a line.

It is the second durable copy. A database page that is torn, a write-ahead file that is cut or a database that is gone
costs nothing, because the lines stand here too; and a text file that is cut is made whole from the database. Both
carry the same hash chain, so which of the two to believe is never a guess.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .chain import canonical, genesis, link, parsed
from .guard import make_folder, read_ordinary, sync_folder
from .lines import Sealed, read_line

FOLDER = "spare"
#: A row longer than this is none of ours: the longest one names the pictures (67 bytes each) that were removed.
MOST_ROW_BYTES = 16 << 20
_SUFFIX = ".jsonl"
_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,60}")


@dataclass(frozen=True, slots=True)
class SpareText:
    """What a spare file holds: the lines that follow from one another, and where the first bad one stands.

    ``good_bytes``: length of the good part. ``torn_bytes``: bytes after it that are half a last line. ``bad_line``:
    1-based number of a line in the middle that cannot be read or does not follow, 0 if there is none.
    """

    lines: tuple[Sealed, ...] = ()
    good_bytes: int = 0
    torn_bytes: int = 0
    bad_line: int = 0


class Spare:
    """The folder of spare logs of one journal; keeps the live session's file open."""

    def __init__(self, folder: Path) -> None:
        """Spare logs live in ``folder``."""
        self.folder = folder
        self._open: tuple[str, int] | None = None

    def path(self, session_id: str) -> Path:
        """Where a session's spare log lies; a name that no journal gives (``../x``) leads nowhere else."""
        return self.folder / (safe_name(session_id) + _SUFFIX)

    def ids(self) -> set[str]:
        """Every session that has a spare log."""
        with suppress(OSError):
            return {n.removesuffix(_SUFFIX) for n in os.listdir(self.folder) if n.endswith(_SUFFIX)}
        return set()

    def append(self, session_id: str, lines: Sequence[Sealed]) -> None:
        """Add lines, durably; if the disk does not take all of them, the file stays as it was.

        :raises OSError: if the disk does not take it.
        """
        handle = self._handle(session_id)
        before = os.fstat(handle).st_size
        try:
            write_all(handle, b"".join(map(spare_row, lines)))
            os.fdatasync(handle)
        except OSError:
            with suppress(OSError):
                os.ftruncate(handle, before)
            raise

    def read(self, session_id: str) -> SpareText:
        """A session's spare log, as far as it can be trusted; nothing if there is none."""
        return parse(session_id, read_ordinary(self.path(session_id)) or b"")

    def rows(self, session_id: str, expected: Sequence[Sealed] = ()) -> list[Sealed]:
        """Every row of a spare log, also those that do not follow; an unreadable one counts as an empty line.

        A row that is to the byte the ``expected`` one of its place is not read any further, which is quicker.
        """
        rows = [row for row in (read_ordinary(self.path(session_id)) or b"").split(b"\n") if row.strip()]
        known = {spare_row(sealed).rstrip(b"\n"): sealed for sealed in expected}
        return [known.get(row) or read_row(row) or Sealed("", "") for row in rows]

    def is_file(self, session_id: str) -> bool:
        """Whether a session's spare log can be written to: it is a file, or not there yet."""
        path = self.path(session_id)
        return not os.path.lexists(path) or (path.is_file() and not path.is_symlink())

    def remove(self, session_id: str) -> None:
        """Take a session's spare log away again, durably."""
        self.close()
        self.path(session_id).unlink(missing_ok=True)
        sync_folder(self.folder)

    def rewrite(self, session_id: str, lines: Iterable[Sealed]) -> None:
        """Put a whole new log in place of a session's spare log: durable before it gets the name."""
        self.close()
        make_folder(self.folder)
        path = self.path(session_id)
        part = path.with_suffix(".part")
        with part.open("wb", buffering=0) as file:
            for sealed in lines:
                write_all(file.fileno(), spare_row(sealed))
            os.fsync(file.fileno())
        os.replace(part, path)
        sync_folder(self.folder)

    def close(self) -> None:
        """Close the file of the live session."""
        if self._open is not None:
            os.close(self._open[1])
            self._open = None

    def _handle(self, session_id: str) -> int:
        if self._open is not None and self._open[0] == session_id:
            return self._open[1]
        self.close()
        make_folder(self.folder)
        path = self.path(session_id)
        new = not path.exists()
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        self._open = (session_id, handle)
        if new:
            sync_folder(self.folder)
        _end_last_row(handle)
        return handle


def safe_name(session_id: str) -> str:
    """A session's id as a file's name: as it is if a journal gave it, else a name made of its hash."""
    if _ID.fullmatch(session_id):
        return session_id
    return "odd-" + hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def spare_row(sealed: Sealed) -> bytes:
    """A line as it stands in a spare log, with its newline."""
    return f'{{"hash":"{sealed.hash}","line":{sealed.text}}}\n'.encode("utf-8", "backslashreplace")


def parse(session_id: str, data: bytes) -> SpareText:
    """The good part of a spare log (E01): lines up to the first that cannot be read or does not follow."""
    lines: list[Sealed] = []
    good = offset = 0
    head = genesis(session_id)
    rows = data.split(b"\n")
    for number, row in enumerate(rows, start=1):
        offset = min(offset + len(row) + 1, len(data))
        if not row.strip():
            continue
        sealed = read_row(row)
        if sealed is None or link(head, sealed.text) != sealed.hash or not is_line(sealed, len(lines)):
            return _stopped(tuple(lines), good, data, rows, number)
        lines.append(sealed)
        head, good = sealed.hash, offset
    return SpareText(tuple(lines), good)


def _stopped(lines: tuple[Sealed, ...], good: int, data: bytes, rows: list[bytes], number: int) -> SpareText:
    last = not any(row.strip() for row in rows[number:])
    if last:
        return SpareText(lines, good, torn_bytes=len(data) - good)
    return SpareText(lines, good, bad_line=number)


def is_line(sealed: Sealed, seq: int) -> bool:
    """Whether this is a line that a journal writes, and the one with this number."""
    try:
        return read_line(sealed.text).seq == seq
    except ValueError:
        return False


def read_row(row: bytes) -> Sealed | None:
    """One row of a spare log, or None if it is not one."""
    if len(row) > MOST_ROW_BYTES:
        return None
    try:
        data = parsed(row)
        return Sealed(canonical(data["line"]), str(data["hash"]))
    except (ValueError, KeyError, TypeError):
        return None


def _end_last_row(handle: int) -> None:
    """Give a last line that lost its newline one, or the next line would be glued to it (E01)."""
    size = os.fstat(handle).st_size
    if size and os.pread(handle, 1, size - 1) != b"\n":
        write_all(handle, b"\n")


def write_all(handle: int, data: bytes) -> None:
    """Write every byte; a short write is carried on with."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
