"""Corners of the rules in which a changed rule was not noticed by any other quick test (see `tests.mutants`)."""

from __future__ import annotations

from typing import Any

import pytest

from firmware.referee.acts import Claim, mask
from firmware.referee.cards import Card, pack
from firmware.referee.events import Cut, Entry, Fact, Gathered, HandShown, Pressed, Said
from firmware.referee.games import _rows, five_or_nine, pope_joan
from firmware.referee.house import choose
from firmware.referee.knowledge import Knowledge
from firmware.referee.match import Match, Setup

from .short import cards, holds, judged, laid, match, told


def codes(found: Match) -> list[str]:
    return [ruling.code for ruling in found.rulings]


# -- the Wish Card and Beggar-My-Neighbour ----------------------------------------------------------------------------


def test_wish_packs_of_numerals_that_are_turned_over_for_ever_come_round_once() -> None:
    packs = cards(A="2S 3S", B="4S 5S")
    moves = "A turn 2S; B turn 4S; A turn 3S; B turn 5S; A turn 2S"
    found = match("wish_card", moves, {"empty_pack": "recycle"}, seats="AB", packs=packs)
    assert codes(found).count("CYCLE") == 1
    before = match("wish_card", moves.rpartition(";")[0], {"empty_pack": "recycle"}, seats="AB", packs=packs)
    assert "CYCLE" not in codes(before)


def test_wish_a_position_is_not_the_same_with_a_pay_card_in_it() -> None:
    packs = cards(A="2S JS", B="4S 5S")
    moves = "A turn 2S; B turn 4S; A turn JS; B turn 5S; A gather B 2; A turn 4S; A turn 5S"
    found = match("wish_card", moves, {"empty_pack": "recycle", "after_payment": "receiver"}, seats="AB", packs=packs)
    assert "CYCLE" not in codes(found)


def test_wish_after_the_stop_only_the_nine_that_nobody_has_seen_counts() -> None:
    facts: list[Fact] = [laid("JS", 1), laid("2H", 2), Gathered("seat-2", 1, 1), laid("3C", 3), laid("9H", 3)]
    found = told("wish_card", [*facts, laid("4C", 3)], counts={"A": 3, "B": 1, "C": 3})
    holds(found.result(), stopped=True, wish="C", violations=[[3, "GAME_STOPPED"], [4, "GAME_STOPPED"]])
    known = [laid("JS", 1), laid("9H", 2), Gathered("seat-2", 1, 1), laid("9H", 3)]
    seen = told("wish_card", known, counts={"A": 3, "B": 1, "C": 3})
    holds(seen.result(), stopped=True, wish="A", violations=[[3, "GAME_STOPPED"]])


def test_wish_what_lay_there_before_the_payment_stays_when_the_payment_goes_to_the_demander() -> None:
    packs = cards(A="QS 9H TC", B="3D 4D KD 4H", C="8S 2H 5C 6S")
    options = {"cancelled_pile": "demander"}
    result = judged(
        "wish_card",
        "A turn QS; B turn 4D; B turn KD",
        options,
        packs={**packs, "B": ["4D", "KD", "4H"]},
        piles={"B": ["7D", "8D"]},
    )
    assert (result["packs"]["B"], result["piles"]["B"]) == (2, ["7D", "8D", "KD"])


def test_wish_gathered_cards_come_round_again_and_others_lie_still() -> None:
    facts: list[Fact] = [
        laid("2S", 3),
        laid("JS", 1),
        laid("2H", 2),
        Gathered("seat-2", 1, 1),
        laid("4C", 3),
        laid("2H", 1),
    ]
    found = told("wish_card", facts, start="C", counts={"A": 2, "B": 3, "C": 3})
    holds(
        found.result(),
        packs={"A": 1, "B": 2, "C": 1},
        violations=[],
        piles={"A": ["JS", "2H"], "B": [], "C": ["2S", "4C"]},
    )
    found.add(Entry(20, laid("2S", 2), source="camera"))
    assert codes(found)[-1] == "SEEN_TWICE"  # it still lies before C


