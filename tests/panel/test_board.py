"""The panel on real gpiozero and mock pins: whole traces, presses, and everything that may go wrong at the pins."""

from __future__ import annotations

import threading
import warnings
from dataclasses import replace
from typing import Any

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from firmware.panel.board import demo_board, open_panel, pool_text
from firmware.panel.buttons import MS, Act
from firmware.panel.config import BoardKind, default
from firmware.panel.devices import SEVEN, SmallBoard, chain_words
from firmware.panel.mock import Change, MockPins, TracedPin
from firmware.panel.pins import PanelError
from firmware.panel.signals import Colour, Meaning, PanelState, signal

from .conftest import REVISIONS, Bench, Maker

OFF, GREEN, RED, AMBER, BLUE = Colour
PIS = pytest.mark.parametrize("pi", list(REVISIONS))
BOARDS = pytest.mark.parametrize(("board", "seats"), [("small", 2), ("small", 4), ("large", 5), ("large", 8)])


def _gone() -> bool:
    raise OSError("gone")


class TestLamps:
    @PIS
    def test_a_payment_of_three_on_the_pins_whole(self, bench: Maker, pi: str):
        table = bench(pi=pi)
        table.show(Meaning.WAITING, Meaning.PAY, Meaning.TURN, count=3)
        table.run_ms(2200)
        pulses = [(0, "on"), (150, "off"), (350, "on"), (500, "off"), (700, "on"), (850, "off"), (2050, "on")]
        assert table.lamp_trace(2) == [*((ms, f"red {word}") for ms, word in pulses), (2200, "red off")]
        assert table.lamp_trace(1) == [(0, "green on"), (90, "green off")]
        assert table.lamp_trace(3) == [(0, "green on")]

    def test_amber_is_both_lamps_and_blue_is_amber_on_a_red_green_board(self, bench: Maker):
        table = bench()
        table.show(Meaning.SHOW_AGAIN, Meaning.DISPUTE, Meaning.DARK)
        assert table.pins.lights() == (AMBER, AMBER, OFF)

    @PIS
    @BOARDS
    def test_every_meaning_lights_its_colour_at_every_seat(self, bench: Maker, pi: str, board: str, seats: int):
        table = bench(board, seats, pi)
        for meaning in Meaning:
            table.show(*[meaning] * seats, count=1)
            colour = signal(meaning, 1).colour
            seen = AMBER if board == "small" and colour is BLUE else colour
            assert table.pins.lights() == (seen,) * seats
        assert table.faults == []

    def test_a_rhythm_that_goes_on_is_not_started_again(self, bench: Maker):
        table = bench(seats=2)
        for _ in range(6):
            table.show(Meaning.OUT_OF_STEP, Meaning.DARK)
            table.run_ms(400)
        changes = [(0, "on"), (700, "off"), (1400, "on"), (2100, "off")]
        assert table.lamp_trace(1) == [(ms, f"red {word}") for ms, word in changes]

    def test_a_new_meaning_begins_at_once_with_its_first_pulse(self, bench: Maker):
        table = bench(seats=2)
        table.show(Meaning.OUT_OF_STEP, Meaning.DARK)
        table.run_ms(900)
        table.show(Meaning.PAY, Meaning.DARK, count=1)
        table.run_ms(200)
        changes = [(0, "on"), (700, "off"), (900, "on"), (1050, "off")]
        assert table.lamp_trace(1) == [(ms, f"red {word}") for ms, word in changes]

    def test_another_count_begins_anew(self, bench: Maker):
        table = bench(seats=2)
        table.show(Meaning.PAY, Meaning.DARK, count=3)
        table.run_ms(1000)
        table.show(Meaning.PAY, Meaning.DARK, count=1)
        table.run_ms(200)
        changes = [(0, "on"), (150, "off"), (350, "on"), (500, "off"), (700, "on"), (850, "off")]
        again = [(1000, "on"), (1150, "off")]
        assert table.lamp_trace(1) == [(ms, f"red {word}") for ms, word in [*changes, *again]]

    def test_the_same_trace_on_each_pi(self, bench: Maker):
        traces = []
        for pi in REVISIONS:
            table = bench(pi=pi)
            table.show(Meaning.REFUSED, Meaning.TURN, Meaning.WINNER)
            table.run_ms(3000)
            traces.append(list(table.pins.trace))
            table.panel.close()
        assert traces[0] == traces[1] == traces[2]
        assert len(traces[0]) > 20


