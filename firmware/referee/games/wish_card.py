"""The Wish Card.

Players and pack: two or more, a full pack of 52. Everybody writes a wish on a slip, initials it and lays it aside.
All get the same number of cards, as many as the pack allows; the rest lies in the middle, unused and unseen. Nobody
looks at his cards: each has them before him face down as a pack.

Play: each in turn turns up the top card of his pack and lays it on the open pile before him. After a numeral (2 to
10) the next player turns. After a jack, queen, king or ace the next player must pay 1, 2, 3 or 4 cards: he turns them
up one at a time from his pack on to his own pile. When the payment is complete, the player of the court card or ace
takes it with every other open card that lies before the payer, and puts them under his pack; his own pile stays.
If a card turned in payment is itself a jack, queen, king or ace, the debt is cancelled, the earlier player gets
nothing, and the player after the payer must pay the new card in full.

End: as soon as a player has lost all his cards play stops. All look through their cards; whoever has the nine of
hearts is given his slip and reads his wish aloud.

What the referee keeps to itself: once the nine of hearts has been seen it knows whose it is, and nothing that it says
or shows tells it before play stops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..acts import ALL, Act, Do, Due, Opening, Transfer, Verdict, after, mask, plural, put, refuse, round_from, without
from ..books import Books
from ..cards import BIT, Card, named
from ..deal import Deal
from ..house import rule, settled
from ..rulings import Kind, Ruling

TITLE = "The Wish Card"
SEATS = (2, 10)  # players, least and most
MOVES = ("turn", "gather")
HANDS = False
NINE = Card("9", "H")
OWED = {"J": 1, "Q": 2, "K": 3, "A": 4}


@dataclass(frozen=True, slots=True)
class House:
    """House rules of the Wish Card."""

    after_payment: str = rule(
        "left_of_payer",
        "Who turns after a payment was taken.",
        "[X] [S1] says play goes round",
        "left_of_payer",
        "receiver",
        "payer",
    )
    gather_scope: str = rule(
        "payer", "Whose open cards are taken: the payer's, or all on the table.", "[S1]", "payer", "table"
    )
    cancelled_pile: str = rule(
        "stay",
        "Cards paid before the cancelling card stay, or go under the pack of the new demander.",
        "[S1]",
        "stay",
        "demander",
    )
    empty_pack: str = rule(
        "skip",
        "A player with open cards but no pack is passed over, or turns his pile over, or ends the game.",
        "[S1]",
        "skip",
        "recycle",
        "stop_at_once",
    )
    short_payment: str = rule(
        "take_and_stop",
        "A payer who runs out loses what he has, or pays on from his open pile.",
        "[S1]",
        "take_and_stop",
        "from_pile",
    )
    wish_undealt: str = rule(
        "nobody",
        "When the nine of hearts lies in the middle.",
        "[S1] the middle is not used",
        "nobody",
        "redeal",
        "draw",
    )
    faceup_wish: str = rule(
        "owner", "The nine of hearts lies open at the stop.", "[S1] open cards are the owner's", "owner", "void"
    )
    stop_moment: str = rule(
        "after_transfer", "When play stops if the payer runs out.", "[X]", "after_transfer", "at_once"
    )
    last_card_court: str = settled(
        "stays_in",
        "Whose last card is a pay card has an open card, so he stays in and is paid.",
        "[S1] not all is lost",
    )
    start: str = rule("eldest", "Who turns the first card.", "[X]; [S1] says somebody", "eldest", "dealer")
    direction: str = rule(
        "clockwise", "Which way play goes round.", "[X]; [S1] says the next person", "clockwise", "anticlockwise"
    )
    pool: int = rule(0, "Counters that each stakes; who gets the wish takes them.", "[S1] none: the wish is the prize")
    redeal_loser: str = rule(
        "eldest",
        "Who deals next: the player on the dealer's left, or who has lost all his cards.",
        "[X]",
        "eldest",
        "loser",
    )


@dataclass(frozen=True, slots=True)
class State:
    """``turn`` turns, or pays ``owed`` more cards to ``demander``; ``paid`` were turned for the running debt.

    ``packs``: sizes, None where not known; ``known``: the cards that must be in each pack; ``order``: the packs card
    by card, where a script told them. These two are secrets.
    """

    house: House
    live: tuple[int, ...]
    turn: int
    packs: tuple[int | None, ...]
    piles: tuple[tuple[Card, ...], ...]
    known: tuple[int, ...]
    order: tuple[tuple[Card, ...], ...] | None
    middle: tuple[Card, ...] = ()
    demander: int | None = None
    owed: int = 0
    paid: int = 0
    over: bool = False
    out: int | None = None
    winner: int | None = None  # who gets the wish

    @property
    def collecting(self) -> bool:
        """Is the payment to be taken now?"""
        return self.demander is not None and (self.owed == 0 or self.packs[self.turn - 1] == 0)


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """The same for each, as many as the pack allows, and what is left in the middle."""
    each, middle = divmod(52, players)
    return (each,) * players, middle


def start(deal: Deal, house: House) -> Opening:
    """The packs lie face down; a script may give them card by card, and open piles."""
    packs, piles = deal.hands("packs"), deal.hands("piles")
    listed = [card for cards in (*packs.values(), *piles.values(), deal.cards("middle")) for card in cards]
    deal.whole("packs", listed)
    sizes = deal.numbers("counts") or {seat: len(cards) for seat, cards in packs.items()}
    dealer_begins = house.start == "dealer" and not deal.has("start", "turn")
    state = State(
        house,
        deal.seats,
        deal.dealer if dealer_begins else deal.first(),
        tuple(sizes.get(s, 0 if sizes else None) for s in deal.seats),
        tuple(piles.get(s, ()) for s in deal.seats),
        tuple(mask(packs.get(s, ())) for s in deal.seats),
        tuple(packs.get(s, ()) for s in deal.seats) if packs else None,
        deal.cards("middle"),
    )
    stakes = tuple(Transfer(s, "pool", house.pool, "STAKE", f"{{{s}}} stakes {plural(house.pool)}") for s in deal.seats)
    return Opening(state, deal.pack(), state.packs, transfers=stakes)


def _round(state: State, seat: int) -> tuple[int, ...]:
    """The seats in the order in which they play after ``seat``, who comes last."""
    order = round_from(state.live, seat)
    return order if state.house.direction == "clockwise" else (*reversed(order[:-1]), order[-1])


def _next(state: State, seat: int) -> int:
    return _round(state, seat)[0]


def judge(state: State, act: Act) -> Verdict:
    """A card turned or a pile gathered; buttons mean nothing here."""
    if act.do is Do.LAY and act.card is not None:
        return _turn(state, act, act.card)
    if act.do is Do.GATHER:
        return _gather(state, act)
    if act.do is Do.OPEN and act.card == NINE and state.over and _nine(state) is None:
        return _found(state, act.seat)
    return Verdict(state, moves=0) if act.do in (Do.OPEN, Do.DOWN, Do.PRESS) else refuse(state, "NO_SUCH_ACT")


def _turn(state: State, act: Act, card: Card) -> Verdict:
    if state.over:
        return _found(state, act.seat) if card == NINE and _nine(state) is None else refuse(state, "GAME_STOPPED")
    if state.collecting:
        return refuse(state, "OVERPAID" if act.seat == state.turn else "GATHER_DUE")
    if act.seat != state.turn:
        return refuse(state, "OUT_OF_TURN")
    moved, says = _misplaced(state, act.seat, card)
    turned = _open(moved, act.seat, card)
    new = _court(turned, state, act.seat, OWED[card.rank]) if card.rank in OWED else _numeral(turned)
    return _settled(state, new, says)


def _open(state: State, seat: int, card: Card) -> State:
    """The card goes from the pack to the pile."""
    i = seat - 1
    size = state.packs[i]
    order = state.order
    if order is not None:
        order = (*order[:i], order[i][1:], *order[seat:]) if order[i][:1] == (card,) else None
    return replace(
        state,
        packs=state.packs if not size else (*state.packs[:i], size - 1, *state.packs[seat:]),
        piles=(*state.piles[:i], (*state.piles[i], card), *state.piles[seat:]),
        known=(*state.known[:i], state.known[i] & ~BIT[card], *state.known[seat:]),
        order=order,
    )


def _misplaced(state: State, seat: int, card: Card) -> tuple[State, tuple[Ruling, ...]]:
    """A card that lies in another seat's pack for certain cannot come from this one: somebody must look."""
    others = [s for s in state.live if s != seat and state.known[s - 1] & BIT[card]]
    if not others:
        return state, ()
    known = tuple(bits & ~BIT[card] for bits in state.known)
    return replace(state, known=known, order=None), (Ruling(Kind.CONFLICT, "WRONG_PACK", seat=seat, card=str(card)),)


