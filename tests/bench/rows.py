"""A line of the bench's table: what was measured, ours and beside it somebody else's, as they travel between processes.

A part of the bench prints its rows; run by itself it prints them as a Markdown table, run by ``python -m tests.bench``
as JSON lines. Nothing here judges a figure.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

#: A line of a part's output that is a row for the table begins so; all other lines are for people.
MARK = "ROW "
HEAD = "| part | what | ours | beside | theirs | ours / theirs |\n|---|---|---|---|---|---|"

#: In a cell that has nothing to tell.
NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Row:
    """Samples of ours and, where there is a ``peer``, of theirs; ``what`` says the unit."""

    part: str
    what: str
    ours: tuple[float, ...]
    peer: str = ""
    theirs: tuple[float, ...] = ()

    @property
    def ratio(self) -> float | None:
        """Median of ours over median of theirs; None where either has no samples or theirs is not above nothing."""
        beside = statistics.median(self.theirs) if self.theirs and self.ours else 0.0
        return statistics.median(self.ours) / beside if beside > 0 else None

    @property
    def median(self) -> float:
        """The median of ours."""
        return statistics.median(self.ours)

    def markdown(self) -> str:
        """A line of the table; a dash where there is somebody to compare with and nothing to tell."""
        ratio = _figure(self.ratio) if self.ratio is not None else NOTHING
        beside = (_samples(self.theirs), ratio) if self.peer else ("", "")
        cells = self.part, self.what, _samples(self.ours), self.peer, *beside
        return "| " + " | ".join(cells) + " |"

    def line(self) -> str:
        """As a part prints it for the runner."""
        return MARK + json.dumps(asdict(self))


def read(line: str) -> Row | None:
    """The row of a line of a part's output, None for a line that is for people."""
    if not line.startswith(MARK):
        return None
    values: dict[str, Any] = json.loads(line.removeprefix(MARK))
    return Row(values["part"], values["what"], tuple(values["ours"]), values["peer"], tuple(values["theirs"]))


def show(rows: Iterable[Row], arguments: Sequence[str] | None = None) -> None:
    """Print rows as they come: for the runner with ``--rows`` on the command line, else as a table for people."""
    told = "--rows" in (sys.argv if arguments is None else arguments)
    if not told:
        print(HEAD)
    for row in rows:
        print(row.line() if told else row.markdown(), flush=True)


def _samples(values: Sequence[float]) -> str:
    """The median, and the quartiles of more than one."""
    if not values:
        return NOTHING
    if len(values) == 1:
        return _figure(values[0])
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{_figure(middle)} ({_figure(low)} to {_figure(high)})"


def _figure(value: float) -> str:
    """Three significant figures, without an exponent."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:.3g}"
