"""Measure the exported models, choose temperature and threshold, write the figures.

    python -m models.evaluate calibrate        on held-out drawn packs and held-out bursts of photos/train
    python -m models.evaluate photos --split check
    python -m models.evaluate scenes           on the held-out drawn tables
    python -m models.evaluate families         on tables of each held-out pack by itself
    python -m models.evaluate speed            beside YOLO-nano
    python -m models.evaluate int8             what eight bits give and cost

A card of the truth is *right* when it was read, *unread* when it was not; a reading that is not in the truth is
*wrong*. Nothing is ever chosen on photos/check.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from models.crops import held_out_crops
from models.export import CARD_FILE, FINDER_FILE, FLOAT_FOLDER, READER_FILE, describe
from models.synth.art import RANKS
from models.synth.dataset import NO_RANK, NO_SUIT
from vision.reader import IndexReader, Reader, with_threshold
from vision.stills import load_picture

WRONG_SHARE = 0.001
"""Most wrong readings among all readings that a threshold may let through."""

UNLABELLED = {
    "cardcounter_IMG_20220921_200020_jpg.jpg": frozenset({"6H"}),
    "cardcounter_IMG_20220921_201530_jpg.jpg": frozenset({"3H"}),
}
"""Cards of held-out photographs of ``train`` that their labels do not list or misname, seen by eye."""

FULLY_SEEN, HARDLY_SEEN = 0.93, 0.2
"""Shares of a drawn index to be seen: from the first on it is to be read, from the second on it may be."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One reading on held-out data: its confidence and whether it was right."""

    confidence: float
    right: bool


def main() -> None:
    """Command line of the evaluation."""
    options = argparse.ArgumentParser(prog="python -m models.evaluate", description=__doc__)
    options.add_argument("what", choices=("calibrate", "scenes", "families", "photos", "speed", "int8"))
    options.add_argument("--work", type=Path, default=Path("build/train"))
    options.add_argument("--models", type=Path, default=Path(__file__).parent)
    options.add_argument("--photos", type=Path, default=Path("../shared/photos"))
    options.add_argument("--split", choices=("held-out", "check"), default="held-out")
    options.add_argument("--limit", type=int, default=10_000, help="pictures at most")
    options.add_argument("--write", action="store_true", help="store temperature and threshold in the model file")
    given = options.parse_args()
    cv2.setNumThreads(1)
    match given.what:
        case "calibrate":
            calibrate(given.work, given.models, given.photos, given.limit, given.write)
        case "scenes":
            reader = Reader.load(given.models)
            report({"drawn": list(drawn_pictures(given.work, given.limit))}, reader)
        case "photos":
            reader = Reader.load(given.models)
            report(photo_pictures(given.photos, given.split, given.limit), reader)
        case "families":
            report(family_pictures(given.work), Reader.load(given.models))
        case "int8":
            int8(given.work, given.models, given.limit)
        case _:
            speed(given.models, given.work)


