"""The books of one deal: its ledger, what is known of the hands, fouls, notices, and how results name them all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .deal import Deal
from .knowledge import Knowledge
from .ledger import Ledger


@dataclass(frozen=True, slots=True)
class Violation:
    """A refused move."""

    move: int
    code: str
    seat: int


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the game itself said at a move; ``move`` is None for what it said before the first."""

    move: int | None
    code: str
    card: str | None


class Books:
    """What was paid, proved, refused and said in one deal; a game's `result` and `carry` read it.

    :param deal: the deal, for the names of its seats.
    :param house: the game's house rules.
    """

    def __init__(self, deal: Deal, house: Any, known: Knowledge) -> None:
        self.deal, self.house, self.known = deal, house, known
        self.names = ("", *deal.setup.seats)
        self.ledger = Ledger()
        self.violations: list[Violation] = []
        self.notices: list[Notice] = []

    def name(self, seat: int | None) -> str | None:
        """A seat's name in a result; None for nobody."""
        return None if seat is None else self.names[seat]

    def seats(self) -> tuple[tuple[int, str], ...]:
        """Every seat with its name."""
        return tuple((s, self.names[s]) for s in self.deal.seats)

    def per_seat(self, values: Iterable[Any], seats: Iterable[int] | None = None) -> dict[str, Any]:
        """A dictionary by seat names."""
        return dict(zip((self.names[s] for s in seats or self.deal.seats), values, strict=True))

    def paid(self, *codes: str) -> dict[str, int]:
        """What each seat has paid under these codes, as positive numbers."""
        return {self.names[s]: -self.ledger.under(s, *codes) for s in self.deal.seats}

    def net(self) -> dict[str, int]:
        """What each seat has won or lost in this deal."""
        return {self.names[s]: self.ledger.balance(s) for s in self.deal.seats}

    def waiting(self) -> dict[str, int]:
        """The key ``pool`` for the next deal, when nobody has won what lies in it."""
        pool = self.ledger.balance("pool") + self.ledger.balance("fines")
        return {"pool": pool} if pool else {}

    def net_alone(self) -> dict[str, dict[str, int]]:
        """The key ``net``, left out where a pool was there before: whose counters those were is not known."""
        return {} if self.deal.number("pool") else {"net": self.net()}

    def fouls(self) -> list[list[Any]]:
        """The refused moves as results list them."""
        return [[v.move, v.code] for v in self.violations]

    def noticed(self, code: str) -> list[list[Any]]:
        """What the game said under this code, as results list it: [move, card]."""
        return [[n.move, n.card] for n in self.notices if n.code == code]

    def shown(self, *codes: str) -> list[list[Any]]:
        """The claims that a shown card has proved false: [move, seat, card, the move that shows it or "final"]."""
        proofs = sorted(self.known.proofs.values(), key=lambda p: p.made.move)
        proofs = [p for p in proofs if not codes or p.made.claim.code in codes]
        return [[p.made.move, self.name(p.seat), str(p.cards[0]), p.move] for p in proofs]

    def counted(self) -> list[list[Any]]:
        """The claims that only counting has proved false: [move, seat or None, one of these cards]."""
        proofs = sorted(self.known.deduced.values(), key=lambda p: p.made.move)
        rest = [p for p in proofs if p.made.entry not in self.known.proofs]
        return [[p.made.move, self.name(p.seat), [str(card) for card in p.cards]] for p in rest]

    def fines(self) -> dict[str, int]:
        """What each seat was fined, only those who were."""
        out: dict[str, int] = {}
        for line in self.ledger.lines:
            if line.code == "FINE" and isinstance(line.source, int):
                out[self.names[line.source]] = out.get(self.names[line.source], 0) + line.counters
        return out

    def when_over(self, state: Any, **keys: Any) -> dict[str, Any]:
        """These keys, once somebody has won."""
        return keys if state.winner else {}

    def purse(self, seat: int) -> int | None:
        """The counters that ``seat`` has now; None where they are not counted."""
        supply, given = getattr(self.house, "counters", 0), self.deal.purses()
        if not (supply or seat in given) or not hasattr(self.house, "broke"):
            return None
        return given.get(seat, supply) + self.ledger.balance(seat)
