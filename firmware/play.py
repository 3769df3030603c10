"""The real table: ``cardtable play`` (one game, now) and ``cardtable run`` (the service, which waits for one).

Opens camera, panel, journal and page as table.toml says, turns the loop, and lets go of them in the right order: log
closed and lights off before the camera is asked to stop, because a camera may never answer (field report B04).
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any

from rich.console import Console

from vision.enrol import EnrolError
from vision.frames import Camera, CameraAbsent, CameraBusy, CameraMemory, Frame, FrameError, UsbCamera, open_recording
from vision.reader import Image, ModelError

from .club.teller import open_club
from .config import CameraSettings, TableConfig, WebSettings, config_folder, data_folder
from .journal.journal import Journal
from .lending import lending
from .live import NS, Live, Made, geometry
from .page import Page, kept_keys, open_archive, open_page
from .panel.board import open_panel
from .panel.config import BoardKind, Say, panel_config
from .panel.panel_fake import PanelLike
from .panel.panel_none import NoPanel
from .panel.pins import PanelError
from .panel.voice import Voice, open_voice
from .plain import plain_line
from .recording import Recorder
from .referee.match import Setup, dealt
from .reread import PACK, Reread, Watch, When
from .screen import Screen, say
from .service import EXIT_CAMERA, EXIT_REBOOT_ADVISED, Service, asked_by_hangup, stopped_by_signals
from .setting_up import PACK_FILE, house_reader, settings_path, table_settings
from .sharing import share
from .table import Told

#: No frame for so long and the table says "no picture" (field report B03).
FRAME_PATIENCE_S = 5.0
#: A picture that was taken so long ago is no picture of now: it waited somewhere in the camera (field report B05).
OLD_S = 2.0
#: No frame for so long and the service gives up; systemd starts it again.
CAMERA_GIVEN_UP_S = 20.0
#: A busy camera is tried again after 1, 2, 4 ... seconds, so many times in all (field report B01).
BUSY_TRIES = 10
#: ... by a set-up command, whose person can read who holds it and stop that.
SETUP_TRIES = 3
LONGEST_WAIT_S = 30.0
#: How long the loop waits for a frame before it looks after everything else; buttons and page wait no longer.
TURN_S = 0.05
#: Frames held for the loop; more than this and it is too slow, and the oldest is dropped.
BACKLOG = 4


@dataclass(slots=True)
class Feed:
    """A camera read in a thread of its own, so that one that blocks cannot hold up the loop."""

    camera: Camera
    frames: Queue[Frame | FrameError | None]
    ended: bool = False

    @classmethod
    def of(cls, camera: Camera) -> Feed:
        """Start reading."""
        feed = cls(camera, Queue(BACKLOG))
        Thread(target=feed._read, name="camera", daemon=True).start()
        return feed

    def next(self, wait_s: float) -> Frame | None:
        """The next frame, or None if none came within ``wait_s``.

        :raises FrameError: what the camera raised; it gives no more.
        """
        try:
            got = self.frames.get(timeout=wait_s)
        except Empty:
            return None
        if isinstance(got, FrameError):
            raise got
        self.ended = got is None
        return got

    def _read(self) -> None:
        try:
            while (frame := self.camera.read()) is not None:
                self._put(frame)
            self._put(None)
        except FrameError as error:
            self._put(error)

    def _put(self, got: Frame | FrameError | None) -> None:
        while True:
            try:
                self.frames.put_nowait(got)
                return
            except Full:
                try:
                    self.frames.get_nowait()
                except Empty:
                    continue


def play(game: str, seats: tuple[str, ...], record: Path | None) -> int:
    """One game at the real table, until Ctrl-C; its result is printed.

    :raises ConfigError, BadSetup, PanelError, FrameError, JournalError: one line each, nothing lost.
    """
    config, notice = table_settings()
    names = seats or tuple(f"Seat {n}" for n in range(1, config.seats + 1))
    console = Console(highlight=False)
    if notice:
        say(console, notice)
    with _opened(config, console) as house, Screen(console, names, plain=not console.is_terminal) as screen:
        table = house.live.begin(dealt(Setup(game, names, len(names))))
        spoken = house.live.told

        def told(one: Told) -> None:
            screen.tell(one)
            spoken(one)

        house.live.told = told
        recorder = None
        if record is not None:
            recorder = Recorder.open(record, config, table.setup, house.live.size_px, config.source.fps)
            house.live.heard = recorder.press
        screen.say(f"page   {house.page.words}")
        try:
            house.turn(recorder)
        finally:
            if recorder:
                recorder.close()
        if house.live.table is not None:
            screen.close(table, house.live.finish(), data_folder())
    return 0


def run() -> int:
    """What the service starts: the table, going on with the session that was interrupted, or waiting for one."""
    config, notice = table_settings()
    console = Console(highlight=False)
    if notice:
        say(console, notice)
    try:
        with _opened(config, console) as house:
            if (row := house.journal.live()) is not None:
                house.live.resume(row.id)
            say(console, f"page   {house.page.words}")
            house.service.ready(time.monotonic_ns(), house.page.url)
            house.turn(None)
    except CameraMemory as error:
        print(plain_line(f"cardtable: {error}"), file=sys.stderr)
        return EXIT_REBOOT_ADVISED
    except FrameError as error:
        print(plain_line(f"cardtable: {error}"), file=sys.stderr)
        return EXIT_CAMERA
    return 0


def serve() -> int:
    """The page alone, over the sessions kept here, until Ctrl-C."""
    console = Console(highlight=False)
    web = table_settings()[0].web if settings_path().is_file() else WebSettings()
    with (
        stopped_by_signals() as stop,
        Journal.open(data_folder(), read_only=True) as journal,
        open_archive(journal, web, kept_keys()) as words,
    ):
        say(console, f"page   {words}")
        stop.wait()
    return 0


@dataclass(slots=True)
class Newest:
    """The camera's newest picture, for set-up commands that want one; called by any thread."""

    image: Image | None = None
    at_s: float = 0.0

    def leave(self, image: Image) -> None:
        """A frame came."""
        self.image, self.at_s = image, time.monotonic()

    def __call__(self) -> Image | None:
        """The picture, None where it is not of now."""
        return self.image if time.monotonic() - self.at_s <= OLD_S else None


