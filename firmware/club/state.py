"""What a table shows its club now, made from what everybody at the table may see; and its entities in Home Assistant.

Pure. The state is one retained message, so whoever comes late has it at once; it is what smart homes listen to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from firmware.web.public import name_of, public

from .messages import ONLINE, topic

#: A state of Home Assistant has at most 255 characters; a sentence of the referee may have more.
SENTENCE_CHARS = 200


def state_of(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """The state that is told, from the noticeboard of the page; nothing else of it leaves the table.

    ``turn``: whose turn, by name, "" for nobody's; ``dispute``: whether the referee was called; ``said``: what he said
    last.
    """
    told = public(snapshot)
    view, seats = told["view"], [name_of(name, seat) for seat, name in enumerate(told["seats"], start=1)]
    turn = view.get("turn")
    return {
        "session": told.get("session", ""),
        "game": told.get("game", ""),
        "title": told.get("title", ""),
        "deal": told.get("deal", 0),
        "state": told.get("state", "waiting"),
        "seats": seats,
        "turn": seats[turn - 1] if turn and turn <= len(seats) else "",
        "turn_seat": turn or 0,
        "pool": view.get("pool", 0),
        "counters": list(view.get("counters") or ()),
        "dispute": bool(told["dispute"]),
        "words": _cut(view.get("words", "")),
        "said": _cut(told["rulings"][-1].get("why", "")) if told["rulings"] else "",
        "over": bool(view.get("over")),
    }


def _cut(words: object) -> str:
    plain = "".join(c for c in str(words) if c.isprintable())
    return plain if len(plain) <= SENTENCE_CHARS else plain[: SENTENCE_CHARS - 1] + "…"


def discovery(table: str, prefix: str, program: str) -> Iterator[tuple[str, bytes]]:
    """The retained messages by which Home Assistant finds the table: a device with pool, turn, dispute and game."""
    device = {
        "identifiers": [f"cardtable_{table}"],
        "name": f"Card table {table}",
        "manufacturer": "Card Table",
        "model": "Card table",
        "sw_version": program,
    }
    for kind, word, name, extra in _ENTITIES:
        entity = {
            "name": name,
            "unique_id": f"cardtable_{table}_{word}",
            "state_topic": topic(table, "state"),
            "availability_topic": topic(table, "available"),
            "payload_available": ONLINE.decode(),
            "payload_not_available": "offline",
            "device": device,
            **extra,
        }
        yield f"{prefix}/{kind}/cardtable_{table}/{word}/config", json.dumps(entity).encode()


_ENTITIES: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    (
        "sensor",
        "pool",
        "Pool",
        {
            "value_template": "{{ value_json.pool }}",
            "unit_of_measurement": "counters",
            "state_class": "measurement",
            "icon": "mdi:poker-chip",
        },
    ),
    (
        "sensor",
        "turn",
        "Turn",
        {"value_template": "{{ value_json.turn or 'nobody' }}", "icon": "mdi:account-arrow-right"},
    ),
    (
        "binary_sensor",
        "dispute",
        "Dispute",
        {"value_template": "{{ 'ON' if value_json.dispute else 'OFF' }}", "device_class": "problem"},
    ),
    (
        "sensor",
        "game",
        "Game",
        {"value_template": "{{ value_json.title or value_json.state }}", "icon": "mdi:cards"},
    ),
)
