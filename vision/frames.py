"""Frames and where they come from: a recording's folder, a folder of pictures, a USB camera.

A camera gives frames one after another, each with its time, and says clearly when it cannot. The Raspberry Pi's own
camera is in picamera.py. Nothing here looks at what a frame shows.
"""

from __future__ import annotations

import csv
import itertools
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

PICTURES: Final = (".jpg", ".jpeg", ".png", ".bmp", ".webp")
"""Endings of the files that are taken for pictures."""

_LAST_FRAMES: Final = 2
"""Encoders count up to so many frames more than they wrote."""

_LEAST_SIDE_PX: Final = 64
"""A smaller frame shows no card."""

_VIDEO4LINUX: Final = 81
"""The kernel's major number of cameras (Documentation/admin-guide/devices.txt)."""

_MOST_FPS: Final = 240.0
"""No camera that is meant gives more frames a second."""

_FOLDER_FPS: Final = 15.0
"""Pictures of a folder without times are taken to be so many a second."""


class FrameError(OSError):
    """No frame can be had. Its kinds: RecordingError, CameraAbsent, CameraBusy, CameraStopped, CameraMemory.

    The message names what was wrong, where, and the remedy.
    """


class RecordingError(FrameError):
    """A recording or picture that cannot be used."""


class CameraAbsent(FrameError):
    """No camera answers."""


class CameraBusy(FrameError):
    """Another program holds the camera."""


class CameraStopped(FrameError):
    """The camera was there and gives no more frames."""


class CameraMemory(FrameError):
    """There is no memory for the camera's buffers; only a restart of the machine frees it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture: BGR uint8 [h, w, 3], ``seconds`` since the first frame, its number from 0.

    ``taken_ns`` is the sensor's own clock when the exposure began, 0 where the source has none.
    """

    image: Image
    seconds: float
    index: int
    taken_ns: int = 0


