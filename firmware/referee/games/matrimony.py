"""Matrimony, as Foster has it.

Players and pack: any number of players, a full pack of 52. A layout of five divisions: Matrimony (any king with any
queen), Intrigue (any queen with any jack), Confederacy (any king with any jack), Pair (any two of a rank) and Best (the
ace of diamonds). Suits do not matter.
Staking: the dealer puts any number of counters on the layout, spread as he likes; each other player puts exactly one
counter fewer, spread as he likes.

Deal: one card face down to each, then one face up. If an up-card is the ace of diamonds its holder takes everything on
the layout, nobody turns his down card, and the next dealer begins a fresh pool.
Play: otherwise each in turn from the dealer's left turns up his down card. The first whose two cards are a Matrimony
takes that division; so with Intrigue, Confederacy and Pair. A hand wins one division at most. The ace of diamonds
turned up as a down card is only half of a pair. What nobody wins stays and is added to. The deal passes to the left.

What the referee sees: everything; nothing is hidden at the end, so that every claim is settled at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..acts import ALL, Act, Do, Due, Opening, Transfer, Verdict, after, refuse, round_from
from ..books import Books
from ..cards import Card
from ..deal import Deal
from ..house import BadSetup, broke_rule, counters_rule, rule, shown
from ..ledger import BEFORE
from ..rulings import Kind, Ruling

TITLE = "Matrimony"
SEATS = (2, 26)  # players, least and most
MOVES = ("turn",)
HANDS = False

DIVISIONS = ("matrimony", "intrigue", "confederacy", "pair", "best")
_HANDS = {frozenset("KQ"): "matrimony", frozenset("QJ"): "intrigue", frozenset("KJ"): "confederacy"}
_BEST = Card("A", "D")


@dataclass(frozen=True, slots=True)
class House:
    """House rules of Matrimony."""

    stake_less: str = rule(
        "exactly",
        "The others stake exactly one counter fewer than the dealer, or at most.",
        "[F]",
        "exactly",
        "at_most",
    )
    zero_stake: bool = rule(True, "A dealer may stake one counter, so that the others stake none.", "[F]")
    best_only_up: bool = rule(True, "The ace of diamonds takes only when dealt up; else also Best when turned.", "[F]")
    sweep_first: bool = rule(True, "The ace of diamonds among the up-cards goes before any hand.", "[F]")
    two_winners: str = rule("first", "The first to show a hand takes the whole division.", "[F]", "first")
    down_pair_and_up: str = rule("own", "Only one's own two cards count.", "[F]", "own")
    fresh_pool_after_sweep: bool = rule(True, "After a sweep the layout is empty.", "[F]")
    broke: str = broke_rule()
    counters: int = counters_rule()


@dataclass(frozen=True, slots=True)
class State:
    """``up`` and ``down``: the open cards by seat; ``faults``: wrong stakes; ``wins``: seat and division."""

    house: House
    live: tuple[int, ...]
    dealer: int
    up: tuple[tuple[int, Card], ...] = ()
    down: tuple[tuple[int, Card], ...] = ()
    faults: tuple[tuple[int, str], ...] = ()
    wins: tuple[tuple[int, str], ...] = ()
    over: bool = False
    winner: int | None = None

    @property
    def turn(self) -> int | None:
        """Who turns his down card next; None while up-cards are dealt and when all is shown."""
        order = round_from(self.live, self.dealer)
        return order[len(self.down)] if len(self.up) == len(order) > len(self.down) and not self.over else None


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """Two cards each."""
    return (2,) * players, 52 - 2 * players


def start(deal: Deal, house: House) -> Opening:
    """Stakes and what was carried over; a script gives the cards too."""
    stakes = _stakes(deal)
    state = State(house, deal.seats, deal.dealer)
    faults = _faults(state, {seat: sum(put.values()) for seat, put in stakes.items()})
    carried = [Transfer(BEFORE, name, n, "CARRIED", "") for name, n in deal.amounts("carried", DIVISIONS).items()]
    put = [
        Transfer(seat, name, n, "STAKE", f"{{{seat}}} stakes {{n}} on {name}")
        for seat, spread in stakes.items()
        for name, n in spread.items()
    ]
    verdict = Verdict(replace(state, faults=faults))
    acts = [
        (Do.LAY, seat, cards[0])
        for name in ("up", "down")
        for seat, cards in _in_order(state, deal.hands(name))
        if cards
    ]
    for do, seat, card in acts:
        more = judge(verdict.state, Act(do, seat, card, f"seat-{seat}"))
        verdict = Verdict(more.state, transfers=(*verdict.transfers, *more.transfers), says=(*verdict.says, *more.says))
    says = tuple(Ruling(Kind.NOTICE, code, seat=seat) for seat, code in faults)
    return Opening(
        verdict.state, deal.pack(), (None,) * len(deal.seats), (), (*carried, *put, *verdict.transfers), says
    )


def _stakes(deal: Deal) -> dict[int, dict[str, int]]:
    out = {}
    for seat, spread in deal.by_seat("stakes").items():
        where = f"stakes.{deal.name(seat)}"
        if not isinstance(spread, Mapping) or set(spread) - set(DIVISIONS):
            raise BadSetup(f"{where}: counters for {', '.join(DIVISIONS)}, not {shown(spread)}")
        if not all(type(n) is int and n >= 0 for n in spread.values()):
            raise BadSetup(f"{where}: whole numbers from 0 are needed, not {shown(spread)}")
        out[seat] = dict(spread)
    return out


def _faults(state: State, staked: dict[int, int]) -> tuple[tuple[int, str], ...]:
    """Who has staked another number than the dealer's less one."""
    if state.dealer not in staked:
        return ()
    due = staked[state.dealer] - 1
    exact = state.house.stake_less == "exactly"
    wrong = [s for s, n in staked.items() if s != state.dealer and (n > due or (exact and n != due))]
    wrong += [state.dealer] if due < 0 or (due == 0 and not state.house.zero_stake) else []
    return tuple((s, "STAKE_NOT_ONE_LESS") for s in sorted(wrong))


