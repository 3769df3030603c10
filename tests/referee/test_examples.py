"""The worked examples and the recordings' truths: exact to the counter, and unmoved by what must not matter."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from firmware.referee.events import Entry, from_json
from firmware.referee.match import Match, Setup, games
from firmware.referee.script import load_scripts, run_script

pytestmark = pytest.mark.shared

# One pack's suits in another order: spades become hearts and so on.
SUIT_TURN = str.maketrans("SHDC", "HDCS")
#: In these games a suit or a single card has a part of its own, so turning the suits makes another game.
SUITS_MATTER = {"wish_card", "pope_joan", "matrimony", "newmarket", "commerce"}


def examples(shared: Path) -> list[dict[str, Any]]:
    """The examples of the games that are here, and the recordings' scripts."""
    data = json.loads((shared / "rules" / "EXAMPLES.json").read_text(encoding="utf-8"))
    data += [json.loads(p.read_text(encoding="utf-8")) for p in sorted((shared / "recordings").glob("*/script.json"))]
    return [example for example in data if example["game"] in games()]


def result_of(example: dict[str, Any]) -> dict[str, Any]:
    """What the referee makes of a script."""
    match, _ = run_script(load_scripts(json.dumps(example), "test")[0])
    assert match.ledger.total() == 0
    return match.result()


def test_every_example_comes_out_as_its_author_expects(shared: Path) -> None:
    wrong = []
    for example in examples(shared):
        result = result_of(example)
        wrong += [(example["id"], k, v, result.get(k)) for k, v in example["expect"].items() if result.get(k, "-") != v]
    assert wrong == []


def renamed(value: Any, names: dict[str, str]) -> Any:
    """The same data with every seat called otherwise."""
    if isinstance(value, dict):
        return {renamed(k, names): renamed(v, names) for k, v in value.items()}
    if isinstance(value, list):
        return [renamed(v, names) for v in value]
    if isinstance(value, str) and value.endswith("_from_players"):
        return renamed(value.removesuffix("_from_players"), names) + "_from_players"
    return names.get(value, value) if isinstance(value, str) else value


def test_other_names_change_nothing_but_the_names(shared: Path) -> None:
    for example in examples(shared):
        names = {name: f"Player {i}" for i, name in enumerate(example["seats"])}
        keep = {k: example[k] for k in ("id", "game", "title", "options") if k in example}
        other = {**renamed(example, names), **keep}
        assert result_of(other) == renamed(result_of(example), names), example["id"]


def test_labels_and_expectations_change_nothing(shared: Path) -> None:
    for example in examples(shared):
        bare = {k: v for k, v in example.items() if k not in ("id", "title", "expect")}
        assert result_of(bare) == result_of(example), example["id"]


def turned_suits(value: Any) -> Any:
    """The same data with each suit replaced by another."""
    if isinstance(value, dict):
        return {turned_suits(k): turned_suits(v) if k not in ("seats", "game") else v for k, v in value.items()}
    if isinstance(value, list):
        return [turned_suits(v) for v in value]
    if isinstance(value, str) and (_is_card(value) or not value.strip("SHDC")):
        return value.translate(SUIT_TURN)
    return value


def _is_card(value: str) -> bool:
    return len(value) == 2 and value[0] in "A23456789TJQK" and value[1] in "SHDC"


@pytest.mark.parametrize("game", ["fan_tan", "five_or_nine", "ranter_go_round", "snip_snap_snorem"])
def test_other_suits_change_nothing_but_the_suits(shared: Path, game: str) -> None:
    for example in examples(shared):
        if example["game"] != game:
            continue
        seats = {name: f"Player {i}" for i, name in enumerate(example["seats"])}
        one = {**renamed(example, seats), "game": game, "options": example["options"]}
        other = {**turned_suits(one), "options": example["options"]}
        assert result_of(other) == turned_suits(result_of(one)), example["id"]


def test_every_recording_comes_out_as_its_truth(shared: Path) -> None:
    """The facts of a recording, as a perfect camera would tell them, give the recording's result."""
    judged = 0
    for folder in sorted((shared / "recordings").iterdir()):
        if folder.name not in games():
            continue
        config = tomllib.loads((folder / "game.toml").read_text(encoding="utf-8"))
        match = Match(Setup(config["game"], tuple(config["seats"]), config["dealer"], config["house"], config["deal"]))
        truth = [json.loads(line) for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
        for number, line in enumerate(line for line in truth if "fact" in line and line["t"] > 0):
            match.add(Entry(number, from_json(line), t=line["t"], source="camera"))
        result = match.result()
        assert {k: result.get(k, "-") for k in truth[-1]["result"]} == truth[-1]["result"], folder.name
        judged += 1
    assert judged