# --- pictures with their truth ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, what can be read in it, and the width of its cards where that is told.

    Who tells it has a camera, and no camera squashes: of squashed scenes it is not told.
    """

    path: Path
    truth: frozenset[str]
    maybe: frozenset[str]
    card_px: float | None
    incomplete: bool = False


def drawn_pictures(work: Path, limit: int) -> Iterator[Picture]:
    """Held-out tables: cards with a wholly visible index are the truth; half-hidden ones may be read."""
    count = 0
    for shard in sorted((work / "tables").glob("tables_*.jsonl")):
        for line in shard.read_text().splitlines():
            entry = json.loads(line)
            seen = frozenset(m["card"] for m in entry["marks"] if m["seen"] >= FULLY_SEEN and m["inside"])
            maybe = frozenset(m["card"] for m in entry["marks"] if m["seen"] > HARDLY_SEEN)
            if count < limit:
                path, told = work / "tables" / f"{entry['name']}.jpg", entry["stretch"] == 1
                yield Picture(path, seen, maybe, entry["card_px"] if told else None)
            count += 1


def photo_pictures(photos: Path, split: str, limit: int) -> dict[str, list[Picture]]:
    """Photographs by family: those of ``check``, or those of ``train`` that are held out."""
    from models.synth.photos import held_out

    folder = photos / ("check" if split == "check" else "train")
    families: dict[str, list[Picture]] = defaultdict(list)
    for line in (folder / "labels.jsonl").read_text().splitlines():
        entry = json.loads(line)
        name = Path(entry["image"]).name
        family = name.split("_")[0]
        if (split == "check" or held_out(name)) and len(families[family]) < limit:
            unlabelled = UNLABELLED.get(name, frozenset()) if split != "check" else frozenset()
            truth = unlabelled | frozenset(
                c["card"] for c in entry["cards"] if c["card"][0] in RANKS and len(c["card"]) == 2
            )
            families[family].append(Picture(folder / name, truth, truth, None, entry.get("incomplete", False)))
    return dict(families)


def judge(truth: Iterable[str], maybe: Iterable[str], read: Iterable[str], incomplete: bool) -> tuple[int, int, int]:
    """(present, right, wrong) of one picture; "9?" is right when a nine was read that nothing else explains."""
    known = {c for c in truth if "?" not in c}
    halves = [c for c in truth if "?" in c]
    got = {c for c in read if len(c) == 2}
    spare = got - known
    right = len(got & known)
    for half in halves:
        match = next((c for c in sorted(spare) if c[0] == half[0]), None)
        if match:
            spare.discard(match)
            right += 1
    return len(known) + len(halves), right, 0 if incomplete else len(spare - set(maybe))


def report(families: dict[str, list[Picture]], reader: Reader) -> None:
    """Print a table: right, wrong and unread per family, and the time a picture takes."""
    print(f"{'family':<14}{'pictures':>9}{'cards':>7}{'right':>8}{'wrong':>8}{'unread':>8}{'ms':>7}")
    for family, pictures in sorted(families.items()):
        present = right = wrong = 0
        began = time.process_time()
        for picture in pictures:
            readings = reader.read(load_picture(picture.path), picture.card_px)
            one = judge(picture.truth, picture.maybe, [r.card for r in readings], picture.incomplete)
            present, right, wrong = present + one[0], right + one[1], wrong + one[2]
        spent = 1e3 * (time.process_time() - began) / max(len(pictures), 1)
        shares = right / max(present, 1), wrong / max(right + wrong, 1), 1 - right / max(present, 1)
        print(
            f"{family:<14}{len(pictures):>9}{present:>7}{shares[0]:>8.1%}{shares[1]:>8.2%}{shares[2]:>8.1%}{spent:>7.0f}"
        )


FAMILY_TABLES, FAMILY_PX, FAMILY_CARD_PX = 12, 960, (85.0, 200.0)
"""Tables drawn of each held-out family, their side, and their cards' widths, px."""


def family_pictures(work: Path) -> dict[str, list[Picture]]:
    """Tables of each pack whose art and index were kept from training, all of them at once."""
    from models.synth.packs import Library
    from models.synth.scenes import scene

    library = Library.load(work, True)
    folder = work / "families"
    folder.mkdir(exist_ok=True)
    families: dict[str, list[Picture]] = {}
    for pack in library.packs:
        rng, nrng = random.Random(pack.name), np.random.default_rng(7)
        for number in range(FAMILY_TABLES):
            drawn = scene(library, rng, nrng, FAMILY_PX, rng.uniform(*FAMILY_CARD_PX), pack)
            path = folder / f"{pack.name}_{number:02d}.png"
            cv2.imwrite(str(path), drawn.image)
            seen = frozenset(m.card for m in drawn.marks if m.seen >= FULLY_SEEN and m.inside)
            maybe = frozenset(m.card for m in drawn.marks if m.seen > HARDLY_SEEN)
            told = drawn.card_px if drawn.stretch == 1 else None
            families.setdefault(pack.name, []).append(Picture(path, seen, maybe, told))
    return families


# --- calibration -----------------------------------------------------------------------------------


