"""The Raspberry Pi's camera: the one file that imports picamera2, and only when it is used.

Configured once (re-configuring fragments the camera's memory), focus and exposure locked before play, every wait with
a time-out, every request given back. A camera that is busy may be tried again in the same process
(tests/virtual_camera.sh does it with the real libraries), but never while another of ours is open: that poisons the one
that is. Whatever else went wrong, the process is restarted (see the errors' remedies); the service does that.
"""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from .frames import CameraAbsent, CameraBusy, CameraMemory, CameraStopped, Frame, FrameError, as_bgr

WAIT_S: Final = 2.0
"""Longest wait for one frame: at 15 frames a second thirty are missing by then, and the cable is out."""

FOCUS_S: Final = 10.0
"""Longest wait for the autofocus: a slow sweep takes three seconds."""

CLOSE_S: Final = 3.0
"""Longest wait for the camera to stop: with the cable out it never does."""

_BUFFERS: Final = 3
"""Frames in the camera's memory: one shown, one filled, one waiting. 27 MB at 2304x1296."""

SETTLE_FRAMES: Final = 60
"""Longest wait for exposure and colours to come to rest, in frames: four seconds; they usually need one."""

_STEADY_FRAMES: Final = 6
"""So many frames in a row must agree ..."""

_STEADY_SHARE: Final = 0.03
"""... within this share: the exposure's own steps are 1 to 2 %."""

_KEPT_SHARE: Final = 0.1
"""A locked control that is off by more than this has not been kept (field report B09)."""

_WHOLE_FIELD: Final[Mapping[str, tuple[tuple[tuple[int, int], int], ...]]] = {
    "imx708": (((2304, 1296), 10), ((4608, 2592), 10)),
    "imx219": (((1640, 1232), 10), ((3280, 2464), 10)),
    "imx477": (((2028, 1520), 12), ((4056, 3040), 12)),
    "imx500": (((2028, 1520), 10), ((4056, 3040), 10)),
    "ov5647": (((1296, 972), 10), ((2592, 1944), 10)),
}
"""Sensors of the Pi's cameras, with output sizes and bits of the modes that see all they can, the smallest first.

Written down here because picamera2's ``sensor_modes`` configures the camera once for each mode to learn them, and every
configuration takes the camera's memory anew (field report B07).
"""

_FLICKER_US: Final = {50: 10000, 60: 8333}
"""Lamps flicker at twice the mains' frequency: the period in microseconds."""


@dataclass(slots=True)
class PiCamera:
    """An open, locked camera. `read` gives the next frame, or the first exposed after a moment.

    ``complaint`` is a line for people where the camera works but not as asked; "" where all is well.
    """

    camera: Any
    size_px: tuple[int, int]
    locked: Mapping[str, Any]
    first_ns: int | None = None
    index: int = 0
    broken: bool = False
    complaint: str = ""

    @classmethod
    def open(
        cls, number: int = 0, size_px: tuple[int, int] = (2304, 1296), fps: float = 15.0, mains_hz: int = 50
    ) -> PiCamera:
        """Open camera ``number``, configure once, focus, and lock exposure, colour and focus.

        :raises CameraAbsent: if picamera2 is not installed or sees no camera.
        :raises CameraBusy: if another process holds it.
        :raises CameraMemory: if there is no memory for its buffers.
        """
        camera, controls = _acquire(number)
        try:
            camera.configure(_configuration(camera, size_px, fps))
            camera.set_controls(_available(camera, _against_flicker(controls, mains_hz)))
            camera.start(show_preview=False)
            focused = _focus(camera)
            locked = _lock(camera, controls)
        except Exception as error:
            _shut(camera, broken=True)
            raise _explained(error) from error
        complaint = "" if focused else "camera: found no focus; run `cardtable calibrate` and see its line on focus"
        return cls(camera, size_px, locked, complaint=complaint)

    def read(self, fresh: bool = False) -> Frame:
        """The next frame; with ``fresh`` one whose exposure begins after now (evidence for a press).

        :raises CameraStopped: if none comes within `WAIT_S`.
        """
        if self.broken:
            raise _stopped()
        try:
            with self.camera.captured_request(wait=WAIT_S, flush=True if fresh else None) as request:
                meta = request.get_metadata()
                image = as_bgr(np.asarray(request.make_array("main")), "the camera's frame")
        except FrameError:
            raise
        except Exception as error:
            self.broken = True
            raise _explained(error) from error
        taken_ns = int(meta.get("SensorTimestamp") or time.clock_gettime_ns(time.CLOCK_BOOTTIME))
        self.complaint = self.complaint or _not_kept(self.locked, meta)
        if self.first_ns is None:
            self.first_ns = taken_ns
        frame = Frame(image, (taken_ns - self.first_ns) / 1e9, self.index, taken_ns)
        self.index += 1
        return frame

    def close(self) -> None:
        """Stop the camera; gives up after `CLOSE_S` where it hangs (a cable that is out), and never raises."""
        _shut(self.camera, self.broken)


def _shut(camera: Any, broken: bool) -> None:
    worker = threading.Thread(target=_stop, args=(camera, broken), daemon=True)
    worker.start()
    worker.join(CLOSE_S)


def _stopped() -> CameraStopped:
    return CameraStopped(
        f"camera: no picture for {WAIT_S:g} s; check both ends of its ribbon cable, then restart the service"
    )


