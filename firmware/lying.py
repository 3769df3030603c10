"""The cards as they lay after each entry of a log, laid out tidily in their zones: for drawing a session again.

The log knows zones, not places, so the places here are neat ones: in the middle a row for each suit where suits are
built there, elsewhere one row along the zone. Corrections are folded in first: what was misread is drawn as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from .referee.cards import RANKS, SUITS, Card
from .referee.events import Entry, Fact, Gathered, HandShown, Inserted, Laid, TakenBack, TurnedDown
from .referee.match import Match, Setup, effective

Json = Mapping[str, Any]
Box = tuple[float, float, float, float]

GAP: Final = 0.75
"""Cards of a row overlap by a quarter where there is room: both indices of each stay in sight."""

CARD_MM: Final = (63.0, 88.0)
"""A card where the session's settings name none."""


@dataclass(frozen=True, slots=True)
class Lies:
    """A card on the table ("?": not read), its zone, whose hand and which entry; ``down``: turned down since."""

    card: str
    zone: str
    seat: int | None
    entry: int
    down: bool = False


def after_each(setup: Setup, entries: Sequence[Entry]) -> dict[int, tuple[Lies, ...]]:
    """The cards on the table after each entry of one deal, by its number, the lowest first.

    :raises BadSetup: if this program cannot judge the deal: which cards of a pile were turned down, the game says.
    """
    own = {entry.number for entry in entries if not isinstance(entry.fact, Inserted)}
    match = Match(setup)
    lying: tuple[Lies, ...] = ()
    then: dict[int, tuple[Lies, ...]] = {}
    for entry in effective(list(entries)):
        match.add(entry)
        lying = after(lying, entry.fact, entry.number, match.face_down)
        if entry.number in own:
            then[entry.number] = lying
    return _with_the_rest(then, entries)


def lying_now(setup: Setup, entries: Sequence[Entry]) -> tuple[Lies, ...]:
    """The cards on the table after all entries of one deal, the lowest first; see `after_each`."""
    return next(reversed(after_each(setup, entries).values()), ())


def _with_the_rest(then: Mapping[int, tuple[Lies, ...]], entries: Sequence[Entry]) -> dict[int, tuple[Lies, ...]]:
    """Entries that change nothing on the table (corrections, struck ones) show what lay there before."""
    out: dict[int, tuple[Lies, ...]] = {}
    last: tuple[Lies, ...] = ()
    for entry in entries:
        last = out[entry.number] = then.get(entry.number, last)
    return out


def after(lying: tuple[Lies, ...], fact: Fact, entry: int, face_down: Collection[str] = ()) -> tuple[Lies, ...]:
    """The cards after one fact more; ``face_down``: those that the game knows to be turned down now."""
    match fact:
        case Laid(card, zone, seat):
            return (*_without(lying, card, zone), Lies(_name(card), zone, seat, entry))
        case TakenBack(card, zone):
            return _without(lying, card, zone)
        case TurnedDown(zone):
            some = any(one.zone == zone and one.card in face_down for one in lying)
            turned = [one.zone == zone and (one.card in face_down or not some) for one in lying]
            return tuple(_turned(one) if down else one for one, down in zip(lying, turned, strict=True))
        case Gathered(zone):
            return tuple(one for one in lying if one.zone != zone)
        case HandShown(seat, cards):
            shown = tuple(Lies(str(card), f"seat-{seat}", seat, entry) for card in cards)
            return (*(one for one in lying if one.card not in {card.card for card in shown}), *shown)
    return lying


def _turned(one: Lies) -> Lies:
    return replace(one, down=True)


