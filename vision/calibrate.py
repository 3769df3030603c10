"""Set-up at the table: where the playing area lies in the picture, how exactly, and whether the picture is good enough.

Looks at one picture of the empty table.  Finds the mat's markers (or takes four corners that a person has pointed at),
fits the table, and says in words what is wrong with focus, light and view, and what to do.  It writes no file and
knows no seats; zones, if given, are only drawn.

Coordinates as everywhere: picture pixels are continuous (pixel i covers [i, i + 1)), the table in mm, x right, y down.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from .surface import Surface, SurfaceError

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Point = tuple[float, float]

# --- markers: where mat.py prints them, and where they are looked for ---------------------------------------------

CORNER_MARKER_MM = 40
"""Side of a corner marker: 48 px in a picture of 1280 px for 1.1 m, eight for each of its six cells."""
CORNER_INSET_MM = 12
"""From the playing area's edges to a corner marker; its white margin lies between."""
EDGE_MARKER_MM = 26
"""Side of a marker in the middle of an edge; these show the bend of the lens, which corners alone cannot."""
EDGE_INSET_MM = 6
RED_MARK_RADIUS_MM = 9
"""A red disc beside the top-left marker: it proves that red is red (field report B06)."""

_DICTIONARY = cv2.aruco.DICT_4X4_50
_CORNER_IDS = (0, 1, 2, 3)
_MARGIN_SHARE = 1 / 6
"""White margin round a marker in sides: one cell, as the detector wants."""
_PAPER_SHARE = 1 / 4
"""... and with the blur at its edge, half a cell more."""


class CalibrationError(ValueError):
    """A picture from which the table cannot be found; the message says what was seen and what to do."""


@dataclass(frozen=True, slots=True)
class Marker:
    """One ArUco marker (DICT_4X4_50) as printed: its number, its top-left corner and side in table mm."""

    id: int
    left_mm: float
    top_mm: float
    side_mm: float

    @property
    def margin_mm(self) -> float:
        """Width of the white paper round it."""
        return self.side_mm * _MARGIN_SHARE

    @property
    def corners_mm(self) -> tuple[Point, Point, Point, Point]:
        """Clockwise from its own top left, as the detector names them."""
        x, y, s = self.left_mm, self.top_mm, self.side_mm
        return ((x, y), (x + s, y), (x + s, y + s), (x, y + s))

    def cells(self) -> list[list[bool]]:
        """Its six rows of six cells, True where white; the outermost are black."""
        dictionary = cv2.aruco.getPredefinedDictionary(_DICTIONARY)
        size = dictionary.markerSize + 2
        pixels = np.asarray(cv2.aruco.generateImageMarker(dictionary, self.id, size))
        return [[bool(v) for v in row] for row in pixels > 127]


def mat_markers(width_mm: float, height_mm: float) -> tuple[Marker, ...]:
    """The eight markers of a mat: corners 0 to 3 clockwise from the top left, edges 4 to 7 from the top."""
    near, big, small = CORNER_INSET_MM, CORNER_MARKER_MM, EDGE_MARKER_MM
    right, bottom = width_mm - near - big, height_mm - near - big
    x, y = (width_mm - small) / 2, (height_mm - small) / 2
    far_x, far_y = width_mm - EDGE_INSET_MM - small, height_mm - EDGE_INSET_MM - small
    return (
        Marker(0, near, near, big),
        Marker(1, right, near, big),
        Marker(2, right, bottom, big),
        Marker(3, near, bottom, big),
        Marker(4, x, EDGE_INSET_MM, small),
        Marker(5, far_x, y, small),
        Marker(6, x, far_y, small),
        Marker(7, EDGE_INSET_MM, y, small),
    )


def red_mark_mm() -> Point:
    """The middle of the red disc: right of the top-left marker."""
    return (CORNER_INSET_MM + CORNER_MARKER_MM + 30, CORNER_INSET_MM + CORNER_MARKER_MM / 2)


