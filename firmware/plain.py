"""The door to the terminal: every word that came from outside passes here, and nothing in it can steer a terminal.

Names, file names and notes are typed by anybody.  What would move the cursor, change a window's title or turn the
writing direction is shown as an escape, ``\\x1b`` or ``\\u202e``, so that it is seen and does nothing.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Mapping
from typing import Any

#: Unicode's classes of characters that steer instead of showing: controls, formats, half characters, line separators.
STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})

#: A quick look for what may have to be shown as an escape: anything but printable ASCII, tabs and newlines.
_UNUSUAL = re.compile(r"[^\t\n\x20-\x7e]")


def plain(text: str) -> str:
    """Text for a terminal; newlines and tabs stay."""
    return _UNUSUAL.sub(lambda found: _shown(found[0]), text)


def plain_line(text: str) -> str:
    """Text for one line of a terminal: a newline in a name cannot begin a line of its own."""
    return plain(text).replace("\n", "\\n").replace("\t", "\\t")


def plain_json(record: Mapping[str, Any]) -> str:
    """One line of JSON that means the same to a program and steers no terminal."""
    text = json.dumps(record, ensure_ascii=False)
    return _UNUSUAL.sub(lambda found: json.dumps(found[0])[1:-1] if _steers(found[0]) else found[0], text)


def _shown(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii") if _steers(char) else char


def _steers(char: str) -> bool:
    return unicodedata.category(char) in STEERING


def forgiving() -> None:
    """Let a terminal that lacks a letter show its number instead of stopping the program."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
