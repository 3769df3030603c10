"""The club's page: every table, the leader board and settling up, on every phone in the hall. It changes nothing.

Built on what the table's own page is built on: the same guard, door and stream, the same look.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import Response

from firmware.journal.chain import head_code
from firmware.web import assets
from firmware.web.answers import (
    Reader,
    answer,
    door_routes,
    handle_errors,
    lifespan,
    page_routes,
    refuse,
    stream_routes,
)
from firmware.web.guard import Guard
from firmware.web.security import Security
from firmware.web.source import TableSource
from firmware.web.stream import Feed

from .database import Database, HubDatabaseError
from .hub import shown
from .night import evening_json

COOKIE = "cardtable-club"
#: Sessions listed at once; a hall of a hundred tables has a few hundred in an evening.
MOST_SESSIONS = 500

Evening = Annotated[str, Query(pattern=r"^(\d{4}-\d{2}-\d{2}|all)?$")]


@dataclass(slots=True)
class _House:
    source: TableSource
    database: Database
    security: Security
    feed: Feed
    files: Mapping[str, assets.Asset]
    cookie: str = COOKIE
    evenings: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)


def create_app(source: TableSource, database: Database, security: Security) -> FastAPI:
    """The club's page over a hub's board and database, as an ASGI app."""
    app = FastAPI(title="Card Table club", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    files = assets.load() | assets.load(Path(__file__).parent / "static")
    app.state.house = _House(source, database, security, Feed(source, shown), files)
    handle_errors(app)
    for add in (page_routes, door_routes, stream_routes, _club_routes):
        add(app)
    app.add_middleware(Guard, hosts=security.hosts)
    return app


def _club_routes(app: FastAPI) -> None:
    @app.get("/api/evening")
    def evening(request: Request, badge: Reader, day: Evening = "") -> Response:
        try:
            return answer(_evening(request.app.state.house, day))
        except HubDatabaseError:
            return refuse("NOT_NOW", "The club's database cannot be read now; try again.")


def _evening(house: _House, day: str) -> dict[str, Any]:
    """An evening's figures; worked out once for each change, however many phones ask."""
    now = house.source.snapshot()["evening"]
    day = day or now["evening"]
    with house.lock:
        known = house.evenings.get(day)
        if known is None or known[0] != now["revision"]:
            known = house.evenings[day] = now["revision"], _figures(house.database, "" if day == "all" else day)
            while len(house.evenings) > 8:
                house.evenings.pop(next(iter(house.evenings)))
        return known[1]


def _figures(database: Database, day: str) -> dict[str, Any]:
    sessions = [_session(one) for one in database.sessions(day)[:MOST_SESSIONS]]
    return evening_json(day, database.board(day), database.deals(day), sessions, database.evenings())


def _session(one: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("table", "session", "title", "seats", "began_ns", "lines", "ended", "refused")
    return {**{key: one[key] for key in kept}, "code": head_code(one["head"]) if one["head"] else ""}
