"""Values as TOML text. The standard library reads TOML and does not write it; our files need only these few kinds."""

from __future__ import annotations

import json
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