@dataclass(slots=True)
class House:
    """Everything that is open while the table is on.

    ``stop``: set when the program is asked to end; ``asked``: when it is asked to read its settings again. ``note``:
    told what the players should know of the machine.
    """

    stop: Event
    asked: Event
    live: Live
    journal: Journal
    page: Page
    feed: Feed
    service: Service
    watch: Watch
    speech: Speech
    newest: Newest
    note: Callable[[str], Any]
    heard: float = 0.0

    def turn(self, recorder: Recorder | None) -> None:
        """Turn the loop until the program is asked to end, or the frames of a recording do.

        :raises FrameError: when the camera fails or has given nothing for `CAMERA_GIVEN_UP_S`.
        """
        self.heard = time.monotonic()
        while not (self.feed.ended or self.stop.is_set()):
            frame = self._minded(self.feed.next(TURN_S))
            if frame is not None:
                self.newest.leave(frame.image)
                if recorder is not None:
                    recorder.frame(frame)
                self.live.step(frame)
            self.page.commands.serve()
            self._reread()
            self.service.moved("referee", time.monotonic_ns())
            self.service.beat(time.monotonic_ns())

    def _reread(self) -> None:
        """Go by changed settings, as far as that can be done without a restart."""
        if asked := self.asked.is_set():
            self.asked.clear()
            self.service.reloading(time.monotonic_ns())
        if (found := self.watch.look(time.monotonic(), asked)) is not None:
            self.note(found.words)
            if found.config is not None:
                self._go_by(found.config, found)
        if asked:
            self.service.reloaded()

    def _go_by(self, config: TableConfig, found: Reread) -> None:
        if found.any(When.NOW):
            self.speech.retune(panel_config(config.panel, config.seats).say)
        if not found.any(When.SESSION):
            return
        if not any(change.what == PACK for change in found.changes):
            self.live.adopt(config)
            return
        try:
            reader = house_reader()
        except (EnrolError, ModelError) as error:
            self.note(f"the pack is read as before: {error}")
            self.live.adopt(config)
        else:
            self.live.adopt(config, reader, reader.hash)

    def _minded(self, frame: Frame | None) -> Frame | None:
        """The frame, if it is new; a camera that has gone quiet or gives old pictures is said, then given up."""
        now = time.monotonic()
        if frame is not None and not self.live.origin_ns:
            self.live.origin_ns = round((now - frame.seconds) * NS)
        if frame is not None and now - self.live.origin_ns / NS - frame.seconds <= OLD_S:
            self.heard, self.live.fault = now, ""
            self.service.moved("camera", time.monotonic_ns())
            return frame
        silent_s = now - self.heard
        if silent_s > CAMERA_GIVEN_UP_S:
            raise FrameError(f"camera: no new picture for {CAMERA_GIVEN_UP_S:g} s; check its cable")
        if silent_s > FRAME_PATIENCE_S and not self.live.fault:
            old = "the camera's pictures are old: restart the service"
            self.live.fault = "no picture from the camera: check its cable" if frame is None else old
            _warn(self.live.fault)
            self.live.quiet()
        return None


def _warn(words: str) -> None:
    """One line on standard error."""
    print(plain_line(f"cardtable: {words}"), file=sys.stderr, flush=True)


