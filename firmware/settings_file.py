"""Keeps ``table.toml`` safe on a disk that may lose its power at any moment.

Writes it so that afterwards the old file or the new one is there, never half of one; keeps the one before; and finds
the last good one again (field report E05).  What the settings mean is config.py's to say.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .config import ConfigError
from .toml_text import parsed, text_of

Point = tuple[float, float]

END_MARK = "# end of the settings"
"""The last line of every file written here: a file that lost its tail has lost this."""

_HEADER = re.compile(r"^\s*\[\[?\s*[A-Za-z_][\w.-]*\s*\]?\]\s*(#.*)?$")


def previous(path: Path) -> Path:
    """Where the settings before the present ones are kept."""
    return path.with_name(path.name + ".previous")


def write(path: Path, text: str) -> None:
    """Replace the file by ``text``; what was there and was whole becomes the previous one.

    :raises ConfigError: if ``text`` is no TOML: nothing is written then.
    :raises OSError: if the disk refuses; the old file is still there.
    """
    try:
        parsed(text)
    except ValueError as error:
        raise ConfigError(f"{path}: the new settings are not valid TOML: {error}; nothing was written") from None
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file() and not _damage(path):
        replace(previous(path), path.read_bytes())
    replace(path, _marked(text).encode())


def readable(path: Path) -> tuple[Path, str | None]:
    """The settings file to read, and what to tell people: the present one, or the previous if that is damaged.

    A file that is whole but says something wrong is not damaged: the person who wrote it must hear of it.
    """
    damage = _damage(path)
    if damage is None or not previous(path).is_file() or _damage(previous(path)):
        return path, None
    return previous(path), (
        f"{path}: {damage}; the settings before it are used ({previous(path).name}); "
        "run `cardtable calibrate` to write a new file"
    )


def _damage(path: Path) -> str | None:
    """What betrays a file that the disk has lost, or None."""
    try:
        data = path.read_bytes()
        text = text_of(data)
        parsed(text)
    except FileNotFoundError:
        return "is missing"
    except (OSError, ValueError) as error:
        return f"is damaged ({str(error).splitlines()[0]})"
    if not data.strip(b"\0 \t\r\n"):
        return "is empty"
    if END_MARK not in text and _was_marked(previous(path)):
        return "has lost its end"
    return None


def _was_marked(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return END_MARK.encode() in path.read_bytes()
    return False


def _marked(text: str) -> str:
    body = "\n".join(line for line in text.splitlines() if line.strip() != END_MARK).rstrip()
    return f"{body}\n\n{END_MARK}\n"


def replace(path: Path, data: bytes) -> None:
    """Put ``data`` in the place of the file: write beside, flush to the disk, rename, flush the folder.

    In this order, or a power cut leaves zeros (field report E05).

    :raises OSError: if the disk refuses; the old file is still there.
    """
    beside = path.with_name(f".{path.name}.new")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        beside.chmod(path.stat().st_mode & 0o777)
    os.replace(beside, path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def with_camera(
    text: str,
    picture: Sequence[Point],
    table: Sequence[Point],
    matrix: Sequence[float] = (),
    distortion: Sequence[float] = (),
) -> str:
    """The settings with another ``[camera]``; every other line, comments too, stays as it is.

    :raises ConfigError: if the text is not TOML, or its [camera] is written so that it cannot be replaced.
    """
    lines = text.splitlines()
    start, stop = _section(lines, "camera")
    new = ["[camera]", f"picture = {_points(picture)}", f"table = {_points(table)}"]
    if len(matrix):
        new.append("matrix = " + _points([matrix[i : i + 3] for i in (0, 3, 6)]))
        new.append(f"distortion = [{', '.join(f'{v:.8g}' for v in distortion)}]")
    changed = "\n".join([*lines[:start], *new, *lines[stop:]]) + "\n"
    _same_but(text, changed, "camera")
    return changed


_HOST = re.compile(r"^\s*host\s*=")


def with_host(text: str, host: str) -> str:
    """The settings with another ``[web] host``; every other line, comments too, stays as it is.

    :raises ConfigError: if the text is not TOML, or its [web] is written so that it cannot be changed.
    """
    lines = text.splitlines()
    start, stop = _section(lines, "web")
    mine = [i for i in range(start, stop) if _HOST.match(lines[i])]
    if start == stop:
        lines += ["", "[web]", f'host = "{host}"']
    elif mine:
        lines[mine[0]] = f'host = "{host}"'
    else:
        header = next(i for i in range(start, stop) if _HEADER.match(lines[i]))
        lines.insert(header + 1, f'host = "{host}"')
    changed = "\n".join(lines) + "\n"
    _same_but(text, changed, "web")
    return changed


_OF_THE_MAT = ("table", "card", "camera", "zone")


def with_mat(old: str, mat: str) -> str:
    """The settings ``mat`` of another mat, with the sections of ``old`` that are not about the table's geometry.

    Where the two have the same table and zones, ``old`` stays as it is, its calibration too.

    :raises ConfigError: if ``old`` is not TOML.
    """
    try:
        before, after = parsed(old), parsed(mat)
    except ValueError as error:
        raise ConfigError(f"table.toml: cannot be changed ({error}); correct it by hand, or remove it") from None
    if all(before.get(key) == after.get(key) for key in ("table", "zone")):
        return old
    lines = old.splitlines()
    rest: list[str] = []
    for start, stop in _sections(lines):
        if _name(lines, start, stop) not in _OF_THE_MAT:
            rest += ["", *lines[start:stop]]
    return mat + "\n".join(rest) + "\n"


def _sections(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Every table of the file, each with the remarks right above its header."""
    starts = []
    for header in (i for i, line in enumerate(lines) if _HEADER.match(line)):
        start = header
        while start > 0 and lines[start - 1].lstrip().startswith("#"):
            start -= 1
        starts.append(start)
    return list(zip(starts, [*starts, len(lines)][1:], strict=True))


def _name(lines: Sequence[str], start: int, stop: int) -> str:
    header = next(line for line in lines[start:stop] if _HEADER.match(line))
    return header.split("#")[0].strip().strip("[] ").split(".")[0]


def _section(lines: Sequence[str], name: str) -> tuple[int, int]:
    """The lines of a table, from its header (with the remarks right above it) to before the next one's remarks."""
    headers = [i for i, line in enumerate(lines) if _HEADER.match(line)]
    mine = next((i for i in headers if lines[i].split("#")[0].strip() == f"[{name}]"), None)
    if mine is None:
        return len(lines), len(lines)
    stop = next((i for i in headers if i > mine), len(lines))
    while stop > mine + 1 and _is_remark(lines[stop - 1]):
        stop -= 1
    start = mine
    while start > 0 and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return start, stop


def _is_remark(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _same_but(old: str, new: str, name: str) -> None:
    def rest(text: str) -> dict[str, Any]:
        return {key: value for key, value in parsed(text).items() if key != name}

    try:
        same = rest(old) == rest(new)
    except ValueError as error:
        raise ConfigError(f"table.toml: cannot be changed ({error}); correct it by hand, or write a new one") from None
    if not same:
        raise ConfigError(f"table.toml: [{name}] is written in an unusual way; put its keys below one [{name}] line")


def _points(points: Sequence[Sequence[float]]) -> str:
    return "[" + ", ".join("[" + ", ".join(f"{v:.8g}" for v in point) + "]" for point in points) + "]"
