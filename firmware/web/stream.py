"""The live table as server-sent events: each reader gets the keys that changed since what he last saw.

No queue for each reader: a key remembers the revision at which it last changed, so a phone that slept for an hour and
one that blinked are served by the same line, memory does not grow with slow readers, and bursts melt into one message.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any

from .public import public
from .source import Json, TableSource

#: A line at least this often, in seconds, so that both ends notice a dead connection.
BEAT_S = 10.0
#: Least time between two messages, in seconds: a burst of a fact and its rulings becomes one (budget: 0.2 s).
GAP_S = 0.02
#: Streams open at once: in all, and for one phone (a few tabs).
READERS, READERS_EACH = 120, 6
#: How soon a browser comes back after a lost connection, in milliseconds.
RETRY_MS = 1000


class Feed:
    """The newest public state, key by key, and a bell that rings when it changes."""

    def __init__(self, source: TableSource, shown: Callable[[Json], Json] = public) -> None:
        """``shown``: what of the source's state may be sent, key by key."""
        self._source, self._shown = source, shown
        self._epoch = secrets.token_hex(4)  # a restarted server's revisions are not the old one's
        self._revision = 0
        self._changed: dict[str, int] = {}
        self._texts: dict[str, str] = {}
        self._values: Json = {}
        self._made: dict[int, bytes] = {}
        self._bell = asyncio.Event()
        self._wake = asyncio.Event()
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._readers: Counter[str] = Counter()

    async def run(self) -> None:
        """Follow the source until cancelled."""
        loop = self._loop = asyncio.get_running_loop()
        stop = self._source.subscribe(lambda: _call(loop, self._wake.set))
        try:
            while True:
                self.take()
                await self._wake.wait()
                await asyncio.sleep(GAP_S)
                self._wake.clear()
        finally:
            stop()

    def take(self) -> None:
        """Look at the source now; ring if anything that may be shown has changed."""
        values = self._shown(self._source.snapshot())
        texts = {key: self._text(key, value) for key, value in values.items()}
        self._values = values
        changed = [key for key in texts if texts[key] != self._texts.get(key)]
        if changed:
            self._revision += 1
            self._changed.update(dict.fromkeys(changed, self._revision))
            self._texts, self._made = texts, {}
            self._ring()

    def _text(self, key: str, value: Any) -> str:
        """A value as JSON; one that is the very same as last time is not written again."""
        known = self._texts.get(key)
        return known if known is not None and value is self._values.get(key) else _json(value)

    def close(self) -> None:
        """End all streams: the server stops. From any thread."""
        self._closed = True
        if self._loop:
            _call(self._loop, self._ring)

    def has_room(self, reader: str) -> bool:
        """Whether ``reader`` (a badge's id) may open one more stream."""
        return self._readers.total() < READERS and self._readers[reader] < READERS_EACH

    def whole(self) -> bytes:
        """The whole public state as JSON, with ``id``, to be given back as ``last``."""
        body = ",".join(f"{_json(key)}:{text}" for key, text in self._texts.items())
        return f'{{"id":"{self._epoch}-{self._revision}",{body}}}'.encode()

    async def events(self, reader: str, last: str) -> AsyncIterator[bytes]:
        """The stream for ``reader``, whose last message had the id ``last`` (empty or unknown: everything first)."""
        self._readers[reader] += 1
        try:
            async for message in self._messages(last):
                yield message
        finally:
            self._readers -= Counter((reader,))

    async def _messages(self, last: str) -> AsyncIterator[bytes]:
        message, seen = self._message(self._seen(last)), self._revision  # before the yield: sending may take long
        yield f"retry: {RETRY_MS}\n\n".encode() + message
        while not self._closed:
            bell = self._bell
            if seen == self._revision and not await _rang(bell):
                yield b"event: beat\ndata: 1\n\n"
            elif seen != self._revision:
                message, seen = self._message(seen), self._revision
                yield message

    def _message(self, seen: int) -> bytes:
        if seen not in self._made:
            keys = [key for key, revision in self._changed.items() if revision > seen]
            body = ",".join(f"{_json(key)}:{self._texts[key]}" for key in keys if key in self._texts)
            head = f"id: {self._epoch}-{self._revision}\nevent: {'table' if seen < 0 else 'change'}\n"
            self._made[seen] = f"{head}data: {{{body}}}\n\n".encode()
        return self._made[seen]

    def _seen(self, last: str) -> int:
        epoch, _, revision = last.partition("-")
        known = epoch == self._epoch and revision.isdecimal() and int(revision[:12]) <= self._revision
        return int(revision) if known else -1

    def _ring(self) -> None:
        bell, self._bell = self._bell, asyncio.Event()
        bell.set()


async def _rang(bell: asyncio.Event) -> bool:
    try:
        await asyncio.wait_for(bell.wait(), BEAT_S)
    except TimeoutError:
        return False
    return True


def _call(loop: asyncio.AbstractEventLoop, wake: Any) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(wake)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
