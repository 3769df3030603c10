"""One table at play: every fact is photographed, logged, judged and lit, in that order, by one writer.

`Table` holds one session: its log, the referee's match of the deal that is being played, and what the lights and the
page show.  It is fed by whoever sees things (a camera's perception, the buttons, the page) and never looks at a clock:
times are seconds since the session's first frame.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from .journal import disputes
from .journal.journal import OPENING, Journal
from .journal.lines import SessionHeader
from .journal.replay import refold
from .lying import Lies, known_again, lying_now
from .panel import desk as desks
from .panel.buttons import Act
from .panel.signals import PanelState, Said, Signal, signals
from .referee.cards import Card
from .referee.events import Corrected, Entry, Fact, HandShown, Inserted, Laid, Note, Press, Pressed, to_json
from .referee.match import Match, PublicView, Setup, games
from .referee.quiet import quiet_word
from .referee.rulings import Kind, Ruling
from .seen import Seen
from .web.source import Noticeboard

#: How many rulings the lights and the page look back on; the page shows 20.
RECENT = 40
#: How many of the newest entries go to the page.
ENTRIES_SHOWN = 50
#: Notes of a payment from seat to seat: the payer has pressed; the receiver has pressed.
GIVEN, HANDED_OVER = "GIVEN", "HANDED_OVER"


class Lights(Protocol):
    """What can show a panel's state: the real panel, mock pins, or nothing."""

    def show(self, state: PanelState) -> None:
        """Show ``state`` from now on."""


@dataclass(frozen=True, slots=True)
class Told:
    """An entry as it was kept, and what the referee said to it."""

    entry: Entry
    rulings: tuple[Ruling, ...]


@dataclass(slots=True)
class _Dispute:
    """A call for the referee that is open. ``seat``: who called (None: the host)."""

    seat: int | None
    entry: int | None = None
    why: str = ""


@dataclass(slots=True)
class _Wish:
    seat: int
    commitment: str
    text: str = ""
    nonce: str = ""


