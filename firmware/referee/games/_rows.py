"""What Five or Nine and Sevens share: rows that grow from starters, a pass that costs a counter, the settlement.

Not a game: the folder's list leaves out names with an underscore in front. The rules stand in the games' own files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from ..acts import ALL, Act, Claim, Do, Due, Transfer, Verdict, after, less, mask, plural, refuse, without
from ..books import Books
from ..cards import BIT, RANKS, SUITS, Card, named
from ..deal import Deal
from ..knowledge import Proof
from ..ledger import shares
from ..rulings import Kind, Ruling


@dataclass(frozen=True, slots=True)
class State:
    """``laid``: the cards on the table; ``ends``: those that continue a row; ``first``: the first starter's rank.

    ``unknown``: play began in the middle of a deal, and cards that nobody has told us of may lie on the table.
    ``owed``: (card, offender, times): who shows this card is paid so often for a starter that the offender held back;
    in the order in which they fell due, card by card.
    """

    house: Any
    ranks: str
    whole: int
    live: tuple[int, ...]
    turn: int | None
    counts: tuple[int | None, ...]
    laid: int = 0
    ends: int = 0
    first: str = ""
    last: str = ""  # the suit of the card laid last
    passes: tuple[int, ...] = ()  # entries of the passes in a row
    skipped: int = 0  # turns in this row of passes that nobody took: their seats are away
    unknown: bool = False
    all_dealt: bool = False
    owed: tuple[tuple[Card, int, int], ...] = ()
    pool: int = 0  # what lies in it now
    over: bool = False
    dead: bool = False
    winner: int | None = None


Starters = Callable[[State], int]  # the cards that may open a row now
_SUIT = {suit: mask(Card(rank, suit) for rank in RANKS) for suit in SUITS}


@cache
def beside(ranks: str, corner: bool = False) -> dict[Card, int]:
    """The cards next to each card in its row; with ``corner`` the ends meet."""
    out = {}
    for i, rank in enumerate(ranks):
        near = ranks[max(i - 1, 0) : i] + ranks[i + 1 : i + 2]
        near += ranks[-1] if corner and i == 0 else ranks[0] if corner and i == len(ranks) - 1 else ""
        out.update({Card(rank, suit): mask(Card(r, suit) for r in near) for suit in SUITS})
    return out


def _near(state: State, card: Card) -> int:
    return beside(state.ranks, getattr(state.house, "corner", False)).get(card, 0)


def begin(deal: Deal, house: Any, book: tuple[int, ...], first: str = "") -> State:
    """The state before the first act: an empty table, or the cards that a script lays on it."""
    table, free = deal.cards("table"), deal.excerpt("table", book=book)
    turn = None if free else deal.first()
    state = State(house, deal.ranks(), mask(deal.pack()), deal.seats, turn, deal.counts(), mask(table), first=first)
    for card in table:
        state = replace(state, ends=(state.ends | _near(state, card)) & ~state.laid)
    return replace(state, unknown=free and not deal.complete(), pool=deal.number("pool"))


def antes(state: State, uneven: bool = False) -> tuple[State, tuple[Transfer, ...]]:
    """What each puts into the pool before the deal; with ``uneven`` the shorter hands put one more."""
    longest = max((count or 0 for count in state.counts), default=0)
    out = []
    for seat, count in zip(state.live, state.counts, strict=True):
        ante = state.house.ante + (1 if uneven and count is not None and count < longest else 0)
        out.append(
            Transfer(seat, "pool", ante, "ANTE", f"{{{seat}}} puts {plural(ante)} into the pool before the deal")
        )
    return replace(state, pool=state.pool + sum(t.counters for t in out)), tuple(out)


def lawful(state: State, starters: Starters) -> int:
    """Every card that could be laid now."""
    row = _SUIT[state.last] if state.last and getattr(state.house, "which_line", "any") == "last" else state.whole
    return ((state.ends & row) | starters(state)) & ~state.laid & state.whole


def judge(state: State, act: Act, starters: Starters, why_not: Callable[[State, Card], str]) -> Verdict:
    """A card laid, or a pass."""
    if act.do is Do.OPEN and act.card is not None:
        return _show(state, act, act.card)
    if act.do is Do.DOWN:
        return Verdict(state)
    if state.over:
        return refuse(state, "DEAL_OVER")
    if state.turn not in (act.seat, None):
        return refuse(state, "OUT_OF_TURN")
    if act.do is Do.LAY and act.card is not None:
        fits = lawful(state, starters) & BIT[act.card] or (state.unknown and not state.laid & BIT[act.card])
        return (
            _lay(state, act, act.card)
            if fits
            else refuse(state, why_not(state, act.card), f"{act.card.pretty} fits nowhere")
        )
    return _pass(state, act, lawful(state, starters)) if act.do is Do.PRESS else refuse(state, "NO_SUCH_ACT")


def _lay(state: State, act: Act, card: Card) -> Verdict:
    laid = state.laid | BIT[card]
    counts = less(state.counts, act.seat)
    new = replace(
        state,
        turn=after(state.live, act.seat),
        counts=counts,
        laid=laid,
        ends=(state.ends | _near(state, card)) & ~laid,
        first=state.first or card.rank,
        last=card.suit,
        passes=(),
        skipped=0,
    )
    shown = _show(new, act, card)
    return _won(shown, act) if counts[act.seat - 1] == 0 else shown


def _show(state: State, act: Act, card: Card) -> Verdict:
    """A card is shown: who held back its starter pays for it."""
    debts = [offender for owed, offender, times in state.owed if owed == card for _ in range(times)]
    why = f"{{{{seat}}}} pays {{{act.seat}}} {{n}}: the starter next to {card.pretty} was held back"
    transfers = tuple(
        Transfer(s, act.seat, state.house.held_starter_fine, "FINE", why.replace("{seat}", str(s)))
        for s in debts
        if s != act.seat
    )
    owed = tuple(pair for pair in state.owed if pair[0] != card) if debts else state.owed
    return Verdict(replace(state, owed=owed) if debts else state, transfers=transfers)


def _pass(state: State, act: Act, could: int) -> Verdict:
    seat, passes = act.seat, (*state.passes, act.entry)
    opening = not state.first and not state.unknown
    full = len(passes) + state.skipped >= len(state.live)
    free = opening and not state.house.opening_pass_pays
    pays = 0 if free or (full and not state.all_dealt and not getattr(state.house, "winner_no_pass_pay", True)) else 1
    may_keep = state.counts[seat - 1] == 1 and not getattr(state.house, "forced_going_out", True)
    claim = Claim((seat,), 0 if may_keep else could, "FALSE_PASS", f"{{{seat}}} passed")
    new = replace(state, turn=after(state.live, seat), passes=passes, pool=state.pool + pays)
    why = f"{{{seat}}} cannot play and pays 1 to the pool"
    paid = (Transfer(seat, "pool", pays, "PASS", why, (act.entry,)),)
    verdict = Verdict(new, transfers=paid, claims=(claim,))
    return _nobody_could(verdict) if full else verdict


def _nobody_could(verdict: Verdict) -> Verdict:
    """All in turn have passed: the deal is dead, but where all cards are dealt somebody holds one that fits."""
    new = verdict.state
    if new.all_dealt:
        says = (Ruling(Kind.NOTICE, "FULL_CIRCUIT", entries=new.passes),)
        return replace(verdict, state=replace(new, passes=(), skipped=0), says=says)
    new = replace(new, over=True, dead=True, turn=None)
    return replace(verdict, state=new, transfers=(*verdict.transfers, *_dead(new)))


def skip(state: State, seat: int) -> Verdict:
    """The turn of a seat that is away is nobody's: no counter, no claim; it counts as one that could not play [X]."""
    if state.turn != seat:
        return Verdict(state)
    new = replace(state, turn=after(state.live, seat), skipped=state.skipped + 1)
    full = len(new.passes) + new.skipped >= len(new.live)
    return _nobody_could(Verdict(new)) if full else Verdict(new)


