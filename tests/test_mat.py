"""The mat: zones that cards can be told by, markers that lie free, and a PDF that a PDF reader agrees with."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
import tomllib
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from firmware import mat
from firmware.config import load_table
from firmware.drawing import Disc, Drawing, Words, pdf, picture, text_width_mm
from vision.calibrate import find_markers, mat_markers

EVERY = [
    (seats, size, plan) for seats in mat.SEATS for size in ((900, 700), (1200, 800)) for plan in (mat.STRIPS, mat.PILES)
]


def overlap(a: mat.Place, b: mat.Place) -> bool:
    return a.box[0] < b.box[2] and b.box[0] < a.box[2] and a.box[1] < b.box[3] and b.box[1] < a.box[3]


@pytest.mark.parametrize(("seats", "size", "plan"), EVERY)
def test_zones_are_named_lie_inside_and_do_not_overlap(seats: int, size: mat.Size, plan: mat.Plan) -> None:
    zones = mat.places(seats, size, plan)
    assert [z.name for z in zones] == [*(f"seat-{n}" for n in range(1, seats + 1)), "layout", "stock"]
    for zone in zones:
        left, top, right, bottom = zone.box
        assert 0 <= left < right <= size[0]
        assert 0 <= top < bottom <= size[1]
        assert min(right - left, bottom - top) >= 63, f"{zone} holds no card"
    assert not [(a.name, b.name) for a, b in itertools.combinations(zones, 2) if overlap(a, b)]


@pytest.mark.parametrize(("seats", "size", "plan"), EVERY)
def test_seats_go_clockwise_from_the_bottom(seats: int, size: mat.Size, plan: mat.Plan) -> None:
    middles = []
    for zone in mat.places(seats, size, plan)[:seats]:
        left, top, right, bottom = zone.box
        middles.append(((left + right) / 2 - size[0] / 2, (top + bottom) / 2 - size[1] / 2))
    assert middles[0][1] > 0.35 * size[1]
    angles = [np.degrees(np.arctan2(y, x)) for x, y in middles]
    steps = [(b - a) % 360 for a, b in zip(angles, angles[1:] + angles[:1], strict=True)]
    assert all(step > 0 for step in steps)
    assert sum(steps) == pytest.approx(360)


@pytest.mark.parametrize("plan", [mat.STRIPS, mat.PILES])
def test_corner_markers_bowl_and_red_mark_lie_free(plan: mat.Plan) -> None:
    zones = mat.places(8, plan=plan)
    free = [mat.Place(f"marker {m.id}", (*m.corners_mm[0], *m.corners_mm[2])) for m in mat_markers(900, 700)[:4]]
    x, y = mat.bowl_mm(plan=plan)
    free.append(mat.Place("bowl", (x - 36, y - 36, x + 36, y + 36)))
    red = next(s for s in mat.mat_drawing(4).shapes if isinstance(s, Disc) and s.fill == mat.RED)
    free.append(mat.Place("red", (red.middle[0] - 9, red.middle[1] - 9, red.middle[0] + 9, red.middle[1] + 9)))
    assert not [(a.name, b.name) for a in free for b in (*zones, *free) if a is not b and overlap(a, b)]


@pytest.mark.parametrize(
    ("seats", "size", "words"),
    [
        (1, (900, 700), "seats: 1"),
        (9, (900, 700), "seats: 9"),
        (4, (300, 700), "width: 300 mm"),
        (4, (900, 5000), "height: 5000 mm"),
        (4, (float("nan"), 700), "width: nan"),
    ],
)
def test_a_mat_that_cannot_be_is_refused(seats: int, size: mat.Size, words: str) -> None:
    with pytest.raises(mat.MatError, match=re.escape(words)):
        mat.mat_pdf(seats, size)


@pytest.mark.parametrize("seats", mat.SEATS)
def test_the_settings_that_belong_to_a_mat_can_be_loaded(tmp_path: Path, seats: int) -> None:
    path = tmp_path / "table.toml"
    path.write_text(mat.table_toml(seats, (1000, 750)))
    config = load_table(path)
    assert (config.width_mm, config.height_mm, config.seats) == (1000, 750, seats)
    wanted = {p.name: p.polygon for p in mat.places(seats, (1000, 750))}
    assert {z.name: z.polygon for z in config.zones} == wanted
    assert config.camera.table == ((0, 0), (1000, 0), (1000, 750), (0, 750))


# --- the PDF -----------------------------------------------------------------------------------------------------


def test_cross_reference_table_points_at_every_object() -> None:
    data = mat.mat_pdf(4, sheets="a4")
    start = int(re.search(rb"startxref\n(\d+)\n%%EOF\n$", data)[1])
    assert data[start:].startswith(b"xref\n")
    places = [int(p) for p in re.findall(rb"(\d{10}) 00000 n ", data[start:])]
    for number, place in enumerate(places, 1):
        assert data[place:].startswith(b"%d 0 obj" % number)
    assert len(places) == data.count(b"endobj")


def test_streams_are_as_long_as_they_say() -> None:
    data = mat.marker_pdf()
    streams = re.findall(rb"/Length (\d+)>>\nstream\n(.*?)\nendstream", data, re.DOTALL)
    assert streams
    for length, body in streams:
        assert int(length) == len(body)
        assert zlib.decompress(body)


def test_a4_sheets_cover_the_mat_once() -> None:
    drawing = mat.mat_drawing(4)
    pages = mat.tiles(drawing, mat.PAPER_MM["a4"])
    area = 0.0
    for page in pages:
        left, top, right, bottom = page.placed[0].window
        assert min(left, top, page.width_mm - right, page.height_mm - bottom) >= mat.UNPRINTABLE_MM - 1e-6
        area += (right - left) * (bottom - top)
    assert area == pytest.approx(900 * 700)
    assert len(pages) <= 16


def test_brackets_in_words_do_not_break_the_page() -> None:
    drawing = Drawing(50, 50, (Words(r"a (b) \c", (25, 25), 5),))
    body = re.search(rb"stream\n(.*?)\nendstream", pdf([mat.Page(50, 50, (mat.Placed(drawing),))], "t"), re.DOTALL)[1]
    assert rb"(a \(b\) \\c) Tj" in zlib.decompress(body)


def test_width_of_words() -> None:
    assert text_width_mm("seat 1", 10) == pytest.approx((500 + 556 + 556 + 278 + 278 + 556) / 100)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4, 6])
def test_another_program_shows_the_pdf_as_our_own_picture(tmp_path: Path, seats: int) -> None:
    """Poppler renders the PDF; its markers are where ours are, and the two pictures agree."""
    if shutil.which("pdftoppm") is None:
        pytest.skip("pdftoppm (poppler-utils) is not on this machine")
    (tmp_path / "mat.pdf").write_bytes(mat.mat_pdf(seats))
    command = ["pdftoppm", "-r", "50.8", "-png", "-singlefile", str(tmp_path / "mat.pdf"), str(tmp_path / "mat")]
    subprocess.run(command, check=True, timeout=60)
    theirs, ours = cv2.imread(str(tmp_path / "mat.png")), picture(mat.mat_drawing(seats), 2)
    assert max(abs(a - b) for a, b in zip(theirs.shape, ours.shape, strict=True)) <= 1
    theirs = theirs[: ours.shape[0], : ours.shape[1]]
    found = find_markers(theirs)
    for marker in mat_markers(900, 700):
        assert np.abs(found[marker.id] / 2 - np.array(marker.corners_mm)).max() < 0.5
    differing = (np.abs(theirs.astype(int) - ours).max(2) > 60).mean()
    assert differing < 0.01


def test_marker_sheet_has_the_corner_markers_as_far_from_their_tips_as_the_mat() -> None:
    """Cut out and laid with the tip on the table's corner, a marker lies where the mat has it."""
    sheet = picture(mat.marker_sheet(), 4)
    found = find_markers(sheet)
    assert set(found) == {0, 1, 2, 3}
    outward = {0: (-12, -12), 1: (12, -12), 2: (12, 12), 3: (-12, 12)}
    for index, corners in found.items():
        tip = corners[index] / 4 + outward[index]
        inside = tip - 1.2 * np.sign(outward[index])
        x, y = (inside * 4).astype(int)
        assert sheet[y, x].max() < 100, "the black triangle has its tip there"
        x, y = ((tip + 1.2 * np.sign(outward[index])) * 4).astype(int)
        assert sheet[y, x].min() > 200


def test_settings_are_toml() -> None:
    assert tomllib.loads(mat.table_toml(4))["table"] == {"width": 900, "height": 700}
