"""Every message reads back as it was written, and whatever a stranger writes is refused with words."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.club.messages import (
    MOST_BYTES,
    Ack,
    BadMessage,
    Begin,
    Bulletin,
    Inventory,
    Offer,
    Presence,
    Said,
    pack,
    read_ack,
    read_bulletin,
    read_inventory,
    read_presence,
    read_state,
    table_of,
)

HASH = "ab" * 32
BULLETIN = Bulletin(
    "00001-abcd", 0, HASH, "begin", 1, 1_796_068_800 * 10**9, (1, -1), 0, False, None,
    said=(Said(0, "paid", "ANTE", 1, None, 1, "Ann puts 1 counter into the pool"),),
    begin=Begin("fan_tan", "Fan Tan", ("Ann", "Bo"), 2, "0.1.0"),
)  # fmt: skip
READERS = (read_bulletin, read_inventory, read_ack, read_presence, read_state)


def test_every_message_reads_back_as_it_was_written() -> None:
    later = replace(BULLETIN, seq=7, kind="note", begin=None, said=(), code="clock_step", over=True, winner=2)
    assert read_bulletin(pack(BULLETIN)) == BULLETIN
    assert read_bulletin(pack(later)) == later
    inventory = Inventory((Offer("00001-abcd", 12, HASH, True), Offer("00002-abcd", 1, HASH, False)))
    assert read_inventory(pack(inventory)) == inventory
    for ack in (Ack("0" * 16, "00001-abcd", 5), Ack("0" * 16, "00001-abcd", 5, True, "no more")):
        assert read_ack(pack(ack)) == ack
    assert read_presence(pack(Presence("0" * 16, False))) == Presence("0" * 16, False)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seq": -1}, "seq"),
        ({"seq": True}, "seq"),
        ({"seq": 1.0}, "seq"),
        ({"seq": 1 << 60}, "seq"),
        ({"session": "../../etc"}, "session"),
        ({"hash": "00"}, "hash"),
        ({"counters": [1, "2"]}, "counters"),
        ({"counters": [10**12]}, "counters"),
        ({"counters": [0] * 60}, "counters"),
        ({"winner": 99}, "winner"),
        ({"over": 1}, "over"),
        ({"begin": []}, "begin"),
        ({"begin": {"game": "x", "title": "x", "seats": ["Ann", 7], "program": ""}}, "begin.seats"),
        ({"begin": {"game": "x", "title": "x", "seats": [], "program": ""}}, "begin.seats"),
        ({"begin": {"game": "x", "title": "x", "seats": ["A" * 61], "program": ""}}, "begin.seats"),
        ({"begin": {"game": "x", "title": "x", "seats": ["Ann"], "dealer": 2, "program": ""}}, "begin.dealer"),
        ({"said": [{"id": 0, "kind": "shout", "code": "", "counters": 0}]}, "said.kind"),
        ({"said": "x"}, "said"),
        ({"code": ["a"]}, "code"),
        ({"wall_ns": 1 << 63}, "wall_ns"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_its_place(change: dict[str, Any], words: str) -> None:
    data = {**json.loads(pack(BULLETIN)), **change}
    with pytest.raises(BadMessage, match=words):
        read_bulletin(json.dumps(data).encode())


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        (["Ann", "Ann", "Ann (1)"], ("Ann (1)", "Ann (2)", "Ann (1)")),
        (["A\u202enn", "\u200b", "Bo\n"], ("Ann", "Seat 2", "Bo")),
        (["Željka", "李小龍", "Åsa\U000e0fff"], ("Željka", "李小龍", "Åsa")),
    ],
    ids=["alike", "steering", "a character that this Unicode does not know"],
)
def test_a_strange_name_is_shown_as_well_as_can_be_and_holds_nothing_up(
    told: list[str], shown: tuple[str, ...]
) -> None:
    data = {**json.loads(pack(BULLETIN)), "begin": {"game": "x", "title": "x\u202ey", "seats": told, "program": ""}}
    begin = read_bulletin(json.dumps(data).encode()).begin
    assert begin is not None
    assert (begin.seats, begin.title) == (shown, "xy")


@pytest.mark.parametrize(
    "payload",
    [b"", b"null", b"[]", b"{", b"\xff\xfe", b'{"seq": NaN}', b"[" * 100_000, b" " * (MOST_BYTES + 1), b'{"a":' * 5000],
)
def test_what_is_no_message_is_refused(payload: bytes) -> None:
    for read in READERS:
        with pytest.raises(BadMessage):
            read(payload)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=6,
)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from(list(Bulletin.__slots__)), _JSON), st.binary(max_size=40))
def test_nothing_but_a_refusal_comes_of_rubbish(change: dict[str, Any], noise: bytes) -> None:
    data = json.dumps({**json.loads(pack(BULLETIN)), **change}).encode()
    for payload in (data, noise):
        for read in READERS:
            with suppress(BadMessage):
                read(payload)


@pytest.mark.parametrize(
    ("topic", "found"),
    [
        ("cardtable/hall-1/log", ("hall-1", "log")),
        ("cardtable/hub/log", None),
        ("cardtable/../log", None),
        ("cardtable/Hall/log", None),
        ("cardtable/a/b/log", None),
        ("other/hall-1/log", None),
        (f"cardtable/{'a' * 33}/log", None),
    ],
)
def test_only_a_tables_topic_is_one(topic: str, found: tuple[str, str] | None) -> None:
    assert table_of(topic) == found
