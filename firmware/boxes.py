"""Evidence with boxes on it, on request: what the reader reads in a kept picture now. The evidence stays clean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reader import Reading
from vision.stills import load_picture

_BOX_BGR = (40, 40, 230)
_LINE_PX = 2


class CardReader(Protocol):
    """What reads the cards in a picture (`vision.reader.Reader`)."""

    def read(self, image: NDArray[np.uint8], card_px: float | None = None) -> list[Reading]:
        """The cards of a BGR picture [h, w, 3]."""


def with_boxes(pictures: Iterable[Path], reader: CardReader, folder: Path) -> Iterator[Path]:
    """Copies of ``pictures`` in ``folder``, each card that is read in a box with its name; the files written.

    :raises BadPicture: if a picture cannot be decoded.
    :raises OSError: if the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for path in dict.fromkeys(pictures):
        image = load_picture(path).copy()
        for reading in reader.read(image):
            _draw(image, reading)
        target = folder / f"{path.stem[:16]}-boxes.jpg"
        target.write_bytes(cv2.imencode(".jpg", image)[1].tobytes())
        yield target


def _draw(image: NDArray[np.uint8], reading: Reading) -> None:
    corners = np.rint(reading.corners).astype(np.int32)
    cv2.polylines(image, [corners], True, _BOX_BGR, _LINE_PX, cv2.LINE_AA)
    x, y = (int(v) for v in corners.min(axis=0))
    words = f"{reading.card} {reading.confidence:.2f}"
    cv2.putText(image, words, (max(0, x), max(12, y - 4)), cv2.FONT_HERSHEY_SIMPLEX, 0.45, _BOX_BGR, 1, cv2.LINE_AA)
