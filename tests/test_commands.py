"""What people decide on the page, done by the table's own loop: in order, in words where it cannot be done."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import Any

import numpy as np
import pytest

from firmware.commands import Commands
from firmware.config import TableConfig, load_table
from firmware.journal.journal import Journal
from firmware.live import Live, Made
from firmware.panel.panel_none import NoPanel
from firmware.referee.cards import Card
from firmware.referee.events import Laid, Pressed, Said
from firmware.seen import Seen
from firmware.simulator.record import table_toml
from firmware.simulator.session import plan
from firmware.web.source import Actor
from vision.frames import Frame

HOST, ANN, BO = Actor(None, True), Actor(1, False), Actor(2, False)
START = {"do": "start", "game": "fan_tan", "seats": ["Ann", "Bo", "Cy"], "dealer": 3, "house": {}, "counters": None}
PRESS = {"do": "press", "press": "short", "taps": 1}


class Blind:
    """A reader that sees no card."""

    threshold = 0.9
    hash = ""

    def indices(self, image: Any, card_px: float, region: Any = None) -> list[Any]:
        return []


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> TableConfig:
    path = tmp_path_factory.mktemp("table") / "table.toml"
    path.write_text(table_toml(plan("fan_tan", 4, 1, max_moves=2)), encoding="utf-8")
    return load_table(path)


@pytest.fixture
def live(config: TableConfig, tmp_path: Path) -> Iterator[Live]:
    with Journal.open(tmp_path) as journal:
        yield Live(config, Blind(), journal, NoPanel(), Made("test", "", {}), (320, 240))


@pytest.fixture
def commands(live: Live) -> Commands:
    return Commands(live)


def done(commands: Commands, action: Mapping[str, Any], actor: Actor) -> dict[str, Any]:
    """What the page is answered while the loop turns."""
    answers: list[dict[str, Any]] = []
    tap = Thread(target=lambda: answers.append(commands.post(action, actor)))
    tap.start()
    while tap.is_alive():
        commands.serve()
        tap.join(0.001)
    return answers[0]


def turned(live: Live, seconds: float) -> None:
    """A frame of an empty table."""
    live.step(Frame(np.full((240, 320, 3), 90, np.uint8), seconds, round(12 * seconds), 0))


def test_a_session_is_begun_only_with_as_many_as_the_game_and_the_table_take(commands: Commands, live: Live) -> None:
    few = {**START, "game": "pope_joan", "seats": ["Ann", "Bo"], "dealer": 1}
    assert done(commands, few, HOST) == {"error": "Pope Joan is for 3 to 8 players, not 2"}
    many = {**START, "seats": ["Ann", "Bo", "Cy", "Di", "Ed"]}
    assert done(commands, many, HOST) == {
        "error": "this table has places for 4 players; for 5: cardtable mat --seats 5"
    }
    assert live.table is None
    assert done(commands, START, HOST)["ok"] is True


def test_a_press_on_the_page_waits_for_what_the_camera_has_not_told_yet(commands: Commands, live: Live) -> None:
    """A card laid before the press is judged before it, though the camera takes longer."""
    done(commands, START, HOST)
    turned(live, 1.0)
    assert live.table is not None
    assert done(commands, PRESS, BO) == {"ok": True}
    assert live.table.match.entries == []
    live.table.enter(Seen(Laid(Card.parse("7H"), "layout", 1), 0.9, 1.1))
    turned(live, 2.0)
    assert [entry.fact for entry in live.table.match.entries][1:] == [Pressed(2)]
    assert live.table.match.entries[1].source == "page"
    assert live.table.match.result()["violations"] == []


def test_nothing_is_pressed_where_nothing_is_played(commands: Commands) -> None:
    assert "no session" in done(commands, PRESS, ANN)["error"]


def test_only_the_winner_reads_his_wish_and_only_in_the_wish_card(commands: Commands, live: Live) -> None:
    wish = {"do": "seal_wish", "commitment": hashlib.sha256(b"0" * 32 + b"a horse").hexdigest()}
    opened = {"do": "open_wish", "text": "a horse", "nonce": "0" * 32}
    done(commands, START, HOST)
    assert done(commands, wish, ANN) == {"error": "wishes belong to the Wish Card"}
    assert live.table is not None
    done(commands, {**START, "game": "wish_card", "ends": live.table.session_id}, HOST)
    assert done(commands, wish, ANN) == {"ok": True}
    assert done(commands, wish, ANN) == {"error": "this seat's wish is sealed already"}
    assert done(commands, opened, ANN) == {"error": "only the winner's wish is read"}
    assert live.table is not None
    assert "a horse" not in str(live.table.snapshot())


def test_a_session_is_ended_by_the_next_only_where_that_is_meant_and_once(commands: Commands, live: Live) -> None:
    first = done(commands, START, HOST)["session"]
    assert done(commands, START, HOST) == {"error": "a session is being played; end it first"}
    assert live.table is not None
    assert live.table.session_id == first
    unplayable = {**START, "ends": first, "house": {"ante": -1}}
    assert "ante" in done(commands, unplayable, HOST)["error"]
    assert live.table is not None
    again = {**START, "ends": first}
    second = done(commands, again, HOST)["session"]
    assert done(commands, again, HOST) == {"error": "a session is being played; end it first"}  # tapped twice
    assert live.table.session_id == second
    rows = {one.row.id: one.row.ended for one in live.journal.sessions()}
    assert bool(rows[first])
    assert not rows[second]


def test_what_binds_a_seat_is_said_on_the_page_and_judged(commands: Commands, live: Live) -> None:
    done(commands, {**START, "game": "commerce"}, HOST)
    turned(live, 1.0)
    assert live.table is not None
    assert live.table.snapshot()["view"]["told"][0][:2] == ["buy", "demand"]
    assert done(commands, {"do": "say", "word": "buy", "detail": ""}, ANN) == {"ok": True}
    turned(live, 2.0)
    assert live.table.match.entries[-1].fact == Said(1, "buy")
    assert live.table.match.view.turn == 2


def test_a_tap_that_is_being_done_when_patience_ends_is_not_told_to_try_again(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.commands.PATIENCE_S", 0.02)
    begun = Event()

    def slow(self: Commands, action: Mapping[str, Any], actor: Actor) -> dict[str, Any]:
        begun.set()
        sleep(0.1)
        return {"ok": True}

    monkeypatch.setattr(Commands, "_do", slow)
    assert done(commands, PRESS, ANN) == {"ok": True}
    assert begun.is_set()


def test_a_missed_fact_is_put_in_by_the_host(commands: Commands, live: Live) -> None:
    done(commands, START, HOST)
    assert live.table is not None
    missed = {"fact": "laid", "card": "7H", "zone": "layout", "seat": 1}
    tap = {"do": "insert", "before": 0, "missed": missed, "why": "we saw it"}
    assert done(commands, tap, HOST) == {"ok": True, "entry": 0}
    assert live.table.match.view.table == (("layout", ("7H",)),)
    assert "no entry 7" in done(commands, {**tap, "before": 7}, HOST)["error"]
