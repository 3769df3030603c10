"""Learns this house's own pack from one good look at each card, and audits a spread pack. Knows no rules.

The general reader is shown unknown packs and must stay careful.  Here the pack is known to be 52 different cards, and
that is worth much: what the reader is sure of names some cards, and the rest follow by being different.  On the cuts
named so a small linear head is fitted (ridge regression, in closed form) that from then on votes with the network.

A *look* is one card seen in one picture, best with both its corners.  Cards may lie in any order, several in a
picture; where the reader knows nothing of the pack, lay them in a known order and say so (`in_order`).  A black pack is
read in the negative.
"""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from .reader import (
    RANKS,
    SUITS,
    UNREAD,
    Floats,
    Found,
    Image,
    Index,
    IndexReader,
    Reader,
    Reading,
    all_cards,
    cut_index,
    join,
)

CARDS: Final = tuple(all_cards())

_JITTERS: Final = 10
"""Cuts taken of each corner, a little off each time: the finder is never exact."""
_OFF_SPANS: Final = 0.12
"""Spread of those places (standard deviation, rank-suit distances): what the finder misses by on drawn packs."""
_NONE_CUTS: Final = 40
"""Cuts a picture that show no index, so that the head knows what that looks like."""
_AWAY_SPANS: Final = 1.5
"""... at least this far from every index."""

_GREY_PX: Final = (16, 24)
_COLOUR_PX: Final = (6, 9)
"""Sizes to which a cut is reduced for the head: shape in grey, coarse colour."""
_RIDGE: Final = 30.0
"""Weight of the ridge: large enough that no single pixel decides."""
_SHARPNESSES: Final = (4.0, 6.0, 9.0, 13.0, 19.0)
"""Factors from the head's scores to logits; the best on cuts left out of the fit is taken."""
_FLOOR: Final = -7.0
"""A vote against a card counts at most this much (natural log): the network keeps a say."""
SURE: Final = 0.97
"""A look whose two corners agree this much names its card; at 0.9 five of 46 names of an odd pack were wrong."""
_CAUTION: Final = 0.6
"""Share of the summed evidence that is believed: network and head see the same pixels and are no two witnesses."""


