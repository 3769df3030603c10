"""Which bulletins go out next: what the hub wants, in order, a window at a time. Knows no network and no clock.

The hub alone says how far it has a session; its word counts in both directions. The broker's own acknowledgement is
only for the way to the broker (docs/adr/0006): a broker that dies takes with it what it had not passed on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from .messages import Ack, Inventory, Offer

#: Bulletins on their way to the hub, at most. A hundred tables that come back at once then stay below the 10,000 that
#: docs/club.md asks a broker to hold; 64 bulletins are about 40 kB.
WINDOW = 64
#: ... and at least: what a broker with its usual 1,000 can hold of two hundred tables.
LEAST_WINDOW = 4
#: No word from the hub for so long, and everything that it has not confirmed goes out again, in seconds. Its batches
#: take milliseconds; a database that was restarted, a few seconds.
AGAIN_S = 5.0


class Spool(Protocol):
    """The journal, as far as it is told."""

    def offers(self, hub: str) -> list[Offer]:
        """The sessions to be told to ``hub``, oldest first."""

    def payload(self, session: str, seq: int) -> bytes | None:
        """A bulletin as it is sent; None where the log does not go so far."""

    def told(self, hub: str, session: str, lines: int) -> None:
        """``hub`` has all ``lines`` lines of a session that is over."""


@dataclass(slots=True)
class _Way:
    """How far one session has come. ``wanted``: the hub's next line, None before it said; ``sent``: ours."""

    lines: int
    ended: bool
    wanted: int | None = None
    sent: int = 0
    refused: bool = False

    @property
    def open(self) -> bool:
        """Whether the hub lacks something that it would take."""
        return not self.refused and (self.wanted is None or self.wanted < self.lines)

    @property
    def under_way(self) -> int:
        """How many bulletins were sent and are not confirmed."""
        return self.sent - (self.wanted or 0) if self.open else 0


@dataclass(slots=True)
class Sender:
    """Tells one hub at a time. Times are monotonic seconds and come from the caller."""

    spool: Spool
    hub: str = ""
    window: int = WINDOW // 4
    _ways: dict[str, _Way] = field(default_factory=dict)
    _heard_s: float = 0.0

    def greet(self, hub: str, now_s: float) -> Inventory:
        """A hub is there: what it is to be offered. Its answers say where to begin."""
        self.hub, self._heard_s = hub, now_s
        offers = self.spool.offers(hub)
        self._ways = {offer.session: _Way(offer.lines, offer.ended) for offer in offers}
        return Inventory(tuple(offers))

    def part(self) -> None:
        """The hub has gone, or the way to it: wait."""
        self.hub, self._ways = "", {}

    def look(self) -> None:
        """The log may have grown. A session that began since the greeting is told from its first line."""
        if not self.hub:
            return
        for offer in self.spool.offers(self.hub):
            way = self._ways.setdefault(offer.session, _Way(0, False, 0))
            way.lines, way.ended = max(way.lines, offer.lines), offer.ended

    def hear(self, ack: Ack, now_s: float) -> str:
        """The hub's answer; words for people if it refuses a session that it had not refused before."""
        way = self._ways.get(ack.session)
        if way is None or ack.hub != self.hub:
            return ""
        news = "" if way.refused else ack.refused
        self._heard_s = now_s
        self.window = max(LEAST_WINDOW, self.window // 2) if ack.again else min(WINDOW, self.window + 1)
        if way.wanted is None or ack.again or not way.wanted <= ack.next <= way.sent:
            way.sent = ack.next
        way.wanted, way.refused = min(ack.next, way.lines), bool(ack.refused)
        if way.ended and way.wanted == way.lines and not way.refused:
            self.spool.told(self.hub, ack.session, way.lines)
        return news

    def due(self, now_s: float) -> Iterator[bytes]:
        """The bulletins to be sent now, in order: the oldest session first."""
        if not self.waiting:
            self._heard_s = now_s
        elif now_s - self._heard_s > AGAIN_S:
            self._again(now_s)
        room = self.window - self.waiting
        for session, way in self._ways.items():
            while room > 0 and way.open and way.wanted is not None and way.sent < way.lines:
                payload = self.spool.payload(session, way.sent)
                if payload is None:
                    break
                way.sent, room = way.sent + 1, room - 1
                yield payload

    def silent(self, now_s: float) -> bool:
        """Whether the hub has not answered its greeting for a while: it is to be greeted again."""
        asked = any(way.wanted is None and way.open for way in self._ways.values())
        return asked and now_s - self._heard_s > AGAIN_S

    @property
    def waiting(self) -> int:
        """How many bulletins are on their way, and sessions of which the hub has not said what it wants."""
        return sum(way.under_way + (way.wanted is None and way.open) for way in self._ways.values())

    @property
    def lacking(self) -> int:
        """How many bulletins the hub does not have yet."""
        return sum(way.lines - (way.wanted or 0) for way in self._ways.values() if way.open)

    def _again(self, now_s: float) -> None:
        """Nothing was heard: what is not confirmed is sent once more, and less of it at once."""
        self.window = max(LEAST_WINDOW, self.window // 2)
        if not self.silent(now_s):
            self._heard_s = now_s
        for way in self._ways.values():
            way.sent = way.wanted or 0
