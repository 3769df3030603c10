"""Laws that hold in every game, unasked: each file in games/ is put through all of them."""

from __future__ import annotations

import json
import random
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware.referee.cards import Card, pack
from firmware.referee.events import (
    Conflict,
    Corrected,
    Cut,
    Entry,
    Exchanged,
    ExchangeRefused,
    Fact,
    Gathered,
    HandShown,
    Inserted,
    Laid,
    Note,
    Press,
    Pressed,
    Said,
    TakenBack,
    TurnedDown,
)
from firmware.referee.match import Match, Setup, games
from firmware.referee.rulings import CODES, Ruling

from .players import Table, deal

GAMES = sorted(games())
each_game = pytest.mark.parametrize("game", GAMES)

SEATS = 4
seats = st.integers(0, SEATS + 1)  # 0 and 5 sit at no table of four
cards = st.sampled_from(pack())
zones = st.sampled_from([f"seat-{n}" for n in range(1, SEATS + 2)] + ["layout", "stock", "nowhere"])
some_seat = st.none() | seats
facts: st.SearchStrategy[Fact] = st.one_of(
    st.builds(Laid, st.none() | cards, zones, some_seat),
    st.builds(TakenBack, st.none() | cards, zones, some_seat),
    st.builds(TurnedDown, zones, some_seat),
    st.builds(Gathered, zones, seats, st.none() | st.integers(0, 60)),
    st.builds(Exchanged, st.tuples(seats, seats)),
    st.builds(ExchangeRefused, seats, seats),
    st.builds(Cut, seats, st.none() | cards),
    st.builds(Pressed, seats, st.sampled_from(Press), st.integers(0, 9)),
    st.builds(
        Said,
        seats,
        st.sampled_from(["swap", "king", "sell", "buy", "leave", "skip", "back", "draw", "misdeal", "?"]),
        st.text(max_size=3) | st.sampled_from(["3", "1:2", "2:", "²", "٣", "9" * 5000, "2:" + "9" * 5000]),
    ),
    st.builds(HandShown, seats, st.lists(cards, max_size=4, unique=True).map(tuple)),
    st.builds(Conflict, cards, st.just(()), some_seat),
    st.builds(Note, st.just("X"), st.text(max_size=3)),
    st.builds(
        Corrected, st.integers(-1, 9), st.none() | st.builds(Laid, cards, zones, seats), st.just("Ann"), st.just("")
    ),
    st.builds(Inserted, st.integers(-1, 9), st.builds(Laid, cards, zones, seats), st.just("Ann"), st.just("")),
)
#: Loads on a shared machine say nothing about the referee.
calm = settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


def played(game: str, seed: int, cheat: float = 0.15, blunder: float = 0.15, most: int = 40) -> Table:
    """A deal with cheats and blunders, cut short where it is long."""
    return deal(game, seed, cheat=cheat, blunder=blunder).play(most)


def said(match: Match) -> list[Ruling]:
    """What stands, without the running numbers."""
    return [replace(ruling, id=-1) for ruling in match.standing]


def folded(setup: Setup, entries: list[Entry]) -> Match:
    """The match after these entries."""
    match = Match(setup)
    for entry in entries:
        match.add(entry)
    return match


@each_game
def test_honest_players_are_never_refused_or_accused(game: str) -> None:
    for seed in range(6):
        table = deal(game, seed).play()
        kinds = {ruling.kind.value for ruling in table.match.rulings}
        assert kinds.isdisjoint({"refused", "proved", "conflict", "unsure", "out_of_step"}), table.match.setup
        assert table.match.ledger.total() == 0


