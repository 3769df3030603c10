"""Late proof held against everything that could be true: short packs, three seats, nine cards, every sequence of acts.

For each game with claims about hidden hands the walk keeps every deal that fits what was seen so far. A claim must be
called false exactly when it is false in all of them (sound: never accuse who may be honest; complete: for single
claims, which is where this stops, as `knowledge` says). The claims are worked out here a second time from the rules,
so that a game that claims too much or too little is found as well. Suits, and ranks where they are alike, may begin in
one order only: every other sequence is one of these with other names. Presses in a row are followed for one round and
one more; in Sevens one pass a deal, in Comet three. Fan Tan and Five or Nine are walked in test_knowledge.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations, islice, product
from typing import Any

import pytest

from firmware.referee import knowledge
from firmware.referee.acts import mask
from firmware.referee.cards import BIT, Card, named, pack
from firmware.referee.events import Cut, Entry, Fact, Gathered, HandShown, Laid, Pressed, Said
from firmware.referee.games import ranter_go_round, wish_card
from firmware.referee.knowledge import Knowledge
from firmware.referee.match import Match, Setup

Deal = tuple[int, ...]  # what each seat was dealt, as masks
SEATS = ("A", "B", "C")
ALL = (1, 2, 3)


def every_deal(cards: int, sizes: tuple[int, ...]) -> Iterator[Deal]:
    """Every way to deal these cards to hands of these sizes; the rest is in no hand."""
    if not sizes:
        yield ()
        return
    for hand in combinations(named(cards), sizes[0]):
        for others in every_deal(cards & ~mask(hand), sizes[1:]):
            yield (mask(hand), *others)


@dataclass(frozen=True)
class Seen:
    """What everybody has seen: the cards laid in order with who laid them, the presses since the last card, and all."""

    laid: tuple[tuple[int, Card], ...] = ()
    presses: int = 0
    pressed: int = 0  # all presses so far

    @property
    def gone(self) -> int:
        """The cards on the table."""
        return mask(card for _, card in self.laid)


@dataclass(frozen=True)
class Act:
    """What may be done next, and what it says: ``seats`` say that they hold none of ``cards``."""

    seat: int
    card: Card | None
    seats: tuple[int, ...] = ()
    cards: int = 0


class Enough(Exception):
    """The first wrong proof was found, and no more is wanted."""


@dataclass
class Walk:
    """Every sequence of acts, each held against every deal that fits it."""

    setup: Setup
    acts: Callable[[Match, Seen], Iterator[Act]]
    most: int = 4  # presses in a row that are followed
    in_all: int = 99  # presses in a deal that are followed
    first_wrong: bool = False
    nodes: int = 0
    proofs: int = 0
    wrong: list[str] = field(default_factory=list)

    def run(self) -> Walk:
        """Walk from the deal to the end of every deal."""
        deal = self.setup.deal
        deals = list(every_deal(mask(pack(deal["ranks"], deal["suits"])), tuple(deal["counts"].values())))
        with suppress(Enough):
            self._walk([], Seen(), deals, {})
        return self

    def _walk(self, facts: list[Fact], seen: Seen, deals: list[Deal], claims: dict[int, Act]) -> None:
        match = Match(self.setup)
        for number, fact in enumerate(facts):
            match.add(Entry(number, fact))
        self._check(match, deals, claims, facts)
        if match.over:
            self._lay_open(match, seen, deals, claims, facts)
            return
        for act in self.acts(match, seen):
            more = {**claims, len(facts): act} if act.cards else claims
            if act.card is None:
                if seen.presses < self.most and seen.pressed < self.in_all:
                    now = Seen(seen.laid, seen.presses + 1, seen.pressed + 1)
                    self._walk([*facts, Pressed(act.seat)], now, deals, more)
            elif fits := [deal for deal in deals if deal[act.seat - 1] & BIT[act.card]]:
                now = Seen((*seen.laid, (act.seat, act.card)), 0, seen.pressed)
                self._walk([*facts, Laid(act.card, "layout", act.seat)], now, fits, more)

    def _lay_open(self, match: Match, seen: Seen, deals: list[Deal], claims: dict[int, Act], facts: list[Fact]) -> None:
        """One of the losers lays his hand open, whatever it may be: then counting says more of the others."""
        if isinstance(facts[-1], HandShown):
            return
        for seat in (1, 2):
            for left in sorted({deal[seat - 1] & ~seen.gone for deal in deals}):
                if left:
                    fits = [deal for deal in deals if left & ~deal[seat - 1] == 0]
                    self._walk([*facts, HandShown(seat, named(left))], seen, fits, claims)

    def _check(self, match: Match, deals: list[Deal], claims: dict[int, Act], facts: list[Fact]) -> None:
        self.nodes += 1
        known = match._fold.known
        for entry, act in claims.items():
            false = all(any(deal[seat - 1] & act.cards for seat in act.seats) for deal in deals)
            told = entry in known.proofs or entry in known.deduced
            self.proofs += told
            if false != told:
                self.wrong.append(f"{'missed' if false else 'unsound'}: claim {entry} after {facts}")
                if self.first_wrong:
                    raise Enough
        if not set(known.proofs) | set(known.deduced) <= set(claims):
            self.wrong.append(f"unsound: nobody claimed anything, but {sorted(known.proofs)} after {facts}")


def in_order(cards: int, seen: Seen, suits: str, ranks: str = "") -> list[Card]:
    """Cards that may be laid without repeating a sequence in other suits (and ranks, where they are alike)."""
    begun = list(dict.fromkeys(card.suit for _, card in seen.laid))
    shown = list(dict.fromkeys(card.rank for _, card in seen.laid))
    new_suit = next((s for s in suits if s not in begun), "")
    new_rank = next((r for r in ranks if r not in shown), "")
    return [
        card
        for card in named(cards)
        if card.suit in (*begun, new_suit) and (not ranks or card.rank in (*shown, new_rank))
    ]


# -- Sevens: rows from six to eight, all nine cards dealt -----------------------------------------------------------


def sevens() -> Walk:
    """Sixes, sevens and eights of three suits, three cards each."""
    whole = mask(pack("678", "SHD"))

    def acts(match: Match, seen: Seen) -> Iterator[Act]:
        gone = seen.gone
        sevens = mask(Card("7", suit) for suit in "SHD")
        beside = mask(Card(r, s) for s in "SHD" for r in "68" if gone & BIT[Card("7", s)])
        could = (sevens | beside) & whole & ~gone
        seat = match.view.turn or 0
        yield Act(seat, None, (seat,), could)
        turned = any(card.rank != "7" for _, card in seen.laid)  # up and down are alike until one was laid
        for card in in_order(could, seen, "SHD"):
            if turned or card.rank != "6":
                yield Act(seat, card)

    deal = {"counts": dict.fromkeys(SEATS, 3), "ranks": "678", "suits": "SHD"}
    return Walk(Setup("sevens", SEATS, 3, {}, deal), acts, in_all=1)


# -- Snip-Snap-Snorem: a card that does not match says that the seat has none of the rank -----------------------------


def snip() -> Walk:
    """Three ranks of three suits, three cards each; suits are alike, and so are ranks."""

    def acts(match: Match, seen: Seen) -> Iterator[Act]:
        seat, gone = match.view.turn or 0, seen.gone
        for card in in_order(mask(pack("567", "SHD")) & ~gone, seen, "SHD", "567"):
            last = seen.laid[-1][1] if seen.laid else None
            none = 0 if last is None or card.rank == last.rank else mask(pack(last.rank, "SHD")) & ~gone
            yield Act(seat, card, (seat,), none)

    deal = {"counts": dict.fromkeys(SEATS, 3), "ranks": "567", "suits": "SHD"}
    return Walk(Setup("snip_snap_snorem", SEATS, 3, {}, deal), acts)


# -- the climbing games: a stop, a no, a lead ---------------------------------------------------------------------


def above(card: Card, gone: int) -> Card | None:
    """The next higher card of jack, queen, king; None after the king and where it lies already."""
    following = {"J": "Q", "Q": "K"}.get(card.rank)
    up = Card(following, card.suit) if following else None
    return None if up is None or gone & BIT[up] else up


def climbing(game: str, house: dict[str, Any], lowest: bool = False) -> Walk:
    """Jacks, queens and kings of three suits, one of them in the dead hand. A stop speaks for all."""
    whole = mask(pack("JQK", "SHD"))

    def acts(match: Match, seen: Seen) -> Iterator[Act]:
        gone = seen.gone
        need = above(seen.laid[-1][1], gone) if seen.laid and not seen.presses else None
        if need is not None:
            yield Act(seen.laid[-1][0], None, ALL, BIT[need])
            yield from (Act(seat, need) for seat in ALL)
            return
        for card in in_order(whole & ~gone, seen, "SHD"):
            lower = mask(Card(r, card.suit) for r in "JQ" if "JQK".index(r) < "JQK".index(card.rank)) & ~gone
            leader = match.view.turn or 0
            yield Act(leader, card, (leader,), lower if lowest else 0)

    deal = {"counts": {"A": 3, "B": 3, "C": 2}, "stock": 1, "ranks": "JQK", "suits": "SHD"}
    extra = {"trump": "C", "turn": "A"} if game == "pope_joan" else {"turn": "A"}
    return Walk(Setup(game, SEATS, 3, house, {**deal, **extra}), acts)


def foster() -> Walk:
    """Foster's Pope Joan: in turn each goes on or says no; when all have, whoever laid the last card leads."""
    whole = mask(pack("JQK", "SHD"))

    def acts(match: Match, seen: Seen) -> Iterator[Act]:
        gone, noes = seen.gone, seen.presses
        need = above(seen.laid[-1][1], gone) if seen.laid and noes < len(SEATS) else None
        if need is not None:
            seat = (seen.laid[-1][0] - 1 + noes) % len(SEATS) + 1
            yield Act(seat, None, (seat,), BIT[need])
            yield Act(seat, need)
            return
        leader = seen.laid[-1][0] if seen.laid else 1
        yield from (Act(leader, card) for card in in_order(whole & ~gone, seen, "SHD"))

    deal = {"counts": {"A": 3, "B": 3, "C": 2}, "ranks": "JQK", "suits": "SHD", "turn": "A"}
    return Walk(Setup("pope_joan", SEATS, 3, {"form": "foster"}, deal), acts)


