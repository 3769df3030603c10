"""Is a session's log what was written at the table? Every way in which it is not, by line and entry.

Four things are held against one another: the hash chain in the database, the same chain in the spare log, what the
tables say beside the lines (every column that rows.py tells from a line), and the picture files. A log rewritten
everywhere with a new chain is still found by the short code that somebody wrote down (`Report.code`), also one written
down earlier in the evening.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .chain import genesis, head_code, is_code, link, same_code, slips
from .errors import BadEntry, NoSuchSession
from .lines import Line, LineKind, Remark, Sealed, SessionHeader, read_line
from .names import as_text, counted, visible
from .photos import is_name
from .replay import changed_rulings
from .rows import (
    disputed_entries,
    evidence_of,
    folded,
    is_dispute,
    kept_ruling,
    removed_photos,
    rulings_seal,
    sets_the_clock,
)
from .store import LineRow, PhotoRow, RulingRow, SessionRow, Store

if TYPE_CHECKING:
    from .journal import Journal


#: A code with no more wrong characters than this was probably only copied wrongly.
MISTYPED_CHARS = 2

#: How often, and with what pause in seconds, two logs of a game that goes on are looked at until they have the same
#: length: ten flushes of a slow card.
_LOOKS, _PAUSE_S = 10, 0.05


class Fault(StrEnum):
    """What is wrong."""

    CHANGED = "changed"  # a line does not have the hash that was written with it
    MISSING = "missing"  # a line is not there
    ADDED = "added"  # a line that was never written by the journal
    ORDER = "order"  # a line stands in another's place
    DIFFERS = "differs"  # the database and the spare log say different things
    LIST = "list"  # what the tables say beside the lines is not what the lines say
    PHOTO_MISSING = "photo_missing"
    PHOTO_CHANGED = "photo_changed"
    RULING = "ruling"  # a kept ruling is not what the referee says to this log
    CODE = "code"  # the code written down was never this log's


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: what, where (a line's ``seq``, an ``entry``), and in words."""

    fault: Fault
    words: str
    seq: int | None = None
    entry: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"fault": self.fault.value, "line": self.seq, "entry": self.entry, "words": self.words}


@dataclass(frozen=True, slots=True)
class Report:
    """What `verify` found: the session is whole when there are no findings. ``code`` is the head in short form."""

    session: str
    findings: tuple[Finding, ...]
    lines: int
    entries: int
    photos: int
    removed: int
    code: str
    since_code: int | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    def to_json(self) -> dict[str, Any]:
        """The object that ``cardtable verify --json`` prints."""
        return {
            "id": self.session,
            "whole": self.whole,
            "lines": self.lines,
            "entries": self.entries,
            "photos": self.photos,
            "photos_removed": self.removed,
            "head": self.code,
            "findings": [finding.to_json() for finding in self.findings],
        }

    def text(self) -> str:
        """The report as a person would read it."""
        counts = f"{self.entries} entries, {self.photos} pictures"
        if self.removed:
            counts += f" ({self.removed} more were removed on purpose, as the log says)"
        if not self.whole:
            found = [f"  - {finding.words}" for finding in self.findings]
            return as_text([f"Session {self.session} is NOT whole: {counts}.", *found, f"Head now: {self.code}"])
        said = [f"Session {self.session} is whole: {counts}."]
        said.append(f"Head: {self.code}  (write it down to prove a cut tail later)")
        if self.since_code:
            lines = counted(self.since_code, "line")
            said.append(f"The code you gave is that of an earlier line; {lines} came after it.")
        return as_text(said)


def verify(journal: Journal, session_id: str, written: str | None = None) -> Report:
    """Check a session. ``written``: a head code that somebody wrote down, checked as well; None for none.

    :raises NoSuchSession: if neither the database nor the spare logs know it.
    :raises BadEntry: if ``written`` cannot be a head code at all.
    """
    if written is not None and not is_code(written):
        raise BadEntry(
            f"{visible(written)[:40]!r} is no head code: 12 letters and digits in three groups, such as "
            "7K2M-Q9XD-04TB (no letter U); copy it again"
        )
    try:
        row = journal.session(session_id)
    except NoSuchSession:
        return _gone(journal, session_id)
    logs = _both(journal, row)
    photos = _Photos(journal, logs.lines, {picture.hash: picture.bytes for picture in logs.lists.pictures})
    sealed = logs.sealed
    findings = [*_log_findings(logs), *photos.findings(), *_code(logs.row.id, sealed, written)]
    entries = sum(line.kind is LineKind.FACT for line in logs.lines)
    code = head_code(sealed[-1].hash if sealed else logs.row.head)
    since = _lines_since(sealed, written)
    return Report(row.id, _once(findings), len(sealed), entries, photos.here, len(photos.removed), code, since)


