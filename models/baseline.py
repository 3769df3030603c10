"""The detector that people would train instead: Ultralytics' YOLO-nano at 640 px, on the same data as ours.

    python -m models.baseline data --work build/train      our finder's scenes, photos/train, and scenes of 640 px
    python -m models.baseline train --minutes 60           one cosine of processor time; goes on where it was killed
    python -m models.baseline export                       threshold from held-out tables, then ONNX for the benches

It is compared with (tests/bench) and never runs at a table. Its 52 classes are the cards, its boxes the corner indices:
whole cards overlap, so a box of a card would hold the indices of others. A detection says rank, suit and place at once.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
import os
import random
import shutil
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from models.synth.art import RANKS, SUITS
from models.synth.dataset import SCENE_PX, SHOWN, SMUDGED, smudge
from models.synth.packs import Library
from models.synth.photos import held_out, labels
from models.synth.scenes import Scene, scene
from vision.stills import load_picture

SIZE_PX = 640
"""Side of its pictures: what Ultralytics' detectors are meant for."""

CARD_PX = (42.0, 260.0)
"""Widths of a card in its pictures, spread evenly in the logarithm: from a whole table to a hand of cards."""

SCENES = 1000
"""Pictures drawn for it at its own size, beside the 6,000 that our finder was trained on."""

INDEX_SPANS = (0.5, 1.0)
"""Half the width and height of an index in rank-suit distances, where only rank's and suit's places are kept."""

CLASSES = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The cards in the order of the classes."""

FILE = Path(__file__).parents[1] / "tests" / "bench" / "data" / "yolo-cards.onnx"
"""The exported detector, where the benches look for it."""

MOST_WRONG = 0.01
"""The threshold is the least at which so few of its readings of held-out tables are wrong."""

USUAL = 0.25
"""Ultralytics' own threshold: what it reads of held-out tables at this says whether it has learnt to read at all."""

FAINT, LEAST_READ = 0.01, 0.05
"""At so little confidence it says where an index lies and what it would call it; from the second on it is a reading."""

SEED = 20261130
CHECKPOINT_S = 240.0
WARM_UP_BATCHES, LR = 60, 0.001

SETTINGS: dict[str, Any] = {
    "imgsz": SIZE_PX, "batch": 8, "nbs": 8, "epochs": 1000, "device": "cpu", "workers": 0, "cache": False, "val": False,
    "plots": False, "amp": False, "optimizer": "AdamW", "lr0": LR, "lrf": 0.01, "cos_lr": True, "warmup_epochs": 0,
    "warmup_bias_lr": 0.0, "mosaic": 0.0, "close_mosaic": 0, "fliplr": 0.0, "flipud": 0.0, "hsv_h": 0.0, "erasing": 0.0,
    "exist_ok": True, "verbose": False, "save": False, "seed": SEED, "pretrained": False,
    "scale": 0.1, "translate": 0.05, "hsv_s": 0.3, "hsv_v": 0.3,
}  # fmt: skip
"""Ultralytics' own settings but for these: no mirror images and no other hue (there are no such cards), no mosaic,
which costs four pictures a picture, and less of other scales and colours, which the pictures themselves have: at half
their size no index can be read."""


def main() -> None:
    """Command line of the baseline."""
    options = argparse.ArgumentParser(prog="python -m models.baseline", description=__doc__)
    options.add_argument("step", choices=("data", "train", "export"))
    options.add_argument("--work", type=Path, default=Path("build/train"))
    options.add_argument("--photos", type=Path, default=Path("../shared/photos"))
    options.add_argument("--minutes", type=float, default=60, help="processor minutes of the whole cosine")
    options.add_argument(
        "--hours", type=float, default=24, help="stop after so long by the clock, to go on another time"
    )
    options.add_argument("--scenes", type=int, default=SCENES)
    given = options.parse_args()
    match given.step:
        case "data":
            add_scenes(given.work)
            add_photographs(given.work, given.photos)
            draw(given.work, given.scenes)
        case "train":
            train(given.work, given.minutes, given.hours)
        case _:
            export(given.work, FILE)


# --- data ------------------------------------------------------------------------------------------


