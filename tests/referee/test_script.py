"""Written games: what cannot be meant gives one clear line with the place in the file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from firmware.referee.script import BadScript, is_list, load_scripts, run_script

GOOD: dict[str, Any] = {
    "id": "X1",
    "game": "fan_tan",
    "seats": ["Ann", "Bo", "Cy"],
    "options": {"ante": 1},
    "counts": {"Ann": 3, "Bo": 3, "Cy": 3},
    "moves": [{"seat": "Ann", "ev": "play", "card": "7C"}, {"seat": "Bo", "ev": "pay"}],
}

BAD: list[tuple[dict[str, Any], str]] = [
    ({"game": "fan_tann"}, "did you mean 'fan_tan'"),
    ({"game": None}, "no game is called None"),
    ({"game": ["fan_tan"]}, "no game is called"),
    ({"options": {"antee": 1}}, "no house rule is called 'antee' (did you mean 'ante'?)"),
    ({"options": {"ante": "1"}}, "'ante' is a whole number, not '1'"),
    ({"options": {"ante": True}}, "'ante' is a whole number, not True"),
    ({"options": {"ante": -1}}, "'ante' lies within 0 and 1000; not -1"),
    ({"options": {"forced": 1}}, "'forced' is true or false, not 1"),
    ({"options": []}, "options: house rules by name"),
    ({"seats": "Ann"}, "seats: a list of names"),
    ({"seats": ["Ann"]}, "seats: 2 to 51 names"),
    ({"seats": ["Ann", "Ann"]}, "'Ann' sits twice"),
    ({"seats": ["Ann", 3]}, "seats: a list of names"),
    ({"dealer": "Dee"}, "dealer: no seat is called 'Dee'"),
    ({"turn": "Boo"}, "turn: no seat is called 'Boo' (did you mean 'Bo'?)"),
    ({"counts": {"Ann": -1}}, "counts.Ann: a whole number from 0"),
    ({"counts": {"Ann": "3"}}, "counts.Ann: a whole number from 0"),
    ({"counts": {"Zed": 3}}, "counts: no seat is called 'Zed'"),
    ({"counts": [3, 3, 3]}, "counts: a table by seat"),
    ({"ranks": "A2X"}, "ranks: some of"),
    ({"ranks": "AA"}, "ranks: some of"),
    ({"suits": ""}, "suits: some of"),
    ({"need": "8X"}, "need: no card is called '8X'"),
    ({"hands": {"Ann": ["7C", "7C"]}}, "hands: 7C is there twice"),
    ({"hands": {"Ann": ["7C"], "Bo": ["7C"]}}, "hands: 7C is there twice"),
    ({"hands": {"Ann": ["10C"]}}, "hands.Ann[0]: no card is called '10C'"),
    ({"hands": {"Ann": 7}}, "hands.Ann: a list of cards"),
    ({"moves": {}}, "moves: a list is needed"),
    ({"moves": [[]]}, "moves[0]: a move is an object"),
    ({"moves": [{"seat": "Ann", "ev": "plai", "card": "7C"}]}, "moves[0].ev: no move of this game is called 'plai'"),
    ({"moves": [{"seat": "Dee", "ev": "pay"}]}, "moves[0].seat: no seat is called 'Dee'"),
    ({"moves": [{"ev": "pay"}]}, "moves[0].seat: no seat is called None"),
    ({"moves": [{"seat": "Ann", "ev": "play"}]}, "moves[0].card: no card is called None"),
    ({"moves": [{"seat": "Ann", "ev": "play", "card": ["7C"]}]}, "moves[0].card: no card is called ['7C']"),
    ({"final_hands": {"Ann": "7C"}}, "final_hands.Ann: a list of cards"),
    ({"final_hands": []}, "final_hands: a table by seat"),
    ({"mooves": []}, "did you mean 'moves'"),
    ({"pool": 1.5}, "pool: a whole number from 0"),
    ({"pool": 10**12}, "pool: a whole number from 0"),
]


@pytest.mark.parametrize(("change", "expected"), BAD)
def test_what_cannot_be_meant_is_one_line_with_its_place(change: dict[str, Any], expected: str) -> None:
    with pytest.raises(BadScript) as error:
        load_scripts(json.dumps({**GOOD, **change}), "game.json")
    line = str(error.value)
    assert expected in line
    assert line.startswith("game.json: ")
    assert "\n" not in line
    assert len(line) < 300


def test_in_a_list_the_line_names_the_script() -> None:
    with pytest.raises(BadScript, match=r"g\.json: script 2 \(X1\): moves\[0\]\.seat"):
        load_scripts(json.dumps([GOOD, {**GOOD, "moves": [{"seat": "?", "ev": "pay"}]}]), "g.json")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "g.json:1:1: not JSON"),
        ('{"game": "fan_tan",\n "seats": [}', "g.json:2:12: not JSON"),
        ("[]", "g.json: a script is an object, or a list of them"),
        ("3", "g.json: a script is an object, or a list of them"),
        ("[3]", "g.json: script 1: a script is an object, not 3"),
        ("[" * 100_000, "g.json: nested too deeply"),
        ('{"a":' * 100_000, "g.json: nested too deeply"),
        ('{"game": NaN}', "g.json: NaN is no number"),
        ('{"game": 1, "game": 2}', "g.json: 'game' is given twice"),
    ],
)
def test_what_is_no_script_at_all(text: str, expected: str) -> None:
    with pytest.raises(BadScript) as error:
        load_scripts(text, "g.json")
    assert str(error.value).startswith(expected)
    assert "\n" not in str(error.value)


def whole_pack(without: str) -> dict[str, Any]:
    names = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]
    names.remove(without)
    return {**GOOD, "counts": None, "hands": {"Ann": names[:18], "Bo": names[18:35], "Cy": names[35:]}}


def test_a_deal_of_51_cards_names_the_missing_one() -> None:
    with pytest.raises(BadScript, match=r"51 cards are dealt, a pack has 52: QD is missing"):
        load_scripts(json.dumps(whole_pack("QD")), "g.json")


def test_a_card_that_the_pack_does_not_have() -> None:
    with pytest.raises(BadScript, match="9H is not in this pack"):
        load_scripts(json.dumps({**GOOD, "counts": None, "ranks": "A2", "hands": {"Ann": ["AH", "9H"]}}), "g.json")


def test_one_script_and_a_list_are_told_apart() -> None:
    assert not is_list(json.dumps(GOOD))
    assert is_list(" \n" + json.dumps([GOOD]))


def test_a_script_runs_and_says_what_it_did() -> None:
    match, rulings = run_script(load_scripts(json.dumps(GOOD), "g.json")[0])
    assert match.result()["paid"] == {"Ann": 1, "Bo": 2, "Cy": 1}
    assert [r.why for r in rulings if r.code == "PAY"] == ["Bo pays 1 to the pool: 8♣ was wanted"]
    assert match.why(1) == ("Bo pays 1 to the pool: 8♣ was wanted (entries 1)", "Cy to play 8♣ or pay 1")
