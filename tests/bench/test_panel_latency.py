"""The panel's bench runs and gives figures; no figure is judged here."""

from __future__ import annotations

from tests.bench.panel_latency import bare_led_ms, measure


def test_the_bench_gives_figures():
    figures = measure(2, blinking=True, rounds=3, idle_s=0.05)
    assert len(figures.fact_to_pin_ms) == 3
    assert min(figures.fact_to_pin_ms) > 0
    assert all(spent_ms > 0 for spent_ms in bare_led_ms(3))
