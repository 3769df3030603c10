"""Seating: the tracker's words become facts with zones and seats."""

from __future__ import annotations

import pytest

from firmware.referee.cards import Card
from firmware.referee.events import (
    Conflict,
    Cut,
    Exchanged,
    ExchangeRefused,
    Fact,
    Gathered,
    Laid,
    TakenBack,
    TurnedDown,
)
from firmware.seating import Observation, Places, Seating
from vision.pose import Pose
from vision.words import Corrected, Credit, HandLeft, Lifted, Rested, Returned, Seen, Twice, Uncovered, Word

ZONES = (
    ("seat-1", ((200, 535), (700, 535), (700, 697), (200, 697))),
    ("seat-2", ((3, 170), (180, 170), (180, 530), (3, 530))),
    ("seat-3", ((200, 3), (700, 3), (700, 165), (200, 165))),
    ("seat-4", ((720, 170), (897, 170), (897, 530), (720, 530))),
    ("layout", ((190, 175), (435, 175), (435, 525), (190, 525))),
    ("stock", ((445, 175), (710, 175), (710, 525), (445, 525))),
)
PLACES = Places(ZONES)
BOTTOM, LEFT, TOP, RIGHT = (450.0, 745.0), (-80.0, 350.0), (450.0, -45.0), (975.0, 350.0)
ARMS = {1: BOTTOM, 2: LEFT, 3: TOP, 4: RIGHT}


def arm(seat: int, sure: float = 1.0) -> Credit:
    return Credit(seat, ARMS[seat], sure)


def seen(card_id: int, face: str, x: float, y: float) -> Seen:
    return Seen(card_id, face, Pose(x, y, 0))


def rested(card: Seen, t: float, seat: int | None, **more: object) -> Rested:
    return Rested(card, t, 0.98, arm(seat) if seat else None, **more)  # type: ignore[arg-type]


def facts(seating: Seating, *words: Word) -> list[Fact]:
    return [one.fact for one in observed(seating, *words)]


def observed(seating: Seating, *words: Word) -> list[Observation]:
    return [one for n, word in enumerate(words) for one in seating.hear(word, 1.0 + n)]


def gone(seat: int, t: float = 9.0) -> HandLeft:
    return HandLeft(seat, ARMS[seat], t)


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        ((450, 600), "seat-1"),
        ((300, 300), "layout"),
        ((500, 300), "stock"),
        ((439, 300), "layout"),  # in the gap, nearer to the layout
        ((442, 300), "stock"),
        ((890, 690), "seat-4"),  # outside all: nearest
        ((-20, 350), "seat-2"),
    ],
)
def test_place_has_one_zone(place: tuple[float, float], zone: str) -> None:
    assert PLACES.zone(place) == zone


@pytest.mark.parametrize(
    ("entry", "seat"),
    [(BOTTOM, 1), (LEFT, 2), (TOP, 3), (RIGHT, 4), ((250, 745), 1), ((-80, 560), 2), ((640, -45), 3)],
)
def test_arm_belongs_to_the_seat_on_its_side(entry: tuple[float, float], seat: int) -> None:
    assert PLACES.seat_at(entry) == (seat, 1.0)


def test_arm_from_a_corner_is_not_certain() -> None:
    seat, sure = PLACES.seat_at((60.0, 690.0))
    assert seat in (1, 2)
    assert sure < 0.5


def test_no_arm_no_seat() -> None:
    assert PLACES.seat_of(None) == (None, 0.0)


def test_card_laid() -> None:
    (one,) = observed(Seating(PLACES), rested(seen(1, "7H", 300, 300), 4.2, 2))
    assert one.fact == Laid(Card.parse("7H"), "layout", 2)
    assert (one.t, one.confidence, one.seat_confidence, one.place_mm) == (4.2, 0.98, 1.0, (300, 300))


def test_unread_card_is_laid_without_a_name() -> None:
    assert facts(Seating(PLACES), rested(seen(1, "?", 300, 300), 4.2, 2)) == [Laid(None, "layout", 2)]


def test_turn_never_decides_whose_hand() -> None:
    """A card in the zone of seat 1 laid by seat 3's arm is seat 3's."""
    assert facts(Seating(PLACES), rested(seen(1, "7H", 450, 600), 4.2, 3)) == [Laid(Card.parse("7H"), "seat-1", 3)]


def test_card_taken_back_is_told_when_the_arm_has_gone() -> None:
    seating = Seating(PLACES)
    card = seen(1, "5D", 300, 300)
    assert facts(seating, rested(card, 1, 3)) == [Laid(Card.parse("5D"), "layout", 3)]
    assert facts(seating, Lifted((card,), 2, arm(3))) == []
    assert facts(seating, gone(3)) == [TakenBack(Card.parse("5D"), "layout", 3)]


def test_another_arm_leaving_tells_nothing() -> None:
    seating = Seating(PLACES)
    assert facts(seating, Lifted((seen(1, "5D", 300, 300),), 2, arm(3)), gone(1)) == []


