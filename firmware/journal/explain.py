"""One ruling explained: the rule applied in words, the entries that led to it, their pictures before and after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware.referee.events import Entry, to_json
from firmware.referee.rulings import Ruling, words_of

from .errors import BadEntry
from .journal import Journal
from .names import counted, shown_names, visible, with_shown_names
from .replay import DealReplay, replay
from .report import clock_time
from .tell import Teller


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry as evidence: ``role`` is "before", "entry", "proof" or "after"; ``pictures``: files that are there."""

    role: str
    entry: Entry
    words: str
    pictures: tuple[Path, ...]
    removed: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the referee said something. ``stands``: False if a correction has overturned it since."""

    session: str
    game: str
    deal: int
    ruling: Ruling
    why: str
    rule: str
    house: tuple[str, ...]
    stands: bool
    evidence: tuple[Shown, ...]

    def to_json(self) -> dict[str, Any]:
        """The object that ``cardtable explain --json`` prints."""
        return {
            "session": self.session,
            "deal": self.deal,
            "ruling": self.ruling.to_json(),
            "why": self.why,
            "rule": self.rule,
            "house": list(self.house),
            "stands": self.stands,
            "evidence": [
                {
                    "role": shown.role,
                    "entry": shown.entry.number,
                    "t": shown.entry.t,
                    "confidence": shown.entry.confidence,
                    **to_json(shown.entry.fact),
                    "words": shown.words,
                    "photos": list(shown.entry.photos),
                    "files": [str(path) for path in shown.pictures],
                }
                for shown in self.evidence
            ],
        }

    def text(self) -> str:
        """What ``cardtable explain`` prints."""
        return "\n".join(_lines(self)) + "\n"


def explain(journal: Journal, session_id: str, ruling: str | int) -> Explanation:
    """Explain a ruling by its number as ``show`` prints it: ``12``, or ``2.12`` for the one of deal 2.

    :raises BadEntry: if there is no such ruling, or several deals have one.
    """
    row = journal.session(session_id)
    header = journal.header(row.id)
    one, found = _find(replay(journal, row.id), str(ruling), row.id)
    teller = Teller(shown_names(header.seats))
    return Explanation(
        session=row.id,
        game=row.game,
        deal=one.deal.number,
        ruling=found,
        why=with_shown_names(found.why, header.seats),
        rule=words_of(found.code),
        house=tuple(visible(f"{name} = {value}") for name, value in header.house.items()),
        stands=found.id in {standing.id for standing in one.match.standing},
        evidence=tuple(_shown(journal, teller, role, entry) for role, entry in _evidence(one, found)),
    )


def _find(deals: Sequence[DealReplay], wanted: str, session_id: str) -> tuple[DealReplay, Ruling]:
    deal, _, number = wanted.rpartition(".")
    if not number.isdecimal() or not (deal or "0").isdecimal():
        raise BadEntry(f"a ruling is called by its number, such as 12 or 2.12, not {visible(wanted)[:40]!r}")
    asked = [one for one in deals if not deal or one.deal.number == int(deal)]
    found = [(one, ruling) for one in asked for ruling in one.match.rulings if ruling.id == int(number)]
    if not found:
        raise BadEntry(f"session {session_id} has no ruling {wanted}: `cardtable show {session_id}` numbers them")
    if len(found) > 1:
        choices = " or ".join(f"{one.deal.number}.{number}" for one, _ in found)
        raise BadEntry(f"several deals have a ruling {number}: say {choices}")
    return found[0]


def _evidence(one: DealReplay, ruling: Ruling) -> Iterator[tuple[str, Entry]]:
    """The entry, what lay on the table before and after it, and the entries that prove the ruling."""
    by_number = {entry.number: entry for entry in one.entries}
    about = by_number.get(-1 if ruling.entry is None else ruling.entry)
    numbers = sorted(by_number)
    if about is not None:
        place = numbers.index(about.number)
        yield from (("before", by_number[n]) for n in numbers[max(0, place - 1) : place])
        yield "entry", about
    for number in ruling.entries:
        if number in by_number and (about is None or number != about.number):
            yield "proof", by_number[number]
    if about is not None:
        yield from (("after", by_number[n]) for n in numbers[place + 1 : place + 2])


def _shown(journal: Journal, teller: Teller, role: str, entry: Entry) -> Shown:
    paths = tuple(path for name in entry.photos if (path := journal.photos.path(name)).exists())
    return Shown(role, entry, teller.entry(entry), paths, len(entry.photos) - len(paths))


_ROLES = {"before": "Before it", "entry": "The act", "proof": "Proved by", "after": "After it"}


def _lines(explanation: Explanation) -> Iterator[str]:
    ruling = explanation.ruling
    yield f"Ruling {ruling.id} of deal {explanation.deal}, session {explanation.session}: {explanation.why}"
    if explanation.rule != ruling.code:
        yield f"The rule: {explanation.rule}. `cardtable rulebook {explanation.game}` has all of them."
    if explanation.house:
        yield f"House rules of this session: {', '.join(explanation.house)}."
    if not explanation.stands:
        yield "A correction has overturned it since."
    for shown in explanation.evidence:
        yield _evidence_line(shown)
        yield from (f"    {path}" for path in shown.pictures)


def _evidence_line(shown: Shown) -> str:
    entry = shown.entry
    sure = f", read with {entry.confidence:.0%} confidence" if entry.source == "camera" else ""
    gone = f" ({counted(shown.removed, 'picture')} no longer kept)" if shown.removed else ""
    return f"{_ROLES[shown.role]}: entry {entry.number} at {clock_time(entry.t)}, {shown.words}{sure}{gone}"
