"""How it is to be judged again: which house rules, with which reader. Checked before anything is begun."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware.config import ConfigError
from firmware.referee.house import BadSetup, choose, did_you_mean, rules_of
from firmware.referee.match import game_called, games

#: The name of this program's own models.
OURS = "ours"
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Order:
    """``house``: (game or "", rule, value); of two for one rule the later counts.

    ``model``: a folder of models with which all is read again, `OURS` for this program's own; "" to leave the readings
    of sessions as they are. ``model_hash``: its sha256, so that no worker reads with other weights. ``program``: this
    program's version. ``hard``: whether the pictures of hard readings are wanted.
    """

    program: str
    house: tuple[tuple[str, str, Any], ...] = ()
    model: str = ""
    model_hash: str = ""
    hard: bool = False

    def house_of(self, game: str) -> dict[str, Any]:
        """The house rules that this order sets for a game."""
        known = {rule.name for rule in rules_of(games()[game].House)} if game in games() else set()
        return {rule: value for only, rule, value in self.house if only in ("", game) and rule in known}


def parse_house(options: Iterable[str]) -> tuple[tuple[str, str, Any], ...]:
    """``ante=2`` for every game that has the rule, ``fan_tan.ante=2`` for one.

    :raises ConfigError: if no game has such a rule, or it has no such value.
    """
    return tuple(_option(text) for text in options)


def _option(text: str) -> tuple[str, str, Any]:
    name, equals, words = text.partition("=")
    game, dot, rule = name.strip().rpartition(".")
    if not equals or not rule or (dot and not game):
        raise ConfigError(f"--house {text!r}: NAME=VALUE or GAME.NAME=VALUE is wanted")
    value = _value(words.strip())
    try:
        asked = {game: game_called(game)} if game else games()
        having = {key: one for key, one in asked.items() if rule in {known.name for known in rules_of(one.House)}}
        if not having:
            raise BadSetup(f"no house rule is called {rule!r}{did_you_mean(rule, _rules(asked))}")
        for one in having.values():
            choose(one.House, {rule: value})
    except BadSetup as error:
        raise ConfigError(f"--house {text!r}: {error}") from None
    return game, rule, value


def _rules(asked: Mapping[str, Any]) -> list[str]:
    return sorted({rule.name for game in asked.values() for rule in rules_of(game.House)})


def _value(words: str) -> Any:
    if words.lower() in _TRUTH:
        return _TRUTH[words.lower()]
    return int(words) if _WHOLE.fullmatch(words) else words


def model_of(name: str) -> tuple[str, str]:
    """The models as an order names them, and their hash.

    :raises vision.reader.ModelError: if there are none of ours in the folder.
    """
    if not name:
        return "", ""
    from vision.reader import Reader

    if name == OURS:
        return OURS, Reader.load().hash
    return str(Path(name).resolve()), Reader.load(Path(name)).hash
