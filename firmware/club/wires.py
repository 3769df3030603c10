"""The way to the broker: one connection, kept up. The only importer of paho-mqtt.

Everything that happens to a part (`Part`) happens in one thread, in order: the connection comes up, messages are
heard, it is woken, it goes down. Each connection is a new client: nothing of an old one is sent again by the library,
for what is to be sent again only the part knows.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from queue import Empty, SimpleQueue
from random import uniform
from threading import Event, Lock, Thread
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from firmware.config import ConfigError

from .messages import MOST_BYTES

#: A broker that says nothing for half as much again is taken for gone, in seconds.
KEEPALIVE_S: Final = 10
CONNECT_S: Final = 5.0
#: Waits between two tries, in seconds: a broker that restarts is back in one or two, a network in minutes.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 15.0
#: A connection that lasted so long was a good one, in seconds; two tables of one name put each other out sooner.
STEADY_S: Final = 5.0
#: Messages on their way to the broker at once; the library queues the rest.
INFLIGHT: Final = 200
#: Longest user name or password: MQTT gives their length in 16 bits.
MOST_CREDENTIAL: Final = 65_535
#: Bytes heard and not yet taken; beyond them new messages are dropped, their senders send them again. A hundred tables
#: that come back at once have about 4 MB under way.
MOST_WAITING: Final = 32 << 20

_PORTS = {"mqtt": 1883, "mqtts": 8883}


class NoBroker(OSError):
    """The broker cannot be reached, or lets us not in. One line with the remedy."""


@dataclass(frozen=True, slots=True)
class Broker:
    """Where the broker is and how it knows us. ``ca``: a PEM file, None for the system's authorities."""

    host: str
    port: int
    tls: bool = False
    user: str = ""
    password: str = ""
    ca: Path | None = None

    @property
    def name(self) -> str:
        """Its address for people."""
        return f"{'mqtts' if self.tls else 'mqtt'}://{self.host}:{self.port}"


def broker_of(url: str, user: str = "", password_file: str = "", ca: str = "") -> Broker:
    """The broker that settings name.

    :raises ConfigError: if they cannot be meant, or the password file cannot be read.
    """
    parts = urlsplit(url)
    try:
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        port = 0
    if parts.scheme not in _PORTS or not parts.hostname or not port or parts.path not in ("", "/"):
        raise ConfigError(f"broker {url!r}: mqtt://host:1883 or mqtts://host:8883 is wanted")
    if parts.username or parts.password:
        raise ConfigError(f"broker at {parts.hostname}: its user goes into `user`, its password into a file of its own")
    password = _password(password_file)
    if len(user.encode(errors="replace")) > MOST_CREDENTIAL:
        raise ConfigError("broker: the user's name is too long; set `user`")
    if password and not user:
        raise ConfigError("broker: a password without a user; set `user`")
    if ca and not Path(ca).is_file():
        raise ConfigError(f"{ca}: the broker's authority (ca) is no file; name a PEM file")
    return Broker(parts.hostname, port, parts.scheme == "mqtts", user, password, Path(ca) if ca else None)


def _password(file: str) -> str:
    if not file:
        return ""
    try:
        password = Path(file).read_text("utf-8").strip("\r\n")
    except OSError as error:
        words = str(error.strerror or error).lower()
        raise ConfigError(
            f"{file}: the broker's password cannot be read ({words}); check its name and rights"
        ) from None
    except UnicodeDecodeError:
        password = ""
    if not password or len(password.splitlines()) > 1 or len(password.encode()) > MOST_CREDENTIAL:
        raise ConfigError(f"{file}: is no password; one line of text is wanted")
    return password


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker says for us, retained, when we are gone without a word."""

    topic: str
    payload: bytes


Publish = Callable[[str, bytes, bool], None]
"""Publish a message at QoS 1: topic, payload, whether it is retained."""


class Part(Protocol):
    """Whoever lives behind a connection. Every method is called in the connection's one thread."""

    @property
    def topics(self) -> Sequence[str]:
        """What it wants to hear."""

    def up(self, publish: Publish) -> None:
        """The connection is new: say what is to be said first."""

    def hear(self, topic: str, payload: bytes) -> None:
        """A message came."""

    def turn(self) -> float:
        """Do what is due; how long to wait for something to happen, in seconds."""

    def down(self) -> None:
        """The connection has gone."""

    def farewell(self) -> bool:
        """Asked to end: whether there is nothing more to wait for."""


