"""How many cards each place gets, from the tables of the rules; and what cannot be meant before a card is played."""

from __future__ import annotations

from typing import Any

import pytest

from firmware.referee.cards import Card
from firmware.referee.events import Entry, Laid, Said
from firmware.referee.house import BadSetup, choose
from firmware.referee.match import Match, Setup, games

from .short import cards, holds, judged, match

EVEN = {
    2: (26, 26),
    3: (18, 17, 17),
    4: (13,) * 4,
    5: (11, 11, 10, 10, 10),
    6: (9, 9, 9, 9, 8, 8),
    7: (8, 8, 8, 7, 7, 7, 7),
    8: (7, 7, 7, 7, 6, 6, 6, 6),
}
FOSTER = {2: (24, 4), 3: (15, 7), 4: (12, 4), 5: (9, 7), 6: (8, 4), 7: (7, 3), 8: (6, 4), 9: (5, 7), 10: (4, 12)}
FOSTER |= {11: (4, 8), 12: (4, 4), 13: (3, 13)}
WISH = {2: (26, 0), 3: (17, 1), 4: (13, 0), 5: (10, 2), 6: (8, 4), 7: (7, 3), 8: (6, 4), 9: (5, 7), 10: (5, 2)}
#: The turn-up taken out: places 13,13,13,12 and so on, the last place is the dead hand.
BOARD = {
    3: ((13, 13, 12), 12),
    4: ((10, 10, 10, 10), 10),
    5: ((9, 9, 8, 8, 8), 8),
    6: ((8, 7, 7, 7, 7, 7), 7),
    7: ((7, 7, 6, 6, 6, 6, 6), 6),
    8: ((6, 6, 6, 6, 6, 5, 5, 5), 5),
}
BOARD_HAND = {3: ((13, 13, 13), 12), 4: ((11, 10, 10, 10), 10), 6: ((8, 8, 7, 7, 7, 7), 7), 8: ((6,) * 6 + (5, 5), 5)}


def dealt(game: str, players: int, options: dict[str, Any] | None = None) -> tuple[tuple[int, ...], int]:
    """What the game's book deals."""
    found = games()[game]
    return found.hands(players, choose(found.House, options or {}))  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("game", ["fan_tan", "sevens", "snip_snap_snorem", "beggar_my_neighbour"])
def test_all_cards_are_dealt_the_longer_hands_from_the_dealers_left(game: str) -> None:
    assert {n: dealt(game, n) for n in EVEN} == {n: (hands, 0) for n, hands in EVEN.items()}
    assert dealt("five_or_nine", 3, {"deal_table": "all"}) == ((18, 17, 17), 0)


def test_fosters_table() -> None:
    assert {n: dealt("five_or_nine", n) for n in FOSTER} == {
        n: ((each,) * n, rest) for n, (each, rest) in FOSTER.items()
    }
    pope = {n: dealt("pope_joan", n, {"form": "foster"}) for n in FOSTER if 3 <= n <= 8}
    assert pope == {n: ((each,) * n, rest) for n, (each, rest) in FOSTER.items() if 3 <= n <= 8}
    assert dealt("pope_joan", 9, {"form": "foster"}) == ((5,) * 9, 7)


def test_the_board_form_and_its_dead_hand() -> None:
    assert {n: dealt("pope_joan", n) for n in BOARD} == BOARD
    assert {n: dealt("pope_joan", n, {"turnup_owner": "hand"}) for n in BOARD_HAND} == BOARD_HAND
    assert dealt("pope_joan", 4, {"dead_hand_extra": "dead_hand", "turnup_owner": "hand"}) == ((10,) * 4, 11)
    assert dealt("five_or_nine", 3, {"deal_table": "board"}) == ((13, 13, 13), 13)
    assert dealt("five_or_nine", 4, {"deal_table": "board"}) == ((11, 10, 10, 10), 11)


def test_the_other_games() -> None:
    assert {n: dealt("wish_card", n) for n in WISH} == {n: ((each,) * n, rest) for n, (each, rest) in WISH.items()}
    assert dealt("ranter_go_round", 5) == ((1,) * 5, 47)
    assert dealt("matrimony", 4) == ((2,) * 4, 44)
    assert dealt("matrimony", 4, {"version": "cassell"}) == ((3,) * 4, 40)
    assert dealt("commerce", 5) == ((3,) * 5, 37)
    assert dealt("speculation", 5) == ((3,) * 5, 37)
    assert dealt("comet", 5) == ((10,) * 5, 1)
    assert [dealt("newmarket", 4, {"removed": r}) for r in ("none", "8D", "sevens")] == [
        ((10,) * 4, 12),
        ((10,) * 4, 11),
        ((9,) * 4, 12),
    ]


