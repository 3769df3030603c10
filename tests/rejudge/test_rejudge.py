"""Judged again: nothing changes by itself, a house rule changes what it should, and every change is named once."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from firmware import perception
from firmware.cli import run
from firmware.config import ConfigError
from firmware.journal.journal import Journal
from firmware.rejudge import evidence, judge
from firmware.rejudge.evidence import Again, read_again
from firmware.rejudge.items import Item, ItemKind, find_items
from firmware.rejudge.judge import Outcome, judge_item
from firmware.rejudge.orders import Order, parse_house
from firmware.rejudge.pool import PARTS, here, judge_all, key_of
from firmware.rejudge.report import write_report
from firmware.rejudge.told import Read, Said, other_readings, other_results, other_rulings
from tests.club.conftest import tmp_path  # noqa: F401 - in memory
from tests.journal.tools import sql

from .archive import journals, misread

ORDER = Order("0.1.0")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def contents(folder: Path) -> dict[Path, bytes]:
    """Every file but those that SQLite makes for a reader."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix[-4:] not in _SQLITE}


_SQLITE = ("-shm", "-wal")


def test_what_was_judged_by_this_program_is_judged_alike(tmp_path: Path) -> None:  # noqa: F811
    journals(tmp_path)
    found = [judge_item(item, ORDER) for item in find_items([tmp_path])]
    assert [one.trouble for one in found] == [""] * 6
    assert [one.changes for one in found] == [[]] * 6
    assert sum(one.proofs for one in found) >= 4
    assert all(one.entries and one.rulings for one in found)


def test_a_house_rule_changes_what_it_is_about_and_the_archive_stays_as_it_is(tmp_path: Path) -> None:  # noqa: F811
    journals(tmp_path, 1)
    before = contents(tmp_path)
    order = Order("0.1.0", parse_house(["ante=5", "pope_joan.form=foster"]))
    found = [judge_item(item, order) for item in find_items([tmp_path])]
    kinds = {change["what"] for one in found for change in one.changes}
    assert kinds == {"ruling", "result", "ledger"} or kinds == {"ruling", "ledger"}
    antes = [change for change in found[0].changes if change["code"] == "ANTE"]
    assert {change["after"] for change in antes if change["after"]} == {
        f"paid ANTE seat {seat} counters 5" for seat in (1, 2, 3)
    }
    (ledger,) = [change for change in found[0].changes if change["what"] == "ledger"]
    old, new = json.loads(ledger["before"]), json.loads(ledger["after"])
    assert sum(old.values()) == sum(new.values()) == 0
    assert new["Ann"] - old["Ann"] == 8  # the two others' antes are four counters more each
    assert contents(tmp_path) == before


def test_a_ruling_that_was_said_otherwise_at_the_table_is_found(tmp_path: Path) -> None:  # noqa: F811
    journals(tmp_path, 1)
    with Journal.open(tmp_path / "evening-0", read_only=True) as kept:
        proved = next(row for row in kept.rulings("1") if row.kind == "proved")
    sql(tmp_path / "evening-0", f"DELETE FROM ruling WHERE session = 1 AND id = {proved.id}")
    first, second = (judge_item(item, ORDER) for item in find_items([tmp_path]))
    assert [(change["what"], change["before"]) for change in first.changes] == [("proof", "")]
    assert first.changes[0]["after"].startswith("proved WITHHELD seat 2")
    assert second.changes == []


def test_one_more_is_one_change_and_not_one_for_each_that_follows() -> None:
    said = [Said(1, n, {"id": n, "ruling": "turn", "code": "PLAY", "seat": n % 4 + 1, "why": "x"}) for n in range(50)]
    more = [*said[:20], Said(1, 19, {"id": 20, "ruling": "proved", "code": "FALSE_PASS", "seat": 2}), *said[20:]]
    (change,) = other_rulings(said, more, places=True)
    assert (change.what, change.entry, change.before, change.after) == ("proof", 19, "", "proved FALSE_PASS seat 2")
    assert list(other_rulings(said, [Said(1, s.after, {**s.ruling, "why": "y"}) for s in said], places=True)) == []
    facts = [
        Read(1, n, float(n), {"fact": "laid", "card": f"{n}H", "zone": "layout", "seat": 1}, 1.0) for n in range(9)
    ]
    other = [*facts[:3], Read(1, 3, 3.0, {**facts[3].fact, "card": "?"}, 0.2), *facts[4:8]]
    found = list(other_readings(facts, other))
    assert [(one.before, one.after) for one in found] == [
        ("laid 3H layout 1", "laid ? layout 1"),
        ("laid 8H layout 1", ""),
    ]
    assert [one.deal for one in other_results({1: 1, 2: 2}, {1: 1, 2: 3}, "result")] == [2]


