"""The library that runs the networks leaves no number of this machine and no log to be sent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

READ = "import numpy as np; from vision.reader import Reader; Reader.load().read(np.zeros((90, 120, 3), np.uint8), 60)"


def run(script: str, home: Path) -> list[Path]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_", "CI"))}
    environ.pop("GITHUB_ACTIONS", None)
    command = [sys.executable, "-c", script]
    subprocess.run(command, env={**environ, "HOME": str(home)}, timeout=120, check=True, capture_output=True)
    return [path for path in home.rglob("*") if path.is_file()]


def test_reading_leaves_nothing_at_home(tmp_path: Path) -> None:
    assert run(READ, tmp_path) == []


def test_it_is_said_before_the_library_is_loaded() -> None:
    import vision

    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"
    source = Path(vision.__file__).parent
    loading = [path.name for path in source.rglob("*.py") if "import onnxruntime" in path.read_text()]
    assert loading == ["reader.py"], "inside the package, so that its own __init__ comes first"
