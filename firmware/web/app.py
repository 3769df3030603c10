"""The page's addresses: what can be asked for, and what each needs before it answers.

Reading needs a badge (the join code was given), acting a seat or the host's PIN; each answer without is one line of
JSON with words and a code. Nothing that a GET does changes anything.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any, NoReturn

import segno
from fastapi import Depends, FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from starlette.exceptions import HTTPException

from . import actions, assets, public
from .guard import Guard
from .security import BADGE_S, Badge, Security, TooMany, spaced
from .source import Actor, CameraView, Search, SessionArchive, TableSource
from .stream import Feed

COOKIE = "cardtable"
#: A picture's content hash as the journal writes it.
DIGEST = re.compile(r"[0-9a-f]{16,64}")
#: A session's id as the journal writes it.
SESSION = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"

PICTURES = {b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp", b"\x89PNG": "image/png"}

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


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


Code = Annotated[str, StringConstraints(min_length=1, max_length=40)]
SessionId = Annotated[str, Path(pattern=SESSION)]
First = Annotated[int, Query(ge=0, le=1_000_000)]
Some = Annotated[int, Query(ge=1, le=500)]
RulingId = Annotated[int, Path(ge=0, le=1_000_000)]
Form = Annotated[str, Query(pattern="^(json|csv|html|zip)$")]
Text = Annotated[str, Query(max_length=60)]


class CodeBody(_Body):
    """The join code, or a seat's token."""

    code: Code


class PinBody(_Body):
    """The host's PIN."""

    pin: Code


class TapBody(_Body):
    """One tap."""

    tap: actions.Tap


class SettleBody(_Body):
    """The sessions of an evening."""

    sessions: Annotated[list[Annotated[str, StringConstraints(pattern=SESSION)]], Field(min_length=1, max_length=50)]


@dataclass(slots=True)
class House:
    """What the routes share: the app's ``state.house``."""

    source: TableSource
    archive: SessionArchive
    security: Security
    games: Callable[[], Sequence[Mapping[str, Any]]]
    camera: CameraView | None
    feed: Feed
    files: Mapping[str, assets.Asset]


def create_app(
    source: TableSource,
    archive: SessionArchive,
    security: Security,
    *,
    games: Callable[[], Sequence[Mapping[str, Any]]] = lambda: (),
    camera: CameraView | None = None,
) -> FastAPI:
    """The page over these sources, as an ASGI app.

    ``games``: one mapping a game with ``key title summary seats [least, most]`` and ``house``: a list of ``name label
    kind ("bool" "int" "choice") default choices [{value words}] min max words source``.
    """
    app = FastAPI(title="Card Table", docs_url=None, redoc_url=None, openapi_url=None, lifespan=_lifespan)
    app.state.house = House(source, archive, security, games, camera, Feed(source), assets.load())
    _handle_errors(app)
    for add in (_page_routes, _door_routes, _table_routes, _session_routes, _picture_routes):
        add(app)
    app.add_middleware(Guard, hosts=security.hosts)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    feed: Feed = app.state.house.feed
    task = asyncio.create_task(feed.run())
    try:
        yield
    finally:
        feed.close()
        task.cancel()


# ---- who asks -------------------------------------------------------------------------------------------------------


def _house(request: Request) -> House:
    house: House = request.app.state.house
    return house


def _maybe_badge(request: Request) -> Badge | None:
    return _house(request).security.unseal(request.cookies.get(COOKIE, ""))


def _badge(request: Request) -> Badge:
    return _maybe_badge(request) or _refuse("JOIN_NEEDED")


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _host(request: Request) -> Badge:
    badge = _badge(request)
    return badge if _house(request).security.is_host(badge) else _refuse("HOST_NEEDED")


Reader = Annotated[Badge, Depends(_badge)]
HostReader = Annotated[Badge, Depends(_host)]
TheHouse = Annotated[House, Depends(_house)]


class _Refused(Exception):
    """An answer that is not given: the code of why, and words."""

    def __init__(self, code: str, words: str = "") -> None:
        super().__init__(code)
        self.code, self.words = code, words or WORDS[code]


def _refuse(code: str, words: str = "") -> NoReturn:
    raise _Refused(code, words)


def _found(value: Any) -> Any:
    return value if value is not None else _refuse("NOT_FOUND")


def _answer(content: Any, badge: Badge | None = None, house: House | None = None) -> JSONResponse:
    response = JSONResponse(content, headers={"cache-control": "no-store"})
    if badge and house:
        seal = house.security.seal(badge)
        response.set_cookie(COOKIE, seal, max_age=BADGE_S, httponly=True, samesite="strict", path="/")
    return response


