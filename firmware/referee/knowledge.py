"""Where can each card be, and which claims about hidden hands have been contradicted? One mechanism for every game.

A pass says "I hold none of these cards".  In the games with hidden hands no card enters a hand after the deal, so
a card that a seat shows now was in his hand at each of his earlier passes.  A claim is proved false as soon as it
cannot be true in any deal that fits what was seen:

* *shown*: the seat shows a card of the claim (lays it, has it refused, lays his hand open); or
* *counted*: the claimers hold more cards that nobody has seen than there are unseen cards outside the claim.

For one claim this is exact: with no other fact about the hidden cards, every filling of the hidden places with the
unseen cards fits what was seen, so a claim that neither test contradicts is true in some deal.  Claims are never used
as evidence against each other (they may be false); what several claims of different seats contradict together is
not looked for here, but for the full circuit of payments, which is one claim of all seats.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .acts import Claim, mask
from .cards import BIT, Card, named


@dataclass(frozen=True, slots=True)
class Made:
    """A claim that was made: by log entry ``entry``, the move number ``move``."""

    claim: Claim
    entry: int
    move: int


@dataclass(frozen=True, slots=True)
class Seen:
    """A card was seen to be in a hand: by ``entry``; ``move`` is None when a hand laid open showed it."""

    card: Card
    entry: int
    move: int | None


@dataclass(frozen=True, slots=True)
class Proof:
    """A claim is false. ``seen`` shows it; None when it follows from counting, then ``entries`` are all that was seen.

    ``seat`` is whose claim it was; None when only the group of claimers is known.
    """

    made: Made
    seat: int | None
    seen: Seen | None
    cards: tuple[Card, ...]

    @property
    def move(self) -> int | str:
        """The move that shows it, or ``final``, as scripts' results write it."""
        return "final" if self.seen is None or self.seen.move is None else self.seen.move


@dataclass(slots=True)
class _Hand:
    unknown: int | None  # cards in the hand that nobody has seen; None: nobody knows how many
    held: dict[Card, Seen] = field(default_factory=dict)  # every card that was seen to be in it, laid or not
    gone: int = 0  # those that have left it