@contextmanager
def _opened(config: TableConfig, console: Console) -> Iterator[House]:
    """Everything opened in order; let go in the opposite one, the camera last and without waiting for it."""
    reader = house_reader()
    share(data_folder())
    with ExitStack() as early:  # a second table hears so at once, and does not wait for a camera that the first one has
        journal = early.enter_context(Journal.open(data_folder()))
        camera = open_camera(config.source, time.sleep, partial(say, console))
        early.pop_all()
    with ExitStack() as stack:
        stack.callback(Thread(target=camera.close, daemon=True).start)
        stop = stack.enter_context(stopped_by_signals())
        asked = stack.enter_context(asked_by_hangup())
        if complaint := getattr(camera, "complaint", ""):
            say(console, complaint)
        stack.callback(share, data_folder())
        stack.enter_context(journal)
        complaints: deque[str] = deque()

        def note(words: str) -> None:
            say(console, words)
            complaints.append(words)

        for words in journal.notices:
            note(words)
        panel = stack.enter_context(_panel(config, console, note))
        made = Made(version("cardtable"), reader.hash, geometry(config), config.club.table)
        live = Live(config, reader, journal, panel, made, camera.size_px, complaints=complaints, warn=_warn)
        speech = Speech(panel_config(config.panel, config.seats).say, live, partial(say, console))
        stack.callback(speech.close)
        live.told = speech
        reading = stack.enter_context(Journal.open(data_folder(), read_only=True))
        page = stack.enter_context(open_page(live, reading, config.web, kept_keys()))
        share(data_folder())
        telling = stack.enter_context(Journal.open(data_folder(), read_only=True))
        stack.enter_context(open_club(config.club, journal, telling, live.board, note))
        service = Service({"camera": round(CAMERA_GIVEN_UP_S * NS), "referee": round(FRAME_PATIENCE_S * NS)})
        watch = Watch(config, settings_path(), config_folder() / PACK_FILE, lambda: table_settings()[0])
        newest = Newest()
        if words := stack.enter_context(lending(data_folder(), newest, lambda: live.table is not None)):
            say(console, words)
        yield House(stop, asked, live, journal, page, Feed.of(camera), service, watch, speech, newest, note)
        service.stopping()


@dataclass(slots=True)
class Speech:
    """Says rulings aloud, with the names of whoever plays; where there is no sound, one line and then nothing."""

    say: Say
    live: Live
    note: Callable[[str], Any]
    names: tuple[str, ...] = ()
    voice: Voice | None = None

    def __call__(self, told: Told) -> None:
        if self.live.table is not None and self.live.table.setup.seats != self.names:
            self.close()
            self.names = self.live.table.setup.seats
            self.voice = open_voice(self.say, dict(enumerate(self.names, 1)), self.note)
        if self.voice is not None:
            for ruling in told.rulings:
                self.voice.tell(ruling)

    def retune(self, say: Say) -> None:
        """Say this much from now on."""
        self.close()
        self.say, self.names = say, ()

    def close(self) -> None:
        """Be silent."""
        if self.voice is not None:
            self.voice.close()
            self.voice = None


@contextmanager
def _panel(config: TableConfig, console: Console, note: Callable[[str], Any]) -> Iterator[PanelLike]:
    """The panel that the settings describe; where there is none, the page alone shows the lights, and says so.

    ``note`` is told of every fault of the panel, from whatever thread notices it.
    """
    wanted = panel_config(config.panel, config.seats)
    if wanted.board is BoardKind.NONE:
        say(console, "panel  none: the page shows the lights and has the buttons")
        yield NoPanel()
        return
    try:
        opened = open_panel(wanted, on_fault=note)
    except PanelError as error:  # a game can be refereed from the page alone
        note(f"no buttons: {error}; the page shows the lights and has the buttons")
        yield NoPanel()
        return
    with opened as panel:
        panel.start()
        yield panel


def open_camera(
    settings: CameraSettings, sleep: Callable[[float], Any], say: Callable[[str], Any], tries: int = BUSY_TRIES
) -> Camera:
    """The camera that the settings name; a busy one is tried again so many times.

    :raises FrameError: if there is none, or it stays busy.
    """
    for attempt in range(tries):
        try:
            return _camera(settings)
        except CameraBusy as error:
            wait_s = min(LONGEST_WAIT_S, 2.0**attempt)
            say(f"{error}; trying again in {wait_s:g} s")
            sleep(wait_s)
    return _camera(settings)


def _camera(settings: CameraSettings) -> Camera:
    size = settings.width, settings.height
    match settings.kind:
        case "usb":
            return UsbCamera.open(settings.device, size, settings.fps, time.monotonic)
        case "recording":
            return open_recording(Path(settings.device))
        case "picamera2":
            from vision.picamera import PiCamera

            return PiCamera.open(int(settings.device or 0), size, settings.fps, settings.mains_hz)
    raise CameraAbsent(f"[source] kind: {settings.kind!r} is no camera; picamera2, usb or recording")