def find_markers(image: Image) -> dict[int, Floats]:
    """Every marker of the mat in a BGR picture: its number -> its corners [4, 2] px, to a fraction of a pixel.

    Looks at the picture and at half its size: of 576 markers in 72 rendered pictures of 1.1 to 2.3 px/mm the
    detector finds 441 in the first alone.  A frame of grey is put round it, so that a mat may fill the picture.
    """
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    framed = cv2.copyMakeBorder(grey, _FRAME_PX, _FRAME_PX, _FRAME_PX, _FRAME_PX, cv2.BORDER_CONSTANT, value=(128,))
    small = cv2.resize(framed, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    halved = {i: _refined(framed, 2 * corners) for i, corners in _detect(small).items()}
    return {i: corners - _FRAME_PX for i, corners in (halved | _detect(framed)).items()}


_FRAME_PX = 20


def _detect(grey: NDArray[Any]) -> dict[int, Floats]:
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    settings.minMarkerPerimeterRate = 0.02  # of the longer side: 26 mm in a picture 3 m wide
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(_DICTIONARY), settings)
    corners, ids, _ = detector.detectMarkers(grey)
    if ids is None:
        return {}
    return {int(i): np.asarray(c, float).reshape(4, 2) + 0.5 for i, c in zip(ids.ravel(), corners, strict=True)}


def _refined(grey: NDArray[Any], corners: Floats) -> Floats:
    """Corners found in the halved picture, found again to a fraction of a pixel in the whole one."""
    start = (corners - 0.5).astype(np.float32).reshape(-1, 1, 2)
    until = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 30, 0.01)
    return np.asarray(cv2.cornerSubPix(grey, start, (3, 3), (-1, -1), until), float).reshape(4, 2) + 0.5


# --- the fit -----------------------------------------------------------------------------------------------------

GOOD_ERROR_MM = 2.0
"""Root mean square miss up to which a calibration is good: a card's centre then lies in the right zone to 1/30 card."""
WORST_ERROR_MM = 6.0
"""... and from which it is refused: a marker was moved, or the mat is not flat."""
_LEAST_CORNERS = 3
"""Corner markers without which the table is not looked for; the fourth may be covered."""
_ALL_DARK = 40
"""Grey, of 255, that 99 of 100 pixels of a picture without light stay below: white paper is 200 in a good one."""
_SIZE_TOLERANCE = 0.07
"""Marker sides are measured to about 1 %, out of focus to 4 %; a table measured wrong by a hand is 10 % off."""
_BEND_FROM_MM = 0.6
"""The lens is bent only if the straight fit misses by more than this; below it, noise would be fitted."""
_BEND_GAIN = 0.6
"""... and only if bending leaves no more than this share of the miss."""
_BEND_RANGE = (-0.45, 0.45)
"""k1 over which to look, with the picture's width as focal length: from fish-eye to pincushion."""


@dataclass(frozen=True, slots=True)
class TableFit:
    """A calibration: ``picture`` px and ``table`` mm of the playing area's corners, the lens, and how well it fits.

    ``rms_mm`` and ``worst_mm`` are the markers' misses; both are None where four pointed-at corners leave no check.
    ``markers`` are the numbers of those found.
    """

    picture: tuple[Point, ...]
    table: tuple[Point, ...]
    surface: Surface
    rms_mm: float | None
    worst_mm: float | None
    markers: tuple[int, ...]
    matrix: tuple[float, ...] = ()
    distortion: tuple[float, ...] = ()


def fit_markers(found: Mapping[int, Floats], size_mm: tuple[float, float], picture_px: tuple[int, int]) -> TableFit:
    """The table through the markers that were found.

    :raises CalibrationError: if too few of them were found, or they do not lie where the mat has them.
    """
    known = {m.id: m for m in mat_markers(*size_mm) if m.id in found}
    corners = [i for i in _CORNER_IDS if i in known]
    if len(corners) < _LEAST_CORNERS:
        raise CalibrationError(_too_few(corners, found))
    px = np.concatenate([found[i] for i in known])
    mm = np.concatenate([np.asarray(m.corners_mm) for m in known.values()])
    straight, misses = _fit(px, mm, picture_px, 0.0)
    bend = _bend(px, mm, picture_px, misses) if len(known) > len(_CORNER_IDS) else 0.0
    if bend:
        straight, misses = _fit(px, mm, picture_px, bend)
    rms = float(np.sqrt((misses**2).mean()))
    if rms > WORST_ERROR_MM:
        raise CalibrationError(
            f"the markers lie {rms:.0f} mm off from where a mat of {size_mm[0]:g} x {size_mm[1]:g} mm has them: "
            "is it this size, flat, and each corner marker in its own corner?"
        )
    _check_size(straight, {i: found[i] for i in known}, size_mm)
    lens = (_matrix(picture_px), (bend, 0.0, 0.0, 0.0, 0.0)) if bend else ((), ())
    return _table_fit(straight, size_mm, (rms, float(misses.max())), tuple(sorted(known)), lens)


