"""The table of signals: what a light can say, each meaning with a rhythm, a colour, and words for both.

Rhythm comes before colour: every meaning has a rhythm of its own, so that nobody needs to tell red from green.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Colour(StrEnum):
    """A light's colour. Boards with only red and green show blue as amber."""

    OFF = "off"
    GREEN = "green"
    RED = "red"
    AMBER = "amber"
    BLUE = "blue"

    @property
    def rgb(self) -> tuple[int, int, int]:
        """Which of the red, green and blue lamps are lit."""
        return _RGB[self.value]


_RGB = {"off": (0, 0, 0), "green": (0, 1, 0), "red": (1, 0, 0), "amber": (1, 1, 0), "blue": (0, 0, 1)}


class Meaning(StrEnum):
    """What a light can say, the most important first: of several at once the first is shown."""

    FAULT = "fault of the machine"
    RELEASE = "let go of the button"
    REFUSED = "refused"
    BALANCE = "what you have"
    DISPUTE = "referee called"
    OUT_OF_STEP = "out of step"
    SHOW_AGAIN = "show the card again"
    PROVED = "proved false"
    CONFIRM = "say that you got it"
    PAY = "payment due"
    PAID = "paid"
    PASSED = "pass taken"
    TAKES = "yours to take"
    WINNER = "winner"
    TURN = "your turn"
    WAITING = "waiting"
    DARK = "not playing"


# Durations in ms. Each class is at least 1.6 times the one below, well above the quarter by which people judge two
# durations different at a glance; and no rhythm starts more than three flashes in a second (WCAG 2.3.1).
BLIP_MS = 90
SHORT_MS = 150
GAP_MS = 200
LONG_MS = 600
GROUP_GAP_MS = 550
PAUSE_MS = 1200
VERY_LONG_MS = 1600
FAST_MS = 170
SLOW_MS = 700
WAITING_GAP_MS = 3900

#: The longest payment that is pulsed one by one; more than this cannot be counted by eye, so the page says it.
PULSES_MAX = 12
#: Pulses come in groups of five, as tally marks do.
GROUP = 5

