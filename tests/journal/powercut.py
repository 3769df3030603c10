"""Disks that a power cut could leave: every change to files is written down, and the unflushed ones are lost at will.

A child streams facts with powercut.c loaded, which writes down creations, writes, truncations, flushes, renames and
removals in order. `Disk` plays them back: what was flushed is there; of what was not, each write may be there or not,
the last one torn between sectors; names count only once their folder was flushed, except for a part of the newest.
Stricter than any journaling file system.

    python -m tests.journal.powercut FOLDER FACTS       the child: data in FOLDER/data, lamps in FOLDER/lamp
"""

from __future__ import annotations

import os
import random
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from firmware.journal.journal import Journal

from .tools import HEADER, laid, picture

SECTOR = 512
SESSION_FACTS = 12
_HEAD = struct.Struct("<IIQQQ")


@dataclass(frozen=True)
class Change:
    """One recorded change. ``op``: c, w, t, s, r, u or m as in powercut.c."""

    op: str
    inode: int
    path: str
    offset: int
    data: bytes


def read_trace(path: Path) -> Iterator[Change]:
    raw = path.read_bytes()
    at = 0
    while at < len(raw):
        op, path_bytes, inode, offset, data_bytes = _HEAD.unpack_from(raw, at)
        at += _HEAD.size
        name = raw[at : at + path_bytes].decode()
        at += path_bytes
        yield Change(chr(op), inode, name, offset, raw[at : at + data_bytes])
        at += data_bytes


@dataclass
class File:
    """A file's flushed bytes, and the changes since."""

    flushed: bytes = b""
    pending: list[Change] = field(default_factory=list)

    def apply(self, content: bytearray, change: Change, length: int | None = None) -> None:
        if change.op == "t":
            del content[change.offset :]
            content.extend(bytes(change.offset - len(content)))
            return
        data = change.data if length is None else change.data[:length]
        if len(content) < change.offset:
            content.extend(bytes(change.offset - len(content)))
        content[change.offset : change.offset + len(data)] = data

    def flush(self) -> None:
        content = bytearray(self.flushed)
        for change in self.pending:
            self.apply(content, change)
        self.flushed, self.pending = bytes(content), []

    def after_cut(self, rng: random.Random) -> bytes:
        content = bytearray(self.flushed)
        how = rng.choice(("none", "all", "first", "some"))
        until = rng.randrange(len(self.pending) + 1)
        for place, change in enumerate(self.pending):
            if how == "none" or (how == "first" and place > until) or (how == "some" and rng.random() < 0.5):
                continue
            torn = how == "first" and place == until
            self.apply(content, change, rng.randrange(0, len(change.data) + SECTOR, SECTOR) if torn else None)
        return bytes(content)


@dataclass
class Disk:
    """The disk while the changes are played; `after_cut` writes one that a power cut now could leave."""

    files: dict[int, File] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    flushed_names: dict[str, int] = field(default_factory=dict)
    flushed_folders: set[str] = field(default_factory=set)
    pending_names: list[Change] = field(default_factory=list)
    lamps: list[tuple[str, int]] = field(default_factory=list)

    def play(self, change: Change) -> None:
        if change.path.endswith("/lamp"):
            if change.op == "w":
                session, number = change.data.decode().split()
                self.lamps.append((session, int(number)))
            return
        match change.op:
            case "w" | "t":
                self.files.setdefault(change.inode, File()).pending.append(change)
            case "s" if change.path in self.folders:
                self._flush_folder(change.path)
            case "s":
                self.files.setdefault(change.inode, File()).flush()
            case _:
                if change.op == "c":
                    self.files[change.inode] = File()
                if change.op == "r":
                    change = replace(change, inode=self.names[change.path])
                _rename(self.names, self.folders, change)
                self.pending_names.append(change)

    def _flush_folder(self, folder: str) -> None:
        still = []
        for change in self.pending_names:
            # a name that moves is durable with the folder it moves to
            if os.path.dirname(change.data.decode() if change.op == "r" else change.path) == folder:
                _rename(self.flushed_names, self.flushed_folders, change)
            else:
                still.append(change)
        self.pending_names = still

    def after_cut(self, root: str, target: Path, rng: random.Random) -> None:
        names, folders = dict(self.flushed_names), set(self.flushed_folders)
        for change in self.pending_names[: rng.randrange(len(self.pending_names) + 1)]:
            _rename(names, folders, change)
        target.mkdir(parents=True)
        for folder in sorted(folders):
            (target / os.path.relpath(folder, root)).mkdir(parents=True, exist_ok=True)
        for name, inode in names.items():
            path = target / os.path.relpath(name, root)
            if path.parent.is_dir():
                path.write_bytes(self.files.get(inode, File()).after_cut(rng))


def _rename(names: dict[str, int], folders: set[str], change: Change) -> None:
    match change.op:
        case "c":
            names[change.path] = change.inode
        case "m":
            folders.add(change.path)
        case "r":
            names.pop(change.path, None)
            names[change.data.decode()] = change.inode
        case "u":
            names.pop(change.path, None)


def stream(folder: Path, facts: int) -> None:
    """The child: sessions of a few facts, each with its lamp."""
    lamp = os.open(folder / "lamp", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    with Journal.open(folder / "data") as journal:
        session, number = journal.begin(HEADER), 0
        for count in range(facts):
            if number == SESSION_FACTS:
                journal.end(session, {"winner": "Ann"})
                session, number = journal.begin(HEADER), 0
            journal.append(session, laid(number), [picture(f"{count}-{view}", 1_500) for view in range(count % 3)])
            os.write(lamp, f"{session} {number}\n".encode())
            number += 1


if __name__ == "__main__":
    stream(Path(sys.argv[1]), int(sys.argv[2]))
