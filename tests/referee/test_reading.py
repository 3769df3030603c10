"""The rules read as an adversary reads them: scripts worked out by hand for sentences that no example covers."""

from __future__ import annotations

from typing import Any

import pytest

from firmware.referee.cards import Card
from firmware.referee.events import Entry, Exchanged, ExchangeRefused, Fact, HandShown, Laid, Pressed, Said
from firmware.referee.match import Match, Setup

from .short import cards, holds, judged, match
from .short import facts_told as told


def lay(card: str, seat: int, zone: str = "layout") -> Laid:
    """A card laid."""
    return Laid(Card.parse(card), zone, seat)


def each(seats: str, *values: Any) -> dict[str, Any]:
    """Values by seat."""
    return dict(zip(seats, values, strict=True))


# -- the Wish Card -------------------------------------------------------------------------------------------------


def test_wish_a_payer_without_a_pack_pays_nothing_and_loses_his_open_cards() -> None:
    packs = cards(A="JH 2C", B="4S", C="5H 6H")
    moves = "B turn 4S; C turn 5H; A turn JH"
    holds(judged("wish_card", moves, packs=packs, start="B"), next={"seat": "A", "due": "gather"}, stopped=False)
    after = judged("wish_card", moves + "; A gather B 1", packs=packs, start="B")
    holds(after, stopped=True, out="B", packs=each("ABC", 2, 0, 1), next=None, wish=None, wish_in=None)


def test_wish_when_every_pack_is_empty_nobody_is_out() -> None:
    result = judged("wish_card", "A turn 2S; B turn 9H", seats="AB", packs=cards(A="2S", B="9H"))
    holds(result, stopped=True, out=None, next=None, wish="B", piles={"A": ["2S"], "B": ["9H"]})


def test_wish_two_players_cancel_back_and_forth() -> None:
    packs = cards(A="QS 2S", B="JD 3D")
    result = judged("wish_card", "A turn QS; B turn JD; A turn 2S; B gather A 2", seats="AB", packs=packs)
    holds(result, out="A", stopped=True, packs={"A": 0, "B": 3}, piles={"A": [], "B": ["JD"]})


# -- Ranter-Go-Round -----------------------------------------------------------------------------------------------


def test_ranter_the_dealer_turns_up_last_of_all() -> None:
    hands = each("ABC", "3S", "9D", "3H")
    result = judged("ranter_go_round", "A pass; B pass; C pass", {"tie": "last_turned"}, dealer="C", hands=hands)
    holds(result, losers=["C"], markers=each("ABC", 3, 3, 2))


@pytest.mark.parametrize(("held", "proved"), [("KD", []), ("QH", [[1, "B", "FALSE_KING"]])])
def test_ranter_a_king_that_is_passed_on_is_traced_back(held: str, proved: list[Any]) -> None:
    hands = each("ABC", "9S", held, "4S")
    moves = "A demand; B king; B demand; C swap; C pass"
    result = judged("ranter_go_round", moves, dealer="C", hands=hands)
    holds(result, proved=proved, final=each("ABC", "9S", "4S", held), losers=["B"])


def test_ranter_the_dealer_is_forced_and_then_cuts() -> None:
    hands = each("ABC", "9S", "2H", "TD")
    moves = "A pass; B demand; C swap; C cut 3D"
    result = judged("ranter_go_round", moves, dealer="C", hands=hands)
    holds(result, final=each("ABC", "9S", "TD", "3D"), losers=["C"], proved=[])


def test_ranter_a_dead_seat_is_passed_over_by_demands_and_deals() -> None:
    hands = {"A": "AS", "C": "KD"}
    markers = each("ABC", 2, 0, 1)
    found = match("ranter_go_round", "A demand; C king; C pass", dealer="C", hands=hands, markers=markers, pool=6)
    holds(found.result(), losers=["A"], markers=each("ABC", 1, 0, 1), pool=7, next_dealer="A", winner=None)
    following = found.next_setup()
    assert following is not None
    assert (following.dealer, following.deal) == (1, {"markers": each("ABC", 1, 0, 1), "pool": 7})


def test_ranter_a_three_is_announced_where_the_house_has_it() -> None:
    hands = each("ABC", "6D", "3S", "JC")
    for said, code in (("", "UNANNOUNCED_THREE"), ("three", "")):
        moves = f"A demand; B swap {said}; B pass; C pass"
        result = judged("ranter_go_round", moves, {"announce_three": True}, dealer="C", hands=hands)
        holds(result, proved=[[1, "B", code]] if code else [])
    result = judged("ranter_go_round", "A demand; B swap three; B pass; C pass", dealer="C", hands=hands)
    holds(result, proved=[[1, "B", "FALSE_ANNOUNCEMENT"]])


