"""A film of what was seen: zones, cards with their readings and identities, hands, what waits, facts and rulings.

Drawn over the camera's own pictures, to look at and to debug with. It judges nothing and keeps nothing in memory but
the lines that stand beside the picture.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.gate import Scene
from vision.layout import Lying
from vision.words import BACK, UNREAD

from .perception import Perception

Image = NDArray[np.uint8]
Colour = tuple[int, int, int]

_WIDE_PX: Final = 1280
"""Widest picture drawn: a card of a recording is then 80 px or more."""

_PANEL_PX: Final = 512
"""Width of the column of words beside it: 48 characters."""

_LINE_PX: Final = 22
_LETTERS: Final = 52
_FONT: Final = cv2.FONT_HERSHEY_SIMPLEX

_MOST_FILL_S: Final = 5.0
"""Where no frames came for a while the last stands for so long at most, so that the film keeps the video's time."""

_WHITE: Final = (245, 245, 245)
_GREY: Final = (160, 160, 160)
_DARK: Final = (28, 28, 28)
_READ: Final = (90, 230, 90)
_DOUBT: Final = (255, 90, 255)
_DOWN: Final = (255, 180, 60)
_ZONE: Final = (200, 200, 90)
_WAITS: Final = (0, 220, 255)
_ALARM: Final = (80, 80, 255)
_HANDS: Final = ((60, 140, 255), (255, 120, 160), (120, 255, 255), (200, 160, 80))

_KINDS: Final = {
    "fact": _WHITE,
    "note": _GREY,
    "refused": _ALARM,
    "proved": _ALARM,
    "conflict": _DOUBT,
    "unsure": _DOUBT,
    "out_of_step": _WAITS,
    "turn": _GREY,
    "due": _GREY,
}
_SUITS: Final = {"\N{BLACK SPADE SUIT}": "S", "\N{BLACK HEART SUIT}": "H", "\N{BLACK DIAMOND SUIT}": "D"} | {
    "\N{BLACK CLUB SUIT}": "C"
}


class TraceFault(OSError):
    """The film cannot be written: one line with the place, what is wrong, and the remedy."""


@dataclass(slots=True)
class Trace:
    """Writes the film. ``fps``: frames a second of the video; ``names``: the players, seat 1 first."""

    path: Path
    writer: Any
    fps: float
    size_px: tuple[int, int]
    names: Sequence[str]
    written: int = 0
    _lines: deque[tuple[str, Colour]] = field(default_factory=lambda: deque(maxlen=64))

    @classmethod
    def open(cls, path: Path, size_px: tuple[int, int], fps: float, names: Sequence[str]) -> Trace:
        """Begin the film of a camera with frames of ``size_px``.

        :raises TraceFault: if it cannot be written there.
        """
        _may_be_written(path)
        scale = min(1.0, _WIDE_PX / size_px[0])
        picture = round(size_px[0] * scale), round(size_px[1] * scale)
        whole = _even(picture[0] + _PANEL_PX), _even(picture[1])
        writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), fps, whole)
        if not writer.isOpened():
            raise TraceFault(f"{path}: cannot be written as MP4; is the disk full, is OpenCV built with FFmpeg?")
        return cls(path, writer, fps, picture, tuple(names))

    def frame(self, perception: Perception, seconds: float, lines: Sequence[Mapping[str, Any]]) -> None:
        """The newest frame, seen at ``seconds``, and the ``lines`` (as `watch` tells them) that it gave."""
        for line in lines:
            self._lines.extend(_worded(line, self.names))
        if perception.newest is None:
            return
        whole = self.drawn(perception, perception.newest, seconds)
        due = round(seconds * self.fps) + 1 - self.written
        for _ in range(min(max(due, 1), round(_MOST_FILL_S * self.fps))):
            self.writer.write(whole)
            self.written += 1

    def close(self) -> None:
        """Finish the file.

        :raises TraceFault: if what lies on the disk is not the whole film.
        """
        self.writer.release()
        if self.written and _frames_in(self.path) < self.written:
            raise TraceFault(f"{self.path}: was not written to its end; is the disk full?")

    def drawn(self, perception: Perception, image: Image, seconds: float) -> Image:
        """One picture of the film, BGR uint8 [h, w, 3]."""
        picture = cv2.resize(image, self.size_px, interpolation=cv2.INTER_AREA)
        pen = _Pen(np.asarray(picture, np.uint8), perception, self.size_px[0] / image.shape[1])
        scene = perception.tracker.scene
        if scene is not None and perception.trouble is None:
            pen.tint(scene)
        pen.zones(self.names)
        for card in perception.tracker.layout:
            pen.card(card)
        if scene is not None and perception.trouble is None:
            pen.hands(scene)
            pen.rests(scene)
        return self._beside(pen.picture, _state(perception, scene, seconds))

    def _beside(self, picture: Image, state: Sequence[tuple[str, Colour]]) -> Image:
        high, wide = picture.shape[:2]
        whole = np.full((_even(high), _even(wide + _PANEL_PX), 3), _DARK, np.uint8)
        whole[:high, :wide] = picture
        room = whole.shape[0] // _LINE_PX - len(state) - 1
        told = list(self._lines)[-room:]
        for row, (words, colour) in enumerate([*state, ("", _GREY), *told]):
            place = (wide + 12, _LINE_PX * (row + 1) - 4)
            cv2.putText(whole, words, place, _FONT, 0.5, colour, 1, cv2.LINE_AA)
        return whole


