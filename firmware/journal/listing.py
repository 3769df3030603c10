"""The list of sessions: found by game, player, date, or only those with a dispute."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any

from firmware.referee.match import game_called

from .names import LONGEST, shown_names, visible
from .rows import folded
from .store import SessionRow, Store


@dataclass(frozen=True, slots=True)
class Query:
    """Which sessions are wanted; a field that is None does not matter.

    ``player``: a whole name, case does not matter. ``since_ns`` and ``until_ns``: wall times when a session began.
    ``disputes``: only sessions with a disputed entry. ``limit``: at most so many, the newest.
    """

    game: str | None = None
    player: str | None = None
    since_ns: int | None = None
    until_ns: int | None = None
    disputes: bool = False
    limit: int = -1


@dataclass(frozen=True, slots=True)
class Summary:
    """One session in the list."""

    row: SessionRow
    seats: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The object that ``cardtable sessions --json`` prints."""
        row = self.row
        return {
            "id": row.id,
            "game": row.game,
            "started": iso(row.started_ns),
            "time_uncertain": row.uncertain,
            "entries": row.entries,
            "ended": row.ended,
            "seats": list(self.seats),
            "disputes": row.disputes,
        }

    def text(self) -> str:
        """The line that ``cardtable sessions`` prints."""
        row = self.row
        marks = f"{' disputed' if row.disputes else ''}{'' if row.ended else ' (not ended)'}"
        marks += " (time uncertain)" if row.uncertain else ""
        names = ", ".join(shown_names(self.seats))
        return f"{row.id}  {iso(row.started_ns)}  {row.game:<16} {row.entries:>5} entries  {names}{marks}"


def find(store: Store, query: Query) -> list[Summary]:
    """The sessions that fit, newest first."""
    asked: list[tuple[str, Any]] = [
        ("game = ?", query.game),
        ("number IN (SELECT session FROM seat WHERE folded = ?)", query.player and folded(query.player)),
        ("started_ns >= ?", query.since_ns),
        ("started_ns < ?", query.until_ns),
        ("disputes >= ?", 1 if query.disputes else None),
    ]
    given = [(condition, value) for condition, value in asked if value is not None]
    where = " AND ".join(condition for condition, _ in given) or "1"
    rows = store.sessions(where, *(value for _, value in given), limit=query.limit)
    names = _names(store, rows)
    return [Summary(row, names.get(row.number, ())) for row in rows]


def check_game(store: Store, query: Query) -> None:
    """Make sure that the game asked for is one: known to this program, or kept here by another one.

    :raises BadSetup: if it is none, with what was probably meant.
    """
    game = query.game
    if game is not None and not store.rows("SELECT 1 FROM session WHERE game = ? LIMIT 1", game):
        game_called(game)


def unknown_player(store: Store, query: Query) -> str:
    """A line if nobody of the name asked for is in any session, with who was probably meant; "" if somebody is."""
    if query.player is None or store.rows("SELECT 1 FROM seat WHERE folded = ? LIMIT 1", folded(query.player)):
        return ""
    names = dict(store.rows("SELECT DISTINCT folded, name FROM seat"))
    near = get_close_matches(folded(query.player)[:LONGEST], names, 1)
    meant = f"; did you mean {visible(names[near[0]])}?" if near else ""
    return f"no session kept here has a player called {visible(query.player)[:LONGEST]!r}{meant}"


def _names(store: Store, rows: list[SessionRow]) -> dict[int, tuple[str, ...]]:
    sql = "SELECT session, name FROM seat WHERE session IN (SELECT value FROM json_each(?)) ORDER BY session, seat"
    names: dict[int, tuple[str, ...]] = {}
    for session, name in store.rows(sql, json.dumps([row.number for row in rows])):
        names[session] = (*names.get(session, ()), name)
    return names


def day_ns(day: datetime) -> int:
    """When a day (or an hour of it) of this machine's calendar begins, as a wall time."""
    return int(day.timestamp()) * 1_000_000_000


def iso(wall_ns: int) -> str:
    """A wall time as ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(wall_ns // 1_000_000_000, UTC).isoformat().replace("+00:00", "Z")
