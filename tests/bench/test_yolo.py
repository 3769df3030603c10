"""The baseline's detector: what its output means, on an output made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.bench import reading, yolo
from tests.bench.yolo import Yolo


def detector(*rows: tuple[float, ...]) -> Yolo:
    """A detector of two cards that always says this: middle x, y, width, height in its 640 px, and two scores."""
    output = np.array(rows, np.float32).T[None]
    session = SimpleNamespace(get_inputs=lambda: [SimpleNamespace(name="images")], run=lambda names, given: [output])
    return Yolo(session, ("7H", "KS"), 0.5, "", 0.0, 0.0, 0.0)


def test_a_detection_is_a_card_and_a_box_in_the_picture_s_own_pixels() -> None:
    (seen,) = detector((320, 100, 20, 40, 0.1, 0.9)).detect(np.zeros((960, 1280, 3), np.uint8))
    assert seen.card == "KS"
    assert np.allclose(seen.box, (620, 160, 660, 240))


def test_doubtful_ones_and_a_second_box_in_the_same_place_are_dropped() -> None:
    network = detector(
        (50, 50, 20, 20, 0.9, 0), (51, 50, 20, 20, 0.8, 0), (50, 50, 20, 20, 0, 0.4), (200, 50, 20, 20, 0, 0.7)
    )
    assert [seen.card for seen in network.detect(np.zeros((640, 640, 3), np.uint8))] == ["7H", "KS"]
    assert network.read(np.zeros((640, 640, 3), np.uint8)) == ["7H", "KS"]


def test_nothing_seen_is_nothing_read() -> None:
    assert detector((50, 50, 20, 20, 0.1, 0.2)).read(np.zeros((64, 64, 3), np.uint8)) == []


def test_only_the_cost_of_a_detector_that_has_not_learnt_to_read_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = reading.Figures(10, 9, 0, 100.0, (1.0,), (1.0,))
    cost = {"CPU ms a picture", "peak memory, MB"}
    for learnt, wanted in ((0.0, cost), (0.4, cost | {"cards right, %", "readings wrong, %"})):
        network = replace(detector(), held_out_right=learnt)
        monkeypatch.setattr(yolo, "FILE", Path(__file__))  # any file that is there
        monkeypatch.setattr(Yolo, "load", lambda network=network: network)
        reads = reading.peers()["YOLO-nano"]
        told = {row.what.partition(": ")[2] for row in reading._compared("set", figures, "YOLO-nano", figures, reads)}
        assert told == wanted
