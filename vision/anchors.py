"""Anchors: small places of a picture, by which it is seen whether the picture still shows them, and where.

Works on a coarse grey picture. Light cancels out: patches are compared without their mean and contrast. It knows no
card and no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Patches = NDArray[np.float32]

COARSE_WIDTH: Final = 640
"""Width of the coarse picture: a card of 80 px in 1280 has 40, the grain of a cloth is still told from noise (measured
on five tables: a patch correlates with itself in the next frame by 0.7 to 1.0, 2 px beside it by 0.3 to 0.9)."""

_HALF: Final = 10
"""A patch is 21 coarse pixels square, 30 mm: an index with its surroundings, or enough grain of a cloth."""

_SIDE: Final = 2 * _HALF + 1

_REACH: Final = 56
"""How far a patch is searched for: a nudge of 60 px, a turn of 2 degrees and a bump of 3 % together are 52 here."""

_NEAR: Final = 5
"""... and again round the place that the others suggest."""

_FOUND: Final = 0.7
"""Least share of its own correlation at a place found by searching: it may be turned a little and brought nearer."""

_LEAST_BASE: Final = 0.35
"""Least correlation of a patch with itself: by chance the best place of 113 x 113 has 0.2."""

_GRID: Final = (8, 6)
"""The best corner of each of so many cells of the picture is an anchor: they lie all over it."""

_CANDIDATES: Final = 800
_QUALITY: Final = 0.0002
"""Share of the best corner's strength that makes a candidate: grain beside the corner of a marker."""

_CONTRAST: Final = 1.2
"""Least standard deviation of a patch, grey levels: noise, averaged to the coarse picture, has 0.5 to 1."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """n places: ``at`` [n, 2] their middles, coarse px; ``units`` [n, 21*21] patches without mean and contrast.

    ``patches`` uint8: as they were; ``level``, ``contrast`` and ``sharp`` [n]: mean, standard deviation, and steps from
    pixel to pixel, grey levels; ``base`` [n]: how well it correlates with itself from frame to frame, 1 without noise.
    """

    at: Floats
    units: Patches
    patches: NDArray[np.uint8]
    level: Floats
    contrast: Floats
    sharp: Floats
    base: Floats

    def __len__(self) -> int:
        return len(self.at)

    def of(self, chosen: Flags | NDArray[np.int64]) -> Anchors:
        """Only those."""
        return Anchors(*(array[chosen] for array in self._arrays()))

    def plus(self, more: Anchors) -> Anchors:
        """These and ``more``."""
        return Anchors(*(np.concatenate(both) for both in zip(self._arrays(), more._arrays(), strict=True)))

    def _arrays(self) -> tuple[Any, ...]:
        return self.at, self.units, self.patches, self.level, self.contrast, self.sharp, self.base


@dataclass(frozen=True, slots=True)
class Look:
    """What a picture shows in the places of n anchors, [n] each.

    ``score``: correlation with what was there, -1..1; ``level`` and ``sharp``: as a share of what they were;
    ``units``: the patches now.
    """

    score: Floats
    level: Floats
    sharp: Floats
    units: Patches


def coarse_factor(size_px: tuple[int, int]) -> int:
    """Picture pixels of a coarse one."""
    return max(1, round(size_px[0] / COARSE_WIDTH))


def coarse(image: Image) -> Image:
    """The green of a BGR picture, small."""
    factor = coarse_factor((image.shape[1], image.shape[0]))
    size = image.shape[1] // factor, image.shape[0] // factor
    green = cv2.extractChannel(image[: size[1] * factor, : size[0] * factor], 1)
    return np.asarray(cv2.resize(green, size, interpolation=cv2.INTER_AREA), np.uint8)


def places(picture: Image, beside: Floats) -> Floats:
    """The best corners of a coarse picture [n, 2], one a cell, in cells that have none of ``beside`` [m, 2]."""
    corners: Any = cv2.goodFeaturesToTrack(picture, _CANDIDATES, _QUALITY, _SIDE / 2, blockSize=7)
    found = np.zeros((0, 2)) if corners is None else np.asarray(corners, float).reshape(-1, 2).round()
    high, wide = picture.shape
    inside = ((found > _HALF) & (found < (wide - _HALF - 1, high - _HALF - 1))).all(1)
    taken = {_cell(place, (wide, high)) for place in beside}
    kept: list[Floats] = []
    for place in found[inside]:
        if (cell := _cell(place, (wide, high))) not in taken:
            taken.add(cell)
            kept.append(place)
    return np.array(kept, float).reshape(-1, 2)


def take(pictures: Sequence[Image], at: Floats) -> Anchors:
    """Anchors at these places [n, 2], as the coarse pictures of a still moment show them on average.

    A place that differs from picture to picture (a hand goes by, nothing but noise) makes none: each picture is
    compared with the mean of the others, for its own noise is in its own mean (a sixth of it: noise alone has 0.4).
    """
    raws = np.stack([_sample(picture, at) for picture in pictures]).astype(np.float32)
    mean = raws.mean(0)
    units, level, contrast = _unit(mean)
    others = [(mean * len(raws) - raw) / (len(raws) - 1) for raw in raws]
    scores = np.stack(
        [np.einsum("np,np->n", _unit(raw)[0], _unit(other)[0]) for raw, other in zip(raws, others, strict=True)]
    )
    sharp = np.mean([_steps(raw) for raw in raws], axis=0)
    patches = mean.round().astype(np.uint8).reshape(-1, _SIDE, _SIDE)
    cut = Anchors(at, units, patches, level, contrast, sharp, scores.mean(0).astype(float))
    return cut.of((contrast >= _CONTRAST) & (scores.min(0) >= _LEAST_BASE))


def _cell(place: Floats, size: tuple[int, int]) -> tuple[int, int]:
    return int(place[0] * _GRID[0] / size[0]), int(place[1] * _GRID[1] / size[1])


def look(picture: Image, anchors: Anchors) -> Look:
    """What the coarse picture shows at the anchors' places."""
    raw = _sample(picture, anchors.at).astype(np.float32)
    units, level, _ = _unit(raw)
    score = np.einsum("np,np->n", units, anchors.units).astype(float)
    return Look(score, (level + 1) / (anchors.level + 1), _steps(raw) / anchors.sharp, units)


