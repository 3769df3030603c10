"""The secrets of every game, looked for in everything that the page can send while a deal is played.

Two tables see the same facts; one program was told all hands beforehand, the other only their sizes. Whatever any
phone can ask for must be the same from both: a word that differs would tell what lies in somebody's hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware.archive import Archive
from firmware.journal.journal import Journal
from firmware.panel.panel_none import NoPanel
from firmware.referee.events import Entry, Fact
from firmware.referee.match import BadSetup, Match, Setup, games
from firmware.seen import Seen
from firmware.table import Table
from firmware.web.app import create_app
from firmware.web.security import Keys, Security
from firmware.web.source import Noticeboard
from tests.referee.players import Table as Players
from tests.referee.players import deal

from .conftest import Browser

KEYS = Keys("ABCD2345", {seat: f"SEATSEAT{seat:02}" for seat in range(1, 11)}, "123456", b"k" * 32)
#: Facts of a deal that are played, at the end of which everything is asked for; so many of the newest rulings.
PLAYED, RULINGS = 24, 8
#: What differs from one session to another by itself: ids, times, hashes.
OWN = re.compile(r'"(?:id|session|started|started_ns|head|minutes|wall)":\s*(?:"[^"]*"|[\d.]+)')


def told(players: Players) -> Setup | None:
    """The setup with every hand (or pack) told; None where this game cannot be told any."""
    setup = players.match.setup
    for name in ("hands", "packs", "piles"):
        hands = {who: [str(card) for card in players.hands[seat]] for seat, who in enumerate(setup.seats, start=1)}
        known = {key: value for key, value in setup.deal.items() if key not in ("counts", "stock")}
        whole = Setup(setup.game, setup.seats, setup.dealer, setup.house, {**known, name: hands})
        try:
            match = Match(whole)
        except BadSetup:
            continue
        if match.view.due not in ("EXPOSE", ""):  # where hands told are hands shown, as in Commerce, nothing is hidden
            return whole
    return None


def everything(setup: Setup, facts: list[Any], folder: Path) -> Iterator[str]:
    """All that the host's phone in seat 1 can ask for: the table after each fact, the rest at the end."""
    with Journal.open(folder) as journal, Journal.open(folder, read_only=True) as reading:
        board = Noticeboard({}, lambda action, actor: {"error": "nobody"})
        table = Table.begin(journal, setup, lights=NoPanel(), board=board, program="", model="", table={})
        browser = Browser(create_app(board, Archive(reading), Security(KEYS)))
        browser.post("/api/join", json={"code": KEYS.join_code})
        browser.post("/api/seat", json={"code": KEYS.seat_tokens[1]})
        browser.post("/api/host", json={"pin": KEYS.host_pin})
        for number, fact in enumerate(facts):
            table.enter(Seen(fact, float(number), number + 0.5, source="camera"))
            yield _sent(browser, "/api/table", table)
        yield from _asked(browser, table)
        browser.close()


def _asked(browser: Browser, table: Table) -> Iterator[str]:
    session = f"/api/sessions/{table.session_id}"
    rulings = [f"{session}/rulings/{ruling.id}" for ruling in table.match.rulings[-RULINGS:]]
    exports = [f"{session}/export?form={form}" for form in ("json", "csv", "html", "zip")]
    for path in ("/api/sessions", session, f"{session}/entries?limit=500", *rulings, *exports):
        yield _sent(browser, path, table)


def _sent(browser: Browser, path: str, table: Table) -> str:
    return OWN.sub("", browser.get(path).text.replace(table.session_id, "ID"))


#: This one is looked at in every run of the tests; the rest, alike, with the slower checks.
FIRST = ("fan_tan",)
GAMES = [pytest.param(game, marks=() if game in FIRST else pytest.mark.slow) for game in games()]


@pytest.mark.parametrize("game", GAMES)
def test_a_page_that_knows_all_hands_sends_what_one_that_knows_none_sends(game: str, tmp_path: Path) -> None:
    players = deal(game, 2, cheat=0.3)
    hands = told(players)
    if hands is None:
        pytest.skip(f"{game}: no hand can be told beforehand")
    facts = _before_the_showdown(players, Match(hands))
    knowing = list(everything(hands, facts, tmp_path / "knowing"))
    unknowing = list(everything(players.match.setup, facts, tmp_path / "unknowing"))
    assert len(knowing) > len(facts) + 6
    assert knowing == unknowing


def _before_the_showdown(players: Players, knowing: Match) -> list[Fact]:
    """The facts up to where the rules themselves show the hands (in the match that knows them, that may be earlier)."""
    facts: list[Fact] = []
    while len(facts) < PLAYED:
        fact = players.next_fact()
        players.tell(fact)
        knowing.add(Entry(len(facts), fact, t=float(len(facts)), source="camera"))
        if {players.match.view.due, knowing.view.due} & {"EXPOSE", ""}:
            break
        facts.append(fact)
    return facts


def test_the_comparison_would_notice(tmp_path: Path) -> None:
    """The log itself does know the hands: it is what the refused export would have sent."""
    players = deal("fan_tan", 2)
    hands = told(players)
    assert hands is not None
    with Journal.open(tmp_path) as journal:
        board = Noticeboard({}, lambda action, actor: {"error": "nobody"})
        table = Table.begin(journal, hands, lights=NoPanel(), board=board, program="", model="", table={})
        archive = Archive(journal)
        made = archive.export(table.session_id, "json")
        assert made is not None
        assert json.loads(made.data)["header"]["deal"]["hands"] == hands.deal["hands"]
        assert "hands" not in json.dumps(archive.session(table.session_id))