@pytest.mark.parametrize(("rule", "stopped"), [("at_once", True), ("after_transfer", False)])
def test_wish_only_a_payer_who_has_run_out_stops_play(rule: str, stopped: bool) -> None:
    packs = cards(A="KS 2S", B="3S", C="4S 5S")
    result = judged("wish_card", "A turn KS; B turn 3S", {"stop_moment": rule}, packs=packs)
    holds(result, stopped=stopped, out="B" if stopped else None)
    last = judged("wish_card", "A turn 2S; B turn 3S", {"stop_moment": rule}, packs={**packs, "A": ["2S", "KS"]})
    holds(last, stopped=False, next={"seat": "C", "due": "turn"})


def test_wish_who_leaves_out_of_turn_takes_only_his_own_cards_away() -> None:
    packs = cards(A="2S 9H", B="3S 4S", C="5S 6S")
    found = match("wish_card", "A turn 2S", packs=packs)
    found.add(Entry(9, Said(3, "leave")))
    assert (found.view.turn, found.result()["wish_in"]) == (2, "A")
    found.add(Entry(10, Said(2, "leave")))
    holds(found.result(), stopped=True, wish="A", packs={"A": 1, "B": 0, "C": 0})


def test_wish_a_seat_without_a_pack_in_a_script_has_no_cards() -> None:
    holds(judged("wish_card", "", packs=cards(A="2S", B="3S")), packs={"A": 1, "B": 1, "C": 0})
    holds(judged("beggar_my_neighbour", "", packs=cards(A="2S", B="3S")), packs={"A": 1, "B": 1, "C": 0})


def test_beggar_when_nobody_has_a_card_it_is_a_draw() -> None:
    result = judged("beggar_my_neighbour", "A turn 2S; B turn 3S", seats="AB", packs=cards(A="2S", B="3S"))
    holds(result, stopped=True, winner="B" if result["winner"] else None)
    assert result["winner"] is None or result["packs"]["B"]


def test_beggar_a_taken_pile_comes_round_again_from_any_seat() -> None:
    facts: list[Fact] = [
        laid("JS", 1, "layout"),
        laid("2H", 2, "layout"),
        Gathered("layout", 1, 2),
        laid("JS", 1, "layout"),
    ]
    found = told("beggar_my_neighbour", facts, counts={"A": 1, "B": 2, "C": 2})
    holds(found.result(), packs={"A": 1, "B": 1, "C": 2}, violations=[])


def test_beggar_who_leaves_has_no_cards_and_is_owed_nothing() -> None:
    found = told("beggar_my_neighbour", [laid("AS", 1, "layout"), Said(1, "leave")], counts={"A": 3, "B": 2, "C": 2})
    assert (found.view.turn, found.view.due, found.result()["packs"]) == (2, "TURN", {"A": 0, "B": 2, "C": 2})
    found.add(Entry(9, laid("2S", 2, "layout"), source="camera"))
    assert (found.view.turn, found.result()["packs"]) == (3, {"A": 0, "B": 1, "C": 2})


# -- counts that nobody knows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "options", "card"),
    [
        ("jig", {}, "KS"),
        ("newmarket", {"stake": 0, "kitty": 0}, "KS"),
        ("comet", {"king_draws": 0}, "KS"),
        ("fan_tan", {"per_card": True}, "KS"),
        ("five_or_nine", {}, "5S"),
        ("sevens", {"ante": 0, "uneven_ante": False}, "7S"),
        ("pope_joan", {"dressing": "dealer"}, "KS"),
    ],
)
def test_who_is_paid_gets_nothing_for_hands_that_nobody_has_counted(game: str, options: Any, card: str) -> None:
    extra = {"trump": "H", "board": {"game": 0}} if game == "pope_joan" else {}
    found = match(game, f"A play {card}", options, counts={"A": 1}, turn="A", **extra)
    assert (found.view.winner, found.view.counters) == (1, (0, 0, 0))


@pytest.mark.parametrize(("game", "rule"), [("fan_tan", "uneven_ante"), ("sevens", "uneven_ante")])
def test_short_hands_pay_more_only_where_hands_are_counted(game: str, rule: str) -> None:
    found = Match(Setup(game, ("A", "B", "C"), 3, {"ante": 1, rule: True}))
    assert found.view.counters == (-1, -1, -1)
    some = Match(Setup(game, ("A", "B", "C"), 3, {"ante": 1, rule: True}, {"counts": {"A": 0, "B": 2}, "turn": "A"}))
    assert some.view.counters == (-2, -1, -1)


