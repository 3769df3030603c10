"""The reader reads what is drawn: nothing of the script reaches it but pixels."""

from __future__ import annotations

import numpy as np
import pytest

from firmware.simulator import session, table
from firmware.simulator.camera import SimulatedCamera
from firmware.simulator.geometry import project
from vision.reader import Reader


@pytest.fixture(scope="module")
def reader():
    """The real reader with the committed weights."""
    return Reader.load()


@pytest.fixture(scope="module")
def planned():
    """A session in good light."""
    return session.plan("fan_tan", seed=1, look=table.Look(1))


def read_at(reader, planned, fact, swap=None):
    """What the reader says of the card that ``fact`` laid, just after its hand has gone."""
    frame = SimulatedCamera.over(planned, swap=swap, from_s=fact["t"] + 0.4).read()
    shown = next(c for c in planned.timeline.cards_at(frame.seconds) if c.face == fact["card"])
    at = project(planned.view.matrix, [(shown.place.x_mm, shown.place.y_mm)])[0]
    left, top = np.maximum(at - 128, 0).astype(int)
    cut = np.ascontiguousarray(frame.image[top : top + 256, left : left + 256])
    readings = reader.read(cut, planned.view.px_per_mm * 63)
    near = [r.card for r in readings if np.hypot(*(np.mean(r.corners, axis=0) + np.array([left, top]) - at)) < 20]
    return near[0] if near else None


def test_the_reader_reads_the_drawn_pack_and_follows_the_picture(reader, planned):
    first = next(f for f in planned.timeline.truth if f.get("fact") == "laid")
    other = next(c for c in ("8H", "2D", "6S") if c[1] != first["card"][1])
    assert read_at(reader, planned, first) == first["card"]
    assert read_at(reader, planned, first, swap={first["card"]: other}) == other
