"""Signals: every meaning has a rhythm of its own, the important one wins, and no hidden card can show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.panel.signals import (
    PULSES_MAX,
    TABLE,
    Attention,
    Colour,
    Meaning,
    PanelState,
    Said,
    lit,
    meaning_of,
    rhythm,
    signal,
    signals,
    until_change_ms,
)
from firmware.referee.rulings import Kind, Ruling


@dataclass(frozen=True)
class View:
    """A public view as a game gives it."""

    live: tuple[int, ...] = (1, 2, 3, 4)
    turn: int | None = 1
    due: object = "PLAY"
    due_count: int = 0
    pool: int = 0
    out_of_step: object = False
    over: bool = False
    winner: object = None
    counters: Mapping[int, int] = field(default_factory=dict)


def meanings(view: View, *recent: Said, now_s: float = 0.0, seats: int = 3, **attention: object) -> list[str]:
    shown = signals(seats, view, recent, now_s, Attention(**attention))  # type: ignore[arg-type]
    return [light.meaning.name for light in shown.lights]


def said(kind: Kind, seat: int | None, t_s: float = 0.0, **more: object) -> Said:
    return Said(t_s, Ruling(kind, seat=seat, **more))  # type: ignore[arg-type]


# Every rhythm that can be shown: all meanings, counted ones with every count.
SHOWN = [
    *((m, 0) for m, row in TABLE.items() if not row.counted),
    *((Meaning.PAY, n) for n in range(1, PULSES_MAX + 1)),
    *((Meaning.BALANCE, n) for n in range(-PULSES_MAX, PULSES_MAX + 1)),
]


def felt(ms: tuple[int, ...]) -> tuple[str, ...]:
    """A rhythm as it is perceived: the class of each duration, from any starting point (the least rotation)."""
    classes = [("blip", 100), ("short", 300), ("middle", 450), ("long", 900), ("longer", 1300), ("longest", 10**9)]
    names = tuple(next(name for name, top in classes if duration < top) for duration in ms)
    turns = [names[i:] + names[:i] for i in range(0, len(names), 2)]
    return min(turns, default=())


QUICK = settings(deadline=None, max_examples=60)


class TestRhythm:
    def test_every_meaning_and_every_count_feels_different(self):
        felt_by = [felt(rhythm(m, n)) for m, n in SHOWN]
        assert len(set(felt_by)) == len(SHOWN)

    def test_the_durations_that_tell_meanings_apart_differ_by_half_or_more(self):
        durations = sorted({ms for m, n in SHOWN for ms in rhythm(m, n)})
        kept = [a for a in durations if a not in (170, 200)]  # 150, 170, 200: the same "short" to the eye
        told_apart = [(a, b) for a, b in pairwise(kept) if felt((a,)) != felt((b,))]
        assert all(b / a >= 1.3 for a, b in told_apart), told_apart

    def test_no_rhythm_flashes_more_than_three_times_in_a_second(self):
        for meaning, count in SHOWN:
            beat = rhythm(meaning, count) * 12
            if len(beat) > 12:
                onsets = [sum(beat[:i]) for i in range(0, len(beat), 2)]
                worst = max(sum(t <= onset < t + 1000 for onset in onsets) for t in onsets)
                assert worst <= 3, meaning

    def test_a_payment_pulses_as_often_as_there_are_counters_in_fives(self):
        assert rhythm(Meaning.PAY, 1) == (150, 1200)
        assert rhythm(Meaning.PAY, 3) == (150, 200, 150, 200, 150, 1200)
        assert rhythm(Meaning.PAY, 7) == (*(150, 200) * 4, 150, 550, 150, 200, 150, 1200)

    @QUICK
    @given(st.integers(1, PULSES_MAX))
    def test_the_eye_counts_the_counters(self, count: int):
        beat = rhythm(Meaning.PAY, count)
        on = [lit(beat, t) for t in range(0, sum(beat), 10)]
        assert sum(b and not a for a, b in pairwise([False, *on])) == count

    def test_steady_and_dark_never_change(self):
        assert (lit((1000,), 12345), until_change_ms((1000,), 5)) == (True, float("inf"))
        assert (lit((), 12345), until_change_ms((), 5)) == (False, float("inf"))

    @QUICK
    @given(st.sampled_from(SHOWN), st.integers(0, 100_000))
    def test_the_light_changes_exactly_when_it_says(self, shown: tuple[Meaning, int], t_ms: int):
        beat = rhythm(*shown)
        wait = until_change_ms(beat, t_ms)
        if wait != float("inf"):
            assert lit(beat, t_ms) == lit(beat, t_ms + wait - 1)
            assert lit(beat, t_ms) != lit(beat, t_ms + wait)

    def test_every_meaning_is_in_the_table_in_its_order_with_words_and_a_reason(self):
        assert list(TABLE) == list(Meaning)
        assert all(row.words and row.beat and row.when for row in TABLE.values())
        assert len({row.words for row in TABLE.values()}) == len(TABLE)


class TestStateOfTheGame:
    def test_turn_waiting_and_pool(self):
        shown = signals(3, View(turn=2, pool=7))
        assert shown == PanelState((signal(Meaning.WAITING), signal(Meaning.TURN), signal(Meaning.WAITING)), 7)

    def test_a_debt_of_the_seat_in_turn(self):
        shown = signals(2, View(turn=2, due="PAY", due_count=3))
        assert [(s.meaning, s.count, s.words) for s in shown.lights] == [
            (Meaning.WAITING, 0, "waiting"),
            (Meaning.PAY, 3, "pay 3"),
        ]

    def test_debts_of_several_seats(self):
        shown = signals(3, View(turn=1, due={2: 1, 3: 5}))
        assert [(s.meaning.name, s.count) for s in shown.lights] == [("TURN", 0), ("PAY", 1), ("PAY", 5)]

    def test_the_winner_stays_lit_and_nobody_is_asked_to_move(self):
        assert meanings(View(turn=3, over=True, winner=2)) == ["WAITING", "WINNER", "WAITING"]
        assert meanings(View(over=True, winner=(1, 3))) == ["WINNER", "WAITING", "WINNER"]

    @pytest.mark.parametrize(
        ("who", "shown"),
        [
            (2, ["TURN", "OUT_OF_STEP", "WAITING"]),
            (True, ["OUT_OF_STEP"] * 3),
            (False, ["TURN", "WAITING", "WAITING"]),
            ((1, 3), ["OUT_OF_STEP", "WAITING", "OUT_OF_STEP"]),
            (None, ["TURN", "WAITING", "WAITING"]),
        ],
    )
    def test_out_of_step_is_shown_to_the_seat_that_can_mend_it(self, who: object, shown: list[str]):
        assert meanings(View(out_of_step=who)) == shown

    def test_a_player_who_has_dropped_out_is_dark_but_still_hears_the_referee(self):
        assert meanings(View(live=(1, 3))) == ["TURN", "DARK", "WAITING"]
        assert meanings(View(live=(1, 3)), said(Kind.REFUSED, 2)) == ["TURN", "REFUSED", "WAITING"]
        assert meanings(View(live=(1, 3), over=True, winner=2)) == ["WAITING", "WINNER", "WAITING"]

    def test_the_seat_refused_last_is_the_one_to_mend_it(self):
        history = [
            said(kind, seat, entry=n)
            for n, (kind, seat) in enumerate([(Kind.REFUSED, 1), (Kind.PAID, 1), (Kind.REFUSED, 2), (Kind.TURN, 3)])
        ]
        assert meanings(View(turn=3, out_of_step=True), *history, now_s=60.0) == ["WAITING", "OUT_OF_STEP", "TURN"]

    def test_an_unread_card_is_asked_for_as_long_as_the_game_waits_for_it_and_nobody_is_blamed(self):
        taken_back = said(Kind.REFUSED, 2, entry=1)
        history = [taken_back, said(Kind.TURN, 3, entry=2), said(Kind.UNSURE, 3, entry=3)]
        assert meanings(View(turn=3, out_of_step=True), *history, now_s=60.0) == ["WAITING", "WAITING", "SHOW_AGAIN"]
        history.append(said(Kind.TURN, 1, entry=4))
        assert meanings(View(turn=1, out_of_step=True), *history, now_s=60.0) == ["TURN", "OUT_OF_STEP", "WAITING"]

    @pytest.mark.parametrize("due", ["PLAY", "LEAD", "TURN", "GATHER", "REPLY"])
    def test_only_a_payment_is_a_debt(self, due: str):
        assert meanings(View(due=due, due_count=1)) == ["TURN", "WAITING", "WAITING"]

    def test_an_empty_seat_is_dark_whatever_happens(self):
        assert meanings(View(), fault="no camera", absent=frozenset({2})) == ["FAULT", "DARK", "FAULT"]


class TestRulings:
    @pytest.mark.parametrize(
        ("ruling", "meaning"),
        [
            (Ruling(Kind.REFUSED, "OUT_OF_TURN"), Meaning.REFUSED),
            (Ruling(Kind.PROVED, "FALSE_PASS"), Meaning.PROVED),
            (Ruling(Kind.UNSURE), Meaning.SHOW_AGAIN),
            (Ruling(Kind.CONFLICT), Meaning.SHOW_AGAIN),
            (Ruling(Kind.PAID, "PASS"), Meaning.PASSED),
            (Ruling(Kind.PAID, "DUE"), Meaning.PAID),
            (Ruling(Kind.TAKES), Meaning.TAKES),
            (Ruling(Kind.TURN), None),
            (Ruling(Kind.DUE), None),
            (Ruling(Kind.OVER), None),
            (Ruling(Kind.NOTICE, "FULL_CIRCUIT"), None),
            (Ruling(Kind.OUT_OF_STEP), None),
        ],
    )
    def test_what_a_ruling_shows(self, ruling: Ruling, meaning: Meaning | None):
        assert meaning_of(ruling) == meaning

    def test_a_refusal_is_shown_for_four_seconds(self):
        refused = said(Kind.REFUSED, 2, t_s=10.0, why="out of turn")
        assert meanings(View(), refused, now_s=10.0) == ["TURN", "REFUSED", "WAITING"]
        assert meanings(View(), refused, now_s=13.99) == ["TURN", "REFUSED", "WAITING"]
        assert meanings(View(), refused, now_s=14.0) == ["TURN", "WAITING", "WAITING"]

    def test_then_the_card_that_still_lies_there_is_shown(self):
        refused = said(Kind.REFUSED, 2, t_s=10.0)
        assert meanings(View(out_of_step=2), refused, now_s=20.0) == ["TURN", "OUT_OF_STEP", "WAITING"]

    def test_showing_the_card_again_ends_with_the_next_act_of_that_seat(self):
        unsure = said(Kind.UNSURE, 1, t_s=1.0, entry=5)
        assert meanings(View(), unsure, now_s=3.0)[0] == "SHOW_AGAIN"
        paid = said(Kind.PAID, 1, t_s=2.0, entry=6)
        assert meanings(View(turn=2), unsure, paid, now_s=3.0) == ["PAID", "TURN", "WAITING"]
        turn = said(Kind.TURN, 2, t_s=2.0, entry=6)
        assert meanings(View(turn=2), unsure, turn, now_s=3.0) == ["WAITING", "TURN", "WAITING"]

    def test_a_card_that_could_not_be_read_follows_a_refusal_of_the_same_seat(self):
        refused, unsure = said(Kind.REFUSED, 1, t_s=1.0, entry=1), said(Kind.UNSURE, 1, t_s=2.0, entry=2)
        assert meanings(View(), refused, unsure, now_s=3.0)[0] == "SHOW_AGAIN"

    def test_a_payment_to_another_seat_is_pulsed_until_its_payer_has_pressed(self):
        shown = signals(3, View(turn=1), [], 0.0, Attention(pay={1: 3}, confirm={2: 4})).lights
        assert [(light.meaning.name, light.words) for light in shown[:2]] == [
            ("PAY", "pay 3"), ("CONFIRM", "press when you got 4"),
        ]  # fmt: skip

    def test_paid_gives_way_when_it_is_that_seats_turn_again(self):
        paid = said(Kind.PAID, 1, entry=4)
        assert meanings(View(turn=1), paid, said(Kind.TURN, 1, entry=4))[0] == "PAID"
        assert meanings(View(turn=1), paid, said(Kind.TURN, 1, entry=5))[0] == "TURN"

    def test_a_ruling_from_the_future_is_not_shown_before_its_time(self):
        assert meanings(View(), said(Kind.REFUSED, 1, t_s=5.0), now_s=4.0)[0] == "TURN"

    def test_a_refusal_says_why(self):
        shown = signals(1, View(), [said(Kind.REFUSED, 1, why="the seven of hearts is wanted")], 0.0)
        assert shown.lights[0].words == "refused: the seven of hearts is wanted"
        assert signals(1, View(), [said(Kind.REFUSED, 1)], 0.0).lights[0].words == "refused"


class TestAttention:
    def test_a_fault_of_the_machine_is_shown_to_all_and_above_all(self):
        refused = said(Kind.REFUSED, 2)
        assert meanings(View(), refused, fault="no picture") == ["FAULT"] * 3

    def test_a_call_for_the_referee_is_shown_to_all_but_a_refusal_stands_above_it(self):
        assert meanings(View(), dispute=True) == ["DISPUTE"] * 3
        assert meanings(View(), said(Kind.REFUSED, 2), dispute=True) == ["DISPUTE", "REFUSED", "DISPUTE"]

    def test_a_held_button_and_a_payment_to_confirm(self):
        shown = meanings(View(), release=frozenset({1}), confirm={3: 4})
        assert shown == ["RELEASE", "WAITING", "CONFIRM"]

    def test_the_balance_is_shown_on_demand_and_goes_by_itself(self):
        asked = {1: (3, 10.0), 2: (-2, 10.0), 3: (0, 10.0)}
        shown = signals(3, View(), (), 11.0, Attention(balance=asked)).lights
        assert [(s.words, s.beat) for s in shown] == [
            ("you have 3", "very long, then 3 short"),
            ("you owe 2", "very long, very long, then 2 short"),
            ("you have 0", "very long, then 0 short"),
        ]
        assert meanings(View(), now_s=18.0, balance=asked) == ["TURN", "WAITING", "WAITING"]


class TestSecrets:
    def test_only_what_is_public_is_read(self):
        class Watched(View):
            def __getattribute__(self, name: str) -> object:
                public = ("live", "turn", "due", "due_count", "pool", "out_of_step", "over", "winner", "__class__")
                assert name in public, f"the lights looked at {name}"
                return super().__getattribute__(name)

        assert len(signals(4, Watched(), [said(Kind.REFUSED, 1)], 0.0).lights) == 4

    def test_a_light_names_no_card(self):
        rulings = [said(kind, 1, card="9H", why="not now") for kind in Kind]
        shown = signals(2, View(), rulings, 0.0)
        assert not any("9" in light.words for light in shown.lights)


def test_blue_and_amber_are_told_apart_by_rhythm_where_a_board_has_only_red_and_green():
    amber = {m for m, row in TABLE.items() if row.colour is Colour.AMBER}
    blue = {m for m, row in TABLE.items() if row.colour is Colour.BLUE}
    assert not {felt(rhythm(m, 1)) for m in amber} & {felt(rhythm(m, 1)) for m in blue}
