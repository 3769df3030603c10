"""Write scenes as the finder's data set (Ultralytics pose format) and their indices as the reader's crops.

Everything is made in shards of a fixed seed: a shard that is there is kept, so an interrupted run goes on
where it stopped and two runs give the same pictures.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from models.synth.art import RANKS, SUITS
from models.synth.packs import Library
from models.synth.scenes import Mark, Scene, close_up, scene, window
from vision.reader import Finder, Found, cut_index, surroundings

SCENE_PX = 416
"""Side of the finder's training pictures."""

FINDER_CARD_PX = 64.0
"""Width of a card where the finder is most at home; sizes in training spread 0.3 in the logarithm round it."""

BOX_SPANS = 2.2
"""Side of an index's square box, in rank-suit distances (TINY_POSE.md)."""

SHOWN, SMUDGED = 0.78, 0.3
"""From SHOWN on an index is to be found; from SMUDGED to SHOWN it is made unreadable (no ignore regions)."""

STORE_SIZE, STORE_SPAN = (75, 105), (3.0, 4.2)
"""Stored crops: px, and what they show in rank-suit distances: room for the trainer to jitter."""

CARD_SIZE, CARD_SPAN = (96, 96), (7.4, 7.4)
"""Stored surroundings of an index: px, and what they show in rank-suit distances."""

CARD_AIM = (1.7, 1.3)
"""Their middle from the index's middle, in rank-suit distances right and down: towards the card's own middle."""

NO_RANK, NO_SUIT, IGNORED = 13, 4, -1


def cut_card(image: np.ndarray, rank_px: np.ndarray, suit_px: np.ndarray) -> np.ndarray:
    """What lies round an index on its own card's side: uint8 [96, 96, 3]."""
    aimed = surroundings(rank_px, suit_px, CARD_AIM)
    return cut_index(image, *aimed, CARD_SIZE, CARD_SPAN)


@dataclass(slots=True)
class Crops:
    """Crops for the reader: pictures [n, 105, 75, 3], ranks, suits (IGNORED: not trained), are the places true."""

    images: list[np.ndarray] = field(default_factory=list)
    cards: list[np.ndarray] = field(default_factory=list)
    """The surroundings of each, uint8 [96, 96, 3]."""
    ranks: list[int] = field(default_factory=list)
    suits: list[int] = field(default_factory=list)
    placed: list[bool] = field(default_factory=list)

    def add(
        self, image: np.ndarray, rank_px: np.ndarray, suit_px: np.ndarray, rank: int, suit: int, placed: bool
    ) -> None:
        """Cut one index and note what it is."""
        self.images.append(cut_index(image, rank_px, suit_px, STORE_SIZE, STORE_SPAN))
        self.cards.append(cut_card(image, rank_px, suit_px))
        self.ranks.append(rank)
        self.suits.append(suit)
        self.placed.append(placed)

    def save(self, path: Path) -> None:
        """Write ``path``.npy (indices), ``path``.cards.npy (surroundings) and ``path``.labels.npy."""
        labels = np.stack([self.ranks, self.suits, np.array(self.placed, int)], 1).astype(np.int8)
        for suffix, array in (
            (".labels", labels),
            (".cards", np.array(self.cards, np.uint8)),
            ("", np.array(self.images)),
        ):
            part = path.with_suffix(".part.npy")
            np.save(part, array)
            part.rename(path.with_suffix(f"{suffix}.npy"))  # a trainer may have the old file mapped


def pose_line(rank: np.ndarray, suit: np.ndarray, size: tuple[int, int]) -> str:
    """One label line: class, square box, rank and suit, all over the picture's size."""
    wide, high = size
    middle, half = (rank + suit) / 2, BOX_SPANS / 2 * float(np.hypot(*(suit - rank)))
    x0, y0 = max(middle[0] - half, 0), max(middle[1] - half, 0)
    x1, y1 = min(middle[0] + half, wide), min(middle[1] + half, high)
    values = ((x0 + x1) / 2 / wide, (y0 + y1) / 2 / high, (x1 - x0) / wide, (y1 - y0) / high,
              rank[0] / wide, rank[1] / high, suit[0] / wide, suit[1] / high)  # fmt: skip
    return "0 " + " ".join(f"{v:.5f}" for v in values)


