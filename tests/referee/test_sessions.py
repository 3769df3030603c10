"""Golden sessions: for every game a deal as text, with everything that the referee says. The files are in
tests/sessions/; ``GOLDEN=write pytest tests/referee/test_sessions.py`` writes them again, to be read before they are
committed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from firmware.referee.events import Entry, Fact, from_json, to_json
from firmware.referee.match import Match, Setup, games

from .players import deal

FOLDER = Path(__file__).resolve().parent.parent / "sessions"
#: Sessions with something to see in them: the game, the dice, and house rules where the default is not the point.
MADE: dict[str, tuple[str, int, dict[str, object]]] = {
    **{game: (game, 4, {}) for game in games()},
    **{f"{game}_three": (game, 7, {}) for game in games()},
    "pope_joan_foster": ("pope_joan", 3, {"form": "foster"}),
    "pope_joan_fined": ("pope_joan", 5, {"held_back_fine": 2, "lead_lowest": True, "dressing": "shared"}),
    "five_or_nine_fined": (
        "five_or_nine",
        11,
        {"false_pass_fine": 3, "held_starter_fine": 5, "opening_pass_pays": True},
    ),
    "fan_tan_fined": ("fan_tan", 9, {"withhold_fine": 3, "per_card": True, "ante": 2, "uneven_ante": True}),
    "comet_fined": ("comet", 3, {"false_pass_fine": 2, "king_draws": 2}),
    "jig_fined": ("jig", 5, {"stake": 2, "held_back_fine": 1}),
    "fan_tan_broke": ("fan_tan", 10, {"broke": "out", "counters": 4, "ante": 1}),
    "sevens_fined": ("sevens", 6, {"false_pass_fine": 3, "held_starter_fine": 5, "first_card": "7D"}),
    "newmarket_old": ("newmarket", 6, {"ace": "low", "removed": "8D", "pays": "below", "held_back_fine": 1}),
    "matrimony_cassell": ("matrimony", 2, {"version": "cassell"}),
    "ranter_go_round_strict": (
        "ranter_go_round",
        8,
        {"false_king_fine": 1, "silence_fine": 1, "king_may_give": False, "tie": "last_turned", "dealer_king": "void"},
    ),
    "wish_card_table": (
        "wish_card",
        6,
        {"gather_scope": "table", "after_payment": "receiver", "empty_pack": "recycle"},
    ),
}


def text_of(setup: Setup, facts: list[Fact]) -> str:
    """A session as a person would read it: each fact, and under it what the referee said."""
    match = Match(setup)
    head = {"game": setup.game, "seats": setup.seats, "dealer": setup.dealer, "house": setup.house, "deal": setup.deal}
    lines = [json.dumps(head), *_said(match.opening), _seen(match)]
    for number, fact in enumerate(facts):
        rulings = match.add(Entry(number, fact, source="camera"))
        lines += ["", f"{number} {json.dumps(to_json(fact))}", *_said(rulings), _seen(match)]
    lines += ["", f"result {json.dumps(match.result())}", f"next {json.dumps(_next(match))}"]
    return "\n".join(lines) + "\n"


def _said(rulings: tuple[object, ...]) -> list[str]:
    return [f"    {r.kind.value:9} {r.code:14} {r.why}{_because(r.entries)}" for r in rulings]  # type: ignore[attr-defined]


def _seen(match: Match) -> str:
    """What everybody may see now, in a line: what is due from whom, how much, the counters, who is in."""
    view = match.view
    due = f"{view.due or 'over'} {view.turn or '-'} {view.due_count} {view.need or '-'}"
    return f"    = {due}  pool {view.pool}  {list(view.counters)}  in {list(view.live)}"


def _because(entries: tuple[int, ...]) -> str:
    return f" [{', '.join(map(str, entries))}]" if entries else ""


def _next(match: Match) -> object:
    following = match.next_setup()
    return None if following is None else {"dealer": following.dealer, "deal": following.deal}


def read(text: str) -> tuple[Setup, list[Fact]]:
    """The setup and the facts of a written session."""
    lines = text.splitlines()
    head = json.loads(lines[0])
    setup = Setup(head["game"], tuple(head["seats"]), head["dealer"], head["house"], head["deal"])
    return setup, [from_json(json.loads(line.split(" ", 1)[1])) for line in lines if line[:1].isdigit()]


@pytest.mark.parametrize("name", sorted(MADE))
def test_the_session_is_judged_as_it_is_written(name: str) -> None:
    path = FOLDER / f"{name}.txt"
    if os.environ.get("GOLDEN") == "write":
        game, seed, house = MADE[name]
        seats = 3 if name.endswith("_three") else 4
        table = deal(game, seed, seats, cheat=0.15, blunder=0.08, house=house).play(60)
        path.write_text(text_of(table.match.setup, table.facts), encoding="utf-8")
    text = path.read_text(encoding="utf-8")
    assert text_of(*read(text)) == text


def test_every_game_has_a_session() -> None:
    have = {read(path.read_text(encoding="utf-8"))[0].game for path in FOLDER.glob("*.txt")}
    assert have == set(games()), "a game without a golden session: add one to tests/sessions/"
