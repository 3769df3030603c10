"""What can go wrong with the journal, each as one line that names what, where and the remedy.

    JournalError (an OSError, so that the command line prints it and ends with 2)
    |- JournalBusy       another program writes this journal
    |- DiskFull          no room for the log (pictures are given up long before)
    |- DiskReadOnly      the disk cannot be written
    |- Damaged           the database or a log line cannot be read
    |- UnknownSchema     written by a newer program, or not by Card Table at all
    |- NoSuchSession     no session has this name
    |- BadEntry          an entry that cannot be the next one
    `- BadArchive        an exported file that cannot be imported

People's mistakes at the table are rulings and never come here.
"""

from __future__ import annotations

import errno
import os
import sqlite3

#: What a full disk needs; the journal adds what of its own could go (`Journal.spare_words`).
FULL = "the disk is full: delete other files on it"


#: The index that SQLite shares with readers grows by so many bytes at a time.
_PAGE_BYTES = 32 << 10


class JournalError(OSError):
    """One clear line: what, where, remedy."""


class JournalBusy(JournalError):
    """Another program has this journal open for writing."""


class DiskFull(JournalError):
    """There is no room left, not even the reserve."""


class DiskReadOnly(JournalError):
    """The journal's folder cannot be written."""


class Damaged(JournalError):
    """A file of the journal cannot be read as what it is."""


class UnknownSchema(JournalError):
    """The file is not one that this program may touch."""


class NoSuchSession(JournalError):
    """No session is called that."""


class BadEntry(JournalError):
    """The entry cannot follow the ones before it."""


class BadArchive(JournalError):
    """The file to import is not a whole export."""


def from_sqlite(error: sqlite3.Error, where: object) -> JournalError:
    """The error of ours that a database error means; ``where`` is the file."""
    words = str(error)
    if "full" in words or ("disk I/O" in words and _no_room(where)):
        return DiskFull(f"{where}: {FULL}")
    if "readonly" in words or "unable to open" in words:
        return DiskReadOnly(f"{where}: cannot be used ({words}): check the disk, and whose the file and its folder are")
    if is_damage(error):
        return Damaged(
            f"{where}: damaged ({words}): `cardtable repair` sets the file aside and rebuilds it "
            "(the table does it when it starts)"
        )
    return JournalError(f"{where}: {words}: check the disk")


def _no_room(where: object) -> bool:
    """Whether the disk of the file ``where`` has no room: SQLite calls that an I/O error where it maps memory."""
    try:
        disk = os.statvfs(os.path.dirname(str(where)) or ".")
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < _PAGE_BYTES


def from_os(error: OSError, where: object) -> JournalError:
    """The error of ours that an operating system's error means; ``where`` is the file."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return DiskFull(f"{where}: {FULL}")
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return DiskReadOnly(f"{where}: cannot be written: check the disk and the folder's owner")
        case errno.ENOENT | errno.ENOTDIR | errno.EISDIR:
            return JournalError(f"{where}: {error.strerror}: check the name")
        case _:
            return JournalError(f"{where}: {error.strerror or error}: check the disk")


def is_damage(error: sqlite3.Error) -> bool:
    """Whether a database error means that the file itself is broken (and not busy, full or read-only)."""
    words = str(error)
    return any(sign in words for sign in ("malformed", "not a database", "no such table", "corrupt"))
