"""The camera's view: made when somebody looks, at a bounded rate, and while a game is on without a hidden thing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from threading import Thread
from typing import Any

import cv2
import numpy as np
import pytest

from firmware.config import TableConfig, load_table
from firmware.covering import coarse
from firmware.perception import Perception, surface_of
from firmware.simulator.camera import SimulatedCamera
from firmware.simulator.record import table_toml
from firmware.simulator.session import Session, plan
from firmware.viewfinder import Left, Lies, Viewfinder, shown
from vision.frames import Frame
from vision.pose import Pose
from vision.reader import Reader


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader.load()


@pytest.fixture(scope="module")
def session() -> Session:
    return plan("fan_tan", seed=3)


@pytest.fixture(scope="module")
def config(session: Session, tmp_path_factory: pytest.TempPathFactory) -> TableConfig:
    path = tmp_path_factory.mktemp("table") / "table.toml"
    path.write_text(table_toml(session), encoding="utf-8")
    return load_table(path)


@pytest.fixture(scope="module")
def laid(session: Session) -> Frame:
    """A frame with at least a card on the table and no hand over it."""
    last = next(fact for fact in session.timeline.truth if fact.get("fact") == "laid")
    frame = SimulatedCamera.over(session, from_s=float(last["t"]) + 0.3).read()
    assert frame is not None
    return frame


def looked(finder: Viewfinder, image: Any, perception: Perception | None = None) -> Iterator[Any]:
    """What `finder` shows to one who asks, once the loop has left this picture."""
    got: list[Any] = []
    asker = Thread(target=lambda: got.extend((finder.look(), finder.picture())))
    asker.start()
    while asker.is_alive():
        finder.leave(image, perception)
        asker.join(0.005)
    return iter(got)


def opened(jpeg: bytes) -> Any:
    return cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)


def detail(image: Any) -> float:
    """Standard deviation of the Laplacian: what can be read has much of it."""
    return float(cv2.Laplacian(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.CV_64F).std())


def test_what_lies_there_is_read_and_its_place_marked(config: TableConfig, reader: Reader, laid: Frame) -> None:
    seen, jpeg = looked(Viewfinder(config, reader), laid.image)
    assert (seen["width_px"], seen["height_px"]) == (laid.image.shape[1], laid.image.shape[0])
    assert {zone["name"] for zone in seen["zones"]} == {zone.name for zone in config.zones}
    (card,) = [one for one in seen["cards"] if one["card"] != "?"]
    x, y = np.mean(card["corners_px"], axis=0)
    patch = laid.image[int(y) - 20 : int(y) + 20, int(x) - 15 : int(x) + 15]
    assert patch.mean() > 120  # paper, not cloth
    assert opened(jpeg).shape == laid.image.shape
    assert 0.7 <= seen["focus"] <= 1.0
    assert 0.0 <= seen["glare"] < 0.01


def test_a_picture_that_is_not_sharp_is_said(config: TableConfig, reader: Reader, laid: Frame) -> None:
    seen, _ = looked(Viewfinder(config, reader), cv2.GaussianBlur(laid.image, (0, 0), 9))
    assert "FOCUS" in {hint["code"] for hint in seen["hints"]}
    assert seen["focus"] < 0.7


def test_a_mirrored_lamp_is_said(config: TableConfig, reader: Reader, laid: Frame) -> None:
    image = cv2.circle(laid.image.copy(), (640, 600), 60, (255, 255, 255), -1)
    seen, _ = looked(Viewfinder(config, reader), image)
    assert "GLARE" in {hint["code"] for hint in seen["hints"]}
    assert seen["glare"] > 0.005


def test_nothing_is_copied_while_nobody_looks(config: TableConfig, reader: Reader, laid: Frame) -> None:
    finder = Viewfinder(config, reader)
    finder.leave(laid.image, None)
    assert finder._left is None


def test_many_who_look_at_once_get_one_picture(config: TableConfig, reader: Reader, laid: Frame) -> None:
    now = [100.0]
    finder = Viewfinder(config, reader, clock=lambda: now[0])
    taken: list[int] = []
    leave = finder.leave
    got: list[bytes | None] = []
    askers = [Thread(target=lambda: got.append(finder.picture())) for _ in range(20)]
    for asker in askers:
        asker.start()
    while any(asker.is_alive() for asker in askers):
        taken += [1] if finder._wanted else []
        leave(laid.image, None)
        for asker in askers:
            asker.join(0.001)
    assert len(set(got)) == 1
    assert len(taken) == 1


def test_a_camera_that_gives_nothing_is_said(config: TableConfig, reader: Reader) -> None:
    finder = Viewfinder(config, reader, patience_s=0.0)
    assert [hint["code"] for hint in finder.look()["hints"]] == ["NO_PICTURE"]
    assert finder.picture() is None


def test_in_play_only_what_lies_open_is_sharp(config: TableConfig, reader: Reader, laid: Frame) -> None:
    """A card held where nothing lies cannot be read from the picture, nor is it named; the one that lies can."""
    surface = surface_of(config)
    image = laid.image.copy()
    (lies,) = shown(Left(image), config, reader)[0]["cards"]
    box = np.rint(lies["corners_px"]).astype(int)
    (x0, y0), (x1, y1) = box.min(0), box.max(0)
    card = image[y0:y1, x0:x1].copy()
    held = image[700 : 700 + y1 - y0, 900 : 900 + x1 - x0]
    held[:] = card
    middle = surface.mm(np.mean(lies["corners_px"], axis=0))
    known = Lies(lies["card"], 1.0, Pose(float(middle[0]), float(middle[1]), 0.0).outline(surface.card_mm))
    seen, jpeg = shown(Left(image, (known,), np.zeros((96, 128), np.uint8)), config, reader)
    out = opened(jpeg)
    assert [one["card"] for one in seen["cards"]] == [lies["card"]]
    assert "COVERED" in {hint["code"] for hint in seen["hints"]}
    assert detail(out[y0 + 6 : y1 - 6, x0 + 6 : x1 - 6]) > 10
    covered = out[700 : 700 + y1 - y0, 900 : 900 + x1 - x0]
    assert detail(covered) < 3
    assert np.ptp(covered.astype(int).max(2) - covered.astype(int).min(2)) < 12  # and it is grey: no red, no black
    assert all(one.card == "?" for one in reader.read(out[650:900, 850:1050], surface.card_px))


def test_a_hand_over_a_card_that_lies_there_covers_it(config: TableConfig, reader: Reader, laid: Frame) -> None:
    surface = surface_of(config)
    everywhere = Lies("7H", 1.0, np.array([[0.0, 0.0], [900.0, 0.0], [900.0, 700.0], [0.0, 700.0]]))
    moving = np.full((96, 128), 255, np.uint8)
    _, jpeg = shown(Left(laid.image, (everywhere,), moving), config, reader)
    assert detail(opened(jpeg)) < 3
    assert surface.px_per_mm > 1


@pytest.mark.slow
def test_a_game_that_is_on_hands_over_what_its_tracker_knows(
    config: TableConfig, reader: Reader, session: Session, laid: Frame
) -> None:
    camera = SimulatedCamera.over(session)
    perception = Perception(config, reader, camera.size_px)
    while (frame := camera.read()) is not None and frame.seconds < laid.seconds + 1.0:
        perception.see(frame)
        newest = frame
    seen, _ = looked(Viewfinder(config, reader), newest.image, perception)
    assert [one["card"] for one in seen["cards"]] == [card.face for card in perception.tracker.layout]
    assert seen["hints"][0]["code"] == "COVERED"


def test_before_the_first_frame_of_a_game_all_is_covered(config: TableConfig, reader: Reader, laid: Frame) -> None:
    perception = Perception(config, reader, (1280, 960))
    seen, jpeg = looked(Viewfinder(config, reader), laid.image, perception)
    assert seen["cards"] == []
    assert detail(opened(jpeg)) < 3


def test_the_proof_of_a_fact_shows_no_hand_sharply(config: TableConfig, reader: Reader, session: Session) -> None:
    """Two pictures of a fact go to every phone; of a hand that is still over the table only the place is seen."""
    camera = SimulatedCamera.over(session)
    perception = Perception(config, reader, camera.size_px)
    for frame in camera:
        perception.see(frame)
        scene = perception.tracker.scene
        if scene is not None and scene.hands and (scene.hand_of > 0).mean() > 0.03:
            break
    assert scene is not None
    hands = cv2.resize((scene.hand_of > 0).astype(np.uint8), camera.size_px, interpolation=cv2.INTER_NEAREST)
    shown_to_all = perception._without_hands(frame.image)
    sharp, soft = (
        np.abs(cv2.Laplacian(cv2.cvtColor(i, cv2.COLOR_BGR2GRAY), cv2.CV_64F)) for i in (frame.image, shown_to_all)
    )
    assert soft[hands > 0].mean() < 0.3 * sharp[hands > 0].mean()
    far = cv2.dilate(hands, np.ones((121, 121), np.uint8)) == 0
    assert (shown_to_all[far] == frame.image[far]).all()


def test_squares_hide_what_is_smaller_than_they_are(laid: Frame) -> None:
    assert detail(laid.image) > 5
    assert detail(coarse(laid.image, 1.4)) < 2


def test_a_table_that_is_not_calibrated_is_said(config: TableConfig, reader: Reader, laid: Frame) -> None:
    camera = replace(config.camera, picture=((0.0, 0.0),) * 4)
    seen, jpeg = shown(Left(laid.image), replace(config, camera=camera), reader)
    assert [hint["code"] for hint in seen["hints"]] == ["UNCALIBRATED"]
    assert detail(opened(jpeg)) > 5  # the picture is there, for that is what is needed now