# -- rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "options", "wrong"),
    [
        ("A play 5S; B play 4S; C play 6S; A play 6S", {}, [3]),
        ("A play 5S; B play 3S", {}, [1]),
        ("A play 5S; B play 4S; C play 3S; A play 2S; B play AS; C play KS", {"corner": True}, []),
        ("A play 5S; B play 4S; C play 3S; A play 2S; B play QS", {"corner": True}, [4]),
        ("A play 5S; B play 4S; C play 3S; A play KS", {"corner": True}, [3]),
    ],
)
def test_rows_grow_at_their_ends(moves: str, options: Any, wrong: list[int]) -> None:
    result = judged("five_or_nine", moves, options, dealer="C", counts={"A": 15, "B": 15, "C": 15})
    assert [move for move, _ in result["violations"]] == wrong


def test_rows_the_antes_of_a_dead_deal_are_shared_too() -> None:
    options = {"ante": 2, "dead_deal": "split", "opening_pass_pays": True}
    found = match("five_or_nine", "A pass; B pass; C pass", options, dealer="C", counts={"A": 15, "B": 15, "C": 15})
    assert found.view.counters == (0, 0, 0)


def test_sevens_a_deal_that_a_seat_has_left_can_be_dead_and_its_last_pass_pays() -> None:
    counts = {"A": 13, "B": 13, "C": 13, "D": 13}
    facts: list[Fact] = [laid("7S", 1, "layout"), Said(2, "leave"), Pressed(3), Pressed(4), Pressed(1)]
    found = told("sevens", facts, {"ante": 0}, seats="ABCD", counts=counts)
    holds(found.result(), dead=True, paid={"A": 1, "B": 0, "C": 1, "D": 1})


def test_sevens_who_has_one_card_must_lay_it_too() -> None:
    result = judged(
        "sevens",
        "A pass; B play 7S; A play 8S",
        {"ante": 0},
        counts={"A": 1, "B": 3, "C": 4},
        table=["7H"],
        turn="A",
        final_hands={},
    )
    assert result["false_passes"] == []
    shown = judged(
        "sevens",
        "A pass; B play 7S; C pass; A play 8H",
        {"ante": 0},
        counts={"A": 1, "B": 3, "C": 4},
        table=["7H"],
        turn="A",
    )
    assert shown["false_passes"] == [[0, "A", "8H", 3]]


def test_five_or_nine_who_may_keep_his_last_card_claims_nothing() -> None:
    deal = {"counts": {"A": 1, "B": 3, "C": 4}, "table": ["2S", "3S", "4S", "5S"], "turn": "A"}
    result = judged("five_or_nine", "A pass; B play 5H; C pass; A play AS", {"forced_going_out": False}, **deal)
    assert (result["false_passes"], result["counted"]) == ([], [])


@pytest.mark.parametrize("rounds", [2, 30])
def test_sevens_a_starter_held_back_for_ever_is_paid_for_as_often_and_kept_as_one_debt(rounds: int) -> None:
    options = {"ante": 0, "held_starter_fine": 5}
    passes = [Pressed(seat) for _ in range(rounds) for seat in (1, 2, 3, 4)]
    found = told("sevens", [*passes, laid("7S", 1, "layout")], options, seats="ABCD", counts=dict.fromkeys("ABCD", 13))
    spades = tuple((Card.parse(card), 1, rounds) for card in ("6S", "8S"))
    assert found._fold.state.owed == spades
    found.add(Entry(999, laid("6S", 2, "layout")))
    assert found._fold.state.owed == spades[1:]
    assert found.ledger.under(2, "FINE") == 5 * rounds


def test_rows_debts_for_one_card_are_paid_in_the_order_in_which_they_fell_due() -> None:
    card, other = Card.parse("7S"), Card.parse("4S")
    owed: tuple[tuple[Card, int, int], ...] = ()
    for near, seat in ((card, 1), (other, 1), (card, 1), (card, 2), (other, 1), (card, 1)):
        owed = _rows._one_more(owed, near, seat)
    assert owed == ((card, 1, 2), (other, 1, 2), (card, 2, 1), (card, 1, 1))


