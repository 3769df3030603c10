"""Games without recordings of their own, played by simulated people and seen through the camera's whole path."""

from __future__ import annotations

from typing import Any

import pytest

from firmware.simulator.session import plan
from firmware.simulator.table import Look, Surface
from vision.reader import Reader

from .soak import compared, watched

pytestmark = pytest.mark.slow

SESSIONS: dict[str, dict[str, Any]] = {
    "sevens": {"max_moves": 6},
    "snip_snap_snorem": {"max_moves": 6},
    "beggar_my_neighbour": {"max_moves": 4},
    "matrimony": {},
}


@pytest.mark.parametrize("game", SESSIONS)
def test_every_card_is_seen_and_none_invented(game: str) -> None:
    """At least nine of ten facts are found as they were; no card is misread, no fact invented."""
    session = plan(game, 3, seed=21, look=Look(21, Surface.FELT), **SESSIONS[game])
    count = compared(session, told := watched(session, Reader.load()))
    facts = [line for line in told if "fact" in line]
    assert count["found"] >= 0.9 * count["facts"], (count, facts)
    assert count["invented"] == count["misread"] == 0, (count, facts)
    if count["found"] == count["facts"]:
        assert count["results equal"] == 1, told[-1]
