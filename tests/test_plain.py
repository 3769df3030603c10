"""Nothing that people typed steers the terminal: one door, and every command uses it."""

from __future__ import annotations

import ast
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import firmware
from firmware.cli import run
from firmware.journal.journal import Journal
from firmware.journal.lines import SessionHeader
from firmware.plain import STEERING, plain, plain_json, plain_line
from firmware.referee.cards import Card
from firmware.referee.events import Corrected, Entry, Fact, Laid, Note, Said
from firmware.screen import Screen, say

#: Clears the screen, sets the window's title, turns the writing round, begins a line of its own, half a character.
HOSTILE = "Eve\x1b[2J\x1b]0;pwned\x07\x9b31m\u202eevil\u2028\r\ncardtable: all is well\ud800\x7f[red]"
STEERS = set("\x1b\x07\x9b\u202e\u2028\r\x7f\ud800")


@given(st.text(st.characters()))
def test_what_is_printed_steers_nothing_and_json_means_the_same(text: str) -> None:
    import unicodedata

    for shown in (plain(text), plain_line(text), plain_json({"x": text})):
        assert not {c for c in shown if unicodedata.category(c) in STEERING} - {"\n", "\t"}
    assert "\n" not in plain_line(text)
    assert json.loads(plain_json({"x": text})) == {"x": text}


def test_letters_of_all_the_world_stay() -> None:
    assert plain("Zoë, Łukasz, 美咲, محمد, ♥7, 🂡\tnext\nline") == "Zoë, Łukasz, 美咲, محمد, ♥7, 🂡\tnext\nline"


def clean(told: str) -> bool:
    return not STEERS & set(told) and "\ncardtable: all is well" not in told


@pytest.fixture
def evening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A session whose players, notes and reasons were typed by an enemy."""
    monkeypatch.setenv("CARDTABLE_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    name = HOSTILE.replace("\ud800", "")
    header = SessionHeader("fan_tan", (name, "Bo", "Cy"), 3, {"ante": 1}, {}, name, name)
    seven = Laid(Card.parse("7H"), "layout", 1)
    facts: tuple[Fact, ...] = (seven, Note("X", name), Said(2, name, name), Corrected(0, seven, name, name))
    with Journal.open(tmp_path / "data") as journal:
        session = journal.begin(header)
        for number, fact in enumerate(facts):
            journal.append(session, Entry(number, fact, number, number))
    return session


COMMANDS = [
    ["sessions"],
    ["sessions", "--json"],
    ["show", "last"],
    ["replay", "last"],
    ["explain", "last", "0"],
    ["explain", "last", "0", "--json"],
    ["verify", "last"],
    ["verify", "last", "--json"],
    ["settle", "last"],
    ["settle", "last", "--json"],
    ["stats"],
    ["export", "last", "--format", "csv"],
    ["show", HOSTILE],
    ["explain", "last", HOSTILE],
    ["verify", "last", "--code", HOSTILE],
    ["export", "last", "--to", f"{HOSTILE[:30]}/none"],
    ["rule", "{tmp}/script.json"],
    ["rule", "{tmp}/script.json", "--json"],
    ["rule", HOSTILE],
    ["rulebook", HOSTILE],
    ["watch", HOSTILE],
    ["settle", HOSTILE],
    ["import", HOSTILE],
    [HOSTILE],
]


@pytest.mark.parametrize("argv", COMMANDS, ids=lambda argv: " ".join(argv)[:24].encode("unicode_escape").decode())
def test_no_command_lets_it_through(
    evening: str, argv: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = {"game": "fan_tan", "seats": [HOSTILE.replace("\ud800", ""), "Bo"], "dealer": 2}
    script |= {"events": [["play", HOSTILE.replace("\ud800", ""), "7H"], ["pass", "Bo"]]}
    (tmp_path / "script.json").write_text(json.dumps(script))
    assert run([word.format(tmp=tmp_path) for word in argv]) in (0, 1, 2)
    told = capsys.readouterr()
    assert told.out + told.err
    assert clean(told.out)
    assert clean(told.err)


def test_the_screen_takes_words_as_they_stand() -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system=None, width=300)
    say(console, f"[panel] board = [bold]small[/bold] {HOSTILE}")
    with Screen(console, [HOSTILE]) as screen:
        screen.say(HOSTILE)
    told = out.getvalue()
    assert "[panel] board = [bold]small[/bold] Eve" in told
    assert "\x1b[2J" not in told
    assert "\x1b]0" not in told
    assert "\x9b" not in told


def test_everything_is_said_through_the_door() -> None:
    folder = Path(firmware.__file__).parent
    found = []
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "click.echo", "console.print"):
                found.append((path.name, ast.unparse(node.args[0]) if node.args else ""))
    assert found
    assert [one for one in found if "plain" not in one[1]] == [("selftest.py", "reader.hash")]  # what a child tells us
