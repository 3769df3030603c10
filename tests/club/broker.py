"""Debian's own Mosquitto for the club's tests and figures: started, killed, and started again."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

MOSQUITTO = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
#: Longest wait for a broker to listen, in seconds.
PATIENCE_S = 20.0


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Mosquitto:
    """One broker. ``more``: further lines of its settings."""

    folder: Path
    port: int
    more: tuple[str, ...] = ("allow_anonymous true",)
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """Its address."""
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it listens."""
        settings = self.folder / "mosquitto.conf"
        lines = (f"listener {self.port} 127.0.0.1", "persistence false", "user root", *self.more)
        settings.write_text("\n".join(lines) + "\n")
        with (self.folder / "mosquitto.log").open("ab") as log:
            self.process = subprocess.Popen([MOSQUITTO, "-c", str(settings)], stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert self.process.poll() is None, (self.folder / "mosquitto.log").read_text()
            time.sleep(0.02)
        raise AssertionError("mosquitto does not listen")

    def kill(self) -> None:
        """As a power cut would end it: nothing is said, nothing is kept."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def cpu_s(self) -> float:
        """Processor time that this process of it has used, in seconds."""
        assert self.process is not None
        return cpu_s(self.process.pid)


def cpu_s(pid: int) -> float:
    """Processor time that a process has used, in seconds."""
    parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def mosquitto(folder: Path, *more: str) -> Iterator[Mosquitto]:
    """A broker while the context lasts; skips with a word where there is none."""
    if not Path(MOSQUITTO).exists():
        pytest.skip("no mosquitto on this machine (apt-get install mosquitto)")
    broker = Mosquitto(folder, free_port(), more or ("allow_anonymous true",))
    broker.start()
    try:
        yield broker
    finally:
        broker.kill()
