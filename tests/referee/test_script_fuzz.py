"""Whatever is in the file: a script is judged, or one printable line names the place. Never a traceback."""

from __future__ import annotations

import copy
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware.cli import run
from firmware.referee.match import games
from firmware.referee.script import MOST_BYTES, BadScript, load_scripts, run_script

ONES = dict.fromkeys(("matrimony", "intrigue", "confederacy", "pair", "best"), 1)
#: One script for every game, with every kind of value in it.
SCRIPTS: dict[str, dict[str, Any]] = {
    "wish_card": {"packs": {"A": ["JS", "2C"], "B": ["9H"]}, "piles": {"B": ["3C"]}, "middle": ["4C"], "start": "A"},
    "ranter_go_round": {"hands": {"A": "3S", "B": "KD"}, "markers": {"A": 3, "B": 2}, "pool": 1},
    "five_or_nine": {"table": ["5S"], "first_starter": "5", "turn": "A", "counts": {"A": 2, "B": 2}, "stock": 3},
    "fan_tan": {"need": "5H", "in_suit": 2, "done": ["S"], "turn": "A", "final_hands": {"B": ["5H"]}},
    "pope_joan": {"trump": "H", "turn_up": "2H", "board": {"pope": 6}, "counts": {"A": 9, "B": 9}},
    "matrimony": {"stakes": {"A": ONES, "B": ONES}, "carried": {"pair": 1}, "up": {"A": "KS"}, "down": {"A": "QH"}},
    "newmarket": {"layout": {"AH": 3}, "kitty": 2, "counts": {"A": 9, "B": 9}, "turn": "B"},
    "snip_snap_snorem": {"counters": {"A": 5, "B": 1}, "pool": 0},
    "sevens": {"pool": 5, "counts": {"A": 2, "B": 3}, "ranks": "678", "suits": "SH"},
    "beggar_my_neighbour": {"packs": {"A": ["JS", "2C"], "B": ["9H"]}},
    "jig": {"counts": {"A": 2, "B": 2}, "ranks": "A2", "suits": "SH", "turn": "A"},
    "comet": {"counts": {"A": 9, "B": 9}, "turn": "B"},
    "commerce": {"hands": {"A": ["2S", "2H", "2D"], "B": ["AH", "KH", "9H"]}},
    "speculation": {"turn_up": "AS", "counts": {"A": 3, "B": 3}},
}
MOVES: list[dict[str, Any]] = [
    {"ev": "play", "card": "5H"},
    {"ev": "turn", "card": "JS"},
    {"ev": "pay"},
    {"ev": "pass"},
    {"ev": "stop"},
    {"ev": "demand"},
    {"ev": "king"},
    {"ev": "buy"},
    {"ev": "swap", "say": "ace"},
    {"ev": "cut", "card": "KC"},
    {"ev": "gather", "from": "B", "count": 1},
    {"ev": "sell", "to": "B", "price": 2},
]
words = st.sampled_from(
    ["A", "B", "5H", "KD", "9H", "pay", "play", "turn", "", "\x1b[31mRed\x07", "a\nb", "\u202e", "A" * 999]
)
junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | words
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words | st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def script_of(game: str) -> dict[str, Any]:
    """A good script of this game."""
    moves = [{"seat": "AB"[i % 2], **move} for i, move in enumerate(MOVES) if move["ev"] in games()[game].MOVES]
    return {"id": "X", "game": game, "options": {}, "seats": ["A", "B"], "dealer": "B", "moves": moves, **SCRIPTS[game]}


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON value that can be spoilt: what holds it, and its key or index."""
    out: list[tuple[Any, Any]] = []
    keys: Any = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        out += [(value, key), *places(value[key])]
    return out


def one_line(text: str) -> None:
    """Judge the text: it is a script, or the one line that says why not can be printed as it is."""
    try:
        for script in load_scripts(text, "g.json"):
            json.dumps(run_script(script)[0].result())
    except BadScript as error:
        line = str(error)
        assert line.startswith("g.json")
        assert line.isprintable(), line
        assert len(line) < 500


@pytest.mark.parametrize("game", sorted(games()))
def test_the_scripts_that_are_spoilt_are_good(game: str) -> None:
    run_script(load_scripts(json.dumps(script_of(game)), "g.json")[0])


def test_every_game_is_spoilt() -> None:
    assert set(SCRIPTS) == set(games()), "a game without a script here: add one"


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(st.data())
def test_a_spoilt_script_is_one_line(data: st.DataObject) -> None:
    spoil(data)


@pytest.mark.slow
@settings(deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(st.data())
def test_many_a_spoilt_script_is_one_line(data: st.DataObject) -> None:
    spoil(data)


def spoil(data: st.DataObject) -> None:
    """Spoil a good script in one to three places, and judge it."""
    script = copy.deepcopy(script_of(data.draw(st.sampled_from(sorted(games())))))
    for _ in range(data.draw(st.integers(1, 3))):
        if not (spots := places(script)):
            break
        holder, key = data.draw(st.sampled_from(spots))
        match data.draw(st.sampled_from(["replace", "replace", "drop", "add", "rename"])):
            case "replace":
                holder[key] = data.draw(junk)
            case "drop":
                del holder[key]
            case "add" if isinstance(holder, list):
                holder.insert(key, data.draw(junk))
            case "add":
                holder[data.draw(words)] = data.draw(junk)
            case _ if isinstance(holder, dict):
                holder[data.draw(words)] = holder.pop(key)
    one_line(json.dumps(script))


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(st.text(max_size=30) | junk.map(json.dumps))
def test_what_is_no_script_is_one_line(text: str) -> None:
    one_line(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"game": "fan_tan", "seats": ["A", "B"], "\\u001b[2J": 1}',
        '{"game": "\\u001b[2J"}',
        '{"game": "fan_tan", "seats": ["A\\u0007", "B\\n"], "turn": "C", "moves": []}',
        '{"game": "fan_tan", "seats": ["A", "B"], "moves": [{"seat": "\\u009b", "ev": "pay"}]}',
        '{"a\\u001b": 1, "a\\u001b": 1}',
        '{"game": "fan_tan", "seats": ["A", "B"], "options": {"ante\\u0000": 1}}',
        '[{"id": "\\u001b[31m", "game": 1}]',
        '{"game": "fan_tan", "seats": ["A", "B"], "done": [null]}',
        '{"game": "fan_tan", "seats": ["A", "B"], "done": 7}',
        '{"game": "five_or_nine", "seats": ["A", "B"], "first_starter": ["9"]}',
        '{"game": "pope_joan", "seats": ["A", "B", "C"], "trump": {"H": 1}}',
        "[" * 5000 + "]" * 5000,
        '{"game": "fan_tan", "pool": ' + "9" * 5000 + "}",
    ],
)
def test_control_characters_and_monsters_never_reach_the_terminal(text: str) -> None:
    one_line(text)


def refused(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line with which the command refuses this file."""
    assert run(["rule", str(path)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [said.err.rstrip("\n")]
    return said.err


def test_a_file_of_50_megabytes_is_refused_before_it_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(50_000_000)
    tracemalloc.start()
    assert "50 MB are no script" in refused(large, capsys)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2 * MOST_BYTES


def test_what_never_ends_is_refused_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert "are no script" in refused(Path("/dev/zero"), capsys)


def test_what_is_no_text_or_no_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "a.json"
    picture.write_bytes(b"\xff\xd8\xff\xe0")
    assert "no text" in refused(picture, capsys)
    assert "folder" in refused(tmp_path, capsys)
    assert "missing.json" in refused(tmp_path / "missing.json", capsys)


def test_a_mark_of_byte_order_is_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bom.json"
    path.write_text(json.dumps(script_of("fan_tan")), encoding="utf-8-sig")
    assert run(["rule", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["result"]
