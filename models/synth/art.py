"""Fetch card art and fonts as packages (by name and version) and render each face once.

Nothing fetched or rendered here is committed: it lives in a work folder (default ``build/train``).
Rendered faces are PNG files ``cards/<pack>/<card>.png``, 300 px wide. Needs npm, pip, apt-get and
rsvg-convert on the training machine; a package that cannot be had is left out with a word.
"""

from __future__ import annotations

import gzip
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

RANKS = "A23456789TJQK"
SUITS = "CDHS"
FACE_WIDTH_PX = 300
_SHEET_WIDTH_PX = 3900  # 13 faces of 300 px side by side


@dataclass(frozen=True, slots=True)
class Package:
    """One package: where it comes from, its exact version ("" = the distribution's) and its licence."""

    source: str
    name: str
    version: str
    licence: str


PACKAGES = (
    Package("npm", "@letele/playing-cards", "0.1.0", "CC0-1.0"),
    Package("npm", "@heruka_urgyen/react-playing-cards", "0.5.0", "CC0-1.0"),
    Package("npm", "cardsJS", "1.1.1", "MIT, art LGPL-3.0"),
    Package("npm", "@younestouati/playing-cards-standard-deck", "3.0.0", "MIT, art LGPL-3.0"),
    Package("npm", "svg-cards", "4.0.2", "LGPL-2.1"),
    Package("pypi", "arcade", "3.3.3", "art CC0-1.0 (Kenney)"),
    Package("deb", "gnome-cards-data", "", "GPL-3+"),
    Package("deb", "kdegames-card-data-kf5", "", "GPL-2+, LGPL"),
    Package("deb", "fonts-liberation2", "", "OFL-1.1"),
    Package("deb", "fonts-open-sans", "", "Apache-2.0"),
    Package("deb", "fonts-dejavu-core", "", "Bitstream Vera"),
    Package("deb", "fonts-dejavu-extra", "", "Bitstream Vera"),
    Package("deb", "fonts-roboto-unhinted", "", "Apache-2.0"),
    Package("deb", "fonts-roboto-slab", "", "Apache-2.0"),
    Package("deb", "fonts-oldstandard", "", "OFL-1.1"),
    Package("deb", "fonts-texgyre", "", "GUST Font License"),
    Package("deb", "fonts-linuxlibertine", "", "OFL-1.1"),
    Package("deb", "fonts-gfs-didot", "", "OFL-1.1"),
    Package("deb", "fonts-gfs-artemisia", "", "OFL-1.1"),
    Package("deb", "fonts-goudybookletter", "", "public domain"),
    Package("deb", "fonts-bebas-neue", "", "OFL-1.1"),
    Package("deb", "fonts-league-spartan", "", "OFL-1.1"),
    Package("deb", "fonts-quattrocento", "", "OFL-1.1"),
    Package("deb", "fonts-cabin", "", "OFL-1.1"),
    Package("deb", "fonts-lato", "", "OFL-1.1"),
    Package("deb", "fonts-ebgaramond", "", "OFL-1.1"),
    Package("deb", "fonts-crosextra-caladea", "", "OFL-1.1"),
    Package("deb", "fonts-crosextra-carlito", "", "OFL-1.1"),
    Package("deb", "fonts-adf-baskervald", "", "GPL-2+ with font exception"),
    Package("deb", "fonts-adf-universalis", "", "GPL-2+ with font exception"),
    Package("deb", "fonts-adf-tribun", "", "GPL-2+ with font exception"),
    Package("deb", "fonts-sil-gentiumplus", "", "OFL-1.1"),
)

# Sheets whose cards are no French-suited pack, or whose indices are pictures.
SKIPPED_SHEETS = ("Атласные", "atlasnye_skat", "swiss-xvii", "gnomangelo_bitmap", "anglo_bitmap")


def fetch(work: Path) -> None:
    """Download and unpack every package of PACKAGES into ``work/art`` (those already there are kept)."""
    for package in PACKAGES:
        folder = work / "art" / package.source / re.sub(r"\W+", "_", package.name)
        if folder.exists():
            continue
        try:
            _FETCH[package.source](package, folder)
        except (subprocess.CalledProcessError, OSError, IndexError) as error:
            print(f"left out: {package.name} ({error})", flush=True)


