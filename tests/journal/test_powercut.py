"""The power goes at any moment: every disk that it could leave behind has each entry whose lamp was lit."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from firmware.journal.errors import JournalError
from firmware.journal.journal import Journal
from firmware.journal.verify import verify

from .powercut import Change, Disk, read_trace
from .tools import FakeClock, laid, numbers

HERE = Path(__file__).parent
FACTS = 30


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[Change]]:
    """Everything that a program of 30 facts did to its files, and the folder it did it in.

    About 0.7 s, mostly for compiling the recorder and starting Python.
    """
    home = tmp_path_factory.mktemp("power")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("a power cut is simulated with a small C library: no compiler here")
    library = home / "powercut.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, HERE / "powercut.c", "-ldl"], check=True)
    (home / "root").mkdir()
    watched = {"LD_PRELOAD": str(library), "POWERCUT_ROOT": str(home / "root"), "POWERCUT_TRACE": str(home / "trace")}
    subprocess.run(
        [sys.executable, "-m", "tests.journal.powercut", str(home / "root"), str(FACTS)],
        cwd=HERE.parents[1],
        env={**os.environ, **watched},
        check=True,
    )
    return str(home / "root"), list(read_trace(home / "trace"))


def test_the_trace_sees_the_database_the_text_log_and_the_pictures(trace: tuple[str, list[Change]]) -> None:
    _, changes = trace
    seen = Counter((change.op, Path(change.path).suffix or Path(change.path).name) for change in changes)
    assert seen["w", ".db-wal"] > FACTS
    assert seen["s", ".db-wal"] > FACTS
    assert seen["w", ".db"] > 3
    assert seen["s", ".jsonl"] > FACTS
    assert seen["r", ".jpg"] == seen["s", ".jpg"] == FACTS
    assert seen["w", "lamp"] == FACTS


def survives(root: str, disk: Disk, target: Path, rng: random.Random) -> None:
    """One disk after a cut: everything lit is there, whole, and the game goes on."""
    disk.after_cut(root, target, rng)
    with Journal.open(target / "data", clock=FakeClock()) as journal:
        for session, number in disk.lamps:
            assert number in numbers(journal, session), (session, number, journal.notices)
        for summary in journal.sessions():
            report = verify(journal, summary.row.id)
            assert report.whole, report.text()
        live = journal.live()
        if live is not None:
            journal.append(live.id, laid(live.entries))
            assert numbers(journal, live.id) == list(range(live.entries + 1))
    shutil.rmtree(target)


def cut_everywhere(trace: tuple[str, list[Change]], folder: Path, share: float, disks: int) -> int:
    root, changes = trace
    rng, disk, tried = random.Random(7), Disk(), 0
    disk.folders.add(root)
    disk.flushed_folders.add(root)
    for change in changes:
        disk.play(change)
        if rng.random() < share:
            for _ in range(disks):
                survives(root, disk, folder / str(tried), rng)
                tried += 1
    return tried


def test_a_power_cut_loses_no_entry_whose_lamp_was_lit(trace: tuple[str, list[Change]], folder: Path) -> None:
    assert cut_everywhere(trace, folder, share=0.02, disks=1) > 8


@pytest.mark.slow
def test_a_power_cut_after_every_change_to_the_disk(trace: tuple[str, list[Change]], folder: Path) -> None:
    tried = cut_everywhere(trace, folder, share=1.0, disks=1)
    print(f"{tried} disks after a power cut, each with every lit entry")
    assert tried > 500


def test_the_simulation_finds_a_journal_that_does_not_flush(trace: tuple[str, list[Change]], folder: Path) -> None:
    """With the flushes taken out of the record, lit entries are lost: the test above can fail."""
    root, changes = trace
    careless = (root, [change for change in changes if change.op != "s"])
    with pytest.raises((AssertionError, JournalError)):
        cut_everywhere(careless, folder, share=0.1, disks=1)
