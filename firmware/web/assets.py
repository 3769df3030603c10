"""The page's own files, read once at the start: an address can only ever name one of them."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from pathlib import Path

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it is sent: its type, its bytes as they are and packed, and a tag that changes with them."""

    media_type: str
    data: bytes
    packed: bytes
    tag: str


def load(folder: Path = Path(__file__).parent / "static") -> dict[str, Asset]:
    """All files under ``folder`` whose type is known, by their path with slashes.

    :raises FileNotFoundError: if the page itself is missing from the installation.
    """
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.suffix in TYPES}
    if "index.html" not in files:
        raise FileNotFoundError(f"{folder}: the page's files are missing; install cardtable again")
    return {name: _asset(path) for name, path in files.items()}


def _asset(path: Path) -> Asset:
    data = path.read_bytes()
    tag = f'"{hashlib.sha256(data).hexdigest()[:20]}"'
    return Asset(TYPES[path.suffix], data, gzip.compress(data, mtime=0), tag)
