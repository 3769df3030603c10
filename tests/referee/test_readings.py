"""The readings of the rules that are not played by default, each worked out by hand, and seats that leave."""

from __future__ import annotations

from typing import Any

import pytest

from firmware.referee.cards import Card
from firmware.referee.events import Cut, Entry, Fact, HandShown, Pressed, Said
from firmware.referee.match import Match

from .short import cards, holds, judged, laid, match, told

# -- the Wish Card -------------------------------------------------------------------------------------------------

PACKS = cards(A="2S JH 2C 5D", B="3D 7D 3S", C="5H 6C 8D", D="9H 4C 4D")


def wish(moves: str, **options: Any) -> dict[str, Any]:
    return judged("wish_card", moves, options, seats="ABCD", dealer="D", packs=PACKS)


def test_wish_play_may_go_round_the_other_way() -> None:
    moves = "A turn 2S; D turn 9H; C turn 5H; B turn 3D; A turn JH; D turn 4C"
    result = wish(moves, direction="anticlockwise")
    holds(result, violations=[], next={"seat": "A", "due": "gather"})
    holds(wish(moves + "; A gather D 2", direction="anticlockwise"), next={"seat": "C", "due": "turn"}, wish_in="A")
    holds(wish("A turn 2S; B turn 3D"), violations=[], next={"seat": "C", "due": "turn"})


def test_wish_the_dealer_may_begin() -> None:
    holds(wish("D turn 9H; A turn 2S", start="dealer"), violations=[], next={"seat": "B", "due": "turn"})
    holds(wish("D turn 9H"), violations=[[0, "OUT_OF_TURN"]])


def test_wish_a_start_that_is_told_outranks_the_house() -> None:
    result = judged("wish_card", "B turn 3D", {"start": "dealer"}, seats="ABCD", dealer="D", start="B", packs=PACKS)
    holds(result, violations=[])


def test_wish_who_gets_the_wish_takes_the_stakes() -> None:
    packs = cards(A="JS 4C", B="6H", C="2S 9H")
    found = match("wish_card", "C turn 2S; A turn JS; B turn 6H; A gather B 1", {"pool": 3}, packs=packs, start="C")
    holds(found.result(), stopped=True, out="B", wish="C", pool=0)
    assert found.view.counters == (-3, -3, 6)


@pytest.mark.parametrize(("rule", "dealer"), [("eldest", 1), ("loser", 2)])
def test_wish_who_deals_next_and_the_stakes_that_nobody_took(rule: str, dealer: int) -> None:
    packs = cards(A="JS 4C", B="6H", C="2S 3S")
    options = {"redeal_loser": rule, "pool": 2}
    moves = "C turn 2S; A turn JS; B turn 6H; A gather B 1"
    found = match("wish_card", moves, options, packs=packs, middle=["9H"], start="C", dealer="C")
    following = found.next_setup()
    assert following is not None
    assert (following.dealer, following.deal) == (dealer, {"pool": 6})
    assert Match(following).view.pool == 12


def test_wish_a_seat_leaves_and_its_cards_are_out_of_play() -> None:
    facts: list[Fact] = [laid("JS", 1), laid("2H", 2), Said(2, "leave")]
    found = told("wish_card", facts, counts={"A": 3, "B": 3, "C": 3})
    assert (found.view.live, found.view.turn, found.view.due) == ((1, 3), 3, "TURN")
    assert found.view.table == (("seat-1", ("JS",)),)
    holds(found.result(), packs={"A": 2, "B": 0, "C": 3}, stopped=False)


def test_wish_the_nine_goes_with_who_leaves() -> None:
    found = match("wish_card", "A turn 2S; B turn 9H", packs=cards(A="2S 3S", B="9H 4S", C="5S 6S"))
    found.add(Entry(9, Said(2, "leave")))
    found.add(Entry(10, Said(3, "leave")))
    holds(found.result(), stopped=True, wish=None)
    assert "WISH_UNDEALT" in [r.code for r in found.rulings]


