"""Tables and a hub over a way that loses and repeats: in the end the hub has every ledger to the counter, once."""

from __future__ import annotations

import json
import random
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest

from firmware.club.bulletins import Telling
from firmware.club.database import Database, HubDatabaseError, Standing, evening_of
from firmware.club.hub import OFFERED, Hub, shown
from firmware.club.messages import Ack, Presence, pack, read_ack, read_bulletin
from firmware.club.night import leaders
from firmware.club.teller import JournalSpool, open_club
from firmware.config import ClubSettings
from firmware.journal.journal import Journal
from firmware.journal.lines import LineKind, Remark, SessionHeader
from firmware.journal.replay import replay
from tests.journal.games import HEADER, WITHHELD, play
from tests.journal.tools import FakeClock

from .fakes import EVENING_NS, Club
from .tables import ClubTable, Noticeboard

CLUB = replace(HEADER, club="hall-1")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "data", clock=FakeClock()) as opened:
        yield opened


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    made = Club.at(tmp_path)
    yield made
    made.database.close()


def board() -> Noticeboard:
    return Noticeboard({"state": "waiting"}, lambda action, actor: {"error": "nobody"})


def opened(stack: ExitStack, club: Club, folder: Path, name: str, seed: int) -> ClubTable:
    """A table whose teller lives on the fake broker."""
    table = ClubTable(name, folder, seed)
    table.random = random.Random(seed)
    table.board, table.journal = board(), stack.enter_context(Journal.open(folder))
    club.table(name, table.journal, table.board)
    return table


def test_over_a_way_that_loses_and_repeats_nothing_is_lost_and_nothing_doubled(tmp_path: Path) -> None:
    club = Club.at(tmp_path, lose=0.15, twice=0.15)
    club.broker.connect(club.hub)
    with ExitStack() as stack:
        stack.callback(club.database.close)
        tables = [opened(stack, club, tmp_path / f"t{n}", f"hall-{n}", n) for n in range(3)]
        for step in range(140):
            for table in tables:
                table.fact()
            if step % 3 == 0:
                club.turn(step_s=1.0)
            if step % 40 == 20:  # the hub goes and comes back with what it has kept
                club.broker.disconnect(club.hub)
                club.hub = Hub(club.database, club.notes.append, wall_ns=club.clock.wall_ns, now_s=club.clock)
                club.broker.connect(club.hub)
        club.until(lambda: all(teller.sender.lacking == 0 and teller.sender.hub for teller in club.tellers.values()))
        ledgers = {key: value for table in tables for key, value in table.ledgers().items()}
        assert len(ledgers) >= 6
        assert any(any(counters) for counters in ledgers.values())
        assert club.database.ledgers() == ledgers
        kept = {(one["table"], one["session"]): one["lines"] for one in club.database.sessions()}
        assert sum(kept.values()) == sum(table.lines() for table in tables)
        heads = {(one["table"], one["session"]): one["head"] for one in club.database.sessions()}
        assert heads == {(t.name, s.row.id): s.row.head for t in tables for s in t.journal.sessions()}


def test_a_hub_that_forgets_its_last_hour_is_told_it_again(club: Club, journal: Journal, tmp_path: Path) -> None:
    session = play(journal, header=CLUB)
    club.broker.connect(club.hub)
    club.table("hall-1", journal, board())
    club.until(lambda: bool(club.database.ledgers()) and club.tellers["hall-1"].sender.lacking == 0)
    whole = club.database.ledgers()
    assert journal.untold("hall-1", club.database.hub, 0) == []
    with closing(sqlite3.connect(tmp_path / "hub.db")) as db:  # an older copy of its database is put back
        db.execute("DELETE FROM line WHERE seq >= 4")
        head = db.execute("SELECT hash FROM line WHERE seq = 3").fetchone()[0]
        db.execute("UPDATE session SET next_seq = 4, ended = 0, head = ?", (head,))
        db.execute("UPDATE balance SET counters = 0")
        db.commit()
    club.broker.disconnect(club.hub)
    club.hub = Hub(club.database, club.notes.append, wall_ns=club.clock.wall_ns, now_s=club.clock)
    club.broker.connect(club.hub)
    club.until(lambda: club.database.ledgers() == whole)
    assert club.database.sessions()[0]["lines"] == journal.session(session).lines


