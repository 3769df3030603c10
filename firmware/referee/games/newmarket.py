"""Newmarket, with the older games that differ little (Stops, Boodle).

Players and pack: 3 to 8 players, a full pack of 52. Four cards of another pack, the boodles (ace of hearts, king of
clubs, queen of diamonds, jack of spades), are laid out. Everybody puts a counter on each of them and one into the
kitty. All the cards are dealt to the players and to one dead hand more, which nobody sees.

Play: the player on the dealer's left leads the lowest card that he holds of a suit. Whoever holds the next higher card
of the suit lays it, not in turn, and so on until nobody has the next: then the player of the last card presses to say
stop, and leads the lowest card of a suit of the other colour. If he has none he presses, and the lead passes on.
Taking: whoever lays the same card as a boodle takes what lies on it.

End: whoever is out first takes the kitty and a counter for each card in the others' hands. What lies on the boodles
stays.

What the referee proves: a stop is false when the wanted card comes out of a hand later; so are a lead that was not the
lowest, and a press for want of the other colour.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..acts import ALL, Act, Claim, Do, Due, Opening, Transfer, Verdict, after, less, mask, number, put, refuse, without
from ..books import Books
from ..cards import BIT, RANKS, SUITS, Card, pack
from ..deal import Deal, evenly
from ..house import BadSetup, broke_rule, counters_rule, rule, shown
from ..knowledge import Proof
from ..ledger import BEFORE
from ._stops import cards_left, held_back, held_back_fine

TITLE = "Newmarket"
SEATS = (3, 8)  # players, least and most
MOVES = ("play", "stop", "pass", "buy")
HANDS = True

_COLOUR = {"H": "red", "D": "red", "S": "black", "C": "black"}
_REMOVED: dict[str, tuple[Card, ...]] = {
    "none": (),
    "8D": (Card("8", "D"),),
    "sevens": tuple(Card("7", suit) for suit in SUITS),
}


@dataclass(frozen=True, slots=True)
class House:
    """House rules of Newmarket."""

    ace: str = rule("high", "The ace is the highest or the lowest card.", "[W]; low in 1880", "high", "low")
    boodles: str = rule("AH KC QD JS", "The cards of the layout.", "[W]")
    stake: int = rule(1, "Counters that each puts on every boodle.", "[W]")
    kitty: int = rule(1, "Counters that each puts into the kitty.", "[W]")
    colour_change: bool = rule(True, "After a stop the new line is of the other colour.", "[W]")
    lead_lowest: bool = rule(True, "The lowest card held of the suit must be led.", "[W]")
    removed: str = rule("none", "Cards that are left out.", "[W]; 8D American 1885; sevens [P]", "none", "8D", "sevens")
    pays: str = rule(
        "card", "A boodle goes to who lays the same card, or the card below it.", "[W]; below [P]", "card", "below"
    )
    dead_hand: str = rule(
        "closed",
        "The dead hand stays closed; or the dealer may take it for his own before the first card; or who bids most for "
        "it, into the kitty; or none is dealt.",
        "[W] hands are bought in some rules; none in the old game",
        *("closed", "dealer", "auction", "none"),
    )
    unclaimed: str = rule(
        "stay", "What nobody takes stays on the boodles, or who is out first takes it too.", "[W]", "stay", "winner"
    )
    per_card: int = rule(1, "Counters for each card left in a hand.", "[W]")
    held_back_fine: int = rule(0, "Fine for a card held back.", "[X]")
    broke: str = broke_rule()
    counters: int = counters_rule()


@dataclass(frozen=True, slots=True)
class State:
    """``leader`` leads, in another colour than ``colour``; or ``need`` is wanted and ``last`` laid the last card."""

    house: House
    live: tuple[int, ...]
    counts: tuple[int | None, ...]
    leader: int | None
    dealer: int
    dead: int | None = None  # cards in the dead hand while it can be changed
    free: bool = False
    gone: int = 0
    need: Card | None = None
    last: int = 0
    colour: str = ""
    asked: int = 0  # how many in a row had nothing to lead
    over: bool = False
    winner: int | None = None

    @property
    def ranks(self) -> str:
        """The ranks from the lowest."""
        return RANKS if self.house.ace == "low" else RANKS[1:] + "A"


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """Cards for each place from the dealer's left, the surplus with the dead hand."""
    whole = 52 - len(_REMOVED[house.removed])
    if house.dead_hand == "none":
        return evenly(whole, players), 0
    each = whole // (players + 1)
    return (each,) * players, whole - each * players