def calibrate(work: Path, models: Path, photos: Path, limit: int, write: bool) -> None:
    """Temperature on held-out crops, threshold on held-out scenes and photographs; optionally stored."""
    reader = Reader.load(models)
    temperature = best_temperature(reader.index_reader, work, limit)
    if write:
        describe(models / READER_FILE, {"temperature": temperature})
        reader = Reader.load(models)
    judged = list(judge_drawn(reader, work, limit))
    print(f"temperature {temperature:.2f}; {len(judged)} readings of drawn held-out packs")
    if (photos / "train").is_dir():
        real = list(judge_photos(reader, photos, limit))
        print(f"{len(real)} readings of held-out photographs")
        judged += real
    threshold = choose_threshold(judged)
    if write:
        (models / "reliability.svg").write_text(diagram(judged, threshold))
    curve(judged)
    reliability(judged)
    print(f"threshold {threshold:.3f}")
    if write:
        describe(models / READER_FILE, {"threshold": threshold})


def best_temperature(reader: IndexReader, work: Path, limit: int) -> float:
    """The temperature with the least loss on held-out crops; prints what index and card read alone and together."""
    assert reader.card is not None
    plain = replace(reader, temperature=1.0, threshold=0.0)
    crops = held_out_crops(work, limit)
    index_logits, card_logits, ranks, suits = [], [], [], []
    for batch in iter(lambda: list(itertools.islice(crops, 256)), []):
        cuts, cards, rank, suit = zip(*batch, strict=True)
        index_logits.append(plain.outputs(cuts)[:, :19])
        card_logits.append(reader.card.outputs(cards))
        ranks += rank
        suits += suit
    index, card = np.concatenate(index_logits), np.concatenate(card_logits)
    labels = np.array(ranks), np.array(suits)
    for name, logits in (("index", index), ("card", card), ("both", index + card)):
        shares = _right_shares(logits, *labels)
        print(
            f"{name:<6}rank {shares[0]:.2%}, suit {shares[1]:.2%}, both {shares[2]:.2%} of {shares[3]} held-out crops"
        )
    return float(min(np.arange(0.5, 2.01, 0.05), key=lambda t: _loss((index + card) / t, *labels)))


def _right_shares(logits: np.ndarray, rank: np.ndarray, suit: np.ndarray) -> tuple[float, float, float, int]:
    full = (rank != NO_RANK) & (suit >= 0) & (suit != NO_SUIT)
    good = (logits[:, :14].argmax(1) == rank)[full], (logits[:, 14:].argmax(1) == suit)[full]
    return float(good[0].mean()), float(good[1].mean()), float((good[0] & good[1]).mean()), int(full.sum())


def _loss(logits: np.ndarray, rank: np.ndarray, suit: np.ndarray) -> float:
    """Mean cross-entropy of rank and suit where they are known."""
    total = 0.0
    for part, label in ((logits[:, :14], rank), (logits[:, 14:], suit)):
        part = part - part.max(1, keepdims=True)
        log_p = part - np.log(np.exp(part).sum(1, keepdims=True))
        known = label >= 0
        total -= float(log_p[known, label[known]].mean())
    return total


def judge_drawn(reader: Reader, work: Path, limit: int) -> Iterator[Judged]:
    """Every reading of the held-out scenes, their scale told where it may be and not told, however sure."""
    free = with_threshold(reader, 0.0)
    for picture in drawn_pictures(work, limit):
        image = load_picture(picture.path)
        for reading in [*(free.read(image, picture.card_px) if picture.card_px else []), *free.read(image)]:
            if len(reading.card) == 2:
                yield Judged(reading.confidence, reading.card in picture.maybe)


def judge_photos(reader: Reader, photos: Path, limit: int) -> Iterator[Judged]:
    """Every reading of the held-out photographs; of cards known by rank alone the rank is judged."""
    free = with_threshold(reader, 0.0)
    for pictures in photo_pictures(photos, "held-out", limit).values():
        for picture in pictures:
            halves = {c[0] for c in picture.truth if "?" in c}
            for reading in free.read(load_picture(picture.path)):
                if len(reading.card) == 2 and not picture.incomplete:
                    yield Judged(reading.confidence, reading.card in picture.truth or reading.card[0] in halves)


