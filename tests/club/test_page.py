"""The club's page: nothing without the code, nothing that changes anything, and its files keep the house's laws."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import firmware.club
from firmware.club.bulletins import Telling
from firmware.club.messages import read_bulletin
from firmware.club.page import create_app
from firmware.journal.journal import Journal
from firmware.web import assets
from firmware.web.security import Keys, Security
from tests.journal.games import HEADER, play
from tests.journal.tools import FakeClock
from tests.web.conftest import Browser
from tests.web.test_static import RAW

from .fakes import Club

STATIC = Path(firmware.club.__file__).parent / "static"
KEYS = Keys("ABCD2345", {}, "123456", b"k" * 32)


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    """A club with one table and one session that it was told."""
    made = Club.at(tmp_path)
    with Journal.open(tmp_path / "data", clock=FakeClock()) as journal:
        telling = Telling(journal, play(journal, header=replace(HEADER, club="hall-1")))
        telling.read_on()
    made.hub.hear("cardtable/hall-1/available", b"online")
    for payload in telling.payloads:
        made.hub.hear("cardtable/hall-1/log", payload)
        read_bulletin(payload)
    made.turn(5)
    yield made
    made.database.close()


@pytest.fixture
def stranger(club: Club) -> Iterator[Browser]:
    browser = Browser(create_app(club.hub.board, club.database, Security(KEYS)))
    yield browser
    browser.close()


@pytest.mark.parametrize("path", ["/api/table", "/api/events", "/api/evening"])
def test_nothing_is_shown_before_the_code_is_given(stranger: Browser, path: str) -> None:
    assert stranger.get(path).json()["code"] == "JOIN_NEEDED"
    assert stranger.post("/api/join", json={"code": "WRONG"}).status_code == 403


def test_the_evening_is_told_to_whoever_has_the_code(stranger: Browser, club: Club) -> None:
    assert stranger.post("/api/join", json={"code": "abcd-2345"}).status_code == 200
    assert "cardtable-club=" in stranger.request("POST", "/api/join", json={"code": "ABCD2345"}).headers["set-cookie"]
    table = stranger.get("/api/table").json()
    assert table["table:hall-1"]["online"] is True
    assert table["table:hall-1"]["lacking"] == 0
    tonight = stranger.get("/api/evening").json()
    assert sum(one["counters"] for one in tonight["leaders"]) == 0
    assert tonight["leaders"][0]["name"] == "Ann"
    assert tonight["transfers"]
    assert tonight["deals"] == 1
    assert [(one["deals"], one["won"]) for one in tonight["leaders"]] == [(1, 1), (1, 0), (1, 0)]
    assert re.fullmatch(r"\w{4}-\w{4}-\w{4}", tonight["sessions"][0]["code"])
    assert stranger.get("/api/evening?day=all").json()["leaders"] == tonight["leaders"]
    assert stranger.get("/api/evening?day=1999-01-01").json()["leaders"] == []
    assert stranger.get("/api/evening?day=x").status_code == 422


def test_nothing_can_be_done_on_the_page(stranger: Browser) -> None:
    stranger.post("/api/join", json={"code": "ABCD2345"})
    for path in ("/api/act", "/api/seat", "/api/host", "/api/settle", "/api/evening"):
        assert stranger.post(path, json={"code": "1"}).status_code in (404, 405)
    assert stranger.get("/api/codes").status_code == 404
    assert stranger.get("/", headers={"host": "evil.example"}).status_code == 403
    assert "default-src 'none'" in stranger.get("/").headers["content-security-policy"]


def test_a_database_that_is_away_is_said_in_words(stranger: Browser, club: Club, tmp_path: Path) -> None:
    stranger.post("/api/join", json={"code": "ABCD2345"})
    club.database.close()
    (tmp_path / "hub.db").unlink()
    (tmp_path / "hub.db").mkdir()
    answer = stranger.get("/api/evening?day=all")
    assert (answer.status_code, answer.json()["code"]) == (409, "NOT_NOW")


@pytest.mark.parametrize("path", sorted(p for p in STATIC.rglob("*") if p.is_file()), ids=lambda path: path.name)
def test_the_files_keep_the_houses_laws(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not RAW.search(text)
    assert not re.search(r"<style|\sstyle=|\son\w+=", text) or path.suffix == ".js"
    assert set(re.findall(r"(?:https?:)?//[a-z][\w.-]+\.[a-z]{2,}", text)) <= {"http://www.w3.org"}
    assert path.suffix in assets.TYPES


def test_every_word_is_in_the_catalogue_and_every_entry_used() -> None:
    words = json.loads((STATIC / "words" / "en.json").read_text("utf-8"))
    script = (STATIC / "js" / "club.js").read_text("utf-8")
    asked = set(re.findall(r'"([a-z]+\.[a-zA-Z_]+|title|skip|loading)"', script))
    plain = {re.sub(r"\.(one|other)$", "", key) for key in words}
    used = {key for key in asked if key in plain} | {key for key in plain if key.startswith(("is.", "door.", "error."))}
    assert set(re.findall(r'\bt\("([^"]+)"', script)) <= plain
    assert plain - used <= {"title", "skip", "loading"}
