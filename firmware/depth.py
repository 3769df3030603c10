"""How deep lists and objects lie within one another: far more levels than we write would exhaust whoever walks them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def deeper(value: Any, most: int) -> bool:
    """Whether a value of JSON or TOML has more than ``most`` levels of lists and objects."""
    level = [value]
    for _ in range(most + 1):
        level = [inner for outer in level if isinstance(outer, dict | list) for inner in _inner(outer)]
        if not level:
            return False
    return True


def _inner(outer: Mapping[str, Any] | list[Any]) -> Iterable[Any]:
    return outer.values() if isinstance(outer, Mapping) else outer
