"""The panel drawn in a terminal: lamp, seat, rhythm and words a seat, and the pool. For the demo and for `check`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from .signals import TABLE, Colour, PanelState, Signal, lit

_STYLE = {
    Colour.OFF: "grey37",
    Colour.GREEN: "bold green",
    Colour.RED: "bold red",
    Colour.AMBER: "bold yellow",
    Colour.BLUE: "bold dodger_blue1",
}
#: One character of a rhythm strip, in ms.
STRIP_MS = 100


def draw(state: PanelState, names: Sequence[str], lamps: Sequence[Colour], digits: str | None = None) -> RenderableType:
    """The whole panel: what each seat's lamp shows at this moment (``lamps``), and what it means.

    ``names``: the players, seat 1 first; ``lamps``: the colours read from the pins; ``digits``: the pool's digits.
    """
    table = Table.grid(padding=(0, 2))
    for light, name, lamp in zip(state.lights, names, lamps, strict=True):
        table.add_row(lamp_text(lamp), Text(name, "bold"), Text(light.beat, _STYLE[light.colour]), Text(light.words))
    shown = digits if digits is not None else ("" if state.pool is None else str(state.pool))
    table.add_row(Text("pool", "dim"), Text(f"[{shown}]", "bold red"), Text(), Text())
    return table


def lamp_text(lamp: Colour) -> Text:
    """A lamp: filled while lit, a ring while dark, so that it can be read without colour."""
    return Text("○ off  " if lamp is Colour.OFF else f"● {lamp.value:5}", _STYLE[lamp])


def line(state: PanelState, names: Sequence[str]) -> str:
    """The panel in one line of plain words, for logs and screens without colour: ``Ann: your turn (steady); ...``."""
    told = (f"{name}: {light.words} ({light.beat})" for light, name in zip(state.lights, names, strict=True))
    pool = "" if state.pool is None else f"; pool {state.pool}"
    return "; ".join(told) + pool


def strip(rhythm: tuple[int, ...], length_ms: int = 6000) -> str:
    """A rhythm on a line as the lamp keeps it, one character a tenth of a second: ``██▌░░░`` is a quarter second on.

    Each half of a character is what the lamp does in its middle, so that a strip flashes as often as its lamp.
    """
    half_ms = STRIP_MS / 2
    starts = range(0, length_ms, STRIP_MS)
    return "".join(_CELLS[lit(rhythm, ms + half_ms / 2), lit(rhythm, ms + half_ms * 3 / 2)] for ms in starts)


_CELLS = {(True, True): "█", (True, False): "▌", (False, True): "▐", (False, False): "░"}


def legend(light: Signal) -> str:
    """One signal explained: rhythm, colour, and when it is shown."""
    return f"{light.meaning}: {light.beat}, {light.colour}; {TABLE[light.meaning].when}"
