"""Only public keys leave the table (ARCHITECTURE idea 8)."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from firmware.web.fake_source import FakeTable
from firmware.web.public import ENTRIES, NAME_CHARS, RULINGS, WORDS_CHARS, entry, name_of, public

HIDDEN = "HIDDEN-9H"


def test_a_careless_tables_secrets_stay_inside() -> None:
    table = FakeTable(secret=HIDDEN)
    table.lay("7H")
    assert HIDDEN in json.dumps(table.board.snapshot(), default=str)
    assert HIDDEN not in json.dumps(public(table.board.snapshot()))


@given(
    st.sampled_from(["", "view", "lights", "cards", "rulings", "entries", "dispute", "wishes", "table"]),
    st.sampled_from(["hands", "hand", "knowledge", "deal_cards", "truth", "holders", "known"]),
)
def test_an_unknown_key_never_leaves_wherever_it_stands(place: str, key: str) -> None:
    item = {key: HIDDEN}
    state: dict[str, Any] = {"seats": ["Ann"]}
    if not place:
        state |= item
    else:
        state[place] = item if place in ("view", "dispute", "table") else [item]
    assert HIDDEN not in json.dumps(public(state))


def test_the_fake_tables_own_state_passes_whole() -> None:
    table = FakeTable()
    table.lay("7H")
    shown = public(table.board.snapshot())
    assert shown["cards"] == table.cards
    assert shown["view"]["counters"] == {"1": 10, "2": 10, "3": 10, "4": 10}
    assert shown["rulings"][-1]["ruling"] == "turn"
    assert shown["table"]["width_mm"] == 900


def test_names_are_shown_as_text_and_cut() -> None:
    assert name_of("<svg/onload=alert()>", 1) == "<svg/onload=alert()>"
    assert len(name_of("x" * 400, 1)) == NAME_CHARS
    assert name_of("\u202eAnn\u200f\x00\n", 2) == "Ann"
    assert name_of("", 3) == "#3"
    assert name_of(" \t ", 4) == "#4"


def test_sentences_are_cut_and_lists_are_the_newest() -> None:
    rulings = [{"id": n, "why": "y" * 5000} for n in range(100)]
    shown = public({"rulings": rulings, "entries": [{"number": n} for n in range(100)]})
    assert [one["id"] for one in shown["rulings"]] == list(range(100 - RULINGS, 100))
    assert len(shown["rulings"][0]["why"]) == WORDS_CHARS
    assert [one["number"] for one in shown["entries"]] == list(range(100 - ENTRIES, 100))


def test_a_nested_fact_is_laid_flat() -> None:
    nested = {"number": 3, "t": 1.5, "fact": {"fact": "laid", "card": "7H", "zone": "layout", "seat": 2}}
    assert entry(nested) == {"number": 3, "t": 1.5, "fact": "laid", "card": "7H", "zone": "layout", "seat": 2}


def test_an_empty_table_can_be_shown() -> None:
    assert public({})["cards"] == []
