"""What the button means now: exactly the seats whose press the referee would take are told so."""

from __future__ import annotations

import pytest

from firmware.referee.events import Entry, Pressed
from firmware.referee.match import Match, games
from firmware.referee.rulings import Kind

from .players import deal

#: What a press is called somewhere in a deal of each game; games whose button says nothing have no word.
WORDS = {
    "fan_tan": {"PAY"},
    "five_or_nine": {"PASS"},
    "comet": {"PASS"},
    "sevens": {"PASS"},
    "newmarket": {"STOP", "PASS"},
    "jig": {"STOP"},
    "pope_joan": {"STOP"},
    "commerce": {"PASS"},
    "ranter_go_round": {"PASS", "ANSWER"},
}


def pressed(match: Match, seat: int) -> tuple[list[Kind], Match]:
    """What the referee says to that seat's press, in a match of its own."""
    own = Match(match.setup)
    for entry in match.entries:
        own.add(entry)
    said = own.add(Entry(len(match.entries), Pressed(seat), t=float(len(match.entries)), source="page"))
    return [ruling.kind for ruling in said], own


@pytest.mark.parametrize("game", games())
def test_a_press_that_is_named_is_taken_and_another_one_is_refused_or_says_nothing(game: str) -> None:
    table = deal(game, 1)
    named = set()
    while not table.match.over and len(table.facts) < 40:
        match = table.match
        for seat, word in enumerate(match.quiet, start=1):
            kinds, after = pressed(match, seat)
            assert word == "" or Kind.REFUSED not in kinds, (seat, word)
            changed = after._fold.state != match._fold.state
            assert changed == bool(word), (seat, word)
            named |= {word} - {""}
        table.tell(table.next_fact())
    assert named == WORDS.get(game, set())


def test_only_the_seat_to_act_may_pay() -> None:
    table = deal("fan_tan", 1)
    table.tell(table.next_fact())
    turn = table.match.view.turn
    assert [bool(word) for word in table.match.quiet] == [seat == turn for seat in range(1, 5)]


def test_nothing_is_named_when_the_deal_is_over() -> None:
    assert set(deal("fan_tan", 1).play().match.quiet) == {""}