class TestPool:
    @pytest.mark.parametrize(
        ("pool", "text"), [(None, "  "), (0, " 0"), (7, " 7"), (42, "42"), (99, "99"), (100, "--"), (-1, "--")]
    )
    def test_the_pool_in_two_characters(self, pool: int | None, text: str):
        assert pool_text(pool) == text

    def test_equal_digits_stand_on_the_pins_of_the_small_board(self, bench: Maker):
        table = bench()
        table.show(Meaning.TURN, pool=88)
        config = table.pins.config
        assert all(table.pins.pin(gpio).state for gpio in (*config.segments, *config.digits))

    def test_different_digits_are_seen_by_the_eye(self, bench: Maker):
        table = bench()
        seen = threading.Event()
        table.show(Meaning.TURN, pool=42)
        for _ in range(400):  # the display's own thread shows each digit every 10 ms; given 4 s at most
            if table.pins.digits() == "42" or seen.wait(0.01):
                break
        assert table.pins.digits() == "42"

    @pytest.mark.parametrize(("pool", "text"), [(7, " 7"), (42, "42"), (100, "--"), (None, "  ")])
    def test_digits_of_the_chain_bit_for_bit(self, bench: Maker, pool: int | None, text: str):
        table = bench("large", 8)
        table.show(*[Meaning.TURN] * 8, pool=pool)
        assert table.pins.digits() == text

    def test_the_segments_are_those_of_gpiozeros_own_font(self):
        display = gpiozero.LEDCharDisplay(2, 3, 4, 5, 6, 7, 8, pin_factory=MockFactory())
        for char in "0123456789 ":
            assert SEVEN[char] == sum(int(bit) << place for place, bit in enumerate(display.font[char])), char

    def test_a_pool_that_does_not_fit_shows_dashes_on_the_pins(self, bench: Maker):
        table = bench()
        table.show(Meaning.TURN, pool=100)
        assert table.pins.digits() == "--"


class TestChain:
    def test_the_far_chip_is_written_first(self):
        words = chain_words([RED, GREEN, BLUE, OFF, AMBER], "1 ")
        seat_bits = 0b1 | 0b10 << 3 | 0b100 << 6 | 0b011 << 12
        assert words == (SEVEN[" "], SEVEN["1"], seat_bits >> 8, seat_bits & 0xFF)

    def test_nothing_shows_until_the_lamps_are_turned_on(self, bench: Maker):
        table = bench("large", 5)
        table.show(*[Meaning.TURN] * 5)
        assert table.pins.lights() == (GREEN,) * 5
        table.pins.pin(25).state = True  # what the pull-up does when the program is gone
        assert table.pins.lights() == (OFF,) * 5

    def test_all_lamps_of_a_moment_are_one_write(self, bench: Maker):
        table = bench("large", 8)
        writes: list[Any] = []
        chain = table.panel.board.chain
        before = chain.write
        table.panel.board.chain = type("Spy", (), {"write": lambda _, words: (writes.append(words), before(words))})()
        table.show(*[Meaning.REFUSED] * 8, pool=12)
        assert len(writes) == 1
        table.panel.board.chain = chain

    def test_a_spark_on_the_chain_is_mended_within_a_second(self, bench: Maker):
        table = bench("large", 5)
        table.show(*[Meaning.TURN] * 5)
        table.pins.chain.outputs = [0] * len(table.pins.chain.outputs)
        assert table.pins.lights() == (OFF,) * 5
        table.run_ms(1100)
        assert table.pins.lights() == (GREEN,) * 5


