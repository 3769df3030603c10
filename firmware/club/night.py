"""A club's evening in figures: who has won what at all its tables, and who owes whom. Pure.

A player is a name: case and outer spaces do not matter, and whoever plays at two tables under one name is one player.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firmware.journal.settle import POOL, Settlement, settle_up

from .database import Row


@dataclass(frozen=True, slots=True)
class Leader:
    """A player on the board. ``counters``: won (+) or lost (-); ``won``: deals he won of the ``deals`` he sat in.

    ``twice``: he sits at two tables at once, so these are perhaps two people of one name.
    """

    name: str
    counters: int
    deals: int
    won: int
    tables: tuple[str, ...]
    twice: bool

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        keys = ("name", "counters", "deals", "won", "twice")
        return {**{key: getattr(self, key) for key in keys}, "tables": list(self.tables)}


def leaders(rows: Iterable[Row]) -> list[Leader]:
    """The players, who has won most first."""
    by_player: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_player[row.folded].append(row)
    return sorted((_leader(mine) for mine in by_player.values()), key=lambda one: (-one.counters, one.name))


def _leader(rows: Sequence[Row]) -> Leader:
    return Leader(
        name=rows[0].name,
        counters=sum(row.counters for row in rows),
        deals=sum(row.deals for row in rows),
        won=sum(row.won for row in rows),
        tables=tuple(row.table for row in rows),
        twice=sum(row.live > 0 for row in rows) > 1,
    )


def settlement(board: Iterable[Leader]) -> Settlement:
    """Who owes whom over all tables; what lies in the pools gives and takes like a player."""
    return settle_up({_no_pool(leader.name): leader.counters for leader in board})


def _no_pool(name: str) -> str:
    """A player who calls himself the pool is not the pool."""
    return f"{name} (a player)" if name == POOL else name


def evening_json(
    evening: str, rows: Sequence[Row], deals: int, sessions: Sequence[Mapping[str, Any]], evenings: Sequence[str]
) -> dict[str, Any]:
    """All that the page shows of an evening (``""``: of all) that had so many ``deals``: plain JSON values."""
    board = leaders(rows)
    return {
        "evening": evening,
        "evenings": list(evenings),
        "leaders": [leader.to_json() for leader in board],
        "transfers": [transfer.to_json() for transfer in settlement(board).transfers],
        "sessions": list(sessions),
        "deals": deals,
    }
