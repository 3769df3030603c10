"""Begin, append, resume: what the table relies on at every fact."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from threading import Event, Thread

import pytest

from firmware.journal import guard, photos, spare
from firmware.journal.errors import BadEntry, JournalBusy, JournalError, NoSuchSession
from firmware.journal.journal import Journal
from firmware.journal.lines import SessionHeader
from firmware.journal.verify import verify
from firmware.referee.cards import Card
from firmware.referee.events import Corrected, Entry, HandShown, Inserted, Laid, Note
from firmware.referee.rulings import Kind, Ruling

from .tools import HEADER, FakeClock, fill, laid, numbers, picture


def test_an_entry_comes_back_as_it_went_in(journal: Journal) -> None:
    session = journal.begin(HEADER)
    facts = [
        Laid(None, "layout", None),
        Corrected(0, Laid(Card.parse("7H"), "layout", 2), "Ann", "it was the seven"),
        Inserted(1, Laid(Card.parse("TS"), "layout", 1), "Bo", "the camera slept"),
        HandShown(3, (Card.parse("AS"), Card.parse("KD"))),
        Note("PAUSED", "tea “♥” \udcff"),
    ]
    entries = [Entry(n, fact, 0.1 + n, 0.3 + n, 0.5, 0.25, "page") for n, fact in enumerate(facts)]
    kept = [journal.append(session, entry, [picture(str(entry.number))]) for entry in entries]
    assert list(journal.entries(session)) == kept
    assert [entry.photos for entry in kept] == [(photos.photo_hash(picture(str(n))),) for n in range(5)]
    assert journal.photo(kept[2].photos[0]) == picture("2")
    assert journal.header(session) == HEADER


def test_the_session_resumes_where_it_stopped(folder: Path, clock: FakeClock) -> None:
    with Journal.open(folder, clock=clock) as journal:
        session = fill(journal, 5)
    with Journal.open(folder, clock=clock) as journal:
        live = journal.live()
        assert live is not None
        assert (live.id, live.entries) == (session, 5)
        journal.append(session, laid(5))
        assert numbers(journal, session) == [0, 1, 2, 3, 4, 5]
        journal.end(session, {"winner": "Ann"})
        assert journal.live() is None
    with Journal.open(folder, clock=clock) as journal:
        assert journal.live() is None
        assert journal.session(session).ended


def test_an_entry_must_follow_the_last(journal: Journal) -> None:
    session = fill(journal, 3)
    for number in (1, 4):
        with pytest.raises(BadEntry, match="3 is next"):
            journal.append(session, laid(number))
    with pytest.raises(BadEntry, match="3 is next"):
        journal.append(session, laid(2, t=99.0))
    assert numbers(journal, session) == [0, 1, 2]


def test_the_last_entry_said_twice_is_kept_once(journal: Journal) -> None:
    session = fill(journal, 3)
    again = journal.append(session, laid(2), [picture("another")])
    assert again == list(journal.entries(session))[-1]
    assert numbers(journal, session) == [0, 1, 2]


def test_a_session_holds_several_deals(folder: Path, clock: FakeClock) -> None:
    with Journal.open(folder, clock=clock) as journal:
        session = fill(journal, 2)
        assert journal.next_deal(session, 1, {"pool": 7}) == 2
        journal.append(session, laid(0), deal=2)
        journal.append(session, laid(1), deal=2)
        with pytest.raises(BadEntry, match="cannot come now"):
            journal.append(session, laid(2), deal=1)
    with Journal.open(folder, clock=clock) as journal:
        assert [(d.number, d.dealer, dict(d.known)) for d in journal.deals(session)][1] == (2, 1, {"pool": 7})
        assert [e.number for e in journal.entries(session, deal=2)] == [0, 1]
        assert journal.entry(session, 1, deal=2).fact == laid(1).fact


def test_a_new_session_closes_the_one_left_open(journal: Journal) -> None:
    first = fill(journal, 1)
    second = journal.begin(HEADER)
    assert journal.session(first).ended
    live = journal.live()
    assert live is not None
    assert live.id == second
    with pytest.raises(BadEntry, match="is over"):
        journal.append(first, laid(1))


def test_rulings_are_kept_for_readers_and_said_again_replaced(journal: Journal) -> None:
    session = fill(journal, 3)
    said = Ruling(Kind.PROVED, "FALSE_PASS", seat=1, entry=2, entries=(0, 2), why="6C was in hand", id=4)
    journal.add_rulings(session, 2, [said])
    journal.add_rulings(session, 2, [said])
    (kept,) = journal.rulings(session)
    assert (kept.id, kept.entry, kept.kind, kept.code) == (4, 2, "proved", "FALSE_PASS")
    assert journal.store.rows("SELECT entry FROM dispute") == [(0,), (2,)], "their pictures are kept"


def test_an_end_that_is_durable_is_no_failure_because_the_disk_fills_up_after_it(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, real = fill(journal, 2), journal.store._db

    class Full:
        """The database's connection on a disk that has no room for the folding of its write-ahead file."""

        def __getattr__(self, name: str) -> object:
            return getattr(real, name)

        def execute(self, sql: str, *values: object) -> object:
            if "wal_checkpoint" in sql:
                raise sqlite3.OperationalError("database or disk is full")
            return real.execute(sql, *values)

    monkeypatch.setattr(journal.store, "_db", Full())
    journal.end(session)
    assert journal.session(session).ended
    assert verify(journal, session).whole


