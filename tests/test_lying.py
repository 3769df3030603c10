"""The cards as they lay after each entry: laid, taken back, turned down, gathered, corrected."""

from __future__ import annotations

from typing import Any

import pytest

from firmware.lying import Lies, after_each, drawn, known_again
from firmware.referee.cards import RANKS, Card
from firmware.referee.events import Corrected, Entry, Fact, Gathered, Inserted, Laid, Note, TakenBack, TurnedDown
from firmware.referee.match import Setup, games

from .referee.players import deal

ANN_BO = Setup("fan_tan", ("Ann", "Bo"), 2, {}, {"counts": {"Ann": 26, "Bo": 26}})
TABLE: dict[str, Any] = {
    "width_mm": 900,
    "height_mm": 700,
    "card": [63, 88],
    "zones": [
        {"name": "seat-1", "polygon": [[150, 600], [750, 600], [750, 698], [150, 698]]},
        {"name": "seat-2", "polygon": [[2, 110], [100, 110], [100, 590], [2, 590]]},
        {"name": "layout", "polygon": [[110, 105], [790, 105], [790, 595], [110, 595]]},
    ],
}


def laid(card: str, seat: int = 1, zone: str = "layout") -> Laid:
    """A card laid; "?" for one that was not read."""
    return Laid(None if card == "?" else Card.parse(card), zone, seat)


def lying(*facts: Fact, setup: Setup = ANN_BO) -> list[str]:
    """The cards after each of these facts, as words."""
    found = after_each(setup, [Entry(number, fact) for number, fact in enumerate(facts)])
    assert list(found) == list(range(len(facts)))
    return [" ".join(one.card + ("down" if one.down else "") for one in cards) for cards in found.values()]


def test_cards_are_laid_and_taken_back() -> None:
    assert lying(laid("7H"), laid("9S", 2), TakenBack(Card.parse("9S"), "layout", 2), Note("X", "")) == [
        "7H",
        "7H 9S",
        "7H",
        "7H",
    ]


def test_an_unread_card_that_is_taken_up_is_the_newest_unread_one_of_its_zone() -> None:
    taken = TakenBack(None, "layout", 1)
    assert lying(laid("?"), laid("?", 2, "seat-2"), taken)[-1] == "?"


def test_a_card_laid_again_lies_once() -> None:
    assert lying(laid("7H"), laid("7H", 1, "seat-1"))[-1] == "7H"


def test_a_pile_is_gathered() -> None:
    piles = Setup("wish_card", ("Ann", "Bo"), 2, {}, {})
    assert lying(laid("2H", 1, "seat-1"), laid("3H", 2, "seat-2"), Gathered("seat-1", 2, 1), setup=piles)[-1] == "3H"


def test_what_was_misread_is_drawn_as_it_was_from_the_start() -> None:
    struck = Corrected(0, laid("8D"), "Ann", "a diamond")
    assert lying(laid("8H"), laid("9D", 2), struck) == ["8D", "8D 9D", "8D 9D"]
    assert lying(laid("8H"), laid("9D", 2), Corrected(0, None, "Ann", "")) == ["", "9D", "9D"]


def test_what_was_missed_is_drawn_from_its_place_on() -> None:
    missed = Inserted(1, laid("8H", 2), "Ann", "")
    assert lying(laid("7H"), laid("9H"), missed) == ["7H", "7H 8H 9H", "7H 8H 9H"]


def test_only_what_the_game_knows_to_be_finished_is_turned_down() -> None:
    suit = [laid(rank + "H", at % 2 + 1) for at, rank in enumerate("789TJQKA23456")]
    down = lying(*suit, laid("9S", 2), TurnedDown("layout", 1))[-1].split()
    assert down.count("9S") == 1
    assert sum(card.endswith("Hdown") for card in down) == len(RANKS)


@pytest.mark.parametrize("game", games())
def test_the_table_is_the_referees_own_at_every_entry(game: str) -> None:
    """The open cards that the film draws are those that the referee believes to lie there, in every game."""
    table = deal(game, 3)
    believed = []
    while not table.match.over and len(table.facts) < 80:
        table.tell(table.next_fact())
        fold = table.match._fold
        believed.append({str(card) for card in fold.table if card not in fold.face_down})
    film = after_each(table.match.setup, table.match.entries)
    shown = [{one.card for one in film[number] if not one.down} for number in range(len(believed))]
    assert all(there <= drawn_then for there, drawn_then in zip(believed, shown, strict=True))


def test_every_card_lies_within_its_zone_and_none_hides_another() -> None:
    facts = [laid(rank + suit) for suit in "SHDC" for rank in RANKS[::2]]
    facts += [laid(rank + "S", 2, "seat-2") for rank in RANKS[1::2]]
    cards = drawn(after_each(ANN_BO, [Entry(n, fact) for n, fact in enumerate(facts)])[len(facts) - 1], TABLE)
    assert len(cards) == len(facts)
    boxes = {zone["name"]: zone["polygon"] for zone in TABLE["zones"]}
    for card in cards:
        xs, ys = zip(*boxes[card["zone"]], strict=True)
        wide, high = (88, 63) if card["angle"] else (63, 88)
        assert min(xs) <= card["x_mm"] - wide / 2 + 0.1, card
        assert card["x_mm"] + wide / 2 <= max(xs) + 0.1, card
        assert min(ys) <= card["y_mm"] - high / 2 + 0.1, card
        assert card["y_mm"] + high / 2 <= max(ys) + 0.1, card
    places = {(card["x_mm"], card["y_mm"]) for card in cards}
    assert len(places) == len(cards)


def test_a_zone_that_the_table_has_not_is_not_drawn() -> None:
    assert drawn(after_each(ANN_BO, [Entry(0, laid("7H", 1, "seat-9"))])[0], TABLE) == []


def seen(*cards: str, entry: int | None = None) -> list[dict[str, Any]]:
    """Cards as the camera sees them in the middle, of which it has seen none laid."""
    return [{"card": card, "zone": "layout", "seat": None, "entry": entry} for card in cards]


LAY = (Lies("7H", "layout", 1, 0), Lies("8H", "layout", 2, 1), Lies("9H", "layout", 3, 2))


@pytest.mark.parametrize(
    ("cards", "said", "known"),
    [
        (("9H", "7H", "8H"), (), "9H2 7H0 8H1"),  # by their names, in any order
        (("7H", "?", "9H"), (), "7H0 8H1 9H2"),  # the one that is left
        (("7H", "6C", "9H"), (), "7H0 6C- 9H2"),  # another card lies there: nobody has said that it is the eight
        (("7H", "6C", "9H"), (1,), "7H0 8H1 9H2"),  # ... and somebody has
        (("?", "?", "9H"), (0, 1), "?- ?- 9H2"),  # either could be either
        (("7H", "8H", "9H", "?"), (), "7H0 8H1 9H2 ?-"),  # one more than the log knows
        (("7H", "?"), (), "7H0 ?-"),  # one has been taken away, and which was it?
    ],
)
def test_cards_are_known_again_from_the_log_only_where_nothing_else_can_be(
    cards: tuple[str, ...], said: tuple[int, ...], known: str
) -> None:
    found = known_again(seen(*cards), LAY, said)
    assert " ".join(f"{c['card']}{'-' if c['entry'] is None else c['entry']}" for c in found) == known


def test_a_card_seen_laid_by_the_camera_and_a_back_are_left_alone() -> None:
    assert known_again(seen("back"), LAY[:1], (0,)) == seen("back")
    assert known_again(seen("?", entry=0), LAY[:1], (0,)) == seen("?", entry=0)
