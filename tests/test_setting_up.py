"""Setting up a table from nothing: mat, calibration, pack; each leaves the settings ready for the next."""

from __future__ import annotations

import tomllib
from pathlib import Path

import cv2
import numpy as np
import pytest

from firmware import setting_up
from firmware.config import ConfigError, load_table
from firmware.settings_file import with_mat
from tests.vision.test_calibrate import Photo, true_error_mm
from vision import enrol
from vision.calibrate import CalibrationError
from vision.frames import Frame


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A settings folder of the test's own."""
    monkeypatch.setenv("CARDTABLE_CONFIG", str(tmp_path / "etc"))
    return tmp_path / "etc" / "table.toml"


def test_mat_then_calibration_then_ready(settings: Path, tmp_path: Path) -> None:
    said = setting_up.make_mat(tmp_path / "mat.pdf", 4)
    assert (tmp_path / "mat.pdf").read_bytes().startswith(b"%PDF-1.4")
    assert "next: cardtable calibrate" in said[-1]
    photo = Photo()
    done = setting_up.calibrate_table(photo.take(), shown=tmp_path / "seen.png")
    assert done.good
    assert cv2.imread(str(tmp_path / "seen.png")).shape == (1296, 2304, 3)
    config = load_table(settings)
    assert np.abs(np.array(config.camera.picture) - photo.corners).max() < 1.5
    assert true_error_mm(photo, done.fit) < 0.5
    assert setting_up.card_px(config) == pytest.approx(115, abs=2)


def test_another_mat_keeps_the_page_and_the_panel(settings: Path, tmp_path: Path) -> None:
    setting_up.make_mat(tmp_path / "a.pdf", 4)
    settings.write_text(settings.read_text() + '\n# ours\n[web]\nhost = "10.0.0.2"\n[panel]\nboard = "small"\n')
    setting_up.make_mat(tmp_path / "b.pdf", 3, (1000, 800))
    data = tomllib.loads(settings.read_text())
    assert (data["web"], data["panel"]) == ({"host": "10.0.0.2"}, {"board": "small"})
    assert "# ours" in settings.read_text()
    config = load_table(settings)
    assert (config.width_mm, config.seats) == (1000, 3)


def test_the_same_mat_again_keeps_the_calibration(settings: Path, tmp_path: Path) -> None:
    setting_up.make_mat(tmp_path / "a.pdf", 4)
    setting_up.calibrate_table(Photo().take(), corners=Photo().corners)
    before = settings.read_bytes()
    assert "its calibration stays" in setting_up.make_mat(tmp_path / "a4.pdf", 4, sheets="a4")[-1]
    assert settings.read_bytes() == before


def test_settings_that_are_no_toml_are_not_thrown_away(settings: Path, tmp_path: Path) -> None:
    settings.parent.mkdir()
    settings.write_text("[web\n")
    with pytest.raises(ConfigError, match="correct it by hand"):
        setting_up.make_mat(tmp_path / "a.pdf", 4)
    assert settings.read_text() == "[web\n"


def test_a_failed_calibration_changes_nothing(settings: Path, tmp_path: Path) -> None:
    setting_up.make_mat(tmp_path / "a.pdf", 4)
    before = settings.read_bytes()
    with pytest.raises(CalibrationError):
        setting_up.calibrate_table(np.full((720, 1280, 3), 90, np.uint8))
    assert settings.read_bytes() == before


def test_corners_by_hand() -> None:
    assert setting_up.parse_corners("112,60 1172,84.5 1166,905 98,890")[1] == (1172, 84.5)
    for wrong in ("", "1,2 3,4 5,6", "1,2 3,4 5,6 7", "a,b c,d e,f g,h"):
        with pytest.raises(ValueError, match="four x,y in px"):
            setting_up.parse_corners(wrong)


def test_with_mat_takes_over_a_first_file() -> None:
    assert with_mat("", "[table]\nwidth = 1\n").strip() == "[table]\nwidth = 1"


class Warm:
    """A camera whose first pictures are dark."""

    size_px = (64, 64)

    def __init__(self) -> None:
        self.count, self.closed = 0, False

    def read(self) -> Frame:
        self.count += 1
        return Frame(np.full((64, 64, 3), min(20 * self.count, 160), np.uint8), 0.0, self.count)

    def close(self) -> None:
        self.closed = True


def test_one_picture_waits_for_the_camera_to_warm_up_and_closes_it() -> None:
    camera = Warm()
    assert setting_up.one_picture(camera).max() == 160
    assert camera.closed


def test_enrolment_asks_again_says_what_is_missing_and_keeps_the_pack(
    settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.vision.test_enrol import made

    spreads = [made(enrol.CARDS[k : k + 26], set(enrol.CARDS), k) for k in (0, 26)]
    monkeypatch.setattr(setting_up, "best_spread", lambda reader, image, px, seed: spreads[seed])
    work = setting_up.Enrolment(reader=type("R", (), {"threshold": 0.3})(), card_px=110)  # type: ignore[arg-type]
    picture = np.zeros((2, 2, 3), np.uint8)
    lines = list(setting_up.enrol_pictures(work, [picture, picture, picture]))
    assert lines[0].startswith("26 cards seen; missing: ")
    assert lines[1:] == ["26 cards seen; all 52 are there"], "the third picture is not asked for"
    said = work.finish(settings.parent)
    assert "before:" in said[0]
    assert "after:" in said[1]
    assert enrol.load_head(settings.parent / "pack.npz").weights.shape[1] == 19


def test_cards_laid_in_order_must_be_thirteen(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.vision.test_enrol import made

    few = made(enrol.CARDS[:5], set())
    monkeypatch.setattr(setting_up, "best_spread", lambda reader, image, px, seed: few)
    work = setting_up.Enrolment(reader=type("R", (), {"threshold": 0.3})(), card_px=110, suits="SHDC")  # type: ignore[arg-type]
    assert list(setting_up.enrol_pictures(work, [np.zeros((2, 2, 3), np.uint8)])) == [
        "again, please: 5 cards seen, 13 laid; spread them apart, and straighten the light"
    ]
    assert work.missing == enrol.CARDS
