"""The simulated camera: a vision camera that gives every frame once, in simulated time, with the presses beside it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from firmware.simulator import session
from firmware.simulator.camera import Incident, SimulatedCamera
from vision.frames import Camera

SESSION = session.plan("fan_tan", seed=1, size_px=(640, 480))


def test_frames_come_in_order_in_simulated_time():
    camera: Camera = SimulatedCamera.over(SESSION, rate_hz=10.0)
    frames = [camera.read() for _ in range(4)]
    assert [f.index for f in frames] == [0, 1, 2, 3]
    assert [f.seconds for f in frames] == [0.0, 0.1, 0.2, 0.3]
    assert frames[3].taken_ns == 300_000_000
    assert frames[0].image.shape == (480, 640, 3)
    assert frames[0].image.dtype == np.uint8
    assert camera.size_px == (640, 480)


def test_it_ends_by_itself_after_the_last_act():
    near_the_end = SimulatedCamera.over(SESSION, from_s=SESSION.timeline.end_s - 0.4)
    frames = list(near_the_end)
    assert 3 <= len(frames) <= 6
    assert near_the_end.read() is None
    assert frames[-1].index == near_the_end.count - 1


def test_every_frame_is_an_array_of_its_own():
    camera = SimulatedCamera.over(SESSION)
    first, second = itertools.islice(camera, 2)
    before = second.image.copy()
    first.image[:] = 0
    assert np.array_equal(second.image, before)


def test_two_cameras_over_one_session_see_the_same():
    a, b = (SimulatedCamera.over(SESSION, from_s=2.0).read() for _ in range(2))
    assert np.array_equal(a.image, b.image)


def test_presses_are_those_of_the_truth():
    camera = SimulatedCamera.over(SESSION)
    truth = [(f["t"], f["seat"]) for f in SESSION.timeline.truth if f.get("fact") == "pressed"]
    assert [(p.t_s, p.seat) for p in camera.presses] == truth


def test_a_swapped_card_changes_the_picture_and_nothing_else():
    first = next(f for f in SESSION.timeline.truth if f.get("fact") == "laid")
    other = "KH" if first["card"] != "KH" else "KS"
    honest = SimulatedCamera.over(SESSION, from_s=first["t"] + 0.1)
    swapped = SimulatedCamera.over(SESSION, from_s=first["t"] + 0.1, swap={first["card"]: other})
    assert np.abs(honest.read().image.astype(int) - swapped.read().image).max() > 100
    assert honest.presses == swapped.presses


@pytest.mark.parametrize("rate", [0.0, 61.0])
def test_an_impossible_rate_is_refused(rate):
    with pytest.raises(ValueError, match="1 to 60 frames"):
        SimulatedCamera.over(SESSION, rate_hz=rate)


def first_after(seconds, *incidents):
    """The first frame from ``seconds`` on of a camera to which this happens."""
    return SimulatedCamera.over(SESSION, from_s=seconds, incidents=incidents).read()


def test_a_nudge_moves_the_picture_and_stays():
    before, after = (
        first_after(1.0, Incident(2.0, shift_px=(9.0, -4.0))),
        first_after(3.0, Incident(2.0, shift_px=(9.0, -4.0))),
    )
    straight = first_after(3.0)
    assert np.array_equal(before.image, first_after(1.0).image)
    assert np.abs(after.image[40:400, 60:600].astype(int) - straight.image[44:404, 51:591]).mean() < 0.5


def test_a_covered_lens_is_black_for_as_long_as_it_is_covered():
    cover = Incident(2.0, 3.0, gain=0.0)
    assert first_after(2.5, cover).image.max() == 0
    assert first_after(3.5, cover).image.mean() > 20


def test_a_blurred_picture_has_lost_its_grain():
    sharp, soft = first_after(2.0), first_after(2.0, Incident(1.0, blur_px=3.0))
    assert np.diff(soft.image.astype(int), axis=1).std() < 0.5 * np.diff(sharp.image.astype(int), axis=1).std()


def test_lost_frames_leave_a_gap_in_time():
    camera = SimulatedCamera.over(SESSION, rate_hz=10.0, from_s=1.8, incidents=(Incident(2.0, 4.0, lost=True),))
    times = [camera.read().seconds for _ in range(4)]
    assert times == [1.8, 1.9, 4.0, 4.1]


def test_a_standing_camera_gives_its_last_picture_again():
    camera = SimulatedCamera.over(SESSION, rate_hz=10.0, from_s=1.8, incidents=(Incident(2.0, 2.3, standing=True),))
    pictures = [camera.read().image for _ in range(6)]
    same = [bool(np.array_equal(a, b)) for a, b in itertools.pairwise(pictures)]
    assert same == [False, True, True, True, False]