def start(deal: Deal, house: House) -> Opening:
    """The boodles and the kitty are staked, or lie there already."""
    boodles = _boodles(house)
    removed = _REMOVED[house.removed]
    free = deal.setup.dealer is None and deal.excerpt()
    first = None if free else deal.first()
    state = State(house, deal.seats, deal.counts(), first, deal.dealer, _dead_hand(deal, house), free, mask(removed))
    if deal.has("layout", "kitty"):
        lies = {**deal.amounts("layout", boodles), "kitty": deal.number("kitty")}
        paid = [Transfer(BEFORE, name, n, "CARRIED", "") for name, n in lies.items()]
    else:
        carried = deal.amounts("carried", (*boodles, "kitty"))
        paid = [Transfer(BEFORE, name, n, "CARRIED", "") for name, n in carried.items()]
        each = {**dict.fromkeys(boodles, house.stake), "kitty": house.kitty}
        paid += [
            Transfer(s, name, n, "STAKE", f"{{{s}}} stakes {{n}} on {name}")
            for s in deal.seats
            for name, n in each.items()
        ]
    return Opening(state, tuple(c for c in deal.pack() if c not in removed), state.counts, (), tuple(paid))


def _dead_hand(deal: Deal, house: House) -> int | None:
    """How many cards lie in the dead hand: what is told, else what the hands leave of the pack."""
    counts, told = deal.counts(), deal.size("stock")
    if told is None and None not in counts:
        told = len([card for card in deal.pack() if card not in _REMOVED[house.removed]]) - sum(n or 0 for n in counts)
    return told if told and told > 0 else None


def _boodles(house: House) -> tuple[str, ...]:
    names = tuple(house.boodles.split())
    known = set(map(str, pack()))
    if not names or len(set(names)) != len(names) or not set(names) <= known:
        raise BadSetup(f"house rule 'boodles': cards such as AH KC QD JS, not {shown(house.boodles)}")
    return names


def judge(state: State, act: Act) -> Verdict:
    """A card laid, a stop, or nothing to lead."""
    if act.do in (Do.OPEN, Do.DOWN):
        return Verdict(state)
    if state.over:
        return refuse(state, "DEAL_OVER")
    if act.do is Do.LAY and act.card is not None:
        code = _wrong(state, act.seat, act.card)
        return refuse(state, code, f"{act.card.pretty} was laid") if code else _lay(state, act, act.card)
    if act.do is Do.SAY and act.word == "buy":
        return _bought(state, act)
    if act.do is not Do.PRESS:
        return refuse(state, "NO_SUCH_ACT")
    return _stop(state, act, state.need) if state.need else _no_lead(state, act)


def _wrong(state: State, seat: int, card: Card) -> str:
    """The code of the foul that laying ``card`` would be, "" when it is lawful."""
    if state.need is not None:
        return "" if card == state.need else "WRONG_CARD"
    if not state.free and seat != state.leader:
        return "NOT_THE_LEADER"
    if state.gone & BIT[card]:
        return "WRONG_CARD"
    return "WRONG_COLOUR" if state.house.colour_change and _COLOUR[card.suit] == state.colour else ""


