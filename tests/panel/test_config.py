"""The [panel] table: usual wiring, and every fault at once with its remedy."""

from __future__ import annotations

from typing import Any

import pytest

from firmware.panel.buttons import Timing
from firmware.panel.config import (
    HEADER,
    LARGE,
    SMALL,
    BoardKind,
    PanelConfig,
    PanelConfigError,
    Say,
    default,
    panel_config,
)


def fault(data: dict[str, Any], seats: int = 4) -> str:
    with pytest.raises(PanelConfigError) as caught:
        panel_config(data, seats)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class TestUsualWiring:
    def test_no_table_means_no_panel_and_any_number_of_seats(self):
        assert panel_config({}, 10) == PanelConfig(seats=10)

    def test_the_usual_small_and_large_boards(self):
        assert panel_config({"board": "small"}, 4) == SMALL
        assert panel_config({"board": "large"}, 8) == LARGE

    @pytest.mark.parametrize(("board", "most"), [(BoardKind.SMALL, 4), (BoardKind.LARGE, 8)])
    def test_every_number_of_seats_fits_the_header_each_pin_once(self, board: BoardKind, most: int):
        for seats in range(2, most + 1):
            pins = [pin for _, pin in default(board, seats).pins()]
            assert len(pins) == len(set(pins)) <= 26
            assert set(pins) <= set(HEADER)

    def test_the_budget_at_four_and_at_eight_seats(self):
        assert (len(SMALL.pins()), len(LARGE.pins())) == (23, 16)

    def test_the_header_has_26_pins_each_in_its_own_place(self):
        assert (len(HEADER), len(set(HEADER.values()))) == (26, 26)
        ground_and_power = {1, 2, 4, 6, 9, 14, 17, 20, 25, 30, 34, 39, 27, 28}
        assert set(HEADER.values()) | ground_and_power == set(range(1, 41))

    def test_settings_are_taken(self):
        data = {"board": "small", "say": "all", "hold_ms": 800, "buzzer": False, "sound": False, "factory": "mock"}
        config = panel_config(data, 3)
        assert (config.say, config.timing, config.buzzer) == (Say.ALL, Timing(hold_ms=800), None)
        assert (config.sound, config.factory, config.seats) == (False, "mock", 3)


class TestFaults:
    def test_all_faults_in_one_line(self):
        words = fault({"board": "small", "buttons": [2, 3, 4, 22], "buzzer": 40, "butons": [1], "hold_ms": 5}, 4)
        assert words == (
            "[panel] butons: unknown key; did you mean 'buttons'?; hold_ms: 400 to 5000 ms is wanted, not 5; "
            "buttons: GPIO 22 is used for seat 4 button and seat 1 red; free: 17, 18, 21; "
            "buzzer: GPIO 40 (buzzer) is not on the header of a Pi; use GPIO 2 to 27"
        )

    @pytest.mark.parametrize(
        ("data", "seats", "words"),
        [
            ({"board": "tiny"}, 4, "board: 'tiny' is none of none, small, large"),
            ({"board": "small"}, 5, 'board: "small" has 2 to 4 seats, the table 5; board = "large" has up to 8'),
            ({"board": "large"}, 9, 'board: "large" has 2 to 8 seats, the table 9; 8 is the most'),
            ({"board": "large"}, 1, "has 2 to 8 seats, the table 1; give each seat a [[zone]] (seat-1, seat-2 ...)"),
            ({"board": "large", "host": 7}, 2, "host: GPIO 7 is used for host button and spi second latch; free: "),
            ({"board": "large", "buttons": [4, 17]}, 3, "buttons: 3 seats want 3 pins, 2 given"),
            ({"board": "small", "lights": [[22, 23]]}, 2, "lights: 2 seats want 2 pairs [red, green], 1 given"),
            ({"board": "small", "segments": [7, 5]}, 2, "segments: a to g want 7 pins, 2 given"),
            ({"board": "small", "enable": 21}, 2, "enable: only the large board has it"),
            ({"board": "large", "enable": False}, 2, "enable: the large board wants the pin"),
            ({"board": "large", "digits": [20]}, 2, "digits: the large board has them on its chain"),
            ({"board": "large", "host": 11}, 2, "host: GPIO 11 is used for host button and spi clock; free: "),
            ({"board": "small", "buzzer": 2, "buttons": [4, 17]}, 2, "buzzer: GPIO 2 (buzzer) is pulled up on the Pi"),
            ({"board": "small", "buttons": "4, 17"}, 2, "buttons: a list of GPIO numbers is wanted, not '4, 17'"),
            ({"board": "small", "buttons": [True, 4]}, 2, "buttons: a list of GPIO numbers is wanted"),
            ({"board": "small", "lights": [22, 23]}, 2, "lights: a list of pairs [red, green] is wanted"),
            ({"board": "small", "buzzer": "18"}, 2, "buzzer: a GPIO number is wanted (or false for none), not '18'"),
            ({"factory": "rpigpio"}, 2, "factory: 'rpigpio' is none of lgpio, mock"),
            ({"revision": 3}, 2, "revision: a Pi's revision is 4 to 8 hexadecimal digits, such as c03111, not 3"),
            ({"revision": "zzz"}, 2, "such as c03111, not 'zzz'"),
            ({"board": "small", "digits": [20]}, 2, "digits: tens and units want 2 pins, 1 given; [] for none"),
            ({"sound": "yes"}, 2, "sound: true or false is wanted, not 'yes'"),
            ({"say": "loud"}, 2, "say: 'loud' is none of off, fouls, all"),
        ],
    )
    def test_each_fault_has_its_remedy(self, data: dict[str, Any], seats: int, words: str):
        assert words in fault(data, seats)

    @pytest.mark.parametrize(
        "data",
        [
            {"buttons": "x", "buzzer": 17},  # 17 is a usual button's
            {"board": "tiny", "digits": [1]},
            {"lights": 7, "host": 22},
            {"buzzer": 10**5000},
            {"segments": "7" * 10_000},
        ],
    )
    def test_what_only_follows_from_a_fault_is_not_said_and_nothing_is_quoted_at_length(self, data: dict[str, Any]):
        words = fault({"board": "small", **data}, 4)
        assert words.count(": ") == 1, words
        assert len(words) < 150
