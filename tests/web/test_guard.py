"""Foreign pages, foreign names, large and slow requests (FIELD_REPORTS E10)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from firmware.web import guard
from firmware.web.guard import Guard, good_host, refused

JSON = {"content-type": "application/json"}
HERE = {"host": "192.168.1.20:8000"}


@pytest.mark.parametrize(
    ("host", "good"),
    [
        ("192.168.1.20:8000", True),
        ("127.0.0.1", True),
        ("[fe80::1]:8000", True),
        ("localhost:8000", True),
        ("cardtable.local", True),
        ("CardTable:8000", True),
        ("evil.example", False),
        ("192.168.1.20.evil.example", False),
        ("cardtable.evil.example", False),
        ("local", False),
        ("", False),
        ("[evil]", False),
    ],
)
def test_hosts(host: str, good: bool) -> None:
    assert good_host(host, frozenset({"cardtable"})) is good


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({**HERE, **JSON, "origin": "http://192.168.1.20:8000"}, ""),
        ({**HERE, **JSON}, ""),
        ({**HERE, **JSON, "origin": "http://evil.example"}, "FOREIGN_ORIGIN"),
        ({**HERE, **JSON, "origin": "http://192.168.1.20:9999"}, "FOREIGN_ORIGIN"),
        ({**HERE, **JSON, "origin": "null"}, "FOREIGN_ORIGIN"),
        ({**HERE, **JSON, "origin": ""}, "FOREIGN_ORIGIN"),
        ({**HERE, **JSON, "sec-fetch-site": "cross-site"}, "FOREIGN_ORIGIN"),
        ({**HERE, **JSON, "sec-fetch-site": "same-site"}, "FOREIGN_ORIGIN"),
        ({**JSON, "host": "evil.example"}, "FOREIGN_HOST"),
        ({**JSON}, "FOREIGN_HOST"),
        ({**HERE, "content-type": "application/x-www-form-urlencoded"}, "NOT_JSON"),
        ({**HERE, "content-type": "text/plain"}, "NOT_JSON"),
        ({**HERE, "content-type": "multipart/form-data; boundary=x"}, "NOT_JSON"),
        ({**HERE}, "NOT_JSON"),
    ],
)
def test_posts(headers: dict[str, str], code: str) -> None:
    assert refused("POST", headers, frozenset()) == code


def test_a_foreign_page_may_link_to_the_table_but_not_read_it() -> None:
    link = {**HERE, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert refused("GET", link, frozenset()) == ""
    assert refused("GET", {**HERE, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, frozenset())
    assert refused("GET", {"host": "evil.example"}, frozenset()) == "FOREIGN_HOST"


class Line:
    """An ASGI connection by hand."""

    def __init__(self, *messages: dict[str, Any], takes: bool = True) -> None:
        self.sent: list[Any] = []
        self._messages = list(messages)
        self._takes = takes

    async def receive(self) -> dict[str, Any]:
        return self._messages.pop(0) if self._messages else await asyncio.Future()

    async def send(self, message: Any) -> None:
        if not self._takes:
            await asyncio.Future()
        self.sent.append(message)


async def _echo(scope: Any, receive: Any, send: Any) -> None:
    message = await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": message["body"]})


def _ask(line: Line, app: Any = _echo) -> None:
    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    asyncio.run(Guard(app, frozenset())(scope, line.receive, line.send))


def test_a_body_in_pieces_arrives_whole() -> None:
    line = Line({"type": "http.request", "body": b"ab", "more_body": True}, {"type": "http.request", "body": b"cd"})
    _ask(line)
    assert line.sent[1]["body"] == b"abcd"
    assert (b"x-frame-options", b"DENY") in line.sent[0]["headers"]


def test_a_large_body_is_not_read_to_its_end() -> None:
    piece = {"type": "http.request", "body": b"x" * 10_000, "more_body": True}
    line = Line(piece, piece, {"type": "http.request", "body": b"never read", "more_body": True})
    _ask(line)
    assert line.sent[0]["status"] == 413
    assert len(line._messages) == 1


def test_a_body_that_never_ends_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "SLOW_S", 0.01)
    line = Line({"type": "http.request", "body": b"x", "more_body": True})
    _ask(line)
    assert line.sent[0]["status"] == 413


def test_a_reader_that_takes_nothing_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "SLOW_S", 0.01)
    with pytest.raises(TimeoutError):
        _ask(Line({"type": "http.request", "body": b""}, takes=False))