# -- Comet: ranks go on in any suits, and the comet may be kept --------------------------------------------------------


def comet() -> Walk:
    """Nines, tens and jacks of three suits, one of them aside; the nine of diamonds is the comet."""
    whole, star = mask(pack("9TJ", "SHD")), Card("9", "D")

    def wanted(seen: Seen) -> int:
        """The cards of the rank that goes on, 0 where somebody leads."""
        last = seen.laid[-1][1] if seen.laid else star
        following = {"9": "T", "T": "J"}.get(last.rank, "")
        stops = last == star or not following or seen.presses == len(SEATS)
        return 0 if stops else mask(pack(following, "SHD")) & ~seen.gone

    def acts(match: Match, seen: Seen) -> Iterator[Act]:
        fits = wanted(seen)
        turn = (seen.laid[-1][0] if seen.laid else 1) - 1
        seat = (turn + seen.presses) % len(SEATS) + 1 if fits else turn + 1
        if fits:
            yield Act(seat, None, (seat,), fits)
        could = (fits | BIT[star] if fits else whole) & ~seen.gone
        diamonds = mask(pack("9TJ", "D"))  # not alike: the comet is one of them
        cards = in_order(could & ~diamonds, seen, "SH") + list(named(could & diamonds))
        yield from (Act(seat, card) for card in cards)

    deal = {"counts": {"A": 3, "B": 3, "C": 2}, "ranks": "9TJ", "suits": "SHD", "turn": "A"}
    return Walk(Setup("comet", SEATS, 3, {}, deal), acts, in_all=3)


