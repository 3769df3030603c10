"""``cardtable demo``: a whole session with no hardware, drawn, seen, judged, lit and kept.

The simulator gives frames and fingers on buttons, nothing else.  From there on everything is what a real table uses:
the real reader, referee, gpiozero devices (on mock pins), journal and page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

from rich.console import Console

from vision.frames import Frame
from vision.reader import Reader

from .config import TableConfig, WebSettings, load_table
from .journal.journal import Journal
from .live import NS, Live, Made, geometry
from .page import open_page
from .panel.board import Panel, demo_board
from .panel.mock import MockPins
from .panel.signals import Colour, Meaning
from .referee.match import Setup, games
from .referee.rulings import Kind
from .screen import Screen
from .service import stopped_by_signals
from .simulator.camera import SimulatedCamera
from .simulator.filmstrip import Lamp, Still, lamp_places, write_strip
from .simulator.record import table_toml
from .simulator.session import Session
from .simulator.session import demo as simulated
from .table import Table, Told

#: Seconds of simulated time that a finger stays on a button.
FINGER_S = 0.12
#: Where the demo keeps its session and its film strip when not told otherwise.
FOLDER = Path("cardtable-demo")

#: The lamps in a picture are those of so many seconds later: the blip of a waiting seat (90 ms) is over then.
LAMP_S = 0.15
#: How many pictures the film strip has.
STILLS = 9

_WEIGHT = {Kind.PROVED: 5, Kind.REFUSED: 4, Kind.OVER: 4, Kind.CONFLICT: 3, Kind.TAKES: 3, Kind.NOTICE: 2, Kind.PAID: 1}


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
    """One demonstration under way: the live loop, with a screen and a film strip looking on."""

    live: Live
    panel: Panel
    pins: MockPins
    screen: Screen
    clock: Clock
    serve: Callable[[], None] = lambda: None
    stills: list[Still] = field(default_factory=list)
    newest: Frame | None = None

    def frame(self, frame: Frame, fingers: Fingers) -> None:
        """One frame of simulated time for everything."""
        self.newest = frame
        fingers.until(frame.seconds, self.clock, self.panel)
        self.serve()
        if self.live.table is not None:
            self._light_up(self.live.table.setup.seats)
        self.live.step(frame)
        self.panel.tick(self.clock.ns())
        if self.live.table is not None:
            self.screen.draw(self.live.table, self.pins.lights(), self.pins.digits())

    def stay(self, camera: SimulatedCamera, fingers: Fingers, table: Table) -> None:
        """Look on at the table as it lies while ``table`` is at play, until the program is asked to end."""
        self.screen.say("stays  the page is open until Ctrl-C")
        with stopped_by_signals() as stop:
            while self.live.table is table and not stop.wait(1 / camera.rate_hz):
                self.frame(camera.linger(), fingers)

    def told(self, told: Told) -> None:
        """Something was entered: show it, and keep the picture for the film strip."""
        self.screen.tell(told)
        table = self.live.table
        if self.newest is None or table is None or not told.rulings:
            return
        said = max(told.rulings, key=lambda ruling: _WEIGHT.get(ruling.kind, 0))
        words = said.why or table.match.view.words
        self.stills.append(
            Still(self.newest.image, self.newest.seconds, words, said.kind.value, (), table.match.view.pool)
        )

    def _light_up(self, names: Sequence[str]) -> None:
        """Add to the newest pictures what the pins show a moment later; a waiting seat's blip is left out."""
        if self.newest is None:
            return
        now_s = self.newest.seconds
        waiting = (
            [light.meaning is Meaning.WAITING for light in self.live.table.panel_state.lights]
            if self.live.table
            else []
        )
        lamps = tuple(
            Lamp(name, Colour.OFF.value if idle else colour.value, at)
            for name, idle, colour, at in zip(names, waiting, self.pins.lights(), lamp_places(len(names)), strict=True)
        )
        self.stills = [
            still if still.lamps or now_s - still.seconds < LAMP_S else replace(still, lamps=lamps)
            for still in self.stills
        ]


def chosen(stills: Sequence[Still], count: int = STILLS) -> list[Still]:
    """The pictures for a strip, in order: what a referee is for first, then plain play spread over the session."""
    weight = {kind.value: worth for kind, worth in _WEIGHT.items()}
    order = sorted(range(len(stills)), key=lambda place: -weight.get(stills[place].kind, 0))
    best = [place for place in order if weight.get(stills[place].kind, 0) > 1][: count - 3]
    spread = [place for place in range(0, len(stills), max(1, len(stills) // count)) if place not in best]
    return [stills[place] for place in sorted(best + spread[: count - len(best)])]


def run_demo(
    game: str,
    *,
    seats: int | None = None,
    seed: int = 1,
    headless: bool = False,
    strip: Path | None = None,
    data: Path | None = None,
    stay: bool = False,
) -> int:
    """Play a simulated session to its end; 0 when it was refereed and kept whole.

    ``stay``: the table is left as it lies then, with its page, until Ctrl-C or until the session is ended on the page.

    :raises ValueError: if the simulator cannot play this.
    """
    if stay and headless:
        raise ValueError("--stay keeps the page open, and --headless has none: leave one of them out")
    session = simulated(game, seats, seed)
    folder = data or FOLDER / "data"
    path = _strip_path(strip or (data or FOLDER) / "strip.png")
    console = Console(highlight=False)
    with _prepared(session, folder, console, headless) as (demo, table, camera):
        fingers = Fingers.of(demo.pins, camera)
        for frame in camera:
            demo.frame(frame, fingers)
        if stay:
            demo.stay(camera, fingers, table)
        if demo.live.table is not None:  # the host may have ended it on the page
            demo.live.finish()
        result = table.results[-1]
        write_strip(path, chosen(demo.stills), f"Card Table: {games()[game].TITLE}")
        demo.screen.close(table, result, folder, path)
    return 0


def _strip_path(path: Path) -> Path:
    """Where the strip goes, looked at before anything is played: a kind of picture, in a folder that is there."""
    if path.suffix.lower() not in STRIP_KINDS:
        raise ValueError(f"{path}: a film strip is a picture; name it .png, .webp or .jpg")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


STRIP_KINDS = (".png", ".webp", ".jpg")
"""What the strip can be written as."""


@contextmanager
def _prepared(
    session: Session, folder: Path, console: Console, headless: bool
) -> Iterator[tuple[Demo, Table, SimulatedCamera]]:
    with ExitStack() as stack:
        journal = stack.enter_context(Journal.open(folder))
        clock, camera, reader = Clock(), SimulatedCamera.over(session), Reader.load()
        panel, pins = demo_board(len(session.names), clock.ns)
        stack.enter_context(panel)
        config = _table_config(session, folder)
        made = Made(version("cardtable"), reader.hash, geometry(config))
        live = Live(config, reader, journal, panel, made, camera.size_px)
        screen = stack.enter_context(Screen(console, session.names, plain=headless or not console.is_terminal))
        demo = Demo(live, panel, pins, screen, clock)
        live.told = demo.told
        table = live.begin(Setup(session.game, session.names, session.dealer, session.house, session.deal))
        if not headless:
            page = stack.enter_context(
                open_page(live, stack.enter_context(Journal.open(folder, read_only=True)), WebSettings(port=0))
            )
            demo.serve = page.commands.serve
            screen.say(f"page   {page.words}")
        yield demo, table, camera


def _table_config(session: Session, folder: Path) -> TableConfig:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "table.toml"
    path.write_text(table_toml(session), encoding="utf-8")
    return load_table(path)
