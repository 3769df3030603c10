"""A camera that is nudged, and pictures that cannot be believed: told at once, told apart, and over by themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from functools import cache
from itertools import chain, count, cycle

import cv2
import numpy as np
import pytest

from vision.calibrate import mat_markers
from vision.frames import Frame
from vision.lookout import Lookout, Outlook
from vision.pose import Pose
from vision.steady import Way
from vision.surface import Surface
from vision.words import Amiss

from .drawn import BOTTOM, FPS, LEFT, SIZE_PX, SURFACE, TOP, Drawn, Image, World

WIDE, HIGH = SIZE_PX
CORNERS = np.array([[0, 0], [WIDE, 0], [WIDE, HIGH], [0, HIGH]], float)
CARDS = [("9C", 300, 250, 0), ("9S", 500, 380, 0), ("6H", 640, 250, 90), ("KD", 210, 480, 12)]

Spoil = Callable[[Image], Image]


@cache
def cloth() -> World:
    """A plain cloth: its noise is drawn once."""
    return World()


def world() -> World:
    """The cloth with four cards."""
    table = copy(cloth())
    table.cards = [Drawn(face, Pose(x, y, turn)) for face, x, y, turn in CARDS]
    return table


def nudge(shift_px: tuple[float, float], turn_deg: float = 0.0, zoom: float = 1.0) -> np.ndarray:
    """Where the picture's places go when the camera is pushed, 3x3."""
    turn = cv2.getRotationMatrix2D((WIDE / 2, HIGH / 2), turn_deg, zoom)
    turn[:, 2] += shift_px
    return np.vstack([turn, [0, 0, 1]])


def pushed(matrix: np.ndarray) -> Spoil:
    """A camera that was pushed so."""
    return lambda image: np.asarray(
        cv2.warpPerspective(image, matrix, SIZE_PX, borderMode=cv2.BORDER_REFLECT), np.uint8
    )


def as_it_is(image: Image) -> Image:
    """A camera without trouble."""
    return image


class Film:
    """Gives pictures to a lookout, one after another."""

    def __init__(self, lookout: Lookout | None = None, live: bool = False) -> None:
        self.lookout = lookout or Lookout(SURFACE, SIZE_PX)
        self.live = live
        self.now = 0.0
        self.said: list[tuple[Amiss, float]] = []
        self.over: list[Amiss] = []

    def show(self, pictures: Iterator[Image], spoil: Spoil = as_it_is) -> list[Outlook]:
        """The outlooks of these pictures, and what was said."""
        out = []
        for picture in pictures:
            self.now += 1 / FPS
            taken_ns = round(self.now * 1e9) if self.live else 0
            out.append(self.lookout.see(Frame(spoil(picture), self.now, round(self.now * FPS), taken_ns)))
            if out[-1].began:
                self.said.append(out[-1].began)
            if out[-1].ended:
                self.over.append(out[-1].ended)
        return out

    def off_px(self, matrix: np.ndarray) -> float:
        """By how much the way that was found misses, in the corners of the picture."""
        want = cv2.perspectiveTransform(CORNERS[None], matrix)[0]
        return float(np.abs(self.lookout.steady.way.now_px(CORNERS) - want).max())


def calm(table: World, film: Film, seconds: float = 0.8) -> None:
    """The camera looks at a table where nothing happens."""
    assert all(o.image is not None for o in film.show(table.still(seconds)))


# --- nudged ------------------------------------------------------------------------------------------------------

NUDGES = [
    ((1.6, 1.2), 0.0, 1.0),
    ((-3.0, 2.0), 0.0, 1.0),
    ((6.0, 4.0), 1.5, 1.0),
    ((0.0, 0.0), -2.0, 1.0),
    ((0.0, 0.0), 0.0, 1.03),
    ((12.0, -9.0), 0.5, 0.98),
    ((-36.0, 26.0), 0.0, 1.0),
    ((35.0, -48.0), 1.0, 1.01),
]