class TestButtons:
    @PIS
    @BOARDS
    def test_each_button_is_its_own_seat_and_0_is_the_host(self, bench: Maker, pi: str, board: str, seats: int):
        table = bench(board, seats, pi)
        for seat in range(seats + 1):
            table.press(seat)
        assert table.said() == [f"tap 1 of {seat}" for seat in range(seats + 1)]

    def test_a_hold_is_told_after_a_second_while_still_down(self, bench: Maker):
        table = bench()
        table.pins.push(2, True)
        table.run_ms(1001)
        assert table.said() == ["long of 2"]

    def test_two_buttons_at_once_both_count(self, bench: Maker):
        table = bench()
        table.pins.push(1, True)
        table.pins.push(3, True)
        table.run_ms(60)
        table.pins.push(1, False)
        table.pins.push(3, False)
        table.run_ms(500)
        assert sorted(table.said()) == ["tap 1 of 1", "tap 1 of 3"]

    def test_the_time_of_an_act_is_when_the_finger_went_down(self, bench: Maker):
        table = bench()
        table.run_ms(5000)
        table.press(1)
        assert [act.t_ns for act in table.panel.acts()] == [5000 * MS]

    def test_bounce_on_the_pin_counts_once(self, bench: Maker):
        """C05: the mock factory passes five fast presses through; ours is one."""
        table = bench()
        for _ in range(5):
            table.pins.push(1, True)
            table.run_ms(2)
            table.pins.push(1, False)
            table.run_ms(2)
        table.pins.push(1, True)
        table.run_ms(100)
        table.pins.push(1, False)
        table.run_ms(500)
        assert table.said() == ["tap 1 of 1"]

    def test_a_lost_release_is_found_by_looking(self, bench: Maker):
        """C06: the kernel drops the edge; the level says so at the next look."""
        table = bench()
        table.pins.push(1, True)
        table.run_ms(300)
        pin = table.pins.pin(table.pins.config.buttons[0])
        pin.edges = "none"
        table.pins.push(1, False)
        table.run_ms(1000)
        assert table.said() == ["tap 1 of 1"]

    def test_stuck_for_a_minute(self, bench: Maker):
        table = bench()
        table.pins.push(1, True)
        table.run_ms(60_000)
        assert (table.said(), table.panel.held()) == (["long of 1", "stuck of 1"], frozenset({1}))
        table.pins.push(1, False)
        table.run_ms(100)
        assert (table.said(), table.panel.held()) == (["freed of 1"], frozenset())
        table.press(1)
        assert table.said() == ["tap 1 of 1"]

    def test_down_while_starting(self, bench: Maker, monkeypatch: pytest.MonkeyPatch):
        """C07: a pin that is held low although its pull-up is on, before the panel opens."""
        monkeypatch.setattr(TracedPin, "_set_pull", _held_low(17))
        table = bench("small", 4)
        assert (table.said(), table.panel.held()) == (["held at start of 4"], frozenset({4}))
        table.run_ms(5000)
        table.pins.push(4, False)
        table.run_ms(500)
        assert (table.said(), table.panel.held()) == (["freed of 4"], frozenset())
        table.press(4)
        assert table.said() == ["tap 1 of 4"]


def _held_low(gpio: int) -> Any:
    def set_pull(self: Any, value: str) -> None:
        if self.info.name == f"GPIO{gpio}":
            self._pull = value
            self._state = False
        else:
            MockPWMPin._set_pull(self, value)

    return set_pull


