"""The words to systemd: what is sent, and above all when the watchdog goes hungry."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

import pytest

from firmware.service import Service, asked_by_hangup, notify_socket, watchdog_period_ns

S = 1_000_000_000


def started(limits_s: dict[str, int], period_s: int = 20) -> tuple[Service, list[str]]:
    sent: list[str] = []
    service = Service({k: v * S for k, v in limits_s.items()}, sent.append, period_s * S)
    service.ready(0, "waiting for\na game")
    return service, sent


def test_ready_and_status_are_one_line_each_and_status_is_not_repeated() -> None:
    service, sent = started({"frames": 5})
    service.status("Fan Tan, seat 2 to play")
    service.status("Fan Tan,  seat 2 to play")
    service.stopping()
    assert sent == ["READY=1\nSTATUS=waiting for a game", "STATUS=Fan Tan, seat 2 to play", "STOPPING=1"]


def test_watchdog_is_fed_three_times_a_period_while_all_moves() -> None:
    service, sent = started({"frames": 5, "referee": 5})
    for second in range(41):
        service.moved("frames", second * S)
        service.moved("referee", second * S)
        service.beat(second * S)
    assert sent.count("WATCHDOG=1") == 6  # at 0, 7, 14, 21, 28 and 35 s: a third of 20 s, on whole seconds


@pytest.mark.parametrize("dead", ["frames", "referee"])
def test_b03_one_dead_part_starves_the_watchdog(dead: str) -> None:
    service, sent = started({"frames": 5, "referee": 5})
    fed = []
    for second in range(60):
        for part in ("frames", "referee"):
            if part != dead or second < 10:
                service.moved(part, second * S)
        if service.beat(second * S):
            fed.append(second)
    assert fed == [0, 7, 14]  # the last sign of life at 9 s, plus 5 s of patience
    assert service.stuck(60 * S) == (dead,)
    assert sent.count("WATCHDOG=1") == len(fed)


def test_a_camera_that_is_waited_for_is_excused() -> None:
    service, _ = started({"frames": 5})
    for second in range(0, 30, 2):
        service.excuse("frames", second * S)
        assert service.stuck(second * S) == ()


def test_unknown_part_is_a_fault_of_the_caller() -> None:
    service, _ = started({"frames": 5})
    with pytest.raises(KeyError, match="fames"):
        service.moved("fames", 0)


def test_without_a_watchdog_nothing_is_fed() -> None:
    service, sent = started({"frames": 5}, period_s=0)
    assert not service.beat(0)
    assert "WATCHDOG=1" not in sent


@pytest.mark.parametrize(
    ("environ", "period_ns"),
    [
        ({}, 0),
        ({"WATCHDOG_USEC": "20000000"}, 20 * S),
        ({"WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "7"}, 20 * S),
        ({"WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "8"}, 0),
        ({"WATCHDOG_USEC": "soon"}, 0),
    ],
)
def test_period_is_read_for_this_process_only(environ: dict[str, str], period_ns: int) -> None:
    assert watchdog_period_ns(environ, pid=7) == period_ns


@pytest.mark.parametrize("abstract", [False, True])
def test_a_real_socket_gets_the_message(tmp_path: Path, abstract: bool) -> None:
    address = f"@cardtable-test-{tmp_path.name}-{id(tmp_path)}" if abstract else str(tmp_path / "n")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind("\0" + address[1:] if abstract else address)
        systemd.settimeout(5)
        notify_socket({"NOTIFY_SOCKET": address})("READY=1")
        assert systemd.recv(100) == b"READY=1"


def test_a_socket_that_has_gone_stops_nothing(tmp_path: Path) -> None:
    notify_socket({"NOTIFY_SOCKET": str(tmp_path / "gone")})("WATCHDOG=1")
    notify_socket({})("WATCHDOG=1")


def test_a_reload_is_told_to_systemd_with_its_time() -> None:
    sent: list[str] = []
    service = Service({}, sent.append, 0)
    service.reloading(5_000_001_000)
    service.reloaded()
    assert sent == ["RELOADING=1\nMONOTONIC_USEC=5000001", "READY=1"]


def test_hangup_only_sets_its_event() -> None:
    before = signal.getsignal(signal.SIGHUP)
    with asked_by_hangup() as asked:
        assert not asked.is_set()
        os.kill(os.getpid(), signal.SIGHUP)
        assert asked.wait(5)
    assert signal.getsignal(signal.SIGHUP) == before
