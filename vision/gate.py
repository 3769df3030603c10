"""The gate: what on the table differs from its last settled picture, where hands are, and what has come to rest.

Works on a small copy of the picture (a pixel is about `PIXEL_MM` on the table), so an idle frame costs little. It
reads no card. Light that drifts, flickers or falls in shadow is not a change; a blob that reaches the picture's edge is
a hand (or sleeve); what is left behind, still and free of hands, is a `Rest`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from .leaps import Leaps
from .surface import Surface
from .witness import Gap, Witness

Image = NDArray[np.uint8]
Mask = NDArray[np.uint8]
Times = NDArray[np.float32]
Region = tuple[float, float, float, float]

PIXEL_MM: Final = 2.5
"""Size of a small pixel on the table: a pip (8 mm) fills three, a card 25 x 35."""

_CHANGE_LEVELS: Final = 10.0
"""Least change of a channel, in grey levels: four times the noise of an averaged pixel (2 to 3 levels, coded video)."""

_CHANGE_SHARE: Final = 0.03
"""... and this share of the brightness more: noise and what is left of flicker grow with the light."""

_NOISE_TIMES: Final = 3.2
"""... and at least so many times the median difference of two frames: 5 standard deviations of a pixel's noise."""

_MOST_NOISE: Final = 12.0
"""No camera's frames differ by more; what does is a lamp switched or a lens covered, grey levels."""

_NOISE_RATE: Final = 0.1
"""How fast the noise estimate follows the picture."""

_FAINT_LEVELS: Final = 4.0
"""Least mean change round a pixel (3 x 3) that may be a sleeve or skin of the table's own colour, grey levels."""

_FAINT_SHARE: Final = 0.015
"""... and this share of the brightness more: what is left of light that changes unevenly."""

_FAINT_NOISE: Final = 1.2
"""... and at least so many times the noise: the mean of nine pixels' noise stays below 1.07 times of it (5 sigma)."""

_LINK_MM: Final = 9.0
"""Parts of an arm this far apart belong together: a wrist of the table's own colour."""

_HAND_MM2: Final = 120.0
"""A blob at the edge with less clear change than this is a change of the light, no arm: a finger tip has 150."""

_MOTION_SHARE: Final = 0.8
"""Motion is told from one frame to the next, where there is no drift: a lower threshold does."""

_SHADOW_DARKEST: Final = 0.55
"""A hand's shadow leaves at least this share of the light (measured at indoor tables: 0.6 to 0.95)."""

_SHADOW_HUE: Final = 0.09
"""A shadow takes the same share of every channel, within this; skin and card backs do not."""

_RING_PX: Final = 2
"""Width of the picture's border band, small pixels: what reaches into it comes from outside."""

_CONTACT_MM: Final = 8.0
"""Least width of an arm or finger where it crosses the picture's edge."""

_CONTACT_GAP_MM: Final = 20.0
"""Border pixels closer than this belong to one arm."""

_STEP_MM: Final = 160.0
"""An arm's crossing of the edge moves at most this far between two frames."""

_GONE_S: Final = 0.15
"""A hand unseen for so long has left (one dropped frame is not leaving)."""

_SAME_VISIT_S: Final = 0.5
"""A still pixel stays credited to the hand that was there, though another arm touches the card, for so long: while the
first is still over the table."""

_RECALL_S: Final = 8.0
"""A thing that settled before an arm passed over it is known again for so long, with its time and its hand."""

_LOOKED_AT_S: Final = 0.05
"""... if it lay still and free for two frames; the next arm may be there before `REST_S` is over."""

_GROUP_MM: Final = 12.0
"""Changed bits closer than this belong to one change: the pips of one card are 20 mm apart, edge to edge 12. Gaps
in a hand up to this are hand too: fingers of the table's own colour."""

_CARRIED_MM2: Final = 600.0
"""Less than this of a card between invisible fingers is no card: a tenth of it."""

_FRAME_WAY_MM: Final = 100.0
"""A card is carried this far between two frames: 1.2 m/s at 12 frames a second."""

_CARD_SPAN_MM: Final = 112.0
"""Changed bits that fit in a square of this are one change: a card laid on a like one shows as pips and indices (88 mm
and half of `_GROUP_MM` at both ends)."""

_LEAST_MM2: Final = 40.0
"""Smaller changes are no card: the smallest trace, one index on an equal card, has 60."""

REST_S: Final = 0.19
"""How long a thing lies still and free of the hand that let it go before it counts as settled."""

