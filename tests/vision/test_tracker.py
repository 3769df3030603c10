"""The tracker on drawn tables: what people do, and what must not be taken for it (field reports A and B)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, cycle

import cv2
import numpy as np
import pytest

from vision.compare import Backs, Found
from vision.gate import Gate
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


def pushed(world: World, start: tuple[float, float], to: Pose) -> Iterator[Image]:
    """A hand from the bottom reaches to ``start``, pushes the first card to another place and goes."""
    yield from world.reach(BOTTOM, BOTTOM, start)
    yield from world.carry(world.cards[0], BOTTOM, to)
    yield from world.still(0.3)
    yield from world.leave()


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

    later = events(told(world, pushed(world, (450, 420), Pose(600, 220, 0)), tracker))
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

    words = events(told(world, pushed(world, (450, 620), Pose(170, 420, 90)), tracker))
    (lifted,) = [w for w in words if isinstance(w, Lifted)]
    (rested,) = [w for w in words if isinstance(w, Rested)]
    assert rested.card.id == lifted.cards[0].id
    assert rested.card.face == "back"


def test_back_laid_soon_where_another_was_pushed_away_is_told() -> None:
    """A cut: the dealer's card goes to the stock, a new one comes to its place a second later."""
    world = World([Drawn("back", Pose(700, 350, 90))])
    tracker = Tracker(SURFACE, world, SIZE_PX)

    def push() -> Iterator[Image]:
        yield from world.reach(RIGHT, RIGHT, (700, 350))
        yield from world.carry(world.cards[0], RIGHT, Pose(400, 250, 0))
        yield from world.still(0.3)
        yield from world.leave()

    told(world, push(), tracker)
    (word,) = events(told(world, world.lay("back", Pose(703, 352, 93), RIGHT), tracker))
    assert isinstance(word, Rested)
    assert word.card.face == "back"
    assert word.card.pose.distance(Pose(703, 352, 93)) < 6


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


def test_colours_that_change_with_a_hand_change_no_card() -> None:
    """B09: white balance follows a hand for 30 frames, blue down and red up by a fifth, then back."""
    world = World([Drawn("9H", Pose(300, 250, 0)), Drawn("9S", Pose(600, 400, 0))])
    tracker = Tracker(SURFACE, world, SIZE_PX)

    def film() -> Iterator[Image]:
        for _ in range(30):
            yield np.clip(world.picture() * np.array([0.8, 1.0, 1.2]), 0, 255).astype(np.uint8)

    assert told(world, film(), tracker) == []
    assert sorted(card.face for card in tracker.layout) == ["9H", "9S"]


def test_arm_that_passes_over_a_card_before_it_is_told_does_not_get_it() -> None:
    """Quick play: the card rests and is not yet clear when the next arm comes over it and goes."""
    sure = [0.5]
    world = World(reads=lambda face: probabilities(face, sure[0]))

    def film() -> Iterator[Image]:
        card = Drawn("4S", Pose(BOTTOM[0], BOTTOM[1], 0))
        world.cards.append(card)
        yield from world.carry(card, BOTTOM, MIDDLE)
        yield from world.reach(BOTTOM, MIDDLE.middle, BOTTOM)
        world.arm = None
        yield from world.still(0.5)
        yield from world.reach(RIGHT, RIGHT, (380, 350))
        yield from world.leave()
        sure[0] = 0.97
        yield from world.still(0.5)

    words = [w for w in events(told(world, film())) if isinstance(w, Rested | Corrected)]
    (first, *_) = words
    assert isinstance(first, Rested)
    assert words[-1].card.face == "4S"
    assert first.credit is not None
    assert np.hypot(first.credit.entry_mm[0] - BOTTOM[0], first.credit.entry_mm[1] - BOTTOM[1]) < 80


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


DARK = (44, 60, 84)
"""Brown wood in poor light, BGR."""


@pytest.mark.parametrize(
    ("sleeve", "skin"),
    [
        ((50, 56, 78), (120, 150, 200)),  # a dark sleeve on dark wood, 6 levels off
        ((120, 60, 40), (40, 66, 92)),  # skin of the wood's own colour
        ((49, 66, 90), (40, 66, 92)),  # both
    ],
)
def test_arm_of_the_tables_own_colour_is_an_arm_all_the_same(
    sleeve: tuple[int, int, int], skin: tuple[int, int, int]
) -> None:
    world = World(table=DARK, sleeve=sleeve, skin=skin, noise=1.5)
    (word,) = events(told(world, world.lay("7H", MIDDLE, LEFT, hold_s=0.5)))
    assert isinstance(word, Rested)
    assert word.credit is not None
    assert np.hypot(word.credit.entry_mm[0] - LEFT[0], word.credit.entry_mm[1] - LEFT[1]) < 80


