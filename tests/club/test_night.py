"""A club's evening in figures, and what a table shows: leader board, settling up, Home Assistant."""

from __future__ import annotations

import json

import pytest

from firmware.club.database import Row
from firmware.club.messages import read_state
from firmware.club.night import evening_json, leaders, settlement
from firmware.club.state import SENTENCE_CHARS, discovery, state_of

ROWS = [
    Row("hall-1", "Ann", "ann", 5, 1, 1, 1),
    Row("hall-1", "Bo", "bo", -5, 1, 0, 1),
    Row("hall-2", "ANN", "ann", -2, 1, 0, 1),
    Row("hall-2", "Cy", "cy", 4, 2, 1, 0),
]
SNAPSHOT = {
    "session": "00001-abcd", "game": "fan_tan", "title": "Fan Tan", "deal": 1, "state": "playing",
    "seats": ["Ann", "B\u202eo" + "x" * 40],
    "view": {"turn": 2, "due": "PLAY", "pool": 7, "counters": [3, -10], "words": "Bo plays", "over": False},
    "rulings": [{"id": 0, "why": "Ann pays"}], "dispute": {"seat": 1, "open": True}, "secret": "9H is with Bo",
    "entries": [{"number": 0, "fact": "laid", "card": "9H"}], "cards": [{"card": "9H"}],
}  # fmt: skip


def test_the_board_counts_a_name_once_over_all_tables() -> None:
    board = leaders(ROWS)
    assert [(one.name, one.counters, one.deals, one.won) for one in board] == [
        ("Cy", 4, 2, 1),
        ("Ann", 3, 2, 1),
        ("Bo", -5, 1, 0),
    ]
    assert [one.name for one in board if one.twice] == ["Ann"]
    assert board[1].tables == ("hall-1", "hall-2")


def test_settling_up_clears_every_sum_with_the_pool() -> None:
    settled = settlement(leaders(ROWS))
    paid = dict(settled.net)
    for one in settled.transfers:
        paid[one.source] = paid.get(one.source, 0) + one.counters
        paid[one.to] = paid.get(one.to, 0) - one.counters
    assert not any(paid.values()) or {name for name, left in paid.items() if left} == {"the pool"}
    told = evening_json("2026-11-30", ROWS, 3, [], ["2026-11-30"])
    assert json.loads(json.dumps(told)) == told


def test_an_evening_of_a_hundred_tables_is_settled_at_once() -> None:
    rows = [
        Row(f"t{n}", f"p{n}-{seat}", f"p{n}-{seat}", (1, 2, 3, -6)[seat] * (n % 7 + 1), 1, 0, 1)
        for n in range(100)
        for seat in range(4)
    ]
    settled = settlement(leaders(rows))
    assert len(settled.transfers) < 400
    assert sum(one.counters for one in settled.transfers) == sum(row.counters for row in rows if row.counters > 0)


def test_the_state_tells_what_everybody_may_see_and_no_more() -> None:
    told = state_of(SNAPSHOT)
    text = json.dumps(told)
    assert "9H" not in text
    assert "secret" not in text
    assert (told["turn"], told["pool"], told["dispute"], told["said"]) == (told["seats"][1], 7, True, "Ann pays")
    read = read_state(text.encode())
    assert (read.turn_seat, read.counters) == (2, (3, -10))
    assert read_state(json.dumps(state_of({"state": "waiting"})).encode()).session == ""
    long = {**SNAPSHOT, "view": {**SNAPSHOT["view"], "words": "x" * 900}}  # type: ignore[dict-item]
    assert len(state_of(long)["words"]) == SENTENCE_CHARS


def test_home_assistant_finds_pool_turn_and_dispute() -> None:
    jinja2 = pytest.importorskip("jinja2", reason="jinja2 comes with cardtable[club]")
    found = {name: json.loads(payload) for name, payload in discovery("hall-1", "homeassistant", "0.1.0")}
    told = {one["name"]: (name.split("/")[1], one) for name, one in found.items()}
    assert {name: kind for name, (kind, _) in told.items()} == {
        "Pool": "sensor", "Turn": "sensor", "Dispute": "binary_sensor", "Game": "sensor",
    }  # fmt: skip
    state = state_of(SNAPSHOT)
    values = {name: jinja2.Template(one["value_template"]).render(value_json=state) for name, (_, one) in told.items()}
    assert values == {"Pool": "7", "Turn": state["turn"], "Dispute": "ON", "Game": "Fan Tan"}
    idle = state_of({"state": "waiting"})
    values = {name: jinja2.Template(one["value_template"]).render(value_json=idle) for name, (_, one) in told.items()}
    assert values == {"Pool": "0", "Turn": "nobody", "Dispute": "OFF", "Game": "waiting"}
    for name, one in found.items():
        assert one["state_topic"] == "cardtable/hall-1/state"
        assert one["availability_topic"] == "cardtable/hall-1/available"
        assert name == f"homeassistant/{told[one['name']][0]}/cardtable_hall-1/{one['unique_id'].split('_')[-1]}/config"
    assert len({one["unique_id"] for one in found.values()}) == len(found)


def test_a_player_who_calls_himself_the_pool_is_settled_with_like_any_other() -> None:
    rows = [Row("hall-1", "the pool", "the pool", 5, 1, 1, 0), Row("hall-1", "Ann", "ann", -8, 1, 0, 0)]
    told = {(one.source, one.to): one.counters for one in settlement(leaders(rows)).transfers}
    assert told == {("Ann", "the pool (a player)"): 5, ("Ann", "the pool"): 3}