# ---- the page and its door ------------------------------------------------------------------------------------------


def _page_routes(app: FastAPI) -> None:
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
    asset = _found(_house(request).files.get(name))
    headers = {"etag": asset.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == asset.tag:
        return Response(status_code=304, headers=headers)
    packed = "gzip" in request.headers.get("accept-encoding", "")
    headers |= {"content-encoding": "gzip"} if packed else {}
    return Response(asset.packed if packed else asset.data, media_type=asset.media_type, headers=headers)


def _door_routes(app: FastAPI) -> None:
    @app.get("/api/hello")
    def hello(request: Request, house: TheHouse) -> Response:
        return _answer(_standing(house, _maybe_badge(request)))

    @app.post("/api/join")
    def join(request: Request, house: TheHouse, body: CodeBody) -> Response:
        badge = _try(lambda: house.security.join(body.code, _address(request)), "WRONG_CODE")
        return _admitted(house, badge)

    @app.post("/api/seat")
    def seat(request: Request, house: TheHouse, badge: Reader, body: CodeBody) -> Response:
        seated = _try(lambda: house.security.sit(badge, body.code, _address(request)), "WRONG_CODE")
        return _admitted(house, seated)

    @app.post("/api/host")
    def host(request: Request, house: TheHouse, badge: Reader, body: PinBody) -> Response:
        return _admitted(house, _try(lambda: house.security.host(badge, body.pin, _address(request)), "WRONG_PIN"))

    @app.post("/api/leave")
    def leave(house: TheHouse, badge: Reader) -> Response:
        return _admitted(house, Badge(badge.id))


def _standing(house: House, badge: Badge | None) -> dict[str, Any]:
    host = bool(badge and house.security.is_host(badge))
    return {"joined": badge is not None, "seat": badge.seat if badge else None, "host": host}


def _admitted(house: House, badge: Badge) -> Response:
    return _answer(_standing(house, badge), badge, house)


def _try(attempt: Callable[[], Badge | None], code: str) -> Badge:
    try:
        return attempt() or _refuse(code)
    except TooMany:
        _refuse("TOO_MANY")


# ---- the live table -------------------------------------------------------------------------------------------------


def _table_routes(app: FastAPI) -> None:
    @app.get("/api/table")
    async def table(house: TheHouse, badge: Reader) -> Response:
        house.feed.take()
        return Response(house.feed.whole(), media_type="application/json", headers={"cache-control": "no-store"})

    @app.get("/api/events")
    async def events(request: Request, house: TheHouse, badge: Reader, last: str = "") -> Response:
        if not house.feed.has_room(badge.id):
            _refuse("FULL")
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        stream = house.feed.events(badge.id, request.headers.get("last-event-id") or last)
        return StreamingResponse(stream, media_type="text/event-stream", headers=headers)

    @app.post("/api/act")
    def act(house: TheHouse, badge: Reader, body: TapBody) -> Response:
        actor = Actor(badge.seat, house.security.is_host(badge))
        if lack := actions.lacks(body.tap.do, actor):
            _refuse(lack)
        if not house.security.may_act(badge):
            _refuse("TOO_FAST")
        return _done(house.source.act(body.tap.model_dump(), actor))

    @app.get("/api/games")
    def games(house: TheHouse, badge: Reader) -> Response:
        return _answer({"games": list(house.games())})

    @app.get("/api/codes")
    def codes(request: Request, house: TheHouse, badge: HostReader) -> Response:
        keys = house.security.keys
        seats = [{"seat": seat, "code": spaced(token)} for seat, token in keys.seat_tokens.items()]
        return _answer({"join": spaced(keys.join_code), "url": _base(request), "seats": seats})


def _done(result: Mapping[str, Any]) -> Response:
    if "error" in result:
        _refuse("NOT_NOW", str(result["error"])[: public.WORDS_CHARS])
    return _answer({"ok": True, **result})


def _base(request: Request) -> str:
    return _house(request).security.public_url or f"http://{request.headers['host']}"


# ---- sessions -------------------------------------------------------------------------------------------------------


def _session_routes(app: FastAPI) -> None:
    @app.get("/api/sessions")
    def sessions(house: TheHouse, badge: Reader, search: Annotated[Search, Depends(_search)]) -> Response:
        return _answer({"sessions": list(house.archive.sessions(search))})

    @app.post("/api/settle")
    def settle(house: TheHouse, badge: Reader, body: SettleBody) -> Response:
        return _answer(_found(house.archive.settle_up(body.sessions)))

    @app.get("/api/sessions/{session}")
    def session(house: TheHouse, badge: Reader, session: SessionId) -> Response:
        return _answer(_found(house.archive.session(session)))

    @app.get("/api/sessions/{session}/entries")
    def entries(house: TheHouse, badge: Reader, session: SessionId, first: First = 0, limit: Some = 200) -> Response:
        return _answer({"entries": list(_found(house.archive.entries(session, first, limit)))})

    @app.get("/api/sessions/{session}/rulings/{ruling}")
    def ruling(house: TheHouse, badge: Reader, session: SessionId, ruling: RulingId) -> Response:
        return _answer(_found(house.archive.explain(session, ruling)))

    @app.get("/api/sessions/{session}/export")
    def export(house: TheHouse, badge: Reader, session: SessionId, form: Form = "html") -> Response:
        made = _found(house.archive.export(session, form))
        name = re.sub(r"[^A-Za-z0-9._-]", "_", made.name)[:80]
        headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
        return Response(made.data, media_type=made.media_type, headers=headers)


def _search(
    game: Text = "",
    player: Text = "",
    since: Annotated[str, Query(pattern=r"^(\d{4}-\d{2}-\d{2})?$")] = "",
    disputes: bool = False,
    before: Annotated[str, Query(pattern=r"^[A-Za-z0-9_-]{0,64}$")] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Search:
    return Search(game, player, since, disputes, before, limit)


# ---- pictures -------------------------------------------------------------------------------------------------------


def _picture_routes(app: FastAPI) -> None:
    @app.get("/evidence/{digest}")
    def evidence(house: TheHouse, badge: Reader, digest: str) -> Response:
        if not DIGEST.fullmatch(digest):
            _refuse("NOT_FOUND")
        return _picture(house.archive.evidence(digest), "private, max-age=31536000, immutable")

    @app.get("/api/camera")
    def look(house: TheHouse, badge: HostReader) -> Response:
        return _answer(_found(house.camera).look())

    @app.get("/api/camera/picture")
    def picture(house: TheHouse, badge: HostReader) -> Response:
        return _picture(_found(house.camera).picture(), "no-store")

    @app.get("/api/qr/join")
    def join_qr(request: Request, house: TheHouse, badge: Reader) -> Response:
        return _qr(f"{_base(request)}/#join={house.security.keys.join_code}")

    @app.get("/api/qr/seat/{seat}")
    def seat_qr(request: Request, house: TheHouse, badge: HostReader, seat: int) -> Response:
        token = _found(house.security.keys.seat_tokens.get(seat))
        return _qr(f"{_base(request)}/#join={house.security.keys.join_code}&seat={token}")


def _picture(data: bytes | None, cache: str) -> Response:
    kind = next((kind for mark, kind in PICTURES.items() if data and data.startswith(mark)), None)
    return Response(data, media_type=_found(kind), headers={"cache-control": cache})


def _qr(text: str) -> Response:
    svg = segno.make(text, error="m").svg_inline(scale=8, border=4, dark="#1c1a17", light="#ffffff")
    svg = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return Response(svg, media_type="image/svg+xml", headers={"cache-control": "no-store"})


# ---- what went wrong ------------------------------------------------------------------------------------------------


def _handle_errors(app: FastAPI) -> None:
    app.add_exception_handler(_Refused, _refusal)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, _http_error)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, _unreadable)  # type: ignore[arg-type]
    app.add_exception_handler(Exception, _fault)


async def _refusal(request: Request, refused: _Refused) -> Response:
    return _error(STATUS[refused.code], refused.code, refused.words)


async def _http_error(request: Request, error: HTTPException) -> Response:
    return _error(error.status_code, "NOT_FOUND", WORDS["NOT_FOUND"])


async def _unreadable(request: Request, error: RequestValidationError) -> Response:
    where = sorted({".".join(str(part) for part in one["loc"][-2:])[:60] for one in error.errors()})[:5]
    return _error(422, "UNREADABLE", WORDS["UNREADABLE"], where=where)


async def _fault(request: Request, error: Exception) -> Response:
    return _error(500, "FAULT", WORDS["FAULT"])


def _error(status: int, code: str, words: str, **more: Any) -> Response:
    body = {"error": words, "code": code, **more}
    return JSONResponse(body, status, headers={"cache-control": "no-store"})
