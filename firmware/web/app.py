"""The page's addresses: what can be asked for, and what each needs before it answers.

Reading needs a badge (the join code was given), acting a seat or the host's PIN; each answer without is one line of
JSON with words and a code. Nothing that a GET does changes anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import segno
from fastapi import Depends, FastAPI, Path, Query, Request
from fastapi.responses import Response
from pydantic import Field, StringConstraints

from . import actions, assets, public
from .answers import (
    COOKIE,
    Body,
    Code,
    CodeBody,
    Reader,
    address,
    admitted,
    answer,
    attempt,
    door_routes,
    found,
    handle_errors,
    lifespan,
    maybe_badge,
    page_routes,
    refuse,
    stream_routes,
)
from .guard import Guard
from .security import Badge, Security, spaced
from .source import Actor, CameraView, Search, SessionArchive, TableSource
from .stream import Feed

#: A picture's content hash as the journal writes it.
DIGEST = re.compile(r"[0-9a-f]{16,64}")
#: A session's id as the journal writes it.
SESSION = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"

PICTURES = {b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp", b"\x89PNG": "image/png"}

SessionId = Annotated[str, Path(pattern=SESSION)]
First = Annotated[int, Query(ge=0, le=1_000_000)]
Some = Annotated[int, Query(ge=1, le=500)]
Deal = Annotated[int | None, Query(ge=1, le=10_000)]
RulingId = Annotated[int, Path(ge=0, le=1_000_000)]
Form = Annotated[str, Query(pattern="^(json|csv|html|zip)$")]
Text = Annotated[str, Query(max_length=60)]


class PinBody(Body):
    """The host's PIN."""

    pin: Code


class TapBody(Body):
    """One tap."""

    tap: actions.Tap