def _lay(state: State, act: Act, card: Card) -> Verdict:
    counts, gone = less(state.counts, act.seat), state.gone | BIT[card]
    need = _step(state, card, 1)
    need = None if need is None or gone & BIT[need] else need
    leader = act.seat if need is None else None
    new = replace(
        state, counts=counts, gone=gone, need=need, leader=leader, free=False, last=act.seat, colour="", asked=0
    )
    new = replace(new, colour=_COLOUR[card.suit] if need is None else "")
    claims = (_lowest(state, act, card),) if state.need is None and state.house.lead_lowest else ()
    takes = _takes(state, act, card)
    return _won(new, act, takes, claims) if counts[act.seat - 1] == 0 else Verdict(new, transfers=takes, claims=claims)


def _step(state: State, card: Card, by: int) -> Card | None:
    i = state.ranks.index(card.rank) + by
    return Card(state.ranks[i], card.suit) if 0 <= i < len(state.ranks) else None


def _lowest(state: State, act: Act, card: Card) -> Claim:
    lower = state.ranks[: state.ranks.index(card.rank)]
    cards = mask(Card(rank, card.suit) for rank in lower) & ~state.gone
    return Claim((act.seat,), cards, "NOT_THE_LOWEST", f"{{{act.seat}}} led {card.pretty} as the lowest")


def _takes(state: State, act: Act, card: Card) -> tuple[Transfer, ...]:
    boodle = card if state.house.pays == "card" else _step(state, card, 1)
    if boodle is None or str(boodle) not in state.house.boodles.split():
        return ()
    why = f"{{{act.seat}}} laid {card.pretty} and takes the {{n}} of {boodle.pretty}"
    return (Transfer(str(boodle), act.seat, ALL, "BOODLE", why, (act.entry,)),)


def _won(state: State, act: Act, takes: tuple[Transfer, ...], claims: tuple[Claim, ...]) -> Verdict:
    seat = act.seat
    kitty = Transfer("kitty", seat, ALL, "KITTY", f"{{{seat}}} is out first and takes the kitty of {{n}}", (act.entry,))
    cards = cards_left(state.live, state.counts, seat, state.house.per_card)
    left = tuple(
        Transfer(name, seat, ALL, "UNCLAIMED", f"{{{seat}}} takes the {{n}} that nobody took from {name}")
        for name in (state.house.boodles.split() if state.house.unclaimed == "winner" else ())
    )
    fines = Transfer("fines", seat, ALL, "FINES", f"{{{seat}}} takes the fines of {{n}}")
    new = replace(state, over=True, winner=seat, leader=None, need=None)
    return Verdict(new, transfers=(*takes, kitty, *left, *cards, fines), claims=claims)


def _bought(state: State, act: Act) -> Verdict:
    """Before the first card the dead hand is taken in place of one's own, for what was bid (``detail``)."""
    how, bid = state.house.dead_hand, number(act.detail)
    if how not in ("dealer", "auction") or bid is None:
        return refuse(state, "NO_SUCH_ACT", "the dead hand stays closed" if bid is not None else "a bid is a number")
    if state.last or state.dead is None:
        return refuse(state, "TOO_LATE", "the dead hand is changed once, and before the first card")
    if how == "dealer" and act.seat != state.dealer:
        return refuse(state, "OUT_OF_TURN", f"only {{{state.dealer}}} may take the dead hand")
    price = bid if how == "auction" else 0
    why = f"{{{act.seat}}} buys the dead hand for {{n}}, into the kitty"
    return Verdict(
        replace(state, counts=put(state.counts, act.seat, state.dead), dead=None),
        transfers=(Transfer(act.seat, "kitty", price, "BUY", why, (act.entry,)),),
        new_hands=((act.seat, state.dead),),
    )


def _stop(state: State, act: Act, need: Card) -> Verdict:
    """The player of the last card says that nobody has the next."""
    if act.seat != state.last:
        return refuse(state, "OUT_OF_TURN", f"{{{state.last}}} laid the last card and says stop")
    claim = held_back(state.live, need, act.seat)
    return Verdict(replace(state, need=None, leader=act.seat, colour=_COLOUR[need.suit]), claims=(claim,))


