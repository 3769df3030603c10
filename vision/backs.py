"""Cards in a still picture of which no index can be read: free four-cornered shapes of a card's proportions.

A face-down card says nothing of which card it is, so its shape must. At the table the tracker has better ways
(outlines.py, millimetres); here is one picture, perhaps seen aslant. Only cards that lie free are found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from .reader import BACK, UNREAD, Image, Reading

Quad = NDArray[np.float64]

_WORK_PX: Final = 640
"""The longer side of the picture that is searched: a card's sides are straight lines there, cloth is smooth."""

_LEAST_SHARE: Final = 0.004
"""Least area over the picture's: a card 40 px wide of 640."""

_ASPECT: Final = (1.12, 1.75)
"""Longer over shorter side: 1.4 from above, less or more seen aslant."""

_PARALLEL_DEG: Final = 14.0
"""Opposite sides of a card differ by less than this in a view that is fit for play."""

_FILL: Final = 0.94
"""Share of the quad that its contour fills: rounded corners take 2 %, a hand or a neighbour more."""

_SIZE_RATIO: Final = 1.6
"""Areas of the cards in one picture differ less than this."""

_COVERED: Final = 0.3
"""Share of a quad that a read card may cover: more, and the two are one card."""

_PAPER_LEVEL: Final = 0.55
"""Paper is brighter than this share of the picture's brightest tone, and ..."""

_PAPER_HUE: Final = 0.42
"""... nearly grey: (max - min) / max of its channels; warm lamps bring white to 0.35."""

_FACE_SHARE: Final = 0.34
"""Least share of paper on a face: courts have 0.4 and more, backs with a white border 0.25."""


def cards_by_shape(image: Image, readings: Sequence[Reading]) -> list[Reading]:
    """A "back" for every free card without an index, or "?" where it is a face; ``readings`` are those with one.

    Their confidence says how much of a card's shape is there at least.
    """
    found = [quad for quad in _apart(_quads(image)) if all(_share_covered(quad, r) < _COVERED for r in readings)]
    read = [cv2.contourArea(r.corners.astype(np.float32)) for r in readings if r.card != UNREAD]
    if read:
        area = float(np.median(read))
        found = [q for q in found if 1 / _SIZE_RATIO < cv2.contourArea(q.astype(np.float32)) / area < _SIZE_RATIO]
    return [_reading(image, quad) for quad in found]


def _reading(image: Image, quad: Quad) -> Reading:
    return Reading(UNREAD if _is_face(image, quad) else BACK, _FILL, quad, ())


def _is_face(image: Image, quad: Quad) -> bool:
    """Is the card mostly paper, as faces are and backs are not?"""
    target = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], np.float32)
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), target)
    card = cv2.warpPerspective(image, matrix, (63, 88))[3:-3, 3:-3].reshape(-1, 3).astype(np.float32)
    brightest = float(np.percentile(image.max(2), 99))
    high, low = card.max(1), card.min(1)
    paper = (high > _PAPER_LEVEL * brightest) & (high - low < _PAPER_HUE * high)
    return float(paper.mean()) >= _FACE_SHARE


def _quads(image: Image) -> Iterator[Quad]:
    """Card-like quads [4, 2] px, the short sides above and below, from light, dark and coloured patches."""
    scale = _WORK_PX / max(image.shape[:2])
    small = cv2.GaussianBlur(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), (5, 5), 0)
    least = _LEAST_SHARE * small.shape[0] * small.shape[1]
    for mask in _masks(small):
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            quad = _card_like(contour, least, small.shape)
            if quad is not None:
                yield quad / scale


def _masks(small: Any) -> Iterator[NDArray[np.uint8]]:
    """The picture cut in two by brightness and by colour, and its edges."""
    for channel in (cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), cv2.cvtColor(small, cv2.COLOR_BGR2HSV)[..., 1]):
        _, mask = cv2.threshold(channel, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
        yield np.asarray(mask, np.uint8)
        yield np.asarray(255 - mask, np.uint8)
    edges = cv2.dilate(cv2.Canny(small, 40, 120), np.ones((3, 3), np.uint8))
    yield np.asarray(255 - edges, np.uint8)


def _card_like(contour: Any, least: float, shape: tuple[int, ...]) -> Quad | None:
    """The contour's four corners, when it is a card's shape and lies wholly in the picture."""
    area = cv2.contourArea(contour)
    if area < least:
        return None
    corners = cv2.approxPolyDP(contour, 0.03 * cv2.arcLength(contour, True), True)[:, 0].astype(float)
    if len(corners) != 4 or not cv2.isContourConvex(corners.astype(np.float32)):
        return None
    if (corners < 2).any() or (corners > (shape[1] - 3, shape[0] - 3)).any():
        return None
    sides = np.roll(corners, -1, 0) - corners
    lengths = np.hypot(*sides.T)
    pairs = lengths[0] + lengths[2], lengths[1] + lengths[3]
    if not _ASPECT[0] < max(pairs) / min(pairs) < _ASPECT[1] or not _parallel(sides):
        return None
    if area < _FILL * cv2.contourArea(corners.astype(np.float32)):
        return None
    upright = corners if pairs[0] < pairs[1] else np.roll(corners, -1, 0)
    clockwise = sides[0][0] * sides[1][1] > sides[0][1] * sides[1][0]
    return np.asarray(upright if clockwise else upright[[1, 0, 3, 2]], float)


def _parallel(sides: Quad) -> bool:
    angles = np.degrees(np.arctan2(sides[:, 1], sides[:, 0]))
    turns = np.abs((angles[:2] - angles[2:] + 90) % 180 - 90)
    return bool((turns < _PARALLEL_DEG).all())


def _apart(quads: Iterator[Quad]) -> list[Quad]:
    """Each shape once, the largest first."""
    kept: list[Quad] = []
    for quad in sorted(quads, key=lambda q: -cv2.contourArea(q.astype(np.float32))):
        if all(np.hypot(*(quad.mean(0) - other.mean(0))) > np.hypot(*(other[1] - other[0])) / 2 for other in kept):
            kept.append(quad)
    return kept


def _share_covered(quad: Quad, other: Reading) -> float:
    """Share of the quad that ``other`` covers."""
    area, _ = cv2.intersectConvexConvex(quad.astype(np.float32), other.corners.astype(np.float32))
    return float(area) / max(float(cv2.contourArea(quad.astype(np.float32))), 1.0)
