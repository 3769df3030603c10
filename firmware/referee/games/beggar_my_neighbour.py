"""Beggar-My-Neighbour.

Players and pack: two or more, a full pack of 52, all dealt; each has his cards face down before him as a pack.

Play: in turn each turns up his top card and lays it on one pile in the middle. After a numeral the next player turns.
After a jack, queen, king or ace the next must pay 1, 2, 3 or 4 cards, one at a time, on to the same pile. If all of
them are numerals the player of the court card or ace takes the whole pile, puts it under his pack and leads. If a card
turned in payment is itself a court card or an ace the debt is cancelled and the next player pays for the new card.

End: a player who has no card left when he must turn one is out; the last one in wins. A player whose last card is a
court card stays in while the others pay for it. If a payer runs out, the next player pays the rest; of two players he
has lost. Deals that never end are known: when a whole position comes back the referee says so and offers a draw.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..acts import Act, Do, Due, Opening, Verdict, after, plural, put, refuse, without
from ..books import Books
from ..cards import Card
from ..deal import Deal, evenly
from ..house import rule

TITLE = "Beggar-My-Neighbour"
SEATS = (2, 8)  # players, least and most
MOVES = ("turn", "gather")
HANDS = False

OWED = {"J": 1, "Q": 2, "K": 3, "A": 4}


@dataclass(frozen=True, slots=True)
class House:
    """House rules of Beggar-My-Neighbour."""

    payer_out: str = rule(
        "pass_on",
        "With three or more: when a payer runs out the next pays the rest, or the pile is taken.",
        "[X]",
        "pass_on",
        "take",
    )


@dataclass(frozen=True, slots=True)
class State:
    """``turn`` turns, or pays ``owed`` more cards to ``demander``; owed 0 with a demander: the pile is his to take.

    ``order``: the packs card by card where a script told them (secret).
    """

    house: House
    live: tuple[int, ...]
    turn: int
    packs: tuple[int | None, ...]
    order: tuple[tuple[Card, ...], ...] | None
    pile: tuple[Card, ...] = ()
    demander: int | None = None
    owed: int = 0
    taker: int | None = None
    taken: int = 0
    over: bool = False
    winner: int | None = None

    @property
    def collecting(self) -> bool:
        """Is the pile to be taken now?"""
        return self.demander is not None and self.owed == 0


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """All 52 are dealt."""
    return evenly(52, players), 0


def start(deal: Deal, house: House) -> Opening:
    """The packs lie face down; a script may give them card by card."""
    packs = deal.hands("packs")
    deal.whole("packs", [card for cards in packs.values() for card in cards])
    sizes = deal.numbers("counts") or {s: len(cards) for s, cards in packs.items()}
    state = State(
        house,
        deal.seats,
        deal.first(),
        tuple(sizes.get(s, 0 if sizes else None) for s in deal.seats),
        tuple(packs.get(s, ()) for s in deal.seats) if packs else None,
    )
    return Opening(state, deal.pack(), state.packs)


def judge(state: State, act: Act) -> Verdict:
    """A card turned on to the pile, or the pile taken."""
    if act.do in (Do.OPEN, Do.DOWN, Do.PRESS):
        return Verdict(state, moves=0)
    if state.over:
        return refuse(state, "GAME_STOPPED")
    if act.do is Do.GATHER:
        return _gather(state, act)
    if act.do is not Do.LAY or act.card is None:
        return refuse(state, "NO_SUCH_ACT")
    if state.collecting:
        return refuse(state, "OVERPAID" if act.seat == state.turn else "GATHER_DUE")
    return _turn(state, act, act.card) if act.seat == state.turn else refuse(state, "OUT_OF_TURN")


def _turn(state: State, act: Act, card: Card) -> Verdict:
    i = act.seat - 1
    size, order = state.packs[i], state.order
    packs = state.packs if not size else (*state.packs[:i], size - 1, *state.packs[act.seat :])
    if order is not None:
        order = (*order[:i], order[i][1:], *order[act.seat :]) if order[i][:1] == (card,) else None
    new = replace(state, packs=packs, order=order, pile=(*state.pile, card))
    if card.rank in OWED:
        return Verdict(_ready(replace(new, demander=act.seat, owed=OWED[card.rank]), act.seat))
    if state.demander is None:
        return Verdict(_ready(new, act.seat))
    owed = state.owed - 1
    if owed and packs[i] == 0:
        return Verdict(_short(replace(new, owed=owed)))
    return Verdict(replace(new, owed=owed))


def _ready(state: State, seat: int) -> State:
    """The next seat acts; seats that have no card to turn are out, but for the one who is to be paid."""
    keep = state.demander
    live = tuple(s for s in state.live if state.packs[s - 1] != 0 or s == keep)
    if len(live) == 1 or not live:
        return _finish(replace(state, live=live or state.live))
    return replace(state, live=live, turn=after(live, seat))


def _short(state: State) -> State:
    """The payer has run out: of two he has lost; else the next pays the rest, or the pile is taken."""
    live = without(state.live, state.turn)
    if len(live) == 1:
        return _finish(replace(state, live=live, owed=0))
    if state.house.payer_out == "take":
        return replace(state, owed=0)
    return replace(state, live=live, turn=after(live, state.turn))


def _finish(state: State) -> State:
    """One player is left: he takes the pile too. With nobody left it is a draw."""
    seat = state.live[0]
    alone = len(state.live) == 1 and (state.packs[seat - 1] != 0 or state.demander == seat)
    return replace(state, over=True, winner=seat if alone else None)


def _gather(state: State, act: Act) -> Verdict:
    if not state.collecting:
        return refuse(state, "NOTHING_OWED" if state.demander is None else "UNDERPAID")
    if act.seat != state.demander:
        return refuse(state, "WRONG_RECEIVER")
    if act.zone != "layout":
        return refuse(state, "WRONG_PILE")
    if act.count not in (None, len(state.pile)):
        return refuse(state, "WRONG_COUNT", f"the whole pile of {len(state.pile)} must be taken")
    i, size, order = act.seat - 1, state.packs[act.seat - 1], state.order
    new = replace(
        state,
        packs=(*state.packs[:i], None if size is None else size + len(state.pile), *state.packs[act.seat :]),
        order=None if order is None else (*order[:i], (*order[i], *state.pile), *order[act.seat :]),
        pile=(),
        demander=None,
        taker=act.seat,
        taken=len(state.pile),
    )
    live = tuple(s for s in new.live if new.packs[s - 1] != 0)
    new = replace(new, live=live, turn=act.seat)
    cleared = ("layout", *(f"seat-{s}" for s in range(1, len(state.packs) + 1)))
    return Verdict(new if len(live) > 1 else _finish(new), cleared=cleared)


def leave(state: State, seat: int) -> Verdict:
    """A seat leaves; his cards are out of play. Who pays for him is the next; what was owed to him is dead [X]."""
    live = without(state.live, seat)
    new = replace(
        state,
        live=live,
        turn=after(live, seat) if state.turn == seat else state.turn,
        packs=put(state.packs, seat, 0),
        order=None if state.order is None else put(state.order, seat, ()),
    )
    if state.demander == seat:
        new = replace(new, demander=None, owed=0)
    return Verdict(new if len(live) > 1 else _finish(new))


def due(state: State) -> Due:
    """Turn, pay, or take the pile."""
    if state.over:
        return Due(
            "", words=f"{{{state.winner}}} has all the cards" if state.winner else "a draw: nobody has a card to turn"
        )
    if state.collecting:
        return Due(
            "GATHER",
            state.demander,
            len(state.pile),
            words=f"{{{state.demander}}} to take the pile of {len(state.pile)}",
        )
    if state.demander is not None:
        return Due(
            "PAY",
            state.turn,
            state.owed,
            words=f"{{{state.turn}}} to pay {plural(state.owed, 'card')} to {{{state.demander}}}",
        )
    return Due("TURN", state.turn, 1, words=f"{{{state.turn}}} to turn a card")


def table(state: State) -> dict[str, tuple[Card, ...]]:
    """The pile in the middle."""
    return {"layout": state.pile} if state.pile else {}


def position(state: State) -> object:
    """The whole position where it is known, when nothing lies in the middle; None otherwise. A secret.

    Numerals are all alike, and suits do not count: what follows depends on nothing else.
    """
    if state.order is None or state.pile or state.over:
        return None
    return tuple("".join(c.rank if c.rank in OWED else "-" for c in pack) for pack in state.order), state.turn


def result(state: State, books: Books) -> dict[str, Any]:
    """The last pile taken, and by whom; who is next; the packs where they are known."""
    taken = state.taker is not None and not state.pile
    return {
        "taker": books.name(state.taker),
        "pile": state.taken if taken else len(state.pile),
        "next": None if state.over else books.name(due(state).seat),
        "packs": books.per_seat(state.packs),
        "violations": books.fouls(),
        "stopped": state.over,
        "winner": books.name(state.winner),
    }


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """Left of the dealer deals the next game."""
    return (after(books.deal.seats, books.deal.dealer), {}) if state.over else None
