"""Two tellings of one deal held against each other: which rulings, readings and results differ. Pure.

Rulings and facts are lined up as sequences, so that one more or one fewer is one change, and not one for each that
follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from firmware.journal.chain import canonical

#: What of a ruling is no judgement: its number, and its wording.
_WORDING = ("id", "why")
#: Where entries may have other numbers (a recording that was read again), these do not count either.
_PLACES = ("entry", "entries")
#: What of a fact is no reading.
_FACT = ("fact", "card", "zone", "seat", "from", "to", "count", "seats", "press", "taps", "target", "instead")


@dataclass(frozen=True, slots=True)
class Said:
    """A ruling (plain JSON values) and the number of the entry that it was said after."""

    deal: int
    after: int
    ruling: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Read:
    """A fact (plain JSON values) as it was read: its deal, entry and time in seconds, and how sure."""

    deal: int
    entry: int
    t: float
    fact: Mapping[str, Any]
    confidence: float


@dataclass(frozen=True, slots=True)
class Change:
    """``what``: reading, ruling, proof, result or ledger. ``before`` and ``after``: what was and is said, in words."""

    deal: int
    what: str
    entry: int
    t: float
    code: str
    seat: int
    before: str
    after: str

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


def other_rulings(before: Sequence[Said], after: Sequence[Said], *, places: bool) -> Iterator[Change]:
    """Rulings that are gone or new. ``places``: whether entries have the same numbers in both tellings."""
    dropped = _WORDING if places else (*_WORDING, *_PLACES)

    def key(said: Said) -> str:
        kept = {name: value for name, value in said.ruling.items() if name not in dropped and value}
        return canonical([said.deal, said.after if places else 0, kept])

    for gone, new in _differing([key(one) for one in before], [key(one) for one in after]):
        for one in before[gone]:
            yield _ruling_change(one, _words(one), "")
        for one in after[new]:
            yield _ruling_change(one, "", _words(one))


def other_readings(before: Sequence[Read], after: Sequence[Read]) -> Iterator[Change]:
    """Facts that are gone, new, or read as something else (then both stand in one change)."""
    keys = [[canonical([one.deal, _reading(one)]) for one in told] for told in (before, after)]
    for gone, new in _differing(*keys):
        olds, news = list(before[gone]), list(after[new])
        for at in range(max(len(olds), len(news))):
            old, now = olds[at] if at < len(olds) else None, news[at] if at < len(news) else None
            one = now or old
            assert one is not None
            seat = one.fact.get("seat") or 0
            yield Change(
                one.deal, "reading", one.entry, one.t, str(one.fact.get("fact", "")), seat, _read(old), _read(now)
            )


def other_results(before: Mapping[int, Any], after: Mapping[int, Any], what: str) -> Iterator[Change]:
    """Deals whose result (or ledger) is another one; a deal without one before is no change."""
    for deal in sorted(before):
        old, now = canonical(before[deal]), canonical(after.get(deal))
        if old != now:
            yield Change(deal, what, -1, 0.0, "", 0, old, now)


def _differing(before: Sequence[str], after: Sequence[str]) -> Iterable[tuple[slice, slice]]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [(slice(a, b), slice(c, d)) for word, a, b, c, d in matcher.get_opcodes() if word != "equal"]


def _ruling_change(said: Said, before: str, after: str) -> Change:
    ruling = said.ruling
    what = "proof" if ruling.get("ruling") == "proved" else "ruling"
    return Change(said.deal, what, said.after, 0.0, str(ruling.get("code", "")), ruling.get("seat") or 0, before, after)


def _words(said: Said) -> str:
    ruling = said.ruling
    parts = [str(ruling.get("ruling", "")), str(ruling.get("code", ""))]
    parts += [f"{name} {ruling[name]}" for name in ("seat", "to", "counters", "card") if ruling.get(name)]
    return " ".join(part for part in parts if part)


def _reading(one: Read) -> dict[str, Any]:
    return {name: one.fact[name] for name in _FACT if one.fact.get(name) is not None}


def _read(one: Read | None) -> str:
    if one is None:
        return ""
    return " ".join(str(value) for value in _reading(one).values())
