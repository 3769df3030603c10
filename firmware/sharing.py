"""What a table keeps belongs to its folder's group: the service and the people of the group can each go on with it.

`install.sh` makes the folder so that new files get its group (mode 2770). SQLite and a few careful writers still make
files that the group may only read, and SQLite gives the mode of a database to the files beside it: a member of the
group who looked at the sessions then left files that the service could not write, and it never started again.
"""

from __future__ import annotations

import grp
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

#: Where files lie that another program goes on with; pictures are only read, and removed through their folder.
_FOLDERS: Final = (".", "spare")
#: What SQLite keeps beside a database while it is open; without a line in the first, both can be made again.
_BESIDE: Final = ("-wal", "-shm")
_FOR_THE_GROUP: Final = stat.S_IRGRP | stat.S_IWGRP


def share(folder: Path, may_write: Callable[[Path], bool] = lambda path: os.access(path, os.W_OK)) -> None:
    """Let the group of a shared folder write what is ours in it, and clear away what another member left in our way.

    A folder that is not shared is left as it is. Never raises: what cannot be mended is said when it is opened.
    """
    with suppress(OSError):
        if folder.stat().st_mode & stat.S_ISGID:
            for path in _files(folder):
                _give(path)
            _clear(folder, may_write)


def remedy(error: OSError) -> str:
    """What helps against an error about a file; in a shared folder that is most often the group (after installing)."""
    if isinstance(error, PermissionError):
        folder = next((path for path in Path(str(error.filename)).parents if path.is_dir()), Path("/"))
        with suppress(OSError, KeyError):
            found = folder.stat()
            if found.st_mode & stat.S_ISGID:
                group = grp.getgrgid(found.st_gid).gr_name
                return f"belong to the group {group} (sudo usermod -a -G {group} $USER), log out and in again"
    return "check the name and its permissions"


def _files(folder: Path) -> list[Path]:
    found = [folder / name for name in _FOLDERS if (folder / name).is_dir()]
    return [path for inner in found for path in inner.iterdir() if path.is_file() and not path.is_symlink()]


def _give(path: Path) -> None:
    with suppress(OSError):
        now = path.stat()
        if now.st_uid == os.geteuid() and now.st_mode & _FOR_THE_GROUP != _FOR_THE_GROUP:
            path.chmod(stat.S_IMODE(now.st_mode) | _FOR_THE_GROUP)


def _clear(folder: Path, may_write: Callable[[Path], bool]) -> None:
    """Remove what stands beside a database, is not ours to write, and holds nothing."""
    for database in folder.glob("*.db"):
        wal, index = (database.with_name(database.name + ending) for ending in _BESIDE)
        blocked = any(path.exists() and not may_write(path) for path in (wal, index))
        if blocked and not (wal.exists() and wal.stat().st_size):
            for path in (index, wal):
                path.unlink(missing_ok=True)
