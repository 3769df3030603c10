"""People play Five or Nine, or Sevens: rows that grow both ways; who cannot play presses and pays.

Faults: ``false_pass`` (presses although he could play), ``wrong_card`` (laid and taken back).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .. import actors
from .party import Party, shuffled
from .rows import Rows, stock_place


@dataclass(slots=True)
class _Game:
    party: Party
    rows: Rows
    opens: str = "59"
    table: list[str] = field(default_factory=list)

    @property
    def starters(self) -> str:
        """Ranks that may open a suit: a Nine only if a Nine came first."""
        return "5" if self.opens == "59" and self.table and self.table[0][0] == "5" else self.opens

    def fits(self, card: str) -> bool:
        ranks, suit = self.rows.ranks, card[1]
        mine = sorted(ranks.index(c[0]) for c in self.table if c[1] == suit)
        if not mine:
            return card[0] in self.starters
        return ranks.index(card[0]) in (mine[0] - 1, mine[-1] + 1)


def play(
    party: Party, dealer: int, *, ranks: str = "3456789TJ", stock: int = 4, max_moves: int = 120, opens: str = "59"
) -> dict[str, Any]:
    """Play one deal to its end, hands shown. Returns the deal as game.toml words it.

    ``opens``: ranks that open a suit; "7" without a stock is Sevens.
    """
    cards = shuffled(party.rng, ranks)
    party.deal(cards[stock:], dealer)
    if stock:
        party.stage.put("stock", stock_place(party), "stock", count=stock)
    game = _Game(party, Rows(party, ranks), opens)
    seat = party.left_of(dealer)
    deal: dict[str, Any] = {"counts": party.counts(), "stock": stock, "ranks": ranks}
    party.opening = {"turn": party.name(seat), "counts": party.counts(), "ranks": ranks, "suits": "SHDC"}
    passes = 0
    while len(party.moves) < max_moves and passes < party.count:
        passes = 0 if _turn(game, seat) else passes + 1
        if not party.hands[seat]:
            break
        seat = party.left_of(seat)
    out = next((s for s, hand in party.hands.items() if not hand), None)
    if out or passes == party.count:
        party.opening["final_hands"] = party.show_hands(out)
    return deal


def _turn(game: _Game, seat: int) -> bool:
    """One seat's turn; False if he passed."""
    party = game.party
    party.stage.wait()
    actors.idle(party.stage, but=seat)
    party.disturb(game.table, but=seat)
    lawful = [card for card in party.hands[seat] if game.fits(card)]
    if len(lawful) < len(party.hands[seat]) and game.table and party.commits("wrong_card", 0.25):
        _wrong(game, seat)
    if not lawful or (len(game.table) > 4 and party.commits("false_pass", 0.4)):
        actors.press(party.stage, seat)
        party.wrote(seat, "pass")
        return False
    _lay(game, seat, party.rng.choice(lawful))
    return True


def _lay(game: _Game, seat: int, card: str) -> None:
    party = game.party
    party.lay(seat, card, game.rows.place(card, seat))
    game.table.append(card)
    party.wrote(seat, "play", card=card)


def _wrong(game: _Game, seat: int) -> None:
    party = game.party
    open_suits = list(game.rows.suits)
    bad = [c for c in party.hands[seat] if not game.fits(c) and c[1] in open_suits]
    if not bad:
        party.faults.add("wrong_card")
        return
    card = party.rng.choice(bad)
    actors.lay(party.stage, seat, card, game.rows.place(card, seat), "layout")
    party.wrote(seat, "play", card=card)
    party.stage.wait(1.2)
    actors.take_back(party.stage, seat, card, "layout")
