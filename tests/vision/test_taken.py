"""Cards taken up are remembered as long as they can be known again, and no longer: an evening must fit into memory."""

from __future__ import annotations

import numpy as np

from vision.layout import Lying
from vision.pose import Pose
from vision.taken import TakenUp

MASK = np.zeros((4, 4), np.uint8)


def card(number: int, face: str) -> Lying:
    """A card that lay somewhere."""
    return Lying(number, face, Pose(100, 100, 0), MASK, 0.0)


def test_nameless_cards_are_forgotten_and_faces_are_not() -> None:
    taken = TakenUp()
    for minute in range(60):
        taken.add([card(3 * minute, "back"), card(3 * minute + 1, "?")], 60.0 * minute, None)
        taken.add([card(3 * minute + 2, ("7H", "8S")[minute % 2])], 60.0 * minute, None)
    assert len(taken._cards) <= 4
    assert taken.face("7H") is not None
    assert taken.face("8S") is not None


def test_a_face_taken_up_again_is_there_once() -> None:
    taken = TakenUp()
    for minute in range(60):
        taken.add([card(minute, "7H")], 60.0 * minute, None)
    newest = taken.face("7H")
    assert newest is not None
    assert newest.card.id == 59
    assert len(taken._cards) == 1