def test_rows_a_skipped_turn_counts_once_and_a_card_begins_a_new_round() -> None:
    facts: list[Fact] = [laid("5S", 1, "layout"), Said(1, "skip", "2"), Said(3, "skip", "2"), Pressed(3), Pressed(4)]
    counts = {"A": 12, "B": 12, "C": 12, "D": 12}
    found = told("five_or_nine", facts, seats="ABCD", counts=counts)
    assert (found.over, found.view.turn) == (False, 1)
    found.add(Entry(9, Pressed(1), source="camera"))
    assert found.result()["dead"]
    again = told("five_or_nine", [*facts, laid("6S", 1, "layout"), Pressed(3), Pressed(4)], seats="ABCD", counts=counts)
    assert (again.over, again.view.turn) == (False, 1)
    back = told("five_or_nine", [*facts, Said(2, "back"), Pressed(1)], seats="ABCD", counts=counts)
    assert (back.over, back.view.turn) == (False, 2)


@pytest.mark.parametrize("players", [25, 49])
def test_foster_deals_all_but_three_to_very_many(players: int) -> None:
    assert five_or_nine.hands(players, choose(five_or_nine.House, {})) == ((1,) * players, 52 - players)
    assert pope_joan.hands(players, choose(pope_joan.House, {"form": "foster"})) == ((1,) * players, 52 - players)


# -- Fan Tan ----------------------------------------------------------------------------------------------------------


def test_fan_tan_a_wanted_card_without_a_count_of_the_suit_has_one_below_it() -> None:
    holds(
        judged("fan_tan", "A play 6H; B play 5H; B play 7H", need="6H", turn="A"),
        violations=[[1, "WRONG_CARD"]],
        next={"seat": "C", "need": "8H"},
    )
    result = judged("fan_tan", "A play 6H", need="6H", turn="A", ranks="4567")
    holds(result, exhausted=[], next={"seat": "B", "need": "7H"})


def test_fan_tan_when_all_who_are_here_have_paid_the_last_player_leads_again() -> None:
    facts: list[Fact] = [laid("5S", 1, "layout"), Said(1, "skip", "2"), Said(3, "skip", "2"), Pressed(3), Pressed(4)]
    found = told("fan_tan", facts, seats="ABCD")
    assert (found.view.turn, found.view.need) == (1, "6S")
    found.add(Entry(9, Pressed(1), source="camera"))
    assert (found.view.turn, found.view.need, found.view.due) == (1, None, "LEAD")
    found.add(Entry(10, laid("9H", 1, "layout"), source="camera"))
    found.add(Entry(11, Pressed(3), source="camera"))
    assert (found.view.turn, found.view.need) == (4, "TH")


# -- climbing games ---------------------------------------------------------------------------------------------------


def test_jig_with_a_dealer_the_eldest_leads_whatever_is_counted() -> None:
    result = judged("jig", "B play 3H", dealer="C", counts={"A": 4, "B": 3, "C": 4})
    holds(result, violations=[[0, "NOT_THE_LEADER"]])


def test_newmarket_what_the_hands_leave_is_the_dead_hand() -> None:
    deal = {"counts": {"A": 2, "B": 3, "C": 3}, "dealer": "C", "suits": "SH", "ranks": "A2345"}
    found = match("newmarket", "C buy", {"dead_hand": "dealer"}, **deal)
    assert (found._fold.state.counts, found.view.counters) == ((2, 3, 2), (-5, -5, -5))
    none = match("newmarket", "C buy", {"dead_hand": "dealer"}, **{**deal, "counts": {"A": 4, "B": 3, "C": 3}})
    assert none.result()["violations"] == [[0, "TOO_LATE"]]
    one = match("newmarket", "C buy", {"dead_hand": "dealer"}, **{**deal, "counts": {"A": 3, "B": 3, "C": 3}})
    assert one._fold.state.counts == (3, 3, 1)
    seven = {"A": 9, "B": 13, "C": 13}
    short = match("newmarket", "C buy", {"dead_hand": "dealer", "removed": "sevens"}, dealer="C", counts=seven)
    assert short._fold.state.counts == (9, 13, 13)
    uncounted = match("newmarket", "C buy", {"dead_hand": "dealer"}, dealer="C", counts={"A": 3})
    assert uncounted.result()["violations"] == [[0, "TOO_LATE"]]


