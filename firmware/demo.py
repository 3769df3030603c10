"""``cardtable demo``: a whole session with no hardware, drawn, seen, judged, lit and kept.

The simulator gives frames and fingers on buttons, nothing else.  From there on everything is what a real table uses:
the real reader, referee, gpiozero devices (on mock pins), journal and page.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console

from vision.frames import Frame
from vision.reader import Reader

from .commands import Commands
from .config import TableConfig, load_table
from .journal.journal import Journal
from .page import open_page
from .panel.board import Panel, demo_board
from .panel.mock import MockPins
from .perception import Perception
from .referee.events import Pressed
from .referee.match import Setup
from .screen import Screen
from .sequence import Sequencer
from .simulator.camera import SimulatedCamera
from .simulator.filmstrip import Shot, write_strip
from .simulator.record import table_toml
from .simulator.session import DEMO_FAULTS, Session, plan
from .table import Seen, Table, Told

#: Seconds of simulated time that a finger stays on a button.
FINGER_S = 0.12
#: Where the demo keeps its session and its film strip when not told otherwise.
FOLDER = Path("cardtable-demo")

NS = 1_000_000_000


@dataclass(slots=True)
class Clock:
    """The simulated time, for everything that asks a clock."""

    now_s: float = 0.0

    def ns(self) -> int:
        """Nanoseconds since the session began."""
        return round(self.now_s * NS)


@dataclass(slots=True)
class Fingers:
    """Drives the mock pins as people press: down at its time, up a moment later."""

    pins: MockPins
    moves: list[tuple[float, int, bool]]

    @classmethod
    def of(cls, pins: MockPins, camera: SimulatedCamera) -> Fingers:
        """The fingers of a simulated session."""
        moves = [
            (press.t_s + after_s, press.seat, down)
            for press in camera.presses
            for after_s, down in ((0.0, True), (FINGER_S if press.press == "short" else 1.2, False))
        ]
        return cls(pins, sorted(moves))

    def until(self, t: float, clock: Clock, panel: Panel) -> None:
        """Move the fingers that move before ``t``, the panel looking on at its own pace."""
        while self.moves and self.moves[0][0] <= t:
            clock.now_s, seat, down = self.moves.pop(0)
            panel.tick(clock.ns())
            self.pins.push(seat, down)
            panel.tick(clock.ns())
        clock.now_s = t
        panel.tick(clock.ns())


@dataclass(slots=True)
class Demo:
    """One demonstration under way."""

    table: Table
    sequencer: Sequencer
    panel: Panel
    pins: MockPins
    screen: Screen
    clock: Clock
    commands: Commands | None = None
    shots: list[Shot] = field(default_factory=list)
    newest: Frame | None = None

    def enter(self, seen: Seen) -> Any:
        """Photo, log, light; then note it for the screen and the film strip."""
        told = self.table.press(seen.fact, seen.t) if isinstance(seen.fact, Pressed) else self.table.enter(seen)
        if told is None:
            return None
        self.screen.tell(told)
        self._shoot(told)
        return told.entry

    def frame(self, frame: Frame, fingers: Fingers) -> None:
        """One frame of simulated time for everything."""
        self.newest = frame
        fingers.until(frame.seconds, self.clock, self.panel)
        for act in self.panel.acts():
            if (pressed := act.to_fact()) is not None:
                self.sequencer.press(pressed, act.t_ns / NS)
        self.sequencer.frame(frame)
        if self.commands is not None:
            self.commands.serve()
        self.table.refresh(frame.seconds)
        self.panel.tick(self.clock.ns())
        self.screen.draw(self.table, self.pins.lights(), self.pins.digits())

    def _shoot(self, told: Told) -> None:
        if self.newest is not None and told.rulings:
            words = [r.why for r in told.rulings if r.why] or [self.table.match.view.words]
            kinds = {r.kind.value for r in told.rulings}
            lamps = tuple(light.colour.value for light in self.table.panel_state.lights)
            self.shots.append(
                Shot(self.newest.image.copy(), words[0], lamps, self.table.match.view.pool, self.newest.seconds, kinds)
            )


def run_demo(
    game: str,
    *,
    seats: int | None = None,
    seed: int = 1,
    headless: bool = False,
    strip: Path | None = None,
    data: Path | None = None,
) -> int:
    """Play a simulated session to its end; 0 when it was refereed and kept whole.

    :raises ValueError: if the simulator cannot play this.
    """
    session = plan(game, seats, seed, faults=DEMO_FAULTS.get(game, ()))
    folder = data or FOLDER / "data"
    if data is None:
        shutil.rmtree(folder, ignore_errors=True)
    console = Console(highlight=False)
    with _prepared(session, folder, console, headless) as (demo, camera):
        fingers = Fingers.of(demo.pins, camera)
        for frame in camera:
            demo.frame(frame, fingers)
        demo.sequencer.finish(demo.clock.now_s)
        result = demo.table.finish()
        path = write_strip(demo.shots, session.names, strip or FOLDER / "strip.png")
        demo.screen.close(demo.table, result, folder, path)
    return 0


@contextmanager
def _prepared(
    session: Session, folder: Path, console: Console, headless: bool
) -> Iterator[tuple[Demo, SimulatedCamera]]:
    with ExitStack() as stack:
        journal = stack.enter_context(Journal.open(folder))
        clock, camera, reader = Clock(), SimulatedCamera.over(session), Reader.load()
        panel, pins = demo_board(len(session.names), clock.ns)
        stack.enter_context(panel)
        config = _table_config(session, folder)
        perception = Perception(config, reader, camera.size_px)
        setup = Setup(session.game, session.names, session.dealer, session.house, session.deal)
        table = Table.begin(
            journal, setup, lights=panel, program=version("cardtable"), model=reader.hash, table=_geometry(config)
        )
        table.geometry = _geometry(config)
        screen = stack.enter_context(Screen(console, session.names, plain=headless or not console.is_terminal))
        demo = Demo(table, Sequencer(perception, lambda seen: demo.enter(seen)), panel, pins, screen, clock)
        if not headless:
            page = stack.enter_context(open_page(table, stack.enter_context(Journal.open(folder, read_only=True))))
            demo.commands = page.commands
            screen.say(f"page   {page.words}")
        yield demo, camera


def _table_config(session: Session, folder: Path) -> TableConfig:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "table.toml"
    path.write_text(table_toml(session), encoding="utf-8")
    return load_table(path)


def _geometry(config: TableConfig) -> dict[str, Any]:
    """The table's shape for the page and the log."""
    return {
        "width_mm": config.width_mm,
        "height_mm": config.height_mm,
        "card": [config.card_w_mm, config.card_h_mm],
        "zones": [{"name": z.name, "polygon": [list(p) for p in z.polygon]} for z in config.zones],
    }
