"""The two files of the table contract: ``table.toml`` (geometry and settings) and ``game.toml`` (what is played).

Reads and checks them, all errors of a file at once, each with its place and its remedy.  Knows no rules: whether a
house rule exists is the referee's to say.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from platformdirs import user_config_path, user_data_path

from .panel.config import panel_faults
from .referee.match import Setup
from .toml_text import line_of, parsed, quoted, text_of

Point = tuple[float, float]

#: A table's name in a club: part of a topic, so no slash, plus or hash; the hub's own topics are under "hub".
TABLE_NAME = re.compile(r"(?!hub$)[a-z0-9][a-z0-9-]{0,31}")


class ConfigError(ValueError):
    """A settings file that cannot be used. The message names the file, what is wrong and the remedy."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where the table lies in the picture: the same places in pixels and in millimetres.

    ``matrix`` (3x3, row by row) and ``distortion`` (k1, k2, p1, p2, k3) describe the lens; empty means none.
    """

    picture: tuple[Point, ...]
    table: tuple[Point, ...]
    matrix: tuple[float, ...] = ()
    distortion: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Zone:
    """A named part of the table: ``seat-1`` .. ``seat-N``, ``layout`` or ``stock``; polygon in mm."""

    name: str
    polygon: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The players' page. ``host`` is the address to listen at; ``lan`` is this machine's own on the local network.

    ``everywhere`` allows a host that means every network at once (``0.0.0.0``).
    """

    host: str = "127.0.0.1"
    port: int = 8080
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """Which camera: ``kind`` is picamera2, usb or recording; ``device`` a number or path; size in pixels."""

    kind: str = "picamera2"
    device: str = "0"
    width: int = 2304
    height: int = 1296
    fps: float = 15.0
    mains_hz: int = 50


@dataclass(frozen=True, slots=True)
class ClubSettings:
    """The club whose hub this table tells its sessions; nothing is told while ``table`` is empty.

    ``table``: this table's name in the club. ``broker``: ``mqtt://host:1883`` or ``mqtts://host:8883``. ``user`` and
    ``password_file``: what the broker asks for. ``ca``: the PEM file of the authority that signed the broker's
    certificate (empty: those of the system). ``discovery``: Home Assistant's topic, empty for none.
    """

    table: str = ""
    broker: str = "mqtt://127.0.0.1:1883"
    user: str = ""
    password_file: str = ""
    ca: str = ""
    discovery: str = "homeassistant"


@dataclass(frozen=True, slots=True)
class TableConfig:
    """Everything ``table.toml`` says. Lengths in mm, pictures in pixels; see the table contract."""

    width_mm: float
    height_mm: float
    card_w_mm: float
    card_h_mm: float
    camera: Calibration
    zones: tuple[Zone, ...]
    web: WebSettings = field(default_factory=WebSettings)
    source: CameraSettings = field(default_factory=CameraSettings)
    panel: Mapping[str, Any] = field(default_factory=dict)
    club: ClubSettings = field(default_factory=ClubSettings)

    def zone(self, name: str) -> Zone:
        """The zone called ``name``.

        :raises KeyError: if the table has no such zone.
        """
        for zone in self.zones:
            if zone.name == name:
                return zone
        raise KeyError(name)

    @property
    def seats(self) -> int:
        """How many seats have a zone."""
        return sum(zone.name.startswith("seat-") for zone in self.zones)


def data_folder() -> Path:
    """Where sessions and their pictures are kept: ``$CARDTABLE_DATA`` or the user's data folder."""
    return Path(os.environ.get("CARDTABLE_DATA") or user_data_path("cardtable"))


def config_folder() -> Path:
    """Where ``table.toml`` is kept: ``$CARDTABLE_CONFIG`` or the user's configuration folder."""
    return Path(os.environ.get("CARDTABLE_CONFIG") or user_config_path("cardtable"))


def load_table(path: Path) -> TableConfig:
    """The table file at ``path``.

    :raises ConfigError: if it is missing, is no TOML, or any value does not fit; all faults in one line.
    """
    data, text = _read_toml(path, "make one with `cardtable mat`, then `cardtable calibrate`")
    read = _Reader(data, {"table", "card", "camera", "zone", "web", "panel", "source", "club"})
    table, card, camera = read.table("table"), read.table("card"), read.table("camera")
    config = TableConfig(
        width_mm=table.number("width", 900, above=0),
        height_mm=table.number("height", 700, above=0),
        card_w_mm=card.number("width", 63, above=0),
        card_h_mm=card.number("height", 88, above=0),
        camera=_calibration(camera),
        zones=_zones(read),
        web=_web(read.table("web")),
        source=_source(read.table("source")),
        panel=read.mapping("panel"),
        club=_club(read.table("club")),
    )
    if config.zones:  # without a zone the number of seats is not known
        read.faults += [Fault("panel", one.key, one.words) for one in panel_faults(config.panel, config.seats)]
    read.finish(path, text)
    return config


