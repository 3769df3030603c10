"""The table at play: photo, log, light; interrupted and resumed; corrected; disputed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.journal.journal import Journal
from firmware.panel.buttons import Act, Gesture
from firmware.panel.panel_fake import FakePanel
from firmware.panel.signals import Meaning
from firmware.referee.cards import Card
from firmware.referee.events import Corrected, Entry, Laid, Note, Press, Pressed
from firmware.referee.match import BadSetup, Match, Setup
from firmware.referee.rulings import Kind, Ruling
from firmware.seen import Seen
from firmware.table import Table
from firmware.web.source import Noticeboard

NS = 1_000_000_000
JPEG = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffd9")
SETUP = Setup("fan_tan", ("Ann", "Bo", "Cy"), 3, {"ante": 1}, {"counts": {"Ann": 18, "Bo": 17, "Cy": 17}})


def nobody(action: object, actor: object) -> dict[str, str]:
    """Nobody taps in these tests."""
    return {"error": "nobody"}


def begun(journal: Journal, panel: FakePanel, setup: Setup = SETUP) -> Table:
    """A table that begins."""
    board = Noticeboard({}, nobody)
    return Table.begin(journal, setup, lights=panel, board=board, program="test", model="none", table={})


def laid(card: str, seat: int, t: float) -> Seen:
    """A card laid on the layout, with its picture."""
    return Seen(Laid(Card.parse(card), "layout", seat), t, t + 0.2, pictures=(JPEG,))


def pressed(seat: int, t: float, **more: object) -> Seen:
    """A button pressed."""
    return Seen(Pressed(seat, **more), t, t, source="button")  # type: ignore[arg-type]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """A journal of its own."""
    with Journal.open(tmp_path / "data") as opened:
        yield opened


def test_a_lamp_changes_only_after_its_line_is_durable(journal: Journal) -> None:
    panel = FakePanel()
    table = begun(journal, panel)
    table.refresh(0)
    order: list[str] = []
    append, show = journal.append, panel.show

    def kept(*args: object, **more: object) -> object:
        order.append("log")
        return append(*args, **more)  # type: ignore[arg-type]

    def lit(state: object) -> None:
        order.append("light")
        show(state)  # type: ignore[arg-type]

    journal.append, panel.show = kept, lit  # type: ignore[method-assign, assignment]
    told = table.enter(laid("7H", 1, 1.0))
    assert order[0] == "log"
    assert order[1] == "light"
    assert len(told.entry.photos) == 1
    assert journal.photo(told.entry.photos[0]) == JPEG


def test_a_table_that_was_interrupted_goes_on_at_the_same_entry_with_the_same_lights(tmp_path: Path) -> None:
    panel = FakePanel()
    journal = Journal.open(tmp_path / "data")
    table = begun(journal, panel)
    for seen in (laid("7H", 1, 1.0), pressed(2, 2.0), laid("8H", 3, 3.0), pressed(1, 4.0)):
        table.enter(seen)
    shown, result, session = table.panel_state, table.match.result(), table.session_id
    journal.close()

    with Journal.open(tmp_path / "data") as again:
        row = again.live()
        assert row is not None
        assert row.id == session
        other = FakePanel()
        resumed = Table.resume(again, row.id, lights=other, board=Noticeboard({}, nobody))
        resumed.refresh(resumed.now)
        assert len(resumed.match.entries) == 4
        assert resumed.match.result() == result
        assert [light.meaning for light in resumed.panel_state.lights] == [light.meaning for light in shown.lights]
        assert resumed.panel_state.pool == shown.pool
        told = resumed.enter(pressed(2, 5.0))
        assert told.entry.number == 4


def test_a_withheld_card_is_proved_with_both_entries(journal: Journal) -> None:
    table = begun(journal, FakePanel())
    table.enter(laid("7H", 1, 1.0))
    for seat in (2, 3, 1):
        table.enter(pressed(seat, 1.0 + seat))
    told = table.enter(laid("8H", 2, 6.0))
    proof = next(r for r in told.rulings if r.kind.value == "proved")
    assert proof.seat == 2
    assert set(proof.entries) == {1, 4}
    assert table.panel_state.lights[1].meaning is Meaning.PROVED


def test_a_long_press_calls_the_referee_and_a_ruling_can_stand(journal: Journal) -> None:
    table = begun(journal, FakePanel())
    table.enter(laid("7H", 1, 1.0))
    assert table.hear(Act(Gesture.LONG, 2 * NS, seat=2), 2.0) == (Pressed(2, Press.LONG),)
    table.enter(pressed(2, 2.0, press=Press.LONG))
    assert table.snapshot()["state"] == "paused"
    assert table.snapshot()["dispute"]["seat"] == 2
    assert all(light.meaning is Meaning.DISPUTE for light in table.panel_state.lights)
    table.let_stand(3)
    assert table.snapshot()["state"] == "playing"
    assert table.match.entries[-1].fact == Note("LET_STAND", "Cy: the ruling stands")


def resumed(journal: Journal, table: Table) -> Table:
    """The same session as another program would find it."""
    again = Table.resume(journal, table.session_id, lights=FakePanel(), board=Noticeboard({}, nobody))
    again.refresh(table.now)
    return again


def meanings(table: Table) -> list[Meaning]:
    return [light.meaning for light in table.panel_state.lights]


@pytest.mark.parametrize("end", ["let_stand", "settle", "correct", "none"])
def test_a_dispute_is_open_after_a_crash_exactly_if_it_was_before(journal: Journal, end: str) -> None:
    table = begun(journal, FakePanel())
    table.enter(laid("7H", 1, 1.0))
    table.call(2, entry=0, why="that was the diamond")
    assert resumed(journal, table).snapshot()["dispute"] == {
        "seat": 2,
        "entry": 0,
        "why": "that was the diamond",
        "open": True,
    }
    match end:
        case "let_stand":
            table.let_stand(2)
        case "settle":
            table.settle(None, "we deal again")
        case "correct":
            table.correct(0, Laid(Card.parse("7D"), "layout", 1), "Bo", "misread")
    again = resumed(journal, table)
    assert again.snapshot()["dispute"] == table.snapshot()["dispute"]
    assert (again.snapshot()["dispute"] is not None) == (end == "none")
    assert meanings(again) == meanings(table)


def test_the_cameras_second_look_settles_no_dispute(journal: Journal) -> None:
    table = begun(journal, FakePanel())
    table.enter(laid("7H", 1, 1.0))
    table.call(2)
    table.enter(Seen(Corrected(0, Laid(Card.parse("7D"), "layout", 1), "camera", "read later"), 3.0, 3.0))
    assert table.snapshot()["dispute"] is not None


def test_a_paused_game_is_paused_after_a_crash(journal: Journal) -> None:
    table = begun(journal, FakePanel())
    table.pause(True)
    assert resumed(journal, table).snapshot()["state"] == "paused"
    table.pause(False)
    assert resumed(journal, table).snapshot()["state"] == "playing"


def test_who_paused_and_who_went_on_is_kept_and_said_once(journal: Journal) -> None:
    table = begun(journal, FakePanel())
    for paused, seat in ((True, 2), (True, 3), (False, None), (False, 1)):
        table.pause(paused, seat)
    assert [entry.fact for entry in table.match.entries] == [Note("PAUSED", "Bo"), Note("RESUMED", "the host")]


def test_what_was_not_called_cannot_be_let_stand_and_what_is_not_there_not_called(journal: Journal) -> None:
    table = begun(journal, FakePanel())
    table.enter(laid("7H", 1, 1.0))
    with pytest.raises(ValueError, match="nobody has called the referee"):
        table.let_stand(1)
    with pytest.raises(ValueError, match="there is no entry 1"):
        table.call(1, entry=1)
    assert len(table.match.entries) == 1


def test_a_card_that_the_camera_missed_is_put_in_and_judged_in_its_place(journal: Journal) -> None:
    table = begun(journal, FakePanel())
    table.enter(laid("7H", 1, 1.0))
    table.enter(pressed(3, 3.0))  # Bo's card was not seen: Cy is out of turn
    assert any(r.kind is Kind.REFUSED for r in table.match.standing)
    told = table.insert(1, Laid(Card.parse("8H"), "layout", 2), "the host", "it lay under Ann's sleeve")
    assert not any(r.kind is Kind.REFUSED for r in table.match.standing)
    again = resumed(journal, table)
    assert again.match.entries[-1] == told.entry
    assert again.match.view == table.match.view
    table.insert(3, Laid(Card.parse("9H"), "layout", 1), "the host", "and this one just now")
    assert table.match.entries[-1].number == 3
    with pytest.raises(ValueError, match="there is no entry 5"):
        table.insert(5, Laid(None, "layout", 1), "the host", "")


SEEN = {"zone": "layout", "seat": None, "entry": None, "x_mm": 1.0, "y_mm": 1.0, "angle": 0.0}


def test_a_corrected_card_is_known_again_after_a_restart(journal: Journal) -> None:
    table = begun(journal, FakePanel())
    table.enter(laid("7H", 1, 1.0))
    table.enter(Seen(Laid(None, "layout", 2), 2.0, 2.2))
    table.correct(1, Laid(Card.parse("8H"), "layout", 2), "the host", "we all saw it")
    again = resumed(journal, table)
    again.cards = lambda: [{**SEEN, "id": 1, "card": "7H"}, {**SEEN, "id": 2, "card": "?"}]
    assert [(c["card"], c["entry"], c["seat"]) for c in again.snapshot()["cards"]] == [("7H", 0, 1), ("8H", 1, 2)]


def tap(seat: int) -> Act:
    return Act(Gesture.TAP, NS, taps=1, seat=seat)


def test_a_payment_from_seat_to_seat_stands_in_the_log_press_by_press(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No game of ours asks for one without the pool; a ruling of that kind is put into the referee's mouth."""
    real = Match.add

    def add(match: Match, entry: Entry) -> tuple[Ruling, ...]:
        said = real(match, entry)
        owed = Ruling(Kind.PAID, "FINE", seat=2, to=3, counters=2, entry=entry.number, id=900 + entry.number)
        if isinstance(entry.fact, Laid):
            match._standing.append(owed)
            return (*said, owed)
        return said

    monkeypatch.setattr(Match, "add", add)
    table = begun(journal, FakePanel())
    table.enter(laid("7H", 1, 1.0))
    assert [(t.payer, t.to, t.given) for t in resumed(journal, table).desk.transfers] == [(2, 3, False)]
    assert table.hear(tap(2), 2.0) == ()
    table.refresh(2.0)
    assert Meaning.CONFIRM in meanings(table)
    assert meanings(resumed(journal, table)) == meanings(table)
    assert table.hear(tap(3), 3.0) == ()
    table.refresh(3.0)
    assert Meaning.CONFIRM not in meanings(table)
    assert resumed(journal, table).desk.transfers == ()
    assert [e.fact.words for e in table.match.entries[1:] if isinstance(e.fact, Note)] == [
        "Bo gave 2 to Cy",
        "Cy has 2 from Bo",
    ]
    table.enter(laid("8H", 2, 4.0))
    assert len(table.desk.transfers) == 1
    table.correct(3, None, "Ann", "nobody laid that")
    assert table.desk.transfers == (), "a payment whose ruling was overturned is due no more"


