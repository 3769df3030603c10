"""The voice: short words, nothing stale, never in the way, off with one line where there is no sound."""

from __future__ import annotations

import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from firmware.panel.config import Say
from firmware.panel.voice import QUEUE_MAX, Speaker, Voice, espeak, has_sound, open_voice, words
from firmware.referee.rulings import Kind, Ruling

NAMES = {1: "Ann", 2: "Bo"}


class TestWords:
    @pytest.mark.parametrize(
        ("ruling", "text"),
        [
            (Ruling(Kind.TURN, seat=1), "Ann, your turn."),
            (Ruling(Kind.DUE, seat=2, counters=3), "Bo, pay 3."),
            (Ruling(Kind.REFUSED, seat=2, why="it is Ann's turn"), "Bo, take it back: it is Ann's turn."),
            (Ruling(Kind.REFUSED, why="it is Ann's turn."), "Take it back: it is Ann's turn."),
            (Ruling(Kind.PROVED, seat=1, why="Ann held 7♥"), "Ann, proved false: Ann held 7 of hearts."),
            (Ruling(Kind.UNSURE, seat=1), "Ann, show the card again."),
            (Ruling(Kind.CONFLICT), "Show the card again."),
            (Ruling(Kind.OUT_OF_STEP), "The table does not match the game."),
            (Ruling(Kind.TAKES, seat=1, counters=12), "Ann takes 12."),
            (Ruling(Kind.OVER, seat=2), "Bo has won."),
            (Ruling(Kind.OVER), "The deal is over."),
            (Ruling(Kind.PAID, seat=1, counters=1), ""),
            (Ruling(Kind.NOTICE, "FULL_CIRCUIT"), ""),
        ],
    )
    def test_all(self, ruling: Ruling, text: str):
        assert words(ruling, Say.ALL, NAMES) == text

    def test_fouls_only_and_off(self):
        spoken = {kind for kind in Kind if words(Ruling(kind, seat=1, counters=1), Say.FOULS, NAMES)}
        assert spoken == {Kind.REFUSED, Kind.PROVED, Kind.CONFLICT, Kind.OUT_OF_STEP, Kind.UNSURE}
        assert not any(words(Ruling(kind, seat=1), Say.OFF, NAMES) for kind in Kind)


