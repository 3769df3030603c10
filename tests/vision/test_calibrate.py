"""Calibration on photographs of the mat that are rendered here, so that every true millimetre is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
import pytest

from firmware import mat
from firmware.drawing import picture
from vision import calibrate as c

SIZE = (900.0, 700.0)
PX_PER_MM = 3.0
CLOTH = (70, 84, 96)


@dataclass(frozen=True)
class Photo:
    """A photograph of a mat: the view from table mm to px, the lens's k1, blur, noise and light."""

    seats: int = 4
    corners: tuple[tuple[float, float], ...] = ((262.0, 61.0), (2015.0, 83.0), (2071.0, 1233.0), (205.0, 1251.0))
    size_px: tuple[int, int] = (2304, 1296)
    bend: float = 0.0
    blur_px: float = 0.8
    noise: float = 4.0
    light: float = 1.0
    seed: int = 1

    def px(self, points_mm: np.ndarray) -> np.ndarray:
        """True picture px of points on the table [n, 2]."""
        to_px = cv2.getPerspectiveTransform(np.float32(table_corners()), np.float32(self.corners))
        straight = cv2.perspectiveTransform(np.float64(points_mm)[None], to_px)[0]
        if not self.bend:
            return straight
        wide, high = self.size_px
        rays = (straight - (wide / 2, high / 2)) / wide
        return rays * (1 + self.bend * (rays**2).sum(1, keepdims=True)) * wide + (wide / 2, high / 2)

    def take(self) -> np.ndarray:
        """The photograph, BGR uint8, taken once and copied."""
        return taken(self).copy()

    def expose(self) -> np.ndarray:
        """As `take`, anew."""
        image = self._bent_view() if self.bend else self._view()
        image = cv2.GaussianBlur(image, (0, 0), self.blur_px).astype(np.float32)
        image *= (vignette(self.size_px) * 0.86 * self.light)[..., None]
        image += noise(self.size_px, self.seed) * np.float32(self.noise)
        return np.clip(image, 0, 255).astype(np.uint8)

    def _view(self) -> np.ndarray:
        """The mat as a lens without bend shows it."""
        flat_mm = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, PX_PER_MM]])  # a pixel's middle is half a pixel on
        to_px = cv2.getPerspectiveTransform(np.float32(table_corners()), np.float32(self.corners))
        whole = np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]]) @ to_px @ flat_mm
        return cv2.warpPerspective(drawn(self.seats), whole, self.size_px, borderValue=CLOTH)

    def _bent_view(self) -> np.ndarray:
        ys, xs = np.mgrid[0 : self.size_px[1], 0 : self.size_px[0]]
        places = np.stack([xs, ys], axis=-1).reshape(-1, 2) + 0.5
        mm = self._mm(places).reshape(*xs.shape, 2) * PX_PER_MM - 0.5
        return cv2.remap(drawn(self.seats), mm.astype(np.float32), None, cv2.INTER_LINEAR, borderValue=CLOTH)

    def _mm(self, places_px: np.ndarray) -> np.ndarray:
        """The way back, by ten rounds of a fixed point for the bent lens."""
        wide, high = self.size_px
        bent = (places_px - (wide / 2, high / 2)) / wide
        rays = bent
        for _ in range(10 if self.bend else 0):
            rays = bent / (1 + self.bend * (rays**2).sum(1, keepdims=True))
        straight = rays * wide + (wide / 2, high / 2)
        to_mm = cv2.getPerspectiveTransform(np.float32(self.corners), np.float32(table_corners()))
        return cv2.perspectiveTransform(straight[None], to_mm)[0]


def table_corners() -> list[tuple[float, float]]:
    return [(0, 0), (SIZE[0], 0), SIZE, (0, SIZE[1])]


@cache
def drawn(seats: int) -> np.ndarray:
    return picture(mat.mat_drawing(seats, SIZE), PX_PER_MM)


@cache
def noise(size_px: tuple[int, int], seed: int) -> np.ndarray:
    """A sensor's noise of one grey level, float32 [h, w, 3]."""
    return np.random.default_rng(seed).standard_normal((size_px[1], size_px[0], 3), np.float32)


@cache
def vignette(size_px: tuple[int, int]) -> np.ndarray:
    """The share of the light that a lens lets through to each place, float32 [h, w]."""
    ys, xs = np.mgrid[0 : size_px[1], 0 : size_px[0]]
    middle = np.hypot(xs - size_px[0] / 2, ys - size_px[1] / 2).astype(np.float32)
    return 1 - np.float32(0.25 / size_px[0]) * middle


