"""The Pi's pages say what the code does: every key of the settings, the table of heights, the program's own words."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from firmware import config, reread
from firmware.panel import config as panel_config
from firmware.reread import When
from vision import calibrate, picamera

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = ["parts.md", "camera.md", "first-game.md", "troubleshooting.md", "licences.md", "configuration.md"]


def page(name: str) -> str:
    return (DOCS / name).read_text()


@pytest.mark.parametrize(("table", "keys"), [*config._KEYS.items(), ("panel", set(panel_config._KEYS))])
def test_every_key_of_the_settings_is_documented(table: str, keys: set[str]) -> None:
    told = [row for row in page("configuration.md").splitlines() if row.startswith(f"| `[{table}]`")]
    for key in keys:
        assert any(f"`{key}`" in row for row in told), f"[{table}] {key}"


def test_usual_values_in_the_page_are_the_codes_own() -> None:
    text, usual, web = page("configuration.md"), config.CameraSettings(), config.WebSettings()
    assert f"| {usual.width}, {usual.height} |" in text
    assert f"| {usual.fps:g} | frames a second" in text
    assert f"| `{web.host}` | the address" in text
    assert f"| {web.port} |" in text


def test_the_table_of_heights_follows_from_the_fields_of_view() -> None:
    rows = re.findall(
        r"^\| ([^|]+) \| (\d+) x (\d+) degrees \| (\d+) x \d+ \| ([\d.]+) m \| (\d+) px \|",
        page("camera.md"),
        re.MULTILINE,
    )
    assert len(rows) >= 5
    for name, across, down, wide_px, height_m, card_px in rows:
        seen = [2 * math.tan(math.radians(float(angle)) / 2) for angle in (across, down)]
        height = max(940 / seen[0], 740 / seen[1]) / 1000
        assert float(height_m) == pytest.approx(height, abs=0.006), name
        assert float(card_px) == pytest.approx(63 * float(wide_px) / (seen[0] * height * 1000), abs=1), name


def test_limits_in_the_camera_page_are_the_codes_own() -> None:
    text = page("camera.md")
    assert f"below {calibrate.LEAST_CARD_PX} px" in text
    assert f"more than {calibrate.MOST_BLUR_MM:g};" in text


def test_symptoms_are_words_that_the_program_says() -> None:
    """A symptom that is quoted in the page must be a piece of a message somewhere in the code."""
    root = DOCS.parent
    code = " ".join(p.read_text() for folder in ("vision", "firmware") for p in (root / folder).rglob("*.py"))
    code = re.sub(r'"\s*\n\s*f?"', "", code)
    symptom = (
        r"^\| (?:enrol: )?`(camera: [^`]+|another program[^`]+|panel already[^`]+|lgpio cannot[^`]+|a game is on[^`]+|"
        r"belong to[^`]+|no card's corner[^`]+|not every card[^`]+|this journal[^`]+|cannot be used[^`]+)`"
    )
    quoted = re.findall(symptom, page("troubleshooting.md"), re.MULTILINE)
    assert len(quoted) >= 10
    for words in quoted:
        assert words in code, words


def test_when_a_change_counts_is_told_for_each_key() -> None:
    text = page("configuration.md")
    told = {When.NOW: r"\| at once \|", When.SESSION: r"\| at once, or, while a game is on, from the next game on"}
    for what, when in reread.WHEN.items():
        assert re.search(rf"^\|[^|]*`{re.escape(what)}`[^|]*{told[when]}", text, re.MULTILINE), what
    assert When.RESTART.value in text


@pytest.mark.parametrize("name", PAGES)
def test_links_and_pictures_are_there(name: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page(name)):
        if target not in ("signals.md",):
            assert (DOCS / target).exists(), f"{name}: {target}"


def test_waits_are_named_as_in_the_code() -> None:
    assert f"`no picture for {picamera.WAIT_S:g} s`" in page("troubleshooting.md")
    assert all(
        f"{part}" in page("first-game.md") for part in ("settings", "camera", "model", "panel", "disk", "memory")
    )