STEADY = (1000,)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the signal table.

    ``rhythm``: on, off, on, off ... in ms, repeated; one number is steady, none is dark. ``counted``: the rhythm is
    a lead-in before as many short pulses as there are counters. ``lasts_ms``: how long a ruling is shown, 0 for as
    long as it is true. ``tone``: (hertz, ms) pairs played once when it begins.
    """

    rhythm: tuple[int, ...]
    colour: Colour
    beat: str
    words: str
    lasts_ms: int = 0
    counted: bool = False
    tone: tuple[tuple[int, int], ...] = ()
    when: str = ""


_L, _S, _G, _P = LONG_MS, SHORT_MS, GAP_MS, PAUSE_MS

#: The table: a row for each meaning, in order of importance.
TABLE: Mapping[Meaning, Row] = {
    Meaning.FAULT: Row(
        (_L, _G, _S, _G, _S, _P),
        Colour.RED,
        "long, short, short",
        "the machine is at fault: {detail}",
        tone=((220, 500),),
        when="camera, disk or program trouble; all seats show it and the game waits",
    ),
    Meaning.RELEASE: Row(
        (_L, _G, _S, _G, _L, _P),
        Colour.AMBER,
        "long, short, long",
        "let go of the button",
        when="this seat's button was down at the start, or has been down for half a minute; it is ignored till then",
    ),
    Meaning.REFUSED: Row(
        (FAST_MS, FAST_MS),
        Colour.RED,
        "fast and even",
        "refused: {detail}",
        lasts_ms=4000,
        tone=((247, 150), (220, 300)),
        when="the act does not count; the card goes back",
    ),
    Meaning.BALANCE: Row(
        (VERY_LONG_MS, GROUP_GAP_MS),
        Colour.BLUE,
        "very long, then {n} short",
        "you have {count}",
        lasts_ms=8000,
        counted=True,
        when="asked for by a double press: one very long flash, then a pulse a counter; two very long flashes: you "
        "owe as many",
    ),
    Meaning.DISPUTE: Row(
        (_S, _G, _S, _G, _L, _P),
        Colour.BLUE,
        "short, short, long",
        "the referee was called: the game waits",
        tone=((440, 120), (440, 120), (330, 300)),
        when="somebody held a button for a second; all seats show it until the page settles it",
    ),
    Meaning.OUT_OF_STEP: Row(
        (SLOW_MS, SLOW_MS),
        Colour.RED,
        "slow and even",
        "take it back",
        when="the table does not match the game: a refused card still lies there",
    ),
    Meaning.SHOW_AGAIN: Row(
        (_S, _G, _L, _P),
        Colour.AMBER,
        "short, long",
        "show the card again",
        lasts_ms=15_000,
        when="a card could not be read with confidence, or two readings disagree; nobody is blamed",
    ),
    Meaning.PROVED: Row(
        (_L, _G, _L, _G, _L, _P),
        Colour.RED,
        "three long",
        "proved: {detail}",
        lasts_ms=10_000,
        tone=((330, 200), (262, 200), (220, 500)),
        when="what this seat claimed by passing or announcing was false, and the page shows both pictures",
    ),
    Meaning.CONFIRM: Row(
        (_S, _G, _L, _G, _S, _P),
        Colour.AMBER,
        "short, long, short",
        "press when you got {count}",
        when="a payment goes from seat to seat: the receiver presses once",
    ),
    Meaning.PAY: Row(
        (),
        Colour.RED,
        "{n} short",
        "pay {count}",
        counted=True,
        when="this seat owes: a pulse a counter, in fives; press once when paid",
    ),
    Meaning.PAID: Row(
        (_L, _G, _S, _P),
        Colour.GREEN,
        "long, short",
        "paid",
        lasts_ms=2500,
        when="the payment was taken",
    ),
    Meaning.PASSED: Row(
        (_L, _G, _L, _P),
        Colour.GREEN,
        "two long",
        "pass taken",
        lasts_ms=2500,
        when='the pass was taken and stands in the log: it says "I hold none of these"',
    ),
    Meaning.TAKES: Row(
        (_L, _G, _L, _G, _S, _P),
        Colour.GREEN,
        "long, long, short",
        "yours to take",
        lasts_ms=5000,
        when="counters or cards go to this seat",
    ),
    Meaning.WINNER: Row(
        (VERY_LONG_MS, _G, _L, _G, _S, _P),
        Colour.GREEN,
        "very long, long, short",
        "you have won",
        tone=((440, 120), (554, 120), (659, 120), (880, 400)),
        when="this seat has won the deal; it stays until the next deal",
    ),
    Meaning.TURN: Row(STEADY, Colour.GREEN, "steady", "your turn", when="this seat is to act"),
    Meaning.WAITING: Row(
        (BLIP_MS, WAITING_GAP_MS),
        Colour.GREEN,
        "a blip now and then",
        "waiting",
        when="in the game, another seat is to act; the machine is alive",
    ),
    Meaning.DARK: Row((), Colour.OFF, "dark", "not playing", when="an empty seat, or a player who has dropped out"),
}


@dataclass(frozen=True, slots=True)
class Signal:
    """What one light does: ``rhythm`` as in `Row`, in ``colour``, with the ``count`` behind it and ``words``."""

    meaning: Meaning
    rhythm: tuple[int, ...]
    colour: Colour
    count: int = 0
    words: str = ""

    @property
    def beat(self) -> str:
        """The rhythm in words, for the page and the terminal: ``3 short``."""
        return beat(self.meaning, self.count)


def signal(meaning: Meaning, count: int = 0, detail: str = "") -> Signal:
    """The signal for ``meaning``, with ``count`` counters and ``detail`` in its words."""
    row = TABLE[meaning]
    words = row.words.format(count=abs(count), detail=detail).removesuffix(": ")
    if meaning is Meaning.BALANCE and count < 0:
        words = f"you owe {-count}"
    return Signal(meaning, rhythm(meaning, count), row.colour, count, words)


def rhythm(meaning: Meaning, count: int = 0) -> tuple[int, ...]:
    """On, off, on, off ... in ms for ``meaning``; counted meanings pulse once a counter."""
    row = TABLE[meaning]
    if not row.counted:
        return row.rhythm
    lead = row.rhythm * (2 if count < 0 else 1)
    if count == 0:
        return (*lead[:-1], PAUSE_MS) if lead else (SHORT_MS, PAUSE_MS)
    return (*lead, *_pulses(min(abs(count), PULSES_MAX)))


def _pulses(count: int) -> tuple[int, ...]:
    """``count`` short pulses in groups of five, then a pause."""
    gaps = [GAP_MS if pulse % GROUP else GROUP_GAP_MS for pulse in range(1, count)] + [PAUSE_MS]
    return tuple(ms for gap in gaps for ms in (SHORT_MS, gap))


def beat(meaning: Meaning, count: int = 0) -> str:
    """The rhythm of ``meaning`` in words."""
    row = TABLE[meaning]
    text = row.beat.format(n=min(abs(count), PULSES_MAX))
    return "very long, " + text if meaning is Meaning.BALANCE and count < 0 else text


def lit(rhythm: tuple[int, ...], elapsed_ms: float) -> bool:
    """Whether a light with this rhythm is on, ``elapsed_ms`` after the rhythm began."""
    return _phase(rhythm, elapsed_ms)[0]


def until_change_ms(rhythm: tuple[int, ...], elapsed_ms: float) -> float:
    """How long until the light changes; infinity if it never does."""
    return _phase(rhythm, elapsed_ms)[1]


def _phase(rhythm: tuple[int, ...], elapsed_ms: float) -> tuple[bool, float]:
    if len(rhythm) < 2:
        return bool(rhythm), float("inf")
    place = elapsed_ms % sum(rhythm)
    for step, length in enumerate(rhythm):
        if place < length:
            return step % 2 == 0, length - place
        place -= length
    return False, 0.0