def test_a_journal_of_an_older_program_is_judged_as_it_lies(tmp_path: Path) -> None:  # noqa: F811
    journals(tmp_path, 1)
    folder = tmp_path / "evening-0"
    sql(
        folder,
        *("DROP TABLE told", "DROP INDEX session_club", "ALTER TABLE session DROP COLUMN club"),
        "PRAGMA user_version = 2",
    )
    (folder / "sessions.db").chmod(0o444)
    found = [judge_item(item, ORDER) for item in find_items([tmp_path])]
    assert [(one.trouble, one.changes) for one in found] == [("", [])] * 2
    assert sql(folder, "PRAGMA user_version") == [(2,)]


# -- reading again


class FakeReader:
    """Reads every crop as the same cards."""

    def __init__(self, *cards: str) -> None:
        self.cards = cards

    def read(self, crop: Any, card_px: float | None = None) -> list[Any]:
        from types import SimpleNamespace

        middle = [[crop.shape[1] / 2, crop.shape[0] / 2]] * 4
        return [SimpleNamespace(card=name, confidence=0.99, corners=middle) for name in self.cards]


@pytest.mark.parametrize(
    ("seen", "logged", "found"),
    [
        (("9H",), "9H", Again("9H", 0.99)),
        (("7S", "9H"), "9H", Again("9H", 0.99)),  # a neighbour is not the card
        (("7S",), "9H", Again("7S", 0.99)),
        (("?", "back"), "9H", Again("?", 0.0)),
        ((), "9H", Again("?", 0.0)),
    ],
)
def test_a_crop_is_read_for_the_card_in_its_middle(seen: Sequence[str], logged: str, found: Again) -> None:
    import numpy as np

    assert read_again(np.zeros((2, 2, 3), np.uint8), logged, FakeReader(*seen)) == found  # type: ignore[arg-type]


def test_crops_are_as_large_as_perception_cuts_them() -> None:
    assert evidence.CROP_MM == perception._EVIDENCE_MM


def test_a_sure_other_reading_is_judged_and_an_unsure_one_is_not(
    tmp_path: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    journals(tmp_path, 1)
    (item, _) = find_items([tmp_path])
    reader = FakeReader("4S")
    monkeypatch.setattr(judge, "_reader", lambda folder, digest: reader)
    monkeypatch.setattr(judge, "crop_of", lambda jpeg: __import__("numpy").zeros((9, 9, 3), "uint8"))
    order = Order("0.1.0", model="new", model_hash="x", hard=True)
    found = judge_item(item, order)
    changed = [change for change in found.changes if change["what"] == "reading"]
    assert {change["after"].split()[1] for change in changed} == {"4S"}
    assert len(changed) == 4  # of five cards laid one is the four of spades
    assert {one["why"] for one in found.hard} == {"changed"}
    assert {row["picture"] for row in found.hard} == set(found.pictures)
    reader.cards = ()
    unsure = judge_item(item, order)
    assert unsure.changes == []
    assert {one["again"] for one in unsure.hard} == {"?"}


def test_what_people_corrected_is_labelled_for_training(tmp_path: Path) -> None:  # noqa: F811
    misread(tmp_path / "evening")
    found = judge_item(find_items([tmp_path])[0], Order("0.1.0", hard=True))
    (hard,) = found.hard
    assert (hard["read"], hard["label"], hard["sure"], hard["why"]) == ("3H", "3S", True, "corrected")
    assert hard["picture"].startswith("3S-")
    assert found.pictures[hard["picture"]].startswith(b"\xff\xd8")


# -- many of them


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.write_bytes(b"no database" * 500), "cardtable repair"),
        (lambda path: path.write_bytes(b""), "is empty"),
        (lambda path: path.write_bytes(path.read_bytes()[:4096] + bytes(8192)), "damaged"),
        (lambda path: (path.unlink(), path.mkdir()), ""),
    ],
    ids=["not a database", "empty", "zeros", "a folder"],
)
def test_a_damaged_journal_among_good_ones_is_reported_and_the_others_are_judged(
    tmp_path: Path,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    spoil: Any,
    words: str,
) -> None:
    journals(tmp_path / "in", 3)
    spoil(tmp_path / "in" / "evening-1" / "sessions.db")
    assert run(["rejudge", str(tmp_path / "in"), "--to", str(tmp_path / "out")]) == (1 if words else 0)
    told = capsys.readouterr()
    assert told.err == ""
    assert "4 items judged again, 0 not as before" in told.out
    found = rows(tmp_path / "out" / "items.csv")
    assert [bool(row["trouble"]) for row in found].count(False) == 4
    assert all(words in row["trouble"] and "evening-1" in row["item"] for row in found if row["trouble"])


