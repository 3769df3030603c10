"""Fixtures of the journal's tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from firmware.journal.journal import Journal

from .tools import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


#: Flushing costs nothing in memory; what flushing does is tested where it matters (test_crash.py, bench).
MEMORY = Path("/dev/shm")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A data folder that does not exist yet, in memory where the system has such a place."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path / "data"
        return
    with TemporaryDirectory(dir=MEMORY, prefix="cardtable-") as home:
        yield Path(home) / "data"


@pytest.fixture
def journal(folder: Path, clock: FakeClock) -> Iterator[Journal]:
    with Journal.open(folder, clock=clock) as opened:
        yield opened