@pytest.mark.parametrize(
    ("staked", "options", "wrong"),
    [
        ({"A": 4, "B": 4, "C": 5}, {}, ""),
        ({"A": 5, "B": 4, "C": 5}, {}, "A"),
        ({"A": 3, "B": 4, "C": 5}, {}, "A"),
        ({"A": 3, "B": 6, "C": 5}, {"stake_less": "at_most"}, "B"),
        ({"A": 0, "B": 0, "C": 1}, {}, ""),
        ({"A": 0, "B": 0, "C": 1}, {"zero_stake": False}, "C"),
        ({"A": 1, "B": 1, "C": 2}, {"zero_stake": False}, ""),
        ({"A": 0, "B": 0, "C": 0}, {}, "ABC"),
        ({"A": 2, "B": 2}, {}, ""),
    ],
)
def test_matrimony_stakes(staked: dict[str, int], options: dict[str, Any], wrong: str) -> None:
    result = judged("matrimony", "", options, dealer="C", stakes={seat: {"pair": n} for seat, n in staked.items()})
    holds(result, violations=[[seat, "STAKE_NOT_ONE_LESS"] for seat in wrong])
    assert result["layout"]["pair"] == sum(staked.values())


@pytest.mark.parametrize(
    ("stakes", "said"),
    [
        ({"A": {"pear": 1}}, "stakes.A: counters for"),
        ({"A": 3}, "stakes.A: counters for"),
        ({"A": {"pair": -1}}, "stakes.A: whole numbers from 0"),
        ({"A": {"pair": True}}, "stakes.A: whole numbers from 0"),
        ({"A": {"pair": "1"}}, "stakes.A: whole numbers from 0"),
    ],
)
def test_matrimony_stakes_that_cannot_be_meant(stakes: dict[str, Any], said: str) -> None:
    with pytest.raises(BadSetup, match=said):
        Match(Setup("matrimony", ("A", "B"), 2, {}, {"stakes": stakes}))


def test_matrimony_every_foul_and_nothing_else() -> None:
    moves = "A turn KS; B turn 2S; C turn 3D; B turn 3S; A turn QH; C turn 4D; B turn KD; C turn QC; A turn 5S"
    result = judged("matrimony", moves, dealer="C", stakes={"A": {"pair": 1}, "B": {"pair": 1}, "C": {"pair": 2}})
    holds(result, violations=[["B", "OUT_OF_TURN"], ["C", "OUT_OF_TURN"], ["A", "DEAL_OVER"]])


@pytest.mark.parametrize(
    ("ante", "uneven", "paid"), [(2, False, (2, 2, 2)), (2, True, (2, 3, 3)), (0, True, (0, 1, 1))]
)
@pytest.mark.parametrize("game", ["fan_tan", "sevens"])
def test_short_hands_pay_one_more_where_the_house_has_it(
    game: str, ante: int, uneven: bool, paid: tuple[int, ...]
) -> None:
    found = Match(
        Setup(
            game,
            ("A", "B", "C"),
            3,
            {"ante": ante, "uneven_ante": uneven},
            {"counts": dict(zip("ABC", EVEN[3], strict=True))},
        )
    )
    assert found.view.counters == tuple(-n for n in paid)
    assert found.view.pool == sum(paid)


def test_fan_tan_a_position_needs_no_whole_pack_and_a_deal_does() -> None:
    hands = cards(A="5H 2S", B="6H 3S")
    assert judged("fan_tan", "A play 5H", seats="AB", hands=hands, need="5H", turn="A")["next"]["need"] == "6H"
    whole = [rank + suit for suit in "SH" for rank in "A23456789TJQK"]
    with pytest.raises(BadSetup, match="25 cards are dealt, a pack has 26: KH is missing"):
        Match(Setup("fan_tan", ("A", "B"), 2, {}, {"hands": {"A": whole[:13], "B": whole[13:25]}}))
    position = {"hands": {"A": whole[:13], "B": whole[13:25]}, "need": "KH", "in_suit": 1}
    assert Match(Setup("fan_tan", ("A", "B"), 2, {}, position)).view.need == "KH"


