"""Every command on journals that an enemy has had in hand: one line and a status of the contract, never a traceback."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from firmware.cli import run
from firmware.journal.journal import Journal

from .games import CALL, CORRECTION, WITHHELD, play
from .tools import FakeClock, sql

#: What is put in the place of an honest value.
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 2**62, 10**400, 1.5e308, "", "x" * 5_000, "\x1b[2J\n", "٣", [], {}, [None], {"fact": "laid"}),
    *("../../../escaped", "/etc/x"),
    *({"a": {"b": [1, {"c": None}]}}, "7H", "-", "2026-11-30", ["Ann"], [[[[]]]], "\u202e", "seat-99"),
)
COMMANDS = (
    *(
        ["sessions"],
        ["sessions", "--json"],
        ["show", "1"],
        ["show", "last"],
        ["replay", "1"],
        ["replay", "1", "--json"],
    ),
    *(["explain", "1", "3"], ["explain", "1", "1.3", "--json"], ["verify", "1"], ["verify", "1", "--json"]),
    *(
        ["settle", "1", "2"],
        ["settle", "1", "--json"],
        ["stats"],
        ["export", "1", "--format", "json", "--to", "out", "--force"],
    ),
    *(["export", "1", "--format", fmt, "--to", "out", "--force"] for fmt in ("csv", "html", "zip")),
)
#: Rounds at every run of the tests, and with the slow ones.
QUICK, ALL = 6, 200
#: At every run a journal is shown to each of so many commands' first, the next one to the second of each, and so on.
QUICK_STEP = 3
SEEDS = [*range(QUICK), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(QUICK, ALL))]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions as they were played."""
    folder = tmp_path_factory.mktemp("honest") / "data"
    with Journal.open(folder, clock=FakeClock()) as journal:
        play(journal, [*WITHHELD[:6], CORRECTION, CALL])
        play(journal, over=False)
    return folder


def told(rng: random.Random, value: Any) -> Any:
    """The value with one thing in it changed, somewhere."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(sorted(value))
        if rng.random() < 0.2:
            return {name: inner for name, inner in value.items() if name != key}
        return {**value, key: told(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.7:
        place = rng.randrange(len(value))
        return [*value[:place], told(rng, value[place]), *value[place + 1 :]]
    return rng.choice(ODD)


def a_text(rng: random.Random, db: sqlite3.Connection) -> None:
    """A line's or a ruling's text."""
    table = rng.choice(("line", "line", "ruling"))
    rowids = db.execute(f"SELECT session, {'seq' if table == 'line' else 'deal, id'}, text FROM {table}").fetchall()
    *key, text = rng.choice(rowids)
    new = (
        json.dumps(told(rng, json.loads(text))) if rng.random() < 0.8 else rng.choice((text[:20], "", "[]", "{}", "7"))
    )
    where = "session = ? AND seq = ?" if table == "line" else "session = ? AND deal = ? AND id = ?"
    db.execute(f"UPDATE {table} SET text = ? WHERE {where}", (new, *key))


def a_column(rng: random.Random, db: sqlite3.Connection) -> None:
    """Some column of some row, as far as the tables' types let it in."""
    table = rng.choice(("session", "seat", "line", "ruling", "photo", "evidence", "dispute"))
    columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    value = rng.choice(
        ("../../escaped", -1, 0, 2**62, -(2**62), "", "x", "\x1b[2J", b"", b"\0" * 31, b"\xff" * 32, b"\xff")
    )
    try:
        db.execute(f"UPDATE {table} SET {rng.choice(columns)} = ?", (value,))
    except sqlite3.Error:
        return


def a_row_gone(rng: random.Random, db: sqlite3.Connection) -> None:
    """Rows taken out."""
    table = rng.choice(("session", "seat", "line", "ruling", "photo", "evidence"))
    column = rng.choice([row[1] for row in db.execute(f"PRAGMA table_info({table})")])
    if rows := db.execute(f"SELECT DISTINCT {column} FROM {table} ORDER BY 1").fetchall():
        db.execute(f"DELETE FROM {table} WHERE {column} IS ?", rng.choice(rows))


def a_table_gone(rng: random.Random, db: sqlite3.Connection) -> None:
    """A whole table taken out."""
    db.execute(f"DROP TABLE {rng.choice(('seat', 'line', 'ruling', 'photo', 'evidence', 'dispute'))}")


def mutate(rng: random.Random, folder: Path) -> None:
    """A few strokes of the enemy's pen."""
    acts: list[Callable[[random.Random, sqlite3.Connection], None]] = [a_text] * 6 + [a_column] * 4 + [a_row_gone] * 2
    acts.append(a_table_gone)
    with closing(sqlite3.connect(folder / "sessions.db")) as db:
        for _ in range(rng.randrange(1, 4)):
            with suppress(sqlite3.Error, IndexError):  # the table is gone, or nothing is left in it
                rng.choice(acts)(rng, db)
            db.commit()
    for path in (*folder.glob("spare/*"), *folder.glob("pictures/*.jpg")):
        if rng.random() < 0.15:
            data = bytearray(path.read_bytes())
            data[rng.randrange(len(data))] = rng.randrange(256)
            path.write_bytes(bytes(data) if rng.random() < 0.6 else rng.choice((b"", bytes(data[:50]), b"\xff" * 999)))


