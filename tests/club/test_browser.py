"""The club's page in Debian's Chromium: the door, tables, a dispute, the evening, screens, hostile names."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware.club.bulletins import Telling
from firmware.club.messages import Begin, pack, read_bulletin
from firmware.club.page import create_app
from firmware.club.state import state_of
from firmware.journal.journal import Journal
from firmware.web.security import Keys, Security
from firmware.web.server import Running, serve
from tests.journal.games import HEADER, play
from tests.journal.tools import FakeClock
from tests.web.browser import Phone, axe, chromium

from .fakes import Club

pytestmark = pytest.mark.slow
KEYS = Keys("ABCD2345", {}, "123456", b"k" * 32)
NASTY = ("<img src=x onerror=window.bad=1>", "\u202eoB", "A" * 60)
NAMES = (("Ann Archer", "Bo", "Cy"), ("Di", "Ed", "Flo"), ("Gus", "Hal", "Ivy"), ("Jo", "Kit", "Lou"))


def state(seats: tuple[str, ...], turn: int, **more: Any) -> bytes:
    view = {"turn": turn, "pool": 7, "counters": [3, -10, 7], "words": f"{seats[turn - 1]} plays", "over": False}
    said = [{"id": 0, "why": f"{seats[0]} pays 1 counter to the pool: he has passed"}]
    snapshot = {"session": "00001-abcd", "title": "Fan Tan", "state": "playing", "seats": list(seats), "view": view}
    return json.dumps(state_of({**snapshot, "rulings": said, **more})).encode()


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    """Six tables: playing, disputed, waiting, away, behind with its log, and one that somebody plays tricks with."""
    made = Club.at(tmp_path)
    hear = made.hub.hear
    with Journal.open(tmp_path / "data", clock=FakeClock()) as journal:
        telling = Telling(journal, play(journal, header=HEADER))
        telling.read_on()
    for number, seats in enumerate(NAMES, start=1):
        table = f"cardtable/hall-{number}"
        hear(f"{table}/available", b"online" if number != 4 else b"offline")
        for payload in telling.payloads:
            bulletin = read_bulletin(payload)
            begin = bulletin.begin and Begin("fan_tan", "Fan Tan", seats, 3, "0.1.0")
            hear(f"{table}/log", pack(replace(bulletin, session=f"0000{number}-abcd", begin=begin)))
        hear(f"{table}/state", state(seats, number % 3 + 1, dispute={"open": True, "seat": 1} if number == 2 else None))
    hear("cardtable/hall-5/available", b"online")
    hear("cardtable/hall-5/state", json.dumps(state_of({"state": "waiting"})).encode())
    hear("cardtable/hall-6/available", b"online")
    offers = [{"session": "00001-zzzz", "lines": 12, "head": "ab" * 32, "ended": False}]
    hear("cardtable/hall-6/inventory", json.dumps({"offers": offers}).encode())
    hear("cardtable/hall-6/log", b"\xff")
    hear("cardtable/hall-6/state", state((*(n for n in NASTY if n.isprintable()), "Bo"), 1))
    made.turn(5)
    yield made
    made.database.close()


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with chromium() as driver:
        yield driver


@pytest.fixture
def running(club: Club) -> Iterator[Running]:
    with serve(create_app(club.hub.board, club.database, Security(KEYS)), port=0) as running:
        yield running


@pytest.fixture
def phone(driver: Any, running: Running) -> Iterator[Phone]:
    first = driver.current_window_handle
    driver.get_log("browser")
    made = Phone(driver, "phone1.local", int(running.url.rpartition(":")[2]))
    made.front().get("about:blank")
    driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    yield made
    logged = [line for line in driver.get_log("browser") if "Failed to load resource" not in line["message"]]
    made.front().close()
    driver.switch_to.window(first)
    assert logged == []


def test_the_door_then_every_table_and_the_evening(club: Club, phone: Phone) -> None:
    phone.open()
    phone.write(".door input", "WRONG")
    phone.tap(".door button")
    phone.sees(".door .bad", "not")
    assert phone.all(".club-table") == []
    phone.write(".door input", "abcd-2345")
    phone.tap(".door button")
    for table, words in (("hall-1", "playing"), ("hall-2", "dispute"), ("hall-4", "away"), ("hall-5", "waiting")):
        phone.sees(f".club-table[data-table={table}] .is", words)
    phone.sees(".club-table[data-table=hall-1] li[data-turn=yes]", "Bo")
    phone.sees(".club-table[data-table=hall-6] .note", "12 lines")
    phone.sees(".club-table[data-table=hall-6] .note", "could not be read")
    phone.sees("#board tbody tr:first-child", "Ann Archer")
    phone.sees(".club-owes li", "gives")
    owed = phone.run("return document.querySelector('.club-owes li').textContent")
    assert re.fullmatch("\u2068[^\u2069]+\u2069 gives \u2068[^\u2069]+\u2069 \\d+ counters?", owed), owed
    phone.sees("#there", "playing")

    club.hub.hear("cardtable/hall-1/state", state(NAMES[0], 3, dispute={"open": True, "seat": 3}))
    club.hub.turn()
    phone.sees(".club-table[data-table=hall-1] .is", "dispute")
    phone.sees("#said", "hall-1")
    phone.run("const day = document.querySelector('#day'); day.value = 'all'; day.dispatchEvent(new Event('change'))")
    phone.sees("#board tbody tr:first-child", "Ann Archer")
    phone.run("document.querySelector('details').open = true")
    phone.sees(".club-sessions li", "head code")


def test_on_a_phone_the_evening_is_one_tap_away(phone: Phone) -> None:
    phone.size(390, 700)
    phone.open("#join=ABCD2345")
    phone.sees(".club-owes li", "gives")
    top = "return document.getElementById('settle-title').getBoundingClientRect().top"
    assert phone.run(top) > 700
    phone.tap(".club-jump button:last-child")
    assert 0 <= phone.run(top) < 700


def test_a_scanned_code_comes_in_and_hostile_names_are_text(phone: Phone) -> None:
    phone.open("#join=ABCD2345")
    phone.sees(".club-table[data-table=hall-6] bdi", "<img")
    assert phone.run("return window.bad") is None
    assert phone.run("return document.querySelectorAll('img[onerror]').length") == 0
    assert "join" not in phone.run("return location.href")


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_it_fits_and_can_be_read(phone: Phone, width: int) -> None:
    phone.size(width, 900)
    phone.open("#join=ABCD2345")
    phone.sees("#board tbody tr", "Ann")
    phone.run("document.querySelector('details').open = true")
    wide = phone.run(
        f"return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > {width}.5)"
        ".map(e => e.tagName + '.' + e.className)"
    )
    assert wide == []
    assert phone.run("return document.documentElement.scrollWidth") <= width
    small = phone.run(
        "return [...document.querySelectorAll('button, select, summary')]"
        ".filter(e => e.offsetParent && e.offsetHeight < 44).length"
    )
    assert small == 0
    if target := os.environ.get("CARDTABLE_PICTURES"):
        height = phone.run("return document.documentElement.scrollHeight")
        phone.size(width, height)
        Path(target, f"club-{width}.png").write_bytes(phone.front().get_screenshot_as_png())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(phone: Phone, scheme: str) -> None:
    script = axe()
    phone.size(390, 900, prefers_color_scheme=scheme)
    phone.open("#join=ABCD2345")
    phone.sees("#board tbody tr", "Ann")
    phone.run(script)
    found = phone.front().execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run().then(r => done(r.violations.map(v => v.id + ': ' + v.nodes[0].html)))"
    )
    assert found == []
