"""Speculation.

Players and pack: 2 to 9 players, a full pack of 52; the ace is high. The dealer stakes 6 counters, the others 4 each.
Three cards are dealt to each face down and not looked at; the next card is turned up for trumps and belongs to the
dealer, who may sell it.

Play: from the dealer's left each in turn turns up one of his cards. Whoever turns a higher trump than any so far holds
the best trump, and may keep it or sell it at once to anybody at any price they agree on.

End: when all cards are turned, whoever holds the highest trump takes the pool. The ace of trumps takes it at once. If
no trump but the turn-up comes, the dealer (or who bought it) takes the pool.

What the referee sees: every card is turned, so that everything is settled at once; a sale is told to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..acts import (
    ALL,
    Act,
    Do,
    Due,
    Opening,
    Transfer,
    Verdict,
    after,
    less,
    number,
    plural,
    put,
    refuse,
    round_from,
    without,
)
from ..books import Books
from ..cards import Card
from ..deal import Deal
from ..house import broke_rule, counters_rule, rule

TITLE = "Speculation"
SEATS = (2, 9)  # players, least and most
MOVES = ("turn", "sell")
TOLD = ("sell",)  # said on the page: no card shows it
HANDS = False

_HIGH = "23456789TJQKA"


@dataclass(frozen=True, slots=True)
class House:
    """House rules of Speculation."""

    dealer_stake: int = rule(6, "Counters that the dealer stakes.", "[Sq]")
    stake: int = rule(4, "Counters that each other player stakes.", "[Sq]")
    ace_at_once: bool = rule(True, "The ace of trumps takes the pool at once.", "[Sq]")
    broke: str = broke_rule()
    counters: int = counters_rule()


@dataclass(frozen=True, slots=True)
class State:
    """``best`` is the highest trump turned so far; ``holder`` has it, by turning or by buying."""

    house: House
    live: tuple[int, ...]
    dealer: int
    turn: int
    counts: tuple[int | None, ...]
    best: Card | None = None
    holder: int | None = None
    over: bool = False
    winner: int | None = None


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """Three each."""
    return (3,) * players, 52 - 3 * players


def start(deal: Deal, house: House) -> Opening:
    """All stake; the turn-up belongs to the dealer."""
    counts = deal.counts() if deal.has("counts", "hands") else (3,) * len(deal.seats)
    state = State(house, deal.seats, deal.dealer, deal.first(), counts)
    stakes = tuple(
        Transfer(s, "pool", n, "STAKE", f"{{{s}}} stakes {plural(n)}")
        for s in deal.seats
        if (n := house.dealer_stake if s == deal.dealer else house.stake)
    )
    turn_up = deal.card("turn_up")
    verdict = _trump(state, deal.dealer, turn_up) if turn_up else Verdict(state)
    return Opening(verdict.state, deal.pack(), counts, (), (*stakes, *verdict.transfers))


def _trump(state: State, seat: int, card: Card) -> Verdict:
    """``seat`` has turned the best trump so far."""
    new = replace(state, best=card, holder=seat)
    if card.rank == "A" and state.house.ace_at_once:
        return _won(new, f"{{{seat}}} has the ace of trumps and takes the pool of {{n}}")
    return Verdict(new)


def _won(state: State, why: str) -> Verdict:
    seat = state.holder or state.dealer
    return Verdict(replace(state, over=True, winner=seat), transfers=(Transfer("pool", seat, ALL, "POOL", why),))


def judge(state: State, act: Act) -> Verdict:
    """The turn-up, a card turned, or a sale."""
    if act.do in (Do.OPEN, Do.DOWN, Do.PRESS):
        return Verdict(state, moves=0)
    if state.over:
        return refuse(state, "DEAL_OVER")
    if act.do is Do.SAY and act.word == "sell":
        return _sold(state, act)
    if act.do is not Do.LAY or act.card is None:
        return refuse(state, "NO_SUCH_ACT")
    if state.best is None:
        return _trump(state, state.dealer, act.card) if act.seat == state.dealer else refuse(state, "OUT_OF_TURN")
    return _turned(state, act, act.card, state.best) if act.seat == state.turn else refuse(state, "OUT_OF_TURN")


def _turned(state: State, act: Act, card: Card, best: Card) -> Verdict:
    new = replace(state, counts=less(state.counts, act.seat))
    higher = card.suit == best.suit and _HIGH.index(card.rank) > _HIGH.index(best.rank)
    verdict = _trump(new, act.seat, card) if higher else Verdict(new)
    return verdict if verdict.state.over else _to_next(verdict.state, act.seat)


def _to_next(state: State, seat: int) -> Verdict:
    """The next seat that has a card to turn; when none has, or one is left alone, the best trump takes the pool."""
    left = [s for s in round_from(state.live, seat) if state.counts[s - 1] != 0]
    if left and len(state.live) > 1:
        return Verdict(replace(state, turn=left[0]))
    return _won(
        replace(state, turn=seat),
        f"{{{state.holder or state.dealer}}} holds the highest trump and takes the pool of {{n}}",
    )


def _sold(state: State, act: Act) -> Verdict:
    """The holder sells the best trump: ``detail`` is the buyer's seat and the price, ``3:5``."""
    buyer, _, price = act.detail.partition(":")
    if act.seat != state.holder:
        return refuse(state, "OUT_OF_TURN", "only the holder of the best trump can sell it")
    seat, counters = number(buyer), number(price)
    if seat is None or seat not in state.live or counters is None:
        return refuse(state, "NO_SUCH_ACT", "a sale names a buyer and a price")
    why = f"{{{seat}}} buys the best trump from {{{act.seat}}} for {{n}}"
    return Verdict(replace(state, holder=seat), transfers=(Transfer(seat, act.seat, counters, "SALE", why),))


def leave(state: State, seat: int) -> Verdict:
    """A seat leaves; his cards stay face down, and the best trump, if he has it, falls to the dealer [X]."""
    live = without(state.live, seat)
    dealer = after(live, seat) if state.dealer == seat else state.dealer
    holder = dealer if state.holder == seat else state.holder
    new = replace(state, live=live, dealer=dealer, holder=holder, counts=put(state.counts, seat, 0))
    return _to_next(new, seat) if state.turn == seat or len(live) == 1 else Verdict(new)


def due(state: State) -> Due:
    """Turn a card."""
    if state.over:
        return Due("", words=f"{{{state.winner}}} takes the pool")
    if state.best is None:
        return Due("DEAL", state.dealer, words=f"{{{state.dealer}}} to turn up the trump")
    return Due(
        "TURN", state.turn, 1, words=f"{{{state.turn}}} to turn a card; {{{state.holder}}} holds {state.best.pretty}"
    )


def result(state: State, books: Books) -> dict[str, Any]:
    """Who won and what; the net of everybody."""
    return {
        "winner": books.name(state.winner),
        "takes": -books.ledger.under("pool", "POOL"),
        "pool": books.ledger.balance("pool"),
        "holder": books.name(state.holder),
        "violations": books.fouls(),
        "next": None if state.over else books.name(state.turn),
        "net": books.net(),
    }


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """The deal passes to the left; a pool that nobody won waits."""
    return (after(state.live, state.dealer), books.waiting()) if state.over else None
