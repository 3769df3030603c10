"""People at the table: acts (lay, take back, turn down, gather, push, press ...) become tracks of cards and hands.

The director keeps the clock of the session and writes down the truth: what happened, when the card came to rest and
when the hand had gone.  It knows hands and places and no rules.
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
_CARRIED_Z = 1e6

#: The working point of the fingers lies this far (mm) behind a card's centre, towards the player.
_GRIP_MM = 24.0

#: A hand that is away waits this far (mm) outside the table's edge: fully out of the picture.
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
BRISK = Pace((0.40, 0.60), (0.08, 0.18), (0.35, 0.50), (0.10, 0.35), (0.28, 0.55), 0.05)


@dataclass(slots=True)
class _Item:
    """A card or a pack on its way through the session."""

    face: str
    keys: list[CardKey]

    @property
    def last(self) -> CardKey:
        return self.keys[-1]


@dataclass(slots=True)
class Director:
    """Builds a timeline act by act. ``now_s`` is when the next act may begin."""

    seats: tuple[Seat, ...]
    arms: tuple[hands.Arm, ...]
    rng: Random
    pace: Pace = Pace()
    now_s: float = 1.0
    items: dict[str, _Item] = field(default_factory=dict)
    tracks: list[HandTrack] = field(default_factory=list)
    presses: list[Press] = field(default_factory=list)
    truth: list[dict[str, Any]] = field(default_factory=list)
    _height: float = 0.0

    # -- what lies there at the start -------------------------------------------------------------------------

    def put(self, name: str, place: Place, zone: str, *, face: str = "", up: bool = False, count: int = 1) -> None:
        """A card or pack that lies on the table from the start; no fact, noted as optional in the truth."""
        self.items[name] = _Item(face, [CardKey(0.0, place, up, self._next_z(), count=count)])
        card = face if up else "back"
        for _ in range(count):
            self.truth.append({"t": 0.0, "fact": "laid", "seat": None, "card": card, "zone": zone, "optional": True})

    # -- acts ---------------------------------------------------------------------------------------------------

    def lay(self, seat: int, card: str, place: Place, zone: str, *, quick: bool = False) -> float:
        """``seat`` lays ``card`` from his hand at ``place``. Returns when the hand has gone."""
        way = self._carry(seat, place, quick=quick)
        self._bring(card, card, place, way, up=True)
        return self._laid(seat, card, place, zone, way)

    def hesitate(self, seat: int, card: str, place: Place, zone: str) -> None:
        """Puts ``card`` down without letting go, and takes it away again: no fact."""
        enter, down = self._reach_times(seat)
        up_s = down + self.rng.uniform(0.5, 1.0)
        out = up_s + self._draw(self.pace.back_s)
        tip, away = self._grip(seat, place), self._away(seat, place)
        self._hand(seat, [(self.now_s, away), (enter, tip), (up_s, tip), (out, away)])
        start, held = self._held(seat, place, away), place
        self._keys(
            card, card, [(self.now_s, start, False), (enter, held, True), (up_s, held, False), (out, start, True)]
        )
        self._vanish(card, out)
        self.truth.append(self._note(up_s, "put_down_not_released", card=card, zone=zone, seat=seat))
        self._advance(out - 0.2)

    def slide_through(self, seat: int, card: str, via: Place, place: Place, zone: str) -> float:
        """Lays ``card`` at ``place`` by way of ``via``, where it is slid over the table and pauses a moment."""
        enter, _ = self._reach_times(seat)
        pause = enter + self.rng.uniform(0.15, 0.30)
        rest = pause + self.rng.uniform(0.45, 0.7)
        go = rest + self._draw(self.pace.hold_s)
        out = go + self._draw(self.pace.back_s)
        away, a, b = self._away(seat, place), self._grip(seat, via), self._grip(seat, place)
        self._hand(seat, [(self.now_s, away), (enter, a), (pause, a), (rest, b), (go, b), (out, away)])
        start = self._held(seat, via, away)
        keys = [(self.now_s, start, False), (enter, via, True), (pause, via, False), (rest, place, True)]
        self._keys(card, card, keys)
        return self._laid(seat, card, place, zone, _Way(rest, go, out))

    def take_back(self, seat: int, card: str, zone: str) -> None:
        """``seat`` takes back a card that he laid."""
        place = self.items[card].last.place
        way = self._carry(seat, place)
        self._lift(seat, [card], way)
        self._note_fact(way.out_s, "taken_back", card=card, zone=zone, seat=seat)
        self._advance(way.out_s - 0.25)

    def bump(self, seat: int, card: str, shift: tuple[float, float], turn_deg: float) -> None:
        """Somebody touches a lying card and moves it a little: a note."""
        item = self.items[card]
        place = item.last.place
        after = place.moved(*shift, turn_deg)
        enter, _ = self._reach_times(seat)
        done, out = enter + 0.25, enter + 0.35 + self._draw(self.pace.back_s)
        away = self._away(seat, place)
        self._hand(
            seat,
            [(self.now_s, away), (enter, self._grip(seat, place)), (done, self._grip(seat, after)), (out, away)],
            Grip.OPEN,
        )
        item.keys += [replace(item.last, t_s=enter), replace(item.last, t_s=done, place=after, glides=True)]
        self._note_fact(done, "bumped", card=card, seat=seat)
        self._advance(out - 0.2)

    def press(self, seat: int, press: str = "short") -> None:
        """``seat`` presses his button, out of the camera's sight or with a hand at the edge."""
        self.now_s += self._draw(self.pace.press_s)
        at = round(self.now_s, 2)
        if self.rng.random() < self.pace.idle * 2:
            self._idle(seat, at - 0.5, "rest")
        self.presses.append(Press(at, seat, press))
        self.truth.append({"t": at, "fact": "pressed", "seat": seat, "press": press})

    def turn_down(self, seat: int, cards: Sequence[str], place: Place, zone: str) -> None:
        """``seat`` sweeps the lying ``cards`` together at ``place`` and turns the packet face down."""
        start = self.items[cards[-1]].last.place
        enter, _ = self._reach_times(seat)
        swept = enter + 0.35 + 0.05 * len(cards)
        turned, go = swept + 0.45, swept + 0.55
        out = go + self._draw(self.pace.back_s)
        away, a, b = self._away(seat, place), self._grip(seat, start), self._grip(seat, place)
        self._hand(seat, [(self.now_s, away), (enter, a), (swept, b), (go, b), (out, away)])
        for card in cards:
            self._sweep(card, place, enter, swept, turned)
        self._fact(turned, self._gone(seat, place, go, out), "turned_down", zone=zone, seat=seat)
        self._advance(out)

    def turn_up(self, seat: int, pack: str, card: str, place: Place, zone: str) -> float:
        """``seat`` turns the top card of ``pack`` over and lays it at ``place`` (his own open pile)."""
        top = self.items[pack].last.place
        enter, _ = self._reach_times(seat, True)
        rest = enter + self.rng.uniform(0.35, 0.5)
        go = rest + self._draw(self.pace.hold_s) * 0.6
        out = go + self._draw(self.pace.back_s)
        away, a, b = self._away(seat, place), self._grip(seat, top), self._grip(seat, place)
        self._hand(seat, [(self.now_s, away), (enter, a), (rest, b), (go, b), (out, away)])
        self._count(pack, enter, -1)
        self._keys(card, card, [(enter, top, False)], up=False)
        self._keys(card, card, [(rest, place, True)])
        return self._laid(seat, card, place, zone, _Way(rest, go, out))

    def turn_back(self, seat: int, card: str, pack: str, zone: str) -> None:
        """A card turned in error goes back on the pack, face down."""
        way = self._carry(seat, self.items[card].last.place)
        target = self.items[pack].last.place
        arrive = way.go_s + 0.5
        out = arrive + 0.1 + self._draw(self.pace.back_s)
        self._rehand(seat, target, way, arrive, out)
        self._move([card], target, way.go_s, arrive, up=False)
        self._vanish(card, arrive)
        self._count(pack, arrive, +1)
        self._note_fact(arrive, "turned_back", card=card, zone=zone, seat=seat)
        self._advance(out - 0.2)

    def gather(self, seat: int, cards: Sequence[str], zone: str, pack: str, home: Place) -> None:
        """``seat`` takes the whole open pile ``cards`` from ``zone``, turns it over and puts it under his pack."""
        start = self.items[cards[-1]].last.place
        way = self._carry(seat, start)
        self._drop_last_hand()
        arrive = way.rest_s + self.rng.uniform(0.8, 1.1)
        go = arrive + 0.12
        out = go + self._draw(self.pace.back_s)
        away, a, b = self._away(seat, start), self._grip(seat, start), self._grip(seat, home)
        self._hand(seat, [(self.now_s, away), (way.rest_s, a), (arrive, b), (go, b), (out, away)])
        self._move(cards, home, way.rest_s, arrive, up=False)
        for card in cards:
            self._vanish(card, arrive)
        self._count(pack, arrive, len(cards), home)
        gone = self._gone(seat, home, go, out)
        self._fact(arrive, gone, "gathered", **{"from": zone}, to=seat, count=len(cards))
        self._advance(out - 0.2)

    def push(self, seat: int, card: str, place: Place) -> float:
        """``seat`` pushes a lying card (face down, as it lies) to ``place``. Returns when it rests."""
        start = self.items[card].last.place
        enter, _ = self._reach_times(seat)
        rest = enter + 0.25 + math.dist((start.x_mm, start.y_mm), (place.x_mm, place.y_mm)) / 500.0
        go = rest + self._draw(self.pace.hold_s)
        out = go + self._draw(self.pace.back_s)
        away, a, b = self._away(seat, start), self._grip(seat, start), self._grip(seat, place)
        self._hand(seat, [(self.now_s, away), (enter, a), (rest, b), (go, b), (out, away)], Grip.OPEN)
        self._move([card], place, enter, rest, up=self.items[card].last.up)
        self._advance(self._gone(seat, place, go, out))
        return rest

    def exchanged(self, first: int, second: int, rest_s: float) -> None:
        """Writes down that the exchange which `push` acted is complete."""
        self._fact(rest_s, self.now_s, "exchanged", seats=[first, second])

    def note(self, word: str, **more: Any) -> None:
        """Writes down something that is no fact."""
        self._note_fact(self.now_s, word, **more)

    def reveal(self, seat: int, item: str, face: str, zone: str) -> float:
        """``seat`` turns up a face-down card where it lies."""
        place = self.items[item].last.place
        way = self._carry(seat, place)
        self.items[item].face = face
        self._move([item], place, way.rest_s - 0.05, way.rest_s + 0.3, up=True)
        turned = replace(way, rest_s=way.rest_s + 0.3, go_s=way.go_s + 0.3, out_s=way.out_s + 0.3)
        self._rehand(seat, place, replace(way, go_s=way.rest_s), turned.go_s, turned.out_s)
        return self._laid(seat, face, place, zone, turned)

    def cut(self, seat: int, stock: str, aside: Place, own: str, given_up: Place, home: Place) -> None:
        """The dealer pushes his card beside the stock, lifts part of it aside and takes the top of the rest, unseen."""
        self.push(seat, own, given_up)
        self.now_s += 0.3
        self._advance(self._free_from(seat))
        place, count = self.items[stock].last.place, self.items[stock].last.count
        part = self.rng.randint(3, max(4, count - 4))
        top = f"{stock} lifted"
        begin = self.now_s
        self.items[top] = _Item("", [CardKey(begin + 0.5, place, False, _CARRIED_Z, count=part)])
        self._count(stock, begin + 0.5, -part)
        self._in_out(seat, place, aside, begin, begin + 0.5, begin + 1.1)
        self._move([top], aside, begin + 0.5, begin + 1.1, up=False)
        self._advance(self._free_from(seat))
        drawn = f"{own} drawn"
        lift, rest = self.now_s + 0.6, self.now_s + 1.3
        self._count(stock, lift, -1)
        self.items[drawn] = _Item("", [CardKey(lift, place, False, self._next_z())])
        gone = self._in_out(seat, place, home, self.now_s, lift, rest)
        self._move([drawn], home, lift, rest, up=False)
        self._fact(rest, gone, "cut", seat=seat, card="back")

    def show(self, seat: int, cards: Sequence[str], places: Sequence[Place], zone: str) -> None:
        """``seat`` lays the cards left in his hand open before him, spread, all at once: a fact for each."""
        middle = places[len(places) // 2]
        way = self._carry(seat, middle)
        gone = self._gone(seat, middle, way.go_s, way.out_s)
        for card, place in zip(cards, places, strict=True):
            self._bring(card, card, place, way, up=True)
        for card, place in zip(cards, places, strict=True):
            mine = max(gone, self._gone(seat, place, way.go_s, way.out_s))
            self._fact(way.rest_s, mine, "laid", seat=seat, card=card, zone=zone)
        self._advance(way.out_s - 0.2)

    def idle(self, but: int, chance: float | None = None) -> None:
        """Perhaps somebody's hand (not that of seat ``but``, who acts next) moves about meanwhile."""
        if self.rng.random() < (self.pace.idle if chance is None else chance):
            seat = self.rng.choice([s.number for s in self.seats if s.number != but])
            self._idle(
                seat, self.now_s + self.rng.uniform(0.0, 0.6), self.rng.choice(["rest", "hover", "point", "pause"])
            )

    def wait(self, seconds: float | None = None) -> None:
        """Time passes."""
        self.now_s += self._draw(self.pace.wait_s) if seconds is None else seconds

    def finished(self, tail_s: float = 2.0) -> Timeline:
        """The timeline of everything so far, ending ``tail_s`` after the last act."""
        cards = tuple(CardTrack(item.face, tuple(item.keys)) for item in self.items.values())
        tracks = tuple(sorted(self.tracks, key=lambda h: h.keys[0].t_s))
        truth = tuple(sorted(self.truth, key=lambda fact: fact["t"]))
        presses = tuple(sorted(self.presses, key=lambda p: p.t_s))
        end = max([self.now_s, *(h.keys[-1].t_s for h in tracks)]) + tail_s
        return Timeline(cards, tracks, presses, truth, end)

    # -- pieces of acts -----------------------------------------------------------------------------------------

    def _draw(self, span: tuple[float, float]) -> float:
        return self.rng.uniform(*span)

    def _next_z(self) -> float:
        self._height += 1.0
        return self._height

    def _advance(self, t_s: float) -> None:
        self.now_s = max(self.now_s, t_s)

    def _seat(self, seat: int) -> Seat:
        return self.seats[seat - 1]

    def _grip(self, seat: int, place: Place) -> Point:
        """Where the working point is when the hand holds a card at ``place``."""
        sx, sy = self._seat(seat).shoulder
        dx, dy = sx - place.x_mm, sy - place.y_mm
        k = _GRIP_MM / math.hypot(dx, dy)
        return (place.x_mm + dx * k, place.y_mm + dy * k)

    def _away(self, seat: int, place: Place) -> Point:
        """Outside the table on the seat's side, on the way from the shoulder to ``place``."""
        who = self._seat(seat)
        side = (place.x_mm - who.edge[0]) * who.right[0] + (place.y_mm - who.edge[1]) * who.right[1]
        return who.at(-_AWAY_MM, 0.45 * side + self.rng.uniform(-25, 25))

    def _held(self, seat: int, place: Place, away: Point) -> Place:
        """A card in a hand that waits at ``away``, turned a little."""
        tip = self._grip(seat, place)
        shift = (away[0] - tip[0], away[1] - tip[1])
        return place.moved(*shift, self.rng.uniform(-14, 14))

    def _reach_times(self, seat: int, quick: bool = False) -> tuple[float, float]:
        """When the hand arrives, and when what it carries has come to rest; it must have left from before."""
        self._advance(self._free_from(seat))
        enter = self.now_s + self._draw(self.pace.reach_s) * (0.55 if quick else 1.0)
        return enter, enter + (0.06 if quick else self.rng.uniform(0.12, 0.25))

    def _carry(self, seat: int, place: Place, *, quick: bool = False) -> _Way:
        """A hand comes to ``place``, settles, holds and leaves."""
        enter, rest = self._reach_times(seat, quick)
        go = rest + self._draw(self.pace.hold_s) * (0.4 if quick else 1.0)
        out = go + self._draw(self.pace.back_s) * (0.7 if quick else 1.0)
        away = self._away(seat, place)
        tip = self._grip(seat, place)
        near = (tip[0] + self.rng.uniform(-9, 9), tip[1] + self.rng.uniform(-9, 9))
        self._hand(seat, [(self.now_s, away), (enter, near), (rest, tip), (go, tip), (out, away)])
        return _Way(rest, go, out, self.now_s, enter, away, near, tip)

    def _rehand(self, seat: int, place: Place, way: _Way, until_s: float, out_s: float) -> None:
        """Change the last hand's way: at ``way.go_s`` it goes on to ``place`` until ``until_s`` and then leaves."""
        track = self._drop_last_hand()
        tip = self._grip(seat, place)
        kept = [key for key in track.keys if key.t_s <= way.go_s]
        more = [HandKey(until_s, *tip), HandKey(out_s, *way.away)]
        self.tracks.append(HandTrack(track.seat, (*kept, *more)))

    def _in_out(self, seat: int, a: Place, b: Place, begin: float, at_a: float, at_b: float) -> float:
        """A hand comes to ``a``, goes to ``b``, leaves; returns when it has gone from ``b``."""
        go = at_b + self._draw(self.pace.hold_s)
        out = go + self._draw(self.pace.back_s)
        away = self._away(seat, a)
        tip_a, tip_b = self._grip(seat, a), self._grip(seat, b)
        self._hand(seat, [(begin, away), (at_a, tip_a), (at_b, tip_b), (go, tip_b), (out, away)])
        gone = self._gone(seat, b, go, out)
        self._advance(gone)
        return gone

    def _hand(self, seat: int, points: Sequence[tuple[float, Point]], grip: Grip = Grip.HOLD) -> None:
        keys = tuple(HandKey(t, *point, grip) for t, point in points)
        self.tracks.append(HandTrack(self._seat(seat), keys))

    def _drop_last_hand(self) -> HandTrack:
        return self.tracks.pop()

    def _bring(self, name: str, face: str, place: Place, way: _Way, *, up: bool) -> None:
        """A card comes with the hand from outside and rests at ``place``."""
        near = place.moved(way.near[0] - way.tip[0], way.near[1] - way.tip[1], self.rng.uniform(-4, 4))
        start = place.moved(way.away[0] - way.tip[0], way.away[1] - way.tip[1], self.rng.uniform(-14, 14))
        keys = [(way.begin_s, start, False), (way.enter_s, near, True), (way.rest_s, place, True)]
        self._keys(name, face, keys, up)

    def _keys(self, name: str, face: str, keys: Sequence[tuple[float, Place, bool]], up: bool = True) -> None:
        item = self.items.setdefault(name, _Item(face, []))
        for k, (t, place, glides) in enumerate(keys):
            last = k == len(keys) - 1 and glides
            item.keys.append(CardKey(t, place, up, self._next_z() if last else _CARRIED_Z, glides))

    def _move(self, names: Sequence[str], place: Place, from_s: float, to_s: float, *, up: bool) -> None:
        """Lying cards move together to ``place``, each keeping a little of its askewness."""
        for name in names:
            item = self.items[name]
            target = place.moved(*self._little(1.5), self.rng.uniform(-1.5, 1.5)) if len(names) > 1 else place
            item.keys += [
                replace(item.last, t_s=from_s, z=_CARRIED_Z + self._next_z()),
                replace(item.last, t_s=to_s, place=target, up=up, glides=True, z=self._next_z()),
            ]

    def _little(self, mm: float) -> tuple[float, float]:
        return (self.rng.uniform(-mm, mm), self.rng.uniform(-mm, mm))

    def _sweep(self, name: str, place: Place, from_s: float, swept_s: float, turned_s: float) -> None:
        item = self.items[name]
        together = place.moved(*self._little(2.0), self.rng.uniform(-2, 2))
        item.keys += [
            replace(item.last, t_s=from_s),
            replace(item.last, t_s=swept_s, place=together, glides=True),
            replace(item.last, t_s=turned_s, place=together, up=False, glides=True),
        ]

    def _lift(self, seat: int, names: Sequence[str], way: _Way) -> None:
        """Cards go away with the leaving hand."""
        for name in names:
            item = self.items[name]
            place = item.last.place
            tip = self._grip(seat, place)
            gone = place.moved(way.away[0] - tip[0], way.away[1] - tip[1], self.rng.uniform(-10, 10))
            item.keys += [
                replace(item.last, t_s=way.go_s, z=_CARRIED_Z),
                replace(item.last, t_s=way.out_s, place=gone, glides=True, z=_CARRIED_Z),
            ]
            self._vanish(name, way.out_s)

    def _vanish(self, name: str, t_s: float) -> None:
        item = self.items[name]
        item.keys.append(replace(item.last, t_s=t_s, shown=False))

    def _count(self, pack: str, t_s: float, change: int, home: Place | None = None) -> None:
        item = self.items[pack]
        place = home or item.last.place
        item.keys.append(
            replace(item.last, t_s=t_s, place=place, count=item.last.count + change, glides=False, shown=True)
        )

    def _gone(self, seat: int, place: Place, from_s: float, out_s: float) -> float:
        """When the last hand of ``seat`` covers less than `LET_GO` of a card at ``place``."""
        track, arm = self.tracks[-1], self.arms[seat - 1]
        return _first(lambda t: (h := track.at(t)) is None or cover(h, arm, place) < LET_GO, from_s, out_s)

    def _laid(self, seat: int, card: str, place: Place, zone: str, way: _Way) -> float:
        gone = self._gone(seat, place, way.go_s, way.out_s)
        self._fact(way.rest_s, gone, "laid", seat=seat, card=card, zone=zone)
        self._advance(gone)
        return gone

    def _fact(self, rest_s: float, gone_s: float, word: str, **more: Any) -> None:
        self.truth.append({"t": round(gone_s, 2), "fact": word, **more, "rest": round(rest_s, 2)})

    def _note(self, t_s: float, word: str, **more: Any) -> dict[str, Any]:
        return {"t": round(t_s, 2), "note": word, **more}

    def _note_fact(self, t_s: float, word: str, **more: Any) -> None:
        self.truth.append(self._note(t_s, word, **more))

    def _idle(self, seat: int, begin_s: float, kind: str) -> None:
        who = self._seat(seat)
        begin = max(begin_s, self._free_from(seat))
        depth = {"rest": 35.0, "hover": 190.0, "point": 150.0, "pause": 70.0}[kind]
        side = self.rng.uniform(-120, 120)
        grip = {"rest": Grip.OPEN, "hover": Grip.HOLD, "point": Grip.POINT, "pause": Grip.HOLD}[kind]
        there, away = who.at(depth + self.rng.uniform(-15, 15), side), who.at(-_AWAY_MM, side * 0.6)
        drift = (there[0] + self.rng.uniform(-12, 12), there[1] + self.rng.uniform(-12, 12))
        stay = begin + 0.6 + self.rng.uniform(0.5, 1.6)
        self._hand(seat, [(begin, away), (begin + 0.6, there), (stay, drift), (stay + 0.6, away)], grip)
        self.tracks.insert(0, self.tracks.pop())
        self.truth.append(self._note(begin + 0.6, "idle_hand", seat=seat, kind=kind))

    def _free_from(self, seat: int) -> float:
        """When all hands of ``seat`` that are planned so far have left."""
        return max((t.keys[-1].t_s for t in self.tracks if t.seat.number == seat), default=0.0)


@dataclass(frozen=True, slots=True)
class _Way:
    """The times of one coming of a hand, and the points it comes from."""

    rest_s: float
    go_s: float
    out_s: float
    begin_s: float = 0.0
    enter_s: float = 0.0
    away: Point = (0.0, 0.0)
    near: Point = (0.0, 0.0)
    tip: Point = (0.0, 0.0)


def _first(holds: Callable[[float], bool], from_s: float, to_s: float) -> float:
    """The first of the times between, 1/60 s apart, at which ``holds``; ``to_s`` if none."""
    steps = math.ceil((to_s - from_s) * 60)
    return next((from_s + k / 60 for k in range(steps) if holds(from_s + k / 60)), to_s)