def _court(state: State, before: State, seat: int, owed: int) -> State:
    """A jack, queen, king or ace: the next player owes; a running debt is cancelled."""
    if before.paid and before.house.cancelled_pile == "demander":
        state = _under(state, seat, seat, state.piles[seat - 1][-1 - before.paid : -1])
    return replace(state, demander=seat, turn=_next(state, seat), owed=owed, paid=0)


def _numeral(state: State) -> State:
    if state.demander is None:
        return replace(state, turn=_next(state, state.turn))
    return replace(state, owed=state.owed - 1, paid=state.paid + 1)


def _gather(state: State, act: Act) -> Verdict:
    i = state.turn - 1
    if state.over:
        return refuse(state, "GAME_STOPPED")
    if state.demander is None:
        return refuse(state, "NOTHING_OWED")
    if act.seat != state.demander:
        return refuse(state, "WRONG_RECEIVER")
    if act.zone != f"seat-{state.turn}":
        return refuse(state, "WRONG_PILE")
    if not state.collecting:
        return refuse(state, "UNDERPAID", f"{plural(state.owed, 'card')} more must be turned first")
    whole = sum(map(len, state.piles)) if state.house.gather_scope == "table" else len(state.piles[i])
    if act.count not in (None, whole, len(state.piles[i])):
        return refuse(state, "WRONG_COUNT", f"the whole pile of {whole} must be taken")
    return _settled(state, _taken(state, act.seat), ())


