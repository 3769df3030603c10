"""A short real game, judged by the real referee while it is written: what the table does, without a table."""

from __future__ import annotations

from collections.abc import Sequence

from firmware.journal.journal import OPENING, Journal
from firmware.journal.lines import SessionHeader
from firmware.journal.replay import replay, results, setup_of
from firmware.referee.cards import Card
from firmware.referee.events import Corrected, Entry, Fact, Laid, Press, Pressed
from firmware.referee.match import Match

from .tools import FakeClock, picture

SEATS = ("Ann", "Bo", "Cy")

#: Fan Tan with eight cards. Ann holds AS 4S AH, Bo 2S 2H 4H, Cy 3S 3H; nobody but they knows.
HEADER = SessionHeader(
    game="fan_tan",
    seats=SEATS,
    dealer=3,
    house={"ante": 1},
    deal={"counts": {"Ann": 3, "Bo": 3, "Cy": 2}, "ranks": "A234", "suits": "SH"},
    program="0.1.0",
    model="5f" * 32,
)


def card(text: str, seat: int | None) -> Fact:
    return Laid(Card.parse(text), "layout", seat)


#: Bo pays although he holds the two that is wanted, and lays it a round later; Ann goes out.
WITHHELD: tuple[Fact, ...] = (
    card("AS", 1),
    Pressed(2),
    Pressed(3),
    Pressed(1),
    card("2S", 2),
    card("3S", 3),
    card("4S", 1),
    card("AH", 1),
)
PAID_WRONGLY, SHOWN = 1, 4


def play(
    journal: Journal,
    facts: Sequence[Fact] = WITHHELD,
    *,
    header: SessionHeader = HEADER,
    clock: FakeClock | None = None,
    over: bool = True,
) -> str:
    """Play one deal into the journal; the session's id."""
    session = journal.begin(header)
    match = Match(setup_of(header, journal.deals(session)[0]))
    journal.add_rulings(session, OPENING, match.opening)
    for number, fact in enumerate(facts):
        if clock is not None:
            clock.mono += 30 * 10**9
            clock.wall += 30 * 10**9
        add(journal, session, match, number, fact)
    if over:
        journal.end(session, results(replay(journal, session)))
    return session


def add(journal: Journal, session: str, match: Match, number: int, fact: Fact, *, deal: int = 1) -> None:
    proof = [] if isinstance(fact, Pressed) else [picture(f"{session}-{deal}-{number}-{v}") for v in ("crop", "view")]
    source = "button" if isinstance(fact, Pressed) else "camera"
    entry = journal.append(
        session, Entry(number, fact, 4.0 * number, 4.1 * number, 0.99, 0.98, source), proof, deal=deal
    )
    journal.add_rulings(session, number, match.add(entry), deal=deal)


CALL = Pressed(3, Press.LONG)
CORRECTION = Corrected(5, card("3H", 3), "Cy", "I laid the three of hearts")
