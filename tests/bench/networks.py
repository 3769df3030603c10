"""How much work a network is, whatever runs it: weights and multiply-adds, from the shapes that onnxruntime reports.

Graph optimisation is off, so that every machine sees the same operators.
"""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

#: Operators that multiply by weights, and in which of their inputs weights and offsets lie.
_WEIGHTED = ("Conv", "Gemm", "MatMul")


@dataclass(frozen=True, slots=True)
class Work:
    """Weights (offsets included) of a network, and multiplications of one picture."""

    weights: int
    multiply_adds: int


def work(path: Path, size: tuple[int, int]) -> Work:
    """What a network does for one picture ``size`` (width, height) px."""
    layers = [event["args"] for event in _profile(path, size) if event.get("args", {}).get("op_name") in _WEIGHTED]
    return Work(sum(map(_weights, layers)), sum(map(_multiply_adds, layers)))


def _profile(path: Path, size: tuple[int, int]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.enable_profiling, options.profile_file_prefix = True, str(Path(folder) / "network")
        options.intra_op_num_threads, options.log_severity_level = 1, 3
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        picture = np.zeros((1, 3, size[1], size[0]), np.float32)
        session.run(None, {session.get_inputs()[0].name: picture})
        return list(json.loads(Path(session.end_profiling()).read_text(encoding="utf-8")))


def _shapes(layer: dict[str, Any], side: str) -> list[list[int]]:
    """The shapes of a layer's inputs or outputs, in order."""
    return [next(iter(one.values())) for one in layer[f"{side}_type_shape"]]


def _weights(layer: dict[str, Any]) -> int:
    return sum(math.prod(shape) for shape in _shapes(layer, "input")[1:])


def _multiply_adds(layer: dict[str, Any]) -> int:
    """Each value of the output is a sum over one filter's weights, or over a row of the input."""
    taken, kernel = _shapes(layer, "input")[:2]
    each = math.prod(kernel[1:]) if layer["op_name"] == "Conv" else taken[-1]
    return math.prod(_shapes(layer, "output")[0]) * each