class EnrolError(ValueError):
    """A pack that cannot be learnt yet, or a profile that cannot be used; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Look:
    """One card as it was seen: what the reader thinks of its corners, and cuts of them for the head.

    ``log_p`` [52] in the order of CARDS; ``cuts`` uint8 [n, h, w, 3], those of the first corner first, as many of each;
    ``outputs`` [n, 23] are the network's for them; ``round_it`` [2, 19] is what the card round either corner adds to
    them; ``middle_px`` is where the card lay; ``card`` is what the reader
    alone says, "?" included; ``corners`` is how many of its corners were found.
    """

    log_p: NDArray[np.float64]
    cuts: NDArray[np.uint8]
    outputs: Floats
    round_it: Floats
    middle_px: tuple[float, float]
    card: str
    corners: int


@dataclass(frozen=True, slots=True)
class Spread:
    """One picture of the pack: the looks that it gave, and cuts that show no index."""

    looks: tuple[Look, ...]
    nones: NDArray[np.uint8]
    none_outputs: Floats
    inverted: bool = False


def spread(reader: Reader, image: Image, card_px: float, inverted: bool = False, seed: int = 0) -> Spread:
    """Every card that shows a corner, in one BGR picture with cards ``card_px`` wide, laid apart.

    ``inverted`` looks at the negative: the way to see a black pack.
    """
    plain = replace(reader.index_reader, adapt=None)
    seen = np.bitwise_not(image) if inverted else image
    indices = plain.read(seen, reader.finder.find(seen, card_px))
    rng = np.random.default_rng(seed)
    looks = tuple(_look(plain, seen, card, rng) for card in _cards(indices, card_px, reader.threshold))
    nones = _nones(plain, seen, indices, card_px, rng)
    return Spread(looks, nones, plain.outputs(list(nones)), inverted)


def best_spread(reader: Reader, image: Image, card_px: float, seed: int = 0) -> Spread:
    """As `spread`, of the picture; of its negative only where that names far more cards surely.

    A negative turns red to cyan and white hearts black: it may name more surely and half of them wrongly.
    """
    plain, negative = (spread(reader, image, card_px, inverted, seed) for inverted in (False, True))
    return negative if _named(negative) > _NEGATIVE_GAIN * max(_named(plain), 1) else plain


_NEGATIVE_GAIN: Final = 2.0
"""So many times the cards that the picture itself names must its negative name, to be looked at instead."""


def _named(seen: Spread) -> int:
    return sum(_sure(look.log_p) is not None for look in seen.looks)


def _cards(indices: Sequence[Index], card_px: float, threshold: float) -> list[tuple[Reading, tuple[Index, ...]]]:
    """Indices joined to cards: by the reader's rule, then, as packs differ, by where two say their card's middle is."""
    readings = join(indices, card_px, threshold)
    pairs: list[tuple[Reading, tuple[Index, ...]]] = [(r, r.indices) for r in readings if len(r.indices) == 2]
    single = [r for r in readings if len(r.indices) == 1 and _index_like(r.indices[0])]
    limit = _SAME_CARD * card_px
    taken = [r.corners.mean(0) for r, _ in pairs]
    while single:
        first = single.pop(0)
        middle = first.corners.mean(0)
        if any(np.hypot(*(middle - t)) < limit for t in taken):
            continue
        other = next(
            (r for r in single if np.hypot(*(r.corners.mean(0) - middle)) < limit and _opposite(first, r)), None
        )
        if other is not None:
            single.remove(other)
        pairs.append((first, first.indices + (other.indices if other else ())))
        taken.append(middle)
    return pairs


_SAME_CARD: Final = 0.5
"""Cards laid apart have middles at least a card's width from each other; two within half of it are one."""
_INDEX_LIKE: Final = 0.5
"""A corner alone must look at least this much like an index."""


def _index_like(index: Index) -> bool:
    return sum(index.rank_p) > _INDEX_LIKE and sum(index.suit_p) > _INDEX_LIKE


def _opposite(a: Reading, b: Reading) -> bool:
    return float(np.dot(a.indices[0].down, b.indices[0].down)) < -0.9


def _look(plain: IndexReader, image: Image, card: tuple[Reading, tuple[Index, ...]], rng: np.random.Generator) -> Look:
    """A look; of a card with one corner the second half of the cuts are of the same one, a little off."""
    reading, corners = card
    both = corners if len(corners) == 2 else (corners[0], corners[0])
    cuts = [cut for index in both for cut in _cuts(plain, image, index, rng)]
    middle = np.mean([i.middle for i in corners], axis=0) if len(corners) == 2 else reading.corners.mean(0)
    log_p = np.sum([_log_p(index.rank_p, index.suit_p) for index in corners], axis=0)
    place = (float(middle[0]), float(middle[1]))
    round_it = plain.added(image, [Found(1.0, np.array(i.rank_px), np.array(i.suit_px)) for i in both])
    return Look(log_p, np.stack(cuts), plain.outputs(cuts), round_it, place, reading.card, len(corners))


def _log_p(rank_p: Sequence[float], suit_p: Sequence[float]) -> NDArray[np.float64]:
    """Log probabilities of the 52 cards [52]; nothing is impossible, or a single slip would forbid the truth."""
    ranks, suits = (np.log(np.asarray(p, float) / max(sum(p), 1e-9) + 1e-3) for p in (rank_p, suit_p))
    return np.asarray((ranks[:, None] + suits[None, :]).reshape(-1))


def _cuts(plain: IndexReader, image: Image, index: Index, rng: np.random.Generator) -> list[Image]:
    """The index cut out exactly once, and then with the places a little off."""
    span = index.span_px
    steps = rng.normal(0, _OFF_SPANS * span, (_JITTERS, 2, 2))
    steps[0] = 0
    size, reach = plain.size, plain.span
    return [
        cut_index(image, np.add(index.rank_px, a).tolist(), np.add(index.suit_px, b).tolist(), size, reach)
        for a, b in steps
    ]