def test_ranter_a_king_that_is_not_shown_is_asked_for_where_it_must_be() -> None:
    setup = Setup("ranter_go_round", ("A", "B", "C"), 3, {"king_show": "shown"})
    asked = told(setup, ExchangeRefused(1, 2))
    assert [(r.code, r.seat) for r in asked.standing if r.kind == "notice"] == [("SHOW_THE_KING", 2)]
    shown = told(setup, lay("KD", 2, "seat-2"), ExchangeRefused(1, 2))
    assert "SHOW_THE_KING" not in [r.code for r in shown.standing]
    said = told(Setup("ranter_go_round", ("A", "B", "C"), 3), ExchangeRefused(1, 2))
    assert "SHOW_THE_KING" not in [r.code for r in said.standing]


# -- Five or Nine --------------------------------------------------------------------------------------------------

RUNNING: dict[str, Any] = {"table": ["5D"], "first_starter": "5", "turn": "B"}


def test_five_or_nine_the_witness_is_the_earliest_move_that_shows_a_card_that_fitted() -> None:
    moves = "B pass; C play 6D; B play 5H; A pass; B play 4D"
    result = judged("five_or_nine", moves, {"false_pass_fine": 3}, **RUNNING)
    holds(
        result,
        false_passes=[[0, "B", "5H", 2]],
        violations=[[2, "OUT_OF_TURN"]],
        paid=each("ABC", 1, 1, 0),
        fines={"B": 3},
        pool=2,
        next="C",
    )


def test_five_or_nine_of_several_cards_laid_open_the_first_listed_is_named() -> None:
    result = judged("five_or_nine", "B pass", final_hands={"B": ["9C", "6D", "4D"]}, **RUNNING)
    holds(result, false_passes=[[0, "B", "6D", "final"]], next="C", net="absent", winner_takes="absent")


def test_five_or_nine_a_fine_at_the_end_goes_to_the_winner_and_not_into_paid() -> None:
    deal = {"table": ["5D", "6D", "7D"], "first_starter": "5", "turn": "B", "counts": each("ABC", 3, 2, 2)}
    shown = {"A": ["KC", "QH"], "C": ["8D", "2H"]}
    moves = "B play 5H; C pass; A play 4D; B play 3D"
    result = judged("five_or_nine", moves, {"false_pass_fine": 3}, final_hands=shown, **deal)
    holds(result, fines={"C": 3}, paid=each("ABC", 0, 0, 1), winner_takes=5, net=each("ABC", -2, 8, -6))


def test_five_or_nine_the_net_is_left_out_where_a_pool_was_given() -> None:
    deal = {"table": ["5S"], "first_starter": "5", "turn": "D", "counts": each("ABCD", 3, 5, 1, 1)}
    result = judged("five_or_nine", "D play 6S", seats="ABCD", pool=7, **deal)
    holds(result, winner_takes=16, net="absent")
    result = judged("five_or_nine", "D play 6S", seats="ABCD", **deal)
    holds(result, winner_takes=9, net=each("ABCD", -3, -5, -1, 9))


TINY: dict[str, Any] = {
    "dealer": "C",
    "stock": ["TS", "8H"],
    "hands": cards(A="6S 8S 4H TH", B="5S 9H 7S 6H", C="9S 5H 7H 4S"),
    "ranks": "456789T",
    "suits": "SH",
}
TINY_MOVES = (
    "A pass; B play 5S; C play 4S; A play 6S; B play 7S; C play 5H; A play 8S; B play 6H; C play 7H; A play 4H; "
    "B pass; C play 9S"
)


def test_five_or_nine_the_ante_is_paid_and_won() -> None:
    result = judged("five_or_nine", TINY_MOVES, {"ante": 2}, **TINY)
    holds(result, paid=each("ABC", 2, 3, 2), winner_takes=9, net=each("ABC", -3, -4, 7))


def test_five_or_nine_hands_of_a_script_prove_only_when_the_deal_is_over() -> None:
    """A passes although he has 9S or 5H; the script tells the hands, but the claim falls only when they are shown."""
    hands = cards(A="5H 8S 4H TH", B="5S 9H 7S 6H", C="9S 6S 7H 4S")
    deal = {**TINY, "hands": hands}
    holds(judged("five_or_nine", "A pass; B play 5S; C pass", **deal), false_passes=[])
    dead = "A pass; B pass; C pass"
    holds(
        judged("five_or_nine", dead, **deal),
        dead=True,
        false_passes=[[0, "A", "5H", "final"], [1, "B", "5S", "final"], [2, "C", "9S", "final"]],
        pool=0,
    )


@pytest.mark.parametrize(
    ("rule", "moves", "violations"),
    [
        ("any", "A play 5D; B play 5S; C play 6D", []),
        ("last", "A play 5D; B play 5S; C play 6D; C play 6S; A play 5H", [[2, "NOT_PLAYABLE"]]),
    ],
)
def test_five_or_nine_which_line_may_be_continued(rule: str, moves: str, violations: list[Any]) -> None:
    holds(judged("five_or_nine", moves, {"which_line": rule}), violations=violations)


