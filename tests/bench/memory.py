"""What this process holds in memory, as Linux counts it.

Not ``resource.getrusage``: its peak is handed down from the process that started this one.
"""

from __future__ import annotations

from pathlib import Path


def resident_mb() -> float:
    """Resident now."""
    return _status_mb("VmRSS")


def peak_mb() -> float:
    """The most that was ever resident."""
    return _status_mb("VmHWM")


def _status_mb(name: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) / 1024
