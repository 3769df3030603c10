"""The lines of a session's log: what each kind holds, and how it is written as text.

A session's log is a list of lines numbered by ``seq`` from 0 without a gap. The facts of the game are `Entry` values
and carry the referee's own numbers; the journal's remarks (the clock was set, a tail was repaired, pictures were
thinned) are lines of their own, so that they never shift an entry's number.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Any

from firmware.referee.events import Entry, from_json, to_json

from .chain import canonical, parsed
from .clock import Stamp, elapsed_ns

#: The result of a session that was left before its end.
UNFINISHED: Mapping[str, Any] = {"unfinished": True}

#: No session lasts for ten years, in seconds.
LONGEST_S = 10 * 365.25 * 86_400.0


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
    LOST = "photos_lost"  # pictures that were damaged or missing when the session was imported: `photos`


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a session's log. ``photos``: hashes of its pictures; ``lost``: why it has none although asked.

    ``entry``: what its body says, if it is a fact that was read from a log.
    """

    seq: int
    kind: LineKind
    deal: int
    stamp: Stamp
    body: Mapping[str, Any]
    photos: tuple[str, ...] = ()
    lost: str = ""
    entry: Entry | None = field(default=None, compare=False)


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
        """The header that `to_json` wrote; keys it does not know are ignored.

        :raises ValueError: if it is none.
        """
        known = {f.name: data[f.name] for f in fields(cls) if f.name in data}
        texts = [known.get(name, "") for name in ("game", "program", "model", "club")]
        seats, dealer = known.get("seats"), known.get("dealer")
        if "game" not in known or not isinstance(seats, list | tuple) or not seats:
            raise ValueError("a session without a game or without seats")
        if not all(isinstance(text, str) for text in (*texts, *seats)):
            raise ValueError("a name that is no text")
        if not all(map(_can_be_kept, (*texts, *seats))):
            raise ValueError("a name with half a character")
        if not (dealer is None or is_int(dealer)) or not all(_is_dict(known.get(n, {})) for n in _TABLES):
            raise ValueError("a dealer or house rules of no known form")
        return cls(**{**known, "seats": tuple(seats)})


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


#: So many lines are remembered as they were understood: whoever tells an evening (a few hundred lines) reads each one
#: several times, from both logs. About 4 MB.
_REMEMBERED = 4_096


@lru_cache(_REMEMBERED)
def read_line(text: str) -> Line:
    """The line that `line_text` wrote, understood to its last word: whoever has it can rely on its body's form.

    :raises ValueError: if the text is not such a line.
    """
    try:
        data = parsed(text)
        line = Line(
            seq=data["seq"],
            kind=LineKind(data["kind"]),
            deal=data["deal"],
            stamp=Stamp(data["mono"], data["boot"], data["wall"]),
            body=data["body"],
            photos=tuple(data.get("photos", ())),
            lost=data.get("lost", ""),
        )
        _check(line)
        return replace(line, entry=line_entry(line)) if line.kind is LineKind.FACT else line
    except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"not a line of a session's log: {error}") from None


def _check(line: Line) -> None:
    """A text can be JSON, and its hash can be right, and yet it holds what no journal writes.

    :raises ValueError, KeyError, TypeError, AttributeError: whatever does not fit.
    """
    stamp, body = line.stamp, line.body
    numbers = (line.seq, line.deal, stamp.mono_ns, stamp.wall_ns)
    texts = (line.lost, stamp.boot, *line.photos)
    if not (all(map(is_int, numbers)) and all(isinstance(text, str) for text in texts) and _is_dict(body)):
        raise ValueError("a field of the wrong type")
    if line.seq < 0:
        raise ValueError("a number out of range")
    match line.kind:
        case LineKind.BEGIN:
            SessionHeader.from_json(body)
        case LineKind.DEAL if not (body["dealer"] is None or is_int(body["dealer"])) or not _is_dict(body["deal"]):
            raise ValueError("a deal of no known form")
        case LineKind.NOTE:
            _check_note(body)
        case LineKind.END:
            _check_end(body)