@pytest.mark.parametrize(
    ("shift", "turn", "zoom"),
    [*NUDGES[:4], *(pytest.param(*one, marks=pytest.mark.slow) for one in NUDGES[4:])],
)
def test_nudged_camera_is_found_again(shift: tuple[float, float], turn: float, zoom: float) -> None:
    """From the first moved picture on none is given as it is; within a second they come as from the first place."""
    table, film = world(), Film()
    calm(table, film)
    matrix = nudge(shift, turn, zoom)
    out = film.show(table.still(2.0), pushed(matrix))
    if np.hypot(*shift) > 5:
        assert out[0].image is None
    given = [k for k, o in enumerate(out) if film.lookout.steady.moved and o.fresh is not None]
    assert given
    assert given[0] / FPS < 1.2
    assert film.off_px(matrix) < 1.0
    assert all(o.image is not None for o in out[given[0] :])
    assert not film.said
    straight = out[-1].image
    assert straight is not None
    inside = np.s_[90:-90, 90:-90]
    assert float(np.abs(straight[inside].astype(int) - table.picture()[inside]).mean()) < 8.0


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))])
def test_any_nudge_is_found_again_or_said_within_two_seconds(seed: int) -> None:
    """Also while a hand lies over the table."""
    rng = np.random.default_rng(seed)
    way, far = rng.uniform(0, 2 * np.pi), rng.uniform(2, 60)
    matrix = nudge((far * np.cos(way), far * np.sin(way)), rng.uniform(-1.5, 1.5), rng.uniform(0.985, 1.015))
    table, film = world(), Film()
    calm(table, film)
    film.show(table.reach(LEFT, LEFT, (float(rng.uniform(150, 600)), float(rng.uniform(150, 550)))))
    out = film.show(table.still(2.0), pushed(matrix))
    assert film.off_px(matrix) < 2.0 or film.said[0][0] is Amiss.MOVED
    assert film.off_px(matrix) < 2.0 or out[-1].image is None


def test_camera_knocked_far_away_is_said_and_is_over_when_it_is_pushed_back() -> None:
    table, film = world(), Film()
    calm(table, film)
    out = film.show(table.still(2.0), pushed(nudge((300, 200), 25)))
    assert all(o.image is None for o in out)
    assert [code for code, _ in film.said] == [Amiss.MOVED]
    assert "calibrate" in film.said[0][0].words
    back = film.show(table.still(1.5))
    assert film.over == [Amiss.MOVED]
    assert back[-1].image is not None
    assert film.off_px(np.eye(3)) < 1.0


def test_camera_nudged_again_and_again() -> None:
    table, film = world(), Film()
    calm(table, film)
    for matrix in (nudge((8, -5), 0.5), nudge((-20, 10)), nudge((4, 4), -1)):
        film.show(table.still(1.5), pushed(matrix))
        assert film.off_px(matrix) < 1.5
    assert not film.said


def test_camera_that_sags_slowly_is_put_right() -> None:
    """A third of a millimetre a second: never a jump, and never off by more than two pixels."""
    table, film = world(), Film()
    calm(table, film)
    for step in range(1, 60):
        film.show(table.still(1 / FPS), pushed(nudge((0.0, 0.12 * step))))
    assert film.off_px(nudge((0.0, 0.12 * 59))) < 2.5
    assert not film.said


def test_bent_lens_is_taken_into_account() -> None:
    """A camera with a bent lens is turned: straight lines of the table go elsewhere than a flat picture's would."""
    lens = np.array([[WIDE, 0, WIDE / 2], [0, WIDE, HIGH / 2], [0, 0, 1]], float)
    bend = (-0.25, 0.05, 0.0, 0.0, 0.0)
    mm = [[0, 0], [900, 0], [900, 700], [0, 700]]
    surface = Surface.fit([[60, 50], [780, 50], [780, 610], [60, 610]], mm, (63, 88), lens.ravel().tolist(), bend)
    flat = nudge((14, -9), 1.2)
    grid = np.stack(np.meshgrid(np.arange(WIDE), np.arange(HIGH)), -1).astype(float)
    rays = cv2.undistortPoints(grid.reshape(-1, 1, 2), lens, np.array(bend), P=lens).reshape(-1, 2)
    was = cv2.perspectiveTransform(rays[None], np.linalg.inv(flat))[0]
    ones = np.column_stack([was, np.ones(len(was))]) @ np.linalg.inv(lens).T
    maps = cv2.projectPoints(ones, np.zeros(3), np.zeros(3), lens, np.array(bend))[0].reshape(HIGH, WIDE, 2)
    film = Film(Lookout(surface, SIZE_PX))
    table = world()
    calm(table, film)

    def turned(image: Image) -> Image:
        x, y = (np.ascontiguousarray(maps[..., k], np.float32) for k in (0, 1))
        return np.asarray(cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT), np.uint8)

    film.show(table.still(1.5), turned)
    places = np.array([[80.0, 60.0], [760, 80], [700, 600], [420, 330]])
    straight = cv2.undistortPoints(places.reshape(-1, 1, 2), lens, np.array(bend), P=lens)
    there = cv2.perspectiveTransform(straight, flat).reshape(-1, 2)
    want = surface.bent(there)
    assert np.abs(film.lookout.steady.way.now_px(places) - want).max() < 1.2
    assert np.abs(want - cv2.perspectiveTransform(places[None], flat)[0]).max() > 1.5


# --- markers -----------------------------------------------------------------------------------------------------


