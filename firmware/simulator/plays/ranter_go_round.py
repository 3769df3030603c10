"""People play one deal of Ranter-Go-Round: keep the one card, or demand the left neighbour's; the lowest loses.

Faults: ``silent`` (an ace or a two is given without a word), ``false_king`` (refuses without a king, by word).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import actors
from ..geometry import Place
from .party import RANKS, Party, shuffled

#: Who holds less than this wants another card.
_CONTENT = "8"

#: Where a seat's card lies, how far into the table and to the player's right, mm.
_AHEAD_MM = 84.0


@dataclass(slots=True)
class _Game:
    party: Party
    dealer: int
    shows_king: bool
    card: dict[int, str]  # by seat

    def home(self, seat: int) -> Place:
        return self.party.before(seat, _AHEAD_MM)

    def worth(self, seat: int) -> int:
        return RANKS.index(self.card[seat][0])


def play(
    party: Party, dealer: int, *, markers: dict[str, int], stock: int = 22, shows_king: bool = True
) -> dict[str, Any]:
    """Play one deal and the showdown. Returns the deal as game.toml words it."""
    cards = shuffled(party.rng)
    order = [*range(dealer + 1, party.count + 1), *range(1, dealer + 1)]
    game = _Game(party, dealer, shows_king, {seat: cards.pop() for seat in order})
    party.hands = {seat: [card] for seat, card in game.card.items()}
    party.opening = {
        "hands": {party.name(s): game.card[s] for s in sorted(game.card)},
        "dealer": party.name(dealer), "markers": markers, "pool": 0,
    }  # fmt: skip
    _set_out(game, stock)
    for seat in order[:-1]:
        _turn(game, seat)
    given_up = _dealer(game, cards)
    _showdown(game, order, given_up)
    return {"markers": markers, "pool": 0, "stock": stock}


def _set_out(game: _Game, stock: int) -> None:
    party = game.party
    left, top, right, bottom = party.rect("stock")
    party.stage.put("stock", Place((left + right) / 2 - 40, (top + bottom) / 2, 2.0), "stock", count=stock)
    for seat, card in game.card.items():
        place = game.home(seat).moved(*party.stage.little(6), party.rng.gauss(0, 5))
        party.stage.put(card, place, f"seat-{seat}", face=card)


def _turn(game: _Game, seat: int) -> None:
    party, neighbour = game.party, game.party.left_of(seat)
    party.stage.wait()
    actors.idle(party.stage, but=seat)
    if game.card[seat][0] == "K" or game.worth(seat) >= RANKS.index(_CONTENT):
        actors.press(party.stage, seat)
        party.wrote(seat, "pass")
        return
    party.wrote(seat, "demand")
    beside = game.home(neighbour).moved(*_towards(game, neighbour, seat))
    actors.push(party.stage, seat, game.card[seat], beside)
    party.stage.wait(0.5)
    false = game.card[neighbour][0] != "K" and party.commits("false_king")
    if game.card[neighbour][0] == "K" or false:
        _refuse(game, seat, neighbour, false)
    else:
        _grant(game, seat, neighbour)


def _towards(game: _Game, neighbour: int, seat: int) -> tuple[float, float]:
    """Beside the neighbour's card, on the demander's side, clear of it."""
    who = game.party.stage.seat(neighbour)
    ax, ay = who.ahead
    sx, sy = game.party.stage.seat(seat).edge
    side = 1.0 if (sx - who.edge[0]) * who.right[0] + (sy - who.edge[1]) * who.right[1] > 0 else -1.0
    return (side * who.right[0] * 74.0 + ax * 14.0, side * who.right[1] * 74.0 + ay * 14.0)


def _refuse(game: _Game, seat: int, neighbour: int, false: bool) -> None:
    party = game.party
    if game.shows_king and not false:
        king = game.card[neighbour]
        if not party.stage.items[king].last.up:
            actors.reveal(party.stage, neighbour, king, f"seat-{neighbour}")
    else:
        actors.press(party.stage, neighbour)
    actors.push(party.stage, neighbour, game.card[seat], _home_askew(game, seat))
    party.stage.note("demand_refused", seats=[seat, neighbour])
    party.wrote(neighbour, "king")


def _grant(game: _Game, seat: int, neighbour: int) -> None:
    party = game.party
    mine, theirs = game.card[neighbour], game.card[seat]
    say = None if party.commits("silent") else {"A": "ace", "2": "deuce"}.get(mine[0])
    if say:
        actors.press(party.stage, neighbour, taps=2 if say == "deuce" else 1)
    actors.push(party.stage, neighbour, mine, _home_askew(game, seat))
    party.stage.wait(0.2)
    rest, gone = actors.push(party.stage, neighbour, theirs, _home_askew(game, neighbour))
    party.stage.fact("exchanged", rest, gone, seats=[seat, neighbour])
    game.card[seat], game.card[neighbour] = mine, theirs
    party.wrote(neighbour, "swap", say=say)


def _home_askew(game: _Game, seat: int) -> Place:
    """The seat's own place, hit as people hit it; the card keeps the turn that its new player would give it."""
    return game.home(seat).moved(*game.party.stage.little(6), game.party.rng.gauss(0, 3))


def _dealer(game: _Game, cards: list[str]) -> str | None:
    """The dealer keeps his card, or gives it up for one from the stock; returns the card given up."""
    party, seat = game.party, game.dealer
    party.stage.wait()
    if game.worth(seat) >= RANKS.index(_CONTENT):
        actors.press(party.stage, seat)
        party.wrote(seat, "pass")
        return None
    stock, given_up, drawn = party.stage.place("stock"), game.card[seat], cards.pop()
    actors.push(party.stage, seat, given_up, Place(stock.x_mm + 82, stock.y_mm + 40, 4.0))
    party.stage.wait(0.3)
    actors.cut(party.stage, seat, "stock", Place(stock.x_mm + 6, stock.y_mm - 108, -5.0), drawn, game.home(seat))
    game.card[seat] = drawn
    party.wrote(seat, "cut", card=drawn)
    return given_up


def _showdown(game: _Game, order: list[int], given_up: str | None) -> None:
    party = game.party
    for seat in order:
        if not party.stage.items[game.card[seat]].last.up:
            party.stage.wait(0.5)
            actors.reveal(party.stage, seat, game.card[seat], f"seat-{seat}")
    if given_up:
        party.stage.wait(0.5)
        actors.reveal(party.stage, game.dealer, given_up, "stock")
