"""Figures for the curious: each player in each game over all sessions kept, as a table and as a drawing (SVG)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from firmware.referee.events import Press, Pressed
from firmware.referee.rulings import Kind

from .errors import BadEntry, Damaged
from .journal import Journal
from .judge import DealReplay
from .lines import played_ns
from .listing import Query, Summary
from .names import as_text, shown_name, title
from .replay import replay
from .verify import doubt

#: Proved claims about passing and holding back, whatever a game calls them.
_FALSE_CLAIMS = (Kind.PROVED,)


@dataclass(slots=True)
class Figures:
    """One player in one game. ``passes`` are short presses; ``paid`` and ``won`` in counters; ``longest_s`` seconds."""

    sessions: int = 0
    deals: int = 0
    wins: int = 0
    passes: int = 0
    false_passes: int = 0
    refused: int = 0
    paid: int = 0
    net: int = 0
    longest_s: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(slots=True)
class Statistics:
    """Figures by game and player; ``skipped``: sessions not counted; ``doubts``: warnings of changed ones."""

    figures: dict[tuple[str, str], Figures] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    def to_json(self) -> list[dict[str, Any]]:
        """One object a player and game."""
        return [{"game": game, "player": player, **f.to_json()} for (game, player), f in sorted(self.figures.items())]

    def text(self) -> str:
        """A table for people."""
        heads = ("game", "player", "deals", "won", "passes", "false", "refused", "paid", "net", "longest")
        rows = [heads, *(_row(game, player, f) for (game, player), f in sorted(self.figures.items()))]
        widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return as_text([*lines, *(f"Not judged: {words}" for words in self.skipped)])


def statistics(journal: Journal, query: Query | None = None) -> Statistics:
    """Fold every session that fits and count; one that cannot be judged or read is left out, a changed one told of."""
    found = Statistics()
    for summary in journal.sessions(query):
        try:
            found.doubts += filter(None, [doubt(journal, summary.row.id)])
            _add(found, journal, summary)
        except (BadEntry, Damaged, PermissionError) as error:
            found.skipped.append(str(error))
    return found


def _add(found: Statistics, journal: Journal, summary: Summary) -> None:
    session_id = summary.row.id
    header, deals = journal.header(session_id), replay(journal, session_id)
    if summary.seats != header.seats:
        words = "the session list has other players than its log"
        raise BadEntry(f"session {session_id}: {words}: `cardtable verify {session_id}` tells more")
    length_s = session_seconds(journal, session_id)
    for seat, name in enumerate(summary.seats, start=1):
        figures = found.figures.setdefault((summary.row.game, shown_name(name, seat)), Figures())
        figures.sessions += 1
        figures.longest_s = max(figures.longest_s, length_s)
        for one in deals:
            _count(figures, one, seat, name)


def _count(figures: Figures, one: DealReplay, seat: int, name: str) -> None:
    figures.deals += 1
    figures.wins += one.match.view.winner == seat
    figures.net += one.net()[name]
    figures.passes += sum(
        isinstance(entry.fact, Pressed) and entry.fact.seat == seat and entry.fact.press is Press.SHORT
        for entry in one.entries
    )
    for ruling in one.match.standing:
        if ruling.seat == seat:
            figures.false_passes += ruling.kind in _FALSE_CLAIMS
            figures.refused += ruling.kind is Kind.REFUSED
            figures.paid += ruling.counters if ruling.kind is Kind.PAID else 0


def session_seconds(journal: Journal, session_id: str) -> float:
    """How long a session was played, in seconds (see `played_ns`)."""
    return played_ns(journal.lines(session_id)) / 1e9


def _row(game: str, player: str, f: Figures) -> tuple[str, ...]:
    numbers = (f.deals, f.wins, f.passes, f.false_passes, f.refused, f.paid)
    return (title(game), player, *map(str, numbers), f"{f.net:+d}", f"{f.longest_s / 60:.0f} min")


_BAR_PX, _LABEL_PX, _WIDTH_PX = 22, 220, 640


def net_svg(nets: Mapping[str, int], heading: str) -> str:
    """What players won and lost, as bars around a middle line: one SVG drawing that needs nothing else."""
    most = max([1, *(abs(counters) for counters in nets.values())])
    middle = _LABEL_PX + (_WIDTH_PX - _LABEL_PX) // 2
    scale = (_WIDTH_PX - _LABEL_PX - 80) / 2 / most
    height = _BAR_PX * (len(nets) + 2)
    rows = "".join(_bar(i, name, c, middle, scale) for i, (name, c) in enumerate(nets.items(), start=1))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH_PX} {height}" width="{_WIDTH_PX}" '
        f'font-family="sans-serif" font-size="13" role="img"><title>{escape(heading)}</title>'
        f'<text x="4" y="16" font-weight="bold">{escape(heading)}</text>{rows}'
        f'<line x1="{middle}" x2="{middle}" y1="{_BAR_PX}" y2="{height - 8}" stroke="#444"/></svg>'
    )


def _bar(place: int, name: str, counters: int, middle: int, scale: float) -> str:
    top, length = place * _BAR_PX + 6, abs(counters) * scale
    left = middle if counters >= 0 else middle - length
    colour = "#2b7a4b" if counters >= 0 else "#b0413e"
    end = middle + length + 4 if counters >= 0 else middle - length - 4
    anchor = "start" if counters >= 0 else "end"
    return (
        f'<text x="4" y="{top + 13}">{escape(name)}</text>'
        f'<rect x="{left:.1f}" y="{top}" width="{length:.1f}" height="{_BAR_PX - 6}" fill="{colour}"/>'
        f'<text x="{end:.1f}" y="{top + 13}" text-anchor="{anchor}">{counters:+d}</text>'
    )


def total_nets(found: Statistics, games: Iterable[str] = ()) -> dict[str, int]:
    """Counters won or lost by player, over all games or some."""
    wanted = set(games)
    total: dict[str, int] = {}
    for (game, player), figures in sorted(found.figures.items()):
        if not wanted or game in wanted:
            total[player] = total.get(player, 0) + figures.net
    return total