def test_five_or_nine_the_last_card_may_be_kept_where_the_house_allows() -> None:
    deal = {**RUNNING, "counts": each("ABC", 3, 1, 2)}
    moves = "B pass; C play 5H; A play 4H; B play 6D"
    holds(judged("five_or_nine", moves, **deal), false_passes=[[0, "B", "6D", 3]], winner="B")
    holds(judged("five_or_nine", moves, {"forced_going_out": False}, **deal), false_passes=[], winner="B")
    two = {**RUNNING, "counts": each("ABC", 3, 2, 2)}
    result = judged("five_or_nine", moves, {"forced_going_out": False}, **two)
    holds(result, false_passes=[[0, "B", "6D", 3]])


@pytest.mark.parametrize(("pays", "paid"), [(True, (1, 1, 1)), (False, (0, 1, 1))])
def test_five_or_nine_the_pass_that_ends_a_dead_deal(pays: bool, paid: tuple[int, ...]) -> None:
    result = judged("five_or_nine", "B pass; C pass; A pass", {"winner_no_pass_pay": pays}, **RUNNING)
    holds(result, dead=True, paid=each("ABC", *paid), pool=sum(paid))


# -- Fan Tan -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("forced", "withheld"), [(True, [[1, "B", "8C", 7], [4, "B", "8C", 7]]), (False, [])])
def test_fan_tan_every_circuit_is_said_whether_or_not_laying_is_a_duty(forced: bool, withheld: list[Any]) -> None:
    moves = "A play 7C; B pay; C pay; A pay; B pay; C pay; A pay; B play 8C"
    result = judged("fan_tan", moves, {"forced": forced})
    holds(result, full_circuit=[[3, "8C"], [6, "8C"]], withheld=withheld, paid=each("ABC", 2, 2, 2))


def test_fan_tan_a_hand_laid_open_while_the_deal_goes_on_counts() -> None:
    result = judged("fan_tan", "A pay", need="5H", turn="A", final_hands={"A": ["KC", "5H"]})
    holds(result, withheld=[[0, "A", "5H", "final"]], next={"seat": "B", "need": "5H"})


def test_fan_tan_a_refused_card_is_evidence_for_payments_before_and_after() -> None:
    result = judged("fan_tan", "A play 5H; B pay; B play 6H; C pay; A pay; B pay", {})
    holds(
        result,
        violations=[[2, "OUT_OF_TURN"]],
        withheld=[[1, "B", "6H", 2], [5, "B", "6H", 2]],
        paid=each("ABC", 1, 2, 1),
    )


def test_fan_tan_pool_given_and_a_counter_for_each_card() -> None:
    deal = {"need": "QC", "in_suit": 12, "turn": "A", "pool": 11, "counts": {"A": 1, "B": 3}}
    result = judged("fan_tan", "A play QC", {"per_card": True}, seats="AB", **deal)
    holds(result, winner_takes=14, card_payments={"B": 3}, pool=0, net="absent", exhausted=["C"], next=None)


def test_fan_tan_the_lead_must_be_laid_and_only_by_its_seat() -> None:
    holds(judged("fan_tan", "A pay; B play 5H; A play 5H"), violations=[[0, "MUST_START"], [1, "OUT_OF_TURN"]])


def test_fan_tan_the_cards_of_the_running_suit_may_be_listed() -> None:
    result = judged("fan_tan", "A play QC", turn="A", need="QC", in_suit=["JC", "TC"])
    holds(result, next={"seat": "B", "need": "KC"})


# -- Pope Joan -----------------------------------------------------------------------------------------------------

BOARD = {"pope": 6, "matrimony": 2, "intrigue": 2, "ace": 1, "king": 1, "queen": 1, "knave": 1, "game": 1}
POPE: dict[str, Any] = {"dealer": "C", "trump": "S", "turn_up": "4S", "counts": each("ABC", 9, 9, 9)}


def test_pope_matrimony_of_one_hand_in_two_lines() -> None:
    result = judged("pope_joan", "A play KS; A play QS; A play JS", **POPE)
    takes = [[0, "A", "king", 1], [1, "A", "queen", 1], [1, "A", "matrimony", 2], [2, "A", "knave", 1]]
    holds(result, takes=[*takes, [2, "A", "intrigue", 2]], got=each("ABC", 7, 0, 0), next={"seat": "A", "need": None})


def test_pope_the_last_card_takes_its_compartment_then_matrimony_then_game() -> None:
    deal = {**POPE, "counts": each("ABC", 2, 3, 4)}
    result = judged("pope_joan", "A play QS; A play KS", **deal)
    takes = [[0, "A", "queen", 1], [1, "A", "king", 1], [1, "A", "matrimony", 2], [1, "A", "game", 1]]
    holds(result, takes=takes, winner="A", card_payments={"B": 3, "C": 4}, got=each("ABC", 12, 0, 0), next=None)