@each_game
@calm
@given(st.lists(st.tuples(facts, st.floats(0, 1), st.booleans()), max_size=25))
def test_judging_is_total_and_counters_are_conserved(game: str, what: list[tuple[Fact, float, bool]]) -> None:
    match = deal(game, 1).match
    for number, (fact, sure, camera) in enumerate(what):
        entry = Entry(number, fact, seat_confidence=sure, source="camera" if camera else "script")
        for ruling in match.add(entry):
            assert ruling.seat is None or 1 <= ruling.seat <= SEATS
            assert ruling.to is None or 1 <= ruling.to <= SEATS
            assert ruling.why
            json.dumps(ruling.to_json())
        assert match.ledger.total() == 0
    json.dumps(match.result())
    assert match.view.words or match.over


@each_game
def test_every_code_has_its_words(game: str) -> None:
    """Refusals, proofs and notices are said in words; turns and payments carry words of their own."""
    for seed in range(8):
        for ruling in played(game, seed).match.rulings:
            if ruling.kind.value not in ("turn", "due", "paid", "takes"):
                assert ruling.code in CODES, ruling


@each_game
def test_every_counter_that_moves_is_explained(game: str) -> None:
    """Whose counters, how many, and why, in words with the players' names."""
    for seed in range(6):
        match = played(game, seed, most=80).match
        for ruling in match.rulings:
            if ruling.counters and ruling.kind.value in ("paid", "takes"):
                assert match.setup.seats[(ruling.seat or 0) - 1] in ruling.why
                assert str(ruling.counters) in ruling.why or ruling.code == "CARDS", ruling


@each_game
@settings(calm, max_examples=6)
@given(st.integers(0, 10_000), st.data())
def test_striking_an_entry_equals_never_having_had_it(game: str, seed: int, data: st.DataObject) -> None:
    entries = list(played(game, seed).match.entries)
    setup = played(game, seed, most=0).match.setup
    struck = data.draw(st.sampled_from(entries)).number
    corrected = folded(setup, [*entries, Entry(len(entries), Corrected(struck, None, "Bo", "it was not so"))])
    clean = folded(setup, [entry for entry in entries if entry.number != struck])
    assert corrected.result() == clean.result()
    assert said(corrected) == said(clean)
    assert corrected.view == clean.view


@each_game
@settings(calm, max_examples=6)
@given(st.integers(0, 10_000), st.data())
def test_a_changed_entry_equals_having_been_right_from_the_start(game: str, seed: int, data: st.DataObject) -> None:
    right = list(played(game, seed).match.entries)
    setup = played(game, seed, most=0).match.setup
    target = data.draw(st.sampled_from(right))
    wrong = replace(target, fact=data.draw(facts.filter(lambda f: not isinstance(f, Corrected | Inserted))))
    misread = [wrong if entry.number == target.number else entry for entry in right]
    corrected = folded(setup, [*misread, Entry(len(right), Corrected(target.number, target.fact, "Cy", "misread"))])
    assert corrected.result() == folded(setup, right).result()
    assert said(corrected) == said(folded(setup, right))


@each_game
@settings(calm, max_examples=6)
@given(st.integers(0, 10_000), st.data())
def test_an_inserted_fact_equals_having_been_seen(game: str, seed: int, data: st.DataObject) -> None:
    right = list(played(game, seed).match.entries)
    setup = played(game, seed, most=0).match.setup
    missed = data.draw(st.sampled_from(right[:-1] or right))
    if missed.number == len(right) - 1:
        return
    log = [entry for entry in right if entry.number != missed.number]
    log.append(Entry(len(right), Inserted(missed.number + 1, missed.fact, "Di", "the camera missed it"), source="page"))
    corrected, seen = folded(setup, log), folded(setup, right)
    assert corrected.result() == seen.result()
    assert [(r.kind, r.code, r.seat, r.why) for r in said(corrected)] == [
        (r.kind, r.code, r.seat, r.why) for r in said(seen)
    ]


