"""The tracker on drawn tables: what people do, and what must not be taken for it (field reports A and B)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, cycle

import cv2
import numpy as np
import pytest

from vision.pose import Pose
from vision.tracker import Tracker
from vision.words import Corrected, HandLeft, Lifted, Rested, Returned, Shifted, Trouble, Twice, Uncovered, Word

from .drawn import BOTTOM, FPS, GREEN, LEFT, RIGHT, SIZE_PX, SURFACE, TOP, Drawn, Image, World, probabilities

MIDDLE = Pose(450, 350, 0)


def told(world: World, film: Iterator[Image], tracker: Tracker | None = None) -> list[Word]:
    """Every word of a film, with a second of stillness round it."""
    tracker = tracker or Tracker(SURFACE, world, SIZE_PX)
    words: list[Word] = []
    start = 0 if tracker.scene is None else round(tracker.scene.seconds * FPS) + 1
    for n, image in enumerate(_framed(world, film), start):
        words += tracker.see(image, n / FPS)
    return words


def _framed(world: World, film: Iterator[Image]) -> Iterator[Image]:
    yield from world.still(0.3)
    yield from film
    yield from world.still(0.6)


def events(words: list[Word]) -> list[Word]:
    """What was said about cards."""
    return [w for w in words if not isinstance(w, HandLeft | Uncovered)]


def test_card_laid_by_a_hand_is_told_once_with_whose_hand() -> None:
    world = World()
    (word,) = events(told(world, world.lay("7H", Pose(450, 350, 8), BOTTOM)))
    assert isinstance(word, Rested)
    assert word.card.face == "7H"
    assert word.card.pose.distance(Pose(450, 350, 8)) < 4
    assert word.card.pose.turned(Pose(450, 350, 8)) < 4
    assert word.credit is not None
    assert np.hypot(word.credit.entry_mm[0] - BOTTOM[0], word.credit.entry_mm[1] - BOTTOM[1]) < 60
    assert word.credit.sure > 0.9


def test_card_is_told_soon_after_the_hand_left_it() -> None:
    world = World()
    tracker = Tracker(SURFACE, world, SIZE_PX)
    card = Drawn("7H", Pose(BOTTOM[0], BOTTOM[1], 0))

    def hold() -> Iterator[Image]:
        yield from world.still(0.4)
        world.cards.append(card)
        yield from world.carry(card, BOTTOM, MIDDLE)
        yield from world.still(0.5)

    n = 0
    for n, image in enumerate(hold()):
        assert tracker.see(image, n / FPS) == []
    held_s = n / FPS
    told_at = [
        (m / FPS, word.t)
        for m, image in enumerate(chain(world.leave(), world.still(1)), n + 1)
        for word in tracker.see(image, m / FPS)
        if isinstance(word, Rested)
    ]
    assert len(told_at) == 1
    at, t = told_at[0]
    assert held_s < t <= held_s + 0.3
    assert at - t <= 0.3


def test_card_put_down_but_never_let_go_is_nothing() -> None:
    world = World()

    def film() -> Iterator[Image]:
        card = Drawn("3H", Pose(TOP[0], TOP[1], 180))
        world.cards.append(card)
        yield from world.carry(card, TOP, MIDDLE)
        yield from world.still(1.5)
        yield from world.carry(card, TOP, Pose(TOP[0], TOP[1], 180))
        world.cards.remove(card)
        yield from world.leave()

    assert events(told(world, film())) == []


def test_card_slid_through_a_row_counts_where_it_ends() -> None:
    """A09: 300 ms over the first row, then on to the second: one event, the second row."""
    world = World()

    def film() -> Iterator[Image]:
        card = Drawn("9S", Pose(BOTTOM[0], BOTTOM[1], 0))
        world.cards.append(card)
        yield from world.carry(card, BOTTOM, Pose(450, 420, 0))
        yield from world.still(0.3)
        yield from world.carry(card, BOTTOM, Pose(450, 220, 0))
        yield from world.still(0.3)
        yield from world.leave()

    (word,) = events(told(world, film()))
    assert isinstance(word, Rested)
    assert word.card.pose.distance(Pose(450, 220, 0)) < 5


def test_card_that_stops_for_300_ms_with_no_hand_seen_counts_where_it_ends() -> None:
    """A09 again, for a hand the camera does not see."""
    world = World()

    def film() -> Iterator[Image]:
        card = Drawn("9S", Pose(300, 200, 0))
        world.cards.append(card)
        yield from world.still(0.3)
        for x in range(320, 600, 40):
            card.pose = Pose(x, 200, 0)
            yield world.picture()
        yield from world.still(0.6)

    (word,) = events(told(world, film()))
    assert isinstance(word, Rested)
    assert word.card.pose.distance(Pose(560, 200, 0)) < 10
    assert word.credit is None


def test_card_let_go_and_moved_on_keeps_its_identity() -> None:
    """A09, second half: 900 ms at the first place, then moved by the same arm: told as moved, not as two cards."""
    world = World()
    tracker = Tracker(SURFACE, world, SIZE_PX)
    first = events(told(world, world.lay("9S", Pose(450, 420, 0), BOTTOM), tracker))

    def film() -> Iterator[Image]:
        yield from world.reach(BOTTOM, BOTTOM, (450, 420))
        yield from world.carry(world.cards[0], BOTTOM, Pose(600, 220, 0))
        yield from world.still(0.3)
        yield from world.leave()

    later = events(told(world, film(), tracker))
    (rested,) = [w for w in later if isinstance(w, Rested)]
    assert isinstance(first[0], Rested)
    assert rested.card.id == first[0].card.id
    assert rested.came_from is not None
    assert rested.came_from.distance(Pose(450, 420, 0)) < 5


def test_card_taken_back_is_lifted() -> None:
    world = World()
    tracker = Tracker(SURFACE, world, SIZE_PX)
    told(world, world.lay("5D", MIDDLE, TOP), tracker)
    (word,) = events(told(world, world.take(world.cards[0], TOP), tracker))
    assert isinstance(word, Lifted)
    assert [card.face for card in word.cards] == ["5D"]
    assert word.credit is not None


def test_bumped_card_keeps_its_identity() -> None:
    world = World()
    tracker = Tracker(SURFACE, world, SIZE_PX)
    told(world, world.lay("5D", MIDDLE, TOP), tracker)

    def film() -> Iterator[Image]:
        yield from world.reach(RIGHT, RIGHT, (500, 350))
        world.cards[0].pose = Pose(438, 356, 5)
        yield from world.still(0.3)
        yield from world.leave()

    (word,) = events(told(world, film(), tracker))
    assert isinstance(word, Shifted)
    assert word.card.pose.distance(Pose(438, 356, 5)) < 5


def test_idle_hand_over_cards_is_nothing() -> None:
    world = World([Drawn("5D", MIDDLE), Drawn("6D", Pose(480, 350, 3))])

    def film() -> Iterator[Image]:
        yield from world.reach(LEFT, LEFT, (450, 350))
        yield from world.still(1.5)
        yield from world.leave()

    assert events(told(world, film())) == []


def test_row_of_overlapping_cards_grows_both_ways() -> None:
    world = World()

    def film() -> Iterator[Image]:
        for face, x, edge in (
            ("9C", 450, BOTTOM),
            ("TC", 478, TOP),
            ("8C", 422, LEFT),
            ("JC", 506, RIGHT),
            ("7C", 394, TOP),
        ):
            yield from world.lay(face, Pose(x, 350, 0), edge)

    words = events(told(world, film()))
    assert [w.card.face for w in words if isinstance(w, Rested)] == ["9C", "TC", "8C", "JC", "7C"]
    assert len(words) == 5


def test_pile_grows_and_is_lifted_whole() -> None:
    world = World()
    tracker = Tracker(SURFACE, world, SIZE_PX)

    def film() -> Iterator[Image]:
        for face, x, angle in (("2C", 450, 0), ("KD", 453, 8), ("7S", 447, 184)):
            yield from world.lay(face, Pose(x, 350, angle), BOTTOM)

    words = events(told(world, film(), tracker))
    assert [w.card.face for w in words if isinstance(w, Rested)] == ["2C", "KD", "7S"]

    def gather() -> Iterator[Image]:
        yield from world.reach(LEFT, LEFT, (450, 350))
        world.cards.clear()
        yield from world.leave()

    (word,) = events(told(world, gather(), tracker))
    assert isinstance(word, Lifted)
    assert [card.face for card in word.cards] == ["7S", "KD", "2C"]


def test_pile_put_back_by_the_same_arm_is_returned_whole() -> None:
    world = World()
    tracker = Tracker(SURFACE, world, SIZE_PX)

    def pile() -> Iterator[Image]:
        yield from world.lay("2C", Pose(450, 350, 0), BOTTOM)
        yield from world.lay("KD", Pose(453, 350, 6), BOTTOM)

    told(world, pile(), tracker)
    cards = list(world.cards)

    def gather() -> Iterator[Image]:
        yield from world.reach(LEFT, LEFT, (450, 350))
        world.cards.clear()
        yield from world.leave()

    told(world, gather(), tracker)

    def put_back() -> Iterator[Image]:
        world.cards.extend(cards)
        for card in cards:
            card.pose = Pose(LEFT[0], LEFT[1], card.pose.angle)
        for x in range(-75, 450, 60):
            for card in cards:
                card.pose = Pose(x, 350, card.pose.angle)
            world.arm = (LEFT, (x, 350))
            yield world.picture()
        yield from world.leave()

    (word,) = events(told(world, put_back(), tracker))
    assert isinstance(word, Returned)
    assert [card.face for card in word.cards] == ["KD", "2C"]


def test_suit_swept_together_and_turned_down() -> None:
    world = World()
    tracker = Tracker(SURFACE, world, SIZE_PX)

    def row() -> Iterator[Image]:
        for n, face in enumerate(("AC", "2C", "3C", "4C")):
            yield from world.lay(face, Pose(350 + 30 * n, 200, 0), BOTTOM)

    told(world, row(), tracker)

    def sweep() -> Iterator[Image]:
        yield from world.reach(TOP, TOP, (400, 200))
        world.cards[:] = [Drawn("back", Pose(352, 203, 4))]
        yield from world.reach(TOP, (400, 200), (352, 203))
        yield from world.leave()

    words = events(told(world, sweep(), tracker))
    (rested,) = [w for w in words if isinstance(w, Rested)]
    lifted = [card.face for w in words if isinstance(w, Lifted) for card in w.cards]
    assert rested.card.face == "back"
    assert sorted(lifted + [card.face for card in rested.over]) == ["2C", "3C", "4C", "AC"]


def test_back_turned_up_where_it_lies() -> None:
    world = World([Drawn("back", MIDDLE)])

    def film() -> Iterator[Image]:
        yield from world.reach(BOTTOM, BOTTOM, (450, 350))
        world.cards[0].face = "KH"
        yield from world.still(0.3)
        yield from world.leave()

    (word,) = events(told(world, film()))
    assert isinstance(word, Rested)
    assert (word.card.face, word.flipped) == ("KH", True)


def test_back_pushed_to_another_place_is_the_same_card() -> None:
    world = World([Drawn("back", Pose(450, 620, 0)), Drawn("back", Pose(90, 350, 90))])
    tracker = Tracker(SURFACE, world, SIZE_PX)

    def film() -> Iterator[Image]:
        yield from world.reach(BOTTOM, BOTTOM, (450, 620))
        yield from world.carry(world.cards[0], BOTTOM, Pose(170, 420, 90))
        yield from world.still(0.3)
        yield from world.leave()

    words = events(told(world, film(), tracker))
    (lifted,) = [w for w in words if isinstance(w, Lifted)]
    (rested,) = [w for w in words if isinstance(w, Rested)]
    assert rested.card.id == lifted.cards[0].id
    assert rested.card.face == "back"


def test_hand_that_leaves_a_pack_is_told() -> None:
    world = World([Drawn("back", Pose(400, 620, 0))])

    def film() -> Iterator[Image]:
        yield from world.reach(BOTTOM, BOTTOM, (400, 620))
        yield from world.still(0.3)
        yield from world.leave()

    words = told(world, film())
    assert [type(w) for w in words if isinstance(w, Uncovered | HandLeft)] == [Uncovered, HandLeft]


def test_what_lies_there_at_the_start_is_no_event() -> None:
    world = World([Drawn("back", Pose(850, 640, 0)), Drawn("JS", Pose(852, 600, 0))])
    tracker = Tracker(SURFACE, world, SIZE_PX)
    assert told(world, world.still(1), tracker) == []
    assert "JS" in [card.face for card in tracker.layout]


def test_flickering_label_is_said_once_or_not_at_all() -> None:
    """A08: 9S 9S 8S 9S 8S 9S 9S 9S at .55 to .7: one event, 9S or "?", never two."""
    labels = cycle(["9S", "9S", "8S", "9S", "8S", "9S", "9S", "9S"])
    sure = cycle([0.55, 0.7, 0.6])
    world = World(reads=lambda face: probabilities(next(labels), next(sure)))
    words = events(told(world, world.lay("9S", MIDDLE, BOTTOM)))
    assert len(words) == 1
    assert isinstance(words[0], Rested)
    assert words[0].card.face in ("9S", "?")


def test_card_that_cannot_be_read_is_a_question_mark_and_corrected_when_it_can() -> None:
    """What was "?" and becomes clear later is corrected, not silently changed."""
    sure = [0.2]
    world = World(reads=lambda face: probabilities(face, sure[0]))
    tracker = Tracker(SURFACE, world, SIZE_PX)
    (word,) = events(told(world, world.lay("9S", MIDDLE, BOTTOM), tracker))
    assert isinstance(word, Rested)
    assert word.card.face == "?"
    sure[0] = 0.97
    words = events(told(world, world.lay("8S", Pose(464, 352, 0), TOP), tracker))
    assert [w.card.face for w in words if isinstance(w, Corrected)] == ["9S"]
    assert [w.card.face for w in words if isinstance(w, Rested)] == ["8S"]


def test_card_read_twice_is_a_clash_not_a_move() -> None:
    """A07: a second 8H while the first still lies there."""
    world = World([Drawn("8H", Pose(250, 200, 0))])
    words = events(told(world, world.lay("8H", Pose(600, 400, 0), BOTTOM)))
    (word,) = words
    assert isinstance(word, Twice)
    assert (word.first.face, word.second.face) == ("8H", "?")


@pytest.mark.parametrize("noise", [2.0, 4.0, 8.0])
def test_empty_scene_with_noise_has_no_events(noise: float) -> None:
    """A10: flat grey and felt under noise: no candidates, no events."""
    for table in ((100, 100, 100), GREEN):
        world = World(table=table, noise=noise)
        tracker = Tracker(SURFACE, world, SIZE_PX)
        assert told(world, world.still(2), tracker) == []
        assert list(tracker.layout) == []


def test_light_that_drifts_and_flickers_is_no_event() -> None:
    world = World([Drawn("5D", MIDDLE), Drawn("back", Pose(100, 350, 90))])

    def film() -> Iterator[Image]:
        for n in range(60):
            world.light = 1 - 0.12 * n / 60 + 0.03 * (n % 3 - 1)
            yield world.picture()

    assert told(world, film()) == []


def test_shadow_that_comes_and_goes_is_no_event() -> None:
    world = World([Drawn("5D", MIDDLE)])
    shadow = np.ones((SIZE_PX[1], SIZE_PX[0], 1), np.float32)
    cv2.circle(shadow, (430, 330), 130, 0.7, -1)
    shadow = cv2.GaussianBlur(shadow, (51, 51), 0)[..., None]

    def film() -> Iterator[Image]:
        for _ in range(20):
            yield np.asarray(world.picture() * shadow, np.uint8)

    assert told(world, film()) == []


def test_card_sliding_into_view_is_told_when_it_can_be_seen() -> None:
    """A01: a card comes in over the picture's edge in steps, no hand: no crash, nothing before it is in."""
    world = World()

    def film() -> Iterator[Image]:
        card = Drawn("7H", Pose(980, 350, 90))
        world.cards.append(card)
        for x in range(980, 840, -12):
            card.pose = Pose(x, 350, 90)
            yield world.picture()

    words = events(told(world, film()))
    assert [w.card.face for w in words if isinstance(w, Rested)] == ["7H"]
    assert len(words) == 1


