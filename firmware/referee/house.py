"""House rules as data: each has a name, a default, one line of words and its source. Nothing here knows a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from typing import Any, TypeVar

H = TypeVar("H")


class BadSetup(ValueError):
    """What is played cannot be understood; the message is one line: what, where, and the remedy."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A house rule for people: what the rulebook prints."""

    name: str
    default: Any
    words: str
    source: str
    choices: tuple[str, ...]
    values: tuple[int, int] | None


def rule(default: Any, words: str, source: str, *choices: str, least: int = 0, most: int = 1000) -> Any:
    """A field of a game's House: its ``default``, what it means in one line, where it comes from (RULES.md's marks).

    Text rules name their ``choices``; numbers lie within ``least`` .. ``most``; a bool is yes or no.
    """
    values = (least, most) if type(default) is int else None
    return field(default=default, metadata={"words": words, "source": source, "choices": choices, "values": values})


def settled(value: str, words: str, source: str) -> Any:
    """A field for what the books leave open and only one reading makes sense of: the rulebook says which, and why."""
    return rule(value, words, source, value)


def broke_rule() -> Any:
    """The house rule for a player with no counter left, the same in every game with payments."""
    return rule(
        "owe",
        "A player without counters owes them (owe), or leaves the deal and his cards are dead (out).",
        "[X]",
        "owe",
        "out",
    )


def counters_rule() -> Any:
    """The house rule for the supply of counters, the same in every game with payments."""
    return rule(0, "Counters that each player starts with; 0: they are not counted, nobody runs out.", "[X]")


def rules_of(kind: type) -> tuple[Rule, ...]:
    """The house rules of a game's House class, in the order in which they are written."""
    return _rules_of(kind)


@cache
def _rules_of(kind: Any) -> tuple[Rule, ...]:
    return tuple(
        Rule(f.name, f.default, f.metadata["words"], f.metadata["source"], f.metadata["choices"], f.metadata["values"])
        for f in fields(kind)
    )


def choose(kind: type[H], options: Mapping[str, Any]) -> H:
    """The House with these options set and the defaults for the rest.

    :raises BadSetup: if an option has no such name or no such value, with what was probably meant.
    """
    known = {r.name: r for r in rules_of(kind)}
    for name, value in options.items():
        if name not in known:
            raise BadSetup(f"no house rule is called {shown(name)}{did_you_mean(name, known)}")
        _check(known[name], value)
    return kind(**options)


def _check(rule: Rule, value: Any) -> None:
    if type(value) is not type(rule.default):
        kind = {bool: "true or false", int: "a whole number", str: "a word"}[type(rule.default)]
        raise BadSetup(f"house rule {rule.name!r} is {kind}, not {shown(value)}")
    if rule.choices and value not in rule.choices:
        raise BadSetup(f"house rule {rule.name!r} is one of {', '.join(rule.choices)}; not {shown(value)}")
    if rule.values and not rule.values[0] <= value <= rule.values[1]:
        raise BadSetup(
            f"house rule {rule.name!r} lies within {rule.values[0]} and {rule.values[1]}; not {shown(value)}"
        )


#: Characters of a value in an error message: more would hide what is wrong with it.
LONGEST_SHOWN = 40
#: A name on a button's label, a line of the page and a row of the ledger: more is no name.
LONGEST_NAME = 60


def did_you_mean(word: object, known: object) -> str:
    """`` (did you mean ...?)`` with the nearest of ``known``, or what there is, or nothing."""
    names = [str(name) for name in known]  # type: ignore[attr-defined]
    near = get_close_matches(str(word)[:LONGEST_NAME], names, n=1, cutoff=0.5)
    if near:
        return f" (did you mean {shown(near[0])}?)"
    return f"; known: {', '.join(map(word_shown, names))}" if names else ""


def word_shown(word: str) -> str:
    """A word in an error message: as it is where it is short and can be printed."""
    return word if word.isprintable() and len(word) <= LONGEST_SHOWN else shown(word)


def shown(value: object) -> str:
    """A value in an error message, cut to a length that fits one line."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."