def _check_size(surface: Surface, found: Mapping[int, Floats], size_mm: tuple[float, float]) -> None:
    """Markers that come out wider or narrower than printed betray a wrong width of the table, which the fit hides."""
    sides = {m.id: m.side_mm for m in mat_markers(*size_mm)}
    boxes = {i: surface.mm(corners) for i, corners in found.items()}
    wide = float(np.median([np.hypot(*(b[1] - b[0])) / sides[i] for i, b in boxes.items()]))
    high = float(np.median([np.hypot(*(b[3] - b[0])) / sides[i] for i, b in boxes.items()]))
    if abs(wide / high - 1) > _SIZE_TOLERANCE:
        guess = (size_mm[0] / wide, size_mm[1] / high)
        raise CalibrationError(
            f"the markers come out {100 * abs(wide / high - 1):.0f} % too {'wide' if wide > high else 'narrow'} for a "
            f"table of {size_mm[0]:g} x {size_mm[1]:g} mm: it is rather {guess[0]:.0f} x {guess[1]:.0f} mm; "
            "measure it and set [table] width and height"
        )


def _corners_among(found: Mapping[int, Floats]) -> int:
    return sum(i in found for i in _CORNER_IDS)


def _why_unseen(image: Image) -> str:
    """What a picture has in which too few markers are found, where one look tells; "" where it does not."""
    if float(np.percentile(image.max(2), 99)) < _ALL_DARK:
        return "the picture is almost black: light a lamp, take the cap off the lens, then take it again"
    if _corners_among(find_markers(np.ascontiguousarray(image[:, ::-1]))) >= _LEAST_CORNERS:
        return "the picture is mirrored: switch that off in the camera or in the program that took it"
    return ""


def _too_few(corners: Sequence[int], found: Mapping[int, Floats]) -> str:
    names = ("top left", "top right", "bottom right", "bottom left")
    missing = ", ".join(names[i] for i in _CORNER_IDS if i not in corners)
    seen = f"{len(found)} markers found" if found else "no marker found"
    return (
        f"{seen}; the corner markers {missing} are missing: is the whole mat in the picture, uncovered, lit and sharp? "
        "Without a mat, give the four corners by hand"
    )


def fit_corners(
    picture: Sequence[Point],
    size_mm: tuple[float, float],
    matrix: Sequence[float] = (),
    distortion: Sequence[float] = (),
) -> TableFit:
    """The table through its four corners, pointed at by a person: clockwise from the top left, px.

    :raises CalibrationError: if they are not four, or no rectangle seen from above.
    """
    if len(picture) != 4:
        raise CalibrationError(f"{len(picture)} corners given; four are wanted, clockwise from the top left")
    turns = [_turn(picture[i - 2], picture[i - 1], picture[i]) for i in range(4)]
    if min(turns) <= 0:
        raise CalibrationError("the corners do not go clockwise round the table from its top left; give them again")
    try:
        surface = Surface.fit(picture, _corners(size_mm), matrix=matrix, distortion=distortion)
    except SurfaceError as error:
        raise CalibrationError(str(error)) from error
    return TableFit(tuple(picture), _corners(size_mm), surface, None, None, (), tuple(matrix), tuple(distortion))


def _turn(a: Point, b: Point, c: Point) -> float:
    """Positive where the way a, b, c turns right (y grows downwards)."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _corners(size_mm: tuple[float, float]) -> tuple[Point, ...]:
    wide, high = size_mm
    return ((0.0, 0.0), (wide, 0.0), (wide, high), (0.0, high))


def _matrix(picture_px: tuple[int, int]) -> tuple[float, ...]:
    """A pinhole in the middle of the picture, its focal length the picture's width: only a unit for k1."""
    wide, high = picture_px
    return (float(wide), 0.0, wide / 2, 0.0, float(wide), high / 2, 0.0, 0.0, 1.0)


