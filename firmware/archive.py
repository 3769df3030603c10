"""The sessions kept, as the players' page asks for them: the journal's readers behind the page's `SessionArchive`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from threading import RLock
from typing import Any

from .journal.chain import head_code
from .journal.errors import NoSuchSession
from .journal.explain import explain
from .journal.export import Format, exported
from .journal.journal import Journal
from .journal.listing import Query, Summary
from .journal.replay import settle_evening, setup_of
from .journal.report import Story, Told, story
from .lying import Lies, after_each, drawn
from .referee.events import to_json
from .referee.match import games
from .web.source import Download, Search

_MEDIA = {
    Format.JSON: "application/json",
    Format.CSV: "text/csv; charset=utf-8",
    Format.HTML: "text/html; charset=utf-8",
    Format.ZIP: "application/zip",
}
_NS = 1_000_000_000
#: The latest moment that the journal's numbers can hold, in the year 2262.
_LATEST_NS = 2**63 - 1


class Archive:
    """Reads a journal for the page. One reader at a time; the writer is never kept waiting."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._turn = RLock()

    def sessions(self, search: Search) -> Sequence[dict[str, Any]]:
        """See `SessionArchive`."""
        query = Query(
            game=search.game or None,
            player=search.player or None,
            since_ns=_wall_ns(search.since),
            disputes=search.disputes,
        )
        with self._turn:
            found = [self._listed(one) for one in self._journal.sessions(query)]
        if search.before:
            ids = [one["id"] for one in found]
            found = found[ids.index(search.before) + 1 :] if search.before in ids else []
        return found[: search.limit]

    def session(self, session_id: str) -> dict[str, Any] | None:
        """See `SessionArchive`."""
        with self._turn:
            try:
                tale = story(self._journal, session_id)
            except NoSuchSession:
                return None
            listed = self._listed(Summary(tale.row, tale.names))
        return {
            **listed,
            "house": dict(tale.header.house),
            "seats": list(tale.names),
            "table": dict(tale.header.table),
            "head": head_code(tale.row.head),
            "counters": dict(tale.settlement.net),
            "trouble": tale.trouble,
        }

    def entries(
        self, session_id: str, first: int, limit: int, deal: int | None = None
    ) -> Sequence[dict[str, Any]] | None:
        """See `SessionArchive`."""
        with self._turn:
            try:
                tale = story(self._journal, session_id)
            except NoSuchSession:
                return None
        before: list[tuple[str, ...]] = [()]
        for one in tale.told:
            before.append(one.entry.photos or before[-1])
        lying = _lying(tale)
        asked = [(place, one) for place, one in enumerate(tale.told) if deal in (None, one.deal)]
        return [
            _entry(one, before[place])
            | {"cards": drawn(lying.get((one.deal, one.entry.number), ()), tale.header.table)}
            for place, one in asked[first : first + limit]
        ]

    def explain(self, session_id: str, ruling: int) -> dict[str, Any] | None:
        """See `SessionArchive`."""
        with self._turn:
            try:
                found = explain(self._journal, session_id, ruling)
            except OSError:
                return None
        told = found.to_json()
        return {**told["ruling"], "why": found.said.words, "rule": found.rule, "behind": told["evidence"]}

    def evidence(self, digest: str) -> bytes | None:
        """See `SessionArchive`."""
        with self._turn:
            return self._journal.photo(digest)

    def export(self, session_id: str, form: str) -> Download | None:
        """See `SessionArchive`."""
        kind = Format(form)
        with self._turn:
            try:
                data = exported(self._journal, session_id, kind)
            except NoSuchSession:
                return None
            return Download(f"cardtable-{session_id}.{form}", _MEDIA[kind], data)

    def settle_up(self, session_ids: Sequence[str]) -> dict[str, Any] | None:
        """See `SessionArchive`."""
        with self._turn:
            try:
                settlement, left_out = settle_evening(self._journal, (), session_ids)
            except NoSuchSession:
                return None
        return {**settlement.to_json(), "left_out": list(left_out)}

    def _listed(self, one: Summary) -> dict[str, Any]:
        said = one.to_json()
        title = games()[one.row.game].TITLE if one.row.game in games() else one.row.game
        return {**said, "title": title, "players": said["seats"], "live": not said["ended"]}


def _entry(told: Told, before: tuple[str, ...]) -> dict[str, Any]:
    entry = told.entry
    keys = ("number", "t", "at", "confidence", "seat_confidence", "source")
    return {
        **{key: getattr(entry, key) for key in keys},
        **to_json(entry.fact),
        "deal": told.deal,
        "words": told.words,
        "struck": told.struck,
        "photos": list(entry.photos),
        "before_photos": list(before),
        "rulings": [said.ruling.to_json() for said in told.said],
    }


def _lying(tale: Story) -> dict[tuple[int, int], tuple[Lies, ...]]:
    """The cards after each entry, by its deal and number; each deal begins on an empty table."""
    out: dict[tuple[int, int], tuple[Lies, ...]] = {}
    for deal in () if tale.trouble else tale.deals:
        entries = [one.entry for one in tale.told if one.deal == deal.number]
        for number, lying in after_each(setup_of(tale.header, deal), entries).items():
            out[deal.number, number] = lying
    return out


def _wall_ns(since: str) -> int | None:
    try:
        return min(int(datetime.fromisoformat(since).timestamp()) * _NS, _LATEST_NS) if since else None
    except (ValueError, OverflowError):  # no such day, or none that a clock here can name
        return None
