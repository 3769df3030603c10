"""House rules and fouls, each worked out by hand from the rules in plain words."""

from __future__ import annotations

from typing import Any

import pytest

from firmware.referee.cards import Card
from firmware.referee.events import Entry, Fact, Gathered, HandShown, Laid
from firmware.referee.match import Match, Setup, games

from .short import cards, holds, judged, match

# -- the Wish Card -------------------------------------------------------------------------------------------------

W9 = cards(A="JC 2C 3C", B="4C 5C", C="6C 7C")


@pytest.mark.parametrize(("rule", "seat"), [("left_of_payer", "C"), ("receiver", "A"), ("payer", "B")])
def test_wish_who_turns_after_a_payment(rule: str, seat: str) -> None:
    result = judged("wish_card", "A turn JC; B turn 4C; A gather B 1", {"after_payment": rule}, packs=W9)
    holds(result, next={"seat": seat, "due": "turn"})


def test_wish_all_open_cards_of_the_table_are_taken() -> None:
    packs = cards(A="2S QH 3S", B="4S 5S 6S 9S", C="7S 8S 3D")
    moves = "A turn 2S; B turn 4S; C turn 7S; A turn QH; B turn 5S; B turn 6S; A gather B 6"
    result = judged("wish_card", moves, {"gather_scope": "table"}, packs=packs)
    holds(result, packs={"A": 7, "B": 1, "C": 2}, piles={"A": [], "B": [], "C": []}, violations=[])


@pytest.mark.parametrize(("rule", "packs", "pile"), [("stay", 1, ["3D", "KD"]), ("demander", 2, ["KD"])])
def test_wish_cards_paid_before_the_cancelling_card(rule: str, packs: int, pile: list[str]) -> None:
    dealt = cards(A="QS 9H TC", B="3D KD 4H", C="8S 2H 5C 6S")
    result = judged("wish_card", "A turn QS; B turn 3D; B turn KD", {"cancelled_pile": rule}, packs=dealt)
    assert (result["packs"]["B"], result["piles"]["B"]) == (packs, pile)
    holds(result, next={"seat": "C", "due": "pay"})


SHORT = cards(A="2S 3S", B="4S", C="5S 6S 7S")


@pytest.mark.parametrize(
    ("rule", "moves", "expected"),
    [
        (
            "skip",
            "A turn 2S; B turn 4S; C turn 5S; A turn 3S",
            {"next": {"seat": "C", "due": "turn"}, "stopped": False},
        ),
        (
            "recycle",
            "A turn 2S; B turn 4S; C turn 5S; A turn 3S",
            {"next": {"seat": "B", "due": "turn"}, "piles": {"A": ["2S", "3S"], "B": [], "C": ["5S"]}},
        ),
        ("stop_at_once", "A turn 2S; B turn 4S", {"next": None, "stopped": True, "out": "B"}),
    ],
)
def test_wish_a_pack_is_empty(rule: str, moves: str, expected: dict[str, Any]) -> None:
    holds(judged("wish_card", moves, {"empty_pack": rule}, packs=SHORT), **expected)


ASKED = cards(A="2S JH 3S", B="4S", C="5S 6S")


def test_wish_who_has_no_pack_pays_nothing_and_loses_his_open_cards() -> None:
    moves = "A turn 2S; B turn 4S; C turn 5S; A turn JH"
    holds(judged("wish_card", moves, packs=ASKED), next={"seat": "A", "due": "gather"})
    holds(
        judged("wish_card", moves + "; A gather B 1", packs=ASKED),
        stopped=True,
        out="B",
        packs={"A": 2, "B": 0, "C": 1},
    )


def test_wish_who_turns_his_pile_over_pays_from_it() -> None:
    moves = "A turn 2S; B turn 4S; C turn 5S; A turn JH; B turn 4S; A gather B 1"
    result = judged("wish_card", moves, {"empty_pack": "recycle"}, packs=ASKED)
    holds(result, stopped=True, out="B", violations=[])


def test_wish_a_payer_pays_on_from_his_open_pile() -> None:
    moves = "A turn AS; B turn 3H; B turn 9C; B turn 8C; A gather B 3"
    deal = {"packs": cards(A="AS 2D", B="3H", C="5S 6S"), "piles": cards(B="9C 8C")}
    holds(judged("wish_card", moves, {"short_payment": "from_pile"}, **deal), stopped=True, out="B", violations=[])
    holds(judged("wish_card", "A turn AS; B turn 3H", **deal), next={"seat": "A", "due": "gather"})


@pytest.mark.parametrize(("rule", "wish"), [("owner", "A"), ("void", None)])
def test_wish_every_pack_is_empty_nobody_is_out(rule: str, wish: str | None) -> None:
    result = judged("wish_card", "A turn 9H; B turn 3S", {"faceup_wish": rule}, "AB", packs=cards(A="9H", B="3S"))
    holds(result, stopped=True, out=None, wish=wish, next=None)


def test_wish_play_stops_before_the_transfer() -> None:
    deal = {"packs": cards(A="AS 2D", B="3H 4H", C="5S 6S"), "piles": cards(B="9H")}
    result = judged("wish_card", "A turn AS; B turn 3H; B turn 4H", {"stop_moment": "at_once"}, **deal)
    holds(result, stopped=True, out="B", packs={"A": 1, "B": 0, "C": 2}, wish="B")


def test_wish_every_foul() -> None:
    moves = (
        "A gather B 0; B turn 6H; A turn JS; C turn 2S; B turn 6H; C turn 2S; C gather B 1; A gather C 1; "
        "A gather B 2; B turn 7H; A gather B 1; C turn 2S"
    )
    result = judged("wish_card", moves, packs=cards(A="JS 4C", B="6H 7H", C="2S 3S 9D"))
    codes = [
        "NOTHING_OWED",
        "OUT_OF_TURN",
        "OUT_OF_TURN",
        "GATHER_DUE",
        "WRONG_RECEIVER",
        "WRONG_PILE",
        "WRONG_COUNT",
        "OVERPAID",
    ]
    holds(
        result,
        violations=[[m, c] for m, c in zip([0, 1, 3, 5, 6, 7, 8, 9], codes, strict=True)],
        packs={"A": 2, "B": 1, "C": 2},
    )


