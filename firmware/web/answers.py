"""What every page of ours answers alike: its files, its door, and one line of JSON for each thing that is refused.

The table's page (``app``) and the club's (``firmware.club.page``) are built on it. The app's ``state.house`` is a
`House`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any, NoReturn, Protocol

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, StringConstraints
from starlette.exceptions import HTTPException

from .assets import Asset
from .security import BADGE_S, Badge, Security, TooMany
from .stream import Feed

#: The table's cookie. A browser keeps one jar for all ports of a machine, so each page needs a name of its own.
COOKIE = "cardtable"

WORDS = {
    "JOIN_NEEDED": "Type the table's join code first; it is shown at the table.",
    "SEAT_NEEDED": "Only a player at the table can do that: scan your seat's code.",
    "HOST_NEEDED": "Only the host can do that: type the host's PIN.",
    "WRONG_CODE": "That is not this table's code.",
    "WRONG_PIN": "That is not the host's PIN.",
    "TOO_MANY": "Too many tries; wait a minute.",
    "TOO_FAST": "That was too fast; try once more in a second.",
    "FULL": "Too many pages are open on this table; close one.",
    "NOT_FOUND": "There is nothing here.",
    "NOT_NOW": "The table could not do that now.",
    "UNREADABLE": "The table could not read that.",
    "FAULT": "Something went wrong inside; the table goes on.",
}
STATUS = {
    "JOIN_NEEDED": 401,
    "SEAT_NEEDED": 403,
    "HOST_NEEDED": 403,
    "WRONG_CODE": 403,
    "WRONG_PIN": 403,
    "TOO_MANY": 429,
    "TOO_FAST": 429,
    "FULL": 503,
    "NOT_FOUND": 404,
    "NOT_NOW": 409,
    "UNREADABLE": 422,
    "FAULT": 500,
}


class House(Protocol):
    """What a page's routes share."""

    @property
    def security(self) -> Security: ...

    @property
    def feed(self) -> Feed: ...

    @property
    def files(self) -> Mapping[str, Asset]: ...

    @property
    def cookie(self) -> str: ...


class Body(BaseModel):
    """What a request may carry: the keys that are named and no others, each of its own type."""

    model_config = ConfigDict(extra="forbid", strict=True)


Code = Annotated[str, StringConstraints(min_length=1, max_length=40)]


class CodeBody(Body):
    """The join code, or a seat's token."""

    code: Code


# ---- who asks -------------------------------------------------------------------------------------------------------


def _house(request: Request) -> House:
    house: House = request.app.state.house
    return house


def maybe_badge(request: Request) -> Badge | None:
    """The badge of whoever asks, if he gave the code."""
    house = _house(request)
    return house.security.unseal(request.cookies.get(house.cookie, ""))


def _badge(request: Request) -> Badge:
    return maybe_badge(request) or refuse("JOIN_NEEDED")


def address(request: Request) -> str:
    """Where he asks from."""
    return request.client.host if request.client else ""


Reader = Annotated[Badge, Depends(_badge)]


# ---- answers --------------------------------------------------------------------------------------------------------


class Refused(Exception):
    """An answer that is not given: the code of why, and words."""

    def __init__(self, code: str, words: str = "") -> None:
        super().__init__(code)
        self.code, self.words = code, words or WORDS[code]


def refuse(code: str, words: str = "") -> NoReturn:
    """Give no answer but why."""
    raise Refused(code, words)


def found(value: Any) -> Any:
    """The value, or "there is nothing here" in the place of None."""
    return value if value is not None else refuse("NOT_FOUND")


def answer(content: Any, badge: Badge | None = None, house: House | None = None) -> JSONResponse:
    """JSON that is not kept anywhere; with a ``badge``, the cookie that carries it."""
    response = JSONResponse(content, headers={"cache-control": "no-store"})
    if badge and house:
        seal = house.security.seal(badge)
        response.set_cookie(house.cookie, seal, max_age=BADGE_S, httponly=True, samesite="strict", path="/")
    return response


def admitted(house: House, badge: Badge) -> Response:
    """Let in: his standing, and the cookie."""
    return answer(_standing(house, badge), badge, house)


