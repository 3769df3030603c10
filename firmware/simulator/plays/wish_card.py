"""People play the Wish Card: turn from the own pack to the own open pile; pay for aces, kings, queens and knaves.

Faults: ``underpaid`` (the pile is gathered before the debt is met, and put back), ``overpaid`` (one card too many is
turned, and goes back), ``out_of_turn`` (likewise).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .. import actors
from ..geometry import Place
from .party import Party, shuffled

#: What a pay card demands of the next player.
PAY = {"J": 1, "Q": 2, "K": 3, "A": 4}

#: A pack lies this far into the table and to the player's left, the open pile as far to his right, mm.
_AHEAD_MM, _ASIDE_MM = 84.0, 58.0


@dataclass(slots=True)
class _Game:
    party: Party
    packs: dict[int, list[str]]  # top card first
    piles: dict[int, list[str]] = field(default_factory=dict)
    owner: int | None = None  # who is being paid
    owed: int = 0

    def home(self, seat: int) -> Place:
        return self.party.before(seat, _AHEAD_MM, -_ASIDE_MM)

    def pile_place(self, seat: int) -> Place:
        return self.party.askew(self.party.before(seat, _AHEAD_MM, _ASIDE_MM), seat, far_turned=False)


def play(party: Party, dealer: int, *, cards_each: int = 9, middle: int = 1, max_moves: int = 60) -> dict[str, Any]:
    """Play until somebody has lost all his cards (or ``max_moves``). Returns the deal as game.toml words it."""
    cards = shuffled(party.rng)
    packs = {seat: [cards.pop() for _ in range(cards_each)] for seat in range(1, party.count + 1)}
    game = _Game(party, packs, {seat: [] for seat in packs})
    seat: int | None = party.left_of(dealer)
    party.opening = {"packs": {party.name(s): list(p) for s, p in packs.items()}, "start": party.name(seat or 1)}
    deal = {"counts": {party.name(s): cards_each for s in packs}, "middle": middle}
    _set_out(game, middle)
    while seat is not None and len(party.moves) < max_moves:
        seat = _act(game, seat)
    return deal


def _set_out(game: _Game, middle: int) -> None:
    party = game.party
    for seat, pack in game.packs.items():
        home = game.home(seat).moved(*party.stage.little(4), party.rng.gauss(0, 3))
        party.stage.put(f"pack-{seat}", home, f"seat-{seat}", count=len(pack))
    if middle:
        left, top, right, bottom = party.rect("stock")
        place = Place((left + right) / 2, (top + bottom) / 2, party.rng.uniform(-25, 25))
        party.stage.put("middle", place, "stock", count=middle)


def _act(game: _Game, seat: int) -> int | None:
    """One act of ``seat``; returns who acts next, or None when play stops."""
    party = game.party
    party.stage.wait()
    actors.idle(party.stage, but=seat)
    _mistake(game, seat)
    if not game.packs[seat]:
        return _collect(game, seat) if game.owed else _next_with_pack(game, seat)
    card = _turn(game, seat)
    if card[0] in PAY:
        game.owner, game.owed = seat, PAY[card[0]]
        return party.left_of(seat)
    if not game.owed:
        return _next_with_pack(game, seat)
    game.owed -= 1
    return seat if game.owed and game.packs[seat] else _collect(game, seat)


def _turn(game: _Game, seat: int) -> str:
    card = game.packs[seat].pop(0)
    actors.turn_up(game.party.stage, seat, f"pack-{seat}", card, game.pile_place(seat), f"seat-{seat}")
    game.piles[seat].append(card)
    game.party.wrote(seat, "turn", card=card)
    return card


def _collect(game: _Game, payer: int) -> int | None:
    """The owner takes the payer's pile; None when the payer has lost all his cards."""
    party, owner = game.party, game.owner or payer
    if party.commits("overpaid", 0.5) and len(game.packs[payer]) > 1:
        _too_much(game, payer)
    party.stage.wait(0.4)
    _gathered(game, owner, payer)
    game.packs[owner] += game.piles[payer]
    game.piles[payer] = []
    game.owner, game.owed = None, 0
    return _next_with_pack(game, payer) if game.packs[payer] else None


def _gathered(game: _Game, owner: int, payer: int) -> None:
    party, pile = game.party, game.piles[payer]
    actors.gather(party.stage, owner, pile, f"seat-{payer}", f"pack-{owner}", game.home(owner))
    party.wrote(owner, "gather", **{"from": party.name(payer)}, count=len(pile))


def _next_with_pack(game: _Game, seat: int) -> int | None:
    """The next seat that can turn a card; None when nobody can."""
    for _ in range(game.party.count):
        seat = game.party.left_of(seat)
        if game.packs[seat]:
            return seat
    return None


def _mistake(game: _Game, seat: int) -> None:
    party = game.party
    wrong = party.left_of(party.left_of(seat))
    if game.owed > 1 and game.piles[seat] and party.commits("underpaid", 0.7):
        _too_early(game, game.owner or seat, seat)
    elif not game.owed and game.packs[wrong] and party.count > 2 and party.commits("out_of_turn", 0.3):
        _turned_and_put_back(game, wrong)


def _too_early(game: _Game, owner: int, payer: int) -> None:
    party, pile = game.party, game.piles[payer]
    places = [party.stage.place(card) for card in pile]
    _gathered(game, owner, payer)
    party.stage.wait(2.0)
    actors.put_back(party.stage, owner, pile, f"seat-{payer}", f"pack-{owner}", places)


def _too_much(game: _Game, payer: int) -> None:
    game.party.stage.wait()
    _turned_and_put_back(game, payer)


def _turned_and_put_back(game: _Game, seat: int) -> None:
    party, card = game.party, game.packs[seat][0]
    actors.turn_up(party.stage, seat, f"pack-{seat}", card, game.pile_place(seat), f"seat-{seat}")
    party.wrote(seat, "turn", card=card)
    party.stage.wait(1.0)
    actors.turn_back(party.stage, seat, card, f"pack-{seat}", f"seat-{seat}")
