"""The cards known to lie on the table, in their order from below, and what of each can be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from .pose import Pose
from .words import Seen

Mask = NDArray[np.uint8]


@dataclass(slots=True, eq=False)
class Lying:
    """One physical card on the table. ``mask``: its rectangle in small pixels; ``since``: when it came to lie so.

    ``confidence``: of the reading that named its face; ``likely``: what a face that could not be read is most likely.
    """

    id: int
    face: str
    pose: Pose
    mask: Mask
    since: float
    confidence: float = 1.0
    likely: str = ""

    @property
    def seen(self) -> Seen:
        """As the tracker's words name it."""
        return Seen(self.id, self.face, self.pose)

    @property
    def area(self) -> int:
        """Small pixels of the whole card."""
        return max(1, cv2.countNonZero(self.mask))


@dataclass(slots=True)
class Layout:
    """All cards that lie on the table, the lowest first. ``raster``: outline in mm -> small mask."""

    raster: Callable[[Any], Mask]
    card_mm: tuple[float, float]
    cards: list[Lying] = field(default_factory=list)
    next_id: int = 1

    def __iter__(self) -> Iterator[Lying]:
        return iter(self.cards)

    def mask(self, pose: Pose) -> Mask:
        """The small pixels of a card at ``pose``."""
        return self.raster(pose.outline(self.card_mm))

    def lay(self, face: str, pose: Pose, t: float, card_id: int | None = None) -> Lying:
        """Put a card on top; it gets a new identity unless one is given."""
        if card_id is None:
            card_id, self.next_id = self.next_id, self.next_id + 1
        card = Lying(card_id, face, pose, self.mask(pose), t)
        self.cards.append(card)
        return card

    def slip_under(self, cards: Sequence[Lying], top: Lying) -> None:
        """Put ``cards`` (top one first) back directly under ``top``."""
        place = self.cards.index(top)
        self.cards[place:place] = list(reversed(cards))

    def take(self, card: Lying) -> None:
        """Remove a card."""
        self.cards.remove(card)

    def move(self, card: Lying, pose: Pose) -> None:
        """The card lies elsewhere now; its place in the order stays."""
        card.pose = pose
        card.mask = self.mask(pose)

    def named(self, face: str) -> Lying | None:
        """The card that shows ``face``, the topmost of them."""
        return next((c for c in reversed(self.cards) if c.face == face), None)

    def visible(self, card: Lying) -> Mask:
        """The small pixels of a card that no other card covers."""
        mask = card.mask.copy()
        for above in self.cards[self.cards.index(card) + 1 :]:
            mask[above.mask > 0] = 0
        return mask

    def any_mask(self) -> Mask:
        """Where any card lies."""
        mask = self.raster(np.zeros((3, 2)) - 1e4)
        for card in self.cards:
            mask[card.mask > 0] = 255
        return mask
