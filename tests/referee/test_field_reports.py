"""Field reports of other referees, section D: each became a test here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.referee.acts import after, without
from firmware.referee.cards import Card
from firmware.referee.events import Corrected, Entry, Fact, Gathered, HandShown, Laid, Pressed, Said
from firmware.referee.ledger import shares
from firmware.referee.match import Match, Setup
from firmware.referee.rulings import Kind

from .short import match

WITH_HANDS = ("comet", "fan_tan", "five_or_nine", "jig", "newmarket", "sevens", "snip_snap_snorem")
NUMERALS = [rank + suit for suit in "SHDC" for rank in "23456789T"]


def packs(**texts: str) -> dict[str, list[str]]:
    """Packs written as in the reports: J, Q, K, A, and ``-`` for any numeral."""
    numerals, suits = iter(NUMERALS), {rank: iter("SHDC") for rank in "JQKA"}
    return {
        seat: [next(numerals) if letter == "-" else letter + next(suits[letter]) for letter in text]
        for seat, text in texts.items()
    }


def begun(dealt: dict[str, list[str]], house: dict[str, object] | None = None) -> Match:
    """A Beggar-My-Neighbour match with these packs; the first seat turns first."""
    return Match(Setup("beggar_my_neighbour", tuple(dealt), None, house or {}, {"packs": dealt}))


def run(match: Match, most: int = 20_000, until: str = "") -> tuple[int, int]:
    """Play the packs out: how many tricks, and how many cards. Stops at a notice of this code."""
    hands = {
        seat: [Card.parse(c) for c in match.setup.deal["packs"][name]] for seat, name in enumerate(match.setup.seats, 1)
    }
    tricks = turned = 0
    for number in range(most):
        if match.over:
            break
        view, state = match.view, match._fold.state
        fact: Fact
        if view.due == "GATHER":
            hands[view.turn or 0] += state.pile
            tricks += 1
            fact = Gathered("layout", view.turn or 0, len(state.pile))
        else:
            fact = Laid(hands[view.turn or 0].pop(0), "layout", view.turn)
            turned += 1
        if any(until and ruling.code == until for ruling in match.add(Entry(number, fact))):
            break
    return tricks, turned


def test_d01_a_deal_that_never_ends_is_found_and_a_draw_is_offered() -> None:
    match = begun(packs(A="---K---Q-KQAJ-----AAJ--J--", B="----------Q----KQ-J-----KA"))
    assert run(match, until="CYCLE") == (66, 474)
    notice = next(ruling for ruling in match.rulings if ruling.code == "CYCLE")
    assert notice.entries == (34 + 4 - 1, 474 + 66 - 1)  # the position after trick 4, and again after trick 66
    number = len(match.entries)
    match.add(Entry(number, Said(1, "draw")))
    assert not match.over
    assert [r.code for r in match.add(Entry(number + 1, Said(2, "draw")))] == ["DRAW"]
    assert match.over
    assert match.view.winner is None


@pytest.mark.parametrize(
    ("a", "b", "tricks", "cards"),
    [
        ("K-KK----K-A-----JAA--Q--J-", "---Q---Q-J-----J------AQ--", 1007, 7157),
        pytest.param("---AJ--Q---------QAKQJJ-QK", "-----A----KJ-K--------A---", 1164, 8344, marks=pytest.mark.slow),
    ],
)
def test_d03_the_longest_known_deals(a: str, b: str, tricks: int, cards: int) -> None:
    match = begun(packs(A=a, B=b))
    gathered, turned = run(match)
    assert turned == cards
    assert gathered == tricks
    assert match.result()["winner"] == "B"


def test_d02_two_players_the_payer_who_runs_out_has_lost() -> None:
    match = begun({"A": ["KS", "2S"], "B": ["3H"]})
    run(match)
    assert match.result()["winner"] == "A"


def test_d02_who_plays_his_last_card_a_queen_is_paid_and_goes_on() -> None:
    match = begun({"A": ["QS"], "B": ["2H", "3H", "4H"]})
    run(match, most=4)
    assert match.result()["packs"] == {"A": 3, "B": 1}
    assert match.result()["next"] == "A"


def test_d02_three_players_the_next_pays_the_rest() -> None:
    match = begun({"A": ["KS", "2S"], "B": ["3H"], "C": ["4H", "5H", "6H"]})
    run(match, most=2)
    assert match.result()["next"] == "C"
    assert match.view.due_count == 2


def test_d02_both_hands_empty_with_a_debt_open_is_no_stall() -> None:
    match = begun({"A": ["KS"], "B": ["3H"]})
    run(match)
    assert match.over


@given(st.sets(st.integers(1, 8), min_size=1), st.integers(1, 8))
def test_d04_the_next_seat_is_the_first_live_one_clockwise(live: set[int], seat: int) -> None:
    order = tuple(sorted(live))
    by_hand = next(s % 8 + 1 for s in range(seat, seat + 8) if s % 8 + 1 in live)
    assert after(order, seat) == by_hand
    assert seat not in without(order, seat)


@pytest.mark.parametrize("game", ["fan_tan", "five_or_nine", "sevens", "pope_joan", "newmarket", "jig"])
def test_d04_whoever_leaves_the_turn_goes_on_from_the_next_live_seat(game: str) -> None:
    for leaver in (1, 2, 3, 4):
        match = Match(Setup(game, ("A", "B", "C", "D"), 4, {}, {"turn": "C"}))
        match.add(Entry(0, Said(leaver, "leave")))
        assert match.view.turn == (4 if leaver == 3 else 3)
        assert leaver not in match.view.live
        assert match.view.seats == ("A", "B", "C", "D")


def test_d05_a_debt_stays_with_who_leaves() -> None:
    match = Match(Setup("fan_tan", ("A", "B", "C", "D"), 4, {"ante": 3}, {"turn": "B"}))
    match.add(Entry(0, Said(2, "leave")))
    assert match.view.counters == (-3, -3, -3, -3)
    assert match.ledger.total() == 0
    assert match.view.turn == 3


def test_d06_the_game_goes_on_without_a_seat_that_left() -> None:
    match = Match(Setup("fan_tan", ("A", "B", "C", "D"), 4, {}, {"turn": "B"}))
    match.add(Entry(0, Laid(Card.parse("5C"), "layout", 2)))
    match.add(Entry(1, Said(3, "leave")))
    turns = [match.view.turn]
    for number in range(2, 5):
        match.add(Entry(number, Pressed(match.view.turn or 0)))
        turns.append(match.view.turn)
    assert turns[:3] == [4, 1, 2]
    assert match.view.due == "LEAD"  # all who are left have paid: the card is with who left, a new line is started


def test_d05_who_has_no_counters_left_is_out_where_the_house_has_it() -> None:
    match = Match(Setup("fan_tan", ("A", "B", "C"), 3, {"broke": "out", "counters": 1}, {}))
    for number, fact in enumerate(
        [Laid(Card.parse("5C"), "layout", 1), Pressed(2), Pressed(3), Pressed(1), Pressed(2)]
    ):
        match.add(Entry(number, fact))
    assert 2 not in match.view.live
    assert match.view.counters == (-1, -1, -1)
    assert match.ledger.total() == 0


@given(st.integers(0, 1000), st.integers(1, 9))
def test_d07_shares_are_equal_and_nothing_is_lost(pool: int, winners: int) -> None:
    each, rest = shares(pool, tuple(range(1, winners + 1)))
    assert sum(each.values()) + rest == pool
    assert len(set(each.values())) == 1
    assert 0 <= rest < winners


def test_d08_undo_of_the_card_that_finished_a_suit() -> None:
    setup = Setup("fan_tan", ("A", "B"), 2, {}, {"ranks": "A23", "suits": "SH", "counts": {"A": 3, "B": 3}})
    first = [Laid(Card.parse(c), "layout", s) for c, s in (("AS", 1), ("2S", 2), ("3S", 1))]
    match = Match(setup)
    for number, fact in enumerate(first):
        match.add(Entry(number, fact))
    assert match.view.turn == 1
    assert match.view.due == "LEAD"
    match.add(Entry(3, Corrected(2, Pressed(1), "A", "he pressed")))
    assert (match.view.turn, match.view.need, match.view.pool) == (2, "3S", 1)


def test_d09_the_last_card_of_a_suit_moves_no_turn_and_an_empty_hand_ends_the_deal() -> None:
    setup = Setup(
        "fan_tan",
        ("A", "B", "C"),
        None,
        {},
        {"need": "KH", "in_suit": 12, "turn": "B", "counts": {"A": 1, "B": 2, "C": 3}},
    )
    match = Match(setup)
    match.add(Entry(0, Laid(Card.parse("KH"), "layout", 2)))
    assert (match.view.turn, match.view.due) == (2, "LEAD")
    rulings = match.add(Entry(1, Laid(Card.parse("2S"), "layout", 2)))
    assert [r.code for r in rulings if r.kind == "over"] == ["WON"]
    assert not [r for r in rulings if r.kind == "turn"]


def test_d09_the_others_pay_while_all_that_fits_is_in_one_hand() -> None:
    match = Match(
        Setup("fan_tan", ("A", "B", "C"), None, {}, {"need": "5H", "turn": "B", "counts": {"A": 2, "B": 5, "C": 5}})
    )
    facts = [Pressed(2), Pressed(3), Laid(Card.parse("5H"), "layout", 1), Pressed(2), Pressed(3)]
    for number, fact in enumerate([*facts, Laid(Card.parse("6H"), "layout", 1)]):
        match.add(Entry(number, fact))
    assert match.result()["winner"] == "A"
    assert match.result()["winner_takes"] == 4


def test_d10_two_cards_in_one_frame_only_the_seat_to_act_wins() -> None:
    match = Match(
        Setup(
            "five_or_nine",
            ("A", "B", "C"),
            None,
            {},
            {"table": ["5S"], "turn": "B", "counts": {"A": 3, "B": 1, "C": 1}},
        )
    )
    match.add(Entry(0, Laid(Card.parse("6S"), "layout", 2), t=9.0))
    rulings = match.add(Entry(1, Laid(Card.parse("4S"), "layout", 3), t=9.0))
    assert match.result()["winner"] == "B"
    assert [r.code for r in rulings] == ["DEAL_OVER"]


def sevens(fines: dict[str, object]) -> Match:
    return Match(
        Setup(
            "sevens",
            ("A", "B", "C", "D"),
            None,
            fines,
            {"table": ["7C"], "turn": "A", "counts": dict.fromkeys("ABCD", 9)},
        )
    )


def test_d11_a_false_pass_is_dated_to_the_pass_and_fined_by_the_house() -> None:
    match = sevens({"false_pass_fine": 3})
    for number, fact in enumerate([Pressed(1), Pressed(2), Pressed(3), Pressed(4)]):
        match.add(Entry(number, fact))
    rulings = match.add(Entry(4, Laid(Card.parse("6C"), "layout", 1)))
    assert [(r.code, r.entries) for r in rulings if r.kind == "proved"] == [("FALSE_PASS", (0, 4))]
    assert [(r.code, r.counters) for r in rulings if r.kind == "paid"] == [("FINE", 3)]
    assert match.result()["paid"]["A"] == 1
    assert match.result()["fines"] == {"A": 3}


def test_d11_a_seven_held_back_costs_five_to_each_neighbour() -> None:
    match = sevens({"false_pass_fine": 3, "held_starter_fine": 5})
    plays = [Pressed(1), Pressed(2), Pressed(3), Pressed(4), Laid(Card.parse("7D"), "layout", 1), Pressed(2)]
    plays += [Laid(Card.parse("6D"), "layout", 3), Laid(Card.parse("8D"), "layout", 4)]
    for number, fact in enumerate(plays):
        match.add(Entry(number, fact))
    assert match.view.counters == (-1 - 3 - 5 - 5, -2, -1 + 5, -1 + 5)
    assert match.ledger.total() == 0


def test_d11_no_violation_when_the_card_fits_only_after_the_pass() -> None:
    match = sevens({})
    for number, fact in enumerate([Pressed(1), Laid(Card.parse("6C"), "layout", 2), Pressed(3), Pressed(4)]):
        match.add(Entry(number, fact))
    rulings = match.add(Entry(4, Laid(Card.parse("5C"), "layout", 1)))
    assert not [r for r in rulings if r.kind == "proved"]


def test_d12_a_hand_that_is_a_card_short_is_said_and_is_no_fault() -> None:
    match = Match(
        Setup("five_or_nine", ("A", "B"), None, {}, {"table": ["5S"], "turn": "A", "counts": {"A": 1, "B": 3}})
    )
    match.add(Entry(0, Laid(Card.parse("6S"), "layout", 1)))
    rulings = match.add(Entry(1, HandShown(2, (Card.parse("KC"), Card.parse("QC")))))
    assert [(r.kind.value, r.code) for r in rulings] == [("notice", "HAND_SIZE")]
    assert "2 cards and should hold 3" in rulings[0].why


def test_d12_a_card_that_nobody_has_shown_is_named_and_is_no_fault() -> None:
    deal = {"ranks": "A2", "suits": "SHD", "counts": {"A": 2, "B": 2, "C": 2}}
    setup = Setup("fan_tan", ("A", "B", "C"), 3, {}, deal)
    plays = [Laid(Card.parse(c), "layout", s) for c, s in (("AS", 1), ("2S", 2), ("AH", 2))]
    hands = [HandShown(1, (Card.parse("AD"),)), HandShown(3, (Card.parse("2H"),))]
    match = Match(setup)
    rulings = [ruling for number, fact in enumerate([*plays, *hands]) for ruling in match.add(Entry(number, fact))]
    assert [(r.code, r.why) for r in rulings if r.code == "UNSEEN"] == [("UNSEEN", "1 card unseen: 2♦")]
    assert not [r for r in rulings if r.kind in ("refused", "proved")]
    whole = Match(setup)
    full = [HandShown(1, (Card.parse("AD"),)), HandShown(3, (Card.parse("2H"), Card.parse("2D")))]
    assert "UNSEEN" not in [r.code for n, fact in enumerate([*plays, *full]) for r in whole.add(Entry(n, fact))]


def test_d12_where_cards_lie_in_the_stock_none_is_missed() -> None:
    deal = {"table": ["5S"], "turn": "A", "counts": {"A": 1, "B": 2}}
    match = Match(Setup("five_or_nine", ("A", "B"), None, {}, deal))
    match.add(Entry(0, Laid(Card.parse("6S"), "layout", 1)))
    assert [r.code for r in match.add(Entry(1, HandShown(2, (Card.parse("KC"),))))] == ["HAND_SIZE"]


@pytest.mark.parametrize("order", [(2, 3), (3, 2), (3, 4), (4, 3), (4, 1), (1, 4)])
def test_d04_two_out_one_after_the_other(order: tuple[int, int]) -> None:
    for turn in (1, 2, 3, 4):
        match = Match(Setup("fan_tan", ("A", "B", "C", "D"), 4, {}, {"turn": "ABCD"[turn - 1]}))
        for number, seat in enumerate(order):
            match.add(Entry(number, Said(seat, "leave")))
        left = [s for s in (turn, *(s % 4 + 1 for s in range(turn, turn + 3))) if s not in order]
        assert match.view.turn == left[0]


@given(st.integers(0, 60), st.integers(2, 4), st.sampled_from(["split", "fewest"]))
def test_d07_whatever_lies_in_a_dead_pool_is_shared_to_the_counter(pool: int, seats: int, rule: str) -> None:
    names = ("A", "B", "C", "D")[:seats]
    deal = {"table": ["5S"], "turn": "A", "pool": pool, "counts": dict.fromkeys(names, 3)}
    match = Match(Setup("five_or_nine", names, None, {"dead_deal": rule}, deal))
    for number in range(seats):
        match.add(Entry(number, Pressed(number % seats + 1)))
    assert match.result()["dead"]
    assert match.ledger.total() == 0
    assert len(set(match.view.counters)) == 1
    assert match.view.pool == (pool + seats) % seats


def test_d08_undo_is_a_replay_whoever_asks_for_it() -> None:
    """Who may ask is the page's affair; what comes out is as if the last card had been the other one."""
    setup = Setup("five_or_nine", ("A", "B", "C"), 3, {}, {"turn": "A"})
    wrong = [Laid(Card.parse(c), "layout", s) for c, s in (("5H", 1), ("6H", 2))]
    match, fresh = Match(setup), Match(setup)
    for number, fact in enumerate(wrong):
        match.add(Entry(number, fact))
    match.add(Entry(2, Corrected(1, None, "B", "taken back")))
    match.add(Entry(3, Laid(Card.parse("4H"), "layout", 2)))
    fresh.add(Entry(0, wrong[0]))
    fresh.add(Entry(3, Laid(Card.parse("4H"), "layout", 2)))
    assert match.result() == fresh.result()
    assert match.view == fresh.view


