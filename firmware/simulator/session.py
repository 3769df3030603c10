"""A whole simulated session: people, pack, table, room, and a game played to its end. Seeded and pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from . import geometry, hands, pack, table
from .plays import fan_tan
from .plays.party import Party
from .scene import Scene
from .stage import BRISK, Pace, Stage
from .timeline import Timeline

#: Frames a second of simulated time: enough for hands, cheap to judge; the shared recordings have 15.
RATE_HZ = 12.0

NAMES = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal")


@dataclass(frozen=True, slots=True)
class Session:
    """One deal at a simulated table: what is known of it (game, seats, dealer, house, deal), and what happens.

    ``moves`` is the script of what people did, refused acts included, as the format of written games has it;
    ``opening`` is what such a script must say of the beginning beyond the deal (who leads, packs, hands).
    """

    game: str
    names: tuple[str, ...]
    dealer: int
    house: dict[str, Any]
    deal: dict[str, Any]
    moves: tuple[dict[str, Any], ...]
    opening: dict[str, Any]
    timeline: Timeline
    view: geometry.View
    zones: tuple[geometry.Zone, ...]
    look: table.Look
    style: pack.Style
    arms: tuple[hands.Arm, ...]

    def scene(self, swap: dict[str, str] | None = None) -> Scene:
        """The session ready to be drawn; ``swap`` draws other faces behind the script's back."""
        return Scene(self.timeline, self.view, self.look, self.style, self.arms, swap or {})


@dataclass(frozen=True, slots=True)
class _Game:
    """How a game is set up at the table: deep places before the players or strips, and who plays it."""

    deep: bool
    players: int
    play: Callable[[Party, int, dict[str, Any]], tuple[dict[str, Any], dict[str, Any]]]


def _fan_tan(party: Party, dealer: int, wish: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    ranks = wish.get("ranks", "A234567")
    deal = fan_tan.play(party, dealer, ranks, piles=bool(wish.get("piles", False)))
    return {"ante": 1}, dict(deal)


GAMES: dict[str, _Game] = {"fan_tan": _Game(False, 4, _fan_tan)}

#: What goes wrong in the demonstration of each game, so that the referee has something to say.
DEMO_FAULTS: dict[str, tuple[str, ...]] = {"fan_tan": ("withhold", "wrong_card")}


def plan(
    game: str,
    players: int | None = None,
    seed: int = 1,
    *,
    pace: Pace = BRISK,
    faults: Iterable[str] = (),
    size_px: tuple[int, int] = (1280, 960),
    look: table.Look | None = None,
    style: pack.Style | None = None,
    **wish: Any,
) -> Session:
    """A session of ``game`` with so many players; everything follows from ``seed``.

    ``faults`` are mistakes that the people are to make, by the names in the game's play module; ``wish`` are its
    own wishes (for instance ``ranks`` of a short pack).

    :raises ValueError: for an unknown game or a number of players that it cannot be played with.
    """
    if game not in GAMES:
        raise ValueError(f"the simulator cannot play {game!r}: choose one of {', '.join(sorted(GAMES))}")
    how = GAMES[game]
    count = players or how.players
    rng = Random(f"{game} {count} {seed}")
    zones = geometry.zones(count, how.deep)
    arms = hands.arms(count, seed)
    stage = Stage(geometry.seats(count), arms, rng, pace)
    party = Party(NAMES[:count], stage, rng, zones, set(faults))
    house, deal = how.play(party, count, wish)
    return Session(
        game,
        party.names,
        count,
        house,
        deal,
        tuple(party.moves),
        dict(party.opening),
        stage.finished(),
        geometry.view(size_px, seed),
        zones,
        look or table.look(seed),
        style or pack.style(seed),
        arms,
    )


def demo(game: str = "fan_tan", players: int | None = None, seed: int = 1) -> Session:
    """The session of `cardtable demo`: brisk people, a green cloth, a few mistakes, about a minute."""
    calm = table.Look(seed, table.Surface.FELT)
    return plan(game, players, seed, faults=DEMO_FAULTS[game], look=calm)
