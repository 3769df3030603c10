"""The card reader's plumbing: fitting, cutting, joining, model files that do not belong, one golden sheet."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from firmware.simulator import pack
from tests.vision.sheet import card_picture, sheet
from vision import reader as reading
from vision.reader import (
    CARD_MM,
    INDEX_MM,
    MODEL_FILES,
    RANKS,
    SUITS,
    UNREAD,
    Index,
    IndexReader,
    ModelError,
    Reader,
    all_cards,
    cut_index,
    fit,
    join,
)

MODELS = Path(__file__).resolve().parents[2] / "models"
GOLDEN = Path(__file__).with_name("golden_sheet.json")


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader.load()


# --- fitting a picture into the network's input (field reports F01, F02) ----------------------------


def test_a_wide_picture_is_scaled_by_one_factor_and_padded_never_stretched() -> None:
    """F01: the picture lies in the tensor's top rows, the rest is padding."""
    picture = np.full((720, 1280, 3), 200, np.uint8)
    fitted = fit(picture, 0.5, 64)
    assert fitted.tensor.shape == (1, 3, 384, 640)
    assert np.allclose(fitted.tensor[0, :, :360], 200 / 255)
    assert np.allclose(fitted.tensor[0, :, 360:], 114 / 255)


@pytest.mark.parametrize("size", [(1640, 1232), (2304, 1296), (4608, 2592), (640, 480), (31, 17)])
def test_there_and_back_is_within_a_tenth_of_a_pixel(size: tuple[int, int]) -> None:
    """F01, F02: the way back uses the scales that were really used."""
    picture = np.zeros((size[1], size[0], 3), np.uint8)
    rng = np.random.default_rng(3)
    for scale in (0.13, 0.4571, 1.3):
        fitted = fit(picture, scale, 16, (size[0] * 0.2, size[1] * 0.1, size[0] * 0.9, size[1] * 0.95))
        points = rng.uniform(0, 1, (40, 2)) * size
        assert np.abs(fitted.inverse(fitted.forward(points)) - points).max() < 0.1


def test_a_mark_lands_where_the_fit_says() -> None:
    """F02: the rounded size, not the wanted one, decides where a picture's last row lies."""
    picture = np.zeros((1232, 1640, 3), np.uint8)
    picture[1200:1232, 1600:1640] = 255
    fitted = fit(picture, 640 / 1640, 32)
    rows, columns = np.nonzero(fitted.tensor[0, 0, : round(1232 * 640 / 1640)] > 0.9)
    found = fitted.inverse(np.array([columns.mean() + 0.5, rows.mean() + 0.5]))
    assert np.abs(found - (1620, 1216)).max() < 1.5


def test_the_channels_arrive_as_red_green_blue() -> None:
    """F05: pictures are BGR, networks RGB."""
    picture = np.zeros((16, 16, 3), np.uint8)
    picture[..., 2] = 255
    assert fit(picture, 1.0, 16).tensor[0, :, 0, 0].tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("region", [(-50, -50, 5, 5), (90, 70, 500, 500), (200, 200, 300, 300), (30, 30, 10, 10)])
def test_a_region_beyond_the_picture_is_clipped(region: tuple[int, int, int, int]) -> None:
    """A01: a card sliding in never makes an empty crop."""
    assert fit(np.zeros((80, 100, 3), np.uint8), 0.5, 8, region).tensor.size > 0


# --- cutting an index -------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0, 7, 90, 180, 187, 270])
def test_a_cut_is_upright_whatever_the_card_does(angle: float) -> None:
    """The rank comes out above the suit, neither mirrored."""
    picture = np.zeros((200, 200, 3), np.uint8)
    a = math.radians(angle)
    down, right = np.array([-math.sin(a), math.cos(a)]), np.array([math.cos(a), math.sin(a)])
    rank, suit = np.array([100, 100]) - 10 * down, np.array([100, 100]) + 10 * down
    for place, colour in ((rank, (255, 0, 0)), (suit, (0, 255, 0)), (rank + 8 * right, (0, 0, 255))):
        cv2.circle(picture, (round(place[0]), round(place[1])), 3, colour, -1)
    cut = cut_index(picture, rank, suit, (40, 56), (2.0, 2.8))
    spots = [np.argwhere(cut[..., c] > 120).mean(0) for c in range(3)]
    assert np.abs(spots[0] - (18, 20)).max() < 2
    assert np.abs(spots[1] - (38, 20)).max() < 2
    assert np.abs(spots[2] - (18, 28)).max() < 2


