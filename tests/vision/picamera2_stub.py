"""Stand-ins for libcamera and pykms, so that the real picamera2 can be imported without a camera or a Pi.

Only for asking its functions what arguments they take.  Run as a program it prints them as JSON.
"""

from __future__ import annotations

import inspect
import json
import sys
import types
from unittest.mock import MagicMock

ASKED = [
    "__init__",
    "create_video_configuration",
    "configure",
    "start",
    "stop",
    "close",
    "captured_request",
    "capture_metadata",
    "set_controls",
    "autofocus_cycle",
    "cancel_all_and_flush",
    "global_camera_info",
]


class Anything(types.ModuleType):
    """A module that has every name."""

    def __getattr__(self, name: str) -> MagicMock:
        """Any public name is a mock."""
        if name.startswith("__"):
            raise AttributeError(name)
        value = MagicMock(name=f"libcamera.{name}")
        setattr(self, name, value)
        return value


def install() -> None:
    """Put the stand-ins where picamera2 looks for the real ones."""
    library = Anything("libcamera")
    turns = {turn + m: turn + m for turn in ("Rotate0", "Rotate90", "Rotate180", "Rotate270") for m in ("", "Mirror")}
    spaces = {s: classmethod(lambda cls, *_: cls()) for s in ("Sycc", "Smpte170m", "Rec709", "Raw")}
    common = {"__init__": lambda self, *a, **k: None, "__hash__": object.__hash__, **turns, **spaces}
    for name in [
        "ColorSpace",
        "Transform",
        "Rectangle",
        "Size",
        "Orientation",
        "ControlType",
        "Request",
        "CameraManager",
        "Camera",
    ]:
        setattr(library, name, type(name, (object,), dict(common)))
    sys.modules.update({"libcamera": library, "libcamera.controls": library.controls, "pykms": MagicMock()})


def main() -> None:
    """Print the names of the arguments of every function that we call, and which properties there are."""
    install()
    import picamera2

    camera = picamera2.Picamera2
    told: dict[str, object] = {name: list(inspect.signature(getattr(camera, name)).parameters) for name in ASKED}
    told["make_array"] = list(inspect.signature(picamera2.CompletedRequest.make_array).parameters)
    told["get_metadata"] = list(inspect.signature(picamera2.CompletedRequest.get_metadata).parameters)
    told["properties"] = [
        n for n in ("camera_controls", "camera_properties") if isinstance(camera.__dict__.get(n), property)
    ]
    print(json.dumps(told))


if __name__ == "__main__":
    main()
