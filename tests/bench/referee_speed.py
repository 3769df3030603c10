"""How fast the referee judges: facts and whole random games a second, and what one more fact costs in a long deal.

Run from the checkout: ``python -m tests.bench.referee_speed [--games N]``. Times are processor time of one core. Beside
it, where they are installed (``pip install open_spiel rlcard``): random play at OpenSpiel's crazy eights (C++) and at
RLCard's uno. These judge moves that are legal by construction, and prove and explain nothing.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import random
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from firmware.referee.cards import Card
from firmware.referee.events import Entry, Laid, Pressed
from firmware.referee.match import Match, Setup, games
from tests.bench.memory import resident_mb
from tests.bench.rows import Row, show
from tests.referee.players import Table, deal

LONGEST = 3000
#: One deal of a game is told so many facts; the cost of the last ones is measured at these lengths.
LENGTHS = (100, 10_000, 1_000_000)
#: A circuit has every kind of fact in it (the last of four asks who holds the card); so many are measured before each
#: length, or as many as there were.
CIRCUIT, SAMPLE = 4, 1000
#: Times of everything that is timed as a whole.
ROUNDS = 5


def judged(tables: list[Table]) -> float:
    """Seconds to judge these played games again."""
    start = time.process_time()
    for table in tables:
        match = Match(table.match.setup)
        for number, fact in enumerate(table.facts):
            match.add(Entry(number, fact, source="camera"))
    return time.process_time() - start


@dataclass(frozen=True, slots=True)
class Reached:
    """A deal of so many entries: microseconds of a fact, a sample for each of its last circuits; MB kept of them."""

    entries: int
    fact_us: tuple[float, ...]
    kept_mb: float


def long_deal(lengths: Sequence[int] = LENGTHS) -> Iterator[Reached]:
    """One deal, pressed round and round, at each of these lengths; time is of the processor.

    The garbage collector rests meanwhile: it would look through all that is kept again and again, at times of its own.
    """
    last_us, before_mb = deque[float](maxlen=CIRCUIT * SAMPLE), resident_mb()
    gc.disable()
    try:
        match = Match(Setup("fan_tan", ("A", "B", "C", "D"), 4, {}, {"counts": dict.fromkeys("ABCD", 13)}))
        match.add(Entry(0, Laid(Card.parse("5H"), "layout", 1)))
        for number in range(1, max(lengths)):
            entry = Entry(number, Pressed(number % 4 + 1))
            start = time.thread_time_ns()
            match.add(entry)
            last_us.append((time.thread_time_ns() - start) / 1e3)
            if number + 1 in lengths:
                yield Reached(number + 1, circuits(list(last_us)), resident_mb() - before_mb)
    finally:
        gc.enable()


def circuits(costs: list[float]) -> tuple[float, ...]:
    """The mean of each circuit; the median of single facts would hide a dear one in four."""
    begin = len(costs) % CIRCUIT
    return tuple(statistics.fmean(costs[first : first + CIRCUIT]) for first in range(begin, len(costs), CIRCUIT))


def openspiel(games_played: int) -> tuple[float, float]:
    """Moves and games a second of random play at crazy eights, dealing among them."""
    import pyspiel  # type: ignore[import-not-found]

    game, dice, moves = pyspiel.load_game("crazy_eights"), random.Random(1), 0
    start = time.process_time()
    for _ in range(games_played):
        state = game.new_initial_state()
        while not state.is_terminal():
            choices = [a for a, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
            state.apply_action(dice.choice(choices))
            moves += 1
    spent = time.process_time() - start
    return moves / spent, games_played / spent


def rlcard(games_played: int) -> tuple[float, float]:
    """Moves and games a second of random play at uno, in its environment with the states that players get."""
    import rlcard as library  # type: ignore[import-not-found]

    env, dice, moves = library.make("uno", config={"seed": 1}), random.Random(1), 0
    start = time.process_time()
    for _ in range(games_played):
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(dice.choice(list(state["legal_actions"])))
            moves += 1
    spent = time.process_time() - start
    return moves / spent, games_played / spent


def ours(count: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Facts and games a second, a sample a game of ours: the spread is that between games."""
    facts, whole = [], []
    for game in games():
        tables = [deal(game, seed, cheat=0.1).play(LONGEST) for seed in range(count)]
        seconds = statistics.median(judged(tables) for _ in range(ROUNDS))
        facts.append(sum(len(table.facts) for table in tables) / seconds)
        whole.append(count / seconds)
    return tuple(facts), tuple(whole)


def beside(facts: tuple[float, ...], whole: tuple[float, ...]) -> Iterator[Row]:
    """Ours beside each of the two libraries; one that is not installed is told and left out."""
    libraries: list[tuple[str, str, Callable[[int], tuple[float, float]]]] = [
        ("pyspiel", "OpenSpiel's crazy eights (C++)", openspiel),
        ("rlcard", "RLCard's uno (Python)", rlcard),
    ]
    for module, words, play in libraries:
        if importlib.util.find_spec(module) is None:
            print(f"{words}: not installed here, so not compared (pip install open_spiel rlcard)")
            continue
        moves, theirs = zip(*(play(100) for _ in range(ROUNDS)), strict=True)
        yield Row("referee", "moves or facts a second", facts, words, moves)
        yield Row("referee", "games a second, dealing or proofs among them", whole, words, theirs)


def rows(count: int) -> Iterator[Row]:
    """The referee's part of the table; the long deal first, while no other deal has left memory behind."""
    first, *later = long_deal()
    facts, whole = ours(count)
    yield from beside(facts, whole)
    for one in later:
        what, peer = f"a fact at the {one.entries:,}th of a deal, us", f"the {first.entries:,}th"
        yield Row("referee", what, one.fact_us, peer, first.fact_us)
    for one in later:
        each_kb = 1024 * one.kept_mb / one.entries
        yield Row("referee", f"kept of a fact in a deal of {one.entries:,}, kB", (each_kb,))


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20)
    show(rows(parser.parse_known_args()[0].games))


if __name__ == "__main__":
    main()