def test_wish_a_gathered_card_that_comes_round_again_is_no_second_sighting() -> None:
    deal = {"counts": {"A": 2, "B": 2, "C": 3}}
    found = Match(Setup("wish_card", ("A", "B", "C"), 3, {}, deal))
    facts: list[Fact] = [Laid(Card.parse(c), f"seat-{s}", s) for c, s in (("JS", 1), ("6H", 2))]
    facts += [Gathered("seat-2", 1, 1)]
    facts += [Laid(Card.parse(c), f"seat-{s}", s) for c, s in (("2S", 3), ("4C", 1), ("7H", 2), ("3S", 3), ("6H", 1))]
    for number, fact in enumerate(facts):
        found.add(Entry(number, fact, source="camera"))
    assert not [r for r in found.standing if r.kind == "conflict"]
    assert found.result()["piles"]["A"] == ["JS", "4C", "6H"]


def test_wish_nothing_counts_after_the_stop() -> None:
    moves = "A turn JS; B turn 6H; A gather B 1; C turn 2S; A gather B"
    result = judged("wish_card", moves, packs=cards(A="JS 9H", B="6H", C="2S 3S"))
    holds(result, violations=[[3, "GAME_STOPPED"], [4, "GAME_STOPPED"]], wish="A")


def test_wish_the_same_dealer_deals_again_when_the_nine_was_not_dealt() -> None:
    moves = "A turn JS; B turn 6H; A gather B 1"
    deal = {"packs": cards(A="JS 4H", B="6H", C="2S 3S"), "middle": ["9H"], "dealer": "C"}
    for rule, dealer in (("redeal", 3), ("nobody", 1)):
        following = match("wish_card", moves, {"wish_undealt": rule}, **deal).next_setup()
        assert following is not None
        assert following.dealer == dealer


def test_wish_a_card_that_comes_out_of_the_wrong_pack_is_a_contradiction_not_a_foul() -> None:
    moves = "A turn JS; B turn 6H; A gather B 1; C turn 6H"
    found = match("wish_card", moves, packs=cards(A="JS 4H", B="6H 7H", C="2S 3S"))
    assert next((r.code, r.card) for r in found.standing if r.kind == "conflict") == ("WRONG_PACK", "6H")
    assert found.result()["violations"] == []


# -- Ranter-Go-Round -----------------------------------------------------------------------------------------------

R5 = {"A": "3S", "B": "8C", "C": "3H", "D": "TD"}
ALL_PASS = "A pass; B pass; C pass; D pass"


@pytest.mark.parametrize(
    ("tie", "losers"), [("all", ["A", "C"]), ("last_turned", ["C"]), ("none", []), ("cancel", ["B"])]
)
def test_ranter_ties(tie: str, losers: list[str]) -> None:
    result = judged("ranter_go_round", ALL_PASS, {"tie": tie}, "ABCD", dealer="D", hands=R5)
    markers = {seat: 2 if seat in losers else 3 for seat in "ABCD"}
    holds(result, losers=losers, markers=markers, pool=len(losers), next_dealer="A")


def test_ranter_without_a_tie_the_lowest_loses_whatever_the_house_says_of_ties() -> None:
    hands = {"A": "4D", "B": "QH", "C": "8S"}
    for tie in ("all", "last_turned", "none", "cancel"):
        holds(judged("ranter_go_round", "A pass; B pass; C pass", {"tie": tie}, dealer="C", hands=hands), losers=["A"])


def test_ranter_when_all_cards_cancel_nobody_loses() -> None:
    hands = {"A": "3S", "B": "8C", "C": "3H", "D": "8D"}
    holds(judged("ranter_go_round", ALL_PASS, {"tie": "cancel"}, "ABCD", dealer="D", hands=hands), losers=[], pool=0)


LAST_LIVES: dict[str, Any] = {
    "dealer": "C",
    "hands": {"A": "5S", "C": "5C"},
    "markers": {"A": 1, "B": 0, "C": 1},
    "pool": 5,
}


def test_ranter_all_would_be_out_they_play_again() -> None:
    result = judged("ranter_go_round", "A pass; C pass", {}, **LAST_LIVES)
    holds(
        result,
        losers=[],
        replay=True,
        pool=5,
        markers={"A": 1, "B": 0, "C": 1},
        winner=None,
        next_dealer="A",
        wins="absent",
    )


def test_ranter_all_would_be_out_they_share() -> None:
    found = match("ranter_go_round", "A pass; C pass", {"all_out": "split"}, **LAST_LIVES)
    holds(found.result(), losers=["A", "C"], pool=1, markers={"A": 0, "B": 0, "C": 0}, winner=None, replay="absent")
    assert found.view.counters == (2, 0, 2)


def test_ranter_stakes_are_shared_too() -> None:
    options = {"all_out": "split", "stake": 2, "lives": 1}
    found = match("ranter_go_round", "A pass; B pass", options, "AB", dealer="B", hands={"A": "5S", "B": "5C"})
    assert (found.view.counters, found.result()["pool"]) == ((0, 0), 0)


def test_ranter_all_would_be_out_the_pool_waits_for_a_new_game() -> None:
    following = match("ranter_go_round", "A pass; C pass", {"all_out": "carry"}, **LAST_LIVES).next_setup()
    assert following is not None
    assert following.deal == {"markers": {"A": 3, "B": 3, "C": 3}, "pool": 7}


R4 = {"A": "2C", "B": "7S", "C": "9D", "D": "4H"}
CHASED = "A demand; B swap; B demand; C swap; C demand; D swap; D cut KC"


