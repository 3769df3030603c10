"""A hall of a hundred tables for two minutes on a real Mosquitto: messages a second, delay from table to hub, CPU.

    python -m tests.bench.club_hall [TABLES] [SECONDS] [--storm]

Each table lays a card or presses every second on average; tables, hub and broker are processes of their own.
``--storm``: the broker is killed three times and the network is cut twice meanwhile. At the end the hub's ledgers are
compared with the tables' own, to the counter. Not a test: it prints figures, and ends with 1 if a counter differs.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Any

from firmware.club.database import Database
from tests.club.broker import cpu_s, mosquitto
from tests.club.proxy import Proxy
from tests.club.tables import ClubTable

#: One act a table and second: three times the pace of a brisk game.
EVERY_S = 1.0
#: After the last card the tables may take so long until the hub has everything, in seconds.
PATIENCE_S = 120.0
MEMORY = "/dev/shm"
#: Tables in one process: its files and sockets stay below the 1,024 that `select` (and so paho-mqtt) can watch.
TABLES_EACH = 25


def play(folder: str, broker: str, first: int, tables: int, seconds: float) -> None:
    """The tables' process: says when they are connected, waits for a line, plays, says what they came to."""
    hall = [ClubTable(f"t{n}", Path(folder) / f"t{n}", n).open(broker) for n in range(first, first + tables)]
    for one in hall:
        one.begin()
    print("ready", flush=True)
    sys.stdin.readline()
    begun, facts, dice = time.monotonic(), 0, random.Random(first)
    due = sorted((begun + dice.random() * EVERY_S, n) for n in range(tables))
    while due[0][0] < begun + seconds:
        at, n = due.pop(0)
        time.sleep(max(0.0, at - time.monotonic()))
        hall[n].fact()
        facts += 1
        due.append((at + EVERY_S, n))
    late_s = time.monotonic() - begun - seconds
    end = time.monotonic() + PATIENCE_S
    while any(_lacking(one) for one in hall) and time.monotonic() < end:
        time.sleep(0.05)
    caught_up_s = time.monotonic() - begun - seconds
    ledgers = {"/".join(map(str, key)): value for one in hall for key, value in one.ledgers().items()}
    lines = sum(one.lines() for one in hall)
    told = {"facts": facts, "lines": lines, "late_s": late_s, "caught_up_s": caught_up_s, "ledgers": ledgers}
    print(json.dumps(told), flush=True)
    sys.stdin.readline()
    for one in hall:
        one.close()


def _lacking(one: ClubTable) -> bool:
    return one.teller is None or not one.teller.sender.hub or bool(one.teller.sender.lacking)


def start(*words: str) -> subprocess.Popen[str]:
    """A process of this program that talks by lines."""
    return subprocess.Popen(
        [sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )


def said(process: subprocess.Popen[str], word: str) -> str:
    """The next line that holds a word."""
    assert process.stdout
    for line in process.stdout:
        if word in line:
            return line
    raise SystemExit(f"a process ended without saying {word!r}")


def tell(processes: list[subprocess.Popen[str]], word: str) -> None:
    """A line to each."""
    for process in processes:
        assert process.stdin
        process.stdin.write(f"{word}\n")


def together(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """What the tables' processes say, as one."""
    out = {name: sum(part[name] for part in parts) for name in ("facts", "lines")}
    out |= {name: max(part[name] for part in parts) for name in ("late_s", "caught_up_s")}
    return {**out, "ledgers": {key: value for part in parts for key, value in part["ledgers"].items()}}


def storm(broker: Any, proxy: Proxy, seconds: float) -> Iterator[str]:
    """Three killed brokers and two cut networks, spread over the time."""
    for step in range(5):
        time.sleep(seconds / 6)
        if step in (1, 3):
            proxy.cut(silent=step == 3)
            yield "network cut"
            time.sleep(3)
            proxy.join()
        else:
            broker.kill()
            yield "broker killed"
            time.sleep(2)
            broker.start()


def main(tables: int, seconds: float, stormy: bool) -> int:
    """Run it; 1 if the hub has another counter than a table."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=MEMORY, prefix="cardtable-hall-"))
        broker = stack.enter_context(mosquitto(Path(folder), "allow_anonymous true", "max_queued_messages 10000"))
        proxy = Proxy(broker.port)
        stack.callback(proxy.close)
        there = proxy.url if stormy else broker.url
        database = str(Path(folder) / "hub.db")
        hub = start("-m", "firmware.cli", "hub", "--broker", broker.url, "--database", database, "--port", "0")
        stack.callback(hub.wait)
        stack.callback(hub.terminate)
        said(hub, "kept")
        words = ("-m", "tests.bench.club_hall", "play", folder, there)
        parts = range(0, tables, TABLES_EACH)
        halls = [start(*words, str(first), str(min(TABLES_EACH, tables - first)), str(seconds)) for first in parts]
        for hall in halls:
            stack.callback(hall.kill)
            said(hall, "ready")
        time.sleep(3)
        processes = {"hub": [hub], "tables": halls}
        before = {name: sum(cpu_s(one.pid) for one in several) for name, several in processes.items()}
        tell(halls, "go")
        begun = time.monotonic()
        broker_cpu = broker.cpu_s()
        if stormy:
            events: list[str] = []
            weather = Thread(target=lambda: events.extend(storm(broker, proxy, seconds)))
            weather.start()
            stack.callback(weather.join)
        told = together([json.loads(said(hall, "{")) for hall in halls])
        took_s = time.monotonic() - begun
        used = {name: sum(cpu_s(one.pid) for one in several) - before[name] for name, several in processes.items()}
        if not stormy:
            used["broker"] = broker.cpu_s() - broker_cpu
        tell(halls, "end")
        return report(told, Database(database), used, took_s, events if stormy else [])


def report(told: dict[str, Any], database: Database, used: dict[str, float], took_s: float, events: list[str]) -> int:
    """Print what was found; 1 if a counter differs."""
    kept = {"/".join(map(str, key)): list(value) for key, value in database.ledgers().items()}
    delays = sorted(ns / 1e6 for ns in database.delays_ns())
    database.close()
    p50, p95, p99, worst = (delays[int(share * (len(delays) - 1))] for share in (0.5, 0.95, 0.99, 1.0))
    print(f"{told['facts']} facts in {took_s:.0f} s, {len(delays)} lines at the hub of {told['lines']} at the tables")
    print(f"{len(delays) / took_s:.0f} bulletins a second; table to hub p50 {p50:.0f} p95 {p95:.0f} p99 {p99:.0f} ms")
    print(
        f"slowest {worst:.0f} ms; all told {told['caught_up_s']:.1f} s after the last card (late {told['late_s']:.1f})"
    )
    print("processor: " + ", ".join(f"{name} {100 * s / took_s:.1f} %" for name, s in sorted(used.items())))
    if events:
        print("meanwhile: " + ", ".join(events))
    same = kept == told["ledgers"] and len(delays) == told["lines"]
    print(
        f"{len(kept)} ledgers at the hub, {'equal to the tables to the counter' if same else 'NOT those of the tables'}"
    )
    return 0 if same else 1


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["play"]:
        play(words[1], words[2], int(words[3]), int(words[4]), float(words[5]))
    else:
        numbers = [word for word in words if not word.startswith("--")]
        sys.exit(main(int((numbers or ["100"])[0]), float((numbers[1:] or ["120"])[0]), "--storm" in words))