def known_again(seen: Sequence[Json], lying: Sequence[Lies], said: Collection[int]) -> list[dict[str, Any]]:
    """The cards that the camera sees, with what the log knows of those that lay there when the program started.

    ``seen``: with ``card``, ``zone`` and ``entry`` (None: the camera has not seen it laid). A card is known again by
    its name and zone; one that was not read, or one of which people have ``said`` (by entry) that it is another, where
    it alone is left in its zone and alone is missing there. What could be one of several stays as it is seen.
    """
    out = [dict(card) for card in seen]
    entered = {card["entry"] for card in out}
    missing = [one for one in lying if one.entry not in entered and not one.down]
    strange = [card for card in out if card["entry"] is None and card["card"] != "back"]
    for card in list(strange):
        same = [one for one in missing if (one.card, one.zone) == (card["card"], card["zone"])]
        if len(same) == 1:
            card |= {"entry": same[0].entry, "seat": same[0].seat}
            missing.remove(same[0])
            strange.remove(card)
    for card in strange:
        here = [one for one in missing if one.zone == card["zone"]]
        alone = sum(other["zone"] == card["zone"] for other in strange) == 1
        if len(here) == 1 and alone and (card["card"] == "?" or here[0].entry in said):
            card |= {"card": here[0].card, "entry": here[0].entry, "seat": here[0].seat}
    return out


def drawn(lying: Sequence[Lies], table: Json) -> list[dict[str, Any]]:
    """The cards with their places on the table, mm, as the page draws them; ``table``: the session's geometry."""
    boxes = {zone["name"]: _box(zone["polygon"]) for zone in table.get("zones") or ()}
    card_mm = tuple(table.get("card") or CARD_MM)
    out: list[dict[str, Any]] = []
    for zone in dict.fromkeys(one.zone for one in lying if one.zone in boxes):
        here = [one for one in lying if one.zone == zone]
        suited = [one for one in here if zone == "layout" and one.card in _PLACE]
        out += _in_rows(suited, boxes[zone], card_mm)
        out += _in_line([one for one in here if one not in suited], boxes[zone], card_mm)
    return out


def _without(lying: tuple[Lies, ...], card: Card | None, zone: str) -> tuple[Lies, ...]:
    """The cards without this one: the newest of its name wherever it lay, or the newest unread one of this zone."""
    name = _name(card)
    for at in range(len(lying) - 1, -1, -1):
        if lying[at].card == name and (card is not None or lying[at].zone == zone):
            return lying[:at] + lying[at + 1 :]
    return lying


def _name(card: Card | None) -> str:
    return "?" if card is None else str(card)


_PLACE: Final = {rank + suit: (column, row) for row, suit in enumerate(SUITS) for column, rank in enumerate(RANKS)}


def _in_rows(here: Sequence[Lies], box: Box, card_mm: Sequence[float]) -> list[dict[str, Any]]:
    """A row for each suit, a column for each rank."""
    x0, y0, x1, y1 = box
    dx = (x1 - x0 - card_mm[0]) / (len(RANKS) - 1)
    dy = (y1 - y0 - card_mm[1]) / (len(SUITS) - 1)
    places = [(one, *_PLACE[one.card]) for one in sorted(here, key=lambda one: _PLACE[one.card][0])]
    return [
        _card(one, x0 + card_mm[0] / 2 + column * dx, y0 + card_mm[1] / 2 + row * dy, 0.0)
        for one, column, row in places
    ]


def _in_line(here: Sequence[Lies], box: Box, card_mm: Sequence[float]) -> list[dict[str, Any]]:
    """One row along the zone's longer side, closer together where they are many."""
    x0, y0, x1, y1 = box
    wide, high = x1 - x0, y1 - y0
    along, upright = max(wide, high), wide >= high
    step = min(card_mm[0] * GAP, max(along - card_mm[0], 0.0) / max(len(here) - 1, 1))
    first = -step * (len(here) - 1) / 2
    offsets = [first + step * at for at in range(len(here))]
    cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
    if upright:
        return [_card(one, cx + offset, cy, 0.0) for one, offset in zip(here, offsets, strict=True)]
    return [_card(one, cx, cy + offset, 90.0) for one, offset in zip(here, offsets, strict=True)]


def _card(one: Lies, x_mm: float, y_mm: float, angle: float) -> dict[str, Any]:
    place = {"x_mm": round(x_mm, 1), "y_mm": round(y_mm, 1), "angle": angle}
    return {"card": "back" if one.down else one.card, "zone": one.zone, "seat": one.seat, "entry": one.entry, **place}


def _box(polygon: Sequence[Sequence[float]]) -> Box:
    xs, ys = [float(point[0]) for point in polygon], [float(point[1]) for point in polygon]
    return min(xs), min(ys), max(xs), max(ys)
