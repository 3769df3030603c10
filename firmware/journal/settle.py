"""Settling up: who owes whom, with the fewest transfers, exact to the counter.

Fewest transfers: if the players can be parted into k groups that each sum to zero, n - k transfers are enough, and no
fewer are; the best parting is searched over all subsets. Two players whose sums cancel always form a group of some
best parting (put the two groups they are in together: the pair and the rest still sum to zero), so they go first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .names import counted, visible

#: The counters that nobody has won yet.
POOL = "the pool"

#: Up to so many players with a sum (pairs that cancel are taken out before) the answer is surely the fewest; the
#: search looks at 2^n subsets, 65,536 here, about a quarter of a second. A table has at most ten seats.
SURE_UP_TO = 16


@dataclass(frozen=True, slots=True)
class Transfer:
    """``source`` gives ``to`` so many ``counters``."""

    source: str
    to: str
    counters: int

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"from": self.source, "to": self.to, "counters": self.counters}


@dataclass(frozen=True, slots=True)
class Settlement:
    """The sums, and the transfers that clear them. ``fewest``: whether no fewer transfers would do, for certain."""

    net: Mapping[str, int]
    transfers: tuple[Transfer, ...]
    fewest: bool = True

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "net": dict(self.net),
            "transfers": [transfer.to_json() for transfer in self.transfers],
            "fewest": self.fewest,
        }

    def text(self) -> str:
        """What people read at the end of an evening."""
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The same, a line a transfer."""
        return [_words(transfer) for transfer in self.transfers] or ["Nobody owes anybody anything."]


def _words(transfer: Transfer) -> str:
    """What people do about a transfer: nothing more where the pool is concerned, it lies on the table."""
    counters = counted(transfer.counters, "counter")
    source, to = visible(transfer.source), visible(transfer.to)
    if transfer.to == POOL:
        return f"{source} leaves {counters} in the pool."
    if transfer.source == POOL:
        return f"{to} has {counters} from the pool."
    return f"{source} gives {to} {counters}."


def add_up(nets: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Several deals or sessions together, by name."""
    total: dict[str, int] = {}
    for net in nets:
        for name, counters in net.items():
            total[name] = total.get(name, 0) + counters
    return total


def settle_up(net: Mapping[str, int]) -> Settlement:
    """Clear sums (won is positive). What is missing to zero lies in the pool, which then gives or takes like a player.

    :raises ValueError: if a sum is no whole number.
    """
    if wrong := [name for name, counters in net.items() if type(counters) is not int]:
        raise ValueError(f"{wrong[0]}: counters are whole numbers, not {net[wrong[0]]!r}")
    sums = {name: counters for name, counters in net.items() if counters}
    if rest := sum(sums.values()):
        sums[POOL] = sums.get(POOL, 0) - rest
    pairs, others = _pairs(sums)
    sure = len(others) <= SURE_UP_TO
    groups = [*pairs, *(_groups(others) if sure else [list(others)])]
    transfers = [transfer for group in groups for transfer in _clear({name: sums[name] for name in group})]
    return Settlement(dict(net), tuple(transfers), sure)


def _pairs(sums: Mapping[str, int]) -> tuple[list[list[str]], dict[str, int]]:
    """Players whose sums cancel, two and two, and the others."""
    pairs, others = [], dict(sums)
    for name, counters in sums.items():
        if name not in others:
            continue
        other = next((o for o, c in others.items() if c == -counters), None)
        if other is not None:
            pairs.append([name, other])
            del others[name], others[other]
    return pairs, others


def _groups(sums: Mapping[str, int]) -> list[list[str]]:
    """The parting into the most groups that each sum to zero.

    ``best[mask]``: the most zero prefixes when the players of ``mask`` are lined up one after the other; each zero
    prefix closes a group.
    """
    names = list(sums)
    best, total, last = [0] * (1 << len(names)), [0] * (1 << len(names)), [0] * (1 << len(names))
    for mask in range(1, 1 << len(names)):
        bits = [bit for bit in range(len(names)) if mask >> bit & 1]
        total[mask] = total[mask & (mask - 1)] + sums[names[bits[0]]]
        last[mask] = max(bits, key=lambda bit: best[mask ^ (1 << bit)])
        best[mask] = best[mask ^ (1 << last[mask])] + (total[mask] == 0)
    return _walk(names, total, last)


def _walk(names: list[str], total: list[int], last: list[int]) -> list[list[str]]:
    groups: list[list[str]] = []
    mask = len(total) - 1
    while mask:
        if total[mask] == 0:
            groups.append([])
        groups[-1].append(names[last[mask]])
        mask ^= 1 << last[mask]
    return groups


def _clear(sums: Mapping[str, int]) -> list[Transfer]:
    """At most one transfer fewer than players: the largest debtor pays the largest creditor, again and again."""
    left = dict(sums)
    transfers = []
    while any(left.values()):
        debtor, creditor = min(left, key=lambda n: (left[n], n)), max(left, key=lambda n: (left[n], n))
        counters = min(-left[debtor], left[creditor])
        transfers.append(Transfer(debtor, creditor, counters))
        left[debtor] += counters
        left[creditor] -= counters
    return transfers
