"""A camera that is not there: the frames of a simulated session at a steady rate, and its presses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vision.frames import Frame, each

from .scene import Scene
from .session import RATE_HZ, Session
from .timeline import Press

_NS = 1_000_000_000


@dataclass(slots=True)
class SimulatedCamera:
    """Looks at a simulated table (a `vision.frames.Camera`): drawn as fast as the processor can, in simulated time.

    It ends by itself after the last act, like a recording.
    """

    scene: Scene
    rate_hz: float
    index: int = 0

    @classmethod
    def over(
        cls, session: Session, rate_hz: float = RATE_HZ, swap: Mapping[str, str] | None = None, from_s: float = 0.0
    ) -> SimulatedCamera:
        """A camera over the session's table, its first frame at ``from_s``.

        ``swap`` (``{"7H": "8H"}``) draws another face on a card behind the script's back: the proof that what the
        referee says follows the picture.

        :raises ValueError: if the rate is not between 1 and 60 frames a second.
        """
        if not 1.0 <= rate_hz <= 60.0:
            raise ValueError(f"a simulated camera gives 1 to 60 frames a second, not {rate_hz:g}")
        return cls(session.scene(dict(swap or {})), rate_hz, round(from_s * rate_hz))

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
        if self.index >= self.count:
            return None
        seconds = round(self.index / self.rate_hz, 4)
        frame = Frame(self.scene.draw(seconds), seconds, self.index, round(seconds * _NS))
        self.index += 1
        return frame

    def close(self) -> None:
        """Nothing is held open."""

    def __iter__(self) -> Iterator[Frame]:
        return each(self)
