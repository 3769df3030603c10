"""A whole simulated session: people, pack, table, room, and a game played to its end. Seeded and pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from . import geometry, hands, pack, table
from .plays import (
    beggar_my_neighbour,
    fan_tan,
    five_or_nine,
    matrimony,
    pope_joan,
    ranter_go_round,
    snip_snap_snorem,
    wish_card,
)
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


#: House rules that differ from the game's own, and the deal as game.toml words it.
Known = tuple[dict[str, Any], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Game:
    """How a game is set up at the table: deep places before the players or strips, for how many, and who plays it."""

    deep: bool
    players: int
    most: int
    play: Callable[[Party, int, dict[str, Any]], Known]


def _fan_tan(party: Party, dealer: int, wish: dict[str, Any]) -> Known:
    return {"ante": 1}, fan_tan.play(party, dealer, **wish)


def _wish_card(party: Party, dealer: int, wish: dict[str, Any]) -> Known:
    return {}, wish_card.play(party, dealer, **wish)


def _five_or_nine(party: Party, dealer: int, wish: dict[str, Any]) -> Known:
    return {}, five_or_nine.play(party, dealer, **wish)


def _pope_joan(party: Party, dealer: int, wish: dict[str, Any]) -> Known:
    return {}, pope_joan.play(party, dealer, **wish)


def _ranter(party: Party, dealer: int, wish: dict[str, Any]) -> Known:
    markers = {name: party.rng.choice([2, 3, 3]) for name in party.names}
    deal = ranter_go_round.play(party, dealer, markers=markers, **wish)
    return ({} if wish.get("shows_king", True) else {"king_show": "said"}), deal


def _sevens(party: Party, dealer: int, wish: dict[str, Any]) -> Known:
    deal = five_or_nine.play(party, dealer, **{"ranks": "3456789TJ", **wish}, stock=0, opens="7")
    del deal["stock"]
    return {}, deal


def _snip(party: Party, dealer: int, wish: dict[str, Any]) -> Known:
    return {}, snip_snap_snorem.play(party, dealer, **wish)


def _beggar(party: Party, dealer: int, wish: dict[str, Any]) -> Known:
    return {}, beggar_my_neighbour.play(party, dealer, **wish)


def _matrimony(party: Party, dealer: int, wish: dict[str, Any]) -> Known:
    return {}, matrimony.play(party, dealer, **wish)


GAMES: dict[str, _Game] = {
    "fan_tan": _Game(False, 4, 8, _fan_tan),
    "wish_card": _Game(True, 3, 4, _wish_card),
    "five_or_nine": _Game(False, 4, 8, _five_or_nine),
    "pope_joan": _Game(False, 4, 6, _pope_joan),
    "ranter_go_round": _Game(True, 4, 4, _ranter),
    "sevens": _Game(False, 4, 8, _sevens),
    "snip_snap_snorem": _Game(False, 4, 8, _snip),
    "beggar_my_neighbour": _Game(True, 3, 4, _beggar),
    "matrimony": _Game(False, 4, 4, _matrimony),
}

#: What goes wrong in the demonstration of each game, so that the referee has something to say.
DEMO_FAULTS: dict[str, tuple[str, ...]] = {
    "fan_tan": ("withhold", "wrong_card"),
    "wish_card": ("underpaid", "out_of_turn"),
    "five_or_nine": ("false_pass", "wrong_card"),
    "pope_joan": ("hold_back",),
    "ranter_go_round": ("silent",),
    "sevens": ("false_pass", "wrong_card"),
    "snip_snap_snorem": ("failed_to_snip",),
    "beggar_my_neighbour": ("out_of_turn",),
    "matrimony": (),
}


#: What may happen on the way to a card's place and breaks no rule; idle hands come with the pace.
HARDSHIPS = ("hesitate", "slide", "quick", "bump")

#: All that people can do wrong, game by game.
FAULTS: dict[str, tuple[str, ...]] = {
    "fan_tan": ("withhold", "wrong_card", "out_of_turn"),
    "wish_card": ("underpaid", "overpaid", "out_of_turn"),
    "five_or_nine": ("false_pass", "wrong_card"),
    "pope_joan": ("hold_back",),
    "ranter_go_round": ("silent", "false_king"),
    "sevens": ("false_pass", "wrong_card"),
    "snip_snap_snorem": ("failed_to_snip",),
    "beggar_my_neighbour": ("out_of_turn",),
    "matrimony": ("out_of_turn",),
}


def plan(
    game: str,
    players: int | None = None,
    seed: int = 1,
    *,
    pace: Pace = BRISK,
    faults: Iterable[str] = (),
    hardships: Iterable[str] = (),
    size_px: tuple[int, int] = (1280, 960),
    look: table.Look | None = None,
    style: pack.Style | None = None,
    **wish: Any,
) -> Session:
    """A session of ``game`` with so many players; everything follows from ``seed``.

    ``faults`` are mistakes that the people are to make (`FAULTS`), ``hardships`` what happens on the way (`HARDSHIPS`),
    ``wish`` the wishes of the game's own ``play``: ``ranks`` of a short pack, ``max_moves`` ...

    :raises ValueError: for an unknown game or a number of players that it cannot be played with.
    """
    if game not in GAMES:
        raise ValueError(f"the simulator cannot play {game!r}: choose one of {', '.join(sorted(GAMES))}")
    how = GAMES[game]
    count = players or how.players
    if not 2 <= count <= how.most:
        raise ValueError(f"the simulator plays {game} with 2 to {how.most} players, not {count}")
    rng = Random(f"{game} {count} {seed}")
    zones = geometry.zones(count, how.deep)
    arms = hands.arms(count, seed)
    stage = Stage(geometry.seats(count), arms, rng, pace)
    party = Party(NAMES[:count], stage, rng, zones, set(faults), frozenset(hardships))
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
    return plan(game, players, seed, faults=DEMO_FAULTS.get(game, ()), look=calm)


#: Games that are over, or stop, after about twenty seconds of play: some with a finished suit, some with a showdown.
_SHORT: dict[str, list[dict[str, Any]]] = {
    "fan_tan": [
        {"max_moves": 9},
        {"max_moves": 9, "ranks": "A23456789TJQK", "piles": True},
        {"max_moves": 16, "ranks": "A23"},
        {"max_moves": 16, "ranks": "A234", "piles": True},
    ],
    "wish_card": [{"max_moves": 9}, {"max_moves": 12, "cards_each": 4, "middle": 3}],
    "five_or_nine": [{"max_moves": 9}, {"ranks": "4567", "stock": 3}],
    "pope_joan": [{"max_moves": 9}, {"cards_each": 2}],
    "ranter_go_round": [{"shows_king": True}, {"shows_king": False}],
}

#: Picture sizes of the soak: the recordings' and a Pi camera's, binned.
_SIZES: tuple[tuple[int, int], ...] = ((1280, 960), (1280, 960), (1280, 720), (1640, 1232))


def short(number: int) -> Session:
    """The ``number``-th of endlessly many short sessions for the soak: the recorded games with every hardship."""
    rng = Random(f"short {number}")
    game = sorted(_SHORT)[number % len(_SHORT)]
    wish = rng.choice(_SHORT[game])
    most = min(GAMES[game].most, 4)
    return plan(
        game,
        rng.randint(3, most),
        10_000 + number,
        pace=rng.choice([Pace(), Pace(), BRISK]),
        faults=rng.sample(FAULTS[game], k=1) if rng.random() < 0.5 else (),
        hardships=HARDSHIPS,
        size_px=rng.choice(_SIZES),
        **wish,
    )