def after(tracker: Tracker, world: World, seconds: float, rate_hz: float) -> list[Word]:
    """What is told while nothing moves for so long; few frames, for few milliseconds of the test's."""
    start = 0.0 if tracker.scene is None else tracker.scene.seconds
    frames = round(seconds * rate_hz)
    return [w for n in range(1, frames + 1) for w in tracker.see(world.picture(), start + n / rate_hz)]


def test_arm_that_rests_at_the_edge_for_half_a_minute_is_still_an_arm() -> None:
    """Not furniture: when it moves on, the card that it lays is its own."""
    world = World()
    tracker = Tracker(SURFACE, world, SIZE_PX)
    told(world, world.reach(TOP, TOP, (450, 60)), tracker)
    assert events(after(tracker, world, 30, rate_hz=1)) == []
    card = Drawn("4C", Pose(450, 60, 0))
    world.cards.append(card)
    (word,) = events(told(world, chain(world.carry(card, TOP, MIDDLE), world.still(0.3), world.leave()), tracker))
    assert isinstance(word, Rested)
    assert word.credit is not None
    assert np.hypot(word.credit.entry_mm[0] - TOP[0], word.credit.entry_mm[1] - TOP[1]) < 60


def test_sleeve_that_lay_there_for_minutes_leaves_no_ghost() -> None:
    """It became furniture; where it goes the table is as it was."""
    world = World()
    tracker = Tracker(SURFACE, world, SIZE_PX)
    words = told(world, world.reach(LEFT, LEFT, (60, 350)), tracker)
    words += after(tracker, world, 80, rate_hz=1)
    assert tracker.scene is not None
    assert tracker.scene.idle
    words += told(world, world.leave(), tracker)
    assert events(words) == []
    assert tracker.scene.idle


def test_arm_in_the_first_picture_leaves_no_ghost() -> None:
    """Where it lay, a card is seen as soon as one is laid."""
    world = World(arm=(BOTTOM, (450, 500)))
    tracker = Tracker(SURFACE, world, SIZE_PX)
    told(world, world.still(0.2), tracker)
    told(world, chain(world.leave(), world.still(0.5)), tracker)
    (word,) = events(told(world, world.lay("4C", Pose(450, 560, 0), LEFT), tracker))
    assert isinstance(word, Rested)
    assert word.card.face == "4C"


def test_card_that_went_beside_a_ghost_is_missed_all_the_same() -> None:
    """A ghost that touches its place reaches the edge with it, and has to go alone."""
    card = Drawn("back", Pose(450, 560, 0))
    world = World([card], arm=(BOTTOM, (450, 590)))
    gate = Gate(SURFACE, SIZE_PX)
    place = gate.raster(card.pose.outline((63.0, 88.0)))
    gate.lying = lambda: place
    gate.see(world.picture(), 0.0)
    world.cards, world.arm = [], None
    scene = [gate.see(image, n / FPS) for n, image in enumerate(world.still(1.5), 1)][-1]
    assert not scene.hands
    (rest,) = scene.rests
    assert (rest.mask[place > 0] > 0).mean() > 0.5


def test_sleeve_of_nearly_the_tables_colour_does_not_become_the_table() -> None:
    """Nobody sees it, but something moves that no arm holds: the settled picture waits until that is over."""
    world = World(sleeve=(64, 114, 44))
    tracker = Tracker(SURFACE, world, SIZE_PX)
    told(world, world.still(0.3), tracker)
    sleeve = tracker.gate.raster(Pose(450, 590, 0).outline((50.0, 90.0))) > 0
    bare = tracker.gate.model[sleeve].astype(float)

    def film() -> Iterator[Image]:
        yield from world.reach(BOTTOM, BOTTOM, MIDDLE.middle)
        yield from world.still(1.6)

    told(world, film(), tracker)
    assert float(np.abs(tracker.gate.model[sleeve] - bare).mean()) < 1.0


