"""The weights' checksums: ``python -m models.sums`` writes SHA256SUMS beside them, `changed` compares.

In the format of sha256sum(1): ``sha256sum --check SHA256SUMS`` says the same.  Run it after every export and
calibration; a test fails until then.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent
NAME: Final = "SHA256SUMS"


def sums_of(folder: Path = FOLDER) -> str:
    """The sums of all weights in ``folder``, a line each, in the order of their names."""
    return "".join(f"{_digest(path)}  {path.name}\n" for path in sorted(folder.glob("*.onnx")))


def changed(folder: Path = FOLDER) -> list[str]:
    """Weights that are not as ``SHA256SUMS`` says, missing or not named there; that file itself if it is gone.

    A line that is none counts as a change of the file that it should have named.
    """
    try:
        text = (folder / NAME).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return [NAME]
    wanted = {name.lstrip(" *"): digest for digest, _, name in (line.partition(" ") for line in text.splitlines())}
    found = {path.name: _digest(path) for path in folder.glob("*.onnx")}
    return sorted(name or NAME for name in {*wanted, *found} if wanted.get(name) != found.get(name))


def write(folder: Path = FOLDER) -> Path:
    """Write the sums of the weights as they are now; the file."""
    path = folder / NAME
    path.write_text(sums_of(folder), encoding="ascii")
    return path


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    print(write().read_text(), end="")
