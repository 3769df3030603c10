"""What looking costs a frame: ``python -m tests.bench.perception``. It judges no figure.

Milliseconds of one core (processor time, one thread) for the whole of perception, idle and busy (a hand lays a card),
with few and many cards on the table, beside the trained detector on the same frame where there is one, and else beside
one pass of memory over the frame.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
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
from tests.bench import yolo
from tests.bench.rows import Row, show
from vision.reader import Reader

SIZES = ((1280, 960), (2304, 1296))
COUNTS = (8, 52)
RATE_HZ = 12.0
IDLE_S = 2.5
"""Seconds of stillness before the first hand; the first of them are not counted."""
SETTLED_S = 1.0
LOOKS = 6
"""Looks of the detector at a frame; the first is not counted."""
COLD = 24
"""Frames in a row that are copied: more than any cache holds (90 MB)."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Milliseconds of one core of each frame with nothing to do and of each while a card is laid; the last frame."""

    idle_ms: tuple[float, ...]
    busy_ms: tuple[float, ...]
    image: Any


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
    perception = Perception(config_of(session), reader, camera.size_px)
    idle, busy, image = [], [], np.zeros((8, 8, 3), np.uint8)
    while (frame := camera.read()) is not None:
        image = frame.image
        spent = _ms(lambda frame=frame: perception.see(frame))
        if frame.seconds >= IDLE_S:
            busy.append(spent)
        elif frame.seconds >= SETTLED_S:
            idle.append(spent)
    return Figures(tuple(idle), tuple(busy), image)


def memory_pass_ms(image: Any) -> float:
    """One pass of memory over a frame: it is read once and written once, out of no cache."""
    frames = [image.copy() for _ in range(COLD)]
    target = np.empty_like(image)
    return _ms(lambda: [np.copyto(target, frame) for frame in frames]) / COLD


def _ms(work: Callable[[], Any]) -> float:
    began = time.process_time_ns()
    work()
    return (time.process_time_ns() - began) / 1e6


def config_of(session: Session) -> TableConfig:
    """The table file that goes with a simulated session."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.toml"
        path.write_text(table_toml(session), encoding="utf-8")
        return load_table(path)


def beside(image: Any, network: yolo.Yolo | None) -> tuple[str, tuple[float, ...]]:
    """What a frame is compared with, and the milliseconds of it, a few times."""
    if network is None:
        return "one pass of memory", (memory_pass_ms(image),)
    return "YOLO-nano on the frame", tuple(_ms(lambda: network.detect(image)) for _ in range(LOOKS))[1:]


def rows() -> Iterator[Row]:
    """Perception's part of the table."""
    cv2.setNumThreads(1)
    reader, network = Reader.load(), yolo.Yolo.load() if yolo.FILE.exists() else None
    for size_px in SIZES:
        for count in COUNTS:
            found = measure(size_px, count, reader)
            peer, theirs = beside(found.image, network)
            name = f"{size_px[0]}x{size_px[1]}, {count} cards"
            yield Row("frame", f"{name}, nothing moves, CPU ms", found.idle_ms, peer, theirs)
            mean = (sum(found.busy_ms) / len(found.busy_ms),)
            yield Row("frame", f"{name}, mean while a card is laid, CPU ms", mean, peer, theirs)


def main() -> None:
    """Print the rows."""
    show(rows())


if __name__ == "__main__":
    main()