def draw(work: Path, count: int) -> None:
    """``count`` scenes of the training packs with their label files; those that are there are kept."""
    library = Library.load(work, False)
    for number in range(count):
        name = f"y{number:05d}"
        if not (_folder(work, "labels") / f"{name}.txt").exists():
            rng, nrng = random.Random(f"yolo {number}"), np.random.default_rng([SEED, number])
            card_px = math.exp(rng.uniform(*map(math.log, CARD_PX)))
            _write(work, name, *example(scene(library, rng, nrng, SIZE_PX, card_px)))


def example(drawn: Scene) -> tuple[np.ndarray, list[str]]:
    """The picture with half-hidden indices smudged, and its label lines: as the finder's examples are made."""
    shown = [m for m in drawn.marks if m.seen >= SHOWN and m.inside]
    half_hidden = [m for m in drawn.marks if m.seen >= SMUDGED and not (m.seen >= SHOWN and m.inside)]
    high, wide = drawn.image.shape[:2]
    lines = [label(m.card, [*m.box.min(0), *m.box.max(0)], wide, high) for m in shown]
    return smudge(drawn.image, [m.box for m in half_hidden], [m.box for m in shown]), lines


def label(card: str, box: Iterable[float], wide: int, high: int) -> str:
    """A line of Ultralytics' format: class, middle and size of the box [x0, y0, x1, y1] px over the picture's size."""
    x0, y0, x1, y1 = box
    values = (x0 + x1) / 2 / wide, (y0 + y1) / 2 / high, (x1 - x0) / wide, (y1 - y0) / high
    return f"{CLASSES.index(card)} " + " ".join(f"{v:.5f}" for v in values)


def add_photographs(work: Path, photos: Path) -> None:
    """The pictures of ``photos/train`` whose indices are all boxed and named; bursts held out for ours are held out."""
    if not (photos / "train" / "labels.jsonl").exists():
        print(f"no photographs at {photos}: drawn scenes alone")
        return
    added = 0
    for entry in labels(photos):
        name = Path(entry["image"]).name
        if entry.get("incomplete") or held_out(name) or not all(_is_boxed(card) for card in entry["cards"]):
            continue
        image = load_picture(photos / "train" / name)
        high, wide = image.shape[:2]
        _write(work, f"p_{Path(name).stem}", image, [label(c["card"], c["box"], wide, high) for c in entry["cards"]])
        added += 1
    print(f"{added} photographs")


def add_scenes(work: Path) -> None:
    """Our finder's own training scenes, which Ultralytics enlarges to its 640 px."""
    pictures, added = work / "finder" / "images" / "train", 0
    for path in sorted((work / "crops" / "train").glob("scenes_*.jsonl")):
        for line in map(json.loads, path.read_text().splitlines()):
            source = pictures / f"{line['name']}.jpg"
            if source.exists():
                _link(work, source, [label(m["card"], _box(m), SCENE_PX, SCENE_PX) for m in line["marks"] if _shown(m)])
                added += 1
    print(f"{added} scenes of our finder")


def _shown(mark: dict[str, Any]) -> bool:
    return bool(mark["seen"] >= SHOWN and mark["inside"])


def _box(mark: dict[str, Any]) -> list[float]:
    """The upright box round an index of whose rank and suit the middles are known, px."""
    rank, suit = np.array(mark["rank"]), np.array(mark["suit"])
    down = suit - rank
    across = np.array([down[1], -down[0]]) * INDEX_SPANS[0]
    corners = [(rank + suit) / 2 + a * across + b * down * INDEX_SPANS[1] for a in (-1, 1) for b in (-1, 1)]
    low, high = np.clip(np.min(corners, 0), 0, SCENE_PX), np.clip(np.max(corners, 0), 0, SCENE_PX)
    return [*low, *high]


def _is_boxed(card: dict[str, Any]) -> bool:
    return bool(card["card"] in CLASSES and card["box"] is not None and card["what"] == "corner-index")


def _folder(work: Path, kind: str) -> Path:
    return work / "yolo" / kind / "train"