def outcomes(capsys: pytest.CaptureFixture[str], commands: Sequence[Sequence[str]] = COMMANDS) -> Iterator[str]:
    for argv in commands:
        status = run(list(argv))
        said = capsys.readouterr()
        if status not in (0, 1, 2):
            yield f"{argv} ended with {status}: {said.err}"
        if status == 2 and (not all(line.startswith("cardtable: ") for line in said.err.splitlines())):
            yield f"{argv} said {said.err!r}"
        if "\x1b" in said.out + said.err:
            yield f"{argv} let an escape through"


@pytest.mark.parametrize("seed", SEEDS)
def test_no_command_falls_over_a_hostile_journal(
    honest: Path, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    shutil.copytree(honest, folder)
    mutate(random.Random(seed), folder)
    monkeypatch.setenv("CARDTABLE_DATA", str(folder))
    monkeypatch.chdir(tmp_path)
    assert list(outcomes(capsys, COMMANDS if seed >= QUICK else COMMANDS[seed % QUICK_STEP :: QUICK_STEP])) == []
    outside = sorted(path for path in tmp_path.rglob("*") if folder not in path.parents)
    assert run(["repair"]) in (0, 2)
    assert sorted(path for path in tmp_path.rglob("*") if folder not in path.parents) == outside
    assert run(["forget", "1"]) in (0, 2)
    said = capsys.readouterr()
    assert "fault of the program" not in said.err


#: Commands that between them read every part of a session.
READING = (["show", ""], ["replay", ""], ["explain", "", "3"], ["export", "", "--format", "zip", "--to", "out"])

DEEP = "[" * 100_000


def _deep_ruling(folder: Path) -> None:
    sql(folder, f"UPDATE ruling SET text = '{DEEP}' WHERE id = 3")


def _deep_but_whole_ruling(folder: Path) -> None:
    sql(folder, f"UPDATE ruling SET text = '{'[' * 400}{']' * 400}' WHERE id = 3")


def _ruling_without_numbers(folder: Path) -> None:
    sql(folder, """UPDATE ruling SET text = replace(text, '{', '{"x":1e999,') WHERE id = 3""")


def _deep_line(folder: Path) -> None:
    sql(folder, f"UPDATE line SET text = '{DEEP}' WHERE session = 1 AND seq = 4")


def _deep_spare_row(folder: Path) -> None:
    path = min(folder.glob("spare/*.jsonl"))
    rows = path.read_text("ascii").splitlines()
    path.write_text("\n".join([*rows[:3], DEEP, *rows[4:], ""]), "ascii")


def _another_number(folder: Path) -> None:
    sql(folder, "UPDATE session SET number = 5 WHERE number = 1")


def _another_name(folder: Path) -> None:
    sql(folder, "UPDATE seat SET name = 'Zed' WHERE session = 1 AND seat = 2")


def _far_line(folder: Path) -> None:
    far = f'"seq":{2**62},'
    sql(folder, f"UPDATE line SET text = replace(text, '\"seq\":4,', '{far}') WHERE session = 1 AND seq = 4")


def _late_entry(folder: Path) -> None:
    sql(folder, f"""UPDATE line SET text = replace(text, '"number":1,', '"number":1,"t":1{"0" * 400},')""")


def _end_with(body: str) -> Callable[[Path], None]:
    def changed(folder: Path) -> None:
        text = sql(folder, "SELECT text FROM line WHERE session = 1 AND kind = 'end'")[0][0]
        new = json.dumps({**json.loads(text), "body": json.loads(body)})
        sql(folder, f"UPDATE line SET text = '{new}' WHERE session = 1 AND kind = 'end'")

    return changed


TAMPERED = {
    "deep ruling": _deep_ruling,
    "deep whole ruling": _deep_but_whole_ruling,
    "infinite ruling": _ruling_without_numbers,
    "deep line": _deep_line,
    "deep spare row": _deep_spare_row,
    "another number": _another_number,
    "another name": _another_name,
    "far line": _far_line,
    "late entry": _late_entry,
    "a list for a deal": _end_with('{"result": [{"deal": [], "result": {}}]}'),
    "an object for a deal": _end_with('{"result": {"deal": {}, "result": {}}}'),
    "more bytes than a float holds": _end_with(f'{{"written": {{"bytes": 1{"0" * 400}, "seconds": 100}}}}'),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_tampering_that_breaks_a_parser_is_a_finding(
    honest: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    shutil.copytree(honest, folder)
    session = sql(folder, "SELECT id FROM session WHERE number = 1")[0][0]
    TAMPERED[name](folder)
    monkeypatch.setenv("CARDTABLE_DATA", str(folder))
    monkeypatch.chdir(tmp_path)
    assert run(["verify", session]) == 1
    assert "NOT whole" in capsys.readouterr().out
    assert list(outcomes(capsys, [[*argv[:1], session, *argv[2:]] for argv in READING])) == []
