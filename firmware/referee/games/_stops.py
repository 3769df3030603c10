"""What the games of stops share: cards held back, and cards left in the hands when somebody is out."""

from __future__ import annotations

from ..acts import Claim, Transfer
from ..cards import BIT, Card
from ..knowledge import Proof


def held_back(live: tuple[int, ...], need: Card, seat: int) -> Claim:
    """Nobody laid ``need`` when ``seat`` said stop: all who play claim that they have not got it."""
    return Claim(live, BIT[need], "HELD_BACK", f"nobody laid {need.pretty} when {{{seat}}} said stop")


def held_back_fine(proof: Proof, winner: int | None, fine: int) -> Transfer:
    """The fine for a card that was held back; it waits where nobody has won."""
    seat = proof.seat or 0
    why = f"{{{seat}}} is fined {{n}} for holding back {proof.cards[0].pretty}"
    return Transfer(seat, winner or "fines", fine, "FINE", why, (proof.made.entry,))


def cards_left(live: tuple[int, ...], counts: tuple[int | None, ...], winner: int, each: int) -> tuple[Transfer, ...]:
    """Whoever plays pays the winner ``each`` for every card left in his hand."""
    return tuple(
        Transfer(s, winner, (n or 0) * each, "CARDS", f"{{{s}}} pays {{{winner}}} {{n}} for the {n} cards left")
        for s, n in enumerate(counts, start=1)
        if s != winner and s in live
    )
