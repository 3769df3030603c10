"""Fifty phones follow a busy table for a minute: the delay from a change to the reader, and the server's memory.

    python -m tests.bench.web_viewers [VIEWERS] [SECONDS]

The server runs in a process of its own; a card is laid every half second. Not a test: it prints figures.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import urllib.request

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
        print(running.url, _memory_mb(), flush=True)
        sys.stdin.readline()
        for step in range(int(seconds / STEP_S)):
            if step % len(CARDS) == 0:
                table.act({"do": "start", "game": "fan_tan", "seats": ["Ann", "Bo", "Cy", "Di"], "dealer": 4}, None)  # type: ignore[arg-type]
            table.lay(CARDS[step % len(CARDS)])
            table.board.publish(title=f"at {time.monotonic():.6f}")
            time.sleep(STEP_S)
        print(_memory_mb(), f"{time.process_time():.2f}", flush=True)


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


def _memory_mb() -> int:
    with open("/proc/self/status", encoding="ascii") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) // 1024


async def _measure(viewers: int, seconds: float) -> None:
    command = [sys.executable, "-m", "tests.bench.web_viewers", "serve", str(seconds)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin
    assert server.stdout
    url, memory = server.stdout.readline().split()
    begin = asyncio.Event()
    watching = asyncio.create_task(watch(url, viewers, begin))
    await begin.wait()
    server.stdin.write("go\n")
    server.stdin.flush()
    delays = await watching
    after, cpu_s = server.stdout.readline().split()
    server.wait()
    p50, p95, p99 = (1000 * delays[int(share * (len(delays) - 1))] for share in (0.5, 0.95, 0.99))
    print(f"{viewers} viewers, {len(delays)} messages: p50 {p50:.1f} p95 {p95:.1f} p99 {p99:.1f} ms")
    print(f"server: {memory} MB at start, {after} MB after, {cpu_s} s of processor time in {seconds:.0f} s")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["serve"]:
        serve_busy_table(float(arguments[1]))
    else:
        asyncio.run(_measure(int((arguments or ["50"])[0]), float((arguments[1:] or ["60"])[0])))
