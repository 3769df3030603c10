"""The demo on a terminal: what happens line by line, and below it the lamps, the pool and the table as they are now.

Without a terminal, or when plain lines are asked for, only the lines.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel as Box
from rich.text import Text

from .journal.tell import Teller
from .panel.signals import Colour
from .panel.terminal import draw, line
from .plain import plain_line
from .referee.cards import Card
from .referee.rulings import Kind, Ruling
from .table import Table, Told

#: How often the moving part is drawn again, in hertz.
RATE_HZ = 8
#: Rulings that only say whose turn it is: the lamps show them.
_QUIET = (Kind.TURN, Kind.DUE)
_STYLE = {
    Kind.REFUSED: "bold red",
    Kind.PROVED: "bold magenta",
    Kind.CONFLICT: "bold yellow",
    Kind.UNSURE: "bold yellow",
    Kind.OVER: "bold green",
    Kind.TAKES: "green",
    Kind.NOTICE: "cyan",
}


class Screen:
    """Draws a session on ``console``. Use it as a context manager."""

    def __init__(self, console: Console, names: Sequence[str], *, plain: bool = False) -> None:
        self._console, self._names = console, names
        self._teller = Teller(names)
        self._live = None if plain else Live(console=console, refresh_per_second=RATE_HZ, transient=True)

    def __enter__(self) -> Screen:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def say(self, words: str) -> None:
        """A line of its own."""
        say(self._console, words)

    def tell(self, told: Told) -> None:
        """An entry and what the referee said to it."""
        say(self._console, f"{told.entry.t:6.1f} s  {self._teller.entry(told.entry)}", "dim")
        for ruling in told.rulings:
            if ruling.kind not in _QUIET and ruling.why:
                say(self._console, f"          {_mark(ruling)} {ruling.why}", _STYLE.get(ruling.kind, ""))

    def draw(self, table: Table, lamps: Sequence[Colour], digits: str) -> None:
        """The lamps as the pins have them, and the table as the referee has it."""
        if self._live is None:
            return
        told = tuple(replace(light, words=plain_line(light.words)) for light in table.panel_state.lights)
        lights = draw(replace(table.panel_state, lights=told), list(map(plain_line, self._names)), lamps, digits)
        laid = [Text(f"{zone:>8}  {_cards(cards)}") for zone, cards in table.match.view.table if cards]
        words = Text(plain_line(table.match.view.words), "bold")
        self._live.update(
            Box(Group(words, *laid, Text(), lights), title=f"Card Table: {table.board.snapshot()['title']}")
        )

    def close(self, table: Table, result: dict[str, Any], where: Path, strip: Path | None = None) -> None:
        """The last lines: the lamps, the result, and where everything was kept."""
        self.say(line(table.panel_state, self._names))
        for key, value in result.items():
            self.say(f"  {key:<14} {value_words(value)}")
        self.say(f"kept   CARDTABLE_DATA={where} {sys.argv[0]} show {table.session_id}")
        if strip is not None:
            self.say(f"strip  {strip}")


def say(console: Console, words: str, style: str = "") -> None:
    """One line, taken as it stands: nothing in it is markup, and nothing steers the terminal."""
    console.print(Text(plain_line(words), style), soft_wrap=True)


def value_words(value: Any) -> str:
    """A value of a result as people read it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "  ".join(f"{k} {value_words(v)}" for k, v in value.items()) or "-"
    if isinstance(value, list):
        return ", ".join(" ".join(map(str, v)) if isinstance(v, list) else str(v) for v in value) or "-"
    return str(value)


def _mark(ruling: Ruling) -> str:
    return f"{ruling.kind.value}{f' {ruling.code}' if ruling.code else ''}:"


def _cards(names: Sequence[str]) -> str:
    return " ".join(Card.parse(name).pretty if len(name) == 2 else name for name in names)
