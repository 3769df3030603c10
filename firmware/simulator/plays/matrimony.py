"""People play Matrimony: a card lies face down before each, the dealer lays one face up to each; each turns his up.

No button: the cards say everything. Faults: ``out_of_turn`` (somebody turns his card up too soon).
"""

from __future__ import annotations

from typing import Any

from .. import actors
from ..geometry import Place
from .party import Party, shuffled

#: The up-card lies right of the down-card, mm.
_BESIDE_MM = 72.0
_AHEAD_MM = 55.0


def play(party: Party, dealer: int) -> dict[str, Any]:
    """One deal: up-cards to all, then the down-cards from the dealer's left. Returns the deal as game.toml words it."""
    cards = shuffled(party.rng)
    order = [(dealer + k) % party.count + 1 for k in range(party.count)]
    down, up = ({seat: cards.pop() for seat in order} for _ in range(2))
    for seat in order:
        party.stage.put(down[seat], _place(party, seat, 0.0), f"seat-{seat}", face=down[seat])
    stakes = {party.name(seat): {"pair": 3 if seat == dealer else 2} for seat in order}
    party.opening = {"stakes": stakes, "dealer": party.name(dealer)}
    for seat in order:
        party.stage.wait(0.2)
        actors.lay(party.stage, dealer, up[seat], _place(party, seat, _BESIDE_MM), f"seat-{seat}")
        party.wrote(seat, "turn", card=up[seat])
        if up[seat] == "AD":
            return {"stakes": stakes}
    for seat in _exposing(party, order):
        party.stage.wait()
        actors.reveal(party.stage, seat, down[seat], f"seat-{seat}")
        party.wrote(seat, "turn", card=down[seat])
    return {"stakes": stakes}


def _exposing(party: Party, order: list[int]) -> list[int]:
    """Each once, in order; with the fault the second is too quick."""
    return [order[1], order[0], *order[2:]] if len(order) > 1 and party.commits("out_of_turn") else order


def _place(party: Party, seat: int, right_mm: float) -> Place:
    middle = right_mm - _BESIDE_MM / 2
    return party.before(seat, _AHEAD_MM, middle).moved(*party.stage.little(2.0), party.rng.gauss(0, 2.5))
