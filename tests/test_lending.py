"""The running table lends its picture: to the right people, not while a game is on, and never at the game's cost."""

from __future__ import annotations

import socket
from pathlib import Path

import numpy as np
import pytest

from firmware import lending as le
from vision.frames import FrameError, Image

PICTURE = np.random.default_rng(1).integers(0, 255, (96, 128, 3), np.uint8)


def test_the_picture_comes_over_whole_and_the_socket_goes_with_the_table(tmp_path: Path) -> None:
    with le.lending(tmp_path, lambda: PICTURE, lambda: False) as complaint:
        assert complaint == ""
        assert le.table_is_on(tmp_path)
        for _ in range(3):
            lent = le.borrowed(tmp_path)
            assert lent is not None
            assert np.array_equal(lent, PICTURE)
        assert (tmp_path / le.SOCKET).stat().st_mode & 0o777 == 0o660
    assert not (tmp_path / le.SOCKET).exists()
    assert not le.table_is_on(tmp_path)
    assert le.borrowed(tmp_path) is None, "no table: the camera is free"


def test_nothing_is_handed_out_while_a_game_is_on(tmp_path: Path) -> None:
    looked: list[int] = []

    def newest() -> Image:
        looked.append(1)
        return PICTURE

    with le.lending(tmp_path, newest, lambda: True), pytest.raises(le.InPlay, match="end it on the page first"):
        le.borrowed(tmp_path)
    assert looked == []


def test_a_camera_that_gives_nothing_is_said(tmp_path: Path) -> None:
    with le.lending(tmp_path, lambda: None, lambda: False), pytest.raises(FrameError, match="gets no picture"):
        le.borrowed(tmp_path)


def test_a_socket_left_by_a_killed_table_is_no_table_and_is_replaced(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(tmp_path / le.SOCKET))
    assert le.borrowed(tmp_path) is None
    with le.lending(tmp_path, lambda: PICTURE, lambda: False):
        assert le.borrowed(tmp_path) is not None


def test_a_caller_who_hangs_up_does_not_end_the_lending(tmp_path: Path) -> None:
    large = np.zeros((1296, 2304, 3), np.uint8)
    with le.lending(tmp_path, lambda: large, lambda: False):
        for _ in range(5):
            with socket.socket(socket.AF_UNIX) as way:
                way.connect(str(tmp_path / le.SOCKET))
        assert le.borrowed(tmp_path) is not None


def test_a_folder_that_cannot_hold_a_socket_costs_only_the_lending(tmp_path: Path) -> None:
    with le.lending(tmp_path / ("x" * 120), lambda: PICTURE, lambda: False) as complaint:
        assert "set-up commands cannot use the table's camera" in complaint


@pytest.mark.parametrize("said", [b"", b"\x93NUMPY\x01\x00v", b"\x93NUMPY"])
def test_a_table_that_stops_meanwhile_is_one_line(tmp_path: Path, said: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(le, "_answer", lambda newest, playing: said)
    with le.lending(tmp_path, lambda: PICTURE, lambda: False), pytest.raises(FrameError, match=r"^camera: .*table"):
        le.borrowed(tmp_path)