def test_newmarket_every_card_may_be_a_boodle_and_the_lowest_takes_what_lies_on_it() -> None:
    options = {"boodles": " ".join(map(str, pack())), "ace": "low", "stake": 0}
    found = match("newmarket", "A play AS", options, turn="A", layout={"AS": 4})
    assert found.view.counters[0] == 4
    assert (
        match("newmarket", "A play KS", {**options, "pays": "below"}, turn="A", layout={"KS": 4}).view.counters[0] == 0
    )


def test_newmarket_only_what_is_said_buys() -> None:
    found = told("newmarket", [Said(3, "sing")], {"dead_hand": "dealer"}, counts={"A": 2, "B": 3, "C": 3}, stock=4)
    assert found._fold.state.counts == (2, 3, 3)
    assert "a bid is a number" in told("newmarket", [Said(3, "buy", "x")], {"dead_hand": "auction"}).rulings[-1].why
    assert "stays closed" in told("newmarket", [Said(3, "buy", "1")]).rulings[-1].why


def test_comet_a_press_of_the_leader_or_of_another() -> None:
    holds(judged("comet", "B pass; A pass", turn="A"), violations=[[0, "NOT_THE_LEADER"], [1, "MUST_START"]])


@pytest.mark.parametrize("game", ["comet", "pope_joan"])
def test_noes_are_counted_anew_after_each_line(game: str) -> None:
    options = {"form": "foster"} if game == "pope_joan" else {}
    moves = "A play 3H; A pass; B pass; C pass; A play 5H; A pass; B pass"
    result = judged(game, moves, options, turn="A")
    assert result["next"]["seat"] == "C"
    assert result["next"]["need"]


def test_pope_the_ace_may_be_above_the_king() -> None:
    deal = {"counts": {"A": 9, "B": 9, "C": 9}, "turn": "A", "trump": "S"}
    holds(judged("pope_joan", "A play 2H; B play 3H; C play 4H", {"ace_low": False}, **deal), violations=[])
    result = judged("pope_joan", "A play KH; B play AH", {"ace_low": False}, **deal)
    holds(result, violations=[], next={"seat": "B", "need": None})


@pytest.mark.parametrize(("owner", "need"), [("out_of_play", None), ("hand", "8S")])
def test_pope_a_turn_up_seen_at_the_table(owner: str, need: str | None) -> None:
    facts: list[Fact] = [laid("8S", 3, "stock"), laid("9C", 3, "stock"), laid("7S", 1, "layout")]
    found = told("pope_joan", facts, {"turnup_owner": owner})
    assert (found.view.need, found._fold.state.trump) == (need, "S")


def test_pope_fosters_form_knows_no_trump_and_no_excuse() -> None:
    facts: list[Fact] = [laid("KS", 3, "stock"), laid("KC", 1, "layout")]
    found = told("pope_joan", facts, {"form": "foster"})
    assert found._fold.state.trump == ""
    assert found.result()["takes"] == []


def test_pope_a_hand_shown_while_the_deal_goes_on_excuses_nobody() -> None:
    facts: list[Fact] = [laid("KC", 1, "layout"), laid("9D", 2), laid("KS", 1, "layout"), laid("KH", 1, "layout")]
    found = told("pope_joan", facts, counts={"A": 3, "B": 2, "C": 2}, trump="S", board={"game": 0})
    assert found.view.winner == 1
    assert found.view.counters == (2, 0, -2)  # once the deal is over it does, and only once
    found.add(Entry(9, HandShown(2, (Card.parse("9D"),)), source="camera"))
    assert found.view.counters == (2, 0, -2)


# -- the others -------------------------------------------------------------------------------------------------------


