"""Readings of places that have changed, collected over a few frames before anything is said about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from .gate import Rest, Scene
from .sightings import INDEX_MM, IndexLike, Sighting, corner, inset, sight, vote
from .surface import Surface

Image = NDArray[np.uint8]
Region = tuple[float, float, float, float]

_READ_FROM_S: Final = 0.05
"""A place is read from the second frame on that it lies still and free."""

_READ_AGAIN_S: Final = 0.06
"""Readings are at least so far apart: two frames of one moment say the same."""

MOST_READINGS: Final = 6
"""More readings of a still place tell nothing new."""

_LEAST_SURE: Final = 0.2
"""A find less sure than this of any card is a pip or a court's ornament (random guessing has 0.02)."""

SCALES: Final = (1.0, 0.86, 1.16)
"""Each reading at another scale: frames of a still table repeat their mistakes, scales do less so."""

_MARGIN_MM: Final = 18.0
"""Read so far round a change: the index of a card of which only the middle changed lies this near."""

_SAME_CHANGE: Final = 0.5
"""A change is the one of the last frame when they share so much of the smaller."""

_INSET_RATE: Final = 0.2
"""How fast the known place of this pack's indices follows what is seen."""


class CardReader(Protocol):
    """What reads indices (vision.reader.Reader, or a fake in tests)."""

    @property
    def threshold(self) -> float:
        """Least confidence of a reading that is not "?"."""

    def indices(self, image: Image, card_px: float, region: Region | None = None) -> Sequence[IndexLike]:
        """Corner indices in a region of the picture."""


@dataclass(slots=True)
class Ballot:
    """The readings of one changed place."""

    rest: Rest
    frames: list[list[Sighting]] = field(default_factory=list)
    read_s: float = -1.0
    tried_s: float = -1.0


@dataclass(slots=True)
class Ballots:
    """Reads the changed places of each scene and remembers what was read."""

    surface: Surface
    reader: CardReader
    open: list[Ballot] = field(default_factory=list)
    inset_mm: tuple[float, float] = INDEX_MM

    def read(self, image: Image, scene: Scene) -> list[Ballot]:
        """The ballot of each place that lies still in this scene, one more reading in it."""
        ballots = [self._ballot(rest) for rest in scene.rests]
        self.open = ballots
        for ballot in ballots:
            if scene.seconds - ballot.rest.free_s >= _READ_FROM_S and self._due(ballot, scene.seconds):
                scale = SCALES[len(ballot.frames) % len(SCALES)]
                ballot.frames.append(self.look(image, ballot.rest.region_px, scale))
                ballot.read_s = scene.seconds
        return ballots

    def look(self, image: Image, region: Region | None = None, scale: float = 1.0) -> list[Sighting]:
        """The cards in a region of the picture, from one frame; ``scale``: as if cards were so much larger."""
        margin = _MARGIN_MM * self.surface.px_per_mm
        if region is not None:
            region = region[0] - margin, region[1] - margin, region[2] + margin, region[3] + margin
        indices = self.reader.indices(image, self.surface.card_px * scale, region)
        corners = [c for index in indices if (c := corner(index, self.surface)).confidence >= _LEAST_SURE]
        sightings = sight(corners, self.surface.card_mm, self.inset_mm)
        self._learn(sightings)
        return sightings

    def result(self, ballot: Ballot) -> list[Sighting]:
        """The vote over all readings of a place."""
        return self.voted(ballot.frames)

    def voted(self, frames: Sequence[Sequence[Sighting]]) -> list[Sighting]:
        """The vote over several readings of a still place."""
        return vote(frames, self.surface.card_mm, self.inset_mm)

    def _due(self, ballot: Ballot, seconds: float) -> bool:
        return len(ballot.frames) < MOST_READINGS and seconds - ballot.read_s >= _READ_AGAIN_S

    def _ballot(self, rest: Rest) -> Ballot:
        for ballot in self.open:
            shared = cv2.countNonZero(cv2.bitwise_and(ballot.rest.mask, rest.mask))
            least = min(cv2.countNonZero(ballot.rest.mask), cv2.countNonZero(rest.mask))
            if shared >= _SAME_CHANGE * least:
                kept = ballot.frames if rest.free_s < ballot.read_s + 1.0 and _still(ballot.rest, rest) else []
                return Ballot(rest, kept, ballot.read_s if kept else -1.0, ballot.tried_s if kept else -1.0)
        return Ballot(rest)

    def _learn(self, sightings: list[Sighting]) -> None:
        """Where this pack's indices lie, from cards that show both and read well."""
        for one in sightings:
            place = inset(one, self.surface.card_mm)
            if place is None or one.confidence < self.reader.threshold:
                continue
            old = self.inset_mm
            self.inset_mm = (
                old[0] + _INSET_RATE * (place[0] - old[0]),
                old[1] + _INSET_RATE * (place[1] - old[1]),
            )


def _still(was: Rest, now: Rest) -> bool:
    """Has nothing moved there since? (Then earlier readings count.)"""
    return now.free_s <= was.free_s + 1e-6 or not now.handed