def test_only_what_was_played_for_the_club_is_told(club: Club, journal: Journal) -> None:
    play(journal)
    mine = play(journal, header=CLUB)
    play(journal, header=replace(HEADER, club="other"))
    club.broker.connect(club.hub)
    club.table("hall-1", journal, board())
    club.turn(20)
    assert [one["session"] for one in club.database.sessions()] == [mine]


def test_a_table_whose_disk_was_set_back_is_refused_and_said(club: Club, journal: Journal, tmp_path: Path) -> None:
    session = play(journal, header=CLUB, over=False)
    club.broker.connect(club.hub)
    club.table("hall-1", journal, board())
    club.until(lambda: club.tellers["hall-1"].sender.lacking == 0 and bool(club.database.ledgers()))
    whole = club.database.ledgers()
    with Journal.open(tmp_path / "older", clock=FakeClock(wall=EVENING_NS + 7)) as older:  # the same name, other lines
        play(older, WITHHELD[:3], header=CLUB, over=False)
        with older.store.writing() as execute:
            execute("UPDATE session SET id = ?", (session,))
        club.broker.disconnect(club.tellers["hall-1"])
        club.table("hall-1", older, board())
        club.turn(10)
        assert club.database.ledgers() == whole
        (kept,) = club.database.sessions()
        assert "shorter than what was told" in kept["refused"]
        assert any("takes no more of this session" in note for note in club.notes)
        assert "shorter" in shown(club.hub.board.snapshot())["table:hall-1"]["complaint"]


def test_a_line_told_otherwise_the_second_time_changes_nothing(club: Club, journal: Journal) -> None:
    session = play(journal, header=CLUB)
    telling = Telling(journal, session)
    telling.read_on()
    bulletins = [read_bulletin(payload) for payload in telling.payloads]
    club.database.take([("hall-1", one) for one in bulletins], EVENING_NS)
    whole = club.database.ledgers()
    other = replace(bulletins[4], hash="00" * 32, counters=(99, -99, 0))
    (standing,) = club.database.take([("hall-1", other)], EVENING_NS).values()
    assert "line 4 is not the one that was told before" in standing.refused
    assert club.database.ledgers() == whole


def test_a_batch_is_kept_whole_or_not_at_all(club: Club, journal: Journal, tmp_path: Path) -> None:
    session = play(journal, header=CLUB)
    telling = Telling(journal, session)
    telling.read_on()
    bulletins = [read_bulletin(payload) for payload in telling.payloads]
    with closing(sqlite3.connect(tmp_path / "hub.db")) as db:
        db.execute(
            "CREATE TRIGGER broken BEFORE INSERT ON line WHEN NEW.seq = 5 BEGIN SELECT RAISE(ABORT, 'no disk'); END"
        )
        db.commit()
    with pytest.raises(HubDatabaseError, match="no disk"):
        club.database.take([("hall-1", one) for one in bulletins], EVENING_NS)
    assert club.database.sessions() == []
    heard: list[bytes] = []
    club.hub.up(lambda name, payload, retain: heard.append(payload) if name.endswith("/ack") else None)
    for payload in telling.payloads:
        club.hub.hear("cardtable/hall-1/log", payload)
    club.hub.turn()
    assert heard == []  # nothing was kept, so nothing is confirmed
    assert "no disk" in club.notes[-1]
    with closing(sqlite3.connect(tmp_path / "hub.db")) as db:
        db.execute("DROP TRIGGER broken")
        db.commit()
    for payload in telling.payloads:
        club.hub.hear("cardtable/hall-1/log", payload)
    club.hub.turn()
    assert [read_ack(payload) for payload in heard] == [Ack(club.database.hub, session, len(bulletins))]


