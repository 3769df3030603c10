"""Read still pictures from files: what ``cardtable read`` says of each.

Knows files and the shape of TABLE.md's answer; the reading itself is reader.py's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.backs import cards_by_shape
from vision.reader import Image, Reader, Reading

PICTURE_SUFFIXES: Final = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})
"""What a folder is searched for; a file named outright is tried whatever it is called."""

MAX_PIXELS: Final = 100_000_000
"""A picture larger than this is refused before it is decoded into half a gigabyte of memory."""


class BadPicture(ValueError):
    """A picture that cannot be read; the message names the file, what is wrong and the remedy."""


def pictures(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files named, and of each folder its pictures by name; raises BadPicture."""
    for path in paths:
        if path.is_dir():
            found = sorted(p for p in path.iterdir() if p.suffix.lower() in PICTURE_SUFFIXES and p.is_file())
            if not found:
                raise BadPicture(f"{path}: no pictures in this folder; it needs .jpg or .png files")
            yield from found
        elif path.exists():
            yield path
        else:
            raise BadPicture(f"{path}: no such file; check the name")


def load_picture(path: Path) -> Image:
    """Decode a picture -> BGR uint8 [H, W, 3], turned as its EXIF says; raises BadPicture."""
    try:
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        raise BadPicture(f"{path}: cannot be opened ({error.strerror}); check its name and rights") from error
    if data.size == 0:
        raise BadPicture(f"{path}: the file is empty; take the picture again")
    try:
        image = None if _cut_off(data) else cv2.imdecode(data, cv2.IMREAD_COLOR)
    except cv2.error:
        image = None
    if image is None:
        raise BadPicture(f"{path}: not a picture that can be decoded, or cut off; save it as JPEG or PNG again")
    if image.shape[0] * image.shape[1] > MAX_PIXELS:
        raise BadPicture(f"{path}: {image.shape[1]} x {image.shape[0]} px is too large; scale it down")
    return np.asarray(image, np.uint8)


_PNG, _PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND"


def _cut_off(data: NDArray[np.uint8]) -> bool:
    """Whether a PNG lacks its end; the library would say so on standard error, in a line of its own."""
    return data[: len(_PNG)].tobytes() == _PNG and _PNG_END not in data.tobytes()


def read_picture(path: Path, reader: Reader, card_px: float | None = None) -> dict[str, Any]:
    """One picture as TABLE.md's object for ``cardtable read``; raises BadPicture."""
    image = load_picture(path)
    readings = reader.read(image, card_px)
    return {
        "image": path.name,
        "width": int(image.shape[1]),
        "height": int(image.shape[0]),
        "cards": [_card(reading) for reading in [*readings, *cards_by_shape(image, readings)]],
    }


def read_paths(paths: Iterable[Path], reader: Reader, card_px: float | None = None) -> Iterator[dict[str, Any]]:
    """One object a picture, in the order given; raises BadPicture at the first that cannot be read."""
    for path in pictures(paths):
        yield read_picture(path, reader, card_px)


def _card(reading: Reading) -> dict[str, Any]:
    return {
        "card": reading.card,
        "confidence": round(reading.confidence, 3),
        "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in reading.corners],
    }
