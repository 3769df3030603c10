"""Arms over the table: whom to credit with what happened at a place."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .gate import Gate, Hand, Scene
from .words import Credit

Mask = NDArray[np.uint8]
Point = tuple[float, float]

SAME_ARM_MM: Final = 180.0
"""An arm that comes back crosses the edge within this; neighbours sit twice as far apart."""

_CREDIT_S: Final = 3.0
"""A card is credited to the hand that was last over it within this time."""

_VISIT_S: Final = 0.6
"""... and of these only the newest visit counts: a white card laid half over a white one leaves the older card's hand
on the pixels that did not change."""

_KEEP_HANDS: Final = 64
"""Hands remembered: cards are credited seconds after a hand left, not minutes."""


def same_arm(a: Point, b: Point) -> bool:
    """Do two places at the picture's edge (mm) belong to one person's arm?"""
    return math.dist(a, b) < SAME_ARM_MM


@dataclass(slots=True)
class Hands:
    """The hands seen lately."""

    gate: Gate
    known: dict[int, Hand] = field(default_factory=dict)

    def remember(self, scene: Scene) -> None:
        """Note who is there now."""
        for hand in (*scene.hands, *scene.left):
            self.known[hand.id] = hand
        while len(self.known) > _KEEP_HANDS:
            del self.known[min(self.known)]

    def credit(self, place: Mask, scene: Scene) -> Credit | None:
        """The hand that was last over most of ``place``; fingers of one arm count together.

        None where no hand was, and where what changed there came while nobody looked.
        """
        if self.gate.witness.since(place, scene.changed) is not None:
            return None
        since = max(scene.seconds - _CREDIT_S, self.gate.last_visit(place) - _VISIT_S)
        ids, counts = np.unique(self.gate.owners(place, since), return_counts=True)
        votes = {int(i): int(n) for i, n in zip(ids, counts, strict=True) if int(i) in self.known}
        if not votes:
            return None
        hand = self.known[max(votes, key=lambda i: votes[i])]
        of_arm = sum(n for i, n in votes.items() if same_arm(self.known[i].entry_mm, hand.entry_mm))
        return Credit(hand.id, hand.entry_mm, of_arm / int(counts.sum()))

    def one(self, hand_id: int) -> Credit | None:
        """The hand of this id, for certain; None when it is forgotten."""
        hand = self.known.get(hand_id)
        return None if hand is None else Credit(hand.id, hand.entry_mm, 1.0)


def still_here(hand: Hand, scene: Scene) -> bool:
    """Fingers at the edge come and go as hands of their own: is the arm still there?"""
    return any(same_arm(other.contact_mm, hand.contact_mm) for other in scene.hands)
