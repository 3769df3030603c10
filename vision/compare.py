"""Compares what is seen at a changed place with what is known to lie there.

Sorts sightings into kept, new, moved, misread; finds known cards that are gone; finds backs and packs by their shape.
It changes nothing and says nothing: tracker.py does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from . import outlines
from .bare import Bare
from .gate import Gate, Scene
from .layout import Layout, Lying
from .outlines import Box
from .pose import Pose
from .sightings import Sighting, rejoin
from .surface import Surface
from .words import BACK, UNREAD

Image = NDArray[np.uint8]
Mask = NDArray[np.uint8]
Floats = NDArray[np.float64]
Shape = tuple[Pose, str]

HAND_SHARE: Final = 0.04
"""A hand that covers less of a card than this has let it go (the recordings' definition)."""

_NEAR_MM: Final = 60.0
"""A card pushed or bumped without being taken up moves less than its own width."""

_NEAR_DEG: Final = 60.0
"""... and turns less than this."""

_SAME_INDEX_MM: Final = 8.0
"""An index within this of where a known card has one may be that card's."""

_SAME_WAY: Final = 0.9
"""Cosine between the ways that two indices point, for the same index (26 degrees)."""

_GLYPH_MM: Final = 5.0
"""Reach of an index: a change within this of its middle is a change of it."""

_SAME_FACE: Final = 0.05
"""A card of whose rectangle less than this changed shows the face it showed: other pips change more."""

_STIRRED: Final = 0.08
"""A known card is looked at again when this share of its rectangle changed: an index alone is 0.02, pips are 0.1."""

_LEFT: Final = 0.15
"""A card's old place has changed when this share of what shows of it has."""

_COVERED: Final = 0.12
"""A card of which less than this can be seen may well lie there still: its corner alone is 0.15."""

_POSE_DOUBT_MM: Final = 5.0
"""A known place may be wrong by this much: a strip narrower than twice this along an edge proves nothing."""

_BARE: Final = 0.6
"""A place is empty when this share of it looks like the bare table."""

_WHOLLY_BARE: Final = 0.9
"""... and it is nothing but table with so much: of a white card on white cloth the half that is blank looks like it."""

_SEEN: Final = 0.5
"""Whether an edge runs round a place is told when so much of it is open to view."""

_RESIDUE: Final = 0.2
"""What no face explains, in cards: a back beside a known one shows at least this much."""

_NEW_SHAPE: Final = 0.3
"""A card-shaped thing is new when this share of it changed."""

_OUTLINED: Final = 0.6
"""Share of its sides along which a card lying on others shows an edge; chance rectangles reach this rarely."""

_LOOK_ROUND_MM: Final = 40.0
"""Outlines are looked for so far round a change: half a card."""

_INSIDE_MM: Final = 3.0
"""An index lies under a card when it would be this deep in it."""


_LEAST_CONTOUR: Final = 40
"""A card's outline has 60 small pixels and more."""

_CHANGED_ALL: Final = 0.5
"""A back of which so much has changed, and that has no outline any more, is gone, whatever the table looks like."""

_CHANGED_FACE: Final = 0.75
"""... and a face, if the place looks a little like the table too: an unseen hand never hides so much of a card."""

_ONE_SPOT_MM: Final = 10.0
"""Two cards nearer than this hide each other's indices: what is seen there is one card."""

_THREE: Final = np.ones((3, 3), np.uint8)


@dataclass(slots=True)
class Found:
    """What the sightings at a changed place mean. ``wait``: something there is still under a hand."""

    kept: list[tuple[Lying, Sighting]] = field(default_factory=list)
    new: list[Sighting] = field(default_factory=list)
    moved: list[tuple[Lying, Sighting]] = field(default_factory=list)
    twice: list[tuple[Lying, Sighting]] = field(default_factory=list)
    late: list[tuple[Lying, Sighting]] = field(default_factory=list)
    unread: list[Sighting] = field(default_factory=list)
    wait: bool = False

    def names(self) -> set[str]:
        """Cards that have just been found elsewhere: there is one of each, so the less sure reading is in doubt."""
        return {s.card for s in self.new} | {s.card for _, s in self.moved + self.twice + self.late}

    def poses(self) -> list[Pose]:
        """Where faces were sighted that were not known to lie there, or not known by name."""
        return [s.pose for s in self.new + self.unread] + [s.pose for _, s in self.moved + self.twice + self.late]


@dataclass(frozen=True, slots=True)
class Backs:
    """Card shapes that are new here, known backs that lie a little elsewhere, and known backs not confirmed."""

    new: tuple[Shape, ...] = ()
    shifted: tuple[tuple[Lying, Pose], ...] = ()
    confirmed: tuple[Lying, ...] = ()


@dataclass(slots=True)
class Compare:
    """Knows the table as it was; is asked about changed places."""

    surface: Surface
    gate: Gate
    layout: Layout
    bare: Bare
    threshold: float

    # --- sightings -------------------------------------------------------------------------------------------

    def sort(self, sightings: Iterable[Sighting], mask: Mask, scene: Scene, inset_mm: tuple[float, float]) -> Found:
        """What each sighting is: a known card, a new one, one that moved, one that cannot be."""
        found = Found()
        strange = []
        for one in sightings:
            known = self._known(one, mask, inset_mm)
            if known is not None:
                found.kept.append((known, one))
            else:
                strange.append(one)
        for one in sorted(rejoin(strange, self.surface.card_mm, inset_mm), key=lambda s: -s.confidence):
            if not self._half_hidden(one, found, mask, inset_mm):
                self._sort_strange(one, found, mask, scene)
        found.unread = _one_a_place(one for one in found.unread if not self._on_a_read_card(one, found))
        return found

    def _known(self, one: Sighting, mask: Mask, inset_mm: tuple[float, float]) -> Lying | None:
        """The card lying here of which this is a sighting, well or poorly read."""
        name = one.named(self.threshold)
        known = self.layout.named(name) if name != UNREAD else None
        if known is not None and _pushed(known.pose, one.pose):
            return known
        misread = self._misread(one, mask, inset_mm)
        if misread is None and name == UNREAD:
            return self._unread_at(one.pose)
        return misread

    def _sort_strange(self, one: Sighting, found: Found, mask: Mask, scene: Scene) -> None:
        name = one.named(self.threshold)
        known = self.layout.named(name) if name != UNREAD else None
        doubtful = self._unread_at(one.pose)
        changed = self._changed_at(one, mask)
        if (
            doubtful is not None
            and name != UNREAD
            and (name == doubtful.likely or not (changed and _share(doubtful.mask, mask) > _SAME_FACE))
        ):
            found.late.append((doubtful, one))
        elif not changed:
            return
        elif self.under_hand(one.pose, scene):
            found.wait = True
        elif name == UNREAD or name in found.names():
            found.unread.append(one)
        elif known is None:
            found.new.append(one)
        elif self._left(known, scene) and not self._in_place(known, found):
            found.moved.append((known, one))
        else:
            found.twice.append((known, one))

    def _half_hidden(self, one: Sighting, found: Found, mask: Mask, inset_mm: tuple[float, float]) -> bool:
        """Is it a known card's index, or both, misread because a surer new card covers part of it, and nothing else
        changed?
        """
        if self._at_index(one, inset_mm) is None:
            return False
        wide, high = self.surface.card_mm
        rest = mask.copy()
        for pose in [s.pose for s in found.new] + [s.pose for _, s in found.moved + found.twice]:
            rest[self.gate.raster(pose.outline((wide + 2 * _POSE_DOUBT_MM, high + 2 * _POSE_DOUBT_MM))) > 0] = 0
        return self._changed_at(one, mask) and not self._changed_at(one, rest)

    def _in_place(self, known: Lying, found: Found) -> bool:
        """Has it just been read where it lay?"""
        return any(card is known and s.named(self.threshold) == card.face for card, s in found.kept)

    def _on_a_read_card(self, one: Sighting, found: Found) -> bool:
        """Does it lie on a card that was read here? Then it is a pip, or what peeps out from under that card."""
        read = [s.pose for s in found.new] + [s.pose for _, s in found.moved + found.twice]
        if any(same_place(pose, one.pose) for pose in read):
            return True
        read += [card.pose for card, sighting in found.kept if sighting.named(self.threshold) == card.face]
        return any(pose.inside(c.middle, self.surface.card_mm) for pose in read for c in one.corners)

    def under_hand(self, pose: Pose, scene: Scene) -> bool:
        """Does a hand cover `HAND_SHARE` or more of a card here?"""
        inside = self.layout.mask(pose) > 0
        return bool(inside.any()) and float((scene.hand_of[inside] > 0).mean()) >= HAND_SHARE

    def stirred(self, card: Lying, mask: Mask) -> bool:
        """Did enough of the card's rectangle change to look at it again?"""
        return cv2.countNonZero(cv2.bitwise_and(card.mask, mask)) > _STIRRED * card.area

    def _changed_at(self, one: Sighting, mask: Mask) -> bool:
        """Did the picture change where an index stands?"""
        reach = max(1, round(_GLYPH_MM / self.gate.mm_per_px))
        for corner in one.corners:
            x, y = (int(v) for v in self.surface.px(corner.middle) / self.gate.factor)
            if mask[max(y - reach, 0) : y + reach + 1, max(x - reach, 0) : x + reach + 1].any():
                return True
        return False

    def _unread_at(self, pose: Pose) -> Lying | None:
        """The card lying here that could not be read."""
        return next((c for c in self.layout if c.face == UNREAD and same_place(c.pose, pose)), None)

    def _misread(self, one: Sighting, mask: Mask, inset_mm: tuple[float, float]) -> Lying | None:
        """The known card of which this is a poor reading: its index stands there, and it did not change."""
        card = self._at_index(one, inset_mm)
        if card is None or (len(one.corners) == 2 and one.confidence >= self.threshold):
            return None
        if one.confidence >= self.threshold:
            return None if self._changed_at(one, mask) else card
        same = one.card == card.face or _share(card.mask, mask) < _SAME_FACE
        return card if same else None

    def _at_index(self, one: Sighting, inset_mm: tuple[float, float]) -> Lying | None:
        """The known face that has an index where this one stands, pointing the same way: itself, else the topmost."""
        near = [
            card
            for card in reversed(self.layout.cards)
            if card.face not in (BACK, UNREAD) and self._has_index_at(card, one, inset_mm)
        ]
        return next((card for card in near if card.face == one.card), near[0] if near else None)

    def _has_index_at(self, card: Lying, one: Sighting, inset_mm: tuple[float, float]) -> bool:
        if card.pose.distance(one.pose) > 2 * _NEAR_MM:
            return False
        return any(
            float(np.hypot(*(corner.middle - middle))) < _SAME_INDEX_MM and float(corner.down @ down) > _SAME_WAY
            for middle, down in self._index_places(card.pose, inset_mm)
            for corner in one.corners
        )

    def _index_places(self, pose: Pose, inset_mm: tuple[float, float]) -> list[tuple[Floats, Floats]]:
        wide, high = self.surface.card_mm
        offset = pose.right * (wide / 2 - inset_mm[0]) + pose.down * (high / 2 - inset_mm[1])
        middle = np.array(pose.middle)
        return [(middle - offset, pose.down), (middle + offset, -pose.down)]

    def _left(self, card: Lying, scene: Scene) -> bool:
        """Has its place changed, so that it may be the card seen elsewhere?"""
        inside = self.layout.visible(card) > 0
        return bool(inside.any()) and float((scene.changed[inside] > 0).mean()) > _LEFT

    # --- what is no longer there -----------------------------------------------------------------------------

    def gone(self, image: Image, found: Found, backs: Backs, mask: Mask, scene: Scene) -> list[Lying]:
        """Known cards at this place that are there no more, the top one first."""
        kept = {card.id for card, _ in found.kept} | {card.id for card in backs.confirmed}
        on_top: Mask = np.zeros(mask.shape, np.uint8)
        for pose in [sighting.pose for sighting in found.new] + [pose for pose, _ in backs.new]:
            on_top[self.layout.mask(pose) > 0] = 255
        gone: list[Lying] = []
        for card in reversed(self.layout.cards):
            if card.id in kept or not (self.stirred(card, mask) or self._bared(image, card, gone, mask, scene)):
                continue
            uncovered = not cv2.bitwise_and(card.mask, on_top).any()
            if (
                self._contradicted(card, found)
                or self._shows_table(card, gone, on_top, scene)
                or (uncovered and self._vanished(image, card, gone, scene))
            ):
                gone.append(card)
        return gone

    def _vanished(self, image: Image, card: Lying, gone: list[Lying], scene: Scene) -> bool:
        """Has a card changed all over, with nothing on it, and is there no rectangle any more?

        What the table looks like under it may never have been seen: this needs no picture of it for a back.
        """
        if (scene.hand_of[card.mask > 0] > 0).any():
            return False
        visible = self._uncovered(card, gone) > 0
        changed = float((scene.changed[visible] > 0).sum()) / card.area
        if changed < (_CHANGED_ALL if card.face == BACK else _CHANGED_FACE) or self.outlined(image, card.pose):
            return False
        return card.face == BACK or self.bare.share(scene, visible, self.gate.threshold()) >= _BARE / 2

    def _bared(self, image: Image, card: Lying, gone: list[Lying], mask: Mask, scene: Scene) -> bool:
        """Has a card as white as the table gone? Only its print changed, and no edge runs round its place any more."""
        if not cv2.bitwise_and(card.mask, mask).any():
            return False
        visible = (self._uncovered(card, gone) > 0) & (scene.hand_of == 0)
        if int(visible.sum()) < _SEEN * card.area:
            return False
        bare = self.bare.share(scene, visible, self.gate.threshold())
        return bare >= _WHOLLY_BARE and not self.outlined(image, card.pose)

    def _uncovered(self, card: Lying, gone: list[Lying]) -> Mask:
        """What shows of a card, the cards that are gone taken away."""
        visible = card.mask.copy()
        for above in self.layout.cards[self.layout.cards.index(card) + 1 :]:
            if above not in gone:
                visible[above.mask > 0] = 0
        return visible

    def left_behind(self, image: Image, scene: Scene) -> list[Lying]:
        """Known backs whose place has just come to look like the bare table: one of them may lie elsewhere now."""
        nothing: Mask = np.zeros(scene.changed.shape, np.uint8)
        backs = [c for c in self.layout if c.face == BACK and self._left(c, scene)]
        return [c for c in backs if self._shows_table(c, [], nothing, scene) or self._vanished(image, c, [], scene)]

    def outlined(self, image: Image, pose: Pose) -> bool:
        """Do edges run round a card lying here, as far as they can be told on other cards?"""
        x, y = pose.middle
        reach = max(self.surface.card_mm)
        view = outlines.plan(image, self.surface, (x - reach, y - reach, x + reach, y + reach))
        return outlines.refine(view, pose, self.surface.card_mm).support >= _OUTLINED

    def hidden_faces(self, place: Mask, mask: Mask) -> list[Lying]:
        """Faces that changed under a back so that next to nothing of them shows: turned down with it."""
        hidden = []
        for card in self.layout:
            if card.face == BACK or not self.stirred(card, mask):
                continue
            visible = self.layout.visible(card)
            visible[place > 0] = 0
            if cv2.countNonZero(visible) < 2 * _COVERED * card.area:
                hidden.append(card)
        return hidden

    def _contradicted(self, card: Lying, found: Found) -> bool:
        """Is a lower card's index seen where this one would hide it?"""
        height = self.layout.cards.index(card)
        for other, sighting in found.kept:
            below = self.layout.cards.index(other) < height and sighting.named(self.threshold) == other.face
            if below and any(card.pose.inside(c.middle, self.surface.card_mm, _INSIDE_MM) for c in sighting.corners):
                return True
        return False

    def _shows_table(self, card: Lying, gone: list[Lying], on_top: Mask, scene: Scene) -> bool:
        """Does its place look like the bare table, where nothing else covers it?"""
        visible = self._uncovered(card, gone)
        visible[(on_top > 0) | (scene.hand_of > 0)] = 0
        doubt = 2 * round(_POSE_DOUBT_MM / self.gate.mm_per_px) + 1
        inside = cv2.erode(visible, np.ones((doubt, doubt), np.uint8)) > 0
        if int(inside.sum()) < _COVERED * card.area:
            return False
        return self.bare.share(scene, inside, self.gate.threshold()) >= _BARE

    # --- backs and packs, by their shape ---------------------------------------------------------------------

    def backs(self, image: Image, scene: Scene, mask: Mask, explained: Mask, found: Found) -> Backs:
        """Card-shaped things at this place that no reading explains."""
        residue = mask.copy()
        residue[explained > 0] = 0
        for pose in found.poses():
            residue[self.layout.mask(pose) > 0] = 0
        known = [c for c in self.layout if c.face == BACK and self.stirred(c, mask)]
        wide, high = self.surface.card_mm
        if cv2.countNonZero(residue) < _RESIDUE * wide * high / self.gate.mm_per_px**2 and not known:
            return Backs()
        faces = found.poses() + [card.pose for card, _ in found.kept]
        return self._match(self._shapes(image, mask), known, faces, mask, scene)

    def _shapes(self, image: Image, mask: Mask) -> list[Shape]:
        view = outlines.plan(image, self.surface, self._box(mask))
        card_mm = self.surface.card_mm
        changes = [self._on_plan(view, contour) for contour in _contours(mask) if len(contour) >= _LEAST_CONTOUR]
        return [
            (shape.pose, UNREAD if outlines.looks_like_face(view, shape.pose, card_mm) else BACK)
            for shape in outlines.find(view, card_mm, changes)
        ]

    def _on_plan(self, view: outlines.Plan, contour: Any) -> NDArray[np.float32]:
        """A contour of small pixels, on a plan view."""
        return view.grid(self.surface.mm((contour[:, 0] + 0.5) * self.gate.factor)).astype(np.float32)[:, None]

    def _match(self, shapes: list[Shape], known: list[Lying], faces: list[Pose], mask: Mask, scene: Scene) -> Backs:
        strange, shifted, confirmed = [], [], []
        for pose, face in shapes:
            near = min((c for c in known if c not in confirmed), key=lambda c: c.pose.distance(pose), default=None)
            if near is not None and same_place(near.pose, pose):
                confirmed.append(near)
                shifted.append((near, pose))
            elif not any(same_place(pose, other) for other in faces):
                strange.append((pose, face))
        return Backs(tuple(self._all_new(strange, mask, scene)), tuple(shifted), tuple(confirmed))

    def _all_new(self, shapes: list[Shape], mask: Mask, scene: Scene) -> Iterator[Shape]:
        """Those of the shapes that are new, each by a change that is its own: the one most changed takes it first.

        The edges of two neighbours make a rectangle between them.
        """
        left = mask.copy()
        for pose, face in sorted(shapes, key=lambda shape: -_share(self.layout.mask(shape[0]), mask)):
            if self._is_new(pose, left, scene):
                left[self.layout.mask(pose) > 0] = 0
                yield pose, face

    def _is_new(self, pose: Pose, mask: Mask, scene: Scene) -> bool:
        return _share(self.layout.mask(pose), mask) >= _NEW_SHAPE and not self.under_hand(pose, scene)

    def _box(self, mask: Mask) -> Box:
        x, y, w, h = cv2.boundingRect(mask)
        return box_mm(self.surface, (x, y, x + w, y + h), self.gate.factor, _LOOK_ROUND_MM)


def _share(place: Mask, mask: Mask) -> float:
    """Share of a place that changed."""
    return cv2.countNonZero(cv2.bitwise_and(place, mask)) / max(1, cv2.countNonZero(place))


def _contours(mask: Mask) -> Sequence[Any]:
    """The outer outlines of a mask's parts, bits and gaps of a pixel smoothed away."""
    smooth = cv2.morphologyEx(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, _THREE), cv2.MORPH_OPEN, _THREE)
    return cv2.findContours(smooth, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]