WALKS: dict[str, Callable[[], Walk]] = {
    "sevens": sevens,
    "snip_snap_snorem": snip,
    "newmarket": lambda: climbing("newmarket", {"ace": "low", "colour_change": False, "lead_lowest": False}),
    "newmarket_lowest": lambda: climbing("newmarket", {"ace": "low", "colour_change": False}, lowest=True),
    "jig": lambda: climbing("jig", {}),
    "pope_joan": lambda: climbing("pope_joan", {}),
    "pope_joan_lowest": lambda: climbing("pope_joan", {"lead_lowest": True}, lowest=True),
    "pope_joan_foster": foster,
    "comet": comet,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WALKS)
def test_a_claim_is_called_false_exactly_when_it_is(name: str) -> None:
    walk = WALKS[name]().run()
    assert walk.wrong == []
    assert walk.nodes > 500
    assert walk.proofs > 100


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n == "sevens" else n for n in WALKS])
def test_an_unsound_proof_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting one card too boldly accuses somebody who may be honest; the walk must find it."""

    def bold(self: Knowledge, key: tuple[tuple[int, ...], int]) -> bool:
        seats, cards = key
        places = self._places(seats)
        return places is not None and bool(self._unseen & cards) and (self._unseen & ~cards).bit_count() <= places

    monkeypatch.setattr(knowledge.Knowledge, "_overfull", bold)
    walk = WALKS[name]()
    walk.first_wrong = True
    assert walk.run().wrong[0].startswith("unsound")


# -- the Wish Card: a card that turns up where it cannot be -----------------------------------------------------------


@dataclass
class Packs:
    """Every sequence of turned cards, right or wrong, each held against everything that the packs may hold.

    A world is what each pack holds now; the order inside a pack is free, since nobody enforces it at a gather.
    """

    most: int
    first_wrong: bool = False
    nodes: int = 0
    conflicts: int = 0
    wrong: list[str] = field(default_factory=list)
    setup: Setup = field(
        default_factory=lambda: Setup(
            "wish_card", SEATS, 3, {}, {"counts": dict.fromkeys(SEATS, 3), "ranks": "23J", "suits": "SHD"}
        )
    )

    def run(self) -> Packs:
        """Walk for ``most`` acts (the Wish Card may never end)."""
        cards = mask(pack("23J", "SHD"))
        with suppress(Enough):
            self._walk([], Seen(), list(every_deal(cards, (3, 3, 3))), {1: (), 2: (), 3: ()})
        return self

    def _walk(self, facts: list[Fact], seen: Seen, worlds: list[Deal], piles: dict[int, tuple[Card, ...]]) -> None:
        match = Match(self.setup)
        for number, fact in enumerate(facts):
            match.add(Entry(number, fact))
        self.nodes += 1
        told = any(ruling.code == "WRONG_PACK" for ruling in match.standing)
        self.conflicts += told
        if told != (not worlds):
            self.wrong.append(f"{'unsound' if told else 'missed'}: after {facts}")
            if self.first_wrong:
                raise Enough
        if match.over or not worlds or len(facts) == self.most:
            return
        view = match.view
        seat = view.turn or 0
        if view.due == "GATHER":
            payer = seat % len(SEATS) + 1
            gained = mask(piles[payer])
            after = [tuple(w | gained if s == seat else w for s, w in enumerate(world, 1)) for world in worlds]
            self._walk([*facts, Gathered(f"seat-{payer}", seat, None)], seen, after, {**piles, payer: ()})
            return
        on_table = mask(card for pile in piles.values() for card in pile)
        for card in in_order(mask(pack("23J", "SHD")) & ~on_table, seen, "SHD"):
            fits = [
                tuple(w & ~BIT[card] if s == seat else w for s, w in enumerate(world, 1))
                for world in worlds
                if world[seat - 1] & BIT[card]
            ]
            now = Seen((*seen.laid, (seat, card)))
            self._walk([*facts, Laid(card, f"seat-{seat}", seat)], now, fits, {**piles, seat: (*piles[seat], card)})


@pytest.mark.slow
def test_wish_a_wrong_pack_is_said_exactly_when_no_pack_could_be_so() -> None:
    walk = Packs(most=7).run()
    assert walk.wrong == []
    assert walk.nodes > 2000
    assert walk.conflicts > 100


def test_wish_an_unsound_contradiction_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Taking every gathered card for known to lie in the pack of the seat after the receiver."""
    right = wish_card._under

    def shifted(state: Any, owner: int, seat: int, cards: tuple[Card, ...]) -> Any:
        new = right(state, owner, seat, cards)
        return wish_card.replace(new, known=(new.known[-1], *new.known[:-1]))

    monkeypatch.setattr(wish_card, "_under", shifted)
    walk = Packs(most=6, first_wrong=True).run()
    assert walk.wrong[0].startswith(("unsound", "missed"))


