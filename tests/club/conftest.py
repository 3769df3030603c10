"""The club's tests keep their files in memory where the machine has room for that: a flush costs nothing there."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_MEMORY = Path("/dev/shm")


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """A folder of the test's own."""
    if not os.access(_MEMORY, os.W_OK):
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(prefix="cardtable-club-", dir=_MEMORY))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