def test_wish_the_demander_leaves_and_the_debt_is_dead() -> None:
    found = told("wish_card", [laid("AS", 1), laid("2H", 2), Said(1, "leave")], counts={"A": 3, "B": 3, "C": 3})
    assert (found.view.turn, found.view.due, found.view.table) == (2, "TURN", (("seat-2", ("2H",)),))


# -- Ranter-Go-Round -----------------------------------------------------------------------------------------------

HANDS = {"A": "3S", "B": "9H", "C": "5D"}


@pytest.mark.parametrize(
    ("moves", "final"),
    [("C cut KC; C swap", "KC"), ("C cut KC; C pass", "5D"), ("C pass", "5D")],
)
def test_ranter_the_dealer_may_look_and_keep_the_old_card(moves: str, final: str) -> None:
    result = judged("ranter_go_round", f"A pass; B pass; {moves}", {"redraw": True}, dealer="C", hands=HANDS)
    holds(result, final={"A": "3S", "B": "9H", "C": final}, losers=["A"], violations=[])


def test_ranter_the_dealer_who_looks_still_has_to_choose() -> None:
    found = match("ranter_go_round", "A pass; B pass; C cut KC", {"redraw": True}, dealer="C", hands=HANDS)
    assert (found.over, found.view.turn, found.view.due) == (False, 3, "TURN")
    assert "the old card" in found.view.words


def test_ranter_at_the_table_the_cards_turned_up_say_that_he_kept_what_he_cut() -> None:
    facts: list[Fact] = [Said(1, "pass"), Said(2, "pass"), Cut(3, None)]
    facts += [laid("3S", 1), laid("9H", 2), laid("2C", 3), laid("5D", 3, "stock")]
    found = told("ranter_go_round", facts, {"redraw": True})
    holds(found.result(), final={"A": "3S", "B": "9H", "C": "2C"}, losers=["C"])
    kept = told("ranter_go_round", [*facts[:3], Pressed(3), *facts[3:5], laid("5D", 3)], {"redraw": True})
    holds(kept.result(), final={"A": "3S", "B": "9H", "C": "5D"}, losers=["A"])


def test_ranter_a_king_that_is_cut_costs_a_life_though_it_is_not_kept() -> None:
    options = {"redraw": True, "dealer_king": "loses"}
    result = judged("ranter_go_round", "A pass; B pass; C cut KC; C pass", options, dealer="C", hands=HANDS)
    holds(result, final={"A": "3S", "B": "9H", "C": "5D"}, markers={"A": 2, "B": 3, "C": 2})


@pytest.mark.parametrize(
    ("moves", "proved"),
    [
        ("A pass; B pass; C pass", [[1, "B", "KING_NOT_SHOWN"]]),
        ("B king; A pass; B pass; C pass", []),
        ("A king; A pass; B king; B pass; C pass", [[0, "A", "FALSE_KING"]]),
        ("A demand; B swap; B pass; C pass", [[1, "B", "KING_NOT_SHOWN"]]),
        ("A demand; B king; B pass; C pass", [[2, "B", "KING_NOT_SHOWN"]]),
        ("A pass; B pass; B king; C pass", [[1, "B", "KING_NOT_SHOWN"]]),
    ],
)
def test_ranter_a_king_must_be_turned_up_at_the_deal(moves: str, proved: list[Any]) -> None:
    hands = {"A": "3S", "B": "KH", "C": "5D"}
    result = judged("ranter_go_round", moves, {"king_must_show_on_deal": True}, dealer="C", hands=hands)
    holds(result, proved=proved)