def edges(picture: Image) -> float:
    """How hard the edges of a coarse picture are, grey levels from pixel to pixel: of the steepest two in a hundred."""
    rows = picture[::4].astype(np.int16)
    return float(np.percentile(np.abs(np.diff(rows, axis=1)), 98))


def drift(units: Patches, anchors: Anchors) -> tuple[Floats, Floats]:
    """How far each anchor seems to have gone, coarse px [n, 2], true for a pixel or so; and how well it tells [n].

    One step of Lucas and Kanade (1981): the shift that explains the difference of two patches.
    """
    was, now = anchors.units.reshape(-1, _SIDE, _SIDE), units.reshape(-1, _SIDE, _SIDE)
    gx, gy = (was[:, 1:-1, 2:] - was[:, 1:-1, :-2]) / 2, (was[:, 2:, 1:-1] - was[:, :-2, 1:-1]) / 2
    miss = (was - now)[:, 1:-1, 1:-1]
    xx, yy, xy, bx, by = (
        np.einsum("nij,nij->n", a, b).astype(float) for a, b in ((gx, gx), (gy, gy), (gx, gy), (gx, miss), (gy, miss))
    )
    det = np.maximum(xx * yy - xy * xy, 1e-9)
    tells = det / np.maximum(xx + yy, 1e-9)
    return np.stack([yy * bx - xy * by, xx * by - xy * bx], 1) / det[:, None], tells


def search(picture: Image, anchors: Anchors, near: Floats, wide: bool) -> tuple[Floats, Flags]:
    """Where the anchors are, looked for round ``near`` [n, 2] coarse px (``wide``: far round); and which were found."""
    reach = _REACH if wide else _NEAR
    places, found = near.copy(), np.zeros(len(near), bool)
    for n, patch in enumerate(anchors.patches):
        hit = _match(picture, patch, near[n], reach, _FOUND * float(anchors.base[n]))
        if hit is not None:
            places[n], found[n] = hit, True
    return places, found


def _match(picture: Image, patch: Image, near: Floats, reach: int, least: float) -> Floats | None:
    x, y = (round(float(v)) for v in near)
    left, top = max(x - _HALF - reach, 0), max(y - _HALF - reach, 0)
    window = picture[top : max(y + _HALF + reach + 1, 0), left : max(x + _HALF + reach + 1, 0)]
    if min(window.shape) < _SIDE:
        return None
    scores = cv2.matchTemplate(window, patch, cv2.TM_CCOEFF_NORMED)
    _, best, _, (px, py) = cv2.minMaxLoc(scores)
    if best < least:
        return None
    return np.array([left + px + _vertex(scores[py], px), top + py + _vertex(scores[:, px], py)]) + _HALF


def _vertex(line: Any, at: int) -> float:
    """Where beside its highest value a peak really is: the top of the parabola through three of them."""
    if not 0 < at < len(line) - 1:
        return 0.0
    before, here, after = (float(v) for v in line[at - 1 : at + 2])
    curve = before - 2 * here + after
    return 0.0 if curve > -1e-6 else 0.5 * (before - after) / curve


def _sample(picture: Image, places: Floats) -> NDArray[np.uint8]:
    """The patches, [n, 21*21]; they lie inside the picture."""
    wide = picture.shape[1]
    reach = np.arange(-_HALF, _HALF + 1)
    offsets = (reach[:, None] * wide + reach[None, :]).reshape(-1)
    middle = places.astype(np.int64) @ np.array([1, wide])
    return np.asarray(picture.reshape(-1).take(middle[:, None] + offsets))


def _unit(raw: Patches) -> tuple[Patches, Floats, Floats]:
    """Without mean and contrast; and these, grey levels."""
    mean = raw.mean(1, keepdims=True)
    level = raw - mean
    length = np.sqrt(np.einsum("np,np->n", level, level))
    return level / np.maximum(length, 1e-6)[:, None], mean[:, 0].astype(float), length.astype(float) / _SIDE


def _steps(raw: Patches) -> Floats:
    """Root mean square step from one pixel to the next: an edge blurred to twice its width has 0.7 of it."""
    square = raw.reshape(-1, _SIDE, _SIDE)
    down, right = np.diff(square, axis=1), np.diff(square, axis=2)
    energy = np.einsum("nij,nij->n", down, down) + np.einsum("nij,nij->n", right, right)
    return np.asarray(np.sqrt(energy) / _SIDE + 1e-3, float)
