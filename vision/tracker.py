"""Follows every physical card on the table and says in words what happened to it.

A place that changed and came to rest is read; what is seen there is compared with what is known to lie there, and
the difference is said: rested, lifted, shifted, turned. Cards keep their identity while others cover them. It knows no
zone, no seat and no rule.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from . import outlines
from .ballots import Ballot, Ballots, CardReader
from .gate import REST_S, Gate, Hand, Scene
from .layout import Layout, Lying
from .pose import Pose
from .sightings import Sighting
from .surface import Surface
from .words import (
    BACK,
    UNREAD,
    Corrected,
    Credit,
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
Floats = NDArray[np.float64]

HAND_SHARE: Final = 0.04
"""A hand that covers less of a card than this has let it go (the recordings' definition)."""

_NEAR_MM: Final = 60.0
"""A card pushed or bumped without being taken up moves less than its own width."""

_STIRRED_MM: Final = 5.0
"""Smaller shifts are the reader's own scatter."""

_SAME_INDEX_MM: Final = 8.0
"""An index within this of where a known card has one may be that card's."""

_COVERED: Final = 0.12
"""A card of which less than this can be seen may well lie there still: its corner alone is 0.15."""

_SAME_FACE: Final = 0.05
"""A card of whose rectangle less than this changed shows the face it showed: other pips change more."""

_BARE: Final = 0.6
"""A place shows the bare table when this share of it looks as it did before any card lay there."""

_POSE_DOUBT_MM: Final = 5.0
"""A known place may be wrong by this much: a strip narrower than twice this along an edge proves nothing."""

_RESIDUE: Final = 0.2
"""What no face explains, in cards: a back beside a known one shows at least this much."""

_TOUCHED: Final = 0.1
"""A hand that covered more of a card than this has touched it."""

_SAME_ARM_MM: Final = 180.0
"""An arm that comes back crosses the edge within this; neighbours sit twice as far apart."""

_PUT_BACK_S: Final = 20.0
"""Cards put back where they lay by the arm that took them within this time were not played anew."""

_JUST_LEFT_S: Final = 6.0
"""A card taken up so lately by an arm that has left was put down on the table, or is in a hand for good."""

_TRY_AGAIN_S: Final = 0.13
"""A change that could not be explained is looked at again after this."""

_PATIENCE_S: Final = 1.2
"""How long an unread card or an unexplained change is looked at before it is taken as it is."""

_FRAMES_FOR_UNREAD: Final = 3
"""A face is called "?" when an index was found in so many frames but could not be read."""

_HAND_NEAR_MM: Final = 60.0
"""Bits of a change within this of a hand may be part of the hand or of the card under it."""

_CREDIT_S: Final = 3.0
"""A card is credited to the hand that was last over it within this time."""

_KEEP_HANDS: Final = 64
"""Hands remembered: cards are credited seconds after a hand left, not minutes."""


@dataclass(frozen=True, slots=True)
class _Taken:
    """A card in somebody's hand (or pack): where it lay, who took it, and with which others."""

    card: Lying
    t: float
    credit: Credit | None
    group: int


@dataclass(frozen=True, slots=True)
class _Touch:
    """A hand on a back; ``free_s``: since when the hand is off it again."""

    hand: int
    free_s: float | None


@dataclass(slots=True)
class _Found:
    """What is seen at a changed place, sorted by what it means."""

    kept: list[tuple[Lying, Sighting]] = field(default_factory=list)
    new: list[Sighting] = field(default_factory=list)
    moved: list[tuple[Lying, Sighting]] = field(default_factory=list)
    twice: list[tuple[Lying, Sighting]] = field(default_factory=list)
    late: list[tuple[Lying, Sighting]] = field(default_factory=list)
    unread: list[Sighting] = field(default_factory=list)
    wait: bool = False


class Tracker:
    """One camera's table. Give it every frame with `see`; it answers with words, in order."""

    def __init__(self, surface: Surface, reader: CardReader, size_px: tuple[int, int]) -> None:
        """``size_px``: width and height of the frames."""
        self.surface = surface
        self.gate = Gate(surface, size_px)
        self.layout = Layout(self.gate.raster, surface.card_mm)
        self.ballots = Ballots(surface, reader)
        self.scene: Scene | None = None
        self._threshold = reader.threshold
        self._bare: Any = None
        self._taken: dict[int, _Taken] = {}
        self._groups = 0
        self._hands: dict[int, Hand] = {}
        self._touched: dict[int, _Touch] = {}
        self._blind = False
        self._doubt = np.ones((2 * round(_POSE_DOUBT_MM / self.gate.mm_per_px) + 1,) * 2, np.uint8)

    def see(self, image: Image, seconds: float) -> list[Word]:
        """What this frame (BGR uint8 [h, w, 3], taken at ``seconds``) tells."""
        scene = self.gate.see(image, seconds)
        first, self.scene = self.scene is None, scene
        if first:
            self._begin(image, scene)
        self._remember_hands(scene)
        words: list[Word] = self._trouble(scene)
        if not self._blind:
            for ballot in self.ballots.read(image, scene):
                if ballot.rest.settled and seconds - ballot.tried_s >= _TRY_AGAIN_S:
                    ballot.tried_s = seconds
                    words += self._settle(image, scene, ballot)
            words += self._uncovered(scene)
        return words + [HandLeft(h.id, h.entry_mm, h.seen_s) for h in scene.left if not self._still_here(h, scene)]

    def _still_here(self, hand: Hand, scene: Scene) -> bool:
        """Fingers at the edge come and go as hands of their own; the arm is still there."""
        return any(_same_arm(other.contact_mm, hand.contact_mm) for other in scene.hands)

    def pending_since(self) -> float | None:
        """The earliest time at which something not yet told may have happened; None when all is told."""
        if self.scene is None:
            return None
        times = [rest.free_s for rest in self.scene.rests]
        times += [touch.free_s for touch in self._touched.values() if touch.free_s is not None]
        return min(times, default=None)

    # --- the start -------------------------------------------------------------------------------------------

    def _begin(self, image: Image, scene: Scene) -> None:
        """What lies on the table at the start is known, and no event."""
        box = _box_mm(self.surface, scene.small.shape, self.gate.factor)
        view = outlines.plan(image, self.surface, box)
        faces = [s for s in self.ballots.look(image) if s.named(self._threshold) != UNREAD]
        for shape in reversed(outlines.find(view, self.surface.card_mm)):
            if not any(_same_place(shape.pose, face.pose) for face in faces):
                face = UNREAD if outlines.looks_like_face(view, shape.pose, self.surface.card_mm) else BACK
                self.layout.lay(face, shape.pose, scene.seconds)
        for face in faces:
            self.layout.lay(face.card, face.pose, scene.seconds)
        hidden = cv2.dilate(self.layout.any_mask(), np.ones((5, 5), np.uint8))
        self._bare = cv2.inpaint(scene.small, hidden, 5, cv2.INPAINT_TELEA)

    # --- one changed place -----------------------------------------------------------------------------------

    def _settle(self, image: Image, scene: Scene, ballot: Ballot) -> list[Word]:
        """A changed place lies still: say what changed, and take it as known."""
        mask = ballot.rest.mask
        found = self._sort(self.ballots.result(ballot), mask, scene)
        if found.wait:
            return []
        words: list[Word] = []
        explained = np.zeros_like(mask)
        for card, sighting in found.kept:
            words += self._keep(card, sighting, scene, explained)
        lifted = self._gone(found, mask, scene)
        new_backs = self._backs(image, scene, mask, explained, found, lifted)
        patient = scene.seconds - ballot.rest.free_s < _PATIENCE_S
        if patient and self._unclear(found, new_backs, lifted, mask, scene):
            return []
        words += self._lift(lifted, scene, explained)
        for card, sighting in found.moved:
            words += self._lift([card], scene, explained)
            found.new.append(sighting)
        for sighting in found.new:
            words += self._lay_face(sighting, mask, scene, explained)
        for shape in new_backs:
            words += self._lay_back(shape, mask, scene, explained)
        for sighting in found.unread:
            if not patient and (len(sighting.corners) == 2 or sighting.frames >= _FRAMES_FOR_UNREAD):
                words += self._lay_face(sighting, mask, scene, explained)
        words += self._clashes(found, mask, scene)
        words += [self._correct(card, s, scene) for card, s in found.late]
        self._close(mask, explained, scene, patient)
        return words

    def _sort(self, sightings: Iterable[Sighting], mask: Mask, scene: Scene) -> _Found:
        """What each sighting is: a known card, a new one, one that moved, one that cannot be."""
        found = _Found()
        for one in sightings:
            name = one.named(self._threshold)
            known = self.layout.named(name) if name != UNREAD else None
            misread = self._misread(one, mask)
            if known is not None and known.pose.distance(one.pose) < _NEAR_MM and known.pose.turned(one.pose) < 60:
                found.kept.append((known, one))
            elif misread is not None:
                found.kept.append((misread, one))
            elif not self._changed_at(one, mask):
                unread = next((c for c in self.layout if c.face == UNREAD and _same_place(c.pose, one.pose)), None)
                if unread is not None and name != UNREAD:
                    found.late.append((unread, one))
            elif self._under_hand(one.pose, scene):
                found.wait = True
            elif name == UNREAD:
                found.unread.append(one)
            elif known is None:
                found.new.append(one)
            elif self._place_changed(known, scene):
                found.moved.append((known, one))
            else:
                found.twice.append((known, one))
        return found

    def _keep(self, card: Lying, sighting: Sighting, scene: Scene, explained: Mask) -> list[Word]:
        """The card still lies here, perhaps a little moved."""
        if sighting.named(self._threshold) != card.face:
            return []
        explained[card.mask > 0] = 255
        was = card.pose
        if was.distance(sighting.pose) < _STIRRED_MM or (
            len(sighting.corners) == 1 and was.distance(sighting.pose) < 2 * _STIRRED_MM
        ):
            return []
        self.layout.move(card, sighting.pose)
        explained[card.mask > 0] = 255
        return [Shifted(card.seen, was, scene.seconds)]

    def _changed_at(self, one: Sighting, mask: Mask) -> bool:
        """Did the picture change where the index stands?"""
        return any(self._mask_near(c.middle, mask) for c in one.corners)

    def _mask_near(self, point_mm: Floats, mask: Mask, reach_mm: float = 5.0) -> bool:
        x, y = self.surface.px(point_mm) / self.gate.factor
        r = max(1, round(reach_mm / self.gate.mm_per_px))
        x, y = int(x), int(y)
        return bool(mask[max(y - r, 0) : y + r + 1, max(x - r, 0) : x + r + 1].any())

    def _under_hand(self, pose: Pose, scene: Scene) -> bool:
        inside = self.layout.mask(pose) > 0
        return bool(inside.any()) and float((scene.hand_of[inside] > 0).mean()) >= HAND_SHARE

    def _at_index(self, one: Sighting) -> Lying | None:
        """The known card that has an index where this one stands, pointing the same way."""
        for card in reversed(self.layout.cards):
            if card.face == BACK:
                continue
            places = self._index_places(card.pose)
            for corner in one.corners:
                for middle, down in places:
                    if np.hypot(*(corner.middle - middle)) < _SAME_INDEX_MM and float(corner.down @ down) > 0.9:
                        return card
        return None

    def _index_places(self, pose: Pose) -> list[tuple[Floats, Floats]]:
        x = self.surface.card_mm[0] / 2 - self.ballots.inset_mm[0]
        y = self.surface.card_mm[1] / 2 - self.ballots.inset_mm[1]
        offset = pose.right * x + pose.down * y
        middle = np.array(pose.middle)
        return [(middle - offset, pose.down), (middle + offset, -pose.down)]

    def _misread(self, one: Sighting, mask: Mask) -> Lying | None:
        """The known card of which this is a poor reading: its index stands there, and little else changed."""
        card = self._at_index(one)
        if card is None or len(one.corners) == 2 and one.confidence >= self._threshold:
            return None
        if one.card == card.face and one.confidence < self._threshold:
            return card
        inside = card.mask > 0
        return card if float((mask[inside] > 0).mean()) < _SAME_FACE else None

    def _place_changed(self, card: Lying, scene: Scene) -> bool:
        inside = self.layout.visible(card) > 0
        return bool(inside.any()) and float((scene.changed[inside] > 0).mean()) > 0.15

    # --- what is no longer there -----------------------------------------------------------------------------

    def _gone(self, found: _Found, mask: Mask, scene: Scene) -> list[Lying]:
        """Known cards at this place that are there no more, the top one first."""
        kept = {card.id for card, _ in found.kept}
        on_top = np.zeros_like(mask)
        for sighting in found.new:
            on_top[self.layout.mask(sighting.pose) > 0] = 255
        gone: list[Lying] = []
        for card in reversed(self.layout.cards):
            if card.id in kept or not self._stirred(card, mask):
                continue
            if self._contradicted(card, found) or self._shows_table(card, gone, on_top, scene):
                gone.append(card)
        return gone

    def _stirred(self, card: Lying, mask: Mask) -> bool:
        return cv2.countNonZero(cv2.bitwise_and(card.mask, mask)) > 0.08 * card.area

    def _contradicted(self, card: Lying, found: _Found) -> bool:
        """Is a lower card's index seen where this one would hide it?"""
        above = self.layout.cards.index(card)
        for other, sighting in found.kept:
            if self.layout.cards.index(other) < above and sighting.named(self._threshold) == other.face:
                if any(card.pose.inside(c.middle, self.surface.card_mm, 3.0) for c in sighting.corners):
                    return True
        return False

    def _shows_table(self, card: Lying, gone: list[Lying], on_top: Mask, scene: Scene) -> bool:
        """Does its place look like the bare table, where nothing else covers it?"""
        visible = card.mask.copy()
        place = self.layout.cards.index(card)
        for above in self.layout.cards[place + 1 :]:
            if above not in gone:
                visible[above.mask > 0] = 0
        visible[on_top > 0] = 0
        visible[scene.hand_of > 0] = 0
        inside = cv2.erode(visible, self._doubt) > 0
        if int(inside.sum()) < _COVERED * card.area:
            return False
        return self._bare_share(scene, inside) >= _BARE

    def _bare_share(self, scene: Scene, inside: NDArray[np.bool_]) -> float:
        now, bare = scene.small[inside].astype(np.float32), self._bare[inside].astype(np.float32)
        same = np.abs(now - bare).max(1) <= self.gate.threshold()[inside] + 6
        share = (now + 2) / (bare + 2)
        shaded = (share.max(1) < 1.05) & (share.min(1) > 0.5) & (np.ptp(share, axis=1) < 0.12)
        return float((same | shaded).mean())

    # --- backs and unreadable faces --------------------------------------------------------------------------

    def _backs(
        self, image: Image, scene: Scene, mask: Mask, explained: Mask, found: _Found, lifted: list[Lying]
    ) -> list[outlines.Outline]:
        """Card-shaped things at this place that no reading explains and that are new here."""
        residue = mask.copy()
        residue[explained > 0] = 0
        poses = [s.pose for s in found.new + found.unread] + [s.pose for _, s in found.moved + found.twice]
        for pose in poses:
            residue[self.layout.mask(pose) > 0] = 0
        backs = [c for c in self.layout if c.face == BACK and self._stirred(c, mask)]
        card_area = np.prod(self.surface.card_mm) / self.gate.mm_per_px**2
        if cv2.countNonZero(residue) < _RESIDUE * card_area and not backs:
            return []
        shapes = self._shapes(image, mask)
        faces = poses + [card.pose for card, _ in found.kept]
        return self._match_backs(shapes, faces, backs, mask, scene, lifted)

    def _shapes(self, image: Image, mask: Mask) -> list[tuple[outlines.Outline, str]]:
        box = _mask_box_mm(self.surface, mask, self.gate.factor, 40.0)
        view = outlines.plan(image, self.surface, box)
        return [
            (shape, UNREAD if outlines.looks_like_face(view, shape.pose, self.surface.card_mm) else BACK)
            for shape in outlines.find(view, self.surface.card_mm)
        ]

    def _match_backs(
        self,
        shapes: list[tuple[outlines.Outline, str]],
        faces: list[Pose],
        backs: list[Lying],
        mask: Mask,
        scene: Scene,
        lifted: list[Lying],
    ) -> list[Any]:
        """Shapes that are no known back in its place; known backs that no shape confirms are lifted."""
        new = []
        unmatched = list(backs)
        for shape, face in shapes:
            near = min(unmatched, key=lambda c: c.pose.distance(shape.pose), default=None)
            if near is not None and near.pose.distance(shape.pose) < 25 and near.pose.turned(shape.pose, True) < 25:
                unmatched.remove(near)
                if near in lifted:
                    lifted.remove(near)
                if near.pose.distance(shape.pose) > 2:
                    self.layout.move(near, shape.pose)
                continue
            inside = self.layout.mask(shape.pose) > 0
            if float((mask[inside] > 0).mean()) < 0.3 or self._under_hand(shape.pose, scene):
                continue
            if not any(_same_place(shape.pose, pose) for pose in faces):
                new.append((shape.pose, face))
        return new

    def _unclear(
        self, found: _Found, backs: list[Any], lifted: list[Lying], mask: Mask, scene: Scene
    ) -> bool:
        """Is it better to look a little longer? (Nothing explains the change, or a face cannot be read yet.)"""
        if found.new or found.moved or lifted:
            return False
        if any(face == BACK for _, face in backs):
            return False
        if found.unread or backs:
            return True
        return not found.kept and self._hand_near(mask, scene)

    def _hand_near(self, mask: Mask, scene: Scene) -> bool:
        reach = 2 * round(_HAND_NEAR_MM / self.gate.mm_per_px) + 1
        return bool((scene.hand_of[cv2.dilate(mask, np.ones((reach, reach), np.uint8)) > 0] > 0).any())

    # --- saying it -------------------------------------------------------------------------------------------

    def _lift(self, cards: list[Lying], scene: Scene, explained: Mask) -> list[Word]:
        if not cards:
            return []
        credit = self._credit(np.maximum.reduce([c.mask for c in cards]), scene)
        self._groups += 1
        seen = tuple(c.seen for c in cards)
        for card in cards:
            explained[card.mask > 0] = 255
            self.layout.take(card)
            self._taken[card.id] = _Taken(card, scene.seconds, credit, self._groups)
            self._touched.pop(card.id, None)
        return [Lifted(seen, self._free_since(cards[0].mask), credit)]

    def _lay_face(self, sighting: Sighting, mask: Mask, scene: Scene, explained: Mask) -> list[Word]:
        """A face-up card came to rest here."""
        place = self.layout.mask(sighting.pose)
        explained[place > 0] = 255
        credit = self._credit(place, scene)
        t = self._free_since(place)
        name = sighting.named(self._threshold)
        taken = next((k for k in self._taken.values() if k.card.face == name and name != UNREAD), None)
        if taken is not None and self._put_back(taken, sighting.pose, credit, scene.seconds):
            return self._return(taken, sighting.pose, t, credit)
        flipped = self._flipped(sighting.pose)
        card = self.layout.lay(name, sighting.pose, t, credit.hand if credit else 0, taken.card.id if taken else None)
        if taken is not None:
            del self._taken[taken.card.id]
        came_from = taken.card.pose if taken is not None else None
        return [Rested(card.seen, t, sighting.confidence, credit, came_from, flipped is not None)]

    def _flipped(self, pose: Pose) -> Lying | None:
        """The back that lay here and now shows its face, taken off the books."""
        for card in reversed(self.layout.cards):
            if card.face == BACK and _same_place(card.pose, pose):
                self.layout.take(card)
                self._touched.pop(card.id, None)
                return card
        return None

    def _put_back(self, taken: _Taken, pose: Pose, credit: Credit | None, seconds: float) -> bool:
        """Does the arm that took these cards put them back where they lay?"""
        return (
            credit is not None
            and taken.credit is not None
            and seconds - taken.t < _PUT_BACK_S
            and taken.card.pose.distance(pose) < _NEAR_MM
            and _same_arm(taken.credit.entry_mm, credit.entry_mm)
            and sum(k.group == taken.group for k in self._taken.values()) > 1
        )

    def _return(self, taken: _Taken, pose: Pose, t: float, credit: Credit | None) -> list[Word]:
        group = [k for k in self._taken.values() if k.group == taken.group]
        for one in group:
            del self._taken[one.card.id]
        top = self.layout.lay(taken.card.face, pose, t, credit.hand if credit else 0, taken.card.id)
        under = [k.card for k in group if k.card.id != top.id]
        for card in under:
            self.layout.move(card, pose)
        self.layout.slip_under(under, top)
        return [Returned((top.seen, *(c.seen for c in under)), t, credit)]

    def _lay_back(self, shape: Any, mask: Mask, scene: Scene, explained: Mask) -> list[Word]:
        """A face-down card or packet came to rest here; or a face that could not be read."""
        pose, face = shape
        place = self.layout.mask(pose)
        explained[place > 0] = 255
        credit = self._credit(place, scene)
        t = self._free_since(place)
        over = self._hidden_faces(place, mask) if face == BACK else []
        for card in over:
            explained[card.mask > 0] = 255
            self.layout.take(card)
        taken = self._carried_back(credit, scene) if face == BACK else None
        flipped = self._flipped(pose) if face == UNREAD else None
        card = self.layout.lay(face, pose, t, credit.hand if credit else 0, taken.card.id if taken else None)
        came_from = taken.card.pose if taken else None
        under = tuple(c.seen for c in over)
        return [Rested(card.seen, t, 0.9 if face == BACK else 0.5, credit, came_from, flipped is not None, under)]

    def _hidden_faces(self, place: Mask, mask: Mask) -> list[Lying]:
        """Faces that changed under a back so that next to nothing of them shows: they were turned down with it."""
        hidden = []
        for card in self.layout:
            if card.face == BACK or not self._stirred(card, mask):
                continue
            visible = self.layout.visible(card)
            visible[place > 0] = 0
            if cv2.countNonZero(visible) < 2 * _COVERED * card.area:
                hidden.append(card)
        return hidden

    def _carried_back(self, credit: Credit | None, scene: Scene) -> _Taken | None:
        """The face-down card taken up before that this one most likely is, struck off the books.

        A card whose taker has left without it must lie somewhere: that says more than whose arm is nearest now.
        """
        carried = [k for k in self._taken.values() if k.card.face == BACK and scene.seconds - k.t < _PUT_BACK_S]
        scored = [(self._likely(k, credit, scene), k.t, k.card.id) for k in carried]
        best = max(scored, default=None)
        if best is None or best[0] == 0:
            return None
        return self._taken.pop(best[2])

    def _likely(self, taken: _Taken, credit: Credit | None, scene: Scene) -> int:
        if taken.credit is None:
            return 0
        entry = taken.credit.entry_mm
        same = credit is not None and (taken.credit.hand == credit.hand or _same_arm(entry, credit.entry_mm))
        gone = not any(_same_arm(hand.entry_mm, entry) for hand in scene.hands)
        return 2 * same + 3 * (gone and scene.seconds - taken.t < _JUST_LEFT_S)

    def _clashes(self, found: _Found, mask: Mask, scene: Scene) -> list[Word]:
        words: list[Word] = []
        for card, sighting in found.twice:
            place = self.layout.mask(sighting.pose)
            credit = self._credit(place, scene)
            second = self.layout.lay(UNREAD, sighting.pose, scene.seconds)
            words.append(Twice(card.seen, second.seen, self._free_since(place), credit))
        return words

    def _correct(self, card: Lying, sighting: Sighting, scene: Scene) -> Word:
        card.face = sighting.card
        return Corrected(card.seen, scene.seconds, sighting.confidence)

    def _close(self, mask: Mask, explained: Mask, scene: Scene, patient: bool) -> None:
        """Take the place as known, except for bits that a hand near by may yet explain."""
        keep = mask
        if patient and self._hand_near(mask, scene):
            keep = cv2.bitwise_and(mask, cv2.dilate(explained, np.ones((5, 5), np.uint8)))
        self.gate.adopt(keep)
        empty = cv2.bitwise_and(keep, cv2.bitwise_not(cv2.dilate(self.layout.any_mask(), np.ones((3, 3), np.uint8))))
        fresh = empty > 0
        self._bare[fresh] = scene.small[fresh]

    # --- hands -----------------------------------------------------------------------------------------------

    def _credit(self, mask: Mask, scene: Scene) -> Credit | None:
        """The hand that was last over most of ``mask``."""
        owners = self.gate.owners(mask, scene.seconds - _CREDIT_S)
        if len(owners) == 0:
            return None
        ids, counts = np.unique(owners, return_counts=True)
        votes = {int(i): int(n) for i, n in zip(ids, counts, strict=True) if int(i) in self._hands}
        if not votes:
            return None
        hand = self._hands[max(votes, key=lambda i: votes[i])]
        same_arm = sum(n for i, n in votes.items() if _same_arm(self._hands[i].entry_mm, hand.entry_mm))
        return Credit(hand.id, hand.entry_mm, float(same_arm / counts.sum()))

    def _remember_hands(self, scene: Scene) -> None:
        for hand in (*scene.hands, *scene.left):
            self._hands[hand.id] = hand
        while len(self._hands) > _KEEP_HANDS:
            del self._hands[min(self._hands)]

    def _uncovered(self, scene: Scene) -> list[Word]:
        """Backs that a hand lay on and has left for good."""
        words: list[Word] = []
        for card in self.layout:
            if card.face != BACK:
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
            hand = self._hands.get(touch.hand)
            if hand is not None:
                return [Uncovered(card.seen, touch.free_s, Credit(hand.id, hand.entry_mm, 1.0))]
        return []

    def _free_since(self, place: Mask) -> float:
        """Since when this place has lain still with less than `HAND_SHARE` of it under a hand."""
        return self.gate.free_since(place, 1 - HAND_SHARE)

    def _trouble(self, scene: Scene) -> list[Word]:
        if scene.blind == self._blind:
            return []
        self._blind = scene.blind
        return [Trouble("COVERED", scene.seconds, over=not scene.blind)]


def _same_arm(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return math.dist(a, b) < _SAME_ARM_MM


def _same_place(a: Pose, b: Pose) -> bool:
    """Do two cards lie on each other, either way up?"""
    return a.distance(b) < 25 and a.turned(b, half=True) < 25


def _box_mm(surface: Surface, shape: tuple[int, ...], factor: int) -> outlines.Box:
    """What the whole picture shows, in mm."""
    high, wide = shape[0] * factor, shape[1] * factor
    corners = surface.mm([[0, 0], [wide, 0], [wide, high], [0, high]])
    return float(corners[:, 0].min()), float(corners[:, 1].min()), float(corners[:, 0].max()), float(corners[:, 1].max())


def _mask_box_mm(surface: Surface, mask: Mask, factor: int, margin_mm: float) -> outlines.Box:
    x, y, w, h = cv2.boundingRect(mask)
    corners = surface.mm(np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]]) * factor)
    left, top = corners.min(0) - margin_mm
    right, bottom = corners.max(0) + margin_mm
    return float(left), float(top), float(right), float(bottom)
