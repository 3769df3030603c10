"""Jig, worked out by hand: five cards of a suit, not in turn; the fifth, a king and a card laid before are jig."""

from __future__ import annotations

from typing import Any

import pytest

from firmware.referee.events import Entry, HandShown, Said
from firmware.referee.match import Match, Setup

from .short import cards, holds, judged, match

DEAL = {"dealer": "C", "counts": {"A": 18, "B": 17, "C": 17}}


@pytest.mark.parametrize(
    ("moves", "seat", "need"),
    [
        ("A play 3H", None, "4H"),
        ("A play 3H; C play 4H; B play 5H; A play 6H", None, "7H"),
        ("A play 3H; C play 4H; B play 5H; A play 6H; C play 7H", "C", None),  # jig: the fifth
        ("A play QS; B play KS", "B", None),  # a king
        ("A play KS", "A", None),
        ("A play 5D; B play 6D; C play 7D; A play 8D; B play 9D; B play 4D", "B", None),  # the five lies there
        ("A play 9C; B play TC; B stop", "B", None),
    ],
)
def test_whose_turn_it_is(moves: str, seat: str | None, need: str | None) -> None:
    holds(judged("jig", moves, **DEAL), next={"seat": seat, "need": need}, violations=[])


def test_every_foul() -> None:
    moves = "B play 3H; A stop; B stop; A play 3H; B play 5H; B stop; A stop; A play 3H; B play 2S; A play 2S"
    fouls = ["NOT_THE_LEADER", "MUST_START", "NOT_THE_LEADER", "WRONG_CARD", "OUT_OF_TURN", "WRONG_CARD"]
    result = judged("jig", moves, **DEAL)
    assert [code for _, code in result["violations"]] == [*fouls, "NOT_THE_LEADER"]
    holds(result, next={"seat": None, "need": "3S"})


@pytest.mark.parametrize(("each", "won"), [(1, 3), (0, 0), (2, 6)])
def test_first_out_is_paid_for_the_cards_left(each: int, won: int) -> None:
    hands = cards(A="AS 2H", B="3H AH", C="2S")
    options = {"per_card": each, "stake": 2}
    result = judged("jig", "A play AS; C play 2S; A play 2H", options, dealer="C", hands=hands, ranks="A23")
    holds(result, winner="C", pool=0, violations=[[2, "DEAL_OVER"]])
    assert result["net"] == {"A": -2 - each, "B": -2 - 2 * each, "C": won + 4}
    assert result["card_payments"] == {"A": each, "B": 2 * each}


def test_somebody_always_holds_the_wanted_card_and_is_named_when_he_shows_it() -> None:
    found = match("jig", "A play 3H; A stop; A play 9S; B play 4H", {"held_back_fine": 2}, **DEAL)
    holds(found.result(), held_back=[[1, "B", "4H", 3]], counted=[], fines={"B": 2}, next={"seat": None, "need": "TS"})
    told = [r for r in found.rulings if r.kind.value == "proved"]
    assert [(r.code, r.seat) for r in told] == [("HELD_BACK", None), ("HELD_BACK", 2)]


def test_a_hand_laid_open_shows_what_was_held_back_and_the_winner_is_paid() -> None:
    deal = {"dealer": "C", "hands": cards(A="AH 3D", B="2H 3H", C="2D"), "ranks": "A23"}
    result = judged("jig", "A play AH; A stop; A play 3D", {"held_back_fine": 1}, **deal)
    holds(result, winner="A", held_back=[[1, "B", "2H", "final"]], net={"A": 4, "B": -3, "C": -1})


def test_a_script_without_a_dealer_lets_its_first_mover_begin() -> None:
    result = judged("jig", "B play 3H", counts={"A": 4, "B": 3, "C": 4})
    holds(result, violations=[], next={"seat": None, "need": "4H"})


@pytest.mark.parametrize(("players", "dealt"), [(2, (26, 26)), (5, (11, 11, 10, 10, 10))])
def test_all_are_dealt(players: int, dealt: tuple[int, ...]) -> None:
    from firmware.referee.games import jig

    assert jig.hands(players, jig.House()) == (dealt, 0)


def said(*words: tuple[int, str], moves: str = "A play 3H") -> Any:
    """The match when seats have said something after these moves."""
    found = match("jig", moves, **DEAL)
    for number, (seat, word) in enumerate(words, start=100):
        found.add(Entry(number, Said(seat, *word.split())))
    return found


@pytest.mark.parametrize(
    ("moves", "leaver", "turn", "need"),
    [
        ("A play 3H", 1, 2, None),  # his line ends
        ("A play 3H", 2, None, "4H"),
        ("A play KH", 1, 2, None),
        ("A play KH", 3, 1, None),
    ],
)
def test_a_seat_leaves_or_is_away(moves: str, leaver: int, turn: int | None, need: str | None) -> None:
    others = [s for s in (1, 2, 3) if s != leaver]
    left = said((leaver, "leave"), moves=moves).view
    away = said(*((s, f"skip {leaver}") for s in others), moves=moves).view
    for view in (left, away):
        assert (view.turn, view.need) == (turn, need)
    assert left.live == tuple(others)
    assert len(away.live) == 3


def test_the_last_one_left_wins_and_the_pool_goes_with_him() -> None:
    found = Match(Setup("jig", ("A", "B"), 2, {"stake": 3}, {"counts": {"A": 26, "B": 26}}))
    found.add(Entry(0, Said(1, "leave")))
    assert (found.view.winner, found.view.counters) == (2, (-3, 3))
    following = found.next_setup()
    assert following is not None
    assert (following.dealer, following.deal) == (2, {"counts": {"A": 26, "B": 26}})


def test_words_for_people() -> None:
    view = match("jig", "A play 3H", **DEAL).view
    assert view.words == "whoever has 4♥ plays it; if nobody lays it, A says stop"
    assert match("jig", "", **DEAL).view.words == "A to lead any card"
    over = match("jig", "A play AH", hands=cards(A="AH", B="2H"), seats="AB", ranks="A2")
    assert over.view.words == "A is out first and wins"
    over.add(Entry(9, HandShown(2, ())))
    assert over.view.winner == 1
