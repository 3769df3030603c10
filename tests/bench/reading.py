"""The reader beside the classic method: ``python -m tests.bench.reading``. Prints Markdown, judges nothing.

Both are told the scale of drawn tables; in photographs (``../shared/photos/check``, where it is) they look for it.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from firmware.simulator import pack
from tests.bench import contours
from vision.reader import STILL_FRACTIONS, Reader, all_cards
from vision.stills import load_picture

Image = npt.NDArray[Any]

TABLES, CARD_PX, TABLE_PX = 24, 120, (1152, 864)
"""Drawn tables, their cards' width and their size, px."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture, the cards in it, and the width of its cards px (None: not known)."""

    image: Image
    truth: frozenset[str]
    card_px: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """What one method did with one set of pictures."""

    method: str
    cards: int
    right: int
    wrong: int
    ms: tuple[float, ...]

    def markdown(self, beside: Row) -> str:
        """A line of the table; times as ratios to the row ``beside``."""
        ours, theirs = statistics.median(self.ms), statistics.median(beside.ms)
        low, *_, high = sorted(self.ms)
        return (
            f"| {self.method} | {self.right / self.cards:.1%} | {self.wrong / max(self.right + self.wrong, 1):.2%} "
            f"| {ours:.0f} ({low:.0f} to {high:.0f}) | {ours / theirs:.2f} |"
        )


def drawn_tables(overlap: bool) -> Iterator[Shown]:
    """Tables of the simulator's plain pack: eight free cards, or eight that overlap by half."""
    for seed in range(TABLES):
        rng, table = random.Random(seed), np.full((TABLE_PX[1], TABLE_PX[0], 3), (62, 104, 44), np.uint8)
        cards = rng.sample(all_cards(), 8)
        for number, card in enumerate(cards):
            step = 75 if overlap else 265
            x, y = 110 + number % 4 * step + rng.randint(-8, 8), 60 + number // 4 * 420 + rng.randint(-8, 8)
            _stamp(table, pack.face(card, pack.Style(), CARD_PX), x, y, rng.uniform(-8, 8))
        noisy = cv2.GaussianBlur(table, (0, 0), 0.7) + np.random.default_rng(seed).normal(0, 3, table.shape)
        yield Shown(np.clip(noisy, 0, 255).astype(np.uint8), frozenset(cards), CARD_PX)


def _stamp(table: Image, face: Image, x: int, y: int, angle: float) -> None:
    """A BGRA face turned by ``angle`` degrees, its top-left corner near (x, y)."""
    high, wide = face.shape[:2]
    side = int(np.hypot(wide, high)) + 2
    turn = cv2.getRotationMatrix2D((wide / 2, high / 2), angle, 1)
    turn[:, 2] += ((side - wide) / 2, (side - high) / 2)
    turned = cv2.warpAffine(face, turn, (side, side))
    part = table[y : y + side, x : x + side]
    turned = turned[: part.shape[0], : part.shape[1]]
    alpha = turned[..., 3:] / 255
    part[:] = part * (1 - alpha) + turned[..., :3] * alpha


def photographs(folder: Path) -> Iterator[Shown]:
    """Pictures of ``check`` with complete labels of whole cards, without the black pack."""
    for line in (folder / "labels.jsonl").read_text().splitlines():
        entry = json.loads(line)
        truth = frozenset(c["card"] for c in entry["cards"] if "?" not in c["card"] and len(c["card"]) == 2)
        if truth and not entry.get("incomplete") and not Path(entry["image"]).name.startswith("blackpack"):
            yield Shown(load_picture(folder / Path(entry["image"]).name), truth, None)


Method = Callable[[Image, float | None], Iterable[str]]


def measure(name: str, method: Method, pictures: Iterable[Shown]) -> Row:
    """Run a method over pictures, one by one."""
    cards = right = wrong = 0
    times = []
    for shown in pictures:
        began = time.process_time()
        read = {c for c in method(shown.image, shown.card_px) if len(c) == 2}
        times.append(1e3 * (time.process_time() - began))
        cards, right, wrong = cards + len(shown.truth), right + len(read & shown.truth), wrong + len(read - shown.truth)
    return Row(name, cards, right, wrong, tuple(times))


def ours(reader: Reader) -> Method:
    """The cards that our reader is sure of."""
    return lambda image, card_px: [r.card for r in reader.read(image, card_px)]


def classic(image: Image, card_px: float | None) -> list[str]:
    """Contours and templates at the scale known, or at every one that a still picture may have."""
    widths = [card_px] if card_px else [share * max(image.shape[:2]) for share in STILL_FRACTIONS]
    return sorted({card for width in widths for card in contours.read(image, width)})


def main() -> None:
    """Command line of the bench."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.reading", description=__doc__)
    options.add_argument("--photos", type=Path, default=Path("../shared/photos/check"))
    given = options.parse_args()
    cv2.setNumThreads(1)
    reader = Reader.load()
    sets: dict[str, Callable[[], Iterator[Shown]]] = {
        "drawn, free": lambda: drawn_tables(False),
        "drawn, overlapping": lambda: drawn_tables(True),
    }
    if (given.photos / "labels.jsonl").exists():
        sets["photographs"] = lambda: photographs(given.photos)
    else:
        print(f"(no photographs at {given.photos}: drawn tables only)")
    for title, pictures in sets.items():
        print(f"\n| {title} | right | wrong | CPU ms (least to most) | of ours |\n|---|---|---|---|---|")
        first = measure("this reader", ours(reader), pictures())
        print(first.markdown(first), flush=True)
        print(measure("contours and templates", classic, pictures()).markdown(first), flush=True)
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
