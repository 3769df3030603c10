"""The hub: hears every table of the club, keeps what they tell, and answers how far it has it.

A `Part` behind one wire. Whatever comes is read as if a stranger had sent it; what cannot be meant is counted, shown
beside the table's name, and changes nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from firmware.web.source import Noticeboard

from .database import Database, HubDatabaseError, Standing, evening_of
from .messages import (
    HUB_AVAILABLE,
    OFFLINE,
    ONLINE,
    Ack,
    BadMessage,
    Bulletin,
    Presence,
    State,
    pack,
    read_bulletin,
    read_inventory,
    read_state,
    table_of,
    topic,
)
from .wires import Publish, Will

#: Bulletins kept in one transaction, at most: about 50 ms of a small database.
BATCH: Final = 256
#: How often the page is told that the evening has changed, in seconds.
EVENING_S: Final = 1.0
#: How often a table is asked to send a session again, at most, in seconds; its window shrinks each time.
ASK_S: Final = 0.5
#: Sessions of a table of which is remembered how many lines it has.
OFFERED: Final = 50
IDLE_S: Final = 1.0

_TOPICS: Final = tuple(topic("+", word) for word in ("available", "state", "inventory", "log"))


@dataclass(slots=True)
class Card:
    """A table as the page shows it. ``offered``: lines of its sessions, ``have``: those that are kept here."""

    name: str
    online: bool = False
    since_ns: int = 0
    state: State | None = None
    unreadable: int = 0
    complaint: str = ""
    offered: dict[str, int] = field(default_factory=dict)
    have: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values for the page."""
        known = {session: lines for session, lines in self.offered.items() if session in self.have}
        lacking = sum(max(0, lines - self.have[session]) for session, lines in known.items())
        shown = asdict(self.state) if self.state else {}
        named = {"name": self.name, "online": self.online, "since_ns": self.since_ns, "lacking": lacking}
        return {**shown, **named, "unreadable": self.unreadable, "complaint": self.complaint}