def test_pope_known_stops_need_no_word() -> None:
    moves = "A play 3S; A play 7D; A play KC; A play 9H; B play TH; B stop; B play 8H; B play 2C"
    result = judged("pope_joan", moves, **POPE)
    holds(result, violations=[], held_back=[], next={"seat": None, "need": "3C"})


def test_pope_a_false_stop_is_proved_by_the_card() -> None:
    deal = {**POPE, "trump": "H", "turn_up": "2H"}
    moves = "A play 5C; A stop; A play 8H; B play 9H; B stop; B play 6C"
    holds(judged("pope_joan", moves, **deal), held_back=[[1, "B", "6C", 5]], next={"seat": None, "need": "7C"})


def test_pope_every_foul() -> None:
    moves = "B play 5C; A stop; A play 5C; B stop; B play 7C; B play 6C; A stop; B stop; A play 2D; B stop"
    result = judged("pope_joan", moves, **POPE)
    codes = {0: "NOT_THE_LEADER", 1: "MUST_START", 3: "OUT_OF_TURN", 4: "WRONG_CARD", 6: "OUT_OF_TURN"}
    codes |= {8: "NOT_THE_LEADER", 9: "MUST_START"}
    holds(result, violations=[[m, c] for m, c in codes.items()], next={"seat": "B", "need": None})


def test_pope_turned_up_may_end_the_deal() -> None:
    deal = {"dealer": "C", "trump": "D", "turn_up": "9D", "counts": each("ABC", 13, 13, 12)}
    result = judged("pope_joan", "", {"turnup_pope": "pope_game_and_cards"}, **deal)
    holds(
        result,
        takes=[["deal", "C", "pope", 6], ["deal", "C", "game", 1]],
        winner="C",
        card_payments={"A": 13, "B": 13},
        got=each("ABC", 0, 0, 33),
        next=None,
    )


def test_pope_its_holder_pays_where_the_house_excuses_nobody() -> None:
    deal = {**POPE, "counts": each("ABC", 1, 3, 5)}
    shown = {"B": ["2H", "3H", "4H"], "C": ["9D", "TD", "2C", "3C", "4C"]}
    result = judged("pope_joan", "A play KC", {"pope_exempt": False}, final_hands=shown, **deal)
    holds(result, card_payments={"B": 3, "C": 5}, got=each("ABC", 9, 0, 0))


def test_pope_who_has_shown_it_by_mistake_is_excused_too() -> None:
    deal = {**POPE, "counts": each("ABC", 2, 3, 5)}
    result = judged("pope_joan", "C play 9D; A play 5C; A stop; A play KC", **deal)
    holds(result, violations=[[0, "NOT_THE_LEADER"]], card_payments={"B": 3, "C": 0}, got=each("ABC", 4, 0, 0))


def test_pope_what_is_not_taken_is_dressed_again() -> None:
    found = match("pope_joan", "A play KS", **{**POPE, "counts": each("ABC", 1, 3, 4)})
    holds(found.result(), board={**BOARD, "king": 0, "game": 0})
    following = found.next_setup()
    assert following is not None
    assert following.dealer == 1
    again = {name: 2 * n for name, n in BOARD.items()} | {"king": 1, "game": 1}
    assert Match(following).result()["board"] == again


def test_pope_the_ace_above_the_king_where_the_house_has_it() -> None:
    holds(judged("pope_joan", "A play KC; B play AC", {"ace_low": False}, **POPE), violations=[])
    holds(judged("pope_joan", "A play KC; B play AC", {}, **POPE), violations=[[1, "NOT_THE_LEADER"]])
    holds(judged("pope_joan", "A play AC", {"ace_low": False}, **POPE), next={"seat": "A", "need": None})


def test_pope_equal_hands_and_the_rest_with_the_dead_hand() -> None:
    from firmware.referee.games import pope_joan
    from firmware.referee.house import choose

    house = choose(pope_joan.House, {"dead_hand_extra": "dead_hand"})
    assert pope_joan.hands(5, house) == ((8,) * 5, 10)
    assert pope_joan.hands(5, choose(pope_joan.House, {})) == ((9, 9, 8, 8, 8), 8)
    assert pope_joan.hands(4, choose(pope_joan.House, {})) == ((10,) * 4, 10)
    assert pope_joan.hands(3, choose(pope_joan.House, {"turnup_owner": "hand"})) == ((13, 13, 13), 12)


FOSTER: dict[str, Any] = {"dealer": "C", "counts": each("ABC", 15, 15, 15)}


def test_pope_foster_all_say_no_and_the_last_to_lay_leads() -> None:
    moves = "A play TS; A pass; B play JS; B pass; C play QS; C pass; A pass; B pass"
    result = judged("pope_joan", moves, {"form": "foster"}, **FOSTER)
    board = {"ten": 0, "jack": 2, "queen": 3, "king": 4, "pope": 5}
    holds(result, takes=[[0, "A", "ten", 1]], board=board, next={"seat": "C", "need": None}, violations=[])


