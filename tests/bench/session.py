"""A session at the table: what is told, how soon and for how much processor: ``python -m tests.bench.session``.

Ours is the whole of perception on every frame. Beside it stands what people build first: detect the cards in every
frame, and call one laid once it has been seen long enough. That knows no hands, no seats, nothing turned or taken; so
only laid cards are compared. It judges no figure.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import cv2

from firmware.perception import Perception
from firmware.referee.events import Laid
from firmware.simulator.camera import SimulatedCamera
from firmware.simulator.session import Session, plan
from tests.bench import yolo
from tests.bench.perception import config_of
from tests.bench.rows import Row, show
from vision.frames import Frame
from vision.reader import Reader

RATES_HZ = (15.0, 30.0)
#: Games in which nearly every act lays a card, each with a seed: another pack, table and room.
SESSIONS: Mapping[str, int] = {"sevens": 3, "five_or_nine": 8, "snip_snap_snorem": 13}
#: What people do in each session: about 20 seconds of play.
MOVES = 12
#: A detector's card is told once it was in all frames of so long, s.
STEADY_S = 0.2
#: A card is told in time from so long before it came to rest (the hand may hide that), and until so long after, s.
EARLY_S, LATE_S = 0.6, 2.0


@dataclass(frozen=True, slots=True)
class Told:
    """A card said to be laid, at a frame's time."""

    card: str
    at_s: float


Watcher = Callable[[Frame], Iterable[str]]
"""Sees every frame in order, and tells the cards laid that it has become sure of."""


@dataclass(slots=True)
class Outcome:
    """What a watcher told of sessions, against what happened, and what its frames cost."""

    laid: int = 0
    delays_s: list[float] = field(default_factory=list)
    false: int = 0
    frame_ms: list[float] = field(default_factory=list)

    def add(self, session: Session, told: list[Told], frame_ms: list[float]) -> None:
        """One more session; each laid card is told once at most, in time."""
        self.frame_ms += frame_ms
        left = list(told)
        for truth in session.timeline.truth:
            if truth.get("fact") != "laid" or truth.get("card") == "back" or truth.get("optional"):
                continue
            self.laid += 1
            window = truth.get("rest", truth["t"]) - EARLY_S, truth["t"] + LATE_S
            same = next((t for t in left if t.card == truth["card"] and window[0] <= t.at_s <= window[1]), None)
            if same is not None:
                left.remove(same)
                self.delays_s.append(same.at_s - truth["t"])
        self.false += len(left)

    def share(self, rate_hz: float) -> float:
        """Per cent of one core at so many frames a second."""
        return sum(self.frame_ms) / len(self.frame_ms) * rate_hz / 10


def watched(session: Session, rate_hz: float, watcher: Watcher) -> tuple[list[Told], list[float]]:
    """What a watcher tells of a session, and the milliseconds of processor that each frame took."""
    told, spent_ms = [], []
    for frame in SimulatedCamera.over(session, rate_hz):
        began = time.process_time_ns()
        cards = list(watcher(frame))
        spent_ms.append((time.process_time_ns() - began) / 1e6)
        told += [Told(card, frame.seconds) for card in cards]
    return told, spent_ms


def ours(session: Session, reader: Reader) -> Watcher:
    """All of perception; a back laid down is no card told."""
    perception = Perception(config_of(session), reader, session.view.size_px)

    def see(frame: Frame) -> Iterator[str]:
        for one in perception.see(frame):
            if isinstance(one.fact, Laid) and len(str(one.fact.card)) == 2:
                yield str(one.fact.card)

    return see


def every_frame(detect: Callable[[Any], Iterable[str]], rate_hz: float) -> Watcher:
    """Detect in each frame; a card is told once, when it was there for `STEADY_S`, unless it was from the start."""
    wanted, seen, told = round(STEADY_S * rate_hz), dict[str, int](), set[str]()

    def see(frame: Frame) -> Iterator[str]:
        there = set(detect(frame.image))
        for card in list(seen):
            if card not in there:
                del seen[card]
        for card in sorted(there):
            seen[card] = seen.get(card, 0) + 1
            if seen[card] == wanted and card not in told:
                told.add(card)
                if frame.seconds > 2 * STEADY_S:
                    yield card

    return see


def outcome(make: Callable[[Session], Watcher], rate_hz: float, games: Mapping[str, int] = SESSIONS) -> Outcome:
    """A watcher's outcome over the sessions of these games and seeds."""
    found = Outcome()
    for game, seed in games.items():
        session = plan(game, seed=seed, max_moves=MOVES)
        found.add(session, *watched(session, rate_hz, make(session)))
    return found


def rows() -> Iterator[Row]:
    """The session's part of the table. What detecting costs a frame does not depend on the rate, so one rate is run."""
    cv2.setNumThreads(1)
    reader, slow = Reader.load(), RATES_HZ[0]
    found = {rate: outcome(lambda session: ours(session, reader), rate) for rate in RATES_HZ}
    peers = {"our reader on every frame": (lambda session: every_frame(_reading(reader, session), slow), True)}
    if yolo.FILE.exists():
        network = yolo.Yolo.load()
        peers["YOLO-nano on every frame"] = (lambda session: every_frame(network.read, slow), network.reads)
    else:
        print("YOLO-nano: not trained here, so left out (make bench-yolo)")
    fast, steady = (tuple(found[rate].delays_s) for rate in reversed(RATES_HZ))
    yield Row("session", "told after the hand has gone, at 30 frames a second, s", fast, "at 15", steady)
    for name, (make, reads) in peers.items():
        beside = outcome(make, slow)
        if reads:
            yield from _compared(found[slow], name, beside)
        yield from _shares(found, name, beside)


def _reading(reader: Reader, session: Session) -> Callable[[Any], Iterable[str]]:
    """Our reader without the tracker, told the cards' size."""
    card_px = session.view.px_per_mm * config_of(session).card_w_mm
    return lambda image: [one.card for one in reader.read(image, card_px) if len(one.card) == 2]


def _compared(first: Outcome, name: str, beside: Outcome) -> Iterator[Row]:
    right = [100 * len(one.delays_s) / one.laid for one in (first, beside)]
    false = [one.false / len(SESSIONS) for one in (first, beside)]
    yield Row("session", f"laid cards told, % of {first.laid}", (right[0],), name, (right[1],))
    yield Row("session", "told that was not laid, a session", (false[0],), name, (false[1],))
    yield Row("session", "told after the hand has gone, s", tuple(first.delays_s), name, tuple(beside.delays_s))


def _shares(found: dict[float, Outcome], name: str, beside: Outcome) -> Iterator[Row]:
    for rate, one in found.items():
        what = f"of one core at {rate:.0f} frames a second, %"
        yield Row("session", what, (one.share(rate),), name, (beside.share(rate),))


def main() -> None:
    """Print the rows."""
    show(rows())


if __name__ == "__main__":
    main()
