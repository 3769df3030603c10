"""The bench's table is what it says, and memory is passed over; no figure is judged here."""

from __future__ import annotations

import numpy as np

from tests.bench.perception import beside, laid_out, memory_pass_ms


def test_the_table_has_as_many_cards_as_it_says():
    for count in (8, 52):
        session = laid_out((1280, 960), count)
        assert len(session.timeline.cards_at(0.5)) == count - 1
        assert len(session.timeline.cards_at(session.timeline.end_s)) == count
        layout = next(zone for zone in session.zones if zone.name == "layout")
        assert all(layout.holds(c.place.x_mm, c.place.y_mm) for c in session.timeline.cards_at(session.timeline.end_s))


def test_a_frame_stands_beside_a_pass_of_memory_where_no_detector_is():
    image = np.zeros((600, 800, 3), np.uint8)
    assert memory_pass_ms(image) >= 0
    assert beside(image, None)[0] == "one pass of memory"