_HANDED_S: Final = 4.0
"""A hand let a thing go that was over it in so many last seconds, and when it changed or since."""

REST_UNHANDED_S: Final = 0.35
"""... and where no hand was seen letting go: a card slid through stops for 0.3 s (field report A09)."""

_FURNITURE_S: Final = 60.0
"""What touches the edge and has not moved for so long is furniture; arms rest there for less, or move a little."""

_GHOST_S: Final = 0.5
"""A still blob is asked after so long whether it is a ghost: the place of an arm that the first picture had."""

_GHOST_EDGE: Final = 1.4
"""A ghost has an outline this many times as strong in the settled picture as now; an arm has it now."""

_STILL_SHARE: Final = 0.8
"""A blob lies still when so much of it does: the rest is noise at its rim."""

_DRIFT_EVERY: Final = 3
"""Frames between two steps of the slow adaptation to drifting light."""

_DRIFT_RATE: Final = 0.12
"""Share of the difference taken over by each of these steps: at 15 frames a second, 1.6 s."""

_DRIFT_AWAY_MM: Final = 40.0
"""Nothing is adapted this near a change: a sleeve of the table's colour, a hand's shadow."""

_UNSEEN_ARM_S: Final = 2.0
"""Nothing is adapted for so long after something moved that no arm holds: its arm has the table's colour, and would
become part of the settled picture while it lies there."""

_COVERED_SHARE: Final = 0.6
"""More of the picture changed than this is no hand: the lens is covered, or the light was switched."""


@dataclass(frozen=True, slots=True)
class Hand:
    """One arm over the table. ``entry_mm``: where it first crossed the picture's edge; ``contact_mm``: where now."""

    id: int
    entry_mm: tuple[float, float]
    contact_mm: tuple[float, float]
    since_s: float
    seen_s: float


@dataclass(frozen=True, slots=True)
class Rest:
    """A changed place that lies still with no hand in it. ``mask`` small pixels; ``free_s``: still and free since."""

    mask: Mask
    region_px: Region
    free_s: float
    handed: bool
    settled: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """What one frame shows. Masks are [h, w] uint8, 0 or 255; ``hand_of`` int16 [h, w] hand ids, 0 none.

    ``light``: how bright the picture is beside the first one. ``gap``: something came while nobody looked, until now.
    """

    seconds: float
    small: Image
    changed: Mask
    hand_of: NDArray[np.int16]
    hands: tuple[Hand, ...]
    left: tuple[Hand, ...]
    rests: tuple[Rest, ...]
    blind: bool = False
    light: float = 1.0
    gap: Gap | None = None

    @property
    def idle(self) -> bool:
        """Nothing differs and nobody reaches over the table."""
        return not self.hands and not self.rests and not self.left


