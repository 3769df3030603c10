"""Players made of dice: whole random deals of every game, as the facts that a camera and buttons would tell.

They know the rules only through what the referee says is due, and their own hands. Some of them cheat.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from firmware.referee.acts import without
from firmware.referee.cards import BIT, Card, pack
from firmware.referee.events import (
    Cut,
    Entry,
    Exchanged,
    ExchangeRefused,
    Fact,
    Gathered,
    HandShown,
    Laid,
    Pressed,
    Said,
)
from firmware.referee.games import _rows
from firmware.referee.match import Match, Setup, dealt

#: A deal that has not ended after so many acts is left there (the Wish Card may go on for ever).
LONGEST = 400
#: Here a card that lies open is part of the hand that is judged, whenever it was laid.
_FREE = ("commerce", "matrimony", "ranter_go_round", "speculation")


@dataclass
class Table:
    """A dealt game: the referee, the hidden hands (for own packs the top card is first), and dice."""

    match: Match
    hands: dict[int, list[Card]]
    stock: list[Card]
    dice: random.Random
    cheat: float = 0.0  # how often a player passes although he need not
    blunder: float = 0.0  # how often somebody does something out of order
    facts: list[Fact] = field(default_factory=list)
    plan: list[Fact] = field(default_factory=list)  # what is bound to come next

    @property
    def state(self) -> Any:
        """The game's state: these players may look at what is public in it."""
        return self.match._fold.state

    def tell(self, fact: Fact) -> None:
        """The camera saw something."""
        self.match.add(Entry(len(self.facts), fact, t=float(len(self.facts)), source="camera"))
        self.facts.append(fact)

    def play(self, longest: int = LONGEST) -> Table:
        """Play to the end of the deal, then lay the hands open."""
        while not self.match.over and len(self.facts) < longest:
            self.tell(self.next_fact())
        if self.match.over and self.match.game.HANDS:
            for seat, cards in self.hands.items():
                if cards:
                    self.tell(HandShown(seat, tuple(cards)))
        return self

    def next_fact(self) -> Fact:
        """What happens next."""
        if self.plan:
            return self.plan.pop(0)
        if self.dice.random() < self.blunder:
            return self._blunder()
        return _PLAYERS[self.match.setup.game](self)

    def _blunder(self) -> Fact:
        """Somebody whose turn it is not presses, or lays a card of his that is not wanted."""
        seat = self.dice.choice([s for s in self.hands if s != self.match.view.turn])
        wanted = getattr(self.state, "need", None)
        cards = [card for card in self.hands[seat] if card != wanted]
        own = f"seat-{seat}" if not self.match.game.HANDS else "layout"
        if not cards or self.match.setup.game in _FREE or self.dice.random() < 0.5:
            return Pressed(seat)
        return Laid(cards[0], own, seat)

    def lay(self, seat: int, cards: list[Card], zone: str = "layout") -> Fact:
        """One of these cards goes from the hand to the table."""
        card = self.dice.choice(cards)
        self.hands[seat].remove(card)
        return Laid(card, zone, seat)

    def honest(self) -> bool:
        """Does the player do what he must?"""
        return self.dice.random() >= self.cheat


def deal(game: str, seed: int, seats: int = 4, cheat: float = 0.0, blunder: float = 0.0, house: Any = None) -> Table:
    """A table with a shuffled, dealt pack: the same for the same seed."""
    dice = random.Random(seed)
    names = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal")[:seats]
    setup = dealt(Setup(game, names, dice.randint(1, seats), house or {}))
    counts = [setup.deal["counts"][name] for name in names]
    house = house or {}
    short = house.get("removed") == "8D" or game == "comet" or (game == "pope_joan" and house.get("form") != "foster")
    cards = [card for card in pack() if not short or card != Card("8", "D")]
    dice.shuffle(cards)
    extra = {}
    if game == "pope_joan" and house.get("form") != "foster":
        extra = {"turn_up": str(cards.pop())}
    setup = Setup(game, names, setup.dealer, setup.house, {**setup.deal, **extra})
    hands = {seat: [cards.pop() for _ in range(count)] for seat, count in enumerate(counts, start=1)}
    return Table(Match(setup), hands, cards, dice, cheat, blunder)


def _fan_tan(table: Table) -> Fact:
    seat, need = table.match.view.turn, table.state.need
    hand = table.hands[seat]
    if need is None:
        return table.lay(seat, [card for card in hand if card.suit not in table.state.done])
    return table.lay(seat, [need]) if need in hand and table.honest() else Pressed(seat)


def _rows_game(table: Table) -> Fact:
    seat = table.state.turn or next(s for s, hand in table.hands.items() if Card("7", "D") in hand)
    could = _rows.lawful(table.state, table.match.game.starters)  # type: ignore[attr-defined]
    fits = [card for card in table.hands[seat] if could & BIT[card]]
    return table.lay(seat, fits) if fits and table.honest() else Pressed(seat)


