"""Rectangles of card size: found where they are, and nowhere else (field reports A03, A04, A05, A10, A11)."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision import outlines
from vision.pose import Pose
from vision.surface import Surface

Image = NDArray[np.uint8]
CARD_MM = (63.0, 88.0)
SURFACE = Surface.fit([[0, 0], [1280, 0], [1280, 720], [0, 720]], [[0, 0], [640, 0], [640, 360], [0, 360]])
BOX = (100.0, 60.0, 420.0, 300.0)


def felt(colour: tuple[int, int, int] = (60, 110, 40), noise: float = 2.0) -> Image:
    """The reports' FELT: 1280x720, 2 px a mm."""
    grain = np.random.default_rng(3).normal(0, noise, (720, 1280, 3))
    return np.clip(np.full((720, 1280, 3), colour, float) + grain, 0, 255).astype(np.uint8)


def put(image: Image, x: float, y: float, angle: float = 0, face: int = 240, edge: int = 190) -> None:
    """A blank card, middle at x, y mm."""
    outline = SURFACE.px(Pose(x, y, angle).outline(CARD_MM)).astype(np.int32)
    cv2.fillConvexPoly(image, outline, (face, face, face), cv2.LINE_AA)
    cv2.polylines(image, [outline], True, (edge, edge, edge), 1, cv2.LINE_AA)


def found(image: Image) -> list[outlines.Outline]:
    return outlines.find(outlines.plan(image, SURFACE, BOX), CARD_MM)


@pytest.mark.parametrize("angle", [0, 7, 33, 90, 118])
def test_one_card_is_found_where_it_lies(angle: float) -> None:
    image = felt()
    put(image, 250, 180, angle)
    (one,) = found(image)
    assert one.pose.distance(Pose(250, 180, angle)) < 2
    assert one.pose.turned(Pose(250, 180, angle), half=True) < 3


@pytest.mark.parametrize("shift_px", [20, 40, 80, 120])
def test_overlapping_cards_are_never_one_larger_card(shift_px: int) -> None:
    """A04: the merged blob still has four corners; what is reported are cards that are there."""
    image = felt()
    put(image, 220, 180)
    put(image, 220 + shift_px / 2, 180)
    for one in found(image):
        assert min(one.pose.distance(Pose(x, 180, 0)) for x in (220, 220 + shift_px / 2)) < 3


def test_glossy_corner_does_not_drag_the_card() -> None:
    """A05: a table-coloured disc of 17 mm eats the top left corner."""
    image = felt()
    put(image, 250, 180)
    corner = SURFACE.px(np.array([250 - 31.5 + 6, 180 - 44 + 6]))
    cv2.circle(image, (int(corner[0]), int(corner[1])), 34, (60, 110, 40), -1, cv2.LINE_AA)
    for one in found(image):
        assert one.pose.distance(Pose(250, 180, 0)) < 4


def test_white_table_is_no_card_and_hides_none() -> None:
    """A03 a: canvas 236, card 246 with an edge of 205."""
    image = felt((236, 236, 236), 3)
    put(image, 250, 180, face=246, edge=205)
    for one in found(image):
        assert one.pose.distance(Pose(250, 180, 0)) < 3


def test_empty_noise_has_no_card() -> None:
    """A10: flat grey and felt, noise sigma 4."""
    assert found(felt((100, 100, 100), 4)) == []
    assert found(felt(noise=4)) == []


def test_business_card_is_no_card() -> None:
    """A11: 85 x 55 mm."""
    image = felt()
    outline = SURFACE.px(Pose(250, 180, 20).outline((55.0, 85.0))).astype(np.int32)
    cv2.fillConvexPoly(image, outline, (240, 240, 240), cv2.LINE_AA)
    assert found(image) == []


def test_rim_of_an_askew_packet_is_proposed_though_it_is_larger_than_a_card() -> None:
    """Cards turned down in one grip, as seen: rounded corners, both halves of the blurred edge, 73 x 97 mm."""
    canvas = np.zeros((300, 300), np.uint8)
    cv2.rectangle(canvas, (115, 95), (190, 200), 255, -1)
    rim = cv2.dilate(canvas, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (17, 17)))
    contours, _ = cv2.findContours(rim, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    proposed = outlines._proposals(contours, CARD_MM)
    ((x, y, angle),) = proposed
    assert (x, y) == pytest.approx((152.5, 147.5), abs=0.1)
    assert angle % 180 == pytest.approx(0, abs=0.1)  # older OpenCV says 180


def test_back_and_face_are_told_apart() -> None:
    image = felt()
    put(image, 200, 180)
    put(image, 320, 180)
    inner = SURFACE.px(Pose(320, 180, 0).outline((55.0, 80.0))).astype(np.int32)
    cv2.fillConvexPoly(image, inner, (150, 80, 50), cv2.LINE_AA)
    view = outlines.plan(image, SURFACE, BOX)
    assert outlines.looks_like_face(view, Pose(200, 180, 0), CARD_MM)
    assert not outlines.looks_like_face(view, Pose(320, 180, 0), CARD_MM)


def test_card_in_tones_of_its_own_is_cut_out_wherever_the_light_falls_on_the_table() -> None:
    """Wood brighter below: cut by equal shares of the picture alone, the card is one with the bright part."""
    light = np.linspace(0.6, 1.4, 720)[:, None, None]
    image = (np.full((720, 1280, 3), (44, 66, 98)) * light).astype(np.uint8)
    put(image, 250, 300)
    view = outlines.plan(image, SURFACE, (0.0, 0.0, 640.0, 360.0))
    boxes = [view.mm(cv2.boundingRect(one)[2:]) - view.mm((0, 0)) for one in outlines._level_contours(view)]
    assert any(np.abs(box - CARD_MM).max() < 4 for box in boxes)
