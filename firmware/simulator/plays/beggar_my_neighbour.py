"""People play Beggar-My-Neighbour: turn from the own pack to one pile in the middle; who is paid in full takes it.

No button. Faults: ``out_of_turn`` (a card is turned by another seat, and goes back on its pack).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .. import actors
from ..geometry import Place
from .party import Party, shuffled

#: What a court card or an ace demands of the next player.
OWED = {"J": 1, "Q": 2, "K": 3, "A": 4}

#: A pack lies this far into the table before its player, mm.
_AHEAD_MM = 84.0


@dataclass(slots=True)
class _Game:
    party: Party
    packs: dict[int, list[str]]  # top card first
    pile: list[str] = field(default_factory=list)
    demander: int | None = None
    owed: int = 0

    def home(self, seat: int) -> Place:
        return self.party.before(seat, _AHEAD_MM)


def play(party: Party, dealer: int, *, cards_each: int = 8, max_moves: int = 14) -> dict[str, Any]:
    """Play ``max_moves`` cards, then until nobody is owed anything. Returns the deal as game.toml words it."""
    cards = shuffled(party.rng)
    packs = {seat: [cards.pop() for _ in range(cards_each)] for seat in range(1, party.count + 1)}
    game = _Game(party, packs)
    for seat in packs:
        home = game.home(seat).moved(*party.stage.little(4), party.rng.gauss(0, 3))
        party.stage.put(f"pack-{seat}", home, f"seat-{seat}", count=cards_each)
    turn = party.left_of(dealer)
    party.opening = {"packs": {party.name(s): list(p) for s, p in packs.items()}, "turn": party.name(turn)}
    while packs[turn] and (len(party.moves) < max_moves or game.owed):
        turn = _act(game, turn)
    return {"counts": {party.name(seat): cards_each for seat in packs}}


def _act(game: _Game, seat: int) -> int:
    """One card turned, and the pile taken where that pays in full; who acts next."""
    party = game.party
    party.stage.wait()
    other = party.left_of(party.left_of(seat))
    if party.count > 2 and party.commits("out_of_turn", 0.3):
        _turned_and_put_back(game, other)
    card = game.packs[seat].pop(0)
    actors.turn_up(party.stage, seat, f"pack-{seat}", card, _middle(party, seat), "layout")
    party.wrote(seat, "turn", card=card)
    game.pile.append(card)
    if card[0] in OWED:
        game.demander, game.owed = seat, OWED[card[0]]
        return party.left_of(seat)
    if not game.owed:
        return party.left_of(seat)
    game.owed -= 1
    return seat if game.owed else _taken(game)


def _taken(game: _Game) -> int:
    """Whoever was paid takes the pile, puts it under his pack, and leads."""
    party, owner = game.party, game.demander or 1
    party.stage.wait(0.4)
    actors.gather(party.stage, owner, game.pile, "layout", f"pack-{owner}", game.home(owner))
    party.wrote(owner, "gather", **{"from": "centre"}, count=len(game.pile))
    game.packs[owner] += game.pile
    game.pile, game.demander = [], None
    return owner


def _turned_and_put_back(game: _Game, seat: int) -> None:
    party, card = game.party, game.packs[seat][0]
    actors.turn_up(party.stage, seat, f"pack-{seat}", card, _middle(party, seat), "layout")
    party.wrote(seat, "turn", card=card)
    party.stage.wait(1.0)
    actors.turn_back(party.stage, seat, card, f"pack-{seat}", "layout")


def _middle(party: Party, seat: int) -> Place:
    left, top, right, bottom = party.rect("layout")
    return party.askew(Place((left + right) / 2, (top + bottom) / 2).moved(*party.stage.little(8.0)), seat)