def _fit(px: Floats, mm: Floats, picture_px: tuple[int, int], bend: float) -> tuple[Surface, Floats]:
    """The surface for one k1, and by how many mm each place misses [n]."""
    matrix, distortion = (_matrix(picture_px), (bend, 0.0, 0.0, 0.0, 0.0)) if bend else ((), ())
    try:
        surface = Surface.fit(px.tolist(), mm.tolist(), matrix=matrix, distortion=distortion)
    except SurfaceError as error:
        raise CalibrationError(f"{error}; is the mat flat, and each corner marker in its own corner?") from error
    misses = surface.mm(px) - mm
    return surface, np.hypot(misses[:, 0], misses[:, 1])


def _bend(px: Floats, mm: Floats, picture_px: tuple[int, int], straight: Floats) -> float:
    """The k1 that leaves the least miss, or 0 where a straight lens explains the picture as well."""
    before = float((straight**2).mean())
    if math.sqrt(before) < _BEND_FROM_MM:
        return 0.0

    def miss(bend: float) -> float:
        try:
            return float((_fit(px, mm, picture_px, bend)[1] ** 2).mean())
        except CalibrationError:
            return math.inf

    best = _least(miss, *_BEND_RANGE)
    return best if miss(best) < _BEND_GAIN**2 * before else 0.0


def _least(value: Any, low: float, high: float, steps: int = 30) -> float:
    """Where ``value`` is least between ``low`` and ``high``: a coarse look, then the golden section."""
    places = np.linspace(low, high, 13)
    near = int(np.argmin([value(float(p)) for p in places]))
    low, high = float(places[max(near - 1, 0)]), float(places[min(near + 1, len(places) - 1)])
    golden = (math.sqrt(5) - 1) / 2
    for _ in range(steps):
        a, b = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, b) if value(a) < value(b) else (a, high)
    return (low + high) / 2


def _table_fit(
    surface: Surface,
    size_mm: tuple[float, float],
    error: tuple[float, float],
    markers: tuple[int, ...],
    lens: tuple[tuple[float, ...], tuple[float, ...]],
) -> TableFit:
    corners = _corners(size_mm)
    picture = tuple((float(x), float(y)) for x, y in surface.px(corners))
    return TableFit(picture, corners, surface, *error, markers, *lens)


# --- is the picture good enough? ---------------------------------------------------------------------------------