def _link(work: Path, source: Path, lines: list[str]) -> None:
    """A picture that is there already, with its label file."""
    _make_folders(work)
    target = _folder(work, "images") / source.name
    if not target.exists():
        os.link(source, target)
    (_folder(work, "labels") / f"{source.stem}.txt").write_text("\n".join(lines))


def _make_folders(work: Path) -> None:
    for kind in ("images", "labels"):
        _folder(work, kind).mkdir(parents=True, exist_ok=True)


def _write(work: Path, name: str, image: np.ndarray, lines: list[str]) -> None:
    _make_folders(work)
    cv2.imwrite(str(_folder(work, "images") / f"{name}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, 95])
    (_folder(work, "labels") / f"{name}.txt").write_text("\n".join(lines))


# --- training --------------------------------------------------------------------------------------


def train(work: Path, minutes: float, hours: float) -> None:
    """One cosine over the processor minutes given, on one thread; says how many it got."""
    model = _network(work)
    import torch

    from models.pose_trainer import Progress

    data, checkpoint = work / "yolo" / "cards.yaml", work / "yolo.pt"
    names = "\n".join(f"  {number}: {card}" for number, card in enumerate(CLASSES))
    data.write_text(f"path: {data.parent.resolve()}\ntrain: images/train\nval: images/train\nnames:\n{names}\n")
    done, pictures, keep = 0.0, 0, {}
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        model.model.load_state_dict(state["model"])
        model.ckpt = {"epoch": -1}  # else Ultralytics builds the network anew
        done, pictures, keep = state["minutes"] / minutes, state["pictures"], {"pretrained": True}
    clock = time.process_time
    progress = Progress(checkpoint, minutes * 60, done, LR, WARM_UP_BATCHES, CHECKPOINT_S, 1, clock, pictures)
    for event, function in progress.callbacks().items():
        model.add_callback(event, function)
    model.add_callback("on_train_start", _without_validation)
    model.add_callback("on_train_batch_end", lambda trainer: _stop_when(progress.done >= 1, trainer))
    with contextlib.suppress(FileNotFoundError):  # Ultralytics misses the checkpoints that it was told not to write
        model.train(
            data=str(data), time=hours, project=str((work / "runs").resolve()), name="yolo", **(SETTINGS | keep)
        )
    progress.save(progress.done)
    print(f"{progress.pictures} pictures, {progress.done * minutes:.0f} processor minutes with the runs before")


def _without_validation(trainer: Any) -> None:
    """Ultralytics would look through all training pictures at the end, whatever its settings say."""
    trainer.validate = lambda: ({}, 0.0)


def _stop_when(over: bool, trainer: Any) -> None:
    """Ultralytics looks for this after every batch."""
    trainer.stop = trainer.stop or over


def _network(work: Path) -> Any:
    """YOLO11-nano with our classes and no weights."""
    os.environ.setdefault("YOLO_CONFIG_DIR", str(work / "ultralytics"))
    from models import torchvision_stand_in

    torchvision_stand_in.install()
    from ultralytics import YOLO
    from ultralytics.nn.tasks import DetectionModel

    model = YOLO("yolo11n.yaml", task="detect")
    network = DetectionModel("yolo11n.yaml", nc=len(CLASSES), verbose=False)
    network.args, network.task = model.model.args, model.task
    model.model = network
    return model


# --- export ----------------------------------------------------------------------------------------


def export(work: Path, out: Path) -> None:
    """The checkpoint as ONNX for pictures of any size, weights in 16 bits; classes, effort and threshold inside."""
    import torch

    from tests.bench.yolo import Yolo

    model = _network(work)
    state = torch.load(work / "yolo.pt", weights_only=True)
    model.model.load_state_dict(state["model"])
    model.model.names = dict(enumerate(CLASSES))
    made = model.export(format="onnx", dynamic=True, imgsz=SIZE_PX, simplify=True, device="cpu")
    out.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(made, out)
    halve(out)
    told = {"cpu_minutes": round(state["minutes"]), "pictures": state["pictures"]}
    about = {"role": "yolo-nano", "classes": CLASSES, **told}
    describe(out, about | {"threshold": USUAL, "held_out_right": 0.0, "held_out_found": 0.0, "held_out_named": 0.0})
    tables = _held_out_tables(Yolo.load(out, threads=1, threshold=FAINT), work)
    said, cards = judged(tables)
    right = sum(good for sure, good in said if sure > USUAL) / max(cards, 1)
    found, named = placed(tables)
    shares = {"held_out_right": right, "held_out_found": found, "held_out_named": named}
    describe(out, about | {"threshold": choose_threshold(said)} | {key: round(v, 4) for key, v in shares.items()})
    size = f"{out.stat().st_size / 1e6:.1f} MB"
    print(f"{out}: {size}, {right:.1%} of {cards} held-out cards read at {USUAL}, {told}")
    print(f"at {FAINT}: {found:.1%} of their indices boxed, {named:.1%} of these named rightly")


def describe(path: Path, values: dict[str, Any]) -> None:
    """Write the "cardtable" entry of a model file."""
    import onnx

    model = onnx.load(str(path))
    kept = {e.key: e.value for e in model.metadata_props if e.key in ("author", "license", "stride", "task", "version")}
    del model.metadata_props[:]
    for key, value in {**kept, "cardtable": json.dumps(values)}.items():
        model.metadata_props.add(key=key, value=value)
    onnx.save(model, str(path))


def halve(path: Path) -> None:
    """Keep large weights in 16 bits, cast back when the file is loaded: half the size, the same time and readings."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(str(path))
    graph = model.graph
    kept, casts = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < 256:
            kept.append(tensor)
            continue
        kept.append(numpy_helper.from_array(values.astype(np.float16), f"{tensor.name}.half"))
        casts.append(helper.make_node("Cast", [f"{tensor.name}.half"], [tensor.name], to=TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.initializer[:], graph.node[:], graph.value_info[:]
    graph.initializer.extend(kept)
    graph.node.extend(nodes)
    onnx.save(model, str(path))


def choose_threshold(said: list[tuple[float, bool]]) -> float:
    """The least confidence at which `MOST_WRONG` of what it reads of drawn held-out tables is wrong, 0.95 at most."""
    surest = sorted(said, reverse=True)
    wrong = itertools.accumulate(not right for _, right in surest)
    counted = enumerate(zip(surest, wrong, strict=True), 1)
    good = [sure for count, ((sure, _), bad) in counted if bad <= MOST_WRONG * count]
    return round(min([0.95, *good[-1:]]), 3)


Table = tuple[list[Any], list[dict[str, Any]]]
"""What the detector sees of a drawn table, and the indices that are visible on it."""


def judged(tables: Iterable[Table]) -> tuple[list[tuple[float, bool]], int]:
    """Confidence of each card read of the held-out tables and whether it lies there; how many cards lie there."""
    said: list[tuple[float, bool]] = []
    cards = 0
    for seen, marks in tables:
        truth = {mark["card"] for mark in marks}
        best: dict[str, float] = {}
        for one in seen:
            if one.confidence > LEAST_READ:
                best[one.card] = max(best.get(one.card, 0.0), one.confidence)
        said += [(sure, card in truth) for card, sure in best.items()]
        cards += len(truth)
    return said, cards


def placed(tables: Iterable[Table]) -> tuple[float, float]:
    """Share of the held-out tables' indices that it boxes, and of these those that the surest box names rightly."""
    indices, found, named = 0, 0, 0
    for seen, marks in tables:
        for mark in marks:
            x, y = (np.array(mark["rank"]) + np.array(mark["suit"])) / 2
            there = [one for one in seen if one.box[0] < x < one.box[2] and one.box[1] < y < one.box[3]]
            indices += 1
            found += bool(there)
            named += bool(there) and max(there, key=lambda one: one.confidence).card == mark["card"]
    return found / max(indices, 1), named / max(found, 1)


def _held_out_tables(detector: Any, work: Path) -> list[Table]:
    """The drawn tables of packs that were kept from training, each looked at once."""
    return [
        (detector.detect(load_picture(path.with_name(f"{line['name']}.jpg"))), [m for m in line["marks"] if _shown(m)])
        for path in sorted((work / "tables").glob("*.jsonl"))
        for line in map(json.loads, path.read_text().splitlines())
    ]


if __name__ == "__main__":
    main()
