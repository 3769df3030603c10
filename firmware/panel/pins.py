"""Which pin library, which GPIO chip, and who owns them: everything that can be wrong before the first pin is claimed.

The library named in the settings is used or the panel refuses with the cause; no other is tried, because fallbacks
read levels but never deliver a press (field report C02).
"""

from __future__ import annotations

import atexit
import fcntl
import importlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import FrameType, ModuleType
from typing import IO, Any

from .config import PanelConfig

#: Labels of the GPIO chip behind the 40-pin header: Pi 5, Pi 4, and the models before.
HEADER_LABELS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
#: Pi 4B; what the mock pretends to be when nothing else is said.
USUAL_REVISION = "c03111"


class PanelError(OSError):
    """The panel cannot be used: one line with the cause and the remedy. The game can go on from the page."""


def open_factory(config: PanelConfig) -> Any:
    """The pin factory that ``config`` names.

    :raises PanelError: if its library or its chip is missing; nothing else is tried.
    """
    if config.factory == "mock":
        from .mock import MockPins

        return MockPins(config)
    return _lgpio_factory()


def _lgpio_factory() -> Any:
    lgpio = _import_lgpio()
    try:
        pins = importlib.import_module("gpiozero.pins.lgpio")
        return pins.LGPIOFactory(chip=header_chip(chip_labels(lgpio)))
    except PanelError:
        raise
    except Exception as error:
        # Everything between a missing device file and an unknown board comes as its own exception from C and gpiozero.
        raise PanelError(_no_pins(str(error) or type(error).__name__)) from error


def _import_lgpio() -> ModuleType:
    """The lgpio library, imported in a folder that it can write to, with the working directory left as it was.

    On import it makes a pipe in ``$LG_WD`` or the working directory, and with ``$LG_WD`` set it moves the whole
    process there (field report C01).
    """
    here = os.getcwd()
    os.environ["LG_WD"] = str(pipe_folder(os.environ))
    try:
        return importlib.import_module("lgpio")
    except (ImportError, OSError) as error:
        raise PanelError(_no_pins(str(error))) from error
    finally:
        os.chdir(here)


def _no_pins(cause: str) -> str:
    return (
        f"no lights or buttons: lgpio cannot be used ({cause}); on a Pi: sudo apt install python3-lgpio, and add the "
        f'user to the group gpio; without a Pi: [panel] board = "none"'
    )


def pipe_folder(environ: Mapping[str, str]) -> Path:
    """Where lgpio may put its pipe: ``$LG_WD``, systemd's runtime folder, or a new temporary folder."""
    for name in ("LG_WD", "RUNTIME_DIRECTORY"):
        folder = environ.get(name, "").split(":")[0]
        if folder and os.access(folder, os.W_OK | os.X_OK):
            return Path(folder).resolve()
    made = tempfile.mkdtemp(prefix="cardtable-pins-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


def chip_labels(lgpio: Any, devices: Path = Path("/dev")) -> dict[int, str]:
    """The label of every GPIO chip by number, as ``lgpio`` tells it."""
    labels = {}
    for path in devices.glob("gpiochip*"):
        number = int(path.name.removeprefix("gpiochip"))
        handle = lgpio.gpiochip_open(number)
        try:
            _, _, _, label = lgpio.gpio_get_chip_info(handle)
            labels[number] = str(label)
        finally:
            lgpio.gpiochip_close(handle)
    return labels


def header_chip(labels: Mapping[int, str]) -> int:
    """The number of the chip behind the header: kernels renumber chips, so it is told by its label (C03).

    :raises PanelError: if no chip has the label of a Pi's header.
    """
    found = [number for number, label in sorted(labels.items()) if label in HEADER_LABELS]
    if found:
        return found[0]
    seen = ", ".join(f"gpiochip{n} is {label!r}" for n, label in sorted(labels.items())) or "there is no gpiochip"
    raise PanelError(_no_pins(f"no GPIO chip of a Pi's header: {seen}"))


class Claim:
    """A lock file that says which process owns the panel; it goes with the process, however that ends."""

    def __init__(self, path: Path | None = None) -> None:
        """Take the lock at ``path`` (the user's runtime folder by default).

        :raises PanelError: naming the owner if another process has it.
        """
        self.path = path or _claim_path(os.environ)
        self._file: IO[str] | None = self.path.open("a+", encoding="ascii")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.seek(0)
            owner = self._file.read().strip() or "unknown"
            self._file.close()
            self._file = None
            raise PanelError(in_use(owner)) from error
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def close(self) -> None:
        """Give the panel back."""
        if self._file is not None:
            self._file.close()
            self._file = None


def in_use(owner: object) -> str:
    """The line for a panel that somebody else has."""
    return f"panel already in use by pid {owner}: stop that program first (systemctl stop cardtable)"


def _claim_path(environ: Mapping[str, str]) -> Path:
    for name in ("RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"):
        folder = environ.get(name, "").split(":")[0]
        if folder and os.access(folder, os.W_OK):
            return Path(folder) / "cardtable-panel.lock"
    return Path(tempfile.gettempdir()) / f"cardtable-panel-{os.getuid()}.lock"


def exit_on_sigterm() -> None:
    """Make SIGTERM leave by SystemExit (143, as a shell tells it), so that ``with`` runs and the lights go off.

    Python ends at once on SIGTERM otherwise, and gpiozero cleans up only at an ordinary exit. A game has its own way
    of ending, between two entries (`firmware.service`).
    """

    def leave(_signal: int, _frame: FrameType | None) -> None:
        sys.exit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, leave)