class Camera(Protocol):
    """A source of frames. A live one blocks until the next frame or raises CameraStopped."""

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of every frame."""

    def read(self) -> Frame | None:
        """The next frame; None when a recording has ended."""

    def close(self) -> None:
        """Let the source go; never raises."""


def each(camera: Camera) -> Iterator[Frame]:
    """All frames of a camera to its end; it is closed in any case."""
    try:
        while (frame := camera.read()) is not None:
            yield frame
    finally:
        camera.close()


def rate_of(camera: Camera) -> float:
    """Frames a second of a recording; of anything else what a folder of pictures without times is taken to have."""
    return float(getattr(camera, "fps", _FOLDER_FPS))


def length_of(camera: Camera) -> float:
    """How long a recording says it is, seconds; infinite where it does not say."""
    return float(getattr(camera, "length_s", math.inf))


def read_after(camera: Camera, after_ns: int, patience: int = 30) -> Frame | None:
    """The first frame whose exposure began at ``after_ns`` or later: an older picture is no evidence (B05).

    :raises CameraStopped: if ``patience`` frames in a row are older.
    """
    for _ in range(patience):
        frame = camera.read()
        if frame is None or frame.taken_ns >= after_ns:
            return frame
    raise CameraStopped(f"the camera delivers old pictures only ({patience} in a row); restart the service")


def as_bgr(image: Any, where: str = "a frame") -> Image:
    """A frame as BGR uint8 [h, w, 3]: grey and four-channel pictures converted, anything else refused.

    :raises FrameError: if it is no picture.
    """
    array = np.asarray(image)
    if array.ndim == 2 and array.dtype == np.uint8:
        return np.asarray(cv2.cvtColor(array, cv2.COLOR_GRAY2BGR), np.uint8)
    if array.ndim != 3 or array.shape[2] not in (3, 4) or array.dtype != np.uint8:
        raise FrameError(f"{where} has shape {array.shape} and type {array.dtype}; BGR, 8 bits, is wanted")
    return np.ascontiguousarray(array[..., :3])


def open_recording(folder: Path) -> Camera:
    """The frames of a recording: ``video.mp4``, or ``frames/`` with ``frames.csv`` (index,seconds).

    :raises RecordingError: if there are none, or they cannot be read.
    """
    if not folder.is_dir():
        raise RecordingError(f"{folder}: there is no such folder; give the folder of a recording")
    video = folder / "video.mp4"
    if video.is_file():
        return VideoFile.open(video)
    if (folder / "frames").is_dir():
        return PictureFolder.open(folder / "frames", _times(folder / "frames.csv"))
    raise RecordingError(
        f"{folder}: neither video.mp4 nor frames/ is there; record again with `cardtable play --record`"
    )


@dataclass(slots=True)
class VideoFile:
    """The frames of a video file, with the times that its rate gives them."""

    path: Path
    size_px: tuple[int, int]
    fps: float
    capture: Any
    index: int = 0

    @classmethod
    def open(cls, path: Path) -> VideoFile:
        """:raises RecordingError: if the file is no video that OpenCV can decode."""
        capture = cv2.VideoCapture(str(path))
        fps, wide, high = (
            capture.get(k) for k in (cv2.CAP_PROP_FPS, cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
        )
        if not capture.isOpened() or not 0.5 <= fps <= _MOST_FPS or min(wide, high) < _LEAST_SIDE_PX:
            capture.release()
            raise RecordingError(f"{path}: is no video that can be read (damaged, or not H.264); copy it again")
        return cls(path, (int(wide), int(high)), float(fps), capture)

    def read(self) -> Frame | None:
        """The next frame, None at the end.

        :raises RecordingError: if not even the first can be decoded.
        """
        good, image = self.capture.read()
        if not good:
            if self.index == 0:
                raise RecordingError(f"{self.path}: holds no frame that can be decoded; copy it again")
            self._all_there()
            return None
        frame = Frame(as_bgr(image, str(self.path)), self.index / self.fps, self.index)
        self.index += 1
        return frame

    @property
    def length_s(self) -> float:
        """The time of the end, seconds, as the file says."""
        said = float(self.capture.get(cv2.CAP_PROP_FRAME_COUNT))
        return said / self.fps if said > 0 else math.inf

    def _all_there(self) -> None:
        """A file that was cut or damaged ends early: it must not pass for a whole session."""
        said = int(self.capture.get(cv2.CAP_PROP_FRAME_COUNT))
        if self.index < said - _LAST_FRAMES:
            raise RecordingError(
                f"{self.path}: ends after {self.index} of {said} frames (cut off or damaged); "
                "what came before was judged; copy it again"
            )

    def close(self) -> None:
        """Let the file go."""
        self.capture.release()


@dataclass(slots=True)
class PictureFolder:
    """Pictures of a folder in the order of their names."""

    paths: list[Path]
    times: list[float]
    size_px: tuple[int, int]
    index: int = field(default=0)

    @classmethod
    def open(cls, folder: Path, times: list[float] | None = None) -> PictureFolder:
        """:raises RecordingError: if there is no picture, or the times are not one for each."""
        if not folder.is_dir():
            raise RecordingError(f"{folder}: there is no such folder of pictures")
        paths = sorted(p for p in folder.iterdir() if p.suffix.lower() in PICTURES)
        if not paths:
            raise RecordingError(f"{folder}: holds no picture ({', '.join(PICTURES)})")
        if times is None:
            times = [i / _FOLDER_FPS for i in range(len(paths))]
        if len(times) != len(paths):
            raise RecordingError(
                f"{folder}: {len(paths)} pictures and {len(times)} lines in frames.csv; they must agree"
            )
        first = _picture(paths[0])
        return cls(paths, times, (first.shape[1], first.shape[0]))

    def read(self) -> Frame | None:
        """The next picture, None at the end.

        :raises RecordingError: if it cannot be decoded or has another size than the first.
        """
        if self.index >= len(self.paths):
            return None
        path = self.paths[self.index]
        image = _picture(path)
        if (image.shape[1], image.shape[0]) != self.size_px:
            wide, high = self.size_px
            raise RecordingError(f"{path}: is {image.shape[1]}x{image.shape[0]}, the first picture is {wide}x{high}")
        frame = Frame(image, self.times[self.index], self.index)
        self.index += 1
        return frame

    @property
    def length_s(self) -> float:
        """The time of the last picture, seconds."""
        return self.times[-1]

    @property
    def fps(self) -> float:
        """Pictures a second, by the usual time between two."""
        steps = [b - a for a, b in itertools.pairwise(self.times) if b > a]
        return min(_MOST_FPS, 1 / float(np.median(steps))) if steps else _FOLDER_FPS

    def close(self) -> None:
        """Nothing is held open."""


def _why_closed(path: Path) -> CameraAbsent | CameraBusy:
    """Why a camera at ``path`` cannot be opened, as the error to be raised."""
    if not path.exists():
        return CameraAbsent(f"camera {path}: is not there; plug it in, or set [source] device in table.toml")
    if not path.is_char_device() or os.major(path.stat().st_rdev) != _VIDEO4LINUX:
        return CameraAbsent(f"camera {path}: is no camera; set [source] device in table.toml to /dev/video0 or so")
    if not os.access(path, os.R_OK | os.W_OK):
        words = "may not be opened; sudo usermod -a -G video $USER, then log out and in again"
        return CameraAbsent(f"camera {path}: {words}")
    return CameraBusy(f"camera {path}: is held by another program; close it (fuser {path}) and try again")


@dataclass(slots=True)
class UsbCamera:
    """A USB camera through V4L2; times come from the ``clock`` (seconds, monotonic) that is given."""

    device: str
    size_px: tuple[int, int]
    capture: Any
    clock: Any
    started: float = math.nan
    index: int = 0

    @classmethod
    def open(cls, device: str, size_px: tuple[int, int], fps: float, clock: Any, capture: Any = None) -> UsbCamera:
        """Open ``/dev/videoN`` (or N). ``capture`` replaces OpenCV's in tests.

        :raises CameraAbsent: if nothing answers there.
        :raises CameraBusy: if it is there and cannot be opened.
        """
        if capture is None:
            capture = cv2.VideoCapture(int(device) if device.isdigit() else device)
        if not capture.isOpened():
            raise _why_closed(Path(f"/dev/video{device}" if device.isdigit() else device))
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, size_px[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size_px[1])
        capture.set(cv2.CAP_PROP_FPS, fps)
        size = int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
        return cls(device, size, capture, clock)

    def read(self) -> Frame:
        """The next frame.

        :raises CameraStopped: if the camera gives none.
        """
        good, image = self.capture.read()
        if not good:
            raise CameraStopped(f"camera {self.device}: gives no more frames; check its cable, then restart")
        now = self.clock()
        if self.index == 0:
            self.started = now
        frame = Frame(as_bgr(image), now - self.started, self.index, round(now * 1e9))
        self.index += 1
        return frame

    def close(self) -> None:
        """Let the camera go."""
        self.capture.release()


def _picture(path: Path) -> Image:
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None or min(image.shape[:2]) < _LEAST_SIDE_PX:
        raise RecordingError(f"{path}: is no picture that can be read; copy it again or remove it")
    return np.asarray(image, np.uint8)


def _times(path: Path) -> list[float]:
    """The seconds of frames.csv (a header line index,seconds), never going back."""
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            times = [float(row["seconds"]) for row in csv.DictReader(lines)]
    except FileNotFoundError:
        raise RecordingError(f"{path}: is missing; frames/ needs the time of each picture in it") from None
    except (KeyError, TypeError, ValueError, OSError, UnicodeDecodeError):
        raise RecordingError(f"{path}: is not index,seconds with a number on each line") from None
    if any(b < a for a, b in itertools.pairwise(times)) or not all(map(math.isfinite, times)):
        raise RecordingError(f"{path}: the times go back; sort the lines by time")
    return times
