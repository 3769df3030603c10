"""The drawn picture: still where nothing moves, cards where the view says, hands over cards, one look a seed."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from firmware.simulator import geometry, hands, pack, scene, table
from firmware.simulator.geometry import Place
from firmware.simulator.timeline import CardKey, CardTrack, HandKey, HandTrack, Timeline

SMALL = (640, 480)
CALM = table.Look(noise=0.0, props=False, light=table.Light(drift=0.0, flicker=0.0))


def drawn(cards=(), tracks=(), look=CALM, swap=None, size_px=SMALL):
    """A scene with these cards and hands."""
    timeline = Timeline(tuple(cards), tuple(tracks), (), (), 10.0)
    return scene.Scene(timeline, geometry.view(size_px), look, pack.Style(), hands.arms(4, 1), swap or {})


def lying(face, place, up=True, z=1.0, from_s=0.0, count=1):
    """A card that lies there."""
    return CardTrack(face, (CardKey(from_s, place, up, z, count=count),))


def changed(a, b):
    """Where two pictures differ clearly."""
    return np.abs(a.astype(int) - b.astype(int)).max(axis=2) > 12


def test_without_noise_two_moments_of_a_still_table_are_equal():
    one = drawn([lying("7H", Place(450, 350))])
    assert np.array_equal(one.draw(1.0), one.draw(2.0))


def test_noise_is_as_strong_as_the_look_says_and_the_same_for_the_same_moment():
    noisy = drawn(look=replace(CALM, noise=3.0))
    first, again, later = noisy.draw(1.0), noisy.draw(1.0), noisy.draw(1.1)
    assert np.array_equal(first, again)
    assert 3.0 < (first.astype(int) - later).std() < 6.0, "two noises of deviation 3 differ by about 4.2"


def test_a_card_is_drawn_where_the_view_says():
    place = Place(620, 240, 7.0)
    seen = changed(drawn([lying("7H", place)]).draw(1.0), drawn().draw(1.0))
    ys, xs = np.nonzero(seen)
    view = geometry.view(SMALL)
    centre = geometry.project(view.matrix, [(place.x_mm, place.y_mm)])[0]
    assert np.hypot(xs.mean() - centre[0], ys.mean() - centre[1]) < 1.5
    area = 63 * 88 * view.px_per_mm**2
    assert 0.9 < seen.sum() / area < 1.25, "the card, and a little shadow"


def test_swap_draws_another_face_behind_the_script_s_back():
    place = Place(450, 350)
    swapped = drawn([lying("7H", place)], swap={"7H": "8C"}).draw(1.0)
    assert np.array_equal(swapped, drawn([lying("8C", place)]).draw(1.0))
    assert not np.array_equal(swapped, drawn([lying("7H", place)]).draw(1.0))


def test_the_higher_card_lies_over_the_lower_in_whatever_order_they_came():
    low, high = lying("7H", Place(450, 350), z=1.0), lying("2S", Place(470, 360), z=2.0)
    assert np.array_equal(drawn([low, high]).draw(1.0), drawn([high, low]).draw(1.0))
    top = drawn([high]).draw(1.0)
    both = drawn([low, high]).draw(1.0)
    x, y = geometry.project(geometry.view(SMALL).matrix, [(470, 360)])[0].astype(int)
    assert np.array_equal(top[y - 20 : y + 20, x - 14 : x + 14], both[y - 20 : y + 20, x - 14 : x + 14])


def test_a_card_taken_away_leaves_the_bare_table():
    gone = CardTrack("7H", (CardKey(0.0, Place(450, 350)), CardKey(2.0, Place(450, 350), shown=False)))
    one = drawn([gone])
    assert changed(one.draw(1.0), drawn().draw(1.0)).any()
    assert np.array_equal(one.draw(3.0), drawn().draw(3.0))


def test_a_pack_shows_its_edges_and_grows_thinner():
    few, many = (drawn([lying("", Place(450, 350), up=False, count=n)]).draw(1.0) for n in (1, 30))
    bare = drawn().draw(1.0)
    assert changed(many, bare).sum() > 1.1 * changed(few, bare).sum()


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_hand_comes_from_its_own_side(number):
    seat = geometry.seats(4)[number - 1]
    tip = seat.at(200.0)
    track = HandTrack(seat, (HandKey(0.0, *tip), HandKey(9.0, *tip)))
    seen = changed(drawn(tracks=[track]).draw(1.0), drawn().draw(1.0))
    ys, xs = np.nonzero(seen)
    away = np.array([xs.mean(), ys.mean()]) - np.array(SMALL) / 2
    assert away @ -np.array(seat.ahead) > 60
    edges = {1: seen[-1], 2: seen[:, 0], 3: seen[0], 4: seen[:, -1]}
    assert edges[number].any()
    assert not any(edge.any() for side, edge in edges.items() if side != number)


def test_a_fast_hand_is_smeared():
    seat = geometry.seats(4)[0]
    fast = HandTrack(seat, (HandKey(0.0, *seat.at(0.0)), HandKey(0.4, *seat.at(400.0))))
    there = fast.at(0.2)
    slow = HandTrack(seat, (HandKey(0.0, there.x_mm, there.y_mm), HandKey(9.0, there.x_mm, there.y_mm)))
    sharp, smeared = (np.abs(np.diff(drawn(tracks=[t]).draw(0.2).astype(int), axis=0)).max() for t in (slow, fast))
    assert smeared < 0.8 * sharp


@pytest.mark.parametrize("surface", list(table.Surface))
def test_every_surface_can_be_drawn_in_any_size(surface):
    look = table.look(5, surface)
    for size_px in ((640, 480), (812, 610)):
        picture = table.draw(look, geometry.view(size_px))
        assert picture.shape == (size_px[1], size_px[0], 3)
        assert picture.dtype == np.uint8
        assert 1.0 < picture.std() < 70.0


def test_twenty_rooms_are_twenty():
    assert len({table.look(seed) for seed in range(20)}) == 20
    assert table.look(3) == table.look(3)


def test_light_falls_off_to_the_side_it_is_told():
    field = table.light_map(table.Light(level=1.0, slope=0.4, towards_deg=0.0, vignette=0.0), geometry.view(SMALL))
    assert field[:, -1].mean() < 0.7 * field[:, 0].mean()


def test_still_frames_cost_little_because_the_lying_cards_are_kept():
    spots = [(k, j) for j in range(4) for k in range(13)]
    cards = [lying("A23456789TJQK"[k] + "SHDC"[j], Place(150 + 45 * k, 150 + 110 * j), z=k + 13 * j) for k, j in spots]
    one = drawn(cards)
    costs = []
    for t in (1.0, 2.0, 3.0, 4.0, 5.0):
        begin = time.process_time()
        one.draw(t)
        costs.append(time.process_time() - begin)
    assert min(costs[1:]) < costs[0] / 5


def test_a_lamp_s_mirror_image_whitens_cards_and_cloth_where_it_is_told():
    place = Place(450, 350)
    calm = drawn([lying("7H", place)]).draw(1.0)
    glaring = replace(CALM, light=replace(CALM.light, glare=0.5, glare_at=(0.5, 0.5)))
    lit = drawn([lying("7H", place)], look=glaring).draw(1.0)
    high, wide = calm.shape[:2]
    middle, corner = np.s_[high // 2 - 5 : high // 2 + 5, wide // 2 - 5 : wide // 2 + 5], np.s_[:30, :30]
    assert lit[middle].mean() > calm[middle].mean() + 0.3 * (255 - calm[middle].mean())
    assert np.array_equal(lit[corner], calm[corner])
