"""A pack of 52 faces drawn with OpenCV alone, for the golden sheet. Run as a module to write it anew."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np

from vision.reader import RANKS, SUITS

CARD = (120, 168)
"""Size of a drawn card, px."""

_SCALE = 4
_INK = {"H": (30, 20, 200), "D": (30, 20, 200), "S": (25, 25, 25), "C": (25, 25, 25)}


def pip(suit: str, size: int) -> np.ndarray:
    """A suit's mask, uint8 [size, size]."""
    mask, mid = np.zeros((size, size), np.uint8), size / 2
    if suit == "D":
        points = np.array([[mid, 0.03 * size], [0.86 * size, mid], [mid, 0.97 * size], [0.14 * size, mid]])
        cv2.fillPoly(mask, [points.astype(np.int32)], 255)
        return mask
    if suit == "C":
        for x, y in ((0.5, 0.25), (0.26, 0.57), (0.74, 0.57), (0.5, 0.47)):
            cv2.circle(
                mask, (round(x * size), round(y * size)), round(0.21 * size if y != 0.47 else 0.1 * size), 255, -1
            )
    else:
        t = np.linspace(0, 2 * np.pi, 100)
        x, y = 16 * np.sin(t) ** 3, 13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)
        sign = -1 if suit == "H" else 0.85
        curve = np.stack([mid + x / 34 * size * 0.95, mid + sign * y / 34 * size * 0.95 - 0.04 * size], 1)
        cv2.fillPoly(mask, [curve.astype(np.int32)], 255)
    if suit in "CS":
        foot = np.array([[0.47, 0.5], [0.53, 0.5], [0.68, 0.97], [0.32, 0.97]]) * size
        cv2.fillPoly(mask, [foot.astype(np.int32)], 255)
    return mask


def card_picture(card: str) -> np.ndarray:
    """One face, BGR uint8 [168, 120, 3]: an index in two corners and one large pip."""
    wide, high = CARD[0] * _SCALE, CARD[1] * _SCALE
    face = np.full((high, wide, 3), 250, np.uint8)
    ink = _INK[card[1]]
    for _ in range(2):
        text = "10" if card[0] == "T" else card[0]
        squeeze = 0.62 if text == "10" else 1.0
        glyph = np.zeros((200, 320), np.uint8)
        cv2.putText(glyph, text, (20, 150), cv2.FONT_HERSHEY_DUPLEX, 4.4, 255, 14)
        rows, columns = np.nonzero(glyph)
        glyph = glyph[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
        tall = 72
        glyph = cv2.resize(glyph, (max(round(glyph.shape[1] * tall / glyph.shape[0] * squeeze), 8), tall))
        _ink(face, glyph, 42, 66, ink)
        _ink(face, pip(card[1], 54), 42, 138, ink)
        face = np.ascontiguousarray(face[::-1, ::-1])
    _ink(face, pip(card[1], 150), wide // 2, high // 2, ink)
    return cv2.resize(face, CARD, interpolation=cv2.INTER_AREA)


def _ink(face: np.ndarray, mask: np.ndarray, x: int, y: int, ink: tuple[int, int, int]) -> None:
    high, wide = mask.shape
    part = face[y - high // 2 : y - high // 2 + high, x - wide // 2 : x - wide // 2 + wide]
    alpha = mask[..., None] / 255
    part[:] = (part * (1 - alpha) + np.array(ink) * alpha).astype(np.uint8)


def sheet() -> tuple[np.ndarray, list[tuple[float, float]]]:
    """All 52 faces on one table, BGR, and the middle of each in the order of RANKS, then SUITS."""
    step_x, step_y = 134, 182
    picture = np.full((len(SUITS) * step_y + 20, len(RANKS) * step_x + 20, 3), (70, 110, 60), np.uint8)
    middles = []
    for column, rank in enumerate(RANKS):
        for row, suit in enumerate(SUITS):
            x, y = 17 + column * step_x, 17 + row * step_y
            picture[y : y + CARD[1], x : x + CARD[0]] = card_picture(rank + suit)
            middles.append((x + CARD[0] / 2, y + CARD[1] / 2))
    return cv2.GaussianBlur(picture, (0, 0), 0.6), middles


def main() -> None:
    """Write golden_sheet.json for the models at hand."""
    from tests.vision.test_reader import GOLDEN, sheet_labels
    from vision.reader import Reader

    reader = Reader.load()
    GOLDEN.write_text(json.dumps({"hash": reader.hash, "labels": sheet_labels(reader)}, indent=1) + "\n")
    print(Path(GOLDEN).name, "written")


if __name__ == "__main__":
    main()
