"""Late proof is sound and complete for single claims: held against every deal that fits what was seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

import pytest

from firmware.referee import knowledge
from firmware.referee.acts import Claim, mask
from firmware.referee.cards import BIT, Card, pack
from firmware.referee.events import Entry, Fact, HandShown, Laid, Pressed
from firmware.referee.games import _rows
from firmware.referee.knowledge import Knowledge
from firmware.referee.match import Match, Setup

Hands = tuple[frozenset[Card], ...]

SEATS = ("A", "B", "C")


def every_deal(cards: tuple[Card, ...], sizes: tuple[int, ...]) -> Iterator[Hands]:
    """Every way to deal these cards to hands of these sizes; the rest is the stock."""
    if not sizes:
        yield ()
        return
    for hand in combinations(cards, sizes[0]):
        rest = tuple(card for card in cards if card not in hand)
        for others in every_deal(rest, sizes[1:]):
            yield (frozenset(hand), *others)


@dataclass
class Tree:
    """Every sequence of acts of a short pack, each held against every deal that fits it."""

    setup: Setup
    acts: Callable[[Match], list[Card | None]]  # what the seat to act may try: a card, or None for a pass
    claimed: Callable[[Match, int], int]  # the cards that a pass of this seat says it has not
    most: int  # passes in a row that are still looked at
    first_wrong: bool = False  # is the first wrong proof enough?
    nodes: int = 0
    proofs: int = 0
    wrong: list[str] = field(default_factory=list)

    def walk(self, facts: list[Fact], deals: list[Hands], claims: dict[int, tuple[int, int]], passes: int) -> None:
        """Look at one node and at everything below it.

        ``claims``: by entry, the seat that passed and the cards that it said it had not; ``deals``: those that fit.
        """
        if self.first_wrong and self.wrong:
            return
        match = Match(self.setup)
        for number, fact in enumerate(facts):
            match.add(Entry(number, fact))
        self._check(match, deals, claims, facts)
        if match.over:
            self._lay_open(match, deals, claims, facts)
            return
        seat = match.view.turn or 1
        for card in self.acts(match):
            if card is None:
                if passes < self.most:
                    more = {**claims, len(facts): (seat, self.claimed(match, seat))}
                    self.walk([*facts, Pressed(seat)], deals, more, passes + 1)
            elif fits := [deal for deal in deals if card in deal[seat - 1]]:
                self.walk([*facts, Laid(card, "layout", seat)], fits, claims, 0)

    def _lay_open(
        self, match: Match, deals: list[Hands], claims: dict[int, tuple[int, int]], facts: list[Fact]
    ) -> None:
        """One of the losers lays his hand open, whatever it may be: then counting says more of the other."""
        if isinstance(facts[-1], HandShown):
            return
        laid = set(match._fold.table)
        for seat in (1, 2):
            for left in {deal[seat - 1] - laid for deal in deals}:
                if left:
                    fits = [deal for deal in deals if left <= deal[seat - 1]]
                    self.walk([*facts, HandShown(seat, tuple(sorted(left)))], fits, claims, 0)

    def _check(self, match: Match, deals: list[Hands], claims: dict[int, tuple[int, int]], facts: list[Fact]) -> None:
        self.nodes += 1
        known = match._fold.known
        for entry, (seat, cards) in claims.items():
            false = all(any(cards & BIT[card] for card in deal[seat - 1]) for deal in deals)
            told = entry in known.proofs or entry in known.deduced
            self.proofs += told
            if false != told:
                self.wrong.append(f"{'missed' if false else 'unsound'}: pass {entry} after {facts}")


def fan_tan(most: int = 4) -> Tree:
    """Nine cards, three suits of three, three cards each. Suits and ranks are alike, so that the first lead of each
    suit may be its ace: every other sequence is one of these with other names.
    """

    def acts(match: Match) -> list[Card | None]:
        state = match._fold.state
        if state.need is None:
            return [next(Card("A", suit) for suit in "SHD" if suit not in state.done)]
        return [None, state.need]

    setup = Setup("fan_tan", SEATS, 3, {}, {"counts": dict.fromkeys(SEATS, 3), "ranks": "A23", "suits": "SHD"})
    return Tree(setup, acts, lambda match, seat: BIT[match._fold.state.need], most)


def five_or_nine(most: int = 3) -> Tree:
    """Nine cards, three suits of three, two cards each and three in the stock. Suits are alike, so that they may begin
    in one order.
    """

    def lawful(match: Match) -> int:
        return _rows.lawful(match._fold.state, match.game.starters) & mask(pack("456", "SHD"))  # type: ignore[attr-defined]

    def acts(match: Match) -> list[Card | None]:
        could, begun = lawful(match), {card.suit for card in match._fold.table}
        following = "SHD"[len(begun)] if len(begun) < 3 else ""
        fits = [card for card in pack("456", "SHD") if could & BIT[card]]
        return [None, *(card for card in fits if card.suit in begun or card.suit == following)]

    setup = Setup(
        "five_or_nine", SEATS, 3, {}, {"counts": dict.fromkeys(SEATS, 2), "stock": 3, "ranks": "456", "suits": "SHD"}
    )
    return Tree(setup, acts, lambda match, seat: lawful(match), most)


def walked(tree: Tree) -> Tree:
    """The tree, walked to the end of every deal."""
    deal = tree.setup.deal
    cards = pack(deal["ranks"], deal["suits"])
    tree.walk([], list(every_deal(cards, tuple(deal["counts"].values()))), {}, 0)
    return tree


@pytest.mark.slow
def test_fan_tan_proves_what_follows_and_nothing_else() -> None:
    tree = walked(fan_tan())
    assert tree.wrong == []
    assert tree.nodes > 500
    assert tree.proofs > 500


@pytest.mark.slow
def test_five_or_nine_proves_what_follows_and_nothing_else() -> None:
    tree = walked(five_or_nine())
    assert tree.wrong == []
    assert tree.nodes > 1000
    assert tree.proofs > 1000


def first_wrong(tree: Tree) -> str:
    """The first proof that should not be there, or should."""
    tree.first_wrong = True
    return walked(tree).wrong[0]


def test_a_planted_unsound_proof_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting one card too boldly accuses somebody who may be honest; the walk must find it."""

    def bold(self: Knowledge, key: tuple[tuple[int, ...], int]) -> bool:
        seats, cards = key
        places = self._places(seats)
        return places is not None and bool(self._unseen & cards) and (self._unseen & ~cards).bit_count() <= places

    monkeypatch.setattr(knowledge.Knowledge, "_overfull", bold)
    assert first_wrong(five_or_nine(most=1)).startswith("unsound")