def test_a_cut_from_a_large_card_is_not_aliased() -> None:
    """A fine chequer averages to grey instead of making a pattern."""
    chequer = (np.indices((400, 400)).sum(0) % 2 * 255).astype(np.uint8)
    cut = cut_index(cv2.merge([chequer] * 3), (200, 100), (200, 300), (40, 56), (2.0, 2.8))
    assert np.abs(cut[20:36, 10:30].astype(int) - 127).max() < 30


@pytest.mark.parametrize("place", [(-40, -40), (5, 5), (99, 99), (300, 50)])
def test_a_cut_at_or_beyond_the_edge_has_its_size(place: tuple[int, int]) -> None:
    """A01."""
    cut = cut_index(np.zeros((100, 100, 3), np.uint8), place, (place[0], place[1] + 120), (40, 56), (2.0, 2.8))
    assert cut.shape == (56, 40, 3)


# --- joining indices to cards (field report F04) ----------------------------------------------------


def _index(card: str, x: float, y: float, angle: float = 0, confidence: float = 0.99, card_px: float = 126) -> Index:
    """An index of a card whose top-left corner (before turning) is at (x, y), turned about its middle."""
    mm, a = card_px / CARD_MM[0], math.radians(angle)
    middle = np.array([x, y]) + np.array(CARD_MM) / 2 * mm
    turn = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
    places = [
        middle + turn @ ((np.array([INDEX_MM[0], INDEX_MM[1] + dy]) - np.array(CARD_MM) / 2) * mm) for dy in (-4.5, 4.5)
    ]
    rank_p, suit_p = [0.0] * 13, [0.0] * 4
    rank_p[RANKS.index(card[0])] = suit_p[SUITS.index(card[1])] = confidence**0.5
    named = card if confidence >= 0.9 else "?"
    return Index(tuple(places[0]), tuple(places[1]), named, confidence, tuple(rank_p), tuple(suit_p), 0.9)


def test_the_two_corners_of_one_card_are_one_card() -> None:
    """F04, and the card's rectangle is found."""
    (card,) = join([_index("9H", 100, 50), _index("9H", 100, 50, 180)], 126, 0.9)
    assert card.card == "9H"
    assert np.allclose(card.corners, [[100, 50], [226, 50], [226, 226], [100, 226]], atol=0.5)


def test_corners_that_disagree_are_a_question() -> None:
    """F04: never the likelier of the two."""
    (card,) = join([_index("9H", 100, 50), _index("6H", 100, 50, 180, 0.8)], 126, 0.9)
    assert card.card == "?"


def test_two_sure_indices_that_differ_are_two_cards() -> None:
    """A neighbour's index lay where the other index of this card could have lain."""
    cards = join([_index("9H", 100, 50), _index("4H", 100, 50, 180, 0.98)], 126, 0.9)
    assert sorted(c.card for c in cards) == ["4H", "9H"]


def test_of_two_indices_that_may_be_the_other_half_the_one_that_agrees_is_taken() -> None:
    """However sure the other one is."""
    nearly = _index("4H", 104, 50, 180, 0.94)
    cards = join([_index("9H", 100, 50), nearly, _index("9H", 100, 50, 180, 0.5)], 126, 0.9)
    assert sorted(len(c.indices) for c in cards if c.card in ("9H", "4H")) == [1, 2]


def test_a_large_card_that_reads_surely_is_a_card() -> None:
    """It lies nearer than the others; a large smudge does not."""
    near, far = _index("9H", 100, 50, card_px=300), _index("8S", 500, 50, confidence=0.995)
    smudge = _index("2C", 900, 50, confidence=0.9, card_px=300)
    told = reading._of_one_size(join([near, far, smudge], 126, 0.9))
    assert sorted(r.card for r in told) == ["8S", "9H"]


def _look(*indices: Index) -> Any:
    return reading._Look(reading._View.of(np.zeros((64, 64, 3), np.uint8), 1.0), list(indices))


def test_a_look_at_nothing_is_not_clear() -> None:
    """An empty look must not end the search."""
    assert (_look().is_clear, _look().sureness()) == (False, 0.0)
    assert _look(_index("9H", 100, 50)).is_clear