def _in_order(state: State, cards: dict[int, tuple[Card, ...]]) -> list[tuple[int, tuple[Card, ...]]]:
    return [(s, cards[s]) for s in round_from(state.live, state.dealer) if s in cards]


def judge(state: State, act: Act) -> Verdict:
    """A card dealt up, or a down card turned."""
    if act.do not in (Do.LAY, Do.OPEN) or act.card is None:
        return Verdict(state, moves=0) if act.do in (Do.DOWN, Do.PRESS) else refuse(state, "NO_SUCH_ACT")
    if state.over:
        return refuse(state, "DEAL_OVER")
    if act.seat not in dict(state.up):
        return _dealt_up(replace(state, up=(*state.up, (act.seat, act.card))))
    if act.seat != state.turn:
        return refuse(state, "OUT_OF_TURN")
    return _turned(state, act.seat, act.card)


def _dealt_up(state: State) -> Verdict:
    """When all have their up-card, the ace of diamonds among them sweeps the layout."""
    seat = next((s for s, card in state.up if card == _BEST), None)
    if seat is None or len(state.up) < len(state.live):
        return Verdict(state)
    why = f"{{{seat}}} has the ace of diamonds face up and takes {{n}}"
    takes = tuple(Transfer(name, seat, ALL, "ALL", why) for name in DIVISIONS)
    return Verdict(replace(state, over=True, winner=seat, wins=((seat, "all"),)), transfers=takes)


def _turned(state: State, seat: int, card: Card) -> Verdict:
    """The down card and the up-card of one seat: the first of its kind takes the division."""
    up = dict(state.up)[seat]
    new = replace(state, down=(*state.down, (seat, card)))
    new = replace(new, over=len(new.down) == len(new.live))
    name = "pair" if up.rank == card.rank else _HANDS.get(frozenset(up.rank + card.rank), "")
    if card == _BEST and not state.house.best_only_up:
        name = "best"
    if not name or name in {taken for _, taken in state.wins}:
        return Verdict(new)
    why = f"{{{seat}}} shows {up.pretty} and {card.pretty} and takes the {{n}} of {name}"
    take = Transfer(name, seat, ALL, name.upper(), why)
    return Verdict(replace(new, wins=(*state.wins, (seat, name))), transfers=(take,))


def due(state: State) -> Due:
    """Deal up, or turn the down card."""
    if state.over:
        return Due("", words="all is shown; what nobody won stays on the layout")
    if state.turn is None:
        return Due("DEAL", state.dealer, words=f"{{{state.dealer}}} to deal a card face up to each")
    return Due("EXPOSE", state.turn, 1, words=f"{{{state.turn}}} to turn up the card that lies face down")


def result(state: State, books: Books) -> dict[str, Any]:
    """By FORMAT.md."""
    lines = [x for x in books.ledger.lines if isinstance(x.to, int)]
    wins = []
    for seat, name in state.wins:
        counters = sum(x.counters for x in lines if x.to == seat and name in ("all", x.source))
        wins += [[books.names[seat], name, counters]] if counters else []
    return {
        "violations": [
            [books.names[s], code] for s, code in (*state.faults, *((v.seat, v.code) for v in books.violations))
        ],
        "layout": {name: books.ledger.under(name, "CARRIED", "STAKE") for name in DIVISIONS},
        "wins": wins,
        "left": {name: books.ledger.balance(name) for name in DIVISIONS},
        "next_dealer": books.name(after(state.live, state.dealer)),
    }


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """The deal passes to the left; what was not won stays."""
    if not state.over:
        return None
    left = {name: n for name in DIVISIONS if (n := books.ledger.balance(name))}
    return after(state.live, state.dealer), {"carried": left} if left else {}
