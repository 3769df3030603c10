"""Evidence pictures show the table and nobody at it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from firmware.config import Calibration
from firmware.perception import Perception
from firmware.referee.cards import Card
from firmware.referee.events import Laid
from firmware.seating import Observation

from .test_watch import MM, TABLE

SIZE = (1000, 800)
#: The table takes the middle of the picture, somewhat turned and askew; round it sit people.
PICTURE = ((210.0, 150.0), (790.0, 170.0), (810.0, 640.0), (190.0, 610.0))
RIM_PX = 25


@pytest.mark.parametrize("place_mm", [None, (450.0, 350.0), (5.0, 5.0), (890.0, 690.0)])
def test_pictures_are_cut_to_the_table(place_mm: tuple[float, float] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Perception, "_without_hands", lambda perception, image: image)  # no hand is in this picture
    table = replace(TABLE, camera=Calibration(PICTURE, MM))
    reader: Any = SimpleNamespace(threshold=0.9)
    perception = Perception(table, reader, SIZE)
    image = np.full((SIZE[1], SIZE[0], 3), 255, np.uint8)  # people are white, the table is grey
    image[150 - RIM_PX : 640 + RIM_PX, 190 - RIM_PX : 810 + RIM_PX] = 90
    seen = Observation(Laid(Card.parse("7H"), "layout", 1), 1.0, 1.1, place_mm=place_mm)
    shown = perception._with_pictures(seen, image)
    assert shown.whole is not None
    assert shown.whole.max() == 90
    assert shown.whole.shape[1] > 580
    if place_mm is not None:
        assert shown.evidence is not None
        assert shown.evidence.size
        assert shown.evidence.max() == 90
