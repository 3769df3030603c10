"""What the camera sees, for setting up: the picture with zones, readings and hints, made only when somebody looks.

The loop leaves a frame when one was asked for; reading, covering and packing are done in the asker's thread, at most
every `GAP_S`. While a game is on, nothing is shown that the table does not show everybody: sharp are only cards that
lie there (as the tracker knows them), and all else, hands and what they hold above all, is grey and coarse.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Condition as Bell
from threading import Lock
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.ballots import Ballots, CardReader
from vision.calibrate import condition
from vision.surface import Surface, SurfaceError

from .config import TableConfig
from .covering import coarse, covered, grown
from .perception import Perception, surface_of

Image = NDArray[np.uint8]
Mask = NDArray[np.uint8]

GAP_S: Final = 0.7
"""A new picture at most so often, however many look: reading one costs a Pi half a second."""

PATIENCE_S: Final = 2.0
"""Longest wait for the loop to leave a frame; a camera gives several a second."""

WIDE_PX: Final = 1280
"""Widest picture sent."""

QUALITY: Final = 80
"""JPEG quality: an index stays readable, a picture is about 120 kB."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Lies:
    """A card that is known to lie on the table: what it shows, how surely, and its corners, mm."""

    card: str
    confidence: float
    outline_mm: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Left:
    """What the loop leaves: a BGR frame; while a game is on, the cards that lie there and the mask of what moves."""

    image: Image
    lying: tuple[Lies, ...] | None = None
    moving: Mask | None = None


@dataclass(slots=True)
class Viewfinder:
    """The page's `CameraView` over the loop's camera. ``leave`` is the loop's, the rest may be called by any thread."""

    config: TableConfig
    reader: CardReader
    clock: Callable[[], float] = time.monotonic
    patience_s: float = PATIENCE_S
    _bell: Bell = field(default_factory=Bell)
    _wanted: bool = False
    _left: Left | None = None
    _turn: Lock = field(default_factory=Lock)
    _shown: tuple[float, Json, bytes] | None = None

    def leave(self, image: Image, perception: Perception | None) -> None:
        """A frame came (BGR); ``perception`` of the game that is on, or None. Costs nothing while nobody looks."""
        if not self._wanted:
            return
        left = Left(image.copy()) if perception is None else _in_play(image, perception)
        with self._bell:
            self._left, self._wanted = left, False
            self._bell.notify_all()

    def look(self) -> Json:
        """See `CameraView`."""
        shown = self._newest()
        return shown[1] if shown else {"cards": [], "zones": [], "hints": [_hint("NO_PICTURE", NO_PICTURE)]}

    def picture(self) -> bytes | None:
        """See `CameraView`."""
        shown = self._newest()
        return shown[2] if shown else None

    def _newest(self) -> tuple[float, Json, bytes] | None:
        """The newest view, made anew where it is older than `GAP_S`; one thread makes it, the others wait for it."""
        with self._turn:
            if self._shown is None or self.clock() - self._shown[0] >= GAP_S:
                left = self._ask()
                made = None if left is None else shown(left, self.config, self.reader)
                self._shown = made and (self.clock(), *made)  # the time when it was ready: its picture is fetched next
            return self._shown

    def _ask(self) -> Left | None:
        with self._bell:
            self._left, self._wanted = None, True
            self._bell.wait_for(lambda: self._left is not None, self.patience_s)
            left, self._left = self._left, None
            return left


NO_PICTURE: Final = "No picture comes from the camera; see cardtable check."
COVERED: Final = "A game is on: hands, and all that does not lie open on the table, are covered."
UNREAD: Final = "Cards with ? cannot be read: turn them to the light, or straighten them."
UNCALIBRATED: Final = "The table's corners are not known: cardtable calibrate."


def shown(left: Left, config: TableConfig, reader: CardReader) -> tuple[Json, bytes]:
    """The view of a frame in words (see `CameraView`), and its picture as JPEG."""
    view = _View(left, config, reader)
    return view.words(), view.jpeg()


