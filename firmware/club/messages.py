"""What tables and hub say to one another: the topics, and every message as JSON. Pure; speaks to no network.

Anybody who has the broker's password can publish anything, so every message is read as if a stranger had written it:
its size, its depth, every type, every length and every number is checked before a value of it is used.

    cardtable/hub/available        retained, last will   Presence: which hub is there
    cardtable/TABLE/available      retained, last will   "online" or "offline"
    cardtable/TABLE/state          retained              what everybody at the table may see now (`state.py`)
    cardtable/TABLE/inventory                            Inventory: the sessions the table has to tell, and how far
    cardtable/TABLE/log                                  Bulletin: one line of a session's log, judged
    cardtable/TABLE/ack                                  Ack: the next line of a session that the hub wants
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from firmware.config import TABLE_NAME
from firmware.journal.names import visible
from firmware.referee.rulings import Kind

ROOT = "cardtable"
HUB_AVAILABLE = f"{ROOT}/hub/available"
ONLINE, OFFLINE = b"online", b"offline"

#: Longest message that is read, in bytes. A bulletin has about 600, a state 2,000; a correction of a long deal judges
#: hundreds of entries again, and each of its rulings has about 200.
MOST_BYTES = 256_000
#: Whole numbers are kept in 64 bits by every database, and exactly by every JSON reader up to this.
MOST = (1 << 53) - 1
#: Counters that one seat can win or lose in a deal and that a table can have (see referee/deal.py).
MOST_COUNTERS = 1_000_000_000
MOST_SEATS = 51
NAME_CHARS = 60
WORDS_CHARS = 600
#: Sessions in one inventory; a table that has more to tell names the others when these are told.
MOST_SESSIONS = 200
MOST_RULINGS = 2_000

SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
HASH = re.compile(r"[0-9a-f]{64}")
WORD = re.compile(r"[a-z0-9_]{1,40}")
CODE = re.compile(r"[A-Z0-9_]{0,40}")
PROGRAM = re.compile(r"[\x20-\x7e]{0,40}")
HUB = re.compile(r"[0-9a-f]{16}")


class BadMessage(ValueError):
    """A message that cannot be meant; the words say where."""


@dataclass(frozen=True, slots=True)
class Begin:
    """What a session is played with, as far as it is told: the first bulletin carries it."""

    game: str
    title: str
    seats: tuple[str, ...]
    dealer: int | None
    program: str


@dataclass(frozen=True, slots=True)
class Said:
    """A ruling as it is told."""

    id: int
    kind: str
    code: str
    seat: int | None
    to: int | None
    counters: int
    why: str


@dataclass(frozen=True, slots=True)
class Bulletin:
    """One line of a session's log, and what follows from it.

    ``seq`` is the line's place and ``hash`` (hex) the log's head after it. ``counters``: what each seat of deal
    ``deal`` has won or lost after it, seat 1 first (empty where the program knows no such game); ``pool``: what lies
    on the table. ``code``: the remark's, for lines of the journal's own. ``wall_ns``: the table's clock, ns since 1970.
    """

    session: str
    seq: int
    hash: str
    kind: str
    deal: int
    wall_ns: int
    counters: tuple[int, ...]
    pool: int
    over: bool
    winner: int | None
    said: tuple[Said, ...] = ()
    code: str = ""
    begin: Begin | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """A session in an inventory: how many lines its log has, its head (hex), and whether it is over."""

    session: str
    lines: int
    head: str
    ended: bool


@dataclass(frozen=True, slots=True)
class Inventory:
    """The sessions that a table has to tell."""

    offers: tuple[Offer, ...]


@dataclass(frozen=True, slots=True)
class Ack:
    """The hub ``hub`` has every line of ``session`` before ``next``.

    ``again``: a later line came and was not kept, so they are wanted from ``next`` on. ``refused``: why it takes none.
    """

    hub: str
    session: str
    next: int
    again: bool = False
    refused: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """What a table shows now (`state.state_of`)."""

    session: str
    title: str
    state: str
    seats: tuple[str, ...]
    turn_seat: int
    pool: int
    counters: tuple[int, ...]
    dispute: bool
    words: str
    said: str
    over: bool


@dataclass(frozen=True, slots=True)
class Presence:
    """Whether a hub is there, and which one (each database has a name of its own)."""

    hub: str
    online: bool


def topic(table: str, word: str) -> str:
    """A table's topic."""
    return f"{ROOT}/{table}/{word}"


