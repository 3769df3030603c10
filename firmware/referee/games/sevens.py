"""Sevens, also called Parliament or Fan Tan in modern books.

Players and pack: 3 to 8 players, a full pack of 52, all dealt; the ace is the low end of each suit, the king the high
end. Before the deal everybody puts a counter into the pool; who gets a card fewer puts one more.

Play: the player on the dealer's left begins. A seven opens each suit; then each in turn lays one card, the next up or
down at an end of any row, or another seven. Whoever can play must play. Whoever cannot pays one counter.

End: whoever gets rid of his last card first takes the pool and a counter for each card in the others' hands.

What the referee proves: a pass is false when the same seat shows a card later that could have been laid. All the cards
are dealt, so nobody is stuck for good: when all in turn have passed, somebody holds a card that fits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..acts import Act, Due, Opening, Verdict, mask
from ..books import Books
from ..cards import SUITS, Card
from ..deal import Deal, evenly
from ..house import broke_rule, counters_rule, rule
from ..knowledge import Proof
from . import _rows
from ._rows import State

TITLE = "Sevens (Parliament)"
SEATS = (3, 8)  # players, least and most
MOVES = ("play", "pass")
HANDS = True


@dataclass(frozen=True, slots=True)
class House:
    """House rules of Sevens."""

    ante: int = rule(1, "Counters that each puts into the pool before the deal.", "[W][D]")
    uneven_ante: bool = rule(True, "Players with a card fewer put one counter more.", "[W]")
    first_card: str = rule(
        "any", "What begins: any seven, or the seven of diamonds by whoever holds it.", "[W]", "any", "7D"
    )
    opening_pass_pays: bool = rule(True, "A pass before the first seven costs a counter.", "[W]")
    false_pass_fine: int = rule(0, "Fine for each pass that is proved false.", "3 in some rules")
    held_starter_fine: int = rule(
        0, "Paid to each holder of the six and the eight of a seven that was held back.", "5 in some rules"
    )
    broke: str = broke_rule()
    counters: int = counters_rule()


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """All 52 are dealt, the longer hands from the dealer's left."""
    return evenly(52, players), 0


def start(deal: Deal, house: House) -> Opening:
    """Everything is dealt and the antes are paid; or a position, whose antes lie in the pool already."""
    table = deal.cards("table")
    begun = deal.has("table") or deal.excerpt("table") or (deal.has("pool") and deal.setup.dealer is None)
    state = _rows.begin(deal, house, hands(len(deal.seats), house)[0], "7" if table else "")
    holder_begins = house.first_card == "7D" and not begun and not deal.has("turn", "start")
    state = replace(state, all_dealt=True, turn=None if holder_begins else state.turn)
    state, antes = (state, ()) if begun else _rows.antes(state, house.uneven_ante)
    return Opening(state, deal.pack(), state.counts, table, antes)


def starters(state: State) -> int:
    """The sevens; at the beginning perhaps one of them only."""
    if state.house.first_card == "7D" and not state.first and not state.unknown:
        return mask([Card("7", "D")])
    return mask(Card("7", suit) for suit in SUITS)


def judge(state: State, act: Act) -> Verdict:
    """A card laid, or a pass."""
    return _rows.judge(state, act, starters, lambda state, card: "NOT_PLAYABLE")


def proved(state: State, proof: Proof) -> Verdict:
    """A pass was proved false."""
    return _rows.proved(state, proof, "7")


def leave(state: State, seat: int) -> Verdict:
    """A seat leaves."""
    return _rows.leave(state, seat)


def skip(state: State, seat: int) -> Verdict:
    """A seat is away."""
    return _rows.skip(state, seat)


def returned(state: State) -> State:
    """A seat is back."""
    return _rows.returned(state)


def due(state: State) -> Due:
    """Play or pass."""
    return _rows.due(state, "a seven" if state.house.first_card == "any" else "the seven of diamonds")


def result(state: State, books: Books) -> dict[str, Any]:
    """As Five or Nine's."""
    return _rows.result(state, books)


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """The deal passes to the left."""
    return _rows.carry(state, books)
