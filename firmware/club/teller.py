"""One table of a club: tells its hub what the log holds, and everybody what is on the table now.

Runs beside the table's loop and never holds it up: it reads the log through a journal of its own, and all that it asks
of the loop's journal is to keep, once a session, that a hub has it whole.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from firmware.config import ClubSettings, ConfigError
from firmware.journal.journal import Journal
from firmware.web.source import TableSource

from .bulletins import Telling
from .messages import (
    HUB_AVAILABLE,
    MOST_SESSIONS,
    OFFLINE,
    ONLINE,
    BadMessage,
    Offer,
    pack,
    read_ack,
    read_presence,
    topic,
)
from .sender import Sender
from .state import discovery, state_of
from .wires import Publish, Will, Wire, broker_of

#: The newest sessions are offered at every greeting, also those that the hub was known to have: one that was set back
#: to an older copy of its database then says so.
RECENT = 20
#: Sessions whose bulletins are kept in memory (0.5 MB for a long one): the one being told, and the one being played.
KEPT = 2
#: Least time between two states, in seconds: a burst of a fact and its rulings is one.
GAP_S = 0.1
#: Greetings that a hub leaves unanswered before people are told, each `sender.AGAIN_S` after the last.
UNANSWERED = 3
#: How long nothing is looked for when nothing wakes us, in seconds.
IDLE_S = 1.0


class JournalSpool:
    """The log of a journal as the spool: nothing is written to send something."""

    def __init__(self, reading: Journal, mark_told: Callable[[str, str, int], None], table: str) -> None:
        self._journal, self._mark, self._table = reading, mark_told, table
        self._tellings: OrderedDict[str, Telling] = OrderedDict()

    def offers(self, hub: str) -> list[Offer]:
        """See `Spool`."""
        rows = self._journal.untold(self._table, hub, RECENT)[:MOST_SESSIONS]
        return [Offer(row.id, row.lines, row.head, row.ended) for row in rows]

    def payload(self, session: str, seq: int) -> bytes | None:
        """See `Spool`."""
        if session not in self._tellings:
            self._tellings[session] = Telling(self._journal, session)
        self._tellings.move_to_end(session)
        while len(self._tellings) > KEPT:
            self._tellings.popitem(last=False)
        telling = self._tellings[session]
        if seq >= len(telling.payloads):
            telling.read_on()
        return telling.payloads[seq] if seq < len(telling.payloads) else None

    def told(self, hub: str, session: str, lines: int) -> None:
        """See `Spool`."""
        self._mark(hub, session, lines)


class Teller:
    """A `Part`: what the table says and hears on its wire."""

    def __init__(
        self,
        settings: ClubSettings,
        spool: JournalSpool,
        source: TableSource,
        note: Callable[[str], Any],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings, self._source, self._note, self._now_s = settings, source, note, now_s
        self.sender = Sender(spool)
        self._publish: Publish = _nowhere
        self._state = b""
        self._state_s = 0.0
        self._unanswered = 0

    @property
    def topics(self) -> Sequence[str]:
        """See `Part`."""
        return HUB_AVAILABLE, topic(self._settings.table, "ack")

    def up(self, publish: Publish) -> None:
        """See `Part`."""
        table, prefix = self._settings.table, self._settings.discovery
        self._publish, self._state = publish, b""
        if prefix:
            for name, payload in discovery(table, prefix, version("cardtable")):
                publish(name, payload, True)
        self._tell_state(self._now_s())
        publish(topic(table, "available"), ONLINE, True)

    def hear(self, name: str, payload: bytes) -> None:
        """See `Part`. A message that cannot be meant is passed over: the hub's next one says the same."""
        try:
            if name == HUB_AVAILABLE:
                self._presence(payload)
                return
            ack, self._unanswered = read_ack(payload), 0
            if news := self.sender.hear(ack, self._now_s()):
                self._note(f"the club's hub takes no more of this session: {news}")
        except BadMessage:
            return

    def turn(self) -> float:
        """See `Part`."""
        now_s = self._now_s()
        self._tell_state(now_s)
        if self.sender.silent(now_s):
            self._greet_again()
        self.sender.look()
        for payload in self.sender.due(now_s):
            self._publish(topic(self._settings.table, "log"), payload, False)
        return GAP_S if now_s - self._state_s < GAP_S else IDLE_S

    def down(self) -> None:
        """See `Part`."""
        self.sender.part()
        self._publish = _nowhere

    def farewell(self) -> bool:
        """See `Part`: the end of an evening is worth a moment's wait."""
        return not self.sender.hub or self.sender.lacking == 0

    def _presence(self, payload: bytes) -> None:
        presence = read_presence(payload) if payload else None
        if presence is None or not presence.online:
            self.sender.part()
        else:
            self._greet(presence.hub)

    def _greet(self, hub: str) -> None:
        inventory = self.sender.greet(hub, self._now_s())
        self._publish(topic(self._settings.table, "inventory"), pack(inventory), False)

    def _greet_again(self) -> None:
        self._unanswered += 1
        if self._unanswered == UNANSWERED:
            table, user = self._settings.table, self._settings.user
            who = f"user {user!r}" if user else "anybody"
            self._note(
                f"the club's hub is there but does not answer {table}: see what the hub says, and whether the broker "
                f"lets {who} publish as {table}; the game goes on"
            )
        self._greet(self.sender.hub)

    def _tell_state(self, now_s: float) -> None:
        if now_s - self._state_s < GAP_S and self._state:
            return
        state = json.dumps(state_of(self._source.snapshot()), ensure_ascii=False, separators=(",", ":")).encode()
        if state != self._state:
            self._publish(topic(self._settings.table, "state"), state, True)
            self._state, self._state_s = state, now_s


def _nowhere(name: str, payload: bytes, retain: bool) -> None:
    """There is no connection: the log keeps it."""


@contextmanager
def open_club(
    settings: ClubSettings, journal: Journal, reading: Journal, source: TableSource, note: Callable[[str], Any]
) -> Iterator[Teller | None]:
    """Tell the club while the context lasts; nothing happens where the settings name no club.

    ``journal``: the table's; ``reading``: the same, opened to read, for this alone. ``note``: lines for people.
    Settings that cannot be used, or a library that is missing, are said and do not stop the game: the log keeps what
    is to be told.
    """
    if not settings.table:
        yield None
        return
    teller = Teller(settings, JournalSpool(reading, journal.mark_told, settings.table), source, note)
    try:
        wire = _wire(settings, teller, note)
    except ConfigError as error:
        note(f"club   {error}; the game goes on, and the club is told when this is put right")
        yield None
        return
    forget = source.subscribe(wire.wake)
    try:
        yield teller
    finally:
        forget()
        wire.close()


def _wire(settings: ClubSettings, teller: Teller, note: Callable[[str], Any]) -> Wire:
    """The wire to the club's broker, connecting.

    :raises ConfigError: if the settings cannot be used or the library is missing.
    """
    broker = broker_of(settings.broker, settings.user, settings.password_file, settings.ca)
    will = Will(topic(settings.table, "available"), OFFLINE)
    wire = Wire(broker, f"cardtable-{settings.table}", will, teller, lambda words: note(f"club   {words}"), OFFLINE)
    wire.start()
    return wire
