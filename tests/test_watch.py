"""Watching a recording: entries in the order in which things happened, rulings after them, the result last."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import pytest

from firmware.config import Calibration, ConfigError, TableConfig, Zone
from firmware.fitting import misfits
from firmware.perception import Perception, surface_of
from firmware.referee.events import Press, Pressed
from firmware.referee.match import Match, Setup
from firmware.watch import load_presses, pressed, watch, watch_frames
from vision.frames import Frame, FrameError
from vision.pose import Pose

from .vision.drawn import BOTTOM, FPS, LEFT, SIZE_PX, TOP, Image, World

PICTURE = ((60.0, 50.0), (780.0, 50.0), (780.0, 610.0), (60.0, 610.0))
MM = ((0.0, 0.0), (900.0, 0.0), (900.0, 700.0), (0.0, 700.0))
ZONES = (
    Zone("seat-1", ((150, 600), (750, 600), (750, 698), (150, 698))),
    Zone("seat-2", ((2, 110), (100, 110), (100, 590), (2, 590))),
    Zone("seat-3", ((150, 2), (750, 2), (750, 100), (150, 100))),
    Zone("layout", ((110, 105), (790, 105), (790, 595), (110, 595))),
)
TABLE = TableConfig(900, 700, 63, 88, Calibration(PICTURE, MM), ZONES)
SETUP = Setup("fan_tan", ("Ann", "Bo", "Cy"), 3, {}, {"counts": {"Ann": 5, "Bo": 5, "Cy": 5}})

TABLE_TOML = f"""
[table]
width = 900
height = 700
[card]
width = 63
height = 88
[camera]
picture = {[list(p) for p in PICTURE]}
table = {[list(p) for p in MM]}
""" + "".join(f'[[zone]]\nname = "{z.name}"\npolygon = {[list(p) for p in z.polygon]}\n' for z in ZONES)
GAME_TOML = """
game = "fan_tan"
seats = ["Ann", "Bo", "Cy"]
dealer = 3
[deal]
counts = { Ann = 5, Bo = 5, Cy = 5 }
"""


@dataclass
class Film:
    """A camera that films a drawn table while things happen on it. An empty picture is one that never comes."""

    pictures: Iterator[Image]
    size_px: tuple[int, int] = SIZE_PX
    index: int = 0
    closed: bool = False

    def read(self) -> Frame | None:
        image = next(self.pictures, None)
        while image is not None and not image.size:
            self.index, image = self.index + 1, next(self.pictures, None)
        if image is None:
            return None
        self.index += 1
        return Frame(image, (self.index - 1) / FPS, self.index - 1)

    def close(self) -> None:
        self.closed = True


def lines(world: World, pictures: Iterator[Image], presses: list[tuple[float, int]]) -> list[dict[str, Any]]:
    told = [pressed(t, seat, "short") for t, seat in presses]
    film = Film(pictures)
    out = list(watch_frames(film, Perception(TABLE, world, SIZE_PX), told, Match(SETUP)))
    assert film.closed
    return out


def played(world: World) -> Iterator[Image]:
    yield from world.still(0.4)
    yield from world.lay("6C", Pose(300, 250, 0), BOTTOM)
    yield from world.still(0.6)
    yield from world.lay("7C", Pose(332, 250, 3), LEFT)
    yield from world.still(1.0)


def test_facts_rulings_and_result_in_the_contract_form() -> None:
    world = World()
    out = lines(world, played(world), [])
    facts = [line for line in out if "fact" in line]
    assert [(f["fact"], f["card"], f["zone"], f["seat"], f["entry"]) for f in facts] == [
        ("laid", "6C", "layout", 1, 0),
        ("laid", "7C", "layout", 2, 1),
    ]
    assert all(f["at"] - f["t"] <= 0.4 and f["confidence"] > 0.9 for f in facts)
    assert list(out[-1]) == ["result"]
    assert out[-1]["result"]["violations"] == []
    rulings = [line for line in out if "ruling" in line]
    assert any(r["ruling"] == "turn" and r.get("seat") == 3 for r in rulings)
    assert [r["id"] for r in rulings] == list(range(len(rulings)))
    json.dumps(out)


def test_presses_are_judged_in_the_order_in_which_they_happened() -> None:
    """A press made just after a card was let go, before the camera can tell it, comes after the card."""
    world = World()
    first = [line for line in lines(world, played(world), []) if "fact" in line]
    laid_s = [f["t"] for f in first]
    world = World()
    out = lines(world, played(world), [(laid_s[0] - 0.3, 3), (laid_s[1] + 0.05, 3), (99.0, 1)])
    facts = [line for line in out if "fact" in line]
    assert [(f["fact"], f["seat"]) for f in facts] == [
        ("pressed", 3),
        ("laid", 1),
        ("laid", 2),
        ("pressed", 3),
        ("pressed", 1),
    ]
    ats = [f["at"] for f in facts]
    assert ats == sorted(ats)
    assert [f["entry"] for f in facts] == [0, 1, 2, 3, 4]


def test_a_swapped_picture_is_ruled_by_the_picture() -> None:
    """The card that the hand lays is another than its player says: the ruling follows what is seen."""
    world = World()
    out = lines(world, _wrong(world), [])
    (refused,) = [line for line in out if line.get("ruling") == "refused"]
    assert (refused["code"], refused["seat"]) == ("WRONG_CARD", 2)


def _wrong(world: World) -> Iterator[Image]:
    yield from world.still(0.4)
    yield from world.lay("6C", Pose(300, 250, 0), BOTTOM)
    yield from world.lay("9D", Pose(340, 250, 0), LEFT)
    yield from world.still(0.6)


def test_cards_show_in_the_far_zone_are_zoned_by_their_middle() -> None:
    world = World()

    def film() -> Iterator[Image]:
        yield from world.still(0.4)
        yield from world.lay("6C", Pose(450, 50, 180), TOP)
        yield from world.still(0.6)

    (fact,) = [line for line in lines(world, film(), []) if "fact" in line]
    assert (fact["zone"], fact["seat"]) == ("seat-3", 3)


# --- the folder -----------------------------------------------------------------------------------------------


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A recording of an empty table, without truth.jsonl: a folder of that name cannot be opened."""
    (tmp_path / "table.toml").write_text(TABLE_TOML)
    (tmp_path / "game.toml").write_text(GAME_TOML)
    (tmp_path / "presses.jsonl").write_text('{"t": 0.1, "seat": 2, "press": "short"}\n\n')
    (tmp_path / "truth.jsonl").mkdir()
    (tmp_path / "script.json").mkdir()
    (tmp_path / "frames").mkdir()
    world = World()
    for n in range(4):
        cv2.imwrite(str(tmp_path / "frames" / f"{n:06}.jpg"), world.picture())
    (tmp_path / "frames.csv").write_text("index,seconds\n" + "".join(f"{n},{n / FPS}\n" for n in range(4)))
    return tmp_path


