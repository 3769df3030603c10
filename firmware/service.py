"""Talks to systemd: ready, alive, what it is doing, stopping. Starts nothing and stops nothing itself.

The watchdog is fed only while every part that must move has moved (camera frames, the referee's loop): a process that
runs but sees nothing is not alive, and systemd starts it again (field report B03).  Away from systemd every call does
nothing.  The protocol is that of sd_notify(3): a datagram of ``KEY=value`` lines to the socket ``$NOTIFY_SOCKET``.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event

EXIT_CAMERA = 70
"""The service ends with this when the camera is lost; systemd starts it again."""

EXIT_REBOOT_ADVISED = 75
"""... and with this when only a reboot helps; cardtable.service does not start it again."""

FEEDS_IN_A_PERIOD = 3
"""The watchdog is fed this often in its period, so that one late loop is not taken for a dead program."""

Send = Callable[[str], None]


def notify_socket(environ: Mapping[str, str] = os.environ) -> Send:
    """The way to systemd: a function that sends one message; it does nothing where there is no ``NOTIFY_SOCKET``.

    An address that begins with ``@`` is in the abstract namespace.  A socket that has gone is no reason to stop a
    game: errors are swallowed.
    """
    address = environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return lambda message: None
    where = "\0" + address[1:] if address.startswith("@") else address

    def send(message: str) -> None:
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as way:
                way.sendto(message.encode(), where)
        except OSError:
            return

    return send


def watchdog_period_ns(environ: Mapping[str, str] = os.environ, pid: int | None = None) -> int:
    """How long systemd waits for a sign of life, ns; 0 when it does not watch this process."""
    wanted = environ.get("WATCHDOG_PID", "")
    if wanted and wanted != str(os.getpid() if pid is None else pid):
        return 0
    period_us = environ.get("WATCHDOG_USEC", "")
    return int(period_us) * 1000 if period_us.isdigit() else 0


@dataclass(slots=True)
class Service:
    """One running service. ``limits_ns`` names each part that must move and how long it may rest, in ns.

    Times are monotonic ns and come from the caller.  Not thread-safe: the table's one loop owns it; other threads
    only call `moved`, which stores one number.
    """

    limits_ns: Mapping[str, int]
    send: Send = field(default_factory=notify_socket)
    period_ns: int = field(default_factory=watchdog_period_ns)
    _moved_ns: dict[str, int] = field(default_factory=dict)
    _fed_ns: int | None = None
    _status: str = ""

    def ready(self, now_ns: int, status: str = "") -> None:
        """The journal is folded and the page answers. From now on every part must move."""
        self._moved_ns = dict.fromkeys(self.limits_ns, now_ns)
        self.send("READY=1" + (f"\nSTATUS={_one_line(status)}" if status else ""))

    def moved(self, part: str, now_ns: int) -> None:
        """A frame came, the loop turned: ``part`` has moved.

        :raises KeyError: if no such part was named at the start.
        """
        if part not in self.limits_ns:
            raise KeyError(part)
        self._moved_ns[part] = now_ns

    def excuse(self, part: str, now_ns: int) -> None:
        """``part`` is known to be away and is being waited for (the camera is busy, field report B01)."""
        self.moved(part, now_ns)

    def stuck(self, now_ns: int) -> tuple[str, ...]:
        """The parts that have rested for longer than they may, by name."""
        return tuple(
            part for part, limit in self.limits_ns.items() if now_ns - self._moved_ns.get(part, now_ns) > limit
        )

    def beat(self, now_ns: int) -> bool:
        """Feed the watchdog if it is time and every part moves; True if it was fed. Call it every loop."""
        due = self._fed_ns is None or now_ns - self._fed_ns >= self.period_ns // FEEDS_IN_A_PERIOD
        if not self.period_ns or not due or self.stuck(now_ns):
            return False
        self._fed_ns = now_ns
        self.send("WATCHDOG=1")
        return True

    def status(self, words: str) -> None:
        """One line for ``systemctl status``; sent only when it has changed."""
        if (line := _one_line(words)) != self._status:
            self._status = line
            self.send(f"STATUS={line}")

    def reloading(self, now_ns: int) -> None:
        """The settings are read again (``systemctl reload``); `reloaded` ends it."""
        self.send(f"RELOADING=1\nMONOTONIC_USEC={now_ns // 1000}")

    def reloaded(self) -> None:
        """They have been; the parts moved on meanwhile."""
        self.send("READY=1")

    def stopping(self) -> None:
        """The lights go out and the journal is closed now."""
        self.send("STOPPING=1")


@contextmanager
def stopped_by_signals() -> Iterator[Event]:
    """SIGTERM and Ctrl-C only set this event: a loop ends between two entries, never within one."""
    stop = Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def asked_by_hangup() -> Iterator[Event]:
    """SIGHUP (``systemctl reload``) only sets this event: the settings are to be read again."""
    asked = Event()
    before = signal.signal(signal.SIGHUP, lambda *_: asked.set())
    try:
        yield asked
    finally:
        signal.signal(signal.SIGHUP, before)


def _one_line(words: str) -> str:
    return " ".join(words.split())