# -- Ranter-Go-Round: every exchange traced back ------------------------------------------------------------------

ANSWERS = ("swap", "swap ace", "swap deuce", "king")


@dataclass(frozen=True)
class Round:
    """One way to play three seats: for each of the first two pass or the answer to a demand; then the dealer."""

    first: str
    second: str
    cut: Card | None

    def facts(self) -> list[Fact]:
        """As they are told until the showdown; nobody has seen a card."""
        out: list[Fact] = []
        for seat, answer in ((1, self.first), (2, self.second)):
            if answer == "pass":
                out.append(Said(seat, "pass"))
                continue
            word, _, said = answer.partition(" ")
            out += [Said(seat, "demand"), Said(seat + 1, word, said)]
        return [*out, Cut(3, None) if self.cut else Said(3, "pass")]

    def faults(self, dealt: tuple[Card, Card, Card]) -> list[tuple[int, int, str, Card]]:
        """What was said falsely, played forward from the deal: move, seat, code, and the card it was about."""
        hands, move, out = list(dealt), 0, []
        for i, answer in ((0, self.first), (1, self.second)):
            if answer == "pass":
                move += 1
                continue
            card, (word, _, said) = hands[i + 1], answer.partition(" ")
            code = self._code(word, said, card)
            if code:
                out.append((move + 1, i + 2, code, card))
            if word == "swap":
                hands[i], hands[i + 1] = hands[i + 1], hands[i]
            move += 2
        return out

    @staticmethod
    def _code(word: str, said: str, card: Card) -> str:
        if word == "king":
            return "" if card.rank == "K" else "FALSE_KING"
        due = {"A": "ace", "2": "deuce"}.get(card.rank, "")
        if due:
            return "" if said == due else f"UNANNOUNCED_{due.upper()}"
        return "FALSE_ANNOUNCEMENT" if said else ""

    def open(self, dealt: tuple[Card, Card, Card]) -> tuple[list[Card], Card | None]:
        """What lies before each seat at the showdown, and the card that the dealer has given up."""
        hands = list(dealt)
        for i, answer in ((0, self.first), (1, self.second)):
            if answer.startswith("swap"):
                hands[i], hands[i + 1] = hands[i + 1], hands[i]
        return ([*hands[:2], self.cut], hands[2]) if self.cut else (hands, None)


