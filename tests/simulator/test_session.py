"""Whole simulated sessions: seeded, physically possible, and a truth that the referee's rules agree with."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise

import pytest

from firmware.referee.script import load_scripts, run_script
from firmware.simulator import session
from firmware.simulator.record import script
from firmware.simulator.stage import Pace
from tests.soak import HARDSHIPS, hardships

GAMES = sorted(session.GAMES)


def facts(planned, kind=None):
    """The truth's facts that count, of one kind or all."""
    lines = [f for f in planned.timeline.truth if "fact" in f and not f.get("optional")]
    return [f for f in lines if kind in (None, f["fact"])]


def judged(planned):
    """What the referee makes of the session's script."""
    (one,) = load_scripts(json.dumps(script(planned)), "simulated")
    match, _ = run_script(one)
    return match.result()


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_plays_the_same_session_and_another_another(game):
    assert session.plan(game, seed=3) == session.plan(game, seed=3)
    assert session.plan(game, seed=3).moves != session.plan(game, seed=4).moves


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(4))
def test_a_session_is_physically_possible(game, seed):
    planned = session.plan(game, seed=seed, pace=Pace())
    timeline = planned.timeline
    for track in timeline.cards:
        times = [key.t_s for key in track.keys]
        assert times == sorted(times), f"{track.face} goes back in time"
    for number in range(1, len(planned.names) + 1):
        mine = sorted((h.keys[0].t_s, h.keys[-1].t_s) for h in timeline.hands if h.seat.number == number)
        gaps = [b[0] - a[1] for a, b in pairwise(mine)]
        assert min(gaps, default=0.0) > -1e-6, f"seat {number} has three hands"
    for fact in facts(planned):
        assert 0 < fact["t"] < timeline.end_s
        assert fact.get("rest", fact["t"]) <= fact["t"]


@pytest.mark.parametrize("game", GAMES)
def test_a_card_lies_where_and_when_the_truth_says(game):
    planned = session.plan(game, seed=5)
    rects = {zone.name: zone for zone in planned.zones}
    for fact in facts(planned, "laid"):
        shown = [c for c in planned.timeline.cards_at(fact["rest"] + 0.02) if c.face == fact["card"] and c.up]
        assert len(shown) == 1, fact
        place = shown[0].place
        assert rects[fact["zone"]].holds(place.x_mm, place.y_mm), (fact, place)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(5))
def test_people_who_make_no_mistake_break_no_rule(game, seed):
    planned = session.plan(game, seed=seed)
    result = judged(planned)
    assert result["violations"] == []
    for proof in ("withheld", "false_passes", "held_back", "proved", "full_circuit"):
        assert not result.get(proof)


@pytest.mark.parametrize(
    ("game", "fault", "finding", "code"),
    [
        ("fan_tan", "wrong_card", "violations", "WRONG_CARD"),
        ("fan_tan", "out_of_turn", "violations", "OUT_OF_TURN"),
        ("fan_tan", "withhold", "withheld", None),
        ("wish_card", "underpaid", "violations", "UNDERPAID"),
        ("wish_card", "out_of_turn", "violations", "OUT_OF_TURN"),
        ("wish_card", "overpaid", "violations", "OVERPAID"),
        ("five_or_nine", "wrong_card", "violations", "NOT_PLAYABLE"),
        ("five_or_nine", "false_pass", "false_passes", None),
        ("pope_joan", "hold_back", "held_back", None),
        ("ranter_go_round", "silent", "proved", None),
        ("ranter_go_round", "false_king", "proved", "FALSE_KING"),
        ("sevens", "wrong_card", "violations", "NOT_PLAYABLE"),
        ("sevens", "false_pass", "false_passes", None),
        ("snip_snap_snorem", "failed_to_snip", "proved", None),
        ("beggar_my_neighbour", "out_of_turn", "violations", "OUT_OF_TURN"),
        ("matrimony", "out_of_turn", "violations", "OUT_OF_TURN"),
    ],
)
def test_a_fault_that_people_make_is_found_by_the_rules(game, fault, finding, code):
    """At least one of ten seeds gives an occasion; where it was made, the referee's rules name it."""
    found = [judged(session.plan(game, seed=seed, faults=[fault]))[finding] for seed in range(10)]
    hits = [entry for entries in found for entry in entries]
    assert hits, f"nobody committed {fault}"
    assert all(code in (None, entry[-1]) for entry in hits)


@pytest.mark.parametrize("number", range(15))
def test_short_sessions_of_the_soak_are_short_lawful_in_space_and_varied(number):
    planned = session.short(number)
    assert planned == session.short(number)
    assert 5 < planned.timeline.end_s < 90
    judged(planned)
    order = [f["t"] for f in facts(planned)]
    assert order == sorted(order)


def test_every_hardship_happens_in_the_soak_and_is_counted():
    count = sum((hardships(session.short(n)) for n in range(30)), Counter())
    rare = {"pile put back"}  # four in 200
    for word in {*HARDSHIPS.values(), "quick play", "upside down", "drift", "flicker", "glare"} - rare:
        assert count[f"hardship {word}"], (word, count)


def test_quick_play_is_two_cards_in_less_than_a_second():
    gaps = []
    for seed in range(6):
        rests = [f["rest"] for f in facts(session.plan("five_or_nine", seed=seed, hardships=["quick"]), "laid")]
        gaps += [b - a for a, b in pairwise(rests)]
    assert min(gaps) < 0.8


def test_moves_are_numbered_by_facts_as_recordings_number_them():
    planned = session.plan("fan_tan", seed=2, faults=["wrong_card", "withhold"])
    order = [f for f in facts(planned) if f["fact"] in ("laid", "pressed")]
    words = [("play", f["card"]) if f["fact"] == "laid" else ("pay", None) for f in order]
    assert words == [(m["ev"], m.get("card")) for m in planned.moves]


def test_wish_card_packs_and_piles_stay_whole():
    planned = session.plan("wish_card", seed=7)
    cards = [card for pack in planned.opening["packs"].values() for card in pack]
    end = planned.timeline.cards_at(planned.timeline.end_s)
    packs = sum(c.count for c in end if not c.up) - planned.deal["middle"]
    open_cards = [c.face for c in end if c.up]
    assert packs + len(open_cards) == len(cards) == 27
    assert not [card for card, times in Counter(open_cards).items() if times > 1]


def test_the_demonstration_lasts_about_a_minute_and_has_something_to_rule():
    planned = session.demo("fan_tan", seed=1)
    assert 30 < planned.timeline.end_s < 90
    result = judged(planned)
    assert result["winner"]
    assert result["violations"]
    assert result["withheld"]


@pytest.mark.parametrize(
    ("game", "players", "words"),
    [("bridge", None, "cannot play 'bridge'"), ("fan_tan", 9, "2 to 8 players"), ("wish_card", 1, "2 to 4 players")],
)
def test_what_cannot_be_played_is_said_in_one_line(game, players, words):
    with pytest.raises(ValueError, match=words):
        session.plan(game, players)
