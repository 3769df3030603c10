"""What the tracker says happened on the table: plain words about cards and hands, no seats, no rules."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from .pose import Pose

BACK: Final = "back"
UNREAD: Final = "?"


class Amiss(StrEnum):
    """Why the camera's picture cannot be believed; what it shows meanwhile is no fact."""

    MOVED = "MOVED"
    COVERED = "COVERED"
    BLURRED = "BLURRED"
    DARK = "DARK"
    BRIGHT = "BRIGHT"
    OLD = "OLD"
    LOST = "LOST"

    @property
    def words(self) -> str:
        """One line for people: what is wrong and what to do."""
        return _AMISS[self]


_AMISS: Final = {
    Amiss.MOVED: "camera moved: calibrate (or push it back; or take away what covers the table)",
    Amiss.COVERED: "the camera's view is covered or the light has changed: take away what is before the lens",
    Amiss.BLURRED: "the camera's picture is out of focus: wipe the lens, or set its focus again",
    Amiss.DARK: "the camera's picture is black: take off the lens cap, switch on the light",
    Amiss.BRIGHT: "the camera's picture is burnt out: turn the lamp away, or restart the service",
    Amiss.OLD: "the camera repeats an old picture: restart the service",
    Amiss.LOST: "no picture came from the camera for a while: check its cable",
}


@dataclass(frozen=True, slots=True)
class Credit:
    """Whose hand: its id, where it came in over the picture's edge (mm), and how sure (0..1)."""

    hand: int
    entry_mm: tuple[float, float]
    sure: float


@dataclass(frozen=True, slots=True)
class Seen:
    """A physical card: its identity, what it shows ("7H", "back" or "?") and where it lies."""

    id: int
    face: str
    pose: Pose


@dataclass(frozen=True, slots=True)
class Rested:
    """A card lies still and the hand has gone since ``t``.

    ``came_from``: where the same card lay before it was taken up, if it did; ``flipped``: it lay there already, other
    side up; ``over``: face-up cards that went under (or into) this back with it.
    """

    card: Seen
    t: float
    confidence: float
    credit: Credit | None
    came_from: Pose | None = None
    flipped: bool = False
    over: tuple[Seen, ...] = ()


@dataclass(frozen=True, slots=True)
class Lifted:
    """Cards that lay here are no longer here, the top one first."""

    cards: tuple[Seen, ...]
    t: float
    credit: Credit | None


@dataclass(frozen=True, slots=True)
class Returned:
    """Cards taken up by this arm were put back where they lay."""

    cards: tuple[Seen, ...]
    t: float
    credit: Credit | None


@dataclass(frozen=True, slots=True)
class Shifted:
    """A card was pushed, bumped or straightened, and keeps its identity."""

    card: Seen
    was: Pose
    t: float


@dataclass(frozen=True, slots=True)
class Twice:
    """A card was read that still lies elsewhere: one of the two readings is wrong."""

    first: Seen
    second: Seen
    t: float
    credit: Credit | None


@dataclass(frozen=True, slots=True)
class Corrected:
    """What was "?" could be read later."""

    card: Seen
    t: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Uncovered:
    """A hand that lay on this card has left it, and it lies as before."""

    card: Seen
    t: float
    credit: Credit


@dataclass(frozen=True, slots=True)
class HandLeft:
    """A hand, and its arm, have left the picture."""

    hand: int
    entry_mm: tuple[float, float]
    t: float


@dataclass(frozen=True, slots=True)
class Trouble:
    """The camera cannot be believed now; with ``over`` this has ended."""

    code: Amiss
    t: float
    over: bool = False


Word = Rested | Lifted | Returned | Shifted | Twice | Corrected | Uncovered | HandLeft | Trouble
