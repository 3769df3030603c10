"""What can be tapped, and what right each tap needs. Form only: whether it is allowed now, the table says."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from firmware.referee import events
from firmware.referee.cards import Card
from firmware.referee.deal import JOINERS

from .public import NAME_CHARS, name_of
from .source import Actor

#: A reason or an agreement in the players' words, characters.
Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=300)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=NAME_CHARS)]
#: Numbers of entries and rulings in a session; a session of a million is far beyond any evening.
Number = Annotated[int, Field(ge=0, le=1_000_000)]
SeatNumber = Annotated[int, Field(ge=1, le=10)]
Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
#: SHA-256 of the wish and its nonce, and the nonce itself, in hexadecimal.
Commitment = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Nonce = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]

#: Facts that people may put in the place of a misread one; corrections of corrections go by a new correction.
CORRECTABLE = frozenset(
    {"laid", "taken_back", "turned_down", "gathered", "exchanged", "exchange_refused", "cut", "pressed", "hand_shown"}
    | {"said"}
)


class _Tap(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class PressTap(_Tap):
    """The seat's button, pressed on the phone: ``short`` is the game's quiet act."""

    do: Literal["press"]
    press: Literal["short", "long"] = "short"
    taps: Annotated[int, Field(ge=1, le=3)] = 1


class CallTap(_Tap):
    """Call the referee over a ruling or an entry (or neither): the game pauses."""

    do: Literal["call"]
    ruling: Number | None = None
    entry: Number | None = None
    why: Words = ""


class LetStandTap(_Tap):
    """The ruling stands; play goes on."""

    do: Literal["let_stand"]
    ruling: Number | None = None
    why: Words = ""


class CorrectTap(_Tap):
    """Entry ``entry`` is struck and ``instead`` (a fact, or nothing) stands in its place."""

    do: Literal["correct"]
    entry: Number
    instead: dict[str, Any] | None = None
    why: Words = ""

    @field_validator("instead")
    @classmethod
    def _a_fact(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        return value if value is None else _fact(value)


class InsertTap(_Tap):
    """The fact ``missed`` was not seen: it is put in before entry ``before``, or at the end with the next number."""

    do: Literal["insert"]
    before: Number
    missed: dict[str, Any]
    why: Words = ""

    @field_validator("missed")
    @classmethod
    def _a_fact(cls, value: dict[str, Any]) -> dict[str, Any]:
        return _fact(value)


class SayTap(_Tap):
    """A seat says what no card shows and what binds it; ``detail``: a seat (``3``), or buyer and price (``3:5``)."""

    do: Literal["say"]
    word: Literal["buy", "demand", "swap", "sell", "leave", "skip", "back", "draw", "misdeal"]
    detail: Annotated[str, StringConstraints(pattern=r"^([1-9][0-9]?(:[0-9]{1,5})?)?$")] = ""


class SettleTap(_Tap):
    """The table has agreed otherwise: the words are kept, and play goes on."""

    do: Literal["settle"]
    ruling: Number | None = None
    why: Words = ""


class StartTap(_Tap):
    """A new session: the game, the names clockwise from seat 1, the dealer, house rules, counters each.

    ``ends``: the session that is being played and ends with this; without it none is ended.
    """

    do: Literal["start"]
    game: Key
    seats: Annotated[list[Name], Field(min_length=2, max_length=10)]
    dealer: SeatNumber = 1
    house: Annotated[dict[Key, bool | int | str], Field(max_length=40)] = {}
    counters: Annotated[int, Field(ge=0, le=10_000)] | None = None
    ends: Annotated[str, StringConstraints(max_length=64)] | None = None

    @field_validator("seats")
    @classmethod
    def _apart(cls, names: list[str]) -> list[str]:
        if len({_as_seen(name) for name in names}) < len(names):
            raise ValueError("two players have the same name; add an initial")
        return names

    @field_validator("house")
    @classmethod
    def _short(cls, house: dict[str, bool | int | str]) -> dict[str, bool | int | str]:
        if any(len(str(value)) > 40 for value in house.values()):
            raise ValueError("a house rule's value is too long")
        return house


class PlainTap(_Tap):
    """Pause, go on, next deal, or end of the session."""

    do: Literal["pause", "resume", "next_deal", "finish"]


class SealTap(_Tap):
    """A wish is sealed: its commitment; the words stay on the phone."""

    do: Literal["seal_wish"]
    commitment: Commitment


class OpenTap(_Tap):
    """The winner's wish is opened: words and nonce must give the commitment."""

    do: Literal["open_wish"]
    text: Annotated[str, StringConstraints(min_length=1, max_length=300)]
    nonce: Nonce


Tap = Annotated[
    PressTap
    | SayTap
    | CallTap
    | LetStandTap
    | CorrectTap
    | InsertTap
    | SettleTap
    | StartTap
    | PlainTap
    | SealTap
    | OpenTap,
    Field(discriminator="do"),
]

#: Whose tap it must be: a seated phone's, the host's, or either's.
RIGHTS: dict[str, str] = {
    "press": "seat",
    "say": "seat",
    "seal_wish": "seat",
    "open_wish": "seat",
    "call": "either",
    "let_stand": "either",
    "pause": "either",
    "resume": "either",
    "correct": "host",
    "insert": "host",
    "settle": "host",
    "start": "host",
    "next_deal": "host",
    "finish": "host",
}


def lacks(do: str, actor: Actor) -> str:
    """What the actor lacks for this tap: ``SEAT_NEEDED``, ``HOST_NEEDED``, or empty."""
    match RIGHTS[do]:
        case "seat":
            return "" if actor.seat else "SEAT_NEEDED"
        case "host":
            return "" if actor.host else "HOST_NEEDED"
        case _:
            return "" if actor.seat or actor.host else "SEAT_NEEDED"


def _as_seen(name: str) -> str:
    """What a name looks like to people: joiners and capitals make no other name."""
    return "".join(c for c in name_of(name, 0) if c not in JOINERS).casefold()


def _fact(value: dict[str, Any]) -> dict[str, Any]:
    if value.get("fact") not in CORRECTABLE:
        raise ValueError(f"not a fact that can stand in an entry's place; known: {', '.join(sorted(CORRECTABLE))}")
    try:
        fact = events.from_json(value)
    except (ValueError, TypeError, StopIteration, RecursionError):
        raise ValueError("the fact lacks a field or has a wrong value") from None
    if isinstance(fact, events.HandShown) and not all(isinstance(card, Card) for card in fact.cards):
        raise ValueError("a hand is a list of cards")
    return events.to_json(fact)
