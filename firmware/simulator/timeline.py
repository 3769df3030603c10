"""What moves when: keys of cards and hands over time, and the table at any moment. Pure; draws nothing."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import hands
from .geometry import Place, Seat

#: Two keys closer than this (mm, degrees) are the same place: the card does not move.
_STILL = 1e-6


@dataclass(frozen=True, slots=True)
class CardKey:
    """Where a card (or a pack of ``count`` cards) is from ``t_s`` on.

    ``glides``: it moved (and turned over, if ``up`` changed) here since the key before; otherwise it was put here at
    once.  ``z``: higher lies above.  ``shown`` false: it is in a hand or under a pack.
    """

    t_s: float
    place: Place
    up: bool = True
    z: float = 0.0
    glides: bool = False
    shown: bool = True
    count: int = 1


@dataclass(frozen=True, slots=True)
class CardTrack:
    """One physical card, or one pack of cards: its face (``"7H"``, empty for a pack of backs) and its keys in order."""

    face: str
    keys: tuple[CardKey, ...]

    def at(self, t_s: float) -> Shown | None:
        """The card as it shows at ``t_s``, or None."""
        k = bisect_right([key.t_s for key in self.keys], t_s) - 1
        if k < 0:
            return None
        here = self.keys[k]
        after = self.keys[k + 1] if k + 1 < len(self.keys) else None
        if not here.shown or not here.count:
            return None
        if after is None or not after.glides or _same(here, after):
            return Shown(self.face, here.place, here.up, here.z, here.count)
        return _between(self.face, here, after, t_s)


def _same(a: CardKey, b: CardKey) -> bool:
    p, q = a.place, b.place
    gap = abs(p.x_mm - q.x_mm) + abs(p.y_mm - q.y_mm) + abs(p.angle_deg - q.angle_deg)
    return a.up == b.up and gap < _STILL


def _between(face: str, a: CardKey, b: CardKey, t_s: float) -> Shown:
    share = (t_s - a.t_s) / (b.t_s - a.t_s)
    p = ease(share)
    place = Place(*(m + (n - m) * p for m, n in zip(_values(a.place), _values(b.place), strict=True)))
    if a.up == b.up:
        return Shown(face, place, b.up, max(a.z, b.z), b.count, moving=True)
    return Shown(face, place, b.up if p > 0.5 else a.up, max(a.z, b.z), b.count, abs(math.cos(math.pi * p)), True)


def _values(place: Place) -> tuple[float, float, float]:
    return (place.x_mm, place.y_mm, place.angle_deg)


@dataclass(frozen=True, slots=True)
class Shown:
    """A card as it lies or moves at one moment. ``squeeze``: its apparent width while it is being turned over."""

    face: str
    place: Place
    up: bool
    z: float
    count: int = 1
    squeeze: float = 1.0
    moving: bool = False


@dataclass(frozen=True, slots=True)
class HandKey:
    """Where a hand's working point is at ``t_s``, and what the fingers do from then on."""

    t_s: float
    x_mm: float
    y_mm: float
    grip: hands.Grip = hands.Grip.HOLD


@dataclass(frozen=True, slots=True)
class HandTrack:
    """One coming and going of a player's hand."""

    seat: Seat
    keys: tuple[HandKey, ...]

    def at(self, t_s: float) -> HandShown | None:
        """The hand at ``t_s``, or None while it is away."""
        if not self.keys[0].t_s <= t_s <= self.keys[-1].t_s:
            return None
        k = min(bisect_right([key.t_s for key in self.keys], t_s), len(self.keys) - 1)
        a, b = self.keys[k - 1], self.keys[k]
        p = ease((t_s - a.t_s) / max(b.t_s - a.t_s, 1e-9))
        return HandShown(self.seat, a.x_mm + (b.x_mm - a.x_mm) * p, a.y_mm + (b.y_mm - a.y_mm) * p, a.grip)


@dataclass(frozen=True, slots=True)
class HandShown:
    """A hand at one moment: whose, where its working point is, and its grip."""

    seat: Seat
    x_mm: float
    y_mm: float
    grip: hands.Grip

    @property
    def lean_deg(self) -> float:
        """How far the arm leans clockwise from straight down the picture: it comes from the shoulder."""
        sx, sy = self.seat.shoulder
        return math.degrees(math.atan2(-(sx - self.x_mm), sy - self.y_mm))


def ease(share: float) -> float:
    """Smooth start and stop: 0..1 to 0..1."""
    p = min(max(share, 0.0), 1.0)
    return p * p * (3 - 2 * p)


@dataclass(frozen=True, slots=True)
class Press:
    """A button pressed: ``press`` is ``"short"`` or ``"long"``."""

    t_s: float
    seat: int
    press: str = "short"


@dataclass(frozen=True, slots=True)
class Timeline:
    """Everything that happens at a simulated table, and the truth about it as truth.jsonl words it."""

    cards: tuple[CardTrack, ...]
    hands: tuple[HandTrack, ...]
    presses: tuple[Press, ...]
    truth: tuple[dict[str, Any], ...]
    end_s: float

    def cards_at(self, t_s: float) -> list[Shown]:
        """All cards that show at ``t_s``, lowest first."""
        shown = [s for track in self.cards if (s := track.at(t_s)) is not None]
        return sorted(shown, key=lambda s: s.z)

    def hands_at(self, t_s: float) -> list[HandShown]:
        """All hands over the table at ``t_s``."""
        return [h for track in self.hands if (h := track.at(t_s)) is not None]


#: Resolution of the hand outlines with which cover is measured, px/mm.
_COVER_PX_PER_MM = 0.5
_GRID = np.stack(np.meshgrid(np.linspace(-0.48, 0.48, 15), np.linspace(-0.48, 0.48, 21)), -1).reshape(-1, 2)


def cover(hand: HandShown, arm: hands.Arm, place: Place) -> float:
    """The share of a card at ``place`` that the hand covers, 0..1, measured at 315 points of the card."""
    turned = place.corners()
    points = turned[0] + (_GRID + 0.5) @ np.stack([turned[1] - turned[0], turned[3] - turned[0]])
    shape = hands.sprite(arm, hand.grip, _COVER_PX_PER_MM)
    affine = np.vstack([shape.placement((hand.x_mm, hand.y_mm), hand.lean_deg, 1.0), [0, 0, 1]])
    back = np.linalg.inv(affine)
    px = np.floor(points @ back[:2, :2].T + back[:2, 2]).astype(int)
    h, w = shape.image.shape[:2]
    inside = (px[:, 0] >= 0) & (px[:, 0] < w) & (px[:, 1] >= 0) & (px[:, 1] < h)
    alpha = shape.image[px[inside, 1], px[inside, 0], 3]
    return float((alpha > 127).sum() / len(points))