class TestTrouble:
    def test_a_second_panel_on_the_same_pins_is_refused_with_the_owner(self, bench: Maker):
        """C04."""
        table = bench()
        with pytest.raises(PanelError, match=r"panel already in use by pid \d+: stop that program first"):
            open_panel(table.pins.config, table.pins)
        table.show(Meaning.TURN)
        assert table.pins.lights()[0] == GREEN

    def test_what_a_failed_opening_had_claimed_is_given_back(self, bench: Maker):
        table = bench(seats=2)
        table.panel.close()
        taken = gpiozero.LED(table.pins.config.buzzer, pin_factory=table.pins)
        with pytest.raises(PanelError):
            open_panel(table.pins.config, table.pins)
        taken.close()
        open_panel(table.pins.config, table.pins).close()

    def test_the_pin_librarys_thread_never_runs_more_than_noting_the_edge(self, bench: Maker):
        table = bench()
        table.pins.push(1, True)
        assert table.panel.acts() == []
        assert table.faults == []

    def test_a_lamp_that_fails_stops_nothing_and_is_told_once(self, bench: Maker):
        table = bench()
        board = table.panel.board
        assert isinstance(board, SmallBoard)
        works = board.light

        def broken(seat: int, colour: Colour) -> None:
            if seat == 2:
                raise OSError("line 24 is gone")
            works(seat, colour)

        board.light = broken  # type: ignore[method-assign]
        table.show(Meaning.REFUSED, Meaning.REFUSED, Meaning.REFUSED)
        table.run_ms(2000)
        table.press(2)
        assert table.faults == ["panel: light of seat 2 failed (OSError: line 24 is gone)"]
        assert table.panel.failing == {"light of seat 2"}
        assert table.said() == ["tap 1 of 2"]
        assert len(table.lamp_trace(1)) == len(table.lamp_trace(3)) > 10
        board.light = works  # type: ignore[method-assign]
        table.show(Meaning.DARK, Meaning.TURN, Meaning.DARK)
        assert (table.pins.lights(), table.panel.failing) == ((OFF, GREEN, OFF), frozenset())

    def test_a_listener_of_faults_that_fails_stops_nothing_either(self, bench: Maker, monkeypatch: pytest.MonkeyPatch):
        table = bench()

        def deaf(words: str) -> None:
            raise RuntimeError(words)

        def broken(seat: int, colour: Colour) -> None:
            raise OSError("gone")

        monkeypatch.setattr(table.panel, "_on_fault", deaf)
        monkeypatch.setattr(table.panel.board, "light", broken)
        table.show(Meaning.REFUSED, Meaning.REFUSED, Meaning.REFUSED)
        table.press(2)
        assert table.said() == ["tap 1 of 2"]

    def test_a_button_that_cannot_be_read_silences_no_other_and_is_told_once(self, bench: Maker):
        table = bench()
        table.panel.board.readers = {**table.panel.board.readers, 2: _gone}
        table.show(Meaning.REFUSED, Meaning.DARK, Meaning.DARK)
        table.press(1)
        table.press(3, down_ms=1500)
        table.run_ms(1000)
        assert table.said() == ["tap 1 of 1", "long of 3"]
        assert table.faults == ["panel: button of seat 2 failed (OSError: gone)"]
        assert len(table.lamp_trace(1)) > 6

    def test_a_button_that_fails_in_a_press_leaves_no_due_time_in_the_past(self, bench: Maker):
        table = bench()
        table.pins.push(2, True)
        table.run_ms(100)
        table.panel.board.readers = {**table.panel.board.readers, 2: _gone}
        table.run_ms(1500)
        assert table.panel.tick() > table.clock.now_ns
        assert table.said() == []
        table.press(1)
        assert table.said() == ["tap 1 of 1"]

    def test_a_tap_is_told_though_its_button_can_no_longer_be_read(self, bench: Maker):
        table = bench()
        table.press(2, then_ms=30)
        table.panel.board.readers = {**table.panel.board.readers, 2: _gone}
        table.run_ms(1000)
        assert table.said() == ["tap 1 of 2"]

    @pytest.mark.parametrize(("board", "seats"), [("small", 3), ("large", 6)])
    def test_closing_leaves_everything_off(self, bench: Maker, board: str, seats: int):
        table = bench(board, seats)
        table.show(*[Meaning.REFUSED] * seats, pool=42)
        assert table.pins.tone() == 247
        table.panel.close()
        table.panel.close()
        assert (table.pins.lights(), table.pins.digits(), table.pins.tone()) == ((OFF,) * seats, "  ", 0)

    def test_closing_a_large_board_darkens_it_though_its_chain_hangs(self, bench: Maker):
        table = bench("large", 6)
        enable = table.pins.config.enable
        table.panel.board.latch = _gone  # type: ignore[method-assign]
        table.pins.trace.clear()
        table.panel.close()
        driven = [change.high for change in table.pins.trace if change.gpio == enable]
        assert driven[:1] == [True], "OE is driven high before the pin is let go"

    def test_a_closed_panel_shows_nothing_more(self, bench: Maker):
        table = bench()
        table.panel.close()
        before = list(table.pins.trace)
        table.show(Meaning.TURN)
        table.panel.tick()
        assert list(table.pins.trace) == before

    def test_gpiozeros_global_factory_is_left_alone(self, bench: Maker):
        bench()
        bench("large", 8)
        assert gpiozero.Device.pin_factory is None

    def test_a_fork_does_not_touch_the_pins(self, bench: Maker, monkeypatch: pytest.MonkeyPatch):
        table = bench()
        table.show(Meaning.TURN)
        monkeypatch.setattr("firmware.panel.board.os.getpid", lambda: -1)
        table.panel.show(PanelState((signal(Meaning.REFUSED),) * 3))
        table.panel.close()
        monkeypatch.undo()
        assert table.pins.lights()[0] == GREEN