def doubt(journal: Journal, session_id: str) -> str:
    """One line if a session is not what was written at the table, "" if it is; for whoever tells or exports it.

    As `verify`, but no picture's file is read (see `doubted_pictures`), so it costs about 10 ms an evening.

    :raises NoSuchSession: if there is none.
    """
    row = journal.session(session_id)
    return _warning(row.id, [finding.words for finding in log_findings(journal, row.id)])


def log_findings(journal: Journal, session_id: str) -> tuple[Finding, ...]:
    """As `verify`, but no picture's file is read.

    :raises NoSuchSession: if there is none.
    """
    return _once(_log_findings(_both(journal, journal.session(session_id))))


def doubted_pictures(journal: Journal, session_id: str, names: Iterable[str]) -> str:
    """As `doubt`, of those pictures that are about to be shown; one that is no longer kept is no reason to doubt."""
    changed = [name for name in dict.fromkeys(names) if journal.photos.fault(name) not in ("", "missing")]
    return _warning(session_id, [f"picture {name[:12]} is not the one that was taken" for name in changed])


def spoilt_pictures(journal: Journal, session_id: str) -> str:
    """One line if pictures that should be kept are missing, cut short or changed; for whoever takes them elsewhere.

    :raises Damaged: if the log cannot be read.
    """
    row = journal.session(session_id)
    found = [finding.words for finding in _Photos(journal, list(journal.lines(row.id))).findings()]
    if not found:
        return ""
    more = f" (and {counted(len(found) - 1, 'more picture')})" if len(found) > 1 else ""
    return f"WARNING: session {row.id}: {found[0]}{more}; see `cardtable verify {row.id}`"


def _warning(session_id: str, found: Sequence[str]) -> str:
    if not found:
        return ""
    more = f" (and {counted(len(found) - 1, 'more thing')})" if len(found) > 1 else ""
    words = f"session {session_id} was changed since it was played: {found[0]}{more}"
    return f"WARNING: {words}; see `cardtable verify {session_id}`"


@dataclass(frozen=True, slots=True)
class _Lists:
    """What the tables say of a session beside its lines. ``pictures``: those that no other session has."""

    seats: list[tuple[int, str, str]]
    evidence: list[tuple[int, str]]
    disputes: set[tuple[int, int]]
    rulings: list[RulingRow]
    pictures: list[PhotoRow]
    unlisted: list[str]
    told_lines: int
    strange: str


@dataclass(frozen=True)
class _Logs:
    """A session in both logs and in the lists, as it was found at one moment."""

    row: SessionRow
    kept: list[LineRow]
    spare: list[Sealed]
    lists: _Lists

    @cached_property
    def sealed(self) -> list[Sealed]:
        return [line.sealed for line in self.kept]

    @cached_property
    def lines(self) -> list[Line]:
        return [line for text in self.sealed if (line := _parsed(text)) is not None]


_ITS_PICTURES = """
SELECT hash, bytes, gone FROM photo WHERE hash IN (SELECT hash FROM evidence WHERE session = ?1)
AND NOT EXISTS (SELECT 1 FROM evidence AS e WHERE e.hash = photo.hash AND e.session <> ?1)
"""


_UNLISTED = "SELECT hash FROM evidence AS e WHERE session = ? AND NOT EXISTS (SELECT 1 FROM photo WHERE hash = e.hash)"
_SEATS = "SELECT seat, name, folded FROM seat WHERE session = ? ORDER BY seat"
_EVIDENCE = "SELECT seq, hash FROM evidence WHERE session = ? ORDER BY seq, place"


