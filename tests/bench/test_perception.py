"""The bench's table is what it says, and memory is passed over; no figure is judged here."""

from __future__ import annotations

import numpy as np

from tests.bench.perception import laid_out, memory_pass_ms, yolo_ms


def test_the_table_has_as_many_cards_as_it_says():
    for count in (8, 52):
        session = laid_out((1280, 960), count)
        assert len(session.timeline.cards_at(0.5)) == count - 1
        assert len(session.timeline.cards_at(session.timeline.end_s)) == count
        layout = next(zone for zone in session.zones if zone.name == "layout")
        assert all(layout.holds(c.place.x_mm, c.place.y_mm) for c in session.timeline.cards_at(session.timeline.end_s))


def test_memory_is_passed_over_and_what_is_not_installed_is_left_out(monkeypatch):
    assert memory_pass_ms(np.zeros((600, 800, 3), np.uint8)) >= 0
    monkeypatch.setenv("CARDTABLE_YOLO_PYTHON", "/nowhere/python")
    assert yolo_ms([(640, 480)]) == {}
