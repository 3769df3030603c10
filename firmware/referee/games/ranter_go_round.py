"""Ranter-Go-Round, also called Cuckoo.

Players and pack: three or more, a full pack of 52. The king is high, the ace is the lowest card; suits do not count.
Everybody starts with three lives (counters). One card is dealt to each, face down; the rest is the stock.

Play: from the dealer's left each player in turn either passes, satisfied with his card, or demands an exchange with
the player on his left. Whoever holds a king may refuse and says so; everybody else must exchange. A player who is
forced to give an ace or a deuce announces it; the demander must not say what he gives. A player who was forced to
exchange has his own turn all the same, with the card that he now holds. Nobody demands twice.
The dealer comes last and cannot demand; he may keep his card, or cut the stock and take the top card of what is left.

Showdown: all cards are turned up, and the lowest loses a life to the pool. The card that the dealer gave up does not
count. The deal passes to the left. Whoever has no lives left is out; the last player in takes the pool.

What the referee proves: at the showdown every exchange is traced back, so that it knows which card each seat held when
he refused, and which card he gave: a refusal without a king, an ace or deuce given in silence, a false announcement.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from ..acts import ALL, Act, Do, Due, Opening, Transfer, Verdict, after, plural, put, refuse, round_from, without
from ..books import Books
from ..cards import RANKS, Card
from ..deal import Deal
from ..house import rule, settled
from ..ledger import shares
from ..rulings import Kind, Ruling

TITLE = "Ranter-Go-Round"
SEATS = (3, 20)  # players, least and most
MOVES = ("demand", "pass", "cut", "swap", "king")
HANDS = False
ANNOUNCES = True  # a neighbour's presses are words: once an ace, twice a deuce

_MOST_TAPS = 9  # more presses in a row mean nothing
_CUT = 0  # the token of the card that the dealer cut


@dataclass(frozen=True, slots=True)
class House:
    """House rules of Ranter-Go-Round."""

    lives: int = rule(3, "Lives of each player.", "[C][W]; 2 to 8 are seen", least=1, most=20)
    stake: int = rule(0, "Counters that each puts into the pool before the first deal.", "[X]")
    tie: str = rule(
        "all",
        "Who loses when the lowest cards are equal: all of them; the last to turn up (the 1881 rule); nobody; equal "
        "cards cancel and the next lowest pays.",
        "all [W][Pg], last_turned [C], cancel one modern page",
        *("all", "last_turned", "none", "cancel"),
    )
    all_out: str = rule(
        "replay",
        "When all who are left would lose their last life: nobody loses; they share the pool; it waits for a new "
        "game; they cut for it.",
        "[S2] needs one survivor",
        *("replay", "split", "carry", "cut"),
    )
    king_show: str = rule(
        "said", "A king that refuses is only said, or shown.", "[S2]; shown in [W][Pg]", "said", "shown"
    )
    king_may_give: bool = rule(
        True, "Whoever holds a king may exchange it all the same.", "[S2] he is only not obliged"
    )
    dealer_king: str = rule(
        "keep",
        "The dealer who cuts a king keeps it; or must keep his old card; or loses a life at once.",
        "[S2] makes no exception; void [Pg][W]",
        *("keep", "void", "loses"),
    )
    audit_discard: bool = rule(
        True, "The card that the dealer gave up is turned up beside the stock at the showdown.", "[X]"
    )
    redraw: bool = rule(
        False,
        "The dealer may look at the card that he has cut and keep the old one.",
        "[X] the exchange is made when the card is taken",
    )
    king_must_show_on_deal: bool = rule(
        False, "Whoever is dealt a king turns it up before he acts.", "some modern pages; [S2] has nothing of it"
    )
    king_may_demand: bool = rule(True, "Whoever holds a king may demand all the same.", "[X] foolish but lawful")
    shuffle: str = rule(
        "each_deal",
        "The pack is shuffled for each deal, or dealt on through the stock; the referee judges both alike.",
        "[X]",
        *("each_deal", "through"),
    )
    two_left: str = settled("no_rule", "Of two players left the eldest may demand and the dealer may cut.", "[X]")
    announce_three: bool = rule(False, "A three is announced too.", "[S2] ace and deuce only; some modern pages")
    false_king_fine: int = rule(0, "Lives lost for a refusal that is proved false.", "[X] suggests 1")
    silence_fine: int = rule(0, "Lives lost for a wrong or missing announcement that is proved.", "[X] suggests 1")


class Tale(Enum):
    """What somebody says of a card, aloud or by what he does."""

    KING = "it is a king"
    GIFT = "it is what was announced with it"
    NO_KING = "it is no king, for it was not turned up"
    DEMAND = "it may be demanded with"


@dataclass(frozen=True, slots=True)
class Told:
    """A claim about a card; ``word`` is what was announced with a gift, "" for silence."""

    move: int
    entry: int
    seat: int
    tale: Tale
    token: int
    word: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """``tokens``: which dealt card each seat holds now (the seat that it was dealt to); ``faces``: those seen.

    ``hands``: a script's cards, used at the showdown only. ``demand``: the neighbour who must answer.
    """

    house: House
    dealer: int
    live: tuple[int, ...]
    turn: int
    markers: tuple[int, ...]
    tokens: tuple[int, ...]
    hands: tuple[tuple[int, Card], ...] = ()
    faces: tuple[tuple[int, Card], ...] = ()
    told: tuple[Told, ...] = ()
    demand: int | None = None
    presses: tuple[int, ...] = ()  # entries of the neighbour's presses, whose meaning the next act will tell
    king_seen: int | None = None  # who has turned up a king to refuse
    shown: tuple[int, ...] = ()  # kings that were turned up at the deal
    acted: tuple[int, ...] = ()  # who can no longer do so
    drawn: bool = False  # the dealer has cut and may still keep his old card
    discard: int | None = None
    showdown: bool = False
    over: bool = False
    losers: tuple[int, ...] = ()
    replay: bool = False
    proved: tuple[tuple[int, int, str], ...] = ()
    wins: int = 0
    winner: int | None = None
    pool: int = 0  # what lies in the pool before the showdown


def hands(players: int, house: House) -> tuple[tuple[int, ...], int]:
    """One card each; the rest is the stock."""
    return (1,) * players, 52 - players


def start(deal: Deal, house: House) -> Opening:
    """One card each for those who have lives left."""
    given = deal.numbers("markers")
    markers = tuple(given.get(s, house.lives) for s in deal.seats)
    live = tuple(s for s in deal.seats if markers[s - 1] > 0) or deal.seats
    held = tuple((s, cards[0]) for s, cards in deal.hands().items() if cards)
    stake = 0 if deal.has("markers", "pool") else house.stake
    pool = deal.number("pool") + stake * len(live)
    state = State(house, deal.dealer, live, deal.first(live), markers, deal.seats, held, pool=pool)
    stakes = tuple(Transfer(s, "pool", stake, "STAKE", f"{{{s}}} stakes {plural(stake)}") for s in live)
    return Opening(state, deal.pack(), (1,) * len(deal.seats), transfers=stakes)


def judge(state: State, act: Act) -> Verdict:
    """Demands and answers, passes, the dealer's cut, cards turned up."""
    if act.do in (Do.LAY, Do.OPEN) and act.card is not None:
        return _turned_up(state, act, act.card)
    if act.do is Do.DOWN:
        return Verdict(state)
    if state.over or state.showdown:
        return refuse(state, "DEAL_OVER")
    if state.drawn and act.do is Do.SWAP and act.seat == state.dealer:
        return _taken(state, act)
    if act.do is Do.KING and state.demand is None and _may_show(state, act.seat):
        told = Told(act.move, act.entry, act.seat, Tale.KING, state.tokens[act.seat - 1])
        return Verdict(replace(state, shown=(*state.shown, told.token), told=(*state.told, told)))
    if act.do in (Do.SWAP, Do.KING):
        return _answer(state, act)
    if act.do is Do.PRESS and not act.word and act.seat != state.turn and act.seat == after(state.live, state.turn):
        taps = min(max(act.count or 1, 1), _MOST_TAPS)
        presses = (*state.presses, *(act.entry,) * taps)[:_MOST_TAPS]
        return Verdict(replace(state, presses=presses), moves=0)
    if state.demand is not None:
        return refuse(state, "REPLY_DUE", f"{{{state.demand}}} must answer the demand first")
    if act.do is Do.DEMAND and act.word == "seen" and state.king_seen == state.turn:
        return Verdict(state, moves=0)
    if act.seat != state.turn:
        return refuse(replace(state, presses=()), "OUT_OF_TURN")
    return _own_turn(state, act)


