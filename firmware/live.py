"""The loop: frames, fingers and taps in; entries, lights and page out. The same for the real table and the demo.

`Live` joins one camera's perception, one panel, one journal and one page. It plays at most one session at a time; with
none it waits for one to be chosen on the page.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from vision.frames import Frame
from vision.lookout import Lookout
from vision.surface import SurfaceError

from .config import TableConfig
from .journal.errors import JournalError
from .journal.journal import Journal
from .panel.buttons import Act, Gesture
from .panel.panel_fake import PanelLike
from .perception import CardReader, Perception, lookout_over
from .referee.events import Entry, Press, Pressed, Said
from .referee.match import Setup
from .seen import Seen
from .sequence import Sequencer
from .table import Table, Told
from .viewfinder import Viewfinder
from .web.source import Actor, Noticeboard

NS = 1_000_000_000
#: Between the last entry of a session that is resumed and the first frame after it, on the session's own clock.
RESUME_GAP_S = 1.0
#: So many of the newest notices about the machine stand on the page.
NOTICES = 4


@dataclass(frozen=True, slots=True)
class Made:
    """What a session is made with: this program's version, the reader model's hash, the table's shape.

    ``club``: the table's name in its club, empty for none.
    """

    program: str
    model: str
    table: Mapping[str, Any]
    club: str = ""


@dataclass(slots=True)
class Live:
    """The table at play. Use it from one thread; `act` may be called from the page's threads.

    ``origin_ns``: what the panel's clock said at second 0 of the frames. ``told``: called with every entry;
    ``heard``: with every press and its time on the frames' clock. ``complaints``: what is wrong with the machine, put
    there by any thread. ``warn``: told in one line when the camera's picture cannot be believed, and when it can again.
    """

    config: TableConfig
    reader: CardReader
    journal: Journal
    panel: PanelLike
    made: Made
    size_px: tuple[int, int]
    origin_ns: int = 0
    told: Callable[[Told], None] = lambda told: None
    heard: Callable[[Pressed, float], None] = lambda pressed, t: None
    warn: Callable[[str], None] = lambda words: None
    table: Table | None = None
    fault: str = ""
    complaints: deque[str] = field(default_factory=deque)
    viewfinder: Viewfinder = field(init=False)
    board: Noticeboard = field(default_factory=lambda: Noticeboard({"state": "waiting"}, _nobody))
    _acts: deque[Act] = field(default_factory=deque)
    _notices: tuple[str, ...] = ()
    _sequencer: Sequencer | None = None
    _lookout: Lookout | None = None
    _waiting: tuple[TableConfig, CardReader, Made] | None = None
    _warned: str = ""
    _base_s: float = 0.0
    _frame_s: float = 0.0

    def __post_init__(self) -> None:
        """What the camera sees can be looked at from the first frame on, and whether it can be believed."""
        self.viewfinder = Viewfinder(self.config, self.reader)
        self._look_out()

    def _look_out(self) -> None:
        try:
            self._lookout = lookout_over(self.config, self.size_px)
        except SurfaceError:  # said when a session begins
            self._lookout = None

    def adopt(self, config: TableConfig, reader: CardReader | None = None, model: str = "") -> None:
        """Other settings, and another reader with its model's hash: at once, or when the session that is on has ended.

        What lies on the table was seen with the places and zones that there were when the session began.
        """
        _, known, made = self._waiting or (self.config, self.reader, self.made)
        made = replace(made, table=geometry(config), model=model or made.model)
        self._waiting = config, reader or known, made
        self._adopt_waiting()

    def _adopt_waiting(self) -> None:
        if self._waiting is None or self.table is not None:
            return
        (self.config, self.reader, self.made), self._waiting = self._waiting, None
        self.viewfinder.config, self.viewfinder.reader = self.config, self.reader
        self._look_out()

    def begin(self, setup: Setup) -> Table:
        """A new session from now on.

        :raises BadSetup: if the referee cannot play this.
        """
        table = Table.begin(
            self.journal,
            setup,
            lights=self.panel,
            board=self.board,
            program=self.made.program,
            model=self.made.model,
            table=self.made.table,
            club=self.made.club,
        )
        return self._play(table, -self._frame_s)

    def resume(self, session_id: str) -> Table:
        """Go on with a session that was interrupted: folded from its log, the lights as they were."""
        table = Table.resume(self.journal, session_id, lights=self.panel, board=self.board)
        return self._play(table, table.now + RESUME_GAP_S - self._frame_s)

    def _play(self, table: Table, base_s: float) -> Table:
        self.table, self._base_s = table, base_s
        table.geometry, table.notices = self.made.table, self._notices
        self._sequencer = Sequencer(self._perceiving(), self._enter)
        table.cards = self._sequencer.cards
        table.refresh(table.now)
        return table

    def _perceiving(self) -> Perception:
        """A session's eyes; the camera is watched from session to session, so that a nudge between two is noticed."""
        if self._lookout is not None:
            self._lookout.again()
        return Perception(self.config, self.reader, self.size_px, self._lookout)

    def step(self, frame: Frame) -> None:
        """One frame: first the buttons, then what the picture shows, then lights and page.

        While the log cannot be written nothing is lost and no light says that it was kept: everything waits, in its
        order, and all lights show the fault.
        """
        self._frame_s = frame.seconds
        now = self._session_s(frame.seconds)
        parts = (self._complain, self._buttons, partial(self._look, frame, now))  # each, whatever the others meet
        refused = next(filter(None, [_refusal(part) for part in parts]), "")
        blind = self._blindness()
        if self.table is not None:
            self.table.desk = replace(self.table.desk, release=self.panel.held(), fault=refused or self.fault or blind)
            self.table.refresh(now)
        perception = None if self._sequencer is None else self._sequencer.perception
        newest = None if perception is None else perception.newest
        self.viewfinder.leave(frame.image if newest is None else newest, perception)

    def _look(self, frame: Frame, now: float) -> None:
        if self._sequencer is not None:
            self._sequencer.frame(replace(frame, seconds=now))
        elif self._lookout is not None:
            self._lookout.see(frame)

    def _blindness(self) -> str:
        """Why the camera's picture cannot be believed, "" if it can; a change is told to ``warn`` in one line."""
        perception = None if self._sequencer is None else self._sequencer.perception
        trouble = perception.trouble if perception is not None else self._lookout.trouble if self._lookout else None
        words = "" if trouble is None else trouble.words
        if words != self._warned:
            self.warn(words or "the camera sees the table again")
            self._warned = words
        return words

    def _complain(self) -> None:
        """Put what is wrong with the machine on the page, and into the log of the session that is played."""
        while self.complaints:
            if self.table is not None:
                self.table.remark("MACHINE", self.complaints[0])
            self._notices = (*self._notices, self.complaints.popleft())[-NOTICES:]
            self.board.publish(notices=list(self._notices))
            if self.table is not None:
                self.table.notices = self._notices

    def quiet(self) -> None:
        """No picture comes: show the fault, judge nothing."""
        if self.table is not None:
            self.table.desk = replace(self.table.desk, fault=self.fault)
            self.table.refresh(self.table.now)

    def press(self, pressed: Pressed) -> None:
        """A press on the page, now: it means what the seat's button would, and waits as long for what came before.

        :raises ValueError: if no session is played.
        """
        if self.table is None or self._sequencer is None:
            raise ValueError("no session is being played")
        now = self._session_s(self._frame_s)
        gesture = Gesture.TAP if pressed.press is Press.SHORT else Gesture.LONG
        for heard in self.table.hear(Act(gesture, 0, pressed.taps, pressed.seat), now):
            self._sequencer.press(heard, now, "page")
        self.table.refresh(now)

    def say(self, said: Said) -> None:
        """Words on the page that bind a seat: judged after everything that was done before them.

        :raises ValueError: if no session is played.
        """
        if self.table is None or self._sequencer is None:
            raise ValueError("no session is being played")
        self._sequencer.press(said, self._session_s(self._frame_s), "page")
        self.table.refresh(self.table.now)

    def finish(self) -> dict[str, Any]:
        """End the session that is played; its result.

        :raises ValueError: if none is.
        """
        if self.table is None or self._sequencer is None:
            raise ValueError("no session is being played")
        self._sequencer.finish(self._session_s(self._frame_s))
        result = self.table.finish()
        self.table, self._sequencer = None, None
        if self._lookout is not None:
            self._lookout.again()
        self._adopt_waiting()
        return result

    def _session_s(self, frame_s: float) -> float:
        """Seconds of the session at ``frame_s`` of the camera."""
        return max(0.0, frame_s + self._base_s)

    def _buttons(self) -> None:
        self._acts.extend(self.panel.acts())
        while self._acts:
            try:
                self._hear(self._acts[0])
            except JournalError:
                raise  # it is tried again
            except Exception as error:  # one press that trips the program must not take the next ones with it (C08)
                act, kind = self._acts[0], type(error).__name__
                self.complaints.append(f"the {act.gesture} of seat {act.seat} was not taken ({kind}: {error})")
            self._acts.popleft()

    def _hear(self, act: Act) -> None:
        frame_s = (act.t_ns - self.origin_ns) / NS
        if self.table is not None and self._sequencer is not None:
            for pressed in self.table.hear(act, self._session_s(frame_s)):
                self.heard(pressed, frame_s)
                self._sequencer.press(pressed, self._session_s(frame_s))

    def _enter(self, seen: Seen) -> Entry | None:
        if self.table is None:
            return None
        told = self.table.enter(seen)
        self.told(told)
        return told.entry


def _refusal(part: Callable[[], None]) -> str:
    """Do a part of a step; why the log refused it, "" if it did not."""
    try:
        part()
    except JournalError as error:
        return str(error)
    return ""


def geometry(config: TableConfig) -> dict[str, Any]:
    """The table's shape for the page and the log: plain JSON values, mm."""
    return {
        "width_mm": config.width_mm,
        "height_mm": config.height_mm,
        "card": [config.card_w_mm, config.card_h_mm],
        "zones": [{"name": z.name, "polygon": [list(p) for p in z.polygon]} for z in config.zones],
    }


def _nobody(action: Mapping[str, Any], actor: Actor) -> Mapping[str, Any]:
    return {"error": "the table is starting; try again"}