class Hub:
    """A `Part`. ``board``: what the page shows: ``tables`` by name, and ``evening`` with a number that counts up."""

    def __init__(
        self,
        database: Database,
        note: Callable[[str], Any],
        *,
        wall_ns: Callable[[], int] = time.time_ns,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.database = database
        self._note, self._wall_ns, self._now_s = note, wall_ns, now_s
        self._cards = {name: Card(name, False, since) for name, _, since in database.tables()}
        self._publish: Publish = _nowhere
        self._heard: list[tuple[str, Bulletin]] = []
        self._asked_s: dict[tuple[str, str], float] = {}
        self._presence = pack(Presence(database.hub, True))
        self._fault = ""
        self._revision, self._changed, self._evening_s = 0, True, float("-inf")
        self._shown: set[str] = set()
        self._tables: dict[str, dict[str, Any]] = {name: card.to_json() for name, card in sorted(self._cards.items())}
        self.board = Noticeboard(
            {"tables": self._tables, "evening": self._evening()},
            lambda action, actor: {"error": "nothing is done here"},
        )

    @property
    def will(self) -> Will:
        """What the broker says when the hub has gone."""
        return Will(HUB_AVAILABLE, pack(Presence(self.database.hub, False)))

    @property
    def topics(self) -> Sequence[str]:
        """See `Part`."""
        return _TOPICS

    def up(self, publish: Publish) -> None:
        """See `Part`."""
        self._publish = publish
        self._tell_presence()

    def _tell_presence(self) -> None:
        self._publish(HUB_AVAILABLE, self._presence, True)

    def down(self) -> None:
        """See `Part`. What was heard and not kept is sent again."""
        self._publish = _nowhere
        self._heard.clear()

    def farewell(self) -> bool:
        """See `Part`."""
        return True

    def hear(self, name: str, payload: bytes) -> None:
        """See `Part`."""
        if name == HUB_AVAILABLE and payload != self._presence and self._may_ask("hub", ""):
            self._tell_presence()  # another hub's leftover, or a stranger's word: the tables would wait for it
        if (found := table_of(name)) is None:
            return
        table, word = found
        try:
            self._take(table, word, payload)
        except BadMessage as error:
            if (card := self._card(table)) is not None:
                card.unreadable += 1
                card.complaint = f"{word}: {error}"
                self._show(table)
        except HubDatabaseError as error:
            self._trouble(str(error))
        if len(self._heard) >= BATCH:
            self._keep()

    def turn(self) -> float:
        """See `Part`."""
        self._keep()
        now_s = self._now_s()
        if self._changed and now_s - self._evening_s >= EVENING_S:
            self._revision, self._changed, self._evening_s = self._revision + 1, False, now_s
            self.board.publish(evening=self._evening())
        if self._shown:
            changed = {name: self._cards[name].to_json() for name in self._shown if name in self._cards}
            self._tables = dict(sorted({**self._tables, **changed}.items()))  # a new one: others are reading the old
            self.board.publish(tables=self._tables)
            self._shown.clear()
        return IDLE_S

    # -- what is heard

    def _take(self, table: str, word: str, payload: bytes) -> None:
        match word:
            case "log":
                self._heard.append((table, read_bulletin(payload)))
            case "state" if payload:
                state = read_state(payload)
                if (card := self._card(table)) is not None:
                    card.state = state
                    self._show(table)
            case "available":
                self._available(table, payload)
            case "inventory":
                self._inventory(table, payload)

    def _available(self, table: str, payload: bytes) -> None:
        if payload not in (ONLINE, OFFLINE):
            raise BadMessage(f"neither online nor offline: {payload!r:.40}")
        card = self._card(table)
        if card is not None and (card.online != (payload == ONLINE) or not card.since_ns):
            card.online, card.since_ns = payload == ONLINE, self._wall_ns()
            self.database.see_table(table, card.online, card.since_ns)
            self._show(table)

    def _inventory(self, table: str, payload: bytes) -> None:
        """A table offers its sessions: say of each how far it is known here."""
        offers = read_inventory(payload).offers
        self._keep()  # what was heard before counts
        standings = self.database.standings((table, offer.session) for offer in offers)
        card = self._card(table)
        for offer in offers:
            standing = standings[table, offer.session]
            shorter = standing.next > offer.lines
            if not standing.refused and (shorter or (standing.next == offer.lines and standing.head != offer.head)):
                why = "its log is shorter than what was told" if shorter else "its log is not the one that was told"
                self.database.refuse(table, offer.session, why)
                standing = Standing(standing.next, standing.head, why)
            if card is not None:
                _remember(card.offered, offer.session, offer.lines)
            self._answer(table, offer.session, standing)

    def _card(self, table: str) -> Card | None:
        """The table's card, made if it is new; None for one table too many."""
        if table not in self._cards:
            now_ns = self._wall_ns()
            if not self.database.see_table(table, False, now_ns):
                return None
            self._cards[table] = Card(table)
        return self._cards[table]

    # -- what is kept

    def _keep(self) -> None:
        """Keep what was heard, and only then say so."""
        if not self._heard:
            return
        heard, self._heard = self._heard, []
        try:
            standings = self.database.take(heard, self._wall_ns())
            for (table, session), standing in standings.items():
                self._answer(table, session, standing)
        except HubDatabaseError as error:
            self._trouble(str(error))
            return
        self._fault, self._changed = "", True

    def _answer(self, table: str, session: str, standing: Standing) -> None:
        if (card := self._card(table)) is not None:
            _remember(card.have, session, standing.next)
            _remember(card.offered, session, max(card.offered.get(session, 0), standing.next))
            card.complaint = f"session {session}: {standing.refused}" if standing.refused else card.complaint
            self._show(table)
        if standing.gap and not self._may_ask(table, session):
            return
        ack = Ack(self.database.hub, session, standing.next, standing.gap, standing.refused)
        self._publish(topic(table, "ack"), pack(ack), False)

    def _may_ask(self, table: str, session: str) -> bool:
        """Whether it is time to say this again; each later line of the session would be a reason."""
        now_s = self._now_s()
        if now_s - self._asked_s.get((table, session), float("-inf")) < ASK_S:
            return False
        if len(self._asked_s) > OFFERED * len(self._cards):
            self._asked_s.clear()
        self._asked_s[table, session] = now_s
        return True

    def _trouble(self, words: str) -> None:
        """The database failed: nothing was kept and nothing was confirmed, so the tables send it again."""
        if words != self._fault:
            self._fault = words
            self._note(words)

    # -- what is shown

    def _show(self, table: str) -> None:
        self._shown.add(table)

    def _evening(self) -> dict[str, Any]:
        return {"evening": evening_of(self._wall_ns(), self.database.zone), "revision": self._revision}


def shown(state: Mapping[str, Any]) -> dict[str, Any]:
    """The hub's state as the stream sends it: a key for each table, so that a change sends that table alone."""
    tables = {f"table:{name}": card for name, card in state["tables"].items()}
    return {"evening": state["evening"], **tables}


def _remember(kept: dict[str, int], session: str, lines: int) -> None:
    """Keep a number by session, the newest sessions alone."""
    kept.pop(session, None)
    kept[session] = lines
    while len(kept) > OFFERED:
        kept.pop(next(iter(kept)))


def _nowhere(name: str, payload: bytes, retain: bool) -> None:
    """There is no connection: the tables send it again."""
