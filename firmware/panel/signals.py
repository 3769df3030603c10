"""What every seat's light says now: a pure function from rulings and the public state to the table of meanings.

Nothing here knows a hand: only rulings and the public view are read, so no light can give a hidden card away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..referee.rulings import Kind, Ruling
from .meanings import (
    PULSES_MAX,
    TABLE,
    Colour,
    Meaning,
    Row,
    Signal,
    beat,
    lit,
    rhythm,
    signal,
    until_change_ms,
)

__all__ = [
    "PULSES_MAX", "TABLE", "Attention", "Colour", "Meaning", "PanelState", "Row", "Said", "Signal", "View", "beat",
    "lit", "meaning_of", "rhythm", "signal", "signals", "until_change_ms",
]  # fmt: skip

_ORDER = {meaning: place for place, meaning in enumerate(TABLE)}


@dataclass(frozen=True, slots=True)
class PanelState:
    """What the whole panel shows: a signal a seat (seat 1 first) and the pool; None leaves the digits dark."""

    lights: tuple[Signal, ...]
    pool: int | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A ruling and when it was given, in seconds on the clock that `signals` is asked with."""

    t_s: float
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Attention:
    """What the panel must show that is no ruling.

    ``fault``: what is wrong with the machine, empty for nothing. ``dispute``: the referee was called. ``release``:
    seats whose button is held or stuck. ``absent``: seats that are not playing. ``confirm``: counters that a seat is
    to say it received. ``balance``: counters to show on demand, and when that was asked for in seconds. ``again``:
    seats whose press could not be judged, and since when in seconds. ``pay``: counters that a seat is to say it gave
    to another.
    """

    fault: str = ""
    dispute: bool = False
    release: frozenset[int] = frozenset()
    absent: frozenset[int] = frozenset()
    confirm: Mapping[int, int] = field(default_factory=dict)
    balance: Mapping[int, tuple[int, float]] = field(default_factory=dict)
    again: Mapping[int, float] = field(default_factory=dict)
    pay: Mapping[int, int] = field(default_factory=dict)


#: What is to be put right, and by which seats.
_Amiss = tuple[Meaning, Collection[int]]


class View(Protocol):
    """The part of a game's public view that the lights need.

    ``due``: what the seat in turn is to do, as a code (PAY is a debt of ``due_count``), or debts by seat.
    ``live``: the seats still in play. ``out_of_step`` and ``winner``: seats (one, several, True where the view does
    not say which, or none).
    """

    @property
    def live(self) -> Collection[int]: ...
    @property
    def turn(self) -> int | None: ...
    @property
    def due(self) -> object: ...
    @property
    def due_count(self) -> int: ...
    @property
    def pool(self) -> int: ...
    @property
    def out_of_step(self) -> object: ...
    @property
    def over(self) -> bool: ...
    @property
    def winner(self) -> object: ...


def signals(
    seats: int, view: View, recent: Sequence[Said] = (), now_s: float = 0.0, attention: Attention | None = None
) -> PanelState:
    """What each of ``seats`` lights shows at ``now_s``, the most important meaning of each."""
    attention = attention or Attention()
    said = tuple(_fresh(recent, now_s))
    amiss = _amiss(seats, view, recent)
    lights = tuple(_light(seat, view, amiss, said, now_s, attention) for seat in range(1, seats + 1))
    return PanelState(lights, view.pool)


def _light(seat: int, view: View, amiss: _Amiss, said: Sequence[Ruling], now_s: float, attention: Attention) -> Signal:
    if seat in attention.absent:
        return signal(Meaning.DARK)
    found = [
        *_from_attention(seat, attention, now_s),
        *_from_rulings(seat, said),
        *_from_view(seat, view, amiss),
        signal(Meaning.WAITING if seat in view.live else Meaning.DARK),
    ]
    return min(found, key=lambda s: _ORDER[s.meaning])


def _from_attention(seat: int, attention: Attention, now_s: float) -> Iterable[Signal]:
    if attention.fault:
        yield signal(Meaning.FAULT, detail=attention.fault)
    if seat in attention.release:
        yield signal(Meaning.RELEASE)
    if seat in attention.again and _within(attention.again[seat], now_s, TABLE[Meaning.REFUSED].lasts_ms):
        yield signal(Meaning.REFUSED, detail="press again")
    if attention.dispute:
        yield signal(Meaning.DISPUTE)
    if count := attention.confirm.get(seat):
        yield signal(Meaning.CONFIRM, count)
    if count := attention.pay.get(seat):
        yield signal(Meaning.PAY, count)
    if seat in attention.balance:
        count, asked_s = attention.balance[seat]
        if _within(asked_s, now_s, TABLE[Meaning.BALANCE].lasts_ms):
            yield signal(Meaning.BALANCE, count)


