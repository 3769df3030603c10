"""Let Ultralytics import without torchvision, which often has no build for the torch at hand.

Enough to train, validate and export a pose network: it only wants a version number and an NMS.
Nothing happens where the real torchvision is installed.
"""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import sys
import types
from typing import Any

PRETENDED_VERSION = "0.28.0"


def install() -> None:
    """Put the stand-in into sys.modules unless torchvision is there."""
    real_version = importlib.metadata.version
    try:
        real_version("torchvision")
    except importlib.metadata.PackageNotFoundError:
        importlib.metadata.version = lambda distribution_name: (
            PRETENDED_VERSION if distribution_name == "torchvision" else real_version(distribution_name)
        )
        _add_modules()


def _nms(boxes: Any, scores: Any, iou: float) -> Any:
    from ultralytics.utils.nms import TorchNMS

    return TorchNMS.nms(boxes, scores, iou)


def _add_modules() -> None:
    package: Any = types.ModuleType("torchvision")
    package.__spec__ = importlib.machinery.ModuleSpec("torchvision", None)
    package.__version__, package.__path__ = PRETENDED_VERSION, []
    ops: Any = types.ModuleType("torchvision.ops")
    ops.__spec__ = importlib.machinery.ModuleSpec("torchvision.ops", None)
    ops.nms, package.ops = _nms, ops
    sys.modules["torchvision"], sys.modules["torchvision.ops"] = package, ops