def choose_threshold(judged: list[Judged]) -> float:
    """The least threshold whose wrong readings are no more than WRONG_SHARE allows, give or take one standard error.

    A few thousand readings cannot tell 0.10 % from 0.15 %; without the standard error a single one decides.
    """
    ordered = sorted(judged, key=lambda j: -j.confidence)
    wrong, chosen = 0, ordered[0].confidence if ordered else 0.9
    for number, one in enumerate(ordered, 1):
        wrong += not one.right
        if wrong <= WRONG_SHARE * number + (WRONG_SHARE * number) ** 0.5:
            chosen = one.confidence
    return round(min(max(chosen, 0.5), 0.999), 3)


def curve(judged: list[Judged]) -> None:
    """Print right and wrong against the threshold."""
    rights = sum(j.right for j in judged)
    for threshold in (0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99):
        above = [j for j in judged if j.confidence >= threshold]
        right = sum(j.right for j in above)
        wrong = len(above) - right
        kept, bad = right / max(rights, 1), wrong / max(len(above), 1)
        print(f"  at {threshold:.2f}: {kept:.1%} of the right readings kept, {bad:.2%} wrong")


def reliability(judged: list[Judged]) -> None:
    """Print how often readings of each confidence were right."""
    bins: dict[int, list[Judged]] = defaultdict(list)
    for one in judged:
        bins[min(int(one.confidence * 10), 9)].append(one)
    for number in sorted(bins):
        inside = bins[number]
        said = float(np.mean([j.confidence for j in inside]))
        print(f"  said {said:.2f}: right {np.mean([j.right for j in inside]):.2f} of {len(inside)}")


def diagram(judged: list[Judged], threshold: float) -> str:
    """An SVG of two panels: how often readings of each confidence were right; right and wrong against the threshold."""
    bins: dict[int, list[Judged]] = defaultdict(list)
    for one in judged:
        bins[min(int(one.confidence * 10), 9)].append(one)
    dots = [
        (float(np.mean([j.confidence for j in b])), float(np.mean([j.right for j in b])), len(b)) for b in bins.values()
    ]
    rights = max(sum(j.right for j in judged), 1)
    cuts = np.linspace(0.3, 0.999, 60)
    above = [[j for j in judged if j.confidence >= cut] for cut in cuts]
    kept = [(c, sum(j.right for j in a) / rights) for c, a in zip(cuts, above, strict=True)]
    wrong = [(c, 20 * sum(not j.right for j in a) / max(len(a), 1)) for c, a in zip(cuts, above, strict=True)]

    def path(points: list[tuple[float, float]], left: int) -> str:
        return " ".join(f"{left + 300 * x:.1f},{330 - 300 * min(y, 1):.1f}" for x, y in points)

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 380" font-family="sans-serif" font-size="12">',
        '<rect width="760" height="380" fill="white"/>',
        *(f'<rect x="{x}" y="30" width="300" height="300" fill="none" stroke="#888"/>' for x in (50, 430)),
        '<line x1="50" y1="330" x2="350" y2="30" stroke="#bbb"/>',
        *(
            f'<circle cx="{50 + 300 * x:.1f}" cy="{330 - 300 * y:.1f}" r="{2 + n**0.5 / 6:.1f}" fill="#27c"/>'
            for x, y, n in dots
        ),
        f'<polyline points="{path(kept, 430)}" fill="none" stroke="#272" stroke-width="2"/>',
        f'<polyline points="{path(wrong, 430)}" fill="none" stroke="#c22" stroke-width="2"/>',
        f'<line x1="{430 + 300 * threshold:.1f}" y1="30" x2="{430 + 300 * threshold:.1f}" y2="330" stroke="#888" '
        'stroke-dasharray="4"/>',
        '<text x="50" y="22">right (up) against the confidence said (across), 0 to 1</text>',
        '<text x="430" y="22" fill="#272">right readings kept</text>',
        '<text x="560" y="22" fill="#c22">wrong readings, full height 5 %</text>',
        '<text x="430" y="350">threshold, 0 to 1; dashed: the one stored</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


# --- speed -----------------------------------------------------------------------------------------


