"""Real photographs of ``photos/train``: where exactly are rank and suit in a labelled box?

The labels say which card an index shows and roughly where. The finder and the index reader of the day say
where in the box that very card's index lies; what they do not find is left out, and found in a later round.
Nothing of ``photos/check`` is ever opened here.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from models.synth.art import RANKS, SUITS
from models.synth.dataset import (
    FINDER_CARD_PX,
    IGNORED,
    NO_RANK,
    NO_SUIT,
    SCENE_PX,
    Crops,
    add_false_finds,
    pose_line,
    smudge,
)
from vision.reader import INDEX_SPAN, Found, Image, IndexReader, Reader, cut_index, moved
from vision.stills import load_picture

INDEX_WIDTHS, WHOLE_WIDTHS = (1.7, 2.3, 3.1), (0.55, 0.75, 1.0)
"""Card widths tried, over the mean side of an index's box and of a whole card's box."""

SURE = 0.35
"""Least likelihood of the labelled card for a pose to be believed."""

HELD_OUT_SHARE = 5
"""One burst in five is held out for choosing thresholds and judging progress, never trained on."""


@dataclass(frozen=True, slots=True)
class Posed:
    """An index of a photograph: its card ("7?" when the suit is not known) and where rank and suit lie, px."""

    card: str
    rank: np.ndarray
    suit: np.ndarray
    likelihood: float


def held_out(image_name: str) -> bool:
    """Is a photograph kept from training? By burst: the minute it was taken in, or its number's tens."""
    stem = Path(image_name).stem.replace("_jpg", "")
    if stem.startswith("bidly"):
        return False
    digits = "".join(c for c in stem if c.isdigit())
    burst = int(digits[:-2] or 0) if stem.startswith("cardcounter") else int(digits or 0) // 10
    return burst % HELD_OUT_SHARE == 0


def labels(photos: Path) -> list[dict[str, Any]]:
    """Entries of ``photos/train/labels.jsonl``."""
    return [json.loads(line) for line in (photos / "train" / "labels.jsonl").read_text().splitlines()]


def pose_in_box(image: Image, card: str, box: list[float], reader: Reader, whole: bool) -> list[Posed]:
    """Likely poses of ``card`` in a box px; of a whole card's box the two best, of an index's box the best."""
    side = (box[2] - box[0] + box[3] - box[1]) / 2
    margin = 0.1 * side if whole else side
    region = box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin
    finds = [f for w in (WHOLE_WIDTHS if whole else INDEX_WIDTHS) for f in reader.finder.find(image, w * side, region)]
    finds = [f for f in finds if _inside(_middle(f), box)]
    finds += [Found(f.score, f.suit, f.rank) for f in finds]
    if not finds:
        return []
    ranks, suits, offsets = _classify(image, finds, reader.index_reader)
    finds = [moved(f, o) for f, o in zip(finds, offsets, strict=True)]
    ranks, suits, _ = _classify(image, finds, reader.index_reader)
    chance = ranks[:, RANKS.index(card[0])] * (
        suits[:, :4].max(1) if card[1] == "?" else suits[:, SUITS.index(card[1])]
    )
    posed: list[Posed] = []
    for i in np.argsort(-chance):
        middle, span = (finds[i].rank + finds[i].suit) / 2, float(np.hypot(*(finds[i].suit - finds[i].rank)))
        if chance[i] < SURE or len(posed) == (2 if whole else 1):
            break
        if all(np.hypot(*(middle - (p.rank + p.suit) / 2)) > 1.5 * span for p in posed):
            posed.append(Posed(card, finds[i].rank, finds[i].suit, float(chance[i])))
    return posed


def _inside(point: np.ndarray, box: list[float]) -> bool:
    return bool(box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3])


def _classify(image: Image, finds: list[Found], reader: IndexReader) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return reader.classify([cut_index(image, f.rank, f.suit, reader.size, reader.span) for f in finds])


