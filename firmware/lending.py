"""The running table's camera, lent to the set-up commands of the same machine: a camera has one holder only.

The table hands its newest picture to whoever connects to ``camera.sock`` in the data folder, which only its user and
group may; `calibrate`, `enrol` and `check` ask there before they open the camera themselves.  While a game is on,
nothing is handed out: what hands hold is nobody's to see.
"""

from __future__ import annotations

import contextlib
import io
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from vision.frames import FrameError, Image, as_bgr

SOCKET: Final = "camera.sock"

PATIENCE_S: Final = 5.0
"""Longest wait of either side for the other: 9 MB take a Pi a tenth of a second."""

IN_PLAY: Final = "the table has the camera and a game is on: end it on the page first"
NO_PICTURE: Final = "the table has the camera and gets no picture from it; see `systemctl status cardtable`"

_PICTURE: Final = b"\x93NUMPY"
"""How a picture begins on the wire (NumPy's own format); anything else is a refusal in words."""


class InPlay(FrameError):
    """The running table has the camera, and its picture is not to be had while a game is on."""


@contextmanager
def lending(folder: Path, newest: Callable[[], Image | None], playing: Callable[[], bool]) -> Iterator[str]:
    """Lend ``newest`` (BGR; None where there is none now) while the context lasts; both are called by a thread.

    Gives a line for people if it cannot be done (the game needs it not), "" else.
    """
    try:
        door = _opened(folder / SOCKET)
    except OSError as error:
        yield f"set-up commands cannot use the table's camera while it is on ({error})"
        return
    threading.Thread(target=_serve, args=(door, newest, playing), name="lending", daemon=True).start()
    try:
        yield ""
    finally:
        with contextlib.suppress(OSError):
            door.shutdown(socket.SHUT_RDWR)  # wakes the thread
        door.close()
        (folder / SOCKET).unlink(missing_ok=True)


def table_is_on(folder: Path) -> bool:
    """Whether a table runs over ``folder``: it has the camera and the panel."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as way:
        try:
            way.connect(str(folder / SOCKET))
        except OSError as error:
            return isinstance(error, PermissionError)
        return True


def borrowed(folder: Path) -> Image | None:
    """The newest picture of the table that runs over ``folder``; None where none runs, and the camera is free.

    :raises InPlay: if a game is on.
    :raises FrameError: if the table has no picture, or does not answer.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as way:
        way.settimeout(PATIENCE_S)
        try:
            way.connect(str(folder / SOCKET))
        except PermissionError:
            raise FrameError(
                f"camera: the table is on and has it; to use its picture, belong to the group of {folder} "
                "(sudo usermod -a -G cardtable $USER, log in again)"
            ) from None
        except OSError:  # no table has ever run here, or the last one was killed
            return None
        try:
            return _understood(_all_of(way))
        except TimeoutError:
            raise FrameError(f"camera: {NO_PICTURE}") from None


def _opened(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)  # left by a table that was killed; two cannot run, the journal sees to that
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        door.bind(str(path))
        path.chmod(0o660)
        door.listen()
    except OSError:
        door.close()
        raise
    return door


def _serve(door: socket.socket, newest: Callable[[], Image | None], playing: Callable[[], bool]) -> None:
    while True:
        try:
            caller, _ = door.accept()
        except OSError:  # closed
            return
        with caller, contextlib.suppress(OSError):  # a caller who has gone
            caller.settimeout(PATIENCE_S)
            caller.sendall(_answer(newest, playing))


def _answer(newest: Callable[[], Image | None], playing: Callable[[], bool]) -> bytes:
    if playing():
        return IN_PLAY.encode()
    image = newest()
    if image is None:
        return NO_PICTURE.encode()
    packed = io.BytesIO()
    np.save(packed, image, allow_pickle=False)
    return packed.getvalue()


def _all_of(way: socket.socket) -> bytes:
    parts: list[bytes] = []
    while part := way.recv(1 << 20):
        parts.append(part)
    return b"".join(parts)


def _understood(said: bytes) -> Image:
    if said == IN_PLAY.encode():
        raise InPlay(f"camera: {IN_PLAY}")
    if not said.startswith(_PICTURE):
        raise FrameError(f"camera: {said.decode(errors='replace') or NO_PICTURE}")
    try:
        image: Any = np.load(io.BytesIO(said), allow_pickle=False)
    except (ValueError, EOFError):  # the table ended while it was sending
        raise FrameError("camera: the table stopped while it handed its picture over; try again") from None
    return as_bgr(image, "the table's picture")