def _lists(store: Store, number: int) -> _Lists:
    ask = store.rows
    told = ask("SELECT coalesce(max(lines), 0) FROM told WHERE session = ?", number)
    return _Lists(
        [(seat, name, known) for seat, name, known in ask(_SEATS, number)],
        [(seq, digest.hex()) for seq, digest in ask(_EVIDENCE, number)],
        {(deal, entry) for deal, entry in ask("SELECT deal, entry FROM dispute WHERE session = ?", number)},
        store.rulings(number),
        [PhotoRow(digest.hex(), size, bool(gone)) for digest, size, gone in ask(_ITS_PICTURES, number)],
        [digest.hex() for (digest,) in ask(_UNLISTED, number)],
        told[0][0],
        store.strange(),
    )


def _log_findings(logs: _Logs) -> Iterator[Finding]:
    """All that is wrong but for the pictures' files."""
    row, sealed, lines = logs.row, logs.sealed, logs.lines
    yield from _chain(row.id, sealed, "the database")
    yield from _chain(row.id, logs.spare, "the spare log")
    yield from _compare(sealed, logs.spare)
    yield from _columns(logs.kept)
    yield from _list(logs)
    yield from _marks(logs)
    yield from _pictures_listed(logs)
    yield from _rulings(row, lines, logs.lists.rulings)


def _gone(journal: Journal, session_id: str) -> Report:
    lines = journal.places.spare.read(session_id).lines if session_id in journal.places.spare.ids() else ()
    if not lines:
        raise NoSuchSession(f"no session is called {session_id[:80]!r}: `cardtable sessions` lists them")
    words = (
        f"the whole session was removed from the database; its spare log has {len(lines)} lines (a start puts it back)"
    )
    return Report(session_id, (Finding(Fault.MISSING, words),), 0, 0, 0, 0, head_code(lines[-1].hash))


def _both(journal: Journal, row: SessionRow) -> _Logs:
    """The session in both logs. While a game goes on in another program one may be a line ahead: look again then."""
    for _ in range(_LOOKS if journal.read_only and not row.ended else 1):
        with journal.still, journal.store.still():
            row = journal.session(row.id)
            kept, lists = list(journal.store.lines(row.number)), _lists(journal.store, row.number)
            spare = journal.places.spare.rows(row.id, [line.sealed for line in kept])
        if row.lines == len(kept) == len(spare):
            break
        time.sleep(_PAUSE_S)
    return _Logs(row, kept, spare, lists)


def _parsed(sealed: Sealed) -> Line | None:
    try:
        return read_line(sealed.text)
    except ValueError:
        return None


def _place(line: Line | None, seq: int) -> str:
    """A line as people know it."""
    if line is not None and line.kind is LineKind.FACT:
        return f"entry {line.body.get('number')} (line {seq})"
    return f"line {seq}" + (f" ({line.kind.value})" if line else "")


def _chain(session_id: str, lines: Sequence[Sealed], where: str) -> Iterator[Finding]:
    """Lines that do not have their hash, their place or their predecessor."""
    before, expected = genesis(session_id), 0
    for sealed in lines:
        line = _parsed(sealed)
        seq = line.seq if line else expected
        entry = line.body.get("number") if line else None
        if line is None:
            yield Finding(Fault.CHANGED, f"line {seq} in {where} cannot be read", seq)
        elif seq != expected:
            yield from _jump(line, expected, where)
        if not _bound(before, sealed):
            words = (
                f"{_place(line, seq)} in {where} does not follow from what stands before it: changed, added or moved"
            )
            yield Finding(Fault.CHANGED, words, seq, entry)
        before, expected = sealed.hash, seq + 1


def _bound(before: str, sealed: Sealed) -> bool:
    try:
        return link(before, sealed.text) == sealed.hash
    except ValueError:
        return False


def _jump(line: Line, expected: int, where: str) -> Iterator[Finding]:
    if line.seq < expected:
        yield Finding(Fault.ORDER, f"{_place(line, line.seq)} in {where} stands after line {expected - 1}", line.seq)
        return
    last = line.seq - 1
    gone = f"line {expected} is" if last == expected else f"lines {expected} to {last} are"
    yield Finding(Fault.MISSING, f"{gone} missing in {where}, before {_place(line, line.seq)}", expected)


