"""One ruling explained: the rule applied in words, the entries that led to it, their pictures before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware.referee.events import to_json
from firmware.referee.rulings import words_of

from .errors import BadEntry
from .journal import Journal
from .names import as_text, counted, visible
from .report import Said, Story, Told, clock_time, story
from .verify import doubted_pictures


@dataclass(frozen=True, slots=True)
class Evidence:
    """An entry as evidence: ``role`` is "before", "entry", "proof" or "after"; ``pictures``: files that are there."""

    role: str
    told: Told
    pictures: tuple[Path, ...]

    @property
    def removed(self) -> int:
        """How many of its pictures are no longer kept."""
        return len(self.told.entry.photos) - len(self.pictures)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        entry = self.told.entry
        return {
            "role": self.role,
            "entry": entry.number,
            "t": entry.t,
            "confidence": entry.confidence,
            **to_json(entry.fact),
            "words": self.told.words,
            "photos": list(entry.photos),
            "files": [str(path) for path in self.pictures],
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the referee said something. ``doubt``: a line if the session is not what was written at the table."""

    session: str
    game: str
    said: Said
    rule: str
    house: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    doubt: str

    def to_json(self) -> dict[str, Any]:
        """The object that ``cardtable explain --json`` prints."""
        return {
            "session": self.session,
            "deal": self.said.deal,
            "ruling": self.said.ruling.to_json(),
            "why": self.said.words,
            "rule": self.rule,
            "house": list(self.house),
            "stands": self.said.stands,
            "doubt": self.doubt,
            "evidence": [shown.to_json() for shown in self.evidence],
        }

    def text(self) -> str:
        """What ``cardtable explain`` prints."""
        return as_text(_lines(self))


def explain(journal: Journal, session_id: str, ruling: str | int) -> Explanation:
    """Explain a ruling by its number as ``show`` prints it: ``12``, or ``2.12`` for the one of deal 2.

    :raises BadEntry: if there is no such ruling, or several deals have one.
    """
    tale = story(journal, session_id)
    if tale.trouble:
        raise BadEntry(tale.trouble)
    found = _find(tale, str(ruling))
    evidence = tuple(_shown(journal, role, told) for role, told in _evidence(tale, found))
    photos = (name for shown in evidence for name in shown.told.entry.photos)
    return Explanation(
        session=tale.row.id,
        game=tale.row.game,
        said=found,
        rule=words_of(found.ruling.code),
        house=tale.house,
        evidence=evidence,
        doubt=tale.doubt or doubted_pictures(journal, tale.row.id, photos),
    )


def _find(tale: Story, wanted: str) -> Said:
    deal, _, number = wanted.rpartition(".")
    if not number.isdecimal() or not (deal or "0").isdecimal():
        raise BadEntry(f"a ruling is called by its number, such as 12 or 2.12, not {visible(wanted)[:40]!r}")
    asked = [said for said in tale.said() if not deal or said.deal == int(deal)]
    found = [said for said in asked if said.ruling.id == int(number)]
    session_id = tale.row.id
    if not found:
        raise BadEntry(f"session {session_id} has no ruling {wanted}: `cardtable show {session_id}` numbers them")
    if len(found) > 1:
        choices = " or ".join(f"{said.deal}.{number}" for said in found)
        raise BadEntry(f"several deals have a ruling {number}: say {choices}")
    return found[0]


def _evidence(tale: Story, found: Said) -> Iterator[tuple[str, Told]]:
    """The entry, what lay on the table before and after it, and the entries that prove the ruling."""
    told = {one.entry.number: one for one in tale.told if one.deal == found.deal}
    about = told.get(-1 if found.ruling.entry is None else found.ruling.entry)
    numbers = sorted(told)
    place = 0 if about is None else numbers.index(about.entry.number)
    if about is not None:
        yield from (("before", told[n]) for n in numbers[max(0, place - 1) : place])
        yield "entry", about
    for number in found.ruling.entries:
        if number in told and (about is None or number != about.entry.number):
            yield "proof", told[number]
    if about is not None:
        yield from (("after", told[n]) for n in numbers[place + 1 : place + 2])


def _shown(journal: Journal, role: str, told: Told) -> Evidence:
    paths = tuple(path for name in told.entry.photos if (path := journal.photos.path(name)).exists())
    return Evidence(role, told, paths)


_ROLES = {"before": "Before it", "entry": "The act", "proof": "Proved by", "after": "After it"}


def _lines(explanation: Explanation) -> Iterator[str]:
    said = explanation.said
    if explanation.doubt:
        yield explanation.doubt
    yield f"Ruling {said.ruling.id} of deal {said.deal}, session {explanation.session}: {said.words}"
    if explanation.rule != said.ruling.code:
        yield f"The rule: {explanation.rule}. `cardtable rulebook {explanation.game}` has all of them."
    if explanation.house:
        yield f"House rules of this session: {', '.join(explanation.house)}."
    if not said.stands:
        yield "A correction has overturned it since."
    for shown in explanation.evidence:
        yield _evidence_line(shown)
        yield from (f"    {path}" for path in shown.pictures)


def _evidence_line(shown: Evidence) -> str:
    entry = shown.told.entry
    sure = f", read with {entry.confidence:.0%} confidence" if entry.source == "camera" else ""
    gone = f" ({counted(shown.removed, 'picture')} no longer kept)" if shown.removed else ""
    return f"{_ROLES[shown.role]}: entry {entry.number} at {clock_time(entry.t)}, {shown.told.words}{sure}{gone}"