def test_ranter_a_king_turned_up_at_the_table_is_no_refusal() -> None:
    facts: list[Fact] = [laid("KH", 2), Said(1, "pass"), Said(2, "pass"), Said(3, "pass")]
    facts += [laid("3S", 1), laid("5D", 3)]
    found = told("ranter_go_round", facts, {"king_must_show_on_deal": True})
    holds(found.result(), proved=[], losers=["A"], violations=[])
    holds(told("ranter_go_round", [laid("KH", 2)]).result(), violations=[])
    assert told("ranter_go_round", [laid("KH", 2)]).view.turn == 2  # by default it refuses a demand


@pytest.mark.parametrize(("allowed", "proved"), [(True, []), (False, [[0, "A", "KING_DEMANDED"]])])
def test_ranter_a_demand_with_a_king(allowed: bool, proved: list[Any]) -> None:
    hands = {"A": "KS", "B": "9H", "C": "5D"}
    options = {"king_may_demand": allowed, "silence_fine": 1}
    result = judged("ranter_go_round", "A demand; B swap; B pass; C pass", options, dealer="C", hands=hands)
    holds(result, proved=proved, markers={"A": 3 - len(proved), "B": 3, "C": 2})


@pytest.mark.parametrize(
    ("facts", "turn", "due"),
    [
        ([Said(1, "leave")], 2, "TURN"),
        ([Said(1, "demand"), Said(1, "leave")], 2, "TURN"),
        ([Said(1, "demand"), Said(2, "leave")], 1, "TURN"),
        ([Said(1, "pass"), Said(3, "leave")], 2, "TURN"),
        ([Said(1, "pass"), Said(2, "pass"), Said(3, "leave")], None, "EXPOSE"),
    ],
)
def test_ranter_a_seat_leaves_and_his_lives_go_to_the_pool(facts: list[Fact], turn: int | None, due: str) -> None:
    found = told("ranter_go_round", facts)
    assert (found.view.turn, found.view.due, found.view.pool) == (turn, due, 3)


def test_ranter_the_card_of_who_has_left_does_not_count() -> None:
    facts: list[Fact] = [Said(1, "pass"), Said(2, "pass"), Said(3, "pass"), laid("9H", 2), laid("5D", 3)]
    found = told("ranter_go_round", [*facts, Said(1, "leave")])
    holds(found.result(), losers=["C"], markers={"A": 0, "B": 3, "C": 2}, final={"B": "9H", "C": "5D"})
    following = found.next_setup()
    assert following is not None
    assert (following.dealer, Match(following).view.live) == (2, (2, 3))


def test_ranter_the_last_one_left_takes_the_pool() -> None:
    found = told("ranter_go_round", [Said(1, "leave"), Said(3, "leave")])
    assert (found.view.winner, found.view.counters) == (2, (-3, 6, -3))


# -- Matrimony -----------------------------------------------------------------------------------------------------


def test_matrimony_a_seat_leaves_and_the_others_go_on() -> None:
    ups: list[Fact] = [laid("KS", 1), laid("4H", 2), laid("QD", 3)]
    found = told("matrimony", [*ups, laid("2H", 1), Said(2, "leave")], carried={"matrimony": 5, "intrigue": 2})
    assert (found.view.turn, found.view.live) == (3, (1, 3))
    found.add(Entry(9, laid("JC", 3)))
    holds(found.result(), wins=[["C", "intrigue", 2]])
    assert found.over


def test_matrimony_who_has_not_turned_leaves_last() -> None:
    ups: list[Fact] = [laid("AD", 1), laid("4H", 2), laid("QD", 3)]
    house = {"sweep_first": False}
    found = told("matrimony", [*ups, laid("2H", 1), laid("3H", 2), Said(3, "leave")], house, carried={"best": 5})
    assert found.over  # what was swept is only what this deal staked, and here nothing was


# -- the family ----------------------------------------------------------------------------------------------------


