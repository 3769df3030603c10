"""A session taken out of the journal: JSON, CSV, one HTML page to print (page.py), or a ZIP that can be imported."""

from __future__ import annotations

import csv
import io
import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from firmware.referee.events import to_json

from .chain import head_code
from .errors import JournalError, from_os
from .guard import sync_folder
from .journal import Journal
from .listing import iso
from .page import page
from .report import Story, Told, story
from .rows import kept_ruling, removed_photos
from .spare import safe_name, spare_row
from .verify import doubted_pictures

#: What an exported file says it is; a reader refuses another one.
FORMAT = "card table session 1"

MANIFEST, LOG, RULINGS, PICTURES, README = "manifest.json", "session.jsonl", "rulings.json", "pictures/", "README.txt"

_README = """A session of Card Table.

session.jsonl   the log, one JSON object a line: {"hash": ..., "line": {...}}. Each hash is the sha256 of the hash
                before it (as bytes; before the first: sha256 of "card table session " and the id) and the line's text
                with sorted keys and no spaces. Nobody can change, add or take out a line without changing all after.
pictures/       the evidence, each file named by the sha256 of its bytes; lines name their pictures in "photos".
rulings.json    what the referee said (it follows from the log).
manifest.json   the session's id and the hash of its last line.

`cardtable import FILE` puts it into another journal, `cardtable verify ID` checks it.
"""


class Format(StrEnum):
    """What a session can be exported as."""

    JSON = "json"
    CSV = "csv"
    HTML = "html"
    ZIP = "zip"


#: The formats that take the pictures along.
WITH_PICTURES = (Format.HTML, Format.ZIP)


def export_session(
    journal: Journal, session_id: str, form: Format, target: Path | None = None, *, force: bool = False
) -> Path:
    """Export a session into a file, ``cardtable-<id>.<format>`` in this folder unless given; the file's path.

    :raises NoSuchSession: if there is none.
    :raises JournalError: if the file cannot be written, or is there already and ``force`` is not given.
    """
    path = target or Path(f"cardtable-{safe_name(journal.session(session_id).id)}.{form.value}")
    if not force and os.path.lexists(path):
        raise JournalError(f"{path}: is there already: name another with --to, or give --force")
    _write(path, exported(journal, session_id, form))
    return path


def exported(journal: Journal, session_id: str, form: Format) -> bytes:
    """A session as the bytes of one file.

    :raises NoSuchSession: if there is none.
    """
    match form:
        case Format.JSON:
            return json.dumps(export_json(journal, session_id), ensure_ascii=False, indent=1).encode("utf-8", "replace")
        case Format.CSV:
            return export_csv(journal, session_id).encode("utf-8-sig", "replace")
        case Format.HTML:
            return export_html(journal, session_id).encode("utf-8", "replace")
        case Format.ZIP:
            return export_zip(journal, session_id)


def export_json(journal: Journal, session_id: str) -> dict[str, Any]:
    """A session as one JSON object: header, every line with its hash, rulings, results, sums, transfers."""
    tale = story(journal, session_id)
    row = tale.row
    kept = [line.sealed for line in journal.store.lines(row.number)]
    return {
        "format": FORMAT,
        "id": row.id,
        "started": iso(row.started_ns),
        "time_uncertain": row.uncertain,
        "doubt": tale.doubt,
        "header": tale.header.to_json(),
        "lines": [{"hash": sealed.hash, "line": json.loads(sealed.text)} for sealed in kept],
        "rulings": [{"deal": kept.deal, **kept_ruling(kept)} for kept in journal.rulings(row.id)],
        "results": list(tale.results),
        "settlement": tale.settlement.to_json(),
        "head": row.head,
        "head_code": head_code(row.head),
    }


_COLUMNS = (
    *("session", "deal", "entry", "t", "utc", "fact", "seat", "player", "card", "zone"),
    *("confidence", "source", "words", "rulings", "corrected", "photos"),
)


def export_csv(journal: Journal, session_id: str) -> str:
    """A session as a table, one entry a row, that spreadsheets open without running anything in it."""
    tale = story(journal, session_id)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    writer.writerows([_harmless(cell) for cell in _cells(tale, told)] for told in tale.told)
    return out.getvalue()


def _cells(tale: Story, told: Told) -> Iterator[str]:
    entry, fact = told.entry, to_json(told.entry.fact)
    seat = fact.get("seat") or fact.get("to")
    player = tale.names[seat - 1] if isinstance(seat, int) and 0 < seat <= len(tale.names) else ""
    yield from (tale.row.id, str(told.deal), str(entry.number), f"{entry.t:.2f}", iso(told.line.stamp.wall_ns))
    yield from (fact["fact"], str(seat or ""), player, str(fact.get("card") or ""), str(fact.get("zone") or ""))
    yield from (f"{entry.confidence:.3f}", entry.source, told.words)
    yield "; ".join(said.words for said in told.said)
    yield "yes" if told.struck else ""
    yield " ".join(entry.photos)


def _harmless(cell: str) -> str:
    """A cell that a spreadsheet does not take for a formula, whatever a player is called."""
    return f"'{cell}" if cell[:1] in "=+-@\t\r" and cell else cell


def export_html(journal: Journal, session_id: str, *, whole_views: bool = False) -> str:
    """A session as one HTML file with its pictures in it; the small whole views too if wanted."""
    tale = story(journal, session_id)
    shown = (name for told in tale.told for name in told.entry.photos)
    doubt = tale.doubt or doubted_pictures(journal, tale.row.id, shown)
    return page(replace(tale, doubt=doubt), journal.photos.get, whole_views=whole_views)


def export_zip(journal: Journal, session_id: str) -> bytes:
    """A session with its pictures as a ZIP file that `importing.import_zip` takes; the same bytes every time."""
    row = journal.session(session_id)
    lines = list(journal.lines(row.id))
    removed = {name for line in lines for name in removed_photos(line)}
    named = sorted({name for line in lines for name in line.photos} - removed)
    rulings = [[r.deal, r.id, r.entry, r.kind, r.code, r.text] for r in journal.rulings(row.id)]
    manifest = {"format": FORMAT, "id": row.id, "game": row.game, "head": row.head, "head_code": head_code(row.head)}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        _add(archive, README, _README.encode())
        _add(archive, MANIFEST, json.dumps(manifest, indent=1).encode())
        _add(archive, LOG, b"".join(spare_row(kept.sealed) for kept in journal.store.lines(row.number)))
        _add(archive, RULINGS, json.dumps(rulings).encode())
        for name in named:
            if (data := journal.photos.get(name)) is not None:
                _add(archive, f"{PICTURES}{name}.jpg", data, zipfile.ZIP_STORED)
    return out.getvalue()


def _add(archive: zipfile.ZipFile, name: str, data: bytes, method: int = zipfile.ZIP_DEFLATED) -> None:
    info = zipfile.ZipInfo(name)
    info.compress_type = method
    info.external_attr = 0o644 << 16
    archive.writestr(info, data)


def _write(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
        sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise from_os(error, path) from None