def table_of(name: str) -> tuple[str, str] | None:
    """The table and the word of a topic, None if it is no table's."""
    parts = name.split("/")
    if len(parts) != 3 or parts[0] != ROOT or not TABLE_NAME.fullmatch(parts[1]):
        return None
    return parts[1], parts[2]


# -- writing


def pack(message: Bulletin | Inventory | Ack | Presence) -> bytes:
    """A message as it is sent: JSON, with what is empty left out."""
    return json.dumps(_plain(message), separators=(",", ":"), ensure_ascii=False).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if not hasattr(value, "__dataclass_fields__"):
        return value
    told = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return {name: inner for name, inner in told.items() if inner is not None and inner != "" and inner != []}


# -- reading

_Read = TypeVar("_Read")


def read_bulletin(payload: bytes) -> Bulletin:
    """The bulletin in a message. :raises BadMessage: if it is none."""
    return _bulletin(_Part.of(payload))


def read_inventory(payload: bytes) -> Inventory:
    """The inventory in a message. :raises BadMessage: if it is none."""
    return Inventory(_Part.of(payload).each("offers", _offer, MOST_SESSIONS))


def read_ack(payload: bytes) -> Ack:
    """The hub's answer in a message. :raises BadMessage: if it is none."""
    part = _Part.of(payload)
    hub, session = part.like("hub", HUB), part.like("session", SESSION)
    return Ack(hub, session, part.whole("next"), part.flag("again"), part.words("refused"))


def read_presence(payload: bytes) -> Presence:
    """Whether a hub is there. :raises BadMessage: if the message does not say."""
    part = _Part.of(payload)
    return Presence(part.like("hub", HUB), part.flag("online"))


def read_state(payload: bytes) -> State:
    """What a table shows. :raises BadMessage: if the message does not say."""
    part = _Part.of(payload)
    seats = part.names("seats") if part.data.get("seats") else ()
    return State(
        session=part.words("session", 64),
        title=part.words("title", 60),
        state=part.like("state", WORD),
        seats=seats,
        turn_seat=part.whole("turn_seat", 0, len(seats)),
        pool=part.whole("pool", -MOST_COUNTERS, MOST_COUNTERS),
        counters=part.numbers("counters"),
        dispute=part.flag("dispute"),
        words=part.words("words"),
        said=part.words("said"),
        over=part.flag("over"),
    )


def read_json(payload: bytes) -> Mapping[str, Any]:
    """The JSON object in a message. :raises BadMessage: if it is none, or too large or too deep for one of ours."""
    if len(payload) > MOST_BYTES:
        raise BadMessage(f"{len(payload)} bytes are too many")
    try:
        data = json.loads(payload.decode("utf-8"), parse_constant=_no_number)
    except RecursionError:
        raise BadMessage("nested too deeply") from None
    except ValueError:
        raise BadMessage("no JSON") from None
    if not isinstance(data, Mapping):
        raise BadMessage("no object")
    return data


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