def _may_show(state: State, seat: int) -> bool:
    """Does the house let this seat turn up a king that it was dealt, and has it not acted?"""
    own = state.tokens[seat - 1]
    return state.house.king_must_show_on_deal and own == seat and own not in state.shown and seat not in state.acted


def _acts(state: State, act: Act) -> State:
    """Whoever acts without having turned up a king says that he was dealt none."""
    told = Told(act.move, act.entry, act.seat, Tale.NO_KING, state.tokens[act.seat - 1])
    tales = (told,) if _may_show(state, act.seat) else ()
    return replace(state, told=(*state.told, *tales), acted=(*state.acted, act.seat)) if tales else state


def before(state: State, act: Act) -> tuple[Act, ...]:
    """What ``act`` shows to have happened before it, where only the neighbour's presses were seen.

    A press of the neighbour goes with the exchange that follows (an announcement). When something else follows, the
    card was pushed back: the press said that he has a king, and further presses are his own pass. When the seat to
    act goes on instead, there was no demand, and the neighbour had pressed out of turn.
    """
    if state.drawn and act.do in (Do.LAY, Do.OPEN):
        return (Act(Do.SWAP, state.dealer, word="seen", entry=act.entry),)  # cards are turned up: he keeps what he cut
    if not state.presses or state.over or state.showdown:
        return ()
    seat = after(state.live, state.turn)
    taps = tuple(Act(Do.PRESS, seat, word="pass", entry=entry) for entry in state.presses)
    match act.do:
        case Do.DEMAND if act.seat == state.turn:
            return ()
        case Do.SWAP | Do.KING if act.seat == seat:
            return ()
        case Do.PRESS if act.seat == seat and not act.word:
            return ()
        case Do.PRESS if act.seat == state.turn:
            return taps
        case Do.LAY | Do.OPEN if not _goes_on(state, act, seat):
            return ()
    refused = Act(Do.KING, seat, word="seen", entry=state.presses[0])
    return (Act(Do.DEMAND, state.turn, word="seen", entry=state.presses[0]), refused, *taps[1:])


