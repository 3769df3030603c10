"""A camera in trouble, through the whole path: no fact comes of it, presses wait, people see it, and play goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from firmware.journal.journal import Journal
from firmware.live import Live, Made
from firmware.panel.panel_fake import FakePanel
from firmware.panel.signals import Meaning
from firmware.perception import Perception
from firmware.referee.match import Match
from firmware.watch import pressed, watch_frames
from vision.frames import Frame
from vision.pose import Pose

from .test_watch import SETUP, TABLE, Film
from .vision.drawn import BOTTOM, FPS, LEFT, RIGHT, SIZE_PX, TOP, Image, World
from .vision.test_lookout import palm

Spoil = Callable[[Image], Image]
CALM_S = 0.8


def dark(image: Image) -> Image:
    return np.asarray(image // 24, np.uint8)


def burnt(image: Image) -> Image:
    return np.full_like(image, 255)


def blurred(image: Image) -> Image:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 5), np.uint8)


def nudged(image: Image) -> Image:
    turn = cv2.getRotationMatrix2D((SIZE_PX[0] / 2, SIZE_PX[1] / 2), 1.2, 1.0)
    turn[:, 2] += (14, -9)
    return np.asarray(cv2.warpAffine(image, turn, SIZE_PX, borderMode=cv2.BORDER_REFLECT), np.uint8)


def knocked(image: Image) -> Image:
    turn = cv2.getRotationMatrix2D((SIZE_PX[0] / 2, SIZE_PX[1] / 2), 30, 1.0)
    turn[:, 2] += (250, 100)
    return np.asarray(cv2.warpAffine(image, turn, SIZE_PX, borderMode=cv2.BORDER_REFLECT), np.uint8)


SLOW = ("BRIGHT", "COVERED", "BLURRED")
TROUBLES = {"DARK": dark, "BRIGHT": burnt, "COVERED": palm, "BLURRED": blurred, "MOVED": knocked}


def each_trouble() -> list[Any]:
    """Every trouble's name; those that differ in little are for the slower checks."""
    return [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in TROUBLES]


def room(image: Image) -> Image:
    """A table with an edge, and counters lying about."""
    out = cv2.rectangle(image.copy(), (18, 16), (SIZE_PX[0] - 20, SIZE_PX[1] - 18), (60, 90, 130), 9)
    for x, y in ((100, 590), (740, 90), (690, 560)):
        cv2.circle(out, (x, y), 13, (60, 60, 200), -1, cv2.LINE_AA)
        cv2.circle(out, (x, y), 7, (230, 230, 230), -1, cv2.LINE_AA)
    return np.asarray(out, np.uint8)


def spoilt(pictures: Iterator[Image], spoil: Spoil) -> Iterator[Image]:
    return (spoil(picture) for picture in pictures)


def in_room(pictures: Iterator[Image]) -> Iterator[Image]:
    return (room(picture) for picture in pictures)


def begun(world: World) -> Iterator[Image]:
    """A six of clubs by seat 1, a seven by seat 2."""
    yield from world.still(CALM_S)
    yield from world.lay("6C", Pose(300, 250, 0), BOTTOM)
    yield from world.lay("7C", Pose(332, 250, 3), LEFT)
    yield from world.still(0.6)


def told(
    world: World, pictures: Iterator[Image], presses: list[tuple[float, int]] | None = None
) -> list[dict[str, Any]]:
    perception = Perception(TABLE, world, SIZE_PX)
    known = [pressed(t, seat, "short") for t, seat in presses or []]
    return list(watch_frames(Film(pictures), perception, known, Match(SETUP)))


def facts(lines: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(f["fact"], f.get("card"), f["seat"]) for f in lines if "fact" in f]


def notes(lines: list[dict[str, Any]]) -> list[str]:
    return [line["code"] for line in lines if "note" in line]


@pytest.mark.parametrize("name", each_trouble())
def test_nothing_is_taken_back_or_passed_while_the_camera_is_in_trouble(name: str) -> None:
    world = World()

    def film() -> Iterator[Image]:
        yield from in_room(begun(world))
        yield from spoilt(in_room(world.still(2.5)), TROUBLES[name])
        yield from in_room(world.still(1.2))
        yield from in_room(world.lay("8C", Pose(364, 250, 0), TOP))
        yield from in_room(world.still(0.6))

    lines = told(world, film())
    assert facts(lines) == [("laid", "6C", 1), ("laid", "7C", 2), ("laid", "8C", 3)]
    assert notes(lines) == [f"CAMERA_{name}", f"CAMERA_{name}_OVER"]
    assert lines[-1]["result"]["violations"] == []
    ats = [line["at"] for line in lines if "at" in line]
    assert ats == sorted(ats)


