"""Export checkpoints to the ONNX files that run: ``python -m models.export``.

Each file's metadata entry "cardtable" (JSON) holds all that must not travel apart from the weights: class
order, input size, channels, scale, thresholds. vision/reader.py checks it when it loads.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from pathlib import Path
from typing import Any

import onnx
import torch

from vision.reader import RANKS, SUITS

FINDER_FILE, READER_FILE = "index-finder.onnx", "index-reader.onnx"
FORMAT_VERSION = 1


def main() -> None:
    """Command line of the export."""
    options = argparse.ArgumentParser(prog="python -m models.export", description=__doc__)
    options.add_argument("--work", type=Path, default=Path("build/train"))
    options.add_argument("--finder", type=Path, help="checkpoint (default: finder.pt in the work folder)")
    options.add_argument("--reader", type=Path, help="checkpoint (default: reader.pt in the work folder)")
    options.add_argument("--out", type=Path, default=Path(__file__).parent)
    options.add_argument("--only", choices=("finder", "reader"))
    given = options.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.only != "reader":
        export_finder(given.finder or given.work / "finder.pt", given.out / FINDER_FILE, given.work)
    if given.only != "finder":
        export_reader(given.reader or given.work / "reader.pt", given.out / READER_FILE)


def export_reader(checkpoint: Path, out: Path) -> None:
    """IndexNet -> ONNX with any batch size; temperature and threshold are set by models.evaluate."""
    from models.index_net import SIZE, SPAN, IndexNet

    network = IndexNet()
    network.load_state_dict(torch.load(checkpoint, weights_only=True)["model"])
    network.eval()
    example = torch.zeros(2, 3, SIZE[1], SIZE[0])
    batch = {"images": {0: "n"}, "output": {0: "n"}}
    torch.onnx.export(network, (example,), str(out), input_names=["images"], output_names=["output"],
                      dynamic_axes=batch, opset_version=17, dynamo=False)  # fmt: skip
    describe(out, {
        "role": "index-reader", "version": FORMAT_VERSION, "channels": "RGB", "range": [0, 1], "ranks": RANKS,
        "suits": SUITS, "size": list(SIZE), "span": list(SPAN), "temperature": 1.0, "threshold": 0.9,
    })  # fmt: skip


def export_finder(checkpoint: Path, out: Path, work: Path) -> None:
    """The pose network -> ONNX with any picture size, by Ultralytics."""
    os.environ.setdefault("YOLO_CONFIG_DIR", str(work / "ultralytics"))
    from models import torchvision_stand_in

    torchvision_stand_in.install()
    from ultralytics import YOLO

    from models.synth.dataset import FINDER_CARD_PX

    model = YOLO(str(Path(__file__).with_name("index-finder.yaml")), task="pose")
    model.model.load_state_dict(torch.load(checkpoint, weights_only=True)["model"])
    made = model.export(format="onnx", dynamic=True, imgsz=416, simplify=True, device="cpu")
    shutil.move(made, out)
    describe(out, {
        "role": "finder", "version": FORMAT_VERSION, "channels": "RGB", "range": [0, 1], "points": ["rank", "suit"],
        "card_px": FINDER_CARD_PX, "stride": 16, "threshold": 0.2,
    })  # fmt: skip


def describe(path: Path, values: dict[str, Any]) -> None:
    """Write or change the "cardtable" entry of a model file; values already there and not named are kept."""
    model = onnx.load(str(path))
    entries = {entry.key: entry.value for entry in model.metadata_props}
    merged = json.loads(entries.get("cardtable", "{}")) | values
    del model.metadata_props[:]
    for key, value in {**entries, "cardtable": json.dumps(merged)}.items():
        if key not in ("date", "description"):
            model.metadata_props.add(key=key, value=value)
    onnx.save(model, str(path))


if __name__ == "__main__":
    main()
