"""TOML as text: values written, and the line where a key stands.

The standard library reads TOML and neither writes it nor says where it found a value; our files need only this much.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any


def points(places: Iterable[tuple[float, float]]) -> str:
    """Places as ``[[x, y], ...]``, six significant digits: a hundredth of a mm on any table."""
    return "[" + ", ".join(f"[{x:g}, {y:g}]" for x, y in places) + "]"


def value(thing: Any) -> str:
    """Text, numbers, truth values, lists, and mappings as inline tables."""
    if isinstance(thing, Mapping):
        return "{ " + ", ".join(f"{key(str(name))} = {value(inner)}" for name, inner in thing.items()) + " }"
    if isinstance(thing, list | tuple):
        return "[" + ", ".join(value(inner) for inner in thing) + "]"
    return json.dumps(thing, ensure_ascii=False)


def key(name: str) -> str:
    """A key, quoted where a bare one cannot be."""
    return name if name.isascii() and name.replace("_", "").isalnum() else json.dumps(name)


_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]")
_KEY = re.compile(r"""\s*["']?([\w-]+)["']?\s*=""")


def line_of(text: str, table: str, name: str, place: int = 1) -> int:
    """The line (from 1) of key ``name`` in ``[table]``, or in the ``place``-th ``[[table]]``; "" is the top.

    Where the key is missing it is the table's heading; where that is missing too, 0. A top-level ``name`` may be a
    table itself.
    """
    here, seen, best = "", 0, 0
    for number, line in enumerate(text.splitlines(), start=1):
        if found := _HEADER.match(line):
            here = found[2]
            seen += here == table
            if (here == table and seen == place) or (not table and here == name):
                best = best or number
        elif (found := _KEY.match(line)) and found[1] == name and here == table and (not table or seen == place):
            return number
    return best
