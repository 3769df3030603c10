"""Judge a recording: its frames and presses become entries in the order they happened, and the referee speaks.

Opens table.toml, game.toml, the video (or frames) and presses.jsonl of the folder, and nothing else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vision.frames import length_of, rate_of
from vision.surface import SurfaceError

from .config import ConfigError, TableConfig, load_game, load_table
from .fitting import misfits
from .perception import Camera, CardReader, Perception, recorded, surface_of
from .referee.events import (
    Corrected,
    Cut,
    Entry,
    Exchanged,
    Gathered,
    Laid,
    Press,
    Pressed,
    TakenBack,
    TurnedDown,
    to_json,
)
from .referee.match import BadSetup, Match
from .referee.rulings import Ruling
from .seen import Seen
from .sequence import Sequencer
from .trace import Trace

_CONTRACT: Final = (Laid, TakenBack, TurnedDown, Gathered, Exchanged, Cut, Pressed, Corrected)
"""The facts of the table contract; what else is entered is printed as a note."""


_AFTER_S: Final = 10.0
"""A press may come so long after the last picture: a film that was cut a little short is judged all the same."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A press as the recording has it."""

    t: float
    fact: Pressed


def watch(recording: Path, reader: CardReader, trace: Path | None = None) -> Iterator[dict[str, Any]]:
    """What is seen and said in a recording, line by line in the form of the table contract; the result comes last.

    ``trace``: a film of it is written there (MP4).

    :raises ConfigError: if table.toml, game.toml or presses.jsonl cannot be used.
    :raises OSError: if the frames cannot be read, or the film not written. All messages are one line with the remedy.
    """
    _look_like_recording(recording)
    table = load_table(recording / "table.toml")
    try:
        match = Match(load_game(recording / "game.toml"))
    except BadSetup as error:
        raise ConfigError(f"{recording / 'game.toml'}: {error}") from None
    presses = load_presses(recording / "presses.jsonl", len(match.setup.seats))
    camera = recorded(recording)
    _fit(recording, table, match.setup.seats, camera.size_px)
    if presses and presses[-1].t > (end_s := length_of(camera)) + _AFTER_S:
        words = f"a press at {presses[-1].t:g} s, the pictures end at {end_s:.1f} s; mend or remove the line"
        raise ConfigError(f"{recording / 'presses.jsonl'}: {words}")
    perception = Perception(table, reader, camera.size_px)
    _look_like_film(trace)
    if trace is None:
        return watch_frames(camera, perception, presses, match)
    video = recording / "video.mp4"
    if trace.resolve() == video.resolve():
        raise ConfigError(f"{trace}: is the recording itself; name another file")
    film = Trace.open(trace, camera.size_px, rate_of(camera), match.setup.seats)
    return watch_frames(camera, perception, presses, match, film)


def _look_like_recording(folder: Path) -> None:
    """:raises ConfigError: if it is no folder that holds what a recording must."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: is no folder; give the recording's folder")
    lacking = [name for name in ("table.toml", "game.toml") if not (folder / name).exists()]
    if lacking:
        why = f"lacks {' and '.join(lacking)}" if folder.exists() else "is not there"
        raise ConfigError(f"{folder}: {why}; give a folder that `cardtable play --record` wrote")


def _look_like_film(trace: Path | None) -> None:
    """:raises ConfigError: if something else than a film would be overwritten."""
    if trace is not None and trace.exists() and trace.suffix.lower() != ".mp4":
        raise ConfigError(f"{trace}: is there and is no film; name a file that ends in .mp4")


def _fit(recording: Path, table: TableConfig, seats: Sequence[str], size_px: tuple[int, int]) -> None:
    """:raises ConfigError: with all that does not fit, in one line."""
    file = recording / "table.toml"
    try:
        faults = list(misfits(table, surface_of(table), seats, size_px))
    except SurfaceError as error:
        raise ConfigError(f"{file}: {error}") from None
    if faults:
        raise ConfigError(f"{file}: {'; '.join(faults)}")


def watch_frames(
    camera: Camera, perception: Perception, presses: list[_Told], match: Match, film: Trace | None = None
) -> Iterator[dict[str, Any]]:
    """As `watch`, of any camera that ends; it is closed then. ``presses`` are those of the whole recording."""
    lines = [{"t": 0.0, **ruling.to_json()} for ruling in match.opening]

    def enter(seen: Seen) -> Entry:
        number = len(match.entries)
        entry = Entry(number, seen.fact, seen.t, seen.at, seen.confidence, seen.seat_confidence, seen.source)
        rulings = match.add(entry)
        lines.extend([_fact_line(entry), *(_ruling_line(entry, ruling) for ruling in rulings)])
        return entry

    try:
        for now in observe(camera, perception, presses, enter):
            if film is not None:
                film.frame(perception, now, lines)
            yield from lines
            lines.clear()
    finally:
        if film is not None:
            film.close()
    yield {"result": match.result()}


def observe(
    camera: Camera,
    perception: Perception,
    presses: list[_Told],
    enter: Callable[[Seen], Entry],
    *,
    pictures: bool = False,
) -> Iterator[float]:
    """Give all that is seen and pressed to ``enter`` in order; after each frame its time in seconds, and at the end.

    The camera is closed then. ``pictures``: whether what is seen comes with its pictures.
    """
    sequencer, now = Sequencer(perception, enter, pictures=pictures), 0.0
    for told in presses:
        sequencer.press(told.fact, told.t)
    try:
        while (frame := camera.read()) is not None:
            now = frame.seconds
            sequencer.frame(frame)
            yield now
    finally:
        camera.close()
    sequencer.finish(now)
    yield now


def pressed(t: float, seat: int, press: str) -> _Told:
    """A press at ``t`` seconds."""
    return _Told(t, Pressed(seat, Press(press)))


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
    wanted = f'{{"t": seconds from 0 on, "seat": 1..{seats}, "press": "short" or "long"}}'
    try:
        data = json.loads(line)
        t, seat, press = float(data["t"]), data["seat"], Press(data["press"])
    except (ValueError, KeyError, TypeError):
        raise ConfigError(f"{where}: is no press; wanted {wanted}") from None
    if not (0 <= t < math.inf and type(seat) is int and 1 <= seat <= seats):
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
