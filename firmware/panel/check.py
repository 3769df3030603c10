"""``cardtable check --panel``: every light in turn, every button asked for, every segment; what did not answer is said.

A lamp cannot report itself, so people say what they see: a short press of the seat's button means "yes, I saw it".
One press a seat so proves its light and its button together; then any button answers for digits and buzzer.  Nothing
here waits or prints; the caller does both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

from .board import Panel, open_panel
from .buttons import Act, Gesture
from .config import PanelConfig
from .devices import DIGITS, SEGMENTS
from .pins import exit_on_sigterm
from .signals import Colour

#: How long a seat is given to press its button.
ANSWER_S = 15.0
#: How long each colour of a light is shown before the press is asked for, and each character of the digits.
SHOW_S = 0.7
#: How often the buttons are looked at while an answer is waited for.
LOOK_S = 0.1
#: A press says what was seen of digits and buzzer only from the last step but one; one before that came too early.
_SEEN_NS = round(2 * SHOW_S * 1e9)


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

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it, in the form of the other checks."""
        good = self.outcome is not Outcome.FAILED
        return {"check": "panel", "ok": good, "state": self.outcome.value, "why": self.words}


Wait = Callable[[float], None]


def check_panel(config: PanelConfig) -> Iterator[Report]:
    """Open the panel that ``config`` describes and check it on the real clock; its lights are off afterwards.

    They are off after a SIGTERM as well. Only from the main thread.

    :raises PanelError: if it cannot be opened.
    """
    exit_on_sigterm()
    with open_panel(config) as panel:
        panel.start()
        yield from check(panel, time.sleep)


def check(panel: Panel, wait: Wait) -> Iterator[Report]:
    """Try everything on ``panel``; ``wait`` lets a number of seconds pass (and ticks the panel if nothing else does).

    The panel must not show a game meanwhile. Ends with one line for the whole: good, or what did not answer.
    """
    failed: list[str] = []
    answered: set[int] = set()
    for step in (partial(_seats, answered), partial(_host, answered), _digits, _buzzer):
        for report in step(panel, wait):
            if report.outcome is Outcome.FAILED:
                failed.append(report.words)
            yield report
    if failed:
        yield Report(Outcome.FAILED, f"panel: {len(failed)} of its parts did not answer: {'; '.join(failed)}")
    else:
        yield Report(Outcome.GOOD, "panel: every light, button and segment answered")


def _digits(panel: Panel, wait: Wait) -> Iterator[Report]:
    if not panel.board.has_digits:
        return
    yield Report(
        Outcome.DOING,
        f"pool digits: segments {' '.join(SEGMENTS)} in turn on both, then all; {_YES} if each was lit, {_NO} if not",
    )
    shown = [partial(panel.board.number, char * DIGITS) for char in (*SEGMENTS, "8")]
    yield from _looked_at(panel, "pool digits", shown, "a segment stayed dark; check its resistor and its wire", wait)
    yield from _quietly(panel, "pool digits", partial(panel.board.number, " " * DIGITS))


def _buzzer(panel: Panel, wait: Wait) -> Iterator[Report]:
    if not panel.board.has_tone:
        return
    yield Report(Outcome.DOING, f"buzzer: a low note, then a high one; {_YES} if both were heard, {_NO} if not")
    notes = [partial(panel.board.tone, hertz) for hertz in (440, 880, 0)]
    yield from _looked_at(panel, "buzzer", notes, "nothing was heard; is it a passive piezo, wired to ground?", wait)


_YES, _NO = "press any button", "hold it for a second"


def _looked_at(
    panel: Panel, what: str, steps: Sequence[Callable[[], None]], remedy: str, wait: Wait
) -> Iterator[Report]:
    """Drive an output through ``steps`` and ask whether that was seen: a tap says yes, a long press no."""
    if (fault := _driven(panel, what, steps, wait)) is not None:
        yield fault
        return
    for act in _acts(panel, panel.clock_ns() - _SEEN_NS, wait):
        if act.gesture is Gesture.TAP:
            yield Report(Outcome.GOOD, f"{what}: answered")
            return
        if act.gesture is Gesture.LONG:
            yield Report(Outcome.FAILED, f"{what}: {remedy}")
            return
    yield Report(Outcome.FAILED, f"{what}: nobody answered in {ANSWER_S:.0f} s")


def _driven(panel: Panel, what: str, steps: Sequence[Callable[[], None]], wait: Wait) -> Report | None:
    """Drive an output through ``steps``; a report only if the pin library complains."""
    try:
        for step in steps:
            step()
            panel.board.latch()
            wait(SHOW_S)
    except Exception as error:
        # The pin library raises its own exceptions; each part is tried though another failed.
        return Report(Outcome.FAILED, f"{what} ({type(error).__name__}: {error})")
    return None


def _quietly(panel: Panel, what: str, step: Callable[[], None]) -> Iterator[Report]:
    """Something off again, said only if that fails."""
    if (fault := _driven(panel, what, [step], _at_once)) is not None:
        yield fault


def _at_once(seconds: float) -> None:
    """Nobody needs to see it."""


def _seats(answered: set[int], panel: Panel, wait: Wait) -> Iterator[Report]:
    colours = (Colour.RED, Colour.GREEN, Colour.BLUE if panel.board.has_blue else Colour.AMBER)
    for seat in range(1, panel.seats + 1):
        words, began_ns = ", ".join(colours), panel.clock_ns()
        yield Report(Outcome.DOING, f"seat {seat}: its light turns {words}; press the button of seat {seat}")
        steps = [partial(panel.board.light, seat, colour) for colour in colours]
        if (fault := _driven(panel, f"seat {seat} light", steps, wait)) is not None:
            yield fault
        yield _answer(panel, seat, began_ns, answered, wait)
        yield from _quietly(panel, f"seat {seat} light", partial(panel.board.light, seat, Colour.OFF))


def _host(answered: set[int], panel: Panel, wait: Wait) -> Iterator[Report]:
    if panel.has_host:
        began_ns = panel.clock_ns()
        yield Report(Outcome.DOING, "host: press the host's button")
        yield _answer(panel, 0, began_ns, answered, wait)


def _answer(panel: Panel, seat: int, since_ns: int, answered: set[int], wait: Wait) -> Report:
    """Wait for the seat's press (0: the host's); another button's press says that two are swapped.

    A button that has ``answered`` for its own seat is not swapped: somebody impatient has pressed it once more.
    """
    for act in _acts(panel, since_ns, wait):
        if act.seat not in answered and (report := _judged(act, seat)) is not None:
            if report.outcome is Outcome.GOOD:
                answered.add(seat)
            return report
    if seat in panel.held():
        return Report(Outcome.FAILED, f"{_who(seat)}: the button is down all the time; is it wired to the right pin?")
    return Report(Outcome.FAILED, f"{_who(seat)}: no answer in {ANSWER_S:.0f} s; light, button or their wires")


def _acts(panel: Panel, since_ns: int, wait: Wait) -> Iterator[Act]:
    """What the buttons say until the time for an answer is over, of presses that began at ``since_ns`` or later."""
    for _ in range(round(ANSWER_S / LOOK_S)):
        wait(LOOK_S)
        yield from (act for act in panel.acts() if act.t_ns >= since_ns)


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
