"""How a player's name is shown: as one line of visible text of bearable length, whatever was typed (E09)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from firmware.plain import STEERING

#: Longest name shown, in characters; a longer one ends with an ellipsis.
LONGEST = 40


def visible(text: str) -> str:
    """Text without characters that steer a terminal or turn the writing direction; runs of spaces become one."""
    if text.isprintable():  # nearly every text: none of those characters is in it
        return " ".join(text.split())
    kept = (" " if c.isspace() else c for c in text if c.isspace() or not unicodedata.category(c).startswith("C"))
    return " ".join("".join(kept).split())


def as_text(lines: Iterable[str]) -> str:
    """Lines as one text; whatever words of others stand in one of them, it cannot begin another or steer a terminal."""
    return "".join(f"{one_line(line)}\n" for line in lines)


def one_line(text: str) -> str:
    """A text as one line, its spaces as they are; what would steer a terminal becomes a space."""
    if text.isprintable():
        return text
    return "".join(" " if unicodedata.category(char) in STEERING else char for char in text)


def shown_name(name: str, seat: int) -> str:
    """A player's name for people; a seat without one is called by its number."""
    plain = visible(name)
    if not plain:
        return f"Seat {seat}"
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1].rstrip() + "…"


def shown_names(seats: Sequence[str]) -> tuple[str, ...]:
    """The names of all seats for people, seat 1 first; two that look alike get their seat's number."""
    names = [shown_name(name, seat) for seat, name in enumerate(seats, start=1)]
    return tuple(f"{name} ({seat})" if names.count(name) > 1 else name for seat, name in enumerate(names, start=1))


def with_shown_names(words: str, seats: Sequence[str]) -> str:
    """A referee's sentence with the names as they are shown."""
    for name, shown in zip(seats, shown_names(seats), strict=True):
        if name and name != shown:
            words = words.replace(name, shown)
    return visible(words)


def listed(words: Sequence[str]) -> str:
    """``Ann, Bo and Cy``."""
    return " and ".join([*([", ".join(words[:-1])] if words[:-1] else []), *words[-1:]])


def counted(number: int, word: str) -> str:
    """``1 picture``, ``2 pictures``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def title(game: str) -> str:
    """A game's name for people."""
    return visible(game.replace("_", " ")).title()
