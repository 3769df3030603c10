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
In the older version with three cards (two face down) a hand takes every division that any two of its cards make.

What the referee sees: everything; nothing is hidden at the end, so that every claim is settled at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..acts import ALL, Act, Do, Due, Opening, Transfer, Verdict, after, refuse, round_from, without
from ..books import Books
from ..cards import Card
from ..deal import Deal
from ..house import BadSetup, broke_rule, counters_rule, rule, settled, shown
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

    version: str = rule(
        "foster",
        "Two cards each, one of them face down; or three, two face down.",
        "[F]; three [C]",
        "foster",
        "cassell",
    )
    stake_less: str = rule(
        "exactly",
        "The others stake exactly one counter fewer than the dealer, or at most.",
        "[F]",
        "exactly",
        "at_most",
    )
    zero_stake: bool = rule(True, "A dealer may stake one counter, so that the others stake none.", "[F]")
    best_only_up: bool = rule(True, "The ace of diamonds takes only when dealt up; else also Best when turned.", "[F]")
    sweep_first: bool = rule(
        True,
        "The ace of diamonds dealt up takes all before any hand counts; or what is left after all have shown.",
        "[F]",
    )
    two_winners: str = settled("first", "The first to show a hand takes the whole division.", "[F]")
    down_pair_and_up: str = settled("own", "Only one's own two cards count.", "[F]")
    fresh_pool_after_sweep: bool = rule(
        True, "A sweep takes what was carried over too; or only the stakes of its deal.", "[F] a fresh pool"
    )
    order_of_exposure: str = settled("eldest", "From the dealer's left each turns up, the dealer last.", "[F]")
    broke: str = broke_rule()
    counters: int = counters_rule()


@dataclass(frozen=True, slots=True)
class State:
    """``up`` and ``down``: the open cards by seat; ``faults``: wrong stakes; ``wins``: seat and division.

    ``staked``: what this deal put on each division.
    """

    house: House
    live: tuple[int, ...]
    dealer: int
    up: tuple[tuple[int, Card], ...] = ()
    down: tuple[tuple[int, Card], ...] = ()
    faults: tuple[tuple[int, str], ...] = ()
    wins: tuple[tuple[int, str], ...] = ()
    staked: tuple[tuple[str, int], ...] = ()
    over: bool = False
    winner: int | None = None

    @property
    def turn(self) -> int | None:
        """Who turns his down card next; None while up-cards are dealt and when all is shown."""
        if self.over or len(self.up) < len(self.live):
            return None
        turned = [seat for seat, _ in self.down]
        order = round_from(self.live, self.dealer)
        return next((seat for seat in order if turned.count(seat) < self.face_down), None)

    @property
    def face_down(self) -> int:
        """Cards that each has face down."""
        return 1 if self.house.version == "foster" else 2


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """Two cards each, three in the older version."""
    each = 2 if house.version == "foster" else 3
    return (each,) * players, 52 - each * players


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
    staked = tuple((name, sum(spread.get(name, 0) for spread in stakes.values())) for name in DIVISIONS)
    verdict = Verdict(replace(state, faults=faults, staked=staked))
    acts = [
        (Do.LAY, seat, card)
        for name in ("up", "down")
        for seat, cards in _in_order(state, deal.hands(name))
        for card in cards
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
    put = [(s, staked.get(s, 0)) for s in state.live if s != state.dealer]
    wrong = [s for s, n in put if n > due or (exact and n != due)]
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
    if len(state.up) < len(state.live) or not state.house.sweep_first:
        return Verdict(state)
    return _swept(state, ())


def _swept(state: State, before: tuple[Transfer, ...]) -> Verdict:
    """Who has the ace of diamonds face up takes the layout, or what is left of this deal's stakes."""
    seat = next((s for s, card in state.up if card == _BEST), None)
    if seat is None:
        return Verdict(state, transfers=before)
    why = f"{{{seat}}} has the ace of diamonds face up and takes {{n}}"
    taken, fresh = {name for _, name in state.wins}, state.house.fresh_pool_after_sweep
    lies = [(name, ALL if fresh else n) for name, n in state.staked if name not in taken]
    takes = tuple(Transfer(name, seat, n, "ALL", why) for name, n in lies)
    new = replace(state, over=True, winner=seat, wins=(*state.wins, (seat, "all")))
    return Verdict(new, transfers=(*before, *takes))


def _turned(state: State, seat: int, card: Card) -> Verdict:
    """A down card beside the seat's other open cards: the first of its kind takes the division."""
    new = replace(state, down=(*state.down, (seat, card)))
    taken = {name for _, name in state.wins}
    others = [c for s, c in (*state.up, *state.down) if s == seat]
    found = {name: other for other in reversed(others) if (name := _division(state.house, other, card))}
    names = [name for name in DIVISIONS if name in found and name not in taken]
    takes = tuple(Transfer(name, seat, ALL, name.upper(), _shows(seat, found[name], card, name)) for name in names)
    last = new.turn is None
    new = replace(new, over=last, wins=(*state.wins, *((seat, name) for name in names)))
    return _swept(new, takes) if last else Verdict(new, transfers=takes)


def _division(house: House, one: Card, other: Card) -> str:
    """The division that two cards win, "" for none."""
    if other == _BEST and not house.best_only_up:
        return "best"
    return "pair" if one.rank == other.rank else _HANDS.get(frozenset(one.rank + other.rank), "")


def _shows(seat: int, one: Card, other: Card, name: str) -> str:
    return f"{{{seat}}} shows {one.pretty} and {other.pretty} and takes the {{n}} of {name}"


def leave(state: State, seat: int) -> Verdict:
    """A seat leaves: his cards are out of play, what he staked stays [X]."""
    up, down = (tuple(pair for pair in pairs if pair[0] != seat) for pairs in (state.up, state.down))
    new = replace(state, live=without(state.live, seat), up=up, down=down)
    if new.turn is None and len(up) == len(new.live):
        return _swept(replace(new, over=True), ())
    return _dealt_up(new)


def due(state: State) -> Due:
    """Deal up, or turn the down card."""
    if state.over:
        return Due("", words="all is shown; what nobody won stays on the layout")
    if state.turn is None:
        if state.dealer not in state.live:
            return Due("DEAL", words="a card is dealt face up to each")
        return Due("DEAL", state.dealer, words=f"{{{state.dealer}}} to deal a card face up to each")
    return Due("EXPOSE", state.turn, 1, words=f"{{{state.turn}}} to turn up the card that lies face down")


def result(state: State, books: Books) -> dict[str, Any]:
    """By FORMAT.md."""
    lines = [x for x in books.ledger.lines if isinstance(x.to, int)]
    wins = []
    for seat, name in state.wins:
        counters = sum(x.counters for x in lines if x.to == seat and x.code == name.upper())
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