def _no_lead(state: State, act: Act) -> Verdict:
    """The leader has no card of the other colour: the lead passes on; round the table, the colour is free."""
    if act.seat != state.leader:
        return refuse(state, "NOT_THE_LEADER")
    if not state.colour or not state.house.colour_change:
        return refuse(state, "MUST_START")
    other = mask(card for card in pack() if _COLOUR[card.suit] != state.colour) & ~state.gone
    claim = Claim((act.seat,), other, "FALSE_PASS", f"{{{act.seat}}} had no card of the other colour")
    asked = state.asked + 1
    colour = "" if asked == len(state.live) else state.colour
    return Verdict(replace(state, leader=after(state.live, act.seat), asked=asked, colour=colour), claims=(claim,))


def skip(state: State, seat: int) -> Verdict:
    """A seat is away: the next one leads for it, or after its line; nobody claims anything."""
    following = after(state.live, seat)
    if state.need is None:
        return Verdict(replace(state, leader=following)) if state.leader == seat else Verdict(state)
    return Verdict(replace(state, need=None, leader=following)) if state.last == seat else Verdict(state)


def proved(state: State, proof: Proof) -> Verdict:
    """A card was held back."""
    return Verdict(state, transfers=(held_back_fine(proof, state.winner, state.house.held_back_fine),))


def leave(state: State, seat: int) -> Verdict:
    """A seat leaves; his cards are dead stops [X]. His line ends, and the next seat leads."""
    live = without(state.live, seat)
    mine = seat in (state.leader, state.last if state.need else None)
    new = replace(state, live=live, need=None, leader=after(live, seat)) if mine else replace(state, live=live)
    return Verdict(new) if len(live) > 1 else _won(new, Act(Do.SAY, live[0]), (), ())


def due(state: State) -> Due:
    """Lead, or the wanted card from anybody."""
    if state.over:
        return Due("", words=f"{{{state.winner}}} is out first and wins")
    if state.need is None:
        who = "anybody" if state.leader is None else f"{{{state.leader}}}"
        change = f" that is not {state.colour}" if state.colour and state.house.colour_change else ""
        return Due("LEAD", state.leader, 1, words=f"{who} to lead the lowest card of a suit{change}")
    words = f"whoever has {state.need.pretty} plays it; if nobody has, {{{state.last}}} says stop"
    return Due("PLAY", None, 1, state.need, words)


def result(state: State, books: Books) -> dict[str, Any]:
    """Takes, the winner, what the others paid."""
    cards = books.paid("CARDS")
    cards.pop(books.name(state.winner) or "", None)
    boodles = state.house.boodles.split()
    takes = [
        [books.names[x.to], x.source, x.counters]
        for x in books.ledger.lines
        if x.code == "BOODLE" and isinstance(x.to, int)
    ]
    waiting = {"seat": books.name(state.leader), "need": str(state.need) if state.need else None}
    return {
        "violations": books.fouls(),
        "takes": takes,
        "layout": {name: books.ledger.balance(name) for name in boodles},
        "kitty": books.ledger.balance("kitty"),
        "winner": books.name(state.winner),
        "proved": [[m, s, c, by] for m, s, c, by in books.shown()],
        "next": None if state.over else waiting,
        **books.when_over(
            state, card_payments=cards, **{f"{books.name(state.winner)}_from_players": sum(cards.values())}
        ),
        "counted": books.counted(),
    }


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """The deal passes to the left; unclaimed boodles stay, and the kitty where nobody was out."""
    if not state.over:
        return None
    left = {name: books.ledger.balance(name) for name in (*state.house.boodles.split(), "kitty")}
    left["kitty"] += books.ledger.balance("fines")  # of a deal that nobody has won [X]
    left = {name: n for name, n in left.items() if n}
    return after(state.live, books.deal.dealer), {"carried": left} if left else {}