@pytest.mark.parametrize(
    ("game", "act", "deal"),
    [
        ("pope_joan", "play 8D", {"counts": dict.fromkeys("ABC", 5), "trump": "H"}),
        *((game, "play KS", {"counts": dict.fromkeys("ABC", 5), "ranks": "3456789"}) for game in WITH_HANDS),
        ("wish_card", "turn KS", {"packs": {"A": ["3H", "4H"], "B": ["5H"], "C": ["9H"]}, "ranks": "3456789"}),
        ("beggar_my_neighbour", "turn KS", {"packs": {s: [f"{s}H"] for s in "345"}, "ranks": "3456789"}),
    ],
)
def test_a11_a_card_that_is_not_played_with_is_named_and_refused(game: str, act: str, deal: dict[str, object]) -> None:
    seats = "345" if game == "beggar_my_neighbour" else "ABC"
    found = match(game, f"{seats[0]} {act}", seats=seats, dealer=seats[-1], turn=seats[0], **deal)
    refused = [ruling for ruling in found.rulings if ruling.kind is Kind.REFUSED]
    assert [(r.seat, "is not in this game's pack; put it aside" in r.why) for r in refused] == [(1, True)]


def test_a11_of_a_suit_that_nobody_named_it_is_not_known_whether_it_is_played_with() -> None:
    hands = {"A": ["KH"], "B": ["2H"], "C": ["4H"]}
    assert (
        match("ranter_go_round", "A pass; B pass; C cut KC", hands=hands, dealer="C").rulings[-1].code != "NOT_IN_PACK"
    )
