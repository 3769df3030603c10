"""Cards in a picture: find corner indices, read each one, join them to cards. The models run here alone.

Three small networks, ONNX files beside their model card in ``models/``:

- the *finder* sees the picture at a scale where a card is ``Finder.card_px`` wide and says where an
  index (rank above suit) lies and which way it points; it knows no card by name;
- the *index reader* sees one index, cut from the full-resolution picture and turned upright, and
  gives rank and suit, or none, and where in the cut they really lie;
- the *card reader* sees what lies round an index, on its own card's side, and says what pips and
  court add to that: they are twice as large as the index's. What speaks against each other ends as "?".

What this module does not do: follow cards over time (tracker.py), know millimetres (surface.py), or
guess. A reading below the stored threshold is "?".

Coordinates are continuous picture pixels: pixel i covers [i, i + 1). Pictures are BGR uint8 [H, W, 3].
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import cv2
import numpy as np
import onnxruntime
from numpy.typing import ArrayLike, NDArray

Image: TypeAlias = NDArray[np.uint8]
Floats: TypeAlias = NDArray[np.float32]
Point: TypeAlias = tuple[float, float]
Region: TypeAlias = tuple[float, float, float, float]
Adapt: TypeAlias = Callable[[Sequence[Image], Floats], Floats]
"""Cuts and IndexReader.outputs [n, 23] -> outputs [n, 23] for one pack."""

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
MODEL_FILES: Final = ("index-finder.onnx", "index-reader.onnx", "card-reader.onnx")
"""The networks' files, in models/."""

UNREAD: Final = "?"
BACK: Final = "back"

CARD_MM: Final = (63.0, 88.0)
"""Width and height of a poker-size card."""

INDEX_MM: Final = (5.5, 13.0)
"""Middle of an index from its own corner of the card; the median over 35 published packs is (6.1, 13.2)."""

INDEX_SPAN: Final = 0.155
"""Distance rank to suit over the card's width; the median over 35 published packs is 0.147, jumbo packs reach 0.29."""

_PAD_VALUE: Final = 114
"""Grey of the padding, as Ultralytics pads when it trains."""

_SAME_PLACE: Final = 0.6
"""Two finds are one index when their middles are closer than this many index spans."""

_OPPOSITE_DEG: Final = 14.0
"""The two indices of a card point opposite ways within this angle (perspective, bent cards)."""

_OPPOSITE_MM: Final = 9.0
"""... and lie across the card's middle within this distance (index places differ between packs)."""

_INDEX_TO_INDEX_MM: Final = (CARD_MM[0] - 2 * INDEX_MM[0], CARD_MM[1] - 2 * INDEX_MM[1])
"""From one index of a card to the other, right and down."""

_INDEX_LIKE: Final = 0.5
"""A find whose rank and suit are both less likely than this to be there at all is no index."""

_SECOND_LOOK: Final = 0.7
"""What a second corner that agrees is worth: less than a new look, for both share their print and their light."""

_UNLIKE: Final = 0.75
"""Indices in one place that differ more than this in size are not both indices."""

_FOOTPRINT: Final = (0.5, 1.0)
"""Half the width and height of an index, in its own rank-suit distances."""

_WHOLE: Final = (0.36, 0.25)
"""So far, in rank-suit distances along and across, the picture must go on round the middles of a rank and a suit."""

_LOOK_SIZES: Final = (1.12, 0.9)
"""Sizes of the last two cuts of an index, beside the second look at its usual size."""

_CARD_SIZES: Final = (0.9, 1.1)
"""Sizes of the cuts of a card: of held-out readings 80 % are kept with 2 wrong ones; from a single look it was 12."""

_WAY_UP: Final = 0.8
"""A first look as sure as this is not tried upside down: an index turned over is no index, or hardly one."""

_DOUBT: Final = 0.25
"""Corners of one card that disagree count against it from this confidence on."""

_CREDIBLE: Final = (0.9, 0.15)
"""A "?" is told of what is an index to this likelihood and some card to that: of drawn tables' junk 9 % pass."""

_POOR: Final = 0.4
"""A "?" less likely than this, inside a card that was read, is a pip or a court's picture, not a card lying on it."""

STILL_FRACTIONS: Final = (0.6, 0.42, 0.29, 0.2, 0.14, 0.1, 0.07, 0.048)
"""Card widths tried in a picture of unknown scale, as fractions of its longer side."""

_STILL_LEAST_PX: Final = 38.0
"""Narrower cards are not looked for: their indices are under 6 px high."""

_STILL_MOST_FINDS: Final = 120
"""Most places read in one still picture, the surest first: a bound on its time."""

_SQUASHES: Final = (9 / 16, 3 / 4, 4 / 3, 16 / 9)
"""Stretches tried of a picture of unknown scale: many were 4:3 or 16:9, either way up, and were made square."""

