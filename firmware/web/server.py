"""Runs the page in a thread of the table's program, and stops it cleanly. Binds only where it was told to."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from .security import network

#: Connections in all; one more is closed at once, unheard (fifty viewers with two each, and the rest of the room).
CONNECTIONS = 256
#: Connections from one address, this machine's own aside: a browser opens six, and nobody shuts the others out.
CONNECTIONS_EACH = 32
#: Connections taken at once from those that wait: each needs a file of the 1024 that a program has, if only briefly.
BACKLOG = 64
#: A connection that has not sent the head of its next request within this (twice this, where it had an answer) is
#: closed, in seconds.
REQUEST_S = 10.0
#: Sent bytes that a vanished phone never acknowledges are given up after this, in milliseconds.
UNACKNOWLEDGED_MS = 20_000
#: Largest head of a request, in bytes.
HEAD_BYTES = 16_384
#: How long a stop waits for answers under way, in seconds; live streams are ended at once.
STOP_S = 3.0
EVERYWHERE = ("", "0.0.0.0", "::")
#: This machine itself, as `network` names it: a kiosk's browser, a reverse proxy.
LOOPBACK = frozenset({"127.0.0.1", "::/64"})

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Running:
    """The page being served: its address, and `stop`."""

    url: str
    _server: uvicorn.Server = field(repr=False)
    _thread: threading.Thread = field(repr=False)
    _app: FastAPI = field(repr=False)

    def stop(self) -> None:
        """End all streams, finish answers under way, free the port. Twice is harmless."""
        self._app.state.house.feed.close()
        self._server.should_exit = True
        self._thread.join(STOP_S + 2)

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def serve(app: FastAPI, host: str = "127.0.0.1", port: int = 8000, *, everywhere: bool = False) -> Running:
    """Serve ``app`` in a thread of its own; ``port`` 0 takes a free one.

    ``host``: an address of this machine, or ``lan`` for its address on the local network. All interfaces at once
    (``0.0.0.0``) only where ``everywhere`` says that this is meant.

    :raises OSError: if the address is not this machine's or the port is taken; the line says what to do.
    :raises ValueError: if all interfaces are asked for without ``everywhere``.
    """
    if host in EVERYWHERE and not everywhere:
        raise ValueError(f"web address {host!r}: that is every network at once; name one, or set web.everywhere")
    bound = _bind(lan_address() if host == "lan" else host, port)
    server = uvicorn.Server(_config(app))
    errors: list[BaseException] = []
    thread = threading.Thread(target=_run, args=(server, bound, errors), name="web", daemon=True)
    thread.start()
    _await_start(server, thread, errors)
    return Running(_url(bound), server, thread, app)


def lan_address() -> str:
    """The machine's address on the local network; loopback where there is none. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.255.255.255", 1))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def _config(app: FastAPI) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=_protocol,  # type: ignore[arg-type]
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=CONNECTIONS + 1,  # of requests; connections are counted at the door
        backlog=BACKLOG,
        h11_max_incomplete_event_size=HEAD_BYTES,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=int(STOP_S),
    )


def _protocol(*args: Any, **kwargs: Any) -> H11Protocol:
    protocol = H11Protocol(*args, **kwargs)
    enter = protocol.connection_made

    def admitted(transport: asyncio.Transport) -> None:
        if _room(protocol.connections, transport.get_extra_info("peername")):
            enter(transport)
            protocol.loop.call_later(REQUEST_S, _close_if_silent, protocol, None)
        else:
            protocol.connection_lost = _forget  # type: ignore[method-assign]
            transport.abort()

    protocol.connection_made = admitted  # type: ignore[method-assign]
    return protocol


def _room(inside: Collection[Any], peer: Any) -> bool:
    """Whether one more may come in from ``peer`` (its address first), with these connections open."""
    guest = network(str(peer[0])) if peer else ""
    if len(inside) >= CONNECTIONS:
        return False
    return guest in LOOPBACK or sum(1 for one in inside if network(str(one.client[0])) == guest) < CONNECTIONS_EACH


def _forget(exc: Exception | None) -> None:
    """A connection that was never let in has ended."""


def _close_if_silent(protocol: Any, answered: Any) -> None:
    """Close a connection on which no whole request has begun since ``answered``, the one before.

    For uvicorn times an idle connection only until the first byte of a request, and the first request not at all.
    """
    if protocol.transport is None or protocol.transport.is_closing():
        return
    cycle = protocol.cycle
    idle = cycle is None or cycle.response_complete
    if idle and cycle is answered:
        protocol.transport.close()
    else:
        protocol.loop.call_later(REQUEST_S, _close_if_silent, protocol, cycle if idle else None)


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS)
    try:
        bound.bind((host, port))
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        why = error.strerror or error
        raise OSError(f"web address {host}:{port}: {why}; set another host or port under [web]") from None
    return bound


def _url(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _run(server: uvicorn.Server, bound: socket.socket, errors: list[BaseException]) -> None:
    try:
        server.run(sockets=[bound])
    except (Exception, SystemExit) as error:
        errors.append(error)
        log.error("the page stopped: %s", error)
    finally:
        bound.close()


def _await_start(server: uvicorn.Server, thread: threading.Thread, errors: list[BaseException]) -> None:
    end = time.monotonic() + 10
    while not server.started and thread.is_alive() and time.monotonic() < end:
        time.sleep(0.005)
    if not server.started:
        raise OSError(f"the page did not start: {errors[0] if errors else 'no answer within 10 s'}")