@dataclass(frozen=True, slots=True)
class _Part:
    """One object of a message, whose values are only given out when they fit."""

    data: Mapping[str, Any]
    where: str = ""

    @classmethod
    def of(cls, payload: bytes) -> _Part:
        return cls(read_json(payload))

    def _bad(self, name: str) -> BadMessage:
        return BadMessage(f"{self.where}{name} does not fit: {self.data.get(name)!r:.60}")

    def whole(self, name: str, least: int = 0, most: int = MOST) -> int:
        value = self.data.get(name)
        if type(value) is not int or not least <= value <= most:
            raise self._bad(name)
        return value

    def seat(self, name: str, seats: int = MOST_SEATS) -> int | None:
        return None if self.data.get(name) is None else self.whole(name, 1, seats)

    def flag(self, name: str) -> bool:
        value = self.data.get(name)
        if type(value) is not bool:
            raise self._bad(name)
        return value

    def like(self, name: str, shape: re.Pattern[str]) -> str:
        value = self.data.get(name, "")
        if not isinstance(value, str) or not shape.fullmatch(value):
            raise self._bad(name)
        return value

    def words(self, name: str, most: int = WORDS_CHARS) -> str:
        """Text as it may be shown: without what steers a terminal or a page, or is newer than our Unicode."""
        value = self.data.get(name, "")
        if not isinstance(value, str) or len(value) > most:
            raise self._bad(name)
        return visible(value)

    def each(self, name: str, read: Callable[[_Part], _Read], most: int) -> tuple[_Read, ...]:
        listed = self.data.get(name, [])
        if not isinstance(listed, list) or len(listed) > most or not all(isinstance(one, Mapping) for one in listed):
            raise self._bad(name)
        return tuple(read(_Part(one, f"{self.where}{name}.")) for one in listed)

    def numbers(self, name: str) -> tuple[int, ...]:
        listed = self.data.get(name, [])
        fits = isinstance(listed, list) and len(listed) <= MOST_SEATS
        if not fits or not all(type(n) is int and abs(n) <= MOST_COUNTERS for n in listed):
            raise self._bad(name)
        return tuple(listed)

    def names(self, name: str) -> tuple[str, ...]:
        """The names of seats as they may be shown, no two alike: a strange name must not hold its session up."""
        listed = self.data.get(name, [])
        if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_SEATS:
            raise self._bad(name)
        if not all(isinstance(n, str) and len(n) <= NAME_CHARS for n in listed):
            raise self._bad(name)
        names = [visible(n) or f"Seat {seat}" for seat, n in enumerate(listed, start=1)]
        return tuple(f"{n} ({seat})" if names.count(n) > 1 else n for seat, n in enumerate(names, start=1))

    def part(self, name: str) -> _Part | None:
        value = self.data.get(name)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise self._bad(name)
        return _Part(value, f"{self.where}{name}.")


def _bulletin(part: _Part) -> Bulletin:
    begin = part.part("begin")
    return Bulletin(
        session=part.like("session", SESSION),
        seq=part.whole("seq"),
        hash=part.like("hash", HASH),
        kind=part.like("kind", WORD),
        deal=part.whole("deal", 1, 1_000_000),
        wall_ns=part.whole("wall_ns", 0, (1 << 63) - 1),
        counters=part.numbers("counters"),
        pool=part.whole("pool", -MOST_COUNTERS, MOST_COUNTERS),
        over=part.flag("over"),
        winner=part.seat("winner"),
        said=part.each("said", _said, MOST_RULINGS),
        code=part.words("code", 40),
        begin=None if begin is None else _begin(begin),
    )


def _begin(part: _Part) -> Begin:
    seats = part.names("seats")
    return Begin(
        part.like("game", WORD), part.words("title", 60), seats, part.seat("dealer", len(seats)),
        part.like("program", PROGRAM),
    )  # fmt: skip


def _said(part: _Part) -> Said:
    kind = part.like("kind", WORD)
    if kind not in {k.value for k in Kind}:
        raise BadMessage(f"{part.where}kind is no ruling: {kind!r}")
    counters = part.whole("counters", -MOST_COUNTERS, MOST_COUNTERS)
    return Said(
        part.whole("id"), kind, part.like("code", CODE), part.seat("seat"), part.seat("to"), counters,
        part.words("why"),
    )  # fmt: skip


def _offer(part: _Part) -> Offer:
    return Offer(part.like("session", SESSION), part.whole("lines", 1), part.like("head", HASH), part.flag("ended"))
