"""A small TCP proxy between the tables and the broker: the network, which can be cut and joined again."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from threading import Event, Thread


class Proxy:
    """Passes bytes on to ``port`` of this machine until it is cut. In a thread of its own."""

    def __init__(self, port: int) -> None:
        self.target = port
        self.cuts = 0
        self._whole = True
        self._open: set[asyncio.StreamWriter] = set()
        self._ready = Event()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = int(self._socket.getsockname()[1])
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.wait(10)

    @property
    def url(self) -> str:
        """Where the tables find the broker."""
        return f"mqtt://127.0.0.1:{self.port}"

    def cut(self, *, silent: bool = False) -> None:
        """Cut the network: every connection breaks (``silent``: hangs, nothing gets through), none is made."""
        self.cuts += 1
        self._whole = False
        if not silent:
            self._loop.call_soon_threadsafe(self._break)

    def join(self) -> None:
        """Join it again; connections that hung are broken."""
        self._loop.call_soon_threadsafe(self._break)
        self._whole = True

    def close(self) -> None:
        """End it."""
        self._whole = False
        self._loop.call_soon_threadsafe(self._break)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def _break(self) -> None:
        for writer in list(self._open):
            writer.transport.abort()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, sock=self._socket))
        self._ready.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._whole:
            writer.transport.abort()
            return
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        self._open |= {writer, back}
        with suppress(OSError, asyncio.CancelledError):
            await asyncio.gather(self._pass(reader, back), self._pass(there, writer))
        self._open -= {writer, back}
        for one in (writer, back):
            one.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                while not self._whole:
                    await asyncio.sleep(0.05)
                writer.write(data)
                await writer.drain()
        finally:
            writer.transport.abort()
