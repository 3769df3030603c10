"""All items judged again, here one after the other or on a Dask cluster; each outcome is kept as it comes.

Stopped at any moment, the next run goes on with what is left: an outcome belongs to its item as it was, its order and
this program's version. The only importer of Dask.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Final

from firmware.config import ConfigError
from firmware.journal.chain import canonical

from .items import Item, ItemKind
from .judge import Outcome, judge_item
from .orders import Order

PARTS: Final = "parts"
PICTURES: Final = "hard"
#: How long a scheduler may take to answer, in seconds.
PATIENCE_S: Final = 15

#: glibc's mallopt(3): from how much on freed memory is given back, and asked for from the system directly.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
#: 32 MB, the most that glibc takes for the latter: a dozen frames.
_KEPT_BYTES: Final = 32 << 20

Pool = Callable[[Sequence[Item], Order], Iterator[Outcome]]


def key_of(item: Item, order: Order) -> str:
    """The name of an outcome's file: another one for every item, state of it, and order."""
    return hashlib.sha256(canonical([asdict(item), asdict(order)]).encode()).hexdigest()[:24]


def judge_all(
    items: Sequence[Item], order: Order, folder: Path, pool: Pool, done: Callable[[Outcome], Any]
) -> list[Outcome]:
    """The outcome of every item, in the order of the items. ``done`` is called with each, kept ones first.

    :raises OSError: if ``folder`` cannot be written, or the cluster is lost.
    """
    (folder / PARTS).mkdir(parents=True, exist_ok=True)
    outcomes: dict[str, Outcome] = {}
    for item in items:
        if (kept := _kept(folder, key_of(item, order))) is not None:
            outcomes[item.name] = kept
            done(kept)
    left = [item for item in items if item.name not in outcomes]
    keys = {item.name: key_of(item, order) for item in left}
    for outcome in pool(left, order):
        _keep(folder, keys[outcome.item], outcome)
        outcomes[outcome.item] = outcome
        done(outcome)
    return [outcomes[item.name] for item in items]


def here(items: Sequence[Item], order: Order) -> Iterator[Outcome]:
    """One after the other in this process."""
    for item in items:
        yield judge_item(item, order)


def cluster(address: str) -> Pool:
    """On the workers of a Dask scheduler. They see the same folders and have the same program installed.

    :raises ConfigError: if the library is not installed.
    """
    try:
        import distributed
    except ImportError:
        raise ConfigError("a cluster needs a library that is not installed: pip install 'cardtable[club]'") from None

    def on_workers(items: Sequence[Item], order: Order) -> Iterator[Outcome]:
        try:
            client = distributed.Client(address, timeout=PATIENCE_S, set_as_default=False)
        except (OSError, ValueError) as error:
            words = " ".join(str(error).split())[:120]
            raise OSError(f"scheduler {address}: {words}; start one with `dask scheduler`, or leave it out") from None
        with client:
            longest = sorted(items, key=lambda item: item.kind is not ItemKind.RECORDING)  # minutes; a session takes ms
            tasks = client.map(_on_worker, longest, order=order, pure=False)  # at once: dealt out as workers are free
            futures = dict(zip(tasks, longest, strict=True))
            for future in distributed.as_completed(list(futures), loop=client.loop):
                yield _result(future, futures[future])

    return on_workers


def _on_worker(item: Item, order: Order) -> Outcome:
    """One item, in a worker's process."""
    _keep_memory()
    return judge_item(item, order)


@cache
def _keep_memory() -> None:
    """Keep memory that was freed for the next frame, as in a process of our own.

    Dask starts its workers with MALLOC_TRIM_THRESHOLD_=65536: each freed frame (3 MB) goes back to the system and comes
    again page by page. Measured: 24 times as many page faults and 1.4 times the processor time for a recording.
    """
    with suppress(OSError, AttributeError):  # another C library: it does as it likes
        libc = ctypes.CDLL(None)
        for option in (_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD):
            libc.mallopt(option, _KEPT_BYTES)


def _result(future: Any, item: Item) -> Outcome:
    """What a worker made of an item; a result that died with its worker before it came here is worked out once more.

    An item that could not be run (it killed every worker that had it, or the cluster has gone) says so.
    """
    try:
        outcome: Outcome = future.result()
    except Exception as error:  # whatever a cluster can fail with: the item is in trouble, the others are not
        why = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        return Outcome(item.name, item.kind.value, trouble=f"no worker could judge it: {why}")
    future.release()
    return outcome


def _kept(folder: Path, key: str) -> Outcome | None:
    try:
        data = json.loads((folder / PARTS / f"{key}.json").read_text("utf-8"))
        return Outcome(**data)
    except (OSError, ValueError, TypeError):
        return None


def _keep(folder: Path, key: str, outcome: Outcome) -> None:
    """Write an outcome so that it is there whole or not at all; one with trouble is tried again next time."""
    if outcome.pictures:
        (folder / PICTURES).mkdir(exist_ok=True)
    for name, jpeg in outcome.pictures.items():
        (folder / PICTURES / name).write_bytes(jpeg)
    outcome.pictures = {}
    if outcome.trouble:
        return
    path = folder / PARTS / f"{key}.json"
    part = path.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps(asdict(outcome), ensure_ascii=False), "utf-8")
    part.replace(path)
