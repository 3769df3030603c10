"""People play Snip-Snap-Snorem: card on card on one open pile in the middle, whoever can match must; no button.

Faults: ``failed_to_snip`` (another card is laid although one of the rank is held).
"""

from __future__ import annotations

from typing import Any

from ..geometry import Place
from .party import Party, shuffled

#: Counters of each player at the start.
_COUNTERS = 5


def play(party: Party, dealer: int, *, ranks: str = "A23456789TJQK", max_moves: int = 14) -> dict[str, Any]:
    """Play until ``max_moves`` cards lie, or somebody has no counters left. Returns the deal as game.toml words it."""
    party.deal(shuffled(party.rng, ranks), dealer)
    deal: dict[str, Any] = {"counts": party.counts()} | ({"ranks": ranks} if len(ranks) < 13 else {})
    seat, run = party.left_of(dealer), [""]
    counters = dict.fromkeys(party.hands, _COUNTERS)
    party.opening = {"turn": party.name(seat), **deal}
    while len(party.moves) < max_moves and party.hands[seat] and all(counters.values()):
        party.stage.wait()
        card = _choice(party, seat, run[-1])
        party.lay(seat, card, _pile(party, seat))
        party.wrote(seat, "play", card=card)
        run = [*run, card] if run[-1][:1] == card[0] else [card]
        before = (seat - 2) % party.count + 1
        counters[before] = max(0, counters[before] - len(run) + 1)
        run = [""] if len(run) == len("SHDC") else run
        seat = party.left_of(seat)
    return deal


def _choice(party: Party, seat: int, last: str) -> str:
    """A card of the rank if there is one and he is honest, else any."""
    same = [card for card in party.hands[seat] if last and card[0] == last[0]]
    others = [card for card in party.hands[seat] if card not in same]
    if same and not (others and party.commits("failed_to_snip", 0.5)):
        return party.rng.choice(same)
    return party.rng.choice(others)


def _pile(party: Party, seat: int) -> Place:
    left, top, right, bottom = party.rect("layout")
    return party.askew(Place((left + right) / 2, (top + bottom) / 2).moved(*party.stage.little(9.0)), seat)
