"""No short cuts: what the referee says follows the picture, not the script that drew it."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware.config import TableConfig, load_table
from firmware.journal.journal import Journal
from firmware.live import Live, Made
from firmware.panel.panel_fake import FakePanel
from firmware.referee.events import Laid
from firmware.referee.match import Setup
from firmware.simulator.camera import SimulatedCamera
from firmware.simulator.record import table_toml
from firmware.simulator.session import Session, plan
from vision.reader import Reader

#: Seconds of the simulated session that are watched: the first card is down.
UNTIL_S = 4.5


@pytest.fixture(scope="module")
def reader() -> Reader:
    """The committed models."""
    return Reader.load()


def config_of(session: Session, folder: Path) -> TableConfig:
    """The table file that goes with the drawn table."""
    path = folder / "table.toml"
    path.write_text(table_toml(session), encoding="utf-8")
    return load_table(path)


def first_cards(session: Session, swap: dict[str, str], folder: Path, reader: Reader) -> tuple[list[Laid], Live]:
    """The cards that the camera saw laid, and the table that judged them."""
    camera = SimulatedCamera.over(session, swap=swap)
    with Journal.open(folder / "data") as journal:
        config = config_of(session, folder)
        live = Live(config, reader, journal, FakePanel(), Made("test", reader.hash, {}), camera.size_px)
        live.begin(Setup(session.game, session.names, session.dealer, session.house, session.deal))
        while (frame := camera.read()) is not None and frame.seconds < UNTIL_S:
            live.step(frame)
        assert live.table is not None
        return [e.fact for e in live.table.match.entries if isinstance(e.fact, Laid)], live


def test_the_ruling_follows_the_picture(tmp_path: Path, reader: Reader) -> None:
    session = plan("fan_tan", seed=3)
    truth = [fact for fact in session.timeline.truth if fact.get("fact") == "laid" and fact["t"] < UNTIL_S - 1.5]
    first = truth[0]["card"]
    other = "7C" if first[1] != "C" else "7D"

    plain, _ = first_cards(session, {}, tmp_path / "plain", reader)
    swapped, live = first_cards(session, {first: other}, tmp_path / "swapped", reader)

    assert str(plain[0].card) == first
    assert str(swapped[0].card) == other
    assert live.table is not None
    assert live.table.match.view.need == "A" + other[1]


@pytest.mark.slow
def test_a_whole_demo_is_refereed_and_kept_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from firmware.demo import run_demo
    from firmware.journal.verify import verify

    monkeypatch.chdir(tmp_path)
    assert run_demo("fan_tan", seed=3, headless=True, data=tmp_path / "data", strip=tmp_path / "strip.png") == 0
    assert (tmp_path / "strip.png").stat().st_size > 20_000
    with Journal.open(tmp_path / "data", read_only=True) as journal:
        row = journal.sessions()[0].row
        assert row.ended
        assert verify(journal, row.id).whole


def test_a_strip_of_no_picture_kind_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    """Not after minutes of play; and its folder is made."""
    from firmware.demo import run_demo

    with pytest.raises(ValueError, match=r"name it \.png"):
        run_demo("fan_tan", headless=True, strip=tmp_path / "strip.txt", data=tmp_path / "data")
    assert not (tmp_path / "data").exists()
