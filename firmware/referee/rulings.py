"""What a referee says: rulings, and the stable codes behind them with the words that players hear."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """The kinds of ruling in the table contract."""

    TURN = "turn"  # it is this seat's turn (what is due stands in `code`: PLAY, TURN, PAY, GATHER, LEAD ...)
    DUE = "due"  # this seat owes `counters` (or cards, see `code`)
    PAID = "paid"  # `seat` paid `counters` to `to` (a seat, or None: the pool)
    TAKES = "takes"  # `seat` takes `counters` (pool, compartment) or cards
    REFUSED = "refused"  # the act is not accepted; `code` says why; the card goes back
    PROVED = "proved"  # a claim is proved false by `entries`
    CONFLICT = "conflict"  # two readings cannot both be right
    OUT_OF_STEP = "out_of_step"  # the table does not match the game: put it right
    UNSURE = "unsure"  # could not be read or credited: show the card again
    NOTICE = "notice"  # worth saying, changes nothing (FULL_CIRCUIT, EMPTY_PACK ...)
    OVER = "over"  # the deal is over


@dataclass(frozen=True, slots=True)
class Ruling:
    """One thing the referee says about one entry.

    ``entries`` are the log entries that lead to it or prove it; ``why`` is the rule applied, in words; ``card`` and
    ``cards`` are public cards only. Ids are given by `Match` in order, and never change.
    """

    kind: Kind
    code: str = ""
    seat: int | None = None
    to: int | None = None
    counters: int = 0
    card: str | None = None
    entry: int | None = None
    entries: tuple[int, ...] = ()
    why: str = ""
    id: int = -1

    def to_json(self) -> dict[str, Any]:
        """Plain JSON as in the table contract; empty fields are left out."""
        out: dict[str, Any] = {"id": self.id, "entry": self.entry, "ruling": self.kind.value, "code": self.code}
        for name in ("seat", "to", "counters", "card"):
            if value := getattr(self, name):
                out[name] = value
        if self.entries:
            out["entries"] = list(self.entries)
        return {**out, "why": self.why}
