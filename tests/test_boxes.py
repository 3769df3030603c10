"""Boxes are drawn on copies, and only where somebody asks."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from firmware.boxes import with_boxes
from vision.reader import Reading
from vision.stills import BadPicture


class OneCard:
    """Reads the same card in every picture."""

    def read(self, image: np.ndarray, card_px: float | None = None) -> list[Reading]:
        corners = np.array([[40, 30], [100, 30], [100, 120], [40, 120]], float)
        return [Reading("7H", 0.97, corners, ())]


def test_a_copy_has_the_box_and_the_evidence_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / f"{'ab' * 32}.jpg"
    path.write_bytes(cv2.imencode(".jpg", np.full((160, 200, 3), 120, np.uint8))[1].tobytes())
    before = path.read_bytes()
    (made,) = with_boxes([path, path], OneCard(), tmp_path / "out" / "boxes")
    assert path.read_bytes() == before
    assert made.parent == tmp_path / "out" / "boxes"
    drawn = cv2.imread(str(made))
    assert drawn[75, 40, 2] > 180 > drawn[75, 40, 0], "the card's left edge is red"
    assert abs(int(drawn[75, 70, 2]) - 120) < 20, "the card itself can still be seen"


def test_a_picture_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.jpg").write_bytes(b"\xff\xd8\xff\xd9")
    with pytest.raises(BadPicture, match=r"x\.jpg"):
        list(with_boxes([tmp_path / "x.jpg"], OneCard(), tmp_path))