def load_game(path: Path) -> Setup:
    """The game file at ``path``, as the referee wants it; the referee checks the game's name and house rules.

    :raises ConfigError: if it is missing, is no TOML, or any value does not fit; all faults in one line.
    """
    data, text = _read_toml(path, "say what is played: see the table contract")
    read = _Reader(data, {"game", "seats", "dealer", "house", "deal"})
    seats = read.strings("seats")
    if len(set(seats)) != len(seats):
        read.fault("seats", "two seats have the same name")
    if read.sound("seats") and len(seats) < 2:
        read.fault("seats", "two names or more are wanted")
    dealer = read.data.get("dealer")
    if dealer is not None and len(seats) > 1 and not (type(dealer) is int and 1 <= dealer <= len(seats)):
        read.fault("dealer", f"{quoted(dealer)} is no seat; seats are 1 to {len(seats)}")
    setup = Setup(
        game=read.text("game", ""),
        seats=seats,
        dealer=dealer,
        house=read.mapping("house"),
        deal=read.mapping("deal"),
    )
    read.finish(path, text)
    return setup


def _read_toml(path: Path, remedy: str) -> tuple[dict[str, Any], str]:
    """What a file says, and its text."""
    try:
        text = text_of(path.read_bytes())
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file; {remedy}") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); {remedy}") from None
    except ValueError as error:
        raise ConfigError(f"{path}: is {error}; {remedy}") from None
    try:
        return parsed(text), text
    except ValueError as error:
        raise ConfigError(f"{path}: is not valid TOML: {error}") from None


def _calibration(read: _Reader) -> Calibration:
    picture, table = read.points("picture"), read.points("table")
    if read.sound("picture", "table") and (len(picture) < 4 or len(picture) != len(table)):
        read.fault("picture", "this and table must name the same places, four or more of them")
    matrix = read.numbers("matrix")
    if len(matrix) not in (0, 9):
        read.fault("matrix", f"3x3 numbers wanted, {len(matrix)} found")
    distortion = read.numbers("distortion")
    if len(distortion) not in (0, 4, 5, 8):
        read.fault("distortion", "[k1, k2, p1, p2, k3] wanted")
    return Calibration(picture, table, matrix, distortion)


def _zones(read: _Reader) -> tuple[Zone, ...]:
    listed = read.data.get("zone", [])
    if not isinstance(listed, list) or not listed:
        read.fault("zone", "at least one [[zone]] with a name and a polygon is wanted")
        return ()
    zones: list[Zone] = []
    for index, item in enumerate(listed, 1):
        part = read.part(item, "zone", {"name", "polygon"}, index)
        zone = Zone(part.text("name", ""), part.points("polygon"))
        if part.sound("polygon") and len(zone.polygon) < 3:
            part.fault("polygon", "three points or more are wanted")
        if part.sound("name") and not zone.name:
            part.fault("name", "the zone wants one: seat-1, seat-2 ..., layout or stock")
        if part.sound("name") and zone.name in (known.name for known in zones):
            part.fault("name", f"{quoted(zone.name)} stands twice")
        zones.append(zone)
    return tuple(zones)


def _web(read: _Reader) -> WebSettings:
    return WebSettings(
        host=read.text("host", "127.0.0.1"),
        port=_port(read),
        everywhere=read.flag("everywhere", False),
    )


def _port(read: _Reader) -> int:
    port = int(read.number("port", 8080, above=-1))
    if port > 65535:
        read.fault("port", f"0 to 65535 is wanted, not {quoted(port)}")
    return port


def _club(read: _Reader) -> ClubSettings:
    default = ClubSettings()
    values = {field.name: read.text(field.name, getattr(default, field.name)) for field in fields(ClubSettings)}
    if values["table"] and not TABLE_NAME.fullmatch(values["table"]):
        words = "is no name; small letters, digits and hyphens, at most 32, not 'hub'"
        read.fault("table", f"{quoted(values['table'])} {words}")
    return ClubSettings(**values)


def _source(read: _Reader) -> CameraSettings:
    default = CameraSettings()
    return CameraSettings(
        kind=read.text("kind", default.kind),
        device=read.text("device", default.device),
        width=int(read.number("width", default.width, above=0)),
        height=int(read.number("height", default.height, above=0)),
        fps=read.number("fps", default.fps, above=0),
        mains_hz=int(read.number("mains_hz", default.mains_hz, above=0)),
    )


