"""A fact in a sentence, as somebody at the table would say it. The referee's own words come from the referee."""

from __future__ import annotations

from collections.abc import Sequence

from firmware.referee.cards import Card
from firmware.referee.events import (
    Conflict,
    Corrected,
    Cut,
    Entry,
    Exchanged,
    ExchangeRefused,
    Fact,
    Gathered,
    HandShown,
    Inserted,
    Laid,
    Note,
    Press,
    Pressed,
    Said,
    TakenBack,
    TurnedDown,
)

from .names import counted, listed, visible

_TIMES = {1: "", 2: " twice"}


class Teller:
    """Tells the facts of a session; ``names`` as they are shown, seat 1 first."""

    def __init__(self, names: Sequence[str]) -> None:
        """Keep the names."""
        self._names = tuple(names)

    def entry(self, entry: Entry) -> str:
        """The entry's fact in one sentence without a full stop."""
        return visible(self.fact(entry.fact))

    def fact(self, fact: Fact) -> str:  # one case for each kind of fact
        """A fact in one sentence."""
        match fact:
            case Laid(card, zone, seat):
                return f"{self._who(seat)} laid {_card(card)}{self._at(zone, seat)}"
            case TakenBack(card, _, seat):
                return f"{self._who(seat)} took {_card(card)} back"
            case TurnedDown(zone, _):
                return f"the open cards{self._at(zone, None)} were turned face down"
            case Gathered(source, to, count):
                cards = "the cards" if count is None else counted(count, "card")
                return f"{self._who(to)} took {cards}{self._at(source, None)}"
            case Exchanged(seats):
                return f"{listed([self._who(seat) for seat in seats])} exchanged cards"
            case ExchangeRefused(seat, neighbour):
                return f"{self._who(neighbour)} refused the exchange with {self._who(seat)}"
            case Cut(seat, card):
                return f"{self._who(seat)} cut {_card(card) if card else 'the pack'}"
            case Pressed(seat, press, taps):
                return self._press(seat, press, taps)
            case Said(seat, word, detail):
                return f"{self._who(seat)} said: {word}{f' ({detail})' if detail else ''}"
            case HandShown(seat, cards):
                return f"{self._who(seat)} showed {listed([card.pretty for card in cards]) or 'an empty hand'}"
            case _:
                return self._about_the_log(fact)

    def _about_the_log(self, fact: Fact) -> str:
        match fact:
            case Corrected(target, None, by, why):
                return f"{by or 'the table'} struck entry {target}{_because(why)}"
            case Corrected(target, instead, by, why) if instead is not None:
                return f"{by or 'the table'} corrected entry {target}: {self.fact(instead)}{_because(why)}"
            case Inserted(before, missed, by, why):
                return f"{by or 'the table'} added before entry {before}: {self.fact(missed)}{_because(why)}"
            case Conflict(card, entries, _):
                return f"{card.pretty} was seen twice (entries {listed([str(n) for n in entries])})"
            case Note(code, words):
                return f"note: {_plain(code, words)}"
            case _:
                raise TypeError(f"nobody told how to tell {fact!r}")

    def _press(self, seat: int, press: Press, taps: int) -> str:
        if press is Press.LONG:
            return f"{self._who(seat)} called the referee"
        return f"{self._who(seat)} pressed the button{_TIMES.get(taps, f' {taps} times')}"

    def _who(self, seat: int | None) -> str:
        if seat is None:
            return "somebody"
        return self._names[seat - 1] if 0 < seat <= len(self._names) else f"seat {seat}"

    def _at(self, zone: str, seat: int | None) -> str:
        """Where, as far as it needs saying: nothing for the middle of the table and one's own place."""
        number = zone.removeprefix("seat-")
        if not number.isdecimal():
            return "" if zone == "layout" else f" at the {zone}"
        return "" if seat == int(number) else f" in front of {self._who(int(number))}"


def _card(card: Card | None) -> str:
    return card.pretty if card else "a card that could not be read"


def _plain(code: str, words: str) -> str:
    """What a note says; one that is written for programs (JSON, also a sealed wish) is called by its code."""
    return words if words and not words.startswith("{") else code.replace("_", " ").lower()


def _because(why: str) -> str:
    return f" ({why})" if why else ""