def test_nudged_camera_changes_nothing_and_the_next_card_lies_where_it_lies() -> None:
    world = World()

    def film() -> Iterator[Image]:
        yield from begun(world)
        yield from spoilt(world.still(1.5), nudged)
        yield from spoilt(world.lay("8C", Pose(364, 250, 0), TOP), nudged)
        yield from spoilt(world.still(0.6), nudged)

    perception = Perception(TABLE, world, SIZE_PX)
    lines = list(watch_frames(Film(film()), perception, [], Match(SETUP)))
    assert facts(lines) == [("laid", "6C", 1), ("laid", "7C", 2), ("laid", "8C", 3)]
    assert notes(lines) == []
    eight = perception.tracker.layout.named("8C")
    assert eight is not None
    assert eight.pose.distance(Pose(364, 250, 0)) < 5


def test_camera_nudged_while_a_hand_brings_a_card() -> None:
    world = World()

    def film() -> Iterator[Image]:
        yield from begun(world)
        bringing = world.lay("8C", Pose(364, 250, 0), TOP)
        yield from islice(bringing, 3)
        yield from spoilt(bringing, nudged)
        yield from spoilt(world.still(1.5), nudged)

    lines = told(world, film())
    assert [(fact, card) for fact, card, _ in facts(lines)] == [("laid", "6C"), ("laid", "7C"), ("laid", "8C")]
    assert [seat for *_, seat in facts(lines)][-1] in (3, None)
    assert lines[-1]["result"]["violations"] == []


def test_press_made_in_the_dark_waits_and_a_card_laid_in_the_dark_accuses_nobody() -> None:
    world = World()

    def film() -> Iterator[Image]:
        yield from begun(world)
        yield from spoilt(world.still(1.0), dark)
        yield from spoilt(world.lay("9D", Pose(600, 400, 0), TOP), dark)
        yield from spoilt(world.still(0.5), dark)
        yield from world.still(2.0)

    start_s = sum(1 for _ in begun(World())) / FPS
    lines = told(world, film(), [(start_s + 0.7, 3)])
    presses = [line for line in lines if line.get("fact") == "pressed"]
    (dark_line,) = [line for line in lines if line.get("code") == "CAMERA_DARK"]
    (over,) = [line for line in lines if line.get("code") == "CAMERA_DARK_OVER"]
    assert presses[0]["at"] >= over["at"] > dark_line["at"]
    (nine,) = [line for line in lines if line.get("card") == "9D" and "fact" in line]
    assert nine["seat"] is None
    assert [line for line in lines if line.get("ruling") in ("refused", "proved")] == []
    assert any(line.get("ruling") == "unsure" for line in lines)


def lost(image: Image) -> Image:
    return image[:0]


def standing(world: World) -> Spoil:
    """The picture as it was last, coded again: a few pixels differ by a level or two."""
    old, grain = world.picture(), np.random.default_rng(3)

    def again(image: Image) -> Image:
        dots = (grain.random(image.shape) < 0.02).astype(np.uint8)
        return np.asarray(cv2.add(old, dots), np.uint8)

    return again


@pytest.mark.parametrize("name", ["DARK", "OLD", "LOST"])
def test_card_laid_unseen_is_nobodys_though_an_arm_is_over_it_when_the_picture_is_back(name: str) -> None:
    world = World()

    def film() -> Iterator[Image]:
        yield from begun(world)
        spoil = {"DARK": dark, "LOST": lost, "OLD": standing(world)}[name]
        yield from spoilt(world.lay("8C", Pose(364, 250, 0), TOP), spoil)
        yield from spoilt(world.still(1.0), spoil)
        arm = world.reach(RIGHT, RIGHT, (370, 260))
        yield from spoilt(islice(arm, 6), spoil)
        yield from arm
        yield from world.still(0.6)
        yield from world.leave()
        yield from world.still(1.0)

    start_s = sum(1 for _ in begun(World())) / FPS
    lines = told(world, film(), [(start_s + 2.0, 4)])
    assert facts(lines) == [("laid", "6C", 1), ("laid", "7C", 2), ("laid", "8C", None), ("pressed", None, 4)]
    (eight,) = [line for line in lines if line.get("card") == "8C" and "fact" in line]
    assert eight["seat_confidence"] == 0
    assert eight["t"] == pytest.approx(start_s, abs=0.2)
    assert notes(lines) == [f"CAMERA_{name}", f"CAMERA_{name}_OVER"]
    assert [line for line in lines if line.get("ruling") in ("refused", "proved")] == []


