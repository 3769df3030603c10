"""The five shared recordings, watched without their truth and scored against it by the shared tool."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from firmware.watch import watch
from vision.reader import Reader

pytestmark = [pytest.mark.shared, pytest.mark.slow]

NEEDED = ("table.toml", "game.toml", "video.mp4", "presses.jsonl")


def scored(shared: Path, truth: Path, out: Path) -> dict[str, Any]:
    """What the shared scoring tool says."""
    command = [sys.executable, str(shared / "tools" / "score_recording.py"), str(truth), str(out), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@pytest.mark.parametrize("name", ["fan_tan", "wish_card", "ranter_go_round", "five_or_nine", "pope_joan"])
def test_recording_is_seen_as_it_was(shared: Path, tmp_path: Path, name: str) -> None:
    """At least 90 % of what the camera could see is found, nothing invented, no card misread, told within 0.4 s."""
    recording, source = tmp_path / name, shared / "recordings" / name
    recording.mkdir()
    for part in NEEDED:
        shutil.copy(source / part, recording / part)
    out = tmp_path / "out.jsonl"
    with out.open("w") as lines:
        for line in watch(recording, Reader.load()):
            lines.write(json.dumps(line) + "\n")
    score = scored(shared, source / "truth.jsonl", out)
    assert score["seen_found"] >= 0.9 * score["seen"], score["detail"]
    assert score["invented"] == 0, score["detail"]
    assert score["wrong_cards"] == 0, score["detail"]
    assert score["at_goes_back"] == score["no_at"] == score["bad_lines"] == 0
    assert score["median_delay"] <= 0.4
