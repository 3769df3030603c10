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


_STROKES: dict[str, list[list[tuple[float, float]]]] = {
    "A": [[(0, 1), (0.5, 0), (1, 1)], [(0.2, 0.66), (0.8, 0.66)]],
    "2": [[(0.05, 0.24), (0.2, 0.04), (0.5, 0), (0.85, 0.08), (0.95, 0.28), (0.8, 0.5), (0, 1), (1, 1)]],
    "3": [[(0.05, 0.12), (0.4, 0), (0.85, 0.08), (0.92, 0.28), (0.75, 0.45), (0.4, 0.48)],
          [(0.4, 0.48), (0.8, 0.54), (0.97, 0.74), (0.82, 0.95), (0.4, 1), (0, 0.86)]],
    "4": [[(0.75, 1), (0.75, 0), (0, 0.68), (1, 0.68)]],
    "5": [[(0.9, 0), (0.15, 0), (0.08, 0.45), (0.5, 0.38), (0.9, 0.5), (0.96, 0.74), (0.75, 0.96), (0.3, 1), (0, 0.8)]],
    "6": [[(0.85, 0.03), (0.45, 0.12), (0.15, 0.42), (0.05, 0.72), (0.2, 0.94), (0.5, 1), (0.82, 0.94), (0.95, 0.72),
           (0.82, 0.52), (0.5, 0.45), (0.2, 0.53), (0.07, 0.7)]],
    "7": [[(0, 0), (1, 0), (0.35, 1)]],
    "8": [[(0.5, 0.46), (0.15, 0.36), (0.1, 0.17), (0.3, 0.02), (0.7, 0.02), (0.9, 0.17), (0.85, 0.36), (0.5, 0.46),
           (0.1, 0.6), (0.02, 0.8), (0.2, 0.97), (0.5, 1), (0.8, 0.97), (0.98, 0.8), (0.9, 0.6), (0.5, 0.46)]],
    "J": [[(0.8, 0), (0.8, 0.75), (0.65, 0.96), (0.35, 1), (0.1, 0.9), (0.02, 0.7)]],
    "Q": [[(0.5, 0), (0.15, 0.12), (0, 0.5), (0.15, 0.86), (0.5, 0.98), (0.85, 0.86), (1, 0.5), (0.85, 0.12), (0.5, 0)],
          [(0.55, 0.68), (1, 1.08)]],
    "K": [[(0, 0), (0, 1)], [(0.95, 0), (0, 0.62)], [(0.35, 0.42), (1, 1)]],
    "1": [[(0, 0.2), (0.5, 0), (0.5, 1)]],
    "0": [[(0.5, 0), (0.12, 0.15), (0, 0.5), (0.12, 0.85), (0.5, 1), (0.88, 0.85), (1, 0.5), (0.88, 0.15), (0.5, 0)]],
}  # fmt: skip
"""The figures as lines in a unit square: the same with every OpenCV, whose own letters changed with version 5."""


def figure(rank: str, wide: int, high: int, pen: int) -> np.ndarray:
    """A rank's mask, uint8, drawn with a pen of ``pen`` px."""
    mask = np.zeros((high + 2 * pen, wide + 2 * pen), np.uint8)
    signs = "10" if rank == "T" else rank
    cell = wide / len(signs)
    for number, sign in enumerate(signs):
        lines = [[(1 - x, 1 - y) for x, y in line] for line in _STROKES["6"]] if sign == "9" else _STROKES[sign]
        left, room = pen + number * cell, cell - (pen if len(signs) == 2 else 0)
        for line in lines:
            points = np.array([(left + x * room, pen + y * high) for x, y in line]).round().astype(np.int32)
            cv2.polylines(mask, [points], False, 255, pen, cv2.LINE_AA)
    return mask


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
        _ink(face, figure(card[0], 52 if card[0] == "T" else 42, 62, 10), 42, 66, ink)
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
