"""The players' page over one table: opens it on the network and closes it again."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .archive import Archive
from .commands import Commands
from .config import WebSettings, data_folder
from .journal.journal import Journal
from .live import Live
from .referee.house import rules_of
from .referee.match import games
from .web.app import create_app
from .web.security import SEATS, Keys, Security
from .web.server import serve
from .web.source import CameraView, Noticeboard

#: A game's summary at set-up: about three lines on a phone.
SUMMARY_CHARS = 190


@dataclass(frozen=True, slots=True)
class Page:
    """A page being served: where it is, and the codes that open it."""

    url: str
    keys: Keys
    commands: Commands

    @property
    def words(self) -> str:
        """One line for people: the address, the code to join with, and the host's PIN."""
        return f"{self.url}  join code {self.keys.join_code}  host PIN {self.keys.host_pin}"


@contextmanager
def open_page(live: Live, journal: Journal, web: WebSettings, keys: Keys | None = None) -> Iterator[Page]:
    """Serve the page of ``live`` while the context lasts; a port of 0 takes a free one.

    ``journal``: to read from, opened for this page alone. ``keys``: the table's codes, else new ones.

    :raises OSError: if the address is not to be had; the line says what to do.
    """
    commands = Commands(live)
    live.board.hand_to(commands.post)

    def offered() -> list[dict[str, Any]]:  # the table may get another number of seats between two games
        return house_rules(live.config.seats)

    with _served(live.board, journal, web, keys or Keys.fresh(), offered, live.viewfinder) as (url, codes):
        yield Page(url, codes, commands)


@contextmanager
def open_archive(journal: Journal, web: WebSettings, keys: Keys) -> Iterator[str]:
    """Serve the page with no table, over the sessions kept; its address in words."""
    board = Noticeboard({"state": "waiting"}, lambda action, actor: {"error": "there is no table here, only sessions"})
    with _served(board, journal, web, keys, house_rules, None) as (url, codes):
        yield f"{url}  join code {codes.join_code}"


@contextmanager
def _served(
    board: Noticeboard,
    journal: Journal,
    web: WebSettings,
    keys: Keys,
    offered: Callable[[], list[dict[str, Any]]],
    camera: CameraView | None,
) -> Iterator[tuple[str, Keys]]:
    name = socket.gethostname()
    security = Security(keys, hosts=(name, f"{name}.local"))
    app = create_app(board, Archive(journal), security, games=offered, camera=camera)
    with serve(app, web.host, web.port, everywhere=web.everywhere) as running:
        security.public_url = running.url
        yield running.url, keys


def kept_keys() -> Keys:
    """The codes of this table, the same after a restart, so that phones stay joined."""
    return Keys.kept(data_folder() / "codes.json")


def house_rules(places: int = SEATS) -> list[dict[str, Any]]:
    """Every game that ``places`` seats are enough for, with its house rules, as the page's set-up shows them."""
    return [
        {
            "key": key,
            "title": game.TITLE,
            "summary": _summary(game.__doc__ or ""),
            "seats": [game.SEATS[0], min(game.SEATS[1], places)],
            "house": [_rule(rule) for rule in rules_of(game.House) if len(rule.choices) != 1],  # what can be chosen
        }
        for key, game in games().items()
        if game.SEATS[0] <= places
    ]


def _summary(rules: str) -> str:
    """How the game is played in a line or two: the first sentences of its rules on play."""
    play = rules.partition("Play: ")[2].split("\n\n")[0] or rules
    out = ""
    for sentence in re.split(r"(?<=[.;:]) ", " ".join(play.replace("``", "").split())):
        if out and len(out) + len(sentence) > SUMMARY_CHARS:
            break
        out = f"{out} {sentence}".strip()
    return (out[:1].upper() + out[1:]).rstrip(";:") + ("" if out.endswith(".") else ".")


def _rule(rule: Any) -> dict[str, Any]:
    kind = "bool" if isinstance(rule.default, bool) else "choice" if rule.choices else "int"
    least, most = rule.values or (0, 100)
    return {
        "name": rule.name,
        "label": rule.name.replace("_", " "),
        "kind": kind,
        "default": rule.default,
        "choices": [{"value": c, "words": str(c).replace("_", " ")} for c in rule.choices],
        "min": least,
        "max": most,
        "words": rule.words,
        "source": rule.source,
    }