def _acquire(number: int) -> tuple[Any, Any]:
    try:
        from libcamera import controls  # type: ignore[import-not-found,unused-ignore]
        from picamera2 import Picamera2
    except ImportError as error:
        raise CameraAbsent(
            f"camera: {error}; install it with `sudo apt install python3-picamera2` and make the environment "
            "with --system-site-packages"
        ) from None
    except ValueError as error:
        raise CameraAbsent(
            f"camera: NumPy in our environment does not fit the system's picamera2 ({error}); "
            "run systemd/install.sh again, it takes the right one"
        ) from None
    found = Picamera2.global_camera_info()
    if not found:
        raise CameraAbsent("camera: none found; reseat its ribbon cable (contacts to the board), then restart the Pi")
    if number >= len(found):
        raise CameraAbsent(f"camera {number}: is not there, {len(found)} found; set [source] device in table.toml")
    try:
        return Picamera2(number), controls
    except Exception as error:
        raise _explained(error) from error


def _explained(error: Exception) -> FrameError:
    """Whatever picamera2 raised, as one of our kinds with its remedy."""
    if isinstance(error, FrameError):
        return error
    if isinstance(error, TimeoutError):
        return _stopped()
    words = f"{error} {error.__cause__ or error.__context__ or ''}"
    if isinstance(error, IndexError):
        return CameraAbsent("camera: none found; reseat its ribbon cable, then restart the Pi")
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM or "allocate" in words:
        return CameraMemory("camera: no memory for its pictures; restart the Pi")
    if "busy" in words.lower():
        return CameraBusy("camera: another program holds it; stop that (e.g. rpicam-hello) and try again")
    why = error.__cause__ or error.__context__ or error  # picamera2 wraps the cause in a line that says nothing
    return CameraStopped(f"camera: does not start ({why}); restart the service, then the Pi")


def _configuration(camera: Any, size_px: tuple[int, int], fps: float) -> Any:
    """One video stream in OpenCV's byte order (libcamera calls it RGB888), no raw stream."""
    frame_us = round(1e6 / fps)
    mode = _mode(str(camera.camera_properties.get("Model", "")), size_px)
    return camera.create_video_configuration(
        main={"size": size_px, "format": "RGB888"},
        raw=None,
        **({"sensor": mode} if mode else {}),
        buffer_count=_BUFFERS,
        queue=False,
        display=None,
        encode=None,
        controls={"FrameDurationLimits": (frame_us, frame_us)},
    )


def _mode(model: str, size_px: tuple[int, int]) -> dict[str, Any]:
    """The smallest sensor mode that holds the picture and sees the whole field of view; {} leaves it to libcamera."""
    modes = next((modes for name, modes in _WHOLE_FIELD.items() if model.startswith(name)), ())
    for output, bits in modes:
        if output[0] >= size_px[0] and output[1] >= size_px[1]:
            return {"output_size": output, "bit_depth": bits}
    return {}


def _against_flicker(controls: Any, mains_hz: int) -> dict[str, Any]:
    return {"AeFlickerMode": controls.AeFlickerModeEnum.Manual, "AeFlickerPeriod": _FLICKER_US.get(mains_hz, 10000)}


def _available(camera: Any, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Only the controls that this camera has: others are an error in libcamera."""
    return {name: value for name, value in wanted.items() if name in camera.camera_controls}


def _focus(camera: Any) -> bool:
    """Focus once; True where it came to rest, or where the lens has a fixed focus."""
    if "AfMode" not in camera.camera_controls:
        return True
    return bool(camera.autofocus_cycle(wait=FOCUS_S))


def _lock(camera: Any, controls: Any) -> dict[str, Any]:
    """Hold focus, exposure and colours, once settled: a hand in the picture must change none of them."""
    meta = _settled(camera.capture_metadata(wait=WAIT_S) for _ in range(SETTLE_FRAMES))
    wanted: dict[str, Any] = {"AeEnable": False, "AwbEnable": False}
    wanted |= {k: meta[k] for k in ("ExposureTime", "AnalogueGain", "ColourGains", "LensPosition") if k in meta}
    if "LensPosition" in wanted:
        wanted["AfMode"] = controls.AfModeEnum.Manual
    locked = _available(camera, wanted)
    camera.set_controls(locked)
    return locked


def _settled(frames: Iterator[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The metadata at which brightness and colours have come to rest, or the last."""
    before: list[Mapping[str, Any]] = []
    for meta in frames:
        before = [*before, meta][-_STEADY_FRAMES:]
        if len(before) == _STEADY_FRAMES and all(_alike(_levels(m), _levels(meta), _STEADY_SHARE) for m in before):
            break
    return before[-1]


def _levels(meta: Mapping[str, Any]) -> tuple[float, ...]:
    exposure = float(meta.get("ExposureTime", 0)) * float(meta.get("AnalogueGain", 1))
    return (exposure, *(float(g) for g in meta.get("ColourGains", ())))


def _alike(a: Sequence[float], b: Sequence[float], share: float) -> bool:
    return len(a) == len(b) and all(abs(x - y) <= share * max(abs(x), abs(y)) for x, y in zip(a, b, strict=True))


def _not_kept(locked: Mapping[str, Any], meta: Mapping[str, Any]) -> str:
    """What the camera reports of a locked control that it has not kept, as a line for people; "" if all are kept."""
    for name in ("ExposureTime", "AnalogueGain", "ColourGains"):
        if name in locked and name in meta and not _alike(_many(locked[name]), _many(meta[name]), _KEPT_SHARE):
            return (
                f"camera: {name} is {meta[name]}, {locked[name]} was asked for; colours may drift, restart the service"
            )
    return ""


def _many(value: Any) -> tuple[float, ...]:
    return tuple(float(v) for v in value) if isinstance(value, tuple | list) else (float(value),)


def _stop(camera: Any, broken: bool) -> None:
    """With frames missing, stop() would wait for ever behind the lost request: cancel that first."""
    try:
        if broken:
            camera.cancel_all_and_flush()
        camera.stop()
        camera.close()
    except Exception:  # it is being given up; nothing can be done about it
        return
