"""Killed at any moment: what had its lamp lit is in the log."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def killed(folder: Path, kills: int, seed: int, *more: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.journal.killing", str(folder), str(kills), str(seed), *more],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_few_kills_lose_no_entry_whose_lamp_was_lit(folder: Path) -> None:
    found = killed(folder, 8, seed=1)
    assert (found["kills"], found["lost"], found["wrong"]) == (8, 0, [])
    assert found["lamps"] > 8, "the children hardly came to append anything"
    assert found["resumed"] > 2


@pytest.mark.slow
def test_the_count_finds_a_table_that_lights_before_it_writes(folder: Path) -> None:
    found = killed(folder, 15, 3, "careless")
    assert found["wrong"], "the test above could not have failed"


@pytest.mark.slow
@pytest.mark.parametrize(("place", "kills"), [("memory", 1_000), ("disk", 200)])
def test_a_thousand_kills_lose_nothing(tmp_path: Path, folder: Path, place: str, kills: int) -> None:
    found = killed(tmp_path / "data" if place == "disk" else folder, kills, seed=2)
    print(json.dumps(found))
    assert (found["kills"], found["lost"], found["wrong"]) == (kills, 0, [])
    assert found["lamps"] > kills
