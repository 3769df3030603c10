"""What there is to judge again below some folders: recordings, and the sessions of journals. Opens nothing to write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from firmware.config import ConfigError
from firmware.journal.journal import Journal
from firmware.journal.store import NAME as DATABASE

#: What makes a folder a recording (the table contract).
_RECORDING = ("table.toml", "game.toml")
#: The files of a recording that are opened; frames may lie in a folder of their own.
_FILES = (*_RECORDING, "presses.jsonl", "video.mp4", "frames.csv", "frames")


class ItemKind(StrEnum):
    """What an item is."""

    RECORDING = "recording"
    SESSION = "session"


@dataclass(frozen=True, slots=True)
class Item:
    """One recording, or one session of a journal in ``folder``.

    ``mark`` changes when the item does: it tells whether a former judgement still holds. ``trouble``: why it cannot
    even be looked at; it is reported, and the others are judged.
    """

    kind: ItemKind
    folder: str
    session: str
    mark: str
    trouble: str = ""

    @property
    def name(self) -> str:
        """How reports call it."""
        return f"{self.folder}:{self.session}" if self.session else self.folder


def find_items(folders: Sequence[Path]) -> list[Item]:
    """Every recording and session below these folders, each once, in the order of their names.

    They are named from the root, so that a worker that was started elsewhere finds them, too.

    :raises ConfigError: if a folder is missing, or holds nothing of ours.
    """
    found: dict[str, Item] = {}
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f"{folder}: no such folder; name recordings, journals, or a folder with some of them")
        items = {item.name: item for item in _below(folder.absolute())}
        if not items:
            raise ConfigError(f"{folder}: neither a recording (table.toml, game.toml) nor a journal ({DATABASE})")
        found |= items
    return [found[name] for name in sorted(found)]


def _below(folder: Path) -> Iterator[Item]:
    kind = ItemKind.RECORDING
    try:
        if all((folder / name).is_file() for name in _RECORDING):
            yield Item(kind, str(folder), "", _mark(folder))
            return
        if (folder / DATABASE).is_file():
            kind = ItemKind.SESSION
            yield from _sessions(folder)
            return
        inner = sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    except OSError as error:
        words = f"{folder}: {error.strerror.lower()}" if error.strerror else " ".join(str(error).split())
        yield Item(kind, str(folder), "", "", words)
        return
    for one in inner:
        yield from _below(one)


def _sessions(folder: Path) -> list[Item]:
    """The sessions of a journal.

    :raises OSError: if it cannot be read.
    """
    if not (folder / DATABASE).stat().st_size:  # opened without complaint, and without a session (E02)
        raise OSError(f"{folder / DATABASE}: is empty: `cardtable repair` rebuilds it from what lies beside it")
    with Journal.open(folder, read_only=True) as journal:
        return [
            Item(ItemKind.SESSION, str(folder), one.row.id, f"{one.row.lines}-{one.row.head}")
            for one in journal.sessions()
        ]


def _mark(folder: Path) -> str:
    files = [folder / name for name in _FILES if (folder / name).exists()]
    return " ".join(f"{path.name}:{path.stat().st_size}:{path.stat().st_mtime_ns}" for path in files)
