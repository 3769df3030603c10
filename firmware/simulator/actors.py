"""What people do at the table, act by act: lay, take back, turn down, turn up, gather, push, cut, press ...

Each act moves hands and cards on the stage, writes its truth, and advances the clock to where the next may begin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .geometry import Place
from .hands import Grip
from .stage import Item, Point, Stage
from .timeline import CardKey, Press

#: The next act may begin so long (s) before a hand is out of the picture.
_EARLY_S = 0.2


def lay(stage: Stage, seat: int, card: str, place: Place, zone: str, *, quick: bool = False) -> None:
    """``seat`` lays ``card`` from his hand at ``place``; ``quick`` as people do who know what they want."""
    enter = stage.reach(seat, quick)
    rest = enter + (0.06 if quick else stage.rng.uniform(0.12, 0.25))
    near = place.moved(*stage.little(9), stage.rng.uniform(-4, 4))
    visit = stage.visit(seat, [(enter, near), (rest, place)], quick=quick)
    _bring(stage, seat, card, near, visit.begin_s, enter, visit.away)
    stage.glide(card, enter, rest, place)
    _laid(stage, seat, card, place, zone, rest, stage.gone(seat, place, visit))


def _bring(stage: Stage, seat: int, card: str, place: Place, begin: float, enter: float, away: Point) -> None:
    stage.appear(card, card, begin, stage.held(seat, place, away), up=True)
    stage.glide(card, begin, enter, place)
    stage.lift(card)


def _laid(stage: Stage, seat: int, card: str, place: Place, zone: str, rest: float, gone: float) -> None:
    stage.fact("laid", rest, gone, seat=seat, card=card, zone=zone)
    stage.advance(gone)


def hesitate(stage: Stage, seat: int, card: str, place: Place, zone: str) -> None:
    """Puts ``card`` down without letting go, and takes it away again: no fact."""
    enter = stage.reach(seat)
    up = enter + stage.rng.uniform(0.5, 1.0)
    visit = stage.visit(seat, [(enter, place), (up, place)], quick=True)
    _bring(stage, seat, card, place, visit.begin_s, enter, visit.away)
    _carried_off(stage, seat, card, visit.go_s, visit.out_s, visit.away)
    stage.note("put_down_not_released", up, card=card, zone=zone, seat=seat)
    stage.advance(visit.out_s - _EARLY_S)


def slide_through(stage: Stage, seat: int, card: str, via: Place, place: Place, zone: str) -> None:
    """Lays ``card`` at ``place`` by way of ``via``, where it touches the table and pauses a moment (never let go)."""
    enter = stage.reach(seat)
    pause = enter + stage.rng.uniform(0.15, 0.30)
    rest = pause + stage.rng.uniform(0.45, 0.7)
    visit = stage.visit(seat, [(enter, via), (pause, via), (rest, place)])
    _bring(stage, seat, card, via, visit.begin_s, enter, visit.away)
    stage.glide(card, pause, rest, place)
    stage.note("slid_through", pause, card=card, zone=zone, seat=seat)
    _laid(stage, seat, card, place, zone, rest, stage.gone(seat, place, visit))


def take_back(stage: Stage, seat: int, card: str, zone: str) -> None:
    """``seat`` takes back a card that he laid."""
    enter = stage.reach(seat)
    visit = stage.visit(seat, [(enter, stage.place(card))])
    _carried_off(stage, seat, card, visit.go_s, visit.out_s, visit.away)
    stage.note("taken_back", visit.out_s, card=card, zone=zone, seat=seat)
    stage.advance(visit.out_s - _EARLY_S)


def _carried_off(stage: Stage, seat: int, card: str, go: float, out: float, away: Point) -> None:
    stage.glide(card, go, out, stage.held(seat, stage.place(card), away))
    stage.lift(card)
    stage.vanish(card, out)


def bump(stage: Stage, seat: int, card: str, shift_mm: tuple[float, float], turn_deg: float) -> None:
    """Somebody touches a lying card and moves it a little: a note. Its height stays."""
    before = stage.items[card].last
    after = before.place.moved(*shift_mm, turn_deg)
    enter = stage.reach(seat)
    visit = stage.visit(seat, [(enter, before.place), (enter + 0.25, after)], grip=Grip.OPEN)
    stage.items[card].keys += [
        CardKey(enter, before.place, before.up, before.z),
        CardKey(enter + 0.25, after, before.up, before.z, glides=True),
    ]
    stage.note("bumped", enter + 0.25, card=card, seat=seat)
    stage.advance(visit.out_s - _EARLY_S)


def press(stage: Stage, seat: int, kind: str = "short", taps: int = 1) -> None:
    """``seat`` presses his button (so many times), out of the camera's sight or with a hand resting at the edge."""
    stage.now_s += stage.draw(stage.pace.press_s)
    if stage.rng.random() < stage.pace.idle * 2:
        stage.idle_hand(seat, stage.now_s - 0.5, "rest")
    for tap in range(taps):
        at = round(stage.now_s + 0.3 * tap, 2)
        stage.presses.append(Press(at, seat, kind))
        stage.truth.append({"t": at, "fact": "pressed", "seat": seat, "press": kind})
    stage.advance(at)


