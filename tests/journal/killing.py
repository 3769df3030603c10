"""A program that is killed again and again while facts stream in, and a count of what was lost.

    python -m tests.journal.killing FOLDER KILLS SEED [careless]

Each round forks a warm child that opens the journal, says where it resumes, appends facts with pictures and, after each
append has returned, lights a lamp: one write to a pipe. SIGKILL comes at a random moment, also during the start and
its repairs. A lamp that was lit must have its entry in the log ever after; the next child must resume right after it
(or after the one entry that was durable when its lamp had no time to be lit). Prints one JSON object.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from firmware.journal.journal import OPENING, Journal
from firmware.journal.replay import setup_of
from firmware.journal.verify import verify
from firmware.referee.match import Match

from .tools import HEADER, laid, picture

#: A session's entries before the next one begins.
SESSION_ENTRIES = 120
#: A child is let say fewer than so many words (that it resumed, its lamps) before it is killed ...
MOST_WORDS = 9
#: ... up to so long after, in seconds: about as long as two facts take, also on a slow disk.
STEP_S = 0.03
#: One that is not let say anything is killed so soon after the fork, in seconds: mostly while it starts.
LIFE_S = 0.06


@dataclass
class Count:
    """What was seen over all rounds; ``lit``: the highest number whose lamp was lit, by session."""

    kills: int = 0
    lamps: int = 0
    resumed: int = 0
    lost: int = 0
    wrong: list[str] = field(default_factory=list)
    lit: dict[str, int] = field(default_factory=dict)


def stream(folder: Path, lamp: int, seed: int, careless: bool) -> None:
    """The child: resume, then append and light for ever."""
    rng = random.Random(seed)
    journal = Journal.open(folder)
    live = journal.live()
    session = live.id if live else journal.begin(HEADER)
    match = folded(journal, session)
    number = len(match.entries)
    os.write(lamp, f"resumed {session} {number}\n".encode())
    while True:
        if number >= SESSION_ENTRIES:
            journal.end(session, {"winner": "Ann"})
            session, number = journal.begin(HEADER), 0
            match = folded(journal, session)
        proof = [picture(f"{session}-{number}-{view}", rng.randrange(200, 9_000)) for view in range(rng.randrange(3))]
        if careless:  # what must never be: the lamp first
            os.write(lamp, f"lamp {session} {number}\n".encode())
        kept = journal.append(session, laid(number), proof)
        if not careless:
            os.write(lamp, f"lamp {session} {number}\n".encode())
        journal.add_rulings(session, number, match.add(kept))
        number += 1


def folded(journal: Journal, session: str) -> Match:
    """The referee where the log ends; what he said is kept again, as a table that resumes does."""
    match = Match(setup_of(journal.header(session), journal.deals(session)[-1]))
    journal.add_rulings(session, OPENING, match.opening)
    for entry in journal.entries(session):
        journal.add_rulings(session, entry.number, match.add(entry))
    return match


def one_round(folder: Path, count: Count, rng: random.Random, careless: bool) -> None:
    """Fork, let it run, kill, read what it had said."""
    ours, theirs = os.pipe()
    seed = rng.randrange(1 << 30)
    child = os.fork()
    if child == 0:
        try:
            stream(folder, theirs, seed, careless)
        except BaseException as error:
            os.write(theirs, f"died {type(error).__name__} {error}\n".encode())
        os._exit(1)
    os.close(theirs)
    with os.fdopen(ours, "rb") as said:
        rows = [said.readline() for _ in range(rng.randrange(MOST_WORDS))]
        time.sleep(rng.uniform(0, LIFE_S if not rows else STEP_S))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for row in (*rows, *said):
            if row:
                note(count, row.decode().rstrip("\n"))
    count.kills += 1


def note(count: Count, row: str) -> None:
    """Take in one thing that a child said."""
    word, session, rest = row.split(" ", 2)
    if word == "died":
        count.wrong.append(row)
    elif word == "lamp":
        count.lamps += 1
        count.lit[session] = int(rest)
    else:
        count.resumed += 1
        missing = count.lit.get(session, -1) + 1 - int(rest)
        if missing > 0 or missing < -1:
            count.wrong.append(f"{row}, but lamps were lit up to {count.lit.get(session)}")
        count.lit[session] = int(rest) - 1  # the lights are set from the log that was found


def check(folder: Path, count: Count) -> None:
    """At the end: every lamp has its entry, every session is whole."""
    with Journal.open(folder) as journal:
        for session, last in count.lit.items():
            numbers = [entry.number for entry in journal.entries(session)]
            count.lost += sum(number not in numbers for number in range(last + 1))
            if not (report := verify(journal, session)).whole:
                count.wrong.append(report.text())


def main(folder: Path, kills: int, seed: int, careless: bool = False) -> Count:
    """So many kills."""
    count, rng = Count(), random.Random(seed)
    for _ in range(kills):
        one_round(folder, count, rng, careless)
    check(folder, count)
    return count


if __name__ == "__main__":
    found = main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), "careless" in sys.argv)
    shown = {name: getattr(found, name) for name in ("kills", "lamps", "resumed", "lost", "wrong")}
    print(json.dumps({**shown, "sessions": len(found.lit)}))