def test_fan_tan_a_card_that_lies_there_can_be_turned_down_only_when_its_suit_is_finished() -> None:
    setup = Setup("fan_tan", ("A", "B"), 2, {}, {"ranks": "A2", "suits": "SH", "counts": {"A": 2, "B": 2}})
    found = Match(setup)
    for number, (card, seat) in enumerate((("AS", 1), ("2S", 2))):
        found.add(Entry(number, Laid(Card.parse(card), "layout", seat)))
    finished = games()["fan_tan"].finished  # type: ignore[attr-defined]
    assert finished(found._fold.state, Card.parse("AS"))
    assert not finished(found._fold.state, Card.parse("AH"))


def test_five_or_nine_hands_and_stock_must_be_the_pack() -> None:
    deal = {"ranks": "456789T", "suits": "SH", "stock": ["TS"]}
    hands = cards(A="6S 8S 4H TH", B="5S 9H 7S 6H", C="9S 5H 7H 4S")
    with pytest.raises(BadSetup, match="13 cards are dealt, a pack has 14: 8H is missing"):
        Match(Setup("five_or_nine", ("A", "B", "C"), 3, {}, {**deal, "hands": hands}))
    open_table = {"hands": cards(A="6S 8S 4H TH", B="9H 7S 6H", C="9S 5H 7H 4S"), "table": ["5S"], "turn": "A"}
    assert Match(Setup("five_or_nine", ("A", "B", "C"), 3, {}, {**deal, **open_table})).view.turn == 1
    with pytest.raises(BadSetup, match="KD is not in this pack"):
        Match(Setup("five_or_nine", ("A", "B"), 2, {}, {**deal, "hands": cards(A="6S", B="KD")}))


NEW: dict[str, Any] = {"dealer": "C", "counts": {"A": 9, "B": 9, "C": 9}}


def test_newmarket_stakes_and_what_is_carried() -> None:
    found = match("newmarket", "", {"stake": 2, "kitty": 3}, carried={"AH": 5, "kitty": 1}, **NEW)
    assert found.view.counters == (-11, -11, -11)
    holds(found.result(), layout={"AH": 11, "KC": 6, "QD": 6, "JS": 6}, kitty=10, takes=[])
    placed = match("newmarket", "", layout={"AH": 3}, kitty=7, **NEW)
    assert placed.view.counters == (0, 0, 0)
    holds(placed.result(), layout={"AH": 3, "KC": 0, "QD": 0, "JS": 0}, kitty=7)


@pytest.mark.parametrize(
    ("options", "moves", "violations", "need"),
    [
        ({}, "A play KH; B play AH", [], None),
        ({"ace": "low"}, "A play KH; B play AH", [[1, "NOT_THE_LEADER"]], None),
        ({"ace": "low"}, "A play AH", [], "2H"),
        ({"removed": "sevens"}, "A play 6H; A play 7S; A play 8S", [[1, "WRONG_CARD"]], "9S"),
        ({"removed": "8D"}, "A play 7D; A play 9S", [], "TS"),
        ({}, "A play 5H; B play 5S; A stop; A play 6D; A play 6C", [[1, "WRONG_CARD"], [3, "WRONG_COLOUR"]], "7C"),
        ({"colour_change": False}, "A play 5H; A stop; A play 6D", [], "7D"),
        ({}, "A play 5H; A stop; A pass; B pass; C pass; A play 2H", [], "3H"),
        (
            {},
            "A play 5H; A stop; B pass; A pass; A play 2C; B play 2C",
            [[2, "NOT_THE_LEADER"], [4, "NOT_THE_LEADER"]],
            "3C",
        ),
        (
            {},
            "A stop; B play 2H; A play 2H; B stop; A stop; A pass",
            [[0, "MUST_START"], [1, "NOT_THE_LEADER"], [3, "OUT_OF_TURN"]],
            None,
        ),
        ({"colour_change": False}, "A play 5H; A stop; A pass", [[2, "MUST_START"]], None),
    ],
)
def test_newmarket_what_may_be_laid(options: Any, moves: str, violations: list[Any], need: str | None) -> None:
    result = judged("newmarket", moves, {"lead_lowest": False, **options}, **NEW)
    holds(result, violations=violations)
    assert result["next"]["need"] == need


def test_newmarket_claims_are_proved() -> None:
    shown = {"A": ["2H", "3C"], "B": ["6H"]}
    result = judged("newmarket", "A play 5H; A stop; A pass", final_hands=shown, **NEW)
    assert result["proved"] == [[0, "A", "2H", "final"], [1, "B", "6H", "final"], [2, "A", "3C", "final"]]


