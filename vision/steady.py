"""A camera that is nudged: notices it, and gives the picture as it looked from the first place.

Anchors all over the picture tell whether it still shows the same places in the same spots; if not, where they are now
(or where the mat's markers are) gives the way back. It knows no card; hands only hide anchors.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from . import anchors
from .anchors import Anchors, Look
from .calibrate import find_markers
from .surface import Surface, project

Image = NDArray[np.uint8]
Mask = NDArray[np.uint8]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_HELD: Final = 0.6
"""An anchor is in its place when it correlates with itself by this share of what it does when nothing happens."""

_YOUNG: Final = 6
"""Frames whose mean makes a new anchor: noise is down to 0.4."""

_LEAST: Final = 10
"""With fewer anchors, or all in one corner, nothing is said of the camera: the tracker finds moved cards moved."""

_SPREAD: Final = 0.2
"""Least share of the picture within the outline of all anchors ..."""

_FIT_SPREAD: Final = 0.1
"""... and of those that agree on a way back: a pushed row of cards is no nudge."""

_LOST: Final = 0.55
"""The camera may have been nudged when this share of the anchors is lost within `_MEMORY_S`; two arms hide 0.3."""

_MEMORY_S: Final = 1.5

_CREPT_PX: Final = 1.2
"""... or when all of them seem to have gone this far (in a picture of 1280), `_CREPT_TIMES` looks in a row."""

_CREPT_TIMES: Final = 3
_CREPT_EVERY: Final = 3

_SUPPORT: Final = 0.25
"""Share of the anchors that must agree on where the camera looks: hands and laid cards may hide the others."""

_LEAST_SUPPORT: Final = 7

_AGREE_PX: Final = 1.5
"""Anchors agree within this (in a picture of 1280)."""

_STAYED: Final = 1.2
"""To stay is believed before moving unless this many times as many anchors speak for it."""

_WIDE: Final = 16
"""So many anchors are looked for far and wide, all others near where these suggest."""

_CALM_PX: Final = 1.5
"""The camera has come to rest when two frames agree within this."""

_MARKERS_EVERY_S: Final = 0.4
"""Looking for markers takes as long as ten frames: not more often than this, and only where anchors do not help."""

_LONG_S: Final = 2.0
_TRY_RARELY_S: Final = 0.5
"""A camera lost for so long is looked for less often: a look takes as long as two or three frames."""

_RENEW_S: Final = 3.0
"""So often, in calm moments, cells without an anchor get one: cards come and go."""

_FORGET_S: Final = 30.0
"""An anchor unseen for so long is covered for good."""

_WRONG_START_MM: Final = 3.0
"""Markers farther than this from where the calibration has them: the camera was moved since."""


class Place(Enum):
    """What is known of the camera's place: seen to be known, not known, or just found again elsewhere."""

    KNOWN = "known"
    UNKNOWN = "unknown"
    REGAINED = "regained"


@dataclass(frozen=True, slots=True)
class View:
    """A frame as from the first place. ``unseen`` uint8 [h, w], 255 where the camera shows nothing now; None: all seen.

    ``look``: the anchors' state, None before there are any. ``edges``: of a picture whose place is not known, the
    hardness of its edges as a share of what it was; a covered lens shows none.
    """

    place: Place
    image: Image
    look: Look | None
    unseen: Mask | None
    edges: float = 1.0


