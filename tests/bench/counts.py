"""The guard against slow decay: counts of work that no other load on the machine and no faster machine can change.

    python -m tests.bench.counts            measured beside what is kept; exit status 1 if something has grown
    python -m tests.bench.counts --write    keep what is measured now (with the reason in the commit)

Function calls are those of our own code, so that no version of Python and no library moves them. Instructions of the
processor are counted by callgrind where valgrind is installed, and compared with those of the same build of Python.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

import cv2

from firmware.journal.journal import Journal
from firmware.referee.cards import Card
from firmware.referee.events import Entry, Laid, Pressed
from firmware.referee.match import Match, Setup
from tests.bench import golden, journal_bench, networks, reading
from tests.vision.drawn import BOTTOM, FPS, LEFT, RIGHT, SIZE_PX, SURFACE, TOP, World
from vision.pose import Pose
from vision.reader import MODEL_FILES, Reader
from vision.tracker import Tracker

HOME = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).with_name("counts.json")

#: Sides of the picture that each network is counted with, px: a frame at the finder's scale, one index, one card.
NETWORK_PX = ((640, 480), (40, 56), (72, 72))
FOLDED = 10_000
LOGGED = 1_000
#: The cards that are laid in the clip, each by another hand.
CLIP = ("7H", "KS", "2D", "9C")

#: The drawn tables that are read as still pictures: their number, and whether their cards overlap.
STILLS = ((0, False), (1, False), (0, True), (1, True))

#: Of the count that needs valgrind: what its name begins with; how often the golden sessions are judged in either run.
INSTRUCTIONS, FEW, MANY = "instructions to judge a fact", 1, 2

#: Counts may grow by so much before somebody must look and write them anew.
EXACT = 0.0
#: ... by a page of the database, or a hash longer by a digit.
STORED = 0.02
#: ... in code that is worked on: a new rule costs calls.
CALLED = 0.05
#: ... where versions of Python or OpenCV differ by a few.
VERSIONS = 0.10


@dataclass(frozen=True, slots=True)
class Guard:
    """What is counted, how, and by what share it may grow."""

    tolerance: float
    measure: Callable[[], Mapping[str, float]]


def network_work() -> Mapping[str, float]:
    """Weights and multiply-adds of each network."""
    counts: dict[str, float] = {}
    for name, size in zip(MODEL_FILES, NETWORK_PX, strict=True):
        work = networks.work(HOME / "models" / name, size)
        title = name.removesuffix(".onnx")
        counts |= {f"{title}: weights": work.weights, f"{title}: multiply-adds": work.multiply_adds}
    return counts


def statements() -> Mapping[str, float]:
    """SQL statements that one durable fact takes, with a crop and a view and without."""
    counts = {}
    with tempfile.TemporaryDirectory() as folder, closing(Journal.open(Path(folder))) as journal:
        session, stream = journal.begin(journal_bench.HEADER), journal_bench.facts()
        journal.append(session, next(stream), [])
        for what, pictures in (("no picture", 0), ("two pictures", 2)):
            seen: list[str] = []
            journal.store._db.set_trace_callback(seen.append)
            journal.append(session, next(stream), [journal_bench.photo(n, 2_000) for n in range(pictures)])
            journal.store._db.set_trace_callback(None)
            counts[f"SQL statements a fact, {what}"] = len(seen)
    return counts


def stored() -> Mapping[str, float]:
    """Bytes that an entry takes on the disk."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        journal_bench.build(folder, 1, LOGGED)
        spare = sum(path.stat().st_size for path in (folder / "spare").iterdir())
        database = (folder / "sessions.db").stat().st_size
    return {"bytes an entry, database": database / LOGGED, "bytes an entry, spare log": spare / LOGGED}


def judging() -> Mapping[str, float]:
    """Calls of our own functions that a fact takes to be judged, over the golden sessions."""
    played = golden.sessions()
    with OwnCalls() as calls:
        golden.judge(played)
    return {"function calls to judge a fact": calls.count / golden.facts(played)}


def instructions() -> Mapping[str, float]:
    """Instructions of the processor that a fact takes to be judged: two runs differ by nothing else. It takes half a
    minute; nothing where there is no valgrind.
    """
    if shutil.which("valgrind") is None:
        print(f"{INSTRUCTIONS}: not counted, for there is no valgrind here (apt-get install valgrind)")
        return {}
    facts = (MANY - FEW) * golden.facts(golden.sessions())
    return {f"{INSTRUCTIONS}, {_build()}": (_collected(MANY) - _collected(FEW)) / facts}