def test_bulletins_say_what_the_referee_said_and_what_it_came_to(journal: Journal) -> None:
    session = play(journal, header=CLUB)
    telling = Telling(journal, session)
    assert telling.read_on() == journal.session(session).lines
    bulletins = [read_bulletin(payload) for payload in telling.payloads]
    assert [one.seq for one in bulletins] == list(range(len(bulletins)))
    assert bulletins[0].begin is not None
    assert bulletins[0].begin.seats == ("Ann", "Bo", "Cy")
    assert bulletins[-1].hash == journal.session(session).head
    (last,) = replay(journal, session)
    assert bulletins[-1].counters == tuple(last.net().values())
    assert (bulletins[-1].kind, bulletins[-1].over, bulletins[-1].winner) == ("end", True, 1)
    said = [(one.kind, one.code) for bulletin in bulletins for one in bulletin.said]
    assert ("proved", "WITHHELD") in said
    assert len(said) == len(journal.rulings(session))


def test_no_bulletin_tells_a_card_that_nobody_may_know(journal: Journal) -> None:
    known = {"hands": {"Ann": ["AS", "4S", "AH"], "Bo": ["2S", "2H", "4H"], "Cy": ["3S", "3H"]}, "ranks": "A234"}
    header = replace(CLUB, deal={**known, "suits": "SH"})
    session = play(journal, WITHHELD[:2], header=header, over=False)
    telling = Telling(journal, session)
    telling.read_on()
    for card in ("2H", "4H", "3H", "4S"):
        assert card.encode() not in b"".join(telling.payloads)


def test_a_game_of_another_program_is_told_as_played_without_a_ledger(journal: Journal) -> None:
    session = journal.begin(SessionHeader("whist_of_mars", ("A", "B"), club="hall-1"))
    journal.remark(session, Remark.RESUMED)
    telling = Telling(journal, session)
    assert telling.read_on() == 2
    assert read_bulletin(telling.payloads[0]).counters == ()


def test_a_remark_about_an_earlier_deal_leaves_its_ledger_alone(journal: Journal) -> None:
    session = play(journal, header=CLUB, over=False)
    journal.next_deal(session, 1, HEADER.deal)
    journal.remark(session, Remark.THINNED, deal=1, photos=[])
    telling = Telling(journal, session)
    telling.read_on()
    last = read_bulletin(telling.payloads[-1])
    assert (last.kind, last.deal) == (LineKind.NOTE.value, 2)


def test_the_log_alone_is_the_spool(journal: Journal) -> None:
    spool = JournalSpool(journal, journal.mark_told, "hall-1")
    sessions = [play(journal, header=CLUB) for _ in range(3)]
    assert [offer.session for offer in spool.offers("h")] == sessions
    for session in sessions:
        assert spool.payload(session, 0) is not None
        assert spool.payload(session, 10_000) is None
    journal.mark_told("h", sessions[0], journal.session(sessions[0]).lines)
    assert [row.id for row in journal.untold("hall-1", "h", 0)] == sessions[1:]
    assert [row.id for row in journal.untold("hall-1", "another hub", 0)] == sessions
    assert [row.id for row in journal.untold("hall-1", "h", 20)] == sessions
    journal.remark(sessions[0], Remark.FORGOTTEN, photos=[])  # a line more than was told
    assert [row.id for row in journal.untold("hall-1", "h", 0)] == sessions
    assert journal.untold("", "h", 20) == []


def test_which_club_a_session_is_of_outlives_the_database(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "data", clock=FakeClock()) as journal:
        session = play(journal, header=CLUB)
    (tmp_path / "data" / "sessions.db").unlink()
    with Journal.open(tmp_path / "data", clock=FakeClock()) as journal:
        assert [row.id for row in journal.untold("hall-1", "h", 0)] == [session]