@cache
def taken(photo: Photo) -> np.ndarray:
    return photo.expose()


def true_error_mm(photo: Photo, fit: c.TableFit) -> float:
    """The worst miss over the whole table, not only at the markers."""
    grid = np.stack(np.meshgrid(np.linspace(0, 900, 19), np.linspace(0, 700, 15)), axis=-1).reshape(-1, 2)
    return float(np.hypot(*(fit.surface.mm(photo.px(grid)) - grid).T).max())


@pytest.mark.parametrize("seats", [3, 4, 6])
def test_a_mat_is_found_to_a_fraction_of_a_millimetre(seats: int) -> None:
    photo = Photo(seats=seats)
    done = c.calibrate(photo.take(), SIZE)
    assert done.fit.markers == tuple(range(8))
    assert done.fit.distortion == ()
    assert done.fit.rms_mm is not None
    assert done.fit.rms_mm < 0.3
    assert true_error_mm(photo, done.fit) < 0.5
    assert done.good, [f.line for f in done.findings if not f.good]


def test_a_small_noisy_picture_is_good_enough() -> None:
    photo = Photo(
        corners=((112.0, 60.0), (1172.0, 84.0), (1166.0, 905.0), (98.0, 890.0)),
        size_px=(1280, 960),
        noise=9,
        blur_px=0.9,
    )
    done = c.calibrate(photo.take(), SIZE)
    assert true_error_mm(photo, done.fit) < 1.2


@pytest.mark.parametrize("bend", [-0.25, -0.08, 0.06])
def test_a_bent_lens_is_measured_and_taken_out(bend: float) -> None:
    photo = Photo(bend=bend)
    done = c.calibrate(photo.take(), SIZE)
    assert done.fit.distortion[0] != 0
    assert true_error_mm(photo, done.fit) < 1.0
    straight = c.fit_corners(done.fit.picture, SIZE)
    assert true_error_mm(photo, straight) > 3 * true_error_mm(photo, done.fit)


def test_three_corner_markers_are_enough_and_two_are_not() -> None:
    photo = Photo()
    found = c.find_markers(photo.take())
    three = {i: found[i] for i in (0, 1, 3)}
    assert true_error_mm(photo, c.fit_markers(three, SIZE, photo.size_px)) < 1.5
    with pytest.raises(c.CalibrationError, match="top right, bottom right are missing"):
        c.fit_markers({i: found[i] for i in (0, 3, 7)}, SIZE, photo.size_px)


def test_a_mat_of_another_size_is_refused_with_the_reason() -> None:
    with pytest.raises(c.CalibrationError, match=r"it is rather (89|90)\d x (69|70)\d mm"):
        c.calibrate(Photo().take(), (820.0, 700.0))


def test_exchanged_corner_markers_are_refused() -> None:
    photo = Photo()
    found = c.find_markers(photo.take())
    found[0], found[1] = found[1], found[0]
    with pytest.raises(c.CalibrationError, match=r"each corner\s+marker in its own corner"):
        c.fit_markers(found, SIZE, photo.size_px)


def test_an_empty_picture_says_what_to_do() -> None:
    with pytest.raises(c.CalibrationError, match=r"no marker found.*give the four corners by hand"):
        c.calibrate(np.full((720, 1280, 3), (60, 110, 40), np.uint8), SIZE)


