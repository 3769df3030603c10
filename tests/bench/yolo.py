"""Cards in a picture by an exported Ultralytics detector, as `models.baseline` makes it: a baseline for the benches.

It does what Ultralytics' ``predict`` does (scale the longer side to 640, pad to the network's stride, one look, drop
overlapping boxes of a class), over onnxruntime as ours runs, so that what is compared is the method.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import onnxruntime

from vision.reader import fit

Image = npt.NDArray[Any]

FILE = Path(__file__).parent / "data" / "yolo-cards.onnx"
SIZE_PX, STRIDE = 640, 32
OVERLAP = 0.7
"""Boxes of one class that overlap more are one (Ultralytics' default)."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A detection: its card, its confidence, the box of its index [x0, y0, x1, y1] px."""

    card: str
    confidence: float
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Yolo:
    """A loaded detector; make one with `Yolo.load`."""

    session: Any
    classes: tuple[str, ...]
    threshold: float
    effort: str
    """What its training cost, in words."""
    held_out_right: float
    """Share of the cards of drawn held-out tables that it reads at Ultralytics' own threshold."""
    held_out_found: float
    """Share of those tables' indices that it boxes, however faintly."""
    held_out_named: float
    """Share of the indices that it boxes whose card it would name rightly."""

    @classmethod
    def load(cls, path: Path = FILE, threads: int = 1, threshold: float | None = None) -> Yolo:
        """The detector of a file; ``threshold`` in place of the file's own."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        said = json.loads(session.get_modelmeta().custom_metadata_map["cardtable"])
        effort = f"{said['pictures']:,} pictures in {said['cpu_minutes']} minutes of one core"
        shares = (said[f"held_out_{what}"] for what in ("right", "found", "named"))
        least = said["threshold"] if threshold is None else threshold
        return cls(session, tuple(said["classes"]), least, effort, *shares)

    @property
    def reads(self) -> bool:
        """Has it learnt to read? If not, what it costs can be compared, for that does not depend on its weights."""
        return self.held_out_right > 0

    def detect(self, image: Image) -> list[Seen]:
        """All that it sees in a BGR picture, the surest first."""
        fitted = fit(image, SIZE_PX / max(image.shape[:2]), STRIDE)
        (output,) = self.session.run(None, {self.session.get_inputs()[0].name: fitted.tensor})
        rows = output[0].T
        best = rows[:, 4:].argmax(1)
        sure = rows[np.arange(len(rows)), 4 + best]
        rows, best, sure = rows[sure > self.threshold], best[sure > self.threshold], sure[sure > self.threshold]
        corners = np.concatenate([rows[:, :2] - rows[:, 2:4] / 2, rows[:, :2] + rows[:, 2:4] / 2], 1)
        boxes = fitted.inverse(corners.reshape(-1, 2, 2)).reshape(-1, 4)
        return [Seen(self.classes[best[i]], float(sure[i]), tuple(boxes[i])) for i in _apart(boxes, sure, best)]

    def read(self, image: Image) -> list[str]:
        """The cards that it is sure of."""
        return sorted({seen.card for seen in self.detect(image)})


def _apart(boxes: Image, sure: Image, classes: Image) -> list[int]:
    """The surest of boxes [n, 4] of a class that overlap."""
    if not len(boxes):
        return []
    sized = np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], 1)
    kept = cv2.dnn.NMSBoxesBatched(sized.tolist(), sure.tolist(), classes.tolist(), 0.0, OVERLAP)
    return [int(i) for i in np.asarray(kept).ravel()]