def test_pope_foster_a_no_is_proved_false_and_a_layout_card_kept_is_doubled() -> None:
    deal = {"dealer": "C", "counts": each("ABC", 2, 2, 2), "turn": "A"}
    moves = "A play 5C; A pass; B pass; C pass; A play KC"
    shown = {"B": ["6C", "2S"], "C": ["QH", "3S"]}
    result = judged("pope_joan", moves, {"form": "foster"}, final_hands=shown, **deal)
    holds(
        result,
        held_back=[[2, "B", "6C", "final"]],
        board={"ten": 1, "jack": 2, "queen": 6, "king": 4, "pope": 5},
        card_payments={"B": 2, "C": 2},
        got=each("ABC", 4, 0, 0),
        winner="A",
    )


# -- Matrimony -----------------------------------------------------------------------------------------------------


def stakes(dealer: str = "C", seats: str = "ABC", each_more: int = 0) -> dict[str, dict[str, int]]:
    """One on each division, the dealer two on Matrimony."""
    ones = dict.fromkeys(("matrimony", "intrigue", "confederacy", "pair", "best"), 1)
    return {s: {**ones, "matrimony": 2 if s == dealer else 1 + each_more} for s in seats}


def test_matrimony_the_first_to_show_takes_and_the_second_has_nothing() -> None:
    up, down = each("ABC", "KS", "QD", "7D"), each("ABC", "QH", "KC", "2D")
    result = judged("matrimony", "", dealer="C", stakes=stakes(), up=up, down=down)
    holds(result, wins=[["A", "matrimony", 4]], violations=[], next_dealer="A")
    result = judged("matrimony", "", dealer="A", stakes=stakes("A"), up=up, down=down)
    holds(result, wins=[["B", "matrimony", 4]], next_dealer="B")


def test_matrimony_who_stakes_nothing_stakes_wrongly() -> None:
    put = {s: n for s, n in stakes().items() if s != "B"}
    result = judged("matrimony", "", dealer="C", stakes=put, up=each("ABC", "2S", "3D", "7D"))
    holds(result, violations=[["B", "STAKE_NOT_ONE_LESS"]])
    at_most = judged("matrimony", "", {"stake_less": "at_most"}, dealer="C", stakes=put)
    holds(at_most, violations=[])


SWEPT: dict[str, Any] = {
    "dealer": "C",
    "stakes": stakes(),
    "carried": {"pair": 4, "best": 2},
    "up": each("ABC", "KS", "AD", "7D"),
    "down": each("ABC", "QH", "9C", "2D"),
}


@pytest.mark.parametrize(
    ("options", "wins", "left"),
    [
        ({}, [["B", "all", 22]], {}),
        ({"sweep_first": False}, [["A", "matrimony", 4], ["B", "all", 18]], {}),
        ({"fresh_pool_after_sweep": False}, [["B", "all", 16]], {"pair": 4, "best": 2}),
        (
            {"fresh_pool_after_sweep": False, "sweep_first": False},
            [["A", "matrimony", 4], ["B", "all", 12]],
            {"pair": 4, "best": 2},
        ),
    ],
)
def test_matrimony_what_the_ace_of_diamonds_sweeps(options: Any, wins: list[Any], left: dict[str, int]) -> None:
    found = match("matrimony", "", options, **SWEPT)
    nothing = dict.fromkeys(("matrimony", "intrigue", "confederacy", "pair", "best"), 0)
    holds(found.result(), wins=wins, left={**nothing, **left})
    following = found.next_setup()
    assert following is not None
    assert following.deal == ({"carried": left} if left else {})


def test_matrimony_with_three_cards_a_hand_takes_all_that_its_cards_make() -> None:
    up = each("ABC", "KS", "QD", "7D")
    down = {"A": ["QH", "JC"], "B": ["AH", "AD"], "C": ["KC", "JD"]}
    result = judged("matrimony", "", {"version": "cassell"}, dealer="C", stakes=stakes(), up=up, down=down)
    wins = [["A", "matrimony", 4], ["A", "intrigue", 3], ["A", "confederacy", 3], ["B", "pair", 3]]
    holds(result, wins=wins, left={"matrimony": 0, "intrigue": 0, "confederacy": 0, "pair": 0, "best": 3})
    swept = judged("matrimony", "", {"version": "cassell"}, dealer="C", stakes=stakes(), up={**up, "C": "AD"}, down={})
    holds(swept, wins=[["C", "all", 16]])