def speed(models: Path, work: Path) -> None:
    """Milliseconds of CPU on one thread: loading, a whole 2304 x 1296 picture, a region with eight cards, YOLO-nano."""
    print(f"load {_cpu_ms(lambda: Reader.load(models), 3):.0f} ms")
    reader, picture, region = Reader.load(models), _eight_cards(work), (600, 300, 1500, 900)
    print(f"{len(reader.read(picture, SPEED_CARD_PX))} cards read of 8")
    print(f"told where: {_cpu_ms(lambda: reader.indices(picture, SPEED_CARD_PX, region)):.0f} ms")
    print(f"whole picture: {_cpu_ms(lambda: reader.indices(picture, SPEED_CARD_PX)):.0f} ms")
    print(f"scale unknown: {_cpu_ms(lambda: reader.read(picture)):.0f} ms")
    yolo = _yolo_nano(work)
    print("YOLO-nano: Ultralytics is not installed here (make train-env)" if yolo is None else
          f"YOLO-nano predict, 640: {_cpu_ms(lambda: yolo(picture)):.0f} ms")  # fmt: skip


SPEED_CARD_PX = 145.0
"""A card's width when a table of 1 m fills 2304 px."""


def _cpu_ms(work: Callable[[], object], times: int = 7) -> float:
    """Median milliseconds of CPU."""
    spent = []
    for _ in range(times):
        began = time.process_time()
        work()
        spent.append(1e3 * (time.process_time() - began))
    return sorted(spent)[times // 2]


def _eight_cards(work: Path) -> np.ndarray:
    """Eight free cards of a held-out pack in the middle of a 2304 x 1296 table."""
    from models.synth.packs import Library

    pack = next(p for p in Library.load(work, True).packs if len(p.faces) == 52)
    picture = np.full((1296, 2304, 3), (60, 100, 40), np.uint8)
    picture += np.random.default_rng(1).integers(0, 9, picture.shape, dtype=np.uint8)
    for number, card in enumerate(("AS", "9H", "TC", "KD", "4C", "7D", "QS", "2H")):
        face = pack.faces[card]
        size = int(SPEED_CARD_PX), round(SPEED_CARD_PX * face.shape[0] / face.shape[1])
        x, y = 640 + number % 4 * 200, 330 + number // 4 * 270
        picture[y : y + size[1], x : x + size[0]] = cv2.resize(face, size, interpolation=cv2.INTER_AREA)
    return picture


def _yolo_nano(work: Path) -> Callable[[np.ndarray], object] | None:
    """Ultralytics' nano detector, untrained (its time does not depend on that), on one thread."""
    os.environ.setdefault("YOLO_CONFIG_DIR", str(work / "ultralytics"))
    try:
        from models import torchvision_stand_in

        torchvision_stand_in.install()
        import torch
        from ultralytics import YOLO
    except ImportError:
        return None
    torch.set_num_threads(1)
    network = YOLO("yolo11n.yaml", task="detect")
    return lambda picture: network.predict(picture, imgsz=640, device="cpu", verbose=False)


# --- int8 ------------------------------------------------------------------------------------------


def int8(work: Path, models: Path, limit: int) -> None:
    """What eight bits give and cost: size, time and held-out crops of both readers, in floats and as they are used."""
    cuts, cards, ranks, suits = zip(*itertools.islice(held_out_crops(work, limit), PRECISION_CROPS), strict=True)
    floats, labels = work / FLOAT_FOLDER, (np.array(ranks), np.array(suits))
    shutil.copy(models / FINDER_FILE, floats / FINDER_FILE)
    for title, folder in (("floats", floats), ("int8", models)):
        index = replace(Reader.load(folder).index_reader, temperature=1.0)
        assert index.card is not None
        logits = index.outputs(cuts)[:, :19] + index.card.outputs(cards)
        shares, loss = _right_shares(logits, *labels), _loss(logits, *labels)
        times = _cpu_ms(partial(index.outputs, cuts[:32])), _cpu_ms(partial(index.card.outputs, cards[:32]))
        size = sum((folder / name).stat().st_size for name in (READER_FILE, CARD_FILE)) / 1e6
        print(f"{title:<8}{size:5.2f} MB, 32 indices {times[0]:.1f} ms, 32 cards {times[1]:.1f} ms, "
              f"right {shares[2]:.2%} of {shares[3]}, loss {loss:.4f}")  # fmt: skip


PRECISION_CROPS = 6000
"""Held-out crops that both precisions are measured on."""


if __name__ == "__main__":
    main()