def _compare(database: Sequence[Sealed], spare: Sequence[Sealed]) -> Iterator[Finding]:
    """Where the two logs say different things."""
    for seq, (one, other) in enumerate(zip(database, spare, strict=False)):
        if one.text != other.text:
            line = _parsed(one)
            entry = line.body.get("number") if line else None
            yield Finding(Fault.DIFFERS, f"{_place(line, seq)} is another one in the spare log", seq, entry)
    if len(database) < len(spare):
        words = f"the database ends after {len(database)} lines, the spare log has {len(spare)}: its tail was cut"
        yield Finding(Fault.MISSING, words, len(database))
    if len(database) > len(spare):
        words = f"the spare log ends after {len(spare)} lines, the database has {len(database)}"
        yield Finding(Fault.MISSING, words, len(spare))


def _columns(kept: Iterable[LineRow]) -> Iterator[Finding]:
    """Columns beside a line's text that do not say what the text says."""
    for row in kept:
        line = _parsed(row.sealed)
        if line is None:
            continue
        entry = line.body.get("number") if line.kind is LineKind.FACT else None
        if (row.seq, row.kind, row.deal, row.entry) != (line.seq, line.kind.value, line.deal, entry):
            words = f"{_place(line, line.seq)} is listed as something else in the database"
            yield Finding(Fault.LIST, words, line.seq, entry)


def _list(logs: _Logs) -> Iterator[Finding]:
    """What the session list says, against the lines."""
    row, kept, lines = logs.row, logs.kept, logs.lines
    if row.lines != len(kept):
        yield Finding(Fault.MISSING, f"the session list counts {row.lines} lines, there are {len(kept)}", len(kept))
    if kept and row.head != kept[-1].sealed.hash:
        yield Finding(Fault.LIST, "the last line is not the one that the session list knows", kept[-1].seq)
    if not lines or lines[0].kind is not LineKind.BEGIN:
        yield Finding(Fault.MISSING, "the session's beginning (game, players, house rules) is missing", 0)
        return
    header = SessionHeader.from_json(lines[0].body)
    seats = [(seat, name, folded(name)) for seat, name in enumerate(header.seats, start=1)]
    told = {
        "game": (row.game, header.game),
        "club": (row.club, header.club),
        "players": ([seat[:2] for seat in logs.lists.seats], [seat[:2] for seat in seats]),
        "spelling of names to search by": (logs.lists.seats, seats),
        "time": (row.started_ns, lines[0].stamp.wall_ns),
        "number of entries": (row.entries, sum(line.kind is LineKind.FACT for line in lines)),
        "number of disputes": (row.disputes, sum(map(is_dispute, lines))),
        "doubt of the time": (row.uncertain, any(map(sets_the_clock, lines))),
        "end": (row.ended, any(line.kind is LineKind.END for line in lines)),
    }
    for what, (listed, written) in told.items():
        if listed != written:
            yield Finding(Fault.LIST, f"the session list has another {what} than the log: {listed!r}, not {written!r}")


def _marks(logs: _Logs) -> Iterator[Finding]:
    """Entries that are wrongly marked as evidence or not; what the club was told; foreign things in the file."""
    lists = logs.lists
    wanted = {(line.deal, entry) for line in logs.lines for entry in disputed_entries(line)}
    wanted |= {(kept.deal, entry) for kept in lists.rulings for entry in evidence_of(kept)}
    for deal, entry in sorted(wanted ^ lists.disputes):
        words = "no longer marked as evidence to be kept" if (deal, entry) in wanted else "marked as evidence"
        yield Finding(Fault.LIST, f"entry {entry} of deal {deal} is {words}, against the log", entry=entry)
    if lists.told_lines > logs.row.lines:
        words = f"the club's list says that its hub has {lists.told_lines} lines, there are {logs.row.lines}"
        yield Finding(Fault.LIST, words)
    if lists.strange:
        yield Finding(Fault.LIST, f"the database holds {lists.strange}: `cardtable repair` makes it anew")


