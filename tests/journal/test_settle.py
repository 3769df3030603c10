"""Settling up: exact, and never more transfers than needed."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.journal.settle import POOL, Settlement, settle_up

SUMS = st.lists(st.integers(-6, 6), min_size=1, max_size=7)


def after(settlement: Settlement, net: dict[str, int]) -> dict[str, int]:
    left = dict(net)
    for transfer in settlement.transfers:
        assert transfer.counters > 0
        left[transfer.source] = left.get(transfer.source, 0) + transfer.counters
        left[transfer.to] = left.get(transfer.to, 0) - transfer.counters
    return left


def fewest(sums: tuple[int, ...]) -> int:
    """By brute force: players less the most groups that sum to zero."""
    if not sums:
        return 0
    first, rest = sums[0], sums[1:]
    best = len(sums) - 1
    for size in range(len(rest)):
        for chosen in combinations(range(len(rest)), size):
            group = first + sum(rest[i] for i in chosen)
            if group == 0:
                others = tuple(value for i, value in enumerate(rest) if i not in chosen)
                best = min(best, size + fewest(others))
    return best


@settings(max_examples=150, deadline=None)
@given(SUMS)
def test_transfers_clear_every_sum_and_are_the_fewest(values: list[int]) -> None:
    net = {f"P{i}": value for i, value in enumerate([*values, -sum(values)])}
    settlement = settle_up(net)
    assert set(after(settlement, net).values()) <= {0}
    assert len(settlement.transfers) == fewest(tuple(value for value in net.values() if value))
    assert settlement.fewest


def test_two_groups_are_found_where_the_largest_first_rule_needs_one_more() -> None:
    net = {"A": 6, "B": 4, "C": 3, "D": -5, "E": -4, "F": -4}
    assert len(settle_up(net).transfers) == 4
    net = {"A": 4, "B": 3, "C": -2, "D": -2, "E": -3}
    assert len(settle_up(net).transfers) == 3


def test_what_is_missing_lies_in_the_pool() -> None:
    settlement = settle_up({"Ann": 2, "Bo": -5})
    assert after(settlement, {"Ann": 2, "Bo": -5, POOL: 3}) == {"Ann": 0, "Bo": 0, POOL: 0}
    assert "Bo leaves 3 counters in the pool." in settlement.text()


def test_what_came_out_of_the_pool() -> None:
    assert settle_up({"Ann": 3, "Bo": 0}).text() == "Ann has 3 counters from the pool."


def test_nothing_owed_and_one_counter() -> None:
    assert settle_up({"Ann": 0}).text() == "Nobody owes anybody anything."
    assert settle_up({"Ann": 1, "Bo": -1}).text() == "Bo gives Ann 1 counter."


def test_many_players_are_settled_exactly_and_it_says_that_fewer_might_do() -> None:
    net = {f"P{i}": 3 * i + 1 for i in range(20)}
    net["Q"] = -sum(net.values())
    settlement = settle_up(net)
    assert set(after(settlement, net).values()) == {0}
    assert not settlement.fewest


def test_counters_are_whole() -> None:
    with pytest.raises(ValueError, match="whole numbers"):
        settle_up({"Ann": 1.5, "Bo": -1.5})  # type: ignore[dict-item]
