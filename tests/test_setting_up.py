"""Setting up a table from nothing: mat, calibration, pack; each leaves the settings ready for the next."""

from __future__ import annotations

import re
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


def test_four_markers_on_a_cloth_make_a_table_of_any_seats(settings: Path, tmp_path: Path) -> None:
    setting_up.make_mat(tmp_path / "a.pdf", 4)
    said = setting_up.make_markers(tmp_path / "m.pdf", 6, (1200, 800), deep=True)
    assert (tmp_path / "m.pdf").read_bytes().startswith(b"%PDF-1.4")
    assert "1200 x 800 mm" in said[0]
    assert "set to 6 seats, 1200 x 800 mm" in said[1]
    config = load_table(settings)
    assert (config.width_mm, config.seats) == (1200, 6)
    assert "stays" in setting_up.make_markers(tmp_path / "m.pdf", 6, (1200, 800), deep=True)[1]


@pytest.mark.parametrize("name", ["mat.png", "mat", "-"])
def test_a_pdf_is_called_one(settings: Path, tmp_path: Path, name: str) -> None:
    for make in (setting_up.make_mat, setting_up.make_markers):
        with pytest.raises(ValueError, match=r"ends in \.pdf"):
            make(tmp_path / name, 4)
    assert not settings.exists()
    assert not (tmp_path / name).exists()


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


@pytest.mark.parametrize(
    ("corners", "words"),
    [
        ([(0, 0), (1, 0), (1, 1), (0, 1)], "a card would be 0 px wide"),
        ([(9000, 0), (9900, 0), (9900, 700), (9000, 700)], "outside the picture"),
        ([(-99999, 0), (200, 0), (200, 719), (-99999, 719)], "outside the picture"),
    ],
)
def test_corners_of_which_nothing_can_come_do_not_replace_the_calibration(
    settings: Path, tmp_path: Path, corners: list[tuple[float, float]], words: str
) -> None:
    setting_up.make_mat(tmp_path / "mat.pdf", 4)
    before = settings.read_bytes()
    with pytest.raises(CalibrationError, match=words):
        setting_up.calibrate_table(np.full((720, 1280, 3), 90, np.uint8), corners)
    assert settings.read_bytes() == before


def test_the_picture_of_the_result_needs_a_name_that_says_what_it_is(settings: Path, tmp_path: Path) -> None:
    setting_up.make_mat(tmp_path / "mat.pdf", 4)
    image, corners = np.full((720, 1280, 3), 90, np.uint8), [(0, 0), (1279, 0), (1279, 719), (0, 719)]
    before = settings.read_bytes()
    with pytest.raises(ValueError, match=r"ends in \.png or \.jpg"):
        setting_up.calibrate_table(image, corners, tmp_path / "seen.xyz")
    assert settings.read_bytes() == before
    with pytest.raises(OSError, match="The calibration itself is kept"):
        setting_up.calibrate_table(image, corners, tmp_path / "no" / "seen.png")
    assert settings.read_bytes() != before


def test_corners_by_hand() -> None:
    assert setting_up.parse_corners("112,60 1172,84.5 1166,905 98,890")[1] == (1172, 84.5)
    for wrong in ("", "1,2 3,4 5,6", "1,2 3,4 5,6 7", "a,b c,d e,f g,h", "0,0 nan,0 9,9 0,9", "0,0 inf,0 9,9 0,9"):
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


@pytest.mark.parametrize("gain", [True, False])
def test_enrolment_asks_again_says_what_is_missing_and_keeps_a_pack_that_gains(
    settings: Path, monkeypatch: pytest.MonkeyPatch, gain: bool
) -> None:
    """A pack that is read as well without stays as it is."""
    from tests.vision.test_enrol import made

    monkeypatch.setattr(setting_up, "is_gain", lambda before, after: gain)

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
    pack = settings.parent / "pack.npz"
    assert pack.exists() == gain
    assert ("nothing was written" in said[2]) != gain
    if gain:
        assert enrol.load_head(pack).weights.shape[1] == 19


def test_cards_laid_in_order_must_be_thirteen(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.vision.test_enrol import made

    few = made(enrol.CARDS[:5], set())
    monkeypatch.setattr(setting_up, "best_spread", lambda reader, image, px, seed: few)
    work = setting_up.Enrolment(reader=type("R", (), {"threshold": 0.3})(), card_px=110, suits="SHDC")  # type: ignore[arg-type]
    assert list(setting_up.enrol_pictures(work, [np.zeros((2, 2, 3), np.uint8)])) == [
        "again, please: 5 cards seen, 13 laid; spread them apart, and straighten the light"
    ]
    assert work.missing == enrol.CARDS


def laid(photo: Photo, count: int, face: tuple[int, int, int]) -> np.ndarray:
    """A photograph of the mat with blank cards on it."""
    image = photo.take()
    for k in range(count):
        x, y = 200 + 120 * (k % 4), 230 + 130 * (k // 4)
        place = photo.px(np.array([[x, y], [x + 63, y], [x + 63, y + 88], [x, y + 88]], float))
        cv2.fillConvexPoly(image, np.round(place).astype(np.int32), face, cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 0.8))


@pytest.fixture
def ready(settings: Path, tmp_path: Path) -> setting_up.TableConfig:
    """A calibrated table."""
    setting_up.make_mat(tmp_path / "a.pdf", 4)
    setting_up.calibrate_table(Photo().take())
    return load_table(settings)


def test_a_picture_in_which_nothing_is_found_says_why_and_what_to_do(ready: setting_up.TableConfig) -> None:
    photo = Photo()
    assert setting_up.advice(ready, photo.take()).startswith("nothing of a card's size (63 x 88 mm) lies there")
    blank = setting_up.advice(ready, laid(photo, 6, (215, 220, 222)))
    assert re.match(r"[67] of a card.s size lie there, but no rank above a suit in a corner is seen", blank)
    assert "cannot be learnt" in blank
    dark = setting_up.advice(ready, (laid(photo, 6, (215, 220, 222)) // 12).astype(np.uint8))
    assert "dark" in dark
    assert "cardtable calibrate" in dark


def test_such_a_picture_does_not_count_and_the_next_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.vision.test_enrol import made

    spreads = iter([made((), set()), made(enrol.CARDS[:2], set(enrol.CARDS))])
    monkeypatch.setattr(setting_up, "best_spread", lambda reader, image, px, seed: next(spreads))
    reader = type("R", (), {"threshold": 0.3})()
    work = setting_up.Enrolment(reader, 110, advise=lambda image: "light the lamp")  # type: ignore[arg-type]
    picture = np.zeros((2, 2, 3), np.uint8)
    said = list(setting_up.enrol_pictures(work, [picture, picture]))
    assert said[0] == "again, please: no card's corner was found: light the lamp"
    assert said[1].startswith("2 cards seen; missing: AH AS 2C")
    assert work.spreads is not None
    assert len(work.spreads) == 1


def test_the_order_of_suits_is_checked_before_a_picture_is_taken() -> None:
    assert [setting_up.parse_suits(text) for text in ("", "shdc", " CDHS ")] == ["", "SHDC", "CDHS"]
    for wrong in ("S", "SHDD", "SHDX", "spades"):
        with pytest.raises(ValueError, match="each of S, H, D and C once is wanted"):
            setting_up.parse_suits(wrong)
