"""What the device knows and players may not: nothing public may differ before the rules show it."""

from __future__ import annotations

from typing import Any

import pytest

from firmware.referee.events import Cut, Entry, HandShown, Laid
from firmware.referee.match import Match, Setup, games
from firmware.referee.script import load_scripts

from .players import Table, deal

#: Here a setup can tell no secret: what it lists lies open.
SHOWN = {"commerce", "matrimony", "speculation"}
#: Here a script's cards lie open from the showdown on.
FACES = {"ranter_go_round"}


def public(setup: Setup, entries: list[Entry], until: int) -> list[Any]:
    """Everything that anybody can see or hear, entry by entry."""
    match = Match(setup)
    out: list[Any] = [[r.to_json() for r in match.opening], match.view]
    for entry in entries[:until]:
        out.append([r.to_json() for r in match.add(entry)])
        out.append(match.view)
    return out


def swapped(packs: dict[str, list[str]], one: str, other: str) -> dict[str, list[str]]:
    """The same packs with two cards changed over."""
    names = {one: other, other: one}
    return {seat: [names.get(card, card) for card in pack] for seat, pack in packs.items()}


@pytest.mark.parametrize("seed", range(5))
def test_nobody_can_tell_where_the_nine_of_hearts_lies(seed: int) -> None:
    """Two deals that differ only in who has the nine of hearts in his pack, told to the device card by card."""
    table = deal("wish_card", seed)
    packs = {name: [str(card) for card in table.hands[s]] for s, name in enumerate(table.match.setup.seats, 1)}
    while not table.match.over and len(table.facts) < 300:
        table.tell(table.next_fact())
    entries = list(table.match.entries[:-1] if table.match.over else table.match.entries)
    seen = [str(getattr(entry.fact, "card", "")) for entry in entries]
    other = next(
        c
        for c in reversed([c for pack in packs.values() for c in pack])
        if c not in seen[:10] and c[0] in "2345678" and c != "9H"
    )
    until = min(i for i, card in enumerate([*seen, "9H"]) if card in ("9H", other))
    setups = [
        Setup("wish_card", table.match.setup.seats, table.match.setup.dealer, {}, {"packs": p})
        for p in (packs, swapped(packs, "9H", other))
    ]
    one, two = (public(setup, entries, until) for setup in setups)
    assert one == two


def test_the_nine_is_named_only_while_it_lies_open_or_after_the_stop() -> None:
    for seed in range(4):
        table = deal("wish_card", seed)
        while not table.match.over and len(table.facts) < 300:
            table.tell(table.next_fact())
            rulings = [r for r in table.match.standing if r.entry == len(table.facts) - 1]
            if not table.match.over:
                assert "9H" not in str([r.to_json() for r in rulings])
            is_open = any("9H" in cards for _, cards in table.match.view.table)
            assert is_open or table.match.over or "9H" not in str(table.match.view)


def told_and_untold(game: str, table: Table, hands: dict[str, list[str]]) -> tuple[Setup, Setup]:
    """Two setups of one deal: the device was told every card, or only how many there are."""
    names, setup = table.match.setup.seats, table.match.setup
    packs = "packs" if game in ("wish_card", "beggar_my_neighbour") else "hands"
    told: dict[str, Any] = {packs: hands, "suits": "SHDC"}
    if game == "ranter_go_round":
        told[packs] = {name: cards[0] for name, cards in hands.items()}
    counts = {name: len(cards) for name, cards in hands.items()}
    return tuple(Setup(game, names, setup.dealer, {}, deal) for deal in (told, {"counts": counts, "suits": "SHDC"}))  # type: ignore[return-value]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("game", sorted(set(games()) - SHOWN))
def test_cards_that_the_device_was_told_change_nothing_before_they_are_shown(game: str, seed: int) -> None:
    """In no game can anybody tell from lights, words or page whether the device knows the hands."""
    table = deal(game, seed, cheat=0.3)
    hands = {name: [str(card) for card in table.hands[s]] for s, name in enumerate(table.match.setup.seats, 1)}
    entries = list(table.play(60).match.entries)
    shown = (i for i, e in enumerate(entries) if isinstance(e.fact, HandShown) or (game in FACES and _face(e)))
    last = next(shown, len(entries))
    told, untold = told_and_untold(game, table, hands)
    assert public(told, entries, last - 1) == public(untold, entries, last - 1)
    assert last > 1


def _face(entry: Entry) -> bool:
    """From here on the cards lie open: the dealer's last act, or a card turned up."""
    return isinstance(entry.fact, Laid | Cut)


def test_results_of_a_real_table_never_say_where_the_nine_is() -> None:
    table = deal("wish_card", 1)
    for _ in range(30):
        table.tell(table.next_fact())
    assert "wish_in" not in table.match.result()
    assert "wish" not in table.match.result()


def test_a_script_says_it_for_tests() -> None:
    text = '{"game": "wish_card", "seats": ["A", "B"], "packs": {"A": ["9H", "2S"], "B": ["3S", "4S"]}, "moves": []}'
    assert Match(load_scripts(text, "x")[0].setup).result()["wish_in"] == "A"