def test_card_laid_in_view_just_before_the_dark_is_its_hands() -> None:
    world = World()

    def film() -> Iterator[Image]:
        yield from begun(world)
        laying = list(world.lay("8C", Pose(364, 250, 0), TOP))
        yield from laying[:-5]
        yield from spoilt(world.still(1.5), dark)
        yield from world.still(1.0)

    assert facts(told(world, film()))[-1] == ("laid", "8C", 3)


@pytest.mark.parametrize("half", [SIZE_PX[1] // 2, SIZE_PX[1] * 3 // 4])
def test_half_pictures_take_nothing_and_lay_nothing(half: int) -> None:
    world = World()
    empty = room(World().picture())

    def torn(pictures: Iterator[Image]) -> Iterator[Image]:
        """Four pictures in fifteen are half of the first one; what is not seen in them is not read either."""
        for number, picture in enumerate(pictures):
            if number % 15 in range(6, 10):
                cards, world.cards = world.cards, []
                yield np.concatenate([empty[:half], picture[half:]])
                world.cards = cards
            else:
                yield picture

    def pointing() -> Iterator[Image]:
        for edge in (RIGHT, TOP, RIGHT):
            yield from world.reach(edge, edge, (380, 250))
            yield from world.still(1.2)
            yield from world.leave()

    def film() -> Iterator[Image]:
        yield from in_room(begun(world))
        yield from torn(in_room(pointing()))
        yield from in_room(world.still(1.0))

    assert facts(told(world, film())) == [("laid", "6C", 1), ("laid", "7C", 2)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[tuple[Live, World, FakePanel, list[str]]]:
    """The live table over a drawn one: its panel, and what it says on standard error."""
    world, panel, said = World(), FakePanel(), []
    world.hash = "drawn"  # type: ignore[attr-defined]
    with Journal.open(tmp_path / "data") as journal:
        table = Live(TABLE, world, journal, panel, Made("test", "drawn", {}), SIZE_PX, warn=said.append)
        yield table, world, panel, said


def stepped(table: Live, pictures: Iterator[Image], start_s: float) -> float:
    for picture in pictures:
        start_s += 1 / FPS
        table.step(Frame(picture, start_s, round(start_s * FPS), round(start_s * 1e9)))
    return start_s


@pytest.mark.parametrize("name", each_trouble())
def test_all_lights_and_the_page_show_the_trouble_until_it_is_over(name: str, live: Any) -> None:
    table, world, _, said = live
    game = table.begin(SETUP)
    now = stepped(table, begun(world), 0.0)
    now = stepped(table, spoilt(world.still(2.0), TROUBLES[name]), now)
    assert {light.meaning for light in game.panel_state.lights} == {Meaning.FAULT}
    assert game.snapshot()["state"] == "fault"
    assert len(said) == 1
    stepped(table, world.still(1.2), now)
    assert Meaning.FAULT not in {light.meaning for light in game.panel_state.lights}
    assert game.snapshot()["state"] == "playing"
    assert said[1:] == ["the camera sees the table again"]
    assert [str(c.face) for c in table._sequencer.perception.tracker.layout] == ["6C", "7C"]


def test_camera_that_was_nudged_between_two_sessions_is_noticed(live: Any) -> None:
    table, world, _, said = live
    now = stepped(table, world.still(1.0), 100.0)
    now = stepped(table, spoilt(world.still(1.0), nudged), now)
    game = table.begin(SETUP)
    now = stepped(table, spoilt(world.still(0.6), nudged), now)
    now = stepped(table, spoilt(world.lay("6C", Pose(300, 250, 0), BOTTOM), nudged), now)
    stepped(table, spoilt(world.still(0.6), nudged), now)
    assert not said
    assert [to.fact.seat for to in game.match.entries] == [1]
    (card,) = table._sequencer.perception.tracker.layout
    assert card.pose.distance(Pose(300, 250, 0)) < 5
