"""The referee's bench runs; the one figure judged is that a late fact costs no more than an early one."""

from __future__ import annotations

import importlib.util
import statistics

import pytest

from tests.bench import referee_speed
from tests.referee.players import deal


def test_the_bench_gives_figures() -> None:
    assert referee_speed.judged([deal("fan_tan", 1).play(20)]) > 0
    first, second = referee_speed.long_deal((100, 200))
    assert (first.entries, second.entries) == (100, 200)
    assert (len(first.fact_us), len(second.fact_us)) == (99 // 4, 199 // 4)
    assert second.kept_mb >= 0


def test_a_library_that_is_not_there_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert list(referee_speed.beside((20_000.0,), (100.0,))) == []
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all("not installed" in line for line in lines)


def test_a_late_fact_costs_no_more_than_an_early_one() -> None:
    """Medians of circuits; a shared machine may double one of them, folding again would make it hundreds."""
    early, late = (statistics.median(one.fact_us) for one in referee_speed.long_deal((200, 3000)))
    assert late < 4 * early


def test_one_dear_fact_in_four_is_not_hidden() -> None:
    assert referee_speed.circuits([999.0, *[10.0, 10.0, 10.0, 410.0] * 24]) == (110.0,) * 24
