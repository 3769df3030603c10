"""Edges of a button to what the person meant: a pure state machine on timestamps, one a button.

gpiozero's own debouncing loses events or passes bounce through, by driver, and its mock cannot test it; so the raw
edges are judged here.  Nothing waits and no clock is read: `edge` and `advance` are told the time, and what comes out
depends on the edges alone, not on how often `advance` is called between them.

A press is never counted twice, and never lost without a word: what cannot be judged comes out as UNCLEAR.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from ..referee.events import Press, Pressed

MS = 1_000_000  # ns in a ms


@dataclass(frozen=True, slots=True)
class Timing:
    """Limits for judging a button.

    ``settle_ms``: contacts are quiet for this long before a change counts (bounce of small push buttons is a few ms;
    the field reports show 5). ``hold_ms``: the table contract's long press. ``double_ms``: from a release to the next
    press of the same act (people double-press within 300). ``stuck_ms``: nobody holds a button this long on purpose.
    ``chatter_ms``: longer bounce than this is a bad contact. ``blind_ms``: where nobody looked for longer than
    this, the moment of a release that was not reported is not known (the panel looks every 20 ms).
    """

    settle_ms: int = 15
    hold_ms: int = 1000
    double_ms: int = 350
    stuck_ms: int = 30_000
    chatter_ms: int = 300
    blind_ms: int = 100


class Gesture(StrEnum):
    """What a button said."""

    TAP = "tap"  # pressed and let go, `taps` times in a row
    LONG = "long"  # held for a second: call the referee
    STUCK = "stuck"  # held for half a minute; ignored until it is let go
    HELD_AT_START = "held at start"  # down when the program began; ignored until it is let go
    FREED = "freed"  # a stuck or held button has been let go and counts again
    CHATTER = "chatter"  # the contact never comes to rest: clean or replace it
    UNCLEAR = "unclear"  # something was pressed, but short or long is not known: press again


@dataclass(frozen=True, slots=True)
class Act:
    """One gesture of one button. ``t_ns``: when the finger went down first (or when a fault was noticed)."""

    gesture: Gesture
    t_ns: int
    taps: int = 0
    seat: int = 0

    def to_fact(self) -> Pressed | None:
        """The fact for the referee; None where the gesture is about the button or the button is the host's (seat 0)."""
        if self.seat == 0:
            return None
        match self.gesture:
            case Gesture.TAP:
                return Pressed(self.seat, Press.SHORT, self.taps)
            case Gesture.LONG:
                return Pressed(self.seat, Press.LONG)
        return None


@dataclass(frozen=True, slots=True)
class Button:
    """The state of one button, times in ns.

    ``raw``: the level last seen (True = down); ``down``: the level that has come to rest. ``burst_ns``: first edge of
    the bounce going on, None at rest; ``edge_ns`` its newest. ``down_ns``: when the press began; ``up_ns``: when the
    last tap ended; ``first_ns``: when the first of ``taps`` began. ``ignored``: until it is seen to be let go.
    """

    raw: bool = False
    down: bool = False
    burst_ns: int | None = None
    edge_ns: int = 0
    down_ns: int = 0
    up_ns: int = 0
    first_ns: int = 0
    taps: int = 0
    held: bool = False
    ignored: bool = False
    chattered: bool = False
    seen_ns: int = 0


Step = tuple[Button, tuple[Act, ...]]
_Due = tuple[int, Callable[[Button, int, Timing], Step]]


def start(level: bool, t_ns: int) -> Step:
    """The state of a button found at ``level`` (True = down) when the program begins."""
    if not level:
        return Button(seen_ns=t_ns), ()
    state = Button(raw=True, down=True, down_ns=t_ns, held=True, ignored=True, seen_ns=t_ns)
    return state, (Act(Gesture.HELD_AT_START, t_ns),)


def edge(state: Button, t_ns: int, level: bool, timing: Timing) -> Step:
    """A change to ``level`` reported for ``t_ns``. Levels already known are no edges; time never runs backwards."""
    t_ns = max(t_ns, state.seen_ns)
    state, acts = advance(state, t_ns, timing)
    if level == state.raw:
        return state, acts
    burst = t_ns if state.burst_ns is None else state.burst_ns
    return replace(state, raw=level, burst_ns=burst, edge_ns=t_ns), acts


def look(state: Button, t_ns: int, level: bool, timing: Timing) -> Step:
    """The level read at ``t_ns``, to make up for an edge that the kernel lost."""
    if state.raw and not level and t_ns - state.seen_ns > timing.blind_ms * MS:
        return _let_go_unseen(state, t_ns, timing)
    return edge(state, t_ns, level, timing)