def _goes_on(state: State, act: Act, seat: int) -> bool:
    """Does a card turned up show that the turn of ``seat`` has come: the showdown, or a king against his demand?"""
    showdown = seat == state.dealer and len(state.presses) > 1
    king = act.card is not None and act.card.rank == "K" and act.seat == after(state.live, seat)
    return showdown or king


def _own_turn(state: State, act: Act) -> Verdict:
    dealer = act.seat == state.dealer
    match act.do:
        case Do.DEMAND if dealer:
            return refuse(state, "DEALER_CANNOT_EXCHANGE")
        case Do.DEMAND:
            new = _acts(state, act)
            told = Told(act.move, act.entry, act.seat, Tale.DEMAND, state.tokens[act.seat - 1])
            tales = () if state.house.king_may_demand else (told,)
            return Verdict(replace(new, demand=after(state.live, act.seat), told=(*new.told, *tales)))
        case Do.CUT if not dealer:
            return refuse(state, "ONLY_DEALER_CUTS")
        case Do.CUT if not state.drawn:
            return _cut(_acts(state, act), act)
        case Do.PRESS:
            return _next(_acts(state, act), act)
    return refuse(state, "NO_SUCH_ACT")


def _next(state: State, act: Act) -> Verdict:
    """The seat to act is done; after the dealer all cards are turned up."""
    if act.seat == state.dealer:
        return _show_down(replace(state, showdown=True), act)
    return Verdict(replace(state, turn=after(state.live, act.seat), presses=(), king_seen=None))


def _answer(state: State, act: Act) -> Verdict:
    """The neighbour exchanges, or says that he has a king."""
    if act.word == "seen" and act.do is Do.KING and state.king_seen == act.seat:
        return Verdict(state, moves=0)  # he has turned the king up before
    if act.seat != state.demand:
        return refuse(state, "OUT_OF_TURN")
    word = act.detail or (("", "ace", "deuce", "three")[min(len(state.presses), 3)] if act.do is Do.SWAP else "")
    king = act.do is Do.KING
    told = Told(act.move, act.entry, act.seat, Tale.KING if king else Tale.GIFT, state.tokens[act.seat - 1], word)
    state = state if king else _acts(state, act)
    unseen = king and act.word == "seen" and state.house.king_show == "shown"
    tokens = state.tokens if king else _swapped(state.tokens, state.turn, act.seat)
    new = replace(
        state, tokens=tokens, told=(*state.told, told), turn=act.seat, demand=None, presses=(), king_seen=None
    )
    verdict = _proved(new, act)
    return replace(verdict, says=(*verdict.says, Ruling(Kind.NOTICE, "SHOW_THE_KING", act.seat))) if unseen else verdict


