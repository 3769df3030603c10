"""The command line: help that reads well, and one clear line for everything that cannot be used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firmware.cli import SECTIONS, commands, run
from firmware.mat import table_toml
from firmware.panel.check import Outcome, Report


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    """What was said on standard error: exactly one line, and no traceback."""
    told = capsys.readouterr()
    assert told.err.endswith("\n")
    assert told.err.count("\n") == 1
    assert "Traceback" not in told.err
    return told.err


def test_every_command_stands_in_one_section_of_the_help() -> None:
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == sorted(commands.commands)


@pytest.mark.parametrize("name", sorted(commands.commands))
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name, "--help"]) == 0
    assert commands.commands[name].help
    assert "Usage: cardtable" in capsys.readouterr().out


def test_help_lists_every_command_with_a_whole_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    told = capsys.readouterr().out
    assert "..." not in told.partition("Options:")[2]
    for name in commands.commands:
        assert f"  {name} " in told


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["no-such-command"], "No such command"),
        (["rule"], "Missing argument"),
        (["rule", "{tmp}/none.json"], "none.json"),
        (["rule", "{tmp}"], "is a folder"),
        (["rule", "{tmp}/binary"], "is no text"),
        (["rule", "{tmp}/nonsense.json"], "nonsense.json"),
        (["rule", "{tmp}/unknown.json"], "no game is called 'whist'"),
        (["rulebook", "whist"], "no game is called 'whist'"),
        (["demo", "whist"], "whist"),
        (["demo", "--stay", "--headless"], "leave one of them out"),
        (["read", "{tmp}/none.jpg"], "none.jpg"),
        (["read", "{tmp}/nonsense.jpg"], "nonsense.jpg"),
        (["read", "{tmp}/nonsense.jpg", "--card-px", "x"], "not a valid float"),
        (["watch", "{tmp}/none"], "none"),
        (["watch", "{tmp}"], "table.toml"),
        (["show", "00042-nope"], "00042-nope"),
        (["explain", "last", "1"], "no session is kept in"),
        (["verify", "nothing"], "nothing"),
        (["import", "{tmp}/nonsense.jpg"], "nonsense.jpg"),
        (["play", "fan_tan"], "table.toml"),
        (["run"], "table.toml"),
    ],
)
def test_unusable_input_is_one_line_and_status_2(
    argv: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "nonsense.jpg").write_bytes(b"not a picture")
    (tmp_path / "nonsense.json").write_text("{nonsense")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "unknown.json").write_text(json.dumps({"game": "whist", "seats": ["A", "B"], "moves": []}))
    monkeypatch.setenv("CARDTABLE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("CARDTABLE_CONFIG", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    assert run([word.format(tmp=tmp_path) for word in argv]) == 2
    assert words in one_line(capsys)


def test_a_fault_of_the_program_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("firmware.referee.match.rulebook", lambda game: 1 / 0)
    assert run(["rulebook", "fan_tan"]) == 70
    assert "a fault of the program, ZeroDivisionError" in one_line(capsys)


def test_rulebook_prints_the_rules_with_house_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rulebook", "fan_tan"]) == 0
    told = capsys.readouterr().out
    assert "`forced`" in told
    assert "# Fan Tan" in told


def test_sessions_of_an_empty_journal_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CARDTABLE_DATA", str(tmp_path))
    assert run(["sessions", "--json"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.shared
def test_every_worked_example_comes_out_exactly(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    examples = shared / "rules" / "EXAMPLES.json"
    assert run(["rule", str(examples), "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    results = {record["id"]: record["result"] for record in told if "result" in record}
    for example in json.loads(examples.read_text()):
        result = results[example["id"]]
        assert {key: result[key] for key in example["expect"]} == example["expect"], example["id"]


def test_check_panel_of_a_table_without_one_says_so_and_asks_for_no_press(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CARDTABLE_CONFIG", str(tmp_path))
    (tmp_path / "table.toml").write_text(table_toml(4) + '\n[panel]\nboard = "none"\n')
    assert run(["check", "--panel"]) == 0
    told = capsys.readouterr()
    assert "none in the settings" in told.out
    assert told.out.count("\n") == 1
    assert run(["check", "--panel", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["state"] == "-"


def test_the_check_of_a_panel_gives_json_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reports = [Report(Outcome.DOING, "press"), Report(Outcome.FAILED, "seat 1: nothing")]
    monkeypatch.setenv("CARDTABLE_CONFIG", str(tmp_path))
    monkeypatch.setattr("firmware.panel.check.check_panel", lambda config: iter(reports))
    assert run(["check", "--panel", "--json"]) == 1
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        {"check": "panel", "ok": True, "state": "doing", "why": "press"},
        {"check": "panel", "ok": False, "state": "failed", "why": "seat 1: nothing"},
    ]


def test_wiring_for_some_seats_is_that_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CARDTABLE_CONFIG", str(tmp_path))
    (tmp_path / "table.toml").write_text(table_toml(4) + '\n[panel]\nboard = "small"\nbuzzer = 21\n')
    assert run(["wiring", "--seats", "3"]) == 0
    (buzzer,) = [line for line in capsys.readouterr().out.splitlines() if "passive piezo buzzer, other" in line]
    assert buzzer.split()[1] == "21"
    assert run(["wiring", "--seats", "6"]) == 2
    assert 'board: "small" has 2 to 4 seats, the table 6; board = "large" has up to 8' in one_line(capsys)


def test_a_reader_that_goes_away_is_no_fault() -> None:
    command = f"from firmware.cli import main; main({['wiring', '--seats', '4']!r})"
    read, write = os.pipe()
    os.close(read)  # as `| head` does, but surely before the first line
    told = subprocess.run([sys.executable, "-c", command], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (told.returncode, told.stderr) == (0, b"")