def test_matrimony_with_three_cards_each_turns_both_before_the_next() -> None:
    setup = Setup("matrimony", ("A", "B"), 2, {"version": "cassell"})
    ups = [lay("KS", 1, "seat-1"), lay("QD", 2, "seat-2"), lay("2C", 1, "seat-1")]
    assert told(setup, *ups).view.turn == 1
    both = told(setup, *ups, lay("KC", 1, "seat-1"))
    assert (both.view.turn, both.over) == (2, False)
    assert told(setup, *ups, lay("KC", 1, "seat-1"), lay("3D", 2, "seat-2"), lay("4D", 2, "seat-2")).over


# -- the family ----------------------------------------------------------------------------------------------------


def test_snip_a_card_that_was_kept_is_proved_by_the_card() -> None:
    result = judged("snip_snap_snorem", "A play 6S; B play 7H; C play 8D; A play 9C; B play 6H")
    holds(result, proved=[[1, "B", "FAILED_TO_SNIP", "6H", 4]], pool=0, next="C")


def test_snip_who_has_no_counters_left_leaves_and_is_passed_over() -> None:
    moves = "A play 6S; B play 6H; C play 6D; B play 6C"
    result = judged("snip_snap_snorem", moves, counters=each("ABC", 1, 5, 5), pool=0)
    holds(result, counters=each("ABC", 0, 3, 2), pool=6, violations=[], next="C")


def test_newmarket_after_a_stop_the_line_is_of_the_other_colour() -> None:
    deal = {"turn": "B", "counts": each("ABC", 5, 6, 4), "layout": {"AH": 3, "KC": 6, "QD": 3, "JS": 3}}
    moves = "B play 2H; B stop; B play 3D; B play 2C; A play 3C"
    result = judged("newmarket", moves, **deal)
    holds(result, violations=[[2, "WRONG_COLOUR"]], next={"seat": None, "need": "4C"})


# -- what the table agrees on --------------------------------------------------------------------------------------

FAN = Setup("fan_tan", ("A", "B", "C"), 3, {"ante": 2}, {"counts": each("ABC", 18, 17, 17)})


def test_a_wrong_deal_found_before_the_first_play_is_dealt_again_by_the_same_dealer_and_costs_nothing() -> None:
    found = told(FAN, Said(1, "misdeal"), Said(2, "misdeal"))
    assert found.over
    assert found.view.counters == (0, 0, 0)
    assert found.next_setup() == FAN
    assert {r.code for r in found.standing if r.counters} >= {"ANTE", "BACK"}


def test_a_wrong_deal_found_during_play_is_void_and_the_pool_stays() -> None:
    found = told(FAN, lay("5H", 1), Pressed(2), Said(1, "misdeal"), Said(2, "misdeal"))
    assert found.view.counters == (-2, -3, -2)
    following = found.next_setup()
    assert following is not None
    assert (following.dealer, following.deal["pool"]) == (3, 7)


def test_a_draw_leaves_the_pool_for_the_next_dealer() -> None:
    found = told(FAN, lay("5H", 1), Said(1, "draw"), Said(2, "draw"))
    following = found.next_setup()
    assert following is not None
    assert (following.dealer, following.deal["pool"]) == (1, 6)
    assert Match(following).view.pool == 12


def test_a_winner_who_was_dealt_short_does_not_win() -> None:
    deal = {"need": "5H", "turn": "A", "counts": each("ABC", 1, 2, 3)}
    setup = Setup("fan_tan", ("A", "B", "C"), 3, {"ante": 1, "per_card": True}, deal)
    plays: list[Fact] = [lay("5H", 1), HandShown(2, (Card.parse("2C"), Card.parse("3C"), Card.parse("4C")))]
    called = [Said(2, "misdeal"), Said(3, "misdeal")]
    void = told(setup, *plays, *called)
    assert [r.code for r in void.standing if r.kind == "over"] == ["WON", "VOID"]
    assert void.view.counters == (-1, -1, -1)
    assert void.result()["winner"] is None
    following = void.next_setup()
    assert following is not None
    assert (following.dealer, following.deal["pool"]) == (3, 3)
    right = told(setup, plays[0], HandShown(2, (Card.parse("2C"), Card.parse("3C"))), *called)
    assert (right.result()["winner"], right.view.counters) == ("A", (2 + 5, -1 - 2, -1 - 3))
    assert [r.code for r in right.standing][-2:] == ["DEAL_OVER", "DEAL_OVER"]


def test_counters_may_be_given_by_the_deal_alone() -> None:
    deal = {"turn": "A", "counters": each("ABC", 9, 1, 9)}
    found = told(Setup("fan_tan", ("A", "B", "C"), 3, {"broke": "out"}, deal), lay("5H", 1), Pressed(2), Pressed(3))
    assert found.view.live == (1, 2, 3)
    assert told(found.setup, *(e.fact for e in found.entries), Pressed(1), Pressed(2)).view.live == (1, 3)


def test_who_cannot_pay_the_ante_is_out_before_the_first_act() -> None:
    deal = {"counters": each("ABC", 9, 0, 9)}
    found = Match(Setup("fan_tan", ("A", "B", "C"), 3, {"broke": "out", "ante": 1}, deal))
    assert found.view.live == (1, 3)
    assert [r.code for r in found.opening][-1] == "LEAD"