def test_newmarket_boodles_and_the_end() -> None:
    deal = {"dealer": "C", "counts": {"A": 2, "B": 3, "C": 4}}
    result = judged("newmarket", "A play TS; A play JS", {"per_card": 2}, **deal)
    holds(
        result,
        takes=[["A", "JS", 3]],
        winner="A",
        card_payments={"B": 6, "C": 8},
        A_from_players=14,
        kitty=0,
        next=None,
    )
    below = judged("newmarket", "A play TS; A play JS", {"pays": "below"}, **deal)
    holds(below, takes=[["A", "JS", 3]], layout={"AH": 3, "KC": 3, "QD": 3, "JS": 0})
    over = judged("newmarket", "A play KH; A play KC; B play 2S", {"ace": "low"}, **deal)
    holds(over, takes=[["A", "KC", 3]], winner="A", violations=[[2, "DEAL_OVER"]])


@pytest.mark.parametrize("boodles", ["", "AH AH", "AH XX"])
def test_newmarket_boodles_that_cannot_be_meant(boodles: str) -> None:
    with pytest.raises(BadSetup, match="'boodles'"):
        Match(Setup("newmarket", ("A", "B", "C"), 3, {"boodles": boodles}))


# -- seats that leave ----------------------------------------------------------------------------------------------

LEAVING = ["fan_tan", "five_or_nine", "sevens", "pope_joan", "newmarket", "comet", "jig"]


@pytest.mark.parametrize("game", LEAVING)
def test_the_last_one_left_wins_and_is_paid_nothing_by_those_who_left(game: str) -> None:
    setup = Setup(game, ("A", "B", "C"), 3, {}, {"turn": "A", "counts": {"A": 9, "B": 9, "C": 9}})
    found = Match(setup)
    before = found.view.counters
    found.add(Entry(0, Said(1, "leave")))
    assert (found.over, found.view.live) == (False, (2, 3))
    found.add(Entry(1, Said(3, "leave")))
    assert (found.over, found.view.winner, found.view.live) == (True, 2, (2,))
    assert found.view.counters[0] == before[0]
    assert found.view.counters[2] == before[2]
    found.add(Entry(2, Said(2, "leave")))
    assert [r.code for r in found.standing][-1] == "CANNOT_LEAVE"


@pytest.mark.parametrize("game", LEAVING)
def test_who_is_out_first_is_paid_by_those_who_are_in(game: str) -> None:
    """A leaves with nine cards; B lays his last one, and only C pays for his three."""
    first = {"five_or_nine": "5H", "sevens": "7H"}.get(game, "4H")
    options = {"fan_tan": {"per_card": True}, "newmarket": {"kitty": 0, "stake": 0}}
    options["sevens"] = {"ante": 0, "uneven_ante": False}
    deal = {"turn": "B", "counts": {"A": 9, "B": 1, "C": 3}, **({"board": {}} if game == "pope_joan" else {})}
    found = Match(Setup(game, ("A", "B", "C"), 3, options.get(game, {}), deal))
    found.add(Entry(0, Said(1, "leave")))
    found.add(Entry(1, Laid(Card.parse(first), "layout", 2)))
    assert (found.view.winner, found.view.counters) == (2, (0, 3, -3))


@pytest.mark.parametrize(("leaver", "turn", "need"), [(1, 2, None), (2, None, "6H"), (3, None, "6H")])
@pytest.mark.parametrize("game", ["pope_joan", "newmarket"])
def test_a_line_ends_when_its_last_seat_leaves(game: str, leaver: int, turn: int | None, need: str | None) -> None:
    found = Match(Setup(game, ("A", "B", "C"), 3, {}, {"turn": "A"}))
    found.add(Entry(0, Laid(Card.parse("5H"), "layout", 1)))
    found.add(Entry(1, Said(leaver, "leave")))
    assert (found.view.turn, found.view.need) == (turn, need)


# -- Pope Joan before the first card -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "counters"),
    [
        ({}, (0, 0, 0, -15)),
        ({"dressing": "shared"}, (-2, -2, -2, -9)),
        ({"dressing": "double"}, (-3, -3, -3, -6)),
        ({"form": "foster"}, (0, 0, 0, -15)),
        ({"form": "foster", "dressing": "shared"}, (-2, -2, -2, -9)),
    ],
)
def test_pope_who_dresses_the_board(options: dict[str, Any], counters: tuple[int, ...]) -> None:
    found = Match(Setup("pope_joan", ("A", "B", "C", "D"), 4, options))
    assert found.view.counters == counters
    assert found.view.pool == 15


def pope(*laid: tuple[str, str, int], house: dict[str, Any] | None = None) -> Match:
    """A board whose trump is turned up at the table."""
    found = Match(Setup("pope_joan", ("A", "B", "C"), 3, house or {}))
    for number, (card, zone, seat) in enumerate(laid):
        found.add(Entry(number, Laid(Card.parse(card), zone, seat), source="camera"))
    return found