def unseen(state: Button, t_ns: int, timing: Timing) -> Step:
    """The level cannot be read at ``t_ns``: time goes on, but a button that was down is not taken to be so still."""
    if state.down and state.burst_ns is None:
        return state, ()
    seen_ns = state.seen_ns
    state, acts = advance(state, t_ns, timing)
    return replace(state, seen_ns=seen_ns), acts


def _let_go_unseen(state: Button, t_ns: int, timing: Timing) -> Step:
    """Let go at some moment while nobody looked: where that moment matters, say so rather than guess."""
    if state.held:
        freed = (Act(Gesture.FREED, t_ns),) if state.ignored else ()
        return Button(seen_ns=t_ns), freed
    began = state.down_ns if state.down or state.burst_ns is None else state.burst_ns
    if t_ns - began < timing.hold_ms * MS:
        return edge(state, t_ns, False, timing)
    return Button(seen_ns=t_ns), (Act(Gesture.UNCLEAR, began),)


def advance(state: Button, t_ns: int, timing: Timing) -> Step:
    """Time has come to ``t_ns``: whatever was due before then happens, in order."""
    if state.burst_ns is None and not state.down and not state.taps:
        return state, ()  # a button at rest costs nothing; the panel comes by fifty times a second
    acts: list[Act] = []
    while (due := _next(state, timing)) is not None and due[0] <= t_ns:
        state, found = due[1](state, due[0], timing)
        acts += found
    return replace(state, seen_ns=max(state.seen_ns, t_ns)), tuple(acts)


def next_ns(state: Button, timing: Timing) -> int | None:
    """When `advance` has something to do next, or None."""
    due = _next(state, timing)
    return None if due is None else due[0]


def _next(state: Button, timing: Timing) -> _Due | None:
    """The earliest thing due, and what does it."""
    return min(_dues(state, timing), key=lambda due: due[0], default=None)


def _dues(state: Button, timing: Timing) -> list[_Due]:
    dues: list[_Due] = []
    if state.burst_ns is not None:
        dues.append((state.edge_ns + timing.settle_ms * MS, _settled))
        if not state.chattered:
            dues.append((state.burst_ns + timing.chatter_ms * MS, _chatters))
    if state.down and state.burst_ns is None:
        if not state.held:
            dues.append((state.down_ns + timing.hold_ms * MS, _long))
        elif not state.ignored:
            dues.append((state.down_ns + timing.stuck_ms * MS, _stuck))
    if state.taps and not state.down and state.burst_ns is None:
        dues.append((state.up_ns + timing.double_ms * MS, _tapped))
    return dues


def _settled(state: Button, t_ns: int, timing: Timing) -> Step:
    """The contact has come to rest; a change counts from the first edge of the bounce."""
    began = t_ns if state.burst_ns is None else state.burst_ns
    rested = replace(state, burst_ns=None, chattered=False)
    if state.raw == state.down:
        return rested, ()
    return _pressed(rested, began, timing) if state.raw else _released(rested, began, timing)


def _pressed(state: Button, began: int, timing: Timing) -> Step:
    acts: tuple[Act, ...] = ()
    if state.taps and began - state.up_ns >= timing.double_ms * MS:
        state, acts = _tapped(state, began, timing)
    first = state.first_ns if state.taps else began
    return replace(state, down=True, down_ns=began, first_ns=first, held=False), acts


def _released(state: Button, began: int, timing: Timing) -> Step:
    if state.ignored:
        return Button(seen_ns=state.seen_ns), (Act(Gesture.FREED, began),)
    if state.held:
        return Button(seen_ns=state.seen_ns), ()
    return replace(state, down=False, up_ns=began, taps=state.taps + 1), ()


def _tapped(state: Button, t_ns: int, timing: Timing) -> Step:
    return replace(state, taps=0), (Act(Gesture.TAP, state.first_ns, state.taps),)


def _long(state: Button, t_ns: int, timing: Timing) -> Step:
    """A second has gone by with the button down; taps that led to it were acts of their own."""
    acts: tuple[Act, ...] = (Act(Gesture.LONG, state.down_ns),)
    if state.taps:
        acts = (Act(Gesture.TAP, state.first_ns, state.taps), *acts)
    return replace(state, held=True, taps=0), acts


def _stuck(state: Button, t_ns: int, timing: Timing) -> Step:
    return replace(state, ignored=True), (Act(Gesture.STUCK, t_ns),)


def _chatters(state: Button, t_ns: int, timing: Timing) -> Step:
    return replace(state, chattered=True), (Act(Gesture.CHATTER, t_ns),)
