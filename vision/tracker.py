"""Follows every physical card on the table and says in words what happened to it.

A place that changed and came to rest is read; what is seen there is compared with what is known to lie there, and
the difference is said: rested, lifted, shifted, turned. Cards keep their identity while others cover them. It knows no
zone, no seat and no rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from . import outlines
from .ballots import MOST_READINGS, SCALES, Ballot, Ballots, CardReader
from .bare import Bare
from .compare import HAND_SHARE, Backs, Compare, Found, Shape, box_mm, same_place
from .doubts import Doubts
from .gate import REST_S, Gate, Scene
from .hands import Hands, same_arm, still_here
from .layout import Layout, Lying
from .pose import Pose
from .sightings import Sighting
from .surface import Surface
from .taken import Taken, TakenUp
from .words import (
    BACK,
    UNREAD,
    Amiss,
    Corrected,
    HandLeft,
    Lifted,
    Rested,
    Returned,
    Shifted,
    Trouble,
    Twice,
    Uncovered,
    Word,
)

Image = NDArray[np.uint8]
Mask = NDArray[np.uint8]
Region = tuple[float, float, float, float]

_STIRRED_MM: Final = 5.0
"""Smaller shifts are the reader's own scatter (twice this where only one index was seen)."""

_TOUCHED: Final = 0.1
"""A hand that covered more of a card than this has touched it."""

_TRY_AGAIN_S: Final = 0.13
"""A change that could not be explained is looked at again after this."""

_PATIENCE_S: Final = 1.2
"""How long an unread card or an unexplained change is looked at before it is taken as it is."""

_PUZZLED_S: Final = 2.5
"""... and one as large as a card that nothing explains: a hand that lays a card holds on for no longer."""

_FRAMES_FOR_UNREAD: Final = 3
"""A face is called "?" when an index was found in so many frames but could not be read."""

_FRAMES_SURE: Final = 2
"""A card that is covered or taken before it was clear is named by so many looks at least."""

_SURE: Final = 0.99
"""One corner read this surely is taken at once; a less sure one is looked at `MOST_READINGS` times first."""

_NEW_FACE: Final = 0.35
"""An unread index belongs to a card laid now when so much of that card's place changed: other pips, other table."""

_SHADOW_MM: Final = 8.0
"""A card's shadow, and a packet's askew cards, reach so far beyond its outline."""

_HAND_NEAR_MM: Final = 60.0
"""Bits of a change within this of a hand may be part of the hand or of the card under it."""

_SURE_BACK: Final = 0.9
"""Confidence that a card-shaped thing without an index and without paper is a back."""

_SURE_UNREAD: Final = 0.5
"""Confidence that a card-shaped white thing without a readable index is a face."""


@dataclass(frozen=True, slots=True)
class _Touch:
    """A hand on a back; ``free_s``: since when the hand is off it again."""

    hand: int
    free_s: float | None