def test_an_evening_ends_at_six_and_a_clock_ahead_is_not_believed(tmp_path: Path, journal: Journal) -> None:
    from datetime import UTC

    night = EVENING_NS - 20 * 3600 * 10**9  # 30 November, 00:00 UTC
    assert evening_of(night, UTC) == evening_of(night + 5 * 3600 * 10**9, UTC) == "2026-11-29"
    assert evening_of(night + 6 * 3600 * 10**9, UTC) == "2026-11-30"
    session = play(journal, header=CLUB)
    telling = Telling(journal, session)
    telling.read_on()
    first = replace(read_bulletin(telling.payloads[0]), wall_ns=EVENING_NS + 400 * 86400 * 10**9)
    database = Database(str(tmp_path / "zone.db"), zone=UTC)
    database.take([("hall-1", first)], EVENING_NS)
    assert database.evenings() == ["2026-11-30"]
    set_right = replace(
        read_bulletin(telling.payloads[1]), kind="note", code="clock_step", wall_ns=EVENING_NS - 86400 * 10**9
    )
    database.take([("hall-1", set_right)], EVENING_NS)
    assert database.evenings() == ["2026-11-29"]
    database.close()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (ClubSettings("hall-1"), "pip install 'cardtable[club]'"),
        (ClubSettings("hall-1", password_file="/none", user="a"), "password cannot be read"),
        (ClubSettings("hall-1", broker="http://hall"), "mqtt://host:1883"),
    ],
)
def test_a_club_that_cannot_be_reached_at_all_does_not_stop_the_game(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, settings: ClubSettings, words: str
) -> None:
    for name in ("paho", "paho.mqtt"):
        monkeypatch.setitem(sys.modules, name, None)
    notes: list[str] = []
    with open_club(settings, journal, journal, board(), notes.append) as teller:
        assert teller is None
    assert len(notes) == 1
    assert words in notes[0]
    with open_club(ClubSettings(), journal, journal, board(), notes.append) as teller:
        assert teller is None
    assert len(notes) == 1


# -- strangers


def test_hostile_messages_change_nothing_and_are_said(club: Club, journal: Journal) -> None:
    session = play(journal, header=CLUB)
    club.broker.connect(club.hub)
    club.table("hall-1", journal, board())
    club.until(lambda: club.tellers["hall-1"].sender.lacking == 0 and bool(club.database.ledgers()))
    whole = club.database.ledgers()
    telling = Telling(journal, session)
    telling.read_on()
    good = json.loads(telling.payloads[2])
    rubbish = [b"", b"\x00" * 999, b"[" * 50_000, b"{}", json.dumps({**good, "seq": 10**6}).encode(), b'"x"']
    rubbish += [json.dumps({**good, "counters": [1, 2]}).encode(), json.dumps({**good, "session": "new"}).encode()]
    for word in ("log", "state", "available", "inventory", "ack", "nonsense", "log/x"):
        for payload in rubbish:
            club.hub.hear(f"cardtable/hall-1/{word}", payload)
    for name in ("cardtable/hub/log", "cardtable//log", "", "cardtable/+/log", "cardtable/A B/log"):
        club.hub.hear(name, telling.payloads[0])
    club.turn(3)
    assert club.database.ledgers() == whole
    card = shown(club.hub.board.snapshot())["table:hall-1"]
    assert card["unreadable"] > 10
    assert len(card["complaint"]) < 300


def test_a_hub_that_never_answers_is_said_once(club: Club, journal: Journal) -> None:
    """The broker's access list lets the table hear and not speak: MQTT 3.1.1 tells nobody."""
    play(journal, header=CLUB)
    teller = club.table("hall-1", journal, board())
    teller.hear("cardtable/hub/available", pack(Presence(club.database.hub, True)))
    for _ in range(400):
        teller.turn()
        club.clock.t += 0.3
    assert [note for note in club.notes if "does not answer hall-1" in note and "publish as hall-1" in note]
    assert len(club.notes) == 1


