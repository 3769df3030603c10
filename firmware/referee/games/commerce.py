"""Commerce.

Players and pack: 3 to 12 players, a full pack of 52. Everybody stakes a counter; three cards are dealt to each.

Play: from the dealer's left each in turn may buy (lay a card aside, pay the dealer a counter, and get the next card of
the stock), or barter (exchange a card face down with the player on his left), until somebody knocks (presses): then
all lay their cards open.

End: the best hand takes the pool. From the best: tricon (three of a rank), sequence (three in a row of one suit, the
ace high or low, but not king, ace, two), flush (three of a suit), pair, point (the sum of the cards of the suit that
counts most: ace 11, court cards 10). Between equal hands the one nearer to the dealer's left is better.

What the referee cannot know: anything about the hands before they lie open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..acts import ALL, Act, Do, Due, Opening, Transfer, Verdict, after, plural, refuse, round_from, without
from ..books import Books
from ..cards import Card
from ..deal import Deal
from ..house import broke_rule, counters_rule, rule

TITLE = "Commerce"
SEATS = (3, 12)  # players, least and most
MOVES = ("buy", "demand", "swap", "pass")
TOLD = ("buy", "demand", "swap")  # no face is seen: who does it says so on the page
HANDS = False

_HIGH = "23456789TJQKA"
_HAND = 3  # cards in a hand


@dataclass(frozen=True, slots=True)
class House:
    """House rules of Commerce."""

    stake: int = rule(1, "Counters that each stakes.", "[P]")
    price: int = rule(1, "Counters that a card from the stock costs, to the dealer.", "[P]")
    flush: bool = rule(True, "A flush counts between sequence and pair.", "[W]; not in the old form [C]")
    ace: str = rule("both", "The ace in a sequence is high and low, or only high.", "[P]", "both", "high")
    broke: str = broke_rule()
    counters: int = counters_rule()


@dataclass(frozen=True, slots=True)
class State:
    """``shown``: the cards that lie open, by seat; ``knocked``: the exchange has ended."""

    house: House
    live: tuple[int, ...]
    dealer: int
    turn: int
    shown: tuple[tuple[int, Card], ...] = ()
    asked: int | None = None
    knocked: bool = False
    over: bool = False
    winner: int | None = None


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """Three each."""
    return (_HAND,) * players, 52 - _HAND * players


def start(deal: Deal, house: House) -> Opening:
    """All stake. A script's hands lie open at once: there is nothing else to be learned from them."""
    state = State(house, deal.seats, deal.dealer, deal.first())
    stakes = tuple(
        Transfer(s, "pool", house.stake, "STAKE", f"{{{s}}} stakes {plural(house.stake)}") for s in deal.seats
    )
    given = tuple((seat, card) for seat, cards in deal.hands().items() for card in cards)
    verdict = _open(replace(state, knocked=True), given) if given else Verdict(state)
    return Opening(verdict.state, deal.pack(), (_HAND,) * len(deal.seats), (), (*stakes, *verdict.transfers))


def judge(state: State, act: Act) -> Verdict:
    """Buy, barter, knock; then cards laid open."""
    if act.do is Do.DOWN:
        return Verdict(state)
    if state.over:
        return Verdict(state) if act.do is Do.OPEN else refuse(state, "DEAL_OVER")
    if act.do in (Do.LAY, Do.OPEN) and act.card is not None:
        return _open(replace(state, knocked=True), (*state.shown, (act.seat, act.card)))
    if act.do is Do.SWAP and act.seat == state.asked:
        return Verdict(replace(state, asked=None, turn=after(state.live, state.turn)))
    if act.seat != state.turn or state.knocked:
        return refuse(state, "OUT_OF_TURN")
    return _own_turn(state, act)


def _own_turn(state: State, act: Act) -> Verdict:
    if act.do is Do.PRESS:
        return Verdict(replace(state, knocked=True))
    if act.do is Do.DEMAND:
        return Verdict(replace(state, asked=after(state.live, act.seat)))
    if act.do is Do.SAY and act.word == "buy":
        why = f"{{{act.seat}}} buys a card from {{{state.dealer}}} for {{n}}"
        price = 0 if act.seat == state.dealer else state.house.price
        paid = (Transfer(act.seat, state.dealer, price, "BUY", why),)
        return Verdict(replace(state, turn=after(state.live, act.seat)), transfers=paid)
    return refuse(state, "NO_SUCH_ACT")


