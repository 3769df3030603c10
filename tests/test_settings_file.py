"""The settings survive power cuts, and a new calibration changes nothing else."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from firmware import settings_file as s
from firmware.config import ConfigError
from firmware.mat import table_toml

CORNERS = [(1.5, 2.0), (900.25, 3), (901, 702), (0.123456, 699)]
TABLE = [(0, 0), (900, 0), (900, 700), (0, 700)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A settings file that has been written twice, so that there is one before it."""
    path = tmp_path / "etc" / "table.toml"
    s.write(path, table_toml(3))
    s.write(path, table_toml(4))
    return path


def test_written_and_read(path: Path) -> None:
    assert s.readable(path) == (path, None)
    assert tomllib.loads(path.read_text()) == tomllib.loads(table_toml(4))
    assert tomllib.loads(s.previous(path).read_text()) == tomllib.loads(table_toml(3))
    assert sorted(p.name for p in path.parent.iterdir()) == ["table.toml", "table.toml.previous"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"\0" * len(data),
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[: data.rindex(b"[[zone]]")],
        lambda data: data[:100] + b"\xff\xfe" + data[102:],
    ],
    ids=["zeros", "empty", "half", "lost its last zone", "not UTF-8"],
)
def test_e05_a_damaged_file_gives_way_to_the_one_before(path: Path, spoil: object) -> None:
    path.write_bytes(spoil(path.read_bytes()))  # type: ignore[operator]
    where, words = s.readable(path)
    assert where == s.previous(path)
    assert words is not None
    assert "run `cardtable calibrate`" in words
    # and writing again neither keeps the damaged one nor loses the good one
    s.write(path, table_toml(5))
    assert tomllib.loads(s.previous(path).read_text()) == tomllib.loads(table_toml(3))


def test_e05_without_one_before_the_file_itself_is_left_to_complain(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"\0" * 100)
    assert s.readable(path) == (path, None)


def test_a_persons_mistake_is_not_damage(path: Path) -> None:
    path.write_text(path.read_text().replace("width = 900", "widht = 900"))
    assert s.readable(path) == (path, None)


def test_e05_order_of_writing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    sync, replace = os.fsync, os.replace

    def spy_sync(number: int) -> None:
        done.append("folder" if os.path.isdir(f"/proc/self/fd/{number}") else "file")
        sync(number)

    def spy_replace(a: Path, b: Path) -> None:
        done.append(f"rename to {b.name}")
        replace(a, b)

    monkeypatch.setattr(os, "fsync", spy_sync)
    monkeypatch.setattr(os, "replace", spy_replace)
    s.write(path, table_toml(6))
    assert done == ["file", "rename to table.toml.previous", "folder", "file", "rename to table.toml", "folder"]


def test_nothing_is_written_that_is_no_toml(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(ConfigError, match="nothing was written"):
        s.write(path, "[table\nwidth = 3")
    assert path.read_bytes() == before


def test_a_full_disk_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        s.write(path, table_toml(6))
    assert path.read_bytes() == before


def test_the_files_mode_stays(path: Path) -> None:
    path.chmod(0o640)
    s.write(path, table_toml(6))
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_new_calibration_changes_nothing_else() -> None:
    text = table_toml(4) + '\n# the page\n[web]\nhost = "10.0.0.2"  # ours\n'
    changed = s.with_camera(text, CORNERS, TABLE, [1280, 0, 640, 0, 1280, 480, 0, 0, 1], [-0.08, 0, 0, 0, 0])
    old, new = tomllib.loads(text), tomllib.loads(changed)
    assert new.pop("camera") == {
        "picture": [list(p) for p in CORNERS],
        "table": [list(p) for p in TABLE],
        "matrix": [[1280, 0, 640], [0, 1280, 480], [0, 0, 1]],
        "distortion": [-0.08, 0, 0, 0, 0],
    }
    old.pop("camera")
    assert new == old
    assert "# the page" in changed
    assert 'host = "10.0.0.2"  # ours' in changed
    assert "A guess" not in changed
    assert s.with_camera(changed, CORNERS, TABLE).count("[camera]") == 1


def test_camera_is_added_where_there_is_none() -> None:
    assert tomllib.loads(s.with_camera("[table]\nwidth = 900\n", CORNERS, TABLE))["camera"]["table"] == [
        list(p) for p in TABLE
    ]


def test_an_array_over_several_lines_is_no_header() -> None:
    text = "[camera]\npicture = [\n[1, 2],\n[3, 4]\n]\ntable = [\n[1, 2]\n]\n[web]\nport = 8080\n"
    assert tomllib.loads(s.with_camera(text, CORNERS, TABLE))["web"] == {"port": 8080}


@pytest.mark.parametrize("text", ["camera = { picture = [], table = [] }\n", "[table\n"])
def test_what_cannot_be_changed_safely_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        s.with_camera(text, CORNERS, TABLE)


@pytest.mark.parametrize(
    "web",
    [
        '[web]\nhost = "127.0.0.1"\nport = 8080\n',
        "# where the page listens\n[web]\nport = 8080  # not 80\n",
        "",
        '[web]\n  host="192.168.1.7" # the router gave it\nport = 8080\n\n[panel]\nboard = "small"\n',
    ],
    ids=["as written", "without a host", "none", "by hand"],
)
def test_the_pages_address_changes_and_nothing_else(web: str) -> None:
    old = table_toml(4) + "\n" + web
    new = s.with_host(old, "lan")
    before, after = tomllib.loads(old), tomllib.loads(new)
    assert after.pop("web") == {**before.pop("web", {}), "host": "lan"}
    assert after == before
    assert {line for line in old.splitlines() if "#" in line and "host" not in line} <= set(new.splitlines())
    assert s.with_host(new, "lan") == new


def test_an_address_that_is_written_in_an_unusual_way_is_left_to_people() -> None:
    with pytest.raises(ConfigError, match="correct it by hand"):
        s.with_host('web.host = "x"\n' + table_toml(4), "lan")
