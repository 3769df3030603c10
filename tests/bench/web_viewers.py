"""Phones follow a busy table: the delay from a change to the browser's socket, and what the server takes.

    python -m tests.bench.web_viewers [VIEWERS] [SECONDS]

The server runs in a process of its own; a card is laid every half second. It stands beside the same with one viewer. It
judges no figure.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass

from tests.bench.memory import resident_mb
from tests.bench.rows import Row, show

STEP_S = 0.5
CARDS = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"]
JOIN = {"code": "ABCD2345"}


def serve_busy_table(seconds: float) -> None:
    """The server's process: says where it is, waits for a line, plays, says what it used."""
    from firmware.web.app import create_app
    from firmware.web.fake_source import FakeArchive, FakeTable
    from firmware.web.security import Keys, Security
    from firmware.web.server import serve

    table = FakeTable()
    security = Security(Keys(JOIN["code"], {}, "0", b"k" * 32))
    with serve(create_app(table.board, FakeArchive(table), security), port=0) as running:
        print(running.url, flush=True)
        sys.stdin.readline()
        began_s = time.process_time()
        for step in range(int(seconds / STEP_S)):
            if step % len(CARDS) == 0:
                table.act({"do": "start", "game": "fan_tan", "seats": ["Ann", "Bo", "Cy", "Di"], "dealer": 4}, None)  # type: ignore[arg-type]
            table.lay(CARDS[step % len(CARDS)])
            table.board.publish(title=f"at {time.monotonic():.6f}")
            time.sleep(STEP_S)
        print(f"{resident_mb():.1f} {time.process_time() - began_s:.3f}", flush=True)


async def watch(url: str, viewers: int, begin: asyncio.Event) -> list[float]:
    """The delays, in seconds, of everything that ``viewers`` readers were sent."""
    delays: list[float] = []
    port = int(url.rpartition(":")[2])
    cookies = [await asyncio.to_thread(_join, url) for _ in range(viewers)]
    readers = [asyncio.create_task(_read(port, cookie, delays)) for cookie in cookies]
    await asyncio.sleep(2)
    begin.set()
    await asyncio.gather(*readers, return_exceptions=True)
    return sorted(delays)


async def _read(port: int, cookie: str, delays: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    writer.write(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode())
    while line := await reader.readline():
        if b'"title":"at ' in line:
            delays.append(time.monotonic() - float(line.split(b'"title":"at ')[1].split(b'"')[0]))
    writer.close()


def _join(url: str) -> str:
    head = {"content-type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/api/join", json.dumps(JOIN).encode(), head)) as answer:
        return str(answer.headers["set-cookie"].partition(";")[0])


@dataclass(frozen=True, slots=True)
class Figures:
    """Delays of all messages in ms, the server's memory at the end in MB, and its share of one core in per cent."""

    delays_ms: tuple[float, ...]
    memory_mb: float
    core_share: float


async def measure(viewers: int, seconds: float) -> Figures:
    """So many viewers for so long."""
    command = [sys.executable, "-m", "tests.bench.web_viewers", "--serve", str(seconds)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin
    assert server.stdout
    url = server.stdout.readline().strip()
    begin = asyncio.Event()
    watching = asyncio.create_task(watch(url, viewers, begin))
    await begin.wait()
    server.stdin.write("go\n")
    server.stdin.flush()
    delays = await watching
    memory, cpu_s = server.stdout.readline().split()
    server.wait()
    return Figures(tuple(1000 * delay for delay in delays), float(memory), 100 * float(cpu_s) / seconds)


def rows(viewers: int, seconds: float) -> Iterator[Row]:
    """The page's part of the table."""
    many, one = (asyncio.run(measure(count, seconds)) for count in (viewers, 1))
    slow_ms = [sorted(f.delays_ms)[int(0.95 * (len(f.delays_ms) - 1))] for f in (many, one)]
    name, peer = f"{viewers} viewers", "one viewer"
    yield Row("page", f"change to browser, {name}, by the clock, ms", many.delays_ms, peer, one.delays_ms)
    yield Row("page", f"the slowest of twenty, {name}, ms", (slow_ms[0],), peer, (slow_ms[1],))
    yield Row("page", f"the server's memory, {name}, MB", (many.memory_mb,), peer, (one.memory_mb,))
    yield Row("page", f"the server's share of one core, {name}, %", (many.core_share,), peer, (one.core_share,))


def main() -> None:
    """Command line of the bench."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.web_viewers", description=__doc__)
    options.add_argument("viewers", nargs="?", type=int, default=50)
    options.add_argument("seconds", nargs="?", type=float, default=20.0)
    options.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    given = options.parse_known_args()[0]
    if given.serve is not None:
        serve_busy_table(given.serve)
    else:
        show(rows(given.viewers, given.seconds))


if __name__ == "__main__":
    main()
