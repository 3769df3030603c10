"""The sums beside the weights: true of what is committed, and any other file is named."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from models import sums


def test_the_committed_weights_are_those_that_the_sums_name() -> None:
    assert sums.changed() == [], "new weights? look at them, then: python -m models.sums"
    assert len(list(sums.FOLDER.glob("*.onnx"))) >= 2


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    for name in ("a.onnx", "b.onnx"):
        (tmp_path / name).write_bytes(name.encode())
    sums.write(tmp_path)
    return tmp_path


def test_what_was_written_is_whole_and_sha256sum_agrees(weights: Path) -> None:
    assert sums.changed(weights) == []
    if shutil.which("sha256sum"):
        done = subprocess.run(
            ["sha256sum", "--check", "--strict", sums.NAME], cwd=weights, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda folder: (folder / "b.onnx").write_bytes(b"b.onny"), ["b.onnx"]),
        (lambda folder: (folder / "b.onnx").unlink(), ["b.onnx"]),
        (lambda folder: (folder / "c.onnx").write_bytes(b"more"), ["c.onnx"]),
        (lambda folder: (folder / sums.NAME).unlink(), [sums.NAME]),
        (lambda folder: (folder / sums.NAME).write_bytes(b"\xff\xfe\x00"), [sums.NAME]),
        (lambda folder: (folder / sums.NAME).write_text(""), ["a.onnx", "b.onnx"]),
        (lambda folder: (folder / sums.NAME).write_text("\n\nnonsense\n" + sums.sums_of(folder)), [sums.NAME]),
    ],
)
def test_every_difference_is_named(weights: Path, spoil: object, named: list[str]) -> None:
    spoil(weights)  # type: ignore[operator]
    assert sums.changed(weights) == named