def test_snip_nobody_matches_across_who_has_left() -> None:
    found = told("snip_snap_snorem", [laid("6S", 1, "layout"), Said(2, "leave"), laid("6H", 3, "layout")])
    assert found.view.counters == (0, 0, 0)
    gone = told("snip_snap_snorem", [laid("6S", 1, "layout"), Said(1, "leave"), laid("6H", 2, "layout")])
    assert (gone.view.counters, gone.view.turn) == ((0, 0, 0), 3)
    alone = told("snip_snap_snorem", [Said(1, "leave"), Said(3, "leave")])
    assert alone.view.winner == 2


def test_commerce_a_seat_leaves() -> None:
    assert told("commerce", [Said(1, "leave")]).view.turn == 2
    hands = [laid(c, 1) for c in ("2S", "2H", "2D")] + [laid(c, 2) for c in ("AH", "KH", "9H")]
    found = told("commerce", [Pressed(1), *hands, Said(3, "leave")])
    assert (found.view.winner, found.view.counters) == (1, (2, -1, -1))
    alone = told("commerce", [Said(1, "demand"), Said(2, "leave"), Said(1, "leave")])
    assert alone.view.winner == 3


def test_speculation_the_best_trump_falls_to_the_dealer() -> None:
    facts: list[Fact] = [laid("4S", 3), laid("9S", 1), Said(1, "leave"), laid("2H", 2)]
    found = told("speculation", facts)
    assert (found.result()["holder"], found.view.turn, found.view.live) == ("C", 3, (2, 3))
    found.add(Entry(9, Said(3, "leave")))
    assert (found.view.winner, found.view.counters) == (2, (-4, 10, -6))


def test_beggar_a_seat_leaves_and_the_next_pays() -> None:
    packs = cards(A="AS 2S", B="3H 4H", C="5S 6S 7S 8S")
    found = match("beggar_my_neighbour", "A turn AS; B turn 3H", packs=packs, ranks="A2345678", suits="SH")
    found.add(Entry(8, Said(2, "leave")))
    assert (found.view.turn, found.view.due, found.view.due_count) == (3, "PAY", 3)
    found.add(Entry(9, Said(1, "leave")))
    assert (found.over, found.view.winner) == (True, 3)


# -- Five or Nine, Pope Joan, Newmarket -------------------------------------------------------------------------------


def test_five_or_nine_where_nobody_could_begin_the_same_dealer_deals_again() -> None:
    found = match("five_or_nine", "A pass; B pass; C pass", dealer="C", counts={"A": 4, "B": 4, "C": 4}, stock=40)
    following = found.next_setup()
    assert following is not None
    assert (following.dealer, following.deal.get("pool")) == (3, None)


@pytest.mark.parametrize(("rule", "violations", "need"), [("last", [[1, "OUT_OF_TURN"]], "6H"), ("anybody", [], None)])
def test_pope_who_says_stop(rule: str, violations: list[Any], need: str | None) -> None:
    deal = {"counts": {"A": 9, "B": 9, "C": 9}, "turn": "A", "trump": "S"}
    result = judged("pope_joan", "A play 5H; B stop", {"stop_call": rule}, **deal)
    holds(result, violations=violations, next={"seat": None if need else "A", "need": need})


@pytest.mark.parametrize(("each", "got"), [(1, 4), (2, 7), (0, 1)])
def test_pope_what_a_card_left_costs(each: int, got: int) -> None:
    deal = {"counts": {"A": 1, "B": 3, "C": 5}, "turn": "A", "trump": "S", "dealer": "C"}
    shown = cards(B="2H 3H 4H", C="9D TD 2C 3C 4C")
    result = judged("pope_joan", "A play KC", {"per_card": each}, final_hands=shown, **deal)
    holds(result, got={"A": got, "B": 0, "C": 0}, card_payments={"B": 3 * each, "C": 0})


NEW = {"counts": {"A": 2, "B": 3, "C": 3}, "stock": 4, "dealer": "C"}


