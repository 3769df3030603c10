"""The addresses: who may ask what, and that nothing leaves or happens that should not."""

from __future__ import annotations

import builtins
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute

from .conftest import GAMES, KEYS, SECRET, Browser, Home

EVIL = [
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "....//",
    "%2e%2e/",
    "/etc/passwd",
    "..\\..\\x",
    "000123.jpg%00.png",
    "%2fetc%2fpasswd",
    "link",
    "a" * 63 + "/",
    "g" * 64,
    "A" * 64,
    "0" * 65,
]
PATHS = {"session": "20261130-fan", "ruling": "0", "digest": "0" * 64, "seat": "1", "name": "app.css"}
OPEN = {"/", "/static/{name:path}", "/healthz", "/api/hello"}


def _routes(home: Home, method: str) -> list[APIRoute]:
    return [route for route in home.app.routes if isinstance(route, APIRoute) and method in route.methods]


def _address(route: APIRoute) -> str:
    path = route.path.replace(":path", "")
    for name, value in PATHS.items():
        path = path.replace("{" + name + "}", value)
    return path


def _state(home: Home) -> str:
    data = [home.table.board.snapshot(), home.table.taps, home.security.keys.join_code]
    return hashlib.sha256(json.dumps(data, default=str).encode()).hexdigest()


# ---- E08: a picture's address does not walk the disk ----------------------------------------------------------------


@pytest.mark.parametrize("name", EVIL)
def test_only_known_pictures_are_served(
    reader: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "link").symlink_to("/etc/passwd")
    monkeypatch.chdir(tmp_path)
    opened: list[object] = []
    for module, function in ((builtins, "open"), (os, "open")):
        real = getattr(module, function)
        monkeypatch.setattr(module, function, lambda *a, real=real, **k: (opened.append(a[0]), real(*a, **k))[1])
    answer = reader.get(f"/evidence/{name}")
    assert answer.status_code in (404, 307)  # httpx resolves ".." by itself; the rest is refused
    assert b"root:" not in answer.content
    assert opened == []


def test_a_known_picture_is_served_and_an_unknown_id_is_not(home: Home, reader: Browser) -> None:
    home.table.lay("7H")
    digest = home.table.entries[0]["photos"][0]
    answer = reader.get(f"/evidence/{digest}")
    assert answer.headers["content-type"] == "image/png"
    assert answer.content == home.table.pictures[digest]
    assert reader.get(f"/evidence/{'0' * 64}").status_code == 404


def test_a_file_that_is_no_picture_is_not_served(home: Home, reader: Browser) -> None:
    home.table.pictures["1" * 64] = b"<html><script>alert(1)</script>"
    assert reader.get(f"/evidence/{'1' * 64}").status_code == 404


@pytest.mark.parametrize("name", [*EVIL[:7], "../app.py", "..%2fapp.py", "%2e%2e%2fapp.py", "js/../../app.py", "js"])
def test_the_pages_own_files_are_the_only_ones(reader: Browser, name: str) -> None:
    assert reader.get(f"/static/{name}").status_code == 404


# ---- E09: names are text --------------------------------------------------------------------------------------------


def test_hostile_names_arrive_as_they_are_in_json(home: Home, host: Browser) -> None:
    names = ["<svg/onload=alert()>", '"><img src=x onerror=1>', "\u202eevil", "Ann"]
    tap = {"do": "start", "game": "fan_tan", "seats": names}
    assert host.post("/api/act", json={"tap": tap}).status_code == 200
    answer = host.get("/api/table")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.json()["seats"] == ["<svg/onload=alert()>", '"><img src=x onerror=1>', "evil", "Ann"]


@pytest.mark.parametrize("seats", [["x" * 400, "Bo"], ["", "Bo"], ["  ", "Bo"], ["Ann"], ["Ann", "ann"], ["a"] * 11])
def test_names_that_cannot_be_are_refused(home: Home, host: Browser, seats: list[str]) -> None:
    assert host.post("/api/act", json={"tap": {"do": "start", "game": "fan_tan", "seats": seats}}).status_code == 422
    assert home.table.taps == []


