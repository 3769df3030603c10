"""Settings read again while the table is on: each key when it may count, and never a half-written or wrong file."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import replace
from pathlib import Path

import pytest

from firmware import config as c
from firmware.mat import table_toml
from firmware.panel import config as panel_config
from firmware.reread import LOOK_EVERY_S, PACK, WHEN, Change, Watch, When, changes, effective, words


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A table of four with a small panel."""
    path = tmp_path / "table.toml"
    path.write_text(table_toml(4) + '\n[panel]\nboard = "small"\n')
    return path


@pytest.fixture
def watch(path: Path) -> Watch:
    return Watch(c.load_table(path), path, path.with_name("pack.npz"), lambda: c.load_table(path))


def rewrite(path: Path, old: str, new: str) -> None:
    """As an editor saves: another time, another size or both."""
    text = path.read_text()
    assert old in text
    before = path.stat().st_mtime_ns
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(before, before + 1_000_000))


OTHER = {str: "other", int: 7, float: 7.5, bool: True}


def test_every_key_of_the_settings_is_noticed_and_says_when_it_counts(path: Path) -> None:
    """Change each value of each table alone: exactly that is told, and only what is listed goes without a restart."""
    old = c.load_table(path)
    for table, part in (("source", old.source), ("web", old.web), ("club", old.club)):
        for field in dataclasses.fields(part):
            value = OTHER[type(getattr(part, field.name))]
            new = replace(old, **{table: replace(part, **{field.name: value})})
            assert changes(old, new) == (Change(f"[{table}] {field.name}", When.RESTART),)
            assert effective(old, new) == old, "what wants a restart is not half in effect"
    for key in panel_config._KEYS:
        new = replace(old, panel={**old.panel, key: "x"})
        when = When.NOW if key == "say" else When.RESTART
        assert changes(old, new) == (Change(f"[panel] {key}", when),)
        assert (effective(old, new).panel.get(key) == "x") is (key == "say")
    shifted = replace(old.camera, picture=tuple((x + 1, y) for x, y in old.camera.picture))
    for what, new in {
        "[table]": replace(old, width_mm=old.width_mm + 1),
        "[card]": replace(old, card_w_mm=58.0),
        "[camera]": replace(old, camera=shifted),
        "[[zone]]": replace(
            old, zones=(*old.zones[:-1], replace(old.zones[-1], polygon=((0.0, 0.0), (9.0, 0.0), (0.0, 9.0))))
        ),
    }.items():
        assert changes(old, new) == (Change(what, When.SESSION),)
        assert effective(old, new) == new
    covered = {f.name for f in dataclasses.fields(c.TableConfig)} - {"source", "web", "club", "panel"}
    assert covered == {"width_mm", "height_mm", "card_w_mm", "card_h_mm", "camera", "zones"}, "a new key: say when"


def test_another_number_of_seats_waits_for_a_restart_only_where_lamps_are_wired(path: Path) -> None:
    old = c.load_table(path)
    three = replace(old, zones=tuple(z for z in old.zones if z.name != "seat-4"))
    assert {one.when for one in changes(old, three)} == {When.RESTART}
    assert effective(old, three) == old
    bare, bare_three = replace(old, panel={}), replace(three, panel={})
    assert [one.what for one in changes(bare, bare_three)] == ["[[zone]]", "the number of seats"]
    assert {one.when for one in changes(bare, bare_three)} == {When.SESSION}
    assert effective(bare, bare_three).seats == 3


def test_words_put_like_with_like() -> None:
    found = [Change("[camera]", When.SESSION), Change("[web] port", When.RESTART), Change("[panel] say", When.NOW)]
    assert words([*found, Change("[web] host", When.RESTART)]) == (
        "[panel] say: in effect now; [camera]: in effect from the next game on; "
        "[web] port, [web] host: restart to apply"
    )
    assert set(WHEN.values()) == {When.NOW, When.SESSION}


def test_a_change_counts_when_the_file_has_come_to_rest(watch: Watch, path: Path) -> None:
    now = 100.0
    assert watch.look(now) is None
    rewrite(path, "width = 63", "width = 58")
    assert watch.look(now + LOOK_EVERY_S - 0.1) is None, "not so soon"
    assert watch.look(now + LOOK_EVERY_S) is None, "just changed: the editor may still be at it"
    rewrite(path, "width = 58", "width = 57")
    assert watch.look(now + 2 * LOOK_EVERY_S) is None
    found = watch.look(now + 3 * LOOK_EVERY_S)
    assert found is not None
    assert found.words == "settings read again: [card]: in effect from the next game on"
    assert found.config is not None
    assert found.config.card_w_mm == 57
    assert watch.look(now + 4 * LOOK_EVERY_S) is None, "said once"


def test_asked_for_it_is_read_at_once_and_answered_even_if_nothing_changed(watch: Watch, path: Path) -> None:
    assert watch.look(1.0, asked=True).words == "settings read again: nothing has changed"  # type: ignore[union-attr]
    rewrite(path, 'board = "small"', 'board = "small"\nsay = "off"')
    found = watch.look(1.1, asked=True)
    assert found is not None
    assert found.any(When.NOW)
    assert not found.any(When.SESSION)


def test_a_wrong_file_changes_nothing_and_is_said_once(watch: Watch, path: Path) -> None:
    before = watch.config
    rewrite(path, "width = 63", "width = -1")
    found = watch.look(1.0, asked=True)
    assert found is not None
    assert found.config is None
    assert "cannot be used, those before stay" in found.words
    assert "[card] width: a number above 0 is wanted" in found.words
    assert "\n" not in found.words
    assert watch.config == before
    assert watch.look(10.0) is None
    path.unlink()
    assert "there is no such file" in watch.look(20.0, asked=True).words  # type: ignore[union-attr]


def test_what_wants_a_restart_is_said_again_each_time_it_is_read(watch: Watch, path: Path) -> None:
    rewrite(path, 'board = "small"', 'board = "small"\n[web]\nport = 8081')
    for now in (1.0, 2.0):
        found = watch.look(now, asked=True)
        assert found is not None
        assert found.words == "settings read again: [web] port: restart to apply"
    assert watch.config.web.port == 8080


def test_a_pack_that_was_learnt_counts_from_the_next_game_on(watch: Watch, path: Path) -> None:
    path.with_name("pack.npz").write_bytes(b"new")
    found = watch.look(1.0, asked=True)
    assert found is not None
    assert found.changes == (Change(PACK, When.SESSION),)
