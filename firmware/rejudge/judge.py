"""One item judged again, wherever this runs: a recording is watched again, a session folded (and its pictures read).

`judge_item` takes and gives plain values, and is total: an item that cannot be judged says why in its outcome.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import cv2

from firmware.config import ConfigError, load_game, load_table
from firmware.journal.chain import parsed
from firmware.journal.journal import OPENING, Deal, Journal
from firmware.journal.lines import SessionHeader
from firmware.journal.replay import kept_results, setup_of
from firmware.perception import Perception, recorded
from firmware.referee.cards import Card
from firmware.referee.events import Corrected, Entry, Laid, to_json
from firmware.referee.match import BadSetup, Match, Setup, effective
from firmware.seen import Seen
from firmware.watch import load_presses, observe
from vision.reader import Reader

from .evidence import card_width_mm, crop_of, read_again
from .items import Item, ItemKind
from .orders import OURS, Order
from .told import Change, Read, Said, other_readings, other_results, other_rulings

#: Readings less sure than this are worth a trainer's look. The reader's own threshold lies below it (models/README.md
#: has it); what is surer than this is wrong less than once in a thousand on held-out packs.
HARD_BELOW: Final = 0.9


@dataclass(frozen=True, slots=True)
class Hard:
    """A reading that was hard. ``read``: as it was read; ``again``: by the other reader; ``label``: what stands now.

    ``sure``: whether people at the table said what the card was. ``why``: unread, unsure, changed, corrected.
    """

    deal: int
    entry: int
    t: float
    read: str
    again: str
    confidence: float
    label: str
    sure: bool
    why: str
    picture: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class Outcome:
    """What became of one item. ``pictures``: crops of hard readings (JPEG) by the names that ``hard`` uses."""

    item: str
    kind: str
    game: str = ""
    deals: int = 0
    entries: int = 0
    rulings: int = 0
    proofs: int = 0
    unread: int = 0
    result: Any = None
    trouble: str = ""
    changes: list[dict[str, Any]] = field(default_factory=list)
    hard: list[dict[str, Any]] = field(default_factory=list)
    pictures: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Telling:
    """A session or recording as it was or is told: rulings, readings, and by deal its result and its ledger."""

    said: list[Said]
    read: list[Read]
    results: dict[int, Any]
    ledgers: dict[int, Any]


def judge_item(item: Item, order: Order) -> Outcome:
    """Judge one item as the order says. Never raises for what is wrong with the item."""
    cv2.setNumThreads(1)
    if item.trouble:
        return Outcome(item.name, item.kind.value, trouble=item.trouble)
    try:
        return _session(item, order) if item.kind is ItemKind.SESSION else _recording(item, order)
    except (OSError, ValueError) as error:
        return Outcome(item.name, item.kind.value, trouble=" ".join(str(error).split()))


@lru_cache(maxsize=2)
def _reader(folder: str, wanted_hash: str) -> Reader:
    reader = Reader.load(None if folder == OURS else Path(folder))
    if wanted_hash and reader.hash != wanted_hash:
        raise ConfigError(f"{folder}: the models here are not those that were asked for; copy them to every machine")
    return reader


def _match(setup: Setup, entries: Sequence[Entry], deal: int) -> tuple[Match, list[Said]]:
    match = Match(setup)
    said = [Said(deal, OPENING, ruling.to_json()) for ruling in match.opening]
    for entry in entries:
        said += [Said(deal, entry.number, ruling.to_json()) for ruling in match.add(entry)]
    return match, said


def _reads(deal: int, entries: Sequence[Entry]) -> list[Read]:
    return [Read(deal, e.number, round(e.t, 3), to_json(e.fact), round(e.confidence, 3)) for e in entries]


def _with_house(setup: Setup, order: Order) -> Setup:
    return replace(setup, house={**setup.house, **order.house_of(setup.game)})


def _fold(deals: Sequence[tuple[int, Setup, Sequence[Entry]]]) -> _Telling:
    """Every deal judged by the referee of this program.

    :raises BadSetup: if it cannot be.
    """
    telling = _Telling([], [], {}, {})
    for number, setup, entries in deals:
        match, said = _match(setup, entries, number)
        telling.said.extend(said)
        telling.read.extend(_reads(number, entries))
        telling.results[number] = match.result()
        telling.ledgers[number] = {name: match.ledger.balance(seat) for seat, name in enumerate(setup.seats, start=1)}
    return telling


def _outcome(item: Item, game: str, before: _Telling, after: _Telling, *, places: bool) -> Outcome:
    changes: list[Change] = [
        *other_readings(before.read, after.read),
        *other_rulings(before.said, after.said, places=places),
        *other_results(before.results, after.results, "result"),
        *other_results(before.ledgers, after.ledgers, "ledger"),
    ]
    proofs = sum(said.ruling.get("ruling") == "proved" for said in after.said)
    unread = sum(read.fact.get("card") == "?" for read in after.read)
    return Outcome(
        *(item.name, item.kind.value, game, len(after.results), len(after.read), len(after.said), proofs, unread),
        result=list(after.results.values()),
        changes=[change.to_json() for change in changes],
    )


# -- sessions


def _session(item: Item, order: Order) -> Outcome:
    with Journal.open(Path(item.folder), read_only=True) as journal:
        header = journal.header(item.session)
        entries: dict[int, list[Entry]] = {}
        for line, entry in journal.numbered(item.session):
            entries.setdefault(line.deal, []).append(entry)
        deals = [(deal, entries.get(deal.number, [])) for deal in journal.deals(item.session)]
        again = _read_pictures(journal, header, entries, order) if order.model else {}
        logged = [(deal.number, setup_of(header, deal), found) for deal, found in deals]
        asked = [_asked(header, deal, found, order, again) for deal, found in deals]
        now = _fold(asked)
        outcome = _outcome(item, header.game, _as_kept(journal, item, logged, now), now, places=True)
        _add_hard_session(outcome, journal, entries, again, order)
        return outcome


def _asked(
    header: SessionHeader, deal: Deal, entries: Sequence[Entry], order: Order, again: Mapping[tuple[int, int], Any]
) -> tuple[int, Setup, Sequence[Entry]]:
    read = [_as_read(entry, again.get((deal.number, entry.number))) for entry in entries]
    return deal.number, _with_house(setup_of(header, deal), order), read


def _as_read(entry: Entry, again: Any) -> Entry:
    """The entry with the card that its picture now shows, if that is certain and another one."""
    if again is None or again.card == "?" or not isinstance(entry.fact, Laid):
        return entry
    card = Card.parse(again.card)
    if card == entry.fact.card:
        return entry
    return replace(entry, fact=replace(entry.fact, card=card), confidence=again.confidence)


def _as_kept(
    journal: Journal, item: Item, logged: Sequence[tuple[int, Setup, Sequence[Entry]]], now: _Telling
) -> _Telling:
    """What was said at the table; where it was not kept, what the referee says to the log as it is."""
    try:
        before = _fold(logged)
    except BadSetup:  # it was judged by a program that knew the game otherwise; now is all there is to tell
        before = now
    rows = journal.rulings(item.session)
    said = [Said(row.deal, row.entry, parsed(row.text)) for row in rows] or before.said
    return _Telling(said, before.read, {**before.results, **kept_results(journal, item.session)}, before.ledgers)


def _read_pictures(
    journal: Journal, header: SessionHeader, entries: Mapping[int, Sequence[Entry]], order: Order
) -> dict[tuple[int, int], Any]:
    """Every evidence crop read again, by deal and entry."""
    reader, width = _reader(order.model, order.model_hash), card_width_mm(header.table)
    found = {}
    for deal, entry in _laid(entries):
        crop = crop_of(journal.photo(entry.photos[0]) or b"") if len(entry.photos) > 1 else None
        if crop is not None and isinstance(entry.fact, Laid):
            found[deal, entry.number] = read_again(crop, str(entry.fact.card or "?"), reader, width)
    return found


def _laid(entries: Mapping[int, Sequence[Entry]]) -> Iterator[tuple[int, Entry]]:
    for deal, several in sorted(entries.items()):
        yield from ((deal, entry) for entry in several if isinstance(entry.fact, Laid) and entry.source == "camera")


def _add_hard_session(
    outcome: Outcome,
    journal: Journal,
    entries: Mapping[int, Sequence[Entry]],
    again: Mapping[tuple[int, int], Any],
    order: Order,
) -> None:
    for deal, entry in _laid(entries):
        found = again.get((deal, entry.number))
        jpeg = journal.photo(entry.photos[0]) if len(entry.photos) > 1 and order.hard else None
        changed = found is not None and found.card != str(getattr(entry.fact, "card", None) or "?")
        _add_hard(outcome, deal, entry, entries[deal], found.card if found else "", changed, jpeg)


def _add_hard(
    outcome: Outcome, deal: int, entry: Entry, entries: Sequence[Entry], again: str, changed: bool, jpeg: bytes | None
) -> None:
    """Keep a reading if it was hard, with its picture if there is one."""
    assert isinstance(entry.fact, Laid)
    read, (label, sure) = str(entry.fact.card or "?"), _stands(entry, entries)
    signs = {
        "unread": read == "?",
        "unsure": read != "?" and entry.confidence < HARD_BELOW,
        "changed": changed,
        "corrected": sure and label != read,
    }
    if not any(signs.values()):
        return
    picture = ""
    if jpeg:
        picture = f"{label.replace('?', 'unread')}-{hashlib.sha256(jpeg).hexdigest()[:20]}.jpg"
        outcome.pictures[picture] = jpeg
    why = "+".join(sign for sign, there in signs.items() if there)
    told = (deal, entry.number, round(entry.t, 3), read, again, round(entry.confidence, 3))
    outcome.hard.append(Hard(*told, label, sure, why, picture).to_json())


def _stands(entry: Entry, entries: Sequence[Entry]) -> tuple[str, bool]:
    """The card that the log gives for an entry after all corrections, and whether people said so."""
    by_people = any(
        isinstance(e.fact, Corrected) and e.fact.target == entry.number and e.fact.by != "camera" for e in entries
    )
    now = next((e.fact for e in effective(list(entries)) if e.number == entry.number), None)
    if not isinstance(now, Laid):
        return "?", False
    return str(now.card or "?"), by_people


# -- recordings


def _recording(item: Item, order: Order) -> Outcome:
    folder = Path(item.folder)
    setup = load_game(folder / "game.toml")
    other = order.model not in ("", OURS)
    logged, pictures = _watch(folder, setup, _reader(OURS, ""), pictures=order.hard and not other)
    entries = logged
    if other:
        entries, pictures = _watch(folder, setup, _reader(order.model, order.model_hash), pictures=order.hard)
    try:
        now = _fold([(1, _with_house(setup, order), entries)])
        before = _fold([(1, setup, logged)])
    except BadSetup as error:
        raise ConfigError(f"{folder / 'game.toml'}: {error}") from None
    outcome = _outcome(item, setup.game, before, now, places=not other)
    changed = {change["entry"] for change in outcome.changes if change["what"] == "reading"}
    for entry in entries:
        if isinstance(entry.fact, Laid):
            _add_hard(outcome, 1, entry, entries, "", entry.number in changed, pictures.get(entry.number))
    return outcome


def _watch(folder: Path, setup: Setup, reader: Reader, *, pictures: bool) -> tuple[list[Entry], dict[int, bytes]]:
    """The entries of a recording, and by number the crops of what was laid if they are wanted."""
    entries: list[Entry] = []
    crops: dict[int, bytes] = {}

    def enter(seen: Seen) -> Entry:
        number = len(entries)
        entry = Entry(number, seen.fact, seen.t, seen.at, seen.confidence, seen.seat_confidence, seen.source)
        entries.append(entry)
        if len(seen.pictures) > 1:
            crops[number] = seen.pictures[0]
        return entry

    presses = load_presses(folder / "presses.jsonl", len(setup.seats))
    camera = recorded(folder)
    perception = Perception(load_table(folder / "table.toml"), reader, camera.size_px)
    for _ in observe(camera, perception, presses, enter, pictures=pictures):
        pass
    return entries, crops
