"""Picture <-> millimetres: where a pixel of the overhead picture lies on the table, and back.

Plain geometry with the lens taken out. It sees no picture and knows no card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LEAST_POINTS = 4
"""A homography has eight unknowns: four places, two numbers each."""

_FLAT = 1e-12
"""A homography with a smaller determinant maps the table to a line."""

_WORST_FIT_MM = 15.0
"""Calibration places that miss by more than this (a quarter of a card) are in the wrong order or mistyped."""


class SurfaceError(ValueError):
    """The calibration cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Surface:
    """A flat table under a camera.

    ``to_mm`` and ``to_px`` are 3x3 homographies between undistorted pixels and millimetres; ``matrix`` (3x3) and
    ``distortion`` [5] describe the lens, None means a lens without distortion.
    """

    to_mm: Floats
    to_px: Floats
    middle_mm: tuple[float, float]
    card_mm: tuple[float, float] = (63.0, 88.0)
    matrix: Floats | None = None
    distortion: Floats | None = None

    @classmethod
    def fit(
        cls,
        picture: Sequence[Sequence[float]],
        table: Sequence[Sequence[float]],
        card_mm: tuple[float, float] = (63.0, 88.0),
        matrix: Sequence[float] = (),
        distortion: Sequence[float] = (),
    ) -> Surface:
        """The surface through the same places in ``picture`` (px) and on the ``table`` (mm), four or more.

        :raises SurfaceError: if there are too few places, or they do not fit one flat table.
        """
        if len(picture) != len(table) or len(picture) < _LEAST_POINTS:
            raise SurfaceError(
                f"[camera]: {len(picture)} places in the picture and {len(table)} on the table; "
                "give the same four or more of both, or run `cardtable calibrate`"
            )
        lens = np.asarray(matrix, float).reshape(3, 3) if len(matrix) else None
        bend = np.asarray(distortion, float) if len(distortion) else None
        px = _undistorted(np.asarray(picture, float), lens, bend)
        mm = np.asarray(table, float)
        found: Any = cv2.findHomography(px, mm, 0)[0]
        to_mm: Floats = np.zeros((3, 3)) if found is None else np.asarray(found, float)
        if not np.isfinite(to_mm).all() or abs(np.linalg.det(to_mm)) < _FLAT:
            raise SurfaceError("[camera]: the places lie on one line; run `cardtable calibrate` again")
        if np.abs(project(to_mm, px) - mm).max() > _WORST_FIT_MM:
            raise SurfaceError("[camera]: the places in the picture and on the table do not belong together; calibrate")
        depth = np.c_[px, np.ones(len(px))] @ to_mm[2]
        if depth.min() * depth.max() <= 0:
            raise SurfaceError(
                "[camera]: the places cross over; name them in the same order round the table in picture and table"
            )
        middle = mm.mean(0)
        back: Floats = np.asarray(np.linalg.inv(to_mm), float)
        return cls(to_mm, back, (float(middle[0]), float(middle[1])), card_mm, lens, bend)

    def mm(self, points_px: Any) -> Floats:
        """Picture pixels [..., 2] -> millimetres [..., 2]."""
        return project(self.to_mm, self.straight(points_px))

    def px(self, points_mm: Any) -> Floats:
        """Millimetres [..., 2] -> picture pixels [..., 2]."""
        return self.bent(project(self.to_px, np.asarray(points_mm, float)))

    def straight(self, points_px: Any) -> Floats:
        """Picture pixels [..., 2] -> where a lens without distortion would show the same places, px."""
        return _undistorted(np.asarray(points_px, float), self.matrix, self.distortion)

    def bent(self, points: Any) -> Floats:
        """The other way: pixels of a lens without distortion [..., 2] -> picture pixels."""
        straight: Floats = np.asarray(points, float)
        if self.matrix is None or self.distortion is None or straight.size == 0:
            return straight
        flat = straight.reshape(-1, 2)
        rays = np.concatenate([flat, np.ones((len(flat), 1))], axis=1) @ np.linalg.inv(self.matrix).T
        found, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), self.matrix, self.distortion)
        bent: Floats = np.asarray(found, float)
        return bent.reshape(straight.shape)

    @property
    def px_per_mm(self) -> float:
        """Scale of the picture in the middle of the table."""
        x, y = self.middle_mm
        square = self.px([[x - 5, y - 5], [x + 5, y - 5], [x + 5, y + 5], [x - 5, y + 5]])
        return float(np.sqrt(cv2.contourArea(square.astype(np.float32)))) / 10.0

    @property
    def card_px(self) -> float:
        """Width of a card in picture pixels in the middle of the table."""
        return self.px_per_mm * self.card_mm[0]


def project(matrix: Floats, points: Floats) -> Floats:
    """Points [..., 2] through a homography [3, 3]."""
    flat = points.reshape(-1, 2)
    scaled = np.concatenate([flat, np.ones((len(flat), 1))], axis=1) @ matrix.T
    return np.asarray(scaled[:, :2] / scaled[:, 2:]).reshape(points.shape)


def _undistorted(points: Floats, matrix: Floats | None, distortion: Floats | None) -> Floats:
    if matrix is None or distortion is None or points.size == 0:
        return points
    flat = np.ascontiguousarray(points.reshape(-1, 1, 2))
    straight: Floats = np.asarray(cv2.undistortPoints(flat, matrix, distortion, P=matrix), float)
    return straight.reshape(points.shape)
