"""What is known before the first act: the seats, the dealer, the house rules, and the deal by FORMAT.md's names.

`Setup` is what a game.toml or a script says; `Deal` reads it for a game, with one clear line for everything that
cannot be meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .acts import after, round_from
from .cards import RANKS, SUITS, Card, pack
from .house import LONGEST_NAME, BadSetup, did_you_mean, shown, word_shown

MOST_SEATS = 51  # one card each and one to cut: no game of ours has more players
#: Zero-width non-joiner and joiner: they stand between letters and are not seen.
JOINERS = "\u200c\u200d"
MOST_COUNTERS = 1_000_000  # more than any table has; keeps sums printable
#: A deal that lists this share of a pack or more was meant to be whole: a missing card is a mistake, not an excerpt.
WHOLE = 0.9

#: Every name that a deal may use (FORMAT.md).
NAMES = frozenset(
    {
        *("start", "turn", "hands", "counts", "packs", "piles", "middle", "markers", "pool", "stock", "table", "up"),
        *("first_starter", "need", "in_suit", "done", "trump", "turn_up", "board", "stakes", "carried", "down"),
        *("final_hands", "ranks", "suits", "layout", "counters", "kitty"),
    }
)


@dataclass(frozen=True, slots=True)
class Setup:
    """What is played: the game, the seats clockwise, the dealer's seat, house rules that differ from the defaults,
    and what is known of the deal (may be empty).
    """

    game: str
    seats: tuple[str, ...]
    dealer: int | None = None
    house: Mapping[str, Any] = field(default_factory=dict)
    deal: Mapping[str, Any] = field(default_factory=dict)


def evenly(cards: int, places: int) -> tuple[int, ...]:
    """How many cards each place gets when they are dealt one by one: the first places get what is left over."""
    each, longer = divmod(cards, places)
    return tuple(each + 1 if place < longer else each for place in range(places))


def check_setup(setup: Setup) -> None:
    """Look at what no game needs to know: seats, dealer, names in the deal, no card twice.

    :raises BadSetup: with one line.
    """
    seats = setup.seats
    if not 2 <= len(seats) <= MOST_SEATS or not all(seats):
        raise BadSetup(f"seats: 2 to {MOST_SEATS} names are needed, not {shown(list(seats))}")
    if odd := [name for name in seats if not _printable(name) or len(name) > LONGEST_NAME]:
        raise BadSetup(f"seats: {shown(odd[0])} is no name: at most {LONGEST_NAME} characters that can be printed")
    if twice := [name for name, n in Counter(seats).items() if n > 1]:
        raise BadSetup(f"seats: {twice[0]!r} sits twice; every seat needs its own name")
    if setup.dealer is not None and not 1 <= setup.dealer <= len(seats):
        raise BadSetup(f"dealer: there is no seat {setup.dealer}; seats are 1 to {len(seats)}")
    for name in setup.deal:
        if name not in NAMES:
            raise BadSetup(f"deal: nothing is called {shown(name)}{did_you_mean(name, sorted(NAMES))}")
    _check_cards(setup.deal)


def _printable(name: str) -> bool:
    """Names have no control characters; joiners are none, which Persian, Hindi and many an emoji are written with."""
    shown_alone = "".join(char for char in name if char not in JOINERS)
    return shown_alone.isprintable() and bool(shown_alone)


def _check_cards(deal: Mapping[str, Any]) -> None:
    """No card in two places at once."""
    seen: set[str] = set()
    for name in ("hands", "packs", "piles", "middle", "stock", "table", "up", "down", "turn_up"):
        for text in _names_in(deal.get(name, ())):
            if text in seen:
                raise BadSetup(f"{name}: {word_shown(text)} is there twice; a pack has one")
            seen.add(text)


def _names_in(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _names_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _names_in(inner)


class Deal:
    """A setup, read for a game. Every method raises `BadSetup` with the place when the value does not fit."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.seats = tuple(range(1, len(setup.seats) + 1))
        self._deal = setup.deal

    def has(self, *names: str) -> bool:
        """Is any of these given?"""
        return any(self._deal.get(name) is not None for name in names)

    def number(self, name: str, default: int = 0) -> int:
        """A whole number from 0."""
        return _whole(self._deal.get(name, default), name)

    def amounts(self, name: str, known: Iterable[str]) -> dict[str, int]:
        """Whole numbers by the names in ``known``, such as counters on a board; only those that are given."""
        value = self._deal.get(name, {})
        if not isinstance(value, Mapping) or set(value) - set(known):
            raise BadSetup(f"{name}: counters for {', '.join(known)}, not {shown(value)}")
        return {key: _whole(inner, f"{name}.{key}") for key, inner in value.items()}

    def size(self, name: str) -> int | None:
        """How many cards lie there, whether they are listed or only counted; None when not given."""
        value = self._deal.get(name)
        if value is None:
            return None
        return len(value) if isinstance(value, list | tuple) else _whole(value, name)

    def seat(self, name: str) -> int | None:
        """A seat, by its name or its number."""
        value = self._deal.get(name)
        return None if value is None else self._seat(value, name)

    def _seat(self, value: Any, where: str) -> int:
        if value in self.setup.seats:
            return self.setup.seats.index(value) + 1
        if type(value) is int and value in self.seats:
            return value
        raise BadSetup(f"{where}: no seat is called {shown(value)}{did_you_mean(value, self.setup.seats)}")

    @property
    def dealer(self) -> int:
        """The dealer's seat; the last one listed when nobody is named (then the first listed acts first)."""
        return self.setup.dealer or self.seats[-1]

    def first(self, live: tuple[int, ...] | None = None) -> int:
        """Who acts first: ``start`` or ``turn``, else the dealer's left, else the first seat listed."""
        return self.seat("start") or self.seat("turn") or after(live or self.seats, self.dealer)

    def excerpt(self, *position: str, book: tuple[int, ...] = ()) -> bool:
        """Does this begin in the middle of a deal of which nothing but the numbers of cards is known?

        Then its first mover begins. It is no excerpt when a ``position`` or who acts is given, or when a dealer is
        and the hands are the whole pack, or what the ``book`` deals to each place from the dealer's left.
        """
        if not self.has("counts") or self.has("turn", "start", *position):
            return False
        places = round_from(self.seats, self.dealer)
        dealt = tuple(self.counts()[seat - 1] for seat in places)
        return not (self.complete() or dealt == book)

    def complete(self) -> bool:
        """Is every card of the pack in a hand or in the stock?"""
        return sum(count or 0 for count in self.counts()) + (self.size("stock") or 0) == len(self.pack())

    def card(self, name: str) -> Card | None:
        """One card."""
        value = self._deal.get(name)
        return None if value is None else _card(value, name)

    def cards(self, name: str) -> tuple[Card, ...]:
        """A list of cards; nothing when absent or when only their number is given."""
        value = self._deal.get(name, ())
        return () if type(value) is int else _cards(value, name)

    def by_seat(self, name: str) -> dict[int, Any]:
        """A table by seat, as seat numbers."""
        value = self._deal.get(name, {})
        if not isinstance(value, Mapping):
            raise BadSetup(f"{name}: a table by seat is needed, not {shown(value)}")
        return {self._seat(key, name): inner for key, inner in value.items()}

    def numbers(self, name: str, least: int = 0) -> dict[int, int]:
        """A whole number for each seat that is named."""
        return {seat: _whole(value, f"{name}.{self.name(seat)}", least) for seat, value in self.by_seat(name).items()}

    def purses(self) -> dict[int, int]:
        """The counters that each seat brings, as far as they are counted; less than nothing is what he owes."""
        return self.numbers("counters", -MOST_COUNTERS)

    def hands(self, name: str = "hands") -> dict[int, tuple[Card, ...]]:
        """The cards of each seat that is named (one card may be written without a list)."""
        out = {}
        for seat, value in self.by_seat(name).items():
            out[seat] = _cards([value] if isinstance(value, str) else value, f"{name}.{self.name(seat)}")
        return out

    def counts(self) -> tuple[int | None, ...]:
        """Each seat's number of cards: from ``counts``, else from ``hands``, else None."""
        known: Mapping[int, int] = self.numbers("counts")
        if not known:
            known = {seat: len(cards) for seat, cards in self.hands().items()}
        return tuple(known.get(seat) for seat in self.seats)

    def pack(self) -> tuple[Card, ...]:
        """The cards that are played with: ``ranks`` and ``suits``, else as many suits as the given hands use."""
        return pack(self.ranks(), self.suits())

    def ranks(self) -> str:
        """The ranks in the pack, lowest first."""
        return self._letters("ranks", RANKS)

    def suits(self) -> str:
        """The suits in the pack: ``suits``, else those of the hands when hands are given, else all four."""
        if self.has("suits"):
            return self._letters("suits", SUITS)
        used = {card.suit for cards in self.hands().values() for card in cards} | {c.suit for c in self.cards("stock")}
        return "".join(s for s in SUITS if s in used) if used else SUITS

    def some_of(self, name: str, known: str) -> tuple[str, ...]:
        """Letters out of ``known``, each once, written in one word or as a list; nothing when not given."""
        value = self._deal.get(name) or ()
        letters = tuple(value) if isinstance(value, str | list | tuple) else (value,)
        if not all(isinstance(x, str) and len(x) == 1 and x in known for x in letters) or len(set(letters)) < len(
            letters
        ):
            raise BadSetup(f"{name}: some of {known}, each once, not {shown(value)}")
        return letters

    def one_of(self, name: str, known: str) -> str:
        """One letter out of ``known``, "" when not given."""
        value = self._deal.get(name)
        if value is not None and not (isinstance(value, str) and len(value) == 1 and value in known):
            raise BadSetup(f"{name}: one of {', '.join(known)}, not {shown(value)}")
        return value or ""

    def _letters(self, name: str, known: str) -> str:
        value = self._deal.get(name, known)
        if not isinstance(value, str) or not value or set(value) - set(known) or len(set(value)) != len(value):
            raise BadSetup(f"{name}: some of {known}, each once, not {shown(value)}")
        return value

    def name(self, seat: int) -> str:
        """What the seat is called."""
        return self.setup.seats[seat - 1]

    def whole(self, where: str, cards: Iterable[Card]) -> None:
        """The cards that a deal lists must be the whole pack when they are nearly all of it.

        :raises BadSetup: naming a missing card, or one that the pack does not have.
        """
        listed, all_cards = set(cards), self.pack()
        if extra := sorted(listed - set(all_cards)):
            raise BadSetup(f"{where}: {extra[0]} is not in this pack ({self.ranks()} of {self.suits()})")
        missing = [card for card in all_cards if card not in listed]
        if missing and len(listed) >= WHOLE * len(all_cards):
            raise BadSetup(
                f"{where}: {len(listed)} cards are dealt, a pack has {len(all_cards)}: {missing[0]} is missing"
            )


def _whole(value: Any, where: str, least: int = 0) -> int:
    if type(value) is not int or not least <= value <= MOST_COUNTERS:
        raise BadSetup(f"{where}: a whole number from {least} to {MOST_COUNTERS} is needed, not {shown(value)}")
    return value


def _card(value: Any, where: str) -> Card:
    try:
        return Card.parse(value)
    except (ValueError, TypeError):
        raise BadSetup(f"{where}: no card is called {shown(value)}; write rank then suit, such as 7H or TS") from None


def _cards(value: Any, where: str) -> tuple[Card, ...]:
    if not isinstance(value, list | tuple):
        raise BadSetup(f"{where}: a list of cards is needed, not {shown(value)}")
    return tuple(_card(inner, f"{where}[{i}]") for i, inner in enumerate(value))