@each_game
def test_a_struck_correction_counts_as_never_made(game: str) -> None:
    entries = list(played(game, 3).match.entries)
    setup = played(game, 3, most=0).match.setup
    n, middle = len(entries), entries[len(entries) // 2].number
    undone = [Entry(n, Corrected(middle, None, "Bo", "no")), Entry(n + 1, Corrected(n, None, "Ann", "yes it was"))]
    assert said(folded(setup, [*entries, *undone])) == said(folded(setup, entries))


@each_game
def test_ids_never_change_and_name_one_ruling_each(game: str) -> None:
    table = played(game, 5)
    match = table.match
    before = {ruling.id: ruling for ruling in match.rulings}
    match.add(Entry(len(table.facts), Corrected(0, None, "Bo", "no")))
    assert [ruling.id for ruling in match.rulings] == list(range(len(match.rulings)))
    assert {number: match.rulings[number] for number in before} == before


@each_game
def test_a_refused_act_changes_nothing_but_what_lies_in_the_way(game: str) -> None:
    for seed in range(10):
        table = deal(game, seed, cheat=0.1, blunder=0.3)
        while not table.match.over and len(table.facts) < 80:
            before = table.match.view
            fact = table.next_fact()
            state = table.state
            table.tell(fact)
            last = [r for r in table.match.standing if r.entry == len(table.facts) - 1]
            if last and all(r.kind.value == "refused" for r in last):
                after = replace(
                    table.match.view, out_of_step=before.out_of_step, out_of_step_why=before.out_of_step_why
                )
                assert replace(after, words=before.words) == before
                assert table.state == state
                if isinstance(fact, Laid) and fact.card:
                    table.tell(TakenBack(fact.card, fact.zone, fact.seat))


@each_game
def test_cards_are_conserved(game: str) -> None:
    """No card lies in two places, and in the games with packs none gets lost."""
    for seed in range(5):
        table = deal(game, seed, cheat=0.2)
        whole: set[int] = set()
        for _ in range(120):
            if table.match.over:
                break
            table.tell(table.next_fact())
            open_cards = [card for _, cards in table.match.view.table for card in cards]
            assert len(open_cards) == len(set(open_cards))
            packs = getattr(table.state, "packs", None)
            if packs:
                whole.add(sum(packs) + len(open_cards))
            counts = getattr(table.state, "counts", ())
            for seat, count in enumerate(counts, start=1):
                assert count is None or count == len(table.hands[seat])
        assert len(whole) <= 1


@each_game
def test_an_unreadable_card_accuses_nobody_and_the_game_waits(game: str) -> None:
    """A card that was really laid cannot be read: nobody after him is called out of turn; naming it sets all right."""
    for seed in range(4):
        table = deal(game, seed).play(30)
        entries = list(table.match.entries)
        setup = deal(game, seed).match.setup
        laid = [e for e in entries if isinstance(e.fact, Laid) and e.fact.zone == "layout" and table.match.game.HANDS]
        if not laid:
            continue
        target = random.Random(seed).choice(laid)
        fact = target.fact
        assert isinstance(fact, Laid)
        blurred = [replace(e, fact=Laid(None, fact.zone, fact.seat)) if e is target else e for e in entries]
        match = folded(setup, blurred)
        assert not [r for r in match.standing if r.kind.value in ("refused", "proved")]
        assert (
            match.view.out_of_step or game == "comet"
        )  # the comet fits everywhere: play may go on past an unread card
        match.add(Entry(len(entries), Corrected(target.number, fact, "Ann", "it was that one")))
        assert said(match) == said(folded(setup, entries))


@each_game
def test_a_card_that_nobody_is_credited_with_is_asked_about(game: str) -> None:
    if not games()[game].HANDS:
        return  # there the card lies in the zone of its owner
    table = deal(game, 1)
    fact = table.next_fact()
    for entry in (
        Entry(0, replace(fact, seat=None), source="camera"),
        Entry(0, fact, seat_confidence=0.3, source="camera"),
    ):
        if isinstance(fact, Laid):
            assert [r.code for r in folded(table.match.setup, []).add(entry)] == ["WHOSE"]


@pytest.mark.parametrize("unseen", [TurnedDown("layout"), TakenBack(None, "layout", None)])
def test_what_the_camera_did_not_watch_accuses_nobody_until_people_say_what_it_was(unseen: Fact) -> None:
    """An unfinished suit turned down, a card gone, and no hand was seen: more may have been done than shows."""
    table = deal("fan_tan", 1)
    laid = table.next_fact()
    assert isinstance(laid, Laid)
    gone = replace(unseen, card=laid.card) if isinstance(unseen, TakenBack) else unseen
    setup, first = table.match.setup, Entry(0, laid)
    wrong = Entry(2, Pressed(laid.seat or 1), source="button")  # it is the next seat's turn
    match = folded(setup, [first, Entry(1, replace(gone, seat=laid.seat), source="camera"), wrong])
    assert [r.kind.value for r in match.standing if r.entry == 2] == ["refused"]
    match = folded(setup, [first, Entry(1, gone, source="camera"), wrong])
    assert [r.code for r in match.standing if r.entry == 1] == ["NOT_WATCHED"]
    assert match.view.out_of_step
    assert not [r for r in match.standing if r.entry == 2]
    match.add(Entry(3, Corrected(1, None, "Ann", "nothing was done")))
    assert [r.kind.value for r in match.standing if r.entry == 2] == ["refused"]


@each_game
def test_after_a_time_unwatched_nobody_is_refused_before_people_say_what_was_done(game: str) -> None:
    """What does not fit may follow from what nobody saw; once it is said, all is judged."""
    table = deal(game, 1)
    for _ in range(3):
        table.tell(table.next_fact())
    setup, before = table.match.setup, [replace(entry, source="camera") for entry in table.match.entries]
    number = len(before)
    over = Entry(number, Note("CAMERA_DARK_OVER", ""), source="camera")
    acts = [Laid(card, f"seat-{s}" if not table.match.game.HANDS else "layout", s) for s in (1, 2) for card in pack()]
    for act in [*acts[:60:3], *(Pressed(s) for s in (1, 2, 3, 4))]:
        late = Entry(number + 1, act, source="camera")
        plain, dark = folded(setup, [*before, late]), folded(setup, [*before, over, late])
        if refusals(plain, late.number):
            assert not refusals(dark, late.number)
            assert [r.code for r in dark.standing if r.entry == late.number][:1] == ["IN_DOUBT"]
            assert dark.view.out_of_step
            dark.add(Entry(number + 2, Corrected(over.number, None, "Ann", "nothing was done")))
            assert refusals(dark, late.number) == refusals(plain, late.number)
        else:
            assert accepted(dark) == accepted(plain)


def test_a_card_that_fits_does_not_settle_another_that_was_never_credited() -> None:
    """Fan Tan: nobody saw who laid the second card; the third fits all the same, the fourth only after the second."""
    table = deal("fan_tan", 3)
    laid: list[Laid] = []
    while len(laid) < 3:
        fact = table.next_fact()
        table.tell(fact)
        laid += [fact] if isinstance(fact, Laid) else []
    entries = [replace(entry, source="camera") for entry in table.match.entries]
    number = next(e.number for e in entries if e.fact == laid[1])
    dark = [replace(e, fact=replace(laid[1], seat=None)) if e.number == number else e for e in entries]
    wrong = Entry(len(entries), Pressed(table.match.view.turn or 1, Press.SHORT), source="button")
    match = folded(table.match.setup, [*dark, wrong])
    assert not [r for r in match.standing if r.kind.value in ("refused", "proved")]
    match.add(Entry(len(entries) + 1, Corrected(number, laid[1], "Ann", "it was mine")))
    assert said(match) == said(folded(table.match.setup, [*entries, wrong]))


def test_a_card_that_came_unseen_ends_no_doubt_though_it_fits() -> None:
    """The Wish Card: it lies in its owner's zone, so it is his; what came under it nobody knows."""
    table = deal("wish_card", 1)
    laid = table.next_fact()
    assert isinstance(laid, Laid)
    over = Entry(0, Note("CAMERA_DARK_OVER", ""), source="camera")
    again = Entry(2, Laid(next(c for c in pack() if c != laid.card), laid.zone, laid.seat), source="camera")
    codes = {}
    for seat in (laid.seat, None):
        match = folded(table.match.setup, [over, Entry(1, replace(laid, seat=seat), source="camera"), again])
        assert not [r for r in match.standing if r.entry == 1 and r.kind.value in ("refused", "unsure")]
        codes[seat] = [r.kind.value for r in match.standing if r.entry == 2]
    assert codes == {laid.seat: ["refused"], None: ["unsure"]}


def accepted(match: Match) -> list[str]:
    """What was said that holds nothing against anybody."""
    return [r.code for r in match.standing if r.kind.value != "proved"]


def refusals(match: Match, number: int) -> list[str]:
    """The codes of the rulings that refuse an entry."""
    return [r.code for r in match.standing if r.entry == number and r.kind.value == "refused"]


@each_game
def test_deals_follow_each_other(game: str) -> None:
    """The next deal's setup is a setup: its dealer is another live seat, and nothing is lost between the deals."""
    for seed in range(3):
        table = deal(game, seed).play(3000)
        following = table.match.next_setup()
        if following is None:
            assert table.match.over is False or table.match.view.winner is not None
            continue
        match = Match(following)
        assert following.dealer in match.view.live
        assert match.ledger.total() == 0
        if table.match.game.HANDS:
            assert sum(following.deal["counts"].values()) == sum(table.match.setup.deal["counts"].values())


@each_game
def test_what_has_no_meaning_in_a_game_is_nobodys_fault(game: str) -> None:
    """A gather in Fan Tan, a cut in the Wish Card: more likely seen wrongly than done."""
    match = deal(game, 1).match
    for number, fact in enumerate([Gathered("layout", 1, 3), Cut(1, None), Exchanged((1, 2)), Said(1, "?")]):
        codes = {r.code for r in match.add(Entry(number, fact, source="camera")) if r.kind.value == "refused"}
        assert "NO_SUCH_ACT" not in codes


@each_game
@pytest.mark.parametrize("pressing", [(1, 2, 3, 4), (1,), (2,), (3,), (4,)])
def test_no_state_grows_when_buttons_are_pressed_for_ever(game: str, pressing: tuple[int, ...]) -> None:
    """A state is copied at every act: if it grew, a late fact would cost more than an early one."""
    match, sizes = deal(game, 1).match, []
    if game == "fan_tan":
        match.add(Entry(0, Laid(Card.parse("5H"), "layout", match.view.turn)))
    for number in range(1, 121):
        match.add(Entry(number, Pressed(pressing[number % len(pressing)])))
        sizes.append(size(match._fold.state))
    assert max(sizes[60:]) <= max(sizes[:60])


def size(value: Any) -> int:
    """How many things a state holds, all the way down."""
    if is_dataclass(value):
        return sum(size(getattr(value, field.name)) for field in fields(value))
    return 1 + sum(map(size, value)) if isinstance(value, tuple) else 1


def test_the_card_that_was_shown_once_is_seen_twice() -> None:
    """D12: a second sighting while the first still lies there is a conflict, never a foul."""
    match = deal("fan_tan", 1).match
    first = match.view.turn or 1
    match.add(Entry(0, Laid(Card.parse("3C"), "layout", first), source="camera"))
    rulings = match.add(Entry(1, Laid(Card.parse("3C"), "layout", first % 4 + 1), source="camera"))
    assert [(r.kind.value, r.code, r.entries) for r in rulings] == [("conflict", "SEEN_TWICE", (0, 1))]
