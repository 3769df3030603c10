"""Train the finder (with Ultralytics) and the index reader; both go on where they were stopped.

    python -m models.train finder --minutes 75
    python -m models.train reader --minutes 75
    python -m models.train photos       with the networks of the day, places the labelled indices of photos/train

Checkpoints are written every few minutes to the work folder; ``python -m models.export`` makes the ONNX files.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

CHECKPOINT_S = 240.0
"""Seconds between checkpoints."""

SEED = 20261130

FINDER_SETTINGS: dict[str, Any] = {
    "imgsz": 416, "batch": 8, "nbs": 8, "epochs": 1000, "device": "cpu", "workers": 1, "cache": "ram", "val": False,
    "plots": False, "amp": False, "optimizer": "AdamW", "lr0": 0.003, "lrf": 0.01, "cos_lr": True, "weight_decay": 1e-4,
    "warmup_epochs": 0, "warmup_bias_lr": 0.0, "mosaic": 0.0, "close_mosaic": 0, "mixup": 0.0, "fliplr": 0.0,
    "flipud": 0.0, "degrees": 0.0, "scale": 0.15, "translate": 0.08, "shear": 0.0, "perspective": 0.0, "hsv_h": 0.0,
    "hsv_s": 0.3, "hsv_v": 0.0, "erasing": 0.0, "box": 2.0, "cls": 1.0, "dfl": 1.0, "pose": 12.0, "kobj": 0.0,
    "rle": 1.0, "exist_ok": True, "verbose": False, "save": False, "seed": SEED, "pretrained": False,
}  # fmt: skip
"""Effective Ultralytics settings. No flips: mirror images of cards do not exist. Turns are made per batch."""

FINDER_LR = 0.003
FINDER_WARM_UP = 60
"""Batches of linear warm-up."""

READER_BATCH, READER_LR = 64, 2e-3


def main() -> None:
    """Command line of the trainers."""
    options = argparse.ArgumentParser(prog="python -m models.train", description=__doc__)
    options.add_argument("network", choices=("finder", "reader", "photos", "settings"))
    options.add_argument("--work", type=Path, default=Path("build/train"))
    options.add_argument("--minutes", type=float, default=75, help="wall-clock length of the whole cosine")
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--name", default="", help="name of the run, to keep several")
    options.add_argument("--start", type=Path, help="weights to start from")
    options.add_argument("--lr", type=float)
    options.add_argument("--photos", type=Path, default=Path("../shared/photos"))
    options.add_argument(
        "--models", type=Path, default=Path(__file__).parent, help="networks that place the photographs"
    )
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    match given.network:
        case "finder":
            train_finder(
                given.work, given.minutes, given.name or "finder", given.start, given.lr or FINDER_LR, given.threads
            )
        case "reader":
            train_reader(given.work, given.minutes, given.name or "reader", given.start, given.lr or READER_LR)
        case "photos":
            place_photos(given.photos, given.work, given.models)
        case _:
            print(json.dumps(FINDER_SETTINGS, indent=1))


def place_photos(photos: Path, work: Path, models: Path) -> None:
    """Add real photographs to the data set where they are at hand; without them nothing is missing."""
    from models.synth.photos import prepare
    from vision.reader import Reader

    if not (photos / "train" / "labels.jsonl").exists():
        print(f"no photographs at {photos}: trained on drawn packs alone")
        return
    prepare(photos, work, Reader.load(models))


# --- the finder ------------------------------------------------------------------------------------


def train_finder(work: Path, minutes: float, name: str, start: Path | None, lr: float, threads: int) -> None:
    """One cosine of the pose network in Ultralytics' own trainer; checkpoints are plain state dicts."""
    os.environ.setdefault("YOLO_CONFIG_DIR", str(work / "ultralytics"))
    from models import torchvision_stand_in

    torchvision_stand_in.install()
    from ultralytics import YOLO

    from models.pose_trainer import Progress, TurningPoseTrainer

    data = work / "finder" / "index.yaml"
    data.write_text(
        f"path: {(work / 'finder').resolve()}\ntrain: images/train\nval: images/val\nkpt_shape: [2, 2]\n"
        "flip_idx: [0, 1]\nkpt_oks_sigmas: [0.25, 0.25]\nnames:\n  0: index\n"
    )
    checkpoint = work / f"{name}.pt"
    model = YOLO(str(Path(__file__).with_name("index-finder.yaml")), task="pose")
    done = 0.0
    state = (
        torch.load(checkpoint if checkpoint.exists() else start, weights_only=True)
        if checkpoint.exists() or start
        else None
    )
    if state is not None:
        model.model.load_state_dict(state.get("model", state))
        model.ckpt = {"epoch": -1}  # else Ultralytics builds the network anew
        done = float(state.get("done", 0.0)) if checkpoint.exists() else 0.0
    progress = Progress(checkpoint, minutes * 60, done, lr, FINDER_WARM_UP, CHECKPOINT_S, threads)
    for event, function in progress.callbacks().items():
        model.add_callback(event, function)
    keep = {"pretrained": True} if state is not None else {}
    model.train(trainer=TurningPoseTrainer, data=str(data), time=(1 - done) * minutes / 60,
                project=str((work / "runs").resolve()), name=name, **(FINDER_SETTINGS | keep))  # fmt: skip
    progress.save(1.0)


