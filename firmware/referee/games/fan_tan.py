"""Fan Tan, as Foster has it; also called Play or Pay.

Players and pack: any number of players (3 to 8 is best), a full pack of 52; the ace is low.
Before the deal everybody puts the agreed number of counters into the pool. All the cards are dealt out, one at a time
from the dealer's left; it does not matter that some hands are a card longer.

Play: the player on the dealer's left lays any card. Each player in turn must lay the next higher card of the same
suit or put one counter into the pool. After the king comes the ace, and the line goes on until the suit is finished.
Whoever lays the suit's last card turns the suit down and starts again at once, with any card of another suit.
One card at a time is laid, and exactly one card is wanted at any moment.

End: whoever gets rid of his last card first takes the pool, at once, even in the middle of a suit.

What the referee proves: a payment for a card that the same seat shows later was false, the card was withheld. When
everybody in turn has paid for one card somebody withholds it, for all the cards are dealt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..acts import ALL, Act, Claim, Do, Due, Opening, Transfer, Verdict, after, less, mask, plural, refuse, without
from ..books import Books
from ..cards import BIT, SUITS, Card
from ..deal import Deal, evenly
from ..house import broke_rule, counters_rule, rule, settled
from ..knowledge import Proof
from ..rulings import Kind, Ruling

TITLE = "Fan Tan (Play or Pay)"
SEATS = (2, 8)  # players, least and most
MOVES = ("play", "pay")
HANDS = True


@dataclass(frozen=True, slots=True)
class House:
    """House rules of Fan Tan."""

    ante: int = rule(0, "Counters that each puts into the pool before the deal.", "[S2] an agreed number")
    forced: bool = rule(
        True, "Whoever holds the wanted card must lay it; if not, he may pay instead.", "[D]; [S2] by its chapter"
    )
    per_card: bool = rule(
        False, "The winner also gets a counter for each card left in a hand.", "[S2] names only the pool; yes in [D]"
    )
    uneven_ante: bool = rule(
        False, "Players with a card fewer put one counter more.", "[S2] it does not matter; yes in modern books"
    )
    withhold_fine: int = rule(
        0, "Fine for each payment made with the wanted card in hand, to the winner.", "[X] suggests 3"
    )
    out_on_13: str = settled("wins", "Whose last card is the suit's last is out and wins, and starts nothing.", "[S2]")
    last_card_ends: str = settled("at_once", "Play stops in the middle of a suit when somebody is out.", "[S2]")
    full_circuit: str = settled(
        "asks",
        "When all have paid for one card somebody holds it, or it was misread; it asks.",
        "[X] all is dealt",
    )
    start_suit: str = settled("unfinished", "A new line is in any suit that is not finished, from any card.", "[S2]")
    first_lead: str = settled("any_card", "The first card is any card; the higher of two neighbours is advice.", "[S2]")
    broke: str = broke_rule()
    counters: int = counters_rule()


@dataclass(frozen=True, slots=True)
class State:
    """``need`` is the wanted card, None when ``turn`` must start; ``laid``: the cards that were laid (a mask)."""

    house: House
    ranks: str
    live: tuple[int, ...]
    turn: int | None
    counts: tuple[int | None, ...]
    need: Card | None = None
    laid: int = 0
    done: tuple[str, ...] = ()
    paid: tuple[int, ...] = ()  # entries of the payments in a row for the wanted card, this time round
    skipped: int = 0  # turns of this round that nobody took: their seats are away
    last: int | None = None  # who laid the last card
    over: bool = False
    winner: int | None = None


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """Cards for each place from the dealer's left, and what is left over: 52 cards, all dealt."""
    return evenly(52, players), 0


