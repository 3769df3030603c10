"""The guard: nothing has grown, and what would grow is named. `make counts` prints the table."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from firmware.journal.pen import Pen
from firmware.referee.match import Match
from tests.bench import counts, golden
from vision.reader import CardReader, Finder, IndexReader
from vision.tracker import Tracker


@pytest.mark.slow
def test_nothing_has_grown_and_every_count_is_kept() -> None:
    found = counts.counted(counts.GUARDS)
    assert [str(count) for count in found if count.grown or count.kept is None] == []
    kept = {what for what in json.loads(counts.KEPT.read_text()) if not what.startswith(counts.INSTRUCTIONS)}
    assert {count.what for count in found} == kept


def test_what_a_fact_costs_in_the_log_has_not_grown() -> None:
    assert [
        str(count) for count in counts.counted([counts.Guard(counts.EXACT, counts.statements)]) if count.grown
    ] == []


def planted(owner: type, name: str, slip: Callable[[object], object], patch: pytest.MonkeyPatch) -> None:
    """After each call of a method the slip is made too."""
    sound = getattr(owner, name)

    def slipped(self: object, *args: object) -> object:
        result = sound(self, *args)
        slip(self)
        return result

    patch.setattr(owner, name, slipped)


def grown(guard: Callable[[], object], tolerance: float) -> set[str]:
    """The counts of one guard that have grown."""
    return {count.what for count in counts.counted([counts.Guard(tolerance, guard)]) if count.grown}  # type: ignore[arg-type]


def test_one_more_question_to_the_database_a_fact_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(Pen, "_write_rows", lambda pen: pen.store.sessions(limit=1), monkeypatch)  # type: ignore[attr-defined]
    assert grown(counts.statements, counts.EXACT) == {
        "SQL statements a fact, no picture",
        "SQL statements a fact, two pictures",
    }


@pytest.mark.slow
def test_a_view_drawn_up_for_every_fact_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(Match, "add", lambda match: match.view, monkeypatch)  # type: ignore[attr-defined]
    assert grown(counts.judging, counts.CALLED) == {"function calls to judge a fact"}


@pytest.mark.slow
def test_something_kept_of_every_entry_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    hoard: list[object] = []
    planted(Match, "add", lambda match: hoard.extend([object(), object()]), monkeypatch)
    assert grown(counts.folding, counts.VERSIONS) == {"blocks of memory an entry keeps"}


@pytest.mark.slow
def test_a_table_read_as_a_whole_at_every_frame_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(Tracker, "see", lambda tracker: tracker.ballots.reader.indices(None, 60.0), monkeypatch)  # type: ignore[attr-defined]
    assert grown(counts.watching, counts.VERSIONS) >= {"looks of the reader a card laid", "pixels searched a card laid"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("owner", "name", "what"),
    [
        (Finder, "find", {"pixels searched", "runs of the networks"}),
        (IndexReader, "outputs", {"cuts of indices", "runs of the networks"}),
        (CardReader, "outputs", {"cuts of cards"}),
    ],
)
def test_a_look_that_is_made_twice_is_caught(
    owner: type, name: str, what: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *given: (sound(*given), sound(*given))[1])
    wanted = {f"{one} a still picture, scale {scale}" for one in what for scale in ("told", "unknown")}
    assert grown(counts.still, counts.VERSIONS) >= wanted


def test_a_count_may_grow_by_its_tolerance_and_no_more() -> None:
    assert not counts.Count("x", 105.0, 100.0, 0.05).grown
    assert counts.Count("x", 106.0, 100.0, 0.05).grown
    assert not counts.Count("x", 1.0, None, 0.0).grown
    assert "GROWN by more than 5%" in str(counts.Count("x", 106.0, 100.0, 0.05))


def test_what_is_measured_is_kept_on_demand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = f"{counts.INSTRUCTIONS}, another Python"
    monkeypatch.setattr(counts, "KEPT", tmp_path / "counts.json")
    (tmp_path / "counts.json").write_text(json.dumps({other: 7, "gone": 1}))
    monkeypatch.setattr(counts, "BY_CALLGRIND", counts.Guard(counts.EXACT, dict))
    monkeypatch.setattr(counts, "GUARDS", (counts.Guard(counts.EXACT, lambda: {"weights": 3}),))
    assert counts.main(["--write"]) == 0
    assert json.loads((tmp_path / "counts.json").read_text()) == {other: 7, "weights": 3}
    monkeypatch.setattr(counts, "GUARDS", (counts.Guard(counts.EXACT, lambda: {"weights": 4}),))
    assert counts.main([]) == 1


def test_where_there_is_no_valgrind_that_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(counts.shutil, "which", lambda name: None)
    assert counts.instructions() == {}
    assert "no valgrind here" in capsys.readouterr().out


def test_instructions_a_fact_are_the_difference_of_two_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def callgrind(command: list[str], **_: object) -> SimpleNamespace:
        rounds = int(command[-1])
        return SimpleNamespace(stderr=f"==7== Events    : Ir\n==7== Collected : {9_000 + rounds * 20 * facts}\n==7==\n")

    facts = golden.facts(golden.sessions())
    monkeypatch.setattr(counts.shutil, "which", lambda name: "/usr/bin/valgrind")
    monkeypatch.setattr(counts.subprocess, "run", callgrind)
    ((what, count),) = counts.instructions().items()
    assert count == 20
    assert what.startswith(counts.INSTRUCTIONS)
    assert platform.python_version() in what