def rounds() -> Iterator[tuple[Round, tuple[Card, Card, Card]]]:
    """Every way to play, with every deal of aces, deuces and kings (suits do not count, so one suit a seat)."""
    answers = ("pass", *ANSWERS)
    for first, second, cut in product(answers, answers, (None, Card("2", "C"), Card("K", "C"))):
        for ranks in product("A2K", repeat=3):
            yield Round(first, second, cut), tuple(Card(r, s) for r, s in zip(ranks, "SHD", strict=True))  # type: ignore[misc]


def traced(audit: bool, every: int = 1) -> list[str]:
    """Where the referee's proofs differ from what really happened; of the ways to play only each ``every``-th."""
    wrong = []
    for played, dealt in islice(rounds(), 0, None, every):
        match = Match(Setup("ranter_go_round", SEATS, 3, {"audit_discard": audit}))
        hands, discard = played.open(dealt)
        shown: list[Fact] = [Laid(card, f"seat-{seat}", seat) for seat, card in enumerate(hands, 1)]
        shown += [Laid(discard, "stock", 3)] if discard else []
        for number, fact in enumerate([*played.facts(), *shown]):
            match.add(Entry(number, fact, source="camera"))
        faults = [[m, SEATS[s - 1], code] for m, s, code, card in played.faults(dealt) if audit or card != discard]
        if match.result()["proved"] != faults:
            wrong.append(f"{match.result()['proved']} and not {faults}: {played} {dealt}")
    return wrong


@pytest.mark.parametrize("every", [23, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("audit", [True, False])
def test_ranter_what_is_proved_is_what_happened(audit: bool, every: int) -> None:
    """With the dealer's old card unseen, claims about it stay open: what other cards say of it is not counted."""
    assert traced(audit, every) == []


def test_ranter_a_wrong_trace_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranter_go_round, "_swapped", lambda tokens, one, other: tokens)
    assert traced(True, 23)
