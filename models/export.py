"""Export checkpoints to the ONNX files that run: ``python -m models.export``.

Each file's metadata entry "cardtable" (JSON) holds all that must not travel apart from the weights: class
order, input size, channels, scale, thresholds. vision/reader.py checks it when it loads.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnxruntime import quantization
from torch import nn

from models.crops import held_out_crops
from vision.reader import MODEL_FILES, RANKS, SUITS

FINDER_FILE, READER_FILE, CARD_FILE = MODEL_FILES
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
        export_reader(given.reader or given.work / "reader.pt", given.out, given.work)


def export_reader(checkpoint: Path, folder: Path, work: Path) -> None:
    """IndexNet and CardNet -> ONNX in eight bits; temperature and threshold are set by models.evaluate."""
    from models.index_net import CARD_SHOWN, CARD_SIZE, SIZE, SPAN, CardNet, IndexNet
    from models.synth.dataset import CARD_AIM

    networks = nn.ModuleDict({"index": IndexNet(), "card": CardNet()})
    networks.load_state_dict(torch.load(checkpoint, weights_only=True)["model"])
    networks.eval()
    common: dict[str, Any] = {
        "version": FORMAT_VERSION,
        "channels": "RGB",
        "range": [0, 1],
        "ranks": RANKS,
        "suits": SUITS,
    }
    files: dict[str, tuple[nn.Module, tuple[int, int], dict[str, Any]]] = {
        READER_FILE: (networks["index"], SIZE, {"role": "index-reader", "span": list(SPAN), "temperature": 1.0,
                                                "threshold": 0.9}),
        CARD_FILE: (networks["card"], CARD_SIZE, {"role": "card-reader", "span": list(CARD_SHOWN),
                                                  "aim": list(CARD_AIM)}),
    }  # fmt: skip
    floats = work / FLOAT_FOLDER
    floats.mkdir(exist_ok=True)
    indices, cards, _, _ = zip(
        *itertools.islice(held_out_crops(work, CALIBRATION_CROPS), CALIBRATION_CROPS), strict=True
    )
    for (name, (network, size, words_of_it)), cuts in zip(files.items(), (indices, cards), strict=True):
        _export(network, size, floats / name)
        describe(floats / name, common | words_of_it | {"size": list(size)})
        to_int8(floats / name, folder / name, cuts)


FLOAT_FOLDER = "floats"
"""In the work folder: the readers as they were trained, to compare with."""

CALIBRATION_CROPS = 400
"""Held-out crops that show how far the networks' inner values reach."""


def _export(network: nn.Module, size: tuple[int, int], out: Path) -> None:
    """Any number of pictures ``size`` px."""
    batch = {"images": {0: "n"}, "output": {0: "n"}}
    torch.onnx.export(network, (torch.zeros(2, 3, size[1], size[0]),), str(out), input_names=["images"],
                      output_names=["output"], dynamic_axes=batch, opset_version=17, dynamo=False)  # fmt: skip


def to_int8(source: Path, out: Path, cuts: Sequence[np.ndarray]) -> None:
    """Eight bits for weights and values: a quarter of the size, a third of the time, the same readings.

    Weights take seven bits, so that no processor's 16-bit sums overflow and all read alike.
    """
    whole = source.with_suffix(".whole.onnx")
    quantization.quant_pre_process(str(source), str(whole), skip_symbolic_shape=True)
    quantization.quantize_static(
        str(whole), str(out), _Samples(cuts), quant_format=quantization.QuantFormat.QDQ, per_channel=True,
        reduce_range=True, calibrate_method=quantization.CalibrationMethod.Percentile,
    )  # fmt: skip
    describe(out, words(source))
    whole.unlink()


class _Samples:
    """What onnxruntime's calibration asks for, over uint8 BGR cuts."""

    def __init__(self, cuts: Sequence[np.ndarray]) -> None:
        self.cuts = iter(cuts)

    def get_next(self) -> dict[str, np.ndarray] | None:
        """The next input, or None at the end."""
        cut = next(self.cuts, None)
        if cut is None:
            return None
        return {"images": np.ascontiguousarray(cut[..., ::-1].transpose(2, 0, 1)[None], np.float32) / 255}


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


def words(path: Path) -> dict[str, Any]:
    """The "cardtable" entry of a model file."""
    entries = {entry.key: entry.value for entry in onnx.load(str(path)).metadata_props}
    found: dict[str, Any] = json.loads(entries.get("cardtable", "{}"))
    return found


def describe(path: Path, values: dict[str, Any]) -> None:
    """Write or change the "cardtable" entry of a model file; values already there and not named are kept."""
    merged = {"role": ""} | words(path) | values  # the role first: tests and people find the entry by it
    model = onnx.load(str(path))
    kept = {e.key: e.value for e in model.metadata_props if e.key not in ("cardtable", "date", "description")}
    del model.metadata_props[:]
    for key, value in {**kept, "cardtable": json.dumps(merged)}.items():
        model.metadata_props.add(key=key, value=value)
    onnx.save(model, str(path))


if __name__ == "__main__":
    main()
