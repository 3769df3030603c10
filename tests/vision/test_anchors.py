"""Anchors: what a plain cloth shows is noise, and noise is no place."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision import anchors

SIZE = (320, 240)


def film(table: np.ndarray, sigma: float, frames: int, seed: int) -> list[np.ndarray]:
    """Coarse pictures of a still table, float [h, w] grey, with a sensor's noise."""
    random = np.random.default_rng(seed)
    return [np.clip(table + random.normal(0, sigma, table.shape), 0, 255).astype(np.uint8) for _ in range(frames)]


def cloth(contrast: float, seed: int) -> np.ndarray:
    """A white cloth with a weave of so many grey levels."""
    weave = cv2.GaussianBlur(np.random.default_rng(seed).normal(0, 1, SIZE[::-1]), (0, 0), 1.5)
    return np.asarray(220 + contrast * weave / weave.std())


@pytest.mark.parametrize("sigma", [1.5, 3.0])
def test_plain_cloth_has_no_anchors(sigma: float) -> None:
    """Each of six pictures is a sixth of their mean: that alone correlates by 0.4."""
    pictures = film(cloth(0.0, 1), sigma, 6, 2)
    at = anchors.places(pictures[0], np.zeros((0, 2)))
    assert len(at) > 20
    assert len(anchors.take(pictures, at)) == 0


@pytest.mark.parametrize("contrast", [2.0, 3.0, 6.0])
def test_anchors_are_as_like_themselves_in_later_pictures_as_they_were_at_first(contrast: float) -> None:
    """What is held to be lost is measured by it."""
    pictures = film(cloth(contrast, 3), 2.0, 30, 4)
    some = anchors.take(pictures[:6], anchors.places(pictures[0], np.zeros((0, 2))))
    later = np.mean([anchors.look(picture, some).score for picture in pictures[6:]], axis=0)
    assert len(some) > 20
    assert float(np.abs(later - some.base).mean()) < 0.03