def test_a_mirrored_and_a_black_picture_are_told_by_their_names() -> None:
    image = Photo().take()
    with pytest.raises(c.CalibrationError, match="is mirrored: switch that off"):
        c.calibrate(image[:, ::-1], SIZE)
    with pytest.raises(c.CalibrationError, match="almost black: light a lamp"):
        c.calibrate((image // 12).astype(np.uint8), SIZE)


def test_four_corners_by_hand() -> None:
    photo = Photo()
    done = c.calibrate(photo.take(), SIZE, corners=photo.corners)
    assert true_error_mm(photo, done.fit) < 0.1
    assert done.fit.rms_mm is None
    assert "by hand" in done.findings[0].words


@pytest.mark.parametrize(
    "corners",
    [
        ((0, 0), (10, 0), (10, 10)),
        ((0, 0), (0, 10), (10, 10), (10, 0)),
        ((0, 0), (10, 0), (20, 0), (30, 0)),
    ],
    ids=["three", "anticlockwise", "on a line"],
)
def test_bad_corners_are_refused(corners: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(c.CalibrationError):
        c.fit_corners(corners, SIZE)


def bad(photo_or_image: Photo | np.ndarray) -> dict[str, str]:
    image = photo_or_image.take() if isinstance(photo_or_image, Photo) else photo_or_image
    return {f.what: f.words for f in c.calibrate(image, SIZE).findings if not f.good}


def test_out_of_focus_is_told_and_sharp_is_not() -> None:
    assert "focus" in bad(Photo(blur_px=3.0))
    assert bad(Photo(blur_px=0.5)) == {}


@pytest.mark.parametrize("blur_px", [0.7, 1.5, 2.5])
def test_blur_is_measured_to_a_quarter(blur_px: float) -> None:
    image = Photo(blur_px=blur_px, noise=3).take()
    found = c.find_markers(image)
    measured = float(np.median([c.edge_blur_px(image, corners) for corners in found.values()]))
    assert measured == pytest.approx(np.hypot(blur_px, 0.5), rel=0.25)  # 0.5: the pixels' own


def test_too_dark_and_burnt_out_are_told() -> None:
    assert "too dark" in bad(Photo(light=0.4))["light"]
    assert "burnt out" in bad(Photo(light=1.6))["light"]


def test_burnt_out_paper_round_the_markers_is_no_lamps_reflection() -> None:
    told = [f.what for f in c.calibrate(Photo(light=1.6, noise=0).take(), SIZE).findings if not f.good]
    assert told == ["light"]


def test_a_glare_spot_is_found_where_it_is() -> None:
    photo = Photo()
    image = photo.take()
    x, y = photo.px(np.array([[312.0, 240.0]]))[0]
    cv2.circle(image, (int(x), int(y)), 30, (255, 255, 255), -1)
    words = bad(image)["glare"]
    place = [int(v) for v in words.split("(")[1].split(")")[0].split(",")]
    assert np.hypot(place[0] - 312, place[1] - 240) < 3
    assert "move that lamp" in words


def test_b06_exchanged_colours_are_told() -> None:
    assert "exchanged" in bad(np.ascontiguousarray(Photo().take()[..., ::-1]))["colours"]


def test_corners_outside_the_picture_are_named() -> None:
    photo = Photo(corners=((262.0, -20.0), (2015.0, 13.0), (2071.0, 1163.0), (205.0, 1181.0)))
    assert "top left" in bad(photo)["view"]


def test_a_camera_that_hangs_too_high_or_slanted_is_told() -> None:
    high = Photo(corners=((600.0, 300.0), (1500.0, 305.0), (1505.0, 1000.0), (605.0, 1005.0)))
    assert "lower the camera" in bad(high)["size"]
    slanted = Photo(corners=((560.0, 200.0), (1700.0, 200.0), (2150.0, 1250.0), (110.0, 1250.0)))
    assert "straight down" in bad(slanted)["level"]


def test_the_picture_of_the_result_shows_grid_and_zones() -> None:
    photo = Photo()
    image = photo.take()
    zones = [(p.name, p.polygon) for p in mat.places(4, SIZE)]
    done = c.calibrate(image, SIZE, zones=zones)
    assert done.picture.shape == image.shape
    changed = np.abs(done.picture.astype(int) - image).max(2) > 60
    on_grid = photo.px(np.array([[300.0, 350.0], [500.0, 250.0]])).astype(int)
    assert all(changed[y - 3 : y + 4, x - 3 : x + 4].any() for x, y in on_grid)
    assert not changed[:40, :100].any()


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4, 6])
def test_a_mat_is_found_in_other_views_and_poor_light(seats: int) -> None:
    """Slanting views, noise, blur and light by chance (figures in docs/camera.md)."""
    rng = np.random.default_rng(seats)
    for seed in range(4):
        corners = np.clip(np.array(Photo().corners) + rng.uniform(-45, 45, (4, 2)), [8, 8], [2296, 1288])
        noise, blur_px, light = rng.uniform(3, 12), rng.uniform(0.6, 1.6), rng.uniform(0.5, 1.0)
        photo = Photo(seats, tuple(map(tuple, corners)), noise=noise, blur_px=blur_px, light=light, seed=seed)
        assert true_error_mm(photo, c.calibrate(photo.take(), SIZE).fit) < 0.5
