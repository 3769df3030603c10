"""A small archive to judge again: journals with real games, some of them with pictures, and a recording without any."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from firmware.journal.journal import Journal
from firmware.referee.events import Corrected, Fact
from tests.journal.games import CORRECTION, HEADER, WITHHELD, card, play
from tests.journal.tools import FakeClock

#: A reading that people corrected: entry 5 was read as another card.
CORRECTED: tuple[Fact, ...] = (*WITHHELD[:6], CORRECTION)


def journals(folder: Path, evenings: int = 3) -> list[str]:
    """Write journals below ``folder``, two sessions in each; the sessions' ids."""
    ids = []
    for evening in range(evenings):
        with Journal.open(folder / f"evening-{evening}", clock=FakeClock()) as journal:
            ids.append(play(journal))
            facts = CORRECTED if evening % 2 else WITHHELD
            ids.append(play(journal, facts, header=replace(HEADER, house={"ante": evening})))
    return ids


def misread(folder: Path) -> str:
    """A journal with one session in which a card was misread and people said so."""
    facts: tuple[Fact, ...] = (*WITHHELD[:5], card("3H", 3), Corrected(5, card("3S", 3), "Cy", "it is a spade"))
    with Journal.open(folder, clock=FakeClock()) as journal:
        return play(journal, facts)