def _rulings(row: SessionRow, lines: Sequence[Line], rulings: Sequence[RulingRow]) -> Iterator[Finding]:
    """Rulings that are not those which the session's last line sealed, or do not say what their columns say."""
    for kept in rulings:
        if "changed" in kept_ruling(kept):
            words = f"ruling {kept.id} of deal {kept.deal} was changed in the database"
            yield Finding(Fault.RULING, words, entry=kept.entry)
    seal = next((line.body.get("rulings") for line in reversed(lines) if line.kind is LineKind.END), None)
    if not isinstance(seal, Mapping):
        changed = changed_rulings(row.id, lines, rulings)
        yield from (Finding(Fault.RULING, f"{words}, says the log") for words in changed)
        return
    sealed_now = rulings_seal(rulings)
    if dict(seal) != sealed_now:
        words = f"the rulings kept ({sealed_now['count']}) are not the {seal.get('count')} that were said at the table"
        yield Finding(Fault.RULING, f"{words}: `cardtable replay {row.id}` tells them again")


class _Photos:
    """The pictures of a session against its lines; ``listed``: what the picture list says that they have in bytes."""

    def __init__(self, journal: Journal, lines: Sequence[Line], listed: Mapping[str, int] | None = None) -> None:
        self._journal, self._lines, self._listed = journal, lines, listed or {}
        self.removed = {name for line in lines for name in removed_photos(line)}
        self.named = {name for line in lines for name in line.photos}
        self.removed &= self.named
        self.here = len(self.named - self.removed)
        self._lost = {name for line in lines if line.body.get("code") == Remark.LOST for name in line.body["photos"]}

    def findings(self) -> Iterator[Finding]:
        """Pictures that are missing or not what was photographed."""
        for line in self._lines:
            for place, name in enumerate(line.photos, start=1):
                if fault := self._fault(name):
                    kind = Fault.PHOTO_MISSING if fault.startswith("missing") else Fault.PHOTO_CHANGED
                    words = f"picture {place} of {_place(line, line.seq)} is {fault} ({name[:12]})"
                    yield Finding(kind, words, line.seq, line.body.get("number"))
                elif name not in self.removed and self._listed.get(name, -1) not in (
                    -1,
                    self._journal.photos.size(name),
                ):
                    words = f"the picture list counts {self._listed[name]} bytes for {name[:12]}, it has another size"
                    yield Finding(Fault.LIST, words, line.seq)

    def _fault(self, name: str) -> str:
        if not is_name(name):
            return "missing"
        fault = self._journal.photos.fault(name)
        if fault == "missing" and name in self._lost:
            return "missing: it was lost before the session was imported"
        return "" if fault == "missing" and name in self.removed else fault


def _pictures_listed(logs: _Logs) -> Iterator[Finding]:
    """Lines for which the database lists other pictures than the log, and pictures that it says are (not) kept."""
    written = [(line.seq, name) for line in logs.lines for name in line.photos]
    for seq in sorted({seq for seq, _ in set(logs.lists.evidence) ^ set(written)}):
        yield Finding(Fault.LIST, f"the database lists other pictures for line {seq} than the log", seq)
    removed = {name for line in logs.lines for name in removed_photos(line)}
    for picture in logs.lists.pictures:
        if picture.gone != (picture.hash in removed):
            words = "was removed on purpose" if picture.gone else "is kept"
            yield Finding(Fault.LIST, f"the picture list says that {picture.hash[:12]} {words}, the log does not")
    for name in logs.lists.unlisted:
        yield Finding(Fault.LIST, f"the picture list lacks {name[:12]}")


def _code(session_id: str, lines: Sequence[Sealed], written: str | None) -> Iterator[Finding]:
    if written is None or _lines_since(lines, written) is not None:
        return
    words = f"the code {visible(written)} was never the head of session {session_id}"
    near = min(lines, key=lambda sealed: slips(written, sealed.hash), default=None)
    if near is not None and (wrong := slips(written, near.hash)) <= MISTYPED_CHARS:
        words += f", but {head_code(near.hash)} was ({counted(wrong, 'character')} apart): was it copied wrongly?"
    else:
        words += ": its tail was cut or it was rewritten"
    yield Finding(Fault.CODE, words)


def _lines_since(lines: Sequence[Sealed], written: str | None) -> int | None:
    """How many lines follow the one whose code was written down; None if no line has it."""
    if written is None:
        return None
    return next((n for n, sealed in enumerate(reversed(lines)) if same_code(written, sealed.hash)), None)


def _once(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(dict.fromkeys(findings))
