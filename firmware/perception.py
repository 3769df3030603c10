"""One camera over one table, live or recorded: frames in, observed facts with their pictures out.

Joins the tracker (what lies where) with the seating (whose, which zone). Used alike by the real table, the demo and
``watch``; it knows nothing of files.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.ballots import CardReader
from vision.calibrate import mat_markers
from vision.frames import Camera, Frame, FrameError, Image, open_recording
from vision.lookout import Lookout, Outlook
from vision.surface import Surface
from vision.tracker import Tracker
from vision.words import Amiss, Seen, Trouble, Word

from .config import TableConfig
from .covering import coarse, covered, grown
from .seating import Observation, Places, Seating

__all__ = ["Camera", "CardReader", "Frame", "FrameError", "Perception", "open_recording", "recorded"]

Mask = NDArray[np.uint8]

_EVIDENCE_MM: Final = 150.0
"""Side of an evidence picture on the table: the card and its neighbours."""

_RIM_MM: Final = 20.0
"""Pictures reach so far beyond the playing area: a card at its edge may lie half over it."""

_WHOLE_PX: Final = 640
"""Width of the small picture of the whole table that goes with it."""

_BACKLOG_S: Final = 0.12
"""A fact's time may lie this far before the first frame that showed its place free (two frames)."""


class Perception:
    """What one camera sees of one table. Give it every frame in order."""

    def __init__(
        self, table: TableConfig, reader: CardReader, size_px: tuple[int, int], lookout: Lookout | None = None
    ) -> None:
        """``size_px``: width and height of the camera's frames. ``lookout``: one that knows this camera already.

        :raises vision.surface.SurfaceError: if the calibration cannot be used.
        """
        self.surface = surface_of(table)
        self.lookout = lookout or lookout_over(table, size_px)
        self._bounds = _bounds(table, self.surface, size_px)
        self.tracker = Tracker(self.surface, reader, size_px)
        self.seating = Seating(Places(tuple((zone.name, zone.polygon) for zone in table.zones)))
        self.newest: Image | None = None
        """The newest frame, as from the camera's first place where that is known: what `surface` fits."""
        self._now = 0.0
        self._live = False
        self._begun = False

    def see(self, frame: Frame) -> list[Observation]:
        """The facts that this frame completes, the earliest first, each with its pictures.

        While the camera's picture cannot be believed there are none but the trouble itself.
        """
        self._live = frame.taken_ns > 0
        outlook = self.lookout.see(frame)
        self.newest = frame.image if outlook.image is None else outlook.image
        told = self._trouble_told(outlook, frame)
        if outlook.image is None:
            return told
        if outlook.fresh is not None:
            self.tracker.gate.patch(outlook.image, outlook.fresh)
        return told + self._seen(outlook.image, frame.seconds, outlook.ended is not None)

    @property
    def trouble(self) -> Amiss | None:
        """Why the picture cannot be believed now, None if it can."""
        if self.lookout.trouble is None and self.tracker.scene is not None and self.tracker.scene.blind:
            return Amiss.COVERED
        return self.lookout.trouble

    def _trouble_told(self, outlook: Outlook, frame: Frame) -> list[Observation]:
        words = []
        if outlook.began is not None:
            words.append(Trouble(outlook.began[0], max(0.0, min(outlook.began[1], self.settled_until()))))
        if outlook.ended is not None:
            words.append(Trouble(outlook.ended, frame.seconds, over=True))
        told = [one for word in words for one in self.seating.hear(word, frame.seconds)]
        return [self._with_pictures(one, frame.image) for one in told]

    def _seen(self, image: Image, seconds: float, known: bool) -> list[Observation]:
        words = self.tracker.see(image, seconds)
        self._now = seconds
        if not self._begun:
            self.seating.start([card.seen for card in self.tracker.layout])
            self._begun = True
        seen = [one for word in [*self._stood(known), *words] for one in self.seating.hear(word, seconds)]
        seen += self.seating.tick(seconds)
        return [self._with_pictures(one, image) for one in sorted(seen, key=lambda o: o.t)]

    def _stood(self, known: bool) -> list[Word]:
        """A picture that stood still while something happened, unless that trouble is ``known`` already."""
        gap = None if self.tracker.scene is None else self.tracker.scene.gap
        if gap is None or not gap.stood or known:
            return []
        return [Trouble(Amiss.OLD, gap.since_s), Trouble(Amiss.OLD, self._now, over=True)]

    def settled_until(self) -> float:
        """Everything before this time has been told: a press made before it can be judged now.

        In a recording nobody waits for an answer: while its picture stands still, cards may come that it shows later.
        """
        standing = None if self._live else self.tracker.gate.witness.standing_since()
        pending = (self.tracker.pending_since(), self.seating.pending_since(), standing)
        return min([self._now, *(t for t in pending if t is not None)]) - _BACKLOG_S

    def lying(self) -> tuple[list[Seen], Mask]:
        """The cards known to lie on the table, the lowest first, and a small mask of the picture (255: this moves, or
        is not known yet); nothing is known before the first frame and while the picture cannot be believed.
        """
        scene = self.tracker.scene
        if scene is None or self.trouble is not None:
            return [], np.full((1, 1), 255, np.uint8)
        moving = np.where((scene.changed > 0) | (scene.hand_of > 0), 255, 0).astype(np.uint8)
        return [card.seen for card in self.tracker.layout], moving

    def _with_pictures(self, one: Observation, image: Image) -> Observation:
        whole = _small(self._table(self._without_hands(image)))
        if one.place_mm is None:
            return replace(one, whole=whole)
        return replace(one, evidence=self._crop(image, one.place_mm), whole=whole)

    def _without_hands(self, image: Image) -> Image:
        """Everybody sees the pictures: what a hand over the table holds is not for everybody."""
        scene, scale = self.tracker.scene, self.surface.px_per_mm
        if scene is None or self.trouble is not None:  # where hands are is not known
            return coarse(image, scale)
        if not scene.hands:
            return image
        return covered(image, grown(np.where(scene.hand_of > 0, 255, 0).astype(np.uint8), image, scale), scale)

    def _table(self, image: Image) -> Image:
        """The table alone: who sits at it is nobody's business."""
        left, top, right, bottom = self._bounds
        return image[top:bottom, left:right]

    def _crop(self, image: Image, place_mm: tuple[float, float]) -> Image | None:
        x, y = (round(float(v)) for v in self.surface.px(place_mm))
        half = round(_EVIDENCE_MM / 2 * self.surface.px_per_mm)
        left, top, right, bottom = self._bounds
        part = image[max(y - half, top) : min(y + half, bottom), max(x - half, left) : min(x + half, right)]
        return part.copy() if part.size else None