def finder_example(drawn: Scene) -> tuple[np.ndarray, list[str]]:
    """The picture, half-hidden indices smudged, and its label lines."""
    image, lines = drawn.image, []
    size = (image.shape[1], image.shape[0])
    shown = [m for m in drawn.marks if m.seen >= SHOWN and m.inside]
    half_hidden = [m for m in drawn.marks if m.seen >= SMUDGED and not (m.seen >= SHOWN and m.inside)]
    lines = [pose_line(m.rank, m.suit, size) for m in shown]
    return smudge(image, [m.box for m in half_hidden], [m.box for m in shown]), lines


def smudge(image: np.ndarray, boxes: Iterable[np.ndarray], keep: Iterable[np.ndarray]) -> np.ndarray:
    """Blur the quads ``boxes`` [4, 2] px beyond reading, but nothing inside ``keep``."""
    mask: np.ndarray = np.zeros(image.shape[:2], np.float32)
    for box in boxes:
        cv2.fillPoly(mask, [np.round(box).astype(np.int32)], 1)
    if not mask.any():
        return image
    mask = cv2.GaussianBlur(cv2.dilate(mask, np.ones((3, 3), np.uint8)), (0, 0), 1)
    kept = np.zeros(image.shape[:2], np.uint8)
    for box in keep:
        cv2.fillPoly(kept, [np.round(box).astype(np.int32)], 1)
    mask[cv2.dilate(kept, np.ones((3, 3), np.uint8)) > 0] = 0
    soft = cv2.GaussianBlur(image, (0, 0), 4)
    return np.asarray(image * (1 - mask[..., None]) + soft * mask[..., None], np.float32).astype(np.uint8)


def add_crops(crops: Crops, drawn: Scene, rng: random.Random, strays: float) -> None:
    """Cut the indices of a scene, some upside down, and ``strays`` places that are none."""
    for mark in drawn.marks:
        _add_mark(crops, drawn, mark, rng)
    for _ in range(int(strays) + (rng.random() < strays % 1)):
        size = drawn.image.shape[0]
        middle = np.array([rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9)]) * size
        span, angle = drawn.card_px * rng.uniform(0.1, 0.3), rng.uniform(0, 2 * math.pi)
        half = np.array([math.cos(angle), math.sin(angle)]) * span / 2
        if all(np.hypot(*((m.rank + m.suit) / 2 - middle)) > 1.3 * span for m in drawn.marks):
            crops.add(drawn.image, middle - half, middle + half, NO_RANK, NO_SUIT, False)


MOST_FALSE_FINDS = 3
"""False finds kept of one picture: enough of its text and patterns."""

FAR_SPANS = 1.5
"""A find this far from every index, in its own rank-suit distances, is a false one."""


def add_false_finds(crops: Crops, image: np.ndarray, finds: Sequence[Found], middles: Sequence[np.ndarray]) -> None:
    """What the finder takes for an index where there is none, either way up: the likeliest mistakes of all."""
    false = [
        f
        for f in finds
        if all(np.hypot(*((f.rank + f.suit) / 2 - m)) > FAR_SPANS * np.hypot(*(f.suit - f.rank)) for m in middles)
    ]
    for number, find in enumerate(false[:MOST_FALSE_FINDS]):
        ends = (find.rank, find.suit) if number % 2 else (find.suit, find.rank)
        crops.add(image, *ends, NO_RANK, NO_SUIT, False)


def _add_mark(crops: Crops, drawn: Scene, mark: Mark, rng: random.Random) -> None:
    rank, suit = RANKS.index(mark.card[0]), SUITS.index(mark.card[1])
    if not mark.inside:
        return
    if mark.rank_seen >= 0.9 and mark.suit_seen >= 0.9:
        crops.add(drawn.image, mark.rank, mark.suit, rank, suit, True)
        if rng.random() < 0.15:
            crops.add(drawn.image, mark.suit, mark.rank, NO_RANK, NO_SUIT, False)
    elif mark.rank_seen >= 0.95 and mark.suit_seen < 0.5:
        crops.add(drawn.image, mark.rank, mark.suit, rank, NO_SUIT, False)
    elif mark.rank_seen < 0.55 and mark.suit_seen >= 0.95:
        crops.add(drawn.image, mark.rank, mark.suit, NO_RANK, suit, False)
    elif mark.rank_seen < 0.5 and mark.suit_seen < 0.4 and rng.random() < 0.25:
        crops.add(drawn.image, mark.rank, mark.suit, NO_RANK, NO_SUIT, False)


