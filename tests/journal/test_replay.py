"""Judged again from the log: the same rulings, the same result, or a word about the difference."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version

import pytest

from firmware.journal.errors import BadEntry
from firmware.journal.journal import OPENING, Journal
from firmware.journal.lines import SessionHeader
from firmware.journal.replay import differences, refold, replay, replay_text, session_net, settle_evening, setup_of
from firmware.journal.verify import Fault, verify
from firmware.referee.match import Match

from .games import CORRECTION, HEADER, WITHHELD, add, play
from .tools import sql


def test_the_log_judged_again_says_what_was_said_at_the_table(journal: Journal) -> None:
    session = play(journal)
    text, same = replay_text(journal, session)
    assert same, text
    assert "8 entries" in text
    assert "Ann is out first and wins" in text
    kept = [(row.id, row.kind, row.code) for row in journal.rulings(session)]
    assert ("proved", "WITHHELD") in [(kind, code) for _, kind, code in kept]
    assert sum(session_net(journal, session).values()) == 0


def test_a_game_with_a_correction_folds_to_the_same(journal: Journal) -> None:
    session = play(journal, [*WITHHELD[:6], CORRECTION])
    text, same = replay_text(journal, session)
    assert same, text
    (one,) = replay(journal, session)
    assert len(one.match.standing) < len(one.match.rulings)


def test_changed_rulings_and_results_are_named(journal: Journal) -> None:
    session = play(journal)
    proved = next(row for row in journal.rulings(session) if row.kind == "proved")
    sql(
        journal.folder,
        f"UPDATE ruling SET text = replace(text, '\"seat\":2', '\"seat\":3') WHERE id = {proved.id}",
        f"DELETE FROM ruling WHERE id = {proved.id + 1}",
    )
    found = differences(journal, session, replay(journal, session))
    assert [words.split(":")[0] for words in found] == [
        f"deal 1, ruling {proved.id}",
        f"deal 1, ruling {proved.id + 1}",
    ]
    assert [finding.fault for finding in verify(journal, session).findings] == [Fault.RULING]
    sql(journal.folder, "DELETE FROM ruling")
    refold(journal, session)
    assert verify(journal, session).whole
    assert replay_text(journal, session)[1]


def test_other_words_of_another_program_are_no_other_judgement(journal: Journal) -> None:
    session = play(journal, header=replace(HEADER, program="0.0.1"))
    sql(journal.folder, "UPDATE ruling SET text = replace(text, 'pays', 'gives')")
    assert replay_text(journal, session)[1]


@pytest.mark.parametrize("over", [True, False])
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE ruling SET text = replace(text, 'pays', 'gives')",
        "UPDATE ruling SET code = 'SLOW'",
        "UPDATE ruling SET text = 'x' WHERE id = 3",
        "INSERT INTO ruling VALUES (1, 1, 999, 3, 'proved', 'WITHHELD', '{\"ruling\": \"proved\"}')",
    ],
)
def test_a_forged_ruling_is_not_as_at_the_table(journal: Journal, change: str, over: bool) -> None:
    session = play(journal, header=replace(HEADER, program=version("cardtable")), over=over)
    assert verify(journal, session).whole
    sql(journal.folder, change)
    text, same = replay_text(journal, session)
    assert not same
    assert "NOT as at the table" in text
    assert Fault.RULING in [finding.fault for finding in verify(journal, session).findings]


def test_a_doubt_is_said_by_replay(journal: Journal) -> None:
    text, same = replay_text(journal, play(journal), "WARNING: it was changed")
    assert not same
    assert "  - WARNING: it was changed" in text


def test_several_deals_carry_on(journal: Journal) -> None:
    session = play(journal, over=False)
    setup = Match(setup_of(HEADER, journal.deals(session)[0]))
    following = {"counts": {"Ann": 3, "Bo": 3, "Cy": 2}, "ranks": "A234", "suits": "SH"}
    deal = journal.next_deal(session, 1, following)
    match = Match(setup_of(journal.header(session), journal.deals(session)[1]))
    journal.add_rulings(session, OPENING, match.opening, deal=deal)
    for number, fact in enumerate([WITHHELD[4], WITHHELD[5]]):
        add(journal, session, match, number, fact, deal=deal)
    first, second = replay(journal, session)
    assert (first.deal.number, len(first.entries), second.deal.number, len(second.entries)) == (1, 8, 2, 2)
    assert second.match.setup.dealer == 1
    assert setup.setup.dealer == 3
    journal.end(session, second.match.result())
    assert replay_text(journal, session)[1]


def test_an_evening_is_settled_over_all_its_sessions(journal: Journal) -> None:
    first, second = play(journal), play(journal)
    once, (twice, left_out) = session_net(journal, first), settle_evening(journal, [first], [first, second])
    assert left_out == ()
    assert twice.net == {name: 2 * counters for name, counters in once.items()}
    assert sum(transfer.counters for transfer in twice.transfers) == 2 * once["Ann"]


def test_a_game_that_this_program_does_not_know(journal: Journal) -> None:
    session = journal.begin(SessionHeader("whist_of_mars", ("A", "B")))
    with pytest.raises(BadEntry, match="cannot be judged by this program: no game is called"):
        replay(journal, session)


def test_a_program_that_was_killed_before_the_rulings_were_kept_tells_them_again(journal: Journal) -> None:
    session = play(journal, over=False)
    sql(journal.folder, "DELETE FROM ruling WHERE entry >= 6")
    assert not replay_text(journal, session)[1]
    refold(journal, session)
    assert replay_text(journal, session)[1]
