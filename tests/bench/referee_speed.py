"""How fast the referee judges: facts and whole random games a second, the cost of one more fact, and memory.

Run from the checkout: ``python -m tests.bench.referee_speed [--games N]``. Times are processor time of one core. Beside
it, where they are installed (``pip install open_spiel rlcard``): random play at OpenSpiel's crazy eights (C++) and at
RLCard's uno. These judge moves that are legal by construction, and prove and explain nothing.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import statistics
import time
import tracemalloc
from collections.abc import Callable

from firmware.referee.cards import Card
from firmware.referee.events import Entry, Laid, Pressed
from firmware.referee.match import Match, Setup, games
from tests.referee.players import Table, deal

LONGEST = 3000


def judged(tables: list[Table]) -> float:
    """Seconds to judge these played games again."""
    start = time.process_time()
    for table in tables:
        match = Match(table.match.setup)
        for number, fact in enumerate(table.facts):
            match.add(Entry(number, fact, source="camera"))
    return time.process_time() - start


def one_more_fact(entries: int) -> tuple[float, float]:
    """Median microseconds of a fact among the first thousand and the last thousand of one long deal."""
    match = Match(Setup("fan_tan", ("A", "B", "C", "D"), 4, {}, {"counts": dict.fromkeys("ABCD", 13)}))
    match.add(Entry(0, Laid(Card.parse("5H"), "layout", 1)))
    costs = []
    for number in range(1, entries):
        entry = Entry(number, Pressed(number % 4 + 1))
        start = time.perf_counter()
        match.add(entry)
        costs.append((time.perf_counter() - start) * 1e6)
    return statistics.median(costs[:1000]), statistics.median(costs[-1000:])


def memory_kb(entries: int) -> float:
    """Kilobytes that a deal of so many entries takes."""
    tracemalloc.start()
    one_more_fact(entries)
    kept = tracemalloc.get_traced_memory()[1] / 1024
    tracemalloc.stop()
    return kept


def openspiel(games_played: int) -> float:
    """Moves a second of random play at crazy eights, dealing among them."""
    import pyspiel  # type: ignore[import-not-found]

    game, dice, moves = pyspiel.load_game("crazy_eights"), random.Random(1), 0
    start = time.process_time()
    for _ in range(games_played):
        state = game.new_initial_state()
        while not state.is_terminal():
            choices = [a for a, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
            state.apply_action(dice.choice(choices))
            moves += 1
    return moves / (time.process_time() - start)


def rlcard(games_played: int) -> float:
    """Moves a second of random play at uno, in its environment with the states that players get."""
    import rlcard as library  # type: ignore[import-not-found]

    env, dice, moves = library.make("uno", config={"seed": 1}), random.Random(1), 0
    start = time.process_time()
    for _ in range(games_played):
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(dice.choice(list(state["legal_actions"])))
            moves += 1
    return moves / (time.process_time() - start)


def beside(ours: float) -> list[str]:
    """A line for each of the two libraries: its moves a second and our facts a second as a share of them."""
    libraries: list[tuple[str, str, Callable[[int], float]]] = [
        ("pyspiel", "OpenSpiel's crazy eights (C++)", openspiel),
        ("rlcard", "RLCard's uno (Python)", rlcard),
    ]
    lines = []
    for module, words, play in libraries:
        if importlib.util.find_spec(module) is None:
            lines.append(f"{words}: not installed here, so not compared (pip install open_spiel rlcard)")
            continue
        theirs = statistics.median(play(100) for _ in range(3))
        lines.append(f"{words}: {theirs:,.0f} moves/s; ours {ours:,.0f} facts/s, {ours / theirs:.2f} times that")
    return lines


def main() -> None:
    """Print the table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20)
    count = parser.parse_args().games
    print("| game | facts a game | facts/s | games/s |\n|---|---|---|---|")
    speeds = []
    for game in games():
        tables = [deal(game, seed, cheat=0.1).play(LONGEST) for seed in range(count)]
        facts = sum(len(table.facts) for table in tables)
        seconds = statistics.median(judged(tables) for _ in range(3))
        speeds.append(facts / seconds)
        print(f"| {game} | {facts / count:.0f} | {facts / seconds:,.0f} | {count / seconds:,.0f} |")
    print("\n" + "\n".join(beside(statistics.median(speeds))))
    early, late = one_more_fact(10_000)
    print(
        f"\none fact of 10,000: {early:.0f} us early, {late:.0f} us late; "
        f"{memory_kb(10_000):,.0f} kB for 10,000 entries"
    )


if __name__ == "__main__":
    main()