_KEYS = {
    "table": {"width", "height"},
    "card": {"width", "height"},
    "camera": {"picture", "table", "matrix", "distortion"},
    "web": {"host", "port", "everywhere"},
    "club": {field.name for field in fields(ClubSettings)},
    "source": {"kind", "device", "width", "height", "fps", "mains_hz"},
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with ``key`` of ``[where]`` or the ``place``-th ``[[where]]``; the key may be "", no one's."""

    where: str
    key: str
    words: str
    place: int = 0

    def text(self, file: str) -> str:
        """The fault with its line in ``file``, as far as it has one."""
        number = line_of(file, self.where, self.key, self.place or 1)
        where = f"[{self.where}{f' {self.place}' if self.place else ''}] " if self.where else ""
        key = f"{_named(self.key)}: " if self.key else ""
        return (f"line {number}: " if number else "") + where + key + self.words


def _named(key: str) -> str:
    """A key as a complaint names it; one that could not stand bare is quoted and cut."""
    return key if re.fullmatch(r"[\w.-]{1,40}", key) else quoted(key)


class _Reader:
    """Takes typed values out of one TOML table, and collects what is wrong instead of stopping at the first.

    What is said of a key is the first thing that is wrong with it: what would only follow from that is not said.
    """

    def __init__(
        self,
        data: Mapping[str, Any],
        known: Iterable[str],
        where: str = "",
        place: int = 0,
        faults: list[Fault] | None = None,
    ):
        self.data, self.where, self.place = data, where, place
        self.faults: list[Fault] = [] if faults is None else faults
        known = sorted(known)
        for key in data:
            if key not in known:
                near = difflib.get_close_matches(key[:80], known, 1)
                self.fault(key, "unknown key" + (f"; did you mean {near[0]!r}?" if near else ""))

    def fault(self, key: str, words: str) -> None:
        if self.sound(key):
            self.faults.append(Fault(self.where, key, words, self.place))

    def sound(self, *keys: str) -> bool:
        """Whether nothing has been found wrong with these keys yet."""
        faulty = {one.key for one in self.faults if (one.where, one.place) == (self.where, self.place)}
        return faulty.isdisjoint(keys)

    def finish(self, path: Path, text: str) -> None:
        if self.faults:
            raise ConfigError(f"{path}: " + "; ".join(fault.text(text) for fault in self.faults))

    def part(self, data: Any, where: str, known: Iterable[str], place: int = 0) -> _Reader:
        if not isinstance(data, Mapping):
            self.fault(where, f"a table is wanted, not {quoted(data)}")
            return _Reader({}, known, where, place)  # what it lacks would only follow from that
        return _Reader(data, known, where, place, self.faults)

    def table(self, name: str) -> _Reader:
        return self.part(self.data.get(name, {}), name, _KEYS[name])

    def mapping(self, name: str) -> Mapping[str, Any]:
        value = self.data.get(name, {})
        if isinstance(value, Mapping):
            return dict(value)
        self.fault(name, f"a table is wanted, not {quoted(value)}")
        return {}

    def number(self, name: str, default: float, above: float) -> float:
        value = self.data.get(name, default)
        if not _is_number(value) or not value > above:
            self.fault(name, f"a number above {above:g} is wanted, not {quoted(value)}")
            return default
        return float(value)

    def text(self, name: str, default: str) -> str:
        value = self.data.get(name, default)
        if not isinstance(value, str):
            self.fault(name, f"text is wanted, not {quoted(value)}")
            return default
        return value

    def flag(self, name: str, default: bool) -> bool:
        value = self.data.get(name, default)
        if not isinstance(value, bool):
            self.fault(name, f"true or false is wanted, not {quoted(value)}")
            return default
        return value

    def strings(self, name: str) -> tuple[str, ...]:
        value = self.data.get(name, [])
        if not isinstance(value, list) or not value or not all(isinstance(v, str) and v.strip() for v in value):
            self.fault(name, f"a list of names is wanted, not {quoted(value)}")
            return ()
        return tuple(value)

    def numbers(self, name: str) -> tuple[float, ...]:
        value = self.data.get(name, [])
        flat = (
            [n for row in value for n in (row if isinstance(row, list) else [row])]
            if isinstance(value, list)
            else [value]
        )
        if not all(_is_number(n) for n in flat):
            self.fault(name, f"numbers are wanted, not {quoted(value)}")
            return ()
        return tuple(float(n) for n in flat)

    def points(self, name: str) -> tuple[Point, ...]:
        value = self.data.get(name, [])
        good = isinstance(value, list) and all(
            isinstance(p, list) and len(p) == 2 and all(_is_number(n) for n in p) for p in value
        )
        if not good:
            self.fault(name, f"a list of [x, y] is wanted, not {quoted(value)}")
            return ()
        return tuple((float(x), float(y)) for x, y in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9