def test_card_turned_by_half_where_it_lies_is_the_same_card() -> None:
    """A card looks the same upside down: one index seen, then the other, is no taking up and laying again."""
    world = World([Drawn("4D", MIDDLE)])
    tracker = Tracker(SURFACE, world, SIZE_PX)
    told(world, world.still(0.3), tracker)

    def film() -> Iterator[Image]:
        yield from world.reach(BOTTOM, BOTTOM, (450, 380))
        world.cards[0].pose = Pose(462, 352, 180)
        yield from world.leave()

    (word,) = events(told(world, film(), tracker))
    assert isinstance(word, Shifted)


def test_one_card_read_in_two_places_at_once_is_said_once() -> None:
    """Two readings of one name in one change: one of them is wrong, and the other is in doubt."""
    seen = cycle([0.99, 0.9])
    world = World(reads=lambda _face: probabilities("QS", next(seen)))

    def film() -> Iterator[Image]:
        yield from world.reach(BOTTOM, BOTTOM, (450, 400))
        world.cards += [Drawn("QS", Pose(420, 350, 0)), Drawn("KS", Pose(490, 350, 0))]
        yield from world.leave()

    words = events(told(world, film()))
    assert [w.card.face for w in words if isinstance(w, Rested)].count("QS") <= 1


def test_unread_card_is_read_in_a_quiet_frame() -> None:
    """The glare goes, nobody touches anything: "?" becomes a card."""
    sure = [0.2]
    world = World(reads=lambda face: probabilities(face, sure[0]))
    tracker = Tracker(SURFACE, world, SIZE_PX)
    told(world, world.lay("9S", MIDDLE, BOTTOM), tracker)
    sure[0] = 0.97
    words = events(told(world, world.still(6), tracker))
    assert [w.card.face for w in words if isinstance(w, Corrected)] == ["9S"]


def test_unread_card_that_is_bumped_and_read_then_is_the_same_card() -> None:
    """It shows more than it did, but what it most likely was: nobody laid another."""
    names = {"AS": probabilities("AS", 0.25)}
    world = World(reads=lambda face: names.get(face, probabilities(face)))
    tracker = Tracker(SURFACE, world, SIZE_PX)
    (laid,) = events(told(world, chain(world.lay("AS", MIDDLE, BOTTOM), world.still(1.0)), tracker))
    assert isinstance(laid, Rested)
    assert laid.card.face == "?"

    def film() -> Iterator[Image]:
        yield from world.reach(BOTTOM, BOTTOM, MIDDLE.middle)
        names["AS"] = probabilities("AS", 0.99)
        yield from world.carry(world.cards[0], BOTTOM, Pose(456, 345, 5))
        yield from world.still(0.3)
        yield from world.leave()

    words = events(told(world, film(), tracker))
    assert [word.card.face for word in words if isinstance(word, Corrected)] == ["AS"]
    assert not any(isinstance(word, Rested | Lifted) for word in words)