# ---- E10: no other page presses our buttons -------------------------------------------------------------------------

PRESS = {"tap": {"do": "press"}}


@pytest.mark.parametrize(
    "request_",
    [
        {"json": PRESS, "headers": {"origin": "http://evil.example"}},
        {"json": PRESS, "headers": {"host": "evil.example"}},
        {"json": PRESS, "headers": {"sec-fetch-site": "cross-site"}},
        {"data": {"tap": "press"}},
        {"content": json.dumps(PRESS), "headers": {"content-type": "text/plain"}},
        {"content": json.dumps(PRESS)},
    ],
)
def test_foreign_taps_do_nothing(home: Home, player: Browser, request_: dict[str, Any]) -> None:
    before = _state(home)
    assert player.post("/api/act", **request_).status_code == 403
    assert _state(home) == before


def test_an_honest_tap_is_done(home: Home, player: Browser) -> None:
    assert player.post("/api/act", json=PRESS).json() == {"ok": True}
    assert [(tap["do"], actor.seat, actor.host) for tap, actor in home.table.taps] == [("press", 1, False)]


def test_no_get_changes_anything(home: Home, host: Browser) -> None:
    home.table.lay("7H")
    before = _state(home)
    for route in _routes(home, "GET"):
        if route.path != "/api/events":
            assert host.get(_address(route)).status_code in (200, 404, 409), route.path
        for method in ("PUT", "DELETE", "PATCH"):
            assert host.request(method, _address(route), json={}).status_code in (403, 404, 405)
    assert _state(home) == before


def test_every_address_but_the_door_needs_the_join_code(home: Home, stranger: Browser) -> None:
    closed = [route for route in _routes(home, "GET") if route.path not in OPEN]
    assert len(closed) >= 10
    for route in closed:
        answer = stranger.get(_address(route))
        assert (answer.status_code, answer.json()["code"]) == (401, "JOIN_NEEDED"), route.path
    for route in _routes(home, "POST"):
        if route.path != "/api/join":
            assert stranger.post(_address(route), json={"code": "x", "pin": "x"}).status_code in (401, 422), route.path
    assert home.table.taps == []


@pytest.mark.parametrize(
    ("tap", "code"),
    [
        ({"do": "press"}, "SEAT_NEEDED"),
        ({"do": "call"}, "SEAT_NEEDED"),
        ({"do": "let_stand"}, "SEAT_NEEDED"),
        ({"do": "pause"}, "SEAT_NEEDED"),
        ({"do": "seal_wish", "commitment": "0" * 64}, "SEAT_NEEDED"),
        ({"do": "correct", "entry": 0}, "HOST_NEEDED"),
        ({"do": "settle", "why": "agreed"}, "HOST_NEEDED"),
        ({"do": "start", "game": "fan_tan", "seats": ["A", "B"]}, "HOST_NEEDED"),
        ({"do": "finish"}, "HOST_NEEDED"),
    ],
)
def test_a_reader_may_do_nothing(home: Home, reader: Browser, tap: dict[str, Any], code: str) -> None:
    answer = reader.post("/api/act", json={"tap": tap})
    assert (answer.status_code, answer.json()["code"]) == (403, code)
    assert home.table.taps == []


def test_a_player_may_call_but_not_overrule(home: Home, player: Browser) -> None:
    home.table.lay("KC", 2)
    assert player.post("/api/act", json={"tap": {"do": "call", "ruling": 0}}).status_code == 200
    assert home.table.state == "paused"
    assert player.post("/api/act", json={"tap": {"do": "correct", "entry": 0}}).status_code == 403
    assert player.post("/api/act", json={"tap": {"do": "let_stand", "ruling": 0}}).status_code == 200
    assert home.table.state == "playing"


def test_the_host_corrects_an_entry(home: Home, host: Browser) -> None:
    home.table.lay("7H", 2)
    instead = {"fact": "laid", "card": "7D", "zone": "layout", "seat": 1}
    tap = {"do": "correct", "entry": 0, "instead": instead, "why": "it was a diamond"}
    assert host.post("/api/act", json={"tap": tap}).status_code == 200
    assert [card["card"] for card in home.table.cards] == ["7D"]
    assert home.table.entries[0]["struck"]


