"""How much is written to the disk, as the kernel counts it for this program: a memory card wears out by writing."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .lines import Line, LineKind

#: Shorter times tell nothing of an hour, in seconds.
LEAST_S = 60.0
_HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class Wear:
    """``bytes`` that this program sent to its disks in ``seconds``: log, pictures and whatever else it wrote."""

    bytes: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"bytes": self.bytes, "seconds": round(self.seconds, 1)}

    def text(self) -> str:
        """For people; "" where the system counts nothing (a disk in memory) or the time was too short."""
        if not self.bytes or self.seconds < LEAST_S:
            return ""
        an_hour = self.bytes / self.seconds * _HOUR_S
        return f"{self.bytes / 1e6:.1f} MB written to the disk, {an_hour / 1e6:.0f} MB an hour"


def written_bytes(counts: Path = Path("/proc/self/io")) -> int:
    """Bytes that this program has caused to be written to a disk so far; 0 where the system does not count them."""
    with suppress(OSError, ValueError, StopIteration):
        rows = counts.read_text("ascii").splitlines()
        return int(next(row.split()[1] for row in rows if row.startswith("write_bytes")))
    return 0


def wear_of(lines: Iterable[Line]) -> Wear | None:
    """What a session's last line says was written while it was played; None if it says nothing."""
    for line in lines:
        if line.kind is LineKind.END and isinstance(found := line.body.get("written"), dict):
            with suppress(KeyError, TypeError, ValueError):
                return Wear(int(found["bytes"]), float(found["seconds"]))
    return None
