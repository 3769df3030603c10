"""The lines of a session's log: what each kind holds, and how it is written as text.

A session's log is a list of lines numbered by ``seq`` from 0 without a gap. The facts of the game are `Entry` values
and carry the referee's own numbers; the journal's remarks (the clock was set, a tail was repaired, pictures were
thinned) are lines of their own, so that they never shift an entry's number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from firmware.referee.events import Entry, from_json, to_json

from .chain import canonical
from .clock import Stamp


class LineKind(StrEnum):
    """What a line is."""

    BEGIN = "begin"  # the session's header: game, seats, house rules, versions
    DEAL = "deal"  # a further deal begins: its dealer and what is known of it
    FACT = "fact"  # an entry of the game
    NOTE = "note"  # a remark of the journal itself
    END = "end"  # the session is over: its result


class Remark(StrEnum):
    """The journal's own remarks: the ``code`` of a `LineKind.NOTE` line."""

    CLOCK_STEP = "clock_step"  # the wall clock was set by `seconds`
    RESUMED = "resumed"  # the program came back after it had stopped without an end
    TAIL_REPAIRED = "tail_repaired"  # `bytes` of a half-written line were dropped
    REBUILT = "rebuilt"  # the database was damaged and rebuilt
    THINNED = "photos_thinned"  # pictures removed to make room: `photos`
    FORGOTTEN = "photos_forgotten"  # pictures removed because people asked: `photos`


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a session's log. ``photos``: hashes of its pictures; ``lost``: why it has none although asked."""

    seq: int
    kind: LineKind
    deal: int
    stamp: Stamp
    body: Mapping[str, Any]
    photos: tuple[str, ...] = ()
    lost: str = ""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A line as it is kept: its text, and the hash (hex) that binds it to all before it."""

    text: str
    hash: str


@dataclass(frozen=True, slots=True)
class SessionHeader:
    """What a session is played with; it is the log's first line, so an old evening is judged by its own rules.

    ``seats``: the names, seat 1 first. ``dealer``: a seat number, None if nobody deals. ``house``: house rules that
    differ from the defaults. ``deal``: what is known of the first deal. ``program``: this program's version.
    ``model``: the reader model's sha256. ``table``: the table file's contents. ``club``: this table's name in the club
    to whose hub the session is told; "" for one that is nobody else's business.
    """

    game: str
    seats: tuple[str, ...]
    dealer: int | None = None
    house: Mapping[str, Any] = field(default_factory=dict)
    deal: Mapping[str, Any] = field(default_factory=dict)
    program: str = ""
    model: str = ""
    table: Mapping[str, Any] = field(default_factory=dict)
    club: str = ""

    def to_json(self) -> dict[str, Any]:
        """The header as plain JSON values."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SessionHeader:
        """The header that `to_json` wrote; keys it does not know are ignored."""
        known = {f.name: data[f.name] for f in fields(cls) if f.name in data}
        return cls(**{**known, "seats": tuple(data["seats"])})


@dataclass(frozen=True, slots=True)
class Deal:
    """One deal of a session: its number from 1, the dealer's seat, and what is known of it."""

    number: int
    dealer: int | None
    known: Mapping[str, Any]


def _plain(value: Any) -> Any:
    return json.loads(canonical(value))


def line_text(line: Line) -> str:
    """The line as canonical JSON: the text that is hashed, kept and exported."""
    out: dict[str, Any] = {
        "seq": line.seq,
        "kind": line.kind.value,
        "deal": line.deal,
        "mono": line.stamp.mono_ns,
        "boot": line.stamp.boot,
        "wall": line.stamp.wall_ns,
        "body": dict(line.body),
    }
    if line.photos:
        out["photos"] = list(line.photos)
    if line.lost:
        out["lost"] = line.lost
    return canonical(out)


def read_line(text: str) -> Line:
    """The line that `line_text` wrote.

    :raises ValueError: if the text is not such a line.
    """
    try:
        data = json.loads(text)
        return Line(
            seq=data["seq"],
            kind=LineKind(data["kind"]),
            deal=data["deal"],
            stamp=Stamp(data["mono"], data["boot"], data["wall"]),
            body=data["body"],
            photos=tuple(data.get("photos", ())),
            lost=data.get("lost", ""),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a line of a session's log: {error}") from None


_DEFAULTS: dict[str, Any] = {"t": 0.0, "at": 0.0, "confidence": 1.0, "seat_confidence": 1.0, "source": "script"}


def entry_body(entry: Entry) -> dict[str, Any]:
    """The entry without its pictures as JSON values; fields that have their default are left out."""
    told = {name: getattr(entry, name) for name in _DEFAULTS}
    kept = {name: value for name, value in told.items() if value != _DEFAULTS[name]}
    return {"number": entry.number, "fact": to_json(entry.fact), **kept}


def line_entry(line: Line) -> Entry:
    """The entry that a fact line holds.

    :raises ValueError: if the fact is not one that the referee knows.
    """
    values = {name: line.body.get(name, default) for name, default in _DEFAULTS.items()}
    return Entry(line.body["number"], from_json(line.body["fact"]), photos=line.photos, **values)
