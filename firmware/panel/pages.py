"""The panel's pages in ``docs/``, written from the tables in the code: what the lights say, and how to wire them.

``python -m firmware.panel.pages docs`` writes them; a test holds what is there to what would be written.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from .buttons import Timing
from .config import LARGE, SMALL, PanelConfig
from .drawing import Box, Item, Line, Sheet, Words, sheet, svg
from .signals import PULSES_MAX, TABLE, Colour, Meaning, beat, rhythm, signal
from .terminal import strip
from .voice import STALE_S
from .wiring import parts_list, pin_table
from .wiring_picture import draw

#: The count that counted rhythms are shown with.
EXAMPLE = 3


def signals_page() -> str:
    """``signals.md``: every meaning with its rhythm, colour and words, the most important first."""
    timing = Timing()
    rows = "\n".join(_row(meaning) for meaning in Meaning)
    return f"""# What the lights say

<!-- Written by `python -m firmware.panel.pages docs` from firmware/panel/meanings.py; change it there. -->

Every seat has one light and one button. Each meaning has a **rhythm of its own**, so that nobody needs to tell red
from green; the colour, the page and the voice repeat it. Where several things are true at once, the light shows the
one that stands higher in this table.

![The rhythms on a time line of six seconds](signals.svg)

| the light | rhythm | colour | six seconds of it | when |
|---|---|---|---|---|
{rows}

A payment is pulsed once a counter, in groups of five; above {PULSES_MAX} the light keeps to
{PULSES_MAX} pulses and the page says how many. On a board with only red and green lamps, amber is both and blue shows
as amber. No light flashes more than three times in a second.

Nothing here can give a hidden card away: the lights are worked out from the rulings and from what everybody may see.

# What the button means

| you | it means |
|---|---|
| press once | the game's quiet act: pass, pay, stand, "I cannot" |
| press twice within {timing.double_ms} ms | "what have I?": the light answers in pulses (in Ranter-Go-Round two \
presses announce a deuce) |
| hold for {timing.hold_ms / 1000:g} s | call the referee; the game waits until the page settles it |

Where a payment goes from seat to seat, the payer presses when it is given and the receiver when it has come. A button
that is down when the program starts, or for half a minute, is ignored until it is let go, and its light says so.
The host's button belongs to no seat: holding it calls the referee.

The pool stands on the two digits; `--` means that it is more than 99: the page shows it.
"""


def _row(meaning: Meaning) -> str:
    row, shown = TABLE[meaning], signal(meaning, EXAMPLE)
    text = shown.words if row.counted else row.words.removesuffix(": {detail}").format(count="your counters")
    return f"| **{text}** | {beat(meaning, EXAMPLE)} | {row.colour} | `{strip(shown.rhythm)}` | {row.when} |"


# -- the rhythms as a drawing

_PAINT = {
    Colour.OFF: "#bbbbbb",
    Colour.GREEN: "#2e7d32",
    Colour.RED: "#c62828",
    Colour.AMBER: "#f9a825",
    Colour.BLUE: "#1565c0",
}
_MS_PX = 10  # ms a pixel
_LENGTH_MS = 6000
_LINE_PX = 34
_LEFT_PX = 330


def signals_sheet() -> Sheet:
    """The rhythms on a time line."""
    items: list[Item] = [Words(20, 34, "What the lights say", 20, bold=True)]
    for second in range(_LENGTH_MS // 1000 + 1):
        x = _LEFT_PX + second * 1000 / _MS_PX
        items.append(Line(((x, 58), (x, 66 + _LINE_PX * len(Meaning))), "#dddddd", 1))
        items.append(Words(x, 54, f"{second} s", 10, "middle", "#777777"))
    for place, meaning in enumerate(Meaning):
        items += _time_line(meaning, 66 + _LINE_PX * place)
    return sheet(_LEFT_PX + _LENGTH_MS // _MS_PX + 30, 90 + _LINE_PX * len(Meaning), items)


def _time_line(meaning: Meaning, y: float) -> Iterator[Item]:
    colour = _PAINT[TABLE[meaning].colour]
    name = signal(meaning, EXAMPLE).words if TABLE[meaning].counted else meaning.value
    yield Words(20, y + 18, name, 13, bold=True)
    yield Words(_LEFT_PX - 12, y + 18, beat(meaning, EXAMPLE), 11, "end", "#555555")
    yield Line(((_LEFT_PX, y + 24), (_LEFT_PX + _LENGTH_MS / _MS_PX, y + 24)), "#aaaaaa", 1)
    for start_ms, length_ms in _flashes(rhythm(meaning, EXAMPLE)):
        yield Box(_LEFT_PX + start_ms / _MS_PX, y + 6, length_ms / _MS_PX, 18, colour, colour, 0.5)


def _flashes(pattern: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """When the light is on in the first six seconds: (start, length) in ms."""
    if len(pattern) < 2:
        if pattern:
            yield 0, _LENGTH_MS
        return
    start_ms = 0
    while start_ms < _LENGTH_MS:
        for place, length_ms in enumerate(pattern):
            if place % 2 == 0 and start_ms < _LENGTH_MS:
                yield start_ms, min(length_ms, _LENGTH_MS - start_ms)
            start_ms += length_ms


# -- wiring


def wiring_page() -> str:
    """``wiring.md``: both boards with picture, pins and parts."""
    return f"""# Wiring the panel