def test_matrimony_who_stakes_nothing_on_a_division_or_at_all() -> None:
    stakes = {"C": {"pair": 2}, "A": {"best": 1}}
    up = {"A": "AD", "B": "4H", "C": "9C"}
    result = judged("matrimony", "", dealer="C", stakes=stakes, up=up)
    holds(result, violations=[["B", "STAKE_NOT_ONE_LESS"]], wins=[["A", "all", 3]])
    kept = judged(
        "matrimony", "", {"fresh_pool_after_sweep": False}, dealer="C", stakes=stakes, up=up, carried={"intrigue": 4}
    )
    holds(kept, wins=[["A", "all", 3]], left={"matrimony": 0, "intrigue": 4, "confederacy": 0, "pair": 0, "best": 0})


def test_matrimony_and_speculation_a_press_is_no_move() -> None:
    found = told("matrimony", [Pressed(2), laid("KS", 1), laid("4H", 2), laid("QD", 3), laid("2C", 3)])
    assert found.result()["violations"] == [["C", "OUT_OF_TURN"]]
    assert "NO_SUCH_ACT" not in codes(found)
    sale = told("speculation", [Pressed(2), laid("4S", 1)])
    assert sale.result()["violations"] == [[0, "OUT_OF_TURN"]]


def test_snip_a_press_is_no_move_and_a_line_across_an_empty_place_begins_anew() -> None:
    found = told("snip_snap_snorem", [Pressed(1), laid("6S", 2, "layout")])
    assert found.result()["violations"] == [[0, "OUT_OF_TURN"]]
    facts: list[Fact] = [laid("6S", 1, "layout"), Said(1, "skip", "2"), Said(3, "skip", "2"), laid("7S", 3, "layout")]
    after = told("snip_snap_snorem", [*facts, laid("7H", 4, "layout")], seats="ABCD")
    assert after.view.counters == (0, 0, -1, 0)


def test_speculation_who_leaves_out_of_turn_changes_no_turn() -> None:
    facts: list[Fact] = [laid("4S", 3), laid("9H", 1), Said(1, "leave")]
    found = told("speculation", facts)
    assert (found.view.turn, found.over) == (2, False)
    for number, card in enumerate(("2H", "3H", "4H", "5H", "6H", "7H")):
        found.add(Entry(10 + number, laid(card, 2 + number % 2), source="camera"))
    assert (found.over, found.view.winner) == (True, 3)
    alone = told("speculation", [laid("4S", 3), Said(1, "leave"), Said(3, "leave")])
    assert (alone.over, alone.view.winner) == (True, 2)


def test_commerce_the_dealer_buys_for_nothing_and_a_barter_waits_for_its_own() -> None:
    assert told("commerce", [Said(1, "buy"), Said(2, "buy"), Said(3, "buy")]).view.counters == (-2, -2, 1)
    found = told("commerce", [Said(1, "demand"), Said(3, "leave")])
    assert (found.view.due, found.view.turn) == ("REPLY", 2)


# -- Ranter-Go-Round --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "final", "losers"), [("void", "2D", ["C"]), ("keep", "KC", ["A"])])
def test_ranter_a_king_cut_unseen_is_void_when_it_turns_up(rule: str, final: str, losers: list[str]) -> None:
    facts: list[Fact] = [Said(1, "pass"), Said(2, "pass"), Cut(3, None)]
    facts += [laid("3S", 1), laid("9H", 2), laid("2D", 3, "stock"), laid("KC", 3)]
    found = told("ranter_go_round", facts, {"dealer_king": rule})
    holds(found.result(), final={"A": "3S", "B": "9H", "C": final}, losers=losers)


def test_ranter_who_is_away_after_the_showdown_holds_nothing_up() -> None:
    facts: list[Fact] = [Said(1, "pass"), Said(2, "pass"), Said(3, "pass"), Said(1, "skip", "3"), Said(2, "skip", "3")]
    found = told("ranter_go_round", facts)
    assert (found.view.due, found.over) == ("EXPOSE", False)


