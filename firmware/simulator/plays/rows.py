"""Rows on the layout: a row a suit, a place a rank, neighbours overlapping; and the stock at the bottom right."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..geometry import Place
from .party import Party

#: Distance between neighbours, mm: less than half a card's width, so that they overlap by more than half.
STEP_MM = 27.0

#: Distance between two rows, mm, and from the layout's top to the first row's middle.
_PITCH_MM, _FIRST_MM = 122.0, 60.0


@dataclass(slots=True)
class Rows:
    """Where each card of a game that grows in rows is laid; rows go from the top in order of starting."""

    party: Party
    ranks: str
    suits: list[str] = field(default_factory=list)

    def place(self, card: str, seat: int) -> Place:
        """Where ``seat`` lays ``card``: low ranks left, high ranks right."""
        if card[1] not in self.suits:
            self.suits.append(card[1])
        left, top, right, _ = self.party.rect("layout")
        start = (left + right) / 2 - (len(self.ranks) - 1) / 2 * STEP_MM
        y = top + _FIRST_MM + self.suits.index(card[1]) * _PITCH_MM
        return self.party.askew(Place(start + self.ranks.index(card[0]) * STEP_MM, y), seat)


def stock_place(party: Party) -> Place:
    """The middle of the stock's zone."""
    left, top, right, bottom = party.rect("stock")
    return Place((left + right) / 2, (top + bottom) / 2, party.rng.gauss(0, 2.0))