def surface_of(table: TableConfig) -> Surface:
    """The calibrated surface of a table's settings.

    :raises vision.surface.SurfaceError: if the calibration cannot be used.
    """
    camera = table.camera
    card_mm = table.card_w_mm, table.card_h_mm
    return Surface.fit(camera.picture, camera.table, card_mm, camera.matrix, camera.distortion)


def lookout_over(table: TableConfig, size_px: tuple[int, int]) -> Lookout:
    """Who tells whether this table's camera can be believed; it knows where the mat's markers were calibrated to be.

    :raises vision.surface.SurfaceError: if the calibration cannot be used.
    """
    surface = surface_of(table)
    marks = {mark.id: surface.px(mark.corners_mm) for mark in mat_markers(table.width_mm, table.height_mm)}
    return Lookout(surface, size_px, marks)


def _bounds(table: TableConfig, surface: Surface, size_px: tuple[int, int]) -> tuple[int, int, int, int]:
    """The part of the picture that holds the table and a rim: left, top, right, bottom in px."""
    wide, high, rim = table.width_mm, table.height_mm, _RIM_MM
    # points all over it, because the lens may bend a straight edge
    edges = [(x, y) for x in np.linspace(-rim, wide + rim, 9) for y in np.linspace(-rim, high + rim, 9)]
    left, top = np.floor(surface.px(edges).min(axis=0))
    right, bottom = np.ceil(surface.px(edges).max(axis=0))
    return max(0, int(left)), max(0, int(top)), min(size_px[0], int(right)), min(size_px[1], int(bottom))


def recorded(folder: Path) -> Camera:
    """The camera of a recording's folder.

    :raises vision.frames.RecordingError: if it has no readable frames.
    """
    return open_recording(folder)


def _small(image: Image) -> Any:
    high, wide = image.shape[:2]
    scale = min(1.0, _WHOLE_PX / wide)
    return np.asarray(cv2.resize(image, (round(wide * scale), round(high * scale)), interpolation=cv2.INTER_AREA))
