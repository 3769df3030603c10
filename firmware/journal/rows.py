"""What a line means for the tables: everything in the database is told from the lines, here and nowhere else."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from firmware.referee.rulings import Kind, Ruling

from .chain import canonical, genesis, parsed
from .disputes import OPENED, entry_of
from .lines import Line, LineKind, Remark, Sealed, SessionHeader, is_int
from .store import RulingRow

Execute = Callable[..., sqlite3.Cursor]

#: A long press (or a note of the page) calls the referee because of what was just done: so many entries before it
#: count as disputed.
CALLED_BACK = 2

#: Rulings whose entries are evidence in a dispute.
_EVIDENCE_KINDS = (Kind.PROVED, Kind.CONFLICT)


def add_session(execute: Execute, number: int, session_id: str, first: Line) -> None:
    """A session that has no lines yet; ``first`` is the begin line that comes next.

    What is left in the tables of one with this number that is no longer listed is in its way, and goes.
    """
    header = SessionHeader.from_json(first.body)
    drop_session(execute, number)
    execute(
        "INSERT INTO session(number, id, game, started_ns, head, club) VALUES (?, ?, ?, ?, ?, ?)",
        (number, session_id, header.game, first.stamp.wall_ns, bytes.fromhex(genesis(session_id)), header.club),
    )
    for seat, name in enumerate(header.seats, start=1):
        execute("INSERT INTO seat VALUES (?, ?, ?, ?)", (number, seat, name, folded(name)))


def folded(name: str) -> str:
    """A player's name as it is searched: case and outer spaces do not matter."""
    return " ".join(name.split()).casefold()


def add_line(execute: Execute, session: int, line: Line, sealed: Sealed, sizes: Mapping[str, int]) -> None:
    """Add the next line of a session and all that follows from it. ``sizes``: bytes of its pictures by hash."""
    entry = line.body.get("number") if line.kind is LineKind.FACT else None
    execute(
        "INSERT INTO line VALUES (?, ?, ?, ?, ?, ?, ?)",
        (session, line.seq, line.kind.value, line.deal, entry, sealed.text, bytes.fromhex(sealed.hash)),
    )
    _add_photos(execute, session, line, sizes)
    execute(
        "UPDATE session SET lines = lines + 1, entries = entries + ?, ended = max(ended, ?), "
        "uncertain = max(uncertain, ?), disputes = disputes + ?, head = ? WHERE number = ?",
        (
            entry is not None,
            line.kind is LineKind.END,
            sets_the_clock(line),
            is_dispute(line),
            bytes.fromhex(sealed.hash),
            session,
        ),
    )
    _keep_in_dispute(execute, session, line.deal, disputed_entries(line))


def _add_photos(execute: Execute, session: int, line: Line, sizes: Mapping[str, int]) -> None:
    for place, name in enumerate(line.photos):
        digest = bytes.fromhex(name)
        execute(
            "INSERT INTO photo VALUES (?, ?, 0) ON CONFLICT(hash) DO UPDATE SET gone = 0, bytes = excluded.bytes",
            (digest, sizes.get(name, 0)),
        )
        execute("INSERT INTO evidence VALUES (?, ?, ?, ?)", (session, line.seq, place, digest))
    for name in removed_photos(line):
        execute("UPDATE photo SET gone = 1 WHERE hash = ?", (bytes.fromhex(name),))


def removed_photos(line: Line) -> tuple[str, ...]:
    """The pictures that a remark says were removed on purpose."""
    if line.kind is LineKind.NOTE and line.body.get("code") in (Remark.THINNED, Remark.FORGOTTEN):
        return tuple(line.body.get("photos", ()))
    return ()


def sets_the_clock(line: Line) -> bool:
    """Whether a remark says that the wall clock was set: the session's times are uncertain."""
    return line.kind is LineKind.NOTE and line.body.get("code") == Remark.CLOCK_STEP


def is_dispute(line: Line) -> bool:
    """Whether people disputed something here: they called the referee, or had an entry corrected."""
    if line.kind is not LineKind.FACT:
        return False
    fact = line.body["fact"]
    match fact.get("fact"):
        case "corrected" | "inserted":
            return True
        case "pressed":
            return bool(fact.get("press") == "long")
        case "note":
            return bool(fact.get("code") == OPENED)
        case _:
            return False