def _swapped(tokens: tuple[int, ...], one: int, other: int) -> tuple[int, ...]:
    held = list(tokens)
    held[one - 1], held[other - 1] = held[other - 1], held[one - 1]
    return tuple(held)


def _cut(state: State, act: Act) -> Verdict:
    """The dealer cuts a card from the stock: it takes the place of his own at once, or when he has looked at it."""
    card = act.card
    if card is not None and card.rank == "K" and state.house.dealer_king == "void":
        return _show_down(replace(state, showdown=True, discard=None), act)
    new = state if card is None else replace(state, faces=(*state.faces, (_CUT, card)))
    return Verdict(replace(new, drawn=True)) if state.house.redraw else _taken(new, act)


def _taken(state: State, act: Act) -> Verdict:
    """The dealer has the card that he cut, and his old one is given up."""
    old = state.tokens[state.dealer - 1]
    verdict = _show_down(replace(state, tokens=put(state.tokens, state.dealer, _CUT), discard=old, showdown=True), act)
    return replace(verdict, moves=0) if act.word == "seen" else verdict


def _show_down(state: State, act: Act) -> Verdict:
    """A script's hands lie open now, and the dealer's old card where the house turns it up."""
    seen = {state.tokens[s - 1] for s in state.live} | ({state.discard} if state.house.audit_discard else set())
    known = {token for token, _ in state.faces}
    faces = tuple((token, card) for token, card in state.hands if token in seen and token not in known)
    return _proved(replace(state, faces=state.faces + faces), act)


def _turned_up(state: State, act: Act, card: Card) -> Verdict:
    """A card is turned face up: the showdown, the dealer's old card, or a king that refuses."""
    if act.zone == "stock":
        token = state.discard if state.house.audit_discard else None
    else:
        token = state.tokens[act.seat - 1]
    if token is None or (state.over and token != state.discard):
        return Verdict(state, moves=0)
    new = replace(state, faces=(*(f for f in state.faces if f[0] != token), (token, card)))
    if card.rank == "K" and act.do is Do.LAY and not state.showdown and _may_show(state, act.seat):
        return Verdict(replace(new, shown=(*state.shown, token)), moves=0)
    if card.rank == "K" and act.do is Do.LAY and not state.showdown and act.seat == after(state.live, state.turn):
        return _king_shown(new, act)
    return _proved(new, act, moves=0)


def _king_shown(state: State, act: Act) -> Verdict:
    """The neighbour of the seat to act turns up a king: a demand was made and is refused (two moves)."""
    if state.demand is None and state.turn == state.dealer:
        return Verdict(state, moves=0)
    made = 1 if state.demand is None else 0
    told = Told(act.move + made, act.entry, act.seat, Tale.KING, state.tokens[act.seat - 1])
    new = replace(state, told=(*state.told, told), turn=act.seat, demand=None, presses=(), king_seen=act.seat)
    return Verdict(new, moves=made + 1)


def _proved(state: State, act: Act, moves: int = 1) -> Verdict:
    """What the faces seen now prove; the settlement when all are seen."""
    faces = dict(state.faces)
    done = {move for move, _, _ in state.proved}
    new: list[tuple[Told, str]] = []
    for t in state.told:
        if t.move not in done and (code := _fault(state.house, t, faces.get(t.token))):
            new.append((t, code))
            done.add(t.move)  # one fault a move
    says = tuple(
        Ruling(Kind.PROVED, code, seat=t.seat, card=str(faces[t.token]), entries=(t.entry, act.entry))
        for t, code in new
    )
    if new:
        state = replace(state, proved=tuple(sorted((*state.proved, *((t.move, t.seat, code) for t, code in new)))))
    state = _king_void(state, faces)
    if state.over or not state.showdown or not all(state.tokens[s - 1] in faces for s in state.live):
        return Verdict(state, says=says, moves=moves)
    return _settled(state, says, moves)


def _king_void(state: State, faces: dict[int, Card]) -> State:
    """A king that was cut unseen and turns up at the showdown: where it is void the old card counts."""
    cut = faces.get(_CUT)
    if state.house.dealer_king != "void" or cut is None or cut.rank != "K" or state.discard is None:
        return state
    i = state.dealer - 1
    return replace(state, tokens=(*state.tokens[:i], state.discard, *state.tokens[i + 1 :]), discard=None)


