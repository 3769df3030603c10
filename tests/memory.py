"""Does memory stay flat over hours of video? ``python -m tests.memory --hours 1``: about ten minutes of one core.

One minute of play (cards laid, a row turned down, hands, a card in the dark, a nudge) is seen again and again, each
time a minute later; the process's memory is printed every ten minutes of video. Exit status 1 if it grew.
"""

from __future__ import annotations

import argparse
import sys
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from firmware.perception import Perception
from firmware.simulator.camera import Incident, SimulatedCamera
from firmware.simulator.session import plan
from tests.bench.perception import config_of
from vision.frames import Frame
from vision.reader import Reader

#: Growth allowed from the first report on, MB: caches of the libraries fill in the first minutes.
MOST_GROWTH_MB = 15.0
RATE_HZ = 5.0


def frames(seconds: float, packed: list[tuple[float, bytes]]) -> Iterator[Frame]:
    """The packed pictures over and over, for so many seconds of video."""
    length, index, start = packed[-1][0] + 1 / RATE_HZ, 0, 0.0
    while start < seconds:
        for at, data in packed:
            image = np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)
            yield Frame(image, start + at, index)
            index += 1
        start += length


def memory_mb() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def main() -> int:
    """Watch, and report."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--hours", type=float, default=1.0)
    options.add_argument("--trace", action="store_true", help="count Python's own objects too (slow)")
    given = options.parse_args()
    cv2.setNumThreads(1)
    session = plan("fan_tan", seed=5, size_px=(960, 720), ranks="A234", max_moves=20)
    trouble = (Incident(20.0, 22.0, gain=0.0), Incident(30.0, 36.0, shift_px=(9.0, 5.0)))
    camera = SimulatedCamera.over(session, RATE_HZ, incidents=trouble)
    packed = [(f.seconds, cv2.imencode(".jpg", f.image)[1].tobytes()) for f in camera if f.seconds < 60]
    perception = Perception(config_of(session), Reader.load(), camera.size_px)
    if given.trace:
        tracemalloc.start()
    first, due, facts = 0.0, 600.0, 0
    for frame in frames(3600 * given.hours, packed):
        facts += len(perception.see(replace(frame)))
        if frame.seconds >= due:
            python = f", Python's objects {tracemalloc.get_traced_memory()[0] / 1e6:.1f} MB" if given.trace else ""
            print(f"{due / 60:4.0f} min of video: {memory_mb():.0f} MB, {facts} facts{python}", flush=True)
            first, due = first or memory_mb(), due + 600.0
    growth = memory_mb() - first
    print(f"grew by {growth:.1f} MB after the first ten minutes")
    return int(first > 0 and growth > MOST_GROWTH_MB)


if __name__ == "__main__":
    sys.exit(main())
