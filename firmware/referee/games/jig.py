"""Jig, the other game that is called Snip-Snap-Snorem.

Players and pack: 2 to 10 players, a full pack of 52, all dealt; the ace is low, the king high.

Play: the player on the dealer's left lays any card and says snip. Whoever holds the next higher card of the suit lays
it, not in turn, and says snap; so it goes on with snorem, hicockalorum and jig. Whoever lays the fifth card, a king or
a card whose next was laid before says jig at once, and leads again, any card.

End: whoever is out first gets a counter for each card in the others' hands, and the pool where there is one.

What the referee proves: all the cards are dealt, so somebody always holds the wanted card. When the player of the last
card presses to say that nobody lays it, it was held back; whoever shows it later has done so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..acts import ALL, Act, Do, Due, Opening, Transfer, Verdict, after, less, plural, refuse, without
from ..books import Books
from ..cards import BIT, Card
from ..deal import Deal, evenly
from ..house import broke_rule, counters_rule, rule
from ..knowledge import Proof
from ._stops import cards_left, held_back, held_back_fine

TITLE = "Jig"
SEATS = (2, 10)  # players, least and most
MOVES = ("play", "stop")
HANDS = True

_LONGEST = 5  # cards of a line: snip, snap, snorem, hicockalorum, jig


@dataclass(frozen=True, slots=True)
class House:
    """House rules of Jig."""

    stake: int = rule(0, "Counters that each puts into the pool before the deal.", "[P] a pool if one is formed")
    per_card: int = rule(1, "Counters for each card left in a hand.", "[P]")
    held_back_fine: int = rule(0, "Fine for a card held back, to the winner.", "[P] has fines for wrong calls")
    broke: str = broke_rule()
    counters: int = counters_rule()


@dataclass(frozen=True, slots=True)
class State:
    """``leader`` leads; or ``need`` is wanted, ``last`` laid the last card and ``run`` cards lie in the line."""

    house: House
    ranks: str
    live: tuple[int, ...]
    counts: tuple[int | None, ...]
    leader: int | None
    free: bool = False  # nobody knows who leads: anybody may
    need: Card | None = None
    last: int = 0
    run: int = 0
    gone: int = 0
    over: bool = False
    winner: int | None = None


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """All 52 are dealt."""
    return evenly(52, players), 0


def start(deal: Deal, house: House) -> Opening:
    """Everything is dealt; a pool is formed where the house has one."""
    free = deal.setup.dealer is None and deal.excerpt()
    state = State(house, deal.ranks(), deal.seats, deal.counts(), None if free else deal.first(), free)
    why = f"puts {plural(house.stake)} into the pool before the deal"
    stakes = tuple(Transfer(s, "pool", house.stake, "STAKE", f"{{{s}}} {why}") for s in deal.seats)
    return Opening(state, deal.pack(), state.counts, transfers=stakes)


def judge(state: State, act: Act) -> Verdict:
    """A card laid, or a stop."""
    if act.do in (Do.OPEN, Do.DOWN):
        return Verdict(state)
    if state.over:
        return refuse(state, "DEAL_OVER")
    if act.do is Do.LAY and act.card is not None:
        code = _wrong(state, act.seat, act.card)
        return refuse(state, code, f"{act.card.pretty} was laid") if code else _lay(state, act, act.card)
    return _stop(state, act) if act.do is Do.PRESS else refuse(state, "NO_SUCH_ACT")


def _wrong(state: State, seat: int, card: Card) -> str:
    """The code of the foul that laying ``card`` would be, "" when it is lawful."""
    if state.need is not None:
        return "" if card == state.need else "WRONG_CARD"
    if not state.free and seat != state.leader:
        return "NOT_THE_LEADER"
    return "WRONG_CARD" if state.gone & BIT[card] or card.rank not in state.ranks else ""


def _lay(state: State, act: Act, card: Card) -> Verdict:
    counts, gone = less(state.counts, act.seat), state.gone | BIT[card]
    run = 1 if state.need is None else state.run + 1
    above = state.ranks[state.ranks.index(card.rank) + 1 :][:1]
    following = Card(above, card.suit) if above and run < _LONGEST else None
    need = None if following is None or gone & BIT[following] else following
    leader = act.seat if need is None else None
    new = replace(
        state, counts=counts, leader=leader, free=False, need=need, last=act.seat, run=run if need else 0, gone=gone
    )
    return _won(new, act.seat, act.entry) if counts[act.seat - 1] == 0 else Verdict(new)


def _won(state: State, seat: int, *entries: int) -> Verdict:
    cards = cards_left(state.live, state.counts, seat, state.house.per_card)
    takes = Transfer("pool", seat, ALL, "POOL", f"{{{seat}}} is out first and takes the pool of {{n}}", entries)
    fines = Transfer("fines", seat, ALL, "FINES", f"{{{seat}}} takes the fines of {{n}}")
    new = replace(state, over=True, winner=seat, leader=None, need=None)
    return Verdict(new, transfers=(takes, *cards, fines))


def _stop(state: State, act: Act) -> Verdict:
    """The player of the last card says that nobody lays the next."""
    need = state.need
    if need is None:
        return refuse(state, "MUST_START" if act.seat == state.leader else "NOT_THE_LEADER")
    if act.seat != state.last:
        return refuse(state, "OUT_OF_TURN", f"{{{state.last}}} laid the last card and says stop")
    claim = held_back(state.live, need, act.seat)
    return Verdict(replace(state, need=None, leader=act.seat, run=0), claims=(claim,))


def skip(state: State, seat: int) -> Verdict:
    """A seat is away: the next one leads for it, or after its line; nobody claims anything."""
    if seat != (state.leader if state.need is None else state.last):
        return Verdict(state)
    return Verdict(replace(state, need=None, leader=after(state.live, seat), run=0))


def leave(state: State, seat: int) -> Verdict:
    """A seat leaves; his cards are dead stops [X]. His line ends, and the next seat leads."""
    live = without(state.live, seat)
    mine = seat in (state.leader, state.last if state.need else None)
    new = replace(state, live=live)
    new = replace(new, need=None, leader=after(live, seat), run=0) if mine else new
    return Verdict(new) if len(live) > 1 else _won(new, live[0])


def proved(state: State, proof: Proof) -> Verdict:
    """A card was held back."""
    return Verdict(state, transfers=(held_back_fine(proof, state.winner, state.house.held_back_fine),))


def due(state: State) -> Due:
    """Lead any card, or the wanted card from whoever holds it."""
    if state.over:
        return Due("", words=f"{{{state.winner}}} is out first and wins")
    if state.need is None:
        who = "anybody" if state.leader is None else f"{{{state.leader}}}"
        return Due("LEAD", state.leader, 1, words=f"{who} to lead any card")
    words = f"whoever has {state.need.pretty} plays it; if nobody lays it, {{{state.last}}} says stop"
    return Due("PLAY", None, 1, state.need, words)


def result(state: State, books: Books) -> dict[str, Any]:
    """Fouls, proofs, who won, what the others paid."""
    cards = books.paid("CARDS")
    cards.pop(books.name(state.winner) or "", None)
    waiting = {"seat": books.name(state.leader), "need": str(state.need) if state.need else None}
    return {
        "violations": books.fouls(),
        "held_back": books.shown(),
        "winner": books.name(state.winner),
        "pool": books.ledger.balance("pool"),
        "net": books.net(),
        "next": None if state.over else waiting,
        **books.when_over(state, card_payments=cards),
        **({"fines": books.fines()} if state.house.held_back_fine else {}),
        "counted": books.counted(),
    }


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """The deal passes to the left."""
    return (after(state.live, books.deal.dealer), books.waiting()) if state.over else None
