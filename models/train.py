"""Train the finder (with Ultralytics) and the index reader; both go on where they were stopped.

    python -m models.train finder --minutes 75
    python -m models.train reader --minutes 75
    python -m models.train photos       with the networks of the day, places the labelled indices of photos/train
    python -m models.train average --start OLDER.pt --name NEWER    the weights of two runs, averaged

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
from torch import nn

from models.crops import CropStore

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
    options.add_argument("network", choices=("finder", "reader", "photos", "average", "settings"))
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
        case "average":
            average(given.work / f"{given.name or 'reader'}.pt", given.start)
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


STRAY_SHARE = 0.12
"""Share of cuts at a size where no index lies: without them halves of figures, clubs and court art were queens."""


def train_reader(work: Path, minutes: float, name: str, start: Path | None, lr: float) -> None:
    """One cosine of IndexNet and CardNet together, on jittered crops."""
    from models.index_net import CardNet, IndexNet, colour_jitter, fainter, loss

    checkpoint, store = work / f"{name}.pt", CropStore(work / "crops" / "train")
    networks = nn.ModuleDict({"index": IndexNet(), "card": CardNet()}).to(memory_format=torch.channels_last)
    done, seen = 0.0, 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        networks.load_state_dict(state["model"])
        done, seen = state["done"], state["seen"]
    elif start:
        networks.load_state_dict(torch.load(start, weights_only=True)["model"])
    optimiser = torch.optim.AdamW(networks.parameters(), lr=lr, weight_decay=1e-2)
    averaged = torch.optim.swa_utils.AveragedModel(
        networks, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    rng = np.random.default_rng(SEED + seen)
    began, saved, running, step, budget = time.monotonic(), time.monotonic(), 0.0, 0, minutes * 60
    first = done
    print(f"{store.count()} crops, {sum(p.numel() for p in networks.parameters())} parameters", flush=True)
    while done < 1:
        done = first + (time.monotonic() - began) / budget
        rate = lr * min(1.0, (step + 1) / 200) * (0.5 * (1 + math.cos(math.pi * min(done, 1))) + 0.005)
        for group in optimiser.param_groups:
            group["lr"] = rate
        batch = crop_batch(store, rng, READER_BATCH)
        indices, cards = (colour_jitter(x).contiguous(memory_format=torch.channels_last) for x in batch[:2])
        with torch.autocast("cpu", torch.bfloat16):
            output, card = networks["index"](fainter(indices)), networks["card"](cards)
        value = loss(output.float(), card.float(), *batch[2:])
        optimiser.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(networks.parameters(), 5)
        optimiser.step()
        averaged.update_parameters(networks)
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


NEWER_SHARE = 0.65
"""Weight of the newer run in an average: of held-out readings it keeps two points more at as few wrong ones."""


def average(newer: Path, older: Path | None) -> None:
    """Average the readers of two runs, the second of which began from the first; written over the newer one."""
    if older is None:
        raise SystemExit("models.train average: it needs --start, the checkpoint that the newer run began from")
    state, before = (torch.load(path, weights_only=True) for path in (newer, older))
    for name, value in state["model"].items():
        if value.is_floating_point():
            value.lerp_(before["model"][name], 1 - NEWER_SHARE)
    torch.save(state, newer)


def crop_batch(store: CropStore, rng: np.random.Generator, size: int) -> tuple[torch.Tensor, ...]:
    """Jittered indices [n, 3, 56, 40] and cards [m, 3, 72, 72] RGB 0..1, which have a card, labels, offsets [n, 4]."""
    from models.index_net import jitter, jitter_card, stray_cuts

    indices, cards, has_card, labels, offsets = [], [], [], [], []
    for _ in range(size):
        stored, card, label = store.pick(rng)
        cut, offset = jitter(np.asarray(stored), rng)
        round_it = None if card is None else jitter_card(np.asarray(card), rng)
        if rng.random() < STRAY_SHARE:
            cut, round_it = stray_cuts(np.asarray(stored), card, rng)
            label = np.array([13, 4, 0])
        indices.append(cut)
        cards += [] if round_it is None else [round_it]
        has_card.append(card is not None)
        labels.append(label)
        offsets.append(offset.ravel())
    return (
        _pictures(indices),
        _pictures(cards),
        torch.tensor(has_card),
        torch.tensor(np.array(labels)),
        torch.tensor(np.array(offsets)).float(),
    )


def _pictures(cuts: list[np.ndarray]) -> torch.Tensor:
    """BGR uint8 cuts -> float [n, 3, h, w] RGB 0..1."""
    return torch.from_numpy(np.stack(cuts)[..., ::-1].copy()).permute(0, 3, 1, 2).float() / 255


if __name__ == "__main__":
    main()
