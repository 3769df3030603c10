"""Writes a simulated session as a recording: table.toml, game.toml, the pictures, presses, and the truth beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import cv2

from ..toml_text import key, points, value
from . import geometry
from .session import RATE_HZ, Session

#: JPEG quality of a recording in single frames.
_JPEG_QUALITY = 92


def write_recording(
    session: Session,
    folder: Path,
    *,
    rate_hz: float = RATE_HZ,
    video: bool = True,
    result: dict[str, Any] | None = None,
    swap: dict[str, str] | None = None,
    to_s: float | None = None,
) -> None:
    """Write ``session`` to ``folder`` in the recording format, with truth.jsonl and script.json for scoring.

    ``video`` false writes frames/000001.jpg ... with frames.csv instead of video.mp4; ``result``, if known, becomes
    truth.jsonl's last line and the script's ``expect``; ``to_s`` cuts the pictures short.

    :raises OSError: if the folder or the video cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "table.toml").write_text(table_toml(session), encoding="utf-8")
    (folder / "game.toml").write_text(game_toml(session), encoding="utf-8")
    presses = [{"t": p.t_s, "seat": p.seat, "press": p.press} for p in session.timeline.presses]
    _write_lines(folder / "presses.jsonl", presses)
    ending = [] if result is None else [{"result": result}]
    _write_lines(folder / "truth.jsonl", [*session.timeline.truth, *ending])
    (folder / "script.json").write_text(json.dumps(script(session, result), indent=1) + "\n", encoding="utf-8")
    end = session.timeline.end_s if to_s is None else to_s
    times = [k / rate_hz for k in range(int(end * rate_hz) + 1)]
    write = _write_video if video else _write_frames
    write(session, folder, times, rate_hz, swap or {})


def script(session: Session, result: dict[str, Any] | None = None) -> dict[str, Any]:
    """The session as a written game, in the shape that ``cardtable rule`` reads."""
    head = {"id": session.game, "game": session.game, "seats": list(session.names), "options": session.house}
    tail = {} if result is None else {"expect": result}
    return {**head, **session.opening, "moves": list(session.moves), **tail}


def _write_lines(path: Path, lines: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _write_video(session: Session, folder: Path, times: list[float], rate_hz: float, swap: dict[str, str]) -> None:
    path = folder / "video.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), rate_hz, session.view.size_px)
    if not writer.isOpened():
        raise OSError(f"{path}: this OpenCV cannot write an MPEG-4 video; write single frames instead")
    scene = session.scene(swap)
    for t in times:
        writer.write(scene.draw(t))
    writer.release()


def _write_frames(session: Session, folder: Path, times: list[float], rate_hz: float, swap: dict[str, str]) -> None:
    (folder / "frames").mkdir(exist_ok=True)
    scene = session.scene(swap)
    rows = ["index,seconds\n"]
    for k, t in enumerate(times, 1):
        path = folder / "frames" / f"{k:06d}.jpg"
        if not cv2.imwrite(str(path), scene.draw(t), [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY]):
            raise OSError(f"{path}: the picture could not be written; is the disk full?")
        rows.append(f"{k},{t:.4f}\n")
    (folder / "frames.csv").write_text("".join(rows), encoding="utf-8")


def table_toml(session: Session) -> str:
    """The table's geometry as table.toml words it: the same numbers that the picture is drawn with."""
    view = session.view
    lines = [
        "[table]", f"width = {view.table_mm[0]:g}", f"height = {view.table_mm[1]:g}",
        "[card]", f"width = {geometry.CARD_MM[0]:g}", f"height = {geometry.CARD_MM[1]:g}",
        "[camera]",
        f"picture = {points(view.picture)}",
        f"table   = {points(view.table_corners)}",
    ]  # fmt: skip
    for zone in session.zones:
        left, top, right, bottom = zone.rect
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        lines += ["[[zone]]", f'name = "{zone.name}"', f"polygon = {points(corners)}"]
    return "\n".join(lines) + "\n"


def game_toml(session: Session) -> str:
    """What is played and what is known of the deal, as game.toml words it."""
    lines = [
        f'game = "{session.game}"',
        f"seats = {json.dumps(list(session.names))}",
        f"dealer = {session.dealer}",
        "[house]",
        *(f"{key(name)} = {value(v)}" for name, v in session.house.items()),
        "[deal]",
        *(f"{key(name)} = {value(v)}" for name, v in session.deal.items()),
    ]
    return "\n".join(lines) + "\n"
