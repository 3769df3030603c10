"""The sessions kept, as the page asks for them: entry by entry and deal by deal, in words of any language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.archive import Archive
from firmware.journal.journal import Journal
from firmware.panel.panel_fake import FakePanel
from firmware.referee.events import Said
from firmware.seen import Seen
from firmware.table import Table
from firmware.web.source import Search

from .test_table import begun, laid

JPEGS = (bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffd9"), b"\xff\xd8\xff\xe0second\xff\xd9")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "data") as opened:
        yield opened


def two_deals(journal: Journal) -> Table:
    """A draw after one card, and two cards of the next deal."""
    table = begun(journal, FakePanel())
    table.enter(laid("7H", 1, 1.0))
    for seat in (1, 2):
        table.enter(Seen(Said(seat, "draw"), 2.0, 2.0, source="page"))
    table.next_deal()
    table.enter(Seen(laid("4D", 2, 3.0).fact, 3.0, 3.2, pictures=JPEGS[1:]))
    table.enter(laid("9S", 2, 4.0))
    return table


def test_entries_are_found_by_their_deal(journal: Journal) -> None:
    """Numbers begin again with each deal: entry 1 of the second is not the second of the session."""
    table = two_deals(journal)
    archive = Archive(journal)
    everything = archive.entries(table.session_id, 0, 100) or []
    assert [(one["deal"], one["number"]) for one in everything] == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1)]
    (second,) = archive.entries(table.session_id, 1, 1, deal=2) or []
    assert (second["card"], second["before_photos"]) == ("9S", list(everything[3]["photos"]))
    assert archive.entries(table.session_id, 0, 9, deal=3) == []


def test_rulings_come_as_codes_so_that_any_language_can_say_them(journal: Journal) -> None:
    table = two_deals(journal)
    rulings = [ruling for one in Archive(journal).entries(table.session_id, 0, 100) or [] for ruling in one["rulings"]]
    assert any(ruling["ruling"] == "refused" and ruling["code"] for ruling in rulings)
    assert not any("words" in ruling for ruling in rulings)


@pytest.mark.parametrize("since", ["9999-12-31", "0001-01-01", "2026-13-99", ""])
def test_any_day_can_be_asked_for(journal: Journal, since: str) -> None:
    two_deals(journal)
    assert len(Archive(journal).sessions(Search(since=since))) == (0 if since == "9999-12-31" else 1)