def returned(state: State) -> State:
    """A seat is back: what it did not do in this round it may still do."""
    return replace(state, skipped=0)


def leave(state: State, seat: int) -> Verdict:
    """A seat leaves; his cards are dead, so that rows may be blocked for good as by a stock [X]."""
    live = without(state.live, seat)
    turn = after(live, seat) if state.turn == seat else state.turn
    new = replace(state, live=live, turn=turn, passes=(), skipped=0, all_dealt=False)
    return Verdict(new) if len(live) > 1 else _won(Verdict(new), Act(Do.SAY, live[0]))


def _dead(state: State) -> tuple[Transfer, ...]:
    """What the house does with the pool of a dead deal."""
    how = getattr(state.house, "dead_deal", "pool_stays")
    if how == "pool_stays":
        return ()
    fewest = min((n for s in state.live if (n := state.counts[s - 1]) is not None), default=None)
    winners = tuple(s for s in state.live if how == "split" or state.counts[s - 1] == fewest)
    each, _ = shares(state.pool, winners)
    return tuple(Transfer("pool", s, n, "DEAD", f"{{{s}}} takes {{n}}: the deal is dead") for s, n in each.items())


def _won(verdict: Verdict, act: Act) -> Verdict:
    state, seat = verdict.state, act.seat
    cards = tuple(
        Transfer(s, seat, count or 0, "CARDS", f"{{{s}}} pays {{{seat}}} 1 for each of the {count} cards left")
        for s, count in enumerate(state.counts, start=1)
        if s != seat and s in state.live
    )
    takes = Transfer("pool", seat, ALL, "POOL", f"{{{seat}}} is out first and takes the pool of {{n}}", (act.entry,))
    fines = Transfer("fines", seat, ALL, "FINES", f"{{{seat}}} takes the fines of {{n}}")
    won = replace(state, over=True, winner=seat, turn=None)
    return replace(verdict, state=won, transfers=(*verdict.transfers, takes, *cards, fines))


