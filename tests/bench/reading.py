"""The reader beside the classic method and a trained detector: ``python -m tests.bench.reading``. It judges nothing.

All are told the scale of drawn tables (the detector scales every picture to 640 px by itself); of photographs
(``../shared/photos/check``, where it is) nobody is. Each method reads each set in a process of its own, from files:
what it takes in time and memory is reading alone.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from firmware.simulator import pack
from tests.bench import contours, yolo
from tests.bench.memory import peak_mb
from tests.bench.rows import Row, show
from vision.reader import MODEL_FILES, STILL_FRACTIONS, Reader, all_cards
from vision.stills import load_picture

HOME = Path(__file__).resolve().parents[2]

Image = npt.NDArray[Any]
Method = Callable[[Image, float | None], Iterable[str]]

TABLES, CARD_PX, TABLE_PX = 24, 120, (1152, 864)
"""Drawn tables, their cards' width and their size, px."""

PHOTOGRAPHS, FREE, OVERLAPPING = "photographs", "drawn, free", "drawn, overlapping"

LABELS = "labels.jsonl"
SKIPPED = "blackpack"
"""The family of photographs that the project does not count; it has a line of its own in the model card."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture, the cards in it, the width of its cards px (None: not known), and whether there are cards unnamed."""

    image: Image
    truth: Sequence[str]
    card_px: float | None
    incomplete: bool = False


@dataclass(frozen=True, slots=True)
class Figures:
    """What one method did with one set: cards there, right and wrong, peak MB, ms a picture of processor and clock."""

    cards: int
    right: int
    wrong: int
    peak_mb: float
    cpu_ms: tuple[float, ...]
    clock_ms: tuple[float, ...]

    @property
    def right_share(self) -> tuple[float, ...]:
        """Cards read rightly, % of those there."""
        return (100 * self.right / self.cards,)

    @property
    def wrong_share(self) -> tuple[float, ...]:
        """Wrong readings, % of all; none where nothing was read."""
        read = self.right + self.wrong
        return (100 * self.wrong / read,) if read else ()


# --- pictures --------------------------------------------------------------------------------------


def drawn_table(seed: int, overlap: bool) -> tuple[Image, list[str]]:
    """A table of the simulator's plain pack and its cards: eight free ones, or eight that overlap by half."""
    rng, table = random.Random(seed), np.full((TABLE_PX[1], TABLE_PX[0], 3), (62, 104, 44), np.uint8)
    cards = rng.sample(all_cards(), 8)
    for number, card in enumerate(cards):
        step = 75 if overlap else 265
        x, y = 110 + number % 4 * step + rng.randint(-8, 8), 60 + number // 4 * 420 + rng.randint(-8, 8)
        _stamp(table, pack.face(card, pack.Style(), CARD_PX), x, y, rng.uniform(-8, 8))
    noisy = cv2.GaussianBlur(table, (0, 0), 0.7) + np.random.default_rng(seed).normal(0, 3, table.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8), cards


def _stamp(table: Image, face: Image, x: int, y: int, angle: float) -> None:
    """A BGRA face turned by ``angle`` degrees, its top-left corner near (x, y)."""
    high, wide = face.shape[:2]
    side = int(np.hypot(wide, high)) + 2
    turn = cv2.getRotationMatrix2D((wide / 2, high / 2), angle, 1)
    turn[:, 2] += ((side - wide) / 2, (side - high) / 2)
    turned = cv2.warpAffine(face, turn, (side, side))
    part = table[y : y + side, x : x + side]
    turned = turned[: part.shape[0], : part.shape[1]]
    alpha = turned[..., 3:] / 255
    part[:] = part * (1 - alpha) + turned[..., :3] * alpha


def draw(folder: Path, overlap: bool, tables: int) -> Path:
    """Drawn tables as files, labelled as the photographs are and with their cards' width."""
    folder.mkdir()
    labels = []
    for seed in range(tables):
        image, cards = drawn_table(seed, overlap)
        cv2.imwrite(str(folder / f"{seed}.png"), image)
        labels.append({"image": f"{seed}.png", "cards": [{"card": card} for card in cards], "card_px": CARD_PX})
    (folder / LABELS).write_text("\n".join(map(json.dumps, labels)), encoding="utf-8")
    return folder


