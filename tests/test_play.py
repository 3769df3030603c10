"""The loop of the real table, over a scripted camera: settings read again, its picture lent, a camera that is busy."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from firmware import play
from firmware.config import CameraSettings, load_table
from firmware.journal.errors import JournalBusy
from firmware.journal.journal import Journal
from firmware.lending import InPlay, borrowed
from firmware.mat import table_toml
from firmware.panel.config import Say
from firmware.referee.match import Setup
from firmware.reread import LOOK_EVERY_S
from vision.frames import CameraBusy, Frame

SETUP = Setup("fan_tan", ("Ann", "Bo", "Cy"), 3, {}, {"counts": {"Ann": 18, "Bo": 17, "Cy": 17}})
IMAGE = np.full((120, 160, 3), 90, np.uint8)
Act = Callable[[], None]


@dataclass
class Scripted:
    """A camera with as many frames as its script has acts; each act is done before its frame is given."""

    script: list[Act]
    size_px: tuple[int, int] = (160, 120)
    given: int = 0
    started_s: float = field(default_factory=time.monotonic)

    def read(self) -> Frame | None:
        if self.given == len(self.script):
            return None
        self.script[self.given]()
        self.given += 1
        return Frame(IMAGE, time.monotonic() - self.started_s, self.given)

    def close(self) -> None:
        pass


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of four without a panel, its page on a free port, in folders of the test's own."""
    monkeypatch.setenv("CARDTABLE_CONFIG", str(tmp_path / "etc"))
    monkeypatch.setenv("CARDTABLE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(play, "house_reader", lambda: SimpleNamespace(threshold=0.9, hash="first"))
    path = tmp_path / "etc" / "table.toml"
    path.parent.mkdir()
    path.write_text(table_toml(4) + "\n[web]\nport = 0\n")
    return path


@contextmanager
def opened(settings: Path, monkeypatch: pytest.MonkeyPatch, script: list[Act]) -> Iterator[play.House]:
    monkeypatch.setattr(play, "_camera", lambda source: Scripted(script))
    quiet = Console(file=open(os.devnull, "w", encoding="utf-8"), highlight=False)  # noqa: SIM115
    with play._opened(load_table(settings), quiet) as house, quiet.file:
        yield house


def nothing() -> None:
    pass


def rewritten(path: Path, old: str, new: str) -> None:
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_hangup_reads_the_settings_again_and_each_key_counts_when_it_may(
    settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(settings, monkeypatch, []) as house:
        sent: list[str] = []
        house.service.send = sent.append
        rewritten(settings, "port = 0", 'port = 8099\n[panel]\nsay = "off"')
        rewritten(settings, "width = 63", "width = 58")
        os.kill(os.getpid(), signal.SIGHUP)
        assert house.asked.wait(5)
        house._reread()
        assert [message.split("=")[0] for message in sent] == ["RELOADING", "READY"]
        assert house.live.config.card_w_mm == 58, "no game is on"
        assert house.live.made.table["card"] == [58, 88], "and the log of the next one says so"
        assert house.live.viewfinder.config is house.live.config
        assert house.speech.say is Say.OFF
        assert house.live.config.web.port == 0
        assert house.live.complaints[-1].endswith("[web] port: restart to apply")


def test_a_game_that_is_on_keeps_its_places_until_it_is_over(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learnt = SimpleNamespace(threshold=0.9, hash="second")
    with opened(settings, monkeypatch, []) as house:
        table = house.live.begin(SETUP)
        monkeypatch.setattr(play, "house_reader", lambda: learnt)
        settings.with_name(play.PACK_FILE).write_bytes(b"a pack")
        house.asked.set()
        house._reread()
        rewritten(settings, "width = 63", "width = 58")
        house.asked.set()
        house._reread()
        assert house.live.config.card_w_mm == 63
        assert table.geometry["card"] == [63, 88]
        house.live.finish()
        assert house.live.config.card_w_mm == 58
        assert house.live.reader is learnt, "a second change does not lose the first"
        assert (house.live.made.model, house.live.made.table["card"]) == ("second", [58, 88])


def test_a_file_that_changed_is_noticed_without_being_asked(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(settings, monkeypatch, []) as house:
        clock = iter(1000 + n * LOOK_EVERY_S for n in range(9))
        monkeypatch.setattr(play, "time", SimpleNamespace(monotonic=lambda: next(clock), monotonic_ns=lambda: 0))
        house._reread()
        rewritten(settings, "width = 63", "width = -3")
        for _ in range(4):
            house._reread()
        assert len(house.live.complaints) == 1, "said once"
        assert "those before stay" in house.live.complaints[0]
        assert house.live.config.card_w_mm == 63
        monkeypatch.undo()


def test_the_picture_is_lent_between_games_only(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = settings.parents[1] / "data"
    lent: list[Any] = []
    with opened(settings, monkeypatch, [nothing, nothing, nothing]) as house:
        house.turn(None)
        lent.append(borrowed(data))
        house.live.begin(SETUP)
        with pytest.raises(InPlay):
            borrowed(data)
    assert np.array_equal(lent[0], IMAGE)
    assert borrowed(data) is None


def test_a_second_table_hears_at_once_that_there_is_one(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it waits three minutes for a camera that the first one has."""
    tried: list[CameraSettings] = []
    monkeypatch.setattr(play, "_camera", tried.append)
    with Journal.open(settings.parents[1] / "data"), pytest.raises(JournalBusy):
        play.run()
    assert tried == []


@pytest.mark.parametrize("tries", [play.BUSY_TRIES, play.SETUP_TRIES])
def test_b01_a_busy_camera_is_tried_again_with_growing_pauses_and_then_given_up(
    monkeypatch: pytest.MonkeyPatch, tries: int
) -> None:
    def busy(settings: CameraSettings) -> Any:
        raise CameraBusy("camera: another program holds it")

    monkeypatch.setattr(play, "_camera", busy)
    slept: list[float] = []
    said: list[str] = []
    with pytest.raises(CameraBusy):
        play.open_camera(CameraSettings(), slept.append, said.append, tries)
    assert slept == [min(play.LONGEST_WAIT_S, 2.0**n) for n in range(tries)]
    assert all("another program holds it; trying again in" in line for line in said)