def _fetch_npm(package: Package, folder: Path) -> None:
    folder.mkdir(parents=True)
    _run(["npm", "pack", f"{package.name}@{package.version}", "--silent"], folder)
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        archive.extractall(folder, filter="data")


def _fetch_pypi(package: Package, folder: Path) -> None:
    folder.mkdir(parents=True)
    _run(["python3", "-m", "pip", "download", "-q", "--no-deps", f"{package.name}=={package.version}"], folder)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        archive.extractall(folder)


def _fetch_deb(package: Package, folder: Path) -> None:
    folder.mkdir(parents=True)
    _run(["apt-get", "download", "-q", package.name], folder)
    _run(["dpkg-deb", "-x", str(next(folder.glob("*.deb"))), str(folder)], folder)


_FETCH: dict[str, Callable[[Package, Path], None]] = {"npm": _fetch_npm, "pypi": _fetch_pypi, "deb": _fetch_deb}


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)


def render(work: Path) -> None:
    """Render every face to ``work/cards/<pack>/<card>.png`` (packs already there are kept)."""
    art, cards = work / "art", work / "cards"
    for name, faces in _single_files(art):
        folder = cards / name
        if folder.exists():
            continue
        folder.mkdir(parents=True)
        for source, card in faces:
            if source.suffix == ".svg":
                _run(["rsvg-convert", "-w", str(FACE_WIDTH_PX), "-o", str(folder / f"{card}.png"), str(source)], folder)
            else:
                (folder / f"{card}.png").write_bytes(source.read_bytes())
        print(name, len(faces), flush=True)
    for sheet in sorted((art / "deb").glob("gnome_cards_data/usr/share/aisleriot/cards/*.svgz")):
        if sheet.stem not in SKIPPED_SHEETS:
            _render_sheet(sheet, cards / f"gnome_{sheet.stem}")
    for sheet in sorted((art / "deb").glob("kdegames_card_data_kf5/usr/share/carddecks/*/*.svgz")):
        _render_by_id(sheet, cards / f"kde_{sheet.stem.lower()}")


def _render_sheet(sheet: Path, folder: Path) -> None:
    """GNOME sheets: 13 columns ace to king, rows clubs, diamonds, hearts, spades, one more for the back."""
    if folder.exists():
        return
    picture = folder.with_suffix(".sheet.png")
    try:
        _run(["rsvg-convert", "-w", str(_SHEET_WIDTH_PX), "-a", "-o", str(picture), str(sheet)], folder.parent)
    except subprocess.SubprocessError as error:
        print(f"left out: {sheet.name} ({error})", flush=True)
        return
    image = cv2.imread(str(picture), cv2.IMREAD_UNCHANGED)
    picture.unlink()
    if image is None:
        return
    folder.mkdir(parents=True)
    high, wide = image.shape[0] / 5, image.shape[1] / 13
    for row, suit in enumerate(SUITS):
        for column, rank in enumerate(RANKS):
            face = image[round(row * high) : round((row + 1) * high), round(column * wide) : round((column + 1) * wide)]
            cv2.imwrite(str(folder / f"{rank}{suit}.png"), face)
    print(folder.name, flush=True)


def _render_by_id(sheet: Path, folder: Path) -> None:
    """KDE sheets: one SVG whose elements are named ``7_club``, ``queen_heart`` ..."""
    if folder.exists():
        return
    folder.mkdir(parents=True)
    svg = folder / "sheet.svg"
    svg.write_bytes(gzip.decompress(sheet.read_bytes()))
    names = {"1": "A", "10": "T", "jack": "J", "queen": "Q", "king": "K"} | {str(i): str(i) for i in range(2, 10)}
    for word, rank in names.items():
        for suit in ("club", "diamond", "heart", "spade"):
            out = folder / f"{rank}{suit[0].upper()}.png"
            command = ["rsvg-convert", "-w", str(FACE_WIDTH_PX), "-i", f"{word}_{suit}", "-o", str(out), str(svg)]
            try:
                _run(command, folder)
            except subprocess.SubprocessError:
                out.unlink(missing_ok=True)
    svg.unlink()
    print(folder.name, len(list(folder.glob("*.png"))), flush=True)


