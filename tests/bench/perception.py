"""What looking costs a frame: ``python -m tests.bench.perception``. It prints figures and ratios and judges none.

Milliseconds of one core (processor time, one thread) for the whole of perception, idle and busy (a hand lays a card),
with few and many cards on the table, against (a) one pass of memory over the frame and (b) Ultralytics' YOLO-nano
predicting every frame, where that is installed (``CARDTABLE_YOLO_PYTHON`` or ``.venv-train/bin/python``): untrained
weights take as long as trained ones.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

from firmware.config import TableConfig, load_table
from firmware.perception import Perception
from firmware.simulator import actors, hands, pack, table
from firmware.simulator.camera import SimulatedCamera
from firmware.simulator.geometry import Place, seats, view, zones
from firmware.simulator.plays.party import RANKS, SUITS
from firmware.simulator.record import table_toml
from firmware.simulator.session import Session
from firmware.simulator.stage import Stage
from vision.reader import Reader

SIZES = ((1280, 960), (2304, 1296))
COUNTS = (8, 52)
RATE_HZ = 12.0
IDLE_S = 2.5
"""Seconds of stillness before the first hand; the first of them are not counted."""
SETTLED_S = 1.0
COLD = 24
"""Frames in a row that are copied: more than any cache holds (90 MB)."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Milliseconds of one core a frame: with nothing to do, the mean and the worst while a card is laid."""

    size_px: tuple[int, int]
    cards: int
    idle_ms: float
    busy_ms: float
    worst_ms: float
    memory_ms: float

    def __str__(self) -> str:
        wide, high = self.size_px
        passes = self.idle_ms / self.memory_ms
        return (
            f"{wide}x{high}, {self.cards:2} cards: idle {self.idle_ms:.1f} ms ({passes:.0f} passes of memory), "
            f"busy {self.busy_ms:.1f} ms on average, {self.worst_ms:.0f} ms the dearest frame"
        )


def laid_out(size_px: tuple[int, int], count: int, seed: int = 7) -> Session:
    """A table on which ``count`` cards lie in rows, and seat 1 lays one more."""
    rng = Random(f"bench {seed}")
    arms, ground = hands.arms(4, seed), zones(4, False)
    stage = Stage(seats(4), arms, rng)
    faces = [rank + suit for suit in SUITS for rank in RANKS][: count - 1]
    for k, face in enumerate(faces):
        place = Place(200.0 + 38.0 * (k % len(RANKS)), 165.0 + 122.0 * (k // len(RANKS)), rng.gauss(0, 2))
        stage.put(face, place, "layout", face=face, up=True)
    stage.wait(IDLE_S - stage.now_s)
    last = next(rank + suit for suit in reversed(SUITS) for rank in reversed(RANKS) if rank + suit not in faces)
    actors.lay(stage, 1, last, Place(720.0, 540.0, 3.0), "layout")
    look = table.Look(seed, table.Surface.FELT)
    timeline = stage.finished(0.8)
    shape = view(size_px, seed)
    names = ("Ann", "Bo", "Cy", "Di")
    return Session("fan_tan", names, 4, {}, {}, (), {}, timeline, shape, ground, look, pack.style(seed), arms)


def measure(size_px: tuple[int, int], count: int, reader: Reader) -> Figures:
    """The figures of one size of picture with so many cards on the table."""
    session = laid_out(size_px, count)
    camera = SimulatedCamera.over(session, RATE_HZ)
    perception = Perception(_config(session), reader, camera.size_px)
    idle, busy, image = [], [], np.zeros((8, 8, 3), np.uint8)
    while (frame := camera.read()) is not None:
        image = frame.image
        spent = _ms(lambda frame=frame: perception.see(frame))
        if frame.seconds >= IDLE_S:
            busy.append(spent)
        elif frame.seconds >= SETTLED_S:
            idle.append(spent)
    return Figures(size_px, count, statistics.median(idle), statistics.fmean(busy), max(busy), memory_pass_ms(image))


def memory_pass_ms(image: Any) -> float:
    """One pass of memory over a frame: it is read once and written once, out of no cache."""
    frames = [image.copy() for _ in range(COLD)]
    target = np.empty_like(image)
    return _ms(lambda: [np.copyto(target, frame) for frame in frames]) / COLD


def _ms(work: Callable[[], Any]) -> float:
    began = time.process_time_ns()
    work()
    return (time.process_time_ns() - began) / 1e6


def _config(session: Session) -> TableConfig:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.toml"
        path.write_text(table_toml(session), encoding="utf-8")
        return load_table(path)


_YOLO = """
import statistics, sys, time
sys.path.insert(0, ".")
from models import torchvision_stand_in
torchvision_stand_in.install()
import numpy, torch
from ultralytics import YOLO
torch.set_num_threads(1)
model = YOLO("yolo11n.yaml")
for size in sys.argv[1:]:
    wide, high = map(int, size.split("x"))
    frame = numpy.random.default_rng(1).integers(0, 255, (high, wide, 3), dtype=numpy.uint8)
    spent = []
    for _ in range(8):
        began = time.process_time()
        model.predict(frame, imgsz=640, verbose=False, device="cpu")
        spent.append(1e3 * (time.process_time() - began))
    print(size, statistics.median(spent[2:]), flush=True)
"""


def yolo_ms(sizes: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """What YOLO-nano takes for a frame of each size; empty where it is not installed."""
    python = os.environ.get("CARDTABLE_YOLO_PYTHON") or ".venv-train/bin/python"
    if not Path(python).exists():
        return {}
    names = [f"{wide}x{high}" for wide, high in sizes]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "YOLO_VERBOSE": "false"}
    command = [python, "-c", _YOLO, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        print(f"YOLO-nano could not be run with {python}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return {}
    rows = [line.split() for line in done.stdout.splitlines() if line[:1].isdigit()]
    return {size: float(ms) for size, (_, ms) in zip(sizes, rows, strict=True)}


def main() -> None:
    """Print the figures."""
    cv2.setNumThreads(1)
    reader, beside = Reader.load(), yolo_ms(SIZES)
    for size_px in SIZES:
        found = [measure(size_px, count, reader) for count in COUNTS]
        for one in found:
            print(one, flush=True)
        few, many = found
        print(
            f"  {COUNTS[1]} cards cost {many.idle_ms / few.idle_ms:.2f} times what {COUNTS[0]} do, idle; "
            f"{many.busy_ms / few.busy_ms:.2f} times, busy"
        )
        if size_px in beside:
            yolo = beside[size_px]
            print(
                f"  YOLO-nano on every frame: {yolo:.0f} ms; that is {yolo / few.idle_ms:.0f} times an idle frame and "
                f"{yolo / few.busy_ms:.1f} times a busy one",
                flush=True,
            )


if __name__ == "__main__":
    main()
