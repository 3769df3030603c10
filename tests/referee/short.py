"""Scripts in short: written games of one line each, for tests that work out a rule by hand."""

from __future__ import annotations

import json
from typing import Any

from firmware.referee.cards import Card
from firmware.referee.events import Entry, Fact, Laid
from firmware.referee.match import Match, Setup
from firmware.referee.script import load_scripts, run_script


def move(text: str) -> dict[str, Any]:
    """``A gather B 2``, ``B swap ace``, ``A play 7C``, ``A sell B 5``, ``C pass`` as a script's move."""
    seat, ev, *rest = text.split()
    out: dict[str, Any] = {"seat": seat, "ev": ev}
    if ev == "gather":
        out |= {"from": rest[0], **({"count": int(rest[1])} if rest[1:] else {})}
    elif ev == "buy":
        out |= {"price": int(rest[0])} if rest else {}
    elif ev == "sell":
        out |= {"to": rest[0], "price": int(rest[1])}
    elif ev == "swap":
        out["say"] = rest[0] if rest else None
    elif rest:
        out["card"] = rest[0]
    return out


def match(game: str, moves: str, options: dict[str, Any] | None = None, seats: str = "ABC", **deal: Any) -> Match:
    """A script in short, judged."""
    written = [move(text.strip()) for text in moves.split(";") if text.strip()]
    script = {"game": game, "seats": list(seats), "options": options or {}, "moves": written, **deal}
    found = run_script(load_scripts(json.dumps(script), "test")[0])[0]
    assert found.ledger.total() == 0
    return found


def facts_told(setup: Setup, *facts: Fact, source: str = "camera") -> Match:
    """The match after these facts, as a camera tells them."""
    found = Match(setup)
    for number, fact in enumerate(facts):
        found.add(Entry(number, fact, source=source))
    assert found.ledger.total() == 0
    return found


def told(game: str, facts: list[Fact], house: dict[str, Any] | None = None, seats: str = "ABC", **deal: Any) -> Match:
    """The match after these facts, as a camera tells them; the last seat deals."""
    return facts_told(Setup(game, tuple(seats), len(seats), house or {}, deal), *facts)


def laid(card: str, seat: int, zone: str = "") -> Laid:
    """A card that a seat has laid, before it unless a zone is named."""
    return Laid(Card.parse(card), zone or f"seat-{seat}", seat)


def judged(
    game: str, moves: str, options: dict[str, Any] | None = None, seats: str = "ABC", **deal: Any
) -> dict[str, Any]:
    """The result of a script in short."""
    return match(game, moves, options, seats, **deal).result()


def cards(**hands: str) -> dict[str, list[str]]:
    """Hands by seat."""
    return {seat: text.split() for seat, text in hands.items()}


def holds(result: dict[str, Any], **keys: Any) -> None:
    """The result has these keys with these values."""
    assert {key: result.get(key, "absent") for key in keys} == keys
