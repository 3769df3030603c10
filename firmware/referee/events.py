"""What happened at the table: facts, and the log entries that carry them.

A fact says what was seen or pressed and nothing about whether it was allowed.  Seats are numbers 1..N clockwise;
zones are the names of the table file (``seat-1`` .. ``seat-N``, ``layout``, ``stock``).
"""

from __future__ import annotations

import types
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from typing import Any, Union, get_args, get_type_hints

from .cards import Card


class Press(StrEnum):
    """How a seat's button was pressed: short is the game's quiet act, long (1 s) calls the referee."""

    SHORT = "short"
    LONG = "long"


@dataclass(frozen=True, slots=True)
class Laid:
    """A card lies face up and the hand has gone; also a card turned face up where it lies.

    ``card`` is None when the face could not be read; ``seat`` is None when no hand can be credited.
    """

    card: Card | None
    zone: str
    seat: int | None


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A card that was laid has been taken up again."""

    card: Card | None
    zone: str
    seat: int | None


@dataclass(frozen=True, slots=True)
class TurnedDown:
    """The open cards of a pile or row in ``zone`` were turned face down. ``seat``: whose hand did it."""

    zone: str
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Gathered:
    """A pile went from the zone ``source`` to the seat ``to``; ``count`` cards, None when not known."""

    source: str
    to: int
    count: int | None


@dataclass(frozen=True, slots=True)
class Exchanged:
    """Two face-down cards changed seats."""

    seats: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ExchangeRefused:
    """``seat`` pushed his card to ``neighbour``, who pushed it back; ``shown`` if a card was turned up (its own
    `Laid` precedes this).
    """

    seat: int
    neighbour: int


@dataclass(frozen=True, slots=True)
class Cut:
    """``seat`` cut the stock and took the top card of what was left; None when it was not seen."""

    seat: int
    card: Card | None


@dataclass(frozen=True, slots=True)
class Pressed:
    """A seat's button was pressed."""

    seat: int
    press: Press = Press.SHORT
    taps: int = 1


@dataclass(frozen=True, slots=True)
class Said:
    """A seat said something that binds him and that no card shows: "demand", "swap", "king", "buy", "leave", "skip".

    ``detail`` completes the word: the announcement that goes with a swap ("ace"), a price, the other seat's number.
    "skip" names a seat that is away; "back" says that one's own seat is not away any longer.
    """

    seat: int
    word: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class HandShown:
    """The cards that ``seat`` lays open at the end of a deal (or is known to hold), all at once."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Corrected:
    """The table corrected the log: entry ``target`` is struck, and ``instead`` stands in its place (or nothing).

    ``by`` says who asked, ``why`` in their words.
    """

    target: int
    instead: Fact | None
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class Inserted:
    """A fact that the camera missed, put into the log by the table, to be judged before entry ``before``."""

    before: int
    fact: Fact
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two readings contradict each other (a card seen twice). ``entries``: what they contradict."""

    card: Card
    entries: tuple[int, ...]
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth keeping that is no act: the clock stepped, the camera was moved, the game was paused."""

    code: str
    words: str


Fact = (
    Laid
    | TakenBack
    | TurnedDown
    | Gathered
    | Exchanged
    | ExchangeRefused
    | Cut
    | Pressed
    | Said
    | HandShown
    | Corrected
    | Inserted
    | Conflict
    | Note
)

#: The word for each kind of fact in the table contract and in the journal.
WORDS: dict[type, str] = {
    Laid: "laid",
    TakenBack: "taken_back",
    TurnedDown: "turned_down",
    Gathered: "gathered",
    Exchanged: "exchanged",
    ExchangeRefused: "exchange_refused",
    Cut: "cut",
    Pressed: "pressed",
    Said: "said",
    HandShown: "hand_shown",
    Corrected: "corrected",
    Inserted: "inserted",
    Conflict: "conflict",
    Note: "note",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log: a fact, when it happened, how sure we are, and the pictures that prove it.

    ``number`` counts from 0 in a session. ``t``: seconds since the session's first frame when it happened; ``at``:
    time of the newest frame used to tell it. ``confidence`` 0..1 of the reading, ``seat_confidence`` of whose hand.
    ``source``: "camera", "button", "page", "script". ``photos``: content hashes of evidence pictures.
    """

    number: int
    fact: Fact
    t: float = 0.0
    at: float = 0.0
    confidence: float = 1.0
    seat_confidence: float = 1.0
    source: str = "script"
    photos: tuple[str, ...] = ()


def to_json(fact: Fact) -> dict[str, Any]:
    """The fact as plain JSON values, ``{"fact": "laid", "card": "7H", "zone": "layout", "seat": 2}``.

    An unreadable card is written ``"?"``, one that nobody saw ``"back"``; `from_json` reads it back.
    """
    out: dict[str, Any] = {"fact": WORDS[type(fact)]}
    for field in fields(fact):
        out[_KEY.get(field.name, field.name)] = _plain(getattr(fact, field.name))
    if isinstance(fact, Laid | TakenBack) and fact.card is None:
        out["card"] = "?"
    if isinstance(fact, Cut) and fact.card is None:
        out["card"] = "back"
    return out


def from_json(data: dict[str, Any]) -> Fact:
    """The fact that `to_json` wrote; keys that a fact does not have are ignored.

    :raises ValueError: if the kind is unknown, a field is missing or a value does not fit.
    """
    word = data.get("fact")
    kind = next((k for k, w in WORDS.items() if w == word), None)
    if kind is None:
        raise ValueError(f"no fact is called {word!r}; known: {', '.join(WORDS.values())}")
    hints = _hints(kind)
    values = {}
    for field in fields(kind):
        key = _KEY.get(field.name, field.name)
        if key in data:
            values[field.name] = _typed(hints[field.name], data[key], f"{word}.{key}")
    try:
        fact: Fact = kind(**values)
    except TypeError as error:
        raise ValueError(f"fact {word!r} lacks a field: {error}") from None
    return fact


@cache
def _hints(kind: type) -> dict[str, Any]:
    """The types of a fact's fields; worked out once, as a journal is read fact by fact."""
    return get_type_hints(kind)


#: Field names that are written under another key: "fact" is the kind itself, so what `Inserted` holds is "missed".
_KEY = {"source": "from", "fact": "missed"}


def _plain(value: Any) -> Any:
    if isinstance(value, Card):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, StrEnum):
        return value.value
    if type(value) in WORDS:
        return to_json(value)
    return value


def _typed(hint: Any, value: Any, where: str) -> Any:
    options = get_args(hint) if isinstance(hint, types.UnionType) or _is_union(hint) else (hint,)
    if value is None and type(None) in options:
        return None
    if isinstance(value, str) and Card in options:
        return None if value in ("?", "back") and type(None) in options else Card.parse(value)
    if isinstance(value, dict) and "fact" in value and any(option in WORDS for option in options):
        return from_json(value)
    if isinstance(value, list):
        inner, *rest = next((get_args(o) for o in options if get_args(o)), (str, ...))
        if rest != [...] and len(value) != 1 + len(rest):
            raise ValueError(f"{where}: {1 + len(rest)} values are wanted, not {len(value)}")
        return tuple(_typed(inner, v, where) for v in value)
    for option in options:
        if option is Press:
            return Press(value)
        if option is float and isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        if option in (int, str) and type(value) is option:
            return value
    raise ValueError(f"{where}: {value!r} does not fit")


def _is_union(hint: Any) -> bool:
    return getattr(hint, "__origin__", None) is Union
