"""The stage on which people act: its clock, the cards and packs on it, the coming and going of hands, and the truth.

Knows hands and places and no rules; what people do with it stands in ``actors``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from . import hands
from .geometry import Place, Seat
from .hands import Grip
from .timeline import CardKey, CardTrack, HandKey, HandTrack, Press, Timeline, cover

Point = tuple[float, float]

#: A card counts as let go when the hand that laid it covers less than this share of it.
LET_GO = 0.04

#: Height above everything that lies: what is carried.
CARRIED_Z = 1e6

#: The working point of the fingers lies this far (mm) behind a card's centre, towards the player.
_GRIP_MM = 24.0

#: A hand that is away waits this far (mm) outside the table's edge: fully out of the picture, a held card too.
_AWAY_MM = 190.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast people play, in seconds: reach in, hold before letting go, draw back, wait before acting.

    ``idle`` is the chance that another hand moves about during somebody's act.
    """

    reach_s: tuple[float, float] = (0.65, 1.05)
    hold_s: tuple[float, float] = (0.12, 0.38)
    back_s: tuple[float, float] = (0.55, 0.85)
    wait_s: tuple[float, float] = (0.30, 1.10)
    press_s: tuple[float, float] = (0.55, 1.30)
    idle: float = 0.12


#: For a demonstration of about a minute.
BRISK = Pace((0.45, 0.65), (0.10, 0.20), (0.40, 0.55), (0.25, 0.50), (0.32, 0.60), 0.05)


@dataclass(slots=True)
class Item:
    """A card or a pack on its way through the session: its face (empty for a pack of backs) and its keys so far."""

    face: str
    keys: list[CardKey] = field(default_factory=list)

    @property
    def last(self) -> CardKey:
        """Where it is by now."""
        return self.keys[-1]


@dataclass(frozen=True, slots=True)
class Visit:
    """One coming of a hand: when it begins, lets go and is away, and where it comes from."""

    begin_s: float
    go_s: float
    out_s: float
    away: Point