def _taken(state: State, seat: int) -> State:
    """The receiver takes the pile (or all piles) under his pack; who turns next."""
    payer = state.turn
    table = state.house.gather_scope == "table"
    for owner in (payer, *_round(state, payer)) if table else (payer,):
        state = _under(state, owner, seat, state.piles[owner - 1])
    out = next((s for s in (payer, *_round(state, payer)) if _lost_all(state, s)), None)
    turn = {"left_of_payer": _next(state, payer), "receiver": seat, "payer": payer}[state.house.after_payment]
    return replace(state, demander=None, owed=0, paid=0, turn=turn, out=out, over=out is not None)


def _lost_all(state: State, seat: int) -> bool:
    return state.packs[seat - 1] == 0 and not state.piles[seat - 1]


def _under(state: State, owner: int, seat: int, cards: tuple[Card, ...]) -> State:
    """Open cards of ``owner`` go under the pack of ``seat``, oldest first."""
    i, gone = seat - 1, set(cards)
    left = tuple(card for card in state.piles[owner - 1] if card not in gone)
    size, order = state.packs[i], state.order
    return replace(
        state,
        packs=(*state.packs[:i], None if size is None else size + len(cards), *state.packs[seat:]),
        piles=(*state.piles[: owner - 1], left, *state.piles[owner:]),
        known=(*state.known[:i], state.known[i] | mask(cards), *state.known[seat:]),
        order=None if order is None else (*order[:i], (*order[i], *cards), *order[seat:]),
    )


def _settled(before: State, state: State, says: tuple[Ruling, ...]) -> Verdict:
    """Go on to the next who can act: packs that are empty, the stop, the wish."""
    state = _stop_early(before, _ready(state))
    cleared = tuple(
        f"seat-{s}"
        for s in state.live
        if before.piles[s - 1] and not set(before.piles[s - 1]) <= set(state.piles[s - 1])
    )
    if not state.over:
        return Verdict(state, says=says, cleared=cleared)
    wish = _wish(state)
    return replace(wish, says=(*says, *wish.says), cleared=cleared)


def _ready(state: State) -> State:
    """Pass over empty packs, or turn the pile over, as the house has it."""
    if state.over:
        return state
    recycle = state.house.empty_pack == "recycle"
    if state.demander is None and not recycle:
        for seat in (state.turn, *_round(state, state.turn)):
            if state.packs[seat - 1] != 0:
                return replace(state, turn=seat)
        return replace(state, over=True)
    if state.packs[state.turn - 1] == 0 and (state.demander is None or state.owed):
        return _turned_over(state, recycle)
    return state


def _turned_over(state: State, recycle: bool) -> State:
    """The open cards of the seat to act become his pack; those that he has paid in this debt stay open."""
    pile = state.piles[state.turn - 1]
    free = pile[: len(pile) - state.paid]
    from_pile = state.demander is not None and state.house.short_payment == "from_pile"
    if not free or not (from_pile or recycle):
        return state
    return _under(state, state.turn, state.turn, free)


def _stop_early(before: State, state: State) -> State:
    """House rules that stop play before the transfer."""
    emptied = [s for s in state.live if state.packs[s - 1] == 0 and before.packs[s - 1]]
    if not emptied or state.over:
        return state
    if state.house.empty_pack == "stop_at_once":
        return replace(state, over=True, out=emptied[0])
    short = state.demander is not None and state.collecting and state.turn in emptied
    if short and state.house.stop_moment == "at_once":
        return replace(state, over=True, out=state.turn)
    return state


