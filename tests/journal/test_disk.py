"""Real small and read-only disks, other people's files, older and newer schemas, and the quota of pictures."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from firmware.journal import quota, schema
from firmware.journal.errors import DiskFull, DiskReadOnly, JournalError, UnknownSchema
from firmware.journal.guard import RESERVE_NAME, free_bytes
from firmware.journal.journal import Journal
from firmware.journal.lines import LineKind, Remark
from firmware.journal.store import open_store
from firmware.journal.verify import verify
from firmware.referee.events import Corrected, Entry
from firmware.referee.rulings import Kind, Ruling

from .games import CALL, CORRECTION, WITHHELD, play
from .tools import HEADER, FakeClock, fill, laid, numbers, picture, sql

MB = 1 << 20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """Makes small disks in memory of so many MiB; they go when the test ends."""
    mounted: list[Path] = []

    def make(size_mb: int) -> Path:
        place = tmp_path / f"disk{len(mounted)}"
        place.mkdir()
        asked = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", str(place)]
        if shutil.which("mount") is None or subprocess.run(asked, capture_output=True, check=False).returncode:
            pytest.skip("a small disk cannot be made here (mounting needs root)")
        mounted.append(place)
        return place

    yield make
    for place in mounted:
        subprocess.run(["umount", "-l", str(place)], check=True)


def read_only(place: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)


def lost(journal: Journal, session: str) -> list[str]:
    return [line.lost for line in journal.lines(session) if line.kind is LineKind.FACT]


def photos_left(journal: Journal, session: str) -> int:
    names = [name for entry in journal.entries(session) for name in entry.photos]
    return sum(journal.photos.path(name).exists() for name in names)


def test_e06_a_full_disk_costs_pictures_and_never_a_fact(disk: Callable[[int], Path], clock: FakeClock) -> None:
    folder = disk(16) / "data"
    with Journal.open(folder, clock=clock) as journal:
        done = journal.begin(HEADER)
        for number in range(20):
            journal.append(done, laid(number), [picture(f"done{number}", 200_000)])
        journal.end(done)
        live = journal.begin(HEADER)
        for number in range(60):
            kept = journal.append(live, laid(number), [picture(f"live{number}", 200_000)])
            assert all(journal.photos.fault(name) == "" for name in kept.photos)
        assert numbers(journal, live) == list(range(60))
        assert photos_left(journal, done) == 0, "the finished session's pictures go first"
        reasons = lost(journal, live)
        first = reasons.index("disk")
        assert first > 15
        assert set(reasons[first:]) == {"disk"}
        assert photos_left(journal, live) == first, "never one of the session that is going on"
        assert free_bytes(folder) >= 2 * MB
        assert not list(folder.glob("pictures/unnamed/*"))
        assert verify(journal, done).whole
        assert verify(journal, live).whole
    with Journal.open(folder, clock=clock) as journal:
        assert numbers(journal, live) == list(range(60))


def test_a_database_that_may_not_be_opened_is_refused_and_not_taken_for_a_damaged_one(
    folder: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for another user; root may open everything."""
    with Journal.open(folder, clock=clock) as journal:
        fill(journal, 2)

    def refused(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(sqlite3, "connect", refused)
    for read_only in (True, False):
        with pytest.raises(DiskReadOnly, match=r"sessions\.db: cannot be used") as caught:
            Journal.open(folder, clock=clock, read_only=read_only)
        assert str(caught.value).count("sessions.db") == 1
    assert not (folder / "set-aside").exists()


def test_e06_the_reserve_is_given_to_the_log(disk: Callable[[int], Path], clock: FakeClock) -> None:
    place = disk(12)
    folder = place / "data"
    with Journal.open(folder, clock=clock) as journal:
        session = fill(journal, 5, photos=False)
        assert (folder / RESERVE_NAME).exists()
        stuff_full(place)
        for number in range(5, 205):
            journal.append(session, laid(number), [picture(str(number))])
        assert not (folder / RESERVE_NAME).exists()
        assert numbers(journal, session) == list(range(205))
    with Journal.open(folder, clock=clock) as journal:
        assert numbers(journal, session) == list(range(205))
        assert verify(journal, session).whole


def stuff_full(place: Path) -> None:
    with (place / "other-peoples-files").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return


def append_until_refused(journal: Journal, session: str, first: int) -> tuple[int, str]:
    """The number that was refused, and the words."""
    for number in range(first, 20_000):
        try:
            journal.append(session, laid(number))
        except DiskFull as error:
            return number, str(error)
    return -1, ""


def test_e06_a_disk_without_any_room_refuses_in_one_line_and_loses_nothing(
    disk: Callable[[int], Path], clock: FakeClock
) -> None:
    place = disk(12)
    folder = place / "data"
    with Journal.open(folder, clock=clock) as journal:
        session = fill(journal, 5, photos=False)
        stuff_full(place)
        journal.append(session, laid(5))
        (folder / RESERVE_NAME).unlink(missing_ok=True)
        stuff_full(place)
        number, refusal = append_until_refused(journal, session, 6)
        assert "the disk is full: delete other files on it" in refusal
        assert "\n" not in refusal
        assert numbers(journal, session) == list(range(number))
        (place / "other-peoples-files").unlink()
        journal.append(session, laid(number))
        assert numbers(journal, session) == list(range(number + 1))
        assert verify(journal, session).whole
    with Journal.open(folder, clock=clock) as journal:
        assert numbers(journal, session) == list(range(number + 1))


def test_a_disk_that_became_read_only_refuses_and_can_still_be_read(
    disk: Callable[[int], Path], clock: FakeClock
) -> None:
    place = disk(16)
    folder = place / "data"
    with Journal.open(folder, clock=clock) as journal:
        session = fill(journal, 4)
        shutil.copytree(folder, place / "crashed", ignore=shutil.ignore_patterns(RESERVE_NAME))
    read_only(place)
    with pytest.raises(DiskReadOnly, match="cannot be written: check the disk"):
        Journal.open(folder, clock=clock)
    with pytest.raises(DiskReadOnly):
        Journal.open(place / "new", clock=clock)
    for home in (folder, place / "crashed"):
        with Journal.open(home, read_only=True) as journal:
            assert numbers(journal, session) == [0, 1, 2, 3]
            assert verify(journal, session).whole


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(JournalError) as caught:
        Journal.open(tmp_path / "data")
    assert str(tmp_path / "data") in str(caught.value)


# -- schemas


def test_a_newer_schema_is_left_alone(folder: Path, clock: FakeClock) -> None:
    with Journal.open(folder, clock=clock) as journal:
        fill(journal, 2)
    sql(folder, "PRAGMA user_version = 99")
    before = (folder / "sessions.db").read_bytes()
    for only_reading in (False, True):
        with pytest.raises(UnknownSchema, match=rf"schema 99, this one knows {len(schema.STEPS)}.*update the program"):
            Journal.open(folder, read_only=only_reading)
    assert (folder / "sessions.db").read_bytes() == before


def test_another_programs_database_is_left_alone(folder: Path) -> None:
    folder.mkdir()
    sql(folder, "CREATE TABLE recipes(name TEXT)", "INSERT INTO recipes VALUES ('soup')")
    with pytest.raises(UnknownSchema, match="not a Card Table journal"):
        Journal.open(folder)
    assert sql(folder, "SELECT name FROM recipes") == [("soup",)]


def test_an_older_schema_is_brought_up_to_date_with_a_copy_kept(folder: Path, clock: FakeClock) -> None:
    with Journal.open(folder, clock=clock) as journal:
        session = fill(journal, 6)
        journal.end(session)
    sql(
        folder,
        "DROP TABLE dispute",
        "ALTER TABLE session DROP COLUMN disputes",
        "ALTER TABLE session DROP COLUMN uncertain",
        "DROP TABLE told",
        "DROP INDEX session_club",
        "ALTER TABLE session DROP COLUMN club",
        "PRAGMA user_version = 1",
    )
    with Journal.open(folder, read_only=True) as journal:  # read as it will be, and left as it is
        assert numbers(journal, session) == list(range(6))
        assert journal.sessions()[0].row.disputes == 0
    assert sql(folder, "PRAGMA user_version") == [(1,)]
    with Journal.open(folder, clock=clock) as journal:
        assert numbers(journal, session) == list(range(6))
        assert verify(journal, session).whole
        assert journal.session(session).disputes == 0
    assert (folder / "sessions-schema-1.db").exists()


def test_disputes_and_doubts_of_an_older_journal_are_counted_from_its_lines(folder: Path, clock: FakeClock) -> None:
    with Journal.open(folder, clock=clock) as journal:
        called, quiet = play(journal, [*WITHHELD[:6], CORRECTION, CALL]), play(journal)
        clock.wall += 3_600 * 10**9
        journal.begin(HEADER)
        wanted = journal.store.rows("SELECT disputes, uncertain FROM session ORDER BY number")
    assert wanted[:2] == [(2, 1), (0, 1)]
    sql(folder, "UPDATE session SET disputes = 7, uncertain = 0", "PRAGMA user_version = 3")
    with Journal.open(folder, clock=clock) as journal:
        assert journal.store.rows("SELECT disputes, uncertain FROM session ORDER BY number") == wanted
        assert verify(journal, called).whole
        assert verify(journal, quiet).whole


def test_a_step_that_fails_leaves_the_file_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    open_store(folder / "sessions.db").close()
    steps = (*schema.STEPS, "CREATE TABLE more(x INTEGER); CREATE TABLE more(x INTEGER);")
    with closing(sqlite3.connect(folder / "sessions.db", isolation_level=None)) as db:
        with pytest.raises(sqlite3.OperationalError):
            schema.migrate(db, steps)
        assert schema.version(db) == len(schema.STEPS)
        assert db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'more'").fetchone() == (0,)


# -- the quota


@pytest.fixture
def small(folder: Path, clock: FakeClock) -> Iterator[Journal]:
    """A journal that keeps 100 kB of pictures."""
    with Journal.open(folder, clock=clock, photo_quota_bytes=100_000) as journal:
        yield journal


def session_of(journal: Journal, count: int = 10) -> str:
    session = journal.begin(HEADER)
    for number in range(count):
        journal.append(session, laid(number), [picture(f"{session}-{number}", 4_000)])
    return session


def test_the_oldest_undisputed_pictures_go_first_and_the_log_says_so(small: Journal) -> None:
    oldest = session_of(small)
    small.add_rulings(oldest, 7, [Ruling(Kind.PROVED, "WITHHELD", seat=1, entry=7, entries=(2, 7), id=0)])
    small.append(oldest, Entry(10, Corrected(4, None, "Ann", "nobody laid that"), source="page"))
    second = session_of(small)
    third = session_of(small)
    assert photos_left(small, oldest) < 10
    kept = [small.photos.path(name).exists() for entry in small.entries(oldest) for name in entry.photos]
    assert kept[2]
    assert kept[4]
    assert kept[7], "evidence of disputed entries is never dropped"
    assert photos_left(small, second) == 10
    assert photos_left(small, third) == 10
    notes = [line for line in small.lines(oldest) if line.body.get("code") == Remark.THINNED]
    assert sum(len(line.body["photos"]) for line in notes) == 10 - sum(kept)
    for session in (oldest, second, third):
        assert verify(small, session).whole
    fourth = session_of(small)
    assert photos_left(small, fourth) == 10
    assert [small.photos.path(name).exists() for e in small.entries(oldest) for name in e.photos] == [
        n in (2, 4, 7) for n in range(10)
    ]
    assert small.store.photo_bytes() <= 100_000


def test_when_nothing_may_go_new_pictures_are_not_kept(small: Journal) -> None:
    session = session_of(small, 30)
    assert lost(small, session) == [""] * 25 + ["quota"] * 5
    assert small.store.photo_bytes() == 100_000
    small.end(session)
    newer = session_of(small, 1)
    assert photos_left(small, newer) == 1
    assert photos_left(small, session) < 25


def test_the_floor_follows_the_disk(journal: Journal) -> None:
    assert 0 < quota.floor_bytes(journal) <= quota.FLOOR_BYTES


@pytest.mark.parametrize("reserve", [True, False])
def test_a_full_disk_can_be_opened_read_repaired_and_forgotten_on(
    disk: Callable[[int], Path], clock: FakeClock, monkeypatch: pytest.MonkeyPatch, reserve: bool
) -> None:
    """The remedies must work where they are needed: by then not a byte may be free."""
    place = disk(16)
    folder = place / "data"
    with Journal.open(folder, clock=clock) as journal:
        done = journal.begin(HEADER)
        for number in range(8):
            journal.append(done, laid(number), [picture(f"done{number}", 400_000)])
        journal.end(done)
        live = fill(journal, 3, photos=False)
    if not reserve:
        (folder / RESERVE_NAME).unlink()
    stuff_full(place)
    with Journal.open(folder, read_only=True) as journal:
        assert numbers(journal, live) == [0, 1, 2]
    if not reserve:
        with pytest.raises(DiskFull, match="the disk is full: delete other files on it"):
            Journal.open(folder, clock=clock)
    with Journal.open(folder, clock=clock, alone=not reserve) as journal:
        assert free_bytes(folder) == 0 if not reserve else free_bytes(folder) > 0
        assert journal.forget(done) == 8 * 400_000
        assert photos_left(journal, done) == 0
        assert verify(journal, done).whole
        journal.append(live, laid(3), [picture("new")])
        assert numbers(journal, live) == [0, 1, 2, 3]


def test_the_remedy_of_a_full_disk_fits_what_is_kept(disk: Callable[[int], Path], clock: FakeClock) -> None:
    place = disk(16)
    with Journal.open(place / "data", clock=clock) as journal:
        session = journal.begin(HEADER)
        journal.append(session, laid(0), [picture("only one", 2_000_000)])
        (place / "data" / RESERVE_NAME).unlink()
        stuff_full(place)
        _, words = append_until_refused(journal, session, 1)
        assert words.endswith("the disk is full: delete other files on it"), "its own pictures are wanted"
        (place / "other-peoples-files").unlink()
        journal.end(session)
        session = fill(journal, 1, photos=False)
        (place / "data" / RESERVE_NAME).unlink(missing_ok=True)
        stuff_full(place)
        _, words = append_until_refused(journal, session, 1)
        assert "or end the table and `cardtable forget` sessions: 2 MB of pictures are kept" in words
