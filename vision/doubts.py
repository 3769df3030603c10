"""Cards that could not be read are looked at again while the table is quiet: seldom, and not for ever.

Glare moves, focus settles, a sleeve's shadow goes: a "?" need not stay one until somebody touches it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .ballots import SCALES, Ballots
from .compare import same_place
from .gate import Scene
from .layout import Lying
from .sightings import Sighting
from .words import UNREAD

Image = NDArray[np.uint8]
Region = tuple[float, float, float, float]

_FIRST_S: Final = 0.5
"""The first look again comes so long after the card was laid ..."""

_SLOWER: Final = 1.6
"""... and each further one after so many times as long: eight looks reach to 35 s."""

_MOST: Final = 8
"""After so many looks in the same light another would say the same."""

_OTHER_LIGHT: Final = 0.06
"""The light has changed when the picture is brighter or darker by this share: there may be no glare now."""

_LEAST_FRAMES: Final = 3
"""A card is named by so many looks that agree, each at another scale."""


@dataclass(slots=True)
class _Doubt:
    """What later looks at one card have said; ``due_s``: when to look again, after waiting ``wait_s``."""

    due_s: float
    light: float
    wait_s: float = _FIRST_S
    looks: int = 0
    frames: list[list[Sighting]] = field(default_factory=list)


@dataclass(slots=True)
class Doubts:
    """The unread cards on the table; at most one is looked at in a frame."""

    ballots: Ballots
    _open: dict[int, _Doubt] = field(default_factory=dict)

    def look(
        self, image: Image, scene: Scene, cards: Iterable[Lying], region: Callable[[Lying], Region]
    ) -> tuple[Lying, Sighting] | None:
        """Look at the unread card whose turn it is, if any; the card and what it is, once that is clear.

        ``region``: where a card lies, picture pixels.
        """
        unread = {card.id: card for card in cards if card.face == UNREAD}
        self._open = {one: doubt for one, doubt in self._open.items() if one in unread}
        for card in unread.values():
            doubt = self._open.setdefault(card.id, _Doubt(scene.seconds + _FIRST_S, scene.light))
            if abs(scene.light - doubt.light) > _OTHER_LIGHT * doubt.light:
                self._open[card.id] = doubt = _Doubt(scene.seconds, scene.light)
            if doubt.looks < _MOST and scene.seconds >= doubt.due_s and not (scene.hand_of[card.mask > 0] > 0).any():
                return self._look(image, scene, card, region(card))
        return None

    def _look(self, image: Image, scene: Scene, card: Lying, region: Region) -> tuple[Lying, Sighting] | None:
        doubt = self._open[card.id]
        seen = self.ballots.look(image, region, SCALES[doubt.looks % len(SCALES)])
        doubt.frames.append([one for one in seen if same_place(one.pose, card.pose)])
        doubt.looks += 1
        doubt.due_s, doubt.wait_s = scene.seconds + doubt.wait_s, doubt.wait_s * _SLOWER
        told = self.ballots.voted(doubt.frames)
        best = max(told, key=lambda one: (one.frames, one.confidence), default=None)
        return None if best is None or best.frames < _LEAST_FRAMES else (card, best)