class Knowledge:
    """What has been seen of the hidden hands of one deal, and the claims about them.

    :param pack: every card there is.
    :param counts: cards in each seat's hand at the start, None where not known.
    :param located: cards that are in no hand.
    """

    def __init__(self, pack: tuple[Card, ...], counts: tuple[int | None, ...], located: Iterable[Card] = ()) -> None:
        self._unseen = mask(pack) & ~mask(located)
        self._hands = {seat: _Hand(count) for seat, count in enumerate(counts, start=1)}
        self._open: dict[tuple[tuple[int, ...], int], list[Made]] = {}
        self._counted: set[tuple[tuple[int, ...], int]] = set()
        known = None not in counts
        self.spare = self._unseen.bit_count() - sum(count or 0 for count in counts) if known else None
        self._sound = True  # False when what was seen contradicts itself (a misread card, a wrong count): no counting
        self.proofs: dict[int, Proof] = {}  # by the claim's entry: shown ones, for results
        self.deduced: dict[int, Proof] = {}  # by the claim's entry: what follows from counting

    def holds(self, seat: int) -> tuple[Card, ...]:
        """The cards that ``seat`` is known to hold now."""
        hand = self._hands[seat]
        return tuple(card for card in hand.held if not hand.gone & BIT[card])

    def unknown(self, seat: int) -> int | None:
        """How many cards ``seat`` holds that nobody has seen, None when not known."""
        return self._hands[seat].unknown

    def unseen(self) -> tuple[Card, ...]:
        """The cards that nobody has seen; ``spare`` of them are in no hand (None: nobody knows how many)."""
        return named(self._unseen)

    def new_hand(self, seat: int, cards: int) -> None:
        """``seat`` has exchanged his hand, before he claimed anything, for ``cards`` cards that nobody has seen."""
        if self.spare is not None:
            self.spare += (self._hands[seat].unknown or 0) - cards
        self._hands[seat] = _Hand(cards)

    def show(self, seat: int, card: Card, entry: int, move: int | None) -> list[Proof]:
        """``seat`` has ``card`` in his hand: what this proves. A card that lies elsewhere proves nothing."""
        hand, bit = self._hands[seat], BIT[card]
        if hand.gone & bit or not (self._unseen & bit or card in hand.held):
            self._sound = False
            return []
        seen = Seen(card, entry, move)
        old = hand.held.get(card)
        if old is not None and move is None:
            return []  # known to be there: every claim that it contradicts was proved false when that was learnt
        if old is None:
            self._unseen &= ~bit
            self._sound &= hand.unknown != 0
            hand.unknown = hand.unknown - 1 if hand.unknown else hand.unknown
        if old is None or old.move is None:
            hand.held[card] = seen
        return self._shown(seat, seen) + (self._count() if old is None else [])

    def lay(self, seat: int, card: Card, entry: int, move: int) -> list[Proof]:
        """``seat`` shows ``card`` and it leaves his hand."""
        proofs = self.show(seat, card, entry, move)
        if card in self._hands[seat].held:
            self._hands[seat].gone |= BIT[card]
        return proofs

    def elsewhere(self, card: Card) -> list[Proof]:
        """``card`` is in no hand: the turn-up, the dead hand turned up."""
        if not self._unseen & BIT[card]:
            return []
        self._unseen &= ~BIT[card]
        return self._count()

    def claim(self, claim: Claim, entry: int, move: int) -> list[Proof]:
        """A claim is made; it may be contradicted already by what was seen before."""
        made = Made(claim, entry, move)
        witnesses = [
            (seat, seen)
            for seat in claim.seats
            for card, seen in self._hands[seat].held.items()
            if claim.cards & ~self._hands[seat].gone & BIT[card]
        ]
        key = (claim.seats, claim.cards)
        if not witnesses:
            self._open.setdefault(key, []).append(made)
            return self._deduce(key, [made]) if key in self._counted or self._overfull(key) else []
        seat, seen = min(witnesses, key=lambda w: (w[1].move is None, w[1].move or 0))
        if seen.move is None:
            self._open.setdefault(key, []).append(made)
        return self._prove([made], seat, seen)

    def _shown(self, seat: int, seen: Seen) -> list[Proof]:
        bit, proofs = BIT[seen.card], []
        for key in [key for key in self._open if key[1] & bit and seat in key[0]]:
            proofs += self._prove(self._open[key] if seen.move is None else self._open.pop(key), seat, seen)
        return proofs

    def _prove(self, claims: list[Made], seat: int, seen: Seen) -> list[Proof]:
        """Proofs that are new; a move that shows what a hand laid open has proved already becomes the witness."""
        new = []
        for made in claims:
            old = self.proofs.get(made.entry)
            if old is None or (old.move == "final" and seen.move is not None):
                self.proofs[made.entry] = proof = Proof(made, seat, seen, (seen.card,))
                new += [proof] if old is None else []
        return new

    def _count(self) -> list[Proof]:
        """What follows from counting now; most claims are too small beside what their seats do not hold to be asked."""
        unseen, hands = self._unseen.bit_count(), self._hands
        near = [
            key
            for key in self._open
            if len(key[0]) > 1 or unseen - key[1].bit_count() <= (hands[key[0][0]].unknown or 0)
        ]
        return [p for key in near if self._overfull(key) for p in self._deduce(key, self._open[key])]

    def _overfull(self, key: tuple[tuple[int, ...], int]) -> bool:
        """Must some claimer hold a card of the claim, because the unseen cards outside it do not fill the hands?"""
        seats, cards = key
        places = self._places(seats)
        if places is None or not self._sound or not self._unseen & cards:
            return False
        return (self._unseen & ~cards).bit_count() < places and self._possible()

    def _places(self, seats: Iterable[int]) -> int | None:
        """Cards that these seats hold and nobody has seen; None when one of them is not known."""
        total = 0
        for seat in seats:
            unknown = self._hands[seat].unknown
            if unknown is None:
                return None
            total += unknown
        return total

    def _possible(self) -> bool:
        """Are there cards enough for the hands that are known to hold some?"""
        return sum(hand.unknown or 0 for hand in self._hands.values()) <= self._unseen.bit_count()

    def _deduce(self, key: tuple[tuple[int, ...], int], claims: list[Made]) -> list[Proof]:
        self._counted.add(key)
        new = []
        for made in claims:
            if made.entry not in self.proofs and made.entry not in self.deduced:
                seat = made.claim.seats[0] if len(made.claim.seats) == 1 else None
                cards = named(self._unseen & made.claim.cards)
                self.deduced[made.entry] = proof = Proof(made, seat, None, cards)
                new.append(proof)
        return new
