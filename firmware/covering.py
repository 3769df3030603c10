"""Covers in a picture what is not everybody's to see: coarse grey squares show where something is, and not what."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Mask = NDArray[np.uint8]

COARSE_MM: Final = 40.0
"""Side of the squares: an index (14 mm with its pip) is a few per cent of one."""

NEAR_MM: Final = 20.0
"""So far round what is to be covered, too: the edge of a hand is not known to the millimetre."""


def coarse(image: Image, px_per_mm: float) -> Image:
    """The BGR picture in grey squares of `COARSE_MM`."""
    high, wide = image.shape[:2]
    side_px = max(1, round(COARSE_MM * px_per_mm))
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    few = cv2.resize(grey, (max(1, wide // side_px), max(1, high // side_px)), interpolation=cv2.INTER_AREA)
    squares = cv2.resize(few // 3 * 2 + 20, (wide, high), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.cvtColor(squares, cv2.COLOR_GRAY2BGR))


def grown(mask: Mask, image: Image, px_per_mm: float) -> Mask:
    """A mask in small pixels of the whole picture as one of the picture's own, `NEAR_MM` larger all round."""
    high, wide = image.shape[:2]
    reach = 2 * round(NEAR_MM * px_per_mm) + 1
    own = cv2.resize(mask, (wide, high), interpolation=cv2.INTER_NEAREST)
    return np.asarray(cv2.dilate(own, np.ones((reach, reach), np.uint8)))


def covered(image: Image, hidden: Mask, px_per_mm: float) -> Image:
    """The picture with the places of ``hidden`` (a mask of its own size) in grey squares."""
    return np.where(hidden[:, :, None] > 0, coarse(image, px_per_mm), image)
