"""Snip-Snap-Snorem.

Players and pack: 2 to 10 players, a full pack of 52, all dealt. Everybody has five counters, the pool is empty.

Play: the player on the dealer's left lays any card. If the next player has a card of the same rank he must lay it
("snip") and the one before him pays 1 counter to the pool. If the player after him has one he lays it ("snap") and the
second pays 2; the fourth ("snorem") makes the third pay 3. Whoever cannot match lays any card, and nobody pays. Nobody
plays out of turn.

(The game in which five cards of a suit follow each other, called by the same name, is Jig.)

End: a player without counters leaves the game; the last one left takes the pool.

What the referee proves: a card of the rank was held and not played, when the same seat shows it later.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..acts import (
    ALL,
    Act,
    Claim,
    Do,
    Due,
    Opening,
    Transfer,
    Verdict,
    after,
    less,
    mask,
    plural,
    put,
    refuse,
    round_from,
    without,
)
from ..books import Books
from ..cards import BIT, SUITS, Card
from ..deal import Deal, evenly
from ..house import rule, settled

TITLE = "Snip-Snap-Snorem"
SEATS = (2, 10)  # players, least and most
MOVES = ("play", "pass")
HANDS = True

_WORDS = ("", "", "snip", "snap", "snorem")


@dataclass(frozen=True, slots=True)
class House:
    """House rules of Snip-Snap-Snorem."""

    counters: int = rule(5, "Counters of each player at the start.", "[P][Sq]", least=1)
    cannot_snip: str = settled(
        "any_card", "Whoever cannot match lays any card and nobody pays.", "[X]; the books are silent"
    )


@dataclass(frozen=True, slots=True)
class State:
    """``run`` cards of the rank of ``last`` lie in a row; ``by`` laid the last one. ``counters``: what each has."""

    house: House
    live: tuple[int, ...]
    turn: int
    counts: tuple[int | None, ...]
    counters: tuple[int, ...]
    last: Card | None = None
    by: int = 0
    run: int = 0
    laid: int = 0
    over: bool = False
    winner: int | None = None


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """All 52 are dealt."""
    return evenly(52, players), 0


def start(deal: Deal, house: House) -> Opening:
    """Everybody has his counters; in a later deal what is left of them."""
    given = deal.numbers("counters")
    counters = tuple(given.get(s, house.counters) for s in deal.seats)
    live = tuple(s for s in deal.seats if counters[s - 1]) or deal.seats
    state = State(house, live, deal.first(live), deal.counts(), counters)
    return Opening(state, deal.pack(), state.counts)


def judge(state: State, act: Act) -> Verdict:
    """A card laid; a press (I cannot) says nothing that the card does not say."""
    if act.do in (Do.OPEN, Do.DOWN):
        return Verdict(state)
    if state.over:
        return refuse(state, "DEAL_OVER")
    if act.seat != state.turn:
        return refuse(state, "OUT_OF_TURN")
    if act.do is Do.PRESS:
        return Verdict(state, moves=0)
    if act.do is not Do.LAY or act.card is None:
        return refuse(state, "NO_SUCH_ACT")
    return refuse(state, "ALREADY_ON_TABLE") if state.laid & BIT[act.card] else _lay(state, act, act.card)


def _lay(state: State, act: Act, card: Card) -> Verdict:
    matches = state.last is not None and card.rank == state.last.rank
    run = state.run + 1 if matches else 1
    laid, counts = state.laid | BIT[card], less(state.counts, act.seat)
    claims = () if matches or state.last is None else (_none_of(state, act, state.last),)
    counters, transfers = _matched(state, run, act) if matches else (state.counters, ())
    live = tuple(s for s in state.live if counters[s - 1]) if matches else state.live
    turn = _following(live, counts, act.seat)
    new = replace(
        state,
        live=live,
        turn=turn or state.turn,
        counts=counts,
        counters=counters,
        last=None if run == len(SUITS) else card,
        by=act.seat,
        run=run,
        laid=laid,
        over=not turn,
    )
    return _ended(new, transfers, claims)


def _none_of(state: State, act: Act, last: Card) -> Claim:
    cards = mask(Card(last.rank, suit) for suit in SUITS) & ~state.laid
    return Claim((act.seat,), cards, "FAILED_TO_SNIP", f"{{{act.seat}}} did not match {last.pretty}")


def _matched(state: State, run: int, act: Act) -> tuple[tuple[int, ...], tuple[Transfer, ...]]:
    """The player just matched pays 1, 2 or 3, as far as he can: what each has then."""
    before = state.by
    owes = min(run - 1, state.counters[before - 1])
    counters = put(state.counters, before, state.counters[before - 1] - owes)
    why = f"{_WORDS[run]}: {{{before}}} pays {plural(owes)} to the pool"
    return counters, (Transfer(before, "pool", owes, "SNIP", why, (act.entry,)),)


def _following(live: tuple[int, ...], counts: tuple[int | None, ...], seat: int) -> int | None:
    """The next seat that still has cards; None when nobody has."""
    return next((s for s in round_from(live, seat) if counts[s - 1] != 0), None)


def _to_next(state: State, seat: int) -> State:
    """The next seat that still has cards acts; the deal is over when nobody has."""
    turn = _following(state.live, state.counts, seat)
    return replace(state, turn=turn or state.turn, over=not turn)


def skip(state: State, seat: int) -> Verdict:
    """A seat is away: nobody has to match across it, the next plays any card [X]."""
    return Verdict(_to_next(replace(state, last=None, run=0), seat)) if state.turn == seat else Verdict(state)


def leave(state: State, seat: int) -> Verdict:
    """A seat leaves with the counters that he has left; nobody has to match his card or pays across his place [X]."""
    new = replace(state, live=without(state.live, seat))
    new = replace(new, last=None, run=0) if seat in (state.turn, state.by) else new
    return _ended(_to_next(new, seat) if state.turn == seat else new, (), ())


def _ended(state: State, transfers: tuple[Transfer, ...], claims: tuple[Claim, ...]) -> Verdict:
    if len(state.live) > 1:
        return Verdict(state, transfers=transfers, claims=claims)
    seat = state.live[0]
    takes = Transfer("pool", seat, ALL, "POOL", f"{{{seat}}} is the last with counters and takes the pool of {{n}}")
    return Verdict(replace(state, over=True, winner=seat), transfers=(*transfers, takes), claims=claims)


def due(state: State) -> Due:
    """Match, or play any card."""
    if state.over:
        won = f"{{{state.winner}}} is the last with counters and takes the pool"
        return Due("", words=won if state.winner else "all cards are out: deal again")
    rank = f"; a {state.last.words.split()[0]} must be matched" if state.last else ""
    return Due("PLAY", state.turn, 1, words=f"{{{state.turn}}} to play a card{rank}")


def result(state: State, books: Books) -> dict[str, Any]:
    """Counters, pool, fouls and proofs."""
    pool = books.ledger.balance("pool")
    return {
        "counters": books.per_seat(state.counters),
        "pool": pool,
        "violations": books.fouls(),
        "proved": [[move, seat, "FAILED_TO_SNIP", card, by] for move, seat, card, by in books.shown()],
        "winner": books.name(state.winner),
        "next": None if state.over else books.name(state.turn),
        "counted": books.counted(),
    }


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """Deal again with the counters that are left, until one player has them."""
    if not state.over or state.winner:
        return None
    left = {"counters": books.per_seat(state.counters), "pool": books.ledger.balance("pool")}
    return after(state.live, books.deal.dealer), left
