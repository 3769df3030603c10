"""``cardtable read``: the shape of its answer, and what it says of files that are no pictures."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.sheet import card_picture
from vision.reader import Reader
from vision.stills import BadPicture, load_picture, pictures, read_paths


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader.load()


def _table(path: Path, scale: float = 1.0) -> Path:
    picture = np.full((360, 480, 3), (70, 110, 60), np.uint8)
    for x, card in ((60, "7H"), (260, "KS")):
        face = card_picture(card)
        picture[90 : 90 + face.shape[0], x : x + face.shape[1]] = face
    cv2.imwrite(str(path), cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
    return path


def test_the_answer_has_the_shape_of_the_contract(tmp_path: Path, reader: Reader) -> None:
    """TABLE.md 3: image, width, height, and per card its name, confidence and four corners."""
    (answer,) = read_paths([_table(tmp_path / "a.png")], reader, 120)
    assert json.loads(json.dumps(answer)) == answer
    assert (answer["image"], answer["width"], answer["height"]) == ("a.png", 480, 360)
    assert sorted(c["card"] for c in answer["cards"]) == ["7H", "KS"]
    for card in answer["cards"]:
        assert set(card) == {"card", "confidence", "corners"}
        assert 0 < card["confidence"] <= 1
        assert np.array(card["corners"]).shape == (4, 2)


def test_the_corners_are_those_of_the_card(tmp_path: Path, reader: Reader) -> None:
    """Within a tenth of a card's width, whichever of its two ends is taken for the top."""
    (answer,) = read_paths([_table(tmp_path / "a.png")], reader, 120)
    seven = next(c for c in answer["cards"] if c["card"] == "7H")
    truth = np.array([[60, 90], [180, 90], [180, 258], [60, 258]])
    corners = np.array(seven["corners"])
    off = min(np.abs(np.roll(truth, turn, 0) - corners).max() for turn in (0, 2))
    assert off < 12


@pytest.mark.parametrize("scale", [0.7, 1.0, 2.2])
def test_the_scale_is_found(tmp_path: Path, reader: Reader, scale: float) -> None:
    """Without --card-px the same picture reads at any size, and nothing else is read."""
    (answer,) = read_paths([_table(tmp_path / "a.png", scale)], reader)
    assert sorted(c["card"] for c in answer["cards"] if c["card"] != "?") == ["7H", "KS"]


def test_a_folder_is_its_pictures_by_name(tmp_path: Path) -> None:
    """Other files in it are not looked at."""
    for name in ("b.JPG", "a.png", "notes.txt"):
        (tmp_path / name).write_bytes(b"x")
    assert [p.name for p in pictures([tmp_path])] == ["a.png", "b.JPG"]


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda p: p.write_bytes(b""), "empty"),
        (lambda p: p.write_bytes(b"no picture at all"), "not a picture"),
        (lambda p: p.write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF"), "not a picture"),
        (lambda p: None, "no such file"),
    ],
)
def test_a_bad_picture_is_one_clear_line(tmp_path: Path, reader: Reader, make: object, word: str) -> None:
    """The file, what is wrong, what to do."""
    path = tmp_path / "bad.jpg"
    make(path)  # type: ignore[operator]
    with pytest.raises(BadPicture, match=word) as caught:
        list(read_paths([path], reader))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_folder_is_said_so(tmp_path: Path) -> None:
    """Not silently nothing."""
    with pytest.raises(BadPicture, match="no pictures"):
        list(pictures([tmp_path]))


def test_a_grey_picture_and_one_with_transparency_load(tmp_path: Path) -> None:
    """Whatever the file holds, three channels come out."""
    for name, shape in (("grey.png", (20, 30)), ("clear.png", (20, 30, 4))):
        cv2.imwrite(str(tmp_path / name), np.zeros(shape, np.uint8))
        assert load_picture(tmp_path / name).shape == (20, 30, 3)


def test_a_png_that_was_cut_off_is_one_line_of_ours_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    whole = cv2.imencode(".png", np.random.default_rng(1).integers(0, 255, (90, 90, 3), np.uint8))[1].tobytes()
    path = tmp_path / "cut.png"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadPicture, match="cut off"):
        load_picture(path)
    assert capfd.readouterr() == ("", "")
    path.write_bytes(whole + b"what a program wrote after it" * 400)
    assert load_picture(path).shape == (90, 90, 3)
