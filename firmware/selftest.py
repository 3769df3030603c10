"""``cardtable check``: is everything there that a game needs? One line a part, each with its remedy.

Looks and reports; repairs nothing.  What it looks with (files, clocks, commands, the camera) is handed in by `Probes`,
so that every line can be tried without a Pi.  Lights and buttons need people: see ``panel/check.py``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from models import sums

from .config import ConfigError, TableConfig, config_folder, data_folder, load_table
from .journal.journal import Journal
from .journal.listing import Query
from .journal.wear import wear_of
from .lending import InPlay, table_is_on
from .panel.config import BoardKind, PanelConfig, panel_config
from .settings_file import readable

LEAST_FREE_MB = 500
"""An evening's evidence pictures take about 60 MB; below this the disk is full before the month is."""

LOOKED_AT = 20
"""So many of the newest sessions are looked at for one that is over."""

LEAST_MEMORY_MB = 150
"""The program itself takes about 250 MB; with less than this beside it the system swaps, and frames are late."""

HOT_C = 80.0
"""From here on a Pi slows its processor down."""

NO_CLOCK_BEFORE_S = 1_735_689_600
"""1 January 2025: a clock that shows less has never been set (field report E07)."""

_THROTTLED = {
    0: "under-voltage now: use the Pi's own power supply and a short cable",
    1: "slowed down now: under-voltage or heat",
    2: "throttled now: cool it",
    3: "at its soft temperature limit: cool it",
    16: "there was under-voltage since the start: use the Pi's own power supply",
    18: "it was throttled since the start",
}
"""Bits of ``vcgencmd get_throttled`` that matter (Raspberry Pi documentation, "vcgencmd")."""
_NOW_BITS = (0, 1, 2, 3)


class State(StrEnum):
    """How a line came out."""

    OK = "ok"
    BAD = "BAD"
    SKIPPED = "-"


@dataclass(frozen=True, slots=True)
class Line:
    """One part: ``what``, its state, and what was seen (with the remedy if it is bad)."""

    what: str
    state: State
    words: str

    @property
    def text(self) -> str:
        """As printed."""
        return f"{self.state.value:<4}{self.what + ':':<13}{self.words}"

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return {"check": self.what, "ok": self.state is not State.BAD, "state": self.state.value, "why": self.words}


def good(what: str, words: str) -> Line:
    """A part that is as it should be."""
    return Line(what, State.OK, words)


def bad(what: str, words: str) -> Line:
    """A part that is not; ``words`` end with the remedy."""
    return Line(what, State.BAD, words)


def skipped(what: str, words: str) -> Line:
    """A part that this machine or table does not have."""
    return Line(what, State.SKIPPED, words)


def _command(*words: str) -> str | None:
    """What a command prints, or None where it is missing or fails."""
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(words, capture_output=True, text=True, timeout=5, check=False)
        return done.stdout.strip() if done.returncode == 0 else None
    return None


@dataclass(frozen=True, slots=True)
class Probes:
    """What the checks look with. ``look`` gives the camera's next picture (BGR) and closes it again."""

    look: Callable[[TableConfig], Any]
    read_file: Callable[[str], str | None] = field(default=lambda path: _text(path))
    command: Callable[..., str | None] = _command
    now_s: Callable[[], float] = time.time
    free_bytes: Callable[[Path], int] = field(default=lambda folder: shutil.disk_usage(folder).free)
    import_pins: Callable[[PanelConfig], Any] = field(default=lambda panel: _open_pins(panel))
    table_on: Callable[[], bool] = field(default=lambda: table_is_on(data_folder()))
    read_once: Callable[[], str | None] = field(default=lambda: read_once_in_a_child())


def _text(path: str) -> str | None:
    with suppress(OSError, UnicodeDecodeError):
        return Path(path).read_text().strip("\0\n ")
    return None


def _open_pins(panel: PanelConfig) -> None:
    from .panel.pins import open_factory

    open_factory(panel).close()


def check(probes: Probes) -> Iterator[Line]:
    """Every line, in the order in which a fault hinders the next part. Never raises."""
    config, line = settings()
    yield line
    yield camera(config, probes)
    yield model(probes)
    yield pins(config, probes)
    yield disk(data_folder(), probes)
    yield memory(probes)
    yield clock(probes)
    yield temperature(probes)
    yield power(probes)


def failed(lines: list[Line]) -> bool:
    """Whether the exit status is 1."""
    return any(line.state is State.BAD for line in lines)