def _fault(house: House, told: Told, card: Card | None) -> str:
    """The code of what was told falsely about ``card``; "" when it was true or the card is not known."""
    if card is None:
        return ""
    match told.tale:
        case Tale.KING:
            return "" if card.rank == "K" else "FALSE_KING"
        case Tale.NO_KING:
            return "KING_NOT_SHOWN" if card.rank == "K" else ""
        case Tale.DEMAND:
            return "KING_DEMANDED" if card.rank == "K" else ""
    due = {"A": "ace", "2": "deuce", **({"3": "three"} if house.announce_three else {})}.get(card.rank, "")
    if due and told.word != due:
        return f"UNANNOUNCED_{due.upper()}"
    if card.rank == "K" and not house.king_may_give:
        return "KING_GIVEN"
    return "FALSE_ANNOUNCEMENT" if told.word and not due else ""


def _settled(state: State, says: tuple[Ruling, ...], moves: int) -> Verdict:
    """All cards are up: who loses, who is out, who wins."""
    losers = _losers(state)
    lost = _lives_lost(state, losers)
    markers = tuple(max(0, m - gone) for m, gone in zip(state.markers, lost, strict=True))
    left = tuple(s for s in state.live if markers[s - 1])
    if not left and state.house.all_out == "replay":
        return Verdict(replace(state, over=True, replay=True), says=says, moves=moves)
    gone = {s: state.markers[s - 1] - markers[s - 1] for s in state.live}
    new = replace(state, over=True, losers=losers, markers=markers, winner=left[0] if len(left) == 1 else None)
    lives = tuple(
        Transfer(s, "pool", n, "LIFE", f"{{{s}}} loses {{n}} to the pool: {_why(new, s)}") for s, n in gone.items()
    )
    prize = _prize(new, left, state.pool + sum(gone.values()))
    return Verdict(new, transfers=(*lives, *prize), says=says, moves=moves)


def _lives_lost(state: State, losers: tuple[int, ...]) -> list[int]:
    """Lives that each seat loses: for the lowest card, for a king cut where that costs one, for proved faults."""
    lost = [1 if seat in losers else 0 for seat in range(1, len(state.markers) + 1)]
    for _, seat, code in state.proved:
        lost[seat - 1] += state.house.false_king_fine if code == "FALSE_KING" else state.house.silence_fine
    cut = dict(state.faces).get(_CUT)
    if cut is not None and cut.rank == "K" and state.house.dealer_king == "loses":
        lost[state.dealer - 1] += 1
    return lost


def _why(state: State, seat: int) -> str:
    card = dict(state.faces)[state.tokens[seat - 1]]
    faults = [code.replace("_", " ").lower() for _, who, code in state.proved if who == seat]
    reasons = [f"{card.pretty} was the lowest card"] if seat in state.losers else []
    return " and ".join(reasons + faults) or "a king was cut"


def _prize(state: State, left: tuple[int, ...], pool: int) -> tuple[Transfer, ...]:
    """The last player in takes the pool; where all go out together they may share it."""
    if state.winner:
        why = f"{{{state.winner}}} is the last in and takes the pool of {{n}}"
        return (Transfer("pool", state.winner, ALL, "POOL", why),)
    if left or state.house.all_out != "split":
        return ()
    each, _ = shares(pool, state.live)
    return tuple(Transfer("pool", s, n, "SHARE", f"{{{s}}} takes a share of {{n}}") for s, n in each.items())


def _losers(state: State) -> tuple[int, ...]:
    """The seats that lose a life, in seat order."""
    faces = dict(state.faces)
    rank = {s: RANKS.index(faces[state.tokens[s - 1]].rank) for s in state.live}
    values = sorted(rank.values())
    if state.house.tie == "cancel":
        values = [v for v in values if values.count(v) == 1]
    tied = tuple(s for s in state.live if values and rank[s] == values[0])
    if len(tied) > 1 and state.house.tie == "none":
        return ()
    if len(tied) > 1 and state.house.tie == "last_turned":
        return ([s for s in round_from(state.live, state.dealer) if s in tied][-1],)
    return tied