# -- seats that are away (field report D06) ------------------------------------------------------------------------

AWAY: dict[str, Any] = {"counts": dict.fromkeys("ABCD", 13)}
NAMES = ("A", "B", "C", "D")
SKIP = (Said(1, "skip", "3"), Said(4, "skip", "3"))


def turns(found: Match, presses: int) -> list[int | None]:
    """Whose turn it is, press after press."""
    out = [found.view.turn]
    for _ in range(presses):
        found.add(Entry(len(found.entries), Pressed(found.view.turn or 0)))
        out.append(found.view.turn)
    return out


@pytest.mark.parametrize("game", ["fan_tan", "five_or_nine", "sevens"])
def test_d06_two_others_pass_over_a_seat_that_is_away(game: str) -> None:
    first = {"fan_tan": "5H", "five_or_nine": "5H", "sevens": "7H"}[game]
    setup = Setup(game, NAMES, 1, {}, AWAY)
    begun = [lay(first, 2)]
    asked = told(setup, *begun, SKIP[0])
    assert (asked.view.turn, [r.code for r in asked.standing][-1]) == (3, "ASKED")
    found = told(setup, *begun, *SKIP)
    assert [r.code for r in found.standing if r.seat == 3][-1] == "AWAY"
    before = found.view.counters
    assert turns(found, 2) == [4, 1, 2]
    assert found.view.counters[2] == before[2]
    assert 3 in found.view.live


@pytest.mark.parametrize(
    "asked",
    [
        [Said(1, "skip", "3"), Said(1, "skip", "3")],
        [Said(3, "skip", "3"), Said(1, "skip", "3")],
        [Said(1, "skip", "9"), Said(4, "skip", "")],
    ],
)
def test_d06_one_alone_cannot(asked: list[Fact]) -> None:
    found = told(Setup("fan_tan", NAMES, 1, {}, AWAY), lay("5H", 2), *asked)
    assert found.view.turn == 3


def test_d06_who_is_back_has_the_same_seat_and_hand() -> None:
    found = told(Setup("fan_tan", NAMES, 1, {}, AWAY), lay("5H", 2), *SKIP, Said(3, "back"), Pressed(4), Pressed(1))
    assert turns(found, 1) == [2, 3]
    acted = told(Setup("fan_tan", NAMES, 1, {}, AWAY), lay("5H", 2), *SKIP, lay("6H", 3), Pressed(4), Pressed(1))
    assert turns(acted, 1) == [2, 3]
    assert acted.result()["violations"] == [[1, "OUT_OF_TURN"]]


def test_d06_fan_tan_a_card_that_is_with_the_absent_seat_waits_with_it() -> None:
    """All who are here have paid for the six: a new line is started, and the old suit is finished later."""
    short = {"ranks": "A23456", "suits": "SH", "counts": dict.fromkeys("ABCD", 3)}
    setup = Setup("fan_tan", NAMES, 1, {}, short)
    begun = [lay("2S", 2), *SKIP, Pressed(4), Pressed(1), Pressed(2)]
    found = told(setup, *begun)
    assert (found.view.turn, found.view.due) == (2, "LEAD")
    assert found.result()["full_circuit"] == []
    more = told(setup, *begun, lay("2S", 2), lay("AS", 2), source="script")
    assert more.result()["violations"] == [[4, "WRONG_CARD"]]  # it lies there already
    assert (more.view.turn, more.view.due) == (2, "LEAD")  # the two lies there: the line has ended
    back = told(setup, *begun, lay("4S", 2), Said(3, "back"), lay("2H", 2), lay("3H", 3))
    assert back.result()["exhausted"] == []


def test_d06_five_or_nine_dies_when_all_who_are_here_have_passed() -> None:
    found = told(Setup("five_or_nine", NAMES, 1, {}, AWAY), lay("5H", 2), *SKIP, Pressed(4), Pressed(1), Pressed(2))
    assert found.result()["dead"]
    assert found.result()["paid"] == each("ABCD", 1, 1, 0, 1)


def test_d06_pope_joan_the_lead_passes_on_and_a_line_ends_without_a_claim() -> None:
    deal = {"trump": "S", "turn_up": "4S", "counts": dict.fromkeys("ABCD", 10)}
    setup = Setup("pope_joan", NAMES, 2, {}, deal)
    assert told(setup, *SKIP).view.turn == 4
    line = told(setup, lay("5C", 3), *SKIP)
    assert (line.view.turn, line.view.due) == (4, "LEAD")
    shown = told(setup, lay("5C", 3), *SKIP, HandShown(3, (Card.parse("6C"),)))
    assert shown.result()["held_back"] == []
    foster = told(Setup("pope_joan", NAMES, 2, {"form": "foster"}, {}), lay("5C", 3), *SKIP)
    assert (foster.view.turn, foster.view.need) == (4, "6C")
    assert turns(foster, 3) == [4, 1, 2, 4]  # all have said no: the absent seat leads, and the next one for it


