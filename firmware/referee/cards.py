"""Playing cards as values: suits, ranks, cards and packs. Nothing here knows a game."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import NamedTuple


class Suit(StrEnum):
    """The four suits, in the order in which bridge players sort them."""

    SPADES = "S"
    HEARTS = "H"
    DIAMONDS = "D"
    CLUBS = "C"

    @property
    def sign(self) -> str:
        """The suit's sign as players know it, for instance ``♥``."""
        return {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}[self.value]


RANKS = "A23456789TJQK"
SUITS = "SHDC"


class Card(NamedTuple):
    """One card of a pack: ``Card.parse("7H")`` is the seven of hearts. Ace is rank ``A``, ten is ``T``."""

    rank: str
    suit: str

    @classmethod
    def parse(cls, text: str) -> Card:
        """The card written ``text``, rank then suit.

        :raises ValueError: if ``text`` is not one of the 52 names.
        """
        card = _BY_NAME.get(text)
        if card is None:
            raise ValueError(f"no card is called {text!r}: write rank then suit, such as 7H, TS or AC")
        return card

    def __str__(self) -> str:
        return self.rank + self.suit

    @property
    def pretty(self) -> str:
        """The card as people write it: ``10♥``."""
        return ("10" if self.rank == "T" else self.rank) + Suit(self.suit).sign

    @property
    def words(self) -> str:
        """The card as people say it: ``nine of hearts``."""
        return f"{_RANK_WORDS[self.rank]} of {Suit(self.suit).name.lower()}"


_RANK_WORDS = dict(
    zip(
        RANKS,
        ["ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king"],
        strict=True,
    )
)
_BY_NAME = {rank + suit: Card(rank, suit) for suit in SUITS for rank in RANKS}


@cache
def pack(ranks: str = RANKS, suits: str = SUITS) -> tuple[Card, ...]:
    """Every card of a pack with these ranks and suits, suit by suit; 52 by default."""
    return tuple(Card(rank, suit) for suit in suits for rank in ranks)


#: Each of the 52 cards as a bit, so that a set of cards is an int.
BIT: dict[Card, int] = {card: 1 << i for i, card in enumerate(pack())}


def named(bits: int) -> tuple[Card, ...]:
    """The cards of a set of bits, in the pack's order."""
    return tuple(card for card, bit in BIT.items() if bits & bit)