@dataclass(slots=True)
class _Pen:
    """Draws on one picture. ``scale``: its pixels of a camera's pixel."""

    picture: Image
    perception: Perception
    scale: float

    def tint(self, scene: Scene) -> None:
        """Colour what differs from the settled picture, and each hand."""
        gate = self.perception.tracker.gate
        wide, high = (round(v * gate.factor * self.scale) for v in gate.size)
        colours = np.zeros((*scene.changed.shape, 3), np.uint8)
        colours[scene.changed > 0] = (60, 60, 0)
        for hand in np.unique(scene.hand_of[scene.hand_of > 0]):
            colours[scene.hand_of == hand] = [c // 4 for c in _HANDS[int(hand) % len(_HANDS)]]
        part = self.picture[:high, :wide]
        layer = cv2.resize(colours, (part.shape[1], part.shape[0]), interpolation=cv2.INTER_NEAREST)
        cv2.add(part, np.asarray(layer, np.uint8), dst=part)
        edges, _ = cv2.findContours(
            np.where(layer.any(2), 255, 0).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE
        )
        cv2.drawContours(part, edges, -1, _ZONE, 1)

    def zones(self, names: Sequence[str]) -> None:
        """The zones with their names, and who sits there."""
        places = self.perception.seating.places
        for name, polygon in places.zones:
            self._outline(polygon, _ZONE, 1)
            x, y = self._px(polygon).min(0)
            seat = places.seat_in(name)
            who = f" {_ascii(names[seat - 1])}" if seat is not None and seat <= len(names) else ""
            self._words(name + who, (x + 4, y + 14), _ZONE, 0.45)

    def card(self, card: Lying) -> None:
        """A card as it is known to lie: its outline, what it shows, which card it is."""
        colour = {BACK: _DOWN, UNREAD: _DOUBT}.get(card.face, _READ)
        outline = card.pose.outline(self.perception.surface.card_mm)
        self._outline(outline, colour, 2)
        x, y = self._px(outline).min(0)
        self._words(card.face, (x + 3, y + 15), colour, 0.5, filled=True)
        self._words(f"#{card.id}", (x + 3, y + 31), colour, 0.4, filled=True)

    def hands(self, scene: Scene) -> None:
        """Where each arm comes in, and whose it is taken for."""
        for hand in scene.hands:
            seat, sure = self.perception.seating.places.seat_at(hand.entry_mm)
            colour = _HANDS[hand.id % len(_HANDS)]
            x, y = self._inside(self._px(hand.contact_mm))
            cv2.circle(self.picture, (x, y), 9, colour, -1, cv2.LINE_AA)
            whose = f"seat {seat} ({sure:.0%})" if seat is not None else "nobody's"
            self._words(f"hand {hand.id}: {whose}", (x - 60, y + (24 if y < 60 else -14)), colour, 0.5, filled=True)

    def rests(self, scene: Scene) -> None:
        """Places that changed and lie still, for how long; settled ones are being read."""
        for rest in scene.rests:
            left, top, right, bottom = (round(v * self.scale) for v in rest.region_px)
            colour = _READ if rest.settled else _WAITS
            cv2.rectangle(self.picture, (left, top), (right, bottom), colour, 1)
            still = scene.seconds - rest.free_s
            self._words(f"{'settled' if rest.settled else 'still'} {still:.2f} s", (left, bottom + 14), colour, 0.45)

    def _px(self, points_mm: Any) -> NDArray[np.float64]:
        return np.asarray(self.perception.surface.px(points_mm) * self.scale, float)

    def _inside(self, point: Any) -> tuple[int, int]:
        high, wide = self.picture.shape[:2]
        return int(np.clip(point[0], 12, wide - 12)), int(np.clip(point[1], 12, high - 12))

    def _outline(self, points_mm: Any, colour: Colour, width: int) -> None:
        points = np.round(self._px(points_mm) * 8).astype(np.int32)
        cv2.polylines(self.picture, [points], True, colour, width, cv2.LINE_AA, 3)

    def _words(self, words: str, at: Any, colour: Colour, size: float, filled: bool = False) -> None:
        (wide, high), _ = cv2.getTextSize(words, _FONT, size, 1)
        x = int(np.clip(at[0], 2, max(2, self.picture.shape[1] - wide - 2)))
        y = int(np.clip(at[1], high + 2, self.picture.shape[0] - 4))
        if filled:
            cv2.rectangle(self.picture, (x - 2, y - high - 2), (x + wide + 2, y + 3), _DARK, -1)
        else:
            cv2.putText(self.picture, words, (x, y), _FONT, size, _DARK, 3, cv2.LINE_AA)
        cv2.putText(self.picture, words, (x, y), _FONT, size, colour, 1, cv2.LINE_AA)


def _state(perception: Perception, scene: Scene | None, seconds: float) -> list[tuple[str, Colour]]:
    """What the gate says now, in a few lines."""
    lines = [(f"{seconds:8.2f} s   cards {len(perception.tracker.layout.cards)}", _WHITE)]
    trouble = perception.trouble
    if trouble is not None:
        return [*lines, *((part, _ALARM) for part in textwrap.wrap(f"{trouble.value}: {trouble.words}", _LETTERS))]
    if perception.lookout.steady.moved:
        lines.append(("camera moved: seen from its first place again", _WAITS))
    if scene is None:
        return [*lines, ("not yet looked at", _GREY)]
    if scene.idle:
        return [*lines, ("idle", _GREY)]
    share = float((scene.changed > 0).mean())
    settled = sum(rest.settled for rest in scene.rests)
    words = f"changed {share:.1%}  hands {len(scene.hands)}  still {len(scene.rests)}  settled {settled}"
    return [*lines, (words, _WAITS)]


def _worded(line: Mapping[str, Any], names: Sequence[str]) -> list[tuple[str, Colour]]:
    """A fact or ruling in as many short lines as it takes."""
    if "result" in line:
        return []
    kind = next((k for k in ("ruling", "fact", "note") if k in line), "fact")
    words = f"{line['t']:7.2f}  {_ruling(line) if kind == 'ruling' else _fact(line, kind, names)}"
    colour = _KINDS.get(line[kind] if kind == "ruling" else kind, _READ)
    return [(_ascii(part), colour) for part in textwrap.wrap(words, _LETTERS, subsequent_indent=" " * 9)]


def _ruling(line: Mapping[str, Any]) -> str:
    return f"{line['ruling']} {line.get('code', '')}: {line['why']}"


def _fact(line: Mapping[str, Any], kind: str, names: Sequence[str]) -> str:
    seat = line.get("seat")
    who = f" {names[seat - 1]}" if isinstance(seat, int) and 1 <= seat <= len(names) else ""
    hidden = ("t", "at", "entry", kind, "seat", "confidence", "seat_confidence")
    rest = " ".join(str(v) for k, v in line.items() if k not in hidden)
    sure = f" {line['confidence']:.2f}/{line['seat_confidence']:.2f}" if "confidence" in line else ""
    return f"#{line['entry']} {line[kind]}{who} {rest}{sure}"


def _ascii(text: str) -> str:
    """What OpenCV's letters can show: suits as letters, accents left off."""
    text = "".join(_SUITS.get(letter, letter) for letter in text)
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def _may_be_written(path: Path) -> None:
    if path.suffix.lower() != ".mp4":
        raise TraceFault(f"{path}: a trace is an MP4; name it trace.mp4")
    if path.is_dir():
        raise TraceFault(f"{path}: is a folder; name a file in it, such as {path / 'trace.mp4'}")
    if not path.parent.is_dir():
        raise TraceFault(f"{path}: there is no folder {path.parent}; make it first")
    try:
        with path.open("ab"):
            pass
    except OSError as error:
        raise TraceFault(f"{path}: cannot be written ({error.strerror}); name another place") from None


def _frames_in(path: Path) -> int:
    capture = cv2.VideoCapture(str(path))
    count = int(capture.get(cv2.CAP_PROP_FRAME_COUNT)) if capture.isOpened() else 0
    capture.release()
    return count


def _even(side: int) -> int:
    """Video codecs want even sides."""
    return side + side % 2
