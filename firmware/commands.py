"""What people decide on the page, handed to the table's own loop and done there, in order, one at a time.

The web's threads call `Commands.post` and wait; the loop calls `Commands.serve`.  What may be tapped, and by whom, the
page has checked; whether it can be done now is said here, in words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from .live import Live
from .referee.events import Press, Pressed, Said, from_json
from .referee.match import Match, Setup, dealt, game_called
from .table import Table
from .web.source import Actor

#: How long a tap waits for the loop before it is told to try again, in seconds; a frame takes a tenth.
PATIENCE_S = 5.0

Json = Mapping[str, Any]
Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Commands:
    """The queue between the page and the table at play."""

    live: Live
    _queue: SimpleQueue[tuple[Json, Actor, Future[Answer]]] = field(default_factory=SimpleQueue)

    def post(self, action: Json, actor: Actor) -> Answer:
        """Called by the page: wait for the loop to do ``action``; ``{"ok": True}`` or ``{"error": words}``."""
        future: Future[Answer] = Future()
        self._queue.put((action, actor, future))
        try:
            return future.result(PATIENCE_S)
        except TimeoutError:
            if future.cancel():
                return {"error": "the table is busy; try again"}
            return future.result()  # it is being done just now: "try again" would do it twice

    def serve(self) -> None:
        """Called by the loop: do everything that waits."""
        while True:
            try:
                action, actor, future = self._queue.get_nowait()
            except Empty:
                return
            if future.set_running_or_notify_cancel():
                future.set_result(self._do(action, actor))

    def _do(self, action: Json, actor: Actor) -> Answer:
        try:
            return {"ok": True, **(self._act(action, actor) or {})}
        except (ValueError, OSError) as error:
            return {"error": str(error)}

    def _act(self, action: Json, actor: Actor) -> Answer | None:
        if action["do"] == "start":
            return self._start(action)
        if (table := self.live.table) is None:
            raise ValueError("no session is being played; begin one")
        match action["do"]:
            case "press":
                self.live.press(Pressed(_seat(actor), Press(action["press"]), action["taps"]))
            case "say":
                self.live.say(Said(_seat(actor), action["word"], action["detail"]))
            case "call":
                table.call(actor.seat, action.get("ruling"), action.get("entry"), action.get("why", ""))
            case "let_stand":
                table.let_stand(actor.seat, action.get("why", ""))
            case "settle":
                table.settle(actor.seat, str(action["why"]))
            case "correct":
                instead = action["instead"] and from_json(action["instead"])
                told = table.correct(action["entry"], instead, table.name(actor.seat), action["why"])
                return {"entry": told.entry.number}
            case "insert":
                missed = from_json(action["missed"])
                told = table.insert(action["before"], missed, table.name(actor.seat), action["why"])
                return {"entry": told.entry.number}
            case "pause" | "resume":
                table.pause(action["do"] == "pause", actor.seat)
            case "next_deal":
                table.next_deal()
            case "finish":
                return {"result": self.live.finish()}
            case "seal_wish" | "open_wish":
                _wish(table, action, actor)
            case other:
                raise ValueError(f"{other}: this table cannot do that")
        return None

    def _start(self, action: Json) -> Answer:
        self._fits(action["game"], len(action["seats"]))
        house = dict(action["house"])
        if action["counters"]:
            house["counters"] = action["counters"]
        setup = dealt(Setup(action["game"], tuple(action["seats"]), action["dealer"], house))
        Match(setup)  # what cannot be played ends nothing
        self._end(action.get("ends"))
        return {"session": self.live.begin(setup).session_id}

    def _end(self, named: str | None) -> None:
        """End the session that is played, if it is the one that was ``named``: none is ended by mistake, or twice."""
        if self.live.table is None:
            return
        if self.live.table.session_id != named:
            raise ValueError("a session is being played; end it first")
        self.live.finish()

    def _fits(self, name: str, seats: int) -> None:
        least, most = game_called(name).SEATS
        places = self.live.config.seats
        if not least <= seats <= most:
            raise ValueError(f"{game_called(name).TITLE} is for {least} to {most} players, not {seats}")
        if seats > places:
            raise ValueError(f"this table has places for {places} players; for {seats}: cardtable mat --seats {seats}")


def _wish(table: Table, action: Json, actor: Actor) -> None:
    seat = _seat(actor)
    if table.setup.game != "wish_card":
        raise ValueError("wishes belong to the Wish Card")
    if action["do"] == "seal_wish":
        if table.sealed(seat):
            raise ValueError("this seat's wish is sealed already")
        table.wish("WISH_SEALED", seat, action["commitment"])
        return
    if table.match.view.winner != seat:
        raise ValueError("only the winner's wish is read")
    text, nonce, sealed = action["text"], action["nonce"], table.sealed(seat)
    if hashlib.sha256((nonce + text).encode()).hexdigest() != sealed:
        raise ValueError("this is not the wish that was sealed")
    table.wish("WISH_OPENED", seat, sealed, text, nonce)


def _seat(actor: Actor) -> int:
    if actor.seat is None:
        raise ValueError("only a seat's own phone can do that")
    return actor.seat