def pictures(folder: Path) -> Iterator[Shown]:
    """The labelled pictures of a folder, without the black pack."""
    for entry in map(json.loads, (folder / LABELS).read_text(encoding="utf-8").splitlines()):
        name = Path(entry["image"]).name
        if not name.startswith(SKIPPED):
            truth = [card["card"] for card in entry["cards"]]
            yield Shown(load_picture(folder / name), truth, entry.get("card_px"), bool(entry.get("incomplete")))


# --- methods ---------------------------------------------------------------------------------------


def ours(threads: int) -> Method:
    """The cards that our reader is sure of."""
    reader = Reader.load(threads=threads)
    return lambda image, card_px: [reading.card for reading in reader.read(image, card_px)]


def classic(threads: int) -> Method:
    """Contours and templates at the scale known, or at every one that a still picture may have."""
    del threads  # OpenCV's are set for every method

    def read(image: Image, card_px: float | None) -> list[str]:
        widths = [card_px] if card_px else [share * max(image.shape[:2]) for share in STILL_FRACTIONS]
        return sorted({card for width in widths for card in contours.read(image, width)})

    return read


def detector(threads: int, threshold: float | None) -> Method:
    """The trained detector, at its own threshold or another."""
    network = yolo.Yolo.load(threads=threads, threshold=threshold)
    return lambda image, card_px: network.read(image)


EARLIER = "fee0568"
"""The commit that has our weights as they were after about as long a training as the detector's."""

OURS_EARLIER = f"our weights of {EARLIER}"


def earlier(threads: int) -> Method:
    """Ours as it reads today, with the weights of `EARLIER`; raises CalledProcessError where git does not have them."""
    with tempfile.TemporaryDirectory() as name:
        for file in MODEL_FILES:
            Path(name, file).write_bytes(_committed(f"{EARLIER}:models/{file}"))
        reader = Reader.load(Path(name), threads)
    return lambda image, card_px: [reading.card for reading in reader.read(image, card_px)]


def _committed(what: str) -> bytes:
    return subprocess.run(["git", "show", what], cwd=HOME, capture_output=True, check=True).stdout


METHODS: dict[str, Callable[[int], Method]] = {
    "ours": ours,
    OURS_EARLIER: earlier,
    "contours": classic,
    "YOLO-nano": partial(detector, threshold=None),
    "YOLO-nano at 0.25": partial(detector, threshold=0.25),
}
"""How each is made for so many threads. 0.25 is Ultralytics' own threshold; the file's lets 1 in 100 be wrong."""

TWO_THREADS = {"ours": f"{FREE}: by the clock on two threads, ms", "YOLO-nano": "the same of YOLO-nano, ms"}
"""Methods that are measured on two threads beside one, and the words of their rows."""


def peers() -> dict[str, bool]:
    """The methods beside today's ours that can run here, and whether each has learnt to read."""
    found = {"contours": True}
    try:
        earlier(1)
        found[OURS_EARLIER] = True
    except (OSError, subprocess.CalledProcessError):
        print(f"{OURS_EARLIER}: git does not have them here, so left out (git fetch --unshallow)")
    if not yolo.FILE.exists():
        print("YOLO-nano: not trained here, so left out (make bench-yolo)")
    elif not yolo.Yolo.load().reads:
        print("YOLO-nano: has not learnt to read, so only its cost is compared (make bench-yolo)")
        found["YOLO-nano"] = False
    else:
        found |= dict.fromkeys((name for name in METHODS if name.startswith("YOLO-nano")), True)
    return found


# --- measuring -------------------------------------------------------------------------------------