def _check_note(body: Mapping[str, Any]) -> None:
    seconds, dropped, photos = body.get("seconds", 0), body.get("bytes", 0), body.get("photos", [])
    if not isinstance(body["code"], str) or not _is_number(seconds) or not is_int(dropped):
        raise ValueError("a remark of no known form")
    if not isinstance(photos, list) or not all(isinstance(name, str) for name in photos):
        raise ValueError("a remark about no pictures")
    if (key := _NEEDED.get(body["code"])) is not None and key not in body:
        raise ValueError(f"a remark without its {key}")


def _check_end(body: Mapping[str, Any]) -> None:
    """A last line without a result is one; what stands there must be what its readers count on."""
    result = body.get("result")
    results = result if isinstance(result, list) else [result]
    if not all(one is None or (_is_dict(one) and is_int(one.get("deal", 0))) for one in results):
        raise ValueError("a result of no known form")
    written = body.get("written", {})
    if not _is_dict(written) or not all(map(_is_number, written.values())) or not is_int(written.get("bytes", 0)):
        raise ValueError("a count of bytes written of no known form")


#: What a remark tells besides its code.
_NEEDED: dict[str, str] = {
    Remark.CLOCK_STEP.value: "seconds",
    Remark.TAIL_REPAIRED.value: "bytes",
    Remark.THINNED.value: "photos",
    Remark.FORGOTTEN.value: "photos",
    Remark.LOST.value: "photos",
}
_TABLES = ("house", "deal", "table")


def is_int(value: object) -> bool:
    """A whole number that fits the database; JSON knows larger ones."""
    return type(value) is int and abs(value) < 1 << 63


def _is_number(value: object) -> bool:
    return is_int(value) or (isinstance(value, float) and math.isfinite(value))


def _can_be_kept(text: str) -> bool:
    """Whether a text is whole: JSON can write one half of a character alone, no file and no database takes it."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _is_dict(value: object) -> bool:
    return isinstance(value, dict | Mapping)


def played_ns(lines: Iterable[Line]) -> int:
    """How long a session was played: from its beginning to its end, or to the last fact if it was left unfinished.

    By the monotonic clock; the time for which the machine was off does not count, nor what was remarked later.
    """
    kept = [line for line in lines if line.kind is not LineKind.NOTE and line.body.get("result") != UNFINISHED]
    return sum(elapsed_ns(a.stamp, b.stamp) for a, b in pairwise(kept) if a.stamp.boot == b.stamp.boot)


_DEFAULTS: dict[str, Any] = {"t": 0.0, "at": 0.0, "confidence": 1.0, "seat_confidence": 1.0, "source": "script"}


def entry_body(entry: Entry) -> dict[str, Any]:
    """The entry without its pictures as JSON values; fields that have their default are left out."""
    told = {name: getattr(entry, name) for name in _DEFAULTS}
    kept = {name: value for name, value in told.items() if value != _DEFAULTS[name]}
    return {"number": entry.number, "fact": to_json(entry.fact), **kept}


def entries_of(lines: Iterable[Line]) -> Iterator[tuple[Line, Entry]]:
    """The entries among lines, each with its line."""
    return ((line, line_entry(line)) for line in lines if line.kind is LineKind.FACT)


def line_entry(line: Line) -> Entry:
    """The entry that a fact line holds.

    :raises ValueError: if the fact is not one that the referee knows, or does not fit.
    """
    if line.entry is not None:
        return line.entry
    values = {name: line.body.get(name, default) for name, default in _DEFAULTS.items()}
    source = values["source"]
    if not isinstance(source, str) or not all(_is_number(v) for name, v in values.items() if name != "source"):
        raise ValueError("an entry of no known form")
    if not is_int(line.body["number"]) or line.body["number"] < 0 or abs(values["t"]) > LONGEST_S:
        raise ValueError("an entry's number or time out of range")
    return Entry(line.body["number"], from_json(line.body["fact"]), photos=line.photos, **values)