def test_a_planted_missing_proof_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowledge.Knowledge, "_overfull", lambda self, key: False)
    assert first_wrong(five_or_nine(most=1)).startswith("missed")


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.parse(name) for name in text.split())


def claim(text: str, *seats: int) -> Claim:
    return Claim(seats, mask(cards(text)), "FALSE_PASS", "")


def test_a_card_shown_later_proves_the_first_claim_and_every_other_for_it() -> None:
    known = Knowledge(pack(), (None, None, None))
    for entry in range(3):
        assert known.claim(claim("8C", 2), entry, entry) == []
    assert [p.made.entry for p in known.lay(2, Card.parse("8C"), 7, 7)] == [0, 1, 2]
    assert known.claim(claim("8C", 2), 8, 8) == []


def test_the_earliest_move_is_the_witness_even_when_it_came_before_the_claim() -> None:
    known = Knowledge(pack(), (None, None))
    known.show(1, Card.parse("9C"), 2, 2)
    known.show(1, Card.parse("8C"), 3, 3)
    proofs = known.claim(claim("8C 9C", 1), 5, 5)
    assert [(p.move, str(p.cards[0])) for p in proofs] == [(2, "9C")]


def test_a_move_that_shows_the_card_replaces_a_hand_laid_open_as_the_witness() -> None:
    known = Knowledge(pack(), (None, None))
    known.claim(claim("8C", 1), 0, 0)
    assert [p.move for p in known.show(1, Card.parse("8C"), 9, None)] == ["final"]
    assert known.show(1, Card.parse("8C"), 10, 4) == []
    assert known.proofs[0].move == 4


def test_a_card_of_another_seat_proves_nothing_and_ends_all_counting() -> None:
    known = Knowledge(pack("A23", "SHD"), (3, 3, 3))
    known.lay(1, Card.parse("AS"), 0, 0)
    known.claim(claim("2S", 2), 1, 1)
    assert known.show(2, Card.parse("AS"), 2, 2) == []  # a misread card
    for name in ("AH", "AD"):
        known.lay(1, Card.parse(name), 3, 3)
    for name in ("2H", "2D", "3H"):
        known.lay(3, Card.parse(name), 4, 4)
    assert known.deduced == {}


def test_all_the_others_known_proves_a_payment_by_counting() -> None:
    known = Knowledge(pack("A23", "SHD"), (3, 3, 3))
    known.claim(claim("2S", 2), 0, 0)
    for name in ("AS", "AH", "AD"):
        known.lay(1, Card.parse(name), 1, 1)
    proofs = [p for name in ("2H", "2D", "3H") for p in known.show(3, Card.parse(name), 2, None)]
    assert [(p.seat, p.seen) for p in proofs] == [(2, None)]


def test_one_card_that_may_lie_elsewhere_is_enough_to_prove_nothing() -> None:
    known = Knowledge(pack("A23", "S"), (1, 1))
    assert known.claim(claim("AS", 1), 0, 0) == []
    assert known.show(2, Card.parse("2S"), 1, None) == []  # the ace and the three: one in the hand, one elsewhere
    assert [p.made.entry for p in known.elsewhere(Card.parse("3S"))] == [0]


def test_no_known_numbers_no_counting() -> None:
    known = Knowledge(pack("A2", "S"), (None, 1))
    assert known.claim(claim("2S", 1), 0, 0) == []
    known.show(2, Card.parse("AS"), 1, None)
    assert known.deduced == {}


def test_a_stop_is_false_when_any_hand_shows_the_card() -> None:
    match = Match(Setup("pope_joan", SEATS, 3, {}, {"trump": "H", "turn_up": "2H", "counts": dict.fromkeys(SEATS, 12)}))
    facts = [Laid(Card.parse("5C"), "layout", 1), Pressed(1), Laid(Card.parse("TS"), "layout", 1), Pressed(1)]
    for number, fact in enumerate(facts):
        match.add(Entry(number, fact))
    rulings = match.add(Entry(4, HandShown(3, cards("6C KD"))))
    assert [(r.code, r.seat, r.entries) for r in rulings if r.kind == "proved"] == [("HELD_BACK", 3, (1, 4))]
    assert match.result()["held_back"] == [[1, "C", "6C", "final"]]
