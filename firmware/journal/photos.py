"""Evidence pictures: JPEG files named by the sha256 of their bytes, durable before anything refers to them.

A picture goes to a temporary name, is checked, flushed and only then gets its name (E05, E06). Names come from
contents, so neither a clock that jumps (E07) nor a name from outside (E08) can make one file stand for another.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from .guard import make_folder, read_ordinary, sync_folder

FOLDER = "pictures"
_SUFFIX = ".jpg"
_UNNAMED = "unnamed"
_NAME = re.compile(r"[0-9a-f]{64}")
_START, _END = b"\xff\xd8\xff", b"\xff\xd9"

#: No evidence picture is larger than this, in bytes: a whole 12-megapixel view at high quality is about 6 MB.
MAX_BYTES = 16 << 20


def photo_hash(data: bytes) -> str:
    """The name of a picture: sha256 of its bytes, hex."""
    return hashlib.sha256(data).hexdigest()


def is_whole(data: bytes) -> bool:
    """Whether the bytes begin and end as a JPEG file does; a half-written one does not."""
    return data.startswith(_START) and data.endswith(_END) and len(data) <= MAX_BYTES


def is_name(text: str) -> bool:
    """Whether a text can be a picture's name at all: 64 hexadecimal digits and nothing else."""
    return _NAME.fullmatch(text) is not None


class PhotoShelf:
    """The folder of pictures of one journal."""

    def __init__(self, folder: Path) -> None:
        """Pictures live in ``folder``, all in one: the two of a fact then need one flush of names, not two.

        What has no name yet lies in a folder of its own, so that a start need not look through all pictures.
        """
        self.folder = folder
        self.unnamed = folder / _UNNAMED

    def path(self, name: str) -> Path:
        """Where the picture called ``name`` lies.

        :raises ValueError: if that is no picture's name.
        """
        if not is_name(name):
            raise ValueError(f"no picture can be called {name[:80]!r}")
        return self.folder / (name + _SUFFIX)

    def put(self, photos: Sequence[bytes]) -> tuple[str, ...]:
        """Make whole pictures durable; their names in order.

        :raises OSError: if the disk does not take one; no half picture ever has a name.
        """
        new = [data for data in photos if not self._has(data)]
        try:
            if new:
                make_folder(self.unnamed)
                for data in new:
                    self._write(data)
                sync_folder(self.folder)
        except OSError:
            with suppress(OSError):
                self.remove(map(photo_hash, new))
            raise
        return tuple(photo_hash(data) for data in photos)

    def get(self, name: str) -> bytes | None:
        """The bytes of a picture, or None if it is not here; a link, a folder or a pipe in its place is no picture."""
        try:
            return read_ordinary(self.path(name), MAX_BYTES + 1)
        except OSError:
            return None

    def size(self, name: str) -> int:
        """The bytes that a picture takes on the disk; -1 if there is none."""
        try:
            return self.path(name).lstat().st_size
        except OSError:
            return -1

    def fault(self, name: str) -> str:
        """What is wrong with a picture: "" for nothing, "missing" for no file; other words for one that is not it."""
        data = self.get(name)
        if data is None:
            return "no file that can be read" if os.path.lexists(self.path(name)) else "missing"
        if photo_hash(data) == name:
            return ""
        return "changed" if is_whole(data) else "cut short"

    def remove(self, names: Iterable[str]) -> int:
        """Remove pictures; how many bytes that freed. A folder in a picture's place is not ours and stays."""
        freed = 0
        for name in names:
            path = self.path(name)
            with suppress(FileNotFoundError, IsADirectoryError):
                size = path.lstat().st_size
                path.unlink()
                freed += size
        return freed

    def sweep(self) -> int:
        """Remove what a stopped program left half written; how many files that were."""
        left = list(self.unnamed.glob("*"))
        for path in left:
            with suppress(IsADirectoryError):
                path.unlink(missing_ok=True)
        return len(left)

    def _has(self, data: bytes) -> bool:
        name = photo_hash(data)
        try:
            same_size = self.path(name).lstat().st_size == len(data)
        except OSError:
            return False
        return same_size and self.fault(name) == ""

    def _write(self, data: bytes) -> None:
        path = self.path(photo_hash(data))
        part = self.unnamed / path.name
        try:
            _write_checked(part, data)
            os.replace(part, path)
        except OSError:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise


def _write_checked(path: Path, data: bytes) -> None:
    """Write, flush and read back the size and the end; only then may the file get its name."""
    with path.open("wb", buffering=0) as file:
        view = memoryview(data)
        while view:
            view = view[file.write(view) :]
        os.fsync(file.fileno())
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - len(_END)))
        if size != len(data) or file.read() != data[-len(_END) :]:
            raise OSError(f"{path}: {size} of {len(data)} bytes arrived on the disk: check the disk")
