"""One run of a log through a game: facts become acts, verdicts become rulings, ledger lines and proofs.

A `Fold` only goes forward, at a cost per fact that does not grow; a correction makes a new one (see `match`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Protocol

from .acts import Act, Do, Due, Opening, Transfer, Verdict, number, plural, refuse
from .books import Books, Notice, Violation
from .cards import SUITS, Card, pack
from .deal import Deal
from .doubt import Doubt
from .events import (
    Conflict,
    Cut,
    Entry,
    Exchanged,
    ExchangeRefused,
    Fact,
    Gathered,
    HandShown,
    Laid,
    Note,
    Press,
    Pressed,
    Said,
    TakenBack,
    TurnedDown,
)
from .house import BadSetup
from .knowledge import Knowledge, Proof
from .ledger import BEFORE
from .rulings import Kind, Ruling, words_of

#: Below this confidence nobody is credited with a card (``Entry.seat_confidence``): better ask than accuse. A hand seen
#: to let the card go gives 0.9 and more, two hands over one place about a half.
SURE_SEAT = 0.5

_GONE = "who has left the deal plays no more"
#: What is said in a word that is an act of the games; any other word is one that a game knows itself.
SAID = {"demand": Do.DEMAND, "swap": Do.SWAP, "king": Do.KING, "pass": Do.PRESS}


class Game(Protocol):
    """What a file in games/ has to offer; its docstring is the rules in plain words."""

    @property
    def TITLE(self) -> str:
        """The game's name for people."""

    @property
    def SEATS(self) -> tuple[int, int]:
        """With how many players it can sensibly be played, least and most; set-up offers these, scripts may differ."""

    @property
    def MOVES(self) -> tuple[str, ...]:
        """The words for moves in scripts."""

    @property
    def HANDS(self) -> bool:
        """Are there hidden hands that cards only leave? Then cards shown are evidence and plays go on the layout."""

    @property
    def House(self) -> type:
        """The game's house rules."""

    def start(self, deal: Deal, house: Any) -> Opening:
        """The first state. Raises `BadSetup` when the deal cannot be meant."""

    def judge(self, state: Any, act: Act) -> Verdict:
        """Answer an act; never raises."""

    def due(self, state: Any) -> Due:
        """What is expected now."""

    def result(self, state: Any, books: Books) -> dict[str, Any]:
        """The result by FORMAT.md's names."""

    def carry(self, state: Any, books: Books) -> tuple[int, dict[str, Any]] | None:
        """The next deal: its dealer and what is known of it; None when no deal follows (or this one goes on)."""