def test_pope_the_trump_is_turned_up_at_the_table() -> None:
    assert pope(("KC", "stock", 3)).view.counters == (0, 0, -15 + 1)
    assert pope(("9D", "stock", 3)).view.counters == (0, 0, -15 + 6)
    assert pope(("2C", "stock", 3), ("KC", "layout", 1)).result()["takes"] == [[0, "A", "king", 1]]
    assert pope(("2H", "stock", 3), ("KC", "layout", 1)).result()["takes"] == []


def test_pope_only_the_first_card_on_the_dead_hand_is_the_trump() -> None:
    assert pope(("2C", "stock", 3), ("KC", "stock", 3)).view.counters == (0, 0, -15)
    assert pope(("5H", "layout", 1), ("KC", "stock", 3)).view.counters == (0, 0, -15)
    assert pope(("KC", "stock", 3), house={"form": "foster"}).view.counters == (0, 0, -15)
    ended = pope(("9D", "stock", 3), ("KD", "stock", 3), house={"turnup_pope": "pope_game_and_cards"})
    assert (ended.over, ended.view.counters) == (True, (0, 0, -15 + 7))


@pytest.mark.parametrize(("owner", "need"), [("out_of_play", None), ("hand", "6C")])
def test_pope_the_turn_up_is_a_stop_where_it_is_out_of_play(owner: str, need: str | None) -> None:
    found = pope(("6C", "stock", 3), ("5C", "layout", 1), house={"turnup_owner": owner})
    assert found.view.need == need
    given = Match(Setup("pope_joan", ("A", "B", "C"), 3, {"turnup_owner": owner}, {"turn_up": "6C", "turn": "A"}))
    given.add(Entry(0, Laid(Card.parse("5C"), "layout", 1)))
    assert given.view.need == need


def test_pope_it_may_fill_a_gap_where_the_house_has_it() -> None:
    laid = (("2H", "stock", 3), ("5C", "layout", 1), ("9D", "layout", 2))
    assert pope(*laid).result()["violations"] == [[1, "WRONG_CARD"]]
    filled = pope(*laid, house={"pope_as_stop_filler": True})
    assert (filled.view.need, filled.result()["takes"]) == ("7C", [[1, "B", "pope", 6]])
    assert pope(*laid, ("9D", "layout", 3), house={"pope_as_stop_filler": True}).view.out_of_step


def test_pope_matrimony_over_two_hands_where_the_house_has_it() -> None:
    laid = (("2C", "stock", 3), ("QC", "layout", 1), ("KC", "layout", 2))
    takes = [[0, "A", "queen", 1], [1, "B", "king", 1]]
    assert pope(*laid).result()["takes"] == takes
    both = pope(*laid, house={"matrimony_by_hand": False})
    assert both.result()["takes"] == [*takes, [1, "B", "matrimony", 2]]


@pytest.mark.parametrize("layout", ["TS JC QH", "TS JC QH KX", "JC TS QH KD", ""])
def test_pope_foster_layouts_that_cannot_be_meant(layout: str) -> None:
    with pytest.raises(BadSetup, match="'foster_layout'"):
        Match(Setup("pope_joan", ("A", "B", "C"), 3, {"form": "foster", "foster_layout": layout}))


def test_pope_foster_the_pope_is_the_seven_of_diamonds() -> None:
    deal = {"dealer": "C", "counts": {"A": 9, "B": 9, "C": 9}}
    holds(judged("pope_joan", "A play 7D", {"form": "foster"}, **deal), takes=[[0, "A", "pope", 5]])
    nine = judged("pope_joan", "A play 9D", {"form": "foster", "pope_card": "9D"}, **deal)
    holds(nine, takes=[[0, "A", "pope", 5]])


def test_pope_a_lead_that_was_not_the_lowest_is_proved() -> None:
    deal = {"dealer": "C", "counts": {"A": 9, "B": 9, "C": 9}, "trump": "S"}
    moves = "A play 5C; A stop; A play 3C; A stop; A play 4H; A stop; A play 2H"
    found = match("pope_joan", moves, {"lead_lowest": True, "held_back_fine": 2}, **deal)
    proved = [(r.code, r.card, r.entries) for r in found.standing if r.kind == "proved"]
    assert proved == [("NOT_THE_LOWEST", "3C", (0, 2)), ("NOT_THE_LOWEST", "2H", (4, 6))]
    holds(found.result(), held_back=[], fines={"A": 4}, violations=[])
