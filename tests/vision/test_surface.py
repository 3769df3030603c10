"""Pixels to millimetres and back."""

from __future__ import annotations

import numpy as np
import pytest

from vision.surface import Surface, SurfaceError

TABLE = [[0, 0], [900, 0], [900, 700], [0, 700]]
PICTURE = [[90.6, 59.0], [1187.2, 59.2], [1186.3, 918.1], [84.8, 909.5]]
POINTS = np.array([[0, 0], [450, 350], [880, 20], [13, 690]], float)


def test_calibrated_places_map_to_themselves() -> None:
    assert np.allclose(Surface.fit(PICTURE, TABLE).mm(PICTURE), TABLE, atol=0.01)


def test_there_and_back() -> None:
    surface = Surface.fit(PICTURE, TABLE)
    assert np.allclose(surface.mm(surface.px(POINTS)), POINTS, atol=1e-6)


def test_there_and_back_through_a_bent_lens() -> None:
    matrix = (1150.0, 0, 640, 0, 1150.0, 480, 0, 0, 1)
    surface = Surface.fit(PICTURE, TABLE, (63, 88), matrix, (-0.12, 0.03, 0, 0, 0))
    assert np.allclose(surface.mm(surface.px(POINTS)), POINTS, atol=0.2)
    straight = Surface.fit(PICTURE, TABLE)
    assert not np.allclose(surface.px([[450.0, 100.0]]), straight.px([[450.0, 100.0]]), atol=1.0)


def test_no_points_are_no_points() -> None:
    bent = Surface.fit(PICTURE, TABLE, (63, 88), (1150.0, 0, 640, 0, 1150.0, 480, 0, 0, 1), (-0.12, 0.03, 0, 0, 0))
    assert bent.mm(np.zeros((0, 2))).shape == bent.px(np.zeros((0, 2))).shape == (0, 2)


def test_scale() -> None:
    surface = Surface.fit([[0, 0], [1800, 0], [1800, 1400], [0, 1400]], TABLE)
    assert surface.px_per_mm == pytest.approx(2.0)
    assert surface.card_px == pytest.approx(126.0)


@pytest.mark.parametrize(
    ("picture", "table", "words"),
    [
        (PICTURE[:3], TABLE[:3], "four or more"),
        (PICTURE, TABLE[:3], "the same four"),
        ([[0, 0], [1, 1], [2, 2], [3, 3]], TABLE, "one line"),
        (PICTURE[::-1], TABLE, None),  # mirrored, still a map of a flat table
        ([PICTURE[0], PICTURE[2], PICTURE[1], PICTURE[3], [600, 400]], [*TABLE, [450, 350]], "do not belong together"),
    ],
)
def test_unusable_calibration_is_one_line(
    picture: list[list[float]], table: list[list[float]], words: str | None
) -> None:
    if words is None:
        Surface.fit(picture, table)
        return
    with pytest.raises(SurfaceError, match=words) as error:
        Surface.fit(picture, table)
    assert "\n" not in str(error.value)
