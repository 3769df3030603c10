"""People play Pope Joan (board form): a lead, then whoever holds the next higher card of the suit, until it stops.

The player of a card that nobody follows presses (stop) and leads again; known stops need no press.
Faults: ``hold_back`` (somebody does not play the wanted card that he holds).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .. import actors
from .party import RANKS, Party, shuffled
from .rows import Rows, stock_place

#: The eight of diamonds is not in the pack.
_REMOVED = "8D"


@dataclass(slots=True)
class _Game:
    party: Party
    rows: Rows
    turn_up: str
    max_moves: int
    laid: set[str] = field(default_factory=set)

    def after(self, card: str) -> str | None:
        """The next higher card, or None after a king."""
        k = RANKS.index(card[0]) + 1
        return RANKS[k] + card[1] if k < len(RANKS) else None

    def known_stop(self, card: str) -> bool:
        """Whether everybody can see that nothing can follow."""
        wanted = self.after(card)
        return wanted is None or wanted in (_REMOVED, self.turn_up) or wanted in self.laid


def play(party: Party, dealer: int, *, cards_each: int = 8, max_moves: int = 60) -> dict[str, Any]:
    """Play one deal until somebody is out (or ``max_moves``). Returns the deal as game.toml words it."""
    cards = [card for card in shuffled(party.rng) if card != _REMOVED]
    dealt, dead = cards[: cards_each * party.count], cards[cards_each * party.count :]
    party.deal(dealt, dealer)
    turn_up = dead.pop()
    place = stock_place(party)
    party.stage.put("dead hand", place, "stock", count=len(dead))
    party.stage.put(turn_up, place.moved(*party.stage.little(2.0), 1.5), "stock", face=turn_up, up=True)
    game = _Game(party, Rows(party, RANKS), turn_up, max_moves)
    deal: dict[str, Any] = {"counts": party.counts(), "trump": turn_up[1], "turn_up": turn_up}
    party.opening = {"dealer": party.name(dealer), **deal}
    leader = party.left_of(dealer)
    while all(party.hands.values()) and len(party.moves) < max_moves:
        leader = _line(game, leader)
    out = next((s for s, hand in party.hands.items() if not hand), None)
    if out and party.rng.random() < 0.5:
        party.opening["final_hands"] = party.show_hands(out)
    return deal


def _line(game: _Game, leader: int) -> int:
    """A lead and all that follows; returns who leads next: the player of the last card."""
    party = game.party
    hand = party.hands[leader]
    suit = max("SHDC", key=lambda s: sum(c[1] == s for c in hand))
    card = min((c for c in hand if c[1] == suit), key=lambda c: RANKS.index(c[0]))
    seat = leader
    _lay(game, seat, card)
    while party.hands[seat] and not game.known_stop(card) and len(party.moves) < game.max_moves:
        card, holder = game.after(card) or "", _holder(game, card)
        if holder is None or (party.hands[holder] != [card] and party.commits("hold_back", 0.2)):
            party.stage.wait()
            actors.press(party.stage, seat)
            party.wrote(seat, "stop")
            break
        seat = holder
        _lay(game, seat, card)
    return seat


def _holder(game: _Game, card: str) -> int | None:
    wanted = game.after(card)
    return next((seat for seat, hand in game.party.hands.items() if wanted in hand), None)


def _lay(game: _Game, seat: int, card: str) -> None:
    party = game.party
    party.stage.wait()
    actors.idle(party.stage, but=seat)
    party.disturb(sorted(game.laid), but=seat)
    party.lay(seat, card, game.rows.place(card, seat))
    game.laid.add(card)
    party.wrote(seat, "play", card=card)
