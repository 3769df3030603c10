"""Setting up at the table: what `cardtable mat`, `calibrate`, `enrol` and `audit` do.

Joins the camera, `vision.calibrate`, `vision.enrol` and the settings file; says what happens in lines and writes the
results.  It asks nobody anything: pictures come from an iterator, and whoever makes that may ask.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.calibrate import Calibrated, Point, calibrate, condition
from vision.enrol import (
    CARDS,
    EnrolError,
    Spread,
    audit,
    before_and_after,
    best_spread,
    enrol,
    in_order,
    is_gain,
    load_head,
)
from vision.enrol import with_pack as adapted
from vision.frames import Camera, FrameError
from vision.outlines import Plan, find, plan
from vision.pose import Pose
from vision.reader import RANKS, SUITS, Image, Reader

from . import settings_file
from .config import TableConfig, config_folder, load_table
from .mat import PILES, STANDARD_MM, STRIPS, Sheets, Size, marker_pdf, mat_pdf, table_toml
from .perception import surface_of
from .toml_text import text_of

WARM_UP_FRAMES: Final = 8
"""Frames let go before one is kept: a USB camera finds its exposure in about half a second."""

PACK_FILE: Final = "pack.npz"
"""What was learnt of this house's pack, beside table.toml."""


def settings_path() -> Path:
    """Where the settings of this table are kept."""
    return config_folder() / "table.toml"


def table_settings() -> tuple[TableConfig, str | None]:
    """The settings, from the last good file, and a line for people if that is not the present one.

    :raises ConfigError: if there is none, or it says something wrong.
    """
    path, notice = settings_file.readable(settings_path())
    return load_table(path), notice


def house_reader(threads: int = 1) -> Reader:
    """The reader, adapted to this house's pack if one has been enrolled.

    :raises ModelError: if the models are missing.
    :raises EnrolError: if the pack's profile is damaged.
    """
    reader = Reader.load(threads=threads)
    path = config_folder() / PACK_FILE
    return adapted(reader, load_head(path)) if path.is_file() else reader


def one_picture(camera: Camera) -> Image:
    """A picture from an open camera, once it has warmed up; the camera is closed.

    :raises FrameError: if it gives none.
    """
    try:
        frame = camera.read()
        for _ in range(WARM_UP_FRAMES):
            frame = camera.read() or frame
    finally:
        camera.close()
    if frame is None:
        raise FrameError("the camera gave no picture; see `cardtable check`")
    return frame.image


# --- mat ---------------------------------------------------------------------------------------------------------


def make_mat(
    target: Path, seats: int, size_mm: Size = STANDARD_MM, deep: bool = False, sheets: Sheets = "one", ink: bool = True
) -> list[str]:
    """Write the mat to ``target`` (PDF), and its table and zones to table.toml; say what was done.

    Settings that already have this table and these zones are left, with their calibration; other sections always are.

    :raises MatError: if the number of seats or the size cannot be had.
    :raises ConfigError: if there is a table.toml that is no TOML.
    :raises ValueError: if ``target`` is not called a PDF.
    :raises OSError: if a file cannot be written.
    """
    plan = PILES if deep else STRIPS
    data = mat_pdf(seats, size_mm, plan, sheets) if ink else mat_pdf(seats, size_mm, plan, sheets, ground=None)
    _write_pdf(target, data)
    line = f"{target}: mat for {seats} seats, {_size_words(size_mm)}; print it at 100 %"
    return [line, _keep_zones(seats, size_mm, table_toml(seats, size_mm, plan))]


def make_markers(target: Path, seats: int, size_mm: Size = STANDARD_MM, deep: bool = False) -> list[str]:
    """Write the sheet of four corner markers to cut out, and the table and the zones of such a mat to table.toml.

    :raises MatError, ConfigError, ValueError, OSError: as `make_mat`.
    """
    text = table_toml(seats, size_mm, PILES if deep else STRIPS)
    _write_pdf(target, marker_pdf())
    where = f"print at 100 %, cut out, lay them on the corners of the playing area of {_size_words(size_mm)}"
    return [f"{target}: four corner markers; {where}", _keep_zones(seats, size_mm, text)]


def _size_words(size_mm: Size) -> str:
    return f"{size_mm[0]:g} x {size_mm[1]:g} mm"


def _write_pdf(target: Path, data: bytes) -> None:
    if target.suffix.lower() != ".pdf":
        raise ValueError(f"{target}: what is printed is a PDF; give a name that ends in .pdf")
    target.write_bytes(data)