_NUMBERED = {"1": "A", "11": "J", "12": "Q", "13": "K", "10": "T"} | {str(i): str(i) for i in range(2, 10)}
_NAMED = {"ace": "A", "jack": "J", "queen": "Q", "king": "K", **_NUMBERED}


def _single_files(art: Path) -> Iterable[tuple[str, list[tuple[Path, str]]]]:
    """Packs that come as one file a face: (pack, [(file, card)])."""

    def collect(pattern: str, expression: str, card: Callable[[re.Match[str]], str]) -> list[tuple[Path, str]]:
        found = []
        for path in sorted(art.glob(pattern)):
            match = re.fullmatch(expression, path.stem)
            if match and re.fullmatch(f"[{RANKS}][{SUITS}]", name := card(match)):
                found.append((path, name))
        return found

    def plain(match: re.Match[str]) -> str:
        return match[0].upper().replace("10", "T")

    for colours in ("2color", "4color", "2color-bf", "4color-bf"):
        pattern = f"npm/_heruka_urgyen_react_playing_cards/package/src/images/{colours}/*.svg"
        yield f"heruka_{colours.replace('-', '_')}", collect(pattern, r"\w+", plain)
    yield (
        "letele",
        collect(
            "npm/_letele_playing_cards/package/**/*.svg",
            r"([CDHSdchs])(\w+)",
            lambda m: (m[2].upper().replace("10", "T") if m[2] not in ("1", "11") else _NUMBERED[m[2]]) + m[1].upper(),
        ),
    )
    yield (
        "younes",
        collect(
            "npm/_younestouati_playing_cards_standard_deck/package/cards/*.svg",
            r"(\d+)([cdhs])",
            lambda m: _NUMBERED.get(m[1], "?") + m[2].upper(),
        ),
    )
    yield "cardsjs", collect("npm/cardsJS/package/cards/*.svg", r"\w+", plain)
    yield (
        "svgcards",
        collect(
            "npm/svg_cards/package/png/2x/*.png",
            r"(club|diamond|heart|spade)s?[-_](\w+)",
            lambda m: _NAMED.get(m[2], "?") + m[1][0].upper(),
        ),
    )
    yield (
        "kenney",
        collect(
            "pypi/arcade/arcade/resources/assets/images/cards/*.png",
            r"card(Clubs|Diamonds|Hearts|Spades)(\w+)",
            lambda m: m[2].upper().replace("10", "T") + m[1][0],
        ),
    )


def load_face(path: Path) -> np.ndarray | None:
    """Read a rendered face -> BGR uint8 [H, 300, 3] on white, or None when it cannot be read."""
    image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if image is None:
        return None
    if image.ndim == 2:
        image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
    if image.shape[2] == 4:
        alpha = image[..., 3:].astype(np.float32) / 255
        image = (image[..., :3] * alpha + 255 * (1 - alpha)).astype(np.uint8)
    height = round(image.shape[0] * FACE_WIDTH_PX / image.shape[1])
    mode = cv2.INTER_AREA if image.shape[1] > FACE_WIDTH_PX else cv2.INTER_CUBIC
    return cv2.resize(image, (FACE_WIDTH_PX, height), interpolation=mode)


def font_files(work: Path) -> list[Path]:
    """Upright, readable fonts among the fetched packages, sorted by name."""
    unwanted = re.compile(
        r"italic|oblique|symbol|math|-it\b|thin|hairline|extralight|mono|cursor|chorus|initials|sc-|smcp|-i\.|bi\.|"
        r"light|caps|outline|display|keyboard|-ri\.|_ri\.|_rbi|_rzi|_zi|drm|initial",
        re.IGNORECASE,
    )
    files = [p for kind in ("*.ttf", "*.otf") for p in (work / "art" / "deb").rglob(kind)]
    return sorted((p for p in files if not unwanted.search(p.name)), key=lambda p: p.name)
