"""The smaller games, worked out by hand to the last counter: Commerce, Beggar-My-Neighbour, Speculation."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from firmware.referee.cards import Card
from firmware.referee.events import Cut, Fact, Gathered, HandShown, Laid, Pressed, Said, TurnedDown
from firmware.referee.games import commerce
from firmware.referee.house import choose
from firmware.referee.match import Match, Setup, games

from .short import cards, holds, judged, match
from .short import facts_told as told


def hand(text: str) -> tuple[Card, ...]:
    return tuple(Card.parse(name) for name in text.split())


# -- acts that mean nothing ----------------------------------------------------------------------------------------

NOTHING: dict[str, list[Fact]] = {
    "cut": [Cut(1, Card.parse("5H"))],
    "said": [Said(1, "sing", "5H")],
    "gathered": [Gathered("seat-2", 1, 3)],
    "turned down": [TurnedDown("layout", 1)],
}


@pytest.mark.parametrize("what", NOTHING)
@pytest.mark.parametrize(
    "game", ["fan_tan", "five_or_nine", "sevens", "pope_joan", "newmarket", "snip_snap_snorem", "jig"]
)
def test_what_means_nothing_changes_nothing(game: str, what: str) -> None:
    """A cut shows a card, and is no play for all that; nothing is a foul."""
    setup = Setup(game, ("A", "B", "C"), 3, {}, {"turn": "A"})
    before, after = told(setup), told(setup, *NOTHING[what])
    assert after._fold.state == before._fold.state
    assert after.result()["violations"] == []
    assert {r.kind.value for r in after.rulings[len(before.rulings) :]} <= {"notice"}


@pytest.mark.parametrize("game", sorted(games()))
def test_whoever_acts_has_a_count_of_what_is_due(game: str) -> None:
    due = Match(Setup(game, ("A", "B", "C"), 3, {}, {})).view
    counts = {
        "LEAD": {"five_or_nine": 0, "sevens": 0, "fan_tan": 0, "pope_joan": 1, "newmarket": 1, "comet": 1, "jig": 1}
    }
    counts |= {"TURN": {"wish_card": 1, "beggar_my_neighbour": 1, "ranter_go_round": 0, "commerce": 0}}
    counts |= {"PLAY": {"snip_snap_snorem": 1}, "DEAL": {"matrimony": 0, "speculation": 0}}
    assert due.due_count == counts[due.due][game]


# -- Commerce ------------------------------------------------------------------------------------------------------

#: From the best to the worst, one of every kind that can be told apart.
ORDER = (
    "AS AH AD",
    "3S 3H 3D",
    "2S 2H 2D",
    "AS KS QS",
    "KS QS JS",
    "4S 3S 2S",
    "3S 2S AS",
    "AS QS TS",
    "AS KS 9S",
    "AS QS 9S",
    "AS 9S 8S",
    "KS 9S 2S",
    "5S 4S 2S",
    "AS AH 3D",
    "AS AH 2D",
    "KS KH AD",
    "KS KH 2D",
    "2S 2H KD",
    "2S 2H 3D",
    "AS KS 9H",
    "AS QS 9H",
    "KS QS AH",
    "QS JS 9H",
    "AS 9S 2H",
    "KS 2H AS",
    "AS KH QD",
    "TS 9H 8D",
    "9S 8H 7D",
)


def test_commerce_every_kind_of_hand_beats_the_next() -> None:
    house = choose(commerce.House, {})
    values = [commerce.value(house, hand(text)) for text in ORDER]
    kinds = [commerce.value_words(house, hand(text)) for text in ORDER]
    assert kinds == ["tricon"] * 3 + ["sequence"] * 4 + ["flush"] * 6 + ["pair"] * 6 + ["point"] * 9
    for better, worse in pairwise(v for v, k in zip(values, kinds, strict=True) if k != "point"):
        assert better > worse
    points = [commerce.point(hand(text)) for text in ORDER[-9:]]
    assert points == [21, 21, 20, 20, 20, 21, 11, 10, 9]


def test_commerce_points_count_the_best_suit_and_then_the_cards() -> None:
    house = choose(commerce.House, {})

    def value(text: str) -> tuple[int, ...]:
        return commerce.value(house, hand(text))

    assert value("AS KH QD") > value("AS KH JD") > value("AS QH JD")
    assert value("KS 9S 2H") < value("KS QS 2H")
    assert value("TS 9H 8D") == (0, 10, 8, 7, 6)
    assert value("AS KS 9H") == (0, 21, 12, 11, 7)


@pytest.mark.parametrize(
    ("text", "options", "kind"),
    [
        ("KS AS 2S", {}, "flush"),
        ("3S 2S AS", {}, "sequence"),
        ("3S 2S AS", {"ace": "high"}, "flush"),
        ("AS KS QS", {"ace": "high"}, "sequence"),
        ("AS KS 9S", {"flush": False}, "point"),
        ("4S 3H 2S", {}, "point"),
        ("9S 8S 6S", {}, "flush"),
        ("9S 7S 6S", {}, "flush"),
        ("AH 2S 3S", {}, "point"),
    ],
)
def test_commerce_what_is_a_sequence(text: str, options: dict[str, Any], kind: str) -> None:
    assert commerce.value_words(choose(commerce.House, options), hand(text)) == kind


COM = Setup("commerce", ("A", "B", "C"), 3, {"stake": 2, "price": 3})


def shown(*hands: str) -> list[Fact]:
    return [Laid(card, f"seat-{seat}", seat) for seat, text in enumerate(hands, 1) for card in hand(text)]


def test_commerce_buying_costs_and_the_best_hand_takes_the_pool() -> None:
    bought = told(COM, Said(1, "buy"), Said(2, "buy"), Said(3, "buy"))
    assert bought.view.counters == (-5, -5, -2 + 6)  # the dealer pays himself nothing
    assert bought.view.turn == 1
    over = told(COM, Said(1, "buy"), Pressed(2), *shown("2S 2H 3D", "3S 3H 2D", "KS QD 9C"))
    assert over.result()["order"] == ["B", "A", "C"]
    assert over.view.counters == (-5, 4, 1)
    holds(over.result(), winner="B", takes=6, pool=0, net={"A": -5, "B": 4, "C": 1}, violations=[])
    following = over.next_setup()
    assert following is not None
    assert (following.dealer, following.deal) == (1, {})


def test_commerce_of_equal_hands_the_one_nearer_to_the_dealers_left() -> None:
    for dealer, winner in ((3, "A"), (1, "B"), (2, "A")):
        setup = Setup("commerce", ("A", "B", "C"), dealer)
        seat = dealer % 3 + 1
        over = told(setup, Pressed(seat), *shown("2S 2H 3D", "2D 2C 3H", "KS QD 9C"))
        assert over.result()["winner"] == winner


def test_commerce_a_barter_waits_for_the_neighbour() -> None:
    asked = told(COM, Said(1, "demand"))
    assert (asked.view.due, asked.view.turn, asked.view.due_count) == ("REPLY", 2, 1)
    given = told(COM, Said(1, "demand"), Said(2, "swap"))
    assert (given.view.due, given.view.turn) == ("TURN", 2)
    wrong = told(COM, Said(1, "demand"), Said(3, "swap"), Said(2, "swap"))
    assert wrong.result()["violations"] == [[1, "OUT_OF_TURN"]]
    assert wrong.view.turn == 2
    assert told(COM, Said(2, "buy"), Said(2, "demand"), Pressed(2)).result()["violations"] == [
        [0, "OUT_OF_TURN"],
        [1, "OUT_OF_TURN"],
        [2, "OUT_OF_TURN"],
    ]


def test_commerce_after_the_knock_only_hands_count() -> None:
    knocked = told(COM, Pressed(1), Said(1, "buy"), Pressed(2))
    assert knocked.view.due == "EXPOSE"
    assert knocked.result()["violations"] == [[1, "OUT_OF_TURN"], [2, "OUT_OF_TURN"]]
    over = told(COM, Pressed(1), *shown("2S 2H 3D", "3S 3H 2D", "KS QD 9C"))
    more = told(COM, *(e.fact for e in over.entries), Pressed(1), HandShown(1, hand("2S")), TurnedDown("seat-1"))
    assert more.result()["violations"] == [[10, "DEAL_OVER"]]
    assert more.view.counters == over.view.counters


def test_commerce_words_that_mean_nothing() -> None:
    found = told(COM, Said(1, "sing"))
    assert found.view.turn == 1
    assert found.view.counters == (-2, -2, -2)
    assert [r.code for r in found.standing][-1] == "NO_SUCH_ACT"


# -- Beggar-My-Neighbour -------------------------------------------------------------------------------------------


def beggar(moves: str, options: dict[str, Any] | None = None, **packs: str) -> Match:
    return match("beggar_my_neighbour", moves, options, "".join(packs), packs=cards(**packs))


def test_beggar_the_next_who_has_cards_pays_the_rest() -> None:
    start = "A turn KS; B turn 3H"
    packs = {"A": "KS 2S", "B": "3H", "C": "4H 5H 6H"}
    passed = beggar(start, **packs)
    assert (passed.view.turn, passed.view.due, passed.view.due_count, passed.view.live) == (3, "PAY", 2, (1, 3))
    paid = beggar(start + "; C turn 4H; C turn 5H; A gather centre 4", **packs)
    holds(paid.result(), packs={"A": 5, "B": 0, "C": 1}, taker="A", pile=4, next="A", stopped=False)
    taken = beggar(start, {"payer_out": "take"}, **packs)
    assert (taken.view.turn, taken.view.due, taken.view.due_count) == (1, "GATHER", 2)


def test_beggar_of_two_the_payer_who_runs_out_has_lost_at_once() -> None:
    found = beggar("A turn KS; B turn 3H", A="KS 2S", B="3H")
    holds(found.result(), winner="A", stopped=True, next=None, pile=2)
    assert found.view.due_count == 0


def test_beggar_who_has_paid_all_with_his_last_card_is_out_when_the_pile_is_taken() -> None:
    found = beggar("A turn JS; B turn 3H; A gather centre 2", A="JS 2S", B="3H")
    holds(found.result(), winner="A", stopped=True, packs={"A": 3, "B": 0})
    three = beggar("A turn JS; B turn 3H; A gather centre 2; A turn 2S", A="JS 2S", B="3H", C="4H")
    holds(three.result(), winner=None, next="C", stopped=False)
    assert three.view.live == (1, 3)


def test_beggar_a_last_numeral_puts_its_player_out_and_a_last_court_card_does_not() -> None:
    out = beggar("A turn 2S; B turn 3H; C turn 4H", A="2S 5S", B="3H", C="4H 6H")
    assert out.view.live == (1, 3)
    court = beggar("A turn 2S; B turn JH", A="2S 5S", B="JH", C="4H 6H")
    assert (court.view.live, court.view.turn) == ((1, 2, 3), 3)
    court = beggar("A turn 2S; B turn JH; C turn 4H; B gather centre 3; B turn 2S", A="2S 5S", B="JH", C="4H 6H")
    holds(court.result(), packs={"A": 1, "B": 2, "C": 1}, next="C")


def test_beggar_all_out_but_the_one_who_is_to_be_paid() -> None:
    found = beggar("A turn 2S; B turn JH", A="2S", B="JH")
    holds(found.result(), winner="B", stopped=True, next=None)
    nobody = beggar("A turn 2S; B turn 3H", A="2S", B="3H")
    holds(nobody.result(), winner="B", stopped=True)


def test_beggar_every_foul() -> None:
    packs = {"A": "QS 2S 8S", "B": "3H 4H 5H", "C": "6C 7C"}
    moves = "B turn 3H; B gather centre; A turn QS; C turn 6C; A gather centre 1; B turn 3H; B turn 4H; B turn 5H; "
    moves += "C turn 6C; B gather centre 3; A gather B 3; A gather centre 2; A gather centre 3"
    codes = {0: "OUT_OF_TURN", 1: "NOTHING_OWED", 3: "OUT_OF_TURN", 4: "UNDERPAID", 7: "OVERPAID", 8: "GATHER_DUE"}
    codes |= {9: "WRONG_RECEIVER", 10: "WRONG_PILE", 11: "WRONG_COUNT"}
    found = beggar(moves, **packs)
    holds(found.result(), violations=[[m, c] for m, c in codes.items()], packs={"A": 5, "B": 1, "C": 2}, next="A")
    stopped = beggar("A turn KS; B turn 3H; A turn 2S; A gather centre", A="KS 2S", B="3H")
    holds(stopped.result(), violations=[[2, "GAME_STOPPED"], [3, "GAME_STOPPED"]])


def test_beggar_a_pile_that_was_taken_may_come_round_again_on_a_real_table() -> None:
    setup = Setup("beggar_my_neighbour", ("A", "B", "C"), 3, {}, {"counts": {"A": 2, "B": 3, "C": 3}})
    plays: list[Fact] = [Laid(Card.parse(c), f"seat-{s}", s) for c, s in (("JS", 1), ("6H", 2))]
    plays += [Gathered("layout", 1, 2)]
    plays += [Laid(Card.parse(c), f"seat-{s}", s) for c, s in (("2S", 1), ("4C", 2), ("7H", 3), ("JS", 1))]
    found = told(setup, *plays)
    assert not [r for r in found.standing if r.kind in ("conflict", "refused")]
    assert (found.view.due, found.view.turn, found.view.table) == ("PAY", 2, (("layout", ("2S", "4C", "7H", "JS")),))
    assert found.result()["packs"] == {"A": 1, "B": 1, "C": 2}
    unknown = told(Setup("beggar_my_neighbour", ("A", "B"), 2), *plays[:3])
    assert unknown.result()["packs"] == {"A": None, "B": None}
    assert unknown.view.turn == 1


# -- Speculation ---------------------------------------------------------------------------------------------------


def test_speculation_only_a_higher_trump_changes_hands() -> None:
    turns = [("5H", 1), ("KS", 2), ("9H", 3), ("4H", 1), ("9S", 2), ("2C", 3), ("JH", 1), ("3S", 2), ("TH", 3)]
    setup = Setup("speculation", ("A", "B", "C"), 3, {}, {"turn_up": "5S"})
    plays: list[Fact] = [Laid(Card.parse(c), f"seat-{s}", s) for c, s in turns]
    holders = [told(setup, *plays[:n]).result()["holder"] for n in range(len(plays) + 1)]
    assert holders == ["C", "C", "B", "B", "B", "B", "B", "B", "B", "B"]
    over = told(setup, *plays)
    holds(over.result(), winner="B", takes=14, pool=0, net={"A": -4, "B": 10, "C": -6}, next=None)
    assert [told(setup, *plays[:n]).view.turn for n in range(4)] == [1, 2, 3, 1]
    assert told(setup, *plays[:8]).over is False


def test_speculation_the_turn_up_is_the_dealers_and_may_be_turned_at_the_table() -> None:
    setup = Setup("speculation", ("A", "B", "C"), 3, {"dealer_stake": 2, "stake": 1})
    wrong = told(setup, Laid(Card.parse("5S"), "seat-1", 1))
    assert wrong.result()["violations"] == [[0, "OUT_OF_TURN"]]
    ace = told(setup, Laid(Card.parse("AS"), "seat-3", 3))
    holds(ace.result(), winner="C", takes=4, net={"A": -1, "B": -1, "C": 2})
    kept = Setup("speculation", ("A", "B", "C"), 3, {"ace_at_once": False})
    assert not told(kept, Laid(Card.parse("AS"), "seat-3", 3)).over


@pytest.mark.parametrize(
    ("detail", "seat", "code"),
    [("2:5", 1, "OUT_OF_TURN"), ("9:5", 3, ""), ("2:x", 3, ""), ("x:2", 3, ""), ("", 3, "")],
)
def test_speculation_a_sale_is_by_the_holder_to_a_seat_at_a_price(detail: str, seat: int, code: str) -> None:
    setup = Setup("speculation", ("A", "B", "C"), 3, {}, {"turn_up": "5S"})
    found = told(setup, Said(seat, "sell", detail))
    assert found.result()["violations"] == ([[0, code]] if code else [])
    assert found.result()["holder"] == "C"
    sold = told(setup, Said(3, "sell", "2:5"), Said(3, "sell", "1:9"), Said(2, "sell", "1:"))
    assert sold.view.counters == (-4, -4 - 5, -6 + 5)
    holds(sold.result(), holder="A", violations=[[1, "OUT_OF_TURN"]])


def test_speculation_fewer_cards_and_seats_that_have_turned_all() -> None:
    deal = {"turn_up": "5S", "counts": {"A": 2, "B": 1, "C": 1}}
    result = judged("speculation", "A turn 2H; B turn 3H; C turn 4H; B turn 9S; A turn 6H", dealer="C", **deal)
    holds(result, violations=[[3, "OUT_OF_TURN"]], winner="C")


# -- Comet ---------------------------------------------------------------------------------------------------------

COMET: dict[str, Any] = {"dealer": "C", "counts": {"A": 4, "B": 4, "C": 4}}


def test_comet_ranks_go_up_in_any_suit_and_the_player_goes_on() -> None:
    moves = (
        "A play 5H; A play 6S; B play 7D; A pass; B play 7D; B play 7C; B pass; C pass; A pass; A play 2S; B play 2S"
    )
    result = judged("comet", moves, **COMET)
    codes = {2: "OUT_OF_TURN", 5: "WRONG_CARD", 9: "NOT_THE_LEADER"}
    holds(result, violations=[[m, c] for m, c in codes.items()], next={"seat": "B", "need": "3"}, false_passes=[])


def test_comet_kings_and_the_comet_end_the_line_and_are_paid() -> None:
    result = judged("comet", "A play QS; A play KH; A play 4S; A play 9D; B play 2C", **{**COMET, "counts": {}})
    holds(result, net={"A": 6, "B": -3, "C": -3}, next={"seat": "A", "need": None}, violations=[[4, "NOT_THE_LEADER"]])
    options = {"king_draws": 0, "comet_draws": 5}
    result = judged("comet", "A play QS; A play KH; A play 9D", options, **{**COMET, "counts": {}})
    holds(result, net={"A": 10, "B": -5, "C": -5})


def test_comet_first_out_is_paid_for_the_cards_left() -> None:
    deal = {"dealer": "C", "counts": {"A": 2, "B": 3, "C": 4}}
    result = judged("comet", "A play QS; A play KH; B play 2S; B pass", {"per_card": 2}, **deal)
    holds(result, winner="A", card_payments={"B": 6, "C": 8}, net={"A": 16, "B": -7, "C": -9}, next=None)
    assert result["violations"] == [[2, "DEAL_OVER"], [3, "DEAL_OVER"]]


def test_comet_a_false_press_is_proved_and_the_comet_may_be_kept() -> None:
    moves = "A play 8S; A pass; B play 9D; B play 9H; B pass; C pass; A pass; B play 2H"
    result = judged("comet", moves, {"false_pass_fine": 1}, **COMET, final_hands={"A": ["9S"], "C": ["TH"]})
    proved = [[1, "A", "9S", "final"], [5, "C", "TH", "final"]]
    holds(result, false_passes=proved, violations=[], fines={"A": 1, "C": 1}, net={"A": -3, "B": 4, "C": -3})
    kept = judged("comet", "A play 8S; A pass; B play 9H; B pass", **COMET, final_hands={"A": ["9D"]})
    holds(kept, false_passes=[])


def test_comet_a_rank_that_is_all_out_is_a_known_stop() -> None:
    moves = "A play 6S; A play 7S; A play 8S; A pass; B pass; C pass; A play 8H; A pass; B pass; C pass; "
    moves += "A play 8C; A pass; B pass; C pass; A play 7H"
    holds(judged("comet", moves, dealer="C"), next={"seat": "A", "need": None}, violations=[])


def test_comet_the_eight_of_diamonds_is_in_no_hand() -> None:
    holds(judged("comet", "A play 8D; A play 7D", dealer="C"), violations=[[0, "WRONG_CARD"]])
    assert games()["comet"].hands(4, None) == ((12, 12, 12, 12), 3)  # type: ignore[attr-defined]


def test_comet_leaving_and_being_away() -> None:
    setup = Setup("comet", ("A", "B", "C"), 3, {}, {"counts": {"A": 4, "B": 4, "C": 4}})
    line: list[Fact] = [Laid(Card.parse("5H"), "layout", 1), Pressed(1)]
    away = told(setup, *line, Said(1, "skip", "2"), Said(3, "skip", "2"))
    assert (away.view.turn, away.result()["next"]) == (3, {"seat": "C", "need": "6"})
    leads = told(setup, Said(2, "skip", "1"), Said(3, "skip", "1"))
    assert leads.view.turn == 2
    left = told(setup, *line, Said(2, "leave"))
    assert (left.view.turn, left.view.due) == (3, "LEAD")
    other = told(setup, *line, Said(3, "leave"))
    assert (other.view.turn, other.view.due) == (2, "PLAY")
    alone = told(setup, *line, Said(3, "leave"), Said(2, "leave"))
    assert alone.result()["winner"] == "A"
    following = alone.next_setup()
    assert following is not None
    assert following.dealer == 1
