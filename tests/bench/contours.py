"""The classic way to read cards, as textbooks and hobby projects describe it: a baseline for the benches alone.

Threshold, outer contours with four corners, each unwarped upright; its top-left corner is cut in two, the largest mark
of either half is scaled and compared with a template of every rank and suit by the sum of absolute differences. The
templates are of one pack, here the simulator's plain one: on that very pack the method is at home.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from firmware.simulator import pack
from vision.reader import RANKS, SUITS

Image = npt.NDArray[Any]

UPRIGHT = (200, 280)
"""An unwarped card, px."""

CORNER = (4, 4, 36, 72)
"""Its index's corner: left, top, right, bottom px."""

RANK_SHARE = 0.56
"""The upper part of the corner that holds the rank."""

TEMPLATE = {"rank": (70, 125), "suit": (70, 100)}
"""Marks are compared at these sizes, px."""

MOST_DIFFERENCE = 0.28
"""Share of a mark's pixels that may differ: above it the card is not told."""

AREA = (0.4, 1.6)
"""A card's contour over the area that the known scale gives."""


def read(image: Image, card_px: float) -> list[str]:
    """The cards whose four corners and index it can tell, in a BGR picture with cards ``card_px`` wide."""
    told = (_tell(_unwarped(image, quad)) for quad in _quads(image, card_px))
    return sorted({card for card in told if card is not None})


def _quads(image: Image, card_px: float) -> Iterator[Image]:
    """Contours of a card's size with four corners, [4, 2] px."""
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (5, 5), 0)
    _, mask = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    expected = card_px * card_px * 88 / 63
    for contour in contours:
        corners = cv2.approxPolyDP(contour, 0.02 * cv2.arcLength(contour, True), True)
        if len(corners) == 4 and AREA[0] < cv2.contourArea(contour) / expected < AREA[1]:
            yield corners[:, 0].astype(np.float32)


def _unwarped(image: Image, quad: Image) -> Image:
    """The card upright in grey, [280, 200]."""
    middle = quad.mean(0)
    ordered = quad[np.argsort(np.arctan2(quad[:, 1] - middle[1], quad[:, 0] - middle[0]))]
    if np.hypot(*(ordered[1] - ordered[0])) > np.hypot(*(ordered[2] - ordered[1])):
        ordered = np.roll(ordered, 1, 0)
    target = np.array([[0, 0], [UPRIGHT[0], 0], UPRIGHT, [0, UPRIGHT[1]]], np.float32)
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.warpPerspective(grey, cv2.getPerspectiveTransform(ordered, target), UPRIGHT))


def _tell(card: Image) -> str | None:
    """The card that its corner is most like, or None when it is like none."""
    marks = _marks(card)
    if marks is None:
        return None
    known = templates()
    names, differences = zip(*(_nearest(marks[kind], known[kind]) for kind in TEMPLATE), strict=True)
    return "".join(names) if max(differences) < MOST_DIFFERENCE else None


def _nearest(mark: Image, known: Mapping[str, Image]) -> tuple[str, float]:
    return min(((name, float(np.abs(mark - other).mean())) for name, other in known.items()), key=lambda pair: pair[1])


def _marks(card: Image) -> dict[str, Image] | None:
    """Rank and suit as masks 0..1 of the templates' sizes."""
    left, top, right, bottom = CORNER
    corner = cv2.resize(card[top:bottom, left:right], None, fx=4, fy=4, interpolation=cv2.INTER_CUBIC)
    _, ink = cv2.threshold(corner, 0, 255, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    cut = round(RANK_SHARE * len(ink))
    halves = {"rank": _largest(ink[:cut], TEMPLATE["rank"]), "suit": _largest(ink[cut:], TEMPLATE["suit"])}
    found = {kind: mark for kind, mark in halves.items() if mark is not None}
    return found if len(found) == len(halves) else None


def _largest(ink: Image, size: tuple[int, int]) -> Image | None:
    """The largest mark, scaled."""
    contours, _ = cv2.findContours(ink, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not contours:
        return None
    x, y, wide, high = cv2.boundingRect(max(contours, key=cv2.contourArea))
    return cv2.resize(ink[y : y + high, x : x + wide], size, interpolation=cv2.INTER_AREA) / 255


@lru_cache(maxsize=1)
def templates() -> dict[str, dict[str, Image]]:
    """A mark of each rank (from the spades) and of each suit (from the sevens) of the simulator's plain pack."""
    ranks = {rank: _face_marks(rank + "S")["rank"] for rank in RANKS}
    suits = {suit: _face_marks("7" + suit)["suit"] for suit in SUITS}
    return {"rank": ranks, "suit": suits}


def _face_marks(card: str) -> dict[str, Image]:
    face = pack.face(card, pack.Style(), UPRIGHT[0])
    marks = _marks(cv2.resize(cv2.cvtColor(face[..., :3], cv2.COLOR_BGR2GRAY), UPRIGHT))
    assert marks is not None, card
    return marks