def skip(state: State, seat: int) -> Verdict:
    """A seat is away: it keeps its card, and a demand made of it falls through [X]."""
    if state.over or state.showdown or seat not in (state.turn, state.demand):
        return Verdict(state)
    if state.demand == seat:
        return Verdict(replace(state, demand=None, turn=seat, presses=(), king_seen=None))
    return _next(replace(state, demand=None), Act(Do.PRESS, seat))


def leave(state: State, seat: int) -> Verdict:
    """A seat leaves the game: his lives go to the pool, his card is dead, a demand by or of him falls through [X]."""
    live, lives = without(state.live, seat), state.markers[seat - 1]
    new = replace(state, live=live, markers=put(state.markers, seat, 0), presses=(), pool=state.pool + lives)
    gone = (Transfer(seat, "pool", lives, "LIFE", f"{{{seat}}} leaves, and his {{n}} lives go to the pool"),)
    if len(live) == 1:
        won = replace(new, over=True, winner=live[0])
        return Verdict(won, transfers=(*gone, *_prize(won, live, new.pool)))
    verdict = _without(replace(new, demand=None), seat) if seat in (state.turn, state.demand, state.dealer) else None
    verdict = verdict or _proved(new, Act(Do.SAY, seat))
    return replace(verdict, transfers=(*gone, *verdict.transfers))


def _without(state: State, seat: int) -> Verdict:
    """Whoever acts after the seat that has left goes on; when the dealer has left the one before him is the last."""
    last = state.dealer == seat
    new = replace(state, dealer=round_from(state.live, seat)[-1], drawn=False) if last else state
    if state.turn != seat:
        return _proved(new, Act(Do.SAY, seat))
    if last:
        return _show_down(replace(new, showdown=True, turn=new.dealer), Act(Do.SAY, seat))
    return Verdict(replace(new, turn=after(new.live, seat), king_seen=None))


def due(state: State) -> Due:
    """Who acts, answers or turns up."""
    if state.over:
        if state.winner:
            return Due("", words=f"{{{state.winner}}} is the last in and takes the pool")
        names = " and ".join(f"{{{s}}}" for s in state.losers)
        return Due("", words=f"{names} lost a life" if names else "nobody loses a life")
    if state.showdown:
        return Due("EXPOSE", words="all cards are turned up, from the dealer's left")
    if state.demand is not None:
        return Due(
            "REPLY",
            state.demand,
            1,
            words=f"{{{state.demand}}} to exchange with {{{state.turn}}}, or to say that he has a king",
        )
    if state.drawn:
        words = f"{{{state.turn}}} to keep the old card (a press), or the card that was cut (all are turned up)"
        return Due("TURN", state.turn, words=words)
    if state.turn == state.dealer:
        return Due("TURN", state.turn, words=f"{{{state.turn}}} deals: to keep the card, or to cut")
    return Due(
        "TURN",
        state.turn,
        words=f"{{{state.turn}}} to pass, or to demand an exchange with {{{after(state.live, state.turn)}}}",
    )


def next_dealer(state: State) -> int:
    """The next seat to the left of the dealer that is still in."""
    left = tuple(s for s in state.live if state.markers[s - 1]) or state.live
    return after(left, state.dealer)


def result(state: State, books: Books) -> dict[str, Any]:
    """By FORMAT.md."""
    faces = dict(state.faces)
    final = {
        books.names[s]: str(faces[t]) for s in state.live if (t := state.tokens[s - 1]) in faces and state.showdown
    }
    taken = books.ledger.under("pool", "LIFE", "STAKE", "CARRIED")
    return {
        "violations": books.fouls(),
        "proved": [[move, books.name(seat), code] for move, seat, code in state.proved],
        "final": final,
        "losers": [books.names[s] for s in state.losers],
        "markers": books.per_seat(state.markers),
        "pool": books.ledger.balance("pool"),
        "winner": books.name(state.winner),
        **({"replay": True} if state.replay else {}),
        **({"wins": taken} if state.winner else {}),
        **({} if state.winner or not state.over else {"next_dealer": books.name(next_dealer(state))}),
    }


def carry(state: State, books: Books) -> tuple[int, dict[str, Any]] | None:
    """The next deal with the lives that are left; none when somebody has won."""
    if not state.over or state.winner:
        return None
    alive = any(state.markers[s - 1] for s in state.live)
    markers = state.markers if alive else (state.house.lives,) * len(state.markers)
    return next_dealer(state), {"markers": books.per_seat(markers), "pool": books.ledger.balance("pool")}