LEAST_CARD_PX = 75
"""Cards narrower than this in the picture are read badly: of 26 drawn cards (cardsJS's art, laid apart) all are read at
80 px, 96 % at 65, 92 % at 50."""
_USELESS_CARD_PX = 20
"""Narrower than this no card is read, nor its outline found: such corners were given in other units, or a slip."""
MOST_TILT = 1.35
"""Scale at the nearest over scale at the farthest corner; more, and the far cards are small and slanted."""
MOST_BLUR_MM = 0.8
"""Blur (standard deviation of an edge's spread) above which index strokes run together: of the same cards, 110 px wide,
all are read up to 0.8 mm, 96 % at 1.0, 92 % at 1.3."""
WHITE_LEVELS = (120, 245)
"""White paper should lie between these grey levels: darker is noisy, lighter is burnt out."""
_BURNT = 250
"""A pixel whose darkest channel is at least this bright holds no picture any more."""
LEAST_GLARE_MM2 = 120
"""A burnt-out patch of this size (11 x 11 mm) can hide a corner index."""
_ALL_BURNT = 0.25
"""Burnt over more than this share of the table, it is not a glare spot: everything is too bright."""
_SPOTS = 3
"""Glare spots named at most; after them the lamp has moved anyway."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: ``what``, whether it is ``good``, and ``words`` (what was measured; a remedy)."""

    what: str
    good: bool
    words: str

    @property
    def line(self) -> str:
        """As printed: one line."""
        return f"{'ok  ' if self.good else 'BAD '} {self.what}: {self.words}"


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What came of it: the fit, what was found good and bad, and a BGR picture of the result to look at."""

    fit: TableFit
    findings: tuple[Finding, ...]
    picture: Image

    @property
    def good(self) -> bool:
        """Whether nothing was found bad."""
        return all(finding.good for finding in self.findings)


def calibrate(
    image: Image,
    size_mm: tuple[float, float],
    corners: Sequence[Point] | None = None,
    zones: Sequence[tuple[str, Sequence[Point]]] = (),
) -> Calibrated:
    """Calibrate from one BGR picture of the empty table; ``corners`` are px given by hand, else markers are looked for.

    :raises CalibrationError: if the table cannot be found; with what was seen and what to do.
    """
    picture_px = (image.shape[1], image.shape[0])
    found = find_markers(image)
    if corners is None and _corners_among(found) < _LEAST_CORNERS and (why := _why_unseen(image)):
        raise CalibrationError(why)
    fit = fit_markers(found, size_mm, picture_px) if corners is None else fit_corners(corners, size_mm)
    _check_use(fit.surface, size_mm, picture_px)
    findings = [
        *_view(fit, size_mm, picture_px),
        _focus(image, found, fit.surface),
        _exposure(image, found, fit.surface),
        *_glare(image, fit.surface, size_mm, found),
    ]
    if 0 in fit.markers and len(fit.markers) > len(_CORNER_IDS):
        findings.append(_colours(image, fit.surface))
    return Calibrated(fit, tuple(findings), draw(image, fit, size_mm, zones))


@dataclass(frozen=True, slots=True)
class Condition:
    """A picture while somebody sets up. ``focus``: 0..1, `SHARP` and more is sharp enough; ``glare``: 0..1, the share
    of the table that is burnt out; ``findings``: what was looked at, in words.
    """

    focus: float
    glare: float
    findings: tuple[Finding, ...]


SHARP = 0.7
"""`Condition.focus` of the most blur (or the least detail) that is still good enough."""


def condition(image: Image, surface: Surface, size_mm: tuple[float, float]) -> Condition:
    """How good one BGR picture of a calibrated table is: focus, light, glare, size and level of the view."""
    found = find_markers(image)
    blur_mm = _blur_mm(image, found, surface)
    focus = _detail(image, surface) / LEAST_DETAIL if blur_mm is None else MOST_BLUR_MM / max(blur_mm, 1e-6)
    table = _table_mask(image.shape[:2], surface, size_mm) > 0
    burnt = float(((image.min(2) >= _BURNT) & table).sum()) / max(int(table.sum()), 1)
    looked_at = (
        _focus(image, found, surface),
        _exposure(image, found, surface),
        *_glare(image, surface, size_mm, found),
        _scale(surface),
        _level(surface, size_mm),
    )
    return Condition(min(1.0, SHARP * focus), burnt, looked_at)


def _view(fit: TableFit, size_mm: tuple[float, float], picture_px: tuple[int, int]) -> list[Finding]:
    return [_error(fit), _inside(fit.picture, picture_px), _scale(fit.surface), _level(fit.surface, size_mm)]


def _error(fit: TableFit) -> Finding:
    if fit.rms_mm is None:
        return Finding("place", True, "four corners by hand: they fit, but nothing checks them; a mat would")
    bend = f", the lens bends by k1 = {fit.distortion[0]:.3f}" if fit.distortion else ""
    unseen = "" if len(fit.markers) > len(_CORNER_IDS) else "; corners alone do not show the lens's bend"
    words = f"{len(fit.markers)} markers, error {fit.rms_mm:.1f} mm (worst {fit.worst_mm:.1f} mm){bend}{unseen}"
    if fit.rms_mm <= GOOD_ERROR_MM:
        return Finding("place", True, words)
    return Finding("place", False, f"{words}; press the mat flat, or measure the playing area again")


def _inside(corners: Sequence[Point], picture_px: tuple[int, int]) -> Finding:
    names = ("top left", "top right", "bottom right", "bottom left")
    wide, high = picture_px
    out = [n for n, (x, y) in zip(names, corners, strict=True) if not (0 <= x <= wide and 0 <= y <= high)]
    if out:
        return Finding("view", False, f"the corner {', '.join(out)} is outside the picture; raise or move the camera")
    return Finding("view", True, "the whole playing area is in the picture")


def _check_use(surface: Surface, size_mm: tuple[float, float], picture_px: tuple[int, int]) -> None:
    """A calibration of which nothing can come must not replace the one before."""
    middle = surface.px(np.array([[size_mm[0] / 2, size_mm[1] / 2]]))[0]
    if not all(0 <= v < limit for v, limit in zip(middle, picture_px, strict=True)):
        raise CalibrationError(
            f"the middle of the table would lie outside the picture ({picture_px[0]} x {picture_px[1]} px); "
            "give the corners in px of this picture"
        )
    if surface.card_px < _USELESS_CARD_PX:
        raise CalibrationError(
            f"a card would be {surface.card_px:.0f} px wide in the picture, {LEAST_CARD_PX} are wanted; "
            "give the corners in px of this picture, lower the camera, or set a larger picture"
        )


def _scale(surface: Surface) -> Finding:
    words = f"a card is {surface.card_px:.0f} px wide"
    if surface.card_px >= LEAST_CARD_PX:
        return Finding("size", True, words)
    return Finding("size", False, f"{words}, {LEAST_CARD_PX} are wanted; lower the camera, or set a larger picture")


def _level(surface: Surface, size_mm: tuple[float, float]) -> Finding:
    scales = [_px_per_mm(surface, x, y) for x, y in _corners(size_mm)]
    tilt = max(scales) / min(scales)
    words = f"scale differs by {100 * (tilt - 1):.0f} % between the corners"
    if tilt <= MOST_TILT:
        return Finding("level", True, words)
    return Finding("level", False, f"{words}; hang the camera over the middle, looking straight down")


def _px_per_mm(surface: Surface, x_mm: float, y_mm: float) -> float:
    square = surface.px([[x_mm - 5, y_mm - 5], [x_mm + 5, y_mm - 5], [x_mm + 5, y_mm + 5], [x_mm - 5, y_mm + 5]])
    return math.sqrt(cv2.contourArea(square.astype(np.float32))) / 10


def _focus(image: Image, found: Mapping[int, Floats], surface: Surface) -> Finding:
    """Sharpness from the markers' edges, which are known to be sharp; without markers from the picture's own detail."""
    blur_mm = _blur_mm(image, found, surface)
    if blur_mm is None:
        return _focus_of_scene(image, surface)
    words = f"blur {blur_mm:.2f} mm"
    if blur_mm <= MOST_BLUR_MM:
        return Finding("focus", True, words)
    return Finding("focus", False, f"{words}, more than {MOST_BLUR_MM:g}; focus on the table, wipe the lens")


def _blur_mm(image: Image, found: Mapping[int, Floats], surface: Surface) -> float | None:
    """Blur of the markers' edges on the table, the median of all; None without markers."""
    blurs = [b for corners in found.values() if (b := edge_blur_px(image, corners)) is not None]
    return float(np.median(blurs)) / surface.px_per_mm if blurs else None


