"""One program at a time, and a little disk space kept back for the log."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path

from .errors import JournalBusy, from_os

LOCK_NAME = "journal.lock"
RESERVE_NAME = "reserve"

#: Space kept back for the log, in bytes: about 2,000 more facts at the 2 kB that one costs at the most (measured:
#: bytes for each entry in tests/bench/bench_journal.py), a whole evening after the disk was found full.
RESERVE_BYTES = 4 << 20


class Lock:
    """The right to write a journal; the system takes it back when the program ends, however it ends."""

    def __init__(self, handle: int) -> None:
        """Keep the open, locked file ``handle``."""
        self._handle = handle

    @classmethod
    def take(cls, folder: Path) -> Lock:
        """Lock the journal in ``folder``.

        :raises JournalBusy: if another program has it.
        """
        path = folder / LOCK_NAME
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise from_os(error, path) from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = os.read(handle, 20).decode("ascii", "replace").strip()
            os.close(handle)
            raise JournalBusy(
                f"{folder}: this journal is in use by program {pid or '?'}: "
                "stop that one first, or set CARDTABLE_DATA to another folder"
            ) from None
        with suppress(OSError):  # on a full disk the lock counts, its note may be missing
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        return cls(handle)

    def release(self) -> None:
        """Give the journal free."""
        os.close(self._handle)


class Reserve:
    """A file that only takes room, given up when the log needs it."""

    def __init__(self, folder: Path, size: int = RESERVE_BYTES) -> None:
        """``size`` bytes in ``folder``."""
        self._path = folder / RESERVE_NAME
        self._size = size

    def fill(self) -> bool:
        """Take the room if the disk has it twice over; whether it is held now."""
        with suppress(OSError):
            if self._path.exists() and self._path.stat().st_blocks * 512 >= self._size:
                return True
            if free_bytes(self._path.parent) < 2 * self._size:
                return False
            with self._path.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, self._size)
            return True
        return False

    def give_up(self) -> bool:
        """Free the room for the log; whether there was any."""
        try:
            self._path.unlink()
        except OSError:
            return False
        return True


def read_ordinary(path: Path, most: int = -1) -> bytes | None:
    """Up to ``most`` bytes of a file; None if there is none, or a link, a folder, a pipe or a device in its place.

    :raises OSError: if it cannot be read (for want of permission, for instance).
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO):
            return None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read(most)


def free_bytes(folder: Path) -> int:
    """Bytes that a program may still write on the disk of ``folder``."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def disk_bytes(folder: Path) -> int:
    """The size of the disk of ``folder`` in bytes."""
    disk = os.statvfs(folder)
    return disk.f_blocks * disk.f_frsize


def make_folder(folder: Path) -> None:
    """Make a folder and what it lies in, each name durable in the one above."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
