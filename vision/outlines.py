"""Cards told by their shape alone: rectangles of card size, for backs and packs and faces that cannot be read.

Straight edges that meet at right angles propose a rectangle; it counts when a brightness or colour edge runs along
nearly all of its four sides. No reading, no memory.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from .pose import Pose
from .surface import Surface

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Box = tuple[float, float, float, float]

_GRID_PX_PER_MM: Final = 1.25
"""The plan view's resolution: a card is 79 x 110, its rounded corner 4."""

_PROPOSAL_MM: Final = 5.0
"""A proposed rectangle's sides may lie this far off: rounded corners and grain bend the contours that propose it."""

_EDGE_LEVELS: Final = 22.0
"""Least step across a side, grey levels of any channel: twice the texture of cloth and wood at this scale."""

_SIDE_MM: Final = 1.8
"""A side may lie this far from where the rectangle says: rounding, bent cards, a pack's askew cards."""

_WHOLE: Final = 0.78
"""Share of all four sides with an edge: 0.9 and more on free cards, chance rectangles reach 0.6."""

_WORST_SIDE: Final = 0.5
"""... and of the worst side: one may lie on something of its own brightness in part."""

_WHOLE_CHANGED: Final = 0.6
"""... of a rectangle that the change itself fills: the edge is a second witness, on wood's grain not a strong one."""

_WORST_CHANGED: Final = 0.3
"""... and of its worst side."""

_SIZE: Final = 0.12
"""A rectangle may be this share larger or smaller than a card: perspective, blur, a small pixel of the gate."""

_PACKET_MM: Final = 5.0
"""... and so much larger yet where it is only proposed: a packet's askew cards, and both halves of a blurred edge."""

_FILLED: Final = 0.85
"""A card's silhouette fills this share of its rectangle: rounded corners cost 0.02, a pixel of the gate 0.08."""

_LEVELS: Final = 7
"""Areas of one brightness: cut at so many levels of each channel, equal shares of the picture between them ..."""

_STEPS: Final = 5
"""... and at so many equal steps of brightness: one card is a hundredth of a table, and of a tone all its own."""

_LEVEL_BLUR_MM: Final = 2.0
"""... of a picture blurred by so much (standard deviation): a noisy one has 30 000 specks a level."""

_PAPER_SPREAD: Final = 0.16
"""Paper is what is within this of the card's brightest tone, as a share of it (shade, print)."""

_PAPER_HUE: Final = 0.42
"""Paper is nearly grey: (max - min) / max of its channels; warm lamps bring white to 0.35."""

_FACE_SHARE: Final = 0.34
"""Least share of paper on a face: courts have 0.4 and more, backs with a white border 0.25."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A rectangle of card size: where, and the share of its sides with an edge along them (0..1)."""

    pose: Pose
    support: float


@dataclass(frozen=True, slots=True)
class Plan:
    """A part of the table from straight above: BGR, ``left`` and ``top`` in mm, `_GRID_PX_PER_MM`."""

    image: Image
    left: float
    top: float
    gradient_x: NDArray[np.float32]
    gradient_y: NDArray[np.float32]

    def grid(self, points_mm: Any) -> Floats:
        """Millimetres -> plan pixels."""
        return (np.asarray(points_mm, float) - (self.left, self.top)) * _GRID_PX_PER_MM

    def mm(self, points: Any) -> Floats:
        """Plan pixels -> millimetres."""
        return np.asarray(points, float) / _GRID_PX_PER_MM + (self.left, self.top)


