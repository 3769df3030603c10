"""A session as a person would tell it, a ruling explained, disputes, figures."""

from __future__ import annotations

import json
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.journal.disputes import LET_STAND, OPENED, SETTLED, called, entry_of, seat_of
from firmware.journal.errors import BadEntry
from firmware.journal.explain import explain
from firmware.journal.export import export_html, export_json
from firmware.journal.journal import Journal
from firmware.journal.lines import SessionHeader
from firmware.journal.listing import Query
from firmware.journal.report import show_text, story
from firmware.journal.stats import net_svg, statistics, total_nets
from firmware.journal.tell import Teller
from firmware.journal.verify import verify
from firmware.referee import events
from firmware.referee.cards import Card
from firmware.referee.events import Fact

from .games import CALL, CORRECTION, HEADER, PAID_WRONGLY, SHOWN, WITHHELD, play
from .tools import DAY_NS, EVENING_NS, FakeClock, picture, sql


def proof_id(journal: Journal, session: str) -> int:
    return next(row.id for row in journal.rulings(session) if row.kind == "proved")


def test_show_tells_the_evening(journal: Journal, clock: FakeClock) -> None:
    session = play(journal, clock=clock)
    text = show_text(journal, session, UTC)
    head = text.splitlines()[:6]
    assert head[:5] == [
        f"Fan Tan, session {session}",
        "Monday 30 November 2026, 20:00, 4 minutes",
        "Players: Ann, Bo and Cy.",
        "House rules: ante = 1.",
        "Program 0.1.0, reader model 5f5f5f5f5f5f.",
    ]
    rows = text.splitlines()
    assert "   0   0:00 Ann laid A♠  [2 pictures]" in rows
    assert "   1   0:04 Bo pressed the button" in rows
    assert any(f"({proof_id(journal, session)})" in row for row in rows)
    assert any("Ann is out first and wins" in row for row in rows)
    assert verify(journal, session).code in rows[-1]
    assert "gives Ann" in text


def test_show_marks_what_was_corrected_and_overturned(journal: Journal) -> None:
    session = play(journal, [*WITHHELD[:6], CORRECTION])
    rows = show_text(journal, session).splitlines()
    struck = next(row for row in rows if "laid 3♠" in row)
    assert "(corrected)" in struck
    assert any("Cy corrected entry 5: Cy laid 3♥ (I laid the three of hearts)" in row for row in rows)


def test_show_works_for_a_session_that_is_still_going_on(journal: Journal) -> None:
    session = play(journal, WITHHELD[:3], over=False)
    assert "not over" in show_text(journal, session)


def test_show_tells_the_facts_of_a_game_that_cannot_be_judged(journal: Journal) -> None:
    session = journal.begin(SessionHeader("whist_of_mars", ("A", "B")))
    journal.append(session, events.Entry(0, WITHHELD[0]))
    text = show_text(journal, session)
    assert "Not judged: " in text
    assert "A laid A♠" in text


@pytest.mark.parametrize("kind", events.WORDS)
def test_every_kind_of_fact_is_told(kind: type) -> None:
    seven = Card.parse("7H")
    samples: dict[type, Fact] = {
        events.Laid: events.Laid(seven, "seat-2", 1),
        events.TakenBack: events.TakenBack(None, "layout", None),
        events.TurnedDown: events.TurnedDown("seat-2"),
        events.Gathered: events.Gathered("seat-1", 2, 3),
        events.Exchanged: events.Exchanged((1, 2)),
        events.ExchangeRefused: events.ExchangeRefused(1, 2),
        events.Cut: events.Cut(1, None),
        events.Pressed: events.Pressed(2, taps=2),
        events.Said: events.Said(1, "swap", "ace"),
        events.HandShown: events.HandShown(2, (seven,)),
        events.Corrected: events.Corrected(3, None, "Ann", "misread"),
        events.Inserted: events.Inserted(3, events.Cut(1, seven), "Bo", ""),
        events.Conflict: events.Conflict(seven, (1, 2)),
        events.Note: events.Note("PAUSED", "tea"),
    }
    told = {
        events.Laid: "Ann laid 7♥ in front of Bo",
        events.TakenBack: "somebody took a card that could not be read back",
        events.TurnedDown: "the open cards in front of Bo were turned face down",
        events.Gathered: "Bo took 3 cards in front of Ann",
        events.Exchanged: "Ann and Bo exchanged cards",
        events.ExchangeRefused: "Bo refused the exchange with Ann",
        events.Cut: "Ann cut the pack",
        events.Pressed: "Bo pressed the button twice",
        events.Said: "Ann said: swap (ace)",
        events.HandShown: "Bo showed 7♥",
        events.Corrected: "Ann struck entry 3 (misread)",
        events.Inserted: "Bo added before entry 3: Ann cut 7♥",
        events.Conflict: "7♥ was seen twice (entries 1 and 2)",
        events.Note: "note: tea",
    }
    assert Teller(("Ann", "Bo")).fact(samples[kind]) == told[kind]


