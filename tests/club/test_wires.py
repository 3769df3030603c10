"""The way to the broker: settings that cannot be meant, a broker that is silent, and one that is not there."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from firmware.club import wires
from firmware.club.wires import Broker, Publish, Will, Wire, broker_of
from firmware.config import ConfigError

from .tables import until


class Nobody:
    """A part that wants nothing."""

    topics: Sequence[str] = ()

    def up(self, publish: Publish) -> None:
        """Say nothing."""

    def hear(self, name: str, payload: bytes) -> None:
        """Hear nothing."""

    def turn(self) -> float:
        """Wait."""
        return 0.1

    def down(self) -> None:
        """Nothing."""

    def farewell(self) -> bool:
        """Go."""
        return True


@contextmanager
def woken(wire: Wire) -> Iterator[None]:
    """The table's game goes on meanwhile: it wakes the wire all the time."""
    stop = Event()

    def wake() -> None:
        while not stop.wait(0.01):
            wire.wake()

    thread = Thread(target=wake)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.slow
def test_a_broker_that_accepts_and_says_nothing_is_given_up_although_the_game_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("paho.mqtt.client", reason="paho-mqtt comes with cardtable[club]")
    monkeypatch.setattr(wires, "CONNECT_S", 0.3)
    notes: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        broker = Broker("127.0.0.1", silent.getsockname()[1])
        wire = Wire(broker, "t", Will("w", b"0"), Nobody(), notes.append, b"0")
        wire.start()
        with woken(wire):
            until(lambda: notes, 30.0)
        wire.close()
    assert notes[0].endswith("no answer; trying again")


@pytest.mark.slow
def test_a_broker_that_is_not_there_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("paho.mqtt.client", reason="paho-mqtt comes with cardtable[club]")
    monkeypatch.setattr(wires, "LONGEST_PAUSE_S", 0.05)
    monkeypatch.setattr(wires, "FIRST_PAUSE_S", 0.05)
    notes: list[str] = []
    wire = Wire(Broker("127.0.0.1", 1), "t", Will("w", b"0"), Nobody(), notes.append, b"0")
    wire.start()
    until(lambda: notes, 30.0)
    Event().wait(0.5)
    wire.close()
    assert len(notes) == 1
    assert "refused" in notes[0]
    assert not wire.alive


def test_whatever_the_library_makes_of_a_connection_is_said_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("paho.mqtt.client", reason="paho-mqtt comes with cardtable[club]")
    monkeypatch.setattr(wires, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(wires, "LONGEST_PAUSE_S", 0.01)
    tries: list[object] = []

    def struck(*arguments: object) -> None:
        tries.append(arguments)
        raise struct.error("'H' format requires 0 <= number <= 65535")

    monkeypatch.setattr(wires, "_client", struck)
    notes: list[str] = []
    wire = Wire(Broker("127.0.0.1", 1), "t", Will("w", b"0"), Nobody(), notes.append, b"0")
    begun = wire.moved_ns
    wire.start()
    until(lambda: len(tries) > 3, 30.0)
    assert wire.alive
    assert wire.moved_ns > begun
    wire.close()
    assert notes == ["error: 'H' format requires 0 <= number <= 65535; trying again"]


@pytest.mark.parametrize(
    ("url", "more", "words"),
    [
        ("http://hall:1883", {}, "mqtt://host:1883"),
        ("hall", {}, "mqtt://host:1883"),
        ("mqtt://hall:port", {}, "mqtt://host:1883"),
        ("mqtt://hall/path", {}, "mqtt://host:1883"),
        ("mqtt://ann:secret@hall", {}, "`user`"),
        ("mqtt://hall", {"password_file": "{tmp}/none"}, "cannot be read"),
        ("mqtt://hall", {"password_file": "{tmp}"}, "cannot be read"),
        ("mqtt://hall", {"password_file": "{tmp}/word"}, "a password without a user"),
        ("mqtt://hall", {"password_file": "{tmp}/lines", "user": "ann"}, "one line of text"),
        ("mqtt://hall", {"password_file": "{tmp}/empty", "user": "ann"}, "one line of text"),
        ("mqtt://hall", {"password_file": "{tmp}/noise", "user": "ann"}, "one line of text"),
        ("mqtt://hall", {"password_file": "{tmp}/long", "user": "ann"}, "one line of text"),
        ("mqtt://hall", {"user": "a" * 65_536}, "too long"),
        ("mqtts://hall", {"ca": "{tmp}/none"}, "is no file"),
    ],
)
def test_a_broker_that_cannot_be_meant_is_one_line(tmp_path: Path, url: str, more: dict[str, str], words: str) -> None:
    (tmp_path / "word").write_text("secret\n")
    (tmp_path / "lines").write_text("secret\nsecret\n")
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "noise").write_bytes(b"\xff\xfe")
    (tmp_path / "long").write_text("secret" * 11_000)
    with pytest.raises(ConfigError, match=words) as found:
        broker_of(url, **{name: value.replace("{tmp}", str(tmp_path)) for name, value in more.items()})
    assert "\n" not in str(found.value)
    assert "secret" not in str(found.value)


def test_a_broker_by_its_settings(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("secret\n")
    found = broker_of("mqtts://hall", "ann", str(tmp_path / "word"))
    assert (found.host, found.port, found.tls, found.user, found.password) == ("hall", 8883, True, "ann", "secret")
    assert broker_of("mqtt://[::1]:1999").port == 1999
    assert "secret" not in found.name