@dataclass(slots=True)
class _Case:
    """One changed place that has come to rest. ``explained``: small pixels that something known accounts for.

    ``patient``: there is time to wait for a hand to explain it; ``read_out``: reading it again would tell no more;
    ``age_s``: for how long it has lain still.
    """

    image: Image
    scene: Scene
    mask: Mask
    explained: Mask
    patient: bool
    read_out: bool
    age_s: float = 0.0

    def hold(self, mask: Mask) -> None:
        """These pixels are not dealt with yet."""
        self.mask[mask > 0] = 0

    def include(self, mask: Mask) -> None:
        """These pixels, where no hand is, are dealt with too: a place that was left for the changed one."""
        self.mask[(mask > 0) & (self.scene.hand_of == 0)] = 255

    def explain(self, mask: Mask) -> None:
        """Something known accounts for these pixels."""
        self.explained[mask > 0] = 255


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A settled place that is not clear yet, as it was last seen."""

    image: Image
    scene: Scene
    ballot: Ballot


def _is_clear(one: Sighting) -> bool:
    """Is a card that was seen for a moment only named beyond doubt?"""
    return len(one.corners) == 2 or one.frames >= _FRAMES_SURE or one.confidence >= _SURE


class Tracker:
    """One camera's table. Give it every frame with `see`; it answers with words, in order."""

    def __init__(self, surface: Surface, reader: CardReader, size_px: tuple[int, int]) -> None:
        """``size_px``: width and height of the frames."""
        self.surface = surface
        self.gate = Gate(surface, size_px)
        self.layout = Layout(self.gate.raster, surface.card_mm)
        self.gate.lying = self.layout.any_mask
        self.ballots = Ballots(surface, reader)
        self.hands = Hands(self.gate)
        self.doubts = Doubts(self.ballots)
        self.scene: Scene | None = None
        self._threshold = reader.threshold
        self._taken = TakenUp()
        self._touched: dict[int, _Touch] = {}
        self._blind = False
        self._waiting: list[_Waiting] = []

    def see(self, image: Image, seconds: float) -> list[Word]:
        """What this frame (BGR uint8 [h, w, 3], taken at ``seconds``) tells."""
        scene = self.gate.see(image, seconds)
        if self.scene is None:
            self._begin(image, scene)
        self.scene = scene
        self.hands.remember(scene)
        words: list[Word] = self._trouble(scene)
        if not self._blind:
            ballots = self.ballots.read(image, scene)
            words += [word for late in self._overtaken(ballots, scene) for word in self._settle_late(late)]
            for ballot in ballots:
                if ballot.rest.settled and seconds - ballot.tried_s >= _TRY_AGAIN_S:
                    ballot.tried_s = seconds
                    words += self._settle(image, scene, ballot)
            self._waiting = [_Waiting(image, scene, one) for one in ballots if one.frames and one.rest.handed]
            words += self._uncovered(scene)
            words += self._look_again(image, scene)
        return words + [HandLeft(h.id, h.entry_mm, h.seen_s) for h in scene.left if not still_here(h, scene)]

    def pending_since(self) -> float | None:
        """The earliest time at which something not yet told may have happened; None when all is told."""
        if self.scene is None:
            return None
        times = [rest.free_s for rest in self.scene.rests]
        times += [touch.free_s for touch in self._touched.values() if touch.free_s is not None]
        unseen = self.gate.witness.pending_since()
        times += [] if unseen is None else [unseen]
        return min(times, default=None)

    # --- the start -------------------------------------------------------------------------------------------

    def _begin(self, image: Image, scene: Scene) -> None:
        """What lies on the table at the start is known, and no event."""
        high, wide = scene.small.shape[:2]
        view = outlines.plan(image, self.surface, box_mm(self.surface, (0, 0, wide, high), self.gate.factor, 0.0))
        faces = [s for s in self.ballots.look(image) if s.named(self._threshold) != UNREAD]
        for shape in reversed(outlines.find(view, self.surface.card_mm, levels=True)):
            if not any(same_place(shape.pose, face.pose) for face in faces):
                is_face = outlines.looks_like_face(view, shape.pose, self.surface.card_mm)
                self.layout.lay(UNREAD if is_face else BACK, shape.pose, scene.seconds)
        for face in faces:
            self.layout.lay(face.card, face.pose, scene.seconds).confidence = face.confidence
        bare = Bare.under(scene.small, self.layout.any_mask())
        self._compare = Compare(self.surface, self.gate, self.layout, bare, self._threshold)

    # --- one changed place -----------------------------------------------------------------------------------

    def _settle(self, image: Image, scene: Scene, ballot: Ballot) -> list[Word]:
        """A changed place lies still: say what changed, and take it as known."""
        mask = ballot.rest.mask.copy()
        age_s = scene.seconds - ballot.rest.free_s
        patient = age_s < _PATIENCE_S
        read_out = not patient or len(ballot.frames) >= MOST_READINGS
        case = _Case(image, scene, mask, np.zeros(mask.shape, np.uint8), patient, read_out, age_s)
        found = self._compare.sort(self.ballots.result(ballot), mask, scene, self.ballots.inset_mm)
        if found.wait:
            return []
        words = [word for card, sighting in found.kept for word in self._keep(card, sighting, case)]
        backs = self._compare.backs(image, scene, mask, case.explained, found)
        for card, pose in backs.shifted:
            self.layout.move(card, pose)
        lifted = self._compare.gone(image, found, backs, mask, scene)
        if not case.read_out and any(len(one.corners) == 1 and one.confidence < _SURE for one in found.new):
            return words
        if self._unclear(found, backs, lifted, case) or self._held(found.poses(), backs, lifted, case):
            return words
        words += self._lift(lifted, case)
        for card, _ in found.moved:
            words += self._lift([card], case)
        words += self._lay_all(found, backs, case)
        self._close(case)
        return words

    def _overtaken(self, ballots: Sequence[Ballot], scene: Scene) -> list[_Waiting]:
        """Places that waited to be read out and can be read no more: an arm is over them.

        Before they have settled it must be another arm than the one that let go: that one may still be at it.
        """
        seen = [ballot.rest.mask for ballot in ballots]
        return [
            late
            for late in self._waiting
            if not any(cv2.bitwise_and(late.ballot.rest.mask, mask).any() for mask in seen)
            and (over := set(scene.hand_of[late.ballot.rest.mask > 0].tolist()) - {0})
            and (late.ballot.rest.settled or not self._by_one_of(over, late))
        ]

    def _by_one_of(self, over: set[int], late: _Waiting) -> bool:
        """Is the arm that was last at a waiting place among those hands? A dim one is lost now and then."""
        with self.gate.as_it_lay():
            credit = self.hands.credit(late.ballot.rest.mask, late.scene)
        if credit is None:
            return False
        entries = [hand.entry_mm for one in over if (hand := self.hands.known.get(one)) is not None]
        return credit.hand in over or any(same_arm(credit.entry_mm, entry) for entry in entries)

    def _settle_late(self, late: _Waiting) -> list[Word]:
        """Say what was read before the arm came; the place itself is looked at again when it has gone."""
        mask = late.ballot.rest.mask
        age_s = late.scene.seconds - late.ballot.rest.free_s
        case = _Case(late.image, late.scene, mask, np.zeros(mask.shape, np.uint8), False, True, age_s)
        found = self._compare.sort(self.ballots.result(late.ballot), mask, late.scene, self.ballots.inset_mm)
        if self._held(found.poses(), Backs(), (), case):
            return []
        with self.gate.as_it_lay():
            told = found.new + [one for one in found.unread if self._is_unread_card(one, case)]
            return [word for one in told for word in self._lay_face(one if _is_clear(one) else one.doubted(), case)]

    def _lay_all(self, found: Found, backs: Backs, case: _Case) -> list[Word]:
        words: list[Word] = []
        for sighting in found.new + [s for _, s in found.moved]:
            words += self._lay_face(sighting, case)
        for shape in backs.new:
            words += self._lay_shape(shape, case)
        for sighting in found.unread:
            if not case.read_out:
                case.hold(self.layout.mask(sighting.pose))
            elif self._is_unread_card(sighting, case):
                words += self._lay_face(sighting, case)
        words += [word for card, sighting in found.twice for word in self._clash(card, sighting, case)]
        for card, sighting in found.late:
            words += [self._name(card, sighting, case.scene.seconds), *self._keep(card, sighting, case)]
        return words

    def _is_unread_card(self, sighting: Sighting, case: _Case) -> bool:
        """Is this a face that somebody laid and nobody can read, and not a chance likeness of an index?"""
        place = self.layout.mask(sighting.pose)
        unseen = self.gate.witness.since(place, case.scene.changed) is not None
        if self.hands.credit(place, case.scene) is None and not unseen:
            return False
        if len(sighting.corners) == 2:
            return True
        if sighting.frames < _FRAMES_FOR_UNREAD:
            return False
        changed = float((case.mask[place > 0] > 0).mean()) if place.any() else 0.0
        return changed >= _NEW_FACE or self._compare.outlined(case.image, sighting.pose)

    def _unclear(self, found: Found, backs: Backs, lifted: Sequence[Lying], case: _Case) -> bool:
        """Is it better to look a little longer? (Nothing explains the change; a face cannot be read yet; or one seems
        to be gone while a hand is near, whose skin may look as the table does.)
        """
        if found.new or found.moved:
            return False
        if lifted:
            faces = all(card.face != BACK for card in lifted)
            return faces and not backs.new and case.patient and self._hand_near(case)
        if any(face == BACK for _, face in backs.new):
            return case.patient and all(self._from_nowhere(pose, case) for pose, _ in backs.new)
        if found.unread or backs.new:
            return not case.read_out
        if found.kept or found.late or found.twice or backs.confirmed:
            return False
        return (case.patient and self._hand_near(case)) or self._puzzling(case)

    def _puzzling(self, case: _Case) -> bool:
        """A change as large as a card that nothing explains: perhaps a hand of the table's own colour, on a card."""
        return self._large(case.mask) and case.age_s < _PUZZLED_S

    def _held(self, poses: Sequence[Pose], backs: Backs, lifted: Sequence[Lying], case: _Case) -> bool:
        """Does something as large as a card, and none, hang on what lies here? A hand whose sleeve cannot be told from
        the table reaches no edge: it is on the cards still, or over them.
        """
        rest = case.mask.copy()
        rest[self.layout.any_mask() > 0] = 0
        for mask in [self._around(p) for p in [*poses, *(pose for pose, _ in backs.new)]] + [c.mask for c in lifted]:
            rest[mask > 0] = 0
        return self._large(rest) and case.age_s < _PUZZLED_S

    def _large(self, mask: Mask) -> bool:
        """Is it so much of a card's size that it is no mere trace of one?"""
        card_mm2 = self.surface.card_mm[0] * self.surface.card_mm[1]
        return cv2.countNonZero(mask) * self.gate.mm_per_px**2 >= _NEW_FACE * card_mm2

    def _around(self, pose: Pose) -> Mask:
        """The small pixels of a card and of its shadow."""
        wide, high = self.surface.card_mm
        return self.gate.raster(pose.outline((wide + 2 * _SHADOW_MM, high + 2 * _SHADOW_MM)))

    def _from_nowhere(self, pose: Pose, case: _Case) -> bool:
        """A back that nobody took up, while an arm may still hide the place that it came from."""
        place = self.layout.mask(pose)
        credit = self.hands.credit(place, case.scene)
        return bool(
            case.scene.hands
            and self._taken.carried_back(credit, case.scene) is None
            and not self._taken.faces_lately(case.scene.seconds)
            and not self._compare.hidden_faces(place, case.mask)
            and not self._compare.left_behind(case.image, case.scene)
        )

    def _hand_near(self, case: _Case) -> bool:
        reach = 2 * round(_HAND_NEAR_MM / self.gate.mm_per_px) + 1
        near = cv2.dilate(case.mask, np.ones((reach, reach), np.uint8)) > 0
        return bool((case.scene.hand_of[near] > 0).any())

    def _close(self, case: _Case) -> None:
        """Take the place as known, except for bits that a hand near by may yet explain."""
        keep = case.mask.copy()
        if case.patient and self._hand_near(case):
            keep[cv2.dilate(case.explained, np.ones((5, 5), np.uint8)) == 0] = 0
        self.gate.adopt(keep)
        keep[cv2.dilate(self.layout.any_mask(), np.ones((3, 3), np.uint8)) > 0] = 0
        self._compare.bare.learn(case.scene, keep)

    # --- saying it -------------------------------------------------------------------------------------------

    def _keep(self, card: Lying, sighting: Sighting, case: _Case) -> list[Word]:
        """The card still lies here, perhaps a little moved."""
        if sighting.named(self._threshold) != card.face:
            return []
        case.explain(card.mask)
        was = card.pose
        scatter = _STIRRED_MM * (2 if len(sighting.corners) == 1 else 1)
        if was.distance(sighting.pose) < scatter:
            return []
        self.layout.move(card, sighting.pose.as_it_lay(was))
        case.explain(card.mask)
        return [Shifted(card.seen, was, case.scene.seconds)]

    def _lift(self, cards: Sequence[Lying], case: _Case) -> list[Word]:
        if not cards:
            return []
        credit = self.hands.credit(np.maximum.reduce([c.mask for c in cards]), case.scene)
        for card in cards:
            case.explain(card.mask)
            self._forget(card)
        self._taken.add(cards, case.scene.seconds, credit)
        return [Lifted(tuple(c.seen for c in cards), self._since(cards[0].mask, case.scene), credit)]

    def _lay_face(self, sighting: Sighting, case: _Case) -> list[Word]:
        """A face-up card came to rest here."""
        pose, name, now = sighting.pose, sighting.named(self._threshold), case.scene.seconds
        place = self.layout.mask(pose)
        case.explain(place)
        t, credit = self._since(place, case.scene), self.hands.credit(place, case.scene)
        taken = self._taken.face(name)
        if taken is not None and (grip := self._taken.put_back(taken, pose, credit, now)):
            top, under = self._return(taken, grip, pose, t)
            return [Returned((top.seen, *(c.seen for c in under)), t, credit)]
        flipped = self._flipped(pose)
        card = self._lay(name, pose, t, taken)
        card.confidence, card.likely = sighting.confidence, sighting.card
        came_from = taken.card.pose if taken is not None else None
        return [Rested(card.seen, t, sighting.confidence, credit, came_from, flipped)]

    def _return(self, taken: Taken, grip: Sequence[Taken], pose: Pose, t: float) -> tuple[Lying, list[Lying]]:
        """A pile put back: its cards lie under its top one again."""
        top = self.layout.lay(taken.card.face, pose, t, taken.card.id)
        under = [k.card for k in grip if k.card.id != top.id]
        for card in under:
            self.layout.move(card, pose)
        self.layout.slip_under(under, top)
        return top, under

    def _lay_shape(self, shape: Shape, case: _Case) -> list[Word]:
        """A face-down card or packet came to rest here; or a face that could not be read."""
        pose, face = shape
        place = self.layout.mask(pose)
        case.explain(place)
        t, credit = self._since(place, case.scene), self.hands.credit(place, case.scene)
        if face == UNREAD:
            flipped = self._flipped(pose)
            return [Rested(self._lay(face, pose, t).seen, t, _SURE_UNREAD, credit, None, flipped)]
        over = self._compare.hidden_faces(place, case.mask)
        for card in over:
            case.explain(card.mask)
            self._forget(card)
        left = self._compare.left_behind(case.image, case.scene)
        for card in left:
            case.include(card.mask)
        words = self._lift(left, case)
        taken = self._taken.carried_back(credit, case.scene)
        came_from = taken.card.pose if taken is not None else None
        laid = self._lay(face, pose, t, taken)
        return [*words, Rested(laid.seen, t, _SURE_BACK, credit, came_from, False, tuple(c.seen for c in over))]

    def _lay(self, face: str, pose: Pose, t: float, taken: Taken | None = None) -> Lying:
        if taken is None:
            return self.layout.lay(face, pose, t)
        self._taken.strike(taken)
        return self.layout.lay(face, pose, t, taken.card.id)

    def _flipped(self, pose: Pose) -> bool:
        """Did a back lie here that now shows its face? It is taken off the books."""
        for card in reversed(self.layout.cards):
            if card.face == BACK and same_place(card.pose, pose):
                self._forget(card)
                return True
        return False

    def _forget(self, card: Lying) -> None:
        self.layout.take(card)
        self._touched.pop(card.id, None)

    def _clash(self, card: Lying, sighting: Sighting, case: _Case) -> list[Word]:
        """A card is read that is known to lie elsewhere: that place is read again, one of the two is wrong."""
        now = self._read_again(card, case.image)
        if now is None or now.named(self._threshold) == card.face:
            return [self._conflict(card, sighting, case)]
        name = now.named(self._threshold)
        if name != UNREAD and self.layout.named(name) is None:
            return [self._name(card, now, case.scene.seconds), *self._lay_face(sighting, case)]
        if sighting.confidence < _SURE or sighting.confidence < card.confidence:
            return [self._conflict(card, sighting, case)]
        card.face, card.confidence = UNREAD, now.confidence
        doubted = Corrected(card.seen, case.scene.seconds, now.confidence)
        return [doubted, *self._lay_face(sighting, case)]

    def _read_again(self, card: Lying, image: Image) -> Sighting | None:
        """What is read now where a card lies; None if no index of it shows."""
        region = self._region_px(card)
        told = self.ballots.voted([self.ballots.look(image, region, scale) for scale in SCALES])
        here = [one for one in told if same_place(one.pose, card.pose)]
        return max(here, key=lambda one: (len(one.corners), one.confidence), default=None)

    def _region_px(self, card: Lying) -> Region:
        outline = self.surface.px(card.pose.outline(self.surface.card_mm))
        (left, top), (right, bottom) = outline.min(0), outline.max(0)
        return float(left), float(top), float(right), float(bottom)

    def _look_again(self, image: Image, scene: Scene) -> list[Word]:
        """In a quiet frame, one more look at a card that could not be read."""
        if scene.rests:
            return []
        told = self.doubts.look(image, scene, self.layout, self._region_px)
        if told is None or (name := told[1].named(self._threshold)) == UNREAD or self.layout.named(name) is not None:
            return []
        return [self._name(*told, scene.seconds)]

    def _conflict(self, card: Lying, sighting: Sighting, case: _Case) -> Word:
        place = self.layout.mask(sighting.pose)
        case.explain(place)
        second = self.layout.lay(UNREAD, sighting.pose, case.scene.seconds)
        return Twice(card.seen, second.seen, self._since(place, case.scene), self.hands.credit(place, case.scene))

    def _name(self, card: Lying, sighting: Sighting, seconds: float) -> Word:
        """A card that lies there is read at last, or better than before."""
        card.face, card.confidence = sighting.card, sighting.confidence
        return Corrected(card.seen, seconds, sighting.confidence)

    # --- hands -----------------------------------------------------------------------------------------------

    def _uncovered(self, scene: Scene) -> list[Word]:
        """Backs that a hand lay on and has left for good."""
        words: list[Word] = []
        for card in self.layout:
            if card.face != BACK or not (scene.hands or card.id in self._touched):
                continue
            over = scene.hand_of[card.mask > 0]
            share = float((over > 0).mean()) if over.size else 0.0
            if share > _TOUCHED or (share >= HAND_SHARE and card.id in self._touched):
                ids, counts = np.unique(over[over > 0], return_counts=True)
                self._touched[card.id] = _Touch(int(ids[counts.argmax()]), None)
            elif share < HAND_SHARE and card.id in self._touched:
                words += self._left_alone(card, scene.seconds)
        return words

    def _left_alone(self, card: Lying, seconds: float) -> list[Word]:
        touch = self._touched[card.id]
        if touch.free_s is None:
            self._touched[card.id] = _Touch(touch.hand, seconds)
        elif seconds - touch.free_s >= REST_S:
            del self._touched[card.id]
            credit = self.hands.one(touch.hand)
            return [] if credit is None else [Uncovered(card.seen, touch.free_s, credit)]
        return []

    def _since(self, place: Mask, scene: Scene) -> float:
        """Since when this place has lain still with less than `HAND_SHARE` of it under a hand.

        What came while nobody looked may have come at any time since: the earliest is said.
        """
        unseen = self.gate.witness.since(place, scene.changed)
        return self.gate.free_since(place, 1 - HAND_SHARE) if unseen is None else unseen

    def _trouble(self, scene: Scene) -> list[Word]:
        if scene.blind == self._blind:
            return []
        self._blind = scene.blind
        return [Trouble(Amiss.COVERED, scene.seconds, over=not scene.blind)]
