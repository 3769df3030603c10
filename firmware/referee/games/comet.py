"""Comet, also called Commit, played with one pack.

Players and pack: 2 to 5 players, 51 cards: the eight of diamonds is left out, and the nine of diamonds is the comet.
The ace is low, the king high; suits do not count. All get the same number of cards, the few left over lie aside unseen.

Play: the player on the dealer's left leads any card and goes on upward by rank, in any suits, as long as he can; then
he presses to say that he has not the next rank, and the next player goes on or presses. When all have pressed, whoever
laid the last card leads again. The comet may be laid in place of any card; it ends the line, and so does a king: who
laid it leads again. Who lays a king is paid a counter by each other player, for the comet two.

End: whoever is out first is paid a counter for each card in the others' hands.

What the referee proves: a press was false when the same seat shows a card of the wanted rank later. The comet may be
kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..acts import Act, Claim, Do, Due, Opening, Transfer, Verdict, after, less, mask, refuse, without
from ..books import Books
from ..cards import BIT, RANKS, SUITS, Card
from ..cards import pack as whole_pack
from ..deal import Deal
from ..house import broke_rule, counters_rule, rule, settled
from ..knowledge import Proof
from ._stops import cards_left

TITLE = "Comet (Commit)"
SEATS = (2, 5)  # players, least and most
MOVES = ("play", "pass")
HANDS = True

_COMET, _REMOVED = Card("9", "D"), Card("8", "D")


@dataclass(frozen=True, slots=True)
class House:
    """House rules of Comet."""

    pack: str = settled(
        "one",
        "One pack is played with. The two special packs of the old game hold each card twice, so that no card could be "
        "told from its double.",
        "[W] has both",
    )
    king_draws: int = rule(1, "Counters from each other player for a king laid.", "[W] in Commit; 0 in Comet")
    comet_draws: int = rule(2, "Counters from each other player for the comet.", "[W]")
    per_card: int = rule(1, "Counters for each card left in a hand.", "[W]")
    false_pass_fine: int = rule(0, "Fine for each press that is proved false, to the winner.", "[X]")
    broke: str = broke_rule()
    counters: int = counters_rule()


@dataclass(frozen=True, slots=True)
class State:
    """``leader`` must lead; or the rank ``need`` is wanted from ``turn``. ``last`` laid the last card."""

    house: House
    live: tuple[int, ...]
    counts: tuple[int | None, ...]
    leader: int | None
    need: str = ""
    turn: int | None = None
    last: int = 0
    noes: int = 0
    gone: int = 0  # cards that nobody can lay
    over: bool = False
    winner: int | None = None


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """The same for each, as many as the pack allows, and what is left over."""
    each, rest = divmod(51, players)
    return (each,) * players, rest


def start(deal: Deal, house: House) -> Opening:
    """The hands are dealt; nothing is staked."""
    cards = tuple(card for card in deal.pack() if card != _REMOVED)
    state = State(house, deal.seats, deal.counts(), deal.first(), gone=mask(whole_pack()) & ~mask(cards))
    return Opening(state, cards, state.counts)


def judge(state: State, act: Act) -> Verdict:
    """A card laid, or a press."""
    if act.do in (Do.OPEN, Do.DOWN):
        return Verdict(state)
    if state.over:
        return refuse(state, "DEAL_OVER")
    if act.do is Do.PRESS:
        return _cannot(state, act)
    if act.do is not Do.LAY or act.card is None:
        return refuse(state, "NO_SUCH_ACT")
    code = _wrong(state, act.seat, act.card)
    return refuse(state, code, f"{act.card.pretty} was laid") if code else _lay(state, act, act.card)


def _wrong(state: State, seat: int, card: Card) -> str:
    """The code of the foul that laying ``card`` would be, "" when it is lawful."""
    if seat != (state.turn if state.need else state.leader):
        return "OUT_OF_TURN" if state.need else "NOT_THE_LEADER"
    fits = card.rank == state.need or card == _COMET or not state.need
    return "" if fits and not state.gone & BIT[card] else "WRONG_CARD"


def _of(rank: str) -> int:
    return mask(Card(rank, suit) for suit in SUITS)


def _lay(state: State, act: Act, card: Card) -> Verdict:
    counts, gone = less(state.counts, act.seat), state.gone | BIT[card]
    following = RANKS[RANKS.index(card.rank) + 1 :][:1]
    stops = card == _COMET or not following or not _of(following) & ~gone
    new = replace(
        state,
        counts=counts,
        gone=gone,
        need="" if stops else following,
        leader=act.seat if stops else None,
        turn=None if stops else act.seat,
        last=act.seat,
        noes=0,
    )
    draws = _draws(new, act, card)
    return _won(new, act.seat, draws) if counts[act.seat - 1] == 0 else Verdict(new, transfers=draws)


def _draws(state: State, act: Act, card: Card) -> tuple[Transfer, ...]:
    """What each other player pays for a king or the comet."""
    each = state.house.comet_draws if card == _COMET else state.house.king_draws if card.rank == "K" else 0
    why = f"{{{{seat}}}} pays {{{act.seat}}} {{n}} for {card.pretty}"
    return tuple(
        Transfer(s, act.seat, each, "DRAW", why.replace("{seat}", str(s)), (act.entry,))
        for s in without(state.live, act.seat)
    )


def _won(state: State, seat: int, before: tuple[Transfer, ...]) -> Verdict:
    cards = cards_left(state.live, state.counts, seat, state.house.per_card)
    new = replace(state, over=True, winner=seat, leader=None, turn=None, need="")
    return Verdict(new, transfers=(*before, *cards))


def _cannot(state: State, act: Act) -> Verdict:
    """The seat to act has not the wanted rank."""
    if not state.need:
        return refuse(state, "MUST_START" if act.seat == state.leader else "NOT_THE_LEADER")
    if act.seat != state.turn:
        return refuse(state, "OUT_OF_TURN")
    cards = _of(state.need) & ~state.gone & ~BIT[_COMET]
    claim = Claim((act.seat,), cards, "FALSE_PASS", f"{{{act.seat}}} went no further than before the {state.need}")
    return Verdict(_passed(state, act.seat), claims=(claim,))


def _passed(state: State, seat: int) -> State:
    noes = state.noes + 1
    if noes >= len(state.live):
        return replace(state, need="", leader=state.last, turn=None, noes=0)
    return replace(state, turn=after(state.live, seat), noes=noes)


def skip(state: State, seat: int) -> Verdict:
    """A seat is away: the next one leads or goes on for it."""
    if seat == state.leader:
        return Verdict(replace(state, leader=after(state.live, seat)))
    return Verdict(_passed(state, seat)) if seat == state.turn else Verdict(state)


def leave(state: State, seat: int) -> Verdict:
    """A seat leaves; its line ends, and the next seat leads [X]."""
    live = without(state.live, seat)
    mine = seat in (state.leader, state.turn, state.last if state.need else None)
    new = replace(state, live=live)
    new = replace(new, need="", leader=after(live, seat), turn=None, noes=0) if mine else new
    return Verdict(new) if len(live) > 1 else _won(new, live[0], ())


def proved(state: State, proof: Proof) -> Verdict:
    """A press was proved false."""
    seat, to = proof.seat or 0, state.winner or "fines"
    why = f"{{{seat}}} is fined {{n}} for keeping {proof.cards[0].pretty}"
    return Verdict(
        state, transfers=(Transfer(seat, to, state.house.false_pass_fine, "FINE", why, (proof.made.entry,)),)
    )


def due(state: State) -> Due:
    """Lead any card, or go on with the next rank."""
    if state.over:
        return Due("", words=f"{{{state.winner}}} is out first and wins")
    if not state.need:
        return Due("LEAD", state.leader, 1, words=f"{{{state.leader}}} to lead any card")
    rank = Card(state.need, "S").words.split()[0]
    article = "an" if state.need in "A8" else "a"
    words = f"{{{state.turn}}} to go on with {article} {rank} or the comet, or to say no"
    return Due("PLAY", state.turn, 1, words=words)


def result(state: State, books: Books) -> dict[str, Any]:
    """Fouls, proofs, who won, what each has won or lost."""
    cards = books.paid("CARDS")
    cards.pop(books.name(state.winner) or "", None)
    waiting = {"seat": books.name(state.turn or state.leader), "need": state.need or None}
    return {
        "violations": books.fouls(),
        "false_passes": books.shown(),
        "winner": books.name(state.winner),
        "net": books.net(),
        "next": None if state.over else waiting,
        **books.when_over(state, card_payments=cards),
        **({"fines": books.fines()} if state.house.false_pass_fine else {}),
        "counted": books.counted(),
    }


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """The deal passes to the left."""
    return (after(state.live, books.deal.dealer), books.waiting()) if state.over else None
