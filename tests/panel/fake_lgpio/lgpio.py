"""A stand-in for the lgpio library: GPIO lines kept in a file, so that they outlive the process as real ones do.

It does on import what lgpio 0.2.2 does: makes a pipe's file in ``$LG_WD`` or the working directory, and moves the
process to ``$LG_WD``.  ``$FAKE_GPIO`` names the file of levels; every write is also appended to ``$FAKE_GPIO.log``.
``$FAKE_GPIO_BUSY``: a line that somebody else has.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

SET_PULL_NONE, SET_PULL_UP, SET_PULL_DOWN = 0, 32, 64
RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3
_OUT = 2

if "LG_WD" in os.environ:
    os.chdir(os.environ["LG_WD"])
Path(".lgd-nfy0").touch()  # raises where the folder cannot be written to

_LEVELS = Path(os.environ["FAKE_GPIO"])
_modes: dict[int, int] = {}


class error(Exception):
    """What lgpio raises."""


def _levels() -> dict[str, int]:
    return json.loads(_LEVELS.read_text()) if _LEVELS.exists() else {}


def gpiochip_open(chip: int) -> int:
    return 1


def gpiochip_close(handle: int) -> int:
    return 0


def gpio_get_mode(handle: int, gpio: int) -> int:
    return _modes.get(gpio, 0)


def gpio_claim_input(handle: int, gpio: int, flags: int = 0) -> int:
    _modes[gpio] = flags
    return 0


def gpio_claim_alert(handle: int, gpio: int, edges: int, flags: int = 0) -> int:
    return gpio_claim_input(handle, gpio, flags)


def gpio_claim_output(handle: int, gpio: int, level: int = 0, flags: int = 0) -> int:
    if str(gpio) == os.environ.get("FAKE_GPIO_BUSY"):
        raise error("GPIO busy")
    _modes[gpio] = _OUT
    return gpio_write(handle, gpio, level)


def gpio_free(handle: int, gpio: int) -> int:
    _modes.pop(gpio, None)
    return 0


def gpio_read(handle: int, gpio: int) -> int:
    return _levels().get(str(gpio), 1 if _modes.get(gpio, 0) & SET_PULL_UP else 0)


def gpio_write(handle: int, gpio: int, level: int) -> int:
    new = _LEVELS.with_suffix(".new")
    new.write_text(json.dumps({**_levels(), str(gpio): int(level)}))
    new.replace(_LEVELS)
    with open(f"{_LEVELS}.log", "a") as log:
        log.write(f"{gpio} {int(level)}\n")
    return 0


def tx_pwm(handle: int, gpio: int, frequency: float, duty: float) -> int:
    return 0


def gpio_set_debounce_micros(handle: int, gpio: int, micros: int) -> int:
    return 0


class callback:
    """A registered callback; edges never come in this stand-in."""

    def __init__(self, *_: Any) -> None: ...

    def cancel(self) -> None: ...
