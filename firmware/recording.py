"""Writes what happens at a table as a recording: table.toml, game.toml, the video, the presses."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import cv2

from vision.frames import Frame

from .config import TableConfig
from .referee.events import Pressed
from .referee.match import Setup
from .toml_text import key, points, value


class RecordingFault(OSError):
    """The recording cannot be written; the line says what to do. The game goes on without it."""


@dataclass(slots=True)
class Recorder:
    """Writes one session into a folder while it is played. ``fps``: the steady rate that the video is said to have."""

    video: cv2.VideoWriter
    presses: TextIO

    @classmethod
    def open(cls, folder: Path, config: TableConfig, setup: Setup, size_px: tuple[int, int], fps: float) -> Recorder:
        """Begin a recording in ``folder``, which must be new or empty.

        :raises RecordingFault: if it is not, or cannot be written.
        """
        if folder.exists() and any(folder.iterdir()):
            raise RecordingFault(f"{folder}: is not empty; name a new folder to record into")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "table.toml").write_text(table_toml(config), encoding="utf-8")
        (folder / "game.toml").write_text(game_toml(setup), encoding="utf-8")
        video = cv2.VideoWriter(str(folder / "video.mp4"), cv2.VideoWriter.fourcc(*"mp4v"), fps, size_px)
        if not video.isOpened():
            raise RecordingFault(f"{folder / 'video.mp4'}: cannot be written; is the disk full?")
        return cls(video, (folder / "presses.jsonl").open("w", encoding="utf-8", buffering=1))

    def frame(self, frame: Frame) -> None:
        """The next frame, BGR uint8 [h, w, 3]."""
        self.video.write(frame.image)

    def press(self, pressed: Pressed, t: float) -> None:
        """A press, at ``t`` seconds since the first frame."""
        line = {"t": round(t, 3), "seat": pressed.seat, "press": pressed.press.value}
        for _ in range(pressed.taps):
            self.presses.write(json.dumps(line) + "\n")

    def close(self) -> None:
        """Finish the files."""
        self.video.release()
        self.presses.close()


def table_toml(config: TableConfig) -> str:
    """The part of the table's settings that a recording keeps, as TOML."""
    lens = [
        f"{name} = {value(list(values))}"
        for name, values in (("matrix", config.camera.matrix), ("distortion", config.camera.distortion))
        if values
    ]
    lines = [
        "[table]",
        f"width = {config.width_mm:g}",
        f"height = {config.height_mm:g}",
        "[card]",
        f"width = {config.card_w_mm:g}",
        f"height = {config.card_h_mm:g}",
        "[camera]",
        f"picture = {points(config.camera.picture)}",
        f"table = {points(config.camera.table)}",
        *lens,
    ]
    for zone in config.zones:
        lines += ["[[zone]]", f"name = {value(zone.name)}", f"polygon = {points(zone.polygon)}"]
    return "\n".join(lines) + "\n"


def game_toml(setup: Setup) -> str:
    """What is played, as TOML."""
    lines = [f"game = {value(setup.game)}", f"seats = {value(list(setup.seats))}"]
    lines += [f"dealer = {setup.dealer}"] if setup.dealer else []
    for name, values in (("house", setup.house), ("deal", setup.deal)):
        lines += [f"[{name}]", *(f"{key(k)} = {value(v)}" for k, v in values.items())]
    return "\n".join(lines) + "\n"