@dataclass(slots=True)
class Stage:
    """Collects keys and truth act by act. ``now_s`` is when the next act may begin."""

    seats: tuple[Seat, ...]
    arms: tuple[hands.Arm, ...]
    rng: Random
    pace: Pace = Pace()
    now_s: float = 1.0
    items: dict[str, Item] = field(default_factory=dict)
    tracks: list[HandTrack] = field(default_factory=list)
    presses: list[Press] = field(default_factory=list)
    truth: list[dict[str, Any]] = field(default_factory=list)
    last_rest_s: float = 0.0
    _height: float = 0.0

    def seat(self, number: int) -> Seat:
        """The seat of that number."""
        return self.seats[number - 1]

    def place(self, name: str) -> Place:
        """Where a card or pack lies by now."""
        return self.items[name].last.place

    def draw(self, span: tuple[float, float]) -> float:
        """A duration out of a span of the pace."""
        return self.rng.uniform(*span)

    def little(self, mm: float) -> tuple[float, float]:
        """A small random shift."""
        return (self.rng.uniform(-mm, mm), self.rng.uniform(-mm, mm))

    def next_z(self) -> float:
        """A height above everything that has been laid so far."""
        self._height += 1.0
        return self._height

    def advance(self, t_s: float) -> None:
        """The next act begins no earlier than ``t_s``."""
        self.now_s = max(self.now_s, t_s)

    def wait(self, seconds: float | None = None) -> None:
        """Time passes; as long as people take before they act, if no time is given."""
        self.now_s += self.draw(self.pace.wait_s) if seconds is None else seconds

    def hurry(self) -> None:
        """The next act begins while the last hand is still leaving: two cards come to rest within about 0.8 s."""
        self.now_s = max(self.last_rest_s + 0.40, self.now_s - 0.25)

    # -- hands --------------------------------------------------------------------------------------------------

    def reach(self, seat: int, quick: bool = False) -> float:
        """When a hand of ``seat`` that sets out now arrives; it must have left the table from before."""
        self.advance(self.free_from(seat))
        return self.now_s + self.draw(self.pace.reach_s) * (0.55 if quick else 1.0)

    def free_from(self, seat: int) -> float:
        """When all hands of ``seat`` that are planned so far have left."""
        return max((t.keys[-1].t_s for t in self.tracks if t.seat.number == seat), default=0.0)

    def visit(
        self, seat: int, stops: Sequence[tuple[float, Place]], *, grip: Grip = Grip.HOLD, quick: bool = False
    ) -> Visit:
        """A hand comes in now, is at each of ``stops`` at its time, holds a moment, lets go and leaves."""
        go = stops[-1][0] + self.draw(self.pace.hold_s) * (0.4 if quick else 1.0)
        out = go + self.draw(self.pace.back_s) * (0.7 if quick else 1.0)
        away = self._away(seat, stops[0][1])
        tips = [(t, self.tip(seat, place)) for t, place in stops]
        points = [(self.now_s, away), *tips, (go, tips[-1][1]), (out, away)]
        self.tracks.append(HandTrack(self.seat(seat), tuple(HandKey(t, *p, grip) for t, p in points)))
        return Visit(self.now_s, go, out, away)

    def tip(self, seat: int, place: Place) -> Point:
        """Where the working point is when a hand of ``seat`` holds a card at ``place``."""
        sx, sy = self.seat(seat).shoulder
        dx, dy = sx - place.x_mm, sy - place.y_mm
        k = _GRIP_MM / math.hypot(dx, dy)
        return (place.x_mm + dx * k, place.y_mm + dy * k)

    def held(self, seat: int, place: Place, away: Point) -> Place:
        """How a card that goes to (or comes from) ``place`` is held by a hand at ``away``."""
        tip = self.tip(seat, place)
        return place.moved(away[0] - tip[0], away[1] - tip[1], self.rng.uniform(-14, 14))

    def _away(self, seat: int, place: Place) -> Point:
        """Outside the table on the seat's side, on the way from the shoulder to ``place``."""
        who = self.seat(seat)
        side = (place.x_mm - who.edge[0]) * who.right[0] + (place.y_mm - who.edge[1]) * who.right[1]
        return who.at(-_AWAY_MM, 0.45 * side + self.rng.uniform(-25, 25))

    def gone(self, seat: int, place: Place, visit: Visit) -> float:
        """When the hand that came last covers less than `LET_GO` of a card at ``place``."""
        track, arm = self.tracks[-1], self.arms[seat - 1]
        return _first(lambda t: (h := track.at(t)) is None or cover(h, arm, place) < LET_GO, visit.go_s, visit.out_s)

    def idle_hand(self, seat: int, begin_s: float, kind: str) -> None:
        """A hand of ``seat`` that moves about and touches nothing."""
        depth, grip = _IDLE[kind]
        who, begin = self.seat(seat), max(begin_s, self.free_from(seat))
        side = self.rng.uniform(-120, 120)
        there = who.at(depth + self.rng.uniform(-15, 15), side)
        drift = (there[0] + self.rng.uniform(-12, 12), there[1] + self.rng.uniform(-12, 12))
        stay = begin + 0.6 + self.rng.uniform(0.5, 1.6)
        away = who.at(-_AWAY_MM, side * 0.6)
        points = [(begin, away), (begin + 0.6, there), (stay, drift), (stay + 0.6, away)]
        self.tracks.insert(0, HandTrack(who, tuple(HandKey(t, *p, grip) for t, p in points)))
        self.note("idle_hand", begin + 0.6, seat=seat, kind=kind)

    # -- cards --------------------------------------------------------------------------------------------------

    def put(self, name: str, place: Place, zone: str, *, face: str = "", up: bool = False, count: int = 1) -> None:
        """A card or pack that lies on the table from the start: no fact, noted as optional in the truth."""
        self.items[name] = Item(face, [CardKey(0.0, place, up, self.next_z(), count=count)])
        line = {"t": 0.0, "fact": "laid", "seat": None, "card": face if up else "back", "zone": zone, "optional": True}
        self.truth.extend([line] * count)

    def appear(self, name: str, face: str, t_s: float, place: Place, *, up: bool, z: float = CARRIED_Z) -> None:
        """The card shows from ``t_s`` on: it comes out of a hand or from a pack."""
        self.items.setdefault(name, Item(face)).keys.append(CardKey(t_s, place, up, z))

    def glide(self, name: str, from_s: float, to_s: float, place: Place, up: bool | None = None) -> None:
        """The card stays where it is until ``from_s`` and is at ``place`` at ``to_s``, turned over if need be."""
        item = self.items[name]
        if item.last.t_s < from_s:
            item.keys.append(replace(item.last, t_s=from_s))
        face_up = item.last.up if up is None else up
        item.keys.append(replace(item.last, t_s=to_s, place=place, up=face_up, glides=True, z=self.next_z()))

    def lift(self, name: str) -> None:
        """From its last key on the card is above all that lies."""
        keys = self.items[name].keys
        keys[-1] = replace(keys[-1], z=CARRIED_Z + self.next_z())

    def vanish(self, name: str, t_s: float) -> None:
        """The card is gone from ``t_s`` on: into a hand or under a pack."""
        item = self.items[name]
        item.keys.append(replace(item.last, t_s=t_s, shown=False, glides=False))

    def change_count(self, pack: str, t_s: float, change: int, home: Place | None = None) -> None:
        """A pack grows or shrinks at ``t_s``; an empty one that grows again lies at ``home``."""
        item = self.items[pack]
        count = item.last.count + change
        place = home or item.last.place
        item.keys.append(replace(item.last, t_s=t_s, place=place, count=count, glides=False, shown=True))

    # -- truth --------------------------------------------------------------------------------------------------

    def fact(self, word: str, rest_s: float, gone_s: float, **more: Any) -> None:
        """Write down what happened: at rest at ``rest_s``, the hand gone at ``gone_s``."""
        self.truth.append({"t": round(gone_s, 2), "fact": word, **more, "rest": round(rest_s, 2)})
        self.last_rest_s = rest_s

    def note(self, word: str, t_s: float | None = None, **more: Any) -> None:
        """Write down something that is no fact."""
        self.truth.append({"t": round(self.now_s if t_s is None else t_s, 2), "note": word, **more})

    def finished(self, tail_s: float = 2.0) -> Timeline:
        """The timeline of everything so far, ending ``tail_s`` after the last act."""
        cards = tuple(CardTrack(item.face, tuple(item.keys)) for item in self.items.values())
        tracks = tuple(sorted(self.tracks, key=lambda h: h.keys[0].t_s))
        truth = tuple(sorted(self.truth, key=lambda line: float(line["t"])))
        presses = tuple(sorted(self.presses, key=lambda p: p.t_s))
        end = max([self.now_s, *(h.keys[-1].t_s for h in tracks)]) + tail_s
        return Timeline(cards, tracks, presses, truth, end)


#: How far an idle hand reaches in (mm), and its grip.
_IDLE: dict[str, tuple[float, Grip]] = {
    "rest": (35.0, Grip.OPEN),
    "hover": (190.0, Grip.HOLD),
    "point": (150.0, Grip.POINT),
    "pause": (70.0, Grip.HOLD),
}


def _first(holds: Callable[[float], bool], from_s: float, to_s: float) -> float:
    """The first of the times between, 1/60 s apart, at which ``holds``; ``to_s`` if none."""
    steps = math.ceil((to_s - from_s) * 60)
    return next((from_s + k / 60 for k in range(steps) if holds(from_s + k / 60)), to_s)