@pytest.mark.parametrize(
    ("rule", "final", "markers"),
    [
        ("keep", "KC", {"A": 3, "B": 3, "C": 2, "D": 3}),
        ("void", "2C", {"A": 3, "B": 3, "C": 3, "D": 2}),
        ("loses", "KC", {"A": 3, "B": 3, "C": 2, "D": 2}),
    ],
)
def test_ranter_the_dealer_cuts_a_king(rule: str, final: str, markers: dict[str, int]) -> None:
    result = judged("ranter_go_round", CHASED, {"dealer_king": rule}, "ABCD", dealer="D", hands=R4)
    assert result["final"]["D"] == final
    holds(result, markers=markers, pool=12 - sum(markers.values()))


@pytest.mark.parametrize(("audit", "proved"), [(True, [[1, "B", "FALSE_KING"]]), (False, [])])
def test_ranter_the_card_that_the_dealer_gave_up_proves_only_when_it_is_turned(audit: bool, proved: list[Any]) -> None:
    moves = "A demand; B king; B demand; C swap; C cut 5S"
    hands = {"A": "4D", "B": "QH", "C": "8S"}
    result = judged("ranter_go_round", moves, {"audit_discard": audit}, dealer="C", hands=hands)
    holds(result, proved=proved, final={"A": "4D", "B": "8S", "C": "5S"}, losers=["A"])


@pytest.mark.parametrize(
    ("given", "said", "code"),
    [
        ("AS", "", "UNANNOUNCED_ACE"),
        ("AS", "deuce", "UNANNOUNCED_ACE"),
        ("AS", "ace", ""),
        ("2S", "", "UNANNOUNCED_DEUCE"),
        ("2S", "ace", "UNANNOUNCED_DEUCE"),
        ("2S", "deuce", ""),
        ("7S", "ace", "FALSE_ANNOUNCEMENT"),
        ("7S", "", ""),
        ("3S", "", ""),
    ],
)
def test_ranter_announcements(given: str, said: str, code: str) -> None:
    hands = {"A": "6D", "B": given, "C": "JC"}
    result = judged("ranter_go_round", f"A demand; B swap {said}; B pass; C pass", dealer="C", hands=hands)
    holds(result, proved=[[1, "B", code]] if code else [])


def test_ranter_lives_lost_for_proved_faults() -> None:
    hands = {"A": "4D", "B": "QH", "C": "8S"}
    result = judged(
        "ranter_go_round", "A demand; B king; B pass; C pass", {"false_king_fine": 1}, dealer="C", hands=hands
    )
    holds(result, markers={"A": 2, "B": 2, "C": 3}, losers=["A"], pool=2)
    silent = {"A": "6D", "B": "AS", "C": "JC"}
    result = judged(
        "ranter_go_round", "A demand; B swap; B pass; C pass", {"silence_fine": 2}, dealer="C", hands=silent
    )
    holds(result, markers={"A": 2, "B": 1, "C": 3}, losers=["A"])


def test_ranter_every_foul() -> None:
    moves = "B pass; A demand; A pass; C swap; B swap; B cut 9S; B pass; C demand; A pass; C pass; C pass"
    result = judged("ranter_go_round", moves, dealer="C", hands={"A": "4D", "B": "QH", "C": "8S"})
    codes = {0: "OUT_OF_TURN", 2: "REPLY_DUE", 3: "OUT_OF_TURN", 5: "ONLY_DEALER_CUTS", 7: "DEALER_CANNOT_EXCHANGE"}
    holds(result, violations=[[m, c] for m, c in {**codes, 8: "OUT_OF_TURN", 10: "DEAL_OVER"}.items()], losers=["B"])


def test_ranter_stakes_and_lives_of_the_house() -> None:
    result = judged(
        "ranter_go_round",
        "A pass; B pass; C pass",
        {"lives": 5, "stake": 2},
        dealer="C",
        hands={"A": "4D", "B": "QH", "C": "8S"},
    )
    holds(result, markers={"A": 4, "B": 5, "C": 5}, pool=7)


def test_ranter_a_king_may_not_be_given_where_the_house_keeps_kings() -> None:
    hands = {"A": "4D", "B": "KH", "C": "8S"}
    result = judged(
        "ranter_go_round", "A demand; B swap; B pass; C pass", {"king_may_give": False}, dealer="C", hands=hands
    )
    holds(result, proved=[[1, "B", "KING_GIVEN"]])


# -- Five or Nine --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "moves", "violations"),
    [
        ({}, "A play 9D; B play 5C", []),
        ({"uniform_starter": True}, "A play 9D; B play 5C", [[1, "NOT_PLAYABLE"]]),
        ({}, "A play 5D; B play 9C", [[1, "NINE_NOT_A_STARTER"]]),
        ({"nine_start": "free"}, "A play 5D; B play 9C", []),
        ({}, "A play 5D; B play 9D", [[1, "NOT_PLAYABLE"]]),
        ({"two_starters_one_suit": True}, "A play 9S; B play 5S; C play 6S; A play 8S", []),
        ({}, "A play 5D; B play 5D", [[1, "NOT_PLAYABLE"]]),
        ({}, "A play 4D", [[0, "NOT_PLAYABLE"]]),
        ({}, "A play 5D; B play 6D; C play 8D", [[2, "NOT_PLAYABLE"]]),
    ],
)
def test_five_or_nine_what_may_be_laid(options: dict[str, Any], moves: str, violations: list[Any]) -> None:
    holds(judged("five_or_nine", moves, options), violations=violations)


def test_five_or_nine_round_the_corner_only_where_the_house_has_it() -> None:
    deal = {"table": ["9S", "TS", "JS", "QS", "KS"], "first_starter": "9", "turn": "A"}
    holds(judged("five_or_nine", "A play AS", {"corner": True}, **deal), violations=[])
    holds(judged("five_or_nine", "A play AS", {}, **deal), violations=[[0, "NOT_PLAYABLE"]])
    low = {"table": ["5S", "4S", "3S", "2S", "AS"], "first_starter": "5", "turn": "A"}
    holds(judged("five_or_nine", "A play KS; B play QS", {"corner": True}, **low), violations=[])
    holds(judged("five_or_nine", "A play KS; A play 6S", {}, **low), violations=[[0, "NOT_PLAYABLE"]])


