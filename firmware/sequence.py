"""What the camera saw and what the buttons said, put into the order in which it happened, and entered.

A press waits until the camera has decided everything that began before it; so a card laid before a press is judged
before it, though it takes longer to be told.  Used alike by `watch`, the demo and the real table.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cv2

from vision.frames import Frame
from vision.words import Seen as Lies

from .perception import Perception
from .referee.events import Conflict, Corrected, Entry, Fact, Laid, Note, Pressed, Said
from .seating import Observation
from .seen import Seen

#: JPEG quality of evidence: an index of a card 80 px wide stays readable, a crop is about 15 kB.
EVIDENCE_QUALITY = 88


@dataclass(slots=True)
class Sequencer:
    """Gives each fact to ``enter`` in order; ``enter`` keeps and judges it and returns the entry, or None."""

    perception: Perception
    enter: Callable[[Seen], Entry | None]
    pictures: bool = True
    entries: dict[int, Entry] = field(default_factory=dict)
    _laid: dict[int, int] = field(default_factory=dict)
    _shown: dict[str, int] = field(default_factory=dict)
    _undecided: deque[Observation] = field(default_factory=deque)
    _waiting: list[tuple[float, Pressed | Said, str]] = field(default_factory=list)

    def frame(self, frame: Frame) -> None:
        """Look at the next frame, and enter whatever it decides.

        What ``enter`` refuses by raising (a log that cannot be written) waits with all that comes after it, and is
        entered with a later frame.
        """
        self._undecided.extend(self.perception.see(frame))
        while self._undecided:
            if not isinstance(self._undecided[0].fact, Note):
                self._presses_until(self._undecided[0].t, frame.seconds)
            self._observe(self._undecided[0], frame.seconds)
            self._undecided.popleft()
        self._presses_until(self.perception.settled_until(), frame.seconds)

    def press(self, pressed: Pressed | Said, t: float, source: str = "button") -> None:
        """A button was pressed, or a word said, at ``t``; it is entered when nothing earlier is undecided."""
        self._waiting.append((t, pressed, source))
        self._waiting.sort(key=lambda told: told[0])

    def finish(self, now: float) -> None:
        """No more frames come: enter what waits."""
        self._presses_until(math.inf, now)

    def cards(self) -> list[dict[str, Any]]:
        """The cards as they lie on the table now, the lowest first, for drawing: place in mm, angle in degrees."""
        return [self._drawn(card.seen) for card in self.perception.tracker.layout]

    def _drawn(self, card: Lies) -> dict[str, Any]:
        entry = self.entries.get(self._laid.get(card.id, -1))
        x, y = card.pose.x, card.pose.y
        return {
            "id": card.id,
            "card": card.face,
            "x_mm": round(x, 1),
            "y_mm": round(y, 1),
            "angle": round(card.pose.angle, 1),
            "zone": self.perception.seating.places.zone((x, y)),
            "seat": entry.fact.seat if entry is not None and isinstance(entry.fact, Laid) else None,
            "entry": None if entry is None else entry.number,
        }

    def _presses_until(self, t: float, now: float) -> None:
        while self._waiting and self._waiting[0][0] <= t:
            pressed_at, pressed, source = self._waiting[0]
            self._enter(Seen(pressed, pressed_at, max(now, pressed_at), source=source))
            self._waiting.pop(0)

    def _observe(self, seen: Observation, now: float) -> None:
        fact = self._referring(seen)
        if fact is None:
            return
        jpegs = tuple(jpeg(image) for image in (seen.evidence, seen.whole) if image is not None and self.pictures)
        at = max(now, seen.at)
        entry = self._enter(Seen(fact, seen.t, at, seen.confidence, seen.seat_confidence, "camera", jpegs))
        if entry is not None and isinstance(fact, Laid):
            if seen.card_id is not None:
                self._laid[seen.card_id] = entry.number
            self._shown[str(fact.card)] = entry.number

    def _enter(self, seen: Seen) -> Entry | None:
        entry = self.enter(seen)
        if entry is not None:
            self.entries[entry.number] = entry
        return entry

    def _referring(self, seen: Observation) -> Fact | None:
        """The fact with the numbers of the entries that it speaks of; None if it speaks of nothing we entered."""
        if seen.corrects is not None:
            target = self._laid.get(seen.corrects)
            if target is None:
                return None
            instead = self._by_the_same_hand(target, seen.fact)
            return Corrected(target, instead, "camera", "the card could be read later")
        if isinstance(seen.fact, Conflict):
            first = self._shown.get(str(seen.fact.card))
            return Conflict(seen.fact.card, () if first is None else (first,), seen.fact.seat)
        return seen.fact

    def _by_the_same_hand(self, target: int, fact: Fact) -> Fact:
        old = self.entries[target].fact
        if isinstance(old, Laid) and isinstance(fact, Laid):
            return Laid(fact.card, old.zone, old.seat)
        return fact


def jpeg(image: cv2.typing.MatLike) -> bytes:
    """A picture (BGR uint8 [h, w, 3]) as JPEG bytes.

    :raises ValueError: if it cannot be written as JPEG.
    """
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, EVIDENCE_QUALITY])
    if not done:
        raise ValueError("a picture could not be written as JPEG")
    return data.tobytes()