def scene_shard(library: Library, folder: Path, seed: int, count: int, split: str) -> None:
    """``count`` scenes with their labels and crops; nothing when the shard is there."""
    crop_path = folder / "crops" / split / f"scenes_{seed:05d}"
    if crop_path.with_suffix(".npy").exists():
        return
    images, labels = folder / "finder" / "images" / split, folder / "finder" / "labels" / split
    for path in (images, labels, crop_path.parent):
        path.mkdir(parents=True, exist_ok=True)
    rng, nrng, crops = random.Random(seed), np.random.default_rng(seed), Crops()
    truth = []
    for number in range(count):
        card_px = min(max(FINDER_CARD_PX * math.exp(rng.gauss(0, 0.3)), 30), 150)
        drawn = scene(library, rng, nrng, SCENE_PX, card_px)
        add_crops(crops, drawn, rng, 2.0)
        image, lines = finder_example(drawn)
        name = f"s{seed:05d}_{number:04d}"
        cv2.imwrite(str(images / f"{name}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, 96])
        (labels / f"{name}.txt").write_text("\n".join(lines))
        truth.append(_truth(name, drawn))
    (crop_path.parent / f"scenes_{seed:05d}.jsonl").write_text("\n".join(truth))
    crops.save(crop_path)


TABLE_PX, TABLE_CARD_PX = 960, (75.0, 240.0)
"""Held-out tables for choosing thresholds: side, and widths of a card, those that the reader is meant for."""


def table_shard(library: Library, folder: Path, seed: int, count: int) -> None:
    """``count`` held-out tables at a camera's resolution with their truth; nothing when they are there."""
    images, truth = folder / "tables", folder / "tables" / f"tables_{seed:05d}.jsonl"
    if truth.exists():
        return
    images.mkdir(parents=True, exist_ok=True)
    rng, nrng, lines = random.Random(seed), np.random.default_rng(seed), []
    for number in range(count):
        card_px = math.exp(rng.uniform(*map(math.log, TABLE_CARD_PX)))
        drawn = scene(library, rng, nrng, TABLE_PX, card_px)
        name = f"t{seed:05d}_{number:04d}"
        cv2.imwrite(str(images / f"{name}.jpg"), drawn.image, [cv2.IMWRITE_JPEG_QUALITY, 96])
        lines.append(_truth(name, drawn))
    truth.write_text("\n".join(lines))


def _truth(name: str, drawn: Scene) -> str:
    marks = [
        {"card": m.card, "rank": m.rank.round(1).tolist(), "suit": m.suit.round(1).tolist(), "seen": round(m.seen, 2),
         "inside": m.inside}
        for m in drawn.marks
    ]  # fmt: skip
    about = {"name": name, "card_px": round(drawn.card_px, 1), "stretch": round(drawn.stretch, 3)}
    return json.dumps({**about, "marks": marks})


def window_shard(library: Library, folder: Path, seed: int, count: int, split: str) -> None:
    """``count`` windows round one index each, cards 50 to 330 px wide; nothing when the shard is there."""
    path = folder / "crops" / split / f"windows_{seed:05d}"
    if path.with_suffix(".npy").exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    rng, nrng, crops = random.Random(seed), np.random.default_rng(seed), Crops()
    for _ in range(count):
        card_px = math.exp(rng.uniform(math.log(50), math.log(330)))
        add_crops(crops, window(library, rng, nrng, card_px), rng, 0.2)
    crops.save(path)


def close_shard(
    library: Library, folder: Path, seed: int, count: int, split: str, finder: Finder | None = None
) -> None:
    """``count`` pieces of tables, cards 50 to 280 px wide; nothing when the shard is there.

    With a ``finder`` of an earlier round its false finds join as "none".
    """
    path = folder / "crops" / split / f"close_{seed:05d}"
    if path.with_suffix(".npy").exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    rng, nrng, crops = random.Random(seed), np.random.default_rng(seed), Crops()
    for _ in range(count):
        card_px = math.exp(rng.uniform(math.log(50), math.log(280)))
        drawn = close_up(library, rng, nrng, card_px)
        add_crops(crops, drawn, rng, 0.4)
        if finder is not None:
            middles = [(m.rank + m.suit) / 2 for m in drawn.marks]
            add_false_finds(crops, drawn.image, finder.find(drawn.image, card_px), middles)
    crops.save(path)