@dataclass(frozen=True, slots=True)
class _Heard:
    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class _Lost:
    why: str


class _Mark(Enum):
    UP = auto()  # the broker has let us in
    WAKE = auto()  # somebody wants `Part.turn` called


class _Inbox:
    """What happens to a connection, in order; bounded in bytes, for anybody can send."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[_Heard | _Lost | _Mark] = SimpleQueue()
        self._lock = Lock()
        self._bytes = 0

    def put(self, what: _Lost | _Mark) -> None:
        self._queue.put(what)

    def hear(self, message: Any) -> None:
        """A message of the library's; dropped where too much waits. One that is too long is cut, to be refused."""
        heard = _Heard(str(message.topic), bytes(message.payload[: MOST_BYTES + 1]))
        with self._lock:
            if self._bytes + len(heard.payload) > MOST_WAITING:
                return
            self._bytes += len(heard.payload)
        self._queue.put(heard)

    def get(self, wait_s: float) -> _Heard | _Lost | _Mark | None:
        """What happened next; None if nothing did for ``wait_s``."""
        try:
            what = self._queue.get(timeout=wait_s) if wait_s > 0 else self._queue.get_nowait()
        except Empty:
            return None
        if isinstance(what, _Heard):
            with self._lock:
                self._bytes -= len(what.payload)
        return what


