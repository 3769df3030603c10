"""What can be said now that no card shows: asked of the game, and accepted by it when it is said."""

from __future__ import annotations

import pytest

from firmware.referee.events import Entry, Exchanged, Said, from_json
from firmware.referee.match import Match, Setup, dealt, games
from firmware.referee.rulings import Kind
from firmware.referee.telling import AGREED


def match(game: str, seats: int = 3) -> Match:
    names = ("Ann", "Bo", "Cy", "Di")[:seats]
    return Match(dealt(Setup(game, names, seats, {}, {})))


def say(one: Match, seat: int, word: str, detail: str = "") -> bool:
    """Whether it was accepted."""
    told = one.add(Entry(len(one.entries), Said(seat, word, detail)))
    return not any(r.kind is Kind.REFUSED or r.code == "NO_SUCH_ACT" for r in told)


@pytest.mark.parametrize("game", sorted(games()))
def test_everything_that_is_offered_is_accepted(game: str) -> None:
    seats = games()[game].SEATS[0]
    for seat, words in enumerate(match(game, seats).telling, start=1):
        assert set(AGREED) <= set(words)
        for word in words:
            other = seat % seats + 1
            assert say(match(game, seats), seat, word, f"{other}:2" if word == "sell" else str(other)), (seat, word)


def test_commerce_is_bought_and_bartered_by_who_may() -> None:
    one = match("commerce")
    assert [words[:2] for words in one.telling] == [("buy", "demand"), ("skip", "leave"), ("skip", "leave")]
    say(one, 1, "demand")
    assert one.telling[1][0] == "swap"
    say(one, 2, "swap")
    assert one.telling[1][:2] == ("buy", "demand")


def test_who_is_away_may_say_that_he_is_back() -> None:
    one = match("fan_tan")
    for seat in (1, 2):
        say(one, seat, "skip", "3")
    assert one.telling[2][0] == "back"
    say(one, 3, "back")
    assert "back" not in one.telling[2]


def test_nothing_is_said_when_the_deal_is_off() -> None:
    one = match("fan_tan")
    for seat in (1, 2):
        say(one, seat, "draw")
    assert one.view.over
    assert one.telling == ((), (), ())


@pytest.mark.parametrize("seats", [[], [1], [1, 2, 3]])
def test_an_exchange_is_between_two(seats: list[int]) -> None:
    with pytest.raises(ValueError, match=r"exchanged\.seats: 2 values are wanted"):
        from_json({"fact": "exchanged", "seats": seats})
    assert from_json({"fact": "exchanged", "seats": [1, 2]}) == Exchanged((1, 2))


@pytest.mark.parametrize("name", ["👩🏽‍🦰", "می‌خواهم", "क्‍ष", "שלום"])
def test_names_may_have_joiners(name: str) -> None:
    assert match_of(name).setup.seats[0] == name


def match_of(name: str) -> Match:
    return Match(dealt(Setup("fan_tan", (name, "Bo"), 1, {}, {})))
