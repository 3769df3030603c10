"""Crops on disk: what the readers are trained on, and the held-out ones that they are judged on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

KIND_SHARES = {"close": 0.62, "scenes": 0.12, "windows": 0.1, "photos": 0.16}
"""How often the trainer takes a crop from close pictures, the finder's scenes, windows and real photographs."""

JITTERS = 2
"""Jittered cuts tried of each held-out crop."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Crops of one file: indices, what lies round them (None in shards of indices alone), labels [n, 3]."""

    indices: np.ndarray
    cards: np.ndarray | None
    labels: np.ndarray


class CropStore:
    """Memory-mapped crop shards of a split; new shards are taken up as they appear."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shards: dict[Path, Shard] = {}
        self.refresh()

    def refresh(self) -> None:
        """Take up shards written since."""
        for path in sorted(self.folder.glob("*.npy")):
            if path not in self.shards and not path.name.endswith((".labels.npy", ".cards.npy", ".part.npy")):
                labels = np.load(path.with_suffix(".labels.npy")).astype(np.int64)
                cards = path.with_suffix(".cards.npy")
                round_them = np.load(cards, mmap_mode="r") if cards.exists() else None
                self.shards[path] = Shard(np.load(path, mmap_mode="r"), round_them, labels)

    def count(self) -> int:
        """Crops there are."""
        return sum(len(shard.labels) for shard in self.shards.values())

    def pick(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
        """One index, what lies round it and its labels: by kind of shard, then evenly; "none" is held back."""
        kinds = {k: [p for p in self.shards if p.name.startswith(k)] for k in KIND_SHARES}
        names = [k for k, paths in kinds.items() if paths]
        share = np.array([KIND_SHARES[k] for k in names])
        for _ in range(20):
            kind = names[rng.choice(len(names), p=share / share.sum())]
            paths = kinds[kind]
            shard = self.shards[paths[rng.integers(len(paths))]]
            i = int(rng.integers(len(shard.labels)))
            if shard.labels[i, 0] != 13 or rng.random() < 0.6:
                break
        return shard.indices[i], None if shard.cards is None else shard.cards[i], shard.labels[i]


def held_out_crops(work: Path, limit: int) -> Iterator[tuple[np.ndarray, np.ndarray, int, int]]:
    """Jittered held-out indices and what lies round them, with their rank and suit."""
    from models.index_net import jitter, jitter_card

    rng = np.random.default_rng(5)
    for shard in CropStore(work / "crops" / "val").shards.values():
        if shard.cards is None:
            continue
        for i in rng.permutation(len(shard.labels))[:limit]:
            rank, suit = int(shard.labels[i, 0]), int(shard.labels[i, 1])
            for _ in range(JITTERS):
                yield jitter(np.asarray(shard.indices[i]), rng, 0.5)[0], jitter_card(shard.cards[i], rng), rank, suit
