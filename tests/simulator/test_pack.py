"""The drawn pack: 52 faces that differ, turned alike, with rounded corners; many styles."""

from __future__ import annotations

import numpy as np
import pytest

from firmware.simulator import glyphs, pack

CARDS = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]


def ink(face: np.ndarray) -> np.ndarray:
    """Where a face is printed: darker or redder than its paper."""
    return face[..., :3].astype(int).min(axis=2) < 150


def test_a_face_has_the_size_and_shape_of_a_poker_card():
    face = pack.face("7H", pack.Style(), 126)
    assert face.shape == (176, 126, 4)
    assert face[0, 0, 3] == 0, "the corners are round"
    assert face[88, 63, 3] == 255
    assert face.dtype == np.uint8


def test_all_faces_differ():
    faces = {card: pack.face(card, pack.Style(), 60) for card in CARDS}
    for k, one in enumerate(CARDS):
        for other in CARDS[k + 1 :]:
            gap = np.abs(faces[one].astype(int) - faces[other].astype(int)).max()
            assert gap > 60, f"{one} and {other} look alike"


@pytest.mark.parametrize("card", ["2S", "6H", "9C", "TD", "KH"])
def test_the_indices_stand_top_left_and_turned_by_180_bottom_right(card):
    face = ink(pack.face(card, pack.Style(), 252))
    top_left, bottom_right = face[10:90, 8:40], face[::-1, ::-1][10:90, 8:40]
    assert top_left.mean() > 0.1
    assert np.mean(top_left != bottom_right) < 0.02
    assert not face[10:90, -40:-8].any(), "no index top-right"


@pytest.mark.parametrize(("rank", "pips"), [*zip("A23456789T", range(1, 11), strict=True), ("J", 0), ("K", 0)])
def test_a_number_card_has_so_many_pips(rank, pips):
    assert len(glyphs.layout(rank)) == pips


@pytest.mark.parametrize(("card", "red"), [("5H", True), ("5D", True), ("5S", False), ("5C", False)])
def test_hearts_and_diamonds_are_red(card, red):
    face = pack.face(card, pack.Style(), 126)
    printed = face[..., :3][ink(face)].mean(axis=0)
    assert (printed[2] > printed[0] + 80) == red


def test_four_colours_are_four():
    four = pack.Style(four_colour=True)
    assert len({four.ink(suit) for suit in "SHDC"}) == 4
    assert len({pack.Style().ink(suit) for suit in "SHDC"}) == 2


def test_the_same_seed_draws_the_same_pack_and_another_another():
    assert pack.style(3) == pack.style(3)
    assert len({pack.style(seed) for seed in range(20)}) == 20


@pytest.mark.parametrize("lattice", ["diamonds", "scales", "dots"])
def test_a_back_has_a_light_border_and_a_pattern(lattice):
    back = pack.back(pack.Style(lattice=lattice), 126)
    assert back[88, 2, :3].min() > 150
    assert back[40:140, 20:106, :3].std() > 20


def test_six_turned_is_nine():
    six, nine = glyphs.glyph("6", False), glyphs.glyph("9", False)
    for a, b in zip(six, nine, strict=True):
        assert np.allclose(np.array([10.0, 14.0]) - a, b)