F3: dict[str, Any] = {
    "dealer": "C",
    "stock": ["6S", "8H"],
    "hands": cards(A="9S 4S 7H TH", B="5S TS 4H 6H", C="8S 5H 9H 7S"),
    "ranks": "456789T",
    "suits": "SH",
}
F3_MOVES = (
    "A play 9S; B play TS; C play 5H; A pass; B play 6H; C play 8S; A play 7H; B play 4H; C play 7S; "
    "A pass; B pass; C pass"
)


@pytest.mark.parametrize(
    ("rule", "pool", "counters"),
    [("pool_stays", 4, (-2, -1, -1)), ("fewest", 0, (-2, 1, 1)), ("split", 1, (-1, 0, 0))],
)
def test_five_or_nine_a_dead_deal(rule: str, pool: int, counters: tuple[int, ...]) -> None:
    found = match("five_or_nine", F3_MOVES, {"dead_deal": rule}, **F3)
    holds(found.result(), dead=True, pool=pool, winner=None, next=None)
    assert found.view.counters == counters
    following = found.next_setup()
    assert following is not None
    assert following.deal.get("pool", 0) == pool


@pytest.mark.parametrize(
    ("table", "lawful"),
    [(["9S", "TS"], True), (["5D", "6D", "9S"], True), (["5D", "6D", "7D", "8D", "9D"], False), (["5D"], False)],
)
def test_five_or_nine_the_table_tells_what_the_first_starter_was(table: list[str], lawful: bool) -> None:
    result = judged("five_or_nine", "A play 9C", {}, table=table, turn="A")
    holds(result, violations=[] if lawful else [[0, "NINE_NOT_A_STARTER"]])


def test_five_or_nine_nobody_can_begin_nothing_is_paid() -> None:
    holds(judged("five_or_nine", "A pass; B pass; C pass"), dead=True, pool=0, paid={"A": 0, "B": 0, "C": 0})


def test_five_or_nine_an_opening_pass_can_be_false() -> None:
    result = judged("five_or_nine", "A pass; B play 9S; C play TS; A play 9H")
    holds(result, false_passes=[[0, "A", "9H", 3]], paid={"A": 0, "B": 0, "C": 0})


def test_five_or_nine_a_refused_card_is_evidence_for_a_pass_that_follows() -> None:
    deal = {"table": ["5D", "6D", "7D"], "first_starter": "5", "turn": "B"}
    result = judged("five_or_nine", "C play 8D; B play 5H; C pass", **deal)
    holds(result, violations=[[0, "OUT_OF_TURN"]], false_passes=[[2, "C", "8D", 0]], paid={"A": 0, "B": 0, "C": 1})


def test_five_or_nine_antes_and_fines() -> None:
    deal = {"table": ["5D"], "first_starter": "5", "turn": "A", "counts": {"A": 2, "B": 2, "C": 3}}
    result = judged(
        "five_or_nine", "A pass; B play 6D; C play 7D; A play 4D; B play 8D", {"ante": 2, "false_pass_fine": 3}, **deal
    )
    holds(
        result,
        paid={"A": 3, "B": 2, "C": 2},
        fines={"A": 3},
        winner="B",
        winner_takes=7 + 3,
        card_payments={"A": 1, "C": 2},
    )
    holds(result, net={"A": -3 - 3 - 1, "B": 7 + 3 + 3 - 2, "C": -2 - 2}, pool=0)


def test_five_or_nine_an_excerpt_lets_its_first_mover_begin_with_any_card() -> None:
    result = judged("five_or_nine", "B play KD; C play QD; A play QD", {}, counts={"A": 2, "B": 3, "C": 2})
    holds(result, violations=[[2, "NOT_PLAYABLE"]], next="A")


@pytest.mark.parametrize(
    ("players", "each", "stock"),
    [(3, 15, 7), (4, 12, 4), (5, 9, 7), (6, 8, 4), (7, 7, 3), (8, 6, 4), (2, 24, 4), (9, 5, 7)],
)
def test_five_or_nine_deals_by_fosters_table(players: int, each: int, stock: int) -> None:
    from firmware.referee.games import five_or_nine, pope_joan

    assert five_or_nine.hands(players, five_or_nine.House()) == ((each,) * players, stock)
    if 3 <= players <= 8:
        assert pope_joan.hands(players, pope_joan.House(form="foster")) == ((each,) * players, stock)


# -- Fan Tan -------------------------------------------------------------------------------------------------------


def test_fan_tan_a_free_choice_proves_nothing() -> None:
    moves = "A play 7C; B pay; C pay; A pay; B play 8C"
    holds(judged("fan_tan", moves, {"forced": False}), withheld=[], full_circuit=[[3, "8C"]])


def test_fan_tan_a_second_circuit_is_said_again() -> None:
    moves = "A play 7C; B pay; C pay; A pay; B pay; C pay; A pay; B play 8C"
    holds(
        judged("fan_tan", moves), withheld=[[1, "B", "8C", 7], [4, "B", "8C", 7]], full_circuit=[[3, "8C"], [6, "8C"]]
    )


def test_fan_tan_every_foul() -> None:
    moves = "A pay; B play 7C; A play 7C; B play 9C; B pay; A pay; C play 8C"
    result = judged("fan_tan", moves)
    codes = {0: "MUST_START", 1: "OUT_OF_TURN", 3: "WRONG_CARD", 5: "OUT_OF_TURN"}
    holds(result, violations=[[m, c] for m, c in codes.items()], next={"seat": "A", "need": "9C"})


def test_fan_tan_short_hands_may_put_one_more() -> None:
    deal = {"counts": {"A": 2, "B": 1, "C": 2}, "turn": "A"}
    holds(
        judged("fan_tan", "A play 7C", {"ante": 1, "uneven_ante": True}, **deal), paid={"A": 1, "B": 2, "C": 1}, pool=4
    )


