"""A small real table and archive for tests and for looking at the page without a camera.

`FakeTable` keeps turns, counters, refusals, disputes and corrections by itself, in the simplest way that is true to
the contract: it knows one game (lay a card in turn, or pay one) and judges nothing else. It is no referee.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from .source import Actor, Download, Noticeboard, Search

SUIT_ROWS = "SHDC"
RANKS = "A23456789TJQK"
ZONES: tuple[tuple[str, list[list[int]]], ...] = (
    ("seat-1", [[150, 600], [750, 600], [750, 698], [150, 698]]),
    ("seat-2", [[2, 110], [100, 110], [100, 590], [2, 590]]),
    ("seat-3", [[150, 2], [750, 2], [750, 100], [150, 100]]),
    ("seat-4", [[800, 110], [898, 110], [898, 590], [800, 590]]),
    ("layout", [[110, 105], [790, 105], [790, 595], [110, 595]]),
    ("stock", [[796, 602], [898, 602], [898, 698], [796, 698]]),
)
TABLE: dict[str, Any] = {
    "width_mm": 900,
    "height_mm": 700,
    "card": [63, 88],
    "zones": [{"name": name, "polygon": polygon} for name, polygon in ZONES],
}
ANTE = 10


class FakeTable:
    """One table of up to four seats, driven by `lay` and by taps; every tap it took stands in ``taps``."""

    def __init__(self, names: Sequence[str] = ("Ann", "Bo", "Cy", "Di"), secret: str = "") -> None:
        self.taps: list[tuple[dict[str, Any], Actor]] = []
        self.pictures: dict[str, bytes] = {}
        self._secret = secret
        self.board = Noticeboard({}, self.act)
        self.names: list[str] = []
        self.cards: list[dict[str, Any]] = []
        self.entries: list[dict[str, Any]] = []
        self.rulings: list[dict[str, Any]] = []
        self.wishes: dict[int, dict[str, Any]] = {}
        self.winner: int | None = None
        self.dispute: dict[str, Any] | None = None
        self._reset("fan_tan", names, dealer=4)

    def lay(self, card: str, seat: int | None = None) -> int:
        """The seat to act (or ``seat``) lays ``card``; the number of its entry."""
        by = seat or self.turn
        entry = self._enter({"fact": "laid", "card": card, "zone": "layout", "seat": by})
        self._put(card, by, entry)
        if by == self.turn:
            self._next("turn")
        else:
            self.out_of_step = True
            self._rule("refused", "OUT_OF_TURN", by, entry, f"it is {self.names[self.turn - 1]}'s turn", card)
        self.publish()
        return entry

    def take_back(self, card: str) -> None:
        """A refused card goes back to its hand."""
        gone = next(item for item in self.cards if item["card"] == card)
        self._enter({"fact": "taken_back", "card": card, "zone": "layout", "seat": gone["seat"]})
        self.cards = [item for item in self.cards if item is not gone]
        self.out_of_step = False
        self.publish()

    def act(self, action: Mapping[str, Any], actor: Actor) -> dict[str, Any]:
        """What `TableSource.act` asks for."""
        self.taps.append((dict(action), actor))
        match action["do"]:
            case "press" if action["press"] == "long":
                error = self._call({}, actor)
            case "press":
                error = self._pay(actor)
            case "call":
                error = self._call(action, actor)
            case "correct":
                error = self._correct(action)
            case "insert":
                error = self._insert(action)
            case "say":
                self._enter({"fact": "said", "seat": actor.seat, "word": action["word"], "detail": action["detail"]})
                error = ""
            case "let_stand" | "settle" | "resume":
                self.dispute, self.state, error = None, "playing", ""
            case "pause":
                self.state, error = "paused", ""
            case "start":
                self._reset(action["game"], action["seats"], action["dealer"])
                error = ""
            case "seal_wish":
                self.wishes[actor.seat or 0] = {"seat": actor.seat, "commitment": action["commitment"]}
                error = ""
            case "open_wish":
                error = self._open_wish(action, actor)
            case _:
                error = "there is no other deal"
        self.publish()
        return {"error": error} if error else {"ok": True}

    def win(self, seat: int) -> None:
        """The deal is over and ``seat`` has won."""
        self.winner = seat
        self._rule("over", "OUT", seat, len(self.entries) - 1, f"{self.names[seat - 1]} has no card left", None)
        self.publish()

    def publish(self) -> None:
        """Put the state up."""
        self.board.publish(**self._state())

    def _reset(self, game: str, names: Sequence[str], dealer: int) -> None:
        self.game, self.names, self.dealer = game, list(names), dealer
        self.turn = dealer % len(names) + 1
        self.cards, self.entries, self.rulings, self.wishes = [], [], [], {}
        self.counters = dict.fromkeys(range(1, len(names) + 1), ANTE)
        self.pool, self.winner = 0, None
        self.state, self.dispute, self.out_of_step = "playing", None, False
        self.publish()

    def _pay(self, actor: Actor) -> str:
        if self.state != "playing":
            return "the game is paused"
        entry = self._enter({"fact": "pressed", "seat": actor.seat, "press": "short", "taps": 1})
        if actor.seat != self.turn:
            self._rule("refused", "NOT_DUE", actor.seat, entry, "nothing is due from this seat", None)
            return ""
        self.counters[self.turn] -= 1
        self.pool += 1
        self._rule("paid", "PASS", actor.seat, entry, "he says that he cannot play", None, counters=1)
        self._next("turn")
        return ""

    def _call(self, action: Mapping[str, Any], actor: Actor) -> str:
        ruling = action.get("ruling")
        if ruling is not None and ruling >= len(self.rulings):
            return "there is no such ruling"
        self.state = "paused"
        entry = self.rulings[ruling]["entry"] if ruling is not None else action.get("entry")
        self.dispute = {"entry": entry, "seat": actor.seat, "why": action.get("why", ""), "open": True}
        return ""

    def _correct(self, action: Mapping[str, Any]) -> str:
        number = action["entry"]
        if number >= len(self.entries) or self.entries[number].get("struck"):
            return "there is no such entry"
        self.entries[number] = {**self.entries[number], "struck": True}
        self.cards = [card for card in self.cards if card["entry"] != number]
        self._enter({"fact": "corrected", "target": number, "instead": action["instead"], "why": action["why"]})
        if instead := action["instead"]:
            self._put(instead["card"], instead["seat"], number)
        self.dispute, self.state, self.out_of_step = None, "playing", False
        return ""

    def _insert(self, action: Mapping[str, Any]) -> str:
        missed = action["missed"]
        entry = self._enter({"fact": "inserted", "before": action["before"], "missed": missed, "why": action["why"]})
        if missed["fact"] == "laid":
            self._put(missed["card"], missed["seat"], entry)
        return ""

    def _open_wish(self, action: Mapping[str, Any], actor: Actor) -> str:
        if actor.seat != self.winner or actor.seat not in self.wishes:
            return "only the winner's wish is opened"
        made = hashlib.sha256((action["nonce"] + action["text"]).encode()).hexdigest()
        if made != self.wishes[actor.seat]["commitment"]:
            return "this is not the wish that was sealed"
        self.wishes[actor.seat].update(text=action["text"], nonce=action["nonce"])
        return ""

    def _enter(self, fact: dict[str, Any]) -> int:
        number = len(self.entries)
        digest = self._picture(number)
        self.entries.append({"number": number, "t": 2.5 * number, "confidence": 0.99, "photos": [digest], **fact})
        return number

    def _picture(self, number: int) -> str:
        picture = png(160, 120, (34, 96 + number % 40, 70), (60 + number % 30, 30, 40, 56))
        digest = hashlib.sha256(picture).hexdigest()
        self.pictures[digest] = picture
        return digest

    def _put(self, card: str, seat: int, entry: int) -> None:
        rank, suit = RANKS.index(card[0]), SUIT_ROWS.index(card[1])
        place = {"x_mm": 165 + rank * 47, "y_mm": 165 + suit * 118, "angle": (rank * 37 + suit * 11) % 9 - 4}
        self.cards.append({"card": card, "zone": "layout", "seat": seat, "entry": entry, **place})

    def _next(self, code: str) -> None:
        self.turn = self.turn % len(self.names) + 1
        self._rule(code, "PLAY", self.turn, len(self.entries) - 1, "", None)

    def _rule(
        self, kind: str, code: str, seat: int | None, entry: int, why: str, card: str | None, **more: Any
    ) -> None:
        ruling = {"id": len(self.rulings), "t": 2.5 * entry, "entry": entry, "ruling": kind, "code": code, "seat": seat}
        photos = self.entries[entry]["photos"] if 0 <= entry < len(self.entries) else []
        self.rulings.append({**ruling, "why": why, "photos": photos, **({"card": card} if card else {}), **more})

    def _state(self) -> dict[str, Any]:
        return {
            "session": "20261130-fan",
            "game": self.game,
            "title": self.game.replace("_", " ").title(),
            "seats": self.names,
            "dealer": self.dealer,
            "state": self.state,
            "view": self._view(),
            "lights": self._lights(),
            "cards": self.cards,
            "table": TABLE,
            "rulings": self.rulings[-20:],
            "entries": self.entries[-50:],
            "dispute": self.dispute,
            "wishes": list(self.wishes.values()),
            "hands": dict.fromkeys(self.names, self._secret),  # what a careless table might put up
        }

    def _view(self) -> dict[str, Any]:
        words = f"{self.names[self.turn - 1]} plays a card or pays one."
        words = f"the card goes back; then {words}" if self.out_of_step else words
        return {
            "turn": None if self.winner else self.turn,
            "due": "PLAY",
            "due_count": 1,
            "need": None,
            "pool": self.pool,
            "counters": {str(seat): held for seat, held in self.counters.items()},
            "out_of_step": self.out_of_step,
            "over": self.winner is not None,
            "winner": self.winner,
            "quiet_word": "PAY",
            "told": [["skip", "leave", "draw", "misdeal"]] * len(self.names),
            "quiet_act": ["" if self.winner or seat != self.turn else "PAY" for seat in self.counters],
            "words": "" if self.winner else words,
            "known": self._secret,
        }

    def _lights(self) -> list[dict[str, Any]]:
        on = {"meaning": "your turn", "rhythm": "steady", "pattern": [1000], "colour": "green", "words": "your turn"}
        slow = {"meaning": "out of step", "rhythm": "slow and even", "pattern": [700, 700], "colour": "red"}
        refused = {**slow, "words": "take it back"}
        off = {"meaning": "waiting", "rhythm": "a blip now and then", "pattern": [90, 3900], "colour": "green"}
        off["words"] = "waiting"
        last = self.rulings[-1] if self.rulings else {}
        bad = last.get("seat") if self.out_of_step else None
        seats = range(1, len(self.names) + 1)
        return [{"seat": n, **(refused if n == bad else on if n == self.turn else off)} for n in seats]


class FakeArchive:
    """The sessions of a `FakeTable`, and some older ones, kept in memory."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table
        self.asked: list[str] = []

    def sessions(self, search: Search) -> Sequence[Mapping[str, Any]]:
        """See `SessionArchive`."""
        old = [self._about(f"202611{day:02}-fan", f"2026-11-{day:02}T19:30:00Z", False) for day in (27, 20, 13)]
        found = [self._about("20261130-fan", "2026-11-30T19:30:00Z", True), *old]
        return [one for one in found if search.game in one["game"] and _names(search.player, one["players"])]

    def session(self, session_id: str) -> Mapping[str, Any] | None:
        """See `SessionArchive`."""
        about = next((one for one in self.sessions(Search()) if one["id"] == session_id), None)
        return about and {**about, "table": TABLE, "head": "7f3a-91c2", "counters": dict(self._table.counters)}

    def entries(
        self, session_id: str, first: int, limit: int, deal: int | None = None
    ) -> Sequence[Mapping[str, Any]] | None:
        """See `SessionArchive`."""
        if self.session(session_id) is None:
            return None
        return [self._entry(item) for item in self._table.entries[first : first + limit]]

    def explain(self, session_id: str, ruling: int) -> Mapping[str, Any] | None:
        """See `SessionArchive`."""
        if self.session(session_id) is None or ruling >= len(self._table.rulings):
            return None
        said = self._table.rulings[ruling]
        entries = [self._entry(self._table.entries[said["entry"]])] if said["entry"] >= 0 else []
        return {**said, "behind": entries}

    def evidence(self, digest: str) -> bytes | None:
        """See `SessionArchive`."""
        self.asked.append(digest)
        return self._table.pictures.get(digest)

    def export(self, session_id: str, form: str) -> Download | None:
        """See `SessionArchive`."""
        if self.session(session_id) is None:
            return None
        data = json.dumps({"id": session_id, "entries": self._table.entries}).encode()
        return Download(f"{session_id}.{form}", "application/octet-stream", data)

    def settle_up(self, session_ids: Sequence[str]) -> Mapping[str, Any] | None:
        """See `SessionArchive`."""
        if any(self.session(one) is None for one in session_ids):
            return None
        names = self._table.names
        net = {name: self._table.counters[seat] - ANTE for seat, name in enumerate(names, start=1)}
        return {"net": net, "transfers": [{"from": names[0], "to": names[-1], "counters": 3}]}

    def _about(self, session_id: str, started: str, live: bool) -> dict[str, Any]:
        count = {"entries": len(self._table.entries), "disputes": 1, "live": live}
        names = list(self._table.names)
        return {"id": session_id, "game": "fan_tan", "title": "Fan Tan", "started": started, "players": names, **count}

    def _entry(self, item: Mapping[str, Any]) -> dict[str, Any]:
        number = item["number"]
        cards = [card for card in self._table.cards if card["entry"] <= number]
        said = [ruling for ruling in self._table.rulings if ruling["entry"] == number]
        before = self._table.entries[number - 1]["photos"] if number else []
        return {**item, "cards": cards, "rulings": said, "before_photos": before}


