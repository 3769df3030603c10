"""What is written to the disk in an hour of play is counted and said."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware.journal import journal as journal_module
from firmware.journal.journal import Journal
from firmware.journal.report import show_text
from firmware.journal.verify import verify
from firmware.journal.wear import Wear, wear_of, written_bytes
from firmware.selftest import last_wear

from .games import play
from .tools import SECOND_NS, FakeClock


def test_the_kernel_counts_what_really_goes_to_the_disk(tmp_path: Path) -> None:
    before = written_bytes()
    with (tmp_path / "file").open("wb") as file:
        file.write(bytes(1_000_000))
    if written_bytes() == 0:
        pytest.skip("this system does not count, or the folder is in memory")
    assert written_bytes() - before >= 1_000_000
    assert written_bytes(tmp_path / "none") == 0
    (tmp_path / "odd").write_text("write_bytes: many\n")
    assert written_bytes(tmp_path / "odd") == 0


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The kernel's count, in the test's hands."""
    count = [5_000]
    monkeypatch.setattr(journal_module, "written_bytes", lambda: count[0])
    return count


def test_a_session_says_what_it_wrote(folder: Path, clock: FakeClock, counted: list[int]) -> None:
    with Journal.open(folder, clock=clock) as journal:
        session = play(journal, over=False)
        counted[0] += 24_000_000
        clock.mono += 1_800 * SECOND_NS
        clock.wall += 1_800 * SECOND_NS
        assert journal.wear(session) == Wear(24_000_000, 1_800.0)
        journal.end(session, None)
        assert "Note: 24.0 MB written to the disk, 48 MB an hour." in show_text(journal, session)
        assert verify(journal, session).whole
    assert last_wear(folder) == "the last session: 24.0 MB written to the disk, 48 MB an hour"


def test_after_a_crash_the_count_begins_again(folder: Path, clock: FakeClock, counted: list[int]) -> None:
    with Journal.open(folder, clock=clock) as journal:
        session = play(journal, over=False)
    counted[0] = 100
    with Journal.open(folder, clock=clock) as journal:
        assert journal.wear(session) is None
        journal.next_deal(session, 1, {})
        counted[0] += 7
        assert journal.wear(session) == Wear(7, 0.0)
        journal.end(session)
        assert wear_of(journal.lines(session)) == Wear(7, 0.0)
        assert "written to the disk" not in show_text(journal, session), "too short to tell of an hour"
    assert last_wear(folder) == ""


@pytest.mark.parametrize("folder_name", ["none", "odd"])
def test_the_check_is_not_stopped_by_an_odd_journal(tmp_path: Path, folder_name: str) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "sessions.db").write_bytes(b"x" * 9000)
    assert last_wear(tmp_path / folder_name) == ""