LEAST_DETAIL = 1.5
"""Standard deviation of the Laplacian, grey levels, on a table with anything printed on it (noise alone gives about 1
after the 3 x 3 smoothing)."""


def _detail(image: Image, surface: Surface) -> float:
    """Standard deviation of the smoothed table's Laplacian, grey levels."""
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (3, 3), 0)
    x0, y0, x1, y1 = _bounds(surface.px(_corners(_extent(surface))), (image.shape[1], image.shape[0]))
    return float(cv2.Laplacian(grey[y0:y1, x0:x1], cv2.CV_64F).std()) if x1 > x0 and y1 > y0 else 0.0


def _focus_of_scene(image: Image, surface: Surface) -> Finding:
    detail = _detail(image, surface)
    words = f"detail {detail:.1f} (Laplacian)"
    if detail >= LEAST_DETAIL:
        return Finding("focus", True, words)
    return Finding(
        "focus", False, f"{words}, {LEAST_DETAIL:g} wanted; lay a printed sheet on the table and focus on it"
    )


def _extent(surface: Surface) -> tuple[float, float]:
    return surface.middle_mm[0] * 2, surface.middle_mm[1] * 2


def _bounds(points: Floats, picture_px: tuple[int, int]) -> tuple[int, int, int, int]:
    wide, high = picture_px
    (x0, y0), (x1, y1) = points.min(0), points.max(0)
    return max(int(x0), 0), max(int(y0), 0), min(math.ceil(x1), wide), min(math.ceil(y1), high)


_REACH_PX = 7.0
_STEP_PX = 0.25


def edge_blur_px(image: Image, corners: Floats) -> float | None:
    """Blur of a marker's outline: standard deviation in px of the spread of its four edges; None if too faint.

    A step of height C blurred by a Gaussian of deviation s has the greatest slope C / (s sqrt(2 pi)).
    """
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    blurs = [_one_edge_blur(grey, corners[i], corners[(i + 1) % 4]) for i in range(4)]
    clear = [b for b in blurs if b is not None]
    return float(np.median(clear)) if clear else None