def attempt(guess: Callable[[], Badge | None], code: str) -> Badge:
    """The badge that a guess earns, or a refusal."""
    try:
        return guess() or refuse(code)
    except TooMany:
        refuse("TOO_MANY")


def _standing(house: House, badge: Badge | None) -> dict[str, Any]:
    host = bool(badge and house.security.is_host(badge))
    return {"joined": badge is not None, "seat": badge.seat if badge else None, "host": host}


# ---- routes ---------------------------------------------------------------------------------------------------------


def page_routes(app: FastAPI) -> None:
    """The page's own files."""

    @app.get("/", include_in_schema=False)
    def page(request: Request) -> Response:
        return _file(request, "index.html")

    @app.get("/static/{name:path}", include_in_schema=False)
    def static(request: Request, name: str) -> Response:
        return _file(request, name)

    @app.get("/healthz")
    def healthz() -> dict[str, bool]:
        return {"ok": True}


def _file(request: Request, name: str) -> Response:
    asset = found(_house(request).files.get(name))
    headers = {"etag": asset.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == asset.tag:
        return Response(status_code=304, headers=headers)
    packed = "gzip" in request.headers.get("accept-encoding", "")
    headers |= {"content-encoding": "gzip"} if packed else {}
    return Response(asset.packed if packed else asset.data, media_type=asset.media_type, headers=headers)


def door_routes(app: FastAPI) -> None:
    """Who this is, and how he comes in."""

    @app.get("/api/hello")
    def hello(request: Request) -> Response:
        return answer(_standing(_house(request), maybe_badge(request)))

    @app.post("/api/join")
    def join(request: Request, body: CodeBody) -> Response:
        house = _house(request)
        return admitted(house, attempt(lambda: house.security.join(body.code, address(request)), "WRONG_CODE"))

    @app.post("/api/leave")
    def leave(request: Request, badge: Reader) -> Response:
        return admitted(_house(request), Badge(badge.id))


def stream_routes(app: FastAPI) -> None:
    """What is shown now, at once and as a stream of changes."""

    @app.get("/api/table")
    async def table(request: Request, badge: Reader) -> Response:
        feed = _house(request).feed
        feed.take()
        return Response(feed.whole(), media_type="application/json", headers={"cache-control": "no-store"})

    @app.get("/api/events")
    async def events(request: Request, badge: Reader, last: str = "") -> Response:
        feed = _house(request).feed
        if not feed.has_room(badge.id):
            refuse("FULL")
        stream = feed.events(badge.id, request.headers.get("last-event-id") or last)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """While a page is served its feed follows the source."""
    feed: Feed = app.state.house.feed
    task = asyncio.create_task(feed.run())
    try:
        yield
    finally:
        feed.close()
        task.cancel()


# ---- what went wrong ------------------------------------------------------------------------------------------------


def handle_errors(app: FastAPI) -> None:
    """Every error is one line of JSON with words and a code."""
    app.add_exception_handler(Refused, _refusal)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, _http_error)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, _unreadable)  # type: ignore[arg-type]
    app.add_exception_handler(Exception, _fault)


async def _refusal(request: Request, refused: Refused) -> Response:
    return _error(STATUS[refused.code], refused.code, refused.words)


async def _http_error(request: Request, error: HTTPException) -> Response:
    code = "NOT_FOUND" if error.status_code in (404, 405) else "UNREADABLE"
    return _error(error.status_code, code, WORDS[code])


async def _unreadable(request: Request, error: RequestValidationError) -> Response:
    wrong = error.errors()
    where = sorted({".".join(str(part) for part in one["loc"][-2:])[:60] for one in wrong})[:5]
    ours = next((str(one["ctx"]["error"]) for one in wrong if one["type"] == "value_error"), "")
    words = f"{WORDS['UNREADABLE'][:-1]}: {ours}." if ours else WORDS["UNREADABLE"]
    return _error(422, "UNREADABLE", words, where=where)


async def _fault(request: Request, error: Exception) -> Response:
    return _error(500, "FAULT", WORDS["FAULT"])


def _error(status: int, code: str, words: str, **more: Any) -> Response:
    body = {"error": words, "code": code, **more}
    return JSONResponse(body, status, headers={"cache-control": "no-store"})