def turn_down(stage: Stage, seat: int, cards: Sequence[str], place: Place, zone: str) -> None:
    """``seat`` sweeps the lying ``cards`` together at ``place`` and turns the packet face down."""
    enter = stage.reach(seat)
    swept = enter + 0.35 + 0.05 * len(cards)
    turned = swept + 0.45
    visit = stage.visit(seat, [(enter, stage.place(cards[-1])), (swept, place), (turned, place)])
    for card in cards:
        together = place.moved(*stage.little(2.0), stage.rng.uniform(-2, 2))
        stage.glide(card, enter, swept, together)
        stage.glide(card, swept, turned, together, up=False)
    gone = stage.gone(seat, place, visit)
    stage.fact("turned_down", turned, gone, zone=zone, seat=seat)
    stage.advance(gone)


def turn_up(stage: Stage, seat: int, pack: str, card: str, place: Place, zone: str) -> None:
    """``seat`` turns the top card of ``pack`` over and lays it at ``place``, on his own open pile."""
    top = stage.place(pack)
    enter = stage.reach(seat, quick=True)
    rest = enter + stage.rng.uniform(0.35, 0.5)
    visit = stage.visit(seat, [(enter, top), (rest, place)])
    stage.change_count(pack, enter, -1)
    stage.appear(card, card, enter, top, up=False)
    stage.glide(card, enter, rest, place, up=True)
    _laid(stage, seat, card, place, zone, rest, stage.gone(seat, place, visit))


def turn_back(stage: Stage, seat: int, card: str, pack: str, zone: str) -> None:
    """A card turned up in error goes back on its pack, face down."""
    enter = stage.reach(seat)
    here, home = stage.place(card), stage.place(pack)
    visit = stage.visit(seat, [(enter, here), (enter + 0.5, home)])
    stage.glide(card, enter, enter + 0.5, home, up=False)
    stage.lift(card)
    stage.vanish(card, enter + 0.5)
    stage.change_count(pack, enter + 0.5, +1, home)
    stage.note("turned_back", enter + 0.5, card=card, zone=zone, seat=seat)
    stage.advance(visit.out_s - _EARLY_S)


def gather(stage: Stage, seat: int, cards: Sequence[str], zone: str, pack: str, home: Place) -> None:
    """``seat`` takes the open pile ``cards`` from ``zone``, turns it over and puts it under his pack at ``home``."""
    enter = stage.reach(seat)
    arrive = enter + stage.rng.uniform(0.8, 1.1)
    visit = stage.visit(seat, [(enter, stage.place(cards[-1])), (arrive, home)])
    for card in cards:
        stage.glide(card, enter + 0.1, arrive, home.moved(*stage.little(1.5)), up=False)
        stage.lift(card)
        stage.vanish(card, arrive)
    stage.change_count(pack, arrive, len(cards), home)
    gone = stage.gone(seat, home, visit)
    stage.fact("gathered", arrive, gone, **{"from": zone}, to=seat, count=len(cards))
    stage.advance(gone)