def _nones(
    plain: IndexReader, image: Image, indices: Sequence[Index], card_px: float, rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Cuts away from every index: cloth, pips, courts, edges; uint8 [_NONE_CUTS, h, w, 3]."""
    high, wide = image.shape[:2]
    span = float(np.median([i.span_px for i in indices])) if indices else card_px * 0.155
    taken = np.array([i.middle for i in indices]).reshape(-1, 2)
    size, reach = plain.size, plain.span
    cuts: list[Image] = []
    while len(cuts) < _NONE_CUTS:
        near = (
            taken[rng.integers(len(taken))]
            if len(taken) and rng.random() < 0.8
            else rng.uniform(0, 1, 2) * (wide, high)
        )
        place = near + rng.normal(0, 3 * span, 2)
        if len(taken) and np.hypot(*(taken - place).T).min() < _AWAY_SPANS * span:
            continue
        angle = rng.uniform(0, 2 * math.pi)
        half = np.array([math.cos(angle), math.sin(angle)]) * span / 2
        cuts.append(cut_index(image, (place - half).tolist(), (place + half).tolist(), size, reach))
    return np.stack(cuts)


# --- which card is which -----------------------------------------------------------------------------------------


def name_all(spreads: Sequence[Spread], head: Head | None = None) -> list[str | None]:
    """The card of each look of all spreads, in order, or None where it cannot be told yet.

    What is sure is named first (a card may be laid again in another picture, not in the same one).  If what is left
    are as many looks as there are cards without a look, they are matched so that all are different and the sum of log
    probabilities is greatest.
    """
    scores = [_evidence(look, head) for seen in spreads for look in seen.looks]
    names = _without_doubles(spreads, [_sure(s) for s in scores], scores)
    rest = [i for i, name in enumerate(names) if name is None]
    missing = [k for k, card in enumerate(CARDS) if card not in names]
    if not rest or len(rest) != len(missing):
        return names
    for i, k in zip(rest, match(np.array([scores[i][missing] for i in rest])), strict=True):
        names[i] = CARDS[missing[k]]
    return names


def _evidence(look: Look, head: Head | None) -> NDArray[np.float64]:
    """What network and head say of a look together [52].

    The head has a share only: it is sure even of a card whose like it was never shown, and takes it for another.
    """
    return look.log_p if head is None else look.log_p + _HEAD_SHARE * head.log_p(look)


_HEAD_SHARE: Final = 0.5


def _without_doubles(
    spreads: Sequence[Spread], names: list[str | None], scores: Sequence[NDArray[np.float64]]
) -> list[str | None]:
    """Of two looks with the same name at least one is misread, and only the likelier keeps it.

    In one picture always; over all pictures while these show no more cards than a pack has.
    """
    of = [k for k, seen in enumerate(spreads) for _ in seen.looks]
    once = len(of) <= len(CARDS)
    kept = list(names)
    for i, name in enumerate(names):
        same = [k for k, other in enumerate(names) if name is not None and other == name and (once or of[k] == of[i])]
        if len(same) > 1 and i != max(same, key=lambda k: float(scores[k].max() - np.median(scores[k]))):
            kept[i] = None
    return kept


def _sure(log_p: NDArray[np.float64]) -> str | None:
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    best = int(p.argmax())
    return CARDS[best] if p[best] >= SURE else None


def match(gain: NDArray[np.float64]) -> list[int]:
    """For each row of a square matrix a column of its own, so that the sum is greatest.

    The Hungarian method with potentials, O(n^3); n is at most 52.
    """
    n = len(gain)
    cost = np.asarray(-gain, float)
    row_price, column_price = np.zeros(n + 1), np.zeros(n + 1)
    owner = np.full(n + 1, -1)  # column -> row; column n is where each row starts from
    for row in range(n):
        _augment(cost, row, owner, row_price, column_price)
    columns = [0] * n
    for column in range(n):
        columns[owner[column]] = column
    return columns


def _augment(
    cost: NDArray[np.float64],
    row: int,
    owner: NDArray[np.int64],
    row_price: NDArray[np.float64],
    column_price: NDArray[np.float64],
) -> None:
    """Give ``row`` a column, moving others along the cheapest alternating path."""
    n = len(cost)
    owner[n] = row
    at = n
    least, came = np.full(n, np.inf), np.full(n, n)
    used = np.zeros(n + 1, bool)
    while owner[at] >= 0:
        used[at] = True
        free = ~used[:n]
        reduced = cost[owner[at]] - row_price[owner[at]] - column_price[:n]
        better = free & (reduced < least)
        least[better], came[better] = reduced[better], at
        nearest = int(np.where(free, least, np.inf).argmin())
        step = least[nearest]
        for column in np.flatnonzero(used):
            row_price[owner[column]] += step
            column_price[column] -= step
        least[free] -= step
        at = nearest
    while at != n:
        owner[at] = owner[came[at]]
        at = int(came[at])
    owner[n] = -1


def in_order(looks: Sequence[Look], cards: Sequence[str]) -> list[str]:
    """Names for cards laid in a known order: row by row from the top, each row from left to right.

    :raises EnrolError: if not exactly as many cards were seen as were laid.
    """
    if len(looks) != len(cards):
        raise EnrolError(f"{len(looks)} cards seen, {len(cards)} laid; spread them apart, and straighten the light")
    places = np.array([look.middle_px for look in looks]).reshape(-1, 2)
    order = _rows(places)
    names = [""] * len(looks)
    for card, i in zip(cards, order, strict=True):
        names[i] = card
    return names


def _rows(places: NDArray[np.float64]) -> list[int]:
    """Indices of the places in reading order; a gap in y of more than half the widest one begins a new row."""
    if not len(places):
        return []
    down = np.argsort(places[:, 1], kind="stable")
    gaps = np.diff(places[down, 1])
    limit = max(float(gaps.max()) / 2, 1.0) if len(gaps) else 1.0
    rows = np.split(down, np.flatnonzero(gaps > limit) + 1)
    return [int(i) for row in rows for i in row[np.argsort(places[row, 0], kind="stable")]]


# --- the head ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Head:
    """A linear vote on cuts of one pack: ``weights`` [features + 1, 19] to scores of 13 ranks, none, 4 suits, none.

    ``inverted``: a black pack, which is read in the negative.
    """

    weights: Floats
    sharpness: float
    inverted: bool = False

    def votes(self, cuts: Sequence[Image] | NDArray[np.uint8], outputs: Floats) -> Floats:
        """Log probabilities [n, 19]: 14 of ranks and 5 of suits, none last; not below the floor."""
        scores = _features(cuts, outputs) @ self.weights * np.float32(self.sharpness)
        both = [
            s - np.log(np.exp(s - s.max(1, keepdims=True)).sum(1, keepdims=True)) - s.max(1, keepdims=True)
            for s in (scores[:, :14], scores[:, 14:])
        ]
        return np.asarray(np.maximum(np.concatenate(both, axis=1), np.float32(_FLOOR)), np.float32)

    def __call__(self, cuts: Sequence[Image], outputs: Floats) -> Floats:
        """The network's outputs [n, 23] with this head's vote added, and made cautious."""
        changed = outputs.copy()
        voted = outputs[:, :19] + self.votes(cuts, outputs)
        for part in (slice(0, 14), slice(14, 19)):
            own = _overruled(outputs[:, part], voted[:, part])
            voted[own, part] = outputs[own, part]
        changed[:, :19] = np.float32(_CAUTION) * voted
        changed[:, 19:] *= np.float32(_TRUST_PLACES)
        return changed

    def log_p(self, look: Look) -> NDArray[np.float64]:
        """What the head says of a look [52]: its exact cuts only, both corners together."""
        exact = [0, len(look.cuts) // 2]
        total = np.zeros(len(CARDS))
        for vote in self.votes(look.cuts[exact], look.outputs[exact]):
            total += (vote[:13, None] + vote[None, 14:18]).reshape(-1)
        return total

    def to_bytes(self) -> bytes:
        """As kept on disk (npz)."""
        out = io.BytesIO()
        np.savez_compressed(
            out,
            weights=self.weights.astype(np.float16),
            sharpness=np.float32(self.sharpness),
            inverted=np.bool_(self.inverted),
        )
        return out.getvalue()


_OWN_OPINION: Final = 0.45
"""A rank or suit that the network alone holds likelier than this is not overruled by a head that saw each card once: it
may confirm or doubt, and what is doubted is "?"."""


def _overruled(network: Floats, voted: Floats) -> NDArray[np.bool_]:
    """The rows of logits [n, k] in which a vote would overrule an opinion that the network has of its own."""
    shifted = np.exp(network - network.max(1, keepdims=True))
    sure = shifted.max(1) / shifted.sum(1) > _OWN_OPINION
    return np.asarray(sure & (network.argmax(1) != voted.argmax(1)))


_TRUST_PLACES: Final = 0.5
"""How far the network's own correction of an index's place is followed on a pack that it may not know."""


def load_head(path: Path) -> Head:
    """A pack's profile from disk.

    :raises EnrolError: if it is missing, damaged, or made for another version.
    """
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as data:
            head = Head(data["weights"].astype(np.float32), float(data["sharpness"]), bool(data["inverted"]))
    except FileNotFoundError:
        raise EnrolError(f"{path}: no such pack; run `cardtable enrol`") from None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise EnrolError(f"{path}: not a pack's profile ({error}); run `cardtable enrol` again") from None
    if head.weights.shape != (_FEATURES + 1, 19) or not np.isfinite(head.weights).all():
        raise EnrolError(f"{path}: a profile of another version; run `cardtable enrol` again")
    return head


def with_pack(reader: Reader, head: Head) -> Reader:
    """The reader adapted to one pack. Its hash names the pack, too."""
    digest = hashlib.sha256(reader.hash.encode() + head.to_bytes()).hexdigest()
    adapted = replace(reader.index_reader, adapt=head)
    return replace(reader, index_reader=adapted, hash=digest, inverted=head.inverted)


_FEATURES: Final = _GREY_PX[0] * _GREY_PX[1] + 2 * _COLOUR_PX[0] * _COLOUR_PX[1] + 19


def _features(cuts: Sequence[Image] | NDArray[np.uint8], outputs: Floats) -> Floats:
    """What the head sees [n, _FEATURES + 1]: grey shape, coarse colour, the network's logits, and a constant."""
    rows = np.stack([_pixels(cut) for cut in cuts])
    logits = np.clip(outputs[:, :19] - outputs[:, :19].mean(1, keepdims=True), -10, 10) / np.float32(5)
    return np.concatenate([rows, logits, np.ones((len(rows), 1), np.float32)], axis=1).astype(np.float32)


def _pixels(cut: Image) -> Floats:
    """Grey less its mean over its spread, and red and blue against green over the same: light and gain fall out."""
    small = cv2.resize(cut, _GREY_PX, interpolation=cv2.INTER_AREA).astype(np.float32)
    grey = small.mean(2)
    spread_ = float(grey.std()) + 6.0  # grey levels; a flat cut stays small instead of being blown up
    coarse = cv2.resize(cut, _COLOUR_PX, interpolation=cv2.INTER_AREA).astype(np.float32)
    coarse -= coarse.mean((0, 1))
    colour = (coarse[..., [0, 2]] - coarse[..., 1:2]) / spread_
    return np.concatenate([(grey - grey.mean()).ravel() / spread_, 2 * colour.ravel()]).astype(np.float32)


def learn(spreads: Sequence[Spread], names: Sequence[str | None]) -> Head:
    """The head for the looks (of all spreads, in order) that have a name; corners A and B test each other's fit.

    :raises EnrolError: if fewer than half of the ranks or suits have a look.
    """
    looks = [look for s in spreads for look in s.looks]
    named = [(look, name) for look, name in zip(looks, names, strict=True) if name is not None]
    if len({n[0] for _, n in named}) < 13 or len({n[1] for _, n in named}) < 4:
        raise EnrolError(f"{len(named)} cards named, not yet every rank and suit; show more of the pack")
    parts = [_samples(spreads, named, half) for half in (0, 1)]
    weights = _ridge(*(np.concatenate(p) for p in zip(*parts, strict=True)))
    return Head(weights, _best_sharpness(parts), sum(s.inverted for s in spreads) > len(spreads) / 2)


def _samples(spreads: Sequence[Spread], named: Sequence[tuple[Look, str]], half: int) -> tuple[Floats, Floats]:
    """Features and targets [n, 19] of one corner of every card, and of half of the cuts that show none."""
    xs, ys = [], []
    for look, name in named:
        part = slice(half * len(look.cuts) // 2, (half + 1) * len(look.cuts) // 2)
        cuts = look.cuts[part]
        target = np.zeros((len(cuts), 19), np.float32)
        target[:, RANKS.index(name[0])] = 1
        target[:, 14 + SUITS.index(name[1])] = 1
        xs.append(_features(cuts, look.outputs[part]))
        ys.append(target)
    for seen in spreads:
        nones = seen.nones[half::2]
        target = np.zeros((len(nones), 19), np.float32)
        target[:, [13, 18]] = 1
        xs.append(_features(nones, seen.none_outputs[half::2]))
        ys.append(target)
    return np.concatenate(xs), np.concatenate(ys)


def _ridge(x: Floats, y: Floats) -> Floats:
    """Weights [features, 19] of least squares with a ridge, for targets of -1 and 1."""
    gram = x.T @ x + np.float32(_RIDGE) * np.eye(x.shape[1], dtype=np.float32)
    return np.asarray(np.linalg.solve(gram, x.T @ (2 * y - 1)), np.float32)


def _best_sharpness(parts: Sequence[tuple[Floats, Floats]]) -> float:
    """The factor under which each corner's fit finds the other corner's truth likeliest."""
    scored = [(parts[1 - i][0] @ _ridge(*parts[i]), parts[1 - i][1]) for i in (0, 1)]

    def surprise(factor: float) -> float:
        total = 0.0
        for scores, truth in scored:
            for columns in (slice(0, 14), slice(14, 19)):
                s = scores[:, columns] * factor
                top = s.max(1, keepdims=True)
                log_p = s - top - np.log(np.exp(s - top).sum(1, keepdims=True))
                total -= float((log_p * truth[:, columns]).sum())
        return total

    return min(_SHARPNESSES, key=surprise)


# --- the whole way -----------------------------------------------------------------------------------------------

_ROUNDS: Final = 3
"""Naming and fitting in turn: with a head, more looks are sure, and with those the head is better."""


@dataclass(frozen=True, slots=True)
class Enrolled:
    """What came of it: the names of the looks, cards without a look, the head (None as long as too little is named)."""

    names: tuple[str | None, ...]
    missing: tuple[str, ...]
    double: tuple[str, ...]
    head: Head | None


def enrol(spreads: Sequence[Spread], known: Sequence[str] | None = None) -> Enrolled:
    """Name every look and learn the pack; ``known`` are the names where the cards were laid in order."""
    names: list[str | None] = list(known) if known is not None else name_all(spreads)
    head = _try_learn(spreads, names)
    for _ in range(_ROUNDS if known is None and head is not None else 0):
        names = name_all(spreads, head)
        head = _try_learn(spreads, names) or head
    count = Counter(n for n in names if n is not None)
    missing = tuple(c for c in CARDS if c not in count)
    return Enrolled(tuple(names), missing, tuple(c for c in CARDS if count[c] > 1), head)


def _try_learn(spreads: Sequence[Spread], names: Sequence[str | None]) -> Head | None:
    try:
        return learn(spreads, names)
    except EnrolError:
        return None


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Looks read rightly, wrongly, and not at all."""

    right: int
    wrong: int
    unread: int

    @property
    def words(self) -> str:
        """As reported to people."""
        total = max(self.right + self.wrong + self.unread, 1)
        return f"{100 * self.right / total:.0f} % read, {self.wrong} wrong, {self.unread} unread of {total}"


def is_gain(before: Accuracy, after: Accuracy) -> bool:
    """Is a head worth keeping? It must read more, and nothing wrongly that was not so before."""
    return after.right > before.right and after.wrong <= before.wrong


def accuracy(said: Iterable[str], truth: Iterable[str]) -> Accuracy:
    """How readings ("?" is unread) compare with the truth, card by card."""
    pairs = list(zip(said, truth, strict=True))
    right = sum(a == b for a, b in pairs)
    unread = sum(a == UNREAD for a, _ in pairs)
    return Accuracy(right, len(pairs) - right - unread, unread)


def before_and_after(
    spreads: Sequence[Spread], names: Sequence[str | None], threshold: float
) -> tuple[Accuracy, Accuracy]:
    """Accuracy of the reader alone, and with a head that learnt from the other corner only; on single corners.

    :raises EnrolError: if too little is named to learn from.
    """
    looks = [look for s in spreads for look in s.looks]
    pairs = zip(looks, names, strict=True)
    named = [(look, name) for look, name in pairs if name is not None and look.corners == 2]
    if len({n[0] for _, n in named}) < 13 or len({n[1] for _, n in named}) < 4:
        raise EnrolError("not every rank and suit has a name yet; show more of the pack")
    truth = [name for _, name in named] * 2
    before, after = [], []
    for half in (0, 1):
        learnt = _samples(spreads, named, half)
        other = _samples(spreads, named, 1 - half)
        head = Head(_ridge(*learnt), _best_sharpness((learnt, other)))
        for look, _ in named:
            exact = (1 - half) * len(look.cuts) // 2
            cuts, outputs = look.cuts[exact : exact + 1], look.outputs[exact : exact + 1]
            card = look.round_it[1 - half]
            before.append(_said(outputs, card, threshold))
            after.append(_said(head(list(cuts), outputs), card, threshold))
    return accuracy(before, truth), accuracy(after, truth)


def _said(outputs: Floats, card: Floats, threshold: float) -> str:
    """The card that outputs [1, 23] and the card round them [19] name, or "?"."""
    rank, suit = _softmax(outputs[0, :14] + card[:14]), _softmax(outputs[0, 14:19] + card[14:])
    if rank[:13].max() * suit[:4].max() < threshold:
        return UNREAD
    return RANKS[int(rank[:13].argmax())] + SUITS[int(suit[:4].argmax())]


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max())
    return np.asarray(powers / powers.sum(), np.float32)


# --- audit -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Audit:
    """A spread pack, counted: ``missing`` and ``double`` cards, and how many lay there unread."""

    seen: int
    missing: tuple[str, ...]
    double: tuple[str, ...]
    unread: int

    @property
    def whole(self) -> bool:
        """52 different cards, each read."""
        return not (self.missing or self.double or self.unread)

    @property
    def words(self) -> str:
        """One line for people."""
        if self.whole:
            return "52 different cards: the pack is whole"
        parts = [f"{self.seen} cards seen"]
        if self.unread:
            parts.append(f"{self.unread} of them unread: straighten them or move the lamp")
        if self.missing:
            few = " ".join(self.missing[:_MANY]) + (" ..." if len(self.missing) > _MANY else "")
            parts.append(f"not seen: {few}")
        if self.double:
            parts.append(f"twice: {' '.join(self.double)}")
        return "; ".join(parts)


_MANY: Final = 12
"""More missing cards than this are not listed: most of the pack has not been laid yet."""


def audit(readings: Iterable[Reading], cards: Sequence[str] = CARDS) -> Audit:
    """Which of ``cards`` lie there, once each? Backs do not count; a double is never taken for a misreading."""
    said = [r.card for r in readings if r.card != "back"]
    count = Counter(card for card in said if card != UNREAD)
    missing = tuple(c for c in cards if c not in count)
    double = tuple(c for c in count if count[c] > 1)
    return Audit(len(said), missing, double, said.count(UNREAD))
