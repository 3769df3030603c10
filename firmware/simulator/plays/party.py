"""What all simulated games share: players with hidden hands round a table, and the script of what they did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from .. import actors
from ..geometry import Place, Rect, Zone
from ..stage import Stage

RANKS = "A23456789TJQK"
SUITS = "SHDC"


@dataclass(slots=True)
class Party:
    """The players of one deal: names by seat, their hidden hands, the stage they act on.

    ``faults`` names the mistakes they are to make, each once, as soon as there is an occasion; ``hardships`` what
    happens now and then and breaks no rule: ``hesitate`` ``slide`` ``quick`` ``bump``.
    """

    names: tuple[str, ...]
    stage: Stage
    rng: Random
    zones: tuple[Zone, ...]
    faults: set[str] = field(default_factory=set)
    hardships: frozenset[str] = frozenset()
    hands: dict[int, list[str]] = field(default_factory=dict)
    moves: list[dict[str, Any]] = field(default_factory=list)
    opening: dict[str, Any] = field(default_factory=dict)
    last_seat: int | None = None

    @property
    def count(self) -> int:
        """How many play."""
        return len(self.names)

    def left_of(self, seat: int) -> int:
        """The next seat clockwise."""
        return seat % self.count + 1

    def name(self, seat: int) -> str:
        """Who sits there."""
        return self.names[seat - 1]

    def deal(self, cards: Iterable[str], dealer: int) -> None:
        """Deal all these cards, one at a time from the dealer's left."""
        self.hands = {seat: [] for seat in range(1, self.count + 1)}
        seat = self.left_of(dealer)
        for card in cards:
            self.hands[seat].append(card)
            seat = self.left_of(seat)

    def counts(self) -> dict[str, int]:
        """Cards in each hand, by name."""
        return {self.name(seat): len(hand) for seat, hand in self.hands.items()}

    def commits(self, fault: str, chance: float = 1.0) -> bool:
        """Whether this is the occasion for a fault that is still to be made; it is then made, once."""
        if fault not in self.faults or self.rng.random() > chance:
            return False
        self.faults.discard(fault)
        return True

    def befalls(self, hardship: str, chance: float = 0.1) -> bool:
        """Whether this hardship happens now."""
        return hardship in self.hardships and self.rng.random() < chance

    def lay(self, seat: int, card: str, place: Place, zone: str = "layout") -> None:
        """``seat`` lays ``card`` out of his hand, with what people do on the way; it leaves his hand."""
        if self.befalls("hesitate"):
            actors.hesitate(self.stage, seat, card, place.moved(20.0, 14.0), zone)
        quick = self.last_seat not in (None, seat) and self.befalls("quick", 0.2)
        if quick:
            self.stage.hurry()
        if not quick and self.befalls("slide"):
            via = place.moved(self.rng.choice([-1, 1]) * self.rng.uniform(90, 140), self.rng.uniform(-30, 30), 6.0)
            actors.slide_through(self.stage, seat, card, via, place, zone)
        else:
            actors.lay(self.stage, seat, card, place, zone, quick=quick)
        self.hands[seat].remove(card)
        self.last_seat = seat

    def disturb(self, cards: Sequence[str], but: int) -> None:
        """Perhaps somebody other than seat ``but`` touches one of the lying ``cards``."""
        if cards and self.befalls("bump", 0.06):
            seat = self.rng.choice([s.number for s in self.stage.seats if s.number != but])
            actors.bump(self.stage, seat, self.rng.choice(cards), self.stage.little(6.0), self.rng.uniform(-6, 6))

    def wrote(self, seat: int, ev: str, **more: Any) -> None:
        """Add a move to the script."""
        self.moves.append({"seat": self.name(seat), "ev": ev, **more})

    def rect(self, zone: str) -> Rect:
        """The rectangle of the zone of that name."""
        return next(z.rect for z in self.zones if z.name == zone)

    def before(self, seat: int, ahead_mm: float, right_mm: float = 0.0) -> Place:
        """A place before a seat, the card upright for its player."""
        who = self.stage.seat(seat)
        return Place(*who.at(ahead_mm, right_mm), who.facing_deg)

    def show_hands(self, out: int | None) -> dict[str, list[str]]:
        """All but ``out`` lay what is left of their hands open before them, one by one. Returns the hands by name."""
        shown = {seat: sorted(hand) for seat, hand in self.hands.items() if seat != out and hand}
        for seat, hand in shown.items():
            for k, card in enumerate(hand):
                self.stage.wait(0.1)
                right = (k - (len(hand) - 1) / 2) * min(40.0, 330.0 / len(hand))
                place = self.before(seat, 52.0, right).moved(*self.stage.little(1.5), self.rng.gauss(0, 2.5))
                actors.lay(self.stage, seat, card, place, f"seat-{seat}", quick=True)
        return {self.name(seat): hand for seat, hand in shown.items()}

    def askew(self, place: Place, seat: int, far_turned: bool = True) -> Place:
        """The place as people hit it: a few mm and degrees off; from the far side at times upside down."""
        facing = self.stage.seats[seat - 1].facing_deg
        upside = far_turned and facing == 180.0 and self.rng.random() < 0.5
        return place.moved(
            self.rng.gauss(0, 2.0), self.rng.gauss(0, 2.0), _clamped(self.rng.gauss(0, 4.0), 11.0) + 180.0 * upside
        )


def shuffled(rng: Random, ranks: str = RANKS, suits: str = SUITS) -> list[str]:
    """A shuffled pack with these ranks and suits."""
    cards = [rank + suit for suit in suits for rank in ranks]
    rng.shuffle(cards)
    return cards


def _clamped(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)
