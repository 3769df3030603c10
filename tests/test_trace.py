"""The film of what was seen: it can be played again, shows cards and words, and says where it cannot be written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from firmware.perception import Perception
from firmware.referee.match import Match
from firmware.trace import Trace, TraceFault
from firmware.watch import watch, watch_frames
from vision.pose import Pose

from .test_watch import SETUP, TABLE, Film, played, recording
from .vision.drawn import FPS, SIZE_PX, SURFACE, Image, World

__all__ = ["recording"]


def film_of(path: Path, world: World, pictures: Iterator[Image]) -> list[Image]:
    """The pictures of the film of a watched table."""
    perception = Perception(TABLE, world, SIZE_PX)
    trace = Trace.open(path, SIZE_PX, FPS, ("Änn", "Bo", "Cy"))
    list(watch_frames(Film(pictures), perception, [], Match(SETUP), trace))
    capture, out = cv2.VideoCapture(str(path)), []
    while (got := capture.read())[0]:
        out.append(np.asarray(got[1], np.uint8))
    return out


def test_film_can_be_played_again_and_shows_what_was_seen(tmp_path: Path) -> None:
    count = sum(1 for _ in played(World()))
    pictures = film_of(tmp_path / "trace.mp4", world := World(), played(world))
    assert count <= len(pictures) <= count + 1
    last = pictures[-1]
    high, wide = last.shape[:2]
    assert (high, wide) == (SIZE_PX[1], SIZE_PX[0] + 512)
    x, y = (round(float(v)) for v in SURFACE.px(Pose(300, 250, 0).outline((63, 88))).min(0))
    edge = last[y + 40 : y + 60, x - 1 : x + 2].reshape(-1, 3).astype(int)
    assert (edge[:, 1] > edge[:, 2] + 40).mean() > 0.3, "a green line runs along the card that was read"
    assert _ink(last[:, SIZE_PX[0] + 10 :]) > 2 * _ink(pictures[3][:, SIZE_PX[0] + 10 :]) > 0, "words are added"


def _ink(column: Image) -> int:
    return int((column.max(2) > 110).sum())


def test_film_of_a_covered_camera_says_so(tmp_path: Path) -> None:
    world = World()
    dark = np.full((SIZE_PX[1], SIZE_PX[0], 3), 6, np.uint8)
    pictures = film_of(tmp_path / "trace.mp4", world, iter([*world.still(0.5), *[dark] * 20]))
    red = pictures[-1][:60, SIZE_PX[0] :].astype(int)
    assert ((red[..., 2] > red[..., 1] + 60) & (red[..., 2] > 120)).sum() > 50


def test_film_keeps_the_time_of_the_video_where_frames_are_missing(tmp_path: Path) -> None:
    perception = Perception(TABLE, World(), SIZE_PX)
    perception.newest = World().picture()
    trace = Trace.open(tmp_path / "t.mp4", SIZE_PX, 10.0, ())
    for seconds in (0.0, 0.1, 2.0, 100.0):
        trace.frame(perception, seconds, [{"t": seconds, "entry": 1, "fact": "cut", "seat": 1}] * 40)
    trace.close()
    assert trace.written == 2 + 19 + 50
    assert len(trace._lines) <= 64


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("trace.avi", "is an MP4"),
        ("nowhere/trace.mp4", "there is no folder"),
        ("folder.mp4", "is a folder"),
        ("file/trace.mp4", "there is no folder"),
    ],
)
def test_where_it_cannot_be_written_is_one_line(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "folder.mp4").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(TraceFault, match=words) as error:
        Trace.open(tmp_path / name, SIZE_PX, FPS, ())
    assert "\n" not in str(error.value)


def test_folder_that_may_not_be_written_is_one_line() -> None:
    with pytest.raises(TraceFault, match="cannot be written") as error:
        Trace.open(Path("/proc/trace.mp4"), SIZE_PX, FPS, ())
    assert "\n" not in str(error.value)


def test_the_recording_itself_is_never_overwritten(recording: Path) -> None:
    from firmware.config import ConfigError

    with pytest.raises(ConfigError, match="is the recording itself"):
        watch(recording, World(), recording / "video.mp4")
    assert not (recording / "video.mp4").exists()


def test_film_cut_short_by_the_disk_is_said(tmp_path: Path) -> None:
    perception = Perception(TABLE, World(), SIZE_PX)
    perception.newest = World().picture()
    trace = Trace.open(tmp_path / "t.mp4", SIZE_PX, 10.0, ())
    trace.frame(perception, 0.0, [])
    trace.written += 30
    with pytest.raises(TraceFault, match="is the disk full"):
        trace.close()
