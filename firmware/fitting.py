"""Do the files of a recording belong together? Asked before anything is judged; what does not fit is one line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from vision.surface import Surface

from .config import TableConfig, Zone

_OUTSIDE_SHARE: Final = 0.05
"""Corners of the table may lie outside the picture by this share of its side, no more."""

_SQUASHED: Final = 1.35
"""Where a millimetre across is so many times as long in the picture as one down, it was squashed: a camera that looks
down at 45 degrees makes 1.4 of it."""

_OFF_TABLE_MM: Final = 150.0
"""A zone may lie beside the playing area by this, where a hand of cards is laid open."""


def misfits(table: TableConfig, surface: Surface, seats: Sequence[str], size_px: tuple[int, int]) -> Iterator[str]:
    """What of table.toml does not fit the players or pictures of ``size_px`` (width, height), with the remedy."""
    wide, high = size_px
    for x, y in table.camera.picture:
        if not _within(x, wide) or not _within(y, high):
            yield (
                f"[camera] picture: ({x:g}, {y:g}) lies outside pictures of {wide}x{high}; "
                "use the film as the camera gave it, or calibrate for this size"
            )
            break
    if (across := _across(surface)) > _SQUASHED or across < 1 / _SQUASHED:
        yield (
            f"[camera] picture: a card would be {across:.1f} times as wide as it is in pictures of {wide}x{high}; "
            "use the film as the camera gave it, or calibrate again"
        )
    names = {zone.name for zone in table.zones}
    for number, seat in enumerate(seats, 1):
        if f"seat-{number}" not in names:
            yield f'seat {number} ({seat}) has no zone; add a [[zone]] named "seat-{number}"'
    for zone in table.zones:
        if _is_off(zone, table):
            size = f"{table.width_mm:g} x {table.height_mm:g} mm"
            yield f'[[zone]] "{zone.name}" lies off the table of {size}; correct it'


def _within(at: float, side: int) -> bool:
    return -_OUTSIDE_SHARE * side <= at <= (1 + _OUTSIDE_SHARE) * side


def _across(surface: Surface) -> float:
    """How much longer a millimetre across is in the picture than one down, in the middle of the table."""
    x, y = surface.middle_mm
    left, right, top, bottom = surface.px([[x - 5, y], [x + 5, y], [x, y - 5], [x, y + 5]])
    return float(np.hypot(*(right - left)) / max(float(np.hypot(*(bottom - top))), 1e-9))


def _is_off(zone: Zone, table: TableConfig) -> bool:
    low, high = np.min(zone.polygon, 0), np.max(zone.polygon, 0)
    beyond = np.array([table.width_mm, table.height_mm]) + _OFF_TABLE_MM
    return bool((high < -_OFF_TABLE_MM).any() or (low > beyond).any())
