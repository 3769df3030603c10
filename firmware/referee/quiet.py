"""What a short press of each seat's button would mean now: asked of the game itself, with nothing changed.

Every game's ``judge`` is pure, so a press can be tried; what it would do is named by the game's own words for moves.
It reads nothing but public state: a false pass is found by `knowledge`, which is not asked here.
"""

from __future__ import annotations

from typing import Any, Final

from .acts import Act, Do
from .fold import Game

#: What a press can be called, the first that a game's MOVES has; the page and the panel have words for each.
WORDS: Final = ("pay", "stop", "pass")


def quiet_word(game: Game) -> str:
    """What a press says in this game when it says anything: PAY, STOP, PASS, or "" where the button has no meaning."""
    return next((word.upper() for word in WORDS if word in game.MOVES), "")


def quiet_acts(game: Game, state: Any, seats: int) -> tuple[str, ...]:
    """For seats 1..``seats``: PAY, STOP or PASS, ANSWER where a press answers a neighbour, "" where it says nothing."""
    word = quiet_word(game)
    if word == "STOP" and game.due(state).what == "LEAD":
        word = "PASS"  # nobody can be asked for a next card before one was led
    return tuple(_quiet(game, state, seat, word) for seat in range(1, seats + 1))


def _quiet(game: Game, state: Any, seat: int, word: str) -> str:
    tried = game.judge(state, Act(Do.PRESS, seat))
    if tried.refused or tried.state == state:
        return ""
    return word if tried.moves else "ANSWER"