def prepare(photos: Path, work: Path, reader: Reader) -> None:
    """Write crops (train and held out) and finder examples from the photographs of ``train``."""
    crops = {"train": Crops(), "val": Crops()}
    images, lines = work / "finder" / "images" / "train", work / "finder" / "labels" / "train"
    rng = np.random.default_rng(11)
    known = found = 0
    for entry in labels(photos):
        name = Path(entry["image"]).name
        image = load_picture(photos / "train" / name)
        posed: list[Posed] = []
        missing: list[list[float]] = []
        boxes = [c["box"] for c in entry["cards"] if c["box"] is not None]
        for card in entry["cards"]:
            if card["box"] is None or card["card"][0] not in RANKS or len(card["card"]) != 2:
                missing += [card["box"]] if card["box"] is not None else []
                continue
            poses = pose_in_box(image, card["card"], card["box"], reader, card["what"] == "whole-card")
            known, found = known + 1, found + bool(poses)
            posed += poses
            missing += [] if poses else [card["box"]]
        split = "val" if held_out(name) else "train"
        for p in posed:
            _add(crops[split], image, p, rng)
        if posed and not entry.get("incomplete"):
            finds = [f for f in _finds_like(image, posed, reader) if not any(_inside(_middle(f), b) for b in boxes)]
            add_false_finds(crops[split], image, finds, [(p.rank + p.suit) / 2 for p in posed])
        if split == "train" and posed and not name.startswith("pinochle"):
            _finder_pictures(image, posed, missing, Path(name).stem, images, lines, rng)
    for split, made in crops.items():
        made.save(work / "crops" / split / "photos_00000")
    counts = len(crops["train"].ranks), len(crops["val"].ranks)
    print(f"{found} of {known} labelled cards posed; crops {counts[0]} + {counts[1]} held out")


def _middle(find: Found) -> np.ndarray:
    return (find.rank + find.suit) / 2


def _finds_like(image: Image, posed: list[Posed], reader: Reader) -> list[Found]:
    """What the finder finds at the scale of the indices that are known."""
    span = float(np.median([np.hypot(*(p.suit - p.rank)) for p in posed]))
    return reader.finder.find(image, span / INDEX_SPAN)


def _add(crops: Crops, image: np.ndarray, posed: Posed, rng: np.random.Generator) -> None:
    suit = SUITS.index(posed.card[1]) if posed.card[1] != "?" else IGNORED
    crops.add(image, posed.rank, posed.suit, RANKS.index(posed.card[0]), suit, True)
    if rng.random() < 0.3:
        crops.add(image, posed.suit, posed.rank, NO_RANK, NO_SUIT, False)


def _finder_pictures(
    image: np.ndarray, posed: list[Posed], missing: list[list[float]], stem: str, images: Path, lines: Path,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """Two pictures at the finder's scale, cropped to its training size; unposed boxes are smudged."""
    quads = [np.array([[b[0], b[1]], [b[2], b[1]], [b[2], b[3]], [b[0], b[3]]]) for b in missing]
    image = smudge(image, quads, [])
    span = float(np.median([np.hypot(*(p.suit - p.rank)) for p in posed]))
    for number in range(2):
        scale = FINDER_CARD_PX * INDEX_SPAN / span * math.exp(rng.normal(0, 0.25))
        size = (max(round(image.shape[1] * scale), 48), max(round(image.shape[0] * scale), 48))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
        aim = (
            (posed[int(rng.integers(len(posed)))].rank * scale).astype(int) - SCENE_PX // 2 + rng.integers(-120, 120, 2)
        )
        x0 = int(np.clip(aim[0], 0, max(size[0] - SCENE_PX, 0)))
        y0 = int(np.clip(aim[1], 0, max(size[1] - SCENE_PX, 0)))
        part = small[y0 : y0 + SCENE_PX, x0 : x0 + SCENE_PX]
        canvas = np.full((SCENE_PX, SCENE_PX, 3), 114, np.uint8)
        canvas[: part.shape[0], : part.shape[1]] = part
        written = []
        for p in posed:
            rank, suit = p.rank * scale - (x0, y0), p.suit * scale - (x0, y0)
            if min(rank.min(), suit.min()) > 2 and max(rank.max(), suit.max()) < SCENE_PX - 2:
                written.append(pose_line(rank, suit, (SCENE_PX, SCENE_PX)))
        cv2.imwrite(str(images / f"p_{stem}_{number}.jpg"), canvas, [cv2.IMWRITE_JPEG_QUALITY, 95])
        (lines / f"p_{stem}_{number}.txt").write_text("\n".join(written))