def put_back(stage: Stage, seat: int, cards: Sequence[str], zone: str, pack: str, places: Sequence[Place]) -> None:
    """``seat`` puts a pile gathered too early back where it lay, open: a note; its top card may be seen anew."""
    enter = stage.reach(seat)
    home = stage.place(pack)
    rest = enter + stage.rng.uniform(0.8, 1.1)
    visit = stage.visit(seat, [(enter, home), (rest, places[-1])])
    stage.change_count(pack, enter, -len(cards))
    for card, place in zip(cards, places, strict=True):
        stage.appear(card, card, enter, home, up=False)
        stage.glide(card, enter, rest, place, up=True)
    gone = stage.gone(seat, places[-1], visit)
    stage.note("pile_put_back", rest, zone=zone, seat=seat)
    line = {"t": round(gone, 2), "fact": "laid", "seat": seat, "card": cards[-1], "zone": zone, "optional": True}
    stage.truth.append(line)
    stage.advance(gone)


def push(stage: Stage, seat: int, card: str, place: Place) -> tuple[float, float]:
    """``seat`` pushes a lying card, as it lies, to ``place``. Returns when it rests and when the hand has gone."""
    start = stage.place(card)
    enter = stage.reach(seat)
    rest = enter + 0.25 + math.dist((start.x_mm, start.y_mm), (place.x_mm, place.y_mm)) / 500.0
    visit = stage.visit(seat, [(enter, start), (rest, place)], grip=Grip.OPEN)
    stage.glide(card, enter, rest, place)
    gone = stage.gone(seat, place, visit)
    stage.advance(gone)
    return rest, gone


def reveal(stage: Stage, seat: int, card: str, zone: str) -> None:
    """``seat`` turns up a face-down card where it lies."""
    place = stage.place(card)
    enter = stage.reach(seat)
    visit = stage.visit(seat, [(enter, place), (enter + 0.4, place)])
    stage.glide(card, enter + 0.05, enter + 0.4, place, up=True)
    _laid(stage, seat, card, place, zone, enter + 0.4, stage.gone(seat, place, visit))


def cut(stage: Stage, seat: int, stock: str, aside: Place, drawn: str, home: Place) -> None:
    """``seat`` lifts part of the stock ``aside`` and takes the top card of the rest, unseen, to ``home``."""
    place, count = stage.place(stock), stage.items[stock].last.count
    part = stage.rng.randint(3, max(4, count - 4))
    enter = stage.reach(seat)
    stage.visit(seat, [(enter, place), (enter + 0.6, aside)])
    top = f"{stock} lifted"
    stage.items[top] = Item("", [CardKey(enter, place, False, stage.next_z(), count=part)])
    stage.change_count(stock, enter, -part)
    stage.glide(top, enter, enter + 0.6, aside)
    again = stage.reach(seat)
    rest = again + 0.7
    visit = stage.visit(seat, [(again, place), (rest, home)])
    stage.change_count(stock, again, -1)
    stage.appear(drawn, drawn, again, place, up=False)
    stage.glide(drawn, again, rest, home)
    gone = stage.gone(seat, home, visit)
    stage.fact("cut", rest, gone, seat=seat, card="back")
    stage.advance(gone)


def idle(stage: Stage, but: int, chance: float | None = None) -> None:
    """Perhaps somebody's hand (not that of seat ``but``, who acts next) moves about meanwhile."""
    if stage.rng.random() < (stage.pace.idle if chance is None else chance):
        seat = stage.rng.choice([s.number for s in stage.seats if s.number != but])
        kind = stage.rng.choice(["rest", "hover", "point", "pause"])
        stage.idle_hand(seat, stage.now_s + stage.rng.uniform(0.0, 0.6), kind)