def buying(moves: str, how: str, **deal: Any) -> Match:
    return match(
        "newmarket", moves, {"dead_hand": how, "stake": 0, "kitty": 1, "lead_lowest": False}, **{**NEW, **deal}
    )


def test_newmarket_the_dealer_may_take_the_dead_hand() -> None:
    found = buying("A buy; C buy; C buy; A play 3H; C buy", "dealer")
    fouls = [[0, "OUT_OF_TURN"], [2, "TOO_LATE"], [4, "TOO_LATE"]]
    assert found.result()["violations"] == fouls
    assert found._fold.known.unknown(3) == 4
    assert found._fold.state.counts == (1, 3, 4)


def test_newmarket_the_dead_hand_is_sold_into_the_kitty() -> None:
    found = match("newmarket", "", {"dead_hand": "auction", "stake": 0}, **NEW)
    found.add(Entry(0, Said(2, "buy", "5")))
    assert (found.result()["kitty"], found.view.counters) == (8, (-1, -6, -1))
    assert "buys the dead hand for 5" in found.rulings[-1].why
    found.add(Entry(1, Said(1, "buy", "9")))
    assert found.result()["violations"] == [[1, "TOO_LATE"]]


@pytest.mark.parametrize("how", ["closed", "none"])
def test_newmarket_a_closed_dead_hand_is_not_sold(how: str) -> None:
    found = buying("", how)
    rulings = found.add(Entry(0, Said(3, "buy", "2")))
    assert [(r.kind.value, r.code) for r in rulings] == [("notice", "NO_SUCH_ACT")]


def test_newmarket_a_hand_that_was_exchanged_is_not_the_one_that_was_dealt() -> None:
    """The script's cards of the buyer lie in the dead hand now: they prove nothing against anybody."""
    hands = cards(A="3H 9S", B="5H 6C 7C", C="4H KH QH")
    options = {"dead_hand": "dealer", "colour_change": False, "lead_lowest": False, "stake": 0}
    moves = "{}A play 3H; A stop; A play 9S"
    for buy, proved in (("", [[1, "C", "4H", "final"]]), ("C buy; ", [])):
        result = judged("newmarket", moves.format(buy), options, dealer="C", hands=hands, stock=4, suits="SHDC")
        holds(result, winner="A", proved=proved)


def test_newmarket_a_card_shown_before_the_exchange_is_in_the_dead_hand() -> None:
    facts: list[Fact] = [laid("4H", 3), Said(3, "buy"), laid("3H", 1, "layout"), Pressed(1)]
    found = told(
        "newmarket", facts, {"dead_hand": "dealer", "lead_lowest": False}, counts={"A": 2, "B": 3, "C": 3}, stock=4
    )
    found.add(Entry(9, HandShown(3, (Card.parse("9C"),))))
    assert found.result()["proved"] == []
    assert found._fold.known.holds(3) == (Card.parse("9C"),)


@pytest.mark.parametrize(("rule", "kept"), [("stay", 9), ("winner", 0)])
def test_newmarket_what_nobody_takes(rule: str, kept: int) -> None:
    deal = {"counts": {"A": 1, "B": 2, "C": 3}, "dealer": "C", "layout": {"KC": 9}, "kitty": 4}
    found = match("newmarket", "A play 2S", {"unclaimed": rule}, **deal)
    holds(found.result(), layout={"AH": 0, "KC": kept, "QD": 0, "JS": 0}, kitty=0, winner="A")
    assert found.view.counters[0] == 9 + (9 - kept)


def test_newmarket_all_may_be_dealt_to_the_players() -> None:
    from firmware.referee.games import newmarket
    from firmware.referee.house import choose

    assert newmarket.hands(3, choose(newmarket.House, {"dead_hand": "none"})) == ((18, 17, 17), 0)
    assert newmarket.hands(5, choose(newmarket.House, {"dead_hand": "none", "removed": "sevens"}))[0] == (
        10,
        10,
        10,
        9,
        9,
    )
