"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED_HOME = Path(__file__).resolve().parent.parent.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with photographs, recordings and rules beside the checkout (or ``$CARDTABLE_SHARED``)."""
    folder = Path(os.environ.get("CARDTABLE_SHARED", SHARED_HOME))
    if not folder.is_dir():
        pytest.skip("the shared photographs, recordings and rules are not beside this checkout")
    return folder
