"""Ranter-Go-Round at a real table: one button speaks for all, and a demand is only seen when cards change places."""

from __future__ import annotations

from firmware.referee.cards import Card
from firmware.referee.events import Cut, Entry, Exchanged, ExchangeRefused, Fact, Laid, Pressed
from firmware.referee.match import Match, Setup


def table(*facts: Fact) -> Match:
    """A table of four, the last deals; these facts as a camera and buttons tell them."""
    match = Match(Setup("ranter_go_round", ("A", "B", "C", "D"), 4))
    for number, fact in enumerate(facts):
        match.add(Entry(number, fact, source="camera"))
    return match


def shown(**cards: str) -> list[Fact]:
    """The showdown; ``stock`` is the card that the dealer gave up."""
    seats = {"A": 1, "B": 2, "C": 3, "D": 4}
    return [
        Laid(Card.parse(card), f"seat-{seats[seat]}" if seat in seats else "stock", seats.get(seat, 4))
        for seat, card in cards.items()
    ]


def test_one_press_before_the_exchange_announces_an_ace_and_is_no_move() -> None:
    match = table(
        Pressed(2), Exchanged((1, 2)), Pressed(2), Pressed(3), Pressed(4), *shown(A="AS", B="6D", C="JC", D="8H")
    )
    assert match.result()["proved"] == []
    assert match.result()["losers"] == ["A"]


def test_two_presses_announce_a_deuce_and_not_an_ace() -> None:
    end = shown(A="AS", B="6D", C="JC", D="8H")
    for taps in ([Pressed(2), Pressed(2)], [Pressed(2, taps=2)]):
        match = table(*taps, Exchanged((1, 2)), Pressed(2), Pressed(3), Pressed(4), *end)
        assert match.result()["proved"] == [[1, "B", "UNANNOUNCED_ACE"]]


def test_a_press_without_an_exchange_says_that_he_has_a_king() -> None:
    """The card was pushed back unseen: B said king, then demands of C himself."""
    match = table(Pressed(2), Exchanged((2, 3)), Pressed(3), Pressed(4), *shown(A="4D", B="8S", C="QH", D="9H"))
    assert match.result()["violations"] == []
    assert match.result()["proved"] == [[1, "B", "FALSE_KING"]]  # the queen that C has now was B's


def test_a_press_and_a_press_say_king_and_pass() -> None:
    match = table(Pressed(2), Pressed(2), Pressed(3), Pressed(4), *shown(A="4D", B="QH", C="8S", D="9H"))
    assert match.result()["proved"] == [[1, "B", "FALSE_KING"]]
    assert match.result()["violations"] == []
    assert match.result()["losers"] == ["A"]


def test_the_dealer_says_king_and_keeps_it() -> None:
    facts = [Pressed(1), Pressed(2), Pressed(4), Pressed(4), *shown(A="4D", B="QH", C="8S", D="KH")]
    assert table(*facts).result()["proved"] == []
    assert table(*facts).result()["losers"] == ["A"]


def test_the_dealer_says_king_and_cuts() -> None:
    match = table(Pressed(1), Pressed(2), Pressed(4), Cut(4, None), *shown(A="4D", B="QH", C="8S", D="5S", stock="9C"))
    assert match.result()["proved"] == [[3, "D", "FALSE_KING"]]


def test_a_king_turned_up_against_the_demand_of_who_has_just_said_king() -> None:
    match = table(
        Pressed(2), Laid(Card.parse("KH"), "seat-3", 3), Pressed(3), Pressed(4), *shown(A="4D", B="KS", D="9H")
    )
    assert match.result()["proved"] == []
    assert match.result()["final"] == {"A": "4D", "B": "KS", "C": "KH", "D": "9H"}


def test_a_press_out_of_turn_is_one_when_the_seat_to_act_goes_on() -> None:
    match = table(Pressed(2), Pressed(1), Pressed(2), Pressed(3), Pressed(4), *shown(A="4D", B="QH", C="8S", D="9H"))
    assert match.result()["violations"] == [[0, "OUT_OF_TURN"]]
    assert match.result()["losers"] == ["A"]


def test_a_refused_demand_that_was_seen_after_the_press_is_the_same_two_moves() -> None:
    end = shown(A="4D", B="QH", C="8S", D="9H")
    match = table(Pressed(2), ExchangeRefused(1, 2), Pressed(2), Pressed(3), Pressed(4), *end)
    assert match.result()["proved"] == [[1, "B", "FALSE_KING"]]


def test_a_king_shown_and_the_card_pushed_back_is_one_refusal() -> None:
    end = shown(A="4D", C="8S", D="9H")
    facts = [Laid(Card.parse("KH"), "seat-2", 2), ExchangeRefused(1, 2), Pressed(2), Pressed(1), Pressed(3), Pressed(4)]
    match = table(*facts, *end)
    assert match.result()["violations"] == [[3, "OUT_OF_TURN"]]
    assert match.result()["final"]["B"] == "KH"


def test_an_exchange_out_of_turn_is_one_foul_and_two_moves() -> None:
    match = table(Exchanged((3, 4)), Pressed(1))
    assert match.result()["violations"] == [[0, "OUT_OF_TURN"]]
    assert match.view.turn == 2


def test_the_card_that_the_dealer_gave_up_may_be_turned_after_all_others() -> None:
    match = table(Pressed(1), Pressed(2), Pressed(3), Cut(4, None), *shown(A="AS", B="4D", C="KH", D="5S", stock="9C"))
    assert match.over
    assert match.result()["losers"] == ["A"]