def test_a_double_press_shows_the_balance_and_is_no_act(journal: Journal) -> None:
    table = begun(journal, FakePanel())
    before = len(table.match.entries)
    assert table.hear(Act(Gesture.TAP, NS, taps=2, seat=2), 1.0) == ()
    table.refresh(1.1)
    assert len(table.match.entries) == before
    assert table.panel_state.lights[1].meaning is Meaning.BALANCE


def test_a_correction_folds_the_game_again(journal: Journal) -> None:
    table = begun(journal, FakePanel())
    table.enter(laid("7D", 1, 1.0))  # misread: it was the seven of hearts
    table.enter(laid("8H", 2, 2.0))
    assert table.match.result()["violations"] == [[1, "WRONG_CARD"]]
    table.correct(0, Laid(Card.parse("7H"), "layout", 1), "Ann", "it was the seven of hearts")
    assert table.match.result()["violations"] == []
    assert table.match.view.need == "9H"
    with pytest.raises(ValueError, match="there is no entry 99"):
        table.correct(99, None, "Ann", "")


def test_a_game_that_cannot_be_played_writes_nothing(journal: Journal) -> None:
    with pytest.raises(BadSetup):
        begun(journal, FakePanel(), Setup("whist", ("Ann", "Bo")))
    assert journal.live() is None