@dataclass(frozen=True)
class _View:
    """One frame being made ready."""

    left: Left
    config: TableConfig
    reader: CardReader

    @cached_property
    def surface(self) -> Surface | None:
        try:
            return surface_of(self.config)
        except SurfaceError:
            return None

    @property
    def scale(self) -> float:
        """Picture sent to picture taken."""
        return min(1.0, WIDE_PX / float(self.left.image.shape[1]))

    @cached_property
    def lying(self) -> tuple[Lies, ...]:
        """The cards: the game's own where one is on, else read from this frame alone."""
        if self.left.lying is not None or self.surface is None:
            return self.left.lying or ()
        seen = Ballots(self.surface, self.reader).look(self.left.image)
        card_mm = self.config.card_w_mm, self.config.card_h_mm
        named = [(one, one.named(self.reader.threshold)) for one in seen]
        return tuple(Lies(name, one.confidence, one.pose.outline(card_mm)) for one, name in named)

    def words(self) -> Json:
        high, wide = self.left.image.shape[:2]
        size = {"width_px": round(wide * self.scale), "height_px": round(high * self.scale)}
        if self.surface is None:
            return {**size, "cards": [], "zones": [], "hints": [_hint("UNCALIBRATED", UNCALIBRATED)]}
        found = condition(self.left.image, self.surface, (self.config.width_mm, self.config.height_mm))
        hints = [
            _hint(one.what.upper(), f"{one.what.capitalize()}: {one.words}.") for one in found.findings if not one.good
        ]
        return {
            **size,
            "focus": round(found.focus, 3),
            "glare": round(found.glare, 4),
            "cards": [
                {"card": one.card, "confidence": round(one.confidence, 3), "corners_px": self._px(one.outline_mm)}
                for one in self.lying
            ],
            "zones": [{"name": zone.name, "polygon_px": self._px(zone.polygon)} for zone in self.config.zones],
            "hints": [*self._notes(), *hints],
        }

    def _notes(self) -> list[Json]:
        covered = [_hint("COVERED", COVERED)] if self.left.lying is not None else []
        return covered + ([_hint("UNREAD", UNREAD)] if any(one.card == "?" for one in self.lying) else [])

    def _px(self, points_mm: Sequence[Sequence[float]] | NDArray[np.float64]) -> list[list[float]]:
        """Places on the table as places in the picture that is sent, px."""
        if self.surface is None:
            return []
        return [[round(float(v) * self.scale, 1) for v in point] for point in self.surface.px(points_mm)]

    def jpeg(self) -> bytes:
        image = self.left.image if self.left.lying is None else self._covered()
        if self.scale < 1.0:
            image = np.asarray(cv2.resize(image, None, fx=self.scale, fy=self.scale, interpolation=cv2.INTER_AREA))
        done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        return data.tobytes() if done else b""

    def _covered(self) -> Image:
        """The picture with everything covered but the cards that lie there and nothing moves over."""
        image, surface = self.left.image, self.surface
        if surface is None or self.left.moving is None:
            return coarse(image, 1.0)
        hidden = np.full(image.shape[:2], 255, np.uint8)
        for one in self.lying:
            cv2.fillConvexPoly(hidden, np.rint(surface.px(one.outline_mm)).astype(np.int32), (0,))
        return covered(image, hidden | grown(self.left.moving, image, surface.px_per_mm), surface.px_per_mm)


def _in_play(image: Image, perception: Perception) -> Left:
    """The frame with what the game knows of it, copied: the loop goes on with its own."""
    cards, moving = perception.lying()
    card_mm = perception.surface.card_mm
    lying = tuple(Lies(card.face, 1.0, card.pose.outline(card_mm)) for card in cards)
    newest = image if perception.newest is None else perception.newest  # put right where the camera was nudged
    return Left(newest.copy(), lying, moving)


def _hint(code: str, words: str) -> Json:
    return {"code": code, "words": words}
