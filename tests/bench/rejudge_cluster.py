"""An archive judged again by one process and by two workers, one of which is killed: the same report, and how fast.

    python -m tests.bench.rejudge_cluster [RECORDINGS] [SECONDS_EACH]

Not a test: it prints figures, and ends with 1 if the two reports differ.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from distributed import LocalCluster

from firmware.rejudge.items import Item, find_items
from firmware.rejudge.judge import Outcome, judge_item
from firmware.rejudge.orders import Order
from firmware.rejudge.pool import cluster, here, judge_all
from firmware.rejudge.report import write_report
from firmware.simulator.record import write_recording
from firmware.simulator.session import short
from tests.rejudge.archive import journals


def main(recordings: int, seconds_each: float) -> int:
    """Run it; 1 if a byte of the reports differs."""
    with tempfile.TemporaryDirectory(prefix="cardtable-archive-") as home:
        folder = Path(home)
        journals(folder / "in", 20)
        for number in range(recordings):
            write_recording(short(number), folder / "in" / f"recording-{number}", rate_hz=10.0, to_s=seconds_each)
        items, order = find_items([folder / "in"]), Order(version("cardtable"), (("", "ante", 3),))
        judge_item(items[-1], order)  # the reader is loaded once in every process
        begun = time.monotonic()
        alone = judge_all(items, order, folder / "alone", here, lambda one: None)
        one_s = time.monotonic() - begun
        print(f"{len(items)} items, one process: {one_s:.1f} s", flush=True)
        two_s, together = timed(items, order, folder / "two", kill=False)
        print(f"two workers: {two_s:.1f} s, {one_s / two_s:.2f} times as fast", flush=True)
        killed_s, after = timed(items, order, folder / "killed", kill=True)
        print(f"two workers, one killed on the way: {killed_s:.1f} s, {one_s / killed_s:.2f} times as fast")
        reports = [write_report(folder / name, found, "csv") for name, found in
                   (("alone", alone), ("two", together), ("killed", after))]  # fmt: skip
        same = all(len({path.read_bytes() for path in paths}) == 1 for paths in zip(*reports, strict=True))
        trouble = sum(bool(one.trouble) for one in alone)
        print(f"reports {'equal, byte by byte' if same else 'DIFFER'}; {trouble} items in trouble")
        return 0 if same and not trouble else 1


def timed(items: Sequence[Item], order: Order, folder: Path, *, kill: bool) -> tuple[float, list[Outcome]]:
    """Judge on a cluster of two; the seconds it took, from the moment both workers can read."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as workers:
        warm = cluster(workers.scheduler_address)
        list(warm([items[-1], items[-1]], order))
        pid = workers.workers[0].pid

        def pool(left: Sequence[Item], asked: Order) -> Iterator[Outcome]:
            for number, outcome in enumerate(warm(left, asked)):
                if kill and number == len(left) // 2:
                    os.kill(pid, signal.SIGKILL)
                yield outcome

        begun = time.monotonic()
        found = judge_all(items, order, folder, pool, lambda one: None)
        return time.monotonic() - begun, found


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(main(int((words or ["8"])[0]), float((words[1:] or ["20"])[0])))
