"""One deal, kept up as it is played: entries in, rulings out; a correction strikes an entry and folds again."""

from __future__ import annotations

import pkgutil
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any, cast

from . import games as _folder
from .acts import round_from
from .deal import Deal, Setup, check_setup
from .events import Corrected, Entry, Inserted
from .fold import Fold, Game
from .house import BadSetup, choose, did_you_mean, rules_of, shown
from .ledger import Ledger
from .quiet import quiet_acts
from .rulings import Kind, Ruling
from .telling import telling

__all__ = ["BadSetup", "Match", "PublicView", "Setup", "games", "rulebook"]


#: What the same deal, made again, begins with: everything that was known before a card was dealt.
KEPT = frozenset(
    {"ranks", "suits", "counts", "markers", "pool", "counters", "board", "carried", "layout", "kitty", "stakes"}
)


@cache
def games() -> Mapping[str, Game]:
    """Every game by name: one for each file in ``firmware/referee/games/`` whose name has no underscore in front."""
    names = sorted(m.name for m in pkgutil.iter_modules(_folder.__path__) if not m.name.startswith("_"))
    return {name: cast(Game, import_module(f"{_folder.__name__}.{name}")) for name in names}


def game_called(name: object) -> Game:
    """The game of this name.

    :raises BadSetup: if there is none, with what was probably meant.
    """
    if not isinstance(name, str) or name not in games():
        raise BadSetup(f"no game is called {shown(name)}{did_you_mean(name, games())}")
    return games()[name]


def rulebook(name: str) -> str:
    """The rules of a game in plain words, with its house rules, their defaults and sources, as Markdown.

    :raises BadSetup: if there is no such game.
    """
    game = game_called(name)
    first, _, rest = (game.__doc__ or "").strip().partition("\n")
    lines = [f"# {game.TITLE}", "", first, rest, "", "## House rules", ""]
    lines += ["| name | default | other values | meaning | source |", "|---|---|---|---|---|"]
    for r in rules_of(game.House):
        others = ", ".join(f"`{c}`" for c in r.choices if c != r.default) or _range(r.values, r.default)
        lines.append(f"| `{r.name}` | `{str(r.default).lower()}` | {others} | {r.words} | {r.source} |")
    return "\n".join(lines) + "\n"


def _range(values: tuple[int, int] | None, default: Any) -> str:
    if values is None:
        return f"`{str(not default).lower()}`"
    return f"{values[0]} to {values[1]}"


@dataclass(frozen=True, slots=True)
class PublicView:
    """What everybody may see now: for lights, page and pool display. It holds no secret.

    ``due``: PLAY, LEAD, PAY, TURN, GATHER, REPLY, EXPOSE ..., "" when over; ``due_count``: cards or counters owed
    now; ``need``: the wanted card, when public and unique; ``pool``: all counters on the table, compartments and fines
    too; ``counters``: won or lost in this deal, by seat; ``table``:
    open cards by zone, as the referee believes they lie; ``words``: one sentence for people.
    """

    game: str
    seats: tuple[str, ...]
    live: tuple[int, ...]
    turn: int | None
    due: str
    due_count: int
    need: str | None
    pool: int
    counters: tuple[int, ...]
    table: tuple[tuple[str, tuple[str, ...]], ...]
    out_of_step: bool
    out_of_step_why: str
    over: bool
    winner: int | None
    words: str


