"""A camera that is not there: the frames of a simulated session at a steady rate, and its presses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from vision.frames import Frame

from .session import RATE_HZ, Session
from .timeline import Press


@dataclass(frozen=True, slots=True)
class SimulatedCamera:
    """Looks at a simulated table; drawn as fast as the processor can, stamped in simulated seconds.

    ``swap`` (``{"7H": "8H"}``) draws another face on a card behind the script's back: the proof that what the
    referee says follows the picture.
    """

    session: Session
    rate_hz: float = RATE_HZ
    swap: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 1.0 <= self.rate_hz <= 60.0:
            raise ValueError(f"a simulated camera gives 1 to 60 frames a second, not {self.rate_hz}")

    @property
    def count(self) -> int:
        """How many frames there are."""
        return int(self.session.timeline.end_s * self.rate_hz) + 1

    def __iter__(self) -> Iterator[Frame]:
        return self.frames()

    def frames(self, from_s: float = 0.0, to_s: float | None = None) -> Iterator[Frame]:
        """Every frame from ``from_s`` on, in order, the last not after ``to_s``."""
        scene = self.session.scene(self.swap)
        for index in range(self.count):
            seconds = index / self.rate_hz
            if to_s is not None and seconds > to_s:
                return
            if seconds >= from_s:
                yield Frame(scene.draw(seconds), round(seconds, 4), index)

    @property
    def presses(self) -> tuple[Press, ...]:
        """The buttons that people press, in order of time."""
        return self.session.timeline.presses