def test_fan_tan_a_fine_goes_to_the_winner_and_not_into_what_was_paid() -> None:
    deal = {"need": "8C", "turn": "B", "counts": {"A": 1, "B": 2, "C": 2}}
    result = judged("fan_tan", "B pay; C pay; A pay; B play 8C; C play 9C; A play TC", {"withhold_fine": 3}, **deal)
    holds(
        result, withheld=[[0, "B", "8C", 3]], fines={"B": 3}, paid={"A": 1, "B": 1, "C": 1}, winner="A", winner_takes=3
    )
    holds(result, net={"A": 5, "B": -4, "C": -1})


def test_fan_tan_a_hand_laid_open_proves_at_the_end() -> None:
    deal = {"need": "8C", "turn": "B", "counts": {"A": 1, "B": 2, "C": 2}, "final_hands": cards(C="2H 3H", B="QS 8C")}
    result = judged("fan_tan", "B pay; C pay; A play 8C", **deal)
    holds(result, withheld=[], winner="A")  # the eight lies there: the hand laid open was misread
    result = judged(
        "fan_tan", "B pay; C pay; A pay; B pay; C play 8C; A play 9C", **{**deal, "final_hands": cards(B="QS 9C")}
    )
    holds(result, withheld=[[1, "C", "8C", 4]], winner="A")


@pytest.mark.parametrize(
    ("players", "first", "last"), [(2, 26, 26), (3, 18, 17), (4, 13, 13), (5, 11, 10), (6, 9, 8), (7, 8, 7), (8, 7, 6)]
)
def test_fan_tan_everything_is_dealt(players: int, first: int, last: int) -> None:
    from firmware.referee.games import fan_tan

    dealt, rest = fan_tan.hands(players, fan_tan.House())
    assert (dealt[0], dealt[-1], sum(dealt), rest) == (first, last, 52, 0)


# -- Pope Joan -----------------------------------------------------------------------------------------------------

BOARD: dict[str, Any] = {"dealer": "C", "trump": "S", "turn_up": "4S", "counts": {"A": 9, "B": 9, "C": 9}}


def test_pope_the_pope_turned_up_may_end_the_deal() -> None:
    deal = {"dealer": "C", "trump": "D", "turn_up": "9D", "counts": {"A": 13, "B": 13, "C": 12}}
    result = judged("pope_joan", "A play 2C", {"turnup_pope": "pope_game_and_cards"}, **deal)
    holds(result, takes=[["deal", "C", "pope", 6], ["deal", "C", "game", 1]], got={"A": 0, "B": 0, "C": 33}, winner="C")
    holds(result, card_payments={"A": 13, "B": 13}, next=None, violations=[[0, "DEAL_OVER"]])


def test_pope_the_turn_up_is_seen_on_the_dead_hand() -> None:
    found = Match(Setup("pope_joan", ("A", "B", "C"), 3, {}, {"counts": {"A": 13, "B": 13, "C": 12}}))
    rulings = found.add(Entry(0, Laid(Card.parse("QH"), "stock", 3), source="camera"))
    assert [(r.code, r.seat, r.counters) for r in rulings] == [("QUEEN", 3, 1)]
    found.add(Entry(1, Laid(Card.parse("KH"), "layout", 1), source="camera"))
    assert found.result()["takes"] == [["deal", "C", "queen", 1], [0, "A", "king", 1]]
    assert found.add(Entry(2, Laid(Card.parse("2S"), "stock", None), source="camera")) == ()


@pytest.mark.parametrize(("exempt", "got"), [(True, 4), (False, 9)])
def test_pope_the_holder_of_the_pope_is_excused(exempt: bool, got: int) -> None:
    deal = {**BOARD, "counts": {"A": 1, "B": 3, "C": 5}, "final_hands": cards(B="2H 3H 4H", C="9D TD 2C 3C 4C")}
    result = judged("pope_joan", "A play KC", {"pope_exempt": exempt}, **deal)
    holds(result, got={"A": got, "B": 0, "C": 0}, card_payments={"B": 3, "C": 0 if exempt else 5})


def test_pope_who_has_played_the_pope_is_not_excused() -> None:
    deal = {**BOARD, "counts": {"A": 1, "B": 4, "C": 2}, "turn": "B", "final_hands": cards(B="2H", C="5C 6C")}
    result = judged("pope_joan", "B play 9D; B stop; B play KH; B play QC; A play KC", **deal)
    holds(result, card_payments={"B": 1, "C": 2}, violations=[])


def test_pope_a_card_held_back_is_proved_by_a_refused_one() -> None:
    result = judged("pope_joan", "A play 5C; A stop; A play TS; B play 6C", **BOARD)
    holds(result, held_back=[[1, "B", "6C", 3]], violations=[[3, "WRONG_CARD"]], next={"seat": None, "need": "JS"})


def test_pope_known_stops_and_who_may_say_stop() -> None:
    moves = "A play 3S; A play 5C; B stop; A stop; A stop; B stop; A play 8D; A play 4C; A play 6D"
    result = judged("pope_joan", moves, **BOARD)
    codes = {2: "OUT_OF_TURN", 4: "MUST_START", 5: "NOT_THE_LEADER", 6: "WRONG_CARD"}
    holds(result, violations=[[m, c] for m, c in codes.items()], next={"seat": None, "need": "7D"})


def test_pope_matrimony_and_intrigue_in_any_order_but_from_one_hand() -> None:
    moves = "A play KS; A play QS; A play JS"
    holds(
        judged("pope_joan", moves, **BOARD),
        takes=[
            [0, "A", "king", 1],
            [1, "A", "queen", 1],
            [1, "A", "matrimony", 2],
            [2, "A", "knave", 1],
            [2, "A", "intrigue", 2],
        ],
    )
    by_two = "A play JS; B play QS"
    assert judged("pope_joan", by_two, **BOARD)["board"]["intrigue"] == 2
    assert judged("pope_joan", by_two, {"matrimony_by_hand": False}, **BOARD)["board"]["intrigue"] == 0