class FakeCamera:
    """A camera that sees the fake table's cards, and one that it cannot read."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def look(self) -> Mapping[str, Any]:
        """See `CameraView`."""
        cards = [_seen(card) for card in self._table.cards] + [_seen({"card": "?", "x_mm": 700, "y_mm": 520})]
        zones = [{"name": zone["name"], "polygon_px": zone["polygon"]} for zone in TABLE["zones"]]
        hints = [{"code": "GLARE", "words": "A lamp shines in the top right corner: dim it or turn it away."}]
        size = {"width_px": 900, "height_px": 700, "focus": 0.82, "glare": 0.12}
        return {**size, "cards": cards, "zones": zones, "hints": hints}

    def picture(self) -> bytes | None:
        """See `CameraView`."""
        return png(180, 140, (34, 96, 70), (60, 40, 25, 35))


def png(width: int, height: int, ground: tuple[int, int, int], card: tuple[int, int, int, int]) -> bytes:
    """A picture of a pale card (x, y, width, height) on a plain ground, as PNG."""
    x, y, w, h = card
    row = bytes(ground) * width
    with_card = row[: 3 * x] + b"\xf6\xf1\xe4" * w + row[3 * (x + w) :]
    rows = b"".join(b"\0" + (with_card if y <= line < y + h else row) for line in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _names(player: str, players: Sequence[str]) -> bool:
    return not player or any(player.casefold() in name.casefold() for name in players)


def _seen(card: Mapping[str, Any]) -> dict[str, Any]:
    x, y = card["x_mm"], card["y_mm"]
    corners = [[x - 31, y - 44], [x + 31, y - 44], [x + 31, y + 44], [x - 31, y + 44]]
    return {"card": card["card"], "confidence": 0.4 if card["card"] == "?" else 0.98, "corners_px": corners}
