"""A session's lines put before the referee: every deal folded again. Knows lines, not the database they came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from firmware.referee.events import Entry
from firmware.referee.match import Match, Setup
from firmware.referee.rulings import Ruling

from .lines import Deal, Line, LineKind, SessionHeader, line_entry

#: The number under which the referee's first words of a deal are kept, before any entry.
OPENING = -1


@dataclass(frozen=True, slots=True)
class DealReplay:
    """One deal judged again. ``said``: the entry's number (`OPENING` before the first) and what the referee said."""

    deal: Deal
    match: Match
    said: tuple[tuple[int, tuple[Ruling, ...]], ...]

    @property
    def entries(self) -> Sequence[Entry]:
        """The entries of this deal."""
        return self.match.entries

    def net(self) -> dict[str, int]:
        """What each player won or lost in this deal, in counters."""
        seats = self.match.setup.seats
        return {name: self.match.ledger.balance(seat) for seat, name in enumerate(seats, start=1)}


def setup_of(header: SessionHeader, deal: Deal) -> Setup:
    """What the referee has to know of a deal."""
    return Setup(header.game, header.seats, deal.dealer, header.house, deal.known)


def deals_of(lines: Iterable[Line]) -> tuple[Deal, ...]:
    """The deals of a session in order; the first stands in the header."""
    found = []
    for line in lines:
        if line.kind is LineKind.BEGIN:
            header = SessionHeader.from_json(line.body)
            found.append(Deal(1, header.dealer, header.deal))
        elif line.kind is LineKind.DEAL:
            found.append(Deal(line.deal, line.body["dealer"], line.body["deal"]))
    return tuple(found)


def judge(lines: Sequence[Line]) -> tuple[DealReplay, ...]:
    """Judge a session's lines, the first of which is its beginning.

    :raises BadSetup: if this program does not know the game or its house rules.
    """
    header = SessionHeader.from_json(lines[0].body)
    entries: dict[int, list[Entry]] = {}
    for line in lines:
        if line.kind is LineKind.FACT:
            entries.setdefault(line.deal, []).append(line_entry(line))
    return tuple(_one(header, deal, entries.get(deal.number, [])) for deal in deals_of(lines))


def _one(header: SessionHeader, deal: Deal, entries: Sequence[Entry]) -> DealReplay:
    match = Match(setup_of(header, deal))
    said = [(OPENING, match.opening), *((entry.number, match.add(entry)) for entry in entries)]
    return DealReplay(deal, match, tuple((number, rulings) for number, rulings in said if rulings))


def rulings_of(deals: Sequence[DealReplay]) -> Iterator[tuple[int, int, Ruling]]:
    """Every ruling with its deal and the entry that made the referee say it."""
    for one in deals:
        for number, rulings in one.said:
            yield from ((one.deal.number, number, ruling) for ruling in rulings)