def plan(image: Image, surface: Surface, box_mm: Box) -> Plan:
    """The plan view of ``box_mm`` (left, top, right, bottom)."""
    left, top, right, bottom = box_mm
    size = max(8, round((right - left) * _GRID_PX_PER_MM)), max(8, round((bottom - top) * _GRID_PX_PER_MM))
    corners = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32)
    places = surface.px(corners / _GRID_PX_PER_MM + (left, top)).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(corners, places)
    view = cv2.warpPerspective(image, matrix, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    smooth = cv2.GaussianBlur(view, (3, 3), 0)
    gradient_x, gradient_y = _steepest(smooth)
    return Plan(np.asarray(view, np.uint8), left, top, gradient_x, gradient_y)


def find(
    view: Plan, card_mm: tuple[float, float], silhouettes: Sequence[Any] = (), levels: bool = False
) -> list[Outline]:
    """Every card-sized rectangle in the view, the best first; rectangles that lie on each other more than half are one.

    ``silhouettes``: contours [n, 1, 2] plan px of what has changed: one that is a card in size and shape needs less of
    an edge, for cloth and grain hide it.  ``levels`` looks at areas of one brightness too: slower, for a first look.
    """
    shapes = [pose for contour in silhouettes if (pose := _filled(view, contour, card_mm)) is not None]
    contours = [*_edge_contours(view), *silhouettes, *(_level_contours(view) if levels else ())]
    found = [Outline(pose, support(view, pose, card_mm, _WORST_CHANGED)) for pose in shapes]
    found = [one for one in found if one.support >= _WHOLE_CHANGED]
    for pose in _likely(view, _distinct(_proposals(contours, card_mm), view), card_mm):
        fine = refine(view, pose, card_mm)
        if fine.support >= _WHOLE:
            found.append(fine)
    return _apart(found, card_mm)


def _filled(view: Plan, contour: Any, card_mm: tuple[float, float]) -> Pose | None:
    """The card that a contour is the outline of; None if it is another shape, or only part of one."""
    (x, y), (a, b), angle = cv2.minAreaRect(contour)
    wide, high = card_mm[0] * _GRID_PX_PER_MM, card_mm[1] * _GRID_PX_PER_MM
    if abs(min(a, b) - wide) > _SIZE * wide or abs(max(a, b) - high) > _SIZE * high:
        return None
    if cv2.contourArea(contour) < _FILLED * a * b:
        return None
    middle = view.mm((x, y))
    return Pose(float(middle[0]), float(middle[1]), (angle if a < b else angle + 90) % 180)


def refine(view: Plan, pose: Pose, card_mm: tuple[float, float]) -> Outline:
    """The best-supported rectangle near ``pose`` (within 5 mm and 5 degrees)."""
    best = Outline(pose, support(view, pose, card_mm))
    for step_mm, step_deg in ((3.0, 3.0), (1.6, 1.6), (0.8, 0.8)):
        around = _as_row(best.pose) + _NEAR * (step_mm, step_mm, step_deg)
        values = _supports(view, around, card_mm, _WORST_SIDE)
        most = int(values.argmax())
        if values[most] > best.support:
            x, y, angle = (float(v) for v in around[most])
            best = Outline(Pose(x, y, angle), float(values[most]))
    return best


_SIDE_SAMPLES: Final = 16
_ALONG = np.linspace(0.08, 0.92, _SIDE_SAMPLES)
_OFFSETS = np.arange(-2, 3) * (_SIDE_MM / 2)
_NEAR = np.array(list(itertools.product((-1, 0, 1), repeat=3)), float)


def support(view: Plan, pose: Pose, card_mm: tuple[float, float], worst: float = _WORST_SIDE) -> float:
    """Share of the outline along which an edge runs; 0 where a side has less than ``worst``."""
    return float(_supports(view, _as_row(pose)[None], card_mm, worst)[0])


def _as_row(pose: Pose) -> Floats:
    return np.array([pose.x, pose.y, pose.angle])


def _supports(view: Plan, rows: Floats, card_mm: tuple[float, float], worst: float) -> Floats:
    """`support` of rectangles [n, 3] (x, y mm, degrees) at once, [n]."""
    base, normals = _sides(rows, card_mm)
    points = base[:, :, :, None] + normals[:, :, None, None] * _OFFSETS[:, None]
    xs, ys = _in_view(view, points)
    across = (
        view.gradient_x[ys, xs] * normals[:, :, None, None, 0] + view.gradient_y[ys, xs] * normals[:, :, None, None, 1]
    )
    shares = (np.abs(across).max(3) > _EDGE_LEVELS / 2).mean(2)
    return np.asarray(np.where(shares.min(1) >= worst, shares.mean(1), 0.0))


def _sides(rows: Floats, card_mm: tuple[float, float]) -> tuple[Floats, Floats]:
    """Places along the four sides of rectangles [n, 3]: mm [n, 4, samples, 2]; and the sides' normals [n, 4, 2]."""
    turn = np.radians(rows[:, 2])
    right, down = np.stack([np.cos(turn), np.sin(turn)], 1), np.stack([-np.sin(turn), np.cos(turn)], 1)
    half_w, half_h = card_mm[0] / 2, card_mm[1] / 2
    normals = np.stack([right, -right, down, -down], 1)
    along = np.stack([down, down, right, right], 1) * np.array([half_h, half_h, half_w, half_w])[:, None]
    middle = rows[:, None, :2] + normals * np.array([half_w, half_w, half_h, half_h])[:, None]
    return middle[:, :, None] + along[:, :, None] * (2 * _ALONG - 1)[:, None], normals


def _in_view(view: Plan, points_mm: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The plan pixels (x, y) of places mm [..., 2], those outside at its rim."""
    high, wide = view.gradient_x.shape
    grid = np.round(view.grid(points_mm)).astype(np.int64)
    return np.clip(grid[..., 0], 0, wide - 1), np.clip(grid[..., 1], 0, high - 1)


def _likely(view: Plan, poses: list[Pose], card_mm: tuple[float, float]) -> list[Pose]:
    """Those of the proposed rectangles along whose sides edges run, of any direction, within what `refine` reaches."""
    if not poses:
        return []
    reach = 2 * round(_PROPOSAL_MM * _GRID_PX_PER_MM) + 1
    edges = cv2.dilate((_strength(view) > _EDGE_LEVELS / 2).astype(np.uint8), np.ones((reach, reach), np.uint8))
    base, _ = _sides(np.array([_as_row(pose) for pose in poses]), card_mm)
    xs, ys = _in_view(view, base)
    shares = edges[ys, xs].mean(2)
    return [
        one for one, share in zip(poses, shares, strict=True) if share.mean() > _WHOLE and share.min() > _WORST_SIDE
    ]


def looks_like_face(view: Plan, pose: Pose, card_mm: tuple[float, float]) -> bool:
    """Is the rectangle mostly paper, as faces are and backs are not?"""
    card = _upright(view, pose, card_mm).reshape(-1, 3).astype(np.float32)
    brightest = card[card.sum(1) >= np.percentile(card.sum(1), 88)].mean(0)
    if (brightest.max() - brightest.min()) > _PAPER_HUE * brightest.max():
        return False
    near = (np.abs(card - brightest) <= _PAPER_SPREAD * brightest.max()).all(1)
    return float(near.mean()) >= _FACE_SHARE


def _upright(view: Plan, pose: Pose, card_mm: tuple[float, float]) -> Image:
    size = round(card_mm[0]), round(card_mm[1])
    corners = view.grid(pose.outline((card_mm[0] - 2, card_mm[1] - 2))).astype(np.float32)
    target = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32)
    return np.asarray(cv2.warpPerspective(view.image, cv2.getPerspectiveTransform(corners, target), size), np.uint8)


def _steepest(image: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The gradient of the channel that changes most, grey levels per pixel, [h, w] each."""
    x, *others_x = cv2.split(cv2.Sobel(image, cv2.CV_32F, 1, 0, ksize=3, scale=0.25))
    y, *others_y = cv2.split(cv2.Sobel(image, cv2.CV_32F, 0, 1, ksize=3, scale=0.25))
    most = cv2.magnitude(x, y)
    for other_x, other_y in zip(others_x, others_y, strict=True):
        steepness = cv2.magnitude(other_x, other_y)
        steeper = cv2.compare(steepness, most, cv2.CMP_GT)
        for old, new in ((x, other_x), (y, other_y), (most, steepness)):
            cv2.copyTo(new, steeper, old)
    return np.asarray(x, np.float32), np.asarray(y, np.float32)


def _strength(view: Plan) -> NDArray[np.float32]:
    return np.asarray(cv2.magnitude(view.gradient_x, view.gradient_y), np.float32)


def _edge_contours(view: Plan) -> list[Any]:
    edges = np.where(_strength(view) > _EDGE_LEVELS / 2, 255, 0).astype(np.uint8)
    closed = cv2.morphologyEx(edges, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(closed, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    return list(contours)


def _level_contours(view: Plan) -> list[Any]:
    """Outlines of areas brighter than each of some levels: a back on wood whose grain breaks its edges."""
    contours: list[Any] = []
    blurred = cv2.GaussianBlur(view.image, (0, 0), _LEVEL_BLUR_MM * _GRID_PX_PER_MM)
    half = cv2.resize(blurred, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    for channel in cv2.split(half):
        for level in _levels(channel):
            _, over = cv2.threshold(channel, float(level), 255, cv2.THRESH_BINARY)
            contours += (2 * one for one in cv2.findContours(over, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)[0])
    return contours


def _levels(channel: Any) -> Floats:
    """Where one channel of a picture is cut."""
    shares = np.percentile(channel, np.linspace(0, 100, _LEVELS + 2)[1:-1])
    return np.concatenate([shares, np.linspace(int(channel.min()), int(channel.max()), _STEPS + 2)[1:-1]])


def _proposals(contours: Any, card_mm: tuple[float, float]) -> list[tuple[float, float, float]]:
    """Rectangles (plan px x, y, degrees) that contours suggest: their own box, or one in each right-angled corner."""
    wide, high = card_mm[0] * _GRID_PX_PER_MM, card_mm[1] * _GRID_PX_PER_MM
    least = 0.5 * wide * high
    shortest = math.sqrt(4 * math.pi * least)  # a circle's: no outline round so much is shorter
    out: list[tuple[float, float, float]] = []
    for contour in contours:
        if cv2.arcLength(contour, True) < shortest or cv2.contourArea(cv2.convexHull(contour)) < least:
            continue
        (x, y), (a, b), angle = cv2.minAreaRect(contour)
        if _as_large(min(a, b), wide) and _as_large(max(a, b), high):
            out.append((x, y, angle if a < b else angle + 90))
        out += _corner_proposals(contour, wide, high)
    return out


def _as_large(side: float, card_side: float) -> bool:
    """May a side of so many plan px be that side of a card or packet?"""
    return -_SIZE * card_side < side - card_side < _SIZE * card_side + _PACKET_MM * _GRID_PX_PER_MM


def _corner_proposals(contour: Any, wide: float, high: float) -> list[tuple[float, float, float]]:
    polygon = cv2.approxPolyDP(contour, 3.0, True)[:, 0].astype(float)
    if not 4 <= len(polygon) <= 40:
        return []
    out = []
    for before, here, after in zip(np.roll(polygon, 1, 0), polygon, np.roll(polygon, -1, 0), strict=True):
        u, v = before - here, after - here
        if min(np.hypot(*u), np.hypot(*v)) < 0.3 * wide:
            continue
        u, v = u / np.hypot(*u), v / np.hypot(*v)
        if abs(float(u @ v)) > 0.2:
            continue
        for a, b in ((u, v), (v, u)):
            middle = here + a * wide / 2 + b * high / 2
            out.append((float(middle[0]), float(middle[1]), float(np.degrees(np.arctan2(-b[0], b[1])))))
    return out


def _distinct(proposals: list[tuple[float, float, float]], view: Plan) -> list[Pose]:
    """One proposal for each place (4 mm) and turn (6 degrees)."""
    kept: dict[tuple[int, int, int], Pose] = {}
    for x, y, angle in proposals:
        middle = view.mm((x, y))
        key = round(middle[0] / 4), round(middle[1] / 4), round((angle % 180) / 6) % 30
        kept.setdefault(key, Pose(float(middle[0]), float(middle[1]), angle % 180))
    return list(kept.values())


def _apart(found: list[Outline], card_mm: tuple[float, float]) -> list[Outline]:
    kept: list[Outline] = []
    for one in sorted(found, key=lambda o: -o.support):
        if all(_overlap(one.pose, other.pose, card_mm) < 0.5 for other in kept):
            kept.append(one)
    return kept


def _overlap(a: Pose, b: Pose, card_mm: tuple[float, float]) -> float:
    area, _ = cv2.intersectConvexConvex(a.outline(card_mm).astype(np.float32), b.outline(card_mm).astype(np.float32))
    return float(area) / (card_mm[0] * card_mm[1])
