"""A page over a fake table, with a clock in the hand and codes that stay the same."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from firmware.web.app import create_app
from firmware.web.fake_source import FakeArchive, FakeCamera, FakeTable
from firmware.web.security import Keys, Security

KEYS = Keys("ABCD2345", {seat: f"SEATSEAT{seat:02}" for seat in range(1, 11)}, "123456", b"k" * 32)
SECRET = "NINE-OF-HEARTS-IS-WITH-BO"
GAMES = [
    {
        "key": "fan_tan",
        "title": "Fan Tan",
        "summary": "Build each suit round from the card led.",
        "seats": [2, 8],
        "house": [
            {
                "name": "ante",
                "kind": "int",
                "default": 10,
                "min": 0,
                "max": 99,
                "words": "Each puts in.",
                "source": "F",
            },
            {"name": "forced", "kind": "bool", "default": True, "words": "Who can must.", "source": "F"},
            {
                "name": "broke",
                "kind": "choice",
                "default": "owe",
                "choices": ["owe", "out"],
                "words": "",
                "source": "[X]",
            },
        ],
    },
    {"key": "wish_card", "title": "The Wish Card", "summary": "", "seats": [2, 10], "house": []},
]


@dataclass
class Clock:
    """A clock that stands still until it is moved."""

    t: float = 1_000_000.0

    def __call__(self) -> float:
        return self.t


@dataclass
class Home:
    """Everything of one page under test."""

    clock: Clock = field(default_factory=Clock)
    table: FakeTable = field(default_factory=lambda: FakeTable(secret=SECRET))

    def __post_init__(self) -> None:
        self.archive = FakeArchive(self.table)
        self.security = Security(KEYS, now=self.clock)
        self.app = self.make()

    def make(self) -> FastAPI:
        """The page over this table (a new one, as after a restart)."""
        return create_app(
            self.table.board, self.archive, self.security, games=lambda: GAMES, camera=FakeCamera(self.table)
        )


@pytest.fixture
def home() -> Home:
    """A page, a table of four, an archive and a clock."""
    return Home()


class Browser:
    """Asks the app without sockets, and keeps cookies; one event loop for its life."""

    def __init__(self, app: FastAPI) -> None:
        self._runner = asyncio.Runner()
        self._life = app.router.lifespan_context(app)
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self._client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000")
        self._runner.run(self._life.__aenter__())

    def request(self, method: str, path: str, **how: Any) -> httpx.Response:
        """One request, answered."""
        return self._runner.run(self._client.request(method, path, **how))

    def get(self, path: str, **how: Any) -> httpx.Response:
        """One GET."""
        return self.request("GET", path, **how)

    def post(self, path: str, **how: Any) -> httpx.Response:
        """One POST."""
        return self.request("POST", path, **how)

    def close(self) -> None:
        """End the app's life and the loop."""
        self._runner.run(self._life.__aexit__(None, None, None))
        self._runner.run(self._client.aclose())
        self._runner.close()


@pytest.fixture
def stranger(home: Home) -> Iterator[Browser]:
    """A browser that has given no code."""
    browser = Browser(home.app)
    yield browser
    browser.close()


@pytest.fixture
def reader(stranger: Browser) -> Browser:
    """A browser that has joined."""
    assert stranger.post("/api/join", json={"code": "abcd-2345"}).status_code == 200
    return stranger


@pytest.fixture
def player(reader: Browser) -> Browser:
    """A browser in seat 1."""
    assert reader.post("/api/seat", json={"code": KEYS.seat_tokens[1]}).status_code == 200
    return reader


@pytest.fixture
def host(player: Browser) -> Browser:
    """A browser in seat 1 that has given the host's PIN."""
    assert player.post("/api/host", json={"pin": "123456"}).status_code == 200
    return player
