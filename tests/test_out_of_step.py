"""A refused card that stays, or one that cannot be read: people see it, nobody else is accused, it can be put right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware.journal.journal import Journal
from firmware.live import Live, Made
from firmware.panel.panel_fake import FakePanel
from firmware.panel.signals import Meaning
from firmware.referee.cards import Card
from firmware.referee.events import Laid
from firmware.referee.rulings import Kind
from firmware.table import Table
from vision.pose import Pose

from .test_camera_trouble import stepped
from .test_watch import SETUP, TABLE
from .vision.drawn import BOTTOM, LEFT, SIZE_PX, TOP, Image, World, probabilities


class Evening:
    """A live table over a drawn one."""

    def __init__(self, journal: Journal, world: World) -> None:
        world.hash = "drawn"  # type: ignore[attr-defined]
        self.world = world
        self.live = Live(TABLE, world, journal, FakePanel(), Made("test", "drawn", {}), SIZE_PX)
        self.table: Table = self.live.begin(SETUP)
        self.now = 0.0

    def film(self, pictures: Iterator[Image]) -> None:
        """What happens now."""
        self.now = stepped(self.live, pictures, self.now)

    def lay(self, face: str, x: float, edge: tuple[float, float], y: float = 250.0) -> None:
        """A card is laid."""
        self.film(self.world.lay(face, Pose(x, y, 0), edge))
        self.film(self.world.still(0.5))

    def said(self, *kinds: Kind) -> list[tuple[str, int | None]]:
        """The rulings of these kinds: code and seat."""
        return [(r.code, r.seat) for r in self.table.match.rulings if r.kind in kinds]

    def meaning(self, seat: int) -> Meaning:
        """What a seat's light shows."""
        return self.table.panel_state.lights[seat - 1].meaning


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "data") as opened:
        yield opened


def test_refused_card_that_stays_is_shown_play_goes_on_and_nobody_else_is_accused(journal: Journal) -> None:
    at = Evening(journal, World())
    at.film(at.world.still(0.5))
    at.lay("6C", 300, BOTTOM)
    at.lay("9D", 560, LEFT, 420)
    assert at.said(Kind.REFUSED) == [("WRONG_CARD", 2)]
    assert at.table.match.view.out_of_step
    assert "9" in at.table.snapshot()["view"]["words"]
    wrong = next(card for card in at.table.snapshot()["cards"] if card["card"] == "9D")
    assert (wrong["zone"], wrong["seat"]) == ("layout", 2)
    at.film(at.world.still(3.0))
    assert at.meaning(2) in (Meaning.OUT_OF_STEP, Meaning.REFUSED)
    at.lay("7C", 332, LEFT)
    at.lay("8C", 364, TOP)
    assert [code for code, _ in at.said(Kind.OUT_OF_STEP)] == ["STILL_THERE"]
    assert at.said(Kind.REFUSED, Kind.PROVED, Kind.CONFLICT) == [("WRONG_CARD", 2)]
    assert at.table.match.view.need == "9C"
    nine = next(card for card in at.world.cards if card.face == "9D")
    at.film(at.world.take(nine, LEFT))
    at.film(at.world.still(7.0))
    assert not at.table.match.view.out_of_step
    assert Meaning.OUT_OF_STEP not in {at.meaning(seat) for seat in (1, 2, 3)}
    assert at.said(Kind.REFUSED, Kind.PROVED, Kind.CONFLICT) == [("WRONG_CARD", 2)]
    assert at.table.match.result()["violations"] == [[1, "WRONG_CARD"]]


def test_card_that_cannot_be_read_waits_for_a_correction_and_then_all_is_judged(journal: Journal) -> None:
    sure: dict[str, float] = {"7C": 0.2}
    world = World(reads=lambda face: probabilities(face, sure.get(face, 0.97)))
    at = Evening(journal, world)
    at.film(world.still(0.5))
    at.lay("6C", 300, BOTTOM)
    at.lay("7C", 420, LEFT)
    assert at.said(Kind.UNSURE) == [("UNREAD", 2)]
    assert at.table.match.view.out_of_step
    assert at.meaning(2) is Meaning.SHOW_AGAIN
    at.lay("8C", 560, TOP)
    assert at.said(Kind.REFUSED, Kind.PROVED) == []
    unread = next(e.number for e in at.table.match.entries if isinstance(e.fact, Laid) and e.fact.card is None)
    at.table.correct(unread, Laid(Card.parse("7C"), "layout", 2), "Bo", "it is the seven of clubs")
    assert not at.table.match.view.out_of_step
    assert at.table.match.view.need == "9C"
    assert at.table.match.result()["violations"] == []


def test_the_light_of_a_wronged_card_names_its_seat_alone(journal: Journal) -> None:
    at = Evening(journal, World())
    at.film(at.world.still(0.5))
    at.lay("6C", 300, BOTTOM)
    at.lay("9D", 560, LEFT, 420)
    at.film(at.world.still(6.0))
    lights: dict[int, Any] = {seat: at.meaning(seat) for seat in (1, 2, 3)}
    assert lights[2] is Meaning.OUT_OF_STEP
    assert Meaning.OUT_OF_STEP not in (lights[1], lights[3])
