"""What a Raspberry Pi would make of what was measured here: an estimate, from published figures of the same engines.

An engine's factor is what a piece of its own work took on a Pi, as published, over what the very same work takes here
in the same run of the bench. Nothing here was measured on a Pi.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.bench import yolo
from tests.bench.rows import Row

#: Milliseconds of YOLO11n on a Pi 5's four cores, and how often its one core may be slower.
YOLO_PI5_MS, PI5_CORES = 168.082, 4
#: Pi 4 over Pi 5, on onnxruntime and on one core in general.
PI4_NETWORKS, PI4_PYTHON = 560.04 / 198.69, 2737.49 / 1477.83
#: pyperformance on a Pi 5: seconds of one round of each script.
PYTHON_PI5_S = {"richards": 0.0653, "deltablue": 0.00487}
SQLITE_PI5_S = {"sqlite_synth": 4.45e-6}
ROUNDS = 7

SOURCES = (
    f"onnxruntime on a Pi 5: YOLO11n at 640 px in float32 takes {YOLO_PI5_MS:.0f} ms by the clock with the runtime's "
    "own number of threads, its four cores; here the detector beside ours, the same network with 52 classes, on one "
    "thread. One core of a Pi 5 takes at least that long and at most four times as long, so both ends are given. "
    "*Quick Start Guide: Raspberry Pi with Ultralytics YOLO11*, docs.ultralytics.com/guides/raspberry-pi (8.3.39).",
    f"A Pi 4 beside a Pi 5 on onnxruntime: YOLOv8n at 640 px takes {PI4_NETWORKS:.1f} times as long (560 and 199 ms). "
    "The same guide as it was in 2024, *Quick Start Guide: Raspberry Pi with Ultralytics YOLOv8*, for both boards.",
    f"A Pi 4 beside a Pi 5 on one core in general: sysbench does {PI4_PYTHON:.1f} times as much on the newer one "
    "(1,478 and 2,737 events a second); Python and SQLite lie between this and the networks' factor. *Raspberry Pi CPU "
    "Benchmarks*, leoncode.co.uk/articles/raspberry-pi-benchmarks.",
    "CPython and SQLite on a Pi 5: pyperformance's richards 65.3 ms, deltablue 4.87 ms and sqlite_synth 4.45 us, with "
    "CPython 3.13.7; here the same scripts with the Python of the bench's environment. *pyperf_bench*, its runner "
    "blueberry, github.com/savannahostrowski/pyperf_bench, results/bm-20250814-3.13.7-bcee1c3.",
    "Of OpenCV we know no published figure for the same work on both; frames are scaled as the networks are. A memory "
    "card's flush is in none of this: durable facts a second on a Pi are those of its card.",
)

#: What is estimated: how the row's part and words begin, and the engine that does the work.
WANTED = (
    ("frame", "1280x960, 8 cards, nothing moves", "onnxruntime"),
    ("frame", "1280x960, 8 cards, mean", "onnxruntime"),
    ("frame", "2304x1296, 8 cards, nothing moves", "onnxruntime"),
    ("frame", "2304x1296, 8 cards, mean", "onnxruntime"),
    ("pictures", "drawn, free: CPU", "onnxruntime"),
    ("pictures", "photographs: CPU", "onnxruntime"),
    ("referee", "a fact at the 10,000th", "CPython"),
    ("journal", "a durable fact, a crop and a view each, CPU", "SQLite"),
    ("panel", "fact to pin, 8 seats, all blinking", "CPython"),
    ("page", "change to browser", "CPython"),
)


@dataclass(frozen=True, slots=True)
class Factor:
    """So many times as long as here, at least and at most, on one core of a board."""

    least: float
    most: float


def factors(python: Path) -> dict[tuple[str, str], Factor]:
    """Of each board and engine that can be told here; what cannot is told in a line."""
    found: dict[tuple[str, str], Factor] = {}
    if yolo.FILE.exists():
        slower = YOLO_PI5_MS / yolo_ms()
        found["Pi 5", "onnxruntime"] = Factor(slower, PI5_CORES * slower)
        found["Pi 4", "onnxruntime"] = Factor(slower * PI4_NETWORKS, PI5_CORES * slower * PI4_NETWORKS)
    for engine, published in (("CPython", PYTHON_PI5_S), ("SQLite", SQLITE_PI5_S)):
        here = pyperformance_s(python, published)
        if here:
            ratios = [published[name] / spent_s for name, spent_s in here.items()]
            found["Pi 5", engine] = Factor(min(ratios), max(ratios))
            found["Pi 4", engine] = Factor(min(ratios) * PI4_PYTHON, max(ratios) * PI4_NETWORKS)
    return found


def yolo_ms() -> float:
    """The detector's network alone on a square picture of 640 px, one thread: as the publishers time it."""
    network = yolo.Yolo.load()
    picture = {network.session.get_inputs()[0].name: np.zeros((1, 3, yolo.SIZE_PX, yolo.SIZE_PX), np.float32)}
    return 1e3 * statistics.median(_cpu_s(lambda: network.session.run(None, picture)) for _ in range(ROUNDS))


def _cpu_s(act: Callable[[], object]) -> float:
    began = time.process_time()
    act()
    return time.process_time() - began


_SCRIPTS = """
import importlib.util, json, statistics, sys, time
from pathlib import Path
import pyperf, pyperformance

home = Path(pyperformance.__file__).parent / "data-files" / "benchmarks"

def script(name):
    spec = importlib.util.spec_from_file_location(name, home / f"bm_{name}" / "run_benchmark.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

def seconds(act, rounds):
    spent = []
    for _ in range(rounds):
        began = time.process_time()
        act()
        spent.append(time.process_time() - began)
    return statistics.median(spent[1:])

loops = 20_000
acts = {
    "richards": (lambda richards=script("richards").Richards(): richards.run(1), 1),
    "deltablue": (lambda module=script("deltablue"): module.delta_blue(100), 1),
    "sqlite_synth": (lambda module=script("sqlite_synth"): module.bench_sqlite(loops), loops),
}
print(json.dumps({name: seconds(acts[name][0], int(sys.argv[1])) / acts[name][1] for name in sys.argv[2:]}))
"""


def pyperformance_s(python: Path, names: Iterable[str]) -> dict[str, float]:
    """Seconds of processor of pyperformance's own scripts here; empty where it is not installed."""
    command = [str(python), "-c", _SCRIPTS, str(ROUNDS), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return dict(json.loads(done.stdout)) if done.returncode == 0 else {}


def rows(measured: Sequence[Row], python: Path) -> Iterator[Row]:
    """The estimates of what was measured, two where the engine's factor is not known closely."""
    told = factors(python)
    for board, engine in told:
        factor = told[board, engine]
        for bound, times in (("at least", factor.least), ("at most", factor.most)):
            yield Row(f"{board}, estimated", f"{engine}: times as long as here, {bound}", (times,))
    for part, words, engine in WANTED:
        row = next((row for row in measured if row.part == part and row.what.startswith(words)), None)
        for board in ("Pi 5", "Pi 4"):
            if row is not None and (board, engine) in told:
                yield from _estimates(board, row, told[board, engine])


def _estimates(board: str, row: Row, factor: Factor) -> Iterator[Row]:
    for bound, times in (("at least", factor.least), ("at most", factor.most)):
        what, estimate = f"{row.part}: {row.what}", (row.median * times,)
        yield Row(f"{board}, estimated", what, (row.median,), f"{board}, {bound}", estimate)
