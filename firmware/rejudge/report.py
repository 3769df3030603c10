"""What changed, as tables: items, changes and hard readings, into CSV or Parquet. The only importer of pyarrow.

Rows stand in the order of the items, so two runs over the same archive write the same bytes, however many workers they
had.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from firmware.config import ConfigError
from firmware.journal.chain import canonical
from firmware.journal.names import counted

from .judge import Hard, Outcome
from .told import Change

Row = Mapping[str, Any]

#: Each table's columns and what they hold.
ITEMS: dict[str, type] = {
    "item": str, "kind": str, "game": str, "deals": int, "entries": int, "rulings": int, "proofs": int, "unread": int,
    "changed_readings": int, "changed_rulings": int, "changed_proofs": int, "changed_results": int,
    "changed_ledgers": int, "hard": int, "result": str, "trouble": str,
}  # fmt: skip
_TYPES: dict[str, type] = {"int": int, "float": float, "bool": bool, "str": str}
CHANGES: dict[str, type] = {"item": str, "game": str} | {f.name: _TYPES[str(f.type)] for f in fields(Change)}
HARD: dict[str, type] = {"item": str, "game": str} | {f.name: _TYPES[str(f.type)] for f in fields(Hard)}


def item_row(outcome: Outcome) -> dict[str, Any]:
    """An outcome as one row."""
    counts = Counter(change["what"] for change in outcome.changes)
    same = ("item", "kind", "game", "deals", "entries", "rulings", "proofs", "unread", "trouble")
    changed = {f"changed_{what}s": counts[what] for what in ("reading", "ruling", "proof", "result", "ledger")}
    told = {name: getattr(outcome, name) for name in same}
    return {**told, **changed, "hard": len(outcome.hard), "result": canonical(outcome.result)}


def writer_of(form: str) -> Callable[[Path, Mapping[str, type], Iterable[Row]], None]:
    """What writes a table as ``csv`` or ``parquet``.

    :raises ConfigError: if the library for it is not installed.
    """
    if form == "csv":
        return _csv
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise ConfigError("Parquet needs a library that is not installed: pip install 'cardtable[club]'") from None
    arrow = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}

    def write(path: Path, columns: Mapping[str, type], rows: Iterable[Row]) -> None:
        schema = pyarrow.schema([(name, arrow[kind]) for name, kind in columns.items()])
        table = pyarrow.Table.from_pylist([{name: row[name] for name in columns} for row in rows], schema=schema)
        parquet.write_table(table, path)

    return write


def write_report(folder: Path, outcomes: Sequence[Outcome], form: str) -> list[Path]:
    """Write the three tables into ``folder``; their files."""
    write = writer_of(form)
    tables = (
        ("items", ITEMS, map(item_row, outcomes)),
        ("changes", CHANGES, _each(outcomes, "changes")),
        ("hard", HARD, _each(outcomes, "hard")),
    )
    paths = []
    for name, columns, rows in tables:
        path = folder / f"{name}.{form}"
        part = path.with_suffix(".part")
        write(part, columns, rows)
        part.replace(path)
        paths.append(path)
    return paths


def _csv(path: Path, columns: Mapping[str, type], rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(columns), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def _each(outcomes: Iterable[Outcome], name: str) -> Iterator[Row]:
    for outcome in outcomes:
        for row in getattr(outcome, name):
            yield {"item": outcome.item, "game": outcome.game, **row}


def summary(outcomes: Sequence[Outcome]) -> list[str]:
    """What people read at the end."""
    rows = list(map(item_row, outcomes))
    changed = [row for row in rows if any(row[name] for name in row if name.startswith("changed_"))]
    amiss = sum(bool(row["trouble"]) for row in rows)
    lines = [f"{counted(len(rows) - amiss, 'item')} judged again, {len(changed)} not as before"]
    for what in ("reading", "ruling", "proof", "result", "ledger"):
        if total := sum(row[f"changed_{what}s"] for row in rows):
            lines.append(f"  {counted(total, what)} changed")
    if hard := sum(row["hard"] for row in rows):
        lines.append(f"  {counted(hard, 'hard reading')} for training")
    if amiss:
        lines.append(f"{counted(amiss, 'item')} could not be judged:")
    lines += [f"  {row['item']}: {row['trouble']}" for row in rows if row["trouble"]]
    return lines
