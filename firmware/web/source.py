"""What the page needs from the rest of the house, as Protocols; and a noticeboard between the table's loop and it.

Everything that crosses is plain JSON values, so the page knows no referee state and no journal row. What the table
puts up must hold public things only; ``public`` lets nothing else through in any case.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who taps: the seat whose token the phone holds (None: none), and whether the host's PIN was given."""

    seat: int | None
    host: bool


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for among the sessions; empty fields match all. ``before``: a session's id, for older pages."""

    game: str = ""
    player: str = ""
    since: str = ""
    disputes: bool = False
    before: str = ""
    limit: int = 50


@dataclass(frozen=True, slots=True)
class Download:
    """A file made for the reader: its name, its media type, its bytes."""

    name: str
    media_type: str
    data: bytes


class TableSource(Protocol):
    """The live table as the page sees it. Every method may be called from any thread."""

    def snapshot(self) -> Json:
        """The public state now, as JSON values (the keys are in ``public``); returns at once."""

    def subscribe(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Call ``wake`` (short, from any thread) after every change, until the returned function is called."""

    def act(self, action: Json, actor: Actor) -> Json:
        """Do what was tapped: ``{"ok": True, ...}`` or ``{"error": words}``. It may block for a second or two.

        ``action["do"]`` is one of those in ``actions``, checked for form and for the actor's right to it.
        """


class SessionArchive(Protocol):
    """The sessions kept. Every method may be called from several threads at once; unknown ids give None."""

    def sessions(self, search: Search) -> Sequence[Json]:
        """Newest first: id, game, started (ISO 8601), players, entries, disputes, live."""

    def session(self, session_id: str) -> Json | None:
        """One session: as in the list, with house, seats, table, head (the short hash), counters, winner."""

    def entries(self, session_id: str, first: int, limit: int, deal: int | None = None) -> Sequence[Json] | None:
        """Entries from the ``first`` on: number, deal, t, fact..., photos, rulings [...], cards (the table after it).

        Of one ``deal`` only, where it is named: numbers begin again with each.
        """

    def explain(self, session_id: str, ruling: int) -> Json | None:
        """A ruling: its JSON, why, and the entries behind it, each with its photos before and after."""

    def evidence(self, digest: str) -> bytes | None:
        """The picture with this content hash, if the journal knows it: JPEG, WebP or PNG bytes."""

    def export(self, session_id: str, form: str) -> Download | None:
        """The session as ``json``, ``csv``, ``html`` or ``zip``."""

    def settle_up(self, session_ids: Sequence[str]) -> Json | None:
        """Who owes whom over these sessions: ``{"net": {name: n}, "transfers": [{from, to, counters}]}``."""


class CameraView(Protocol):
    """What the camera sees, for setting up."""

    def look(self) -> Json:
        """The newest frame in words.

        width_px, height_px, cards [{card, confidence, corners_px}], zones [{name, polygon_px}], focus 0..1,
        glare 0..1, and hints [{code, words}].
        """

    def picture(self) -> bytes | None:
        """The newest frame as JPEG, at most about 1280 px wide; None while there is no camera."""


class Noticeboard:
    """A `TableSource` for a loop that runs elsewhere: the loop calls `publish`, and ``act`` is handed on.

    ``act`` is called in the web's worker threads; a table with one queue puts the action there and waits.
    """

    def __init__(self, state: Json, act: Callable[[Json, Actor], Json]) -> None:
        self._state = {"seq": 0, **state}
        self._act = act
        self._lock = threading.Lock()
        self._wakes: dict[object, Callable[[], None]] = {}

    def publish(self, **changed: Any) -> None:
        """Put up these keys of the public state (others stay), with the next ``seq``; never blocks on a reader."""
        with self._lock:
            self._state = {**self._state, **changed, "seq": self._state["seq"] + 1}
            wakes = list(self._wakes.values())
        for wake in wakes:
            wake()

    def snapshot(self) -> Json:
        """See `TableSource`."""
        return self._state

    def subscribe(self, wake: Callable[[], None]) -> Callable[[], None]:
        """See `TableSource`."""
        key = object()
        with self._lock:
            self._wakes[key] = wake
        return lambda: self._forget(key)

    def act(self, action: Json, actor: Actor) -> Json:
        """See `TableSource`."""
        return self._act(action, actor)

    def hand_to(self, act: Callable[[Json, Actor], Json]) -> None:
        """From now on hand what is tapped to ``act``."""
        self._act = act

    def _forget(self, key: object) -> None:
        with self._lock:
            self._wakes.pop(key, None)
