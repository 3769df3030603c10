"""Whole sessions as enemies play them: every game with any house rules and 2 seats to the most, deal after deal.

They cheat, act out of order, leave, are passed over, call deals off, correct entries at any place, and tell things that
mean nothing. Whatever they do: it is judged, counters are conserved from deal to deal, whoever is asked to act is in
the deal, and the log folded again says the same.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from firmware.referee.cards import Card, pack
from firmware.referee.events import (
    Conflict,
    Corrected,
    Cut,
    Entry,
    Exchanged,
    Fact,
    Gathered,
    HandShown,
    Inserted,
    Laid,
    Press,
    Pressed,
    Said,
    TakenBack,
    TurnedDown,
)
from firmware.referee.house import rules_of
from firmware.referee.match import Match, Setup, dealt, games

from .players import Table
from .test_laws import each_game, folded, said

NAMES = tuple(f"P{number}" for number in range(1, 27))


def house(game: str, dice: random.Random) -> dict[str, Any]:
    """Some house rules that are not the default."""
    out: dict[str, Any] = {}
    for rule in rules_of(games()[game].House):
        if len(rule.choices) == 1 or dice.random() > 0.3:
            continue
        if rule.choices:
            out[rule.name] = dice.choice(rule.choices)
        elif rule.values:
            out[rule.name] = max(rule.values[0], dice.choice((0, 1, 2, 8)))
        elif isinstance(rule.default, bool):
            out[rule.name] = not rule.default
    return out


def dealt_table(setup: Setup, dice: random.Random) -> Table:
    """The table of this setup with hands dealt, as far as the setup says how many each gets."""
    setup = dealt(setup)
    short = setup.game == "comet" or (setup.game == "pope_joan" and setup.house.get("form") != "foster")
    out = {"8D": ("8D",), "sevens": ("7S", "7H", "7D", "7C")}.get(setup.house.get("removed", ""), ())
    cards = [card for card in pack() if str(card) not in out and not (short and card == Card("8", "D"))]
    dice.shuffle(cards)
    counts, hands = setup.deal.get("counts", {}), {}
    for seat, name in enumerate(setup.seats, 1):
        hands[seat], cards = cards[: counts.get(name, 0)], cards[counts.get(name, 0) :]
    return Table(Match(setup), hands, cards, dice, cheat=0.15, blunder=0.1)


def mischief(table: Table) -> Fact | None:
    """What nobody expects, now and then."""
    dice, live, lot = table.dice, table.match.view.live, table.dice.random()
    seat = dice.choice(live)
    if lot < 0.015:
        return Said(seat, "leave")
    if lot < 0.05:
        return Said(seat, "skip", str(dice.choice(live)))
    if lot < 0.06:
        return Said(seat, dice.choice(["misdeal", "draw", "back"]))
    if lot < 0.08:
        return dice.choice(nonsense(dice, live))
    return correction(table) if lot < 0.10 and table.facts else None


def nonsense(dice: random.Random, live: tuple[int, ...]) -> list[Fact]:
    """Facts that may mean anything here, or nothing."""
    seat, card = dice.choice(live), dice.choice(pack())
    return [
        Laid(card, dice.choice(["layout", "seat-1", "stock"]), seat),
        Laid(None, "layout", seat),
        Gathered("layout", seat, 3),
        Cut(seat, None),
        Exchanged((live[0], live[-1])),
        Pressed(seat, Press.SHORT, dice.randint(0, 3)),
        TurnedDown("layout", None),
        TakenBack(None, "layout", None),
        Said(seat, "buy", dice.choice(["", "3", "x"])),
        HandShown(seat, (card,)),
        Conflict(card, (), None),
    ]


def correction(table: Table) -> Fact | None:
    """An entry struck, changed for another one, or put in."""
    dice, target = table.dice, table.dice.randrange(len(table.facts))
    if isinstance(other := dice.choice(table.facts), Corrected | Inserted):
        return None
    what: list[Fact] = [Corrected(target, None, "Ann", ""), Corrected(target, other, "Bo", "")]
    return dice.choice([*what, Inserted(target, Pressed(dice.choice(table.match.view.live)), "Cy", "")])


def play(table: Table, most: int) -> None:
    """Play so many facts, or to the end of the deal; players who have lost their cards press."""
    while not table.match.over and len(table.facts) < most:
        told = len(table.match.rulings)
        fact = mischief(table)
        if fact is None:
            try:
                fact = table.next_fact()
            except (ValueError, IndexError, KeyError, StopIteration):
                fact = Pressed(table.dice.choice(table.match.view.live))
        table.tell(fact)
        sane(table.match, told)


def sane(match: Match, told: int) -> None:
    """What must hold whatever was done."""
    view = match.view
    assert match.ledger.total() == 0
    assert view.over or view.words
    assert view.over or view.turn is None or view.turn in view.live
    assert len(match.quiet) == len(match.setup.seats)
    for ruling in match.rulings[told:]:
        assert ruling.why
        json.dumps(ruling.to_json())
    json.dumps(match.result())


def corrected_equals_right(match: Match, dice: random.Random) -> None:
    """Struck at any place is as if it had never been; put in at any place is as if it had been seen."""
    setup, entries = match.setup, match.entries
    assert said(folded(setup, entries)) == said(match)
    plain = [entry for entry in entries if not isinstance(entry.fact, Corrected | Inserted)]
    if not plain:
        return
    one, number = dice.choice(plain), len(entries)
    rest = [entry for entry in plain if entry is not one]
    struck, never = folded(setup, [*plain, Entry(number, Corrected(one.number, None, "Ann", ""))]), folded(setup, rest)
    assert (struck.result(), struck.view, said(struck)) == (never.result(), never.view, said(never))
    if later := [entry for entry in rest if entry.number > one.number]:
        missed = Entry(number, Inserted(later[0].number, one.fact, "Bo", ""), source="page")
        assert folded(setup, [*rest, missed]).result() == folded(setup, plain).result()


def session(game: str, seed: int) -> int:
    """Up to three deals; how many were played."""
    dice = random.Random(seed)
    least, most = games()[game].SEATS
    setup: Setup | None = Setup(
        game, NAMES[: dice.choice([least, most, dice.randint(least, most)])], 1, house(game, dice)
    )
    for number in range(3):
        assert setup is not None
        table = dealt_table(setup, dice)
        play(table, dice.choice([20, 60, 120]))
        corrected_equals_right(table.match, dice)
        setup = table.match.next_setup()
        if setup is None:
            return number + 1
        assert -Match(setup).ledger.balance("before") == table.match.view.pool, "counters are lost between deals"
    return 3


@each_game
def test_nothing_that_enemies_do_breaks_a_session(game: str) -> None:
    assert sum(session(game, seed) for seed in range(2)) >= 2


@pytest.mark.slow
@each_game
def test_nothing_that_many_enemies_do_breaks_a_session(game: str) -> None:
    assert sum(session(game, seed) for seed in range(100, 160)) >= 60


# -- what they have broken ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["newmarket", "jig", "pope_joan", "fan_tan", "five_or_nine", "sevens"])
def test_who_has_left_plays_no_more(game: str) -> None:
    """The wanted card may come from anybody, but not from who has left."""
    match = Match(Setup(game, NAMES[:4], 4, {}, {"trump": "S"} if game == "pope_joan" else {}))
    first = {"five_or_nine": "5H", "sevens": "7H"}.get(game, "3H")
    above = {"five_or_nine": "6H", "sevens": "8H"}.get(game, "4H")
    facts = [Laid(Card.parse(first), "layout", 1), Said(2, "leave"), Laid(Card.parse(above), "layout", 2), Pressed(2)]
    for number, fact in enumerate(facts):
        match.add(Entry(number, fact))
    assert [code for _, code in match.result()["violations"]] == ["OUT_OF_TURN", "OUT_OF_TURN"]
    assert "who has left the deal plays no more" in match.rulings[-1].why


@pytest.mark.parametrize(
    "game", [g for g in sorted(games()) if "broke" in {r.name for r in rules_of(games()[g].House)}]
)
def test_who_owes_brings_his_debt_to_the_next_deal(game: str) -> None:
    setup = Setup(game, NAMES[:4], 4, {"counters": 1}, {"counters": {"P1": -3, "P2": 1, "P3": 0, "P4": 2}})
    match = Match(setup)
    assert match._fold.books.purse(1) == -3 + match.ledger.balance(1)


def test_pope_a_dealer_who_cannot_dress_the_whole_board_conjures_nothing() -> None:
    match = Match(Setup("pope_joan", NAMES[:3], 3, {"counters": 7, "broke": "out"}, {"trump": "S"}))
    assert match.result()["board"] == {**dict.fromkeys(match.result()["board"], 0), "pope": 6, "matrimony": 1}
    assert (match.view.pool, match.view.counters, match.view.live) == (7, (0, 0, -7), (1, 2))


def test_five_or_nine_the_fewest_cards_are_those_of_who_is_in() -> None:
    counts = {"P1": 4, "P2": 1, "P3": 3, "P4": 3}
    match = Match(Setup("five_or_nine", NAMES[:4], 4, {"dead_deal": "fewest"}, {"counts": counts, "pool": 6}))
    for number, fact in enumerate([Said(2, "leave"), Pressed(1), Pressed(3), Pressed(4)]):
        match.add(Entry(number, fact))
    assert match.view.counters == (-1, 0, 3, 3)


def test_matrimony_the_dealer_leaves_before_he_has_dealt() -> None:
    match = Match(Setup("matrimony", NAMES[:3], 3))
    match.add(Entry(0, Said(3, "leave")))
    assert (match.view.due, match.view.turn) == ("DEAL", None)


@pytest.mark.parametrize(("game", "where"), [("newmarket", "kitty"), ("pope_joan", "game")])
def test_fines_that_nobody_has_won_wait_for_the_next_deal(game: str, where: str) -> None:
    setup = Setup(game, NAMES[:3], 3, {"held_back_fine": 2}, {"trump": "S"} if game == "pope_joan" else {})
    match = Match(setup)
    facts: list[Fact] = [Laid(Card.parse("3H"), "layout", 1), Pressed(1)]
    facts += [Laid(Card.parse("4H"), "layout", 2), Said(1, "misdeal"), Said(2, "misdeal")]
    for number, fact in enumerate(facts):
        match.add(Entry(number, fact))
    before, following = match.ledger.balance(where), match.next_setup()
    assert match.ledger.balance("fines") == 2
    assert following is not None
    assert following.deal["carried"][where] == before + 2
