"""Fixtures of the journal's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.journal.journal import Journal

from .tools import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def journal(folder: Path, clock: FakeClock) -> Iterator[Journal]:
    with Journal.open(folder, clock=clock) as opened:
        yield opened
