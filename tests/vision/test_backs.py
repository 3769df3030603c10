"""Cards without an index in a still picture: backs, faces that cannot be read, and what is no card."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.sheet import card_picture
from vision.backs import cards_by_shape
from vision.reader import Reading

CLOTH = (60, 100, 40)
CARD_PX = 120


def _table() -> np.ndarray:
    noise = np.random.default_rng(3).normal(0, 3, (600, 800, 3))
    return np.clip(np.array(CLOTH) + noise, 0, 255).astype(np.uint8)


def _back(wide: int = CARD_PX, high: int = 168) -> np.ndarray:
    """A white border round a blue lattice."""
    face = np.full((high, wide, 3), 245, np.uint8)
    cv2.rectangle(face, (10, 10), (wide - 11, high - 11), (150, 60, 30), -1)
    for x in range(10, wide - 10, 12):
        cv2.line(face, (x, 10), (x, high - 11), (190, 120, 90), 1)
    return face


def _laid(table: np.ndarray, card: np.ndarray, x: float, y: float, angle: float) -> np.ndarray:
    """The card with its middle at (x, y), turned by ``angle`` degrees: its corners [4, 2] px."""
    high, wide = card.shape[:2]
    turn = cv2.getRotationMatrix2D((wide / 2, high / 2), -angle, 1)
    turn[:, 2] += (x - wide / 2, y - high / 2)
    size = table.shape[1], table.shape[0]
    mask = cv2.warpAffine(np.full((high, wide), 255, np.uint8), turn, size)
    table[mask > 127] = cv2.warpAffine(card, turn, size)[mask > 127]
    corners = np.array([[0, 0, 1], [wide, 0, 1], [wide, high, 1], [0, high, 1]], float)
    return np.asarray(corners @ turn.T, float)


@pytest.mark.parametrize("angle", [0, 17, 90, 133])
def test_a_free_back_is_a_back(angle: float) -> None:
    """At any angle, and its corners are the card's own, clockwise."""
    table = _table()
    corners = _laid(table, _back(), 400, 300, angle)
    (found,) = cards_by_shape(table, [])
    assert found.card == "back"
    assert np.abs(found.corners.mean(0) - corners.mean(0)).max() < 3
    assert cv2.contourArea(found.corners.astype(np.float32)) == pytest.approx(120 * 168, rel=0.08)
    sides = np.hypot(*(np.roll(found.corners, -1, 0) - found.corners).T)
    assert sides[0] < sides[1]
    assert cv2.contourArea(found.corners.astype(np.float32), True) > 0


def test_a_face_without_an_index_is_a_question() -> None:
    """White, with something on it that is no index: a joker, a worn card."""
    table, face = _table(), np.full((168, CARD_PX, 3), 245, np.uint8)
    cv2.circle(face, (60, 84), 25, (30, 20, 200), -1)
    _laid(table, face, 300, 300, 8)
    assert [r.card for r in cards_by_shape(table, [])] == ["?"]


def test_a_card_that_was_read_is_not_told_again() -> None:
    """The back beside it is."""
    table = _table()
    corners = _laid(table, card_picture("7D"), 250, 300, 5)
    _laid(table, _back(), 550, 300, -20)
    read = Reading("7D", 0.99, corners, ())
    assert [r.card for r in cards_by_shape(table, [read])] == ["back"]


@pytest.mark.parametrize(("wide", "high"), [(120, 120), (120, 300), (300, 420)])
def test_what_has_not_a_cards_shape_or_size_is_none(wide: int, high: int) -> None:
    """A coaster, a ruler, a book beside a card that was read."""
    table = _table()
    corners = _laid(table, card_picture("7D"), 150, 300, 0)
    _laid(table, _back(wide, high), 520, 300, 10)
    assert cards_by_shape(table, [Reading("7D", 0.99, corners, ())]) == []


def test_a_card_cut_off_by_the_picture_is_none() -> None:
    """Its shape is not to be seen."""
    table = _table()
    _laid(table, _back(), 780, 300, 0)
    assert cards_by_shape(table, []) == []


def test_a_black_back_on_white_is_a_back() -> None:
    """Black packs have black backs."""
    table = np.full((600, 800, 3), 230, np.uint8)
    _laid(table, np.full((168, CARD_PX, 3), 25, np.uint8), 400, 300, 30)
    assert [r.card for r in cards_by_shape(table, [])] == ["back"]
