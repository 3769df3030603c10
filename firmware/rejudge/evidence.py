"""The evidence pictures of a session read again: what a reader makes of each card that was laid.

One still crop is less than the camera saw: at the table several frames vote. So a reader that is not sure now takes
nothing back; only a card that it is sure of, and that is another one, counts as a new reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np

from vision.reader import BACK, UNREAD, Image, Reader, Reading

#: Side of an evidence crop on the table, mm (`firmware.perception` cuts it; a test holds them together).
CROP_MM: Final = 150.0
#: The card whose crop it is lies in the middle, within this part of its width: a crop at the edge is cut on one side.
MIDDLE: Final = 0.7
CARD_W_MM: Final = 63.0


@dataclass(frozen=True, slots=True)
class Again:
    """What a reader makes of a crop: the card ("?" for none it is sure of), and how sure it is."""

    card: str
    confidence: float


def crop_of(jpeg: bytes) -> Image | None:
    """An evidence picture as BGR uint8 [h, w, 3]; None if it cannot be decoded."""
    if not jpeg:
        return None
    try:
        image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, np.uint8)


def read_again(crop: Image, logged: str, reader: Reader, card_w_mm: float = CARD_W_MM) -> Again:
    """Read a crop [h, w, 3] for the card that lies in its middle; ``logged``: what it was read as."""
    card_px = max(crop.shape[:2]) * card_w_mm / CROP_MM
    readings = [one for one in reader.read(crop, card_px) if one.card not in (BACK, UNREAD)]
    same = [one for one in readings if one.card == logged]
    found = same or sorted(readings, key=lambda one: _off(one, crop))[:1]
    if not found or (not same and _off(found[0], crop) > MIDDLE * card_px):
        return Again(UNREAD, 0.0)
    return Again(found[0].card, round(float(found[0].confidence), 3))


def card_width_mm(table: Mapping[str, Any]) -> float:
    """The width of a card of the session's pack, from what its header says of the table."""
    card = table.get("card")
    if isinstance(card, list) and card and isinstance(card[0], int | float):
        return float(card[0])
    return CARD_W_MM


def _off(one: Reading, crop: Image) -> float:
    """How far the middle of a card lies from the middle of the crop, px."""
    middle = np.asarray(one.corners, float).mean(axis=0)
    return float(np.hypot(*(middle - np.array([crop.shape[1], crop.shape[0]]) / 2)))
