"""The bench's table as pages: docs/bench.md in full, and a short form of it between two marks in README.md."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from tests.bench import reading
from tests.bench.pi import SOURCES
from tests.bench.rows import HEAD, Row

PAGE = Path("docs/bench.md")
README = Path("README.md")
BEGIN, END = "<!-- bench: written by make bench -->", "<!-- bench: end -->"

#: Rows that README carries, by how their cells of part and what begin.
SHORT = (
    "| pictures | photographs: cards right",
    "| pictures | photographs: readings wrong",
    "| pictures | photographs: CPU",
    "| session | laid cards told",
    "| session | told that was not laid",
    "| session | of one core at 30",
    "| referee | moves or facts a second",
    "| journal | durable facts a second, no pictures",
    "| panel | fact to pin, 8 seats",
    "| page | change to browser, 50",
)

#: What training ours took, of which the models' cards tell: at the commit of the weights that are compared, and now.
OURS_EARLIER = (
    f" *{reading.OURS_EARLIER}*: what ours had learnt after some 210 minutes of one core, 304 by the clock (as that "
    "commit's models/MODEL_CARD.md says), read by today's program; today's weights have had at most 490."
)

#: The page's words round the table.
_WORDS = Path(__file__).with_suffix(".md")


@dataclass(frozen=True, slots=True)
class Machine:
    """Where and when a run was made."""

    processor: str
    cores: int
    python: str
    date: str
    commit: str
    load: float
    minutes: float = 0.0

    @classmethod
    def here(cls, home: Path) -> Machine:
        """The machine that this runs on, now."""
        return cls(
            _processor(),
            os.cpu_count() or 1,
            platform.python_version(),
            f"{datetime.now(UTC):%-d %B %Y}",
            _commit(home),
            os.getloadavg()[0],
        )

    def after(self, seconds: float) -> Machine:
        """The same when the run was over; the load is the mean of before and after."""
        return replace(self, minutes=seconds / 60, load=(self.load + os.getloadavg()[0]) / 2)

    def __str__(self) -> str:
        return (
            f"{self.cores} cores of {self.processor}, Python {self.python}, {self.date}, commit {self.commit}; "
            f"load {self.load:.1f} of other programs and the bench; {self.minutes:.0f} minutes."
        )


def write(home: Path, rows: Sequence[Row], machine: Machine) -> None:
    """Write docs/bench.md, and its short form into README.md."""
    text = whole(rows, str(machine))
    (home / PAGE).write_text(text, encoding="utf-8")
    readme = (home / README).read_text(encoding="utf-8")
    (home / README).write_text(carried(readme, short(text)), encoding="utf-8")


def whole(rows: Sequence[Row], told: str) -> str:
    """The page of these rows."""
    table = "\n".join([HEAD, *(row.markdown() for row in rows)])
    sources = "\n".join(f"- {source}" for source in SOURCES)
    earlier = OURS_EARLIER if any(row.peer == reading.OURS_EARLIER for row in rows) else ""
    words = _WORDS.read_text(encoding="utf-8")
    return words.format(told=told, effort=_effort(), earlier=earlier, table=table, sources=sources)


def short(page: str) -> str:
    """What README carries of the page: where and when, and the rows of `SHORT`."""
    told = next(line for line in page.splitlines() if " cores of " in line)
    lines = [line for line in page.splitlines() if line.startswith(SHORT)]
    return "\n".join([told, "", HEAD, *lines])


def carried(readme: str, table: str) -> str:
    """The README with this table between its marks.

    :raises ValueError: if the marks are not there once each, in order.
    """
    if not re.search(f"{BEGIN}.*{END}", readme, re.DOTALL) or readme.count(BEGIN) != 1 or readme.count(END) != 1:
        raise ValueError(f"README.md: wanted {BEGIN} and {END} once each, in this order; put them where the table goes")
    before, rest = readme.split(BEGIN)
    return f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}"


def between(readme: str) -> str:
    """The table that a README carries."""
    return readme.split(BEGIN)[1].split(END)[0].strip()


def _effort() -> str:
    """What training the detector took, from its file."""
    from tests.bench.yolo import FILE, Yolo

    if not FILE.exists():
        return " (not trained here: `make bench-yolo`)."
    network = Yolo.load()
    learnt = (
        f"Of drawn held-out tables it boxes {network.held_out_found:.0%} of the indices, would name "
        f"{network.held_out_named:.0%} of those rightly, and reads {network.held_out_right:.1%} of the cards at "
        "Ultralytics' own threshold"
    )
    verdict = (
        f"{learnt}."
        if network.reads
        else f"{learnt}: **it has not learnt to read in that time**, so only what it costs is compared, which does not "
        "depend on weights; this says nothing of how well such a detector reads when it is trained for long enough."
    )
    return (
        f"; trained from nothing on our finder's scenes, more of 640 px and photos/train, {network.effort}. {verdict}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{named[0] if named else 'a processor'} ({platform.machine()})"


def _commit(home: Path) -> str:
    command = ["git", "describe", "--always", "--dirty", "--abbrev=9"]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"