# --- the index reader ------------------------------------------------------------------------------


class CropStore:
    """Memory-mapped crop shards of a split; new shards are taken up as they appear."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shards: dict[Path, tuple[np.ndarray, np.ndarray]] = {}
        self.refresh()

    def refresh(self) -> None:
        """Take up shards written since."""
        for path in sorted(self.folder.glob("*.npy")):
            if path not in self.shards and not path.name.endswith((".labels.npy", ".part.npy")):
                labels = np.load(path.with_suffix("").with_suffix(".labels.npy")).astype(np.int64)
                self.shards[path] = (np.load(path, mmap_mode="r"), labels)

    def count(self) -> int:
        """Crops there are."""
        return sum(len(labels) for _, labels in self.shards.values())

    def pick(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """One crop and its labels (rank, suit, placed): by kind of shard, then evenly; "none" is held back."""
        kinds = {k: [p for p in self.shards if p.name.startswith(k)] for k in KIND_SHARES}
        names = [k for k, paths in kinds.items() if paths]
        share = np.array([KIND_SHARES[k] for k in names])
        for _ in range(20):
            kind = names[rng.choice(len(names), p=share / share.sum())]
            paths = kinds[kind]
            images, labels = self.shards[paths[rng.integers(len(paths))]]
            i = int(rng.integers(len(labels)))
            if labels[i, 0] != 13 or rng.random() < 0.6:
                break
        return images[i], labels[i]


STRAY_SHARE = 0.1
"""Share of cuts at a size where no index lies: without them clubs and court art were read as queens."""

KIND_SHARES = {"scenes": 0.22, "windows": 0.16, "late": 0.15, "ink": 0.35, "photos": 0.12}
"""How often the trainer takes a crop from drawn scenes, drawn windows, later drawings and real photographs."""


def train_reader(work: Path, minutes: float, name: str, start: Path | None, lr: float) -> None:
    """One cosine of IndexNet on jittered crops."""
    from models.index_net import IndexNet, colour_jitter, loss

    checkpoint, store = work / f"{name}.pt", CropStore(work / "crops" / "train")
    network = IndexNet().to(memory_format=torch.channels_last)
    done, seen = 0.0, 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        network.load_state_dict(state["model"])
        done, seen = state["done"], state["seen"]
    elif start:
        network.load_state_dict(torch.load(start, weights_only=True)["model"])
    optimiser = torch.optim.AdamW(network.parameters(), lr=lr, weight_decay=1e-2)
    averaged = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    rng = np.random.default_rng(SEED + seen)
    began, saved, running, step, budget = time.monotonic(), time.monotonic(), 0.0, 0, minutes * 60
    first = done
    print(f"{store.count()} crops, {sum(p.numel() for p in network.parameters())} parameters", flush=True)
    while done < 1:
        done = first + (time.monotonic() - began) / budget
        rate = lr * min(1.0, (step + 1) / 200) * (0.5 * (1 + math.cos(math.pi * min(done, 1))) + 0.005)
        for group in optimiser.param_groups:
            group["lr"] = rate
        batch = crop_batch(store, rng, READER_BATCH)
        pictures = colour_jitter(batch[0]).contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16):
            output = network(pictures)
        value = loss(output.float(), *batch[1:])
        optimiser.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5)
        optimiser.step()
        averaged.update_parameters(network)
        step, seen = step + 1, seen + READER_BATCH
        running = 0.98 * running + 0.02 * value.item() if step > 1 else value.item()
        if step % 200 == 0:
            print(
                f"{done:6.1%} step {step} crops {seen} {seen / (time.monotonic() - began):.0f}/s loss {running:.3f}",
                flush=True,
            )
            store.refresh()
        if time.monotonic() - saved > CHECKPOINT_S or done >= 1:
            saved = time.monotonic()
            torch.save({"model": averaged.module.state_dict(), "done": done, "seen": seen}, checkpoint)


def crop_batch(store: CropStore, rng: np.random.Generator, size: int) -> tuple[torch.Tensor, ...]:
    """Jittered crops float [n, 3, 56, 40] RGB 0..1, rank, suit, offsets [n, 4], placed [n]."""
    from models.index_net import jitter, stray_cut

    pictures, ranks, suits, offsets, placed = [], [], [], [], []
    for _ in range(size):
        stored, label = store.pick(rng)
        cut, offset = jitter(np.asarray(stored), rng)
        if rng.random() < STRAY_SHARE:
            cut, label = stray_cut(np.asarray(stored), rng), np.array([13, 4, 0])
        pictures.append(cut)
        ranks.append(label[0])
        suits.append(label[1])
        offsets.append(offset.ravel())
        placed.append(label[2])
    x = torch.from_numpy(np.stack(pictures)[..., ::-1].copy()).permute(0, 3, 1, 2).float() / 255
    return (
        x,
        torch.tensor(np.array(ranks)),
        torch.tensor(np.array(suits)),
        torch.tensor(np.array(offsets)).float(),
        torch.tensor(np.array(placed)).float(),
    )


if __name__ == "__main__":
    main()
