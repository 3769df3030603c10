"""What `cardtable repair` does beyond a start: every session looked at, and told again where only its lists are wrong.

What stands in the logs is never touched here; what cannot be put right is named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict

from .errors import NoSuchSession
from .journal import Journal
from .names import counted
from .recover import Repairs, agree, relist, set_aside
from .spare import safe_name
from .store import SessionRow
from .verify import Fault, Finding, log_findings

#: Findings that a session's own lines put right.
_TOLD_AGAIN = {Fault.LIST, Fault.RULING}


def mend(journal: Journal) -> Iterator[str]:
    """Look at every session, oldest first; a line for each thing that was done, and one for what is there now.

    :raises JournalError: if the disk cannot be written.
    """
    said = list(journal.notices)
    yield from said
    rows, wrong = journal.store.sessions()[::-1], 0
    for row in rows:
        new = [words for words in _mended(journal, row) if words not in said]
        said += new
        yield from new
        wrong += bool(findings := _left(journal, row.id))
        if findings:
            more = f" (and {counted(len(findings) - 1, 'more thing')})" if len(findings) > 1 else ""
            yield f"session {row.id} cannot be put right: {findings[0].words}{more}; see `cardtable verify {row.id}`"
    here = journal.store.sessions()
    state = f"{wrong} of them not whole" if wrong else "all logs and lists whole"
    counts = f"{counted(len(here), 'session')} with {sum(row.entries for row in here)} entries, {state}"
    yield counts if said or wrong else f"{journal.folder}: nothing to repair: {counts}"


def _left(journal: Journal, session_id: str) -> tuple[Finding, ...]:
    """What is wrong with a session now; nothing if it was taken out."""
    with suppress(NoSuchSession):
        return log_findings(journal, session_id)
    return ()


def _mended(journal: Journal, row: SessionRow) -> Iterator[str]:
    repairs, wall_ns = Repairs(), journal.present().wall_ns
    agree(journal.store, journal.places, row.id, repairs, wall_ns)
    yield from repairs.words
    findings = _left(journal, row.id)
    if not findings or not {finding.fault for finding in findings} <= _TOLD_AGAIN:
        return
    kept = [line.sealed for line in journal.store.lines(row.number)]
    rulings = journal.store.rulings(row.number)
    relist(journal.store, journal.photos, row, kept)
    words = f"session {row.id}: its lists were told again from its log ({findings[0].words})"
    if journal.store.rulings(row.number) != rulings:
        aside = set_aside(journal.folder, [], wall_ns)
        text = json.dumps([asdict(ruling) for ruling in rulings], indent=1)
        (aside / f"{safe_name(row.id)}-rulings.json").write_text(text, encoding="utf-8", errors="backslashreplace")
        words += f"; the rulings that stood there were written to {aside}"
    yield words