def test_d06_newmarket_the_lead_passes_on() -> None:
    setup = Setup("newmarket", NAMES, 2, {}, {"counts": dict.fromkeys("ABCD", 10)})
    assert told(setup, *SKIP).view.turn == 4
    line = told(setup, lay("5C", 3), *SKIP)
    assert (line.view.turn, line.view.due) == (4, "LEAD")


def test_d06_snip_nobody_has_to_match_across_the_absent_seat() -> None:
    found = told(Setup("snip_snap_snorem", NAMES, 1, {}, AWAY), lay("6S", 2), *SKIP, lay("7S", 4), lay("8S", 1))
    assert found.view.turn == 2
    assert (
        told(found.setup, *(e.fact for e in found.entries), HandShown(4, (Card.parse("6D"),))).result()["proved"] == []
    )


def test_d06_ranter_the_absent_seat_keeps_its_card() -> None:
    setup = Setup("ranter_go_round", NAMES, 4)
    found = told(setup, Pressed(1), Pressed(2), *SKIP)
    assert found.view.turn == 4
    demanded = told(setup, Pressed(1), Said(2, "demand"), *SKIP)
    assert demanded.view.turn == 4
    showdown = told(setup, Pressed(1), Pressed(2), Pressed(3), Said(1, "skip", "4"), Said(2, "skip", "4"))
    assert showdown.view.due == "EXPOSE"


def test_d06_commerce_a_barter_with_the_absent_seat_falls_through() -> None:
    setup = Setup("commerce", NAMES, 1, {}, {})
    assert told(setup, Said(2, "demand"), *SKIP).view.turn == 4
    assert told(setup, Said(2, "buy"), *SKIP).view.turn == 4


def test_d06_where_no_choice_is_waited_for_nobody_is_passed_over() -> None:
    found = told(Setup("wish_card", NAMES, 2), *SKIP)
    assert [r.code for r in found.standing if r.kind == "refused"] == ["CANNOT_SKIP", "CANNOT_SKIP"]
    assert found.view.turn == 3


def test_d06_the_table_stops_when_everybody_is_away() -> None:
    asks = [Said(a, "skip", str(b)) for a, b in ((1, 3), (2, 3), (1, 2), (3, 2), (2, 1), (3, 1))]
    found = told(Setup("five_or_nine", ("A", "B", "C"), 3, {}, {"turn": "A"}), lay("5H", 1), *asks)
    assert not found.over


def test_exchanges_are_judged_as_the_camera_tells_them() -> None:
    found = told(Setup("ranter_go_round", ("A", "B", "C"), 3), Exchanged((2, 1)), Pressed(2), Pressed(3))
    assert found.view.due == "EXPOSE"
    assert found.result()["violations"] == []


@pytest.mark.parametrize(
    ("game", "deal", "moves", "violations"),
    [
        ("fan_tan", {"counts": each("ABC", 2, 3, 4)}, "B play 5H; C play 6H", []),
        ("fan_tan", {"counts": each("ABC", 2, 3, 4), "need": "6H"}, "B play 6H", []),
        ("fan_tan", {"counts": each("ABC", 2, 3, 4), "need": "6H", "dealer": "C"}, "B play 6H", [[0, "OUT_OF_TURN"]]),
        ("fan_tan", {"counts": each("ABC", 2, 3, 4), "turn": "A"}, "B play 5H", [[0, "OUT_OF_TURN"]]),
        ("fan_tan", {"counts": each("ABC", 18, 17, 17)}, "B play 5H", [[0, "OUT_OF_TURN"]]),
        ("fan_tan", {"need": "6H"}, "B play 6H", [[0, "OUT_OF_TURN"]]),
        ("five_or_nine", {"counts": each("ABC", 2, 3, 4)}, "B play 7H; C play 8H; A pass", []),
        ("five_or_nine", {"counts": each("ABC", 15, 15, 15)}, "B play 5H", [[0, "OUT_OF_TURN"]]),
        ("five_or_nine", {"counts": each("ABC", 2, 3, 4), "table": ["5H"]}, "B play 6H", [[0, "OUT_OF_TURN"]]),
        ("sevens", {"counts": each("ABC", 2, 3, 1), "pool": 5}, "C play KD", []),
        ("sevens", {"counts": each("ABC", 18, 17, 17)}, "B play 7D", [[0, "OUT_OF_TURN"]]),
    ],
)
def test_who_begins_a_script(game: str, deal: dict[str, Any], moves: str, violations: list[Any]) -> None:
    """In the middle of a deal the first mover; at its beginning the dealer's left, else the first seat listed."""
    holds(judged(game, moves, **deal), violations=violations)