def test_specks_say_nothing_of_how_well_a_picture_reads() -> None:
    """Ornaments of a large queen, taken for small indices, made a stretched view look the better one."""
    queen = [_index("QD", 100, 50, angle, 0.995, card_px=700) for angle in (0, 180)]
    specks = [_index("AH", 300 + 40 * n, 300, 0, 0.8, card_px=90) for n in range(3)]
    assert _look(*queen, *specks).sureness() == _look(*queen).sureness()
    assert _look(*queen, *specks).is_clear


def test_a_faint_corner_does_not_spoil_a_sure_one() -> None:
    """A thumb on one index leaves the other."""
    (card,) = join([_index("9H", 100, 50), _index("6H", 100, 50, 180, 0.1)], 126, 0.9)
    assert card.card == "9H"


def test_two_faint_corners_that_agree_are_believed() -> None:
    """Two independent looks at one card."""
    (card,) = join([_index("9H", 100, 50, 0, 0.85), _index("9H", 100, 50, 180, 0.85)], 126, 0.9)
    assert card.card == "9H"
    assert 0.85 < card.confidence < 0.975


def test_overlapping_cards_stay_two() -> None:
    """F04: indices 30 px apart."""
    cards = join([_index("9H", 100, 50), _index("8S", 130, 50), _index("8S", 130, 50, 180)], 126, 0.9)
    assert sorted(c.card for c in cards) == ["8S", "9H"]


def test_one_index_gives_a_whole_rectangle_turned_with_it() -> None:
    """A covered card has the rectangle that its index implies."""
    (card,) = join([_index("AS", 100, 50, 90)], 126, 0.9)
    middle = card.corners.mean(0)
    assert np.allclose(middle, (163, 138), atol=0.5)
    assert np.allclose(card.corners[0] - middle, (88, -63), atol=0.5)


# --- model files (field reports F03, F07, F09) ------------------------------------------------------


def _altered(tmp_path: Path, which: str, **changes: object) -> Path:
    """A copy of the models with other words in one file's metadata."""
    for name in MODEL_FILES:
        shutil.copy(MODELS / name, tmp_path / name)
    data = (tmp_path / which).read_bytes()
    start = data.index(b'{"role"')
    end = data.index(b"}", start) + 1
    old = data[start:end]
    new = json.dumps(json.loads(old) | changes).encode()
    assert len(new) <= len(old) + 200
    (tmp_path / which).write_bytes(data[:start] + new.ljust(len(old)) + data[end:] if len(new) <= len(old) else b"")
    return tmp_path


@pytest.mark.parametrize(
    ("which", "changes", "word"),
    [
        ("index-reader.onnx", {"suits": "DCHS"}, "suits"),
        ("index-reader.onnx", {"ranks": "23456789TJQKA"}, "ranks"),
        ("index-reader.onnx", {"channels": "BGR"}, "channels"),
        ("index-finder.onnx", {"points": ["suit", "rank"]}, "points"),
        ("card-reader.onnx", {"suits": "DCHS"}, "suits"),
    ],
)
def test_a_model_of_another_order_is_refused(tmp_path: Path, which: str, changes: dict[str, object], word: str) -> None:
    """F03: shuffled names stop the start, with a line that says what and what to do."""
    with pytest.raises(ModelError, match=word) as caught:
        Reader.load(_altered(tmp_path, which, **changes))
    assert "make export" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_or_broken_model_is_one_clear_line(tmp_path: Path) -> None:
    """No traceback of the library, no second model instead."""
    with pytest.raises(ModelError, match="no such model"):
        Reader.load(tmp_path)
    for name in MODEL_FILES:
        (tmp_path / name).write_bytes(b"nothing")
    with pytest.raises(ModelError, match="not a model of this program"):
        Reader.load(tmp_path)


def test_the_threshold_is_the_one_in_the_model_file(reader: Reader) -> None:
    """Chosen on drawn packs and training photographs, stored with the weights."""
    data = (MODELS / "index-reader.onnx").read_bytes()
    start = data.index(b'{"role"')
    stored = json.loads(data[start : data.index(b"}", start) + 1])
    assert reader.threshold == stored["threshold"]
    assert 0.5 <= reader.threshold < 1


def test_the_session_uses_the_threads_it_was_given() -> None:
    """F07: no pool sized to the machine."""
    session: Any = Reader.load(threads=1).finder.session
    assert session.get_session_options().intra_op_num_threads == 1
    assert session.get_session_options().inter_op_num_threads == 1