def test_a_note_for_programs_is_called_by_its_code() -> None:
    sealed = events.Note("WISH_SEALED", '{"seat": 2, "wish": "a pony"}')
    assert Teller(("Ann", "Bo")).fact(sealed) == "note: wish sealed"


def test_explain_names_the_rule_both_entries_and_their_pictures(journal: Journal) -> None:
    session = play(journal)
    found = explain(journal, session, proof_id(journal, session))
    roles = {(shown.role, shown.told.entry.number) for shown in found.evidence}
    assert ("entry", SHOWN) in roles or ("entry", PAID_WRONGLY) in roles
    assert {SHOWN, PAID_WRONGLY} <= {shown.told.entry.number for shown in found.evidence}
    assert any(shown.role == "before" for shown in found.evidence)
    text = found.text()
    assert "The rule: the wanted card was withheld." in text
    assert "House rules of this session: ante = 1." in text
    shown = next(shown for shown in found.evidence if shown.told.entry.number == SHOWN)
    assert len(shown.pictures) == 2
    assert all(str(path) in text and path.is_file() for path in shown.pictures)
    assert json.loads(json.dumps(found.to_json()))["ruling"]["code"] == "WITHHELD"
    assert found.said.stands


def test_explain_says_that_a_correction_overturned_the_ruling(journal: Journal) -> None:
    session = play(journal, [*WITHHELD[:6], CORRECTION])
    overturned = [row.id for row in journal.rulings(session) if not explain(journal, session, row.id).said.stands]
    assert overturned
    assert "overturned" in explain(journal, session, overturned[0]).text()


def warned(text: str, session: str) -> bool:
    first = text.splitlines()[0]
    return first.startswith(f"WARNING: session {session} was changed") and f"`cardtable verify {session}`" in first


def test_a_changed_session_is_told_with_a_warning_first(journal: Journal) -> None:
    session = play(journal)
    ruling = proof_id(journal, session)
    assert story(journal, session).doubt == ""
    assert explain(journal, session, ruling).doubt == ""
    sql(journal.folder, "UPDATE line SET text = replace(text, '\"seat\":2', '\"seat\":3') WHERE seq = 5")
    assert warned(show_text(journal, session), session)
    assert warned(explain(journal, session, ruling).text(), session)
    assert warned(explain(journal, session, ruling).to_json()["doubt"], session)
    assert warned(export_json(journal, session)["doubt"], session)
    assert '<p class="doubt"><bdi>WARNING: session' in export_html(journal, session)


def test_a_changed_picture_is_shown_with_a_warning(journal: Journal) -> None:
    session = play(journal)
    evidence = explain(journal, session, proof_id(journal, session)).evidence
    shown = next(one for one in evidence if one.pictures)
    shown.pictures[0].write_bytes(picture("another"))
    assert warned(explain(journal, session, proof_id(journal, session)).text(), session)
    assert '<p class="doubt">' in export_html(journal, session)
    shown.pictures[0].unlink()
    assert explain(journal, session, proof_id(journal, session)).doubt == "", "a picture may be gone on purpose"


@pytest.mark.parametrize("wanted", ["x", "1.x", "", "-1", "999", "7.0"])
def test_explain_of_no_ruling_is_one_clear_line(journal: Journal, wanted: str) -> None:
    session = play(journal)
    with pytest.raises(BadEntry) as caught:
        explain(journal, session, wanted)
    assert "\n" not in str(caught.value)


def test_a_ruling_of_several_deals_is_asked_for_with_its_deal(journal: Journal) -> None:
    session = play(journal, over=False)
    journal.next_deal(session, 1, dict(HEADER.deal))
    with pytest.raises(BadEntry, match=r"say 1\.0 or 2\.0"):
        explain(journal, session, "0")
    assert explain(journal, session, "2.0").said.deal == 2


@given(
    names=st.lists(st.text(min_size=1), min_size=2, max_size=5, unique=True),
    entry=st.none() | st.integers(0, 10**6),
    why=st.text(),
    data=st.data(),
)
def test_a_call_says_who_and_about_what(names: list[str], entry: int | None, why: str, data: st.DataObject) -> None:
    seat = data.draw(st.integers(1, len(names)))
    words = called(names[seat - 1], entry, why)
    found = seat_of(words, names)
    assert found is not None
    assert words.startswith(names[found - 1])
    assert entry_of(words) == entry
    assert seat_of(called("the host", entry, why), ["Ann", "Bo"]) is None


