"""Cards that have been taken up: by whose arm, with which others, and whether they are the ones laid down now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from .gate import Scene
from .hands import same_arm
from .layout import Lying
from .pose import Pose
from .words import BACK, UNREAD, Credit

_PUT_BACK_S: Final = 20.0
"""Cards put back where they lay by the arm that took them within this time were not played anew."""

_PUT_BACK_MM: Final = 60.0
"""... and not farther off than this, the width of a card."""

_JUST_LEFT_S: Final = 6.0
"""A card taken up so lately by an arm that has left was put down on the table, or is in a hand for good."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A card taken up: as it lay, when and by whom, and the number of the grip."""

    card: Lying
    t: float
    credit: Credit | None
    grip: int


@dataclass(slots=True)
class TakenUp:
    """Everything that has been taken up and not been seen again."""

    _cards: dict[int, Taken] = field(default_factory=dict)
    _grips: int = 0

    def add(self, cards: Sequence[Lying], t: float, credit: Credit | None) -> None:
        """One grip takes these cards, the top one first."""
        self._forget({card.face for card in cards}, t)
        self._grips += 1
        for card in cards:
            self._cards[card.id] = Taken(card, t, credit, self._grips)

    def _forget(self, faces: set[str], t: float) -> None:
        """Of a face there is one, the newest; backs and unread cards can be known again for a while only."""
        for one in list(self._cards.values()):
            nameless = one.card.face in (BACK, UNREAD)
            if (nameless and t - one.t > _PUT_BACK_S) or (not nameless and one.card.face in faces):
                del self._cards[one.card.id]

    def face(self, face: str) -> Taken | None:
        """The taken card with this face, if it was readable."""
        if face == UNREAD:
            return None
        return next((k for k in self._cards.values() if k.card.face == face), None)

    def strike(self, taken: Taken) -> None:
        """It has been seen again."""
        self._cards.pop(taken.card.id, None)

    def put_back(self, taken: Taken, pose: Pose, credit: Credit | None, seconds: float) -> list[Taken]:
        """If the arm that took a pile lays its top card here, where it lay: the whole grip, struck; else nothing."""
        grip = [k for k in self._cards.values() if k.grip == taken.grip]
        back = (
            len(grip) > 1
            and credit is not None
            and taken.credit is not None
            and seconds - taken.t < _PUT_BACK_S
            and taken.card.pose.distance(pose) < _PUT_BACK_MM
            and same_arm(taken.credit.entry_mm, credit.entry_mm)
        )
        if not back:
            return []
        for one in grip:
            self.strike(one)
        return grip

    def carried_back(self, credit: Credit | None, scene: Scene) -> Taken | None:
        """The face-down card taken up before that the one laid now most likely is.

        A card whose taker has left without it must lie somewhere: that says more than whose arm is nearest now.
        """
        carried = [k for k in self._cards.values() if k.card.face == BACK and scene.seconds - k.t < _PUT_BACK_S]
        scored = [(_likely(k, credit, scene), k.t, k.card.id) for k in carried]
        best = max(scored, default=None)
        if best is None or best[0] == 0:
            return None
        return self._cards[best[2]]

    def faces_lately(self, seconds: float) -> bool:
        """Have face-up cards been taken up that may lie face down now?"""
        return any(k.card.face != BACK and seconds - k.t < _JUST_LEFT_S for k in self._cards.values())


def _likely(taken: Taken, credit: Credit | None, scene: Scene) -> int:
    """How much speaks for it that this card is laid now, 0 nothing. One taken while nobody looked may be anybody's."""
    if taken.credit is None:
        return int(scene.seconds - taken.t < _JUST_LEFT_S)
    entry = taken.credit.entry_mm
    same = credit is not None and (taken.credit.hand == credit.hand or same_arm(entry, credit.entry_mm))
    gone = not any(same_arm(hand.entry_mm, entry) for hand in scene.hands)
    return 2 * same + 3 * (gone and scene.seconds - taken.t < _JUST_LEFT_S)
