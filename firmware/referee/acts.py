"""The words between the referee and a game: acts in, verdicts out. Nothing here knows a game.

`fold` turns facts into acts (a card laid is a `LAY`, an exchange is a `DEMAND` and a `SWAP`), the game's `judge`
answers each with a verdict, and the fold turns verdicts into rulings, ledger lines and proofs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from .cards import BIT, Card
from .rulings import Ruling

T = TypeVar("T")


class Do(StrEnum):
    """What a player can do."""

    LAY = "lay"  # put a card face up, or turn it up
    PRESS = "press"  # the button's quiet act: pass, pay, stop, stand
    GATHER = "gather"  # take a pile
    CUT = "cut"  # cut the stock and take a card
    DEMAND = "demand"  # ask the neighbour for an exchange
    SWAP = "swap"  # grant it
    KING = "king"  # refuse it
    SAY = "say"  # anything else that binds
    DOWN = "down"  # turn open cards face down; never numbered
    OPEN = "open"  # a card laid open that is no play: the showdown, a hand at the end; never numbered


@dataclass(frozen=True, slots=True)
class Act:
    """One move: who did what. ``source`` is the zone a pile came from, ``count`` its cards when known."""

    do: Do
    seat: int
    card: Card | None = None
    zone: str = ""
    count: int | None = None
    word: str = ""
    detail: str = ""
    move: int = 0
    entry: int = 0


Account = int | str
ALL = -1  # a transfer of everything that lies in the account it comes from
DOUBLE = -2  # a transfer of as much again as lies in the account it goes to


@dataclass(frozen=True, slots=True)
class Transfer:
    """Counters change hands: from one account (a seat's number, ``pool``, a compartment) to another, and why.

    ``why`` may name seats as ``{1}``: the fold puts in their names.
    """

    source: Account
    to: Account
    counters: int
    code: str
    why: str
    entries: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """``seats`` say (by passing, paying, or silence) that none of them holds a card of ``cards`` (a mask of `BIT`)."""

    seats: tuple[int, ...]
    cards: int
    code: str
    words: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a game answers to an act: the next state and what is said, paid and claimed.

    ``refused`` is the foul's code ("" when accepted); then the state is the old one.
    """

    state: Any
    refused: str = ""
    why: str = ""
    transfers: tuple[Transfer, ...] = ()
    claims: tuple[Claim, ...] = ()
    says: tuple[Ruling, ...] = ()
    new_hands: tuple[tuple[int, int], ...] = ()  # (seat, cards): his hand is another one, which nobody has seen
    cleared: tuple[str, ...] = ()  # zones whose open cards are gone
    moves: int = 1  # how many moves of a script this is: a showdown card is none, a king shown is demand and refusal


@dataclass(frozen=True, slots=True)
class Opening:
    """How a deal begins: the first state, the pack, each seat's number of cards (None: not known), cards that are
    in no hand, and what is paid before the first act.
    """

    state: Any
    pack: tuple[Card, ...]
    counts: tuple[int | None, ...]
    located: tuple[Card, ...] = ()
    transfers: tuple[Transfer, ...] = ()
    says: tuple[Ruling, ...] = ()


@dataclass(frozen=True, slots=True)
class Due:
    """What is expected next. ``what`` is "" when the deal is over; ``seat`` None when anybody may act.

    ``count``: cards or counters owed; ``card``: the one that is wanted, when public and unique; ``words`` may name
    seats as ``{1}``.
    """

    what: str
    seat: int | None = None
    count: int = 0
    card: Card | None = None
    words: str = ""


def refuse(state: Any, code: str, why: str = "") -> Verdict:
    """The act is not accepted, nothing changes."""
    return Verdict(state, refused=code, why=why)


def mask(cards: Any) -> int:
    """The set of ``cards`` as bits."""
    bits = 0
    for card in cards:
        bits |= BIT[card]
    return bits


def after(live: tuple[int, ...], seat: int) -> int:
    """The next live seat clockwise after ``seat`` (who need not be live himself)."""
    return next((s for s in live if s > seat), live[0])


def round_from(live: tuple[int, ...], seat: int) -> tuple[int, ...]:
    """The live seats clockwise, beginning with the first after ``seat``."""
    return tuple(s for s in live if s > seat) + tuple(s for s in live if s <= seat)


def less(counts: tuple[int | None, ...], seat: int) -> tuple[int | None, ...]:
    """The hands' sizes with one card fewer for ``seat``; unknown stays unknown, and nobody holds less than nothing."""
    held = counts[seat - 1]
    return counts if not held else (*counts[: seat - 1], held - 1, *counts[seat:])


def put(values: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    """What belongs to each seat, with ``value`` for ``seat``."""
    return (*values[: seat - 1], value, *values[seat:])


def without(live: tuple[int, ...], seat: int) -> tuple[int, ...]:
    """The live seats when ``seat`` has left."""
    return tuple(s for s in live if s != seat)


#: Digits of a number that somebody says: more are no number of seats, cards or counters.
_MOST_DIGITS = 7


def number(text: str) -> int | None:
    """A whole number as somebody has said it, "" for 0; None when it is none."""
    return None if len(text) > _MOST_DIGITS or not (text or "0").isdecimal() else int(text or "0")


def plural(count: int, word: str = "counter") -> str:
    """``1 counter``, ``3 counters``."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
