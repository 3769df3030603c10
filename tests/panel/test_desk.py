"""What a press means: the game's act, a call, a question, or half of a payment between two seats."""

from __future__ import annotations

import pytest

from firmware.panel.buttons import Act, Gesture
from firmware.panel.desk import NOTHING, Desk, Told, Transfer, owe, settled, take
from firmware.panel.signals import Attention
from firmware.referee.events import Press, Pressed

HAVE = {1: 4, 2: -3}


def tap(seat: int, taps: int = 1) -> Act:
    return Act(Gesture.TAP, 0, taps, seat)


class TestOneSeat:
    def test_a_short_press_is_the_games_act(self):
        assert take(Desk(), tap(2), 1.0, HAVE) == (Desk(), Told((Pressed(2, Press.SHORT, 1),)))

    def test_a_long_press_calls_the_referee_until_it_is_settled(self):
        desk, told = take(Desk(), Act(Gesture.LONG, 0, seat=2), 1.0, HAVE)
        assert told == Told((Pressed(2, Press.LONG),))
        assert desk.attention() == Attention(dispute=True)
        assert settled(desk) == Desk()

    @pytest.mark.parametrize(("seat", "has"), [(1, 4), (2, -3), (3, 0)])
    def test_a_double_press_asks_what_one_has_and_is_no_act(self, seat: int, has: int):
        desk, told = take(Desk(), tap(seat, 2), 7.5, HAVE)
        assert told == NOTHING
        assert desk.attention() == Attention(balance={seat: (has, 7.5)})

    def test_where_the_game_counts_taps_a_double_press_is_its_act(self):
        assert take(Desk(), tap(1, 2), 1.0, HAVE, taps_count=True) == (Desk(), Told((Pressed(1, Press.SHORT, 2),)))

    @pytest.mark.parametrize("gesture", [Gesture.STUCK, Gesture.HELD_AT_START])
    def test_a_button_that_must_be_let_go_says_so_until_it_is(self, gesture: Gesture):
        desk, told = take(Desk(), Act(gesture, 0, seat=3), 1.0, HAVE)
        assert (desk.attention(), told) == (Attention(release=frozenset({3})), NOTHING)
        assert take(desk, Act(Gesture.FREED, 0, seat=3), 2.0, HAVE) == (Desk(), NOTHING)

    @pytest.mark.parametrize("gesture", [Gesture.UNCLEAR, Gesture.CHATTER])
    def test_a_press_that_cannot_be_judged_is_not_lost_silently(self, gesture: Gesture):
        desk, told = take(Desk(), Act(gesture, 0, seat=3), 9.0, HAVE)
        assert (desk.attention(), told) == (Attention(again={3: 9.0}), NOTHING)

    def test_the_host_can_call_the_referee_and_does_nothing_else(self):
        assert take(Desk(), Act(Gesture.LONG, 0, seat=0), 1.0, HAVE) == (Desk(dispute=True), NOTHING)
        assert take(Desk(), tap(0), 1.0, HAVE) == take(Desk(), tap(0, 2), 1.0, HAVE) == (Desk(), NOTHING)


class TestFromSeatToSeat:
    def test_both_must_press_payer_first(self):
        desk = owe(Desk(), 1, 2, 3)
        assert desk.attention() == Attention(pay={1: 3}), "the payer's light says what its press would say"
        desk, told = take(desk, tap(1), 1.0, HAVE)
        given = Told(given=(Transfer(1, 2, 3),))
        assert (told, desk.attention()) == (given, Attention(confirm={2: 3}))
        desk, told = take(desk, tap(2), 2.0, HAVE)
        assert (desk, told) == (Desk(), Told(paid=(Transfer(1, 2, 3, given=True),)))

    def test_the_payers_second_press_confirms_nothing(self):
        desk, _ = take(owe(Desk(), 1, 2, 3), tap(1), 1.0, HAVE)
        after, told = take(desk, tap(1), 2.0, HAVE)
        assert (after, told) == (desk, Told((Pressed(1, Press.SHORT, 1),)))

    def test_the_receiver_cannot_confirm_what_was_not_given(self):
        desk = owe(Desk(), 1, 2, 3)
        assert take(desk, tap(2), 1.0, HAVE) == (desk, Told((Pressed(2, Press.SHORT, 1),)))

    def test_one_press_settles_one_of_two_payments(self):
        desk = owe(owe(Desk(), 1, 3, 1), 2, 3, 5)
        for seat in (1, 2):
            desk, _ = take(desk, tap(seat), 1.0, HAVE)
        desk, told = take(desk, tap(3), 2.0, HAVE)
        assert (told.paid, desk.transfers) == ((Transfer(1, 3, 1, True),), (Transfer(2, 3, 5, True),))

    def test_others_play_on_meanwhile(self):
        desk, _ = take(owe(Desk(), 1, 2, 3), tap(1), 1.0, HAVE)
        assert take(desk, tap(4), 2.0, HAVE) == (desk, Told((Pressed(4, Press.SHORT, 1),)))


class TestSeveralTransfers:
    def test_of_two_that_came_the_light_asks_for_the_one_that_the_press_settles(self):
        desk = owe(owe(Desk(), 1, 3, 2), 2, 3, 5)
        for seat in (1, 2):
            desk, _ = take(desk, tap(seat), 0.0, {})
        asked = []
        while counters := desk.attention().confirm.get(3):
            desk, told = take(desk, tap(3), 0.0, {})
            asked.append((counters, [t.counters for t in told.paid]))
        assert asked == [(2, [2]), (5, [5])]

    def test_of_two_that_one_seat_owes_the_light_shows_the_one_that_the_press_gives(self):
        desk = owe(owe(Desk(), 1, 2, 2), 1, 3, 5)
        asked = []
        while counters := desk.attention().pay.get(1):
            desk, told = take(desk, tap(1), 0.0, {})
            asked.append((counters, [t.counters for t in told.given]))
        assert asked == [(2, [2]), (5, [5])]

    def test_who_owes_and_is_to_confirm_confirms_first_as_the_light_says(self):
        desk = owe(owe(Desk(), 1, 2, 4), 3, 1, 1)
        desk, _ = take(desk, tap(3), 0.0, {})
        assert (desk.attention().confirm, desk.wants(1)) == ({1: 1}, "GOT")
        desk, told = take(desk, tap(1), 0.0, {})
        assert ([t.payer for t in told.paid], desk.wants(1)) == ([3], "GIVEN")
        desk, told = take(desk, tap(1), 0.0, {})
        assert ([t.to for t in told.given], desk.wants(1), desk.wants(2)) == ([2], "", "GOT")
