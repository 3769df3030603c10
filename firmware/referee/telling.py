"""What a seat may say now that no card and no button shows: asked of the game itself, with nothing changed.

The page offers these words; the referee judges them when they come. It reads nothing but public state.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from .acts import Act, Do
from .fold import SAID, Game

#: What the whole table agrees on, in every game.
AGREED: Final = ("draw", "misdeal")


def telling(game: Game, state: Any, seats: int, away: Collection[int]) -> tuple[tuple[str, ...], ...]:
    """For seats 1..``seats``: the game's own words (its TOLD) that would be accepted, then leave, skip, back, draw
    and misdeal where they mean anything; nothing for a seat that is out, or when the deal is over. ``away``: the seats
    that are passed over now.
    """
    return tuple(_words(game, state, seat, away) for seat in range(1, seats + 1))


def _words(game: Game, state: Any, seat: int, away: Collection[int]) -> tuple[str, ...]:
    live = state.live
    if state.over or seat not in live or len(live) < 2:
        return ()
    own = [word for word in getattr(game, "TOLD", ()) if _accepted(game, state, seat, word)]
    leave = ["leave"] if hasattr(game, "leave") else []
    skip = ["skip"] if hasattr(game, "skip") and any(s not in away for s in live if s != seat) else []
    back = ["back"] if seat in away else []
    return (*own, *back, *skip, *leave, *AGREED)


def _accepted(game: Game, state: Any, seat: int, word: str) -> bool:
    other = next(s for s in state.live if s != seat)
    act = Act(SAID.get(word, Do.SAY), seat, word=word, detail=f"{other}:0" if word == "sell" else "")
    tried = game.judge(state, act)
    return not tried.refused and tried.state != state
