"""The commands over the sessions kept, as people type them."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from firmware.cli import run
from firmware.journal.journal import Journal

from .games import play
from .tools import DAY_NS, FakeClock, sql

Out = pytest.CaptureFixture[str]


@pytest.fixture
def kept(folder: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Three sessions of Fan Tan, two of one evening and one of the next, oldest first."""
    monkeypatch.setenv("CARDTABLE_DATA", str(folder))
    monkeypatch.chdir(tmp_path)
    evening = datetime.fromisoformat("2026-11-30T20:00").astimezone()  # in this machine's own zone
    clock.wall = int(evening.timestamp()) * 10**9
    with Journal.open(folder, clock=clock) as journal:
        ids = [play(journal), play(journal)]
        clock.mono += DAY_NS
        clock.wall += DAY_NS
        return [*ids, play(journal)]


def ids(out: Out) -> list[str]:
    return [json.loads(line)["id"] for line in out.readouterr().out.splitlines()]


def test_sessions_of_some_days(kept: list[str], capsys: Out) -> None:
    first, second, third = kept
    assert run(["sessions", "--since", "2026-12-01", "--json"]) == 0
    assert ids(capsys) == [third]
    assert run(["sessions", "--until", "2026-11-30", "--json"]) == 0
    assert ids(capsys) == [second, first]
    assert run(["sessions", "--since", "2026-11-30", "--until", "2026-12-01", "--player", "bo", "--json"]) == 0
    assert ids(capsys) == [third, second, first]
    assert run(["sessions", "--since", "yesterday"]) == 2
    assert "does not match the format '%Y-%m-%d'" in capsys.readouterr().err


def test_settling_an_evening_or_named_sessions_each_once(kept: list[str], capsys: Out) -> None:
    first, second, third = kept
    nets = []
    for argv in ([first], [first, second], ["--evening", "2026-11-30"], ["1", first, second], [*kept]):
        assert run(["settle", *argv, "--json"]) == 0
        nets.append(json.loads(capsys.readouterr().out)["net"]["Ann"])
    once = nets[0]
    assert once > 0
    assert nets == [once, 2 * once, 2 * once, 2 * once, 3 * once]
    assert run(["settle", "--evening", "2026-11-29"]) == 2
    assert run(["settle"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert all("name some, or give --evening" in line for line in told)
    assert third


@pytest.mark.parametrize("argv", [["show"], ["explain", "1"], ["settle"], ["replay"], ["export", "--format", "csv"]])
@pytest.mark.parametrize("as_json", [False, True])
def test_each_command_warns_of_a_changed_session(
    kept: list[str], folder: Path, argv: list[str], as_json: bool, capsys: Out
) -> None:
    sql(folder, "UPDATE line SET text = replace(text, '\"seat\":2', '\"seat\":3') WHERE seq = 5")
    more = ["--json"] if as_json and argv[0] not in ("show", "export") else []
    assert run([argv[0], "last", *argv[1:], *more]) in (0, 1)
    told = capsys.readouterr()
    assert f"WARNING: session {kept[-1]} was changed" in told.out + told.err
    if more:
        assert all(json.loads(line) for line in told.out.splitlines())
        assert told.err.count("\n") == 1


def test_a_damaged_journal_names_the_command_that_repairs_it(kept: list[str], folder: Path, capsys: Out) -> None:
    (folder / "sessions.db").write_bytes(b"\0" * 8192)
    assert run(["sessions"]) == 2
    assert "damaged (file is not a database): `cardtable repair` sets the file aside" in capsys.readouterr().err
    assert run(["repair"]) == 0
    assert "rebuilt from the spare log with 3 sessions" in capsys.readouterr().out
    assert run(["sessions", "--json"]) == 0
    assert ids(capsys) == kept[::-1]
    assert run(["verify", "last"]) == 0
    assert run(["repair"]) == 0
    assert "nothing to repair" in capsys.readouterr().out


def test_repair_leaves_a_journal_alone_that_a_table_is_writing(kept: list[str], folder: Path, capsys: Out) -> None:
    with Journal.open(folder):
        assert run(["repair"]) == 2
    assert "in use by program" in capsys.readouterr().err


@pytest.mark.parametrize("code", ["", "  ", "-"])
def test_an_empty_code_is_refused_and_never_called_whole(kept: list[str], code: str, capsys: Out) -> None:
    assert run(["verify", "last", "--code", code]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "is no head code" in told.err


@pytest.mark.parametrize("form", ["zip", "html"])
@pytest.mark.parametrize(("keep", "fault"), [(None, "missing"), (50, "cut short")])
def test_an_export_says_which_picture_it_lacks(
    kept: list[str], folder: Path, form: str, keep: int | None, fault: str, capsys: Out
) -> None:
    with Journal.open(folder, read_only=True) as journal:
        name = next(name for entry in journal.entries(kept[-1]) for name in entry.photos)
    path = folder / "pictures" / f"{name}.jpg"
    data = path.read_bytes()
    path.unlink()
    if keep is not None:
        path.write_bytes(data[:keep])
    assert run(["export", "last", "--format", form]) == 0
    told = capsys.readouterr()
    assert f"is {fault} ({name[:12]})" in told.err
    assert told.err.count("\n") == 1
    assert run(["export", kept[0], "--format", "csv"]) == 0
    assert capsys.readouterr().err == ""


def test_an_export_without_forgotten_pictures_is_no_reason_to_warn(kept: list[str], capsys: Out) -> None:
    assert run(["forget", "last"]) == 0
    capsys.readouterr()
    assert run(["export", "last", "--format", "zip"]) == 0
    assert capsys.readouterr().err == ""
