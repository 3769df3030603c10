"""Buttons: bounce, holds, double presses, lost edges. Section C of the field reports, and laws for any edges."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.panel.buttons import (
    MS,
    Act,
    Button,
    Gesture,
    Timing,
    advance,
    edge,
    look,
    next_ns,
    start,
)
from firmware.referee.events import Press, Pressed

TIMING = Timing()
Edges = list[tuple[int, int]]


def play(
    edges: Edges, until_ms: int, looks: Sequence[tuple[int, int]] = (), down: bool = False
) -> list[tuple[str, int]]:
    """What a button says for edges (t_ms, level; 0 = pressed, as on the wire) and levels read at given times."""
    state, acts = start(down, 0)
    told = list(acts)
    steps = [(t, level, edge) for t, level in edges] + [(t, level, look) for t, level in looks]
    for t_ms, level, step in sorted(steps, key=lambda s: s[0]):
        state, acts = step(state, t_ms * MS, level == 0, TIMING)
        told += acts
    _, acts = advance(state, until_ms * MS, TIMING)
    return [(f"{a.gesture} {a.taps}" if a.taps else str(a.gesture), a.t_ns // MS) for a in (*told, *acts)]


def test_the_hosts_button_is_no_seat_of_the_game():
    assert [Act(gesture, 0, 1, seat=0).to_fact() for gesture in Gesture] == [None] * len(Gesture)


QUICK = settings(deadline=None, max_examples=60)


class TestC05Bounce:
    def test_bounce_at_both_ends_is_one_press_from_its_first_edge(self):
        assert play([(0, 0), (3, 1), (5, 0), (180, 1), (183, 0), (185, 1)], 2000) == [("tap 1", 0)]

    def test_a_glitch_is_nothing(self):
        assert play([(0, 0), (4, 1)], 2000) == []

    def test_a_glitch_while_held_is_nothing(self):
        assert play([(0, 0), (500, 1), (504, 0), (1500, 1)], 3000) == [("long", 0)]

    def test_two_presses_250_ms_apart_are_two(self):
        assert play([(0, 0), (100, 1), (250, 0), (350, 1)], 2000) == [("tap 2", 0)]

    def test_two_presses_a_second_apart_are_two_acts(self):
        assert play([(0, 0), (100, 1), (1000, 0), (1100, 1)], 3000) == [("tap 1", 0), ("tap 1", 1000)]

    def test_a_contact_that_never_rests_is_reported_once_and_the_next_press_counts(self):
        noise = [(t, (t // 5) % 2) for t in range(0, 400, 5)]
        noise.append((405, 1))
        assert play([*noise, (2000, 0), (2100, 1)], 4000) == [("chatter", 300), ("tap 1", 2000)]


class TestC06ReleaseLost:
    def test_the_level_read_makes_up_for_a_lost_release(self):
        looks = [(t, 0 if t < 400 else 1) for t in range(20, 3000, 20)]
        assert play([(0, 0)], 5000, looks) == [("tap 1", 0)]

    def test_one_look_at_400_ms_is_enough(self):
        assert play([(0, 0)], 5000, [(400, 1)]) == [("tap 1", 0)]

    def test_nobody_looked_for_two_seconds_so_short_or_long_is_not_known(self):
        assert play([(0, 0)], 5000, [(2000, 1)]) == [("unclear", 0)]

    def test_held_for_30_s_is_one_long_then_stuck_then_ignored(self):
        told = play([(0, 0), (40_000, 1), (41_000, 0), (41_100, 1)], 60_000)
        assert told == [("long", 0), ("stuck", 30_000), ("freed", 40_000), ("tap 1", 41_000)]

    def test_after_a_long_press_the_release_says_nothing(self):
        assert play([(0, 0), (1600, 1)], 5000) == [("long", 0)]

    def test_a_release_lost_after_a_long_press_says_nothing_more(self):
        looks = [(t, 0 if t < 1700 else 1) for t in range(20, 60_000, 20)]
        assert play([(0, 0)], 61_000, looks) == [("long", 0)]

    def test_a_lost_press_is_taken_from_the_level(self):
        looks = [(t, 0 if 500 <= t < 700 else 1) for t in range(20, 3000, 20)]
        assert play([], 3000, looks) == [("tap 1", 500)]


class TestC07DownAtTheStart:
    def test_the_first_release_is_ignored_and_the_next_press_counts_once(self):
        told = play([(3000, 1), (4000, 0), (4100, 1)], 6000, down=True)
        assert told == [("held at start", 0), ("freed", 3000), ("tap 1", 4000)]

    def test_held_at_the_start_never_becomes_a_long_press(self):
        assert play([], 100_000, down=True) == [("held at start", 0)]


class TestHolding:
    @pytest.mark.parametrize(("up_ms", "told"), [(999, [("tap 1", 0)]), (1000, [("long", 0)])])
    def test_a_second_is_long(self, up_ms: int, told: list[tuple[str, int]]):
        assert play([(0, 0), (up_ms, 1)], 5000) == told

    def test_a_long_press_is_told_while_the_button_is_still_down(self):
        assert play([(0, 0)], 1001) == [("long", 0)]

    def test_a_tap_then_a_long_press_are_both_told(self):
        assert play([(0, 0), (100, 1), (300, 0), (1400, 1)], 3000) == [("tap 1", 0), ("long", 300)]


def test_without_double_presses_a_tap_is_told_as_soon_as_the_contact_rests():
    timing = Timing(double_ms=0)
    state, _ = edge(Button(), 0, True, timing)
    state, _ = edge(state, 100 * MS, False, timing)
    assert advance(state, 114 * MS, timing)[1] == ()
    assert advance(state, 115 * MS, timing)[1] == (Act(Gesture.TAP, 0, 1),)


def test_gestures_of_the_game_become_facts_and_faults_of_the_button_do_not():
    facts = [Act(g, 0, taps=1 if g is Gesture.TAP else 0, seat=3).to_fact() for g in Gesture]
    assert facts == [Pressed(3, Press.SHORT, 1), Pressed(3, Press.LONG), None, None, None, None, None]


STEPS = st.lists(st.integers(1, 1500), max_size=25)


def _edges(gaps_ms: list[int]) -> Edges:
    t_ms, edges = 0, []
    for place, gap in enumerate(gaps_ms):
        t_ms += gap
        edges.append((t_ms, place % 2))
    return edges


@QUICK
@given(STEPS, st.lists(st.integers(0, 40_000), max_size=40))
def test_what_is_said_does_not_depend_on_how_often_time_is_told(gaps: list[int], ticks: list[int]):
    edges = _edges(gaps)
    state, told = Button(), []
    steps = sorted([(t, 0, level) for t, level in edges] + [(t, 1, 0) for t in ticks])
    for t_ms, is_tick, level in steps:
        t_ns = t_ms * MS
        state, acts = advance(state, t_ns, TIMING) if is_tick else edge(state, t_ns, level == 0, TIMING)
        told += acts
    told += advance(state, 200_000 * MS, TIMING)[1]
    assert [(f"{a.gesture} {a.taps}" if a.taps else str(a.gesture), a.t_ns // MS) for a in told] == play(edges, 200_000)


def test_an_edge_stamped_before_what_is_known_already_does_not_part_a_double_press():
    steps = [(edge, 5000, 0), (look, 5080, 0), (edge, 100, 1), (edge, 5200, 0), (edge, 5280, 1)]
    state, told = Button(), list[Act]()
    for step, t_ms, level in steps:
        state, acts = step(state, t_ms * MS, level == 0, TIMING)
        told += acts
    told += advance(state, 8000 * MS, TIMING)[1]
    assert told == [Act(Gesture.TAP, 5000 * MS, 2)]


@QUICK
@given(st.lists(st.tuples(st.integers(30, 900), st.integers(30, 2000)), max_size=12))
def test_clean_presses_are_counted_once_each(presses: list[tuple[int, int]]):
    gaps = [ms for down, up in presses for ms in (up, down)]
    said = play(_edges(gaps), 100_000)
    assert sum(int(word.split()[1]) for word, _ in said if word.startswith("tap")) == len(presses)


@QUICK
@given(STEPS)
def test_everything_that_is_due_comes_at_its_own_time_and_then_the_button_rests(gaps: list[int]):
    state = Button()
    for t_ms, level in _edges([*gaps, *([50] if len(gaps) % 2 else [])]):
        state, _ = edge(state, t_ms * MS, level == 0, TIMING)
    for _ in range(10):
        due = next_ns(state, TIMING)
        if due is None:
            break
        state, _ = advance(state, due, TIMING)
    assert next_ns(state, TIMING) is None
    assert not state.down
