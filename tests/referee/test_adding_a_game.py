"""The page on adding a game tells the truth: its example is found by listing the folder, and runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.referee import games as folder
from firmware.referee.cards import Card
from firmware.referee.events import Entry, Fact, Laid, Pressed
from firmware.referee.fold import Game
from firmware.referee.match import Match, Setup, games, rulebook

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "adding-a-game.md"


@pytest.fixture
def example(tmp_path: Path) -> Iterator[None]:
    """The page's game as a file in the folder of games."""
    code = PAGE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    (tmp_path / "earl_of_coventry.py").write_text(code, encoding="utf-8")
    folder.__path__.append(str(tmp_path))
    games.cache_clear()
    yield
    folder.__path__.remove(str(tmp_path))
    games.cache_clear()


@pytest.mark.usefixtures("example")
def test_the_example_of_the_page_runs() -> None:
    assert "Earl of Coventry" in rulebook("earl_of_coventry")
    match = Match(Setup("earl_of_coventry", ("Ann", "Bo", "Cy"), 3, {}, {"counts": {"Ann": 3, "Bo": 2, "Cy": 4}}))
    plays: list[Fact] = [
        Laid(Card.parse("6S"), "layout", 1),
        Pressed(2),
        Laid(Card.parse("6H"), "layout", 3),
        Laid(Card.parse("7C"), "layout", 1),  # not a six
        Pressed(1),
        Laid(Card.parse("6D"), "layout", 2),  # so the pass was false
        Pressed(3),
        Pressed(1),
        Laid(Card.parse("KD"), "layout", 2),
    ]
    for number, fact in enumerate(plays):
        match.add(Entry(number, fact))
    assert match.result() == {
        "winner": "Bo",
        "violations": [[3, "WRONG_CARD"]],
        "false_passes": [[1, "Bo", "6D", 5]],
        "net": {"Ann": -1, "Bo": 2, "Cy": -1},
    }


def test_every_game_offers_what_the_page_lists() -> None:
    names = [name for name in dir(Game) if not name.startswith("_")]
    page = PAGE.read_text(encoding="utf-8")
    for name, game in games().items():
        for wanted in names:
            assert hasattr(game, wanted), (name, wanted)
            assert f"`{wanted}" in page
