"""From vision's words to the referee's facts: millimetres become zones, arms become seats. It knows no rule.

What needs more than one word to be told is held here until it can be: cards in somebody's hand (taken back, gathered,
turned down or only moved?), face-down cards on their way between two seats, a cut.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pose import Pose
from vision.words import (
    BACK,
    UNREAD,
    Corrected,
    Credit,
    HandLeft,
    Lifted,
    Rested,
    Returned,
    Seen,
    Trouble,
    Twice,
    Uncovered,
    Word,
)

from .referee.cards import Card
from .referee.events import Conflict, Cut, Exchanged, ExchangeRefused, Fact, Gathered, Laid, Note, TakenBack, TurnedDown

Image = NDArray[np.uint8]
Polygon = Sequence[Sequence[float]]

_CLEAR_OF: Final = 2.0
"""A seat is certain when the next one is this many times as far from where the arm came in."""

_OWN_PLACE_MM: Final = 45.0
"""A face-down card lies at a place when it is within half its height of where that place's card lay."""

_BESIDE_MM: Final = 140.0
"""A card pushed beside another lies within its own diagonal (108 mm) and some."""

_HOLD_S: Final = 6.0
"""Cards taken up whose arm was lost from sight are said to be taken after this."""

_LINGER_S: Final = 1.4
"""Several cards swept up by an arm that has gone may lie there still, as a packet face down that is told a little
later (it is looked at for 1.2 s at most)."""

_SAME_ARM_MM: Final = 180.0
"""As in the tracker: an arm crosses the edge within this while it works."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A fact as the camera saw it, with its proof.

    ``t``: when it happened, ``at``: time of the newest frame used. ``confidence`` of the reading, ``seat_confidence``
    of whose hand. ``card_id``: the tracker's card; ``corrects``: this replaces what was said of that card before.
    ``evidence``: BGR crop round the place; ``whole``: the table, small.
    """

    fact: Fact
    t: float
    at: float
    confidence: float = 1.0
    seat_confidence: float = 1.0
    place_mm: tuple[float, float] | None = None
    card_id: int | None = None
    corrects: int | None = None
    evidence: Image | None = None
    whole: Image | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """The table's zones: names and polygons in mm."""

    zones: tuple[tuple[str, Polygon], ...]

    def zone(self, place_mm: tuple[float, float]) -> str:
        """The zone that holds the place; in a gap the nearest."""
        return max(self.zones, key=lambda z: _inside_mm(z[1], place_mm))[0]

    def seat_in(self, zone: str) -> int | None:
        """The seat whose zone this is."""
        name, _, number = zone.partition("-")
        return int(number) if name == "seat" and number.isdigit() else None

    def seat_of(self, credit: Credit | None) -> tuple[int | None, float]:
        """The seat from whose side an arm came in, and how sure (0..1); None when no arm was seen."""
        if credit is None:
            return None, 0.0
        return self.seat_at(credit.entry_mm, credit.sure)

    def seat_at(self, entry_mm: tuple[float, float], sure: float = 1.0) -> tuple[int | None, float]:
        """The seat nearest to where an arm crosses the picture's edge."""
        far = sorted(
            (max(1.0, -_inside_mm(polygon, entry_mm)), seat)
            for name, polygon in self.zones
            if (seat := self.seat_in(name)) is not None
        )
        if not far:
            return None, 0.0
        clear = (far[1][0] / far[0][0] - 1) / (_CLEAR_OF - 1) if len(far) > 1 else 1.0
        return far[0][1], sure * min(1.0, max(0.0, clear))


@dataclass(frozen=True, slots=True)
class _InHand:
    """Face-up cards taken up together: from which zone, by which seat's arm."""

    cards: tuple[Seen, ...]
    zone: str
    seat: int | None
    sure: float
    entry_mm: tuple[float, float] | None
    t: float
    left_s: float | None = None
    """When the arm had gone, if it has."""

    @property
    def owner(self) -> int | None:
        """The seat in whose zone they lay."""
        name, _, number = self.zone.partition("-")
        return int(number) if name == "seat" else None

    @property
    def from_layout(self) -> bool:
        """A pile taken out of the common layout; a single card is taken back."""
        return self.owner is None and self.seat is not None and len(self.cards) > 1

    def waited(self, now: float) -> bool:
        """Must it be said now what became of them?"""
        lingers = self.left_s is not None and now - self.left_s > _LINGER_S
        return lingers or now - self.t > _HOLD_S

    @property
    def gathered(self) -> bool:
        """A pile taken by another seat's arm."""
        return self.owner is not None and self.seat is not None and self.seat != self.owner


