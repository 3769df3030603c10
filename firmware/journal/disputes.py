"""Disputes at the table: who asked, about which entry, how it ended; every step a line of the log.

What the game does about a correction is the referee's business (`Corrected` and `Inserted` facts, appended by the
caller); here stands that there was a dispute and how people settled it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from .errors import BadEntry
from .journal import Journal
from .lines import Line, LineKind, Remark


class Outcome(StrEnum):
    """How a dispute ends."""

    STANDS = "stands"  # the table lets the ruling stand
    CORRECTED = "corrected"  # an entry was corrected; the correction is an entry of its own
    AGREED = "agreed"  # settled by agreement, whatever the referee says


@dataclass(frozen=True, slots=True)
class Dispute:
    """A dispute: its number in the session, about which entry, who asked and why, and how it ended (or not yet)."""

    number: int
    deal: int
    entry: int
    by: str
    why: str
    outcome: Outcome | None = None
    settled_by: str = ""
    settled_why: str = ""
    correction: int | None = None


def open_dispute(journal: Journal, session_id: str, entry: int, by: str, why: str, *, deal: int = 1) -> Dispute:
    """Write that somebody disputes an entry; its pictures are kept from now on.

    :raises BadEntry: if there is no such entry.
    """
    journal.entry(session_id, entry, deal=deal)
    number = len(disputes(journal, session_id)) + 1
    journal.remark(session_id, Remark.DISPUTE_OPENED, deal=deal, dispute=number, entry=entry, by=by, why=why)
    return Dispute(number, deal, entry, by, why)


def close_dispute(
    journal: Journal,
    session_id: str,
    dispute: int,
    outcome: Outcome,
    by: str,
    why: str,
    *,
    correction: int | None = None,
) -> Dispute:
    """Write how a dispute ended. ``correction``: the number of the entry that corrects, for `Outcome.CORRECTED`.

    :raises BadEntry: if there is no such open dispute, or a correction is not named.
    """
    found = next((d for d in disputes(journal, session_id) if d.number == dispute), None)
    if found is None or found.outcome is not None:
        raise BadEntry(f"session {session_id} has no open dispute {dispute}")
    if (outcome is Outcome.CORRECTED) != (correction is not None):
        raise BadEntry("a dispute that ends with a correction names the entry that corrects, no other does")
    data: dict[str, object] = {
        "dispute": dispute,
        "outcome": outcome.value,
        "by": by,
        "why": why,
        "correction": correction,
    }
    journal.remark(session_id, Remark.DISPUTE_CLOSED, deal=found.deal, **data)
    return _closed(found, data)


def disputes(journal: Journal, session_id: str) -> list[Dispute]:
    """All disputes of a session in order, open and settled."""
    found: dict[int, Dispute] = {}
    for line in journal.lines(session_id):
        if line.kind is not LineKind.NOTE:
            continue
        if line.body.get("code") == Remark.DISPUTE_OPENED:
            one = _opened(line)
            found[one.number] = one
        elif line.body.get("code") == Remark.DISPUTE_CLOSED:
            number = line.body["dispute"]
            found[number] = _closed(found[number], line.body)
    return list(found.values())


def _opened(line: Line) -> Dispute:
    body = line.body
    return Dispute(body["dispute"], line.deal, body["entry"], body["by"], body["why"])


def _closed(dispute: Dispute, body: Mapping[str, object]) -> Dispute:
    correction = body["correction"]
    return replace(
        dispute,
        outcome=Outcome(str(body["outcome"])),
        settled_by=str(body["by"]),
        settled_why=str(body["why"]),
        correction=correction if isinstance(correction, int) else None,
    )
