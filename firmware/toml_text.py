"""TOML as text: read from bytes of any origin, values written and quoted, and the line where a key stands.

The standard library reads TOML and neither writes it nor says where it found a value; our files need only this much.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from reprlib import Repr
from typing import Any

from .depth import deeper

#: Tables and lists within one another: our files have four levels, a zone's polygon.
MOST_LEVELS = 16


def text_of(data: bytes) -> str:
    """The text of a file; the mark that some editors put before it (BOM) is left out.

    :raises ValueError: if it is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"no UTF-8 text (byte {error.start}): save it as UTF-8") from None


def parsed(text: str) -> dict[str, Any]:
    """What a TOML text says.

    :raises ValueError: if it is none, or nothing that a person writes (numbers of thousands of digits, deep nesting).
    """
    try:
        data = tomllib.loads(text.removeprefix("\ufeff"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # Python's limit for the digits of a number
        raise ValueError("a number with too many digits") from None
    if deeper(data, MOST_LEVELS):
        raise ValueError("nested too deeply")
    return data


_QUOTES = Repr()
_QUOTES.maxstring = _QUOTES.maxother = _QUOTES.maxlong = 40
_QUOTES.maxlevel = 3

#: A whole number larger than this is quoted by its size: Python refuses to write thousands of digits.
_MOST_DIGITS = 40


def quoted(value: Any) -> str:
    """A value as a complaint quotes it: recognizable, and short however long it is."""
    if isinstance(value, int) and abs(value) >= 10**_MOST_DIGITS:
        return f"a number of more than {_MOST_DIGITS} digits"
    try:
        return _QUOTES.repr(value)
    except ValueError:  # such a number within a list
        return f"a {type(value).__name__} with enormous numbers"


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
