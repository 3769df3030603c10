"""A Dask cluster of two workers on this machine: the same report as one process, also when a worker is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Timer

import pytest

from firmware.rejudge.items import Item, find_items
from firmware.rejudge.judge import Outcome
from firmware.rejudge.orders import Order
from firmware.rejudge.pool import cluster, here, judge_all
from firmware.rejudge.report import write_report
from firmware.simulator.record import write_recording
from firmware.simulator.session import short
from tests.club.conftest import tmp_path  # noqa: F401 - in memory

from .archive import journals

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Dask's own threads end late


def test_two_workers_one_of_them_killed_write_the_same_report(tmp_path: Path) -> None:  # noqa: F811
    distributed = pytest.importorskip("distributed", reason="Dask comes with cardtable[club]")
    journals(tmp_path / "in", 6)
    for number in range(3):
        write_recording(short(number), tmp_path / "in" / f"recording-{number}", rate_hz=5.0, video=False, to_s=12.0)
    items, order = find_items([tmp_path / "in"]), Order("0.1.0", (("", "ante", 3),))
    alone = judge_all(items, order, tmp_path / "alone", here, lambda one: None)
    assert not any(one.trouble for one in alone)
    assert sum(one.kind == "recording" for one in alone) == 3

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as workers:
        killed = []

        def killing(left: Sequence[Item], asked: Order) -> Iterator[Outcome]:
            for number, outcome in enumerate(cluster(workers.scheduler_address)(left, asked)):
                if number == 2:
                    killed.append(workers.workers[0].pid)
                    Timer(0.2, os.kill, (killed[0], signal.SIGKILL)).start()
                yield outcome

        together = judge_all(items, order, tmp_path / "together", killing, lambda one: None)
    assert killed
    assert together == alone
    reports = write_report(tmp_path / "alone", alone, "csv"), write_report(tmp_path / "together", together, "csv")
    for one, other in zip(*reports, strict=True):
        assert one.read_bytes() == other.read_bytes()