@dataclass(slots=True)
class _Down:
    """A face-down card of a seat: where it belongs, and beside whose it was pushed."""

    seat: int
    home: Pose
    here: Pose
    beside: int | None = None


@dataclass(slots=True)
class Seating:
    """Hears the tracker's words one after another and answers with facts."""

    places: Places
    now: float = 0.0
    _in_hand: list[_InHand] = field(default_factory=list)
    _down: dict[int, _Down] = field(default_factory=dict)
    _cutting: dict[int, int] = field(default_factory=dict)
    _zone_of: dict[int, str] = field(default_factory=dict)

    def start(self, cards: Sequence[Seen]) -> None:
        """What lies on the table before anything happens: known, and no fact."""
        for card in cards:
            zone = self.places.zone(card.pose.middle)
            self._zone_of[card.id] = zone
            seat = self.places.seat_in(zone)
            if card.face == BACK and seat is not None:
                self._down[card.id] = _Down(seat, card.pose, card.pose)

    def hear(self, word: Word, at: float) -> list[Observation]:
        """The facts that this word completes; ``at`` is the time of the frame that gave it."""
        self.now = at
        told = self._heard(word)
        done = [held for held in self._in_hand if held.left_s is not None] if told else []
        self._in_hand = [held for held in self._in_hand if held not in done]
        return [o for held in done for o in self._release(held, held.left_s or held.t)] + told

    def _heard(self, word: Word) -> list[Observation]:
        match word:
            case Rested() if word.card.face == BACK:
                return self._back_rested(word)
            case Rested():
                return self._face_rested(word)
            case Lifted():
                return self._lifted(word)
            case Returned():
                return self._returned(word)
            case Uncovered():
                return self._uncovered(word)
            case HandLeft():
                return self._arm_gone(word.entry_mm, word.t)
            case Twice():
                return self._twice(word)
            case Corrected():
                return self._corrected(word)
            case Trouble():
                code = f"CAMERA_{word.code}" + ("_OVER" if word.over else "")
                return [self._say(Note(code, "" if word.over else word.code.words), word.t)]
        return []

    def tick(self, at: float) -> list[Observation]:
        """Say what has waited too long for its arm to be seen leaving."""
        self.now = at
        old = [held for held in self._in_hand if held.waited(at)]
        self._in_hand = [held for held in self._in_hand if held not in old]
        return [o for held in old for o in self._release(held, held.left_s or held.t)]

    def pending_since(self) -> float | None:
        """The earliest time at which something not yet told may have happened; None when all is told."""
        return min((held.t for held in self._in_hand if held.left_s is not None), default=None)

    # --- faces -----------------------------------------------------------------------------------------------

    def _face_rested(self, word: Rested) -> list[Observation]:
        zone = self.places.zone(word.card.pose.middle)
        seat, sure = self.places.seat_of(word.credit)
        before = self._carried(word.card.id)
        self._zone_of[word.card.id] = zone
        self._down.pop(word.card.id, None)
        if before is not None and before.zone == zone:
            return []
        out = [] if before is None else self._taken((word.card,), before, word.t)
        fact = Laid(_card(word.card.face), zone, seat)
        return [*out, self._say(fact, word.t, word.confidence, sure, word.card)]

    def _carried(self, card_id: int) -> _InHand | None:
        """If this card is in somebody's hand, take it out; what it was taken with stays there."""
        for held in self._in_hand:
            if any(card.id == card_id for card in held.cards):
                self._in_hand.remove(held)
                rest = tuple(card for card in held.cards if card.id != card_id)
                if rest:
                    self._in_hand.append(_InHand(rest, held.zone, held.seat, held.sure, held.entry_mm, held.t))
                return held
        return None

    def _lifted(self, word: Lifted) -> list[Observation]:
        faces = tuple(card for card in word.cards if card.face != BACK)
        for card in word.cards:
            if card.face == BACK and card.id in self._down:
                self._down[card.id].here = Pose(math.inf, math.inf, 0)
        if faces:
            seat, sure = self.places.seat_of(word.credit)
            zone = self.places.zone(faces[0].pose.middle)
            entry = word.credit.entry_mm if word.credit else None
            self._in_hand.append(_InHand(faces, zone, seat, sure, entry, word.t))
        return []

    def _returned(self, word: Returned) -> list[Observation]:
        known = [held for card in word.cards if (held := self._carried(card.id)) is not None]
        if known:
            return []
        seat, sure = self.places.seat_of(word.credit)
        top = word.cards[0]
        return [self._say(Laid(_card(top.face), self.places.zone(top.pose.middle), seat), word.t, 1.0, sure, top)]

    def _twice(self, word: Twice) -> list[Observation]:
        card = _card(word.first.face)
        seat, sure = self.places.seat_of(word.credit)
        if card is None:
            return []
        return [self._say(Conflict(card, (), seat), word.t, 0.5, sure, word.second)]

    def _corrected(self, word: Corrected) -> list[Observation]:
        zone = self.places.zone(word.card.pose.middle)
        fact = Laid(_card(word.card.face), zone, None)
        return [
            Observation(fact, word.t, self.now, word.confidence, 0.0, word.card.pose.middle, word.card.id, word.card.id)
        ]

    # --- what an arm took ------------------------------------------------------------------------------------

    def _uncovered(self, word: Uncovered) -> list[Observation]:
        """An arm has left its pack: if it had taken a pile there from elsewhere, that is gathered."""
        zone = self.places.zone(word.card.pose.middle)
        return self._gather_to(self.places.seat_in(zone), word.t)

    def _gather_to(self, seat: int | None, t: float) -> list[Observation]:
        taken = [h for h in self._in_hand if h.seat == seat and (h.gathered or h.from_layout)]
        self._in_hand = [held for held in self._in_hand if held not in taken]
        return [o for held in taken for o in self._gathered(held, t)]

    def _arm_gone(self, entry_mm: tuple[float, float], t: float) -> list[Observation]:
        gone = [h for h in self._in_hand if h.entry_mm is None or math.dist(h.entry_mm, entry_mm) < _SAME_ARM_MM]
        swept = [held for held in gone if len(held.cards) > 1 and not held.gathered]
        self._in_hand = [held for held in self._in_hand if held not in gone]
        self._in_hand += [replace(held, left_s=held.left_s or t) for held in swept]
        return [o for held in gone if held not in swept for o in self._release(held, t)]

    def _release(self, held: _InHand, t: float) -> list[Observation]:
        """What became of cards in a hand that is gone: gathered by another seat, or taken back."""
        return self._gathered(held, t) if held.gathered else self._taken(held.cards, held, t)

    def _gathered(self, held: _InHand, t: float) -> list[Observation]:
        """A pile taken by a seat that did not lay it, or from the common layout to the seat's own pack."""
        if held.seat is None:
            return []
        return [self._say(Gathered(held.zone, held.seat, len(held.cards)), t, 1.0, held.sure, held.cards[0])]

    def _taken(self, cards: tuple[Seen, ...], held: _InHand, t: float) -> list[Observation]:
        return [self._say(TakenBack(_card(c.face), held.zone, held.seat), t, 1.0, held.sure, c) for c in cards]

    # --- backs -----------------------------------------------------------------------------------------------

    def _back_rested(self, word: Rested) -> list[Observation]:
        zone = self.places.zone(word.card.pose.middle)
        seat, sure = self.places.seat_of(word.credit)
        self._zone_of[word.card.id] = zone
        if (owner := self.places.seat_in(zone)) is not None and (gathered := self._gather_to(owner, word.t)):
            return gathered
        turned = self._turned_down(word, zone, seat, sure)
        return turned or self._travelled(word, zone, seat, sure)

    def _turned_down(self, word: Rested, zone: str, seat: int | None, sure: float) -> list[Observation]:
        """Face-up cards became a face-down packet under the same arm; one that went back on its pack is taken back."""
        swept = [held for held in self._in_hand if not held.gathered and self._same_arm(held, word.credit)]
        if not swept and not word.over:
            return []
        self._in_hand = [held for held in self._in_hand if held not in swept]
        if len(swept) == 1 and not word.over and _on_its_pack(swept[0], word, zone):
            return self._taken(swept[0].cards, swept[0], word.t)
        return [self._say(TurnedDown(zone, seat), word.t, word.confidence, sure, word.card)]

    def _same_arm(self, held: _InHand, credit: Credit | None) -> bool:
        return credit is None or held.entry_mm is None or math.dist(held.entry_mm, credit.entry_mm) < _SAME_ARM_MM

    def _travelled(self, word: Rested, zone: str, seat: int | None, sure: float) -> list[Observation]:
        """A face-down card came to lie somewhere: pushed beside another, exchanged, pushed back, or drawn."""
        card, place = word.card, word.card.pose
        down = self._down.get(card.id)
        if down is None:
            return self._drawn(word, zone, seat, sure)
        down.here = place
        if zone == "stock":
            self._cutting[down.seat] = card.id
            return []
        if place.distance(down.home) < _OWN_PLACE_MM:
            refused, down.beside = down.beside, None
            self._cutting.pop(down.seat, None)
            return [] if refused is None else [self._say(ExchangeRefused(down.seat, refused), word.t, 1.0, sure, card)]
        near = min(
            (other for other in self._down.values() if other is not down),
            key=lambda other: other.home.distance(place),
            default=None,
        )
        if near is None or near.home.distance(place) > _BESIDE_MM:
            return []
        down.beside = near.seat
        return self._exchanged(down, near, word, sure)

    def _exchanged(self, a: _Down, b: _Down, word: Rested, sure: float) -> list[Observation]:
        """Each of two cards lies where the other belongs."""
        if a.here.distance(b.home) >= _OWN_PLACE_MM or b.here.distance(a.home) >= _OWN_PLACE_MM:
            return []
        a.home, b.home = a.here, b.here
        a.seat, b.seat = b.seat, a.seat
        a.beside = b.beside = None
        seats = min(a.seat, b.seat), max(a.seat, b.seat)
        return [self._say(Exchanged(seats), word.t, 1.0, sure, word.card)]

    def _drawn(self, word: Rested, zone: str, seat: int | None, sure: float) -> list[Observation]:
        """A face-down card nobody had on the table: a cut, when this seat's own went to the stock before."""
        owner = self.places.seat_in(zone)
        if owner is None:
            return []
        self._down[word.card.id] = _Down(owner, word.card.pose, word.card.pose)
        given = self._cutting.pop(owner, None)
        if given is None:
            return []
        self._down.pop(given, None)
        return [self._say(Cut(owner, None), word.t, word.confidence, sure if seat == owner else 0.0, word.card)]

    def _say(
        self, fact: Fact, t: float, confidence: float = 1.0, sure: float = 1.0, card: Seen | None = None
    ) -> Observation:
        place, card_id = (card.pose.middle, card.id) if card else (None, None)
        return Observation(fact, t, self.now, confidence, sure, place, card_id)


def _on_its_pack(held: _InHand, word: Rested, zone: str) -> bool:
    """Did a player take one card that lay before him, and lay it face down elsewhere there, where his pack was?"""
    card = held.cards[0]
    own = held.owner is not None and held.owner == held.seat and zone == held.zone
    return own and len(held.cards) == 1 and card.pose.distance(word.card.pose) > _OWN_PLACE_MM


def _inside_mm(polygon: Polygon, place_mm: tuple[float, float]) -> float:
    """How deep in the polygon the place lies; negative: how far outside."""
    outline: Any = np.asarray(polygon, np.float32)
    return float(cv2.pointPolygonTest(outline, (float(place_mm[0]), float(place_mm[1])), True))


def _card(face: str) -> Card | None:
    return None if face in (UNREAD, BACK) else Card.parse(face)


PictureOf = Callable[[tuple[float, float] | None], tuple[Image | None, Image | None]]
