"""Seats, zones, places and the view: the numbers of the table contract."""

from __future__ import annotations

import math

import numpy as np
import pytest

from firmware.simulator import geometry
from firmware.simulator.geometry import Place


def test_four_seats_go_clockwise_from_the_bottom():
    bottom, left, top, right = geometry.seats(4)
    assert bottom.edge == (450.0, 700.0)
    assert left.edge == (0.0, 350.0)
    assert top.edge == (450.0, 0.0)
    assert right.edge == (900.0, 350.0)
    assert [seat.number for seat in (bottom, left, top, right)] == [1, 2, 3, 4]


def test_three_seats_leave_the_far_side_empty():
    assert [seat.edge for seat in geometry.seats(3)] == [(450.0, 700.0), (0.0, 350.0), (900.0, 350.0)]


@pytest.mark.parametrize("count", range(2, 9))
def test_seats_run_clockwise_and_look_inwards(count):
    seats = geometry.seats(count)
    turns = [math.atan2(s.edge[0] - 450.0, -(s.edge[1] - 350.0)) for s in seats]
    steps = np.diff(turns) % (2 * math.pi)
    assert np.all(steps > 0), "clockwise as the camera sees it"
    assert steps.sum() < 2 * math.pi
    for seat in seats:
        x, y = seat.at(50.0)
        assert 0 < x < 900
        assert 0 < y < 700


def test_nobody_sits_alone_or_nine_deep():
    for count in (0, 1, 9):
        with pytest.raises(ValueError, match="2 to 8 players"):
            geometry.seats(count)


@pytest.mark.parametrize("count", range(2, 9))
@pytest.mark.parametrize("deep", [False, True])
def test_zones_lie_on_the_table_and_those_of_seats_apart(count, deep):
    zones = geometry.zones(count, deep)
    for zone in zones:
        left, top, right, bottom = zone.rect
        assert 0 <= left < right <= 900
        assert 0 <= top < bottom <= 700
    mine = [z.rect for z in zones if z.name.startswith("seat")]
    assert len(mine) == count
    for k, a in enumerate(mine):
        for b in mine[k + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_a_card_s_corners_go_clockwise_from_its_own_top_left():
    upright = Place(100.0, 200.0).corners()
    assert np.allclose(upright, [[68.5, 156.0], [131.5, 156.0], [131.5, 244.0], [68.5, 244.0]])
    seen_from_the_left = Place(100.0, 200.0, 90.0).corners()
    assert np.allclose(seen_from_the_left[0], [144.0, 168.5]), "its top points right"


def test_the_view_s_numbers_and_its_matrix_agree():
    view = geometry.view((2304, 1296), seed=4)
    assert np.allclose(geometry.project(view.matrix, view.table_corners), view.picture, atol=0.01)
    assert all(0 <= x <= 2304 and 0 <= y <= 1296 for x, y in view.picture)


def test_cards_are_about_80_px_wide_at_1280():
    assert 70 < geometry.view().px_per_mm * 63 < 85