def _keep_zones(seats: int, size_mm: Size, text: str) -> str:
    """Set table.toml to the table and the zones of ``text``, unless it has them; the line that says so."""
    path = settings_path()
    readable, _ = settings_file.readable(path)
    old = text_of(readable.read_bytes()) if readable.is_file() else text
    new = settings_file.with_mat(old, text)
    if path.is_file() and new == old:
        return f"{path}: has this mat already; its calibration stays"
    settings_file.write(path, new)
    return f"{path}: set to {seats} seats, {_size_words(size_mm)}; next: cardtable calibrate"


# --- calibrate ---------------------------------------------------------------------------------------------------

SHOWN: Final = (".png", ".jpg", ".jpeg")
"""Endings of the picture of the result."""


def calibrate_table(image: Image, corners: Sequence[Point] | None = None, shown: Path | None = None) -> Calibrated:
    """Calibrate from a picture of the empty table, keep the result in table.toml, draw it into ``shown``.

    A calibration with findings is kept, too: it is better than the one before, and the lines say what to mend.

    :raises CalibrationError: if the table cannot be found.
    :raises ConfigError: if table.toml is missing or wrong.
    :raises OSError: if ``shown`` cannot be written; the calibration is kept all the same.
    """
    if shown is not None and shown.suffix.lower() not in SHOWN:
        raise ValueError(f"{shown}: give a name that ends in {' or '.join(SHOWN)}")
    config, _ = table_settings()
    zones = [(zone.name, zone.polygon) for zone in config.zones]
    done = calibrate(image, (config.width_mm, config.height_mm), corners, zones)
    path, _ = settings_file.readable(settings_path())
    fit = done.fit
    text = settings_file.with_camera(text_of(path.read_bytes()), fit.picture, fit.table, fit.matrix, fit.distortion)
    settings_file.write(settings_path(), text)
    if shown is not None and not cv2.imwrite(str(shown), done.picture):
        raise OSError(f"{shown}: cannot be written; is its folder there? The calibration itself is kept")
    return done


def parse_corners(text: str) -> list[Point]:
    """Four corners in px from ``"112,60 1172,84 1166,905 98,890"``, clockwise from the top left.

    :raises ValueError: if it is not written so.
    """
    try:
        points = [(float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())]
    except ValueError:
        points = []
    if len(points) != 4 or not all(math.isfinite(v) for point in points for v in point):
        raise ValueError(f"corners: four x,y in px are wanted, clockwise from the top left, not {text!r}")
    return points


# --- enrol and audit ---------------------------------------------------------------------------------------------


def parse_suits(text: str) -> str:
    """The suits of cards that are laid in order, such as ``"SHDC"``; "" for any order.

    :raises ValueError: if it is not written so.
    """
    suits = text.strip().upper()
    if suits and sorted(suits) != sorted(SUITS):
        raise ValueError(f"--in-order: each of S, H, D and C once is wanted, such as SHDC, not {text!r}")
    return suits


@dataclass(slots=True)
class Enrolment:
    """A pack on its way to being known. Feed it pictures with `add`; `finish` writes what was learnt.

    ``suits``: where the cards are laid in order, one suit a picture, ace to king in rows from the top left, the suits
    in this order; "" where they lie in any order.  ``advise``: what to do about a picture in which nothing is found.
    """

    reader: Reader
    card_px: float
    suits: str = ""
    advise: Callable[[Image], str] = lambda image: "lay them face up and apart"
    spreads: list[Spread] | None = None
    known: list[str] | None = None

    def add(self, image: Image) -> str:
        """Take one picture; the line says what is still missing.

        :raises EnrolError: if no card's corner was found, or the cards were to lie in order and another number was
            seen; the picture does not count.
        """
        spreads = self.spreads or []
        seen = best_spread(self.reader, image, self.card_px, len(spreads))
        if not seen.looks:
            raise EnrolError(f"no card's corner was found: {self.advise(image)}")
        if self.suits:
            suit = self.suits[len(spreads) % len(self.suits)]
            names = in_order(seen.looks, [rank + suit for rank in RANKS])
            self.known = [*(self.known or []), *names]
        self.spreads = [*spreads, seen]
        return f"{len(seen.looks)} cards seen; {missing_words(self.missing)}"

    @property
    def missing(self) -> tuple[str, ...]:
        """Cards that no picture has shown."""
        return enrol(self.spreads or [], self.known).missing

    def finish(self, folder: Path) -> list[str]:
        """Learn, write the pack's profile into ``folder``, and say how much better the pack is read.

        :raises EnrolError: if too little of the pack was shown.
        """
        spreads = self.spreads or []
        done = enrol(spreads, self.known)
        if done.head is None or done.missing:  # with some unnamed, others may be misnamed, and would be taught so
            raise EnrolError(
                f"not every card could be named ({missing_words(done.missing)}): show those, or lay all in order, "
                "one suit a picture, ace to king: cardtable enrol --in-order"
            )
        before, after = before_and_after(spreads, done.names, self.reader.threshold)
        measured = [
            f"before: {before.words} (single corners)",
            f"after:  {after.words} (each corner by what the other taught)",
        ]
        if not is_gain(before, after):
            return [*measured, "this pack is read as well without: nothing was written"]
        path = folder / PACK_FILE
        folder.mkdir(parents=True, exist_ok=True)
        settings_file.replace(path, done.head.to_bytes())
        return [*measured, f"{path}: written; used from the next game on. To forget it: remove the file"]