def test_the_page_gets_the_public_state(journal: Journal) -> None:
    table = begun(journal, FakePanel())
    table.enter(laid("7H", 1, 1.0))
    snapshot = table.board.snapshot()
    assert snapshot["view"]["need"] == "8H"
    assert snapshot["view"]["pool"] == 3
    assert snapshot["lights"][1]["meaning"] == Meaning.TURN.value
    assert snapshot["entries"][-1]["card"] == "7H"
    assert snapshot["seq"] >= 1


def test_the_page_is_told_only_of_changes(journal: Journal) -> None:
    table = begun(journal, FakePanel())
    table.enter(laid("7H", 1, 1.0))
    table.refresh(30.0)
    told = table.board.snapshot()["seq"]
    table.refresh(30.1)
    assert table.board.snapshot()["seq"] == told
    table.enter(pressed(2, 31.0))
    assert table.board.snapshot()["seq"] > told


def test_what_was_corrected_is_drawn_as_it_is_and_marked(journal: Journal) -> None:
    table = begun(journal, FakePanel())
    entry = table.enter(laid("8H", 1, 1.0)).entry.number
    table.cards = lambda: [{"card": "8H", "entry": entry, "x_mm": 1}, {"card": "back", "entry": None}]
    table.correct(entry, Laid(Card.parse("8D"), "layout", 1), "Ann", "a diamond")
    shown = table.snapshot()
    assert [card["card"] for card in shown["cards"]] == ["8D", "back"]
    assert [one.get("struck", False) for one in shown["entries"][:2]] == [True, False]
    table.correct(entry, None, "Ann", "it never happened")
    assert table.snapshot()["cards"][0]["card"] == "8H"


def test_the_page_is_told_what_each_button_means(journal: Journal) -> None:
    table = begun(journal, FakePanel())
    table.enter(laid("7H", 1, 1.0))
    view = table.snapshot()["view"]
    assert (view["quiet_word"], view["quiet_act"]) == ("PAY", ["", "PAY", ""])