def test_ranter_a_game_that_is_won_has_no_next_dealer_and_no_next_deal() -> None:
    hands = {"A": "3S", "B": "9H"}
    found = match("ranter_go_round", "A pass; B pass", {"lives": 1}, seats="AB", dealer="B", hands=hands)
    assert "next_dealer" not in found.result()
    assert found.next_setup() is None
    running = match("ranter_go_round", "A pass", {"lives": 1}, seats="AB", dealer="B", hands=hands)
    assert "next_dealer" not in running.result()
    assert running.next_setup() is None


def test_ranter_where_nobody_is_left_all_get_their_lives_back() -> None:
    hands = {"A": "3S", "C": "3H"}
    options = {"all_out": "carry", "lives": 2}
    found = match(
        "ranter_go_round", "A pass; C pass", options, dealer="C", hands=hands, markers={"A": 1, "B": 0, "C": 1}
    )
    following = found.next_setup()
    assert following is not None
    assert following.deal["markers"] == {"A": 2, "B": 2, "C": 2}
    one = match(
        "ranter_go_round", "A pass; C pass", dealer="C", hands={"A": "3S", "C": "4H"}, markers={"A": 2, "B": 0, "C": 1}
    )
    later = one.next_setup()
    assert later is not None
    assert later.deal["markers"] == {"A": 1, "B": 0, "C": 1}


# -- what is known of hands -------------------------------------------------------------------------------------------


def known(*counts: int | None, ranks: str = "A23", suits: str = "SHD") -> Knowledge:
    return Knowledge(pack(ranks, suits), counts)


def none_of(seat: int, text: str) -> Claim:
    return Claim((seat,), mask(Card.parse(name) for name in text.split()), "FALSE_PASS", "")


def test_of_several_witnesses_the_earliest_move_counts_and_a_move_more_than_an_open_hand() -> None:
    for moves, first in (((None, 5), 5), ((5, 3), 3), ((0, 5), 0), ((None, None), "final"), ((4, 0), 0)):
        what = known(4, 3, 2)
        for card, move in zip(("AS", "2S"), moves, strict=True):
            what.show(1, Card.parse(card), 7, move)
        (proof,) = what.claim(none_of(1, "AS 2S 3S"), 9, 9)
        assert proof.move == first


def test_what_an_open_hand_has_proved_is_shown_by_a_later_move() -> None:
    what = known(4, 3, 2)
    what.show(1, Card.parse("AS"), 7, None)
    what.claim(none_of(1, "AS 2S"), 8, 8)
    what.lay(1, Card.parse("2S"), 9, 9)
    assert what.proofs[8].move == 9


def test_a_claim_that_is_counted_out_names_the_cards_that_must_be_there() -> None:
    what = known(4, 3, 2)
    for card in ("AS", "2S", "3S", "AH", "2H"):
        what.lay(2 if card in ("AS", "2S", "3S") else 3, Card.parse(card), 1, 1)
    (proof,) = what.claim(none_of(1, "3H AD 3S"), 2, 2)  # the four cards left are all his
    assert proof.cards == (Card.parse("3H"), Card.parse("AD")) or set(map(str, proof.cards)) == {"3H", "AD"}
    assert what.claim(none_of(1, "AS 2S"), 3, 3) == []


def test_more_cards_than_there_are_prove_nothing() -> None:
    what = known(9, 9, 9)
    assert what.claim(none_of(1, "AS"), 1, 1) == []


def test_a_card_that_lies_elsewhere_is_counted_once() -> None:
    what = known(4, 3, 1)
    what.claim(none_of(1, "AS 2S 3S AH 2H"), 1, 1)
    assert [proof.made.entry for proof in what.elsewhere(Card.parse("AD"))] == [1]
    assert what.elsewhere(Card.parse("AD")) == []
    assert what.unseen() == tuple(c for c in pack("A23", "SHD") if str(c) != "AD")


def test_a_new_hand_changes_how_many_cards_are_in_none() -> None:
    what = known(4, 3, 1)
    what.new_hand(3, 2)
    assert (what.spare, what.unknown(3)) == (0, 2)
    uncounted = known(4, 3, None)
    uncounted.new_hand(3, 2)
    assert uncounted.spare is None
    nothing = known(4, 3, 0)
    nothing.new_hand(3, 2)
    assert nothing.spare == 0
    assert known(4, 0, 2).spare == 3