def _one_edge_blur(grey: NDArray[Any], start: Floats, stop: Floats) -> float | None:
    along = stop - start
    length = float(np.hypot(*along))
    outward = np.array([along[1], -along[0]]) / max(length, 1e-9)
    reach = min(_REACH_PX, length / 7)  # not beyond the white margin, nor into the code
    steps = np.arange(-reach, reach + _STEP_PX / 2, _STEP_PX)
    shares = np.linspace(0.2, 0.8, 25)
    places = start + shares[:, None, None] * along + steps[None, :, None] * outward - 0.5
    profile = (
        cv2.remap(grey, places[..., 0].astype(np.float32), places[..., 1].astype(np.float32), cv2.INTER_LINEAR)
        .astype(float)
        .mean(0)
    )
    height = float(np.percentile(profile, 95) - np.percentile(profile, 5))
    slope = float(np.gradient(profile, _STEP_PX).max())
    if height < 30 or slope <= 0:
        return None
    return height / (slope * math.sqrt(2 * math.pi))


def _exposure(image: Image, found: Mapping[int, Floats], surface: Surface) -> Finding:
    """How white the markers' paper is; without markers the brightest hundredth of the table."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    levels = [v for corners in found.values() if (v := _paper_level(grey, corners)) is not None]
    if not levels:
        x0, y0, x1, y1 = _bounds(surface.px(_corners(_extent(surface))), (image.shape[1], image.shape[0]))
        levels = [float(np.percentile(grey[y0:y1, x0:x1], 99))] if x1 > x0 and y1 > y0 else [0.0]
    white = float(np.median(levels))
    words = f"white is {white:.0f} of 255"
    if white < WHITE_LEVELS[0]:
        return Finding("light", False, f"{words}: too dark; more light, or a longer exposure")
    if white > WHITE_LEVELS[1]:
        return Finding("light", False, f"{words}: burnt out; less light, or a shorter exposure")
    return Finding("light", True, words)


def _paper_level(grey: NDArray[Any], corners: Floats) -> float | None:
    """Grey level of the white margin round a marker: the median a little outside its outline."""
    middle = corners.mean(0)
    ring = middle + (corners - middle) * (1 + _MARGIN_SHARE)
    places = np.concatenate([np.linspace(ring[i], ring[(i + 1) % 4], 20) for i in range(4)])
    x, y = places[:, 0].astype(int), places[:, 1].astype(int)
    inside = (x >= 0) & (y >= 0) & (x < grey.shape[1]) & (y < grey.shape[0])
    return float(np.median(grey[y[inside], x[inside]])) if inside.any() else None


def _glare(image: Image, surface: Surface, size_mm: tuple[float, float], found: Mapping[int, Floats]) -> list[Finding]:
    """Burnt-out patches of the table, largest first, each with its place and what to do.

    White paper round the markers is none: where that is burnt out, `_exposure` says so.
    """
    table = _table_mask(image.shape[:2], surface, size_mm)
    for corners in found.values():
        middle = corners.mean(0)
        paper = middle + (corners - middle) * (1 + 2 * _PAPER_SHARE)
        cv2.fillConvexPoly(table, paper.round().astype(np.int32), (0,))
    burnt = ((image.min(2) >= _BURNT) & (table > 0)).astype(np.uint8)
    if burnt.sum() > _ALL_BURNT * max(int((table > 0).sum()), 1):
        return [Finding("glare", False, "most of the table is burnt out; shorten the exposure or dim the lamp")]
    burnt = np.asarray(cv2.morphologyEx(burnt, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    _, _, stats, middles = cv2.connectedComponentsWithStats(burnt)
    scale = surface.px_per_mm**2
    spots = [(stats[i, cv2.CC_STAT_AREA] / scale, middles[i]) for i in range(1, len(stats))]
    spots = sorted((s for s in spots if s[0] >= LEAST_GLARE_MM2), key=lambda s: -s[0])
    if not spots:
        return [Finding("glare", True, "no burnt-out spot")]
    return [_spot(area, surface.mm(middle + 0.5)) for area, middle in spots[:_SPOTS]]


def _spot(area_mm2: float, place: Floats) -> Finding:
    across = 2 * math.sqrt(area_mm2 / math.pi)
    return Finding(
        "glare",
        False,
        f"a spot {across:.0f} mm across at ({place[0]:.0f}, {place[1]:.0f}) mm; move that lamp to the side, "
        "or hang paper before it",
    )


def _table_mask(shape: tuple[int, ...], surface: Surface, size_mm: tuple[float, float]) -> NDArray[np.uint8]:
    mask = np.zeros(shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.rint(_outline(surface, size_mm)).astype(np.int32)], (255,))
    return mask


def _outline(surface: Surface, size_mm: tuple[float, float]) -> Floats:
    """The playing area's edge in the picture, ten steps a side: a bent lens bends it."""
    corners = np.asarray(_corners(size_mm))
    shares = np.linspace(0, 1, 10, endpoint=False)[:, None]
    sides = [corners[i] + shares * (corners[(i + 1) % 4] - corners[i]) for i in range(4)]
    return surface.px(np.concatenate(sides))