def test_loading_does_not_import_the_training_tools() -> None:
    """F08: no torch behind the runtime."""
    import subprocess
    import sys

    unwanted = ("torch", "ultralytics", "onnx")
    code = f"import sys, vision.reader, vision.stills; print([m for m in {unwanted} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=MODELS.parent)
    assert out.stdout.strip() == "[]"


# --- what it reads ----------------------------------------------------------------------------------


def test_the_golden_sheet(reader: Reader) -> None:
    """A02, F03: 52 drawn cards, their exact labels, and the models that they were read with."""
    golden = json.loads(GOLDEN.read_text())
    assert reader.hash == golden["hash"], "other models: run python -m tests.vision.sheet and look at what changed"
    assert sheet_labels(reader) == golden["labels"]
    assert sum(a == b for a, b in zip(golden["labels"], all_cards(), strict=True)) >= 50
    assert all(a in (b, "?") for a, b in zip(golden["labels"], all_cards(), strict=True))


def sheet_labels(reader: Reader) -> list[str]:
    """What the reader says of each drawn card, in the order of all_cards()."""
    picture, places = sheet()
    readings = reader.read(picture, 120.0)
    labels = []
    for x, y in places:
        near = [r for r in readings if np.hypot(*(r.corners.mean(0) - (x, y))) < 40]
        labels.append(near[0].card if near else "none")
    return labels


class _Door:
    """Stands for a network and keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: np.ndarray = np.zeros(0)

    def get_inputs(self) -> list[Any]:
        return [type("Input", (), {"name": "images"})]

    def run(self, _outputs: None, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        self.shown = feed["images"]
        return [np.zeros((len(self.shown), 23), np.float32)]


def test_cuts_arrive_as_red_green_blue() -> None:
    """F05: at the index reader's door too."""
    door = _Door()
    red = np.zeros((56, 40, 3), np.uint8)
    red[..., 2] = 255
    IndexReader(door, (40, 56), (2.0, 2.8), 1.0, 0.9).classify([red])
    assert door.shown[0, :, 0, 0].tolist() == [1.0, 0.0, 0.0]


def test_swapped_channels_are_noticed(reader: Reader) -> None:
    """F05: where shape says little (cards 42 px wide, blurred), red tells; with red and blue swapped it reads worse."""
    picture, middles = sheet()
    small = cv2.GaussianBlur(cv2.resize(picture, None, fx=0.35, fy=0.35, interpolation=cv2.INTER_AREA), (0, 0), 1.3)

    def sureness(shown: np.ndarray) -> float:
        """Confidence, summed, of the red cards told rightly."""
        total, readings = 0.0, reader.read(np.ascontiguousarray(shown), 42.0)
        for card, middle in zip(all_cards(), middles, strict=True):
            near = [r for r in readings if np.hypot(*(r.corners.mean(0) - np.multiply(middle, 0.35))) < 14]
            if near and near[0].indices[0].best == card and card[1] in "HD":
                total += near[0].confidence
        return total

    assert sureness(small[..., ::-1]) < 0.92 * sureness(small)


@pytest.mark.parametrize("angle", [0, 7, 90, 180, 187, 270])
def test_six_and_nine(reader: Reader, angle: float) -> None:
    """A06: told apart by where the suit lies, at any angle; never one for the other."""
    for card in [r + s for r in "69" for s in SUITS]:
        picture = _turned(card_picture(card), angle)
        read = [r.card for r in reader.read(picture, 120.0)]
        assert card in read, (card, angle, read)
        assert set(read) <= {card, "?"}


@pytest.mark.parametrize("pair", ["SC", "HD"])
def test_suits_of_one_colour_in_grey(reader: Reader, pair: str) -> None:
    """A camera without colour: spade and club, heart and diamond are told by shape, never one for the other."""
    right = 0
    for card in [r + s for r in "2579JK" for s in pair]:
        grey = cv2.cvtColor(_turned(card_picture(card), 0), cv2.COLOR_BGR2GRAY)
        read = {r.card for r in reader.read(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), 120.0)}
        assert read <= {card, "?"}
        right += card in read
    assert right >= 11


def _pack_card(card: str, pips_of: str | None = None) -> np.ndarray:
    """A card of the simulator's plain pack, 120 px wide; all but its indices may be another card's."""
    high, wide = 168, 120
    picture = pack.face(card, pack.Style(), wide)[..., :3].copy()
    if pips_of is not None:
        other = pack.face(pips_of, pack.Style(), wide)[..., :3]
        picture[:, 22:98] = other[:, 22:98]
    return _turned(cv2.resize(picture, (wide, high)), 0)


