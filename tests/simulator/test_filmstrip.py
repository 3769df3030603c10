"""The film strip: pictures, lamps, words and pool laid out; written as files; animation where OpenCV can."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from firmware.simulator import filmstrip
from firmware.simulator.filmstrip import Lamp, Still

FELT = np.full((240, 320, 3), (72, 104, 30), np.uint8)


def still(caption="Ann: 7♥ is refused", kind="refused", lamps=(), pool=4, image=FELT):
    """A picture of the strip."""
    return Still(image, 12.0, caption, kind, tuple(lamps), pool)


def test_six_pictures_in_three_columns_make_two_rows():
    one = filmstrip.strip([still()], columns=3, cell_px=200)
    six = filmstrip.strip([still()] * 6, columns=3, cell_px=200)
    seven = filmstrip.strip([still()] * 7, columns=3, cell_px=200)
    assert six.shape[1] == 3 * one.shape[1] == seven.shape[1]
    assert six.shape[0] == 2 * one.shape[0]
    assert seven.shape[0] == 3 * one.shape[0]


def test_no_picture_is_no_strip():
    with pytest.raises(ValueError, match="at least one picture"):
        filmstrip.strip([])


@pytest.mark.parametrize(("colour", "channel"), [("red", 2), ("green", 1), ("blue", 0)])
def test_a_lit_lamp_glows_in_its_colour_where_its_seat_is(colour, channel):
    place = filmstrip.lamp_places(4)[1]
    dark, lit = (filmstrip.strip([still(lamps=[Lamp("Bo", c, place)])], cell_px=400) for c in ("off", colour))
    gain = lit.astype(int) - dark
    _, xs = np.nonzero(gain[..., channel] > 40)
    assert len(xs) > 20
    assert xs.mean() < 0.15 * lit.shape[1], "seat 2 of 4 sits at the left"
    assert gain[..., channel].sum() == max(gain[..., c].sum() for c in range(3))


def test_lamps_stand_before_their_seats_clockwise_from_the_bottom():
    bottom, left, top, right = filmstrip.lamp_places(4)
    assert bottom[1] > 0.9
    assert left[0] < 0.1
    assert top[1] < 0.1
    assert right[0] > 0.9
    for count in range(2, 9):
        assert len(set(filmstrip.lamp_places(count))) == count


def test_a_suit_sign_is_drawn_as_a_pip_and_hearts_are_red():
    def redness(caption):
        return (filmstrip.strip([still(caption, kind="", pool=None)], cell_px=400)[..., 2].astype(int)).sum()

    assert redness("7♥♥♥♥") > redness("7♠") + 500
    with_sign, without = (filmstrip.strip([still(c)], cell_px=400) for c in ("7♠ lies", "7 lies"))
    assert not np.array_equal(with_sign, without)


def test_long_words_are_wrapped_and_end_in_dots():
    lines = filmstrip._wrapped("one two three four five six seven eight nine ten", 20.0, 90.0)
    assert len(lines) > 2
    assert lines[1].endswith("...")
    assert filmstrip._wrapped("short", 20.0, 900.0) == ["short"]


@pytest.mark.parametrize("ending", ["png", "webp"])
def test_a_strip_is_written_as_a_picture(tmp_path, ending):
    path = tmp_path / f"strip.{ending}"
    filmstrip.write_strip(path, [still()] * 2, "Card Table", cell_px=200)
    assert cv2.imread(str(path)).shape == filmstrip.strip([still()] * 2, "Card Table", cell_px=200).shape


def test_a_strip_that_cannot_be_written_is_one_clear_line(tmp_path):
    with pytest.raises(OSError, match=r"could not be written"):
        filmstrip.write_strip(tmp_path / "nowhere" / "strip.png", [still()], cell_px=120)
    with pytest.raises(OSError, match=r"end in \.png"):
        filmstrip.write_strip(tmp_path / "strip.what", [still()], cell_px=120)


def test_an_animation_is_written_where_opencv_can(tmp_path, monkeypatch):
    path = tmp_path / "film.webp"
    if hasattr(cv2, "imwriteanimation"):
        assert filmstrip.write_animation(path, [still("one"), still("two")], width_px=160)
        good, film = cv2.imreadanimation(str(path))
        assert good
        assert len(film.frames) == 2
        monkeypatch.delattr(cv2, "imwriteanimation")
    assert not filmstrip.write_animation(tmp_path / "old.webp", [still()], width_px=160)
    assert not (tmp_path / "old.webp").exists()
