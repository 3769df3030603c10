"""Written games (FORMAT.md): read, checked with the place of every mistake, and judged like a session."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .acts import plural
from .cards import Card
from .deal import MOST_COUNTERS, NAMES, Setup
from .events import Cut, Entry, Fact, Gathered, HandShown, Laid, Pressed, Said
from .house import BadSetup, did_you_mean, shown, word_shown
from .match import Match, game_called
from .rulings import Ruling

#: A script is text that people write; 54 examples are 37 kB. More than this is some other file.
MOST_BYTES = 8_000_000
#: A deal of a few hundred moves is long; the longest known Beggar-My-Neighbour deal has 8344.
MOST_MOVES = 100_000

_LABELS = frozenset({"id", "title", "expect", "game", "options", "seats", "dealer", "moves", "note", "comment"})


class BadScript(ValueError):
    """A script cannot be meant; the message is one line: the place in the file, what is wrong, the remedy."""


@dataclass(frozen=True, slots=True)
class Script:
    """A written game: what is played and the entries that play it; ``expect`` is what its author expects."""

    id: str | None
    setup: Setup
    entries: tuple[Entry, ...]
    expect: Mapping[str, Any] | None = None
    where: str = ""


def read_script(path: Path) -> str:
    """The text of a script's file; never more of it is read than a script may have.

    :raises BadScript: if it is a folder, no text, or longer than any script.
    :raises OSError: if it cannot be read.
    """
    if path.is_dir():
        raise BadScript(f"{path}: is a folder; give a script, a JSON file")
    with path.open("rb") as file:  # a pipe has no size to ask for
        data = file.read(MOST_BYTES + 1)
        size = max(os.fstat(file.fileno()).st_size, len(data))
    if size > MOST_BYTES:
        raise BadScript(f"{path}: {size // 1_000_000} MB are no script; one has at most {MOST_BYTES // 1_000_000} MB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadScript(f"{path}: is no text; a script is JSON in UTF-8") from None


def load_scripts(text: str, where: str) -> list[Script]:
    """The scripts of a file: one, or a list of them.

    :param where: the file's name for messages.
    :raises BadScript: with the place in the file.
    """
    data = _parse(text, where)
    if isinstance(data, Mapping):
        return [_script(data, where)]
    if not isinstance(data, list) or not data:
        raise BadScript(f"{where}: a script is an object, or a list of them; here is {shown(data)}")
    return [_script(one, _place(where, i, one)) for i, one in enumerate(data)]


def is_list(text: str) -> bool:
    """Does the file hold a list of scripts? Then each result carries its id."""
    return text.lstrip().startswith("[")


def run_script(script: Script) -> tuple[Match, list[Ruling]]:
    """Judge a script: the finished match (its `Match.result` has FORMAT.md's keys) and every ruling in order.

    :raises BadScript: if its deal cannot be meant.
    """
    try:
        match = Match(script.setup)
    except BadSetup as error:
        raise BadScript(f"{script.where}: {error}") from None
    for entry in script.entries:
        match.add(entry)
    return match, list(match.standing)


def _parse(text: str, where: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_twice)
    except json.JSONDecodeError as error:
        raise BadScript(f"{where}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise BadScript(f"{where}: nested too deeply for a script") from None
    except ValueError as error:
        raise BadScript(f"{where}: {error}") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number that a script can use")


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{shown(next(n for n in names if names.count(n) > 1))} is given twice in one object")
    return out


def _place(where: str, index: int, one: Any) -> str:
    label = one.get("id") if isinstance(one, Mapping) else None
    if not isinstance(label, str):
        return f"{where}: script {index + 1}"
    return f"{where}: script {index + 1} ({word_shown(label)})"


def _script(data: Any, where: str) -> Script:
    if not isinstance(data, Mapping):
        raise BadScript(f"{where}: a script is an object, not {shown(data)}")
    try:
        game = game_called(data.get("game"))
        _check_names(data)
        setup = _setup(data)
        Match(setup)
        moves = _moves(data, setup, game.MOVES)
    except BadSetup as error:
        raise BadScript(f"{where}: {error}") from None
    label, expect = data.get("id"), data.get("expect")
    return Script(
        label if isinstance(label, str) else None, setup, moves, expect if isinstance(expect, Mapping) else None, where
    )


def _check_names(data: Mapping[str, Any]) -> None:
    for name in data:
        if name not in _LABELS | NAMES:
            raise BadSetup(f"nothing in a script is called {shown(name)}{did_you_mean(name, sorted(_LABELS | NAMES))}")


def _setup(data: Mapping[str, Any]) -> Setup:
    seats, options = data.get("seats"), data.get("options", {})
    if not isinstance(seats, list) or not all(isinstance(s, str) for s in seats):
        raise BadSetup(f"seats: a list of names is needed, not {shown(seats)}")
    if not isinstance(options, Mapping):
        raise BadSetup(f"options: house rules by name are needed, not {shown(options)}")
    deal = {k: v for k, v in data.items() if k in NAMES and k != "final_hands" and v is not None}
    dealer = None if data.get("dealer") is None else _seat(data["dealer"], seats, "dealer")
    return Setup(str(data["game"]), tuple(seats), dealer, dict(options), deal)


def _seat(value: Any, seats: Any, where: str) -> int:
    if isinstance(value, str) and value in seats:
        return int(seats.index(value)) + 1
    raise BadSetup(f"{where}: no seat is called {shown(value)}{did_you_mean(value, seats)}")


def _moves(data: Mapping[str, Any], setup: Setup, known: tuple[str, ...]) -> tuple[Entry, ...]:
    moves = data.get("moves", [])
    if not isinstance(moves, list):
        raise BadSetup(f"moves: a list is needed, not {shown(moves)}")
    if len(moves) > MOST_MOVES:
        raise BadSetup(f"moves: {len(moves)} moves are too many; at most {MOST_MOVES}")
    facts = [_move(move, setup.seats, known, f"moves[{i}]") for i, move in enumerate(moves)]
    facts += _final_hands(data.get("final_hands", {}), setup.seats)
    return tuple(Entry(number, fact, t=float(number), at=float(number)) for number, fact in enumerate(facts))


def _final_hands(hands: Any, seats: tuple[str, ...]) -> list[Fact]:
    if not isinstance(hands, Mapping):
        raise BadSetup(f"final_hands: a table by seat is needed, not {shown(hands)}")
    out: list[Fact] = []
    for name, cards in hands.items():
        where = f"final_hands.{word_shown(name)}"
        if not isinstance(cards, list):
            raise BadSetup(f"{where}: a list of cards is needed, not {shown(cards)}")
        out.append(
            HandShown(_seat(name, seats, "final_hands"), tuple(_card(c, f"{where}[{i}]") for i, c in enumerate(cards)))
        )
    return out


def _card(value: Any, where: str) -> Card:
    try:
        return Card.parse(value)
    except (ValueError, TypeError):
        raise BadSetup(f"{where}: no card is called {shown(value)}; write rank then suit, such as 7H or TS") from None


def _move(move: Any, seats: tuple[str, ...], known: tuple[str, ...], where: str) -> Fact:
    if not isinstance(move, Mapping):
        raise BadSetup(f"{where}: a move is an object, not {shown(move)}")
    ev = move.get("ev")
    if not isinstance(ev, str) or ev not in known:
        raise BadSetup(f"{where}.ev: no move of this game is called {shown(ev)}{did_you_mean(ev, known)}")
    seat = _seat(move.get("seat"), seats, f"{where}.seat")
    if ev == "pass" and "demand" in known:
        return Said(seat, "pass")  # there the button can mean an announcement too
    return _FACTS[ev](move, seat, seats, where)


def _play(move: Mapping[str, Any], seat: int, seats: tuple[str, ...], where: str) -> Fact:
    return Laid(_card(move.get("card"), f"{where}.card"), "layout", seat)


def _turn(move: Mapping[str, Any], seat: int, seats: tuple[str, ...], where: str) -> Fact:
    return Laid(_card(move.get("card"), f"{where}.card"), f"seat-{seat}", seat)


def _press(move: Mapping[str, Any], seat: int, seats: tuple[str, ...], where: str) -> Fact:
    return Pressed(seat)


def _gather(move: Mapping[str, Any], seat: int, seats: tuple[str, ...], where: str) -> Fact:
    source, count = move.get("from"), move.get("count")
    if count is not None and (type(count) is not int or count < 0):
        raise BadSetup(f"{where}.count: a whole number of cards is needed, not {shown(count)}")
    zone = "layout" if source == "centre" else f"seat-{_seat(source, seats, f'{where}.from')}"
    return Gathered(zone, seat, count)


def _cut(move: Mapping[str, Any], seat: int, seats: tuple[str, ...], where: str) -> Fact:
    return Cut(seat, _card(move.get("card"), f"{where}.card"))


def _swap(move: Mapping[str, Any], seat: int, seats: tuple[str, ...], where: str) -> Fact:
    say = move.get("say")
    if say not in (None, "ace", "deuce", "three"):
        raise BadSetup(f'{where}.say: null, "ace", "deuce" or "three", not {shown(say)}')
    return Said(seat, "swap", say or "")


def _said(move: Mapping[str, Any], seat: int, seats: tuple[str, ...], where: str) -> Fact:
    """Anything else that is said; a sale names the buyer (``to``) and the ``price``, a bid the ``price``."""
    word, price = str(move["ev"]), move.get("price", 0)
    if type(price) is not int or not 0 <= price <= MOST_COUNTERS:
        raise BadSetup(f"{where}.price: a whole number of counters to {MOST_COUNTERS} is needed, not {shown(price)}")
    if word != "sell":
        return Said(seat, word, str(price) if price else "")
    return Said(seat, word, f"{_seat(move.get('to'), seats, f'{where}.to')}:{price}")


_FACTS: dict[str, Callable[[Mapping[str, Any], int, tuple[str, ...], str], Fact]] = {
    "play": _play,
    "turn": _turn,
    "pass": _press,
    "pay": _press,
    "stop": _press,
    "gather": _gather,
    "cut": _cut,
    "swap": _swap,
    "demand": _said,
    "king": _said,
    "buy": _said,
    "sell": _said,
}


def summary(scripts: list[Script]) -> str:
    """One line for people: how many scripts there are."""
    return plural(len(scripts), "script")