@pytest.mark.parametrize(("card", "other"), [("4S", "4C"), ("7C", "7S"), ("5H", "5D"), ("9D", "9H")])
def test_pips_are_a_second_opinion(reader: Reader, card: str, other: str) -> None:
    """Of an index too small to be sure of, pips that agree make more and pips of another suit make less."""

    def sureness(picture: np.ndarray) -> float:
        small = cv2.resize(picture, None, fx=0.45, fy=0.45, interpolation=cv2.INTER_AREA)
        dim = cv2.GaussianBlur(small, (0, 0), 0.9)
        told = [float(i.suit_p[SUITS.index(card[1])]) for i in reader.indices(dim, 54.0)]
        return max(told, default=0.0)

    assert sureness(_pack_card(card)) > sureness(_pack_card(card, other)) + 0.02


@pytest.mark.parametrize("squash", [0.45, 9 / 16])
def test_a_squashed_picture_is_read_as_if_it_were_not(reader: Reader, squash: float) -> None:
    """16:9 pictures made square by some tool: the cards are named, and lie where they lie in the picture given."""
    cards, factors = ("2C", "5C", "8C", "7S", "9S", "TC"), np.array([squash**0.5, squash**-0.5])
    table = np.full((560, 560, 3), (70, 110, 60), np.uint8)
    for number, card in enumerate(cards):
        x, y = 40 + number % 3 * 170, 40 + number // 3 * 250
        table[y : y + 168, x : x + 120] = card_picture(card)
    squashed = cv2.resize(table, None, fx=float(factors[0]), fy=float(factors[1]), interpolation=cv2.INTER_AREA)
    readings = {r.card: r for r in reader.read(squashed) if r.card != UNREAD}
    assert set(readings) == set(cards)
    for number, card in enumerate(cards):
        middle = np.array([100 + number % 3 * 170, 124 + number // 3 * 250]) * factors
        assert np.abs((readings[card].corners.mean(0) - middle) / factors).max() < 30
        assert all(
            0 < x < squashed.shape[1] and 0 < y < squashed.shape[0]
            for x, y in [index.middle for index in readings[card].indices]
        )


def test_a_rank_without_its_suit_is_no_card(reader: Reader) -> None:
    """A06: the rank alone may be a six or a nine."""
    picture = _turned(card_picture("6S"), 0)
    for index in reader.indices(picture, 120.0):
        x, y = index.suit_px
        cv2.circle(picture, (round(x), round(y)), round(0.45 * index.span_px), (250, 250, 250), -1)
    assert all(r.card in ("6S", "?") for r in reader.read(picture, 120.0))


def test_an_empty_table_holds_no_cards(reader: Reader) -> None:
    """A10: noise is no card."""
    rng = np.random.default_rng(4)
    for level in (40, 100, 236):
        noise = np.clip(level + rng.normal(0, 4, (480, 640, 3)), 0, 255).astype(np.uint8)
        assert [r for r in reader.read(noise, 110.0) if r.card != "?"] == []


def test_a_card_sliding_in_is_read_or_not_but_never_wrong(reader: Reader) -> None:
    """A01: no crash at the frame's edge, no reading of half an index."""
    card = card_picture("7D")
    for x in range(630, 480, -30):
        picture = np.full((400, 640, 3), (70, 110, 60), np.uint8)
        part = card[:, : max(640 - x, 0)]
        picture[100 : 100 + card.shape[0], x : x + part.shape[1]] = part[:, : 640 - x]
        assert {r.card for r in reader.read(picture, 120.0)} <= {"7D", "?"}


def _turned(card: np.ndarray, angle: float) -> np.ndarray:
    """A card on a green table, turned about its middle."""
    picture = np.full((320, 320, 3), (70, 110, 60), np.uint8)
    high, wide = card.shape[:2]
    y, x = (320 - high) // 2, (320 - wide) // 2
    picture[y : y + high, x : x + wide] = card
    matrix = cv2.getRotationMatrix2D((160, 160), -angle, 1)
    return cv2.warpAffine(picture, matrix, (320, 320), borderValue=(70, 110, 60))


def test_the_module_says_what_it_needs() -> None:
    """The index's place and span are those measured on the drawn packs."""
    assert 4 < reading.INDEX_MM[0] < 8
    assert 0.1 < reading.INDEX_SPAN < 0.2