class Fold:
    """The state of one deal after some entries, and everything that was said on the way.

    ``rulings`` are numbered by their place in the list.
    """

    def __init__(self, game: Game, deal: Deal, house: Any) -> None:
        self.game, self.deal, self.house = game, deal, house
        opening = _dealt(game.start(deal, house))
        self.state = opening.state
        self._strangers = _strangers(deal, opening.pack)
        self._zones = {f"seat-{seat}": seat for seat in deal.seats}
        self.known = Knowledge(opening.pack, opening.counts, opening.located)
        self.books = Books(deal, house, self.known)
        self.names, self.ledger = self.books.names, self.books.ledger
        self.rulings: list[Ruling] = []
        self.moves = 0
        self.doubt = Doubt()
        self.held: list[int] = []  # entries that wait for those
        self.strays: dict[tuple[str, Card | None], int] = {}  # refused cards (piles) that still lie where they were put
        self.table: dict[Card, tuple[str, int]] = {}  # every open card: its zone, and the entry that laid it
        self.face_down: set[Card] = set()
        self._due: tuple[Any, ...] = ()
        self._positions: dict[int, int] = {}  # known whole positions (their hashes), by the entry that reached them
        self._cycle = False
        self._quiet = False
        self._agree: dict[str, set[int]] = {}  # who has asked for a draw, or called the deal off
        self._played = False  # has anybody acted?
        self._prize: int | None = None  # the ledger's first line of the act that ended the deal
        self._short = False  # a hand laid open was not of the right size
        self._changed: set[int] = set()  # seats whose hands are not those that were dealt to them
        self._opened: set[int] = set()  # seats that have laid their hands open
        self.away: set[int] = set()  # seats that are passed over until they are back
        self._skips: dict[int, set[int]] = {}  # who has asked to pass over whom
        self.called_off = ""  # "draw" or "misdeal", when the table has agreed on it
        self._broke: list[int] = []
        self._entry: int | None = None
        self._move: int | None = None
        if deal.has("pool"):
            self.ledger.post(Transfer(BEFORE, "pool", deal.number("pool"), "CARRIED", ""))
        self._post(opening.transfers)
        self._pass_on(opening.says)
        penniless = getattr(house, "broke", "owe") == "out"
        self._broke += [seat for seat in self.state.live if penniless and self.books.purse(seat) == 0]
        self._leave_broke()
        self._tell_due()

    # -- facts ----------------------------------------------------------------------------------------------------

    def judge(self, entry: Entry) -> list[Ruling]:
        """Judge one entry; the new rulings. Never raises on what people do."""
        start = len(self.rulings)
        self._entry = entry.number
        fact = entry.fact
        if not all(1 <= seat <= len(self.deal.seats) for seat in _seats_in(fact)):
            self._say(Kind.UNSURE, "NO_SUCH_SEAT")
        elif self.held:
            self.held.append(entry.number)
        else:
            self._judge(entry)
        return self.rulings[start:]

    def _judge(self, entry: Entry) -> None:
        match entry.fact:
            case Laid():
                self._laid(entry, entry.fact)
            case TakenBack(card, zone, seat):
                self._taken_back(entry, card, zone, seat)
            case Pressed(seat, Press.LONG):
                self._say(Kind.NOTICE, "DISPUTE", seat=seat)
            case Pressed(seat, _, taps):
                self._act(entry, Do.PRESS, seat, count=taps)
            case Gathered(source, to, count):
                self._act(entry, Do.GATHER, to, zone=source, count=count)
            case Cut(seat, card):
                self._act(entry, Do.CUT, seat, card)
            case Exchanged(seats):
                self._exchanged(entry, seats)
            case ExchangeRefused(seat, neighbour):
                self._demanded(entry, seat, Do.KING, neighbour)
            case Said(seat, "draw" | "misdeal" as word):
                self._asked(seat, word)
            case Said(seat, "leave"):
                self._leave(seat)
            case Said(seat, "skip", other):
                self._skip_asked(seat, number(other) or 0)
            case Said(seat, "back"):
                self._back(seat)
            case Said(seat, word, detail):
                self._act(entry, SAID.get(word, Do.SAY), seat, word=word, detail=detail)
            case HandShown(seat, cards):
                self._hand_shown(entry, seat, cards)
            case TurnedDown(zone, seat):
                self._turned_down(entry, zone, seat)
            case Conflict(card, entries):
                self._say(Kind.CONFLICT, "SEEN_TWICE", card=card, entries=entries)
                self.doubt.waiting.append(entry.number)
            case Note(code) if code.startswith("CAMERA_") and code.endswith("_OVER"):
                self.doubt.unwatched = entry.number
            case _:
                pass

    def _laid(self, entry: Entry, fact: Laid) -> None:
        owner = self._owner(fact.zone)
        if self.game.HANDS and owner is not None:
            self._open_hand(entry, fact, owner)
        elif self.game.HANDS and fact.zone == "stock":
            self._turned_up(fact.card)
        elif fact.card is None:
            self._unsure(entry, fact, "UNREAD", fact.seat)
        elif fact.card in self.table and entry.source != "script":
            self._again(entry, fact.card, fact.zone)
        else:
            self._play(entry, fact, owner)

    def _turned_up(self, card: Card | None) -> None:
        """A card lies open on the stock or the dead hand: the turn-up, or the dead hand shown at the end."""
        turn_up = getattr(self.game, "turn_up", None)
        if card is not None:
            self._proofs(self.known.elsewhere(card))
        if card is not None and turn_up:
            self._verdict(turn_up(self.state, card))
            self._tell_due()

    def _play(self, entry: Entry, fact: Laid, owner: int | None) -> None:
        """A card was laid where cards are played: by the hand that laid it, or the seat in whose zone it lies."""
        seat = owner if owner is not None and not self.game.HANDS else fact.seat
        if seat is None or (seat is fact.seat and owner != seat and entry.seat_confidence < SURE_SEAT):
            self._unsure(entry, fact, "WHOSE", None)
        elif fact.seat is None:  # whose card it is, its place tells; it came unseen, and more may have
            unwatched = self.doubt.unwatched
            self._act(entry, Do.LAY, seat, fact.card, fact.zone)
            self.doubt.unwatched = unwatched
        else:
            self._act(entry, Do.LAY, seat, fact.card, fact.zone)

    def _open_hand(self, entry: Entry, fact: Laid, owner: int) -> None:
        """A card in the zone of a seat is one of his hand: laid open at the end, or shown by mistake."""
        if fact.card is None:
            self._say(Kind.UNSURE, "UNREAD", seat=owner)
            return
        if not self.state.over:
            self._say(Kind.NOTICE, "CARD_SHOWN", seat=owner, card=fact.card)
        self._final(owner, fact.card, entry.number)

    def _again(self, entry: Entry, card: Card, zone: str) -> None:
        """A card that lies on the table already was laid: a pile put back, or two readings that contradict."""
        where, first = self.table[card]
        if where == zone and not self.game.HANDS:
            self.strays.pop((zone, None), None)
            return
        self.moves += 1
        self._say(Kind.CONFLICT, "SEEN_TWICE", card=card, entries=(first, entry.number))
        self.doubt.waiting.append(entry.number)

    def _unsure(self, entry: Entry, fact: Laid, code: str, seat: int | None) -> None:
        self.moves += 1
        self.doubt.waiting.append(entry.number)
        self.doubt.unsettled[entry.number] = fact
        self._say(Kind.UNSURE, code, seat=seat)

    def _unseen(self, entry: Entry) -> None:
        """Something was done while the camera saw nothing, and perhaps more: nobody is refused before it is said."""
        if entry.source != "script":
            self.doubt.waiting.append(entry.number)
            self._say(Kind.UNSURE, "NOT_WATCHED")

    def _taken_back(self, entry: Entry, card: Card | None, zone: str, seat: int | None) -> None:
        if seat is None and card in self.table and (zone, card) not in self.strays:
            self._unseen(entry)
        self.doubt.settle(lambda laid: laid.card == card and laid.zone == zone)
        if card is None:
            gone = [key for key in self.strays if key[0] == zone]
            self.doubt.waiting = []
        else:
            gone = [key for key in self.strays if key[1] == card]
        for key in gone:
            del self.strays[key]

    def _exchanged(self, entry: Entry, seats: tuple[int, int]) -> None:
        """The demander is the seat whose turn it is; else the one whose left neighbour the other is."""
        first, second = seats
        turn = self.due().seat
        if turn == second or (turn != first and first == second % len(self.deal.seats) + 1):
            first, second = second, first
        self._demanded(entry, first, Do.SWAP, second)

    def _demanded(self, entry: Entry, seat: int, answer: Do, neighbour: int) -> None:
        """A demand and its answer, seen together; the answer to a refused demand is not judged."""
        self._quiet = True  # nobody waits for an answer that has come
        asked = self._act(entry, Do.DEMAND, seat, word="seen")
        self._quiet = False
        if asked:
            self._act(entry, answer, neighbour, word="seen")
        else:
            self.moves += 1

    def _hand_shown(self, entry: Entry, seat: int, cards: tuple[Card, ...]) -> None:
        held, unknown = self.known.holds(seat), self.known.unknown(seat)
        expected = None if unknown is None else len(held) + unknown
        if self.game.HANDS and expected is not None and len(cards) != expected:
            self._short = True
            why = f"{{{seat}}} shows {len(cards)} cards and should hold {expected}"
            self._say(Kind.NOTICE, "HAND_SIZE", seat=seat, why=why)
        for card in cards:
            self._final(seat, card, entry.number)
        self._opened.add(seat)
        self._say_unseen()

    def _say_unseen(self) -> None:
        """All hands lie open, all cards were dealt, and some were not seen: they are named, and nobody is blamed."""
        closed = [s for s in self.deal.seats if self.known.unknown(s) and s not in self._opened]
        missing = self.known.unseen()
        if self.game.HANDS and self.state.over and self.known.spare == 0 and missing and not closed:
            names = ", ".join(card.pretty for card in missing)
            self._say(Kind.NOTICE, "UNSEEN", why=f"{plural(len(missing), 'card')} unseen: {names}")

    def _final(self, seat: int, card: Card, entry: int) -> None:
        """``card`` lies open as one of the hand of ``seat``."""
        if self.game.HANDS:
            self._proofs(self.known.show(seat, card, entry, None))
        self._verdict(self.game.judge(self.state, Act(Do.OPEN, seat, card, f"seat-{seat}", entry=entry)))
        self._tell_due()

    def _turned_down(self, entry: Entry, zone: str, seat: int | None) -> None:
        finished = getattr(self.game, "finished", None)
        if finished:
            done = {card for card, (z, _) in self.table.items() if z == zone and finished(self.state, card)}
            if seat is None and done <= self.face_down:
                self._unseen(entry)
            self.face_down |= done
        self._verdict(self.game.judge(self.state, Act(Do.DOWN, seat or 0, zone=zone, entry=entry.number)))

    # -- acts and verdicts ----------------------------------------------------------------------------------------

    def _act(
        self,
        entry: Entry,
        do: Do,
        seat: int,
        card: Card | None = None,
        zone: str = "",
        count: int | None = None,
        word: str = "",
        detail: str = "",
    ) -> bool:
        """Let the game judge an act; was it accepted?"""
        self._back(seat)
        act = Act(do, seat, card, zone, count, word, detail, self.moves, entry.number)
        before = getattr(self.game, "before", None)
        for earlier in before(self.state, act) if before else ():
            self._one(entry, replace(earlier, move=self.moves))
        return self._one(entry, act if act.move == self.moves else replace(act, move=self.moves))

    def _one(self, entry: Entry, act: Act) -> bool:
        self._move = act.move
        verdict = self._answer(act)
        if verdict.refused and entry.source != "script" and self._in_doubt(verdict):
            self.held.append(entry.number)
            return False
        if verdict.refused == "NO_SUCH_ACT":  # more likely seen wrongly than done: said, but nobody's fault
            self._say(Kind.NOTICE, "NO_SUCH_ACT", seat=act.seat, why=verdict.why)
            return False
        self.moves += verdict.moves
        if verdict.refused:
            self._refused(entry, act, verdict)
        else:
            self._accepted(act, verdict)
        return not verdict.refused

    def _in_doubt(self, verdict: Verdict) -> bool:
        """May what does not fit follow from something that was not read, not credited, or not seen at all?"""
        doubted = self.doubt.open
        if not self.doubt.waiting and doubted is not None and verdict.refused != "NO_SUCH_ACT":
            self.doubt.waiting.append(doubted)
            self._say(Kind.UNSURE, "IN_DOUBT", entries=(doubted,), why=self.doubt.words)
        return bool(self.doubt.waiting)

    def _answer(self, act: Act) -> Verdict:
        """The game's answer; a card that is none of this game's pack is refused whatever the game makes of it."""
        if self._gone(act):
            return refuse(self.state, "OUT_OF_TURN", _GONE)
        verdict = self.game.judge(self.state, act)
        if act.card not in self._strangers or verdict.refused == "NO_SUCH_ACT":
            return verdict
        why = f"{act.card.pretty} is not in this game's pack; put it aside"
        return refuse(self.state, verdict.refused or "NOT_IN_PACK", why)

    def _gone(self, act: Act) -> bool:
        """Does somebody play who has left the deal? His cards are dead; what lies open before him is nobody's act."""
        plays = self.game.HANDS and act.do in (Do.LAY, Do.PRESS)
        return plays and act.seat not in self.state.live and not self.state.over

    def _refused(self, entry: Entry, act: Act, verdict: Verdict) -> None:
        self.books.violations.append(Violation(act.move, verdict.refused, act.seat))
        self.state = verdict.state  # the same, but for what was still to be understood
        due = self.due().words
        why = (verdict.why or words_of(verdict.refused)) + (f"; {due}" if due else "")
        self._say(Kind.REFUSED, verdict.refused, seat=act.seat, card=act.card, why=why)
        if entry.source != "script" and act.do in (Do.LAY, Do.GATHER):
            self.strays[act.zone, act.card] = entry.number
        if self.game.HANDS and act.card is not None and act.card not in self.table:
            self._proofs(self.known.show(act.seat, act.card, act.entry, act.move))

    def _accepted(self, act: Act, verdict: Verdict) -> None:
        was_over, lines = self.state.over, len(self.ledger.lines)
        self._played = True
        for zone in verdict.cleared:
            self._clear(zone)
        if act.do is Do.LAY and act.card is not None:
            self.table[act.card] = (act.zone, act.entry)
            self.strays.pop((act.zone, act.card), None)
            self.doubt.fits(act.card)
        self._say_strays()
        self.doubt.waiting = []
        self._verdict(verdict)
        for seat, cards in verdict.new_hands:
            self.known.new_hand(seat, cards)
            self._changed.add(seat)
        self._leave_broke()
        if self.game.HANDS and act.do is Do.LAY and act.card is not None:
            self._proofs(self.known.lay(act.seat, act.card, act.entry, act.move))
        for claim in verdict.claims if self.doubt.open is None else ():  # else what he denies may be another card
            self._proofs(self.known.claim(claim, act.entry, act.move))
        if self.state.over and not was_over:
            self._prize = lines
            self._lay_open(act.entry)
        self._look_for_cycle(act.entry)
        self._tell_due()

    def _look_for_cycle(self, entry: int) -> None:
        """Has this whole position been before? Then the game would never end."""
        position = getattr(self.game, "position", None)
        whole = position(self.state) if position and not self._cycle else None
        if whole is None:
            return
        first = self._positions.setdefault(hash(whole), entry)
        if first != entry:
            self._cycle = True
            self._say(Kind.NOTICE, "CYCLE", entries=(first, entry))

    # -- what the table agrees on ---------------------------------------------------------------------------------

    def _asked(self, seat: int, word: str) -> None:
        """A draw, or a wrong deal called off: it is done when more than half of the seats have said so.

        A deal that was won can be called off only when hands laid open at its end show that it was dealt wrongly.
        """
        if self.state.over and (self.called_off or word != "misdeal" or not self._short):
            self._say(Kind.REFUSED, "DEAL_OVER", seat=seat)
            return
        said = self._agree.setdefault(word, set())
        said.add(seat)
        if 2 * len(said) <= len(self.state.live):
            self._say(Kind.NOTICE, "ASKED", seat=seat, why=f"{{{seat}}} asks: {word}; more than half must agree")
            return
        if word == "misdeal" and (self._prize is not None or not self._played):
            self._give_back(self._prize or 0)
        self.called_off = word
        self.state = replace(self.state, over=True, winner=None)
        due = self.due()
        self._due = (due.what, due.seat, due.count, due.card)
        self._say(Kind.OVER, "DRAW" if word == "draw" else "VOID", why=due.words)

    def _give_back(self, first: int) -> None:
        """Undo the ledger from line ``first`` on: all stakes of a deal in which nobody acted, or the prize of one that
        was dealt wrongly, so that what the players had paid waits in the pool.
        """
        lines = [line for line in self.ledger.lines[first:] if BEFORE not in (line.source, line.to)]
        for x in reversed(lines):
            who = f"{{{x.to}}} gives back" if isinstance(x.to, int) else f"{{{x.source}}} gets back"
            self._post([Transfer(x.to, x.source, x.counters, "BACK", f"{who} {x.counters}: the deal is off")])

    def due(self) -> Due:
        """What is expected now; nothing in a deal that was called off."""
        if self.called_off:
            return Due("", words=words_of("DRAW" if self.called_off == "draw" else "VOID"))
        return self.game.due(self.state)

    @property
    def undealt(self) -> bool:
        """Was the deal called off before anybody acted? Then the same deal is made again."""
        return self.called_off == "misdeal" and not self._played

    def _leave(self, seat: int) -> None:
        """A seat leaves the deal, where the game can go on without it; what it owes stays on its account."""
        leave = getattr(self.game, "leave", None)
        if leave is None or self.state.over or seat not in self.state.live or len(self.state.live) < 2:
            self._say(Kind.REFUSED, "CANNOT_LEAVE", seat=seat)
            return
        self._say(Kind.NOTICE, "LEFT", seat=seat, why=f"{{{seat}}} leaves the deal")
        verdict = leave(self.state, seat)
        for zone in verdict.cleared:
            self._clear(zone)
        self._verdict(verdict)
        self._tell_due()

    def _skip_asked(self, seat: int, absent: int) -> None:
        """The table waits for a seat that is away: when two others say so (or all, if there are fewer) it is passed
        over from now on, its cards stay as they are, until it is back.
        """
        others = {s for s in self.state.live if s != absent}
        if not hasattr(self.game, "skip") or self.state.over or absent not in self.state.live or seat not in others:
            self._say(Kind.REFUSED, "CANNOT_SKIP", seat=seat)
            return
        said = self._skips.setdefault(absent, set())
        said.add(seat)
        if len(said) < min(2, len(others)):
            why = f"{{{seat}}} asks to pass over {{{absent}}}; one more must agree"
            self._say(Kind.NOTICE, "ASKED", seat=seat, why=why)
            return
        self.away.add(absent)
        self._say(Kind.NOTICE, "AWAY", seat=absent, why=f"{{{absent}}} is away and is passed over; the cards stay")
        self._tell_due()

    def _back(self, seat: int) -> None:
        """Whoever acts, or says so, is back."""
        self._skips.pop(seat, None)
        if seat in self.away:
            self.away.discard(seat)
            returned = getattr(self.game, "returned", None)
            self.state = returned(self.state) if returned else self.state
            self._say(Kind.NOTICE, "BACK_AGAIN", seat=seat, why=f"{{{seat}}} is back")

    def _pass_over(self) -> None:
        """What is waited for from seats that are away is not waited for any longer, while anybody is left."""
        was_over = self.state.over
        for _ in self.state.live:
            before = self.state
            for seat in sorted(self.away & set(before.live)):
                if not self.state.over and not set(before.live) <= self.away:
                    self._verdict(self.game.skip(self.state, seat))  # type: ignore[attr-defined]
            if self.state == before:
                break
        if self.state.over and not was_over:
            self._lay_open(self._entry or 0)

    def _afford(self, transfer: Transfer) -> Transfer:
        """Where who has no counters leaves, nobody pays more than he has."""
        source = transfer.source
        if not isinstance(source, int) or getattr(self.house, "broke", "owe") != "out" or transfer.counters < 0:
            return transfer
        purse = self.books.purse(source)
        if purse is None or purse >= transfer.counters:
            return transfer
        self._broke.append(source)
        return replace(transfer, counters=purse)

    def _leave_broke(self) -> None:
        """Those who could not pay leave the deal."""
        while self._broke:
            seat = self._broke.pop(0)
            if not self.state.over and seat in self.state.live:
                self._say(Kind.NOTICE, "BROKE", seat=seat)
                self._leave(seat)

    # -- saying it ------------------------------------------------------------------------------------------------

    def _clear(self, zone: str) -> None:
        self.table = {card: place for card, place in self.table.items() if place[0] != zone}
        self.doubt.settle(lambda laid: laid.zone == zone)
        self.strays.pop((zone, None), None)

    def _say_strays(self) -> None:
        """Somebody has gone on although a refused card still lies there."""
        for (zone, card), entry in self.strays.items():
            if card is not None and entry >= 0:
                self.strays[zone, card] = -1  # say it once
                self._say(Kind.OUT_OF_STEP, "STILL_THERE", card=card, entries=(entry,))

    def _verdict(self, verdict: Verdict) -> None:
        self.state = verdict.state
        self._post(verdict.transfers)
        self._pass_on(verdict.says)

    def _lay_open(self, entry: int) -> None:
        """The deal is over: cards that are known to be held count as open, and so do a script's hands."""
        if not self.game.HANDS:
            return
        for seat in self.deal.seats:
            for card in self.known.holds(seat):
                self._verdict(self.game.judge(self.state, Act(Do.OPEN, seat, card, f"seat-{seat}", entry=entry)))
        for seat, cards in self.deal.hands().items():
            for card in cards if seat not in self._changed else ():
                if card not in self.table:
                    self._final(seat, card, entry)

    def _proofs(self, proofs: list[Proof]) -> None:
        proved = getattr(self.game, "proved", None)
        for proof in proofs:
            made = proof.made
            who = "" if len(made.claim.seats) == 1 else f"{{{proof.seat}}} "
            how = f"{who}held {proof.cards[0].pretty}" if proof.seen else "no other cards were left"
            seen = (proof.seen.entry,) if proof.seen else (self._entry or made.entry,)
            card = proof.cards[0] if len(proof.cards) == 1 else None
            why = f"{made.claim.words}, but {how}"
            self._say(Kind.PROVED, made.claim.code, seat=proof.seat, card=card, entries=(made.entry, *seen), why=why)
            if proved and proof.seen:
                self._verdict(proved(self.state, proof))

    def _post(self, transfers: Iterable[Transfer]) -> None:
        for transfer in transfers:
            line = self.ledger.post(self._afford(transfer), self._entry, self._move)
            if line is None or (isinstance(line.source, str) and isinstance(line.to, str)):
                continue
            paid = isinstance(line.source, int)
            seat = line.source if paid else line.to
            to = line.to if paid and isinstance(line.to, int) else None
            self._say(
                Kind.PAID if paid else Kind.TAKES,
                line.code,
                seat=seat if isinstance(seat, int) else None,
                to=to,
                counters=line.counters,
                entries=transfer.entries,
                why=transfer.why.replace("{n}", str(line.counters)),
            )

    def _pass_on(self, says: Iterable[Ruling]) -> None:
        for ruling in says:
            why = (ruling.why or words_of(ruling.code)).format(*self.names)
            self.rulings.append(replace(ruling, entry=self._entry, why=why, id=len(self.rulings)))
            self.books.notices.append(Notice(self._move, ruling.code, ruling.card))

    def _tell_due(self) -> None:
        """Say whose turn it is when that has changed."""
        if self.away:
            self._pass_over()
        due = self.due()
        key = (due.what, due.seat, due.count, due.card)
        if key == self._due or self._quiet:
            return
        self._due = key
        if not due.what:
            code = "WON" if self.state.winner else "NO_WINNER"
            self._say(Kind.OVER, code, seat=self.state.winner, why=due.words)
        else:
            kind = Kind.DUE if due.what == "PAY" else Kind.TURN
            self._say(kind, due.what, seat=due.seat, counters=due.count, card=due.card, why=due.words)

    def _say(
        self,
        kind: Kind,
        code: str,
        seat: int | None = None,
        to: int | None = None,
        counters: int = 0,
        card: Card | None = None,
        entries: tuple[int, ...] = (),
        why: str = "",
    ) -> None:
        text = (why or words_of(code)).format(*self.names)
        name = None if card is None else str(card)
        self.rulings.append(Ruling(kind, code, seat, to, counters, name, self._entry, entries, text, len(self.rulings)))

    def _owner(self, zone: str) -> int | None:
        """The seat whose zone this is."""
        return self._zones.get(zone)


def _dealt(opening: Opening) -> Opening:
    """The opening, if its pack has as many cards as are dealt.

    :raises BadSetup: if it has not.
    """
    cards = sum(count or 0 for count in opening.counts)
    if cards > len(opening.pack):
        raise BadSetup(f"deal: counts: {cards} cards are dealt, the pack has {len(opening.pack)}; correct the counts")
    return opening


def _strangers(deal: Deal, played: tuple[Card, ...]) -> frozenset[Card]:
    """The cards that are not played with; of suits that nobody has named it is not known."""
    known = SUITS if deal.has("suits") else {card.suit for card in played}
    return frozenset(card for card in pack() if card.suit in known) - frozenset(played)


def _seats_in(fact: Fact) -> tuple[int, ...]:
    """Every seat that a fact names."""
    match fact:
        case Exchanged(seats):
            return seats
        case ExchangeRefused(seat, neighbour):
            return (seat, neighbour)
        case Gathered(_, to):
            return (to,)
        case Laid() | TakenBack() | TurnedDown() | Conflict():
            return () if fact.seat is None else (fact.seat,)
        case Cut() | Pressed() | Said() | HandShown():
            return (fact.seat,)
    return ()
