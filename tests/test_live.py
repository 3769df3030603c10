"""The loop when the machine is at fault: nothing is lost, nothing is said twice, and the lights say what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from firmware.journal.errors import DiskFull, DiskReadOnly
from firmware.journal.journal import Journal
from firmware.journal.lines import LineKind
from firmware.journal.verify import verify
from firmware.live import Live, Made
from firmware.panel.buttons import Act, Gesture
from firmware.panel.panel_fake import FakePanel
from firmware.panel.signals import Meaning
from firmware.referee.cards import Card
from firmware.referee.events import Laid, Note, Press, Pressed
from firmware.referee.match import Setup
from firmware.seating import Observation
from firmware.seen import Seen
from vision.frames import Frame

from .test_watch import TABLE

NS = 1_000_000_000
SETUP = Setup("fan_tan", ("Ann", "Bo", "Cy"), 3, {}, {"counts": {"Ann": 18, "Bo": 17, "Cy": 17}})
IMAGE = np.full((40, 60, 3), 90, np.uint8)


@dataclass
class Eyes:
    """Perception by a script: what each frame shows, by its number."""

    shown: dict[int, list[Observation]]
    tracker: Any = field(default_factory=lambda: SimpleNamespace(layout=[]))
    seating: Any = None
    trouble: Any = None
    newest: Any = None
    now: float = 0.0

    def see(self, frame: Frame) -> list[Observation]:
        self.now = frame.seconds
        return self.shown.get(frame.index, [])

    def settled_until(self) -> float:
        return self.now


def lays(card: str, seat: int, t: float) -> Observation:
    return Observation(Laid(Card.parse(card), "layout", seat), t, t + 0.1, card_id=seat, evidence=IMAGE, whole=IMAGE)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with Journal.open(tmp_path / "data") as journal:
        made = Made("test", "none", {})
        reader: Any = SimpleNamespace(threshold=0.9)
        live = Live(TABLE, reader, journal, FakePanel(), made, (840, 660))
        live.begin(SETUP)
        yield live


def play(live: Live, shown: dict[int, list[Observation]], first: int, last: int) -> None:
    """Ten frames a second."""
    assert live._sequencer is not None
    live._sequencer.perception = Eyes(shown)  # type: ignore[assignment]
    for index in range(first, last):
        live.step(Frame(IMAGE, index / 10, index))


def meanings(live: Live) -> set[Meaning]:
    assert live.table is not None
    return {light.meaning for light in live.table.panel_state.lights}


def press(live: Live, seat: int, t: float, gesture: Gesture = Gesture.TAP) -> None:
    assert isinstance(live.panel, FakePanel)
    live.panel.press(Act(gesture, round(t * NS), 1, seat))


@pytest.mark.parametrize("error", [DiskFull("x: the disk is full"), DiskReadOnly("x: cannot be written")])
def test_a_log_that_cannot_be_written_holds_the_game_and_loses_nothing(
    live: Live, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    shown = {2: [lays("7H", 1, 0.1)], 6: [lays("8H", 2, 0.55), lays("6H", 3, 0.58)], 8: [lays("9H", 1, 0.75)]}
    shown[11] = [lays("5H", 2, 1.05)]  # while the host's call cannot be written, the camera must be looked through
    journal, append = live.journal, live.journal.append
    play(live, shown, 0, 5)
    assert live.table is not None
    assert len(live.table.match.entries) == 1

    def refuse(*args: object, **more: object) -> None:
        raise error

    monkeypatch.setattr(journal, "append", refuse)
    press(live, 2, 0.57)
    play(live, shown, 5, 10)
    press(live, 0, 0.9, Gesture.LONG)  # the host calls: that is a line of the log as well
    play(live, shown, 10, 12)
    assert meanings(live) == {Meaning.FAULT}
    assert live.table.snapshot()["state"] == "fault"
    assert live.table.snapshot()["notices"] == [str(error)]
    assert len(live.table.match.entries) == 1, "no lamp and no judgement for what is not in the log"

    monkeypatch.setattr(journal, "append", append)
    play(live, {}, 12, 13)
    assert Meaning.FAULT not in meanings(live)
    facts = [entry.fact for entry in live.table.match.entries]
    assert [fact for fact in facts if not isinstance(fact, Note)] == [
        Laid(Card.parse("7H"), "layout", 1),
        Laid(Card.parse("8H"), "layout", 2),
        Pressed(2),
        Laid(Card.parse("6H"), "layout", 3),
        Laid(Card.parse("9H"), "layout", 1),
        Laid(Card.parse("5H"), "layout", 2),
    ]
    kept = list(journal.entries(live.table.session_id))
    assert [entry.fact for entry in kept] == facts
    assert [entry.at for entry in kept] == sorted(entry.at for entry in kept)
    assert sum(isinstance(fact, Note) for fact in facts) == 1
    live.finish()
    assert verify(journal, journal.sessions()[0].row.id).whole


def test_rulings_that_the_disk_did_not_take_are_kept_at_the_end(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, writing = live.journal, live.journal.store.writing

    def full(*, durable: bool = True) -> object:
        if not durable:
            raise DiskFull("x: the disk is full")
        return writing(durable=durable)

    monkeypatch.setattr(journal.store, "writing", full)
    play(live, {1: [lays("7H", 1, 0.1)]}, 0, 3)
    assert live.table is not None
    assert len(live.table.match.entries) == 1
    assert Meaning.FAULT not in meanings(live)
    session = live.table.session_id
    monkeypatch.setattr(journal.store, "writing", writing)
    live.finish()
    assert verify(journal, session).whole
    assert len(journal.rulings(session)) > 1


def test_what_is_wrong_with_the_panel_stands_in_the_log_and_on_the_page(live: Live) -> None:
    live.complaints.append("panel: light of seat 2 failed (OSError: no)")
    play(live, {}, 0, 2)
    assert live.table is not None
    assert live.table.snapshot()["notices"] == ["panel: light of seat 2 failed (OSError: no)"]
    lines = [line for line in live.journal.lines(live.table.session_id) if line.kind is LineKind.FACT]
    assert lines[0].body["fact"]["code"] == "MACHINE"
    live.finish()
    live.complaints.append("panel: buzzer failed (OSError: no)")
    live.step(Frame(IMAGE, 0.3, 3))
    assert live.board.snapshot()["notices"][-1] == "panel: buzzer failed (OSError: no)"
    assert live.begin(SETUP).snapshot()["notices"] == live.board.snapshot()["notices"]


def test_a_press_that_trips_the_program_is_told_and_the_next_is_served(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C08."""
    assert live.table is not None
    real = live.table.hear

    def hear(act: Act, t: float) -> tuple[Pressed, ...]:
        if act.seat == 1:
            raise KeyError("no such game")
        return real(act, t)

    monkeypatch.setattr(type(live.table), "hear", lambda table, act, t: hear(act, t))
    lights = meanings(live)
    press(live, 1, 0.1)
    press(live, 2, 0.15)
    play(live, {}, 0, 5)
    facts = [entry.fact for entry in live.table.match.entries]
    assert Pressed(2) in facts
    assert Pressed(1) not in facts
    assert [fact.words for fact in facts if isinstance(fact, Note)] == [
        "the tap of seat 1 was not taken (KeyError: 'no such game')"
    ]
    assert Meaning.FAULT not in meanings(live) | lights


def test_a_page_press_is_refused_in_words_while_the_log_cannot_be_written(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **more: object) -> None:
        raise DiskFull("x: the disk is full")

    monkeypatch.setattr(live.journal, "append", refuse)
    assert live.table is not None
    with pytest.raises(DiskFull):
        live.table.enter(Seen(Pressed(1, Press.SHORT), 0.0, 0.0, source="page"))
    assert live.table.match.entries == []
