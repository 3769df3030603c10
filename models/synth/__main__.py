"""Make the data set: fetch art, render it, draw scenes and crops. Run: python -m models.synth --help."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from models.synth import art
from models.synth.dataset import close_shard, scene_shard, table_shard, window_shard
from models.synth.packs import Library
from vision.reader import MODEL_FILES, Finder

SCENES_PER_SHARD, WINDOWS_PER_SHARD, CLOSE_PER_SHARD, TABLES_PER_SHARD = 250, 1000, 400, 200
TABLE_SHARDS = range(95_000, 95_003)
"""Held-out tables: with 200 alone a single wrong reading moved the threshold by 0.03."""


def main() -> None:
    """Command line of the data set."""
    options = argparse.ArgumentParser(prog="python -m models.synth", description=__doc__)
    options.add_argument("--work", type=Path, default=Path("build/train"), help="work folder, git-ignored")
    options.add_argument("--scene-shards", type=int, default=24, help=f"shards of {SCENES_PER_SHARD} scenes")
    options.add_argument("--window-shards", type=int, default=24, help=f"shards of {WINDOWS_PER_SHARD} windows")
    options.add_argument("--close-shards", type=int, default=36, help=f"shards of {CLOSE_PER_SHARD} close pictures")
    options.add_argument(
        "--finder",
        type=Path,
        default=Path(__file__).parents[1] / MODEL_FILES[0],
        help="a finder of an earlier round: where it is wrong, the reader learns to say so",
    )
    options.add_argument("--held-out-shards", type=int, default=2, help="shards of either kind from held-out packs")
    options.add_argument("--first", type=int, default=0, help="first shard to make (two processes can share the work)")
    options.add_argument("--step", type=int, default=1, help="make every n-th shard")
    given = options.parse_args()
    art.fetch(given.work)
    art.render(given.work)
    finder = Finder.load(given.finder, 1) if given.finder.exists() else None
    if given.first == 0:
        held_out = Library.load(given.work, True)
        make(given.work, held_out, range(90_000, 90_000 + given.held_out_shards), "val")
        close_shard(held_out, given.work, 90_000, CLOSE_PER_SHARD, "val", finder)
        for seed in TABLE_SHARDS:
            table_shard(held_out, given.work, seed, TABLES_PER_SHARD)
    train = Library.load(given.work, False)
    for seed in range(given.first, max(given.scene_shards, given.window_shards), given.step):
        make(given.work, train, [seed], "train", seed < given.scene_shards, seed < given.window_shards)
    for seed in range(given.first, given.close_shards, given.step):
        close_shard(train, given.work, seed, CLOSE_PER_SHARD, "train", finder)
        print(f"close shard {seed}", flush=True)


def make(
    work: Path, library: Library, seeds: range | list[int], split: str, scenes: bool = True, windows: bool = True
) -> None:
    """Write the shards of these seeds."""
    for seed in seeds:
        started = time.monotonic()
        if scenes:
            scene_shard(library, work, seed, SCENES_PER_SHARD, split)
        if windows:
            window_shard(library, work, seed, WINDOWS_PER_SHARD, split)
        print(f"{split} shard {seed}: {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
