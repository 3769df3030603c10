"""A table's folder is the group's: whoever of it opens the sessions leaves them so that the others can go on."""

from __future__ import annotations

import grp
import os
import stat
from pathlib import Path

import pytest

from firmware.journal.journal import Journal
from firmware.sharing import remedy, share
from firmware.web.security import Keys
from tests.journal.games import HEADER


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """As systemd/cardtable.tmpfiles makes it."""
    made = tmp_path / "cardtable"
    made.mkdir()
    made.chmod(0o2770)
    return made


def modes(folder: Path) -> dict[str, int]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "photos"]
    return {str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode) for path in files}


def closed_to_the_group(folder: Path) -> list[str]:
    return [name for name, mode in modes(folder).items() if mode & 0o060 != 0o060]


def test_what_the_service_made_another_member_of_the_group_may_go_on_with(folder: Path) -> None:
    before = os.umask(0o007)
    try:
        with Journal.open(folder) as journal:
            journal.begin(HEADER)
            Keys.kept(folder / "codes.json")
            closed = {name.partition("-")[0] for name in closed_to_the_group(folder)}
            assert closed == {"sessions.db", "codes.json"}, "else this module has less, or more, to do"
            share(folder)
            assert len(modes(folder)) >= 6
            assert closed_to_the_group(folder) == []
        with Journal.open(folder, read_only=True) as journal:
            journal.sessions()
            assert {"sessions.db-wal", "sessions.db-shm"} <= set(modes(folder))
            assert closed_to_the_group(folder) == [], "SQLite gives them the database's own mode"
    finally:
        os.umask(before)
    assert all(mode & 0o007 == 0 for mode in modes(folder).values()), "nobody else"


@pytest.mark.parametrize(("lines", "kept"), [(b"", False), (b"lines that the database has not yet", True)])
def test_what_a_reader_left_in_the_way_goes_unless_it_holds_something(folder: Path, lines: bytes, kept: bool) -> None:
    (folder / "sessions.db").write_bytes(b"the database")
    (folder / "sessions.db-wal").write_bytes(lines)
    (folder / "sessions.db-shm").write_bytes(b"index")
    share(folder, may_write=lambda path: not path.name.endswith("-shm"))
    assert (folder / "sessions.db").is_file()
    assert (folder / "sessions.db-wal").exists() is (folder / "sessions.db-shm").exists() is kept


def test_files_that_can_be_written_stay_and_so_does_a_folder_of_ones_own(folder: Path, tmp_path: Path) -> None:
    private = tmp_path / "mine"
    private.mkdir(0o700)
    for where in (folder, private):
        for name in ("sessions.db", "sessions.db-wal", "sessions.db-shm"):
            (where / name).write_bytes(b"")
            (where / name).chmod(0o640)
    share(folder)
    assert len(modes(folder)) == 3
    share(private, may_write=lambda path: False)
    assert set(modes(private).values()) == {0o640}


def test_a_folder_that_is_not_there_is_for_others_to_say(tmp_path: Path) -> None:
    share(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []


def test_who_does_not_belong_to_the_group_is_told_so(folder: Path, tmp_path: Path) -> None:
    group = grp.getgrgid(folder.stat().st_gid).gr_name
    words = remedy(PermissionError(13, "Permission denied", str(folder / "spare" / "1.jsonl")))
    assert f"belong to the group {group} (sudo usermod" in words
    own = tmp_path / "mine"
    own.mkdir(0o700)
    for path in (own / "x", tmp_path / "none" / "x"):
        assert remedy(PermissionError(13, "Permission denied", str(path))) == "check the name and its permissions"
    assert remedy(FileNotFoundError(2, "No such file", str(folder / "x"))) == "check the name and its permissions"