def test_unread_card_is_not_looked_at_for_ever() -> None:
    looks = [0]

    def reads(face: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
        looks[0] += 1
        return probabilities(face, 0.2)

    world = World(reads=reads)
    tracker = Tracker(SURFACE, world, SIZE_PX)
    told(world, world.lay("9S", MIDDLE, BOTTOM), tracker)
    words = after(tracker, world, 60, rate_hz=1)
    before = looks[0]
    words += after(tracker, world, 60, rate_hz=0.5)
    assert before > 4
    assert looks[0] == before
    assert words == []


def test_misread_card_is_put_right_when_the_true_one_appears() -> None:
    """The first was read JD, not too surely; then the true JD is laid: the first is in doubt, no clash."""
    names = {"JH": probabilities("JD", 0.9)}
    world = World(reads=lambda face: names.get(face, probabilities(face, 0.999)))
    tracker = Tracker(SURFACE, world, SIZE_PX)
    (first,) = events(told(world, world.lay("JH", Pose(250, 250, 0), BOTTOM), tracker))
    assert isinstance(first, Rested)
    assert first.card.face in ("JD", "?")
    names["JH"] = probabilities("JH", 0.95)
    words = events(told(world, world.lay("JD", Pose(600, 400, 0), BOTTOM), tracker))
    assert [(type(w), w.card.face) for w in words if isinstance(w, Rested | Corrected)] == [
        (Corrected, "JH"),
        (Rested, "JD"),
    ]


def test_index_half_covered_by_a_card_is_no_card_of_its_own() -> None:
    """Laid so that its edge cuts a neighbour's T, which then reads 7, surely enough: one card was laid, not two."""
    names = {"TC": probabilities("TC")}
    world = World(
        [Drawn("TC", MIDDLE), Drawn("JC", Pose(480, 350, 0))],
        reads=lambda face: names.get(face, probabilities(face, 0.99)),
    )
    tracker = Tracker(SURFACE, world, SIZE_PX)
    told(world, world.still(0.1), tracker)
    names["TC"] = probabilities("7C", 0.94)
    words = events(told(world, world.lay("8C", Pose(389.5, 352, 0), RIGHT), tracker))
    assert [(type(word), word.card.face) for word in words if isinstance(word, Rested | Corrected)] == [(Rested, "8C")]


def test_card_half_covered_at_both_ends_is_no_card_of_its_own() -> None:
    """Laid askew on an open pile: both indices of the card below are cut, and read alike as another card."""
    names = {"6S": probabilities("6S")}
    world = World([Drawn("6S", MIDDLE)], reads=lambda face: names.get(face, probabilities(face, 0.99)))
    tracker = Tracker(SURFACE, world, SIZE_PX)
    told(world, world.still(0.1), tracker)
    names["6S"] = probabilities("6D", 0.94)
    words = events(told(world, world.lay("TD", Pose(450, 350, 22), BOTTOM), tracker))
    assert [(type(word), word.card.face) for word in words if isinstance(word, Rested | Corrected)] == [(Rested, "TD")]


def test_card_laid_exactly_on_another_is_told_though_only_pips_and_indices_change() -> None:
    """An open pile squared up: bits of one card are one change, whatever lies between them."""
    world = World([Drawn("2S", MIDDLE)])
    (word,) = events(told(world, world.lay("3S", MIDDLE, LEFT)))
    assert isinstance(word, Rested)
    assert word.card.face == "3S"
    assert word.credit is not None
    assert np.hypot(word.credit.entry_mm[0] - LEFT[0], word.credit.entry_mm[1] - LEFT[1]) < 60


def test_card_taken_before_it_was_clear_is_told_before_it_goes() -> None:
    """Gathered a third of a second after it was laid: it lay there, though nobody knows what it was."""
    world = World(reads=lambda face: probabilities(face, 0.2))

    def film() -> Iterator[Image]:
        card = Drawn("4H", Pose(LEFT[0], LEFT[1], 90))
        world.cards.append(card)
        yield from world.carry(card, LEFT, MIDDLE)
        yield from world.reach(LEFT, MIDDLE.middle, LEFT)
        world.arm = None
        yield from world.still(0.3)
        yield from world.take(card, BOTTOM)

    first, *rest = events(told(world, film()))
    assert isinstance(first, Rested)
    assert first.card.face == "?"
    assert first.credit is not None
    assert np.hypot(first.credit.entry_mm[0] - LEFT[0], first.credit.entry_mm[1] - LEFT[1]) < 80
    assert [type(word) for word in rest] == [Lifted]


def grain(seed: int) -> Image:
    """Stripes across the picture as wood's grain has them, two to six pixels wide."""
    random = np.random.default_rng(seed)
    rows = cv2.resize(random.uniform(-45, 45, (SIZE_PX[1] // 4, 1)).astype(np.float32), (1, SIZE_PX[1]))
    return np.clip(np.array([84, 128, 172]) + rows[..., None], 0, 255).astype(np.uint8)


def test_backs_on_wood_are_found_followed_and_missed_when_they_go() -> None:
    """Strong grain breaks a card's edges; the place under a card has never been seen bare."""
    world = World([Drawn("back", Pose(450, 620, 0)), Drawn("back", Pose(90, 350, 90))])
    world.cloth(grain(4))
    tracker = Tracker(SURFACE, world, SIZE_PX)

    words = events(told(world, pushed(world, (450, 620), Pose(170, 430, 90)), tracker))
    (lifted,) = [w for w in words if isinstance(w, Lifted)]
    (rested,) = [w for w in words if isinstance(w, Rested)]
    assert (rested.card.face, rested.card.id) == ("back", lifted.cards[0].id)
    assert rested.card.pose.distance(Pose(170, 430, 90)) < 6


@pytest.mark.parametrize(("left", "gone"), [([], ["7S", "2S"]), (["2S"], []), (["2S", "7S"], [])])
def test_white_card_that_left_a_white_table_has_gone_though_little_changed(left: list[str], gone: list[str]) -> None:
    """Print on a small part of the place: but all of it is table, and nothing has an edge there. (Another card has.)"""
    world = World(table=(238, 240, 242))
    tracker = Tracker(SURFACE, world, SIZE_PX)
    for face, pose in (("2S", Pose(450, 350, 0)), ("7S", Pose(452, 351, 1))):
        told(world, world.lay(face, pose, LEFT), tracker)
    assert tracker.scene is not None
    world.cards = [card for card in world.cards if card.face in left]
    image = world.picture()
    scene = tracker.gate.see(image, tracker.scene.seconds + 1 / FPS)
    print_only = scene.changed.copy()
    print_only[: round(SURFACE.px((450, 380))[1]) // tracker.gate.factor] = 0  # no more than at the lower rim
    assert [card.face for card in tracker._compare.gone(image, Found(), Backs(), print_only, scene)] == gone


def test_edges_of_two_neighbours_make_no_third_back() -> None:
    """A rectangle between a new back and a known one is changed in part, by the new one."""
    world = World([Drawn("back", Pose(812, 346, 90))])
    tracker = Tracker(SURFACE, world, SIZE_PX)
    told(world, world.still(0.1), tracker)
    new, between = (Pose(802, 276, 91), "back"), (Pose(815, 313, 86), "back")
    assert tracker.scene is not None
    changed = tracker.layout.mask(new[0])
    assert list(tracker._compare._all_new([between, new], changed, tracker.scene)) == [new]


def test_face_under_a_hand_whose_sleeve_cannot_be_seen_is_not_let_go() -> None:
    """A sleeve of the table's own colour: its hand reaches no edge, hesitates on the card and takes it away again."""
    world = World(sleeve=GREEN)
    card = Drawn("5D", MIDDLE)

    def bring(stop: Pose) -> Iterator[Image]:
        start = card.pose
        for step in np.linspace(0, 1, 8)[1:]:
            card.pose = Pose(450, start.y + (stop.y - start.y) * float(step), 0)
            world.arm = (BOTTOM, (450, card.pose.y + 60))  # the finger tips on its lower rim
            yield world.picture()

    def film() -> Iterator[Image]:
        card.pose = Pose(450, 760, 0)
        world.cards.append(card)
        yield from bring(MIDDLE)
        yield from world.still(1.0)
        yield from bring(Pose(450, 760, 0))
        world.cards.remove(card)
        yield from world.leave()

    assert events(told(world, film())) == []


def test_card_under_a_hand_of_the_tables_own_colour_is_not_gone() -> None:
    """Skin as the table looks hides all that shows of a card half under another; its sleeve is seen near by."""
    below, above = Drawn("5D", Pose(420, 350, 0)), Drawn("6D", MIDDLE)
    world = World([below, above])

    def film() -> Iterator[Image]:
        yield from world.reach(TOP, TOP, (405, 240))
        world.cards.remove(below)  # nothing is seen of it, nor of the hand
        yield from world.still(0.6)
        world.cards.insert(0, below)
        yield from world.leave()

    assert events(told(world, film())) == []


def test_arm_that_is_lost_for_a_moment_and_seen_again_has_not_let_go() -> None:
    """A dark hand on dark wood flickers: seen again it is another hand, of the same arm."""
    world = World()
    card = Drawn("7H", Pose(*BOTTOM, 0))

    def film() -> Iterator[Image]:
        world.cards.append(card)
        yield from world.carry(card, BOTTOM, MIDDLE)
        world.arm = None
        yield from world.still(3 / FPS)
        world.arm = (BOTTOM, MIDDLE.middle)
        yield from world.still(0.3)
        yield from world.carry(card, BOTTOM, Pose(*BOTTOM, 0))
        world.cards.remove(card)
        yield from world.leave()

    assert events(told(world, film())) == []


def test_card_laid_exactly_on_another_that_was_just_laid_is_its_own_players() -> None:
    """White comes on white soon after the hand before has gone: hardly a pixel of the place stirs."""
    world = World()

    def film() -> Iterator[Image]:
        first = Drawn("AH", Pose(*BOTTOM, 0))
        world.cards.append(first)
        yield from world.carry(first, BOTTOM, MIDDLE)
        yield from world.still(0.2)
        world.arm = None
        yield from world.still(6 / FPS)
        second = Drawn("2H", Pose(290, 350, 0))
        world.cards.append(second)
        yield from world.carry(second, LEFT, MIDDLE)
        yield from world.still(0.2)
        yield from world.leave()

    laid = {word.card.face: word for word in told(world, film()) if isinstance(word, Rested)}
    assert (credit := laid["2H"].credit) is not None
    assert np.hypot(*np.subtract(credit.entry_mm, LEFT)) < 60
    assert credit.sure > 0.95