class Wire:
    """Keeps a part connected, in a thread of its own, until it is closed."""

    def __init__(
        self, broker: Broker, name: str, will: Will, part: Part, note: Callable[[str], Any], last: bytes
    ) -> None:
        """``name``: our client id. ``last``: said on the will's topic when we close. ``note``: lines for people."""
        self._broker, self._name, self._will, self._part, self._note = broker, name, will, part, note
        self._last = last
        self._inbox = _Inbox()
        self._stop = Event()
        self._end_s = 0.0
        self._moved_ns = time.monotonic_ns()
        self._told = ""
        self._thread = Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to connect.

        :raises ConfigError: if the library is not installed.
        """
        paho()
        self._thread.start()

    def wake(self) -> None:
        """Something has changed: have `Part.turn` called soon. From any thread, at once."""
        self._inbox.put(_Mark.WAKE)

    def close(self, patience_s: float = 3.0) -> None:
        """Say what is still to be said, for so long at most, and end."""
        self._end_s = time.monotonic() + patience_s
        self._stop.set()
        self._inbox.put(_Mark.WAKE)
        self._thread.join(patience_s + CONNECT_S)

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    @property
    def moved_ns(self) -> int:
        """When the thread last did anything, monotonic ns: while it lives it tries, hears or waits a moment."""
        return self._moved_ns

    def _run(self) -> None:
        pause_s = FIRST_PAUSE_S
        while not self._stop.is_set():
            begun = time.monotonic()
            self._moved_ns = time.monotonic_ns()
            self._once()
            steady = time.monotonic() - begun > STEADY_S
            pause_s = FIRST_PAUSE_S if steady else min(LONGEST_PAUSE_S, 2 * pause_s)
            self._stop.wait(pause_s * uniform(0.5, 1.0))  # a hall does not come back in one instant

    def _once(self) -> None:
        """One connection from its beginning to its end, whatever that is."""
        try:
            client = self._connect()
        except NoBroker as error:
            self._say(str(error))
            return
        except Exception as error:  # whatever the library makes of what it is given: said, and tried again
            self._fault(error)
            return
        try:
            self._serve(client)
        except Exception as error:  # a fault of the part is said, and it begins anew
            self._fault(error)
        finally:
            client.loop_stop()
            self._part.down()

    def _fault(self, error: Exception) -> None:
        self._say(" ".join(f"{type(error).__name__}: {error}; trying again".split()))

    def _connect(self) -> Any:
        """A client that the broker has let in. :raises NoBroker: if there is none."""
        self._inbox = _Inbox()
        client = _client(self._broker, self._name, self._will, self._inbox)
        try:
            client.connect(self._broker.host, self._broker.port, KEEPALIVE_S)
        except (OSError, ValueError) as error:
            raise NoBroker(f"{self._broker.name}: {_words(error)}; trying again") from None
        client.loop_start()
        answer = self._answer(time.monotonic() + CONNECT_S)
        if answer is not _Mark.UP:
            client.loop_stop()
            why = answer.why if isinstance(answer, _Lost) else "no answer"
            raise NoBroker(f"{self._broker.name}: {why}; trying again")
        return client

    def _answer(self, until_s: float) -> _Heard | _Lost | _Mark | None:
        """What the broker says to us, None if nothing; those who wake us meanwhile do not make the wait longer."""
        while (left_s := until_s - time.monotonic()) > 0:
            if (answer := self._inbox.get(left_s)) is not _Mark.WAKE:
                return answer
        return None

    def _serve(self, client: Any) -> None:
        """Everything that happens while the connection lasts."""

        def publish(topic: str, payload: bytes, retain: bool) -> None:
            client.publish(topic, payload, qos=1, retain=retain)

        self._say(f"{self._broker.name}: connected")
        for topic in self._part.topics:  # first: what we say next is answered at once
            client.subscribe(topic, qos=1)
        self._part.up(publish)
        while not (self._stop.is_set() and (self._part.farewell() or time.monotonic() > self._end_s)):
            self._moved_ns = time.monotonic_ns()
            lost = self._take(self._part.turn())
            if lost is not None:
                self._say(f"{self._broker.name}: {lost.why}; trying again")
                return
        client.publish(self._will.topic, self._last, qos=1, retain=True).wait_for_publish(1.0)
        client.disconnect()

    def _take(self, wait_s: float) -> _Lost | None:
        """Hear what has come, after waiting for it; the loss of the connection if that was among it."""
        what = self._inbox.get(wait_s)
        while what is not None:
            match what:
                case _Heard(topic, payload):
                    self._part.hear(topic, payload)
                case _Lost():
                    return what
            what = self._inbox.get(0)
        return None

    def _say(self, words: str) -> None:
        if words != self._told:
            self._told = words
            self._note(words)


def paho() -> Any:
    """The MQTT library.

    :raises ConfigError: if it is not installed, with the remedy.
    """
    try:
        from paho.mqtt import client
    except ImportError:
        raise ConfigError("MQTT needs a library that is not installed: pip install 'cardtable[club]'") from None
    return client


def _client(broker: Broker, name: str, will: Will, inbox: _Inbox) -> Any:
    mqtt = paho()
    client = mqtt.Client(
        mqtt.CallbackAPIVersion.VERSION2, name, clean_session=True, protocol=mqtt.MQTTv311, reconnect_on_failure=False
    )
    client.connect_timeout = CONNECT_S
    client.max_inflight_messages_set(INFLIGHT)
    client.will_set(will.topic, will.payload, qos=1, retain=True)
    if broker.user:
        client.username_pw_set(broker.user, broker.password or None)
    if broker.tls:
        client.tls_set_context(_tls(broker))
    client.on_connect = lambda _c, _d, _flags, reason, _p: inbox.put(
        _Lost(str(reason).lower()) if reason.is_failure else _Mark.UP
    )
    client.on_disconnect = lambda *_: inbox.put(_Lost("the connection was lost"))
    client.on_message = lambda _c, _d, message: inbox.hear(message)
    return client


def _tls(broker: Broker) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=broker.ca)
    except (OSError, ssl.SSLError) as error:
        raise NoBroker(f"{broker.ca}: no certificate of an authority ({error}); name a PEM file") from None


def _words(error: Exception) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return f"its certificate is not to be trusted ({error.verify_message})"
        case ssl.SSLError():
            return f"no TLS there ({error.reason or error})"
        case TimeoutError():
            return "no answer"
        case OSError():
            return (error.strerror or str(error)).lower()
        case _:
            return str(error)
