"""The reading bench measures every method once over every set, and what it draws is what its labels say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench import memory, reading


def test_a_drawn_table_is_read_from_its_file_as_a_photograph_is(tmp_path: Path) -> None:
    (shown,) = reading.pictures(reading.draw(tmp_path / "free", False, 1))
    assert (len(shown.truth), shown.card_px, shown.incomplete) == (8, reading.CARD_PX, False)
    found = reading.measure(reading.classic(1), [shown], reading.scorer(tmp_path))
    assert found.cards == 8
    assert found.right >= 7
    assert found.peak_mb >= memory.resident_mb() > 0


def test_a_method_is_measured_once_on_one_thread(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[tuple[str, str, int]] = []

    def apart(method: str, folder: Path, threads: int, photos: Path) -> reading.Figures:
        asked.append((method, folder.name, threads))
        return reading.Figures(8, 8, 0, 100.0, (1.0,), (float(threads),))

    monkeypatch.setattr(reading, "TABLES", 1)
    monkeypatch.setattr(reading, "peers", lambda: {"contours": True, "YOLO-nano": False})
    monkeypatch.setattr(reading, "apart", apart)
    rows = list(reading.rows(tmp_path))
    assert len(set(asked)) == len(asked) == 2 * 3 + 2
    assert [(row.ours, row.theirs) for row in rows[-2:]] == [((2.0,), (1.0,))] * 2


def test_a_method_that_read_nothing_has_no_share_of_wrong_readings() -> None:
    nothing = reading.Figures(8, 0, 0, 100.0, (1.0,), (1.0,))
    assert (nothing.right_share, nothing.wrong_share) == ((0.0,), ())
    assert reading.Figures(8, 3, 1, 100.0, (1.0,), (1.0,)).wrong_share == (25.0,)


def test_our_earlier_weights_are_those_of_a_commit_and_left_out_where_git_has_it_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked: list[str] = []

    def committed(what: str) -> bytes:
        asked.append(what)
        return (reading.HOME / what.partition(":")[2]).read_bytes()

    monkeypatch.setattr(reading, "_committed", committed)
    assert reading.OURS_EARLIER in reading.peers()
    assert asked == [f"{reading.EARLIER}:models/{name}" for name in reading.MODEL_FILES]
    monkeypatch.undo()
    monkeypatch.setattr(reading, "HOME", tmp_path)
    assert reading.OURS_EARLIER not in reading.peers()
    assert "git does not have them here" in capsys.readouterr().out
