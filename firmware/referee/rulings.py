"""What a referee says: rulings, and the stable codes behind them with the words that players hear."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """The kinds of ruling in the table contract."""

    TURN = "turn"  # it is this seat's turn (what is due stands in `code`: PLAY, TURN, PAY, GATHER, LEAD ...)
    DUE = "due"  # this seat owes `counters` (or cards, see `code`)
    PAID = "paid"  # `seat` paid `counters` to `to` (a seat, or None: the pool)
    TAKES = "takes"  # `seat` takes `counters` (pool, compartment) or cards
    REFUSED = "refused"  # the act is not accepted; `code` says why; the card goes back
    PROVED = "proved"  # a claim is proved false by `entries`
    CONFLICT = "conflict"  # two readings cannot both be right
    OUT_OF_STEP = "out_of_step"  # the table does not match the game: put it right
    UNSURE = "unsure"  # could not be read or credited: show the card again
    NOTICE = "notice"  # worth saying, changes nothing (FULL_CIRCUIT, EMPTY_PACK ...)
    OVER = "over"  # the deal is over


@dataclass(frozen=True, slots=True)
class Ruling:
    """One thing the referee says about one entry.

    ``entries`` are the log entries that lead to it or prove it; ``why`` is the rule applied, in words; ``card`` and
    ``cards`` are public cards only. Ids are given by `Match` in order, and never change.
    """

    kind: Kind
    code: str = ""
    seat: int | None = None
    to: int | None = None
    counters: int = 0
    card: str | None = None
    entry: int | None = None
    entries: tuple[int, ...] = ()
    why: str = ""
    id: int = -1

    def to_json(self) -> dict[str, Any]:
        """Plain JSON as in the table contract; empty fields are left out."""
        out: dict[str, Any] = {"id": self.id, "entry": self.entry, "ruling": self.kind.value, "code": self.code}
        for name in ("seat", "to", "counters", "card"):
            if value := getattr(self, name):
                out[name] = value
        if self.entries:
            out["entries"] = list(self.entries)
        return {**out, "why": self.why}


#: Every foul, proof and notice by its code, in the words that players hear.
CODES: dict[str, str] = {
    # an act that is refused
    "OUT_OF_TURN": "it is another seat's turn",
    "DEAL_OVER": "the deal is over",
    "GAME_STOPPED": "the game has stopped",
    "WRONG_CARD": "another card is wanted",
    "MUST_START": "a new line must be started; paying does not do",
    "SUIT_EXHAUSTED": "this suit is finished",
    "NOT_PLAYABLE": "the card fits nowhere",
    "NINE_NOT_A_STARTER": "a Nine may start a suit only when the first starter was a Nine",
    "NOT_IN_PACK": "this card is not in this game's pack",
    "ALREADY_ON_TABLE": "this card lies on the table already",
    "NOT_THE_LEADER": "another seat must lead",
    "NO_SUCH_ACT": "this act has no meaning in this game",
    "UNDERPAID": "the payment is not complete",
    "OVERPAID": "more was turned than is owed; the card goes back on top",
    "GATHER_DUE": "a completed payment waits to be taken",
    "WRONG_RECEIVER": "another seat takes this payment",
    "WRONG_PILE": "this pile was not paid",
    "WRONG_COUNT": "the whole pile must be taken",
    "NOTHING_OWED": "nothing is owed",
    "REPLY_DUE": "the neighbour must answer the demand first",
    "DEALER_CANNOT_EXCHANGE": "the dealer cannot demand an exchange; he may cut",
    "ONLY_DEALER_CUTS": "only the dealer may cut",
    "TOO_LATE": "that can no longer be done in this deal",
    "STAKE_NOT_ONE_LESS": "each player stakes one counter fewer than the dealer",
    "NOT_THE_LOWEST": "the lowest card of a suit must be led",
    "WRONG_COLOUR": "the new line must be of the other colour",
    # a claim that is proved false
    "FALSE_PASS": "a pass was made with a card in hand that could have been laid",
    "WITHHELD": "the wanted card was withheld",
    "HELD_BACK": "the next card was held back",
    "FALSE_KING": "an exchange was refused without a king",
    "UNANNOUNCED_ACE": "an ace was given and not announced",
    "UNANNOUNCED_DEUCE": "a deuce was given and not announced",
    "FALSE_ANNOUNCEMENT": "something was announced that was not given",
    "UNANNOUNCED_THREE": "a three was given and not announced",
    "KING_GIVEN": "a king was given although the house keeps kings",
    "KING_NOT_SHOWN": "a king was dealt and not turned up",
    "KING_DEMANDED": "an exchange was demanded with a king in hand",
    "FAILED_TO_SNIP": "a card of the rank was held and not played",
    # what is worth saying
    "FULL_CIRCUIT": "everybody has paid for the same card: somebody holds it, or a card was misread",
    "UNREAD": "the card could not be read; show it again",
    "WHOSE": "nobody saw whose hand it was; say who laid it",
    "NOT_WATCHED": "something may have been done while the camera saw nothing: say what it was, or strike this entry",
    "IN_DOUBT": "this does not fit, but not all before it was seen or read: say what was, or strike the entry named",
    "NO_SUCH_SEAT": "there is no such seat at this table",
    "SEEN_TWICE": "this card lies on the table already; one of the two readings is wrong",
    "WRONG_PACK": "this card was gathered by another seat; cards were moved, or a reading was wrong",
    "DISPUTE": "the referee was called",
    "STILL_THERE": "a refused card still lies on the table",
    "NO_SUCH_ENTRY": "the log has no such entry",
    "UNSEEN": "all hands lie open, and a card has not been seen",
    "HAND_SIZE": "the number of cards shown is not what the seat should hold",
    "EMPTY_PACK": "the pack is empty",
    "WISH_UNDEALT": "the nine of hearts was not dealt",
    "SHOW_THE_KING": "here a king that refuses is turned up: show it",
    "SHOW_THE_WISH": "whoever holds the nine of hearts shows it",
    "CYCLE": "the same position has come back: the game would never end; the table may call it drawn",
    "CARD_SHOWN": "a card was shown; it is remembered",
    "ASKED": "something is asked that the table must agree on",
    "DRAW": "the table agreed on a draw; the pool stays",
    "VOID": "the table called the deal off",
    "CANNOT_SKIP": "no choice of this seat is waited for: others turn its cards for it, or call the deal off",
    "AWAY": "a seat is away and is passed over",
    "BACK_AGAIN": "a seat is back",
    "CANNOT_LEAVE": "this game cannot go on without a seat; call the deal off instead",
    "WON": "the deal is won",
    "NO_WINNER": "the deal is over",
    "WISH": "the wish is granted",
    "BACK": "counters go back",
    "LEFT": "a seat has left the deal",
    "BROKE": "no counters are left",
}


def words_of(code: str) -> str:
    """The code in words; the code itself when it has none."""
    return CODES.get(code, code)


def codebook() -> str:
    """Every code with its words, as the page docs/rulings.md."""
    lines = [
        "# What the referee says",
        "",
        "Every ruling has a stable code. Turns and payments carry words of their own.",
        "",
    ]
    lines += ["| code | words |", "|---|---|"]
    return "\n".join(lines + [f"| `{code}` | {words} |" for code, words in CODES.items()]) + "\n"