def settings() -> tuple[TableConfig | None, Line]:
    """The settings, if they can be read, and their line."""
    path, notice = readable(config_folder() / "table.toml")
    try:
        config = load_table(path)
    except ConfigError as error:
        return None, bad("settings", str(error))
    if notice:
        return config, bad("settings", notice)
    size = f"{config.width_mm:g} x {config.height_mm:g} mm, {config.seats} seats"
    return config, good("settings", f"{path}: {size}")


# --- camera ------------------------------------------------------------------------------------------------------

_PYTHON_REMEDIES: tuple[tuple[type[BaseException], str], ...] = (
    (
        ModuleNotFoundError,
        "sudo apt install python3-picamera2, and make the environment with --system-site-packages "
        "(systemd/install.sh does both)",
    ),
    (
        ValueError,
        "NumPy in our environment does not fit the system's camera package: run systemd/install.sh again, "
        "it takes the right one",
    ),
)
"""Field report B10: two ways in which the camera's Python package cannot be imported, and what helps."""


def camera(config: TableConfig | None, probes: Probes) -> Line:
    """One picture from the camera, and whether it shows anything."""
    if config is None:
        return skipped("camera", "not tried without settings")
    try:
        image = probes.look(config)
    except InPlay as error:
        return skipped("camera", f"not tried: {_one_line(error)}")
    except Exception as error:
        return bad("camera", camera_words(error))
    high, wide = image.shape[:2]
    spread = float(image.std())
    if spread < _BLANK_LEVELS:
        return bad("camera", f"{wide} x {high} px, but all of one colour; is the lens covered, the room dark?")
    return good("camera", f"{config.source.kind}, {wide} x {high} px")


_BLANK_LEVELS = 4.0
"""Standard deviation of a picture that shows nothing: the sensor's own noise is 1 to 3 grey levels."""


def camera_words(error: BaseException) -> str:
    """What to say of a camera that cannot be opened, in one line with the remedy."""
    for kind, remedy in _PYTHON_REMEDIES:
        if type(error) is kind or (kind is ValueError and "size changed" in str(error)):
            return f"{_one_line(error)}; {remedy}"
    if isinstance(error, IndexError):  # picamera2 itself says no more when it finds no camera (field report B02)
        return "no camera found; switch off, reseat the ribbon at both ends, and see `rpicam-hello --list-cameras`"
    if isinstance(error, OSError):
        return _one_line(error).removeprefix("camera: ")  # our own errors name cause and remedy
    return f"{type(error).__name__}: {_one_line(error)}; see docs/troubleshooting.md"


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


# --- model -------------------------------------------------------------------------------------------------------

_READ_ONCE = "from firmware.selftest import read_once; read_once()"


def read_once() -> None:
    """Load the models, look once at an empty picture, print the hash. Run in a child: see `read_once_in_a_child`."""
    import numpy as np

    from vision.reader import Reader

    reader = Reader.load()
    reader.read(np.full((240, 320, 3), 90, np.uint8), 80)
    print(reader.hash)


def read_once_in_a_child() -> str | None:
    """The models' hash, from a child process; a line that begins with ``signal`` if it was killed.

    A package built for another processor dies of an illegal instruction, without an exception (field report F06).

    :raises OSError: with the child's own words if it fails in Python.
    """
    command = [sys.executable, "-c", _READ_ONCE]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        raise OSError("the models took more than a minute; is the machine busy?") from None
    if done.returncode < 0:
        return f"signal {-done.returncode}"
    if done.returncode:
        raise OSError((done.stderr.strip().splitlines() or ["no words"])[-1])
    return done.stdout.strip()


def model(probes: Probes, folder: Path = sums.FOLDER) -> Line:
    """One reading in a child process, and whether the model files are those that their sums name."""
    try:
        said = probes.read_once()
    except OSError as error:
        return bad("model", f"{_one_line(error)}; restore models/ or install again")
    if said is None or said.startswith("signal"):
        return bad(
            "model",
            f"onnxruntime was killed ({said}): built for another processor; pip install --force-reinstall onnxruntime",
        )
    changed = sums.changed(folder)
    if changed:
        return bad("model", f"{', '.join(changed)}: not as measured (models/{sums.NAME}); install again")
    return good("model", f"read a picture; sha256 {said[:12]}")


# --- pins, disk, memory ------------------------------------------------------------------------------------------


def pins(config: TableConfig | None, probes: Probes) -> Line:
    """Can the panel's pins be opened? Whether they light up needs eyes: ``cardtable check --panel``."""
    if config is None:
        return skipped("panel", "not tried without settings")
    try:
        if (line := no_panel(config)) is not None:
            return line
        panel = panel_config(config.panel, config.seats)
        if probes.table_on():
            return good("panel", f"{panel.board.value} board, in use by the table, which is on")
        probes.import_pins(panel)
    except (ValueError, OSError) as error:
        return bad("panel", _one_line(error))
    return good("panel", f"{panel.board.value} board, {panel.factory}; try lights and buttons: cardtable check --panel")