def missing_words(missing: Sequence[str]) -> str:
    """The cards that are missing, as many as people can look for at once."""
    if not missing:
        return "all 52 are there"
    return f"missing: {' '.join(missing[:13])}" + (f" and {len(missing) - 13} more" if len(missing) > 13 else "")


def enrol_pictures(enrolment: Enrolment, pictures: Iterable[Image]) -> Iterator[str]:
    """Feed all pictures, or as many as are needed; a picture that cannot be used is said and left out."""
    for image in pictures:
        try:
            yield enrolment.add(image)
        except EnrolError as error:
            yield f"again, please: {error}"
            continue
        if not enrolment.missing:
            return


STANDS_OUT_LEVELS: Final = 20.0
"""A card's middle tone differs from the table's round it by so many levels of a channel; a printed zone's does not."""


def advice(config: TableConfig, image: Image) -> str:
    """What to do about a picture of this table in which the reader finds no corner of a card."""
    surface, size_mm = surface_of(config), (config.width_mm, config.height_mm)
    amiss = [finding for finding in condition(image, surface, size_mm).findings if not finding.good]
    if amiss:
        first = [one for one in amiss if one.what == "light"] or amiss  # in the dark nothing else can be told
        return f"{'; '.join(one.words for one in first)} (`cardtable calibrate` tells when it is mended)"
    card_mm = config.card_w_mm, config.card_h_mm
    view = plan(image, surface, (0.0, 0.0, *size_mm))
    lying = sum(_stands_out(view, one.pose, card_mm) for one in find(view, card_mm, levels=True))
    if not lying:
        return (
            f"nothing of a card's size ({card_mm[0]:g} x {card_mm[1]:g} mm) lies there: lay the cards on the mat, face "
            "up and apart; if they do, measure one and set [card], and `cardtable calibrate` if the camera was moved"
        )
    return (
        f"{lying} of a card's size lie there, but no rank above a suit in a corner is seen: turn them face up; if they "
        "are, tilt the lamp until no corner shines, and lower the camera; a pack without such corners cannot be learnt"
    )


def _stands_out(view: Plan, pose: Pose, card_mm: tuple[float, float]) -> bool:
    """Has the rectangle another tone within than without, in the middle? The lines of a mat's zones have not."""
    rings = []
    for outer, inner in ((-4.0, -16.0), (16.0, 4.0)):
        mask = np.zeros(view.image.shape[:2], np.uint8)
        for margin_mm, value in ((outer, 255), (inner, 0)):
            corners = view.grid(pose.outline((card_mm[0] + margin_mm, card_mm[1] + margin_mm)))
            cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], value)
        rings.append(np.median(view.image[mask > 0], axis=0))
    return bool(np.abs(rings[0] - rings[1]).max() > STANDS_OUT_LEVELS)


def audit_picture(image: Image, reader: Reader, card_px: float, advise: Callable[[Image], str]) -> tuple[str, bool]:
    """Count a spread pack: the line for people, and whether it is whole; where nothing is found, what to do."""
    found = audit(reader.read(image, card_px), CARDS)
    if not found.seen:
        return f"no card's corner was found: {advise(image)}", False
    return found.words, found.whole


def card_px(config: TableConfig) -> float:
    """Width of a card in this table's picture, px.

    :raises SurfaceError: if the calibration cannot be used.
    """
    return surface_of(config).card_px


def pictures_on_request(take: Callable[[], Image], wait: Callable[[], bool]) -> Iterator[Image]:
    """A picture each time that ``wait`` returns True; ends when it returns False."""
    while wait():
        yield take()
