"""``cardtable check --panel``: every light in turn, every button asked for, every segment; what did not answer is said.

A lamp cannot report itself, so people say what they see: a short press of the seat's button means "yes, I saw it".
One press a seat so proves its light and its button together.  Nothing here waits or prints; the caller does both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from .board import Panel, open_panel
from .buttons import Act, Gesture
from .config import PanelConfig
from .devices import DIGITS
from .signals import Colour

#: How long a seat is given to press its button.
ANSWER_S = 15.0
#: How long each colour of a light is shown before the press is asked for, and each character of the digits.
SHOW_S = 0.7


class Outcome(StrEnum):
    """How a step of the check came out."""

    DOING = "doing"
    GOOD = "good"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Report:
    """One line of the check."""

    outcome: Outcome
    words: str


Wait = Callable[[float], None]


def check_panel(config: PanelConfig) -> Iterator[Report]:
    """Open the panel that ``config`` describes and check it on the real clock; its lights are off afterwards.

    :raises PanelError: if it cannot be opened.
    """
    with open_panel(config) as panel:
        panel.start()
        yield from check(panel, time.sleep)


def check(panel: Panel, wait: Wait) -> Iterator[Report]:
    """Try everything on ``panel``; ``wait`` lets a number of seconds pass (and ticks the panel if nothing else does).

    The panel must not show a game meanwhile. Ends with one line for the whole: good, or what did not answer.
    """
    failed: list[str] = []
    for step in (_digits, _buzzer, _seats, _host):
        for report in step(panel, wait):
            if report.outcome is Outcome.FAILED:
                failed.append(report.words)
            yield report
    if failed:
        yield Report(Outcome.FAILED, f"panel: {len(failed)} of its parts did not answer: {'; '.join(failed)}")
    else:
        yield Report(Outcome.GOOD, "panel: every light and button answered")


def _digits(panel: Panel, wait: Wait) -> Iterator[Report]:
    yield Report(Outcome.DOING, "pool digits: all segments, then 1 to 9 and 0 on both; watch for a dark segment")
    shown = [partial(panel.board.number, char * DIGITS) for char in "81234567890 "]
    yield from _driven(panel, "pool digits", shown, wait)


def _buzzer(panel: Panel, wait: Wait) -> Iterator[Report]:
    yield from _driven(panel, "buzzer", [partial(panel.board.tone, hertz) for hertz in (440, 880, 0)], wait)


def _driven(panel: Panel, what: str, steps: Sequence[Callable[[], None]], wait: Wait) -> Iterator[Report]:
    """Drive an output through ``steps``; it fails only if the pin library complains."""
    try:
        for step in steps:
            step()
            panel.board.latch()
            wait(SHOW_S)
    except Exception as error:
        # The pin library raises its own exceptions; each part is tried though another failed.
        yield Report(Outcome.FAILED, f"{what} ({type(error).__name__}: {error})")
    else:
        yield Report(Outcome.GOOD, f"{what}: driven")


def _seats(panel: Panel, wait: Wait) -> Iterator[Report]:
    for seat in range(1, panel.seats + 1):
        yield Report(Outcome.DOING, f"seat {seat}: its light turns red, green, amber; press the button of seat {seat}")
        shown = list(_driven(panel, f"seat {seat} light", _colours(panel, seat), wait))
        if shown[-1].outcome is Outcome.FAILED:
            yield shown[-1]
        yield _answer(panel, seat, wait)
        yield from _quietly_off(panel, seat)


def _quietly_off(panel: Panel, seat: int) -> Iterator[Report]:
    """The light off again, said only if that fails."""
    off = list(_driven(panel, f"seat {seat} light", [partial(panel.board.light, seat, Colour.OFF)], _at_once))
    yield from (report for report in off if report.outcome is Outcome.FAILED)


def _at_once(seconds: float) -> None:
    """Nobody needs to see it."""


def _host(panel: Panel, wait: Wait) -> Iterator[Report]:
    if panel.has_host:
        yield Report(Outcome.DOING, "host: press the host's button")
        yield _answer(panel, 0, wait)


def _colours(panel: Panel, seat: int) -> Sequence[Callable[[], None]]:
    return [partial(panel.board.light, seat, colour) for colour in (Colour.RED, Colour.GREEN, Colour.AMBER)]


def _answer(panel: Panel, seat: int, wait: Wait) -> Report:
    """Wait for the seat's press (0: the host's); another button's press says that two are swapped."""
    waited_s, step_s = 0.0, 0.1
    while waited_s < ANSWER_S:
        wait(step_s)
        waited_s += step_s
        for act in panel.acts():
            if (report := _judged(act, seat)) is not None:
                return report
    if seat in panel.held():
        return Report(Outcome.FAILED, f"{_who(seat)}: the button is down all the time; is it wired to the right pin?")
    return Report(Outcome.FAILED, f"{_who(seat)}: no answer in {ANSWER_S:.0f} s; light, button or their wires")


def _judged(act: Act, seat: int) -> Report | None:
    """What an act says about the button asked for; None if it says nothing."""
    match act.gesture:
        case Gesture.TAP | Gesture.LONG if act.seat == seat:
            return Report(Outcome.GOOD, f"{_who(seat)}: {'light seen, ' if seat else ''}button answered")
        case Gesture.TAP | Gesture.LONG:
            return Report(Outcome.FAILED, f"{_who(seat)}: the button of {_who(act.seat)} answered; are they swapped?")
        case Gesture.CHATTER:
            return Report(Outcome.FAILED, f"{_who(act.seat)}: the button never comes to rest; clean or replace it")
    return None


def _who(seat: int) -> str:
    return f"seat {seat}" if seat else "host"