def test_recording_without_truth_is_watched(recording: Path) -> None:
    out = list(watch(recording, World()))
    assert [(f["fact"], f["seat"], f["press"]) for f in out if "fact" in f] == [("pressed", 2, "short")]
    assert "violations" in out[-1]["result"]


def test_recording_without_presses_has_none(recording: Path) -> None:
    (recording / "presses.jsonl").unlink()
    assert not [line for line in watch(recording, World()) if "fact" in line]


@pytest.mark.parametrize("name", ["table.toml", "game.toml", "frames"])
def test_missing_part_is_one_line_that_names_it(recording: Path, name: str) -> None:
    path = recording / name
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    with pytest.raises((ConfigError, FrameError), match=name.partition(".")[0]) as error:
        list(watch(recording, World()))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("file", "was", "now", "words"),
    [
        ("table.toml", "[780.0, 50.0]", "[1780.0, 50.0]", r"\(1780, 50\) lies outside pictures of 840x660"),
        ("table.toml", "[780.0, 50.0], [780.0, 610.0]", "[780.0, 610.0], [780.0, 50.0]", "cross over"),
        (
            "table.toml",
            "[780.0, 50.0], [780.0, 610.0], [60.0, 610.0]",
            "[60.0, 50.0], [60.0, 50.0], [60.0, 50.0]",
            "one line",
        ),
        ("table.toml", '"seat-3"', '"seat-7"', r"seat 3 \(Cy\) has no zone"),
        ("game.toml", "Ann = 5", "Ann = 50", "60 cards are dealt"),
        ("presses.jsonl", '"t": 0.1', '"t": 1e9', "the pictures end"),
    ],
)
def test_files_that_do_not_belong_together_are_one_line(
    recording: Path, file: str, was: str, now: str, words: str
) -> None:
    text = (recording / file).read_text()
    assert was in text
    (recording / file).write_text(text.replace(was, now))
    with pytest.raises(ConfigError, match=words) as error:
        list(watch(recording, World()))
    assert str(error.value).startswith(str(recording / file))
    assert "\n" not in str(error.value)


def test_squashed_film_and_zones_off_the_table_are_told() -> None:
    squashed = replace(TABLE, camera=replace(TABLE.camera, picture=tuple((x, y / 2) for x, y in PICTURE)))
    far = replace(TABLE, zones=(*TABLE.zones, Zone("stock", ((2000, 100), (2100, 100), (2100, 200)))))
    for table, words in ((TABLE, []), (squashed, ["a card would be 2.0 times as wide"]), (far, ['"stock" lies off'])):
        told = list(misfits(table, surface_of(table), ["Ann", "Bo", "Cy"], SIZE_PX))
        assert [word in line for word, line in zip(words, told, strict=True)] == [True] * len(words)


def test_what_is_no_recording_is_told_apart(tmp_path: Path, recording: Path) -> None:
    for path, words in (
        (tmp_path / "none", "is not there; give a folder that"),
        (Path("/dev/null"), "is no folder"),
        (tmp_path / "frames", r"lacks table\.toml and game\.toml"),
    ):
        with pytest.raises(ConfigError, match=words):
            watch(path, World())
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="is no film"):
        watch(recording, World(), tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[]",
        '{"t": 1}',
        '{"t": "soon", "seat": 1, "press": "short"}',
        '{"t": 1, "seat": 4, "press": "short"}',
        '{"t": 1, "seat": 1, "press": "twice"}',
        '{"t": 1, "seat": true, "press": "short"}',
        '{"t": NaN, "seat": 1, "press": "short"}',
        '{"t": -5, "seat": 1, "press": "short"}',
    ],
)
def test_bad_press_names_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "presses.jsonl"
    path.write_text('{"t": 0.5, "seat": 1, "press": "short"}\n' + line + "\n")
    with pytest.raises(ConfigError, match=r"presses\.jsonl, line 2: is no press"):
        load_presses(path, 3)


def test_presses_are_sorted_by_time(tmp_path: Path) -> None:
    path = tmp_path / "presses.jsonl"
    path.write_text('{"t": 2.5, "seat": 1, "press": "long"}\n{"t": 1.5, "seat": 2, "press": "short"}\n')
    assert [(p.t, p.fact) for p in load_presses(path, 3)] == [(1.5, Pressed(2)), (2.5, Pressed(1, Press.LONG))]
