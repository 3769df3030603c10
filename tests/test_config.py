"""Settings files: good ones are read whole, bad ones name every fault at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware.config import ConfigError, load_game, load_table
from firmware.settings_file import readable

TABLE = """
[table]
width = 900
height = 700
[card]
width = 63
height = 88
[camera]
picture = [[112.0, 80.5], [1170.0, 84.0], [1166.0, 905.0], [108.0, 900.0]]
table   = [[0, 0], [900, 0], [900, 700], [0, 700]]
matrix = [[1000, 0, 640], [0, 1000, 480], [0, 0, 1]]
distortion = [0.1, 0, 0, 0, 0]
[[zone]]
name = "seat-1"
polygon = [[250, 520], [650, 520], [650, 690], [250, 690]]
[[zone]]
name = "layout"
polygon = [[150, 180], [750, 180], [750, 510], [150, 510]]
"""


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_table_is_read_whole(tmp_path: Path) -> None:
    table = load_table(written(tmp_path, "table.toml", TABLE))
    assert (table.width_mm, table.height_mm, table.card_w_mm, table.card_h_mm) == (900, 700, 63, 88)
    assert table.camera.picture[1] == (1170.0, 84.0)
    assert len(table.camera.matrix) == 9
    assert [zone.name for zone in table.zones] == ["seat-1", "layout"]
    assert table.seats == 1
    assert table.zone("layout").polygon[0] == (150, 180)


def test_all_faults_of_a_table_come_at_once(tmp_path: Path) -> None:
    bad = TABLE.replace("width = 900", "widht = 900").replace("height = 88", "height = -1")
    bad = bad.replace('"layout"', '"seat-1"')
    with pytest.raises(ConfigError) as caught:
        load_table(written(tmp_path, "table.toml", bad))
    words = str(caught.value)
    assert "did you mean 'width'" in words
    assert "[card] height: a number above 0 is wanted, not -1" in words
    assert "'seat-1' stands twice" in words
    assert "\n" not in words


FAULTY = """\
[table]
widht = 900

[card]
"height" = -1
[[zone]]
name = "seat-1"
polygon = [[0, 0], [9, 0], [9, 9]]
[[zone]]
name = "seat-2"
polygon = [[0, 0],
           [9, 0]]
[panel]
board = "small"
segments = [5, 6]
buzzer = "x"
[wep]
port = 99999
"""


def test_each_fault_has_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, "table.toml", FAULTY)
    with pytest.raises(ConfigError) as caught:
        load_table(path)
    faults = str(caught.value).removeprefix(f"{path}: ").split("; ")
    assert "line 2: [table] widht: unknown key" in faults
    assert "line 5: [card] height: a number above 0 is wanted, not -1" in faults
    assert "line 11: [zone 2] polygon: three points or more are wanted" in faults
    assert "line 15: [panel] segments: a to g want 7 pins, 2 given" in faults
    assert "line 16: [panel] buzzer: a GPIO number is wanted (or false for none), not 'x'" in faults
    assert "line 17: wep: unknown key" in faults
    assert "[camera] picture: this and table must name the same places, four or more of them" in faults


def test_what_is_wrong_with_the_panel_is_said_with_the_file(tmp_path: Path) -> None:
    text = TABLE + '[[zone]]\nname = "seat-2"\npolygon = [[0, 0], [9, 0], [9, 9]]\n'
    path = written(tmp_path, "table.toml", text + '[panel]\nboard = "small"\nbuttons = [4, 4]\n')
    with pytest.raises(ConfigError, match=r"line 24: \[panel\] buttons: GPIO 4 is used for seat 1 button and seat 2"):
        load_table(path)
    path.write_text("panel = 3\n" + text)
    with pytest.raises(ConfigError, match="line 1: panel: a table is wanted, not 3"):
        load_table(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"\x00" * 900, "is not valid TOML"),  # E05: a file full of zero bytes
        (b"", "four or more"),
        (TABLE.encode()[: len(TABLE) // 2], "is not valid TOML"),
        (b"\xff\xfe", "no UTF-8 text"),
        (b"a = " + b"[" * 5_000, "nested too deeply"),
        (b"[" + b"a." * 5_000 + b"b]\nc = 1", "nested too deeply"),
        (b"[table]\nwidth = " + b"9" * 5_000, "a number with too many digits"),
    ],
)
def test_a_damaged_table_file_is_named(tmp_path: Path, text: bytes, words: str) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(text)
    with pytest.raises(ConfigError, match=words):
        load_table(path)


def test_the_mark_that_an_editor_puts_before_the_text_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"\xef\xbb\xbf" + TABLE.encode())
    assert load_table(path).seats == 1
    assert readable(path) == (path, None)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("width = 900", "width = 0x" + "f" * 9_000), "line 3: [table] width"),
        (("width = 900", f'width = "{"x" * 9_000}"'), "line 3: [table] width: a number above 0 is wanted, not 'xxx"),
        (("width = 900", f"{'w' * 9_000} = 900"), "[table] 'www"),
        (("picture = [[112.0", "picture = [[[112.0]"), "line 9: [camera] picture: a list of [x, y] is wanted"),
        (('name = "layout"', "name = 7"), "line 17: [zone 2] name: text is wanted, not 7"),
        (('name = "layout"', ""), "line 16: [zone 2] name: the zone wants one"),
        (('name = "layout"', 'name = "seat-1"'), "line 17: [zone 2] name: 'seat-1' stands twice"),
        (
            ("polygon = [[150, 180]", "polygon = [[150, 180, 3]"),
            "line 18: [zone 2] polygon: a list of [x, y] is wanted",
        ),
        (("[card]\nwidth = 63\nheight = 88", "card = 3"), "line 5: [table] card: unknown key"),
    ],
)
def test_one_fault_of_a_key_is_told_once_briefly_and_at_its_line(
    tmp_path: Path, change: tuple[str, str], fault: str
) -> None:
    path = written(tmp_path, "table.toml", TABLE.replace(*change))
    with pytest.raises(ConfigError) as caught:
        load_table(path)
    words = str(caught.value).removeprefix(f"{path}: ")
    assert fault in words
    assert "; " not in words, "only the first fault of a key"
    assert len(words) < 250


def test_what_is_no_table_is_told_without_what_would_follow(tmp_path: Path) -> None:
    text = TABLE[: TABLE.index("[camera]")] + TABLE[TABLE.index("[[zone]]") :]
    path = written(tmp_path, "table.toml", "camera = 3\n" + text)
    with pytest.raises(ConfigError) as caught:
        load_table(path)
    assert str(caught.value) == f"{path}: line 1: camera: a table is wanted, not 3"


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such file; make one with `cardtable mat`"):
        load_table(tmp_path / "table.toml")


def test_a_game_is_read(tmp_path: Path) -> None:
    text = 'game = "fan_tan"\nseats = ["Ann", "Bo"]\ndealer = 2\n[house]\nante = 1\n'
    text += "[deal]\ncounts = { Ann = 7, Bo = 7 }\n"
    setup = load_game(written(tmp_path, "game.toml", text))
    assert (setup.game, setup.seats, setup.dealer) == ("fan_tan", ("Ann", "Bo"), 2)
    assert setup.house["ante"] == 1
    assert setup.deal["counts"] == {"Ann": 7, "Bo": 7}


def test_faults_of_a_game_come_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_game(written(tmp_path, "game.toml", 'game = 3\nseats = ["Ann", "Ann"]\ndealer = 9\nhous = 1\n'))
    words = str(caught.value)
    for part in ("game: text is wanted", "the same name", "dealer: 9 is no seat", "did you mean 'house'"):
        assert part in words