_RED_HUES = 12
"""Red lies within this of 0 on OpenCV's circle of 180 hues; with the channels swapped it lies near 120."""
_LEAST_SATURATION = 60


def _colours(image: Image, surface: Surface) -> Finding:
    """Is the mat's red mark red? (field report B06)."""
    x, y = red_mark_mm()
    reach = RED_MARK_RADIUS_MM / 2
    x0, y0, x1, y1 = _bounds(
        surface.px([[x - reach, y - reach], [x + reach, y + reach]]), (image.shape[1], image.shape[0])
    )
    patch = image[y0:y1, x0:x1].reshape(-1, 3)
    if not len(patch):
        return Finding("colours", True, "the red mark is outside the picture; not checked")
    colour = np.median(patch, axis=0).astype(np.uint8).reshape(1, 1, 3)
    hue, saturation = (int(v) for v in cv2.cvtColor(colour, cv2.COLOR_BGR2HSV)[0, 0, :2])
    if saturation < _LEAST_SATURATION:
        return Finding("colours", False, "the red mark looks grey; more light, or a lamp with truer colours")
    if 100 <= hue <= 140:
        return Finding("colours", False, "the red mark is blue: red and blue are exchanged in the camera's settings")
    if min(hue, 180 - hue) > _RED_HUES:
        return Finding(
            "colours", False, f"the red mark is not red (hue {hue}); set the white balance with the hand away"
        )
    return Finding("colours", True, "red is red")


# --- to look at --------------------------------------------------------------------------------------------------

_GRID_MM = 100


def draw(
    image: Image,
    fit: TableFit,
    size_mm: tuple[float, float],
    zones: Sequence[tuple[str, Sequence[Point]]] = (),
) -> Image:
    """The picture with the playing area, a grid of 100 mm, the markers' numbers and the zones drawn in."""
    out = image.copy()
    thick = max(round(max(image.shape[:2]) / 900), 1)
    for x in np.arange(0, size_mm[0] + 1, _GRID_MM):
        _line(out, fit.surface, (x, 0), (x, size_mm[1]), (200, 200, 60), thick)
    for y in np.arange(0, size_mm[1] + 1, _GRID_MM):
        _line(out, fit.surface, (0, y), (size_mm[0], y), (200, 200, 60), thick)
    _closed(out, _outline(fit.surface, size_mm), (60, 220, 255), 2 * thick)
    for name, polygon in zones:
        places = fit.surface.px(polygon)
        _closed(out, places, (255, 160, 60), 2 * thick)
        _name(out, name, places.mean(0), thick)
    for marker in mat_markers(*size_mm):
        if marker.id in fit.markers:
            _closed(out, fit.surface.px(marker.corners_mm), (60, 60, 255), 2 * thick)
    return out


def _line(out: Image, surface: Surface, a: Point, b: Point, colour: tuple[int, int, int], thick: int) -> None:
    points = surface.px(np.linspace(a, b, 12))
    cv2.polylines(out, [np.rint(points).astype(np.int32)], False, colour, thick, cv2.LINE_AA)


def _closed(out: Image, points: Floats, colour: tuple[int, int, int], thick: int) -> None:
    cv2.polylines(out, [np.rint(points).astype(np.int32)], True, colour, thick, cv2.LINE_AA)


def _name(out: Image, text: str, place: Floats, thick: int) -> None:
    at = (int(place[0]) - 9 * thick * len(text) // 2, int(place[1]))
    for colour, width in (((0, 0, 0), 4 * thick), ((255, 255, 255), thick)):
        cv2.putText(out, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6 * thick, colour, width, cv2.LINE_AA)