def test_a_dispute_is_told_from_the_call_to_the_settlement(journal: Journal) -> None:
    session = play(journal, WITHHELD[:6], over=False)
    notes: tuple[Fact, ...] = (
        events.Note(OPENED, called("Cy", 5, "that was the heart")),
        CORRECTION,
        events.Note(OPENED, called("Ann", 1)),
        events.Note(LET_STAND, "Bo: pressed is pressed"),
        events.Note(SETTLED, "the host: we split it"),
    )
    for number, fact in enumerate(notes, start=6):
        journal.append(session, events.Entry(number, fact, source="page"))
    text = show_text(journal, session)
    assert "note: Cy called the referee about entry 5: that was the heart" in text
    assert "Cy corrected entry 5: Cy laid 3♥ (I laid the three of hearts)" in text
    assert "note: Bo: pressed is pressed" in text
    assert "note: the host: we split it" in text


@pytest.mark.parametrize(
    ("fact", "entries"),
    [
        (CALL, [4, 5, 6]),
        (CORRECTION, [5, 6]),
        (events.Note("DISPUTE_OPENED", "Ann called the referee about entry 1"), [1, 4, 5, 6]),
        (events.Note("DISPUTE_OPENED", "Ann called the referee"), [4, 5, 6]),
        (events.Note("PAUSED", "entry 1"), []),
        (events.Conflict(Card.parse("AS"), (0, 3)), [0, 3, 6]),
        (events.Inserted(2, WITHHELD[4], "Bo", ""), [2, 6]),
    ],
)
def test_what_a_dispute_is_about_keeps_its_pictures(journal: Journal, fact: Fact, entries: list[int]) -> None:
    session = journal.begin(HEADER)
    for number, before in enumerate([*WITHHELD[:6], fact]):
        journal.append(session, events.Entry(number, before))
    kept = journal.store.rows("SELECT entry FROM dispute ORDER BY entry")
    assert [entry for (entry,) in kept] == entries


def test_sessions_are_found_by_game_player_date_and_dispute(journal: Journal, clock: FakeClock) -> None:
    first = play(journal, [*WITHHELD[:6], CALL])
    clock.mono += DAY_NS
    clock.wall += DAY_NS
    other = journal.begin(SessionHeader("wish_card", ("Ann", "DI  Müller")))
    clock.mono += DAY_NS
    clock.wall += DAY_NS
    quiet = play(journal, WITHHELD[:1])

    def found(**asked: object) -> list[str]:
        return [summary.row.id for summary in journal.sessions(Query(**asked))]  # type: ignore[arg-type]

    assert found() == [quiet, other, first]
    assert found(game="wish_card") == [other]
    assert found(player="ann") == [quiet, other, first]
    assert found(player="di müller") == [other]
    assert found(player="nobody") == []
    assert found(since_ns=EVENING_NS + DAY_NS // 2, until_ns=EVENING_NS + 3 * DAY_NS // 2) == [other]
    assert found(disputes=True) == [first]
    assert found(limit=1) == [quiet]
    listed = journal.sessions()[1].to_json()
    assert listed["started"] == "2026-12-01T20:00:00Z"
    assert listed["seats"] == ["Ann", "DI  Müller"]
    assert {"id", "game", "started", "entries"} <= set(listed)


def test_a_foul_that_the_referee_proved_is_no_dispute(journal: Journal) -> None:
    session = play(journal)
    assert journal.store.rows("SELECT count(*) FROM dispute") != [(0,)], "its pictures are kept all the same"
    assert journal.session(session).disputes == 0
    assert "disputed" not in journal.sessions()[0].text()


def test_statistics_count_what_was_played(journal: Journal, clock: FakeClock) -> None:
    play(journal, clock=clock)
    play(journal)
    journal.begin(SessionHeader("whist_of_mars", ("A", "B")))
    found = statistics(journal)
    bo = found.figures["fan_tan", "Bo"]
    assert (bo.sessions, bo.deals, bo.wins, bo.passes, bo.false_passes) == (2, 2, 0, 2, 2)
    ann = found.figures["fan_tan", "Ann"]
    assert (ann.wins, ann.passes, ann.false_passes) == (2, 2, 0)
    assert ann.longest_s == 8 * 30.0
    assert sum(f.net for f in found.figures.values()) == 0
    assert bo.paid == 4  # two antes and two payments
    assert len(found.skipped) == 1
    rows = found.text().splitlines()
    assert rows[0].split()[:3] == ["game", "player", "deals"]
    assert any(row.startswith("Fan Tan  Bo") for row in rows)
    drawing = net_svg(total_nets(found), "Won & lost")
    assert drawing.count("<rect") == 3
    assert "Won &amp; lost" in drawing
