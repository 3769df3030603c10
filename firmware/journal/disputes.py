"""The words in which a call for the referee stands in the log, and what they say, read back.

A dispute is a note of the table's: who called, about which entry, why; then how it ended. A correction is an entry of
its own and ends the dispute as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

#: The code of a note that somebody called the referee ...
OPENED = "DISPUTE_OPENED"
#: ... and those of how it ended: the ruling stands, or the table agreed otherwise.
LET_STAND, SETTLED = "LET_STAND", "SETTLED"

_CALLED = " called the referee"
_ABOUT = re.compile(rf"{_CALLED} about entry (\d{{1,9}})(?:: |$)")
_WHY = re.compile(rf"{_CALLED}(?: about entry \d{{1,9}})?: (.*)$", re.DOTALL)


def called(name: str, entry: int | None = None, why: str = "") -> str:
    """The words of a call: ``Ann called the referee about entry 5: that was the heart``."""
    return f"{name}{_CALLED}" + ("" if entry is None else f" about entry {entry}") + (f": {why}" if why else "")


def entry_of(words: str) -> int | None:
    """The entry that a call is about; None if it names none."""
    found = _ABOUT.search(words)
    return int(found[1]) if found else None


def why_of(words: str) -> str:
    """Why the referee was called, in the caller's words; empty if no reason was given."""
    found = _WHY.search(words)
    return found[1] if found else ""


def seat_of(words: str, names: Sequence[str]) -> int | None:
    """The seat that called, of players called ``names`` (seat 1 first); None for the host."""
    callers = (seat for seat, name in enumerate(names, start=1) if words.startswith(name + _CALLED))
    return next(callers, None)