def _climbing(table: Table) -> Fact:
    state = table.state
    if state.need is None:
        return _lead(table, state.leader)
    seat = next((s for s, hand in table.hands.items() if state.need in hand), None)
    turn = getattr(state, "turn", None)
    if turn is not None:  # Foster's Pope Joan: one seat after the other
        return table.lay(turn, [state.need]) if seat == turn and table.honest() else Pressed(turn)
    return table.lay(seat, [state.need]) if seat and table.honest() else Pressed(state.last)


def _lead(table: Table, seat: int) -> Fact:
    hand = table.hands[seat]
    ranks = getattr(table.state, "ranks", "A23456789TJQK")
    colour, lowest = getattr(table.state, "colour", ""), getattr(table.match._house, "lead_lowest", False)
    if colour and table.match._house.colour_change:
        hand = [card for card in hand if (card.suit in "HD") != (colour == "red")]
    if lowest and table.honest():
        hand = [
            c for c in hand if not any(d.suit == c.suit and ranks.index(d.rank) < ranks.index(c.rank) for d in hand)
        ]
    return table.lay(seat, hand) if hand else Pressed(seat)


def _comet(table: Table) -> Fact:
    state = table.state
    if not state.need:
        return table.lay(state.leader, table.hands[state.leader])
    fits = [card for card in table.hands[state.turn] if card.rank == state.need or card == Card("9", "D")]
    must = [card for card in fits if card != Card("9", "D")] or (fits if table.dice.random() < 0.3 else [])
    return table.lay(state.turn, must) if must and table.honest() else Pressed(state.turn)


def _snip(table: Table) -> Fact:
    seat, last = table.state.turn, table.state.last
    match = [card for card in table.hands[seat] if last and card.rank == last.rank]
    other = [card for card in table.hands[seat] if card not in match]
    return table.lay(seat, match if match and (table.honest() or not other) else other)


def _packs(table: Table) -> Fact:
    """The Wish Card and Beggar-My-Neighbour: no choices at all."""
    state, view = table.state, table.match.view
    if view.due == "GATHER":
        own = table.match.setup.game == "wish_card"
        pile = state.piles[state.turn - 1] if own else state.pile
        table.hands[view.turn] += pile
        return Gathered(f"seat-{state.turn}" if own else "layout", view.turn, len(pile))
    zone = f"seat-{view.turn}" if table.match.setup.game == "wish_card" else "layout"
    return table.lay(view.turn, table.hands[view.turn][:1], zone)


def _ranter(table: Table) -> Fact:
    state = table.state
    seat = state.turn
    if state.showdown:
        order = [s for s in table.hands if s not in {t for t, _ in state.faces}]
        table.plan = [Laid(table.hands[s][0], f"seat-{s}", s) for s in order[1:]]
        return Laid(table.hands[order[0]][0], f"seat-{order[0]}", order[0])
    if seat == state.dealer:
        if table.dice.random() < 0.5:
            return Pressed(seat)
        table.stock.append(table.hands[seat][0])
        table.hands[seat] = [table.stock.pop(0)]
        return Cut(seat, None)
    other = next(s for s in (*range(seat + 1, len(table.hands) + 1), *range(1, seat)))
    if table.dice.random() < 0.3:
        return Pressed(seat)
    return _demand(table, seat, other)


def _demand(table: Table, seat: int, other: int) -> Fact:
    hands = table.hands
    if hands[other][0].rank == "K" or not table.honest():
        return ExchangeRefused(seat, other)
    word = {"A": 1, "2": 2}.get(hands[other][0].rank, 0) if table.honest() else table.dice.randint(0, 2)
    hands[seat], hands[other] = hands[other], hands[seat]
    table.plan = [Pressed(other)] * (word - 1) + [Exchanged((seat, other))] if word else []
    return Pressed(other) if word else Exchanged((seat, other))


def _matrimony(table: Table) -> Fact:
    state = table.state
    seat = state.turn or next(s for s in table.hands if s not in dict(state.up))
    return table.lay(seat, table.hands[seat][:1], f"seat-{seat}")


def _speculation(table: Table) -> Fact:
    state = table.state
    if state.best is None:
        return Laid(table.stock.pop(), f"seat-{state.dealer}", state.dealer)
    if table.dice.random() < 0.1:
        return Said(state.holder, "sell", f"{table.dice.choice(without(state.live, state.holder))}:3")
    return table.lay(state.turn, table.hands[state.turn][:1], f"seat-{state.turn}")


def _commerce(table: Table) -> Fact:
    state = table.state
    if not state.knocked:
        return table.dice.choice([Pressed(state.turn), Said(state.turn, "buy")])
    seat = next(s for s, hand in table.hands.items() if hand)
    return table.lay(seat, table.hands[seat], f"seat-{seat}")


_PLAYERS: dict[str, Callable[[Table], Fact]] = {
    "fan_tan": _fan_tan,
    "five_or_nine": _rows_game,
    "sevens": _rows_game,
    "pope_joan": _climbing,
    "newmarket": _climbing,
    "jig": _climbing,
    "snip_snap_snorem": _snip,
    "comet": _comet,
    "wish_card": _packs,
    "beggar_my_neighbour": _packs,
    "ranter_go_round": _ranter,
    "matrimony": _matrimony,
    "speculation": _speculation,
    "commerce": _commerce,
}
