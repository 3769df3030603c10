"""Spoken rulings: short words, through espeak-ng where it is installed; off with one line where there is no sound.

Speaking never holds up the game: one thread speaks, and what has grown stale by the time it could be said is dropped.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..referee.cards import Suit
from ..referee.rulings import Kind, Ruling
from .config import Say

log = logging.getLogger(__name__)

#: After this long a ruling is no longer news: the table has moved on. Most rulings take two seconds to say.
STALE_S = 4.0
#: Longer than the longest sentence; a device that swallows sound for longer is given up for this sentence.
SPEAK_MAX_S = 15.0
#: Waiting sentences; more than this means that the table is faster than speech, and the oldest are the stalest.
QUEUE_MAX = 4
#: Words a minute; espeak-ng's own 175 is hard to follow across a noisy table.
WORDS_A_MINUTE = 150

_FOULS = (Kind.REFUSED, Kind.PROVED, Kind.CONFLICT, Kind.OUT_OF_STEP, Kind.UNSURE)


def words(ruling: Ruling, say: Say, names: Mapping[int, str]) -> str:
    """What is said for ``ruling``; empty for nothing. ``names``: players by seat.

    Only public words are used: the ruling's own, and never a card that it does not name.
    """
    if say is Say.OFF or (say is Say.FOULS and ruling.kind not in _FOULS):
        return ""
    name = names.get(ruling.seat or 0, "")
    match ruling.kind:
        case Kind.TURN:
            return f"{name}, your turn." if name else ""
        case Kind.DUE:
            return f"{name}, pay {ruling.counters}." if name else f"Pay {ruling.counters}."
        case Kind.PAID | Kind.NOTICE:
            return ""
        case Kind.TAKES:
            return f"{name} takes {ruling.counters}." if name and ruling.counters else ""
        case Kind.OVER:
            return f"{name} has won." if name else "The deal is over."
        case Kind.REFUSED:
            return _sentence(name, "take it back", ruling.why)
        case Kind.PROVED:
            return _sentence(name, "proved false", ruling.why)
        case Kind.OUT_OF_STEP:
            return _sentence(name, "the table does not match the game", "")
        case Kind.UNSURE | Kind.CONFLICT:
            return _sentence(name, "show the card again", "")


def _sentence(name: str, what: str, why: str) -> str:
    start = f"{name}, {what}" if name else what[:1].upper() + what[1:]
    return f"{start}: {_spoken(why).rstrip('.')}." if why else f"{start}."


def _spoken(text: str) -> str:
    """The text without the suit signs, which espeak-ng would read as "black heart suit"."""
    for suit in Suit:
        text = text.replace(suit.sign, f" of {suit.name.lower()}")
    return text


@dataclass(frozen=True, slots=True)
class Speaker:
    """Says a text through a program and waits until it is said. ``command``: the program; the text goes on stdin."""

    command: Sequence[str]

    def __call__(self, text: str) -> None:
        """Say ``text``.

        :raises OSError: if the program cannot be run or ends with an error (there is no sound device, for instance).
        """
        try:
            done = subprocess.run(
                self.command, input=text, text=True, capture_output=True, timeout=SPEAK_MAX_S, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise OSError(f"{self.command[0]} did not finish in {SPEAK_MAX_S:.0f} s") from error
        if done.returncode != 0:
            raise OSError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no sound")


def espeak(program: str | None = None, out: Path | None = None) -> Speaker | None:
    """A speaker on espeak-ng, or None if it is not installed; ``out`` writes a WAV file instead of sounding."""
    found = program or shutil.which("espeak-ng")
    if found is None:
        return None
    target = () if out is None else ("-w", str(out))
    return Speaker((found, "-v", "en", "-s", str(WORDS_A_MINUTE), *target, "--stdin"))


def has_sound(cards: Path = Path("/proc/asound/cards")) -> bool:
    """Whether the kernel knows a sound card."""
    try:
        return "no soundcards" not in cards.read_text(encoding="ascii", errors="replace")
    except OSError:
        return False


class Voice:
    """Speaks rulings from a queue of its own. `tell` returns at once; the first failure turns the voice off."""

    def __init__(
        self,
        say: Say,
        names: Mapping[int, str],
        speaker: Callable[[str], None],
        clock_s: Callable[[], float] = time.monotonic,
        on_fault: Callable[[str], None] = log.warning,
    ) -> None:
        self.say, self.names = say, names
        self._speaker, self._clock_s, self._on_fault = speaker, clock_s, on_fault
        self._queue: deque[tuple[float, str]] = deque(maxlen=QUEUE_MAX)
        self._wake = threading.Event()
        self._closed = False
        self._thread: threading.Thread | None = None

    @property
    def on(self) -> bool:
        """Whether it still speaks."""
        return not self._closed

    def tell(self, ruling: Ruling) -> None:
        """Have ``ruling`` spoken, if it is one of those to be spoken."""
        text = words(ruling, self.say, self.names)
        if text and self.on:
            self._queue.append((self._clock_s(), text))
            self._wake.set()

    def speak_next(self) -> bool:
        """Say the oldest sentence that is not stale; False if there is none."""
        while self._queue:
            told_s, text = self._queue.popleft()
            if self._clock_s() - told_s < STALE_S:
                self._speak(text)
                return True
        return False

    def _speak(self, text: str) -> None:
        try:
            self._speaker(text)
        except (OSError, ValueError) as error:  # ValueError: a name that cannot be written in the program's encoding
            self._on_fault(f"voice: off, {error}")
            self._closed = True
            self._queue.clear()

    def start(self) -> Voice:
        """Speak from a thread until closed."""
        self._thread = threading.Thread(target=self._run, name="voice", daemon=True)
        self._thread.start()
        return self

    def _run(self) -> None:
        while self.on:
            if not self.speak_next():
                self._wake.wait()
                self._wake.clear()

    def close(self) -> None:
        """Say no more; a sentence that has begun is finished by the program that speaks."""
        self._closed = True
        self._queue.clear()
        self._wake.set()


def open_voice(say: Say, names: Mapping[int, str], on_fault: Callable[[str], None] = log.warning) -> Voice | None:
    """A voice that speaks from its own thread, or None: not wanted, or ``on_fault`` is told why it cannot be."""
    if say is Say.OFF:
        return None
    speaker = espeak()
    if speaker is None:
        on_fault('voice: off, espeak-ng is not installed (sudo apt install espeak-ng, or say = "off" in [panel])')
        return None
    if not has_sound():
        on_fault('voice: off, there is no sound device (plug in a speaker, or say = "off" in [panel])')
        return None
    return Voice(say, names, speaker, on_fault=on_fault).start()