class TestTone:
    def test_a_refusal_sounds_twice_and_falls_silent(self, bench: Maker):
        table = bench()
        table.show(Meaning.REFUSED, Meaning.DARK, Meaning.DARK)
        heard = [(0, table.pins.tone())]
        for ms in range(10, 600, 10):
            table.run_ms(10)
            if table.pins.tone() != heard[-1][1]:
                heard.append((ms, table.pins.tone()))
        assert heard == [(0, 247), (150, 220), (450, 0)]

    def test_no_sound_where_none_is_wanted(self, bench: Maker):
        table = bench(sound=False)
        table.show(Meaning.REFUSED, Meaning.DARK, Meaning.DARK)
        assert (table.pins.tone(), table.faults) == (0, [])


class TestThread:
    def test_on_the_real_clock_the_rhythm_runs_and_presses_arrive(self):
        panel, pins = demo_board(2)
        with panel.start():
            panel.show(PanelState((signal(Meaning.REFUSED), signal(Meaning.TURN)), 5))
            pins.push(2, True)
            acts = _wait_for_acts(panel)
        assert [str(act.gesture) for act in acts] == ["long"]
        red = pins.config.lights[0][0]
        assert sum(change.gpio == red and change.high for change in pins.trace) >= 2
        assert pins.lights() == (OFF, OFF)

    def test_the_trace_is_kept_short(self):
        panel, pins = demo_board(2)
        assert pins.trace.maxlen == 100_000
        pins.trace.append(Change(0, 17, True))
        panel.close()


def test_without_spi_there_is_no_other_way_to_the_chain(monkeypatch: pytest.MonkeyPatch):
    config = replace(default(BoardKind.LARGE, 5), factory="mock")
    pins = MockPins(config)
    real = pins._get_spi_class
    monkeypatch.setattr(pins, "_get_spi_class", lambda shared, hardware: _off if hardware else real(shared, hardware))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(PanelError, match=r"^SPI is off \(.*\); turn it on with: sudo raspi-config nonint do_spi 0"):
            open_panel(config, pins)


def _off(**_: object) -> None:
    raise OSError("no /dev/spidev0.0")


def _wait_for_acts(panel: Any) -> list[Act]:
    waiting = threading.Event()
    for _ in range(500):
        if acts := panel.acts():
            return list(acts)
        waiting.wait(0.01)
    return []


def test_bench_runs_in_whole_milliseconds(bench: Maker):
    table: Bench = bench()
    table.run_ms(1234)
    assert table.clock.now_ns == 1234 * MS