def _build() -> str:
    """Everything that moves instructions but is not ours: Python, what compiled it, and for what."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{python}, {platform.python_compiler()}, {platform.machine()}"


def _collected(rounds: int) -> int:
    """Instructions of a whole run; hashes are the same in each, so that sets are walked in the same order."""
    callgrind = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null")
    command = [*callgrind, sys.executable, "-m", "tests.bench.golden", str(rounds)]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, cwd=HOME, env=environment, capture_output=True, text=True, check=True)
    return int(done.stderr.rpartition("Collected :")[2].split()[0])


def folding() -> Mapping[str, float]:
    """Blocks of memory that a session of `FOLDED` entries keeps, an entry."""
    entries = [Entry(number, Pressed(number % 4 + 1)) for number in range(1, FOLDED)]
    match = Match(Setup("fan_tan", ("A", "B", "C", "D"), 4, {}, {"counts": dict.fromkeys("ABCD", 13)}))
    match.add(Entry(0, Laid(Card.parse("5H"), "layout", 1)))
    before = _blocks()
    for entry in entries:
        match.add(entry)
    return {"blocks of memory an entry keeps": (_blocks() - before) / FOLDED}


def _blocks() -> int:
    """Blocks of memory in use, without what nobody can reach any more."""
    gc.collect()
    return sys.getallocatedblocks()


@dataclass(slots=True)
class _Counted:
    """A reader that knows what lies there, and counts how often it was asked and for how many pixels."""

    world: World
    looks: int = 0
    searched_px: float = 0.0

    @property
    def threshold(self) -> float:
        """As the tracker asks for it."""
        return self.world.threshold

    def indices(self, image: Any, card_px: float, region: Any = None) -> Any:
        """As the tracker asks for it."""
        x0, y0, x1, y1 = region or (0, 0, *SIZE_PX)
        self.looks, self.searched_px = self.looks + 1, self.searched_px + (x1 - x0) * (y1 - y0)
        return self.world.indices(image, card_px, region)


def watching() -> Mapping[str, float]:
    """Looks of the reader, pixels searched and calls of our own functions in a clip of four cards laid."""
    cv2.setNumThreads(1)
    world, calls = World(), OwnCalls()
    reader = _Counted(world)
    tracker = Tracker(SURFACE, reader, SIZE_PX)
    hands = zip(CLIP, (BOTTOM, LEFT, TOP, RIGHT), strict=True)
    acts = [world.lay(card, Pose(250 + 130 * n, 350, 5 * n), hand) for n, (card, hand) in enumerate(hands)]
    frames = 0
    for image in itertools.chain(world.still(1.0), *acts, world.still(1.0)):  # drawn as it is watched
        with calls:
            tracker.see(image, frames / FPS)
        frames += 1
    if (known := len(list(tracker.layout))) != len(CLIP):
        raise RuntimeError(f"the clip lays {len(CLIP)} cards and the tracker knows {known}")
    return {
        "looks of the reader a card laid": reader.looks / len(CLIP),
        "pixels searched a card laid": reader.searched_px / len(CLIP),
        "function calls to watch a frame": calls.count / frames,
    }


@dataclass(slots=True)
class _Watched:
    """A network that counts what it is given."""

    session: Any
    runs: int = 0
    pictures: int = 0
    px: int = 0

    def get_inputs(self) -> Any:
        """As the reader asks for them."""
        return self.session.get_inputs()

    def run(self, names: Any, given: Mapping[str, Any]) -> Any:
        """As the reader runs it, [n, 3, h, w] at a time."""
        (batch,) = given.values()
        pictures, _, high, wide = batch.shape
        self.runs, self.pictures, self.px = self.runs + 1, self.pictures + pictures, self.px + pictures * high * wide
        return self.session.run(names, given)


def still() -> Mapping[str, float]:
    """What a still picture, its scale told and not, puts through the networks, and calls of our own functions."""
    cv2.setNumThreads(1)
    counts: dict[str, float] = {}
    for scale, card_px in (("told", reading.CARD_PX), ("unknown", None)):
        reader, (finder, indices, cards) = _watched(Reader.load())
        calls = OwnCalls()
        for number, overlap in STILLS:
            image, truth = reading.drawn_table(number, overlap)
            with calls:
                read = {one.card for one in reader.read(image, card_px)}
            if missing := {*truth} - read:
                raise RuntimeError(f"the still pictures are read whole, and {sorted(missing)} were not")
        sums = {
            "runs of the networks": finder.runs + indices.runs + cards.runs,
            "pixels searched": finder.px,
            "cuts of indices": indices.pictures,
            "cuts of cards": cards.pictures,
            "function calls": calls.count,
        }
        counts |= {f"{what} a still picture, scale {scale}": total / len(STILLS) for what, total in sums.items()}
    return counts


def _watched(reader: Reader) -> tuple[Reader, tuple[_Watched, _Watched, _Watched]]:
    """A reader whose networks count, and the three of them: finder, index reader, card reader.

    :raises RuntimeError: if it has no card reader.
    """
    if (card := reader.index_reader.card) is None:
        raise RuntimeError("the reader has no card reader")
    finder, indices, cards = (
        _Watched(reader.finder.session),
        _Watched(reader.index_reader.session),
        _Watched(card.session),
    )
    index_reader = replace(reader.index_reader, session=indices, card=replace(card, session=cards))
    return replace(reader, finder=replace(reader.finder, session=finder), index_reader=index_reader), (
        finder,
        indices,
        cards,
    )


class OwnCalls:
    """Counts, while it is entered, how often functions of this project are called.

    Comprehensions are left out, for newer Pythons inline them.
    """

    def __init__(self) -> None:
        """None yet."""
        self.count = 0
        self._ours = (str(HOME / "firmware"), str(HOME / "vision"))

    def __enter__(self) -> OwnCalls:
        sys.setprofile(self._entered)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _entered(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        self.count += event == "call" and code.co_filename.startswith(self._ours) and not code.co_name.startswith("<")


GUARDS: tuple[Guard, ...] = (
    Guard(EXACT, network_work),
    Guard(EXACT, statements),
    Guard(STORED, stored),
    Guard(CALLED, judging),
    Guard(VERSIONS, folding),
    Guard(VERSIONS, watching),
    Guard(VERSIONS, still),
)
#: Counted besides by `make counts`, where it can be.
BY_CALLGRIND = Guard(CALLED, instructions)


@dataclass(frozen=True, slots=True)
class Count:
    """A count as it is now, as it was kept (None: new), and by what share it may have grown."""

    what: str
    now: float
    kept: float | None
    tolerance: float

    @property
    def grown(self) -> bool:
        """Has it grown by more than it may?"""
        return self.kept is not None and self.now > self.kept * (1 + self.tolerance) + 1e-9

    def __str__(self) -> str:
        if self.kept is None:
            return f"{self.what}: {self.now:,.10g}, not kept yet (python -m tests.bench.counts --write)"
        change = self.now / self.kept - 1 if self.kept else 0.0
        verdict = f"  GROWN by more than {self.tolerance:.0%}" if self.grown else ""
        return f"{self.what}: {self.now:,.10g} (kept {self.kept:,.10g}, {change:+.1%}){verdict}"


def counted(guards: Iterable[Guard]) -> list[Count]:
    """Every count beside what was kept of it."""
    known = _known()
    return [
        Count(what, round(now, 2), known.get(what), guard.tolerance)
        for guard in guards
        for what, now in guard.measure().items()
    ]


def _known() -> dict[str, float]:
    """What was kept; nothing before the first time."""
    return dict(json.loads(KEPT.read_text(encoding="utf-8"))) if KEPT.exists() else {}


def _keep(counts: Mapping[str, float]) -> None:
    """Keep these, and the instructions of other builds of Python that were kept before."""
    others = {what: count for what, count in _known().items() if what.startswith(INSTRUCTIONS)}
    KEPT.write_text(json.dumps(others | dict(counts), indent=1) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the counts; 1 if something has grown."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.counts", description=__doc__)
    options.add_argument("--write", action="store_true", help="keep what is measured now")
    given = options.parse_args(arguments)
    counts = counted((*GUARDS, BY_CALLGRIND))
    print(*counts, sep="\n")
    if given.write:
        _keep({count.what: count.now for count in counts})
        print(f"kept in {KEPT}")
        return 0
    return int(any(count.grown for count in counts))


if __name__ == "__main__":
    sys.exit(main())
