"""Five or Nine, also called Domino Whist, as Foster has it.

Players and pack: any number of players (3 to 8 is best), a full pack of 52; in each suit the ace is the low end and
the king the high end, and there is no turning the corner. Everybody gets the same number of cards (15, 12, 9, 8, 7, 6
for 3 to 8 players); the rest is a face-down stock that never comes into play.

Play: the player on the dealer's left must lay a Five or a Nine if he has one; if not he passes, and the next who has
one begins. Then each in turn lays one card: the next up or down at an end of any row, or a Five of a suit not yet
begun, or a Nine of a suit not yet begun if the very first starter was a Nine. Whoever can play must play. Whoever
cannot pays one counter into the pool.

End: whoever gets rid of his last card first takes the pool and a counter for each card in the others' hands. When all
in turn have passed, the missing cards block every row: the deal is dead and the pool waits.

What the referee proves: a pass is false when the same seat shows a card later, or lays it open at the end, that could
have been laid; or when he held more cards than there were others that could not be laid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..acts import Act, Due, Opening, Verdict, mask
from ..books import Books
from ..cards import BIT, SUITS, Card, named
from ..deal import Deal, evenly
from ..house import broke_rule, counters_rule, rule, settled
from ..knowledge import Proof
from . import _rows
from ._rows import State

TITLE = "Five or Nine (Domino Whist)"
SEATS = (2, 12)  # players, least and most
MOVES = ("play", "pass")
HANDS = True

_FOSTER = {2: 24, 3: 15, 4: 12, 5: 9, 6: 8, 7: 7, 8: 6, 9: 5, 10: 4, 11: 4, 12: 4}  # cards each; 2 and 9-12 are [X]


@dataclass(frozen=True, slots=True)
class House:
    """House rules of Five or Nine."""

    ante: int = rule(0, "Counters that each puts into the pool before the deal.", "[S2] has none")
    deal_table: str = rule(
        "foster",
        "Cards dealt: Foster's table, 51 cards with a dead hand, or all.",
        "[S2] as at Pope Joan",
        "foster",
        "board",
        "all",
    )
    opening_pass_pays: bool = rule(False, "A pass before the first starter costs a counter.", "[S2] he must pass")
    nine_start: str = rule(
        "restricted",
        "A Nine opens a suit only if the first starter was a Nine, or always.",
        "[S2]",
        "restricted",
        "free",
    )
    uniform_starter: bool = rule(
        False, "After a Nine first only Nines may open a suit.", "[S2] limits only Nines; true in other books"
    )
    two_starters_one_suit: bool = rule(
        False, "Five and Nine may both start rows in one suit.", "[S2] a new sequence is a new suit"
    )
    corner: bool = rule(False, "The ace may be laid on the king.", "[S2] has no wrap")
    which_line: str = rule(
        "any",
        "Any row may be continued, or only the suit that was laid last.",
        "[S2] lets him start anew",
        "any",
        "last",
    )
    forced_going_out: bool = rule(True, "Whoever can lay his last card must.", "[S2] he must play if he can")
    winner_no_pass_pay: bool = rule(True, "The pass that ends a dead deal costs a counter too.", "[X]")
    dead_deal: str = rule(
        "pool_stays",
        "The pool of a dead deal stays, or goes to the fewest cards, or is shared.",
        "[X]",
        "pool_stays",
        "fewest",
        "split",
    )
    false_pass_fine: int = rule(0, "Fine for each pass that is proved false.", "[S2] has none; 3 in modern Sevens")
    held_starter_fine: int = rule(
        0, "Paid to each holder of a card next to a starter that was held back.", "5 in modern Sevens"
    )
    who_counts_cards: str = settled(
        "as_they_lie",
        "Cards left are counted as they lie when the last card is played, whatever is proved later.",
        "[X]",
    )
    broke: str = broke_rule()
    counters: int = counters_rule()


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """Cards for each place from the dealer's left, and the stock."""
    if house.deal_table == "foster":
        each = _FOSTER.get(players, (52 - 3) // players)
        return (each,) * players, 52 - each * players
    places = players if house.deal_table == "all" else players + 1
    dealt = evenly(52 if house.deal_table == "all" else 51, places)
    return dealt[:players], 52 - sum(dealt[:players])


def start(deal: Deal, house: House) -> Opening:
    """Hands and a stock, or a position."""
    listed = [card for cards in deal.hands().values() for card in cards]
    if deal.has("stock") and listed and not deal.has("table"):
        deal.whole("hands and stock", [*listed, *deal.cards("stock")])
    first = deal.one_of("first_starter", "59")
    table = deal.cards("table")
    state = _rows.begin(deal, house, hands(len(deal.seats), house)[0], first or _first_of(table))
    state, antes = _rows.antes(replace(state, all_dealt=house.deal_table == "all"))
    return Opening(state, deal.pack(), state.counts, table, antes)


def _first_of(table: tuple[Card, ...]) -> str:
    """The first starter's rank, as far as the table tells: a suit that a Nine began shows that it was a Nine."""
    rows = [{card.rank for card in table if card.suit == suit} for suit in SUITS]
    by_nine = any("9" in row and not set("5678") <= row for row in rows)
    return "9" if by_nine else "5" if table else ""


def starters(state: State) -> int:
    """The Fives and Nines that may open a row now."""
    house = state.house
    nine = state.first in ("", "9") or house.nine_start == "free" or state.unknown
    five = state.first != "9" or not house.uniform_starter
    begun = {card.suit for card in named(state.laid)} if not house.two_starters_one_suit else set()
    open_suits = [suit for suit in SUITS if suit not in begun]
    return mask(Card(rank, suit) for suit in open_suits for rank in ("5" if five else "") + ("9" if nine else ""))


def _why_not(state: State, card: Card) -> str:
    begun = any(c.suit == card.suit for c in named(state.laid))
    nine = card.rank == "9" and state.first == "5" and not begun and not state.laid & BIT[card]
    return "NINE_NOT_A_STARTER" if nine else "NOT_PLAYABLE"


def judge(state: State, act: Act) -> Verdict:
    """A card laid, or a pass."""
    return _rows.judge(state, act, starters, _why_not)


def proved(state: State, proof: Proof) -> Verdict:
    """A pass was proved false."""
    return _rows.proved(state, proof, "59")


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
    return _rows.due(state, "a Five or a Nine")


def result(state: State, books: Books) -> dict[str, Any]:
    """By FORMAT.md."""
    return _rows.result(state, books)


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """The deal passes to the left."""
    return _rows.carry(state, books)
