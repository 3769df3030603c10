"""``check --panel``: every lamp and button in turn, and what did not answer is named."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from firmware.panel.buttons import MS
from firmware.panel.check import ANSWER_S, LOOK_S, Outcome, check
from firmware.panel.devices import SEVEN
from firmware.panel.signals import Colour

from .conftest import Bench, Maker


def run(table: Bench, presses: dict[str, int], held: str = "-") -> tuple[list[str], list[tuple[Colour, ...]]]:
    """The check's lines and every picture of the lights, with somebody pressing what ``presses`` says for a line."""
    seen: list[tuple[Colour, ...]] = []

    pending: list[tuple[int, int]] = []

    def wait(seconds: float) -> None:
        if pending and seconds == LOOK_S:
            seat, down_ms = pending.pop()
            table.press(seat, down_ms=down_ms)
        table.clock.now_ns += round(seconds * 1000) * MS
        table.panel.tick()
        if not seen or seen[-1] != table.pins.lights():
            seen.append(table.pins.lights())

    lines = []
    for report in check(table.panel, wait):
        lines.append(f"{report.outcome}: {report.words}")
        answer = next((seat for start, seat in presses.items() if report.words.startswith(start)), None)
        if report.outcome is Outcome.DOING and answer is not None:
            pending.append((answer, 1200 if report.words.startswith(held) else 80))
    return lines, seen


OFF, GREEN, RED, AMBER, BLUE = Colour
WELL = {"seat 1": 1, "seat 2": 2, "host": 0, "pool": 1, "buzzer": 0}


def test_all_well(bench: Maker):
    lines, seen = run(bench(seats=2), WELL)
    assert lines == [
        "doing: seat 1: its light turns red, green, amber; press the button of seat 1",
        "good: seat 1: light seen, button answered",
        "doing: seat 2: its light turns red, green, amber; press the button of seat 2",
        "good: seat 2: light seen, button answered",
        "doing: host: press the host's button",
        "good: host: button answered",
        "doing: pool digits: segments a b c d e f - in turn on both, then all; press any button if each was lit, "
        "hold it for a second if not",
        "good: pool digits: answered",
        "doing: buzzer: a low note, then a high one; press any button if both were heard, hold it for a second if not",
        "good: buzzer: answered",
        "good: panel: every light, button and segment answered",
    ]
    lit = [(RED, OFF), (GREEN, OFF), (AMBER, OFF), (OFF, RED), (OFF, GREEN), (OFF, AMBER)]
    assert seen == [*lit, (OFF, OFF)]


def test_what_does_not_answer_is_named(bench: Maker):
    lines, _ = run(bench(seats=2), {"seat 1": 1, "host": 0, "pool": 1, "buzzer": 1})
    missing = f"seat 2: no answer in {ANSWER_S:.0f} s; light, button or their wires"
    assert lines[-1] == f"failed: panel: 1 of its parts did not answer: {missing}"


def test_swapped_buttons_are_named(bench: Maker):
    lines, _ = run(bench(seats=2), {**WELL, "seat 1": 2, "seat 2": 1})
    assert "failed: seat 1: the button of seat 2 answered; are they swapped?" in lines
    assert "failed: seat 2: the button of seat 1 answered; are they swapped?" in lines


def test_an_impatient_second_press_accuses_nobody_and_answers_nothing(bench: Maker):
    table, lines = bench(seats=2), []

    def wait(seconds: float) -> None:
        if seconds == LOOK_S and "; press the button of seat 1" in lines[-1].words:
            table.press(1)
        table.run_ms(round(seconds * 1000))

    for report in check(table.panel, wait):
        lines.append(report)
        if "seat 2: its" in report.words:
            table.press(1)  # once more, while the next light shows
        if report.words.startswith(("pool digits: segments", "buzzer: a low")):
            table.press(0)  # before anything was to be seen or heard
    told = [f"{report.outcome}: {report.words}" for report in lines if report.outcome is not Outcome.DOING]
    assert told[0] == "good: seat 1: light seen, button answered"
    assert [line.partition(" in 15 s")[0] for line in told[1:5]] == [
        "failed: seat 2: no answer", "failed: host: no answer",
        "failed: pool digits: nobody answered", "failed: buzzer: nobody answered",
    ]  # fmt: skip


def test_a_stuck_button_is_named(bench: Maker):
    table = bench(seats=2)
    table.pins.push(2, True)
    table.run_ms(31_000)
    table.panel.acts()
    lines, _ = run(table, {name: seat for name, seat in WELL.items() if seat != 2})
    assert "failed: seat 2: the button is down all the time; is it wired to the right pin?" in lines


def test_a_part_that_raises_does_not_end_the_check(bench: Maker):
    table = bench(seats=2)
    table.panel.board.number = _broken  # type: ignore[method-assign]
    lines, _ = run(table, WELL)
    told = "pool digits (OSError: gone)"
    assert lines[-1] == f"failed: panel: 2 of its parts did not answer: {told}; {told}"
    assert "good: buzzer: answered" in lines


def test_the_large_board_has_the_same_check(bench: Maker):
    table = bench("large", 6)
    lines, seen = run(table, {f"seat {seat}": seat for seat in range(1, 7)} | {"host": 0, "pool": 6, "buzzer": 0})
    assert lines[-1] == "good: panel: every light, button and segment answered"
    assert {colour for lights in seen for colour in lights} == {OFF, RED, GREEN, BLUE}


def test_each_segment_of_both_digits_is_lit_alone_and_all_at_last(bench: Maker):
    table = bench("large", 2)
    seen: list[str] = []
    table.panel.board.number = _spied(seen, table.panel.board.number)  # type: ignore[method-assign]
    run(table, WELL)
    lit = [SEVEN[text[0]] for text in seen if text[0] == text[1]]
    assert lit[-9:] == [*(1 << bit for bit in range(7)), 0b1111111, 0]


@pytest.mark.parametrize("part", ["pool digits", "buzzer"])
def test_a_long_press_says_that_something_was_dark_or_silent(bench: Maker, part: str):
    lines, _ = run(bench(seats=2), WELL, held=part)
    assert sum(line.startswith(f"failed: {part}: ") for line in lines) == 1
    assert lines[-1].startswith(f"failed: panel: 1 of its parts did not answer: {part}: ")


def test_a_part_that_the_table_lacks_is_not_asked_for(bench: Maker):
    lines, _ = run(bench(seats=2, digits=(), buzzer=None), WELL)
    assert not [line for line in lines if "digits" in line or "buzzer" in line]
    assert lines[-1].startswith("good: panel")


def _spied(seen: list[str], real: Callable[[str], None]) -> Callable[[str], None]:
    def number(text: str) -> None:
        seen.append(text)
        real(text)

    return number


def _broken(text: str) -> None:
    raise OSError("gone")
