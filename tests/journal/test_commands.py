"""The commands over the sessions kept, as people type them."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from firmware.cli import run
from firmware.journal.journal import Journal
from firmware.journal.lines import SessionHeader
from firmware.referee.events import Entry, Note

from .games import HEADER, WITHHELD, play
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
    told = capsys.readouterr().out.splitlines()
    assert "could not be used (file is not a database): a new one was made from the spare logs" in told[0]
    assert "with 3 sessions and 30 lines; the old file was moved to " in told[0]
    assert told[-1] == "3 sessions with 24 entries, all logs and lists whole"
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
    assert run(["forget", "last", "--yes"]) == 0
    capsys.readouterr()
    assert run(["export", "last", "--format", "zip"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("state", ["gone", "empty"])
def test_a_lost_database_is_not_a_journal_without_sessions(
    kept: list[str], folder: Path, state: str, capsys: Out
) -> None:
    (folder / "sessions.db").unlink()
    if state == "empty":
        (folder / "sessions.db").touch()
    for argv in (["sessions"], ["show", "last"], ["stats"], ["verify", "last"], ["export", "last"]):
        assert run(argv) == 2
        told = capsys.readouterr().err
        assert f"the file is {state}, but the spare logs of 3 sessions are here: `cardtable repair` makes" in told
    assert run(["repair"]) == 0
    assert f"sessions.db could not be used (the file is {state}): a new one was made" in capsys.readouterr().out
    assert (folder / "set-aside").exists() == (state == "empty"), "nothing to set aside, nothing said to be"
    assert run(["sessions", "--json"]) == 0
    assert ids(capsys) == kept[::-1]


def test_a_session_that_is_only_in_its_spare_log_is_told_of_and_put_back(
    kept: list[str], folder: Path, capsys: Out
) -> None:
    sql(folder, "DELETE FROM session WHERE number = 1", "DELETE FROM line WHERE session = 1")
    assert run(["sessions", "--json"]) == 0
    told = capsys.readouterr()
    assert "of 1 session only the spare log is left: see `cardtable repair`" in told.err
    assert told.out.count("\n") == 2
    assert run(["show", kept[0]]) == 2
    assert "its spare log is here: `cardtable repair` puts it back" in capsys.readouterr().err
    assert run(["repair"]) == 0
    assert f"session {kept[0]} was missing in the database: put back with 10 lines" in capsys.readouterr().out
    assert run(["verify", kept[0]]) == 0


LISTS = {
    "a mark of evidence": "DELETE FROM dispute WHERE session = 1",
    "a player": "UPDATE seat SET name = 'Eve' WHERE session = 1 AND seat = 2",
    "a ruling": "UPDATE ruling SET text = replace(text, '\"seat\":2', '\"seat\":3') WHERE session = 1",
    "a trigger": "CREATE TRIGGER x AFTER INSERT ON line BEGIN DELETE FROM dispute; END",
    "a line": "DELETE FROM line WHERE session = 1 AND seq = 4",
}


@pytest.mark.parametrize("name", LISTS)
def test_repair_tells_lists_again_of_any_session_and_says_so(
    kept: list[str], folder: Path, name: str, capsys: Out
) -> None:
    before = sql(folder, "SELECT * FROM ruling ORDER BY session, deal, id")
    sql(folder, LISTS[name])
    assert run(["verify", kept[0]]) == 1
    assert run(["repair"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == "3 sessions with 24 entries, all logs and lists whole"
    assert len(told) > 1, "what was done is said"
    assert run(["verify", kept[0]]) == 0
    assert sql(folder, "SELECT * FROM ruling ORDER BY session, deal, id") == before


FILES = ("sessions.db", "sessions.db-wal", "sessions.db-shm", "sessions.db-suspect", "reserve", "spare/{}.jsonl")
FOLDERS = ("spare", "pictures", "pictures/unnamed")
WRONG = [
    *((name, make) for name in FILES for make in (Path.mkdir, os.mkfifo)),
    *((name, os.mkfifo) for name in FOLDERS),
]


@pytest.mark.parametrize(("name", "make"), WRONG)
def test_what_stands_in_a_file_s_place_is_set_aside_and_hinders_no_command(
    kept: list[str], folder: Path, name: str, make: Callable[[Path], None], capsys: Out
) -> None:
    path = folder / name.format(kept[0])
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    make(path)
    for argv in (["sessions"], ["show", kept[0]], ["verify", kept[0]]):
        assert run(argv) in (0, 1, 2)
        assert capsys.readouterr().err.count("\n") <= 1
    assert run(["repair"]) == 0
    assert f"{folder / 'set-aside'}" in capsys.readouterr().out
    assert run(["verify", kept[0]]) == (1 if name == "pictures" else 0)
    assert run(["repair"]) == 0
    assert "nothing to repair" in capsys.readouterr().out


def test_repair_names_what_it_cannot_put_right(kept: list[str], folder: Path, capsys: Out) -> None:
    change = "replace(text, '\"seat\":2', '\"seat\":3')"
    sql(folder, f"UPDATE line SET text = {change} WHERE session = 1 AND seq = 5")
    spare = folder / "spare" / f"{kept[0]}.jsonl"
    spare.write_text(spare.read_text().replace('"seat":2', '"seat":3'))
    assert run(["repair"]) == 0
    told = capsys.readouterr().out
    assert "3 sessions with" in told
    assert "moved to" in told or "written to" in told
    assert (folder / "set-aside").exists()


@pytest.mark.parametrize("form", ["json", "csv", "html", "zip"])
def test_an_export_never_overwrites_unasked(kept: list[str], form: str, capsys: Out, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    argv = ["export", "last", "--format", form, "--to", str(mine)]
    assert run(argv) == 2
    assert f"{mine}: is there already: name another with --to, or give --force" in capsys.readouterr().err
    assert mine.read_text() == "mine"
    assert run([*argv, "--force"]) == 0
    assert mine.stat().st_size > 100
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("form", ["json", "csv", "html", "zip"])
def test_a_dash_is_standard_output(
    kept: list[str], form: str, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    assert run(["export", "last", "--format", form, "--to", str(tmp_path / "file")]) == 0
    capfdbinary.readouterr()
    assert run(["export", "last", "--format", form, "--to", "-"]) == 0
    assert capfdbinary.readouterr().out == (tmp_path / "file").read_bytes()
    assert not (tmp_path / "-").exists()


def test_a_terminal_is_no_place_for_a_file(kept: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert run(["export", "last", "--to", "-"]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("terminal", "argv", "answer", "status"),
    [
        (True, ["last"], "n\n", 130),
        (True, ["last"], "y\n", 0),
        (True, ["1"], "\n", 130),
        (True, ["last", "--yes"], "", 0),
        (False, ["last"], "", 2),
        (False, ["last", "--yes"], "", 0),
        (False, ["1"], "", 0),
    ],
)
def test_forget_asks_on_a_terminal_and_wants_a_name_or_a_yes_elsewhere(
    kept: list[str], folder: Path, terminal: bool, argv: list[str], answer: str, status: int,
    monkeypatch: pytest.MonkeyPatch, capsys: Out,
) -> None:  # fmt: skip
    given = io.StringIO(answer)
    monkeypatch.setattr(given, "isatty", lambda: terminal)
    monkeypatch.setattr("sys.stdin", given)
    before = len(list(folder.glob("pictures/*.jpg")))
    assert run(["forget", *argv]) == status
    assert (len(list(folder.glob("pictures/*.jpg"))) < before) == (status == 0)
    told = capsys.readouterr()
    if answer:
        assert "Fan Tan of " in told.err
        assert "10 pictures, 0.0 MB. Remove them for good" in told.err
    if status == 2:
        assert f"The last session is {kept[-1]}: say so, or give --yes" in told.err


@pytest.mark.parametrize("command", ["sessions", "stats"])
def test_an_unknown_game_or_player_is_not_silent(kept: list[str], command: str, capsys: Out) -> None:
    assert run([command, "--game", "fantan"]) == 2
    assert "no game is called 'fantan' (did you mean 'fan_tan'?)" in capsys.readouterr().err
    assert run([command, "--game", "wish_card"]) == 0
    assert capsys.readouterr().err == ""
    assert run([command, "--player", "Anne"]) == 0
    assert "no session kept here has a player called 'Anne'; did you mean Ann?" in capsys.readouterr().err
    assert run([command, "--player", "\udcff"]) == 0
    assert "no session kept here has a player called ''" in capsys.readouterr().err


def test_a_session_that_cannot_be_judged_does_not_block_the_evening(
    kept: list[str], folder: Path, clock: FakeClock, capsys: Out
) -> None:
    assert run(["settle", "--evening", "2026-12-01", "--json"]) == 0
    alone = capsys.readouterr().out
    with Journal.open(folder, clock=clock) as journal:
        strange = journal.begin(SessionHeader("whist_of_mars", ("A", "B")))
    assert run(["settle", "--evening", "2026-12-01", "--json"]) == 1, "the sum is not of all that was played"
    told = capsys.readouterr()
    assert told.out == alone
    assert f"WARNING: left out: session {strange} cannot be judged by this program" in told.err
    assert run(["settle", kept[0], strange]) == 2, "one that was named must count"
    assert run(["stats"]) == 0
    assert f"Not judged: session {strange}" in capsys.readouterr().out


def test_stats_go_on_past_a_damaged_session_and_warn_of_a_changed_one(
    kept: list[str], folder: Path, capsys: Out
) -> None:
    sql(folder, "UPDATE line SET text = 'x' WHERE session = 1 AND seq = 3")
    sql(folder, "UPDATE line SET text = replace(text, '0.99', '0.95') WHERE session = 2 AND seq = 1")
    assert run(["stats"]) == 0
    told = capsys.readouterr()
    assert f"WARNING: session {kept[1]} was changed since it was played" in told.err
    assert f"Not judged: session {kept[0]}: line 3 of its log is missing or cannot be read" in told.out
    assert next(line for line in told.out.splitlines() if line.startswith("Fan Tan  Bo")).split()[3] == "2"


FORGED = "x\nSession 00001-fake is whole\x1b[2J\u2028\u202e"


@pytest.mark.parametrize("argv", [["sessions"], ["show", "1"], ["explain", "1", "3"], ["verify", "1"], ["settle", "1"],
                                  ["replay", "1"], ["stats"]])  # fmt: skip
@pytest.mark.parametrize("where", ["game", "name", "note", "lost"])
def test_words_from_a_foreign_log_begin_no_line_of_their_own(
    folder: Path, clock: FakeClock, argv: list[str], where: str, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setenv("CARDTABLE_DATA", str(folder))
    header = HEADER if where != "game" else SessionHeader(FORGED, ("Ann", "Bo"))
    if where == "name":
        header = replace(HEADER, seats=(FORGED, "Bo", "Cy"), deal={})
    with Journal.open(folder, clock=clock) as journal:
        session = journal.begin(header)
        for number, fact in enumerate(WITHHELD[:6]):
            journal.append(session, Entry(number, fact), [b"no picture"] if where == "lost" else [])
        journal.append(session, Entry(6, Note(FORGED, FORGED)))
    if where == "lost":
        new = 'replace(text, \'"lost":"damaged"\', \'"lost":"' + FORGED.encode("unicode_escape").decode() + "\"')"
        sql(folder, f"UPDATE line SET text = {new.replace(chr(92) + 'x1b', chr(92) + 'u001b')}")
    run(argv)
    told = capsys.readouterr()
    for line in (told.out + told.err).split("\n"):
        assert not line.lstrip().startswith("Session 00001-fake"), line
    assert not set(told.out + told.err) & set("\x1b\u2028\u202e\r")