def _open(state: State, shown: tuple[tuple[int, Card], ...]) -> Verdict:
    """Cards lie open; when all are, the best hand takes the pool."""
    new = replace(state, shown=shown)
    if any(len(_hand(new, s)) < _HAND for s in state.live):
        return Verdict(new)
    seat = order(new)[0]
    why = f"{{{seat}}} has the best hand, {value_words(state.house, _hand(new, seat))}, and takes the pool of {{n}}"
    return _won(new, seat, why)


def _won(state: State, seat: int, why: str) -> Verdict:
    return Verdict(replace(state, over=True, winner=seat), transfers=(Transfer("pool", seat, ALL, "POOL", why),))


def _hand(state: State, seat: int) -> tuple[Card, ...]:
    return tuple(card for s, card in state.shown if s == seat)[:_HAND]


def order(state: State) -> list[int]:
    """The seats whose hands lie open, the best hand first; of equal ones the nearer to the dealer's left."""
    seats = [s for s in round_from(state.live, state.dealer) if len(_hand(state, s)) == _HAND]
    return sorted(seats, key=lambda s: value(state.house, _hand(state, s)), reverse=True)


def value(house: House, hand: tuple[Card, ...]) -> tuple[int, ...]:
    """What a hand is worth: its kind (4 tricon, 3 sequence, 2 flush, 1 pair, 0 point), then what decides in it."""
    ranks = sorted((_HIGH.index(card.rank) for card in hand), reverse=True)
    one_suit = len({card.suit for card in hand}) == 1
    low = house.ace == "both" and ranks == [12, 1, 0]
    if len(set(ranks)) == 1:
        return (4, ranks[0])
    if one_suit and (low or ranks[0] - 2 == ranks[1] - 1 == ranks[2]):
        return (3, 1 if low else ranks[0])
    if one_suit and house.flush:
        return (2, point(hand), *ranks)
    if len(set(ranks)) == 2:
        return (1, ranks[1], ranks[2] if ranks[0] == ranks[1] else ranks[0])
    return (0, point(hand), *ranks)


def point(hand: tuple[Card, ...]) -> int:
    """The sum of the cards of the suit that counts most."""
    worth = {"A": 11, **dict.fromkeys("TJQK", 10)}
    suits = {card.suit for card in hand}
    return max((sum(worth.get(c.rank) or int(c.rank) for c in hand if c.suit == suit) for suit in suits), default=0)


def value_words(house: House, hand: tuple[Card, ...]) -> str:
    """The kind of a hand in a word."""
    return ("point", "pair", "flush", "sequence", "tricon")[value(house, hand)[0]]


def skip(state: State, seat: int) -> Verdict:
    """A seat is away: its turn passes, and a barter with it falls through."""
    if state.knocked or seat not in (state.turn, state.asked):
        return Verdict(state)
    return Verdict(replace(state, asked=None, turn=after(state.live, state.turn)))


def leave(state: State, seat: int) -> Verdict:
    """A seat leaves; his stake stays, his cards are out, an exchange that he was asked for falls through [X]."""
    turn = after(without(state.live, seat), seat) if state.turn == seat else state.turn
    asked = None if seat in (state.turn, state.asked) else state.asked
    new = replace(state, live=without(state.live, seat), turn=turn, asked=asked)
    if len(new.live) > 1:
        return _open(new, new.shown) if new.knocked else Verdict(new)
    return _won(new, new.live[0], f"{{{new.live[0]}}} is the last one left and takes the pool of {{n}}")


def due(state: State) -> Due:
    """Buy, barter or knock; then lay open."""
    if state.over:
        return Due("", words=f"{{{state.winner}}} has the best hand and takes the pool")
    if state.knocked:
        return Due("EXPOSE", words="all lay their three cards open")
    if state.asked is not None:
        return Due("REPLY", state.asked, 1, words=f"{{{state.asked}}} to exchange a card with {{{state.turn}}}")
    return Due("TURN", state.turn, words=f"{{{state.turn}}} to buy, to barter, or to knock")


def result(state: State, books: Books) -> dict[str, Any]:
    """The order of the hands and who won."""
    return {
        "order": [books.names[s] for s in order(state)],
        "winner": books.name(state.winner),
        "takes": -books.ledger.under("pool", "POOL"),
        "pool": books.ledger.balance("pool"),
        "violations": books.fouls(),
        "net": books.net(),
    }


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """The deal passes to the left; a pool that nobody won waits."""
    return (after(state.live, state.dealer), books.waiting()) if state.over else None