@pytest.mark.parametrize(
    "instead",
    [
        {"fact": "corrected", "target": 0, "instead": None, "by": "x", "why": ""},
        {"fact": "note", "code": "x", "words": "y"},
        {"fact": "laid", "card": "11H", "zone": "layout", "seat": 1},
        {"fact": "laid"},
        {"fact": "hand_shown", "seat": 1, "cards": [[[]]]},
        {"fact": "pressed", "seat": 1, "press": "hard"},
        {"fact": None},
        {},
    ],
)
def test_a_correction_that_is_no_fact_is_refused(home: Home, host: Browser, instead: dict[str, Any]) -> None:
    tap = {"do": "correct", "entry": 0, "instead": instead}
    assert host.post("/api/act", json={"tap": tap}).status_code == 422
    assert home.table.taps == []


def test_what_the_table_cannot_do_is_said_in_its_words(player: Browser) -> None:
    answer = player.post("/api/act", json={"tap": {"do": "call", "ruling": 99}})
    assert answer.status_code == 409
    assert answer.json() == {"error": "there is no such ruling", "code": "NOT_NOW"}


def test_taps_that_come_too_fast_are_turned_away(home: Home, player: Browser) -> None:
    answers = [player.post("/api/act", json=PRESS).status_code for _ in range(14)]
    assert answers.count(200) == 10
    assert set(answers[10:]) == {429}


def test_the_door_is_slowed_down(stranger: Browser) -> None:
    answers = [stranger.post("/api/join", json={"code": f"WRONG{n}"}).status_code for n in range(12)]
    assert answers[:8] == [403] * 8
    assert set(answers[8:]) == {429}


def test_cookies_are_for_this_page_alone(stranger: Browser) -> None:
    cookie = stranger.post("/api/join", json={"code": "ABCD2345"}).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_a_seat_can_be_left(player: Browser) -> None:
    assert player.get("/api/hello").json() == {"joined": True, "seat": 1, "host": False}
    assert player.post("/api/leave", json={}).json() == {"joined": True, "seat": None, "host": False}
    assert player.post("/api/act", json=PRESS).status_code == 403


# ---- answers --------------------------------------------------------------------------------------------------------


def test_every_answer_has_the_strict_headers(home: Home, host: Browser) -> None:
    for path in ("/", "/static/app.css", "/api/table", "/nothing", "/evidence/x", "/api/camera/picture"):
        headers = host.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


def test_secrets_are_in_no_answer(home: Home, host: Browser) -> None:
    home.table.lay("7H")
    texts = [host.get(_address(route)).text for route in _routes(home, "GET") if route.path != "/api/events"]
    assert all(SECRET not in text for text in texts)
    assert all(KEYS.host_pin not in text for text in texts)
    assert all(KEYS.secret.hex() not in text for text in texts)


def test_a_fault_inside_says_nothing_of_the_inside(
    home: Home, reader: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home.archive, "sessions", lambda search: 1 / 0)
    answer = reader.get("/api/sessions")
    assert answer.status_code == 500
    assert answer.json() == {"error": "Something went wrong inside; the table goes on.", "code": "FAULT"}


def test_bad_input_is_not_repeated(host: Browser) -> None:
    answer = host.post("/api/act", json={"tap": {"do": "<script>", "x": "y" * 3000}})
    assert answer.status_code == 422
    assert "script" not in answer.text
    assert len(answer.text) < 400


def test_a_large_body_is_refused(player: Browser) -> None:
    assert player.post("/api/act", json={"tap": {"do": "press", "x": "y" * 20_000}}).status_code == 413