def test_pope_the_turn_up_may_stay_in_its_hand() -> None:
    holds(
        judged("pope_joan", "A play 3S; B play 4S", {"turnup_owner": "hand"}, **BOARD),
        violations=[],
        next={"seat": None, "need": "5S"},
    )
    holds(judged("pope_joan", "A play 3S; B play 4S", **BOARD), violations=[[1, "NOT_THE_LEADER"]])


def test_pope_may_stand_for_a_missing_card() -> None:
    moves = "A play 5C; B play 9D; C play 7C"
    result = judged("pope_joan", moves, {"pope_as_stop_filler": True}, **BOARD)
    holds(result, violations=[], takes=[[1, "B", "pope", 6]], next={"seat": None, "need": "8C"})
    holds(judged("pope_joan", moves, **BOARD), violations=[[1, "WRONG_CARD"], [2, "WRONG_CARD"]])


def test_pope_the_lowest_must_be_led_where_the_house_has_it() -> None:
    found = match("pope_joan", "A play 5C; A stop; A play 3C", {"lead_lowest": True}, **BOARD)
    assert [(r.code, r.entries) for r in found.standing if r.kind == "proved"] == [("NOT_THE_LOWEST", (0, 2))]


@pytest.mark.parametrize(
    ("rule", "paid"), [("dealer", (0, 0, -15)), ("shared", (-2, -2, -11)), ("double", (-3, -3, -9))]
)
def test_pope_who_dresses_the_board(rule: str, paid: tuple[int, ...]) -> None:
    assert match("pope_joan", "", {"dressing": rule}, **BOARD).view.counters == paid


def test_pope_the_dealer_dresses_twice_what_the_others_do() -> None:
    deal = {**BOARD, "dealer": "D", "counts": dict.fromkeys("ABCD", 9)}
    assert match("pope_joan", "", {"dressing": "double"}, "ABCD", **deal).view.counters == (-3, -3, -3, -6)


def test_pope_many_players_share_the_dressing() -> None:
    seats = "ABCDEFGHI"
    deal = {**BOARD, "dealer": "I", "counts": dict.fromkeys(seats, 5)}
    assert match("pope_joan", "", {"dressing": "shared"}, seats, **deal).view.counters == (-1,) * 8 + (-7,)


def test_pope_a_card_held_back_is_fined_to_the_winner() -> None:
    deal = {**BOARD, "counts": {"A": 3, "B": 3, "C": 3}}
    moves = "A play 5C; A stop; A play TS; B play 6C; A stop; A play KD"
    result = judged("pope_joan", moves, {"held_back_fine": 2}, **deal)
    holds(result, fines={"B": 2}, winner="A", held_back=[[1, "B", "6C", 3]], card_payments={"B": 3, "C": 3})
    assert match("pope_joan", moves, {"held_back_fine": 2}, **deal).view.counters == (1 + 6 + 2, -3 - 2, -3 - 15)


def test_pope_what_is_left_is_dressed_on_top() -> None:
    deal = {**BOARD, "counts": {"A": 1, "B": 3, "C": 5}}
    following = match("pope_joan", "A play KC", **deal).next_setup()
    assert following is not None
    assert following.dealer == 1
    board = Match(following).result()["board"]
    assert (board["pope"], board["matrimony"], board["game"]) == (12, 4, 1)


FOSTER: dict[str, Any] = {"dealer": "C", "counts": {"A": 3, "B": 2, "C": 3}}


def test_pope_fosters_form() -> None:
    moves = "A play 9S; A play TS; A pass; B play JS; B pass; C pass; A pass; B play 3H; A play 4H"
    result = judged("pope_joan", moves, {"form": "foster"}, **FOSTER, final_hands=cards(A="7D", C="QH 2S 5S"))
    running = match("pope_joan", "A play 9S", {"form": "foster"}, **FOSTER).view
    assert (running.turn, running.due_count, running.need) == (1, 1, "TS")
    holds(result, takes=[[1, "A", "ten", 1]], winner="B", got={"A": 1, "B": 4, "C": 0}, card_payments={"A": 1, "C": 3})
    holds(result, board={"ten": 0, "jack": 2, "queen": 6, "king": 4, "pope": 10}, violations=[[8, "DEAL_OVER"]])


def test_pope_fosters_form_every_foul_and_a_false_no() -> None:
    moves = "A pass; B play 9S; A play 9S; B play TS; A play JS; A pass; B pass; C play TS; A play JS; C play JS"
    result = judged("pope_joan", moves, {"form": "foster", "foster_double": False}, **FOSTER)
    codes = {0: "MUST_START", 1: "NOT_THE_LEADER", 3: "OUT_OF_TURN", 4: "WRONG_CARD", 8: "OUT_OF_TURN"}
    holds(result, violations=[[m, c] for m, c in codes.items()], held_back=[[6, "B", "TS", 3]])


@pytest.mark.parametrize(
    ("players", "dealt", "dead"),
    [(3, (13, 13, 12), 12), (4, (10, 10, 10, 10), 10), (6, (8, 7, 7, 7, 7, 7), 7), (8, (6, 6, 6, 6, 6, 5, 5, 5), 5)],
)
def test_pope_deals_51_cards_less_the_turn_up(players: int, dealt: tuple[int, ...], dead: int) -> None:
    from firmware.referee.games import pope_joan

    assert pope_joan.hands(players, pope_joan.House()) == (dealt, dead)
    assert sum(dealt) + dead == 50


# -- the family ----------------------------------------------------------------------------------------------------

STAKES = dict.fromkeys(("matrimony", "intrigue", "confederacy", "pair", "best"), 1)


