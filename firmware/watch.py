"""Judge a recording: its frames and presses become entries in the order they happened, and the referee speaks.

Opens table.toml, game.toml, the video (or frames) and presses.jsonl of the folder, and nothing else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from .config import ConfigError, load_game, load_table
from .perception import Camera, CardReader, Perception, recorded
from .referee.events import (
    Conflict,
    Corrected,
    Cut,
    Entry,
    Exchanged,
    Fact,
    Gathered,
    Laid,
    Press,
    Pressed,
    TakenBack,
    TurnedDown,
    to_json,
)
from .referee.match import Match
from .referee.rulings import Ruling
from .seating import Observation

_CONTRACT: Final = (Laid, TakenBack, TurnedDown, Gathered, Exchanged, Cut, Pressed, Corrected)
"""The facts of the table contract; what else is entered is printed as a note."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A press as the recording has it."""

    t: float
    fact: Pressed


@dataclass(slots=True)
class Log:
    """Numbers entries and has them judged."""

    match: Match
    number: int = 0
    laid: dict[int, int] = field(default_factory=dict)
    """The entry that laid each of the tracker's cards."""
    shown: dict[str, int] = field(default_factory=dict)
    """The entry that last laid each face."""

    def press(self, told: _Told, at: float) -> Iterator[dict[str, Any]]:
        """Enter a press."""
        yield from self._enter(Entry(self.number, told.fact, told.t, at, source="button"))

    def observe(self, seen: Observation) -> Iterator[dict[str, Any]]:
        """Enter what the camera saw."""
        fact = self._referring(seen)
        if fact is None:
            return
        if isinstance(fact, Laid):
            if seen.card_id is not None:
                self.laid[seen.card_id] = self.number
            self.shown[str(fact.card)] = self.number
        entry = Entry(self.number, fact, seen.t, seen.at, seen.confidence, seen.seat_confidence, source="camera")
        yield from self._enter(entry)

    def _referring(self, seen: Observation) -> Fact | None:
        """The fact with the numbers of the entries that it speaks of."""
        if seen.corrects is not None:
            target = self.laid.get(seen.corrects)
            why = "the card could be read later"
            return None if target is None else Corrected(target, self._again(target, seen.fact), "camera", why)
        if isinstance(seen.fact, Conflict):
            first = self.shown.get(str(seen.fact.card))
            return Conflict(seen.fact.card, () if first is None else (first,), seen.fact.seat)
        return seen.fact

    def _again(self, target: int, fact: Fact) -> Fact:
        """The corrected fact, by the hand that was seen at the time."""
        old = next((e.fact for e in self.match.entries if e.number == target), None)
        if isinstance(old, Laid) and isinstance(fact, Laid):
            return Laid(fact.card, old.zone, old.seat)
        return fact

    def _enter(self, entry: Entry) -> Iterator[dict[str, Any]]:
        rulings = self.match.add(entry)
        self.number += 1
        yield _fact_line(entry)
        for ruling in rulings:
            yield _ruling_line(entry, ruling)


def watch(recording: Path, reader: CardReader) -> Iterator[dict[str, Any]]:
    """What is seen and said in a recording, line by line in the form of the table contract; the result comes last.

    :raises ConfigError: if table.toml, game.toml or presses.jsonl cannot be used.
    :raises OSError: if the frames cannot be read. Both messages are one line with the remedy.
    """
    table = load_table(recording / "table.toml")
    match = Match(load_game(recording / "game.toml"))
    presses = load_presses(recording / "presses.jsonl", len(match.setup.seats))
    camera = recorded(recording)
    perception = Perception(table, reader, camera.size_px)
    return _watch(camera, perception, presses, match)


def _watch(camera: Camera, perception: Perception, presses: list[_Told], match: Match) -> Iterator[dict[str, Any]]:
    log, waiting, now = Log(match), list(presses), 0.0
    for ruling in match.opening:
        yield {"t": 0.0, **ruling.to_json()}
    try:
        while (frame := camera.read()) is not None:
            now = frame.seconds
            for seen in perception.see(frame):
                yield from _presses_before(log, waiting, seen.t, now)
                yield from log.observe(seen)
            yield from _presses_before(log, waiting, perception.settled_until(), now)
    finally:
        camera.close()
    yield from _presses_before(log, waiting, math.inf, now)
    yield {"result": match.result()}


def _presses_before(log: Log, waiting: list[_Told], t: float, now: float) -> Iterator[dict[str, Any]]:
    while waiting and waiting[0].t <= t:
        yield from log.press(waiting.pop(0), now)


def load_presses(path: Path, seats: int) -> list[_Told]:
    """The presses of a recording in order of time; a recording without the file has none.

    :raises ConfigError: naming the line that is no press of one of the ``seats``.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); copy it again") from None
    presses = [_press(line, f"{path}, line {n}", seats) for n, line in enumerate(lines, 1) if line.strip()]
    return sorted(presses, key=lambda told: told.t)


def _press(line: str, where: str, seats: int) -> _Told:
    wanted = f'{{"t": seconds, "seat": 1..{seats}, "press": "short" or "long"}}'
    try:
        data = json.loads(line)
        t, seat, press = float(data["t"]), data["seat"], Press(data["press"])
    except (ValueError, KeyError, TypeError):
        raise ConfigError(f"{where}: is no press; wanted {wanted}") from None
    if not (math.isfinite(t) and type(seat) is int and 1 <= seat <= seats):
        raise ConfigError(f"{where}: is no press; wanted {wanted}")
    return _Told(t, Pressed(seat, press))


def _fact_line(entry: Entry) -> dict[str, Any]:
    data = to_json(entry.fact)
    if not isinstance(entry.fact, _CONTRACT):
        data = {"note": data.pop("fact"), **data}
    line = {"t": round(entry.t, 3), "at": round(entry.at, 3), "entry": entry.number, **data}
    if entry.source == "camera":
        line["confidence"] = round(entry.confidence, 3)
        line["seat_confidence"] = round(entry.seat_confidence, 3)
    return line


def _ruling_line(entry: Entry, ruling: Ruling) -> dict[str, Any]:
    return {"t": round(entry.t, 3), **ruling.to_json()}
