"""Frames from recordings, folders and USB cameras, and what is said when there are none (field reports B)."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision import frames
from vision.frames import CameraAbsent, CameraBusy, CameraStopped, Frame, FrameError, RecordingError

PICTURE = np.full((120, 160, 3), (40, 40, 200), np.uint8)


def folder_of(path: Path, count: int, times: str | None = None) -> Path:
    (path / "frames").mkdir()
    for n in range(count):
        cv2.imwrite(str(path / "frames" / f"{n + 1:06}.jpg"), PICTURE)
    if times is not None:
        (path / "frames.csv").write_text(times)
    return path


def test_video_gives_its_frames_with_their_times(tmp_path: Path) -> None:
    writer = cv2.VideoWriter(str(tmp_path / "video.mp4"), cv2.VideoWriter.fourcc(*"mp4v"), 10, (160, 120))
    for _ in range(5):
        writer.write(PICTURE)
    writer.release()
    camera = frames.open_recording(tmp_path)
    assert camera.size_px == (160, 120)
    seen = list(frames.each(camera))
    assert [round(f.seconds, 3) for f in seen] == [0.0, 0.1, 0.2, 0.3, 0.4]
    assert [f.index for f in seen] == [0, 1, 2, 3, 4]
    assert seen[0].image.shape == (120, 160, 3)


def test_pictures_with_times(tmp_path: Path) -> None:
    camera = frames.open_recording(folder_of(tmp_path, 3, "index,seconds\n1,0.0\n2,0.07\n3,0.2\n"))
    assert [f.seconds for f in frames.each(camera)] == [0.0, 0.07, 0.2]


def test_red_stays_red(tmp_path: Path) -> None:
    """B06: hue of a red picture stays red, for three and four channels."""
    frame = next(frames.each(frames.open_recording(folder_of(tmp_path, 1, "index,seconds\n1,0\n"))))
    four = frames.as_bgr(np.dstack([PICTURE, np.zeros((120, 160), np.uint8)]))
    for image in (frame.image, four):
        hue = cv2.cvtColor(image[:1, :1], cv2.COLOR_BGR2HSV)[0, 0, 0]
        assert hue <= 10 or hue >= 170


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (None, "is missing"),
        ("index,seconds\n1,0\n", "2 pictures and 1 lines"),
        ("index,seconds\n1,0.5\n2,0.1\n", "go back"),
        ("index,seconds\n1,zero\n2,1\n", "is not index,seconds"),
        ("number\n1\n2\n", "is not index,seconds"),
        ("index,seconds\n1,0\n2,nan\n", "go back"),
    ],
)
def test_bad_times_are_one_line(tmp_path: Path, times: str | None, words: str) -> None:
    with pytest.raises(RecordingError, match=words) as error:
        frames.open_recording(folder_of(tmp_path, 2, times))
    assert "frames" in str(error.value)
    assert "\n" not in str(error.value)


def test_bad_recordings_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no such folder"):
        frames.open_recording(tmp_path / "nowhere")
    with pytest.raises(RecordingError, match=r"neither video\.mp4 nor frames"):
        frames.open_recording(tmp_path)
    (tmp_path / "frames").mkdir()
    (tmp_path / "frames.csv").write_text("index,seconds\n")
    with pytest.raises(RecordingError, match="holds no picture"):
        frames.open_recording(tmp_path)
    (tmp_path / "video.mp4").write_bytes(b"not a video")
    with pytest.raises(RecordingError, match=r"video\.mp4: is no video"):
        frames.open_recording(tmp_path)


def test_broken_picture_is_named(tmp_path: Path) -> None:
    camera = frames.open_recording(folder_of(tmp_path, 2, "index,seconds\n1,0\n2,1\n"))
    (tmp_path / "frames" / "000002.jpg").write_bytes(b"broken")
    assert camera.read() is not None
    with pytest.raises(RecordingError, match=r"000002\.jpg: is no picture"):
        camera.read()


def test_picture_of_another_size_is_named(tmp_path: Path) -> None:
    camera = frames.open_recording(folder_of(tmp_path, 2, "index,seconds\n1,0\n2,1\n"))
    cv2.imwrite(str(tmp_path / "frames" / "000002.jpg"), PICTURE[:100])
    camera.read()
    with pytest.raises(RecordingError, match=r"000002\.jpg: is 160x100"):
        camera.read()


@pytest.mark.parametrize("shape", [(120,), (120, 160, 2), (120, 160, 5)])
def test_what_is_no_picture_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(FrameError, match="BGR"):
        frames.as_bgr(np.zeros(shape, np.uint8))


@dataclass
class FakeCamera:
    """Frames with the sensor's own times."""

    taken_ns: deque[int]
    size_px: tuple[int, int] = (160, 120)
    closed: bool = False

    def read(self) -> Frame | None:
        return Frame(PICTURE, 0.0, 0, self.taken_ns.popleft()) if self.taken_ns else None

    def close(self) -> None:
        self.closed = True


def test_picture_older_than_the_press_is_no_evidence() -> None:
    """B05: the press at 1000 ms, the next deliveries carry 933, 966, 1000 and 1033."""
    camera = FakeCamera(deque([933, 966, 1000, 1033]))
    frame = frames.read_after(camera, 1000)
    assert frame is not None
    assert frame.taken_ns == 1000


def test_camera_that_delivers_only_old_pictures_is_said_to() -> None:
    with pytest.raises(CameraStopped, match="old pictures"):
        frames.read_after(FakeCamera(deque(range(100))), 1000, patience=20)


def test_source_is_closed_when_reading_is_given_up() -> None:
    camera = FakeCamera(deque(range(5)))
    for _ in frames.each(camera):
        break
    assert camera.closed or camera.taken_ns


@dataclass
class FakeCapture:
    """OpenCV's VideoCapture: opens or not, and gives so many frames."""

    opened: bool = True
    left: int = 2
    asked: dict[int, float] = field(default_factory=dict)

    def isOpened(self) -> bool:
        return self.opened

    def set(self, key: int, value: float) -> None:
        self.asked[key] = value

    def get(self, key: int) -> float:
        return self.asked.get(key, 0.0)

    def read(self) -> tuple[bool, object]:
        self.left -= 1
        return self.left >= 0, PICTURE

    def release(self) -> None:
        self.opened = False


def test_usb_camera_counts_from_its_first_frame() -> None:
    clock = iter([12.0, 12.5])
    camera = frames.UsbCamera.open("0", (160, 120), 15, lambda: next(clock), FakeCapture())
    assert [camera.read().seconds, camera.read().seconds] == [0.0, 0.5]
    with pytest.raises(CameraStopped, match="cable"):
        camera.read()
    camera.close()


def test_usb_camera_absent_no_camera_forbidden_and_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_it(device: str) -> None:
        frames.UsbCamera.open(device, (160, 120), 15, float, FakeCapture(opened=False))

    with pytest.raises(CameraAbsent, match="plug it in"):
        open_it(str(tmp_path / "video9"))
    (tmp_path / "video9").touch()
    for device in (str(tmp_path / "video9"), "/dev/null"):
        with pytest.raises(CameraAbsent, match="is no camera"):
            open_it(device)
    monkeypatch.setattr(frames, "_VIDEO4LINUX", os.major(os.stat("/dev/null").st_rdev))
    with pytest.raises(CameraBusy, match="another program"):
        open_it("/dev/null")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(CameraAbsent, match="usermod -a -G video"):
        open_it("/dev/null")
