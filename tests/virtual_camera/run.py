"""Our PiCamera over the real picamera2, the real libcamera and its virtual camera, which plays pictures of ours.

Run by tests/virtual_camera.sh inside a Debian 13.  What the virtual camera lacks beside a Pi's is made up for here and
nowhere else: it has no raw stream, gives NV12 only, its planes told apart, and no controls; so what is not tried here
is focus, locked exposure, and frames exposed after a press.
"""

from __future__ import annotations

import itertools
import mmap
import sys
import time
from pathlib import Path
from typing import Any

import cv2
import libcamera
import numpy as np
import picamera2
from picamera2.allocators import DmaAllocator

from vision import picamera
from vision.frames import CameraAbsent, CameraBusy

SIZE = (1280, 720)
FRAMES = 30
PATCHES = [(40, 40, 200), (40, 200, 40), (200, 40, 40)]
"""BGR of a square in the middle of pictures 0, 1 and 2: exchanged colours or rows would show."""


class PlaneByPlane(DmaAllocator):
    """NV12 in one buffer, its two planes told apart: the virtual camera writes them one by one."""

    def allocate(self, libcamera_config: Any, use_case: Any) -> None:
        self.frame_buffers, self.libcamera_fds = {}, []
        for config in libcamera_config:
            made = []
            for index in range(config.buffer_count):
                fd = self.dmaHeap.alloc(f"test-{index}", config.frame_size).get()
                self.open_fds.append(fd)
                luma = config.stride * config.size.height
                planes = []
                for offset, length in ((0, luma), (luma, config.frame_size - luma)):
                    plane = libcamera.FrameBuffer.Plane()
                    plane.fd, plane.offset, plane.length = fd, offset, length
                    planes.append(plane)
                buffer = libcamera.FrameBuffer(planes)
                for plane in buffer.planes:
                    self.mapped_buffers_used[plane.fd] = False
                    self.libcamera_fds.append(plane.fd)
                self.mapped_buffers[buffer] = mmap.mmap(fd, config.frame_size)
                made.append(buffer)
            self.frame_buffers[config.stream] = made


class Adapted(picamera2.Picamera2):
    """The real class, with what the virtual camera lacks."""

    def __init__(self, camera_num: int = 0) -> None:
        super().__init__(camera_num, allocator=PlaneByPlane())

    def _get_raw_modes(self) -> list[dict[str, Any]]:
        return [{"format": "NV12", "size": SIZE}]

    def create_video_configuration(self, main: Any = None, **wanted: Any) -> Any:
        ours = {"main": {**main, "format": "NV12"}, **wanted, "controls": {}} if main else {}
        return super().create_video_configuration(**ours)


def pictures(folder: Path) -> None:
    """The JPEG pictures that the camera plays."""
    folder.mkdir(parents=True, exist_ok=True)
    for index, colour in enumerate(PATCHES):
        image = np.full((SIZE[1], SIZE[0], 3), 120, np.uint8)
        cv2.rectangle(image, (540, 260), (740, 460), colour, -1)
        cv2.imwrite(str(folder / f"{index}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, 95])


def which(image: Any) -> int:
    """The number of the picture that a frame shows, by its middle."""
    middle = image[300:420, 580:700].reshape(-1, 3).mean(0)
    off = [float(np.abs(middle - patch).max()) for patch in PATCHES]
    assert min(off) < 25, f"the middle is {middle.round()}"  # full range read as video range
    return off.index(min(off))


def frames() -> str:
    """Open, read frames, close."""
    camera = picamera.PiCamera.open(0, SIZE)
    began = time.monotonic()
    seen = [camera.read() for _ in range(FRAMES)]
    took_s = time.monotonic() - began
    camera.close()
    assert all(frame.image.shape == (SIZE[1], SIZE[0], 3) for frame in seen)
    assert all(b.taken_ns > a.taken_ns for a, b in itertools.pairwise(seen)), "time goes back"
    shown = {which(frame.image) for frame in seen}
    assert shown == {0, 1, 2}, f"only pictures {shown}"
    return f"{FRAMES} frames, {FRAMES / took_s:.0f} a second, pictures {sorted(shown)}"


def busy_then_free() -> str:
    """Somebody holds the camera, then gives it back: is it to be had without a restart of ours?

    The holder is in this process, for libcamera locks the device files, and the virtual camera has none.
    """
    holder = libcamera.CameraManager.singleton()
    camera = holder.cameras[0]
    camera.acquire()
    try:
        picamera.PiCamera.open(0, SIZE)
    except CameraBusy as error:
        said = str(error)
    else:
        raise AssertionError("two hold one camera")
    camera.release()
    return f"{said}; given back: {frames()}"


def main() -> None:
    """Each check in turn; the first that fails ends it."""
    picamera2.Picamera2 = Adapted
    convert = picamera.as_bgr
    picamera.as_bgr = lambda image, where: convert(cv2.cvtColor(image, cv2.COLOR_YUV2BGR_NV12), where)
    match sys.argv[1]:
        case "pictures":
            pictures(Path(sys.argv[2]))
        case "frames":
            print(frames())
        case "again":
            print(frames(), "and opened again:", frames())
        case "busy":
            print(busy_then_free())
        case "absent":
            try:
                picamera.PiCamera.open(0, SIZE)
            except CameraAbsent as error:
                print(error)
            else:
                raise AssertionError("a camera was found")


if __name__ == "__main__":
    main()