<!-- Written by `python -m firmware.panel.pages docs` from the code in firmware/panel; change it there. -->

`cardtable wiring` prints this for the panel that your own `table.toml` describes. Two boards are known; without one
(`board = "none"`, or no `[panel]` table) everything is on the page alone.

    [panel]
    board = "small"        # 2 to 4 seats, lamps straight on the pins; "large": up to 8, lamps on shift registers
    say = "fouls"          # what is spoken: "off", "fouls" or "all"
    # buttons, lights, segments, digits, buzzer, host, enable: GPIO numbers, where yours differ from the usual ones
    # settle_ms, hold_ms, double_ms: how a button is judged; sound = false: no buzzer

Switch the Pi off before you wire it. The lamps' resistors to ground (small board) and the one at OE (large board)
are not optional: they keep the lamps dark before the program starts and after it ends, however it ends.

## Small: 2 to 4 seats

![Wiring of the small board](wiring-small.svg)

{_board_text(SMALL)}

SPI, I2C and 1-wire must be off, as they are on a new Raspberry Pi OS: they would take GPIO 7 to 11, 2 and 3, and 4
(`sudo raspi-config nonint do_spi 1`, `do_i2c 1`, `do_onewire 1`).

## Large: up to 8 seats

![Wiring of the large board](wiring-large.svg)

{_board_text(LARGE)}

SPI must be on: `sudo raspi-config nonint do_spi 0`. 1-wire must be off (`do_onewire 1`): it would take GPIO 4.

## When it is wired

    sudo systemctl stop cardtable      # the pins have one owner
    cardtable check --panel            # each light, button, segment and note in turn; says what did not answer
    sudo systemctl start cardtable

`cardtable wiring --png wiring.png` (or `--svg`) draws your own panel, once the mat and the calibration are made.

## The voice

`say` wants `espeak-ng` (`sudo apt install espeak-ng`) and a sound device; without either the voice is off, one line
says why, and the game goes on. A ruling that could not be said within {STALE_S:g} s is not said any more.
"""


def _board_text(config: PanelConfig) -> str:
    return f"```text\n{pin_table(config)}\n```\n\n```text\n{parts_list(config)}\n```"


def pages() -> dict[str, bytes]:
    """Every page and picture by its name in ``docs/``."""
    texts = {
        "signals.md": signals_page(),
        "signals.svg": svg(signals_sheet()),
        "wiring.md": wiring_page(),
        "wiring-small.svg": svg(draw(SMALL)),
        "wiring-large.svg": svg(draw(LARGE)),
    }
    return {name: text.encode() for name, text in texts.items()}


def main(folder: Path) -> None:
    """Write the pages into ``folder``."""
    for name, data in pages().items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