def with_markers(image: Image) -> Image:
    """The mat's markers, drawn where they are printed."""
    out = image.copy()
    for mark in mat_markers(900, 700):
        cells = np.kron(np.array(mark.cells(), np.uint8) * 255, np.ones((20, 20), np.uint8))
        cells = cv2.copyMakeBorder(cells, 20, 20, 20, 20, cv2.BORDER_CONSTANT, value=(255,))
        outer = np.array(mark.corners_mm) + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * mark.margin_mm
        side = len(cells)
        source = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32)
        turn = cv2.getPerspectiveTransform(source, SURFACE.px(outer).astype(np.float32))
        cv2.warpPerspective(cv2.merge([cells] * 3), turn, SIZE_PX, out, cv2.INTER_AREA, cv2.BORDER_TRANSPARENT)
    return out


def marks() -> dict[int, np.ndarray]:
    """Where the markers were calibrated to be."""
    return {mark.id: SURFACE.px(mark.corners_mm) for mark in mat_markers(900, 700)}


def test_camera_that_was_moved_before_the_start_is_put_right_by_the_markers() -> None:
    matrix = nudge((22, -15), 2.0)
    film = Film(Lookout(SURFACE, SIZE_PX, marks()))
    first = film.show(world().still(0.1), lambda image: pushed(matrix)(with_markers(image)))[0]
    assert first.image is not None
    assert film.off_px(matrix) < 2.0


def test_camera_where_it_was_calibrated_is_left_alone_by_the_markers() -> None:
    film = Film(Lookout(SURFACE, SIZE_PX, marks()))
    film.show(world().still(0.1), with_markers)
    assert not film.lookout.steady.moved


def test_camera_knocked_far_is_found_by_the_markers_where_anchors_are_not() -> None:
    matrix = nudge((-20, 40), 12.0, 0.9)
    film, table = Film(Lookout(SURFACE, SIZE_PX, marks())), world()
    film.show(table.still(0.8), with_markers)
    film.show(table.still(2.0), lambda image: pushed(matrix)(with_markers(image)))
    assert film.off_px(matrix) < 3.0


# --- what is no nudge ----------------------------------------------------------------------------------------------


def drifting() -> Spoil:
    n = count()
    return lambda image: cv2.convertScaleAbs(image, alpha=1 - 0.3 * min(1, next(n) / 60))


def flickering() -> Spoil:
    n = count()
    return lambda image: cv2.convertScaleAbs(image, alpha=1 + 0.06 * (next(n) % 3 - 1))


@cache
def glare() -> Image:
    """A lamp's reflection."""
    spot = np.zeros((HIGH, WIDE, 3), np.uint8)
    cv2.circle(spot, (300, 200), 90, (230, 230, 230), -1)
    return np.asarray(cv2.GaussianBlur(spot, (0, 0), 12), np.uint8)


def glaring(image: Image) -> Image:
    return np.asarray(cv2.add(image, glare()), np.uint8)