def start(deal: Deal, house: House) -> Opening:
    """Everything is dealt, the antes are paid; or a position in the middle of a deal."""
    ranks, need, done = deal.ranks(), deal.card("need"), deal.some_of("done", SUITS)
    in_suit = deal.size("in_suit") or (1 if need else 0)
    if deal.has("hands") and not deal.has("need", "in_suit", "done"):
        deal.whole("hands", [card for cards in deal.hands().values() for card in cards])
    position = ("need", "in_suit", "done") if deal.setup.dealer else ()
    turn = None if deal.excerpt(*position) else deal.first()
    laid = [Card(rank, suit) for suit in done for rank in ranks]
    laid += [_step(ranks, need, -back) for back in range(1, in_suit + 1)] if need else []
    state = State(house, ranks, deal.seats, turn, deal.counts(), need, mask(laid), done)
    return Opening(state, deal.pack(), state.counts, tuple(laid), _antes(state))


def _antes(state: State) -> tuple[Transfer, ...]:
    longest = max((count or 0 for count in state.counts), default=0)
    out = []
    for seat, count in zip(state.live, state.counts, strict=True):
        short = state.house.uneven_ante and count is not None and count < longest
        ante = state.house.ante + short
        out.append(
            Transfer(seat, "pool", ante, "ANTE", f"{{{seat}}} puts {plural(ante)} into the pool before the deal")
        )
    return tuple(out)


def judge(state: State, act: Act) -> Verdict:
    """A card laid or a payment; everything else has no meaning here."""
    if act.do in (Do.OPEN, Do.DOWN):
        return Verdict(state)
    if state.over:
        return refuse(state, "DEAL_OVER")
    if state.turn not in (act.seat, None):
        return refuse(state, "OUT_OF_TURN")
    if act.do is Do.LAY and act.card is not None:
        return _lay(state, act, act.card)
    return _pay(state, act) if act.do is Do.PRESS else refuse(state, "NO_SUCH_ACT")


def _lay(state: State, act: Act, card: Card) -> Verdict:
    if state.need is None and card.suit in state.done:
        return refuse(state, "SUIT_EXHAUSTED", f"{card.pretty}: this suit is finished")
    if card.rank not in state.ranks or state.need not in (None, card) or state.laid & BIT[card]:
        return refuse(state, "WRONG_CARD", f"{card.pretty} was laid")
    counts, laid, following = less(state.counts, act.seat), state.laid | BIT[card], _step(state.ranks, card, 1)
    full = bool(laid & BIT[following])
    whole = all(laid & BIT[Card(rank, card.suit)] for rank in state.ranks)
    new = replace(
        state,
        turn=act.seat if full else after(state.live, act.seat),
        counts=counts,
        need=None if full else following,
        laid=laid,
        done=(*state.done, card.suit) if whole else state.done,
        paid=(),
        skipped=0,
        last=act.seat,
    )
    return _won(new, act) if counts[act.seat - 1] == 0 else Verdict(new)


def _pay(state: State, act: Act) -> Verdict:
    need = state.need
    if need is None:
        return refuse(state, "MUST_START")
    paid = (*state.paid, act.entry)
    why = f"{{{act.seat}}} pays 1 to the pool: {need.pretty} was wanted"
    full = len(paid) % len(state.live) == 0
    says = (Ruling(Kind.NOTICE, "FULL_CIRCUIT", card=str(need), entries=paid),) if full else ()
    claim = Claim((act.seat,), BIT[need], "WITHHELD", f"{{{act.seat}}} paid for {need.pretty}")
    new = replace(state, turn=after(state.live, act.seat), paid=() if full else paid)
    return Verdict(
        _new_line(new) if (full and len(state.live) < len(state.counts)) or _none_present(new, paid) else new,
        transfers=(Transfer(act.seat, "pool", 1, "PAY", why, (act.entry,)),),
        claims=(claim,) if state.house.forced else (),
        says=says,
    )


def _none_present(state: State, paid: tuple[int, ...]) -> bool:
    """Have all who are here paid for the wanted card, while somebody is away?"""
    return bool(state.skipped) and len(paid) + state.skipped >= len(state.live)


def _new_line(state: State) -> State:
    """The wanted card is with somebody who has left or is away: whoever laid the last card starts again [X]."""
    turn = state.last if state.last in state.live else state.turn
    return replace(state, need=None, turn=turn, paid=(), skipped=0)