def _from_rulings(seat: int, said: Sequence[Ruling]) -> Iterable[Signal]:
    for ruling in said:
        meaning = meaning_of(ruling)
        if meaning is not None and ruling.seat in (seat, None):
            yield signal(meaning, ruling.counters, ruling.why)


def _from_view(seat: int, view: View, amiss: _Amiss) -> Iterable[Signal]:
    meaning, seats = amiss
    if seat in seats:
        yield signal(meaning)
    if view.over:
        if seat in _named(view.winner):
            yield signal(Meaning.WINNER)
    elif owed := _owed(seat, view):
        yield signal(Meaning.PAY, owed)
    elif seat == view.turn:
        yield signal(Meaning.TURN)


def _owed(seat: int, view: View) -> int:
    if isinstance(view.due, Mapping):
        return int(view.due.get(seat, 0))
    return view.due_count if seat == view.turn and view.due == "PAY" else 0


def _named(who: object) -> Collection[int]:
    """The seats meant by a seat, a collection of seats, or nothing."""
    if isinstance(who, int) and not isinstance(who, bool):
        return (who,)
    return tuple(who) if isinstance(who, Collection) else ()


def _amiss(seats: int, view: View, recent: Sequence[Said]) -> _Amiss:
    """What is to be put right, and by which seats: the last trouble that still stands, or all if none is known."""
    everybody = range(1, seats + 1)
    if view.out_of_step is not True:
        return Meaning.OUT_OF_STEP, _named(view.out_of_step)
    for place in reversed(range(len(recent))):
        ruling = recent[place].ruling
        if ruling.kind in _TROUBLE and not any(_mends(later.ruling, ruling) for later in recent[place + 1 :]):
            seats_meant = everybody if ruling.seat is None else (ruling.seat,)
            return Meaning.OUT_OF_STEP if ruling.kind is Kind.REFUSED else Meaning.SHOW_AGAIN, seats_meant
    return Meaning.OUT_OF_STEP, everybody


_TROUBLE = (Kind.REFUSED, Kind.UNSURE, Kind.CONFLICT)
#: Rulings that answer an act of their own seat.
_ACTS = (Kind.REFUSED, Kind.PAID, Kind.TAKES)


def _mends(later: Ruling, said: Ruling) -> bool:
    """Whether ``later`` shows that this trouble is over; a refused card may lie on while others play."""
    if said.kind is Kind.REFUSED:
        return later.seat == said.seat and later.kind in _ACTS and later.entry != said.entry
    return _answers(later, said)


def meaning_of(ruling: Ruling) -> Meaning | None:
    """What a ruling's seat is shown for it, or None if it changes no light by itself.

    A turn, a debt, the end and being out of step are shown from the state, for as long as they hold.
    """
    match ruling.kind:
        case Kind.REFUSED:
            return Meaning.REFUSED
        case Kind.PROVED:
            return Meaning.PROVED
        case Kind.UNSURE | Kind.CONFLICT:
            return Meaning.SHOW_AGAIN
        case Kind.PAID | Kind.NOTICE if "PASS" in ruling.code:
            return Meaning.PASSED
        case Kind.PAID:
            return Meaning.PAID
        case Kind.TAKES:
            return Meaning.TAKES
    return None


def _fresh(recent: Sequence[Said], now_s: float) -> Iterable[Ruling]:
    """The rulings still to be shown: neither too old nor answered by a later act of the same seat."""
    for place, said in enumerate(recent):
        meaning = meaning_of(said.ruling)
        if meaning is None or not _within(said.t_s, now_s, TABLE[meaning].lasts_ms):
            continue
        if not any(_answers(later.ruling, said.ruling) for later in recent[place + 1 :]):
            yield said.ruling


def _answers(later: Ruling, said: Ruling) -> bool:
    """Whether a later entry has moved on from what ``said`` shows: the seat has acted again, or play has."""
    if later.entry == said.entry:
        return False
    match said.kind:
        case Kind.REFUSED | Kind.UNSURE | Kind.CONFLICT:
            same = later.seat == said.seat and later.kind in (*_ACTS, Kind.UNSURE)
            return same or later.kind in (Kind.TURN, Kind.OVER)
        case Kind.PAID | Kind.TAKES:
            return later.seat == said.seat and later.kind in (Kind.TURN, Kind.REFUSED, Kind.UNSURE)
    return False


def _within(since_s: float, now_s: float, lasts_ms: int) -> bool:
    return 0 <= now_s - since_s < lasts_ms / 1000