@cache
def shade() -> np.ndarray:
    """The share of light, float32 [h, w, 1], when somebody stands before the window."""
    share = np.ones((HIGH, WIDE), np.float32)
    share[:, : WIDE // 2] = 0.65
    return cv2.GaussianBlur(share, (0, 0), 20)[..., None]


def shadowed(image: Image) -> Image:
    return np.asarray(image * shade(), np.uint8)


@pytest.mark.parametrize(
    "spoil", [drifting(), flickering(), glaring, shadowed], ids=["drift", "flicker", "glare", "shade"]
)
def test_light_is_no_nudge(spoil: Spoil) -> None:
    table, film = world(), Film()
    calm(table, film)
    assert all(o.image is not None for o in film.show(table.still(4.0), spoil))
    assert not film.lookout.steady.moved
    assert not film.said


def test_play_is_no_nudge() -> None:
    """Cards laid and taken, a row swept together, hands to and fro."""
    table, film = world(), Film()
    calm(table, film)

    def play() -> Iterator[Image]:
        for n, face in enumerate(("AC", "2C", "3C", "4C", "5C")):
            yield from table.lay(face, Pose(350 + 30 * n, 330, 0), (BOTTOM, LEFT, TOP)[n % 3])
        yield from table.reach(TOP, TOP, (420, 330))
        row = table.cards[-5:]
        for step in range(20):
            for card in row:
                card.pose = Pose(card.pose.x + 6, card.pose.y + 3, card.pose.angle + 1)
            table.arm = (TOP, (420 + 6 * step, 330 + 3 * step))
            yield table.picture()
        table.cards[-5:] = [Drawn("back", Pose(560, 400, 4))]
        yield from table.leave()

    out = film.show(play())
    assert all(o.image is not None for o in out)
    assert not film.lookout.steady.moved


# --- pictures that cannot be believed --------------------------------------------------------------------------------


def flat(level: float) -> Spoil:
    rng = np.random.default_rng(5)
    pictures = [np.clip(rng.normal(level, 2.0, (HIGH, WIDE, 3)), 0, 255).astype(np.uint8) for _ in range(3)]
    shown = cycle(pictures)
    return lambda _image: next(shown)


@cache
def soft_hand() -> Image:
    """A hand close before the lens: soft, brown, dim."""
    out = np.full((HIGH // 10, WIDE // 10, 3), (40, 60, 90), np.uint8)
    cv2.circle(out, (50, 30), 30, (50, 80, 120), -1)
    return np.asarray(cv2.resize(cv2.GaussianBlur(out, (0, 0), 4), SIZE_PX), np.uint8)


def palm(image: Image) -> Image:
    """The lens is covered."""
    del image
    return soft_hand()


TROUBLES = [
    (flat(8), Amiss.DARK),
    (flat(254), Amiss.BRIGHT),
    (palm, Amiss.COVERED),
    (lambda image: cv2.GaussianBlur(image, (0, 0), 4), Amiss.BLURRED),
]


@pytest.mark.parametrize(("spoil", "code"), TROUBLES, ids=[code.value for _, code in TROUBLES])
def test_trouble_is_told_apart_said_once_and_is_over_by_itself(spoil: Spoil, code: Amiss) -> None:
    table, film = world(), Film()
    calm(table, film)
    bad = film.show(table.still(2.0), spoil)
    assert all(o.image is None for o in bad)
    assert [c for c, _ in film.said] == [code]
    assert film.now - 2.0 - 2 / FPS <= film.said[0][1] <= film.now - 2.0 + 2 / FPS
    good = film.show(table.still(1.0))
    assert film.over == [code]
    assert good[0].image is None
    assert good[-1].image is not None
    assert not film.lookout.steady.moved


def test_a_single_bad_frame_is_passed_over_in_silence() -> None:
    table, film = world(), Film()
    calm(table, film)
    (bad,) = film.show(table.still(1 / FPS), flat(5))
    assert bad.image is None
    assert film.show(table.still(0.2))[0].image is not None
    assert not film.said


@pytest.mark.parametrize("spoil", [flat(8), flat(254)], ids=["black", "white"])
def test_a_camera_that_begins_in_trouble_begins_when_it_is_over(spoil: Spoil) -> None:
    table, film = world(), Film()
    assert all(o.image is None for o in film.show(table.still(1.0), spoil))
    assert len(film.said) == 1
    assert film.show(table.still(1.0))[-1].image is not None


def test_live_camera_that_repeats_its_picture_is_said_to() -> None:
    table, film = world(), Film(live=True)
    calm(table, film)
    frozen = table.picture()
    film.show(iter([frozen] * 45))
    assert [c for c, _ in film.said] == [Amiss.OLD]
    film.show(table.still(1.0))
    assert film.over == [Amiss.OLD]


def test_recording_with_equal_frames_is_no_trouble() -> None:
    table, film = world(), Film()
    still = table.picture()
    assert all(o.image is not None for o in film.show(iter([still] * 60)))


def test_missing_frames_are_said_with_the_first_that_comes() -> None:
    table, film = world(), Film()
    calm(table, film)
    film.now += 4.0
    film.show(table.still(0.5))
    assert [c for c, _ in film.said] == [Amiss.LOST]
    assert film.over == [Amiss.LOST]
    assert film.said[0][1] == pytest.approx(film.now - 4.5, abs=0.2)


@pytest.mark.parametrize(
    "table", [World(table=(30, 28, 26)), World(table=(100, 100, 100)), World(table=(228, 230, 232))]
)
def test_an_empty_table_is_no_trouble(table: World) -> None:
    """Black cloth with a pale border, grey, white: nothing lies there, and that is all."""

    def bordered(image: Image) -> Image:
        return np.asarray(cv2.rectangle(image.copy(), (20, 20), (WIDE - 20, HIGH - 20), (120, 130, 140), 6), np.uint8)

    film = Film()
    assert all(o.image is not None for o in film.show(table.still(2.0), bordered))


def test_every_trouble_has_its_line() -> None:
    lines = {code.words for code in Amiss}
    assert len(lines) == len(Amiss)
    assert all("\n" not in line and ":" in line for line in lines)


def test_the_way_back_and_forth() -> None:
    way = Way(SURFACE, SIZE_PX).to(nudge((10, 5), 1))
    assert way.unseen is not None
    assert 0 < float((way.unseen > 0).mean()) < 0.1
    picture = world().picture()
    there = way.back(pushed(nudge((10, 5), 1))(picture))
    seen = way.unseen == 0
    assert float(np.abs(there.astype(int) - picture)[seen].mean()) < 4.0
    assert list(chain([way.now_px([[0.0, 0.0]]).shape])) == [(1, 2)]