def _nine(state: State) -> int | None:
    """The seat whose cards hold the nine of hearts, None when nobody's or not known. A secret until the stop."""
    held = (s for s in state.live if state.known[s - 1] & BIT[NINE] or NINE in state.piles[s - 1])
    return next(held, None)


def _wish(state: State) -> Verdict:
    """Play has stopped: who has the nine of hearts?"""
    seat = _nine(state)
    if seat is None:
        undealt = NINE in state.middle
        return Verdict(state, says=(Ruling(Kind.NOTICE, "WISH_UNDEALT" if undealt else "SHOW_THE_WISH"),))
    if NINE in state.piles[seat - 1] and state.house.faceup_wish == "void":
        return Verdict(state)
    return _granted(state, seat)


def _granted(state: State, seat: int) -> Verdict:
    why = f"{{{seat}}} has the nine of hearts and reads the wish"
    takes = Transfer("pool", seat, ALL, "POOL", f"{{{seat}}} has the nine of hearts and takes the pool of {{n}}")
    wish = Ruling(Kind.TAKES, "WISH", seat=seat, card=str(NINE), why=why)
    return Verdict(replace(state, winner=seat), transfers=(takes,), says=(wish,))


def _found(state: State, seat: int) -> Verdict:
    """After the stop somebody shows the nine of hearts that nobody had seen."""
    known = put(state.known, seat, state.known[seat - 1] | BIT[NINE])
    return replace(_granted(replace(state, known=known), seat), moves=0)


def leave(state: State, seat: int) -> Verdict:
    """A seat leaves; his cards go to the middle, unused, and a payment by him or to him is dead [X]."""
    gone = (*named(state.known[seat - 1]), *state.piles[seat - 1])
    new = replace(
        state,
        live=without(state.live, seat),
        turn=_next(state, seat) if state.turn == seat else state.turn,
        packs=put(state.packs, seat, 0),
        piles=put(state.piles, seat, ()),
        known=put(state.known, seat, 0),
        order=None if state.order is None else put(state.order, seat, ()),
        middle=(*state.middle, *gone),
    )
    if seat in (state.turn, state.demander):
        new = replace(new, demander=None, owed=0, paid=0)
    left = _settled(state, replace(new, over=len(new.live) == 1), ())
    return replace(left, cleared=(*left.cleared, f"seat-{seat}"))


def due(state: State) -> Due:
    """Turn, pay, or gather."""
    if state.over:
        out = f"{{{state.out}}} has lost all cards: " if state.out else ""
        return Due("", words=out + "play stops, all look for the nine of hearts")
    if state.collecting:
        return Due(
            "GATHER",
            state.demander,
            len(state.piles[state.turn - 1]),
            words=f"{{{state.demander}}} to take the pile of {{{state.turn}}}",
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
    """The open piles."""
    return {f"seat-{s}": pile for s, pile in enumerate(state.piles, start=1) if pile}


def position(state: State) -> object:
    """The whole position where it is known, at the moments when nothing is owed; None otherwise. A secret.

    Numerals are all alike, and suits do not count: what follows depends on nothing else.
    """
    if state.order is None or state.demander is not None or state.over:
        return None
    places = (*state.order, *state.piles)
    return tuple("".join(c.rank if c.rank in OWED else "-" for c in place) for place in places), state.turn


def result(state: State, books: Books) -> dict[str, Any]:
    """By FORMAT.md; ``wish_in`` only where a script told the packs."""
    waiting = {"seat": books.name(due(state).seat), "due": due(state).what.lower()}
    return {
        "packs": books.per_seat(state.packs),
        "piles": books.per_seat([str(card) for card in pile] for pile in state.piles),
        "stopped": state.over,
        "violations": books.fouls(),
        "next": None if state.over else waiting,
        "out": books.name(state.out),
        **({"wish": books.name(state.winner)} if state.over else {}),
        **({"pool": books.ledger.balance("pool")} if state.house.pool else {}),
        **({"wish_in": books.name(_nine(state))} if books.deal.has("packs") else {}),
    }


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """Left of the dealer deals next; the same dealer again when the nine was not dealt and the house deals again."""
    if not state.over:
        return None
    dealer = books.deal.dealer
    if NINE in state.middle and state.house.wish_undealt == "redeal":
        return dealer, books.waiting()
    loser = state.out if state.house.redeal_loser == "loser" else None
    return loser or after(state.live, dealer), books.waiting()