def test_a_folder_that_may_not_be_looked_into_is_reported(
    tmp_path: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    journals(tmp_path, 1)
    (tmp_path / "secret").mkdir()
    inside = Path.iterdir

    def iterdir(path: Path) -> Iterator[Path]:
        if path.name == "secret":
            raise PermissionError(13, "Permission denied")
        return inside(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    found = find_items([tmp_path])
    assert [judge_item(item, ORDER).trouble for item in found] == ["", "", f"{tmp_path / 'secret'}: permission denied"]


def test_items_are_named_from_the_root_for_workers_that_were_started_elsewhere(
    tmp_path: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    journals(tmp_path / "in", 1)
    monkeypatch.chdir(tmp_path)
    both = find_items([Path("in"), tmp_path / "in", Path("./in/evening-0")])
    assert [item.folder for item in both] == [str(tmp_path / "in" / "evening-0")] * 2
    assert len({item.name for item in both}) == 2


def test_an_interrupted_run_goes_on_and_a_changed_archive_is_judged_anew(tmp_path: Path) -> None:  # noqa: F811
    journals(tmp_path / "in", 2)
    items, judged = find_items([tmp_path / "in"]), []

    def counting(left: Sequence[Item], order: Order) -> Iterator[Outcome]:
        for outcome in here(left, order):
            judged.append(outcome.item)
            yield outcome

    def stopping(left: Sequence[Item], order: Order) -> Iterator[Outcome]:
        yield from counting(left[:2], order)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge_all(items, ORDER, tmp_path / "out", stopping, lambda one: None)
    (tmp_path / "out" / PARTS / f"{key_of(items[2], ORDER)}.json").write_text('{"half')
    whole = judge_all(items, ORDER, tmp_path / "out", counting, lambda one: None)
    assert judged == [item.name for item in items]
    assert whole == [judge_item(item, ORDER) for item in items]
    assert judge_all(items, ORDER, tmp_path / "out", counting, lambda one: None) == whole
    assert len(judged) == len(items)
    judge_all(items, Order("0.1.0", (("", "ante", 7),)), tmp_path / "out", counting, lambda one: None)
    assert len(judged) == 2 * len(items)
    with Journal.open(tmp_path / "in" / "evening-0") as journal:
        journal.forget("1")
    judge_all(find_items([tmp_path / "in"]), ORDER, tmp_path / "out", counting, lambda one: None)
    assert len(judged) == 2 * len(items) + 1


def test_an_item_that_cannot_be_judged_says_why_and_is_tried_again(tmp_path: Path) -> None:  # noqa: F811
    journals(tmp_path / "in", 1)
    recording = tmp_path / "in" / "recording"
    recording.mkdir()
    (recording / "table.toml").write_text("")
    (recording / "game.toml").write_text('game = "fan_tan"\nseats = ["Ann", "Bo"]\n')
    sql(tmp_path / "in" / "evening-0", "UPDATE line SET text = 'x' WHERE session = 2 AND seq = 3")
    outcomes = judge_all(find_items([tmp_path / "in"]), ORDER, tmp_path / "out", here, lambda one: None)
    assert [bool(one.trouble) for one in outcomes] == [False, True, True]
    assert len(list((tmp_path / "out" / PARTS).glob("*.json"))) == 1


def test_parquet_holds_what_csv_holds(tmp_path: Path) -> None:  # noqa: F811
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow comes with cardtable[club]")
    journals(tmp_path / "in", 2)
    order = Order("0.1.0", parse_house(["ante=3"]))
    outcomes = [judge_item(item, order) for item in find_items([tmp_path / "in"])]
    for text, table in zip(
        write_report(tmp_path, outcomes, "csv"), write_report(tmp_path, outcomes, "parquet"), strict=True
    ):
        there = parquet.read_table(table).to_pylist()
        assert [{name: str(value) for name, value in row.items()} for row in there] == rows(text)
    assert rows(tmp_path / "changes.csv")


# -- the command


def test_the_command_writes_the_report_and_says_whether_all_is_as_it_was(
    tmp_path: Path,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
) -> None:
    journals(tmp_path / "in", 2)
    asked = ["rejudge", str(tmp_path / "in"), "--to", str(tmp_path / "out")]
    assert run(asked) == 0
    assert "4 items judged again, 0 not as before" in capsys.readouterr().out
    assert run([*asked, "--house", "ante=4", "--json", "--hard"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["item"] for row in told] == [row["item"] for row in rows(tmp_path / "out" / "items.csv")]
    assert all(row["changed_rulings"] for row in told)
    sql(tmp_path / "in" / "evening-1", "DELETE FROM ruling WHERE session = 2")
    sql(tmp_path / "in" / "evening-1", "DELETE FROM ruling WHERE session = 1 AND id = 3")
    shutil.rmtree(tmp_path / "out")
    assert run(asked) == 1
    assert "1 ruling changed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--house", "ante"], "NAME=VALUE"),
        (["--house", "=2"], "NAME=VALUE"),
        (["--house", "fan_tan.ante=--2"], "house rule 'ante' is a whole number"),
        (["--house", "antee=1"], "did you mean 'ante'"),
        (["--house", "ante=many"], "a whole number"),
        (["--house", "whist.ante=1"], "no game is called 'whist'"),
        (["--house", "fan_tan.form=foster"], "no house rule is called 'form'"),
        (["--model", "{tmp}/none"], "none"),
        pytest.param(["--scheduler", "tcp://127.0.0.1:1"], "scheduler tcp://127.0.0.1:1", marks=pytest.mark.slow),
    ],
)
def test_what_cannot_be_meant_is_one_line(
    tmp_path: Path,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    more: list[str],
    words: str,
) -> None:
    from firmware.rejudge import pool

    if "--scheduler" in more:
        pytest.importorskip("distributed", reason="the cluster's library, extra [club], is not installed")
    monkeypatch.setattr(pool, "PATIENCE_S", 1)
    journals(tmp_path / "in", 1)
    options = [one.replace("{tmp}", str(tmp_path)) for one in more]
    assert run(["rejudge", str(tmp_path / "in"), "--to", str(tmp_path / "out"), *options]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert words in told


def test_an_empty_folder_is_said(tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "empty").mkdir()
    for name in ("empty", "none"):
        with pytest.raises(ConfigError, match=name):
            find_items([tmp_path / name])


@pytest.mark.slow
def test_without_the_club_the_base_install_runs_and_says_what_is_missing(
    tmp_path: Path,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sys

    for name in ("paho", "paho.mqtt", "psycopg", "distributed", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setenv("CARDTABLE_DATA", str(tmp_path / "home"))
    journals(tmp_path / "in", 1)
    base = ["rejudge", str(tmp_path / "in"), "--to", str(tmp_path / "out")]
    assert run(base) == 0
    capsys.readouterr()
    for asked in (
        [*base, "--format", "parquet"],
        [*base, "--scheduler", "tcp://127.0.0.1:1"],
        ["hub", "--port", "0"],
        ["hub", "--database", "postgresql://club@127.0.0.1/club"],
    ):
        assert run(asked) == 2
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert "pip install 'cardtable[club]'" in told


def test_item_names_tell_sessions_from_recordings() -> None:
    assert Item(ItemKind.SESSION, "a", "1", "").name == "a:1"
    assert Item(ItemKind.RECORDING, "a", "", "").name == "a"