class Table:
    """One session at one table. The only object that writes the log; use it from one thread."""

    def __init__(
        self,
        journal: Journal,
        session_id: str,
        setup: Setup,
        *,
        lights: Lights,
        board: Noticeboard,
        deal: int = 1,
    ) -> None:
        self.journal, self.session_id, self.setup, self.deal = journal, session_id, setup, deal
        self.match = Match(setup)
        self.lights = lights
        self.now = 0.0
        self.state = "playing"
        self.desk = desks.Desk()
        self.geometry: Mapping[str, Any] = {}
        self.cards: Callable[[], Sequence[Mapping[str, Any]]] = tuple
        self.board = board
        self.panel_state = PanelState(())
        self._published: dict[str, Any] = {}
        self._said: list[Said] = [Said(0.0, ruling) for ruling in self.match.opening]
        self._dispute: _Dispute | None = None
        self._wishes: dict[int, _Wish] = {}
        self._instead: dict[int, Fact | None] = {}  # what stands in the place of a corrected entry, by its number
        self._lay_before: tuple[Lies, ...] = ()  # what lay here when the program was started again
        self.results: list[dict[str, Any]] = []
        self.notices: tuple[str, ...] = ()

    @classmethod
    def begin(
        cls,
        journal: Journal,
        setup: Setup,
        *,
        lights: Lights,
        board: Noticeboard,
        program: str,
        model: str,
        table: Mapping[str, Any],
        club: str = "",
    ) -> Table:
        """A new session, its first line durable.

        :raises BadSetup: if the referee cannot play this setup; nothing is written then.
        """
        Match(setup)
        header = SessionHeader(
            *(setup.game, setup.seats, setup.dealer or len(setup.seats), setup.house, setup.deal),
            *(program, model, table, club),
        )
        opened = cls(journal, journal.begin(header), setup, lights=lights, board=board)
        opened._keep_opening()
        return opened

    @classmethod
    def resume(cls, journal: Journal, session_id: str, *, lights: Lights, board: Noticeboard) -> Table:
        """The session as its log tells it: folded again, at the same entry, with the same lights."""
        header, deals = journal.header(session_id), journal.deals(session_id)
        last = deals[-1]
        setup = Setup(header.game, header.seats, last.dealer, header.house, last.known)
        table = cls(journal, session_id, setup, lights=lights, board=board, deal=last.number)
        for entry in journal.entries(session_id, deal=last.number):
            table._judge(entry)
            table.now = max(table.now, entry.at)
        table._lay_before = lying_now(setup, table.match.entries)
        refold(journal, session_id)
        return table

    # -- what happens

    def enter(self, seen: Seen) -> Told:
        """Photo, then log, then light: keep ``seen``, judge it, show it.

        :raises JournalError: if the log cannot be written; then nothing was kept and no light changed.
        """
        entry = Entry(
            len(self.match.entries), seen.fact, seen.t, seen.at, seen.confidence, seen.seat_confidence, seen.source
        )
        kept = self.journal.append(self.session_id, entry, seen.pictures, deal=self.deal)
        rulings = self._judge(kept)
        self.journal.add_rulings(self.session_id, kept.number, rulings, deal=self.deal)
        self.refresh(seen.at)
        return Told(kept, rulings)

    def hear(self, act: Act, t: float) -> tuple[Pressed, ...]:
        """What a button's act comes to: presses to be entered in their order, or an answer on the lights."""
        counters = dict(enumerate(self.match.view.counters, 1))
        announces = getattr(self.match.game, "ANNOUNCES", False)
        desk, told = desks.take(self.desk, act, t, counters, taps_count=announces)
        for transfer in told.given:
            self.remark(GIVEN, self._given(transfer))
        for transfer in told.paid:
            self.remark(HANDED_OVER, self._handed(transfer))
        if desk.dispute and self._dispute is None and not told.facts:
            self.call(None)
        self.desk = desk  # last: a log that cannot be written leaves all as it was, and the act is tried again
        return told.facts

    def refresh(self, now: float) -> None:
        """Show the state at ``now`` on lights and page, if it changed; the clock never goes back."""
        self.now = max(self.now, now)
        attention = replace(self.desk, dispute=self._dispute is not None).attention()
        self.panel_state = signals(len(self.setup.seats), self.match.view, self._said, self.now, attention)
        self.lights.show(self.panel_state)
        if (snapshot := self.snapshot()) != self._published:
            self._published = snapshot
            self.board.publish(**snapshot)

    def _judge(self, entry: Entry) -> tuple[Ruling, ...]:
        rulings = self.match.add(entry)
        self._said = [*self._said, *(Said(entry.at, ruling) for ruling in rulings)][-RECENT:]
        for ruling in rulings:
            if ruling.kind is Kind.PAID and ruling.seat and ruling.to:
                self.desk = desks.owe(self.desk, ruling.seat, ruling.to, ruling.counters, ruling.id)
        match entry.fact:
            case Note():
                self._note(entry.fact)
            case Pressed(seat, Press.LONG):
                self._dispute = self._dispute or _Dispute(seat)
            case Corrected() | Inserted():
                if isinstance(entry.fact, Corrected):
                    self._instead[entry.fact.target] = entry.fact.instead
                self.desk = desks.only(self.desk, {ruling.id for ruling in self.match.standing})
                if entry.source == "page":  # people have settled it; the camera's second look settles nothing
                    self._closed()
        return rulings

    def _note(self, note: Note) -> None:
        """Follow a note of ours: wishes, payments and disputes live in the log like everything else."""
        match note.code:
            case "WISH_SEALED" | "WISH_OPENED":
                data = json.loads(note.words)
                self._wishes[data["seat"]] = _Wish(**data)
            case "PAUSED" | "RESUMED":
                self.state = "paused" if note.code == "PAUSED" else "playing"
            case disputes.OPENED:
                seat = disputes.seat_of(note.words, self.setup.seats)
                why = disputes.why_of(note.words)
                self._dispute = self._dispute or _Dispute(seat, disputes.entry_of(note.words), why)
            case disputes.LET_STAND | disputes.SETTLED:
                self._closed()
            case code if code in (GIVEN, HANDED_OVER):
                self._follow(note)

    def _follow(self, note: Note) -> None:
        """A payment from seat to seat as its note tells it: given by the one, or handed over."""
        words = self._given if note.code == GIVEN else self._handed
        found = next((t for t in self.desk.transfers if words(t) == note.words), None)
        if found is not None:
            self.desk = desks.given(self.desk, found) if note.code == GIVEN else desks.paid(self.desk, found)

    def _given(self, transfer: desks.Transfer) -> str:
        return f"{self.name(transfer.payer)} gave {transfer.counters} to {self.name(transfer.to)}"

    def _handed(self, transfer: desks.Transfer) -> str:
        return f"{self.name(transfer.to)} has {transfer.counters} from {self.name(transfer.payer)}"

    def _keep_opening(self) -> None:
        self.journal.add_rulings(self.session_id, OPENING, self.match.opening, deal=self.deal)

    # -- what people decide

    def next_deal(self) -> None:
        """Begin the next deal with the dealer and the pools that the last one leaves.

        :raises ValueError: if the deal is not over, or the game is.
        """
        if not self.match.view.over:
            raise ValueError("this deal is not over yet")
        setup = self.match.next_setup()
        if setup is None:
            raise ValueError("the game is over; begin a new one")
        self.results.append(self.match.result())
        self.deal = self.journal.next_deal(self.session_id, setup.dealer or 1, setup.deal)
        self.setup, self.match, self._instead, self._lay_before = setup, Match(setup), {}, ()
        self._keep_opening()
        self._said = [Said(self.now, ruling) for ruling in self.match.opening]
        self.refresh(self.now)

    def finish(self) -> dict[str, Any]:
        """End the session; the result of its last deal."""
        result = self.match.result()
        self.results.append(result)
        refold(self.journal, self.session_id)  # those that a full disk did not take belong under the seal too
        self.journal.end(self.session_id, result)
        self.state = "over"
        self.refresh(self.now)
        return result

    def correct(self, target: int, instead: Fact | None, by: str, why: str) -> Told:
        """Strike entry ``target`` and put ``instead`` in its place (or nothing); the game is folded again.

        :raises ValueError: if there is no such entry.
        """
        if not 0 <= target < len(self.match.entries):
            raise ValueError(f"there is no entry {target}")
        told = self.enter(Seen(Corrected(target, instead, by, why), self.now, self.now, source="page"))
        self.refresh(self.now)
        return told

    def insert(self, before: int, missed: Fact, by: str, why: str) -> Told:
        """Put in what the camera missed, before entry ``before`` (the next number: at the end); all is folded again.

        :raises ValueError: if there is no such place.
        """
        if not 0 <= before <= len(self.match.entries):
            raise ValueError(f"there is no entry {before}")
        told = self.enter(Seen(Inserted(before, missed, by, why), self.now, self.now, source="page"))
        self.refresh(self.now)
        return told

    def call(self, seat: int | None, ruling: int | None = None, entry: int | None = None, why: str = "") -> None:
        """Somebody calls the referee: the game pauses until the dispute is closed. A second call is kept as well.

        :raises ValueError: if there is no such entry.
        """
        about = self._about(ruling, entry)
        if about is not None and about >= len(self.match.entries):
            raise ValueError(f"there is no entry {about}")
        self.remark(disputes.OPENED, disputes.called(self.name(seat), about, why))
        self.refresh(self.now)

    def let_stand(self, seat: int | None, why: str = "") -> None:
        """The dispute is over: the ruling stands, says ``seat`` (None: the host).

        :raises ValueError: if nobody has called the referee.
        """
        if self._dispute is None:
            raise ValueError("nobody has called the referee")
        self.remark(disputes.LET_STAND, f"{self.name(seat)}: {why or 'the ruling stands'}")

    def settle(self, seat: int | None, why: str) -> None:
        """The dispute is over: the table has agreed otherwise, in the words of ``seat`` (None: the host)."""
        self.remark(disputes.SETTLED, f"{self.name(seat)}: {why or 'settled by agreement'}")

    def _closed(self) -> None:
        self._dispute, self.desk = None, desks.settled(self.desk)

    def pause(self, paused: bool, seat: int | None = None) -> None:
        """Stop the game for a while, or go on, says ``seat`` (None: the host). What is so already is not said again."""
        if paused != (self.state == "paused"):
            self.remark("PAUSED" if paused else "RESUMED", self.name(seat))

    def wish(self, code: str, seat: int, commitment: str, text: str = "", nonce: str = "") -> None:
        """Keep a sealed wish, or the opened one."""
        data = {"seat": seat, "commitment": commitment, "text": text, "nonce": nonce}
        self.remark(code, json.dumps(data, ensure_ascii=False))

    def sealed(self, seat: int) -> str:
        """The commitment of a seat's wish; empty if none was sealed."""
        return self._wishes[seat].commitment if seat in self._wishes else ""

    def name(self, seat: int | None) -> str:
        """A seat's player, or the host."""
        return self.setup.seats[seat - 1] if seat else "the host"

    def _about(self, ruling: int | None, entry: int | None) -> int | None:
        """The entry that a call is about."""
        known = ruling is not None and ruling < len(self.match.rulings)
        return self.match.rulings[ruling].entry if known and ruling is not None else entry

    def remark(self, code: str, words: str) -> None:
        """Write a note of ours into the log."""
        self.enter(Seen(Note(code, words), self.now, self.now, source="page"))

    # -- what everybody may see

    def snapshot(self) -> dict[str, Any]:
        """The public state as plain JSON values; the page lets nothing else through."""
        view = self.match.view
        return {
            "session": self.session_id,
            "game": self.setup.game,
            "title": games()[self.setup.game].TITLE,
            "deal": self.deal,
            "dealer": self.setup.dealer,
            "seats": list(self.setup.seats),
            "state": "fault" if self.desk.fault else "paused" if self._dispute else self.state,
            "view": {
                **view_json(view),
                "quiet_act": self._quiet_acts(),
                "quiet_word": quiet_word(self.match.game),
                "told": [list(words) for words in self.match.telling],
            },
            "lights": [light_json(seat, light) for seat, light in enumerate(self.panel_state.lights, 1)],
            "cards": [self._put_right(card) for card in self._seen()],
            "table": self.geometry,
            "rulings": [{**said.ruling.to_json(), "t": said.t_s} for said in self._said],
            "entries": [
                entry_json(entry) | ({"struck": True} if entry.number in self._instead else {})
                for entry in self.match.entries[-ENTRIES_SHOWN:]
            ],
            "dispute": self._dispute_json(),
            "notices": [*self.notices, *([self.desk.fault] if self.desk.fault else [])],
            "wishes": [
                {"seat": w.seat, "commitment": w.commitment} | ({"text": w.text, "nonce": w.nonce} if w.text else {})
                for w in self._wishes.values()
            ],
        }

    def _seen(self) -> Sequence[Mapping[str, Any]]:
        """The cards that the camera sees; those that lay here before a restart are known again from the log."""
        cards = self.cards()
        return known_again(cards, self._lay_before, self._instead) if self._lay_before else cards

    def _put_right(self, card: Mapping[str, Any]) -> Mapping[str, Any]:
        """A card as people have said that it is: the camera goes on seeing what it saw."""
        match self._instead.get(card.get("entry", -1)):
            case Laid(Card() as known):
                return {**card, "card": str(known)}
        return card

    def _quiet_acts(self) -> list[str]:
        """What each seat's button means now: a payment that waits for its press comes before the game's own act."""
        return [self.desk.wants(seat) or act for seat, act in enumerate(self.match.quiet, start=1)]

    def _dispute_json(self) -> dict[str, Any] | None:
        d = self._dispute
        return None if d is None else {"seat": d.seat, "entry": d.entry, "why": d.why, "open": True}


def view_json(view: PublicView) -> dict[str, Any]:
    """A public view as plain JSON values."""
    names = ("turn", "due", "due_count", "need", "pool", "over", "winner", "words")
    out = {name: getattr(view, name) for name in names}
    out["counters"] = list(view.counters)
    out["table"] = [[zone, list(cards)] for zone, cards in view.table]
    out["out_of_step"] = view.out_of_step
    return out


def light_json(seat: int, light: Signal) -> dict[str, Any]:
    """One seat's light, with its rhythm in words and in milliseconds."""
    return {
        "seat": seat,
        "meaning": light.meaning.value,
        "rhythm": light.beat,
        "pattern": list(light.rhythm),
        "pulses": light.count,
        "colour": light.colour.value,
        "words": light.words,
    }


def entry_json(entry: Entry) -> dict[str, Any]:
    """An entry as plain JSON values; hands that were only told to the program are not for the page."""
    fact = to_json(entry.fact)
    if isinstance(entry.fact, HandShown):
        fact["cards"] = [str(card) for card in entry.fact.cards]
    keys = ("number", "t", "at", "confidence", "seat_confidence", "source")
    return {**{k: getattr(entry, k) for k in keys}, **fact, "photos": list(entry.photos)}