def skip(state: State, seat: int) -> Verdict:
    """A seat is away: it pays nothing and claims nothing; what it holds waits."""
    if state.turn != seat:
        return Verdict(state)
    new = replace(state, turn=after(state.live, seat), skipped=state.skipped + (state.need is not None))
    if not _none_present(new, new.paid):
        return Verdict(new)
    return Verdict(replace(_new_line(new), turn=new.turn) if state.last == seat else _new_line(new))


def returned(state: State) -> State:
    """A seat is back: what it did not do in this round it may still do."""
    return replace(state, skipped=0)


def leave(state: State, seat: int) -> Verdict:
    """A seat leaves; his cards are dead: when the others have all paid for one card a new line is started [X]."""
    live = without(state.live, seat)
    new = replace(state, live=live, turn=after(live, seat) if state.turn == seat else state.turn, paid=(), skipped=0)
    return Verdict(new) if len(live) > 1 else _won(new, Act(Do.SAY, live[0]))


def _won(state: State, act: Act) -> Verdict:
    seat = act.seat
    per_card = [
        Transfer(s, seat, count or 0, "CARDS", f"{{{s}}} pays {{{seat}}} 1 for each of the {count} cards left")
        for s, count in enumerate(state.counts, start=1)
        if state.house.per_card and s != seat and s in state.live
    ]
    takes = Transfer("pool", seat, ALL, "POOL", f"{{{seat}}} is out first and takes the pool of {{n}}", (act.entry,))
    fines = Transfer("fines", seat, ALL, "FINES", f"{{{seat}}} takes the fines of {{n}}")
    return Verdict(replace(state, over=True, winner=seat, turn=None), transfers=(takes, *per_card, fines))


def proved(state: State, proof: Proof) -> Verdict:
    """A payment was proved false: the house may fine it."""
    seat, to = proof.seat or 0, state.winner or "fines"
    why = f"{{{seat}}} is fined {{n}} for withholding {proof.cards[0].pretty}"
    return Verdict(state, transfers=(Transfer(seat, to, state.house.withhold_fine, "FINE", why, (proof.made.entry,)),))


def due(state: State) -> Due:
    """Play or pay; start when no card is wanted."""
    who = f"{{{state.turn}}}" if state.turn else "anybody"
    if state.over:
        return Due("", words=f"{{{state.winner}}} is out first and wins")
    if state.need is None:
        return Due("LEAD", state.turn, words=f"{who} to start with any card of an unfinished suit")
    return Due("PLAY", state.turn, 1, state.need, f"{who} to play {state.need.pretty} or pay 1")


def finished(state: State, card: Card) -> bool:
    """May this card be turned down?"""
    return card.suit in state.done


def result(state: State, books: Books) -> dict[str, Any]:
    """By FORMAT.md."""
    cards, pool = books.paid("CARDS"), books.ledger.under("pool", "ANTE", "PAY", "CARRIED")
    cards.pop(books.name(state.winner) or "", None)
    payments = {"card_payments": cards} if state.winner and state.house.per_card else {}
    return {
        "violations": books.fouls(),
        "withheld": books.shown(),
        "full_circuit": books.noticed("FULL_CIRCUIT"),
        "paid": books.paid("ANTE", "PAY"),
        "winner": books.name(state.winner),
        "exhausted": list(state.done),
        "pool": 0 if state.winner else pool,
        "next": None
        if state.over
        else {"seat": books.name(state.turn), "need": str(state.need) if state.need else None},
        **payments,
        **books.when_over(state, winner_takes=pool + sum(cards.values()), **books.net_alone()),
        **({"fines": books.fines()} if state.house.withhold_fine else {}),
        "counted": books.counted(),
    }


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """The deal passes to the left; a pool that nobody won waits."""
    return (after(state.live, books.deal.dealer), books.waiting()) if state.over else None


def _step(ranks: str, card: Card, by: int) -> Card:
    """The card ``by`` places above, round the corner from king to ace."""
    return Card(ranks[(ranks.index(card.rank) + by) % len(ranks)], card.suit)
