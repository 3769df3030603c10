"""The bench's pages: no figure of them is typed by hand, and README carries what docs/bench.md says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench import page, pi
from tests.bench.__main__ import main
from tests.bench.rows import Row, read, show

HOME = Path(__file__).resolve().parents[2]
ROWS = (
    Row("pictures", "photographs: cards right, %", (80.0,), "contours", (20.0,)),
    Row("panel", "fact to pin, 8 seats, all blinking, by the clock, ms", (1.0, 2.0, 3.0), "LED.on()", (0.5,)),
    Row("page", "memory, MB", (53.0,)),
)


def test_readme_carries_what_the_page_says() -> None:
    told = page.short((HOME / page.PAGE).read_text(encoding="utf-8"))
    assert page.between((HOME / page.README).read_text(encoding="utf-8")) == told
    assert len(told.splitlines()) > len(page.SHORT)


def test_every_short_row_is_on_the_page() -> None:
    lines = (HOME / page.PAGE).read_text(encoding="utf-8").splitlines()
    assert [begin for begin in page.SHORT if not any(line.startswith(begin) for line in lines)] == []


def test_a_row_is_ours_beside_theirs_as_a_ratio_of_medians() -> None:
    first, second, alone = (row.markdown() for row in ROWS)
    assert first == "| pictures | photographs: cards right, % | 80 | contours | 20 | 4 |"
    assert second.endswith("| 2 (1.5 to 2.5) | LED.on() | 0.5 | 4 |")
    assert alone == "| page | memory, MB | 53 |  |  |  |"
    assert Row("x", "y", (1.0,), "z", (0.0,)).markdown() == "| x | y | 1 | z | 0 | – |"
    assert Row("x", "y", (1.0,), "z").markdown() == "| x | y | 1 | z | – | – |"


def test_a_row_comes_through_a_part_s_output_whole(capsys: pytest.CaptureFixture[str]) -> None:
    show(ROWS, ["--rows"])
    print("a word for people")
    lines = capsys.readouterr().out.splitlines()
    assert [read(line) for line in lines] == [*ROWS, None]


def test_the_page_is_written_and_its_short_form_put_between_the_marks(tmp_path: Path) -> None:
    readme = tmp_path / page.README
    readme.write_text(f"# It\n\n{page.BEGIN}\nold\n{page.END}\n\nmore\n", encoding="utf-8")
    (tmp_path / "docs").mkdir()
    machine = page.Machine("a processor", 2, "3.11", "1 December 2026", "abc", 1.0)
    page.write(tmp_path, ROWS, machine.after(120))
    text = readme.read_text(encoding="utf-8")
    assert page.between(text) == page.short((tmp_path / page.PAGE).read_text(encoding="utf-8"))
    assert "fact to pin, 8 seats" in text
    assert "memory, MB" not in text
    assert text.endswith(f"{page.END}\n\nmore\n")
    assert "2 cores of a processor" in text


def test_a_part_that_there_is_not_is_told_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--only", "nosuch"])
    assert stopped.value.code == 2
    assert "invalid choice: 'nosuch'" in capsys.readouterr().err.splitlines()[-1]


def test_a_readme_without_the_marks_is_told() -> None:
    with pytest.raises(ValueError, match="put them where the table goes"):
        page.carried("# It\n", "table")


def test_an_estimate_for_a_pi_is_what_was_measured_times_the_engine_s_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pi, "factors", lambda python: {("Pi 5", "CPython"): pi.Factor(2.0, 3.0)})
    found = [row for row in pi.rows(ROWS, Path("python")) if row.peer]
    assert [(row.peer, row.theirs) for row in found] == [("Pi 5, at least", (4.0,)), ("Pi 5, at most", (6.0,))]


def test_an_engine_that_is_not_here_has_no_factor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pi.yolo, "FILE", tmp_path / "none.onnx")
    assert pi.factors(Path("/bin/false")) == {}
