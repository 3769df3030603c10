"""The panel in a terminal and the fake panel: the same state in words, and a record of what was shown."""

from __future__ import annotations

import re

from rich.console import Console

from firmware.panel.board import demo_board
from firmware.panel.buttons import Act, Gesture
from firmware.panel.panel_fake import FakePanel, PanelLike
from firmware.panel.signals import Colour, Meaning, PanelState, lit, rhythm, signal
from firmware.panel.terminal import draw, legend, line, strip

STATE = PanelState((signal(Meaning.TURN), signal(Meaning.PAY, 2), signal(Meaning.WAITING)), 17)
NAMES = ("Ann", "[red]Bo", "Cy")


def test_lamp_name_rhythm_and_words_stand_side_by_side():
    console = Console(width=80, color_system=None, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    with console.file:
        console.print(draw(STATE, NAMES, (Colour.GREEN, Colour.RED, Colour.OFF), "17"))
    assert [row.split() for row in console.export_text().splitlines()] == [
        ["●", "green", "Ann", "steady", "your", "turn"],
        ["●", "red", "[red]Bo", "2", "short", "pay", "2"],
        ["○", "off", "Cy", "a", "blip", "now", "and", "then", "waiting"],
        ["pool", "[17]"],
    ]


def test_one_line_for_logs():
    assert line(STATE, NAMES) == (
        "Ann: your turn (steady); [red]Bo: pay 2 (2 short); Cy: waiting (a blip now and then); pool 17"
    )


def test_a_strip_shows_a_rhythm_a_tenth_of_a_second_a_character():
    assert strip(rhythm(Meaning.OUT_OF_STEP), 2800) == "███████░░░░░░░" * 2
    assert strip(rhythm(Meaning.TURN), 500) == "█████"
    assert strip(rhythm(Meaning.DARK), 500) == "░░░░░"


def test_a_strip_flashes_as_often_as_its_lamp():
    for meaning in Meaning:
        beat = rhythm(meaning, 3)
        if len(beat) > 1:
            length_ms = 6000
            begun = sum(lit(beat, ms) and not lit(beat, ms - 1) for ms in range(length_ms)) or 1
            drawn = len(re.findall("[█▐][█▌]*", strip(beat, length_ms)))
            assert abs(drawn - begun) <= 1, meaning  # one may begin in the last moment


def test_no_two_meanings_have_the_same_strip():
    strips = {strip(rhythm(meaning, 1)) for meaning in Meaning}
    assert len(strips) == len(Meaning)


def test_the_legend_says_when():
    assert legend(signal(Meaning.TURN)) == "your turn: steady, green; this seat is to act"


class TestFake:
    def test_it_keeps_every_new_state_with_its_time(self):
        now = [0]
        fake = FakePanel(lambda: now[0])
        other = PanelState((signal(Meaning.WAITING),))
        for now[0], state in [(1, STATE), (2, STATE), (3, other), (4, STATE)]:
            fake.show(state)
        assert fake.trace == [(1, STATE), (3, other), (4, STATE)]
        assert fake.meanings == [("TURN", "PAY", "WAITING"), ("WAITING",), ("TURN", "PAY", "WAITING")]

    def test_acts_come_out_once(self):
        fake, act = FakePanel(), Act(Gesture.TAP, 0, 1, 2)
        fake.press(act)
        assert (fake.acts(), fake.acts()) == ([act], [])

    def test_both_panels_fit_the_same_protocol(self):
        panel, _ = demo_board(2)
        both: list[PanelLike] = [panel, FakePanel()]
        for each in both:
            each.show(PanelState((signal(Meaning.TURN),) * 2))
            assert each.tick(0) > 0
            assert (each.acts(), each.held()) == ([], frozenset())
            each.close()
