"""``check --panel``: every lamp and button in turn, and what did not answer is named."""

from __future__ import annotations

from firmware.panel.buttons import MS
from firmware.panel.check import ANSWER_S, Outcome, check
from firmware.panel.signals import Colour

from .conftest import Bench, Maker


def run(table: Bench, presses: dict[str, int]) -> tuple[list[str], list[tuple[Colour, ...]]]:
    """The check's lines and every picture of the lights, with somebody pressing what ``presses`` says for a line."""
    seen: list[tuple[Colour, ...]] = []

    def wait(seconds: float) -> None:
        table.clock.now_ns += round(seconds * 1000) * MS
        table.panel.tick()
        if not seen or seen[-1] != table.pins.lights():
            seen.append(table.pins.lights())

    lines = []
    for report in check(table.panel, wait):
        lines.append(f"{report.outcome}: {report.words}")
        answer = next((seat for start, seat in presses.items() if report.words.startswith(start)), None)
        if report.outcome is Outcome.DOING and answer is not None:
            table.press(answer)
    return lines, seen


OFF, GREEN, RED, AMBER, _ = Colour
WELL = {"seat 1": 1, "seat 2": 2, "host": 0}


def test_all_well(bench: Maker):
    lines, seen = run(bench(seats=2), WELL)
    assert lines == [
        "doing: pool digits: all segments, then 1 to 9 and 0 on both; watch for a dark segment",
        "good: pool digits: driven",
        "good: buzzer: driven",
        "doing: seat 1: its light turns red, green, amber; press the button of seat 1",
        "good: seat 1: light seen, button answered",
        "doing: seat 2: its light turns red, green, amber; press the button of seat 2",
        "good: seat 2: light seen, button answered",
        "doing: host: press the host's button",
        "good: host: button answered",
        "good: panel: every light and button answered",
    ]
    lit = [(RED, OFF), (GREEN, OFF), (AMBER, OFF), (OFF, RED), (OFF, GREEN), (OFF, AMBER)]
    assert seen == [(OFF, OFF), *lit, (OFF, OFF)]


def test_what_does_not_answer_is_named(bench: Maker):
    lines, _ = run(bench(seats=2), {"seat 1": 1, "host": 0})
    missing = f"seat 2: no answer in {ANSWER_S:.0f} s; light, button or their wires"
    assert lines[-1] == f"failed: panel: 1 of its parts did not answer: {missing}"


def test_swapped_buttons_are_named(bench: Maker):
    lines, _ = run(bench(seats=2), {**WELL, "seat 1": 2, "seat 2": 1})
    assert "failed: seat 1: the button of seat 2 answered; are they swapped?" in lines
    assert "failed: seat 2: the button of seat 1 answered; are they swapped?" in lines


def test_a_stuck_button_is_named(bench: Maker):
    table = bench(seats=2)
    table.pins.push(2, True)
    table.run_ms(31_000)
    table.panel.acts()
    lines, _ = run(table, {"seat 1": 1, "host": 0})
    assert "failed: seat 2: the button is down all the time; is it wired to the right pin?" in lines


def test_a_part_that_raises_does_not_end_the_check(bench: Maker):
    table = bench(seats=2)
    table.panel.board.number = _broken  # type: ignore[method-assign]
    lines, _ = run(table, WELL)
    assert lines[1] == "failed: pool digits (OSError: gone)"
    assert lines[-1] == "failed: panel: 1 of its parts did not answer: pool digits (OSError: gone)"


def test_the_large_board_has_the_same_check(bench: Maker):
    lines, _ = run(bench("large", 6), {f"seat {seat}": seat for seat in range(1, 7)} | {"host": 0})
    assert lines[-1] == "good: panel: every light and button answered"


def _broken(text: str) -> None:
    raise OSError("gone")
