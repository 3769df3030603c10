"""A written recording has the contract's files and says what was drawn."""

from __future__ import annotations

import json
import tomllib

import cv2
import pytest

from firmware.simulator import session
from firmware.simulator.record import game_toml, table_toml, write_recording
from vision.frames import open_recording

SESSION = session.plan("fan_tan", seed=1, size_px=(640, 480), faults=["wrong_card"])


def lines(path):
    """The objects of a file, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("video", [True, False])
def test_a_recording_is_read_by_the_one_reader_of_recordings(tmp_path, video):
    write_recording(SESSION, tmp_path, rate_hz=10.0, video=video, to_s=0.7)
    camera = open_recording(tmp_path)
    assert camera.size_px == (640, 480)
    frames = [frame for _ in range(9) if (frame := camera.read())]
    assert len(frames) == 8
    assert frames[3].seconds == pytest.approx(0.3, abs=0.001)
    drawn = SESSION.scene().draw(0.3)
    assert cv2.absdiff(frames[3].image, drawn).mean() < 4.0, "compressed, but the same picture"


def test_presses_truth_and_script_stand_beside_it(tmp_path):
    write_recording(SESSION, tmp_path, to_s=0.0, video=False, result={"winner": "Ann"})
    assert [p["seat"] for p in lines(tmp_path / "presses.jsonl")] == [p.seat for p in SESSION.timeline.presses]
    truth = lines(tmp_path / "truth.jsonl")
    assert truth[-1] == {"result": {"winner": "Ann"}}
    assert [t["t"] for t in truth[:-1]] == sorted(t["t"] for t in truth[:-1])
    written = json.loads((tmp_path / "script.json").read_text(encoding="utf-8"))
    assert written["moves"] == list(SESSION.moves)
    assert written["expect"] == {"winner": "Ann"}


def test_table_toml_holds_the_numbers_that_the_picture_is_drawn_with():
    table = tomllib.loads(table_toml(SESSION))
    assert table["camera"]["picture"] == [list(p) for p in SESSION.view.picture]
    assert table["card"] == {"width": 63, "height": 88}
    assert [z["name"] for z in table["zone"]] == ["seat-1", "seat-2", "seat-3", "seat-4", "layout", "stock"]


@pytest.mark.parametrize("game", sorted(session.GAMES))
def test_game_toml_tells_the_deal_and_no_hidden_card(game):
    planned = session.plan(game, seed=2)
    known = tomllib.loads(game_toml(planned))
    assert known["game"] == game
    assert known["seats"] == list(planned.names)
    assert known["deal"] == planned.deal
    assert "hands" not in known["deal"]
    assert "packs" not in known["deal"]