def test_card_moved_within_a_zone_is_no_fact() -> None:
    seating = Seating(PLACES)
    card = seen(1, "5D", 300, 300)
    told = facts(
        seating, rested(card, 1, 3), Lifted((card,), 2, arm(3)), rested(seen(1, "5D", 250, 400), 3, 3), gone(3)
    )
    assert told == [Laid(Card.parse("5D"), "layout", 3)]


def test_card_moved_to_another_zone_is_taken_back_and_laid() -> None:
    seating = Seating(PLACES)
    card = seen(1, "5D", 300, 300)
    told = facts(seating, Lifted((card,), 2, arm(3)), rested(seen(1, "5D", 450, 80), 3, 3))
    assert told == [TakenBack(Card.parse("5D"), "layout", 3), Laid(Card.parse("5D"), "seat-3", 3)]


def test_cards_whose_arm_is_lost_are_told_in_time() -> None:
    seating = Seating(PLACES)
    seating.hear(Lifted((seen(1, "5D", 300, 300),), 2.0, None), 2.0)
    assert seating.tick(5.0) == []
    assert [o.fact for o in seating.tick(9.0)] == [TakenBack(Card.parse("5D"), "layout", None)]


PILE = (seen(3, "4C", 90, 400), seen(2, "7D", 92, 402), seen(1, "5D", 89, 399))


def test_pile_taken_by_another_seat_is_gathered_when_the_hand_leaves_his_pack() -> None:
    seating = Seating(PLACES)
    pack = seen(9, "back", 390, 620)
    seating.start([pack])
    assert facts(seating, Lifted(PILE, 2.0, arm(1))) == []
    (one,) = observed(seating, Uncovered(pack, 3.1, arm(1)))
    assert one.fact == Gathered("seat-2", 1, 3)
    assert one.t == 3.1
    assert facts(seating, gone(1)) == []


def test_pile_taken_by_another_seat_without_a_pack_is_gathered_when_he_has_gone() -> None:
    assert facts(Seating(PLACES), Lifted(PILE, 2.0, arm(1)), gone(1)) == [Gathered("seat-2", 1, 3)]


def test_pile_that_becomes_a_pack_is_gathered() -> None:
    seating = Seating(PLACES)
    told = facts(seating, Lifted(PILE, 2.0, arm(1)), rested(seen(20, "back", 390, 620), 3, 1), gone(1))
    assert told == [Gathered("seat-2", 1, 3)]


def test_hand_leaving_somebody_elses_pack_gathers_nothing() -> None:
    seating = Seating(PLACES)
    assert facts(seating, Lifted(PILE, 2.0, arm(1)), Uncovered(seen(9, "back", 90, 290), 3.1, arm(1))) == []


def test_top_card_taken_by_its_own_seat_is_taken_back_not_gathered() -> None:
    seating = Seating(PLACES)
    assert facts(seating, Lifted(PILE[:1], 2.0, arm(2)), gone(2)) == [TakenBack(Card.parse("4C"), "seat-2", 2)]


def test_pile_put_back_after_gathering_lays_its_top_card_only() -> None:
    seating = Seating(PLACES)
    told = facts(seating, Lifted(PILE, 2.0, arm(1)), gone(1), Returned(PILE, 5.0, arm(1)))
    assert told == [Gathered("seat-2", 1, 3), Laid(Card.parse("4C"), "seat-2", 1)]


def test_pile_put_back_before_it_was_told_is_nothing() -> None:
    assert facts(Seating(PLACES), Lifted(PILE, 2.0, arm(1)), Returned(PILE, 3.0, arm(1)), gone(1)) == []


def test_row_turned_down() -> None:
    row = tuple(seen(n, f"{rank}C", 250 + 25 * n, 250) for n, rank in enumerate("A2345"))
    seating = Seating(PLACES)
    told = facts(seating, Lifted(row[1:], 2.0, arm(3)), rested(seen(30, "back", 252, 250), 3, 3, over=row[:1]), gone(3))
    assert told == [TurnedDown("layout", 3)]


ROW = tuple(seen(n, f"{rank}C", 250 + 25 * n, 250) for n, rank in enumerate("A2345"))


def test_row_whose_packet_is_told_after_the_arm_has_gone_is_turned_down() -> None:
    """The last act of a deal: the arm is away before the packet has been made out."""
    seating = Seating(PLACES)
    seating.hear(Lifted(ROW, 2.0, arm(3)), 2.2)
    assert seating.hear(gone(3, 2.9), 3.0) == []
    assert seating.pending_since() == 2.0
    (one,) = seating.hear(rested(seen(30, "back", 252, 250), 2.8, 3), 3.8)
    assert one.fact == TurnedDown("layout", 3)
    assert seating.pending_since() is None