class TestQueue:
    def voice(self, said: list[str], **more: object) -> Voice:
        self.now_s = 0.0
        return Voice(Say.ALL, NAMES, said.append, clock_s=lambda: self.now_s, **more)  # type: ignore[arg-type]

    def test_in_order(self):
        said: list[str] = []
        voice = self.voice(said)
        for seat in (1, 2):
            voice.tell(Ruling(Kind.TURN, seat=seat))
        assert [voice.speak_next(), voice.speak_next(), voice.speak_next()] == [True, True, False]
        assert said == ["Ann, your turn.", "Bo, your turn."]

    def test_the_stale_is_dropped(self):
        said: list[str] = []
        voice = self.voice(said)
        voice.tell(Ruling(Kind.TURN, seat=1))
        self.now_s = 4.5
        voice.tell(Ruling(Kind.TURN, seat=2))
        assert voice.speak_next()
        assert said == ["Bo, your turn."]

    def test_a_flood_keeps_the_newest(self):
        said: list[str] = []
        voice = self.voice(said)
        for counters in range(1, 11):
            voice.tell(Ruling(Kind.DUE, seat=1, counters=counters))
        while voice.speak_next():
            pass
        assert said == [f"Ann, pay {n}." for n in range(11 - QUEUE_MAX, 11)]

    def test_the_first_failure_turns_it_off_with_one_line(self):
        lines: list[str] = []

        def broken(text: str) -> None:
            raise OSError("Device or resource busy")

        voice = Voice(Say.ALL, NAMES, broken, on_fault=lines.append)
        for _ in range(3):
            voice.tell(Ruling(Kind.TURN, seat=1))
            voice.speak_next()
        assert (lines, voice.on) == (["voice: off, Device or resource busy"], False)

    def test_a_name_that_cannot_be_written_ends_in_a_line_and_not_in_a_dead_thread(self):
        lines: list[str] = []
        voice = Voice(Say.ALL, {1: "Zo\udceb"}, Speaker(("cat",)), on_fault=lines.append)
        voice.tell(Ruling(Kind.TURN, seat=1))
        voice.speak_next()
        assert [line[:12] for line in lines] == ["voice: off, "]
        assert not voice.on

    def test_a_program_that_never_ends_is_given_up(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr("firmware.panel.voice.SPEAK_MAX_S", 0.05)
        with pytest.raises(OSError, match=r"^sleep did not finish in 0 s$"):
            Speaker(("sleep", "3"))("anything")

    def test_telling_never_waits_for_the_speaker(self):
        speaking, go_on = threading.Event(), threading.Event()

        def slow(text: str) -> None:
            speaking.set()
            go_on.wait(5)

        voice = Voice(Say.ALL, NAMES, slow).start()
        voice.tell(Ruling(Kind.TURN, seat=1))
        assert speaking.wait(5)
        for _ in range(100):
            voice.tell(Ruling(Kind.TURN, seat=2))
        voice.close()
        go_on.set()


class TestNoSound:
    def test_without_espeak_one_line(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr("firmware.panel.voice.shutil.which", lambda name: None)
        lines: list[str] = []
        assert open_voice(Say.FOULS, NAMES, lines.append) is None
        assert lines == [
            'voice: off, espeak-ng is not installed (sudo apt install espeak-ng, or say = "off" in [panel])'
        ]

    def test_without_a_sound_card_one_line(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr("firmware.panel.voice.shutil.which", lambda name: "/usr/bin/espeak-ng")
        monkeypatch.setattr("firmware.panel.voice.has_sound", lambda: False)
        lines: list[str] = []
        assert open_voice(Say.FOULS, NAMES, lines.append) is None
        assert lines == ['voice: off, there is no sound device (plug in a speaker, or say = "off" in [panel])']

    def test_off_says_nothing(self):
        lines: list[str] = []
        assert open_voice(Say.OFF, NAMES, lines.append) is None
        assert lines == []

    def test_the_kernels_list_of_cards(self, tmp_path: Path):
        cards = tmp_path / "cards"
        assert not has_sound(cards)
        cards.write_text("--- no soundcards ---\n")
        assert not has_sound(cards)
        cards.write_text(" 0 [Headphones ]: bcm2835_headpho - bcm2835 Headphones\n")
        assert has_sound(cards)

    @pytest.mark.parametrize(
        ("command", "words"),
        [(("sh", "-c", "echo no device >&2; exit 1"), "no device"), (("/no/such/program",), "/no/such/program")],
    )
    def test_a_program_that_fails_is_an_oserror(self, command: tuple[str, ...], words: str):
        with pytest.raises(OSError, match=words):
            Speaker(command)("hello")


@pytest.mark.skipif(
    not (shutil.which("espeak-ng") and shutil.which("sox")), reason="espeak-ng and sox are not installed"
)
def test_a_spoken_file_is_as_long_and_as_loud_as_speech(tmp_path: Path):
    wav = tmp_path / "ruling.wav"
    speaker = espeak(out=wav)
    assert speaker is not None
    speaker("Bo, take it back: the seven of hearts is wanted.")
    stats = subprocess.run(["sox", str(wav), "-n", "stat"], capture_output=True, text=True, check=True).stderr
    found = {key.strip(): value for key, _, value in (line.partition(":") for line in stats.splitlines())}
    assert 1.5 < float(found["Length (seconds)"]) < 6
    assert float(found["RMS     amplitude"]) > 0.02
    assert 0.2 < float(found["Maximum amplitude"]) <= 1
