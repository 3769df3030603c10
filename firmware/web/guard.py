"""The guard before every request: whose page asks, how large, how slow; and the headers of every answer.

Rebinding and cross-site requests are turned away here, before any route is looked at (FIELD_REPORTS E10).
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

#: Largest body taken, in bytes; the longest honest one (a start with forty house rules) has about 2 kB.
BODY_BYTES = 16_384
#: A body must have come, and a piece of an answer must have been taken, within this, in seconds; then he is dropped.
SLOW_S = 10.0

CSP = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)


class Guard:
    """Wraps an ASGI app: foreign hosts and origins get 403, large bodies 413, slow ones are dropped."""

    def __init__(self, app: App, hosts: frozenset[str]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request, or the app's start and end (passed on)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        answer = _guarded(send)
        if refusal := refused(scope["method"], headers, self._hosts):
            await _say(answer, 403, refusal)
            return
        body = await _body(receive)
        if body is None:
            await _say(answer, 413, "TOO_LARGE")
            return
        await self._app(scope, _replay(body, receive), answer)


def refused(method: str, headers: MutableMapping[str, str], hosts: frozenset[str]) -> str:
    """Why a request is turned away (``FOREIGN_HOST``, ``FOREIGN_ORIGIN``, ``NOT_JSON``), or empty.

    An IP literal cannot be rebound to another machine, so it is always a good host; names must be known.
    """
    host = headers.get("host", "")
    if not good_host(host, hosts):
        return "FOREIGN_HOST"
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and not _visit(method, headers):
        return "FOREIGN_ORIGIN"
    if method in ("GET", "HEAD"):
        return ""
    origin = headers.get("origin")
    if origin is not None and origin.partition("://")[2].lower() != host.lower():
        return "FOREIGN_ORIGIN"
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return "" if kind == "application/json" else "NOT_JSON"


def good_host(host: str, hosts: frozenset[str]) -> bool:
    """Whether a Host header names this machine: an IP literal, localhost, a ``.local`` name, or a known name."""
    name = host.lower().partition("]")[0].lstrip("[") if host.startswith("[") else host.lower().partition(":")[0]
    if name in hosts or name == "localhost" or name.endswith(".local"):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _visit(method: str, headers: MutableMapping[str, str]) -> bool:
    """A link from elsewhere that opens the page itself, which shows nothing before the code is given."""
    return method == "GET" and headers.get("sec-fetch-mode") == "navigate"


async def _body(receive: Receive) -> bytes | None:
    parts, size = [], 0
    try:
        async with asyncio.timeout(SLOW_S):
            while True:
                message = await receive()
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > BODY_BYTES:
                    return None
                if message["type"] != "http.request" or not message.get("more_body"):
                    return b"".join(parts)
    except TimeoutError:
        return None


def _replay(body: bytes, receive: Receive) -> Receive:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def read() -> Message:
        return waiting.pop() if waiting else await receive()

    return read


def _guarded(send: Send) -> Send:
    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            known = {key.lower() for key, _ in message["headers"]}
            extra = [(key, value) for key, value in HEADERS if key not in known]
            message = {**message, "headers": [*message["headers"], *extra]}
        async with asyncio.timeout(SLOW_S):
            await send(message)

    return answer


async def _say(send: Send, status: int, code: str) -> None:
    body = json.dumps({"error": WORDS[code], "code": code}).encode()
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


WORDS = {
    "FOREIGN_HOST": "This address is not the table's: open the page by the address shown at the table.",
    "FOREIGN_ORIGIN": "Another page tried to use the table; nothing was done.",
    "NOT_JSON": "The table takes JSON only; nothing was done.",
    "TOO_LARGE": "That is too much for the table to read.",
}