def test_row_that_goes_for_good_is_taken_back_a_little_later() -> None:
    seating = Seating(PLACES)
    seating.hear(Lifted(ROW, 2.0, arm(3)), 2.2)
    seating.hear(gone(3, 2.9), 3.0)
    assert seating.tick(4.2) == []
    told = seating.tick(4.4)
    assert [o.fact for o in told] == [TakenBack(Card.parse(f"{rank}C"), "layout", 3) for rank in "A2345"]
    assert {o.t for o in told} == {2.9}


def test_row_that_went_is_told_before_whatever_comes_next() -> None:
    seating = Seating(PLACES)
    seating.hear(Lifted(ROW[:2], 2.0, arm(3)), 2.2)
    seating.hear(gone(3, 2.9), 3.0)
    told = [o.fact for o in seating.hear(rested(seen(40, "7H", 300, 400), 3.3, 4), 3.6)]
    assert told == [
        TakenBack(Card.parse("AC"), "layout", 3),
        TakenBack(Card.parse("2C"), "layout", 3),
        Laid(Card.parse("7H"), "layout", 4),
    ]


def test_card_turned_back_on_an_empty_pack_is_taken_back() -> None:
    """It was the pack's last and out of turn: a back appears where the pack was, and nothing was turned down."""
    seating = Seating(PLACES)
    told = facts(seating, Lifted(PILE[:1], 2.0, arm(2)), rested(seen(9, "back", 90, 290), 2.6, 2), gone(2))
    assert told == [TakenBack(Card.parse("4C"), "seat-2", 2)]


def test_pile_turned_down_in_its_place() -> None:
    told = facts(Seating(PLACES), rested(seen(30, "back", 300, 300), 3, 1, over=(seen(1, "7C", 300, 300),)))
    assert told == [TurnedDown("layout", 1)]


def test_face_down_card_that_comes_to_the_layout_is_no_fact() -> None:
    assert facts(Seating(PLACES), rested(seen(30, "back", 300, 300), 3, 1)) == []


def backs() -> Seating:
    """One face-down card before each seat and the stock."""
    seating = Seating(PLACES)
    places = {1: (450, 620), 2: (90, 350), 3: (450, 80), 4: (820, 350)}
    seating.start([seen(seat, "back", *place) for seat, place in places.items()] + [seen(9, "back", 560, 350)])
    return seating


def test_two_face_down_cards_exchanged() -> None:
    seating = backs()
    assert (
        facts(seating, Lifted((seen(1, "back", 450, 620),), 1, arm(1)), rested(seen(1, "back", 165, 410), 2, 1)) == []
    )
    assert facts(seating, Lifted((seen(2, "back", 90, 350),), 3, arm(2)), rested(seen(2, "back", 455, 625), 4, 2)) == []
    told = facts(seating, Lifted((seen(1, "back", 165, 410),), 5, arm(2)), rested(seen(1, "back", 95, 358), 6, 2))
    assert told == [Exchanged((1, 2))]


def test_exchange_refused_when_the_card_is_pushed_back() -> None:
    seating = backs()
    facts(seating, Lifted((seen(2, "back", 90, 350),), 1, arm(2)), rested(seen(2, "back", 380, 130), 2, 2))
    told = facts(seating, Lifted((seen(2, "back", 380, 130),), 3, arm(3)), rested(seen(2, "back", 92, 347), 4, 3))
    assert told == [ExchangeRefused(2, 3)]


def test_face_down_card_straightened_is_no_fact() -> None:
    assert facts(backs(), rested(seen(2, "back", 95, 355), 2, 2)) == []


def test_card_turned_up_where_it_lies_is_laid() -> None:
    assert facts(backs(), rested(seen(12, "KH", 450, 80), 2, 3, flipped=True)) == [Laid(Card.parse("KH"), "seat-3", 3)]


def test_cut() -> None:
    seating = backs()
    facts(seating, Lifted((seen(4, "back", 820, 350),), 1, arm(4)), rested(seen(4, "back", 480, 350), 2, 4))
    facts(seating, rested(seen(21, "back", 640, 350), 3, 4))  # part of the stock lifted aside
    told = facts(seating, rested(seen(22, "back", 822, 352), 5, 4))
    assert told == [Cut(4, None)]


def test_card_given_to_the_stock_and_taken_again_is_no_cut() -> None:
    seating = backs()
    facts(seating, rested(seen(4, "back", 480, 350), 2, 4), rested(seen(4, "back", 821, 351), 4, 4))
    assert facts(seating, rested(seen(23, "back", 815, 352), 5, 4)) == []


def test_card_read_twice_is_a_conflict() -> None:
    told = facts(Seating(PLACES), Twice(seen(1, "8H", 300, 300), seen(2, "?", 250, 450), 3, arm(1)))
    assert told == [Conflict(Card.parse("8H"), (), 1)]


def test_correction_names_the_card_it_corrects() -> None:
    (one,) = observed(Seating(PLACES), Corrected(seen(7, "9S", 300, 300), 3, 0.99))
    assert one.corrects == 7
    assert one.fact == Laid(Card.parse("9S"), "layout", None)
