"""Counters, to the unit: double entry, so that every deal sums to zero. The ledger is folded, never stored."""

from __future__ import annotations

from dataclasses import dataclass

from .acts import ALL, DOUBLE, Account, Transfer

POOL = "pool"
BEFORE = "before"  # where counters come from that lay on the table when the deal began


@dataclass(frozen=True, slots=True)
class Line:
    """``counters`` went from ``source`` to ``to`` by ``entry``, which was move ``move`` (None: the deal itself)."""

    entry: int | None
    move: int | None
    source: Account
    to: Account
    counters: int
    code: str


class Ledger:
    """The accounts of one deal: seats by number, ``pool``, compartments by name, ``before``. Integers only."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._balance: dict[Account, int] = {}
        self._by_code: dict[tuple[Account, str], int] = {}

    def post(self, transfer: Transfer, entry: int | None = None, move: int | None = None) -> Line | None:
        """Enter a transfer; `ALL` and `DOUBLE` are what lies there. Nothing is entered when nothing moves.

        From what lies on the table nobody takes more than lies there.
        """
        counters = transfer.counters
        if counters in (ALL, DOUBLE):
            counters = self.balance(transfer.source if counters == ALL else transfer.to)
        if isinstance(transfer.source, str) and transfer.source != BEFORE:
            counters = min(counters, self.balance(transfer.source))
        if counters <= 0:
            return None
        line = Line(entry, move, transfer.source, transfer.to, counters, transfer.code)
        self.lines.append(line)
        self._add(line.source, -counters, line.code)
        self._add(line.to, counters, line.code)
        return line

    def _add(self, account: Account, counters: int, code: str) -> None:
        self._balance[account] = self._balance.get(account, 0) + counters
        self._by_code[account, code] = self._by_code.get((account, code), 0) + counters

    def balance(self, account: Account) -> int:
        """What ``account`` has won (+) or lost (-) in this deal; what lies in a pool or a compartment."""
        return self._balance.get(account, 0)

    def on_table(self) -> int:
        """Everything that lies on the table: the pool, the compartments, fines that wait for a winner."""
        return sum(n for account, n in self._balance.items() if isinstance(account, str) and account != BEFORE)

    def under(self, account: Account, *codes: str) -> int:
        """What came (+) or went (-) in ``account`` under these codes."""
        return sum(self._by_code.get((account, code), 0) for code in codes)

    def total(self) -> int:
        """The sum of all accounts: always 0."""
        return sum(self._balance.values())


def shares(counters: int, winners: tuple[int, ...]) -> tuple[dict[int, int], int]:
    """``counters`` shared equally: each winner's share, and the rest that does not divide (it stays in the pool)."""
    share, rest = divmod(counters, len(winners))
    return dict.fromkeys(winners, share), rest
