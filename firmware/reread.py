"""The settings read again while the table is on: what changed, and when each change counts.

Looks at table.toml and at the learnt pack, and judges the difference; whoever turns the loop puts it into effect.  A
file that says something wrong changes nothing: the table goes on as it was, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from .config import ConfigError, TableConfig

LOOK_EVERY_S: Final = 2.0
"""The files are looked at so often. A change counts once two looks agree: an editor may be half done."""


class When(StrEnum):
    """From when on a change counts; the value is said to people."""

    NOW = "in effect now"
    SESSION = "in effect from the next game on"
    RESTART = "restart to apply"


WHEN: Final[Mapping[str, When]] = {
    "[table]": When.SESSION,
    "[card]": When.SESSION,
    "[camera]": When.SESSION,
    "[[zone]]": When.SESSION,
    "[panel] say": When.NOW,
}
"""What need not wait for a restart. Cards of a game that is on keep the places and zones that they were seen with."""

PACK: Final = "the learnt pack"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is now said otherwise: ``what`` as people write it, and when it counts."""

    what: str
    when: When


def changes(old: TableConfig, new: TableConfig) -> tuple[Change, ...]:
    """What ``new`` says otherwise than ``old``, in the order of the file."""
    soonest = When.RESTART if _rewired(old, new) else When.NOW
    found = [Change(what, WHEN.get(what, When.RESTART)) for what in _differences(old, new)]
    if old.seats != new.seats:
        found.append(Change("the number of seats", When.SESSION))
    return tuple(replace(one, when=soonest) if _waits(one, soonest) else one for one in found)


def effective(old: TableConfig, new: TableConfig) -> TableConfig:
    """``new`` as far as it counts without a restart; all else as in ``old``."""
    say = {"say": new.panel["say"]} if "say" in new.panel else {}
    panel = {key: value for key, value in old.panel.items() if key != "say"} | say
    if _rewired(old, new):
        return replace(old, panel=panel)
    return replace(new, source=old.source, web=old.web, panel=panel, club=old.club)


def _rewired(old: TableConfig, new: TableConfig) -> bool:
    """Whether lights and buttons are open for another number of seats than the new zones have."""
    return old.seats != new.seats and old.panel.get("board", "none") != "none"


def _waits(change: Change, soonest: When) -> bool:
    return soonest is When.RESTART and change.when is When.SESSION


def _differences(old: TableConfig, new: TableConfig) -> Iterable[str]:
    yield from (name for name, value in _GEOMETRY.items() if value(old) != value(new))
    yield from _keys("source", _plain(old.source), _plain(new.source))
    yield from _keys("web", _plain(old.web), _plain(new.web))
    yield from _keys("panel", old.panel, new.panel)
    yield from _keys("club", _plain(old.club), _plain(new.club))


_GEOMETRY: Final[Mapping[str, Callable[[TableConfig], object]]] = {
    "[table]": lambda config: (config.width_mm, config.height_mm),
    "[card]": lambda config: (config.card_w_mm, config.card_h_mm),
    "[camera]": lambda config: config.camera,
    "[[zone]]": lambda config: config.zones,
}


def _keys(table: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterable[str]:
    names = dict.fromkeys([*old, *new])
    return (f"[{table}] {name}" for name in names if old.get(name) != new.get(name))


def _plain(settings: Any) -> dict[str, Any]:
    return {f.name: getattr(settings, f.name) for f in fields(settings)}


def words(found: Iterable[Change]) -> str:
    """One line for people: each thing once, those that count at once first."""
    by: dict[When, list[str]] = {when: [] for when in When}
    for change in found:
        by[change.when].append(change.what)
    return "; ".join(f"{', '.join(names)}: {when}" for when, names in by.items() if names)


@dataclass(frozen=True, slots=True)
class Reread:
    """What a look found: the settings to go on with (None if they cannot be used), the changes, a line for people."""

    config: TableConfig | None
    changes: tuple[Change, ...]
    words: str

    def any(self, when: When) -> bool:
        """Whether something counts from then on."""
        return any(change.when is when for change in self.changes)


@dataclass(slots=True)
class Watch:
    """Notices that the files changed. ``load`` gives the settings, or raises ConfigError; times are seconds.

    ``config``: the settings that the table goes by, against which those of the file are held.
    """

    config: TableConfig
    settings: Path
    pack: Path
    load: Callable[[], TableConfig]
    _looked_s: float = 0.0
    _known: tuple[object, ...] = field(init=False)
    _seen: tuple[object, ...] = field(init=False)

    def __post_init__(self) -> None:
        """What is there now is known."""
        self._known = self._seen = self._prints()

    def look(self, now_s: float, asked: bool = False) -> Reread | None:
        """What changed, None for nothing; at once if it is ``asked`` for, else when the files have come to rest."""
        if not asked and now_s - self._looked_s < LOOK_EVERY_S:
            return None
        self._looked_s = now_s
        before, self._seen = self._seen, self._prints()
        if not asked and (self._seen == self._known or self._seen != before):
            return None
        return self._read()

    def _read(self) -> Reread:
        pack = self._seen[1] != self._known[1]
        self._known = self._seen
        try:
            new = self.load()
        except (ConfigError, OSError) as error:
            return Reread(None, (), f"the settings were changed and cannot be used, those before stay: {error}")
        found = (*changes(self.config, new), *([Change(PACK, When.SESSION)] if pack else []))
        self.config = effective(self.config, new)
        return Reread(self.config, found, f"settings read again: {words(found) or 'nothing has changed'}")

    def _prints(self) -> tuple[object, ...]:
        return tuple(_print_of(path) for path in (self.settings, self.pack))


def _print_of(path: Path) -> object:
    """What tells a file from the one before it, None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
