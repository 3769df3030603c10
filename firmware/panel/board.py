"""The panel at work: plays each seat's rhythm on the board's lamps, and turns button edges into acts.

Time is injected: `Panel.tick` does whatever is due, and `Panel.start` runs it in a thread on the real clock.  The
pin library's callbacks only put edges into a queue; everything else happens in `tick`, where a lamp that raises is
reported and stops nothing.  Only the process that opened the panel touches its pins.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from typing import Any

from .buttons import MS, Act, Gesture, Timing, edge, look, next_ns, start, unseen
from .buttons import Button as ButtonState
from .config import BoardKind, PanelConfig, default
from .devices import DIGITS, Board, open_board
from .mock import MockPins
from .pins import Claim, open_factory
from .signals import TABLE, Colour, Meaning, PanelState, Signal, lit, signal, until_change_ms

log = logging.getLogger(__name__)

#: How often the buttons' levels are read, to make up for edges that the kernel lost.
LOOK_MS = 20
#: How long the panel's thread may take to end; a device that hangs must not keep the program from ending.
CLOSE_S = 2.0
#: How often the lamps are written again though nothing changed.
REFRESH_MS = 1000


class Panel:
    """Lights, digits, buzzer and buttons of one table. Use it as a context manager: leaving it turns the lights off.

    ``board``: the devices. ``clock_ns``: a monotonic clock in ns. ``on_fault``: told in words of each new fault of the
    panel itself. ``owned``: what is let go after the devices (factory, claim). `acts` gives acts in the order in which
    they could be judged, each with the time of the finger.
    """

    def __init__(
        self,
        board: Board,
        timing: Timing | None = None,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        on_fault: Callable[[str], None] | None = None,
        owned: ExitStack | None = None,
    ) -> None:
        self.board = board
        self.clock_ns = clock_ns
        self._timing = timing or Timing()
        self._on_fault = on_fault or log.warning
        self._owned = owned or ExitStack()
        self._owner = os.getpid()
        self._lock = threading.RLock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._failing: set[str] = set()
        self._acts: deque[Act] = deque()
        self._edges: deque[tuple[int, int, bool]] = deque()
        self._lamps = _Lamps(board.seats, clock_ns())
        self._told: dict[str, object] = {}
        self._unlatched = True
        self._latched_ns = clock_ns()
        self._buttons: dict[int, ButtonState] = {}
        self._begin()
        atexit.register(self.close)

    def _begin(self) -> None:
        """All off first, whatever the last program left; then listen. A button found down is told as an act."""
        now_ns = self.clock_ns()
        self._play(now_ns)
        self._try("buttons", self.board.watch, self._heard)
        levels = self._levels()
        for seat in self.board.readers:
            self._buttons[seat], acts = start(levels.get(seat, False), now_ns)
            self._tell(seat, acts)

    def __enter__(self) -> Panel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def seats(self) -> int:
        """How many seats have a light."""
        return self.board.seats

    @property
    def has_host(self) -> bool:
        """Whether there is a button for whoever runs the table (seat 0)."""
        return 0 in self._buttons

    @property
    def mine(self) -> bool:
        """Whether this process opened the panel and has not closed it. A forked child leaves the pins alone."""
        return not self._closed and os.getpid() == self._owner

    def show(self, state: PanelState) -> None:
        """Show ``state`` from now on. A rhythm that goes on is not started again."""
        with self._lock:
            if self.mine:
                self._lamps.take(state, self.clock_ns())
                self._play(self.clock_ns())
        self._wake.set()

    def tick(self, now_ns: int | None = None) -> int:
        """Do whatever is due at ``now_ns`` (the clock's now by default) and return when to come again, in ns."""
        with self._lock:
            now_ns = self.clock_ns() if now_ns is None else now_ns
            if self.mine:
                self._listen(now_ns)
                self._play(now_ns)
            dues = [now_ns + LOOK_MS * MS, self._lamps.next_ns(now_ns), *self._button_dues(now_ns)]
            return max(now_ns + 1, min(dues))

    def acts(self) -> list[Act]:
        """The acts since the last call, each once."""
        taken = []
        with suppress(IndexError):
            while True:
                taken.append(self._acts.popleft())
        return taken

    def held(self) -> frozenset[int]:
        """Seats whose button must be let go before it counts again."""
        return frozenset(seat for seat, button in self._buttons.items() if button.ignored)

    def start(self) -> Panel:
        """Run `tick` in a thread until the panel is closed."""
        self._thread = threading.Thread(target=self._run, name="panel", daemon=True)
        self._thread.start()
        return self

    def _run(self) -> None:
        while not self._closed:
            due_ns = self.tick()
            self._wake.wait(max(0, due_ns - self.clock_ns()) / 1e9)
            self._wake.clear()

    def close(self) -> None:
        """Everything off, pins given back. May be called twice; in a forked child it does nothing."""
        if not self.mine:
            return
        with self._lock:
            self._closed = True
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(CLOSE_S)
        self._try("closing", self.board.close)
        self._try("giving back the pins", self._owned.close)
        atexit.unregister(self.close)

    def _heard(self, seat: int, down: bool) -> None:
        """Called by the pin library, in its own thread: note the edge and its time, no more."""
        self._edges.append((self.clock_ns(), seat, down))
        self._wake.set()

    def _listen(self, now_ns: int) -> None:
        with suppress(IndexError):
            while True:
                t_ns, seat, down = self._edges.popleft()
                self._step(seat, edge, t_ns, down)
        levels = self._levels()
        for seat in self._buttons:
            if seat in levels:
                self._step(seat, look, now_ns, levels[seat])
            else:
                self._step(seat, unseen, now_ns)

    def _step(self, seat: int, judge: Any, t_ns: int, *level: bool) -> None:
        self._buttons[seat], acts = judge(self._buttons[seat], t_ns, *level, self._timing)
        self._tell(seat, acts)

    def _tell(self, seat: int, acts: tuple[Act, ...]) -> None:
        self._acts.extend(Act(act.gesture, act.t_ns, act.taps, seat) for act in acts)

    def _levels(self) -> Mapping[int, bool]:
        """Which buttons are down, by seat, of those that can be read: one that fails silences no other."""
        found: dict[int, bool] = {}
        for seat, read in self.board.readers.items():
            self._try(_button_name(seat), _note_level, found, seat, read)
        return found

    def _button_dues(self, now_ns: int) -> list[int]:
        """When the buttons have something to do; what waits for a button to be readable again is not due by time."""
        dues = (next_ns(button, self._timing) for button in self._buttons.values())
        return [due for due in dues if due is not None and due > now_ns]

    def _play(self, now_ns: int) -> None:
        """Tell the board what has changed."""
        for seat, colour in enumerate(self._lamps.colours(now_ns), 1):
            self._put(f"light of seat {seat}", colour, self.board.light, seat)
        self._put("pool digits", self._lamps.text, self.board.number)
        self._put("buzzer", self._lamps.hertz(now_ns), self.board.tone)
        if self._unlatched or now_ns - self._latched_ns >= REFRESH_MS * MS:
            self._latched_ns = now_ns
            self._unlatched = not self._try("lamps", self.board.latch)

    def _put(self, what: str, value: object, act: Callable[..., None], *where: object) -> None:
        """Tell the board a value that it does not have yet; one that it did not take is told again next time."""
        if self._told.get(what) != value and self._try(what, act, *where, value):
            self._told[what] = value
            self._unlatched = True

    def _try(self, what: str, act: Callable[..., object], *args: object) -> bool:
        """Do ``act``; if it raises, say so once until it works again, and go on."""
        try:
            act(*args)
        except Exception as error:
            # Whatever it is, it must not stop the panel or the game: devices raise their libraries' own exceptions.
            if what not in self._failing:
                self._failing.add(what)
                self._report(f"panel: {what} failed ({type(error).__name__}: {error})")
            return False
        self._failing.discard(what)
        return True

    def _report(self, words: str) -> None:
        """A fault, to whoever listens; a listener that fails is no reason to stop either."""
        try:
            self._on_fault(words)
        except Exception:
            log.exception("panel: %s (and its listener failed)", words)

    @property
    def failing(self) -> frozenset[str]:
        """What did not work when it was last tried."""
        return frozenset(self._failing)


def _button_name(seat: int) -> str:
    return f"button of seat {seat}" if seat else "host's button"


def _note_level(found: dict[int, bool], seat: int, read: Callable[[], bool]) -> None:
    found[seat] = read()


class _Lamps:
    """What the lamps are to do: a rhythm a seat, each with its beginning; the pool; one melody at a time."""

    def __init__(self, seats: int, now_ns: int) -> None:
        self._signals = [signal(Meaning.DARK)] * seats
        self._began_ns = [now_ns] * seats
        self._melody: tuple[tuple[int, int], ...] = ()
        self._melody_ns = now_ns
        self.text = " " * DIGITS

    def take(self, state: PanelState, now_ns: int) -> None:
        """Follow ``state``; lights that keep their rhythm keep their place in it."""
        for place, new in enumerate(state.lights[: len(self._signals)]):
            old = self._signals[place]
            if (new.meaning, new.rhythm) != (old.meaning, old.rhythm):
                self._began_ns[place] = now_ns
                self._sound(new, now_ns)
            self._signals[place] = new
        self.text = pool_text(state.pool)

    def _sound(self, new: Signal, now_ns: int) -> None:
        if melody := TABLE[new.meaning].tone:
            self._melody, self._melody_ns = melody, now_ns

    def _elapsed_ms(self, now_ns: int) -> list[tuple[Signal, float]]:
        pairs = zip(self._signals, self._began_ns, strict=True)
        return [(light, (now_ns - began) / MS) for light, began in pairs]

    def colours(self, now_ns: int) -> list[Colour]:
        """The colour of each light now."""
        return [light.colour if lit(light.rhythm, ms) else Colour.OFF for light, ms in self._elapsed_ms(now_ns)]

    def hertz(self, now_ns: int) -> int:
        """The tone now; 0 is silence."""
        return _note(self._melody, (now_ns - self._melody_ns) / MS)

    def next_ns(self, now_ns: int) -> int:
        """When a lamp changes next, at the latest in a second."""
        waits = [until_change_ms(light.rhythm, ms) for light, ms in self._elapsed_ms(now_ns)]
        return now_ns + round(min([1000.0, *waits]) * MS)


def _note(melody: tuple[tuple[int, int], ...], elapsed_ms: float) -> int:
    for hertz, length_ms in melody:
        if elapsed_ms < length_ms:
            return hertz
        elapsed_ms -= length_ms
    return 0


def pool_text(pool: int | None) -> str:
    """The pool on two digits; ``--`` where it does not fit, so that it never shows a wrong number."""
    if pool is None:
        return " " * DIGITS
    return f"{pool:2d}" if 0 <= pool < 10**DIGITS else "-" * DIGITS


def open_panel(
    config: PanelConfig,
    factory: Any = None,
    clock_ns: Callable[[], int] = time.monotonic_ns,
    on_fault: Callable[[str], None] | None = None,
) -> Panel:
    """The panel that ``config`` describes, all lights off, claimed for this process; call `Panel.start` to run it.

    :raises PanelError: if another program has it, the pin library is missing or a pin is taken.
    """
    with ExitStack() as owned:
        if factory is None:
            if config.factory != "mock":
                owned.enter_context(closing(Claim()))
            factory = owned.enter_context(closing(open_factory(config)))
        board = open_board(config, factory)
        return Panel(board, config.timing, clock_ns, on_fault, owned.pop_all())


def demo_board(seats: int, clock_ns: Callable[[], int] = time.monotonic_ns) -> tuple[Panel, MockPins]:
    """A panel with no Pi, its devices real and its pins mock: the small board up to 4 seats, the large one above.

    Press its buttons with ``pins.push(seat, down)``; read its lamps with ``pins.lights()`` and ``pins.digits()``.
    """
    config = default(BoardKind.SMALL if seats <= 4 else BoardKind.LARGE, seats)
    pins = MockPins(config, clock_ns)
    return open_panel(_mocked(config), pins, clock_ns), pins


def _mocked(config: PanelConfig) -> PanelConfig:
    return replace(config, factory="mock")


#: Gestures that need a word to the person at the seat, and no fact for the referee.
TROUBLE = frozenset({Gesture.STUCK, Gesture.HELD_AT_START, Gesture.CHATTER, Gesture.UNCLEAR})
