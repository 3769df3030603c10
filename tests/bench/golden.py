"""The golden sessions judged again, with nothing else in the process: work to be counted.

python -m tests.bench.golden ROUNDS
"""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path

from firmware.referee.events import Entry, from_json
from firmware.referee.match import Match, Setup

SESSIONS = Path(__file__).resolve().parents[1] / "sessions"

Played = tuple[Setup, list[Entry]]


def sessions() -> list[Played]:
    """What was played in each golden session; what was said there is another test's."""
    return [_session(path) for path in sorted(SESSIONS.glob("*.txt"))]


def _session(path: Path) -> Played:
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    setup = json.loads(head)
    told = (line.partition(" ") for line in lines if line[:1].isdigit())
    entries = [Entry(int(number), from_json(json.loads(fact)), source="camera") for number, _, fact in told]
    return Setup(**setup | {"seats": tuple(setup["seats"])}), entries


def facts(played: list[Played]) -> int:
    """How many facts that is."""
    return sum(len(entries) for _, entries in played)


def judge(played: list[Played]) -> None:
    """Judge them all."""
    for setup, entries in played:
        match = Match(setup)
        for entry in entries:
            match.add(entry)


if __name__ == "__main__":
    gc.disable()
    known = sessions()
    for _ in range(int(sys.argv[1])):
        judge(known)
