"""People play Fan Tan: one card wanted at a time, play it or press to pay; finished suits are turned down.

Faults: ``withhold`` (pays although he holds the card), ``wrong_card`` and ``out_of_turn`` (laid and taken back).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .. import actors
from ..geometry import Place
from .party import SUITS, Party, shuffled

#: Distance between two cards of a spread row, mm; a pile has none.
_STEP_MM = 29.0


@dataclass(slots=True)
class _Game:
    party: Party
    ranks: str
    piles: bool
    wanted: str | None = None
    open_suits: list[str] = field(default_factory=list)  # in order of starting
    row: list[str] = field(default_factory=list)  # cards of the running suit
    done: int = 0

    def place(self, index: int, suit_index: int, seat: int) -> Place:
        layout = self.party.rect("layout")
        y = layout[1] + 58 + suit_index * 122.0
        x = layout[0] + 190 + (0.0 if self.piles else index * _STEP_MM)
        return self.party.askew(Place(x, y), seat)

    def after(self, card: str) -> str:
        """The card that is wanted after ``card``: round the corner, in the pack's ranks."""
        return self.ranks[(self.ranks.index(card[0]) + 1) % len(self.ranks)] + card[1]


def play(
    party: Party, dealer: int, *, ranks: str = "A234567", piles: bool = False, max_moves: int = 400
) -> dict[str, Any]:
    """Play one deal to its end (or ``max_moves``). Returns the deal as game.toml words it."""
    party.deal(shuffled(party.rng, ranks), dealer)
    deal: dict[str, Any] = {"counts": party.counts(), "ranks": ranks}
    game = _Game(party, ranks, piles)
    seat = party.left_of(dealer)
    party.opening = {"turn": party.name(seat), **deal}
    while len(party.moves) < max_moves:
        again = _turn(game, seat)
        if not party.hands[seat]:
            break
        seat = seat if again else party.left_of(seat)
    return deal


def _turn(game: _Game, seat: int) -> bool:
    """One seat's turn; True when he must start again at once."""
    party = game.party
    party.stage.wait()
    actors.idle(party.stage, but=seat)
    party.disturb(game.row[-1:] if game.piles else game.row, but=seat)
    card = game.wanted or party.rng.choice(party.hands[seat])
    _mistakes(game, seat)
    holds = card in party.hands[seat]
    if not holds or (game.wanted and len(game.row) > 1 and party.commits("withhold", 0.5)):
        actors.press(party.stage, seat)
        party.wrote(seat, "pay")
        return False
    return _lay(game, seat, card)


def _lay(game: _Game, seat: int, card: str) -> bool:
    party = game.party
    if card[1] not in game.open_suits:
        game.open_suits.append(card[1])
    place = game.place(len(game.row), game.open_suits.index(card[1]), seat)
    party.lay(seat, card, place)
    party.wrote(seat, "play", card=card)
    game.row.append(card)
    game.wanted = game.after(card)
    return _finish_suit(game, seat)


def _finish_suit(game: _Game, seat: int) -> bool:
    party = game.party
    if len(game.row) < len(game.ranks) or not party.hands[seat]:
        return False
    first = party.stage.place(game.row[0])
    party.stage.wait(0.3)
    actors.turn_down(party.stage, seat, game.row, Place(first.x_mm, first.y_mm), "layout")
    game.row, game.wanted = [], None
    game.done += 1
    return True


def _mistakes(game: _Game, seat: int) -> None:
    """Cards that go back: the wrong one, or somebody who is not to play."""
    party = game.party
    if not game.wanted or len(game.open_suits) >= len(SUITS) or len(party.hands[seat]) < 2:
        return
    if party.commits("wrong_card", 0.25):
        _laid_and_taken_back(game, seat)
    elif len(party.hands[party.left_of(seat)]) > 1 and party.commits("out_of_turn", 0.25):
        _laid_and_taken_back(game, party.left_of(seat))


def _laid_and_taken_back(game: _Game, seat: int) -> None:
    party = game.party
    others = [c for c in party.hands[seat] if c != game.wanted]
    if not others:
        return
    card = party.rng.choice(others)
    place = game.place(0, len(game.open_suits), seat).moved(330.0, 0.0)
    actors.lay(party.stage, seat, card, place, "layout")
    party.wrote(seat, "play", card=card)
    party.stage.wait(1.2)
    actors.take_back(party.stage, seat, card, "layout")