class SettleBody(Body):
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
    cookie: str = COOKIE


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
    app = FastAPI(title="Card Table", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.state.house = House(source, archive, security, games, camera, Feed(source), assets.load())
    handle_errors(app)
    for add in (page_routes, door_routes, stream_routes, _seat_routes, _table_routes, _session_routes, _picture_routes):
        add(app)
    app.add_middleware(Guard, hosts=security.hosts)
    return app


# ---- who asks -------------------------------------------------------------------------------------------------------


def _house(request: Request) -> House:
    house: House = request.app.state.house
    return house


def _host(request: Request) -> Badge:
    badge = maybe_badge(request) or refuse("JOIN_NEEDED")
    return badge if _house(request).security.is_host(badge) else refuse("HOST_NEEDED")


HostReader = Annotated[Badge, Depends(_host)]
TheHouse = Annotated[House, Depends(_house)]


# ---- seats and the host ---------------------------------------------------------------------------------------------


def _seat_routes(app: FastAPI) -> None:
    @app.post("/api/seat")
    def seat(request: Request, house: TheHouse, badge: Reader, body: CodeBody) -> Response:
        return admitted(house, attempt(lambda: house.security.sit(badge, body.code, address(request)), "WRONG_CODE"))

    @app.post("/api/host")
    def host(request: Request, house: TheHouse, badge: Reader, body: PinBody) -> Response:
        return admitted(house, attempt(lambda: house.security.host(badge, body.pin, address(request)), "WRONG_PIN"))


# ---- the live table -------------------------------------------------------------------------------------------------


def _table_routes(app: FastAPI) -> None:
    @app.post("/api/act")
    def act(house: TheHouse, badge: Reader, body: TapBody) -> Response:
        actor = Actor(badge.seat, house.security.is_host(badge))
        if lack := actions.lacks(body.tap.do, actor):
            refuse(lack)
        if not house.security.may_act(badge):
            refuse("TOO_FAST")
        return _done(house.source.act(body.tap.model_dump(), actor))

    @app.get("/api/games")
    def games(house: TheHouse, badge: Reader) -> Response:
        return answer({"games": list(house.games())})

    @app.get("/api/codes")
    def codes(request: Request, house: TheHouse, badge: HostReader) -> Response:
        keys = house.security.keys
        seats = [{"seat": seat, "code": spaced(token)} for seat, token in keys.seat_tokens.items()]
        return answer({"join": spaced(keys.join_code), "url": _base(request), "seats": seats})


def _done(result: Mapping[str, Any]) -> Response:
    if "error" in result:
        refuse("NOT_NOW", str(result["error"])[: public.WORDS_CHARS])
    return answer({"ok": True, **result})


def _base(request: Request) -> str:
    return _house(request).security.public_url or f"http://{request.headers['host']}"


# ---- sessions -------------------------------------------------------------------------------------------------------


def _session_routes(app: FastAPI) -> None:
    @app.get("/api/sessions")
    def sessions(house: TheHouse, badge: Reader, search: Annotated[Search, Depends(_search)]) -> Response:
        return answer({"sessions": list(house.archive.sessions(search))})

    @app.post("/api/settle")
    def settle(house: TheHouse, badge: Reader, body: SettleBody) -> Response:
        return answer(found(house.archive.settle_up(body.sessions)))

    @app.get("/api/sessions/{session}")
    def session(house: TheHouse, badge: Reader, session: SessionId) -> Response:
        return answer(found(house.archive.session(session)))

    @app.get("/api/sessions/{session}/entries")
    def entries(
        house: TheHouse, badge: Reader, session: SessionId, first: First = 0, limit: Some = 200, deal: Deal = None
    ) -> Response:
        return answer({"entries": list(found(house.archive.entries(session, first, limit, deal)))})

    @app.get("/api/sessions/{session}/rulings/{ruling}")
    def ruling(house: TheHouse, badge: Reader, session: SessionId, ruling: RulingId) -> Response:
        return answer(found(house.archive.explain(session, ruling)))

    @app.get("/api/sessions/{session}/export")
    def export(house: TheHouse, badge: Reader, session: SessionId, form: Form = "html") -> Response:
        if _being_played(house, session):
            refuse("NOT_NOW", "This session is still being played; it can be taken away when it is over.")
        made = found(house.archive.export(session, form))
        name = re.sub(r"[^A-Za-z0-9._-]", "_", made.name)[:80]
        headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
        return Response(made.data, media_type=made.media_type, headers=headers)


def _being_played(house: House, session: str) -> bool:
    """For the log of a running deal may hold what nobody may see yet: hands that the program was told."""
    now = house.source.snapshot()
    return now.get("session") == session and now.get("state") != "over"


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
            refuse("NOT_FOUND")
        return _picture(house.archive.evidence(digest), "private, max-age=31536000, immutable")

    @app.get("/api/camera")
    def look(house: TheHouse, badge: HostReader) -> Response:
        return answer(found(house.camera).look())

    @app.get("/api/camera/picture")
    def picture(house: TheHouse, badge: HostReader) -> Response:
        return _picture(found(house.camera).picture(), "no-store")

    @app.get("/api/qr/join")
    def join_qr(request: Request, house: TheHouse, badge: Reader) -> Response:
        return _qr(f"{_base(request)}/#join={house.security.keys.join_code}")

    @app.get("/api/qr/seat/{seat}")
    def seat_qr(request: Request, house: TheHouse, badge: HostReader, seat: int) -> Response:
        token = found(house.security.keys.seat_tokens.get(seat))
        return _qr(f"{_base(request)}/#join={house.security.keys.join_code}&seat={token}")


def _picture(data: bytes | None, cache: str) -> Response:
    kind = next((kind for mark, kind in PICTURES.items() if data and data.startswith(mark)), None)
    return Response(data, media_type=found(kind), headers={"cache-control": cache})


def _qr(text: str) -> Response:
    svg = segno.make(text, error="m").svg_inline(scale=8, border=4, dark="#1c1a17", light="#ffffff")
    svg = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return Response(svg, media_type="image/svg+xml", headers={"cache-control": "no-store"})
