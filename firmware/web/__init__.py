"""The players' page: the live table, disputes, set-up and past sessions on every phone in the room.

`create_app` builds it over a `TableSource` and a `SessionArchive` (see ``source``), `serve` runs it in a thread. It
judges nothing, sees nothing and keeps nothing: it shows what it is given and hands on what people tap.
"""

from __future__ import annotations

from .app import create_app
from .security import Security
from .server import Running, lan_address, serve
from .source import Actor, Download, Noticeboard, Search

__all__ = ["Actor", "Download", "Noticeboard", "Running", "Search", "Security", "create_app", "lan_address", "serve"]