@pytest.mark.parametrize("spoil", [(4096, 4096), (0, 100), (0, 0)], ids=["a page", "its head", "all of it"])
def test_e02_a_damaged_database_is_one_line_with_what_helps(tmp_path: Path, spoil: tuple[int, int]) -> None:
    path = tmp_path / "hub.db"
    Database(str(path)).close()
    start, size = spoil
    data = path.read_bytes()
    spoilt = data[:start] + bytes(size) + data[start + size :] if size else b"no database" * 999
    path.write_bytes(spoilt)
    with pytest.raises(HubDatabaseError, match="move it away, and the tables tell everything again") as found:
        Database(str(path)).tables()
    assert "\n" not in str(found.value)
    assert path.read_bytes() == spoilt, "a file that was named by mistake is never touched"


def test_one_accent_is_one_player_however_it_was_typed(club: Club, journal: Journal) -> None:
    telling = Telling(journal, play(journal, header=HEADER))
    telling.read_on()
    for table, name in (("hall-1", "A\u0301nn"), ("hall-2", "\u00c1nn")):
        for payload in telling.payloads:
            bulletin = read_bulletin(payload)
            begin = bulletin.begin and replace(bulletin.begin, seats=(name, *bulletin.begin.seats[1:]))
            club.hub.hear(f"cardtable/{table}/log", pack(replace(bulletin, begin=begin)))
    club.hub.turn()
    both = [one for one in leaders(club.database.board()) if one.name in ("A\u0301nn", "\u00c1nn")]
    assert [one.tables for one in both] == [("hall-1", "hall-2")]


def test_a_hub_that_hears_another_ones_word_says_its_own_again_and_no_oftener(club: Club, journal: Journal) -> None:
    play(journal, header=CLUB)
    teller = club.table("hall-1", journal, board())
    club.broker.connect(club.hub)
    club.until(lambda: bool(club.database.ledgers()))
    for _ in range(20):
        club.broker.publish("cardtable/hub/available", b'{"hub":"0123456789abcdef","online":true}', True)
    club.broker.deliver()
    assert sum(name == "cardtable/hub/available" for name, _ in club.broker.waiting) == 1
    club.until(lambda: teller.sender.hub == club.database.hub and teller.sender.lacking == 0, 30)


def test_a_table_of_a_hundred_sessions_lacks_nothing_when_all_are_told(club: Club) -> None:
    offers = [{"session": f"{n:05}-abcd", "lines": 3, "head": "ab" * 32, "ended": True} for n in range(100)]
    for first in (0, 50):
        told = json.dumps({"offers": offers[first : first + 50]}).encode()
        club.hub.hear("cardtable/hall-1/inventory", told)
    club.hub.turn()
    assert shown(club.hub.board.snapshot())["table:hall-1"]["lacking"] == 150
    for n in range(100):
        club.hub._answer("hall-1", f"{n:05}-abcd", Standing(3, "ab" * 32))
    club.hub.turn()
    assert shown(club.hub.board.snapshot())["table:hall-1"]["lacking"] == 0
    assert len(club.hub._cards["hall-1"].offered) <= OFFERED


def test_a_flood_of_tables_is_bounded(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    from firmware.club import database

    monkeypatch.setattr(database, "MOST_TABLES", 20)
    for number in range(60):
        club.hub.hear(f"cardtable/t{number}/available", b"online")
        club.hub.hear(f"cardtable/t{number}/log", b"x")
    assert len(club.database.tables()) == 20
    assert len(shown(club.hub.board.snapshot())) <= 21


def test_a_forged_word_of_the_hub_is_put_right_at_the_next_greeting(club: Club, journal: Journal) -> None:
    session = play(journal, header=CLUB)
    teller = club.table("hall-1", journal, board())
    teller.hear("cardtable/hub/available", b'{"hub":"0123456789abcdef","online":true}')
    teller.hear("cardtable/hall-1/ack", pack(Ack("0123456789abcdef", session, 10**6)))
    assert teller.sender.lacking == 0
    for payload in (b"", b"{", b"null", b'{"hub":1}'):
        teller.hear("cardtable/hub/available", payload)
        teller.hear("cardtable/hall-1/ack", payload)
    club.broker.connect(club.hub)
    club.until(lambda: bool(club.database.ledgers()) and teller.sender.lacking == 0)
    assert club.database.sessions()[0]["lines"] == journal.session(session).lines