def disputed_entries(line: Line) -> tuple[int, ...]:
    """The entries that a line calls into question, of its own deal."""
    body = line.body
    if line.kind is not LineKind.FACT:
        return ()
    number, fact = body["number"], body["fact"]
    match fact.get("fact"):
        case "corrected":
            return (fact["target"], number)
        case "inserted":
            return (fact["before"], number)
        case "conflict":
            return (*fact["entries"], number)
        case "pressed" if fact.get("press") == "long":
            return _called_about(number)
        case "note" if fact.get("code") == OPENED:
            named = entry_of(fact.get("words", ""))
            return (*_called_about(number), *([] if named is None else [named]))
        case _:
            return ()


def _called_about(number: int) -> tuple[int, ...]:
    """The entries that the referee was probably called for in entry ``number``."""
    return tuple(range(max(0, number - CALLED_BACK), number + 1))


def add_rulings(execute: Execute, session: int, deal: int, entry: int, rulings: Iterable[Ruling]) -> None:
    """Keep what the referee said about an entry, for readers; said again, it replaces what was kept."""
    for ruling in rulings:
        put_ruling(execute, session, ruling_row(deal, entry, ruling))


def ruling_row(deal: int, entry: int, ruling: Ruling) -> RulingRow:
    """A ruling as it is kept."""
    return RulingRow(deal, ruling.id, entry, ruling.kind.value, ruling.code, canonical(ruling.to_json()))


def put_ruling(execute: Execute, session: int, row: RulingRow) -> None:
    """Keep a ruling, and mark the entries on which it stands if their proof must be kept."""
    values = (session, row.deal, row.id, row.entry, row.kind, row.code, row.text)
    execute("INSERT OR REPLACE INTO ruling VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    _keep_in_dispute(execute, session, row.deal, evidence_of(row))


def kept_ruling(row: RulingRow) -> Mapping[str, Any]:
    """A kept ruling; whatever somebody has put in its place comes under the key ``changed``."""
    try:
        ruling = parsed(row.text)
    except ValueError:
        ruling = None
    sound = isinstance(ruling, dict) and (ruling.get("ruling"), ruling.get("code")) == (row.kind, row.code)
    return ruling if sound else {"changed": row.text, "kind": row.kind, "code": row.code}


def evidence_of(row: RulingRow) -> set[int]:
    """The entries on which a ruling stands whose proof must be kept; none for most rulings."""
    if row.kind not in _EVIDENCE_KINDS:
        return set()
    named = kept_ruling(row).get("entries", [])
    return {row.entry, *(entry for entry in named if is_int(entry))} if isinstance(named, list) else {row.entry}


def _keep_in_dispute(execute: Execute, session: int, deal: int, entries: Iterable[int]) -> None:
    """Mark entries whose pictures are never thinned: they were disputed, or a ruling stands on them."""
    for entry in entries:
        execute("INSERT OR IGNORE INTO dispute VALUES (?, ?, ?)", (session, deal, entry))


def rulings_seal(rulings: Sequence[RulingRow]) -> dict[str, Any]:
    """How many rulings a session had, and one hash over all of them: it goes into the log's last line."""
    text = canonical([[r.deal, r.id, r.entry, r.text] for r in rulings])
    return {"count": len(rulings), "sha256": hashlib.sha256(text.encode()).hexdigest()}


def drop_session(execute: Execute, session: int) -> None:
    """Take a session out of the tables, to be put in again from its lines."""
    for table in ("line", "seat", "ruling", "evidence", "dispute", "told"):
        execute(f"DELETE FROM {table} WHERE session = ?", (session,))
    execute("DELETE FROM session WHERE number = ?", (session,))


def json_value(value: Any) -> Any:
    """A result or remark as the log can keep it.

    :raises ValueError: if it is not made of plain JSON values.
    """
    try:
        canonical(value)
    except TypeError as error:
        raise ValueError(f"cannot be written to the log: {error}") from None
    return value
