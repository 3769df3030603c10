"""A session's log as bulletins: each line judged by the referee, as the hub is told it.

A bulletin follows from the log alone, so nothing is put aside for sending: the log is the spool. Of the facts nothing
is told but what the referee said to them, and of a deal nothing that was only known to the program.
"""

from __future__ import annotations

from collections.abc import Sequence

from firmware.journal.journal import Deal, Journal
from firmware.journal.lines import Line, LineKind, SessionHeader, line_entry, read_line
from firmware.journal.names import shown_names, title, visible, with_shown_names
from firmware.journal.replay import setup_of
from firmware.referee.match import BadSetup, Match, games
from firmware.referee.rulings import Ruling

from .messages import WORDS_CHARS, Begin, Bulletin, Said, pack


class Telling:
    """One session being told: reads on in its log, and keeps what it has read as the bytes to be sent."""

    def __init__(self, journal: Journal, session_id: str) -> None:
        self.session = session_id
        self.payloads: list[bytes] = []
        self._journal = journal
        self._number = journal.session(session_id).number
        self._header = SessionHeader("", ())
        self._names: tuple[str, ...] = ()
        self._match: Match | None = None
        self._number_of_deal = 1

    def read_on(self) -> int:
        """Read the lines that have come; how many there are in all."""
        for kept in self._journal.store.lines(self._number, len(self.payloads)):
            line = read_line(kept.sealed.text)
            self.payloads.append(pack(self._bulletin(line, kept.sealed.hash)))
        return len(self.payloads)

    def _bulletin(self, line: Line, head: str) -> Bulletin:
        begin = None
        said: Sequence[Ruling] = ()
        match line.kind:
            case LineKind.BEGIN:
                begin, said = self._begin(SessionHeader.from_json(line.body)), self._deal(line)
            case LineKind.DEAL:
                said = self._deal(line)
            case LineKind.FACT if self._match is not None:
                said = self._match.add(line_entry(line))
        counters, pool, over, winner = self._standing()
        return Bulletin(
            *(self.session, line.seq, head, line.kind.value, self._number_of_deal, max(0, line.stamp.wall_ns)),
            *(counters, pool, over, winner),
            said=tuple(map(self._said, said)),
            code=str(line.body.get("code", ""))[:40] if line.kind is LineKind.NOTE else "",
            begin=begin,
        )

    def _begin(self, header: SessionHeader) -> Begin:
        self._header, self._names = header, shown_names(header.seats)
        name = games()[header.game].TITLE if header.game in games() else title(header.game)
        return Begin(header.game, name, self._names, header.dealer, visible(header.program)[:40])

    def _deal(self, line: Line) -> Sequence[Ruling]:
        """A deal begins; the referee's first words. A remark on an earlier one later changes nothing of its ledger."""
        self._number_of_deal = line.deal
        known = self._header.deal if line.kind is LineKind.BEGIN else line.body["deal"]
        try:
            self._match = Match(setup_of(self._header, Deal(line.deal, line.body["dealer"], known)))
        except BadSetup:  # a game of another version: it is told that it was played, not what it came to
            self._match = None
            return ()
        return self._match.opening

    def _standing(self) -> tuple[tuple[int, ...], int, bool, int | None]:
        if self._match is None:
            return (), 0, False, None
        ledger, seats = self._match.ledger, range(1, len(self._names) + 1)
        view = self._match.view
        return tuple(ledger.balance(seat) for seat in seats), ledger.on_table(), view.over, view.winner

    def _said(self, ruling: Ruling) -> Said:
        why = with_shown_names(ruling.why, self._header.seats)[:WORDS_CHARS]
        return Said(ruling.id, ruling.kind.value, ruling.code, ruling.seat, ruling.to, ruling.counters, why)
