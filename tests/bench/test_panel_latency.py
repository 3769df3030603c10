"""The panel's bench runs and gives figures; no figure is judged here."""

from __future__ import annotations

from tests.bench.panel_latency import measure


def test_the_bench_gives_figures():
    figures = measure(2, blinking=True, rounds=3, idle_s=0.05)
    assert 0 < figures.median_ms <= figures.p99_ms
    assert "2 seats, all blinking" in str(figures)