def scorer(photos: Path) -> Callable[[list[str], list[str], bool], tuple[int, int, int]]:
    """`score` of the scorer beside the photographs, or the same for tables whose cards are all named."""
    path = photos.parent.parent / "tools" / "score_photos.py"
    spec = importlib.util.spec_from_file_location("score_photos", path)
    if spec is None or spec.loader is None or not path.exists():
        return lambda truth, read, _: (len(truth), len({*truth} & {*read}), len({*read} - {*truth}))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    score: Callable[[list[str], list[str], bool], tuple[int, int, int]] = module.score
    return score


def measure(method: Method, shown: Iterable[Shown], score: Callable[..., tuple[int, int, int]]) -> Figures:
    """Run a method over pictures, one by one."""
    sums, cpu_ms, clock_ms = np.zeros(3, int), [], []
    for one in shown:
        cpu, clock = time.process_time(), time.perf_counter()
        read = [card for card in method(one.image, one.card_px) if len(card) == 2]
        cpu_ms.append(1e3 * (time.process_time() - cpu))
        clock_ms.append(1e3 * (time.perf_counter() - clock))
        sums += score(list(one.truth), read, one.incomplete)
    cards, right, wrong = map(int, sums)
    return Figures(cards, right, wrong, peak_mb(), tuple(cpu_ms), tuple(clock_ms))


def apart(method: str, folder: Path, threads: int, photos: Path) -> Figures:
    """As `measure`, in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.reading", "--photos", str(photos), "--apart", method, str(folder)]
    done = subprocess.run([*command, str(threads)], capture_output=True, text=True, check=True)
    cards, right, wrong, peak, cpu_ms, clock_ms = json.loads(done.stdout.splitlines()[-1])
    return Figures(cards, right, wrong, peak, tuple(cpu_ms), tuple(clock_ms))


def _run_apart(method: str, folder: Path, threads: int, photos: Path) -> None:
    cv2.setNumThreads(threads)
    print(json.dumps(astuple(measure(METHODS[method](threads), pictures(folder), scorer(photos)))))


def rows(photos: Path) -> Iterator[Row]:
    """The pictures' part of the table; every method once over every set, and once more where two threads may help."""
    beside = peers()
    there = (photos / LABELS).exists()
    if not there:
        print(f"(no photographs at {photos}: drawn tables only)")
    found: dict[str, dict[str, Figures]] = {}
    with tempfile.TemporaryDirectory() as home:
        free, overlapping = (draw(Path(home) / name, name == OVERLAPPING, TABLES) for name in (FREE, OVERLAPPING))
        sets = ({PHOTOGRAPHS: photos} if there else {}) | {FREE: free, OVERLAPPING: overlapping}
        for name, folder in sets.items():
            found[name] = {method: apart(method, folder, 1, photos) for method in ("ours", *beside)}
            for peer, reads in beside.items():
                yield from _compared(name, found[name]["ours"], peer, found[name][peer], reads)
        for method, what in TWO_THREADS.items():
            if method in found[FREE]:
                two = apart(method, free, 2, photos)
                yield Row("pictures", what, two.clock_ms, "on one", found[FREE][method].clock_ms)


def _compared(name: str, first: Figures, peer: str, second: Figures, reads: bool) -> Iterator[Row]:
    """Ours beside a peer; of one that has not learnt to read only the cost."""
    if reads:
        yield Row("pictures", f"{name}: cards right, %", first.right_share, peer, second.right_share)
        yield Row("pictures", f"{name}: readings wrong, %", first.wrong_share, peer, second.wrong_share)
    yield Row("pictures", f"{name}: CPU ms a picture", first.cpu_ms, peer, second.cpu_ms)
    yield Row("pictures", f"{name}: peak memory, MB", (first.peak_mb,), peer, (second.peak_mb,))


def main() -> None:
    """Command line of the bench."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.reading", description=__doc__)
    options.add_argument("--photos", type=Path, default=Path("../shared/photos/check"))
    options.add_argument("--apart", nargs=3, metavar=("METHOD", "FOLDER", "THREADS"), help=argparse.SUPPRESS)
    given = options.parse_known_args()[0]
    if given.apart:
        method, folder, threads = given.apart
        _run_apart(method, Path(folder), int(threads), given.photos)
    else:
        show(rows(given.photos))


if __name__ == "__main__":
    main()
