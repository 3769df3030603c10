"""The list of what may leave the table: only these keys are sent, whatever the table put up.

A secret that slipped into a snapshot (a hand, what the referee has inferred) stays here, and a test holds it so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from firmware.referee.deal import JOINERS

#: Longest name shown, in characters: fits a seat plate on a 320 px phone with an ellipsis (FIELD_REPORTS E09).
NAME_CHARS = 24
#: Longest sentence shown, in characters; the referee's longest is about 200.
WORDS_CHARS = 600
#: How many of the newest rulings and entries go to the live page.
RULINGS, ENTRIES = 20, 50

TOP = ("session", "game", "title", "dealer", "deal", "state", "rhythm_words", "code")
VIEW = (
    *("turn", "due", "due_count", "need", "pool", "counters", "table", "out_of_step", "over", "winner", "words"),
    *("quiet_act", "quiet_word", "told"),
)
LIGHT = ("seat", "meaning", "rhythm", "pattern", "pulses", "colour", "words")
CARD = ("card", "zone", "x_mm", "y_mm", "angle", "seat", "entry", "id", "confidence")
ZONE = ("name", "polygon")
TABLE = ("width_mm", "height_mm", "card")
RULING = ("id", "entry", "t", "ruling", "code", "seat", "to", "counters", "card", "entries", "why", "words", "photos")
FACT = (
    *("fact", "card", "zone", "seat", "from", "to", "count", "seats", "neighbour", "shown", "press", "taps", "cards"),
    *("target", "instead", "before", "missed", "by", "why", "entries", "code", "words", "word", "detail"),
)
ENTRY = ("number", "t", "at", "confidence", "seat_confidence", "source", "photos", "struck", "said", *FACT)
DISPUTE = ("entry", "seat", "open", "why")
WISH = ("seat", "commitment", "text", "nonce")


def public(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state with only the keys that every player may see, names and sentences cut to length."""
    out = _only(state, TOP)
    out["seats"] = [name_of(name, seat) for seat, name in enumerate(state.get("seats") or (), start=1)]
    out["view"] = _only(state.get("view") or {}, VIEW)
    out["table"] = _table(state.get("table") or {})
    for key, keys in (("lights", LIGHT), ("cards", CARD), ("wishes", WISH)):
        out[key] = [_only(item, keys) for item in state.get(key) or ()]
    out["rulings"] = [_only(item, RULING) for item in tuple(state.get("rulings") or ())[-RULINGS:]]
    out["entries"] = [entry(item) for item in tuple(state.get("entries") or ())[-ENTRIES:]]
    out["notices"] = [str(words)[:WORDS_CHARS] for words in state.get("notices") or ()]
    dispute = state.get("dispute")
    out["dispute"] = _only(dispute, DISPUTE) if dispute else None
    return out


def entry(item: Mapping[str, Any]) -> dict[str, Any]:
    """One log entry with only its public keys; a fact nested under ``fact`` is laid flat."""
    fact = item.get("fact")
    flat = {**item, **fact} if isinstance(fact, Mapping) else item
    return _only(flat, ENTRY)


def name_of(name: object, seat: int) -> str:
    """A player's name as it is shown: no control characters, at most `NAME_CHARS`; ``#3`` where nothing is left.

    Joiners stay between what they join: Persian, Hindi and many an emoji are written with them.
    """
    kept = "".join(c for c in str(name) if c.isprintable() or c in JOINERS).strip(" " + JOINERS)
    return (kept if len(kept) <= NAME_CHARS else kept[: NAME_CHARS - 1] + "…") or f"#{seat}"


def _table(table: Mapping[str, Any]) -> dict[str, Any]:
    return {**_only(table, TABLE), "zones": [_only(zone, ZONE) for zone in table.get("zones") or ()]}


def _only(item: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    return {key: _cut(item[key]) for key in keys if key in item}


def _cut(value: Any) -> Any:
    return value[:WORDS_CHARS] if isinstance(value, str) else value
