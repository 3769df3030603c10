"""A camera that is not there: the frames of a simulated session at a steady rate, and its presses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Frame, each

from .scene import Scene
from .session import RATE_HZ, Session
from .timeline import Press

_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Incident:
    """Trouble with the camera or the room from ``from_s`` to ``to_s``.

    The camera is nudged by ``shift_px`` and ``turn_deg`` and comes nearer by the factor ``zoom``; the light changes by
    ``gain`` (0: the lens is covered); the picture is out of focus by ``blur_px``; ``lost``: no frame comes at all;
    ``standing``: the last one comes again and again.
    """

    from_s: float
    to_s: float = math.inf
    shift_px: tuple[float, float] = (0.0, 0.0)
    turn_deg: float = 0.0
    zoom: float = 1.0
    gain: float = 1.0
    blur_px: float = 0.0
    lost: bool = False
    standing: bool = False

    def holds(self, seconds: float) -> bool:
        """Whether it is so at this time."""
        return self.from_s <= seconds < self.to_s

    def spoil(self, image: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The picture as it looks under this trouble, BGR uint8."""
        h, w = image.shape[:2]
        if self.shift_px != (0.0, 0.0) or self.turn_deg or self.zoom != 1.0:
            moved = np.asarray(cv2.getRotationMatrix2D((w / 2, h / 2), -self.turn_deg, self.zoom), float)
            moved[:, 2] += np.asarray(self.shift_px)
            image = cv2.warpAffine(image, moved, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        if self.blur_px > 0:
            image = cv2.GaussianBlur(image, (0, 0), self.blur_px)
        return np.asarray(image if self.gain == 1.0 else cv2.convertScaleAbs(image, alpha=self.gain))


@dataclass(slots=True)
class SimulatedCamera:
    """Looks at a simulated table (a `vision.frames.Camera`): drawn as fast as the processor can, in simulated time.

    It ends by itself after the last act, like a recording.
    """

    scene: Scene
    rate_hz: float
    index: int = 0
    incidents: tuple[Incident, ...] = ()
    last: npt.NDArray[Any] | None = None

    @classmethod
    def over(
        cls,
        session: Session,
        rate_hz: float = RATE_HZ,
        swap: Mapping[str, str] | None = None,
        from_s: float = 0.0,
        incidents: tuple[Incident, ...] = (),
    ) -> SimulatedCamera:
        """A camera over the session's table, its first frame at ``from_s``.

        ``swap`` (``{"7H": "8H"}``) draws another face on a card behind the script's back: the proof that what the
        referee says follows the picture.

        :raises ValueError: if the rate is not between 1 and 60 frames a second.
        """
        if not 1.0 <= rate_hz <= 60.0:
            raise ValueError(f"a simulated camera gives 1 to 60 frames a second, not {rate_hz:g}")
        return cls(session.scene(dict(swap or {})), rate_hz, round(from_s * rate_hz), incidents)

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of every frame."""
        return self.scene.view.size_px

    @property
    def count(self) -> int:
        """How many frames the whole session has."""
        return int(self.scene.timeline.end_s * self.rate_hz) + 1

    @property
    def presses(self) -> tuple[Press, ...]:
        """The buttons that people press, in order of time."""
        return self.scene.timeline.presses

    def read(self) -> Frame | None:
        """The next frame; None when the session has ended."""
        now = [i for i in self.incidents if i.holds(self._seconds)]
        while self.index < self.count and any(i.lost for i in now):
            self.index += 1
            now = [i for i in self.incidents if i.holds(self._seconds)]
        return None if self.index >= self.count else self._picture(now)

    def linger(self) -> Frame:
        """One frame more, all being played or not: the table as it lies then."""
        return self._picture(())

    def _picture(self, now: Iterable[Incident]) -> Frame:
        now = tuple(now)
        image = self.last
        if image is None or not any(incident.standing for incident in now):
            image = self.last = self.scene.draw(self._seconds)
        for incident in now:
            image = incident.spoil(image)
        frame = Frame(image, self._seconds, self.index, round(self._seconds * _NS))
        self.index += 1
        return frame

    @property
    def _seconds(self) -> float:
        return round(self.index / self.rate_hz, 4)

    def close(self) -> None:
        """Nothing is held open."""

    def __iter__(self) -> Iterator[Frame]:
        return each(self)