def test_photo_then_log_then_return(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of the durable steps as the system sees them."""
    session = journal.begin(HEADER)
    seen: list[str] = []
    real_replace, real_sync, real_data_sync = os.replace, os.fsync, os.fdatasync
    monkeypatch.setattr(photos.os, "replace", lambda a, b: (seen.append("photo named"), real_replace(a, b))[1])
    monkeypatch.setattr(photos.os, "fsync", lambda fd: (seen.append("flush"), real_sync(fd))[1])
    monkeypatch.setattr(spare.os, "fdatasync", lambda fd: (seen.append("line flushed"), real_data_sync(fd))[1])
    real_writing = journal.store.writing

    def writing(**kwargs: bool) -> object:
        seen.append("line")
        return real_writing(**kwargs)

    monkeypatch.setattr(journal.store, "writing", writing)
    journal.append(session, laid(0), [picture("a")])
    # new folder for the picture (its parents flushed), file flushed, named, folder flushed, then both logs
    assert seen[-6:] == ["flush", "flush", "photo named", "flush", "line", "line flushed"]
    assert seen.index("photo named") < seen.index("line")


def test_a_second_program_is_refused(folder: Path, journal: Journal) -> None:
    with pytest.raises(JournalBusy, match=f"in use by program {os.getpid()}"):
        Journal.open(folder)
    with Journal.open(folder, read_only=True) as reader:
        assert reader.sessions() == []
        with pytest.raises(JournalError, match="for reading only"):
            reader.begin(HEADER)


def test_readers_see_what_was_appended(folder: Path, journal: Journal) -> None:
    session = fill(journal, 4)
    with Journal.open(folder, read_only=True) as reader:
        assert numbers(reader, session) == [0, 1, 2, 3]
        assert reader.header(session) == HEADER


def test_sessions_are_named_by_id_number_or_last(journal: Journal) -> None:
    first, second = fill(journal, 1), fill(journal, 1)
    assert journal.session("1").id == first
    assert journal.session("last").id == second
    with pytest.raises(NoSuchSession, match="`cardtable sessions` lists them"):
        journal.session("nine")


def test_a_header_without_seats_or_json_is_refused(journal: Journal) -> None:
    with pytest.raises(BadEntry, match="at least one seat"):
        journal.begin(SessionHeader("fan_tan", ()))
    with pytest.raises((BadEntry, TypeError)):
        journal.begin(SessionHeader("fan_tan", ("A",), house={"ante": {1}}))


def test_the_reserve_is_real_room(folder: Path, journal: Journal) -> None:
    assert (folder / guard.RESERVE_NAME).stat().st_blocks * 512 >= guard.RESERVE_BYTES


def test_the_pages_threads_read_while_the_table_writes(folder: Path, journal: Journal) -> None:
    session = journal.begin(HEADER)
    stop, faults, read = Event(), [], []

    def page() -> None:
        with Journal.open(folder, read_only=True) as outside:
            while not stop.is_set():
                for reader in (journal, outside):
                    seen = numbers(reader, session)
                    read.append(len(seen))
                    if seen != list(range(len(seen))):
                        faults.append(seen)
                    reader.sessions()

    threads = [Thread(target=page) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(50):
        journal.append(session, laid(number), [picture(str(number))])
    stop.set()
    for thread in threads:
        thread.join()
    assert faults == []
    assert read
    assert max(read) > 0
    assert numbers(journal, session) == list(range(50))
