"""From corner indices to cards on the table: which card, lying where, and how sure.

Joins the two indices of a card, in millimetres, and votes over frames: corners are independent witnesses and multiply,
frames of a still table are not and are averaged. A tie is "?", never a guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from .pose import Pose
from .surface import Surface

Floats = NDArray[np.float64]

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
UNREAD: Final = "?"

INDEX_MM: Final = (5.5, 13.0)
"""Middle of an index from its own corner of a card, until a card that shows both tells this pack's own."""

_INSET_RANGE_MM: Final = ((2.5, 10.0), (8.0, 20.0))
"""Where the middle of an index may lie on any pack, poker size; other sizes are rare and near it."""

_OPPOSITE_DEG: Final = 28.0
"""The two indices of a card point opposite ways, within this (short vectors: 1 px of 10 is 6 degrees, twice)."""

_CONFIDENT: Final = 0.6
"""Readings that disagree are of two cards from this confidence of both on; below, one of them is a misreading."""

_FLOOR: Final = 1e-3
"""No reading rules a card out altogether: a glyph may be hidden."""

_SAME_CARD_MM: Final = 30.0
"""... or than this when both say the same card: each corner alone has its own error."""

_SAME_MM: Final = 12.0
"""Sightings of two frames are one card when their middles are closer than this (one index tells it to 4 mm)."""


_SAME_INDEX_MM: Final = 4.0
"""Two pictures' finds of one index scatter by less than this; the next card's index is 12 mm away and more."""

_SAME_DEG: Final = 30.0
"""... and by less than this: short vectors, 1 px of 10 is 6 degrees."""


class IndexLike(Protocol):
    """What the reader says of one index (vision.reader.Index)."""

    @property
    def rank_px(self) -> tuple[float, float]:
        """Place of the rank, px."""

    @property
    def suit_px(self) -> tuple[float, float]:
        """Place of the suit, px."""

    @property
    def rank_p(self) -> tuple[float, ...]:
        """Probabilities in the order of RANKS."""

    @property
    def suit_p(self) -> tuple[float, ...]:
        """Probabilities in the order of SUITS."""


@dataclass(frozen=True, slots=True)
class Corner:
    """One index on the table: its middle and direction in mm, log probabilities in the order of RANKS and SUITS."""

    middle: Floats
    down: Floats
    rank: Floats
    suit: Floats

    @property
    def confidence(self) -> float:
        """Of its likeliest card, 0..1."""
        return _sure(self.rank, self.suit)


@dataclass(frozen=True, slots=True)
class Sighting:
    """A face-up card seen: ``corners`` one or two; ``frames``: how many pictures the vote counts."""

    pose: Pose
    rank: Floats
    suit: Floats
    corners: tuple[Corner, ...]
    frames: int = 1

    @property
    def card(self) -> str:
        """The likeliest card, however unlikely."""
        return RANKS[int(np.argmax(self.rank))] + SUITS[int(np.argmax(self.suit))]

    @property
    def confidence(self) -> float:
        """Of `card`, 0..1."""
        return _sure(self.rank, self.suit)

    def doubted(self) -> Sighting:
        """The same card, its reading not to be relied on."""
        return replace(self, rank=np.zeros_like(self.rank), suit=np.zeros_like(self.suit))

    def named(self, threshold: float) -> str:
        """`card`, or "?" below the threshold."""
        return self.card if self.confidence >= threshold else UNREAD


def corner(index: IndexLike, surface: Surface) -> Corner:
    """An index of the picture, on the table."""
    rank, suit = surface.mm([index.rank_px, index.suit_px])
    span = suit - rank
    return Corner((rank + suit) / 2, span / max(float(np.hypot(*span)), 1e-6), _log(index.rank_p), _log(index.suit_p))


def sight(
    corners: Sequence[Corner],
    card_mm: tuple[float, float],
    inset_mm: tuple[float, float] = INDEX_MM,
    one_card: bool = False,
) -> list[Sighting]:
    """The cards that these corners belong to; ``inset_mm`` places a card of which one index shows.

    Corners that name different cards are not joined, unless ``one_card``: then they are known to be one card's.
    """
    left = sorted(corners, key=lambda c: -(c.rank.max() + c.suit.max()))
    sightings = []
    while left:
        first = left.pop(0)
        partners = [
            (miss, c)
            for c in left
            if (one_card or not _contradict(first, c)) and (miss := _misfit(first, c, card_mm, inset_mm)) is not None
        ]
        other = min(partners, key=lambda p: p[0])[1] if partners else None
        if other is not None:
            left = [c for c in left if c is not other]
        sightings.append(
            _pair(first, other, card_mm, inset_mm) if other is not None else _single(first, card_mm, inset_mm)
        )
    return sightings


def rejoin(
    sightings: Sequence[Sighting], card_mm: tuple[float, float], inset_mm: tuple[float, float]
) -> list[Sighting]:
    """Single corners that contradict each other and are no known card's belong to one card after all: in doubt."""
    whole = [one for one in sightings if len(one.corners) == 2]
    single = [one for one in sightings if len(one.corners) == 1]
    corners = [Corner(one.corners[0].middle, one.corners[0].down, one.rank, one.suit) for one in single]
    frames = max((one.frames for one in single), default=1)
    return whole + [replace(one, frames=frames) for one in sight(corners, card_mm, inset_mm, one_card=True)]