def test_files_come_packed_and_are_not_sent_twice(reader: Browser) -> None:
    first = reader.get("/static/app.css")
    assert first.headers["content-encoding"] == "gzip"
    again = reader.get("/static/app.css", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_games_and_codes(host: Browser, home: Home) -> None:
    assert host.get("/api/games").json() == {"games": GAMES}
    codes = host.get("/api/codes").json()
    assert codes["join"] == "ABCD-2345"
    assert len(codes["seats"]) == 10
    assert host.get("/api/qr/join").text.startswith("<svg xmlns=")
    assert host.get("/api/qr/seat/4").headers["content-type"] == "image/svg+xml"
    assert host.get("/api/qr/seat/11").status_code == 404


def test_seat_codes_are_for_the_host_alone(player: Browser) -> None:
    for path in ("/api/codes", "/api/qr/seat/2", "/api/camera", "/api/camera/picture"):
        assert player.get(path).json()["code"] == "HOST_NEEDED"


def test_sessions_are_listed_searched_shown_and_settled(home: Home, reader: Browser) -> None:
    home.table.lay("7H")
    home.table.lay("8H")
    assert len(reader.get("/api/sessions").json()["sessions"]) == 4
    assert reader.get("/api/sessions", params={"player": "nobody"}).json() == {"sessions": []}
    assert reader.get("/api/sessions/20261130-fan").json()["head"] == "7f3a-91c2"
    entries = reader.get("/api/sessions/20261130-fan/entries", params={"first": 1, "limit": 1}).json()["entries"]
    assert [entry["card"] for entry in entries] == ["8H"]
    assert len(entries[0]["cards"]) == 2
    assert reader.get("/api/sessions/20261130-fan/rulings/0").json()["ruling"] == "turn"
    assert reader.post("/api/settle", json={"sessions": ["20261130-fan"]}).json()["transfers"]


@pytest.mark.parametrize("session", ["nope", "..", "..%2f..%2fx", "a" * 65, "x;drop", "%00"])
def test_unknown_sessions_are_not_found(reader: Browser, session: str) -> None:
    for tail in ("", "/entries", "/rulings/0", "/export"):
        assert reader.get(f"/api/sessions/{session}{tail}").status_code in (404, 422)


def test_a_session_that_is_played_is_not_exported(home: Home, reader: Browser) -> None:
    """Its log may hold hands that the program was told and nobody may see before the end."""
    for form in ("json", "csv", "html", "zip"):
        answer = reader.get("/api/sessions/20261130-fan/export", params={"form": form})
        assert (answer.status_code, answer.json()["code"]) == (409, "NOT_NOW")
    home.table.board.publish(state="over")
    assert reader.get("/api/sessions/20261130-fan/export", params={"form": "json"}).status_code == 200


def test_an_export_is_a_file_with_a_harmless_name(home: Home, reader: Browser) -> None:
    answer = reader.get("/api/sessions/20261127-fan/export", params={"form": "json"})
    assert answer.headers["content-disposition"] == 'attachment; filename="20261127-fan.json"'
    assert reader.get("/api/sessions/20261130-fan/export", params={"form": "exe"}).status_code == 422


# ---- words for what cannot be read ----------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [b'{"tap":' + b"[" * 7000 + b"]" * 7000 + b"}", b'{"tap": "\xff"}', b"9" * 5000, b"{"])
def test_what_is_no_json_is_said_to_be_unreadable(host: Browser, body: bytes) -> None:
    answer = host.post("/api/act", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["code"] == "UNREADABLE"


@pytest.mark.parametrize("other", ["ann", "ANN", "An\u200dn", "Ann\u200e"])
def test_two_players_who_look_the_same_are_told_so(host: Browser, other: str) -> None:
    tap = {"do": "start", "game": "fan_tan", "seats": ["Ann", other], "dealer": 1}
    answer = host.post("/api/act", json={"tap": tap})
    assert answer.status_code == 422
    assert "two players have the same name" in answer.json()["error"]


@pytest.mark.parametrize("fact", [{"fact": "exchanged", "seats": [1]}, {"fact": "note", "code": "X", "words": ""}])
@pytest.mark.parametrize("do", ["correct", "insert"])
def test_a_fact_that_cannot_be_never_reaches_the_table(
    home: Home, host: Browser, do: str, fact: dict[str, Any]
) -> None:
    place = {"entry": 0, "instead": fact} if do == "correct" else {"before": 0, "missed": fact}
    assert host.post("/api/act", json={"tap": {"do": do, **place}}).status_code == 422
    assert home.table.taps == []
