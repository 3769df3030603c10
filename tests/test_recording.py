"""A recording's settings say what the table's settings said."""

from __future__ import annotations

from pathlib import Path

from firmware.config import load_game, load_table
from firmware.recording import game_toml, table_toml
from firmware.referee.match import Setup

from .test_config import TABLE, written


def test_the_table_is_written_as_it_was_read(tmp_path: Path) -> None:
    table = load_table(written(tmp_path, "table.toml", TABLE))
    assert load_table(written(tmp_path, "again.toml", table_toml(table))) == table


def test_the_game_is_written_as_it_was_set_up(tmp_path: Path) -> None:
    names = ('Ann "the Ace"', "Bo Ö.")
    setup = Setup("fan_tan", names, 2, {"ante": 1, "forced": False}, {"counts": {names[0]: 7, names[1]: 7}})
    assert load_game(written(tmp_path, "game.toml", game_toml(setup))) == setup
