"""Keys over time: what shows at a moment, and how much of a card a hand covers."""

from __future__ import annotations

import pytest

from firmware.simulator import geometry, hands
from firmware.simulator.geometry import Place
from firmware.simulator.hands import Grip
from firmware.simulator.timeline import CardKey, CardTrack, HandKey, HandShown, HandTrack, cover, ease

HERE, THERE = Place(100.0, 100.0), Place(200.0, 100.0, 10.0)


def test_a_card_shows_from_its_first_key_and_glides_where_it_is_told():
    track = CardTrack("7H", (CardKey(1.0, HERE), CardKey(2.0, HERE), CardKey(3.0, THERE, glides=True)))
    assert track.at(0.9) is None
    assert track.at(1.5).place == HERE
    middle = track.at(2.5)
    assert middle.moving
    assert middle.place == Place(150.0, 100.0, 5.0)
    assert track.at(3.0).place == THERE
    assert not track.at(9.0).moving


def test_a_card_being_turned_over_is_narrow_in_the_middle():
    track = CardTrack("7H", (CardKey(0.0, HERE, up=False), CardKey(1.0, HERE, up=True, glides=True)))
    assert not track.at(0.2).up
    assert track.at(0.8).up
    assert track.at(0.5).squeeze == pytest.approx(0.0, abs=1e-9)


def test_a_hidden_card_and_an_empty_pack_do_not_show():
    track = CardTrack("", (CardKey(0.0, HERE, count=2), CardKey(1.0, HERE, count=0), CardKey(2.0, HERE, shown=False)))
    assert track.at(0.5).count == 2
    assert track.at(1.5) is None
    assert track.at(2.5) is None


def test_a_hand_is_there_between_its_first_and_last_key():
    seat = geometry.seats(4)[0]
    track = HandTrack(seat, (HandKey(1.0, 450.0, 900.0), HandKey(2.0, 450.0, 400.0), HandKey(3.0, 450.0, 900.0)))
    assert track.at(0.99) is None
    assert track.at(2.0).y_mm == 400.0
    assert track.at(1.5).y_mm == 650.0
    assert track.at(3.01) is None


def test_ease_is_slow_at_both_ends_and_clamped():
    assert ease(-1.0) == 0.0
    assert ease(0.5) == 0.5
    assert ease(2.0) == 1.0
    assert ease(0.1) < 0.05


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_hand_leans_to_its_own_side_and_covers_the_card_under_its_fingers(number):
    seat = geometry.seats(4)[number - 1]
    place = Place(450.0, 350.0, 5.0)
    arm = hands.arms(4, 1)[number - 1]
    on_it = HandShown(seat, 450.0, 350.0, Grip.OPEN)
    away = HandShown(seat, *seat.at(-190.0), Grip.OPEN)
    assert cover(on_it, arm, place) > 0.25
    assert cover(away, arm, place) == 0.0
    behind = seat.at(50.0)
    assert cover(HandShown(seat, 450.0, 350.0, Grip.HOLD), arm, Place(*behind)) > 0.3, (
        "the arm lies over what is before it"
    )