@dataclass(slots=True)
class Way:
    """From the first picture's places to this one's: a homography between pictures of a lens without distortion."""

    surface: Surface
    size_px: tuple[int, int]
    matrix: Floats = field(default_factory=lambda: np.eye(3))
    _maps: tuple[Any, Any] | None = None
    unseen: Mask | None = None

    def to(self, matrix: Floats) -> Way:
        """The way by this homography, ready to be gone picture by picture."""
        way = Way(self.surface, self.size_px, matrix)
        way._maps, way.unseen = way._drawn()
        return way

    def now_px(self, points_px: Any) -> Floats:
        """Where the places of the first picture [..., 2] are now, px."""
        return self.surface.bent(project(self.matrix, self.surface.straight(points_px)))

    def back(self, image: Image) -> Image:
        """The picture as from the first place; beyond its border its outermost pixels go on."""
        if self._maps is None:
            return image
        return np.asarray(cv2.remap(image, *self._maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    def _drawn(self) -> tuple[tuple[Any, Any], Mask]:
        """Maps for `cv2.remap`, computed on a grid (the way is smooth) and drawn out to every pixel."""
        wide, high = self.size_px
        xs, ys = np.linspace(0, wide - 1, 65), np.linspace(0, high - 1, 49)
        grid = self.now_px(np.stack(np.meshgrid(xs, ys), -1)).astype(np.float32)
        at_x = (np.arange(wide, dtype=np.float32) * (64 / (wide - 1)))[None].repeat(high, 0)
        at_y = (np.arange(high, dtype=np.float32) * (48 / (high - 1)))[:, None].repeat(wide, 1)
        places = cv2.remap(grid, at_x, at_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        outside = (places < 0).any(2) | (places > (wide - 1, high - 1)).any(2)
        maps = cv2.convertMaps(places[..., 0], places[..., 1], cv2.CV_16SC2)
        return maps, np.where(outside, 255, 0).astype(np.uint8)


@dataclass(slots=True)
class Steady:
    """Follows one camera. ``marks_px``: where the mat's markers were calibrated to be, number -> corners [4, 2] px."""

    surface: Surface
    size_px: tuple[int, int]
    marks_px: Mapping[int, Floats] = field(default_factory=dict)
    since: float | None = None
    way: Way = field(init=False)
    _anchors: Anchors | None = None
    _seen_s: Floats = field(default_factory=lambda: np.zeros(0))
    _young: tuple[Floats, list[Image]] | None = None
    _counts: deque[tuple[float, int]] = field(default_factory=deque)
    _crept: int = 0
    _frames: int = 0
    _tries: int = 0
    _pending: Floats | None = None
    _renewed_s: float = 0.0
    _edges: float = 0.0
    _markers_s: float = -1e9
    _next_s: float = 0.0

    def __post_init__(self) -> None:
        self.way = Way(self.surface, self.size_px)

    def see(self, image: Image, seconds: float) -> View:
        """The next frame (BGR uint8 [h, w, 3], taken at ``seconds``), as from the first place where that is known."""
        if self._frames == 0:
            self._begin(image)
        self._frames += 1
        view = self.way.back(image)
        picture = anchors.coarse(view)
        look = None if self._anchors is None else anchors.look(picture, self._anchors)
        if look is not None and self._watched and self._doubted(look, seconds):
            if seconds >= self._next_s and self._found_again(image, seconds):
                self._settle(seconds)
                return View(Place.REGAINED, self.way.back(image), None, self.way.unseen)
            if self.since is not None:
                return View(Place.UNKNOWN, view, look, None, anchors.edges(picture) / max(self._edges, 1.0))
        self._tend(picture, look, seconds)
        return View(Place.KNOWN, view, look, None)

    @property
    def anchors(self) -> Anchors | None:
        """The places that are watched, None before there are any."""
        return self._anchors

    @property
    def moved(self) -> bool:
        """Does the camera look from another place than at first?"""
        return self.way.unseen is not None

    # --- is it still there? ----------------------------------------------------------------------------------

    @property
    def _watched(self) -> bool:
        """Are there anchors enough, and all over the picture?"""
        some = self._anchors
        return some is not None and len(some) >= _LEAST and self._share(some.at) >= _SPREAD

    def _doubted(self, look: Look, seconds: float) -> bool:
        """May the camera have been nudged, or be where it went then?"""
        held = self._held(look)
        count = int(held.sum())
        self._seen_s[held] = seconds
        while self._counts and self._counts[0][0] < seconds - _MEMORY_S:
            self._counts.popleft()
        most = max((n for _, n in self._counts), default=count)
        crept = self._creeps(look, held)
        if count >= (1 - _LOST) * most and not crept and self.since is None:
            self._counts.append((seconds, count))
            return False
        if self.since is None:
            self.since, self._pending, self._tries = seconds, None, 0
        return True

    def _held(self, look: Look) -> Flags:
        assert self._anchors is not None
        return np.asarray(look.score >= _HELD * self._anchors.base)

    def _creeps(self, look: Look, held: Flags) -> bool:
        """Have all anchors that are seen moved a little, the same way?"""
        assert self._anchors is not None
        if self._frames % _CREPT_EVERY or int(held.sum()) < _LEAST:
            return self._crept >= _CREPT_TIMES
        some = self._anchors.of(held)
        far = _gone(look.units[held], some, self._anchors_size) * self._factor
        self._crept = self._crept + 1 if far > _CREPT_PX / self._unit else 0
        return self._crept >= _CREPT_TIMES

    # --- where is it now? ------------------------------------------------------------------------------------

    def _found_again(self, image: Image, seconds: float) -> bool:
        """Is the camera's place known (again)? Changes the way there; ``since`` is None where it never moved."""
        patient = self.since is not None and seconds - self.since > _LONG_S
        self._next_s = seconds + (_TRY_RARELY_S if patient else 0.0)
        matrix = self._by_anchors(image)
        if matrix is None and self.marks_px:
            if seconds - self._markers_s < _MARKERS_EVERY_S:
                return False
            self._markers_s = seconds
            matrix = self._by_markers(find_markers(image))
        if matrix is None:
            self._pending = None
            return False
        if self._near(matrix, self.way.matrix):
            self._settle(seconds)
            return False
        if self._pending is None or not self._near(matrix, self._pending):
            self._pending = matrix
            return False
        self.way = self.way.to(matrix)
        return True

    def _settle(self, seconds: float) -> None:
        """The place is known: doubts begin anew."""
        self.since, self._pending, self._crept = None, None, 0
        self._counts.clear()
        self._renewed_s = seconds

    def _by_anchors(self, image: Image) -> Floats | None:
        """The homography on which the anchors agree; the one that holds where it will do."""
        assert self._anchors is not None
        picture = anchors.coarse(image)
        here = self._coarse(self.way.now_px(self._px(self._anchors.at)))
        stay = self._agreed(picture, here)
        go = self._agreed(picture, self._coarse(guess)) if (guess := self._guess(picture, here)) is not None else None
        if go is not None and (stay is None or go[1] > _STAYED * stay[1]):
            return go[0]
        return None if stay is None else stay[0]

    def _guess(self, picture: Image, here: Floats) -> Floats | None:
        """Where all anchors should be by what a part of them says, searched for far and wide, px."""
        assert self._anchors is not None
        order = np.argsort(-self._anchors.base)
        some = np.roll(order, -_WIDE * self._tries)[:_WIDE]
        self._tries += 1
        at, found = anchors.search(picture, self._anchors.of(some), here[some], wide=True)
        if int(found.sum()) < 4:
            return None
        way = _similarity(self._straight(self._anchors.at[some][found]), self._straight(at[found]), 4 / self._unit)
        if way is None:
            return None
        return self.surface.bent(project(way[0], self._straight(self._anchors.at)))

    def _agreed(self, picture: Image, near: Floats) -> tuple[Floats, int] | None:
        """The homography by anchors found near these places, and how many agree; None where too few do."""
        assert self._anchors is not None
        at, found = anchors.search(picture, self._anchors, near, wide=False)
        was, now = self._straight(self._anchors.at[found]), self._straight(at[found])
        least = max(_LEAST_SUPPORT, round(_SUPPORT * len(self._anchors)))
        way = _similarity(was, now, _AGREE_PX / self._unit) if len(was) >= least else None
        if way is None or int(way[1].sum()) < least or self._share(at[found][way[1]]) < _FIT_SPREAD:
            return None
        tilted = _homography(was, now, _AGREE_PX / self._unit)
        best = tilted if tilted is not None and tilted[1].sum() > _STAYED * way[1].sum() else way
        return best[0], int(best[1].sum())

    def _by_markers(self, found: Mapping[int, Floats]) -> Floats | None:
        """The homography by the mat's markers, three or more of them."""
        both = [i for i in self.marks_px if i in found]
        if len(both) < 3:
            return None
        was = self.surface.straight(np.concatenate([self.marks_px[i] for i in both]) - 0.5)
        now = self.surface.straight(np.concatenate([found[i] for i in both]) - 0.5)
        way = _homography(was, now, 2 * _AGREE_PX / self._unit)
        return way[0] if way is not None and way[1].mean() >= 0.7 else None

    # --- the anchors -----------------------------------------------------------------------------------------

    def _begin(self, image: Image) -> None:
        """The markers tell whether the camera is where it was calibrated."""
        found = find_markers(image) if self.marks_px else {}
        matrix = self._by_markers(found)
        both = [i for i in self.marks_px if i in found]
        if matrix is None:
            self.marks_px = {}
            return
        was, now = (np.concatenate([where[i] for i in both]) for where in (self.marks_px, found))
        off_mm = np.hypot(*(self.surface.mm(now) - self.surface.mm(was)).T)
        if float(np.median(off_mm)) > _WRONG_START_MM:
            self.way = self.way.to(matrix)

    def _tend(self, picture: Image, look: Look | None, seconds: float) -> None:
        """Take new anchors where there are none, and let go of those long unseen."""
        if self._young is not None:
            self._raise(picture, seconds)
        elif self._anchors is None or seconds - self._renewed_s >= _RENEW_S:
            self._renewed_s, self._edges = seconds, anchors.edges(picture)
            if self._anchors is not None and look is not None:
                kept = self._held(look) | (self._seen_s > seconds - _FORGET_S)
                self._anchors, self._seen_s = self._anchors.of(kept), self._seen_s[kept]
            beside = np.zeros((0, 2)) if self._anchors is None else self._anchors.at
            self._young = (anchors.places(picture, beside), [picture])

    def _raise(self, picture: Image, seconds: float) -> None:
        assert self._young is not None
        at, pictures = self._young
        pictures.append(picture)
        if len(pictures) < _YOUNG:
            return
        self._young = None
        more = anchors.take(pictures, at)
        self._anchors = more if self._anchors is None else self._anchors.plus(more)
        self._seen_s = np.concatenate([self._seen_s, np.full(len(more), seconds)])
        self._counts.clear()

    # --- coordinates -----------------------------------------------------------------------------------------

    @property
    def _factor(self) -> int:
        return anchors.coarse_factor(self.size_px)

    @property
    def _anchors_size(self) -> tuple[int, int]:
        return self.size_px[0] // self._factor, self.size_px[1] // self._factor

    @property
    def _unit(self) -> float:
        """Multiplies px of a picture of 1280 px; divides them to get this picture's."""
        return 1280 / self.size_px[0]

    def _px(self, at: Floats) -> Floats:
        return (at + 0.5) * self._factor - 0.5

    def _coarse(self, px: Floats) -> Floats:
        return (px + 0.5) / self._factor - 0.5

    def _straight(self, at: Floats) -> Floats:
        return self.surface.straight(self._px(at))

    def _share(self, at: Floats) -> float:
        """Share of the picture within the outline of these coarse places."""
        if len(at) < 3:
            return 0.0
        wide, high = self._anchors_size
        return float(cv2.contourArea(cv2.convexHull(at.astype(np.float32)))) / (wide * high)

    def _near(self, a: Floats, b: Floats) -> bool:
        """Do two ways lead to the same picture?"""
        wide, high = self.size_px
        corners = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], float)
        return float(np.abs(project(a, corners) - project(b, corners)).max()) < _CALM_PX / self._unit


def _gone(units: NDArray[np.float32], some: Anchors, size: tuple[int, int]) -> float:
    """How far the picture's corners seem to have gone, by a similarity through what the anchors say, coarse px.

    Noise shortens what a patch says by its ``base``.
    """
    off, tells = anchors.drift(units, some)
    middle = np.array(size, float) / 2
    arm = some.at - middle
    rows = np.zeros((len(arm), 2, 4))
    rows[:, 0], rows[:, 1] = _rows(arm)
    weight = tells.copy()
    for _ in range(3):
        w = np.sqrt(weight)[:, None]
        a, y = (rows * w[..., None]).reshape(-1, 4), (off * w).reshape(-1)
        fit, *_ = np.linalg.lstsq(a, y, rcond=None)
        miss = np.hypot(*(off - rows @ fit).T)
        weight = tells / (1 + (miss / 0.2) ** 2) ** 2
    agree = float((miss < 0.6).mean())
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * middle
    gone = np.stack(_rows(corners), 1) @ fit
    return float(np.hypot(*gone.T).max()) / float(np.median(some.base)) if agree >= 0.6 else 0.0


def _rows(arm: Floats) -> tuple[Floats, Floats]:
    """What shift x, shift y, stretch and turn do to places, [n, 4] for x and y."""
    one, none = np.ones(len(arm)), np.zeros(len(arm))
    return np.stack([one, none, arm[:, 0], -arm[:, 1]], 1), np.stack([none, one, arm[:, 1], arm[:, 0]], 1)


def _similarity(was: Floats, now: Floats, within_px: float) -> tuple[Floats, Flags] | None:
    found: Any = cv2.estimateAffinePartial2D(was, now, method=cv2.RANSAC, ransacReprojThreshold=within_px)
    affine, inside = found
    if affine is None:
        return None
    return np.vstack([affine, [0.0, 0.0, 1.0]]), np.asarray(inside).ravel() > 0


def _homography(was: Floats, now: Floats, within_px: float) -> tuple[Floats, Flags] | None:
    if len(was) < 4:
        return None
    found: Any = cv2.findHomography(was, now, cv2.RANSAC, within_px)
    matrix, inside = found
    return None if matrix is None else (np.asarray(matrix, float), np.asarray(inside).ravel() > 0)
