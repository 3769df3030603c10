"""What people decide on the page, handed to the table's own loop and done there, in order, one at a time.

The web's threads call `Commands.post` and wait; the loop calls `Commands.serve`.  What may be tapped, and by whom, the
page has checked; whether it can be done now is said here, in words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from .referee.events import Press, Pressed, from_json
from .table import Table
from .web.source import Actor

#: How long a tap waits for the loop before it is told to try again, in seconds; a frame takes a tenth.
PATIENCE_S = 5.0

Json = Mapping[str, Any]
Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Commands:
    """The queue between the page and one table. ``begin``: what starts a new session, where that can be done."""

    table: Table
    begin: Callable[[Json], Answer] | None = None
    _queue: SimpleQueue[tuple[Json, Actor, Future[Answer]]] = field(default_factory=SimpleQueue)

    def post(self, action: Json, actor: Actor) -> Answer:
        """Called by the page: wait for the loop to do ``action``; ``{"ok": True}`` or ``{"error": words}``."""
        future: Future[Answer] = Future()
        self._queue.put((action, actor, future))
        try:
            return future.result(PATIENCE_S)
        except TimeoutError:
            future.cancel()
            return {"error": "the table is busy; try again"}

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
        match action["do"]:
            case "press":
                seat = _seat(actor)
                self.table.press(Pressed(seat, Press(action["press"]), action["taps"]), self.table.now, source="page")
            case "call":
                self.table.call(actor.seat, action.get("ruling"), action.get("entry"))
            case "let_stand":
                self.table.close_dispute("LET_STAND", f"{self.table.name(actor.seat)}: the ruling stands")
            case "settle":
                self.table.close_dispute("SETTLED", str(action["why"]))
            case "correct":
                instead = action["instead"] and from_json(action["instead"])
                told = self.table.correct(action["entry"], instead, self.table.name(actor.seat), action["why"])
                return {"entry": told.entry.number}
            case "pause" | "resume":
                self.table.pause(action["do"] == "pause")
            case "next_deal":
                self.table.next_deal()
            case "finish":
                self.table.finish()
            case "seal_wish" | "open_wish":
                self._wish(action, actor)
            case "start" if self.begin is not None:
                return self.begin(action)
            case other:
                raise ValueError(f"{other}: this table cannot do that now")
        return None

    def _wish(self, action: Json, actor: Actor) -> None:
        seat = _seat(actor)
        if action["do"] == "seal_wish":
            if self.table.sealed(seat):
                raise ValueError("this seat's wish is sealed already")
            self.table.wish("WISH_SEALED", seat, action["commitment"])
            return
        text, nonce, sealed = action["text"], action["nonce"], self.table.sealed(seat)
        if hashlib.sha256((nonce + text).encode()).hexdigest() != sealed:
            raise ValueError("this is not the wish that was sealed")
        self.table.wish("WISH_OPENED", seat, sealed, text, nonce)


def _seat(actor: Actor) -> int:
    if actor.seat is None:
        raise ValueError("only a seat's own phone can do that")
    return actor.seat