def test_blank_card_is_a_face_that_cannot_be_read() -> None:
    """A11: a card without an index is never given a name."""
    world = World()
    words = events(told(world, world.lay("blank", MIDDLE, BOTTOM)))
    assert {w.card.face for w in words if isinstance(w, Rested)} <= {"?"}


def test_covered_lens_is_trouble_and_no_event() -> None:
    world = World([Drawn("5D", MIDDLE)])

    def film() -> Iterator[Image]:
        for _ in range(15):
            yield np.full((SIZE_PX[1], SIZE_PX[0], 3), 12, np.uint8)

    words = told(world, film())
    assert [(w.code, w.over) for w in words if isinstance(w, Trouble)] == [("COVERED", False), ("COVERED", True)]
    assert events(words) == [w for w in words if isinstance(w, Trouble)]


def test_nudged_camera_changes_no_card() -> None:
    """A12: everything 6 px and 4 px off and turned by 1.5 degrees: the same cards, none laid, none lifted."""
    world = World([Drawn("9C", Pose(300, 250, 0)), Drawn("9S", Pose(500, 380, 0)), Drawn("6H", Pose(640, 250, 90))])
    tracker = Tracker(SURFACE, world, SIZE_PX)
    told(world, world.still(0.5), tracker)
    turn = cv2.getRotationMatrix2D((SIZE_PX[0] / 2, SIZE_PX[1] / 2), 1.5, 1.0)
    turn[:, 2] += (6, 4)
    words: list[Word] = []
    for n in range(30):
        moved = cv2.warpAffine(world.picture(), turn, SIZE_PX, borderMode=cv2.BORDER_REPLICATE)
        words += tracker.see(np.asarray(moved, np.uint8), 5 + n / FPS)
    assert not [w for w in words if isinstance(w, Rested | Lifted | Twice)]
    assert sorted(card.face for card in tracker.layout) == ["6H", "9C", "9S"]