def inset(sighting: Sighting, card_mm: tuple[float, float]) -> tuple[float, float] | None:
    """Where this pack's indices lie from their corner, told by a card that shows both; None otherwise."""
    if len(sighting.corners) != 2:
        return None
    across = sighting.corners[1].middle - sighting.corners[0].middle
    x, y = across @ sighting.pose.right, across @ sighting.pose.down
    return float(card_mm[0] - abs(x)) / 2, float(card_mm[1] - abs(y)) / 2


def vote(
    frames: Iterable[Sequence[Sighting]], card_mm: tuple[float, float], inset_mm: tuple[float, float] = INDEX_MM
) -> list[Sighting]:
    """Sightings of several pictures of a still table, joined by place; the newest place counts."""
    groups: list[list[Sighting]] = []
    for frame in frames:
        for one in frame:
            group = next((g for g in groups if _same_place(g[-1], one)), None)
            if group is None:
                groups.append([one])
            else:
                group.append(one)
    return [_mean(group, card_mm, inset_mm) for group in groups]


def _same_place(a: Sighting, b: Sighting) -> bool:
    """Are two pictures' sightings of one card? One index that was read as two cards is still one index."""
    if any(_same_index(one, other) for one in a.corners for other in b.corners):
        return True
    near = a.pose.distance(b.pose) < _SAME_CARD_MM if a.card == b.card else a.pose.distance(b.pose) < _SAME_MM
    return near and (a.card == b.card or not _contradict(a, b)) and a.pose.turned(b.pose, half=True) < _SAME_DEG


def _same_index(a: Corner, b: Corner) -> bool:
    apart = float(np.hypot(*(a.middle - b.middle)))
    return apart < _SAME_INDEX_MM and float(a.down @ b.down) > np.cos(np.radians(_SAME_DEG))


def _mean(group: Sequence[Sighting], card_mm: tuple[float, float], inset_mm: tuple[float, float]) -> Sighting:
    """The vote of the frames that saw most corners; two frames that saw one corner each show the card by both."""
    best = max(reversed(group), key=lambda s: len(s.corners))
    frames = len(group)
    group = [one for one in group if len(one.corners) == len(best.corners)]
    if len(best.corners) == 1:
        other = next((s for s in group if float(s.corners[0].down @ best.corners[0].down) < 0), None)
        if other is not None:
            best = _pair(best.corners[0], other.corners[0], card_mm, inset_mm)
    rank = np.mean([_normal_log(s.rank) for s in group], axis=0)
    suit = np.mean([_normal_log(s.suit) for s in group], axis=0)
    return Sighting(best.pose, rank, suit, best.corners, frames)


def _contradict(a: Corner | Sighting, b: Corner | Sighting) -> bool:
    """Do two readings name different cards, each with confidence? Then they are two cards, one askew on the other."""
    names = [(int(np.argmax(one.rank)), int(np.argmax(one.suit))) for one in (a, b)]
    return names[0] != names[1] and min(a.confidence, b.confidence) > _CONFIDENT


def _sure(rank: Floats, suit: Floats) -> float:
    return float(_normal(rank).max() * _normal(suit).max())


def _misfit(a: Corner, b: Corner, card_mm: tuple[float, float], inset_mm: tuple[float, float]) -> float | None:
    """How far (mm) two corners are from being those of one card, None if they cannot be."""
    if float(a.down @ b.down) > -np.cos(np.radians(_OPPOSITE_DEG)):
        return None
    across = b.middle - a.middle
    down = _down(across, card_mm, inset_mm)
    if min(float(a.down @ down), -float(b.down @ down)) < np.cos(np.radians(_OPPOSITE_DEG)):
        return None
    right = np.array([down[1], -down[0]])
    inset_x, inset_y = (card_mm[0] - across @ right) / 2, (card_mm[1] - across @ down) / 2
    (least_x, most_x), (least_y, most_y) = _INSET_RANGE_MM
    if not (least_x <= inset_x <= most_x and least_y <= inset_y <= most_y):
        return None
    return float(np.hypot(inset_x - inset_mm[0], inset_y - inset_mm[1]))


def _down(across: Floats, card_mm: tuple[float, float], inset_mm: tuple[float, float]) -> Floats:
    """The way down a card, told by the line from one of its indices to the other: longer than any index, so surer."""
    x, y = card_mm[0] - 2 * inset_mm[0], card_mm[1] - 2 * inset_mm[1]
    turn = np.arctan2(across[1], across[0]) - np.arctan2(y, x)
    return np.array([-np.sin(turn), np.cos(turn)])


def _pair(first: Corner, other: Corner, card_mm: tuple[float, float], inset_mm: tuple[float, float]) -> Sighting:
    pose = Pose.of((first.middle + other.middle) / 2, _down(other.middle - first.middle, card_mm, inset_mm))
    return Sighting(pose, first.rank + other.rank, first.suit + other.suit, (first, other))


def _single(first: Corner, card_mm: tuple[float, float], inset_mm: tuple[float, float]) -> Sighting:
    right = np.array([first.down[1], -first.down[0]])
    middle = first.middle + right * (card_mm[0] / 2 - inset_mm[0]) + first.down * (card_mm[1] / 2 - inset_mm[1])
    return Sighting(Pose.of(middle, first.down), first.rank, first.suit, (first,))


def _log(p: Sequence[float]) -> Floats:
    return np.asarray(np.log(np.maximum(np.asarray(p, float), _FLOOR)))


def _normal_log(log: Floats) -> Floats:
    return np.asarray(log - log.max() - np.log(np.exp(log - log.max()).sum()))


def _normal(log: Floats) -> Floats:
    return np.asarray(np.exp(_normal_log(log)))