class Gate:
    """Follows one camera. Give it every frame with `see`; tell it with `adopt` what has been dealt with."""

    _lent: NDArray[np.bool_]
    _still_s: Times
    _hand_s: Times
    _memory: _Memory

    def __init__(self, surface: Surface, size_px: tuple[int, int]) -> None:
        """``size_px``: width and height of the frames."""
        self.surface = surface
        self.factor = max(1, round(surface.px_per_mm * PIXEL_MM))
        self.size = (size_px[0] // self.factor, size_px[1] // self.factor)
        self.mm_per_px = self.factor / surface.px_per_mm
        self.last_hand: NDArray[np.int16] = np.zeros((self.size[1], self.size[0]), np.int16)
        """The hand that was last over each small pixel (0: none yet)."""
        self.lying: Callable[[], Mask] = lambda: np.zeros((self.size[1], self.size[0]), np.uint8)
        """Says where known cards lie, small mask."""
        self.witness = Witness(self.size, self.mm_per_px, _LEAST_MM2)
        """Tells what changed while nobody looked."""
        self._model: Any = None
        self._frames = 0
        self._noise = 0.0
        self._seen = 0
        self._leaps = Leaps(self.mm_per_px)
        self._hands: list[Hand] = []
        self._owner: NDArray[np.int16] = self.last_hand.copy()
        self._carrier: NDArray[np.int16] = self.last_hand.copy()  # hands, and what moves out of their place
        self._labels: Any = self.last_hand
        self._alone = self.last_hand > 0  # pixels of a blob with one arm, now
        self._certain = self._alone.copy()  # pixels whose last hand was told from such a blob
        self._next_hand = 1
        self._armless_s = -math.inf
        group = 2 * max(1, round(_GROUP_MM / 2 / self.mm_per_px)) + 1
        self._group_kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (group, group))
        away = 2 * round(_DRIFT_AWAY_MM / self.mm_per_px) + 1
        self._away_kernel = np.ones((away, away), np.uint8)
        link = 2 * max(1, round(_LINK_MM / 2 / self.mm_per_px)) + 1
        self._link_kernel = np.ones((link, link), np.uint8)
        self._ring = _ring_order(self.size)

    def see(self, image: Image, seconds: float) -> Scene:
        """Compare a frame (BGR uint8 [h, w, 3]) taken at ``seconds`` with the settled picture."""
        raw = self._shrink(image)
        if self._model is None:
            self._start(raw, seconds)
        self._follow_noise(raw)
        small = self._normalised(raw)
        if self._lent.any():
            self._lay_ghosts(small)
        changed = self._changed(small)
        if cv2.countNonZero(changed) > _COVERED_SHARE * changed.size:
            none = np.zeros_like(self.last_hand)
            return Scene(seconds, small, changed, none, tuple(self._hands), (), (), True, self._light)
        moving = self._moving(raw)
        hand_mask, contacts = self._hand_blobs(changed, self._faint(small), seconds)
        gap = self.witness.see(raw, moving, changed, hand_mask, seconds)
        left = self._follow(contacts, seconds)
        hand_of = self._owners(hand_mask, contacts)
        self._leaps.see(hand_of, changed, {c.hand: (int(c.small[0]), int(c.small[1])) for c in contacts}, seconds)
        self._keep_time(moving, hand_mask, hand_of, seconds)
        self._follow_carried(changed, moving, hand_of, seconds)
        self._recall(small, moving, hand_mask, seconds)
        rests = self._rests(changed, hand_mask, seconds)
        self._remember(small, rests, seconds)
        if self._armless(changed, moving, hand_mask):
            self._armless_s = seconds
        self._drift(small, np.bitwise_or(changed, hand_mask), seconds)
        self._prev, self._small = raw, small
        return Scene(seconds, small, changed, hand_of, tuple(self._hands), left, rests, False, self._light, gap)

    def adopt(self, mask: Mask) -> None:
        """Take the newest frame as the settled picture under ``mask`` (small pixels)."""
        grown = cv2.dilate(mask, np.ones((3, 3), np.uint8)) > 0
        self._model[grown] = self._small[grown]
        self._lent[grown] = False
        self._memory.at_s[grown] = -math.inf
        self.witness.adopt(grown)
        self._refresh()

    def patch(self, image: Image, mask: Mask) -> None:
        """Take a frame that is not yet looked at as the settled picture where ``mask`` (uint8 [h, w]) is not 0."""
        if self._model is not None:
            small = self._normalised(self._shrink(image))
            there = cv2.resize(mask, self.size, interpolation=cv2.INTER_LINEAR) > 0
            self._model[there] = small[there]
            self._refresh()

    @property
    def model(self) -> Image:
        """The settled picture, small, in the light of the first frame."""
        return self._model8

    def raster(self, polygon_mm: Any) -> Mask:
        """A polygon in mm [n, 2] as a small mask."""
        mask = np.zeros((self.size[1], self.size[0]), np.uint8)
        points = self.surface.px(polygon_mm) / self.factor - 0.5
        cv2.fillConvexPoly(mask, np.round(points * 16).astype(np.int32), 255, shift=4)
        return mask

    def free_since(self, mask: Mask, share: float) -> float:
        """Since when ``share`` of the small pixels under ``mask`` have been still and free of hands, seconds."""
        times = self._still_s[mask > 0]
        return float(np.percentile(times, 100 * share)) if times.size else -math.inf

    def owners(self, mask: Mask, since_s: float) -> NDArray[np.int16]:
        """The hand last over each small pixel of ``mask`` that one was over since then, [n] ids."""
        there = (mask > 0) & (self._hand_s >= since_s)
        owners = self.last_hand[there]
        return np.asarray(owners[owners > 0])

    def last_visit(self, mask: Mask) -> float:
        """When a hand was last over a good part of ``mask`` (a twentieth of it), seconds; -inf if none ever was."""
        times = self._hand_s[mask > 0]
        return float(np.percentile(times, 95, method="lower")) if times.size else -math.inf

    @contextmanager
    def as_it_lay(self) -> Iterator[None]:
        """Within this, times and hands are those of what lay still and free before an arm came over it."""
        now = self.last_hand, self._hand_s, self._still_s
        then, known = self._memory, self._memory.at_s > -math.inf
        self.last_hand = np.where(known, then.hand, now[0])
        self._hand_s, self._still_s = np.where(known, then.hand_s, now[1]), np.where(known, then.still_s, now[2])
        try:
            yield
        finally:
            self.last_hand, self._hand_s, self._still_s = now

    def threshold(self) -> NDArray[np.uint8]:
        """What counts as a change of the settled picture, grey levels [h, w]."""
        return self._threshold

    def _shrink(self, image: Image) -> Image:
        wide, high = self.size[0] * self.factor, self.size[1] * self.factor
        return np.asarray(cv2.resize(image[:high, :wide], self.size, interpolation=cv2.INTER_AREA), np.uint8)

    def _start(self, raw: Image, seconds: float) -> None:
        self._model = raw.astype(np.float32)
        self._prev = self._small = raw
        self._hidden = self._model.copy()  # what lies under furniture, where `_lent`
        self._lent = np.zeros(raw.shape[:2], bool)
        self._still_s = np.full(raw.shape[:2], seconds, np.float32)
        self._memory = _Memory.of(raw)
        self._edge_still_s: Times = self._still_s.copy()
        self._hand_s = np.full(raw.shape[:2], -math.inf, np.float32)
        self._refresh()

    def _refresh(self) -> None:
        self._model8 = np.asarray(cv2.convertScaleAbs(self._model), np.uint8)
        brightest = _most(self._model8)
        least = max(_CHANGE_LEVELS, _NOISE_TIMES * self._noise)
        self._threshold = np.asarray(np.minimum(least + _CHANGE_SHARE * brightest, 255), np.uint8)
        faint = max(_FAINT_LEVELS, _FAINT_NOISE * self._noise)
        self._faint_threshold = np.asarray(faint + _FAINT_SHARE * brightest, np.uint8)
        self._motion_threshold = np.asarray(self._threshold * _MOTION_SHARE, np.uint8)
        self._sample = self._model8[::5, ::5].reshape(-1, 3).astype(np.float32) + 1

    def _follow_noise(self, raw: Image) -> None:
        """The median difference between two frames, of the channel that differs most: hands cover less than half."""
        now = min(np.median(_most(cv2.absdiff(raw[::4, ::4], self._prev[::4, ::4]))), _MOST_NOISE)
        rate = max(_NOISE_RATE, 1 / max(1, self._seen))
        self._noise += rate * (float(now) - self._noise)
        self._seen += 1
        if self._seen == 2:
            self._refresh()

    def _normalised(self, raw: Image) -> Image:
        """The frame in the light of the settled picture: the median gain of each channel taken out."""
        now = raw[::5, ::5].reshape(-1, 3).astype(np.float32) + 1
        gain = np.clip(np.median(now / self._sample, axis=0), 0.5, 2.0)
        self._light = float(gain.mean())
        table = np.clip(np.arange(256)[:, None] / gain[None], 0, 255).astype(np.uint8).reshape(1, 256, 3)
        return np.asarray(cv2.LUT(raw, table), np.uint8)

    def _changed(self, small: Image) -> Mask:
        diff = _most(cv2.absdiff(small, self._model8))
        changed = np.asarray(cv2.compare(diff, self._threshold, cv2.CMP_GT), np.uint8)
        ys, xs = np.nonzero(changed)
        if len(ys):
            shadow = _shadowed(small[ys, xs], self._model8[ys, xs])
            changed[ys[shadow], xs[shadow]] = 0
        return changed

    def _moving(self, raw: Image) -> Mask:
        diff = _most(cv2.absdiff(raw, self._prev))
        return np.asarray(cv2.compare(diff, self._motion_threshold, cv2.CMP_GT), np.uint8)

    def _faint(self, small: Image) -> Mask:
        """Where the picture differs a little over more than a pixel, shadows left out: arms of the table's colour."""
        diff = cv2.absdiff(small, self._model8)
        faint = np.asarray(cv2.compare(_most(cv2.blur(diff, (3, 3))), self._faint_threshold, cv2.CMP_GT), np.uint8)
        ys, xs = np.nonzero(faint)
        if len(ys):
            now, was = cv2.blur(small, (3, 3)), cv2.blur(self._model8, (3, 3))
            shadow = _shadowed(np.asarray(now[ys, xs]), np.asarray(was[ys, xs]))
            faint[ys[shadow], xs[shadow]] = 0
        return faint

    def _hand_blobs(self, changed: Mask, faint: Mask, seconds: float) -> tuple[Mask, list[_Contact]]:
        """Blobs that reach the picture's edge, and where they cross it."""
        hands = np.zeros_like(changed)
        contacts: list[_Contact] = []
        self._labels = None
        differs = cv2.bitwise_or(changed, faint)
        on_ring = differs[self._ring[:, 1], self._ring[:, 0]]
        if not on_ring.any():
            return hands, contacts
        joined = cv2.dilate(differs, self._link_kernel)
        _, labels = cv2.connectedComponents(joined, connectivity=8)
        self._labels = labels
        for start, stop in _runs(on_ring > 0, round(_CONTACT_GAP_MM / self.mm_per_px)):
            if (stop - start) * self.mm_per_px < _CONTACT_MM:
                continue
            places = self._ring[np.arange(start, stop) % len(self._ring)]
            crossing = labels[places[:, 1], places[:, 0]]
            label = int(np.bincount(crossing[crossing > 0]).argmax())
            middle = self.surface.mm((places[len(places) // 2] + 0.5) * self.factor)
            contacts.append(_Contact(label, (float(middle[0]), float(middle[1])), places[len(places) // 2]))
        clear = np.bincount(labels[changed > 0], minlength=int(labels.max()) + 1) * self.mm_per_px**2
        contacts = [c for c in contacts if clear[c.label] >= _HAND_MM2]
        if not contacts:
            return hands, contacts
        arms = np.isin(labels, [c.label for c in contacts])
        hands[arms & (differs > 0)] = 255
        hands = np.asarray(cv2.morphologyEx(hands, cv2.MORPH_CLOSE, self._group_kernel), np.uint8)
        hands[(changed > 0) & ~arms] = 0
        self._settle_still(labels, hands, contacts, seconds)
        return hands, contacts

    def _settle_still(self, labels: Any, hands: Mask, contacts: list[_Contact], seconds: float) -> None:
        """Blobs at the edge that do not move: ghosts and furniture become part of the settled picture.

        Where a known card lies is no ghost: if it looks otherwise now, the card has gone.
        """
        still = (hands > 0) & (self._edge_still_s < seconds - _GHOST_S)
        if self._frames % _DRIFT_EVERY or not still.any():
            return
        free = cv2.dilate(self.lying(), np.ones((3, 3), np.uint8)) == 0
        for label in {c.label for c in contacts}:
            blob = (hands > 0) & (labels == label)
            if still[blob].mean() >= _STILL_SHARE and self._is_ghost(blob, free):
                self._model[blob & free] = self._small[blob & free]
                self._refresh()
        old = still & (self._edge_still_s < seconds - _FURNITURE_S)
        if old.any():
            self._hidden[old & ~self._lent] = self._model[old & ~self._lent]
            self._lent |= old
            self._model[old] = self._small[old]
            self._refresh()

    def _is_ghost(self, blob: NDArray[np.bool_], free: NDArray[np.bool_]) -> bool:
        """Did the settled picture have the outline of this blob, more than it has now?

        Asked where no known card lies (``free``): cards under a hand have outlines of their own.
        """
        mask = blob.astype(np.uint8)
        rim = cv2.morphologyEx(mask, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
        r = _RING_PX + 2
        rim[:r], rim[-r:], rim[:, :r], rim[:, -r:] = False, False, False, False
        rim &= free
        if not rim.any():
            return False
        was, now = (_steepness(picture)[rim].mean() for picture in (self._model8, self._small))
        return bool(was > _GHOST_EDGE * now)

    def _lay_ghosts(self, small: Image) -> None:
        """Where furniture has gone and shows again what it hid, that is the settled picture."""
        ys, xs = np.nonzero(self._lent)
        gone = np.abs(small[ys, xs] - self._hidden[ys, xs]).max(1) < self._threshold[ys, xs]
        gone &= np.abs(small[ys, xs] - self._model[ys, xs]).max(1) >= self._threshold[ys, xs]
        if gone.any():
            self._model[ys[gone], xs[gone]] = self._hidden[ys[gone], xs[gone]]
            self._lent[ys[gone], xs[gone]] = False
            self._refresh()

    def _follow(self, contacts: list[_Contact], seconds: float) -> tuple[Hand, ...]:
        """Give each crossing of the edge to the hand that it belongs to; returns the hands that left."""
        free = list(self._hands)
        for contact in contacts:
            near = min(free, key=lambda h: math.dist(h.contact_mm, contact.mm), default=None)
            if near is not None and math.dist(near.contact_mm, contact.mm) <= _STEP_MM:
                free.remove(near)
                contact.hand = near.id
                self._hands[self._hands.index(near)] = replace(near, contact_mm=contact.mm, seen_s=seconds)
            else:
                contact.hand = self._next_hand
                self._next_hand += 1
                self._hands.append(Hand(contact.hand, contact.mm, contact.mm, seconds, seconds))
        left = tuple(h for h in self._hands if seconds - h.seen_s > _GONE_S)
        self._hands = [h for h in self._hands if h not in left]
        return left

    def _owners(self, hand_mask: Mask, contacts: list[_Contact]) -> NDArray[np.int16]:
        """Which hand each pixel under a hand belongs to; arms that touch are told apart by where they were."""
        owners = np.zeros(hand_mask.shape, np.int16)
        for label in {c.label for c in contacts}:
            arms = [c for c in contacts if c.label == label]
            blob = (hand_mask > 0) & (self._labels == label)
            owners[blob] = arms[0].hand if len(arms) == 1 else _split(blob, arms, self._owner)[blob]
            self._alone[blob] = len(arms) == 1
        filled = (hand_mask > 0) & (owners == 0)
        if filled.any():
            owners[filled] = cv2.dilate(owners, self._group_kernel)[filled]
        self._owner = owners
        return owners

    def _keep_time(self, moving: Mask, hand_mask: Mask, hand_of: NDArray[np.int16], seconds: float) -> None:
        """Note since when each pixel has been still and free, and which hand was there last."""
        self._still_s[cv2.bitwise_or(moving, hand_mask) > 0] = seconds
        if not hand_mask.any():
            self._edge_still_s[:] = seconds
            return
        under, stirred = hand_mask > 0, moving > 0
        self._edge_still_s[~under | (cv2.dilate(moving, np.ones((5, 5), np.uint8)) > 0)] = seconds
        gone = ~np.isin(self.last_hand, [hand.id for hand in self._hands])
        fresh = stirred | gone | (self._hand_s < seconds - _SAME_VISIT_S) | (self._alone & ~self._certain)
        fresh &= hand_of > 0
        self.last_hand[fresh] = hand_of[fresh]
        self._certain[fresh] = self._alone[fresh]
        self._hand_s[under] = seconds

    def _follow_carried(self, changed: Mask, moving: Mask, hand_of: NDArray[np.int16], seconds: float) -> None:
        """A moving thing that came out of a hand's place is carried by that hand, though it cannot be seen there."""
        before, self._carrier = self._carrier, hand_of.copy()
        if not before.any():
            return
        loose = cv2.bitwise_and(changed, np.where(hand_of > 0, 0, 255).astype(np.uint8))
        count, labels, stats, _ = cv2.connectedComponentsWithStats(loose, connectivity=8)
        for label in range(1, count):
            x, y, w, h, area = (int(v) for v in stats[label])
            if area * self.mm_per_px**2 < _CARRIED_MM2:
                continue
            here = np.s_[y : y + h, x : x + w]
            part = labels[here] == label
            hand = self._nearest(before, (x, y, w, h)) if (part & (moving[here] > 0)).any() else 0
            if not hand:
                continue
            self._carrier[here][part] = hand
            fresh = part & (self._hand_s[here] < seconds - _SAME_VISIT_S)
            ours = part & (self.last_hand[here] == hand)
            self.last_hand[here][fresh] = hand
            self._certain[here][fresh] = False
            self._hand_s[here][fresh | ours] = seconds

    def _recall(self, small: Image, moving: Mask, hand_mask: Mask, seconds: float) -> None:
        """Where an arm has passed and everything looks as it did when it settled, nothing has happened since."""
        then = self._memory
        since = (self._hand_s > then.at_s) & (then.at_s > seconds - _RECALL_S)
        if not since.any():
            return
        same = _most(cv2.absdiff(small, then.look)) <= self._threshold
        then.hidden |= since & ~same
        back = since & same & (hand_mask == 0) & (moving == 0)
        passed = back & (then.hidden | (self.last_hand != then.hand))  # the same hand, seen through: it held on
        self._still_s[passed] = then.still_s[passed]
        self.last_hand[back], self._hand_s[back] = then.hand[back], then.hand_s[back]

    def _remember(self, small: Image, rests: tuple[Rest, ...], seconds: float) -> None:
        """Keep in mind how things look that lie still and free, since when, and whose hand it was."""
        then = self._memory
        for rest in rests:
            if seconds - rest.free_s < _LOOKED_AT_S:
                continue
            x, y, w, h = cv2.boundingRect(rest.mask)
            box = np.s_[y : y + h, x : x + w]
            differs = _most(cv2.absdiff(small[box], then.look[box])) > self._threshold[box]
            new = differs | (then.at_s[box] <= seconds - _RECALL_S)
            then.look[box][new], then.at_s[box][new] = small[box][new], seconds
            then.hand[box][new], then.hand_s[box][new] = self.last_hand[box][new], self._hand_s[box][new]
            then.still_s[box][new], then.hidden[box][new] = self._still_s[box][new], False

    def _nearest(self, owners: NDArray[np.int16], box: tuple[int, int, int, int]) -> int:
        """The hand that had most of a box, or was nearest to it within `_FRAME_WAY_MM`; 0 if none."""
        x, y, w, h = box
        for reach_mm in (0.0, _FRAME_WAY_MM / 3, _FRAME_WAY_MM):
            r = round(reach_mm / self.mm_per_px)
            near = owners[max(y - r, 0) : y + h + r, max(x - r, 0) : x + w + r]
            if (near > 0).any():
                return int(np.bincount(near[near > 0]).argmax())
        return 0

    def _rests(self, changed: Mask, hand_mask: Mask, seconds: float) -> tuple[Rest, ...]:
        things = cv2.bitwise_and(changed, cv2.bitwise_not(hand_mask))
        if not things.any():
            return ()
        _, labels, stats, _ = cv2.connectedComponentsWithStats(cv2.dilate(things, self._group_kernel))
        rests = []
        for group in _gathered(stats, _CARD_SPAN_MM / self.mm_per_px):
            x, y, w, h = _round_all(stats[group])
            part = np.isin(labels[y : y + h, x : x + w], group) & (things[y : y + h, x : x + w] > 0)
            if int(part.sum()) * self.mm_per_px**2 < _LEAST_MM2:
                continue
            mask: Mask = np.zeros(things.shape, np.uint8)
            mask[y : y + h, x : x + w][part] = 255
            rests.append(self._rest(mask, part, (x, y, w, h), seconds))
        return tuple(rests)

    def _rest(self, mask: Mask, part: NDArray[np.bool_], box: tuple[int, int, int, int], seconds: float) -> Rest:
        x, y, w, h = box
        free_s = float(np.percentile(self._still_s[y : y + h, x : x + w][part], 95))
        hand_s = float(np.median(self._hand_s[y : y + h, x : x + w][part]))
        came_s = float(np.median(self.witness.same_s[y : y + h, x : x + w][part]))
        handed = hand_s > max(seconds - _HANDED_S, came_s - _GONE_S)
        wait = REST_S if handed else REST_UNHANDED_S
        f = self.factor
        region = (float(x * f), float(y * f), float((x + w) * f), float((y + h) * f))
        return Rest(mask, region, free_s, handed, seconds - free_s >= wait and not self._leaps.torn(seconds))

    def _armless(self, changed: Mask, moving: Mask, hand_mask: Mask) -> bool:
        """Does something move, as much as a finger tip, that no arm is seen to hold?"""
        loose = cv2.bitwise_and(cv2.bitwise_and(changed, moving), cv2.bitwise_not(hand_mask))
        return cv2.countNonZero(loose) * self.mm_per_px**2 >= _HAND_MM2

    def _drift(self, small: Image, busy: Mask, seconds: float) -> None:
        self._frames += 1
        if self._frames % _DRIFT_EVERY or seconds - self._armless_s < _UNSEEN_ARM_S:
            return
        calm = cv2.bitwise_not(cv2.dilate(busy, self._away_kernel))
        cv2.accumulateWeighted(small, self._model, _DRIFT_RATE, mask=calm)
        self._refresh()


@dataclass(slots=True)
class _Memory:
    """What lay still before it was adopted: its look [h, w, 3], when, since when it lay still, whose hand and when.

    ``hidden``: it has looked otherwise since, an arm was over it.
    """

    look: Image
    at_s: Times
    still_s: Times
    hand: NDArray[np.int16]
    hand_s: Times
    hidden: NDArray[np.bool_]

    @classmethod
    def of(cls, picture: Image) -> _Memory:
        never: Times = np.full(picture.shape[:2], -math.inf, np.float32)
        return cls(picture.copy(), never, never.copy(), np.zeros(picture.shape[:2], np.int16), never.copy(), never > 0)


@dataclass(slots=True)
class _Contact:
    """Where a blob crosses the picture's edge."""

    label: int
    mm: tuple[float, float]
    small: NDArray[np.int64]
    hand: int = 0


def _most(bgr: Any) -> Any:
    """The greatest of three channels."""
    blue, green, red = cv2.split(bgr)
    return cv2.max(cv2.max(blue, green), red)


def _steepness(picture: Image) -> Any:
    """How steep each pixel [h, w] of a picture is, grey levels, of the channel that differs most."""
    across, down = cv2.Sobel(picture, cv2.CV_32F, 1, 0), cv2.Sobel(picture, cv2.CV_32F, 0, 1)
    return _most(cv2.magnitude(across, down))


def _shadowed(now: Image, was: Image) -> NDArray[np.bool_]:
    """Which pixels [n, 3] are what they were, in a shadow: every channel darker by the same share."""
    share = (now.astype(np.float32) + 2) / (was.astype(np.float32) + 2)
    darkest, lightest = share.min(1), share.max(1)
    return np.asarray((lightest < 1) & (darkest > _SHADOW_DARKEST) & (lightest - darkest < _SHADOW_HUE))


def _ring_order(size: tuple[int, int]) -> NDArray[np.int64]:
    """The pixels along the picture's border, in order, [n, 2] as x, y; one pixel inside it."""
    wide, high = size
    r = _RING_PX - 1
    xs, ys = np.arange(r, wide - r), np.arange(r, high - r)
    top = np.stack([xs, np.full(len(xs), r)], 1)
    right = np.stack([np.full(len(ys), wide - 1 - r), ys], 1)
    down, left = np.array([0, high - 1 - 2 * r]), np.array([wide - 1 - 2 * r, 0])
    return np.concatenate([top, right, top[::-1] + down, right[::-1] - left])


def _runs(on: NDArray[np.bool_], gap: int) -> list[tuple[int, int]]:
    """Runs of True on a closed line, holes up to ``gap`` filled; (start, stop), stop may pass the end."""
    places = np.flatnonzero(on)
    if len(places) == 0:
        return []
    breaks = np.flatnonzero(np.diff(places) > gap)
    starts = [int(places[0]), *(int(v) for v in places[breaks + 1])]
    stops = [*(int(v) + 1 for v in places[breaks]), int(places[-1]) + 1]
    runs = list(zip(starts, stops, strict=True))
    if len(runs) > 1 and runs[0][0] + len(on) - runs[-1][1] <= gap:
        first, last = runs.pop(0), runs.pop()
        runs.append((last[0], first[1] + len(on)))
    return runs


def _gathered(stats: Any, span_px: float) -> list[list[int]]:
    """Labels of connected parts [n, 5], those together that fit in a square of ``span_px``: bits of one card."""
    groups: list[list[int]] = []
    for label in sorted(range(1, len(stats)), key=lambda one: -int(stats[one, cv2.CC_STAT_AREA])):
        for group in groups:
            _, _, w, h = _round_all(stats[[*group, label]])
            if max(w, h) <= span_px:
                group.append(label)
                break
        else:
            groups.append([label])
    return groups


def _round_all(stats: Any) -> tuple[int, int, int, int]:
    """The box x, y, w, h round the boxes of connected parts [n, 5]."""
    left, top = stats[:, :2].min(0)
    right, bottom = (stats[:, :2] + stats[:, 2:4]).max(0)
    return int(left), int(top), int(right - left), int(bottom - top)


_SPREAD_STEPS: Final = 24
"""How often owners grow by two pixels where arms touch: an arm moves less than 120 mm a frame."""


def _split(blob: NDArray[np.bool_], arms: list[_Contact], before: NDArray[np.int16]) -> NDArray[np.int16]:
    """Pixels of arms that touch: each keeps its owner of the last frame, new ones take their neighbour's."""
    owners = np.where(blob & np.isin(before, [c.hand for c in arms]), before, 0).astype(np.int16)
    for arm in arms:
        x, y = (int(v) for v in arm.small)
        owners[max(y - 2, 0) : y + 3, max(x - 2, 0) : x + 3] = arm.hand
    owners[~blob] = 0
    for _ in range(_SPREAD_STEPS):
        missing = (owners == 0) & blob
        if not missing.any():
            break
        owners[missing] = cv2.dilate(owners, np.ones((5, 5), np.uint8))[missing]
    owners[(owners == 0) & blob] = arms[0].hand
    return owners
