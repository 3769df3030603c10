"""All parts of the bench, each a process of its own, and one table: ``python -m tests.bench``.

It is printed, written to docs/bench.md, and its short form into README.md. A part that cannot run is left out with a
word. Figures are of one run on one machine: ratios, never passed or failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench import page, pi
from tests.bench.rows import HEAD, Row, read

HOME = Path(__file__).resolve().parents[2]
#: The libraries that the referee and the estimate for a Pi are compared with live in an environment of their own.
PEERS = Path(os.environ.get("CARDTABLE_BENCH_PYTHON") or HOME / ".venv-bench/bin/python")
#: A part that takes longer has hung: the longest takes four minutes on two shared cores.
LONGEST_S = 900


@dataclass(frozen=True, slots=True)
class Part:
    """A module of the bench, and whether it runs among the peers' libraries."""

    module: str
    among_peers: bool = False
    arguments: tuple[str, ...] = ()


PARTS = (
    Part("reading"),
    Part("session"),
    Part("perception"),
    Part("referee_speed", among_peers=True),
    Part("journal_bench", arguments=("--facts", "300", "--sessions", "50")),
    Part("panel_latency"),
    Part("web_viewers"),
)
ONLY = f"these parts ({', '.join(part.module for part in PARTS)}); nothing is written then"


def run(part: Part) -> Iterator[Row]:
    """The rows of a part; what it says besides goes to stderr, and so does why it gave none."""
    python = PEERS if part.among_peers and PEERS.exists() else Path(sys.executable)
    command = [str(python), "-m", f"tests.bench.{part.module}", "--rows", *part.arguments]
    began = time.monotonic()
    print(f"{part.module} ...", file=sys.stderr, flush=True)
    try:
        done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=False, timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        print(f"{part.module}: not done after {LONGEST_S} s, left out", file=sys.stderr)
        return
    for line in done.stdout.splitlines():
        row = read(line)
        if row is None:
            print(f"  {line}", file=sys.stderr)
        else:
            yield row
    if done.returncode:
        print(f"{part.module}: left out ({done.stderr.strip().splitlines()[-1:]})", file=sys.stderr)
    print(f"  {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and write."""
    options = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    options.add_argument("--only", nargs="+", choices=[part.module for part in PARTS], metavar="PART", help=ONLY)
    given = options.parse_args(arguments)
    began = time.monotonic()
    machine = page.Machine.here(HOME)
    print(HEAD)
    rows = []
    for part in PARTS:
        if not given.only or part.module in given.only:
            for row in run(part):
                rows.append(row)
                print(row.markdown(), flush=True)
    for row in pi.rows(rows, PEERS if PEERS.exists() else Path(sys.executable)):
        rows.append(row)
        print(row.markdown(), flush=True)
    if not given.only:
        page.write(HOME, rows, machine.after(time.monotonic() - began))


if __name__ == "__main__":
    main()
