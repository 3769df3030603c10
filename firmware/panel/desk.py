"""What a press means right now: acts of the buttons to facts for the referee, or to an answer on the lights. Pure.

A short press is the game's quiet act; a second's hold calls the referee; a double press asks what one has (unless the
game counts taps).  Where a payment goes from seat to seat, the payer's press says "given" and the receiver's press
says "got it"; only then is it paid.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from ..referee.events import Press, Pressed
from .buttons import Act, Gesture
from .signals import Attention


@dataclass(frozen=True, slots=True)
class Transfer:
    """A payment of ``counters`` from the seat ``payer`` to the seat ``to``; ``given`` once the payer has pressed.

    ``ruling``: the number of the ruling that made it due.
    """

    payer: int
    to: int
    counters: int
    given: bool = False
    ruling: int = -1


@dataclass(frozen=True, slots=True)
class Desk:
    """The panel's own state beside the game's. ``transfers`` wait for one of their two presses."""

    release: frozenset[int] = frozenset()
    again: Mapping[int, float] = field(default_factory=dict)
    balance: Mapping[int, tuple[int, float]] = field(default_factory=dict)
    transfers: tuple[Transfer, ...] = ()
    dispute: bool = False
    fault: str = ""
    absent: frozenset[int] = frozenset()

    def attention(self) -> Attention:
        """What of this the lights must show."""
        confirm = {t.to: t.counters for t in reversed(self.transfers) if t.given}  # the oldest is asked for first
        pay = {t.payer: t.counters for t in reversed(self.transfers) if not t.given}
        return Attention(self.fault, self.dispute, self.release, self.absent, confirm, self.balance, self.again, pay)

    def wants(self, seat: int) -> str:
        """What a tap of ``seat`` would confirm: GIVEN or GOT, "" where no transfer waits for it."""
        transfer = self.asked(seat)
        return "" if transfer is None else "GOT" if transfer.given else "GIVEN"

    def asked(self, seat: int) -> Transfer | None:
        """The transfer that a tap of ``seat`` confirms: one to receive before one to give, as the light shows them.

        The oldest of its kind, so that one press never settles two.
        """
        got = (t for t in self.transfers if t.given and t.to == seat)
        owed = (t for t in self.transfers if not t.given and t.payer == seat)
        return next(chain(got, owed), None)


@dataclass(frozen=True, slots=True)
class Told:
    """What an act came to: ``facts`` for the referee; transfers that are ``given`` (the payer pressed) and ``paid``."""

    facts: tuple[Pressed, ...] = ()
    given: tuple[Transfer, ...] = ()
    paid: tuple[Transfer, ...] = ()


NOTHING = Told()
#: The host's button is nobody's in the game: a hold calls the referee, a tap says nothing.
HOST = 0


def take(
    desk: Desk, act: Act, now_s: float, counters: Mapping[int, int], taps_count: bool = False
) -> tuple[Desk, Told]:
    """The desk after ``act``, and what it came to.

    ``counters``: what each seat has, for double presses. ``taps_count``: the game counts taps (a deuce is two), so a
    double press is an act of the game. ``now_s``: on the clock that `signals` is asked with.
    """
    match act.gesture:
        case Gesture.TAP if act.seat == HOST:
            return desk, NOTHING
        case Gesture.TAP if act.taps > 1 and not taps_count:
            asked = {**desk.balance, act.seat: (counters.get(act.seat, 0), now_s)}
            return replace(desk, balance=asked), NOTHING
        case Gesture.TAP:
            return _tapped(desk, act)
        case Gesture.LONG:
            facts = () if act.seat == HOST else (Pressed(act.seat, Press.LONG),)
            return replace(desk, dispute=True), Told(facts)
        case Gesture.STUCK | Gesture.HELD_AT_START:
            return replace(desk, release=desk.release | {act.seat}), NOTHING
        case Gesture.FREED:
            return replace(desk, release=desk.release - {act.seat}), NOTHING
        case Gesture.CHATTER | Gesture.UNCLEAR:
            return replace(desk, again={**desk.again, act.seat: now_s}), NOTHING


def _tapped(desk: Desk, act: Act) -> tuple[Desk, Told]:
    """A short press: "given" or "got it" where a transfer waits for this seat, else the game's quiet act."""
    transfer = desk.asked(act.seat)
    if transfer is None:
        return desk, Told((Pressed(act.seat, Press.SHORT, act.taps),))
    if transfer.given:
        return paid(desk, transfer), Told(paid=(transfer,))
    return given(desk, transfer), Told(given=(transfer,))


def given(desk: Desk, transfer: Transfer) -> Desk:
    """The payer has pressed: it waits for the receiver now."""
    changed = tuple(replace(t, given=True) if t is transfer else t for t in desk.transfers)
    return replace(desk, transfers=changed)


def paid(desk: Desk, transfer: Transfer) -> Desk:
    """Both have pressed: nothing waits any more."""
    return replace(desk, transfers=tuple(t for t in desk.transfers if t is not transfer))


def owe(desk: Desk, payer: int, to: int, counters: int, ruling: int = -1) -> Desk:
    """A payment from seat to seat has fallen due, by this ruling."""
    return replace(desk, transfers=(*desk.transfers, Transfer(payer, to, counters, ruling=ruling)))


def only(desk: Desk, rulings: Collection[int]) -> Desk:
    """A correction has overturned rulings: what only they made due is due no more."""
    return replace(desk, transfers=tuple(t for t in desk.transfers if t.ruling in rulings))


def settled(desk: Desk) -> Desk:
    """The dispute is over (the page settled it)."""
    return replace(desk, dispute=False)
