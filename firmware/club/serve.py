"""``cardtable hub``: opens the database, the wire to the broker and the club's page, and closes them again."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from firmware.config import WebSettings, data_folder
from firmware.service import Service, stopped_by_signals
from firmware.web.security import Keys, Security
from firmware.web.server import serve

from .database import Database
from .hub import Hub
from .page import create_app
from .wires import Wire, broker_of

#: The hub's client id; a second hub at the same broker puts the first one out, which is said.
NAME = "cardtable-hub"
#: The wire's thread may rest for so long: the longest wait between two tries, a name that is slow to be looked up, and
#: a database that is slow to answer.
WIRE_REST_NS: Final = 120 * 10**9
#: How often systemd's watchdog is thought of, in seconds.
BEAT_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class HubSettings:
    """What the hub is started with. ``database``: a file or a ``postgresql://`` URL, empty for hub.db in our folder.

    ``broker``, ``user``, ``password_file``, ``ca``: as a table's [club]. ``web``: where the page listens.
    """

    broker: str = "mqtt://127.0.0.1:1883"
    user: str = ""
    password_file: str = ""
    ca: str = ""
    database: str = ""
    web: WebSettings = field(default_factory=lambda: WebSettings(port=8090))


@dataclass(frozen=True, slots=True)
class Opened:
    """A hub that runs: the address of its page, its door, and its way to the broker."""

    url: str
    keys: Keys
    hub: Hub
    wire: Wire


@contextmanager
def open_hub(settings: HubSettings, note: Callable[[str], Any], keys: Keys | None = None) -> Iterator[Opened]:
    """Run a hub while the context lasts. ``keys``: the page's, else those kept in our folder.

    :raises ConfigError: if the settings cannot be used or a library is missing.
    :raises OSError: if the database or the page's address is not to be had.
    """
    broker = broker_of(settings.broker, settings.user, settings.password_file, settings.ca)
    database = Database(settings.database or str(data_folder() / "hub.db"))
    hub = Hub(database, note)
    wire = Wire(broker, NAME, hub.will, hub, note, hub.will.payload)
    machine = socket.gethostname()
    security = Security(keys or Keys.kept(data_folder() / "hub-codes.json"), hosts=(machine, f"{machine}.local"))
    app = create_app(hub.board, database, security)
    web = settings.web
    try:
        with serve(app, web.host, web.port, everywhere=web.everywhere) as running:
            security.public_url = running.url
            wire.start()
            try:
                yield Opened(running.url, security.keys, hub, wire)
            finally:
                wire.close()
    finally:
        database.close()


def run_hub(settings: HubSettings, say: Callable[[str], Any]) -> int:
    """Run a hub until it is asked to stop; systemd is told that it is ready, and that its wire moves."""
    service = Service({"wire": WIRE_REST_NS})
    with stopped_by_signals() as stop, open_hub(settings, say) as opened:
        say(f"page   {opened.url}  join code {opened.keys.join_code}")
        say(f"kept   {opened.hub.database.name}")
        service.ready(time.monotonic_ns(), opened.url)
        while not stop.wait(BEAT_S):
            service.moved("wire", opened.wire.moved_ns)
            service.beat(time.monotonic_ns())
        service.stopping()
    return 0
