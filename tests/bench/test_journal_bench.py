"""The journal's bench runs and gives figures; no figure is judged here."""

from __future__ import annotations

from pathlib import Path

from tests.bench.journal_bench import bare_sqlite, build, ours, readers, resume


def test_the_bench_gives_figures(tmp_path: Path) -> None:
    bare, full = bare_sqlite(tmp_path, 5), ours(tmp_path, 5, photos=True)
    assert all(rate > 0 for rate in bare.per_s)
    assert full.disk_bytes == 0 or full.disk_bytes > bare.disk_bytes
    last = build(tmp_path / "large", 3, 20)
    assert resume(tmp_path / "large") == 20
    assert all(min(spent_ms) > 0 for spent_ms in readers(tmp_path / "large", last).values())