_AS_IT_IS: Final = 1.05
"""What the picture as it is counts for more than a stretched one."""

_SIZE_RATIOS: Final = (2.0, 3.5)
"""Indices in one picture differ at most so much in size (perspective), unsure ones and sure ones; set by judgement."""

_SURE: Final = 0.95
"""From here on a reading stands by itself: against its size, and against a card that seems to be its other half."""

_VIEWS_LOOKED_INTO: Final = 3
"""Of the stretches tried, at most so many are searched again at the scale of the cards seen in them."""

_HOPE: Final = 0.7
"""... those that at a glance read nearly as well as the one that reads best."""

_CLEAR: Final = 0.97
"""A view whose indices read so clearly on the average (of the squares) is the right one."""

_DIAGONAL_DEG: Final = (32.0, 54.0)
"""Between "down" and the way to a card's other index: 40 to 45 for small to jumbo indices, wider for slanting views."""


class ModelError(ValueError):
    """A model file is missing or is not what this program was written for."""


@dataclass(frozen=True, slots=True)
class Index:
    """One corner index: places in picture px, probabilities in the order of RANKS and SUITS."""

    rank_px: Point
    suit_px: Point
    card: str
    confidence: float
    rank_p: tuple[float, ...]
    suit_p: tuple[float, ...]
    score: float

    @property
    def middle(self) -> Point:
        """Midpoint between rank and suit, px."""
        return (self.rank_px[0] + self.suit_px[0]) / 2, (self.rank_px[1] + self.suit_px[1]) / 2

    @property
    def span_px(self) -> float:
        """Distance between rank and suit, px."""
        return math.dist(self.rank_px, self.suit_px)

    @property
    def down(self) -> Point:
        """Unit vector from rank to suit: down the card as its reader holds it."""
        span = max(self.span_px, 1e-6)
        return (self.suit_px[0] - self.rank_px[0]) / span, (self.suit_px[1] - self.rank_px[1]) / span

    @property
    def best(self) -> str:
        """The likeliest card, however unlikely."""
        return RANKS[int(np.argmax(self.rank_p))] + SUITS[int(np.argmax(self.suit_p))]


@dataclass(frozen=True, slots=True)
class Reading:
    """One card: "7H", "back" or "?"; corners float [4, 2] px, clockwise from the card's own top-left."""

    card: str
    confidence: float
    corners: NDArray[np.float64]
    indices: tuple[Index, ...]


@dataclass(frozen=True, slots=True)
class Fit:
    """How a region of the picture was fitted into a network's input, and the way back.

    The scales are those of the rounded size really used, never recomputed (field report F02).
    """

    tensor: Floats
    left: float
    top: float
    scale_x: float
    scale_y: float

    def forward(self, points: NDArray[Any]) -> NDArray[np.float64]:
        """Picture px [..., 2] -> input px [..., 2]."""
        return (np.asarray(points, float) - (self.left, self.top)) * (self.scale_x, self.scale_y)

    def inverse(self, points: NDArray[Any]) -> NDArray[np.float64]:
        """Input px [..., 2] -> picture px [..., 2]."""
        return np.asarray(points, float) / (self.scale_x, self.scale_y) + (self.left, self.top)