def wedding(options: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    deal: dict[str, Any] = {
        "dealer": "C",
        "stakes": {"C": {**STAKES, "best": 2}, "A": STAKES, "B": STAKES},
        "up": {"A": "KS", "B": "KH", "C": "9C"},
        "down": {"A": "QH", "B": "QC", "C": "AD"},
    }
    return judged("matrimony", "", options, **{**deal, **changes})


def test_matrimony_the_first_takes_all_and_the_second_nothing() -> None:
    holds(
        wedding(),
        wins=[["A", "matrimony", 3]],
        left={"matrimony": 0, "intrigue": 3, "confederacy": 3, "pair": 3, "best": 4},
        next_dealer="A",
    )


def test_matrimony_the_ace_of_diamonds_face_down_takes_best_where_the_house_has_it() -> None:
    holds(wedding({"best_only_up": False}), wins=[["A", "matrimony", 3], ["C", "best", 4]])


@pytest.mark.parametrize(("rule", "violations"), [("exactly", [["B", "STAKE_NOT_ONE_LESS"]]), ("at_most", [])])
def test_matrimony_stakes(rule: str, violations: list[Any]) -> None:
    few = {**STAKES, "best": 0}
    holds(
        wedding({"stake_less": rule}, stakes={"C": {**STAKES, "best": 2}, "A": STAKES, "B": few}), violations=violations
    )


def test_matrimony_every_hand() -> None:
    result = wedding(up={"A": "KS", "B": "QH", "C": "9C"}, down={"A": "JH", "B": "JC", "C": "9D"})
    holds(result, wins=[["A", "confederacy", 3], ["B", "intrigue", 3], ["C", "pair", 3]])


def test_snip_a_card_not_matched_is_proved_later() -> None:
    result = judged("snip_snap_snorem", "A play 6S; B play 9C; C play 9D; A play 2S; B play 6D; C play 6D")
    holds(result, proved=[[1, "B", "FAILED_TO_SNIP", "6D", 4]], counters={"A": 5, "B": 4, "C": 5}, pool=1)
    holds(result, violations=[[5, "ALREADY_ON_TABLE"]])


def test_snip_who_has_no_counters_is_not_asked() -> None:
    moves = "A play 6S; C play 6D"
    result = judged("snip_snap_snorem", moves, counters={"A": 2, "B": 0, "C": 2}, turn="A")
    holds(result, violations=[], counters={"A": 1, "B": 0, "C": 2}, next="A")


def test_snip_deals_follow_until_one_has_the_counters() -> None:
    deal = {"seats": "AB", "counts": {"A": 1, "B": 1}, "dealer": "B"}
    found = match("snip_snap_snorem", "A play 6S; B play 7H", **deal)
    following = found.next_setup()
    assert found.over
    assert following is not None
    assert (following.dealer, following.deal["counters"], following.deal["pool"]) == (1, {"A": 5, "B": 5}, 0)
    assert match("snip_snap_snorem", "A play 6S", **deal).next_setup() is None
    won = match("snip_snap_snorem", "A play 6S; B play 6H", seats="AB", counters={"A": 1, "B": 2})
    assert won.next_setup() is None


def test_snip_the_last_with_counters_takes_the_pool() -> None:
    result = judged(
        "snip_snap_snorem", "A play 6S; B play 6H; A play 6D; B play 6C", seats="AB", counters={"A": 1, "B": 2}
    )
    holds(result, winner="B", counters={"A": 0, "B": 2}, pool=0, violations=[[2, "DEAL_OVER"], [3, "DEAL_OVER"]])


def test_sevens_the_seven_of_diamonds_may_have_to_begin() -> None:
    deal = {"counts": {"A": 18, "B": 17, "C": 17}, "dealer": "C"}
    holds(
        judged("sevens", "A play 7C; B play 7D; C play 7C", {"first_card": "7D"}, **deal),
        violations=[[0, "NOT_PLAYABLE"]],
        next="A",
    )
    holds(judged("sevens", "A play 7C; B pass", **deal), violations=[], paid={"A": 1, "B": 3, "C": 2})


def test_sevens_a_full_circuit_is_said_for_somebody_can_play() -> None:
    found = match("sevens", "A pass; B pass; C pass; A play 7C", counts={"A": 18, "B": 17, "C": 17}, dealer="C")
    assert "FULL_CIRCUIT" in [r.code for r in found.standing]
    holds(found.result(), false_passes=[[0, "A", "7C", 3]], dead=False)


def test_newmarket_colours_stops_and_boodles() -> None:
    deal = {
        "turn": "A",
        "dealer": "C",
        "layout": {"AH": 3, "KC": 6, "QD": 3, "JS": 3},
        "counts": {"A": 5, "B": 5, "C": 5},
    }
    moves = "A play 3S; A stop; A play 4C; A play QD; B play KD; B stop; B stop; B play AC; A play KC; C stop"
    result = judged("newmarket", moves, **deal)
    codes = {2: "WRONG_COLOUR", 6: "MUST_START"}
    assert [c for c in result["violations"] if c[0] < 6] == [[2, codes[2]]]
    assert result["takes"][0] == ["A", "QD", 3]


def test_newmarket_stakes_kitty_and_what_stays() -> None:
    deal = {"turn": "A", "dealer": "C", "counts": {"A": 1, "B": 2, "C": 3}}
    found = match("newmarket", "A play JS", **deal)
    holds(found.result(), takes=[["A", "JS", 3]], winner="A", card_payments={"B": 2, "C": 3}, A_from_players=5, kitty=0)
    assert found.view.counters == (-5 + 3 + 3 + 5, -5 - 2, -5 - 3)
    following = found.next_setup()
    assert following is not None
    assert following.deal == {"carried": {"AH": 3, "KC": 3, "QD": 3}}


def test_newmarket_no_card_of_the_other_colour_passes_the_lead_and_may_be_false() -> None:
    deal = {"turn": "A", "dealer": "C", "counts": {"A": 5, "B": 5, "C": 5}}
    result = judged("newmarket", "A play 3S; A stop; A pass; B play 2H; A play 3H", {"lead_lowest": False}, **deal)
    holds(result, violations=[], proved=[[2, "A", "3H", 4]])


def test_speculation_the_highest_trump_wins_also_when_it_was_bought() -> None:
    deal = {"dealer": "C", "turn_up": "5S", "counts": {"A": 1, "B": 1, "C": 1}}
    found = match("speculation", "B turn 2H; A turn 9S; A sell B 3; A sell C 1; B turn KH; C turn 8S", **deal)
    holds(
        found.result(),
        winner="B",
        takes=14,
        violations=[[0, "OUT_OF_TURN"], [3, "OUT_OF_TURN"]],
        net={"A": -4 + 3, "B": -4 - 3 + 14, "C": -6},
    )


def test_speculation_deals_three_to_each() -> None:
    moves = "; ".join(f"{seat} turn {rank}H" for seat, rank in zip("ABCABC", "234567", strict=True))
    running = judged("speculation", moves, dealer="C", turn_up="5S")
    holds(running, winner=None, next="A", pool=14)
    holds(
        judged("speculation", moves + "; A turn 8H; B turn 9H; C turn TH", dealer="C", turn_up="5S"),
        winner="C",
        takes=14,
    )


def test_speculation_without_another_trump_the_dealer_takes_the_pool() -> None:
    deal = {"dealer": "C", "turn_up": "5S", "counts": {"A": 1, "B": 1, "C": 1}}
    holds(judged("speculation", "A turn 2H; B turn 3S; C turn 8H", **deal), winner="C", takes=14)


def test_commerce_equal_hands_and_aces() -> None:
    hands = cards(A="KS KD 2C", B="AS 2S 3S", C="KH KC 2D", D="QS KS AS".replace("KS", "JS").replace("AS", "TS"))
    holds(
        judged("commerce", "", seats="ABCD", dealer="D", hands=hands), order=["D", "B", "A", "C"], winner="D", takes=4
    )
    assert judged("commerce", "", {"ace": "high"}, "ABCD", dealer="D", hands=hands)["order"] == ["D", "B", "A", "C"]
    assert judged("commerce", "", {"ace": "high", "flush": False}, "ABCD", dealer="D", hands=hands)["order"] == [
        "D",
        "A",
        "C",
        "B",
    ]


def test_five_or_nine_other_ways_to_deal() -> None:
    game = games()["five_or_nine"]
    assert game.hands(3, game.House(deal_table="all")) == ((18, 17, 17), 0)  # type: ignore[attr-defined]
    assert game.hands(3, game.House(deal_table="board")) == ((13, 13, 13), 13)  # type: ignore[attr-defined]


def test_wish_who_shows_the_nine_after_the_stop_has_it() -> None:
    found = Match(Setup("wish_card", ("A", "B"), 2, {}, {"counts": {"A": 3, "B": 1}}))
    for number, (card, seat) in enumerate([("JS", 1), ("6H", 2)]):
        found.add(Entry(number, Laid(Card.parse(card), f"seat-{seat}", seat), source="camera"))
    stop = found.add(Entry(2, Gathered("seat-2", 1, 1), source="camera"))
    assert "SHOW_THE_WISH" in [r.code for r in stop]
    assert found.result()["wish"] is None
    found.add(Entry(3, HandShown(1, (Card.parse("2S"),)), source="camera"))
    assert found.result()["wish"] is None
    found.add(Entry(4, HandShown(1, (Card.parse("9H"),)), source="camera"))
    assert found.result()["wish"] == "A"


def test_many_players_get_the_most_that_leaves_three_in_the_stock() -> None:
    house = games()["five_or_nine"].House()
    assert [games()["five_or_nine"].hands(n, house) for n in (12, 13)] == [((4,) * 12, 4), ((3,) * 13, 13)]  # type: ignore[attr-defined]


@pytest.mark.parametrize("players", range(2, 9))
def test_what_is_dealt_is_one_pack(players: int) -> None:
    """Nothing is lost; hands differ by one card at most, the longer from the dealer's left."""
    for name, game in games().items():
        hands, rest = game.hands(players, game.House())  # type: ignore[attr-defined]
        whole = {"pope_joan": 50, "comet": 51}.get(name, 52)
        assert (len(hands), sum(hands) + rest) == (players, whole), name
        assert list(hands) == sorted(hands, reverse=True)
        assert hands[0] - hands[-1] <= 1
        if name in ("fan_tan", "sevens", "snip_snap_snorem", "beggar_my_neighbour"):
            assert rest == 0


def test_beggar_a_pile_is_taken_at_once_where_the_house_has_it() -> None:
    packs = cards(A="KS 2S", B="3H", C="4H 5H 6H")
    result = judged("beggar_my_neighbour", "A turn KS; B turn 3H", {"payer_out": "take"}, packs=packs)
    holds(result, next="A", pile=2)
    result = judged("beggar_my_neighbour", "A turn KS; B turn 3H; A gather centre", {"payer_out": "take"}, packs=packs)
    holds(result, packs={"A": 3, "B": 0, "C": 3}, next="A", taker="A", pile=2)


def test_fan_tan_a_line_of_thirteen_is_counted_card_by_card() -> None:
    moves = "; ".join(f"{seat} play {rank}S" for seat, rank in zip("ABCABCABCABCA", "56789TJQKA234", strict=True))
    holds(judged("fan_tan", moves), violations=[], exhausted=["S"], next={"seat": "A", "need": None})
    holds(judged("fan_tan", moves.rpartition(";")[0]), exhausted=[], next={"seat": "A", "need": "4S"})


def test_beggar_every_foul() -> None:
    moves = (
        "B turn 2S; A turn JS; A gather centre 1; B turn 3S; B turn 4S; A turn 5S; B gather centre 2; A gather B 2; "
        "A gather centre 1; A gather centre 2; A turn 5S"
    )
    result = judged("beggar_my_neighbour", moves, seats="AB")
    codes = ["OUT_OF_TURN", "UNDERPAID", "OVERPAID", "GATHER_DUE", "WRONG_RECEIVER", "WRONG_PILE", "WRONG_COUNT"]
    holds(result, violations=[[m, c] for m, c in zip([0, 2, 4, 5, 6, 7, 8], codes, strict=True)], taker="A", next="B")
