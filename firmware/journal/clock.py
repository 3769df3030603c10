"""When a line was written: sequence orders lines, the monotonic clock measures, the wall clock only labels.

A table computer without a battery clock starts in the past and jumps when the network comes up (E07), so a wall
time is kept beside the monotonic one and the boot it belongs to, and steps between two lines are noted.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol
from uuid import uuid4

#: A change of wall time against the monotonic clock of at least this is a step. Time services slew by at most
#: 0.5 ms a second (ntpd's limit), so two lines half an hour apart stay below 1 s.
STEP_NS = 2_000_000_000

#: Characters of the kernel's boot id that are kept: 32 bits tell one machine's boots apart.
BOOT_CHARS = 8


class Clock(Protocol):
    """Where the journal's times come from."""

    def mono_ns(self) -> int:
        """Nanoseconds since some instant of this boot; never goes back."""

    def wall_ns(self) -> int:
        """Nanoseconds since 1970 in UTC, as far as the machine knows."""

    def boot_id(self) -> str:
        """A word that is another one after every start of the machine."""


class SystemClock:
    """The machine's own clocks; the monotonic one counts on during sleep where the system has such a clock."""

    def mono_ns(self) -> int:
        """Nanoseconds since the machine started."""
        return time.clock_gettime_ns(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))

    def wall_ns(self) -> int:
        """Nanoseconds since 1970 (UTC)."""
        return time.time_ns()

    def boot_id(self) -> str:
        """The start of the kernel's boot id, or of a random one where the kernel has none."""
        return _boot_id()


@cache
def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii")[:BOOT_CHARS]
    except OSError:
        return uuid4().hex[:BOOT_CHARS]


@dataclass(frozen=True, slots=True)
class Stamp:
    """One instant on both clocks, and the boot that the monotonic one counts from."""

    mono_ns: int
    boot: str
    wall_ns: int


def now(clock: Clock) -> Stamp:
    """The present instant."""
    return Stamp(clock.mono_ns(), clock.boot_id(), clock.wall_ns())


def step_ns(before: Stamp, after: Stamp) -> int:
    """By how much the wall clock was set between two stamps, in ns; 0 for less than `STEP_NS`.

    Within one boot it is what the wall moved more than the monotonic clock. Across boots only a wall clock that
    went back can be told from a machine that was off.
    """
    moved = after.wall_ns - before.wall_ns
    if after.boot == before.boot:
        moved -= after.mono_ns - before.mono_ns
    else:
        moved = min(moved, 0)
    return moved if abs(moved) >= STEP_NS else 0


def elapsed_ns(before: Stamp, after: Stamp) -> int:
    """How long it was from one stamp to the other, in ns, never negative: by the monotonic clock within a boot."""
    if after.boot == before.boot:
        return max(0, after.mono_ns - before.mono_ns)
    return max(0, after.wall_ns - before.wall_ns)