def fit(image: Image, scale: float, stride: int, region: Region | None = None) -> Fit:
    """Scale a region by one factor both ways and pad right and below to a multiple of the stride.

    The tensor is float32 [1, 3, h, w], RGB, 0..1. The region is clipped to the picture; an empty one
    becomes a single pixel.
    """
    high, wide = image.shape[:2]
    x0, y0, x1, y1 = region or (0, 0, wide, high)
    left, top = min(max(int(x0), 0), wide - 1), min(max(int(y0), 0), high - 1)
    part = image[top : max(math.ceil(min(y1, high)), top + 1), left : max(math.ceil(min(x1, wide)), left + 1)]
    new_w, new_h = max(round(part.shape[1] * scale), 1), max(round(part.shape[0] * scale), 1)
    mode = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = cv2.resize(part, (new_w, new_h), interpolation=mode)
    padded = np.full((-(-new_h // stride) * stride, -(-new_w // stride) * stride, 3), _PAD_VALUE, np.uint8)
    padded[:new_h, :new_w] = small
    tensor = np.ascontiguousarray(padded[..., ::-1].transpose(2, 0, 1)[None], np.float32) / np.float32(255)
    return Fit(tensor, left, top, new_w / part.shape[1], new_h / part.shape[0])


def cut_index(
    image: Image, rank_px: ArrayLike, suit_px: ArrayLike, size: tuple[int, int], span: tuple[float, float]
) -> Image:
    """Cut one index out of the picture, upright: uint8 [size[1], size[0], 3].

    ``span`` is the width and height of the cut in units of the rank-suit distance. Places beyond the
    picture repeat its edge. Large indices are halved first, so that thin strokes do not alias.
    """
    rank, suit = np.asarray(rank_px, float), np.asarray(suit_px, float)
    distance = max(float(np.hypot(*(suit - rank))), 1.0)
    down = (suit - rank) / distance
    right = np.array([down[1], -down[0]])
    step_x, step_y = right * span[0] * distance / size[0], down * span[1] * distance / size[1]
    origin = (rank + suit) / 2 - step_x * size[0] / 2 - step_y * size[1] / 2
    steps = np.stack([step_x, step_y], axis=1)
    shrink = int(max(float(np.hypot(*step_x)), float(np.hypot(*step_y))) / 1.25)
    if shrink >= 2:
        return _cut_shrunk(image, origin, steps, size, shrink)
    matrix = np.concatenate([steps, (origin + steps.sum(1) / 2 - 0.5)[:, None]], axis=1)
    return _warp(image, matrix, size)


def surroundings(
    rank_px: ArrayLike, suit_px: ArrayLike, aim: tuple[float, float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rank and suit places px moved ``aim`` rank-suit distances right and down along the card."""
    rank, suit = np.asarray(rank_px, float), np.asarray(suit_px, float)
    down = suit - rank
    step = np.array([down[1], -down[0]]) * aim[0] + down * aim[1]
    return rank + step, suit + step


def _cut_shrunk(
    image: Image, origin: NDArray[np.float64], steps: NDArray[np.float64], size: tuple[int, int], shrink: int
) -> Image:
    """As cut_index for one index, from its surroundings made ``shrink`` times smaller."""
    corners = origin + np.array([[0, 0], [size[0], 0], [0, size[1]], list(size)]) @ steps.T
    high, wide = image.shape[:2]
    x0, y0 = (int(v) - 2 * shrink for v in corners.min(0))
    x1, y1 = (int(v) + 2 * shrink for v in corners.max(0))
    x0, y0 = min(max(x0, 0), wide - 1), min(max(y0, 0), high - 1)
    part = image[y0 : max(min(y1, high), y0 + 1), x0 : max(min(x1, wide), x0 + 1)]
    small_size = max(part.shape[1] // shrink, 1), max(part.shape[0] // shrink, 1)
    small = cv2.resize(part, small_size, interpolation=cv2.INTER_AREA)
    scale = np.array([small_size[0] / part.shape[1], small_size[1] / part.shape[0]])
    steps = steps * scale[:, None]
    origin = (origin - (x0, y0)) * scale
    matrix = np.concatenate([steps, (origin + steps.sum(1) / 2 - 0.5)[:, None]], axis=1)
    return _warp(small, matrix, size)


def _warp(image: Any, matrix: NDArray[np.float64], size: tuple[int, int]) -> Image:
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    cut = cv2.warpAffine(image, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cut, np.uint8)


@dataclass(frozen=True, slots=True)
class _Spec:
    """What a model file says about itself in its metadata entry "cardtable" (JSON)."""

    values: dict[str, Any]
    path: Path

    def get(self, key: str, kind: type) -> Any:
        value = self.values.get(key)
        if kind is float and isinstance(value, int):
            value = float(value)
        if not isinstance(value, kind):
            raise ModelError(f"{self.path}: the model says nothing usable of {key!r}; export it again (make export)")
        return value

    def expect(self, key: str, wanted: object) -> None:
        if self.values.get(key) != wanted:
            raise ModelError(
                f"{self.path}: the model was trained with {key} = {self.values.get(key)!r}, this program needs "
                f"{wanted!r}; take the model that belongs to this version, or export it again (make export)"
            )


def _open(path: Path, role: str, threads: int) -> tuple[Any, _Spec]:
    if not path.is_file():
        raise ModelError(f"{path}: no such model; restore it from the repository or run make export")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        values = json.loads(session.get_modelmeta().custom_metadata_map["cardtable"])
    except Exception as error:  # onnxruntime raises its own unexported classes
        raise ModelError(f"{path}: not a model of this program ({error}); run make export") from error
    spec = _Spec(values, path)
    spec.expect("role", role)
    spec.expect("channels", "RGB")
    spec.expect("range", [0, 1])
    return session, spec


@dataclass(frozen=True, slots=True)
class Found:
    """A raw find: places in picture px."""

    score: float
    rank: NDArray[np.float64]
    suit: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Finder:
    """The index finder: an Ultralytics pose network with one class and two key points, rank and suit."""

    session: Any
    card_px: float
    stride: int
    threshold: float

    @classmethod
    def load(cls, path: Path, threads: int) -> Finder:
        session, spec = _open(path, "finder", threads)
        spec.expect("points", ["rank", "suit"])
        return cls(session, spec.get("card_px", float), spec.get("stride", int), spec.get("threshold", float))

    def find(self, image: Image, card_px: float, region: Region | None = None) -> list[Found]:
        """Indices of cards ``card_px`` wide in the picture (or a region of it), the surest first."""
        fitted = fit(image, self.card_px / card_px, self.stride, region)
        name = self.session.get_inputs()[0].name
        (output,) = self.session.run(None, {name: fitted.tensor})
        rows = output[0].T
        rows = rows[rows[:, 4] > self.threshold]
        rows = rows[np.argsort(-rows[:, 4], kind="stable")]
        points = fitted.inverse(rows[:, 5:9].reshape(-1, 2, 2))
        return _thin([Found(float(s), p[0], p[1]) for s, p in zip(rows[:, 4], points, strict=True)])


def _thin(finds: Iterable[Found]) -> list[Found]:
    """Of finds in one place keep the surest; the input is sorted, the surest first."""
    kept: list[Found] = []
    middles: list[NDArray[np.float64]] = []
    for find in finds:
        middle = (find.rank + find.suit) / 2
        span = float(np.hypot(*(find.suit - find.rank)))
        if all(np.hypot(*(middle - other)) > _SAME_PLACE * span for other in middles):
            kept.append(find)
            middles.append(middle)
    return kept


@dataclass(frozen=True, slots=True)
class CardReader:
    """What pips and court say: a cut of the card round an index -> what they add to its rank and suit."""

    session: Any
    size: tuple[int, int]
    span: tuple[float, float]
    aim: tuple[float, float]

    @classmethod
    def load(cls, path: Path, threads: int) -> CardReader:
        session, spec = _open(path, "card-reader", threads)
        spec.expect("ranks", RANKS)
        spec.expect("suits", SUITS)
        size, span, aim = (spec.get(key, list) for key in ("size", "span", "aim"))
        return cls(session, (int(size[0]), int(size[1])), _pair(span), _pair(aim))

    def add(self, image: Image, finds: Sequence[Found]) -> Floats:
        """Logits [n, 19] to be added to the index's (ranks, none, suits, none): the mean of looks at two sizes."""
        return np.asarray(np.mean([self._look(image, finds, size) for size in _CARD_SIZES], axis=0), np.float32)

    def _look(self, image: Image, finds: Sequence[Found], size: float) -> Floats:
        span = self.span[0] * size, self.span[1] * size
        return self.outputs([cut_index(image, *surroundings(f.rank, f.suit, self.aim), self.size, span) for f in finds])

    def outputs(self, cuts: Sequence[Image]) -> Floats:
        """Cuts uint8 [n, h, w, 3] BGR -> logits [n, 19]."""
        return _run(self.session, cuts)


def _pair(values: Sequence[Any]) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _run(session: Any, cuts: Sequence[Image]) -> Floats:
    """Cuts uint8 [n, h, w, 3] BGR through a network that wants RGB 0..1."""
    batch = np.stack(cuts)[..., ::-1].transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)
    (output,) = session.run(None, {session.get_inputs()[0].name: np.ascontiguousarray(batch)})
    return np.asarray(output, np.float32)


@dataclass(frozen=True, slots=True)
class IndexReader:
    """The index reader: a cut -> rank 13 + none, suit 4 + none, and the true places of both."""

    session: Any
    size: tuple[int, int]
    span: tuple[float, float]
    temperature: float
    threshold: float
    card: CardReader | None = None
    """Pips and court as the second opinion."""
    adapt: Adapt | None = None
    """What was learnt of this house's own pack (enrol.py); None reads every pack alike."""

    @classmethod
    def load(cls, path: Path, threads: int) -> IndexReader:
        session, spec = _open(path, "index-reader", threads)
        spec.expect("ranks", RANKS)
        spec.expect("suits", SUITS)
        size, span = spec.get("size", list), spec.get("span", list)
        return cls(
            session,
            (int(size[0]), int(size[1])),
            _pair(span),
            spec.get("temperature", float),
            spec.get("threshold", float),
        )

    def classify(self, cuts: Sequence[Image]) -> tuple[Floats, Floats, Floats]:
        """Cuts uint8 [n, h, w, 3] BGR -> rank p [n, 14], suit p [n, 5], offsets [n, 2, 2].

        The offsets say where rank and suit lie from where they were thought to lie, in units of the
        rank-suit distance, right and down in the cut.
        """
        output = self.outputs(cuts)
        if self.adapt is not None:
            output = self.adapt(cuts, output)
        return _softmax(output[:, :14]), _softmax(output[:, 14:19]), output[:, 19:23].reshape(-1, 2, 2)

    def outputs(self, cuts: Sequence[Image]) -> Floats:
        """The network's own outputs [n, 23]: 14 rank and 5 suit logits (over the temperature), 4 offsets."""
        output = _run(self.session, cuts)
        scale = np.ones(output.shape[1], np.float32)
        scale[:19] = self.temperature
        return np.asarray(output / scale, np.float32)

    def read(self, image: Image, finds: Sequence[Found], *, closely: bool = True) -> list[Index]:
        """Read each find, draw it in to where it really lies, ask again at several sizes, and ask the card round it.

        What the second look takes for no index is left out. Not ``closely``, that look is the last, and the card is
        not asked: enough to tell how well a picture reads.
        """
        if not finds:
            return []
        once = self._right_way_up(image, finds)
        ranks, suits, offsets = self._look(image, once)
        like = [
            i
            for i in np.flatnonzero((ranks[:, 13] < 1 - _INDEX_LIKE) & (suits[:, 4] < 1 - _INDEX_LIKE))
            if _is_whole(moved(once[i], offsets[i]), image)
        ]
        if not like:
            return []
        twice, rank_p, suit_p = [moved(once[i], offsets[i]) for i in like], ranks[like], suits[like]
        if closely:
            looks = [(rank_p, suit_p), *(self._look(image, twice, size)[:2] for size in _LOOK_SIZES)]
            added = self.added(image, twice)
            rank_p = _agreed([look[0] for look in looks], added[:, :14])
            suit_p = _agreed([look[1] for look in looks], added[:, 14:])
        return _one_an_index([self._index(f, r, s) for f, r, s in zip(twice, rank_p, suit_p, strict=True)])

    def added(self, image: Image, finds: Sequence[Found]) -> Floats:
        """What the card reader adds to the logits of each find, over the temperature [n, 19]; zeros without one."""
        if self.card is None:
            return np.zeros((len(finds), 19), np.float32)
        return self.card.add(image, finds) / np.float32(self.temperature)

    def _right_way_up(self, image: Image, finds: Sequence[Found]) -> list[Found]:
        """Each find drawn in to where it really lies; where the finder's way up reads poorly, the better of both."""
        ranks, suits, offsets = self._look(image, finds)
        sure = ranks[:, :13].max(1) * suits[:, :4].max(1)
        once = [moved(find, offset) for find, offset in zip(finds, offsets, strict=True)]
        doubtful = [i for i in range(len(finds)) if sure[i] < _WAY_UP]
        if doubtful:
            turned = [Found(finds[i].score, finds[i].suit, finds[i].rank) for i in doubtful]
            ranks, suits, offsets = self._look(image, turned)
            better = ranks[:, :13].max(1) * suits[:, :4].max(1)
            for place, i in enumerate(doubtful):
                if better[place] > sure[i]:
                    once[i] = moved(turned[place], offsets[place])
        return once

    def _look(self, image: Image, finds: Sequence[Found], size: float = 1.0) -> tuple[Floats, Floats, Floats]:
        """Classify the finds, cut ``size`` times as large as usual."""
        span = self.span[0] * size, self.span[1] * size
        return self.classify([cut_index(image, f.rank, f.suit, self.size, span) for f in finds])

    def _index(self, found: Found, rank_p: Floats, suit_p: Floats) -> Index:
        confidence = float(rank_p[:13].max() * suit_p[:4].max())
        name = RANKS[int(rank_p[:13].argmax())] + SUITS[int(suit_p[:4].argmax())]
        return Index(
            rank_px=(float(found.rank[0]), float(found.rank[1])),
            suit_px=(float(found.suit[0]), float(found.suit[1])),
            card=name if confidence >= self.threshold else UNREAD,
            confidence=confidence,
            rank_p=tuple(map(float, rank_p[:13])),
            suit_p=tuple(map(float, suit_p[:4])),
            score=found.score,
        )


def _one_an_index(indices: Sequence[Index]) -> list[Index]:
    """Of indices of unlike size that lie in each other keep the surer: half a figure is no index, nor two pips."""
    kept: list[Index] = []
    for index in sorted(indices, key=lambda i: -i.confidence):
        if not any(_lies_in(*sorted((index, other), key=lambda i: i.span_px)) for other in kept):
            kept.append(index)
    return sorted(kept, key=lambda i: -i.score)


def _lies_in(small: Index, large: Index) -> bool:
    """Does an index lie in the footprint of one that is much larger?"""
    if small.span_px > _UNLIKE * large.span_px:
        return False
    way = np.subtract(small.middle, large.middle) / large.span_px
    along, across = abs(float(way @ large.down)), abs(float(way @ (large.down[1], -large.down[0])))
    return along < _FOOTPRINT[1] and across < _FOOTPRINT[0]


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(powers / powers.sum(1, keepdims=True), np.float32)


def _agreed(looks: Sequence[Floats], added: Floats) -> Floats:
    """Several looks at one thing: the geometric mean of their probabilities [n, k], which one doubt can spoil.

    ``added`` [n, k]: the logits of another witness, who saw something else.
    """
    return _softmax(np.mean([np.log(look + 1e-9) for look in looks], axis=0) + added)


def _is_whole(found: Found, image: Image) -> bool:
    """Does the whole index lie in the picture? A rank cut off by the edge looks like a jack or a ten."""
    way = found.suit - found.rank
    down, right = way * _WHOLE[0], np.array([way[1], -way[0]]) * _WHOLE[1]
    ends = np.array(
        [found.rank - down - right, found.rank - down + right, found.suit + down - right, found.suit + down + right]
    )
    return bool((ends > 0).all() and (ends < (image.shape[1], image.shape[0])).all())


def moved(found: Found, offset: Floats) -> Found:
    """Apply the reader's offsets [2, 2], at most half an index span each way."""
    down = found.suit - found.rank
    right = np.array([down[1], -down[0]])
    step = np.clip(offset, -0.5, 0.5)
    return Found(
        found.score,
        found.rank + step[0, 0] * right + step[0, 1] * down,
        found.suit + step[1, 0] * right + step[1, 1] * down,
    )


@dataclass(frozen=True, slots=True)
class Reader:
    """The networks and the rules that join what they say. Make one with Reader.load()."""

    finder: Finder
    index_reader: IndexReader
    hash: str
    """sha256 over the files of MODEL_FILES, in that order: it names what read a card."""
    inverted: bool = False
    """A black pack with light pips: read in the negative, it is a white pack with dark ones."""

    @classmethod
    def load(cls, folder: Path | None = None, threads: int = 1) -> Reader:
        """Load the three files of MODEL_FILES; raises ModelError with one clear line."""
        folder = folder or Path(__file__).resolve().parent.parent / "models"
        paths = [folder / name for name in MODEL_FILES]
        finder, index_reader = Finder.load(paths[0], threads), IndexReader.load(paths[1], threads)
        index_reader = replace(index_reader, card=CardReader.load(paths[2], threads))
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
        return cls(finder, index_reader, digest)

    @property
    def threshold(self) -> float:
        """Least confidence of a reading that is not "?"."""
        return self.index_reader.threshold

    def indices(self, image: Image, card_px: float, region: Region | None = None) -> list[Index]:
        """Corner indices of cards ``card_px`` wide (px of this picture), surest find first.

        ``region`` (x0, y0, x1, y1) px limits the search, not the cuts. An index that cannot be told
        has card "?" and keeps its probabilities, for a vote over frames.
        """
        seen = self.seen(image)
        return self._index_like(self.index_reader.read(seen, self.finder.find(seen, card_px, region)))

    def seen(self, image: Image) -> Image:
        """The picture as the networks are shown it: its negative for a black pack."""
        return np.bitwise_not(image) if self.inverted else image

    def read(self, image: Image, card_px: float | None = None) -> list[Reading]:
        """Cards in a still picture by their indices; the scale is searched for when ``card_px`` is None."""
        if card_px is not None:
            readings = join(self.indices(image, card_px), card_px, self.threshold)
        else:
            readings = self._read_unknown_scale(self.seen(image))
        return [r for r in _once(readings) if r.card != UNREAD or _is_credible(r)]

    def _index_like(self, indices: Iterable[Index]) -> list[Index]:
        return [i for i in indices if sum(i.rank_p) > _INDEX_LIKE and sum(i.suit_p) > _INDEX_LIKE]

    def _read_unknown_scale(self, image: Image) -> list[Reading]:
        """Search every scale; where cards read better in a stretched picture, it was squashed: read that one."""
        finds = self._search(image)
        if not finds:
            return []
        views = [_View.of(image, stretch) for stretch in (1.0, *_SQUASHES)]
        glances = [_Look(view, self._indices_of(view, finds, closely=False)) for view in views]
        glances.sort(key=_Look.sureness, reverse=True)
        hopeful = [glance for glance in glances if glance.sureness() > _HOPE * glances[0].sureness()]
        looks: list[_Look] = []
        for glance in hopeful[:_VIEWS_LOOKED_INTO]:
            looks.append(self._closer(glance, finds))
            if looks[-1].is_clear:
                return looks[-1].readings(self.threshold)
        return max(looks, key=_Look.sureness).readings(self.threshold) if looks else []

    def _closer(self, glance: _Look, finds: Sequence[Found]) -> _Look:
        """Search a view again at the scale that its cards turned out to have, and read it closely."""
        view = glance.view
        of_this_size = [view.back(find) for find in self.finder.find(view.image, _card_px(glance.indices))]
        return _Look(view, self._indices_of(view, _surest(finds, of_this_size), closely=True))

    def _search(self, image: Image) -> list[Found]:
        """Finds at every scale that a card may have in a still picture."""
        finds: list[Found] = []
        for fraction in STILL_FRACTIONS:
            card_px = fraction * max(image.shape[:2])
            if card_px >= _STILL_LEAST_PX or not finds:
                finds += self.finder.find(image, card_px)
        return _surest(finds)

    def _indices_of(self, view: _View, finds: Sequence[Found], *, closely: bool) -> list[Index]:
        there = [view.of_find(find) for find in finds]
        return self._index_like(self.index_reader.read(view.image, there, closely=closely))


def _surest(finds: Iterable[Found], first: Sequence[Found] = ()) -> list[Found]:
    """One find a place: those of ``first`` before all others, then the surest."""
    return _thin([*first, *sorted(finds, key=lambda f: -f.score)])[:_STILL_MOST_FINDS]


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """A picture stretched along x and squeezed along y, or the other way, and the way there and back."""

    image: Image
    factors: NDArray[np.float64]
    """x and y of this picture over those of the one that was taken, [2]."""

    @classmethod
    def of(cls, image: Image, stretch: float) -> _View:
        """``stretch`` is the width over the height that a square of the picture taken gets."""
        factors = np.array([math.sqrt(stretch), 1 / math.sqrt(stretch)])
        if stretch == 1:
            return cls(image, factors)
        small = cv2.resize(image, None, fx=factors[0], fy=factors[1], interpolation=cv2.INTER_LINEAR)
        return cls(np.asarray(small, np.uint8), factors)

    @property
    def stretched(self) -> bool:
        """Is it another than the picture taken?"""
        return bool(self.factors[0] != self.factors[1])

    def of_find(self, find: Found) -> Found:
        """A find of the picture taken, in this one."""
        return replace(find, rank=find.rank * self.factors, suit=find.suit * self.factors)

    def back(self, find: Found) -> Found:
        """A find of this picture, in the one taken."""
        return replace(find, rank=find.rank / self.factors, suit=find.suit / self.factors)

    def as_taken(self, reading: Reading) -> Reading:
        """A reading of this picture, where it lies in the one taken."""
        indices = tuple(
            replace(index, rank_px=self._point(index.rank_px), suit_px=self._point(index.suit_px))
            for index in reading.indices
        )
        return replace(reading, corners=reading.corners / self.factors, indices=indices)

    def _point(self, point: Point) -> Point:
        return point[0] / float(self.factors[0]), point[1] / float(self.factors[1])


@dataclass(frozen=True, slots=True)
class _Look:
    """What was read in one view of a picture."""

    view: _View
    indices: list[Index]

    @property
    def squares(self) -> list[float]:
        """Squared confidences of what is of one size: clear readings count, half-clear ones hardly, specks never."""
        surest = max(self.indices, key=lambda index: index.confidence, default=None)
        return [i.confidence**2 for i in self.indices if surest and _is_like(i, i.confidence, surest.span_px)]

    def sureness(self) -> float:
        """How well the picture reads so, beside other views of it."""
        return sum(self.squares) * (1.0 if self.view.stretched else _AS_IT_IS)

    @property
    def is_clear(self) -> bool:
        """Does it read so well that no other stretch could read better?"""
        return bool(self.squares) and float(np.mean(self.squares)) >= _CLEAR

    def readings(self, threshold: float) -> list[Reading]:
        """The cards, where they lie in the picture that was taken."""
        if not self.indices:
            return []
        told = _of_one_size(join(self.indices, _card_px(self.indices), threshold))
        return [self.view.as_taken(reading) for reading in told]


def join(indices: Sequence[Index], card_px: float, threshold: float) -> list[Reading]:
    """Join the two indices of one card; what disagrees becomes "?". Surest cards first."""
    left = sorted(indices, key=lambda i: -i.confidence)
    readings: list[Reading] = []
    while left:
        first = left.pop(0)
        across = [i for i in left if _one_card(first, i, card_px) and not _are_two(first, i)]
        other = max(across, key=lambda i: (i.best == first.best, i.confidence), default=None)
        if other is not None:
            left.remove(other)
        readings.append(_reading(first, other, card_px, threshold))
    return readings


def _once(readings: Sequence[Reading]) -> list[Reading]:
    """Each card once, the surest first (field report F04): finds at several scales, and pips taken for an index, go."""
    kept: list[Reading] = []
    for reading in sorted(readings, key=lambda r: (r.card == UNREAD, -r.confidence)):
        if not any(_same_again(reading, other) for other in kept):
            kept.append(reading)
    return kept


def _same_again(reading: Reading, kept: Reading) -> bool:
    """Is this the kept card once more, or a poor likeness of an index within it?"""
    if reading.card == kept.card != UNREAD:
        height = float(np.hypot(*(kept.corners[3] - kept.corners[0])))
        return float(np.hypot(*(reading.corners.mean(0) - kept.corners.mean(0)))) < height
    if reading.card != UNREAD or kept.card == UNREAD or reading.confidence > _POOR:
        return False
    outline = kept.corners.astype(np.float32)
    return all(cv2.pointPolygonTest(outline, index.middle, False) >= 0 for index in reading.indices)


def _is_credible(reading: Reading) -> bool:
    """Is there a card at all? Keyboards and cloth offer a hundred places that are hardly one."""
    like = max(sum(index.rank_p) * sum(index.suit_p) for index in reading.indices)
    return like > _CREDIBLE[0] and reading.confidence > _CREDIBLE[1]


def _of_one_size(readings: list[Reading]) -> list[Reading]:
    """Cards of one pack on one table are about as large as each other: what is not, by the surest one, is no card.

    What reads surely may differ more: it lies nearer, or along the other side of a picture that was squashed.
    """
    span_px = max(readings, key=lambda r: r.confidence).indices[0].span_px
    return [reading for reading in readings if _is_like(reading.indices[0], reading.confidence, span_px)]


def _is_like(index: Index, confidence: float, span_px: float) -> bool:
    """Is an index that is read with this confidence of a size that it may have beside one of ``span_px``?"""
    most = _SIZE_RATIOS[confidence >= _SURE]
    return 1 / most < index.span_px / span_px < most


def _card_px(indices: Sequence[Index]) -> float:
    """The cards' width in a picture of unknown scale: from pairs that read alike, else from the indices' size."""
    widths = []
    for a, b in itertools.combinations(indices, 2):
        if a.best == b.best and min(a.confidence, b.confidence) > _DOUBT:
            across = _across(a, b)
            if across is not None and _DIAGONAL_DEG[0] < math.degrees(math.atan2(*across)) < _DIAGONAL_DEG[1]:
                widths.append(float(np.hypot(*across)) / math.dist((0, 0), _INDEX_TO_INDEX_MM) * CARD_MM[0])
    spans = [i.span_px for i in indices if i.card != UNREAD] or [i.span_px for i in indices]
    return float(np.median(widths)) if widths else float(np.median(spans)) / INDEX_SPAN


def _across(a: Index, b: Index) -> NDArray[np.float64] | None:
    """From one index to another that points the other way: (right, down) px along the card; else None."""
    cosine = a.down[0] * b.down[0] + a.down[1] * b.down[1]
    if cosine > -math.cos(math.radians(_OPPOSITE_DEG)):
        return None
    down = np.array([a.down[0] - b.down[0], a.down[1] - b.down[1]])
    down /= np.hypot(*down)
    way = np.subtract(b.middle, a.middle)
    return np.array([way @ (down[1], -down[0]), way @ down])


def _one_card(a: Index, b: Index, card_px: float) -> bool:
    """Do two indices lie as the two corners of one card?"""
    across = _across(a, b)
    if across is None:
        return False
    return bool(np.hypot(*(across / (card_px / CARD_MM[0]) - _INDEX_TO_INDEX_MM)) < _OPPOSITE_MM)


def _are_two(a: Index, b: Index) -> bool:
    """Do two indices surely say different things? Then they are two cards, whatever their places say."""
    return a.best != b.best and min(a.confidence, b.confidence) >= _SURE


def _reading(first: Index, other: Index | None, card_px: float, threshold: float) -> Reading:
    corners = _corners(first, other, card_px)
    if other is None:
        return Reading(first.card, first.confidence, corners, (first,))
    pair = (first, other)
    if first.best == other.best:
        confidence = 1 - (1 - first.confidence) * (1 - _SECOND_LOOK * other.confidence)
        return Reading(first.best if confidence >= threshold else UNREAD, confidence, corners, pair)
    if other.confidence >= _DOUBT:
        return Reading(UNREAD, first.confidence * (1 - other.confidence), corners, pair)
    return Reading(first.card, first.confidence, corners, pair)


def _corners(first: Index, other: Index | None, card_px: float) -> NDArray[np.float64]:
    """The card's rectangle [4, 2] px, clockwise from the corner beside ``first``."""
    mm = card_px / CARD_MM[0]
    down = np.array(first.down)
    if other is not None:
        down = down - np.array(other.down)
        down /= np.hypot(*down)
    right = np.array([down[1], -down[0]])
    half = np.array(CARD_MM) / 2 * mm
    if other is not None:
        middle = (np.array(first.middle) + np.array(other.middle)) / 2
    else:
        inset = half - np.array(INDEX_MM) * mm
        middle = np.array(first.middle) + right * inset[0] + down * inset[1]
    x, y = right * half[0], down * half[1]
    return np.array([middle - x - y, middle + x - y, middle + x + y, middle - x + y])


def with_threshold(reader: Reader, threshold: float) -> Reader:
    """The same reader with another threshold (for measuring curves)."""
    return replace(reader, index_reader=replace(reader.index_reader, threshold=threshold))


def all_cards() -> list[str]:
    """The 52 cards in the order of RANKS, then SUITS."""
    return [rank + suit for rank, suit in itertools.product(RANKS, SUITS)]
