"""Pope Joan, in two forms that share little but the climbing lines. The board form is played unless the house says
``form = foster``.

BOARD FORM. Players and pack: 3 to 8 players, 51 cards: the eight of diamonds is taken out. The ace is low, the king
high. The board has eight compartments, dressed for each deal with Pope 6, Matrimony 2, Intrigue 2, and 1 each on Ace,
King, Queen, Knave and Game. One hand more than there are players is dealt (the dead hand, which nobody may see); the
last card is turned up for trumps. If it is an ace, king, queen or knave the dealer takes that compartment, if it is
the Pope (the nine of diamonds) he takes Pope.
Play: the player on the dealer's left leads any card. Whoever holds the next higher card of the suit lays it, not in
turn, and so on until nobody has the next: a king, the seven of diamonds, the card below the turn-up, a card whose next
was laid before, or one whose next lies in the dead hand; then the player of the last card presses to say stop. The
player of the stop leads again, any card.
Taking: who lays the ace, king, queen or knave of trumps takes its compartment; the Pope takes Pope; king and queen of
trumps from one hand take Matrimony, queen and knave Intrigue.
End: whoever is out first takes Game and a counter for each card in the others' hands; who still holds the Pope is
excused. What was not taken stays and is dressed on top.

FOSTER'S FORM. The full pack of 52; five layout cards: a Ten, Jack, Queen and King of four suits and the Pope, dressed
by the dealer with 1, 2, 3, 4 and 5. The same hands and stock as in Five or Nine. The player on the dealer's left leads
any card and goes on upward in suit as long as he can; then he says no, and the next player goes on or says no. When
all have said no, whoever laid the last card leads again, any card. Who lays a layout card takes what lies on it; who
is caught with one when somebody goes out doubles it. First out wins a counter for each card in the others' hands.

What the referee proves: a stop, or a no, is false when the wanted card comes out of a hand later.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..acts import ALL, DOUBLE, Act, Claim, Do, Due, Opening, Transfer, Verdict, after, less, mask, refuse, without
from ..books import Books
from ..cards import BIT, RANKS, SUITS, Card
from ..deal import Deal
from ..house import BadSetup, broke_rule, counters_rule, rule, shown
from ..knowledge import Proof
from ..ledger import BEFORE
from ._stops import held_back, held_back_fine

TITLE = "Pope Joan"
SEATS = (3, 8)  # players, least and most
MOVES = ("play", "stop", "pass")
HANDS = True

_BOARD = {"pope": 6, "matrimony": 2, "intrigue": 2, "ace": 1, "king": 1, "queen": 1, "knave": 1, "game": 1}
_FOSTER = {"ten": 1, "jack": 2, "queen": 3, "king": 4, "pope": 5}
_HONOURS = {"A": "ace", "K": "king", "Q": "queen", "J": "knave"}
_HANDS = {3: 15, 4: 12, 5: 9, 6: 8, 7: 7, 8: 6}
_REMOVED = Card("8", "D")


@dataclass(frozen=True, slots=True)
class House:
    """House rules of Pope Joan."""

    form: str = rule(
        "board", "Which game: the board with eight compartments, or Foster's five cards.", "[Hf][F]", "board", "foster"
    )
    pope_card: str = rule(
        "by_form", "The Pope: 9D on the board, 7D in Foster's form.", "[Hf][F]", "by_form", "9D", "7D"
    )
    turnup_pope: str = rule(
        "pope_only",
        "The Pope turned up: the dealer takes Pope; or Game and a counter for each card too, which ends the deal.",
        "[Hf]; the older rule [C]",
        *("pope_only", "pope_game_and_cards"),
    )
    pope_exempt: bool = rule(True, "Who still holds the Pope at the end pays nothing for his cards.", "[Sq]")
    dressing: str = rule(
        "dealer",
        "Who dresses the board: the dealer; two by each and the dealer the rest; the dealer twice the others.",
        "[Hf]; double [P]",
        *("dealer", "shared", "double"),
    )
    lead_lowest: bool = rule(False, "The lowest card held of a suit must be led.", "Parlett")
    ace_low: bool = rule(True, "The ace is below the two; or above the king.", "[Hf][F]")
    dead_hand_extra: str = rule(
        "as_dealt",
        "Cards that do not divide: as they are dealt; or all hands are equal and the rest lies with the dead hand.",
        "[Hf]; the rest in some companies",
        *("as_dealt", "dead_hand"),
    )
    pope_as_stop_filler: bool = rule(False, "The Pope may be laid for a missing card.", "[P]")
    matrimony_by_hand: bool = rule(True, "Matrimony and Intrigue need both cards played by one hand.", "[Hf]")
    turnup_owner: str = rule(
        "out_of_play", "The turned-up card is out of play, or stays in its hand.", "[P]", "out_of_play", "hand"
    )
    foster_layout: str = rule("TS JC QH KD", "The layout's Ten, Jack, Queen and King.", "[X] four suits")
    foster_double: bool = rule(True, "Who is caught with a layout card doubles what lies on it.", "[F]")
    stop_call: str = rule(
        "last",
        "Who says that nobody has the next card: the player of the last one, or anybody.",
        "[X]",
        "last",
        "anybody",
    )
    dead_hand_seen: bool = rule(
        False,
        "The dealer may look at the dead hand, an old privilege; the referee judges both alike.",
        "[P] rejects it",
    )
    per_card: int = rule(1, "Counters for each card left in a hand.", "[Hf]; in Foster's form [X]")
    held_back_fine: int = rule(0, "Fine for a card held back.", "[X]")
    broke: str = broke_rule()
    counters: int = counters_rule()


@dataclass(frozen=True, slots=True)
class State:
    """``leader`` must lead; or a line runs and ``need`` is wanted (in Foster's form from ``turn``).

    ``last`` laid the last card; ``honours``: who laid which trump honour; ``gone``: cards that nobody can lay.
    """

    house: House
    live: tuple[int, ...]
    dealer: int
    trump: str
    pope: Card
    layout: tuple[tuple[str, Card], ...]
    counts: tuple[int | None, ...]
    leader: int | None
    free: bool = False  # nobody knows who leads: anybody may
    need: Card | None = None
    turn: int | None = None
    last: int = 0
    noes: int = 0
    gone: int = 0
    honours: tuple[tuple[str, int], ...] = ()
    over: bool = False
    winner: int | None = None

    @property
    def ranks(self) -> str:
        """The ranks from the lowest."""
        return RANKS if self.house.ace_low else RANKS[1:] + RANKS[0]


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """Cards for each place from the dealer's left, and the dead hand or stock (the turn-up belongs to neither)."""
    if house.form == "foster":
        each = _HANDS.get(players, (52 - 3) // players)
        return (each,) * players, 52 - each * players
    each, longer = divmod(51, players + 1)
    if house.dead_hand_extra == "dead_hand":
        return (each,) * players, 51 - each * players - (house.turnup_owner == "out_of_play")
    dealt = [each + 1 if place < longer else each for place in range(players + 1)]
    if house.turnup_owner == "out_of_play":
        dealt[longer - 1] -= 1
    return tuple(dealt[:players]), dealt[-1]


def start(deal: Deal, house: House) -> Opening:
    """The board is dressed, the trump turned up."""
    foster = house.form == "foster"
    turn_up = deal.card("turn_up")
    pope = Card.parse({"by_form": "7D" if foster else "9D"}.get(house.pope_card, house.pope_card))
    trump = deal.one_of("trump", SUITS) or (turn_up.suit if turn_up else "")
    layout = _layout(house, pope) if foster else ()
    gone = [_REMOVED] if not foster else []
    gone += [turn_up] if turn_up and house.turnup_owner == "out_of_play" else []
    free = deal.setup.dealer is None and deal.excerpt()
    first = None if free else deal.first()
    state = State(house, deal.seats, deal.dealer, trump, pope, layout, deal.counts(), first, free, gone=mask(gone))
    dressed = _dressed(deal, state)
    state, taken = _turned_up(state, turn_up) if turn_up and not foster else (state, ())
    pack = tuple(card for card in deal.pack() if foster or card != _REMOVED)
    return Opening(state, pack, state.counts, tuple(gone), (*dressed, *taken))


def _layout(house: House, pope: Card) -> tuple[tuple[str, Card], ...]:
    names = house.foster_layout.split()
    try:
        cards = [Card.parse(name) for name in names]
    except ValueError:
        cards = []
    if [card.rank for card in cards] != list("TJQK"):
        raise BadSetup(
            f"house rule 'foster_layout': Ten, Jack, Queen, King such as TS JC QH KD, not {shown(house.foster_layout)}"
        )
    return tuple(zip(_FOSTER, (*cards, pope), strict=True))


def _dressed(deal: Deal, state: State) -> tuple[Transfer, ...]:
    """A board that is given is dressed already; else it is dressed now, on top of nothing."""
    normal = _FOSTER if state.layout else _BOARD
    if deal.has("board"):
        return tuple(Transfer(BEFORE, name, n, "BOARD", "") for name, n in deal.amounts("board", normal).items())
    left = tuple(Transfer(BEFORE, name, n, "BOARD", "") for name, n in deal.amounts("carried", normal).items())
    pay = tuple(
        Transfer(s, "dressing", n, "DRESSING", f"{{{s}}} dresses the board with {{n}}")
        for s, n in _dressers(state, sum(normal.values())).items()
    )
    return (*left, *pay, *(Transfer("dressing", name, n, "BOARD", "") for name, n in normal.items()))


def _dressers(state: State, total: int) -> dict[int, int]:
    others = [s for s in state.live if s != state.dealer]
    each = {"dealer": 0, "shared": 2, "double": total // (len(others) + 2)}[state.house.dressing]
    each = min(each, total // max(len(others), 1))
    return {**dict.fromkeys(others, each), state.dealer: total - each * len(others)}


def _turned_up(state: State, card: Card) -> tuple[State, tuple[Transfer, ...]]:
    """The dealer takes the compartment of the turned-up card."""
    dealer = state.dealer
    if card == state.pope:
        takes = (_take(dealer, "pope", f"{{{dealer}}} turned up the Pope"),)
        if state.house.turnup_pope == "pope_only":
            return state, takes
        over = replace(state, over=True, winner=dealer, leader=None)
        return over, (*takes, _take(dealer, "game", f"{{{dealer}}} turned up the Pope"), *_cards(state, dealer))
    if card.rank in _HONOURS:
        return state, (_take(dealer, _HONOURS[card.rank], f"{{{dealer}}} turned up {card.pretty}"),)
    return state, ()


def turn_up(state: State, card: Card) -> Verdict:
    """A card is turned up on the dead hand: the trump, where none is known and nobody has played."""
    if state.trump or state.last or state.layout or state.over:
        return Verdict(state)
    out = state.house.turnup_owner == "out_of_play"
    new = replace(state, trump=card.suit, gone=state.gone | BIT[card] if out else state.gone)
    new, takes = _turned_up(new, card)
    return Verdict(new, transfers=takes)


def _take(seat: int, name: str, why: str, *entries: int) -> Transfer:
    return Transfer(name, seat, ALL, name.upper(), f"{why} and takes {{n}} from {name}", entries)


def _cards(state: State, winner: int) -> tuple[Transfer, ...]:
    each = state.house.per_card
    return tuple(
        Transfer(
            s,
            winner,
            (count or 0) * each,
            "CARDS",
            f"{{{s}}} pays {{{winner}}} {each} for each of the {count} cards left",
        )
        for s, count in enumerate(state.counts, start=1)
        if s != winner and s in state.live
    )


def judge(state: State, act: Act) -> Verdict:
    """A card laid, a stop or a no; a hand laid open at the end."""
    if act.do is Do.OPEN and act.card is not None:
        return _open(state, act.seat, act.card)
    if act.do is Do.DOWN:
        return Verdict(state)
    if state.over:
        return refuse(state, "DEAL_OVER")
    if act.do is Do.LAY and act.card is not None:
        code = _wrong(state, act.seat, act.card)
        return refuse(state, code, f"{act.card.pretty} was laid") if code else _lay(state, act, act.card)
    if act.do is not Do.PRESS:
        return refuse(state, "NO_SUCH_ACT")
    return _no(state, act) if state.layout else _stop(state, act)


def _wrong(state: State, seat: int, card: Card) -> str:
    """The code of the foul that laying ``card`` would be, "" when it is lawful."""
    if state.need is None:
        if not state.free and seat != state.leader:
            return "NOT_THE_LEADER"
        return "WRONG_CARD" if state.gone & BIT[card] else ""
    if state.turn not in (None, seat):
        return "OUT_OF_TURN"
    filler = state.house.pope_as_stop_filler and card == state.pope and not state.gone & BIT[card]
    return "" if card == state.need or filler else "WRONG_CARD"


def _lay(state: State, act: Act, card: Card) -> Verdict:
    place = state.need if state.need is not None and card == state.pope else card
    counts, gone = less(state.counts, act.seat), state.gone | BIT[card] | BIT[place]
    need = _above(state.ranks, place, gone)
    led = state.need is None
    new = replace(
        state,
        counts=counts,
        gone=gone,
        need=need,
        leader=act.seat if need is None else None,
        free=False,
        turn=act.seat if state.layout and need else None,
        last=act.seat,
        noes=0,
        honours=(*state.honours, (card.rank, act.seat)) if card.suit == state.trump else state.honours,
    )
    takes = _takes(new, act.seat, card, act.entry)
    claims = (_lowest(state, act, card),) if led and state.house.lead_lowest else ()
    if counts[act.seat - 1] != 0:
        return Verdict(new, transfers=takes, claims=claims)
    return _won(new, act, takes, claims)


def _above(ranks: str, card: Card, gone: int) -> Card | None:
    """The next higher card of the suit, None when everybody knows that it cannot come."""
    i = ranks.index(card.rank) + 1
    up = Card(ranks[i], card.suit) if i < len(ranks) else None
    return None if up is None or gone & BIT[up] else up


def _lowest(state: State, act: Act, card: Card) -> Claim:
    lower = mask(Card(rank, card.suit) for rank in state.ranks[: state.ranks.index(card.rank)]) & ~state.gone
    return Claim((act.seat,), lower, "NOT_THE_LOWEST", f"{{{act.seat}}} led {card.pretty} as the lowest")


def _takes(state: State, seat: int, card: Card, entry: int) -> tuple[Transfer, ...]:
    """What the card takes: its own compartment, Intrigue, Matrimony."""
    why = f"{{{seat}}} laid {card.pretty}"
    names = [name for name, layout_card in state.layout if layout_card == card]
    if not state.layout:
        names += ["pope"] if card == state.pope else []
        names += [_HONOURS[card.rank]] if card.suit == state.trump and card.rank in _HONOURS else []
    if not state.layout and card.suit == state.trump:
        own = {rank for rank, by in state.honours if by == seat or not state.house.matrimony_by_hand}
        names += ["intrigue"] if card.rank in "QJ" and {"Q", "J"} <= own else []
        names += ["matrimony"] if card.rank in "KQ" and {"K", "Q"} <= own else []
    return tuple(_take(seat, name, why, entry) for name in names)


def _won(state: State, act: Act, takes: tuple[Transfer, ...], claims: tuple[Claim, ...]) -> Verdict:
    seat = act.seat
    game = () if state.layout else (_take(seat, "game", f"{{{seat}}} is out first", act.entry),)
    fines = Transfer("fines", seat, ALL, "FINES", f"{{{seat}}} takes the fines of {{n}}")
    new = replace(state, over=True, winner=seat, leader=None, need=None, turn=None)
    return Verdict(new, transfers=(*takes, *game, *_cards(state, seat), fines), claims=claims)


def _open(state: State, seat: int, card: Card) -> Verdict:
    """A hand laid open at the end: the Pope excuses, a layout card is doubled."""
    if not state.over or seat == state.winner or state.gone & BIT[card]:
        return Verdict(state)
    new = replace(state, gone=state.gone | BIT[card])
    if state.layout:
        names = [name for name, layout_card in state.layout if layout_card == card] if state.house.foster_double else []
        why = f"{{{seat}}} is caught with {card.pretty} and doubles what lies on it"
        return Verdict(new, transfers=tuple(Transfer(seat, name, DOUBLE, "DOUBLE", why) for name in names))
    if card != state.pope or not state.house.pope_exempt or state.winner is None:
        return Verdict(new)
    back = (state.counts[seat - 1] or 0) * state.house.per_card
    why = f"{{{seat}}} holds the Pope and is excused: {{{state.winner}}} gives {{n}} back"
    return Verdict(new, transfers=(Transfer(state.winner, seat, back, "CARDS", why),))


def _stop(state: State, act: Act) -> Verdict:
    """The player of the last card says that nobody has the next."""
    if state.need is None:
        return refuse(state, "MUST_START" if act.seat == state.leader else "NOT_THE_LEADER")
    if act.seat != state.last and state.house.stop_call == "last":
        return refuse(state, "OUT_OF_TURN", f"{{{state.last}}} laid the last card and says stop")
    claim = held_back(state.live, state.need, act.seat)
    return Verdict(replace(state, need=None, leader=state.last), claims=(claim,))


def _no(state: State, act: Act) -> Verdict:
    """Foster's form: the seat to act cannot go on."""
    if state.need is None:
        return refuse(state, "MUST_START" if act.seat == state.leader or state.free else "NOT_THE_LEADER")
    if act.seat != state.turn:
        return refuse(state, "OUT_OF_TURN")
    claim = Claim((act.seat,), BIT[state.need], "FALSE_PASS", f"{{{act.seat}}} said no to {state.need.pretty}")
    return Verdict(_said_no(state, act.seat), claims=(claim,))


def _said_no(state: State, seat: int) -> State:
    """One more cannot go on; when all cannot, whoever laid the last card leads."""
    noes = state.noes + 1
    if noes == len(state.live):
        return replace(state, need=None, leader=state.last, turn=None, noes=0)
    return replace(state, turn=after(state.live, seat), noes=noes)


def skip(state: State, seat: int) -> Verdict:
    """A seat is away: the next one leads for it, goes on for it, or leads after its line; nobody claims anything."""
    following = after(state.live, seat)
    if state.need is None:
        return Verdict(replace(state, leader=following)) if state.leader == seat else Verdict(state)
    if state.layout:
        return Verdict(_said_no(state, seat)) if state.turn == seat else Verdict(state)
    return Verdict(replace(state, need=None, leader=following)) if state.last == seat else Verdict(state)


def proved(state: State, proof: Proof) -> Verdict:
    """A card was held back."""
    return Verdict(state, transfers=(held_back_fine(proof, state.winner, state.house.held_back_fine),))


def leave(state: State, seat: int) -> Verdict:
    """A seat leaves; his cards are dead stops [X]. His line ends, and the next seat leads."""
    live = without(state.live, seat)
    mine = seat in (state.leader, state.last if state.need else None, state.turn)
    new = (
        replace(state, live=live, need=None, leader=after(live, seat), turn=None, noes=0)
        if mine
        else replace(state, live=live)
    )
    return Verdict(new) if len(live) > 1 else _won(new, Act(Do.SAY, live[0]), (), ())


def due(state: State) -> Due:
    """Lead; or the wanted card from anybody (from the seat to act in Foster's form)."""
    if state.over:
        return Due("", words=f"{{{state.winner}}} is out first and wins")
    if state.need is None:
        who = "anybody" if state.leader is None else f"{{{state.leader}}}"
        return Due("LEAD", state.leader, 1, words=f"{who} to lead any card")
    if state.layout:
        return Due("PLAY", state.turn, 1, state.need, f"{{{state.turn}}} to play {state.need.pretty}, or to say no")
    caller = f"{{{state.last}}}" if state.house.stop_call == "last" else "anybody"
    words = f"whoever has {state.need.pretty} plays it; if nobody has, {caller} says stop"
    return Due("PLAY", None, 1, state.need, words)


def result(state: State, books: Books) -> dict[str, Any]:
    """By FORMAT.md."""
    names = tuple(_FOSTER if state.layout else _BOARD)
    cards = books.paid("CARDS")
    cards.pop(books.name(state.winner) or "", None)
    takes = [(x, x.to) for x in books.ledger.lines if x.source in names and isinstance(x.to, int)]
    won = {state.winner: sum(cards.values())}
    waiting = {
        "seat": books.name(state.turn if state.need else state.leader),
        "need": str(state.need) if state.need else None,
    }
    return {
        "violations": books.fouls(),
        "takes": [["deal" if x.move is None else x.move, books.names[to], x.source, x.counters] for x, to in takes],
        "got": {n: sum(x.counters for x, to in takes if to == s) + won.get(s, 0) for s, n in books.seats()},
        "board": {name: books.ledger.balance(name) for name in names},
        "winner": books.name(state.winner),
        "held_back": books.shown("HELD_BACK", "FALSE_PASS"),
        "next": None if state.over else waiting,
        **books.when_over(state, card_payments=cards),
        **({"fines": books.fines()} if state.house.held_back_fine else {}),
        "counted": books.counted(),
    }


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """The deal passes to the left; what was not taken stays, and the next dressing is put on top."""
    if not state.over:
        return None
    left = {name: books.ledger.balance(name) for name in (_FOSTER if state.layout else _BOARD)}
    left["pope" if state.layout else "game"] += books.ledger.balance("fines")  # of a deal that nobody has won [X]
    return after(state.live, state.dealer), {"carried": left}