def proved(state: State, proof: Proof, starters: str) -> Verdict:
    """A pass was proved false: the house may fine it, and a starter held back besides."""
    seat, card = proof.seat or 0, proof.cards[0]
    why = f"{{{seat}}} is fined {{n}} for passing with {card.pretty}"
    fine = Transfer(seat, state.winner or "fines", state.house.false_pass_fine, "FINE", why, (proof.made.entry,))
    if state.house.held_starter_fine and card.rank in starters:
        for near in named(_near(state, card)):
            state = replace(state, owed=_one_more(state.owed, near, seat))
    return Verdict(state, transfers=(fine,))


def _one_more(owed: tuple[tuple[Card, int, int], ...], card: Card, seat: int) -> tuple[tuple[Card, int, int], ...]:
    """``seat`` owes once more for ``card``: counted where he was the last to owe for it, so that passing for ever with
    a starter in hand does not lengthen the list.
    """
    last = max((i for i, debt in enumerate(owed) if debt[0] == card), default=None)
    if last is None or owed[last][1] != seat:
        return (*owed, (card, seat, 1))
    return (*owed[:last], (card, seat, owed[last][2] + 1), *owed[last + 1 :])


def due(state: State, start_with: str) -> Due:
    """Play or pass."""
    who = f"{{{state.turn}}}" if state.turn else "anybody"
    if state.over:
        return Due(
            "",
            words=f"{{{state.winner}}} is out first and wins" if state.winner else "nobody can play: the deal is dead",
        )
    if not state.first and not state.unknown:
        return Due("LEAD", state.turn, words=f"{who} to begin with {start_with}, or to pass")
    return Due("PLAY", state.turn, 1, words=f"{who} to play, or to pass and pay 1")


def result(state: State, books: Books) -> dict[str, Any]:
    """By FORMAT.md."""
    cards, pool = books.paid("CARDS"), books.ledger.under("pool", "ANTE", "PASS", "CARRIED")
    cards.pop(books.name(state.winner) or "", None)
    return {
        "violations": books.fouls(),
        "false_passes": books.shown(),
        "paid": books.paid("ANTE", "PASS"),
        "pool": 0 if state.winner else books.ledger.balance("pool"),
        "winner": books.name(state.winner),
        "dead": state.dead,
        "next": books.name(state.turn),
        **books.when_over(state, card_payments=cards, winner_takes=pool + sum(cards.values()), **books.net_alone()),
        **({"fines": books.fines()} if state.house.false_pass_fine or state.house.held_starter_fine else {}),
        "counted": books.counted(),
    }


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """The deal passes to the left, where anybody could begin; a pool that nobody won waits."""
    if not state.over:
        return None
    begun = state.laid or state.winner
    return after(state.live, books.deal.dealer) if begun else books.deal.dealer, books.waiting()