def no_panel(config: TableConfig) -> Line | None:
    """The line of a table whose settings say that it has no panel; None for one that has.

    :raises ValueError: if the settings of the panel are wrong.
    """
    if panel_config(config.panel, config.seats).board is not BoardKind.NONE:
        return None
    return skipped("panel", "none in the settings; the page has lights and buttons")


def disk(folder: Path, probes: Probes) -> Line:
    """Room for evidence, and whether the folder can be written."""
    home = next(p for p in (folder, *folder.parents) if p.exists())
    if not os.access(home, os.W_OK):
        return bad("disk", f"{home}: cannot be written; run as the user cardtable, or join its group")
    free_mb = probes.free_bytes(home) // 1_000_000
    words = f"{free_mb} MB free at {folder}"
    if free_mb < LEAST_FREE_MB:
        return bad(
            "disk", f"{words}, {LEAST_FREE_MB} are wanted; delete other files, or `cardtable forget` old sessions"
        )
    return good("disk", "; ".join(filter(None, (words, last_wear(folder)))))


def last_wear(folder: Path) -> str:
    """What the newest finished session wrote to the disk, in words; "" where that is not known."""
    with suppress(OSError, ValueError, StopIteration), Journal.open(folder, read_only=True) as journal:
        newest = next(one for one in journal.sessions(Query(limit=LOOKED_AT)) if one.row.ended)
        wear = wear_of(journal.lines(newest.row.id))
        return f"the last session: {wear.text()}" if wear is not None and wear.text() else ""
    return ""


def memory(probes: Probes) -> Line:
    """Memory that is free to use."""
    found = dict(line.split(":", 1) for line in (probes.read_file("/proc/meminfo") or "").splitlines() if ":" in line)
    if "MemAvailable" not in found:
        return skipped("memory", "not told by this system")
    free_mb = int(found["MemAvailable"].split()[0]) // 1000
    if free_mb < LEAST_MEMORY_MB:
        return bad("memory", f"{free_mb} MB available, {LEAST_MEMORY_MB} are wanted; stop other programs")
    return good("memory", f"{free_mb} MB available")


# --- clock, heat, power ------------------------------------------------------------------------------------------


def clock(probes: Probes) -> Line:
    """Is the wall clock set? Games are ordered without it; only the dates of sessions are wrong."""
    now_s = probes.now_s()
    shown = time.strftime("%Y-%m-%d %H:%M", time.localtime(now_s))
    if now_s < NO_CLOCK_BEFORE_S:
        return bad("clock", f"shows {shown}; connect the network once, or: sudo date -s '2026-01-31 20:00'")
    synchronised = probes.command("timedatectl", "show", "-p", "NTPSynchronized", "--value")
    if synchronised == "no":
        return good("clock", f"{shown}, not set by the network since the start (dates may be off)")
    return good("clock", shown)


def temperature(probes: Probes) -> Line:
    """The processor's temperature."""
    text = probes.read_file("/sys/class/thermal/thermal_zone0/temp")
    if text is None or not text.lstrip("-").isdigit():
        return skipped("temperature", "not told by this system")
    celsius = int(text) / 1000
    if celsius >= HOT_C:
        return bad("temperature", f"{celsius:.0f} C: it slows down from {HOT_C:.0f} C on; a heat sink or a fan")
    return good("temperature", f"{celsius:.0f} C")


def power(probes: Probes) -> Line:
    """Under-voltage and throttling, as the Pi's firmware counts them."""
    bits = throttled_bits(probes)
    if bits is None:
        return skipped("power", "not told by this system (no Raspberry Pi)")
    told = [words for bit, words in _THROTTLED.items() if bits >> bit & 1]
    if any(bits >> bit & 1 for bit in _NOW_BITS):
        return bad("power", "; ".join(told))
    return good("power", "; ".join(told) or "no under-voltage, not throttled")


def throttled_bits(probes: Probes) -> int | None:
    """What ``get_throttled`` says: from vcgencmd, or from the kernel's file where that is missing."""
    said = probes.command("vcgencmd", "get_throttled") or probes.read_file(
        "/sys/devices/platform/soc/soc:firmware/get_throttled"
    )
    if said is None:
        return None
    number = said.removeprefix("throttled=")
    with suppress(ValueError):
        return int(number, 16)
    return None


def as_json(lines: list[Line]) -> list[Mapping[str, Any]]:
    """Every line as a record."""
    return [line.to_json() for line in lines]