def _one_a_place(sightings: Iterable[Sighting]) -> list[Sighting]:
    """Of doubtful sightings on one spot the best: it is one card, read in two ways."""
    kept: list[Sighting] = []
    for one in sorted(sightings, key=lambda s: (len(s.corners), s.frames, s.confidence), reverse=True):
        if not any(one.pose.distance(other.pose) < _ONE_SPOT_MM and same_place(one.pose, other.pose) for other in kept):
            kept.append(one)
    return kept


def same_place(a: Pose, b: Pose) -> bool:
    """Do two cards lie on each other, either way up? (Half a card's width, 25 degrees.)"""
    return a.distance(b) < 25 and a.turned(b, half=True) < 25


def box_mm(surface: Surface, small: tuple[int, int, int, int], factor: int, margin_mm: float) -> Box:
    """What the small pixels left, top, right, bottom show, in mm, with a margin."""
    left, top, right, bottom = small
    corners: Any = np.array([[left, top], [right, top], [right, bottom], [left, bottom]]) * factor
    places = surface.mm(corners)
    x0, y0 = places.min(0) - margin_mm
    x1, y1 = places.max(0) + margin_mm
    return float(x0), float(y0), float(x1), float(y1)


def _pushed(was: Pose, now: Pose) -> bool:
    """A card turned by half looks as before: which of its indices was seen says nothing."""
    return was.distance(now) < _NEAR_MM and was.turned(now, half=True) < _NEAR_DEG
