"""A session told as a person would tell it: who played, what happened, what the referee said, who owes whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from firmware.referee.events import Entry
from firmware.referee.rulings import Kind, Ruling

from .chain import head_code
from .errors import BadEntry
from .journal import Journal
from .judge import OPENING, DealReplay
from .lines import Deal, Line, LineKind, Remark, SessionHeader, entries_of, played_ns
from .names import as_text, counted, listed, shown_names, title, visible, with_shown_names
from .replay import judged, net_words, results
from .settle import Settlement, add_up, settle_up
from .store import SessionRow
from .tell import Teller
from .verify import doubt
from .wear import Wear, wear_of

#: Rulings that only say whose turn it is: left out of the story, which tells the turns itself.
_TURNS = (Kind.TURN,)


@dataclass(frozen=True, slots=True)
class Said:
    """A ruling in the story; ``stands`` is False after a correction has overturned it."""

    deal: int
    ruling: Ruling
    words: str
    stands: bool


@dataclass(frozen=True, slots=True)
class Told:
    """One entry in the story. ``struck``: a correction took it out or changed it."""

    deal: int
    entry: Entry
    line: Line
    words: str
    said: tuple[Said, ...]
    struck: bool


@dataclass(frozen=True, slots=True)
class Story:
    """A whole session, ready to be shown. ``opening``: what was said before the first entry, by deal.

    ``trouble``: why this program cannot judge it. ``doubt``: a line that it is not what was written at the table.
    """

    row: SessionRow
    header: SessionHeader
    names: tuple[str, ...]
    deals: tuple[Deal, ...]
    opening: Mapping[int, tuple[Said, ...]]
    told: tuple[Told, ...]
    remarks: tuple[Line, ...]
    outcome: Mapping[int, str]
    nets: tuple[Mapping[str, int], ...]
    results: tuple[Mapping[str, Any], ...]
    settlement: Settlement
    minutes: int
    trouble: str = ""
    doubt: str = ""
    wear: Wear | None = None

    def said(self) -> Iterator[Said]:
        """Everything that the referee said, in order."""
        for deal in self.deals:
            yield from self.opening.get(deal.number, ())
            yield from (said for told in self.told if told.deal == deal.number for said in told.said)

    @property
    def house(self) -> tuple[str, ...]:
        """The house rules that differ from the usual ones, as they are shown."""
        return tuple(visible(f"{name} = {value}") for name, value in self.header.house.items())


def story(journal: Journal, session_id: str) -> Story:
    """Read and judge a session; if this program cannot judge it, the facts alone are told and ``trouble`` says why."""
    row = journal.session(session_id)
    header = journal.header(row.id)
    lines = list(journal.lines(row.id))
    try:
        deals, trouble = judged(row.id, lines), ""
    except BadEntry as error:
        deals, trouble = (), str(error)
    names = shown_names(header.seats)
    said = {one.deal.number: _said(one, header.seats) for one in deals}
    nets = tuple(_shown_net(one, names) for one in deals)
    return Story(
        row=row,
        header=header,
        names=names,
        deals=journal.deals(row.id),
        opening={deal: rulings.get(OPENING, ()) for deal, rulings in said.items()},
        told=_told(lines, names, said, deals),
        remarks=tuple(line for line in lines if line.kind is LineKind.NOTE),
        outcome={one.deal.number: with_shown_names(one.match.view.words, header.seats) for one in deals},
        nets=nets,
        results=tuple(results(deals)),
        settlement=settle_up(add_up(nets)),
        minutes=round(played_ns(lines) / 60e9),
        trouble=trouble,
        doubt=doubt(journal, row.id),
        wear=wear_of(lines),
    )


def _told(
    lines: Sequence[Line],
    names: Sequence[str],
    said: Mapping[int, Mapping[int, tuple[Said, ...]]],
    deals: Sequence[DealReplay],
) -> tuple[Told, ...]:
    struck = {(one.deal.number, entry.number) for one in deals for entry in _struck(one)}
    teller = Teller(names)
    return tuple(
        Told(
            line.deal,
            entry,
            line,
            teller.entry(entry),
            said.get(line.deal, {}).get(entry.number, ()),
            (line.deal, entry.number) in struck,
        )
        for line, entry in entries_of(lines)
    )


def _said(one: DealReplay, seats: Sequence[str]) -> dict[int, tuple[Said, ...]]:
    standing = {ruling.id for ruling in one.match.standing}
    return {
        number: tuple(
            Said(one.deal.number, ruling, with_shown_names(ruling.why, seats), ruling.id in standing)
            for ruling in rulings
        )
        for number, rulings in one.said
    }


def _struck(one: DealReplay) -> Iterator[Entry]:
    """Entries that a correction changed or took out."""
    targets = {entry.fact.target for entry in one.entries if hasattr(entry.fact, "target")}
    return (entry for entry in one.entries if entry.number in targets)


def _shown_net(one: DealReplay, names: Sequence[str]) -> dict[str, int]:
    return dict(zip(names, one.net().values(), strict=True))


def show_text(journal: Journal, session_id: str, zone: tzinfo | None = None) -> str:
    """What ``cardtable show`` prints; times of ``zone``, else of this machine."""
    return as_text(_lines(story(journal, session_id), zone))


def what_is_forgotten(journal: Journal, row: SessionRow) -> str:
    """The question's first half, before a session's pictures go."""
    names = {name for line in journal.lines(row.id) for name in line.photos if journal.photos.size(name) >= 0}
    size_mb = sum(map(journal.photos.size, names)) / 1e6
    return f"{title(row.game)} of {day_and_time(row.started_ns)}, session {row.id}: {counted(len(names), 'picture')}, \
{size_mb:.1f} MB."


def _lines(tale: Story, zone: tzinfo | None) -> Iterator[str]:
    yield from head_lines(tale, zone)
    for deal in tale.deals:
        yield ""
        yield deal_line(deal, tale.names)
        yield from (f"{'':12}{said.words}" for said in tale.opening.get(deal.number, ()) if _worth(said))
        for told in tale.told:
            if told.deal == deal.number:
                yield from _entry_lines(told)
        if words := tale.outcome.get(deal.number):
            yield f"{'':12}{words}."
    yield ""
    yield from foot_lines(tale)


def head_lines(tale: Story, zone: tzinfo | None = None) -> Iterator[str]:
    """Which session this is, in a few lines; the first of all is the warning if it was changed."""
    if tale.doubt:
        yield tale.doubt
    yield f"{title(tale.row.game)}, session {tale.row.id}"
    unsure = " (time uncertain: the clock was set later)" if tale.row.uncertain else ""
    length = f", {counted(tale.minutes, 'minute')}" if tale.row.ended else ", not over"
    yield f"{day_and_time(tale.row.started_ns, zone)}{length}{unsure}"
    yield f"Players: {listed(tale.names)}."
    if tale.house:
        yield f"House rules: {', '.join(tale.house)}."
    yield f"Program {visible(tale.header.program) or '?'}, reader model {visible(tale.header.model)[:12] or '?'}."
    if tale.trouble:
        yield f"Not judged: {tale.trouble}."


def deal_line(deal: Deal, names: Sequence[str]) -> str:
    """The heading of a deal."""
    known = deal.dealer is not None and 0 < deal.dealer <= len(names)
    return f"Deal {deal.number}" + (f", dealt by {names[deal.dealer - 1]}" if known and deal.dealer else "")


def _entry_lines(told: Told) -> Iterator[str]:
    pictures = f"  [{counted(len(told.entry.photos), 'picture')}]" if told.entry.photos else ""
    lost = f"  [no picture: {visible(told.line.lost)}]" if told.line.lost else ""
    yield f"{told.entry.number:>4}  {clock_time(told.entry.t):>5} {sure(told)}{told.words}{pictures}{lost}"
    for said in told.said:
        if _worth(said):
            yield f"{'':12}{said_words(said)}"


def sure(told: Told) -> str:
    """How an entry is marked: corrected later, or read with doubt."""
    return "(corrected) " if told.struck else ""


def said_words(said: Said) -> str:
    """A ruling with its number, by which ``explain`` finds it."""
    overturned = "" if said.stands else " [overturned by a correction]"
    return f"{said.words}  ({said.ruling.id}){overturned}"


def _worth(said: Said) -> bool:
    return said.ruling.kind not in _TURNS


def foot_lines(tale: Story) -> Iterator[str]:
    """What came of it: sums, who owes whom, what the journal remarks, and the code to write down."""
    total = add_up(tale.nets)
    if words := net_words(total):
        yield f"Counters: {words}."
        yield from tale.settlement.lines()
    yield from (f"Note: {words}." for words in remark_words(tale))
    if tale.wear is not None and (words := tale.wear.text()):
        yield f"Note: {words}."
    yield f"Head: {head_code(tale.row.head)}"


def remark_words(tale: Story) -> list[str]:
    """What the journal itself has to say, in words."""
    return [words for line in tale.remarks if (words := _remark(line))]


def _remark(line: Line) -> str:
    body = line.body
    match body.get("code"):
        case Remark.CLOCK_STEP:
            return f"the clock was set by {body['seconds']:+.0f} s (line {line.seq}); times before it are uncertain"
        case Remark.TAIL_REPAIRED:
            return f"{body['bytes']} bytes of a half-written line were dropped"
        case Remark.REBUILT:
            return "the database was damaged and rebuilt from the spare log"
        case Remark.THINNED:
            return f"{counted(len(body['photos']), 'picture')} removed to make room"
        case Remark.FORGOTTEN:
            return f"{counted(len(body['photos']), 'picture')} removed because people asked"
        case Remark.LOST:
            return f"{counted(len(body['photos']), 'picture')} lost before the session was imported"
        case _:
            return ""


def clock_time(seconds: float) -> str:
    """Seconds since the session began as ``4:05`` or ``1:04:05``."""
    minutes, second = divmod(int(max(0.0, seconds)), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def day_and_time(wall_ns: int, zone: tzinfo | None = None) -> str:
    """``Monday 30 November 2026, 20:00``, in ``zone`` or the machine's own."""
    when = datetime.fromtimestamp(wall_ns / 1e9).astimezone(zone)
    return f"{_DAYS[when.weekday()]} {when.day} {_MONTHS[when.month - 1]} {when.year}, {when:%H:%M}"


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