class Match:
    """One deal of a game: give it entries, read its rulings, view, result and the next setup.

    :param setup: what is played.
    :raises BadSetup: if it cannot be meant, with one line.
    """

    def __init__(self, setup: Setup) -> None:
        check_setup(setup)
        self.setup = setup
        self.game = game_called(setup.game)
        self._deal = Deal(setup)
        self._house: Any = choose(self.game.House, setup.house)
        self._fold = self._begin()
        self.entries: list[Entry] = []
        self.rulings: list[Ruling] = list(self._fold.rulings)  # every one that was ever given, by id
        self.opening = tuple(self.rulings)
        self._standing = list(self.rulings)

    def _begin(self) -> Fold:
        return Fold(self.game, self._deal, self._house)

    @property
    def standing(self) -> tuple[Ruling, ...]:
        """The rulings that hold now: all of them but for those that a correction has overturned."""
        return tuple(self._standing)

    def add(self, entry: Entry) -> tuple[Ruling, ...]:
        """Judge one more entry; the rulings that are new. A correction may give new rulings for older entries."""
        self.entries.append(entry)
        if isinstance(entry.fact, Corrected | Inserted):
            return self._fold_again(entry)
        new = [self._numbered(r) for r in self._fold.judge(entry)]
        self._standing += new
        return tuple(new)

    def _numbered(self, ruling: Ruling) -> Ruling:
        """The ruling with its id for good: its place among all that were ever given."""
        number = len(self.rulings)
        ruling = ruling if ruling.id == number else replace(ruling, id=number)
        self.rulings.append(ruling)
        return ruling

    def _fold_again(self, entry: Entry) -> tuple[Ruling, ...]:
        """Fold the corrected log; a ruling that was given before keeps its id, the others are new."""
        numbers = {e.number for e in self.entries}
        target = entry.fact.target if isinstance(entry.fact, Corrected) else _before(entry.fact)
        missing = isinstance(entry.fact, Corrected) and (target not in numbers or target == entry.number)
        self._fold = self._begin()
        for effective_entry in effective(self.entries):
            self._fold.judge(effective_entry)
        old: dict[Ruling, deque[Ruling]] = defaultdict(deque)
        for ruling in self._standing:
            old[replace(ruling, id=-1)].append(ruling)
        new, self._standing = [], []
        for ruling in self._fold.rulings:
            same = old.get(replace(ruling, id=-1))
            new += [] if same else [ruling_new := self._numbered(ruling)]
            self._standing.append(same.popleft() if same else ruling_new)
        if missing:
            new.append(
                self._numbered(
                    Ruling(Kind.NOTICE, "NO_SUCH_ENTRY", entry=entry.number, why="the log has no such entry")
                )
            )
        return tuple(new)

    @property
    def over(self) -> bool:
        """Has the deal ended?"""
        return bool(self._fold.state.over)

    def result(self) -> dict[str, Any]:
        """The result by FORMAT.md's names, as it stands now."""
        return self.game.result(self._fold.state, self._fold.books)

    @property
    def ledger(self) -> Ledger:
        """The counters of this deal."""
        return self._fold.ledger

    @property
    def view(self) -> PublicView:
        """What everybody may see now."""
        fold = self._fold
        state, due = fold.state, fold.due()
        why = self._out_of_step()
        words = due.words.format(*fold.names)
        return PublicView(
            game=self.setup.game,
            seats=self.setup.seats,
            live=state.live,
            turn=due.seat,
            due=due.what,
            due_count=due.count,
            need=None if due.card is None else str(due.card),
            pool=fold.ledger.on_table(),
            counters=tuple(fold.ledger.balance(s) for s in self._deal.seats),
            table=self._table(),
            out_of_step=bool(why),
            out_of_step_why=why,
            over=state.over,
            winner=state.winner,
            words=f"{why}; then {words}" if why and words else words or why,
        )

    @property
    def face_down(self) -> frozenset[str]:
        """The cards that were played and have been turned down since."""
        return frozenset(map(str, self._fold.face_down))

    @property
    def quiet(self) -> tuple[str, ...]:
        """What a short press would mean now, by seat (see `quiet_acts`); nothing while entries wait to be settled."""
        fold = self._fold
        seats = len(self.setup.seats)
        return ("",) * seats if fold.doubt.waiting else quiet_acts(self.game, fold.state, seats)

    @property
    def telling(self) -> tuple[tuple[str, ...], ...]:
        """What each seat may say now that no card shows (see `telling`); nothing in a deal that was called off."""
        fold = self._fold
        seats = len(self.setup.seats)
        return ((),) * seats if fold.called_off else telling(self.game, fold.state, seats, fold.away)

    def _out_of_step(self) -> str:
        """Why the table does not match the game, "" when it does."""
        for number in self._fold.doubt.waiting[:1]:
            if number == self._fold.doubt.unwatched:
                return f"the camera saw nothing for a while: say what was done then, or strike entry {number}"
            return f"entry {number} could not be read or credited: show the card again or say what it was"
        for zone, card in self._fold.strays:
            return f"{card.pretty} goes back" if card else f"the pile of {zone} goes back"
        return ""

    def _table(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        piles: dict[str, list[str]] = defaultdict(list)
        own = getattr(self.game, "table", None)
        if own:
            return tuple((zone, tuple(map(str, cards))) for zone, cards in own(self._fold.state).items())
        for card, (zone, _) in self._fold.table.items():
            if card not in self._fold.face_down:
                piles[zone].append(str(card))
        return tuple((zone, tuple(cards)) for zone, cards in sorted(piles.items()))

    def next_setup(self) -> Setup | None:
        """The next deal: its dealer, what is carried over; None when the game (or this deal) does not allow one."""
        fold = self._fold
        if fold.undealt:
            kept = {name: value for name, value in self.setup.deal.items() if name in KEPT}
            return replace(self.setup, dealer=self._deal.dealer, deal=kept)
        carried = self.game.carry(fold.state, fold.books)
        if carried is None:
            return None
        dealer, deal = carried
        dealer = self._deal.dealer if fold.called_off == "misdeal" else dealer
        short = {name: self.setup.deal[name] for name in ("ranks", "suits") if name in self.setup.deal}
        purses = {name: fold.books.purse(seat) for seat, name in fold.books.seats()}
        kept = {"counters": purses} if None not in purses.values() else {}
        left = {**kept, **deal}.get("markers" if "markers" in deal else "counters", {})
        out = "markers" in deal or getattr(self._house, "broke", "out") == "out"
        players = tuple(seat for seat, name in fold.books.seats() if not out or left.get(name, 1))
        if len(players) < 2:
            return None
        short |= self._dealt_again(dealer, players)
        return Setup(self.setup.game, self.setup.seats, dealer, self.setup.house, {**short, **kept, **deal})

    def _dealt_again(self, dealer: int, players: tuple[int, ...]) -> dict[str, Any]:
        """The next deal gives each place from the dealer's left as many cards as this one did, where that is known."""
        counts, fold = self.setup.deal.get("counts"), self._fold
        if not isinstance(counts, Mapping) or self._deal.has("need", "in_suit", "done", "table", "turn", "start"):
            return {}
        live = (fold.names[s] for s in round_from(self._deal.seats, self._deal.dealer))
        by_place = [counts[name] for name in live if name in counts]
        names = [fold.names[s] for s in round_from(players, dealer)]
        if len(by_place) != len(names):  # fewer players: what the book deals to so many
            hands = getattr(self.game, "hands", None)
            by_place = hands(len(names), self._house)[0] if hands and not self._deal.has("ranks", "suits") else []
        if not by_place:
            return {}
        stock = self.setup.deal.get("stock")
        return {"counts": dict(zip(names, by_place, strict=True)), **({"stock": stock} if type(stock) is int else {})}

    def why(self, number: int) -> tuple[str, ...]:
        """Everything that was said about entry ``number``, in words, with the entries that led to it."""
        out = []
        for ruling in self._standing:
            if ruling.entry == number:
                because = ", ".join(map(str, ruling.entries))
                out.append(ruling.why + (f" (entries {because})" if because else ""))
        return tuple(out)


def _before(fact: Any) -> int:
    return cast(int, fact.before)


def dealt(setup: Setup) -> Setup:
    """The setup with the numbers of cards that the game's book deals, where nothing is said about them."""
    hands = getattr(game_called(setup.game), "hands", None)
    if hands is None or any(name in setup.deal for name in ("counts", "hands", "packs", "ranks", "suits")):
        return setup
    house: Any = choose(game_called(setup.game).House, setup.house)
    counts, _ = hands(len(setup.seats), house)
    dealer = setup.dealer or len(setup.seats)
    by_place = {setup.seats[(dealer + place) % len(setup.seats)]: count for place, count in enumerate(counts)}
    return replace(setup, deal={**setup.deal, "counts": by_place})


def effective(entries: list[Entry]) -> list[Entry]:
    """The log as it stands after its corrections: struck entries gone, changed ones changed, inserted ones in place.

    The last correction of an entry counts; a correction that is itself struck counts as never made.
    """
    instead: dict[int, Entry] = {}
    for entry in reversed(entries):
        if isinstance(entry.fact, Corrected) and entry.number not in instead:
            instead.setdefault(entry.fact.target, entry)
    inserted: dict[int, list[Entry]] = defaultdict(list)
    for entry in entries:
        if isinstance(entry.fact, Inserted) and (stands := _corrected(entry, entry.fact.fact, instead)):
            inserted[entry.fact.before].append(stands)
    out: list[Entry] = []
    for entry in entries:
        out += inserted.pop(entry.number, [])
        if not isinstance(entry.fact, Corrected | Inserted) and (stands := _corrected(entry, None, instead)):
            out.append(stands)
    return out + [e for rest in inserted.values() for e in rest]


def _corrected(entry: Entry, fact: Any, instead: dict[int, Entry]) -> Entry | None:
    """The entry as corrected: people vouch for what they put in, so nothing about it is unsure."""
    correction = instead.get(entry.number)
    if correction is not None:
        fact = cast(Corrected, correction.fact).instead
        if fact is None:
            return None
    return entry if fact is None else replace(entry, fact=fact, confidence=1.0, seat_confidence=1.0)
