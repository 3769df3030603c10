"""What is to be entered into the log: a fact with its time, its confidence and its pictures."""

from __future__ import annotations

from dataclasses import dataclass

from .referee.events import Fact


@dataclass(frozen=True, slots=True)
class Seen:
    """A fact, when it happened (``t``) and was told (``at``), seconds; how sure; its pictures (JPEG bytes)."""

    fact: Fact
    t: float
    at: float
    confidence: float = 1.0
    seat_confidence: float = 1.0
    source: str = "camera"
    pictures: tuple[bytes, ...] = ()
