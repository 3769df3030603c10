"""The real photographs that are kept for measuring, read as a stranger would read them, scored by the shared tool."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from vision.reader import Reader
from vision.stills import read_paths

pytestmark = [pytest.mark.shared, pytest.mark.slow]


def test_four_in_five_are_read_and_one_in_a_hundred_wrongly(shared: Path, tmp_path: Path) -> None:
    """The first release's bar; black packs are counted apart."""
    check, out = shared / "photos" / "check", tmp_path / "read.jsonl"
    with out.open("w", encoding="utf-8") as lines:
        for picture in read_paths([check], Reader.load()):
            lines.write(json.dumps(picture) + "\n")
    tool = shared / "tools" / "score_photos.py"
    bar = ["--skip", "blackpack", "--right", "0.80", "--wrong", "0.01"]
    command = [sys.executable, str(tool), str(check / "labels.jsonl"), str(out), *bar]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
