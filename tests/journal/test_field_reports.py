"""Section E of the field reports: what broke other people's journals, as tests of ours."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from firmware.journal import photos as photos_module
from firmware.journal.errors import Damaged
from firmware.journal.journal import Journal
from firmware.journal.lines import LineKind, Remark
from firmware.journal.photos import PhotoShelf
from firmware.journal.quota import QUOTA_BYTES
from firmware.journal.store import WAL_LIMIT_BYTES
from firmware.journal.verify import verify

from .tools import DAY_NS, HEADER, SECOND_NS, FakeClock, fill, laid, numbers, picture, sql

SOURCE = Path(photos_module.__file__).parent


def remarks(journal: Journal, session: str) -> list[str]:
    return [str(line.body["code"]) for line in journal.lines(session) if line.kind is LineKind.NOTE]


def spare_path(folder: Path, session: str) -> Path:
    return folder / "spare" / f"{session}.jsonl"


def only_text(folder: Path) -> None:
    """The database is gone, only the text log is left."""
    for path in folder.glob("sessions.db*"):
        path.unlink()


# -- E01: half a last line

CUTS: dict[str, tuple[Callable[[bytes], bytes], list[int], int]] = {
    "inside a JSON string": (lambda d: d[: d.rindex(b'"zone"') + 9], [0, 1], 1),
    "after half a suit sign": (lambda d: d[: d.rindex(b'"zone"') + 7] + b"\xe2", [0, 1], 1),
    "before the newline": (lambda d: d[:-1], [0, 1, 2], 0),
    "a blank line follows": (lambda d: d + b"\n", [0, 1, 2], 0),
}


@pytest.mark.parametrize("database_too", [False, True], ids=["text alone", "beside the database"])
@pytest.mark.parametrize("name", CUTS)
def test_e01_half_a_last_line(folder: Path, clock: FakeClock, name: str, database_too: bool) -> None:
    cut, left, torn = CUTS[name]
    with Journal.open(folder, clock=clock) as journal:
        session = fill(journal, 3)
    path = spare_path(folder, session)
    path.write_bytes(cut(path.read_bytes()))
    if database_too:
        left = [0, 1, 2]
    else:
        only_text(folder)
    with Journal.open(folder, clock=clock) as journal:
        assert numbers(journal, session) == left
        journal.append(session, laid(len(left)))
    with Journal.open(folder, clock=clock) as journal:
        assert numbers(journal, session) == [*left, len(left)]
        notes = [line.body for line in journal.lines(session) if line.kind is LineKind.NOTE]
        repaired = [body["bytes"] for body in notes if body["code"] == Remark.TAIL_REPAIRED]
        assert len(repaired) == torn
        assert all(count > 0 for count in repaired)
        assert verify(journal, session).whole
    assert all(row.startswith(b'{"hash"') for row in path.read_bytes().splitlines() if row)


def test_e01_a_bad_line_in_the_middle_stops_the_reading_there(folder: Path, clock: FakeClock) -> None:
    with Journal.open(folder, clock=clock) as journal:
        session = fill(journal, 6)
    path = spare_path(folder, session)
    rows = path.read_bytes().splitlines(keepends=True)
    rows[4] = rows[4][:40] + b"#" + rows[4][41:]
    path.write_bytes(b"".join(rows))
    only_text(folder)
    with Journal.open(folder, clock=clock) as journal:
        assert numbers(journal, session) == [0, 1, 2]
        assert any("line 5 of its spare log cannot be read" in words for words in journal.notices)
    assert len(list((folder / "set-aside").glob(f"*/{session}.jsonl"))) == 1


def test_e01_a_line_that_the_database_lost_stops_the_reading(folder: Path, clock: FakeClock) -> None:
    with Journal.open(folder, clock=clock) as journal:
        session = fill(journal, 6)
        journal.end(session)
        for _ in range(4):  # old enough not to be compared at the start
            journal.end(fill(journal, 1, photos=False))
    sql(folder, "UPDATE line SET text = substr(text, 1, 50) WHERE session = 1 AND seq = 4")
    with Journal.open(folder, clock=clock) as journal:
        entries = journal.entries(session)
        assert [next(entries).number for _ in range(3)] == [0, 1, 2]
        with pytest.raises(Damaged, match="line 4 of its log"):
            next(entries)


# -- E02: the database is damaged


def zero_page(path: Path, page: int) -> None:
    with path.open("r+b") as file:
        file.seek(page * 4096)
        file.write(bytes(4096))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "a page of zeros": lambda path: zero_page(path, 3),
    "the first page of zeros": lambda path: zero_page(path, 0),
    "nothing but zeros": lambda path: path.write_bytes(bytes(8192)),
    "an empty file": lambda path: path.write_bytes(b""),
    "half of it": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "no file": lambda path: path.unlink(),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_e02_a_damaged_database_is_set_aside_and_rebuilt(folder: Path, clock: FakeClock, name: str) -> None:
    with Journal.open(folder, clock=clock) as journal:
        done, live = fill(journal, 12), fill(journal, 7)
    DAMAGES[name](folder / "sessions.db")
    before = (folder / "sessions.db").read_bytes() if name != "no file" else b""
    with Journal.open(folder, clock=clock) as journal:
        assert numbers(journal, done) == list(range(12))
        assert numbers(journal, live) == list(range(7))
        assert verify(journal, done).whole
        journal.append(live, laid(7))
        assert "rebuilt" in remarks(journal, live)
        assert any("sessions.db could not be used" in words for words in journal.notices)
        assert [s.row.entries for s in journal.sessions()] == [8, 12]
    if before:
        (kept,) = (folder / "set-aside").glob("2026-11-30-*/sessions.db")
        assert kept.read_bytes() == before


def test_e02_what_the_text_log_lacks_is_saved_from_the_broken_database(folder: Path, clock: FakeClock) -> None:
    with Journal.open(folder, clock=clock) as journal:
        sessions = [fill(journal, 40, photos=False) for _ in range(3)]
    for session in sessions:
        spare_path(folder, session).unlink()
    pages = (folder / "sessions.db").stat().st_size // 4096
    zero_page(folder / "sessions.db", pages - 1)
    with Journal.open(folder, clock=clock) as journal:
        saved = [len(numbers(journal, s.row.id)) for s in journal.sessions()]
    assert sum(saved) >= 40


def test_e02_damage_met_while_playing_costs_no_entry(folder: Path, clock: FakeClock) -> None:
    with Journal.open(folder, clock=clock) as journal:
        session = fill(journal, 30)
        journal.store.checkpoint()
        for page in range(1, (folder / "sessions.db").stat().st_size // 4096):
            zero_page(folder / "sessions.db", page)
        journal.store.rows("PRAGMA shrink_memory")
        for number in range(30, 34):
            journal.append(session, laid(number))
        assert numbers(journal, session) == list(range(34))
        assert any("could not be used" in words for words in journal.notices)
    with Journal.open(folder, clock=clock) as journal:
        assert verify(journal, session).whole


def test_e02_syncing_is_never_switched_off() -> None:
    text = "".join(path.read_text("utf-8") for path in SOURCE.glob("*.py"))
    assert not re.search(r"synchronous\s*=\s*(OFF|0)", text, re.IGNORECASE)
    assert not re.search(r"journal_mode\s*=\s*(MEMORY|OFF)", text, re.IGNORECASE)


def test_e02_every_line_is_committed_with_full_syncing(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    session = fill(journal, 1)
    modes: list[int] = []
    real = journal.store.writing

    def writing(*, durable: bool = True) -> object:
        return spy(real(durable=durable))

    def spy(inner: object) -> object:
        class Spy:
            def __enter__(self) -> object:
                execute = inner.__enter__()  # type: ignore[attr-defined]
                modes.append(execute("PRAGMA synchronous").fetchone()[0])
                return execute

            def __exit__(self, *what: object) -> object:
                return inner.__exit__(*what)  # type: ignore[attr-defined]

        return Spy()

    monkeypatch.setattr(journal.store, "writing", writing)
    journal.append(session, laid(1))
    journal.remark(session, Remark.REBUILT)
    journal.end(session)
    assert modes == [2, 2, 2]


# -- E03: copying only the main file loses the evening


def lines_in(path: Path) -> int:
    """How many entries a database has on its own; -1 if it has not even tables."""
    with closing(sqlite3.connect(path)) as db:
        try:
            return int(db.execute("SELECT count(*) FROM line WHERE entry IS NOT NULL").fetchone()[0])
        except sqlite3.OperationalError:
            return -1


def test_e03_a_backup_holds_what_the_write_ahead_file_holds(folder: Path, journal: Journal, tmp_path: Path) -> None:
    session = fill(journal, 20, photos=False)
    shutil.copyfile(folder / "sessions.db", tmp_path / "naive.db")
    assert lines_in(tmp_path / "naive.db") < 20
    journal.backup(tmp_path / "copy.db")
    assert lines_in(tmp_path / "copy.db") == 20
    assert numbers(journal, session) == list(range(20))


@pytest.mark.parametrize("cut", [2_000, 20_000, 10**9])
def test_e03_a_cut_write_ahead_file_is_filled_from_the_text(tmp_path: Path, clock: FakeClock, cut: int) -> None:
    folder, after = tmp_path / "running", tmp_path / "after"
    with Journal.open(folder, clock=clock) as journal:
        session = fill(journal, 50, photos=False)
        shutil.copytree(folder, after)  # the power goes: nothing was closed
    wal = after / "sessions.db-wal"
    assert wal.stat().st_size > cut or cut == 10**9
    os.truncate(wal, max(0, wal.stat().st_size - cut))
    with Journal.open(after, clock=clock) as journal:
        assert numbers(journal, session) == list(range(50))
        assert verify(journal, session).whole
        journal.append(session, laid(50))


# -- E04: the write-ahead file grows without limit


def test_e04_a_reading_page_does_not_make_the_write_ahead_file_grow(folder: Path, journal: Journal) -> None:
    session = journal.begin(HEADER)
    with Journal.open(folder, read_only=True) as page:
        for number in range(1_000):
            journal.append(session, laid(number))
            if number % 100 == 50:
                half_read = page.entries(session)
                next(half_read)
        assert (folder / "sessions.db-wal").stat().st_size < 8 << 20
    journal.end(session)
    assert (folder / "sessions.db-wal").stat().st_size == 0


def test_e04_after_a_long_reader_the_file_is_cut_back(folder: Path, journal: Journal) -> None:
    session = fill(journal, 5, photos=False)
    with closing(sqlite3.connect(folder / "sessions.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM line").fetchone()
        for number in range(5, 700):
            journal.append(session, laid(number))
        assert (folder / "sessions.db-wal").stat().st_size > WAL_LIMIT_BYTES
        reader.execute("COMMIT")
    journal.store.checkpoint()
    assert (folder / "sessions.db-wal").stat().st_size == 0


# -- E05: files full of zero bytes


def test_e05_write_flush_rename_flush_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    shelf = PhotoShelf(tmp_path / "pictures")
    shelf.put([picture("first")])
    real_sync, real_replace = os.fsync, os.replace

    def sync(handle: int) -> None:
        path = os.readlink(f"/proc/self/fd/{handle}")
        seen.append("flush folder" if os.path.isdir(path) else f"flush {Path(path).parent.name}")
        real_sync(handle)

    def rename(old: Path, new: Path) -> None:
        seen.append(f"rename {Path(old).parent.name} to {Path(new).parent.name}")
        real_replace(old, new)

    monkeypatch.setattr(photos_module.os, "fsync", sync)
    monkeypatch.setattr(photos_module.os, "replace", rename)
    shelf.put([picture("b")])
    assert seen == ["flush unnamed", "rename unnamed to pictures", "flush folder"]


@pytest.mark.parametrize("damage", ["zeros", "empty", "half"])
def test_e05_a_picture_that_came_back_as_zeros_is_written_again(folder: Path, journal: Journal, damage: str) -> None:
    session = fill(journal, 1)
    name = next(journal.entries(session)).photos[0]
    path = journal.photos.path(name)
    data = path.read_bytes()
    path.write_bytes({"zeros": bytes(len(data)), "empty": b"", "half": data[:200]}[damage])
    assert not verify(journal, session).whole
    journal.append(session, laid(1), [data])
    assert path.read_bytes() == data
    assert verify(journal, session).whole


def test_e05_a_half_picture_from_the_camera_never_gets_a_name(journal: Journal) -> None:
    session = journal.begin(HEADER)
    kept = journal.append(session, laid(0), [picture("a")[:-1], picture("b"), b""])
    assert len(kept.photos) == 1
    assert list(journal.lines(session))[-1].lost == "damaged"


# -- E06: the card is full (a real small disk: test_disk.py)


def test_e06_the_long_game_stays_within_the_quota(folder: Path, clock: FakeClock) -> None:
    """The longest known deal at 200 kB a card would be 1.67 GB; here to scale: 2 kB a card, a quota of 1/1000."""
    quota = QUOTA_BYTES // 100_000
    with Journal.open(folder, clock=clock, photo_quota_bytes=quota) as journal:
        session = journal.begin(HEADER)
        for number in range(40):
            journal.append(session, laid(number), [picture(str(number), 2_000)])
        assert numbers(journal, session) == list(range(40))
        lines = [line for line in journal.lines(session) if line.kind is LineKind.FACT]
        assert [line.lost for line in lines] == [""] * 10 + ["quota"] * 30
        assert journal.store.photo_bytes() <= quota
        assert verify(journal, session).whole


# -- E07: the clock jumps


def test_e07_order_is_by_sequence_whatever_the_clock_says(folder: Path, journal: Journal, clock: FakeClock) -> None:
    clock.tick_ns = SECOND_NS
    session = journal.begin(HEADER)
    journal.append(session, laid(0), [picture("same")])
    clock.wall += 19 * DAY_NS
    journal.append(session, laid(1), [picture("other")])
    clock.wall -= 3_600 * SECOND_NS
    journal.append(session, laid(2), [picture("same")])
    lines = list(journal.lines(session))
    assert [line.seq for line in lines] == list(range(6))
    assert numbers(journal, session) == [0, 1, 2]
    steps = [line.body["seconds"] for line in lines if line.body.get("code") == Remark.CLOCK_STEP]
    assert steps == [19 * 86_400.0, -3_600.0]
    assert [line.stamp.mono_ns for line in lines] == sorted(line.stamp.mono_ns for line in lines)
    assert {line.stamp.boot for line in lines} == {clock.boot}
    assert journal.session(session).uncertain
    assert journal.sessions()[0].to_json()["time_uncertain"]
    assert verify(journal, session).whole
    assert len(list(folder.glob("pictures/*.jpg"))) == 2


def test_e07_a_step_between_two_evenings_makes_the_earlier_one_doubtful(journal: Journal, clock: FakeClock) -> None:
    """A Pi without a battery clock: the first session before the network came up, the second after."""
    first = fill(journal, 1)
    journal.end(first)
    clock.mono += 60 * SECOND_NS
    clock.wall += 60 * SECOND_NS + 100 * DAY_NS
    second = fill(journal, 1)
    assert [s.row.uncertain for s in journal.sessions()] == [True, True]
    assert remarks(journal, second) == ["clock_step"]
    assert journal.session(first).uncertain


def test_e07_a_restart_at_an_older_time_is_noted_and_overwrites_nothing(folder: Path, clock: FakeClock) -> None:
    with Journal.open(folder, clock=clock) as journal:
        session = fill(journal, 3)
    clock.boot, clock.mono = "b0072", 5 * SECOND_NS
    clock.wall -= 30 * DAY_NS
    with Journal.open(folder, clock=clock) as journal:
        journal.append(session, laid(3), [picture("after")])
        assert remarks(journal, session) == ["resumed", "clock_step"]
        assert len(list(folder.glob("pictures/*.jpg"))) == 7
        newer = journal.begin(HEADER)
        assert [(s.row.id, s.row.uncertain) for s in journal.sessions()] == [(newer, False), (session, True)]


def test_e07_an_evening_after_a_restart_at_an_older_time_is_the_doubtful_one(folder: Path, clock: FakeClock) -> None:
    with Journal.open(folder, clock=clock) as journal:
        journal.end(fill(journal, 1))
    clock.boot, clock.mono = "b0072", 5 * SECOND_NS
    clock.wall -= 30 * DAY_NS
    with Journal.open(folder, clock=clock) as journal:
        fill(journal, 1)
        assert [s.row.uncertain for s in journal.sessions()] == [True, False]


def test_e07_a_clock_that_is_only_trimmed_is_no_step(journal: Journal, clock: FakeClock) -> None:
    session = journal.begin(HEADER)
    for number in range(20):
        clock.mono += 60 * SECOND_NS
        clock.wall += 60 * SECOND_NS + 30_000_000  # 0.5 ms a second, the most that a time service trims
        journal.append(session, laid(number))
    assert remarks(journal, session) == []


# -- E08: a picture's address walks the disk

NAMES = [
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "....//",
    "%2e%2e/",
    "/etc/passwd",
    "..\\..\\x",
    "000123.jpg%00.png",
    "000123.jpg\0.png",
    "",
    "A" * 64,
    "0" * 63 + "/",
    "٠" * 64,
    "0" * 64,
]


@pytest.mark.parametrize("name", NAMES)
def test_e08_only_pictures_that_the_log_names_are_served(
    folder: Path, journal: Journal, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(journal, 1)
    opened: list[str] = []
    real = os.open
    monkeypatch.setattr(photos_module.os, "open", lambda path, *rest: (opened.append(str(path)), real(path, *rest))[1])
    assert journal.photo(name) is None
    assert opened == []


def test_e08_a_link_in_the_folder_is_not_followed(folder: Path, journal: Journal, tmp_path: Path) -> None:
    session = fill(journal, 1)
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    name = next(journal.entries(session)).photos[0]
    journal.photos.path(name).unlink()
    journal.photos.path(name).symlink_to(secret)
    assert journal.photo(name) is None
