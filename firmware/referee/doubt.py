"""What was not read, not credited or not seen at all: while it is open, what does not fit is nobody's fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .cards import Card
from .events import Laid


@dataclass(slots=True)
class Doubt:
    """The doubts of one deal. Numbers are entries.

    ``waiting``: what people are asked about now. ``unsettled``: cards that lie there and were never read or credited.
    ``unwatched``: since this entry the camera sees again, and what was done before may lack.
    """

    waiting: list[int] = field(default_factory=list)
    unsettled: dict[int, Laid] = field(default_factory=dict)
    unwatched: int | None = None

    @property
    def open(self) -> int | None:
        """The oldest entry because of which the game may be otherwise than it seems; None if all is sure."""
        return min(self.unsettled, default=self.unwatched)

    @property
    def words(self) -> str:
        """Why what does not fit is not refused, and what to do."""
        if self.open == self.unwatched:
            return (
                "this does not fit, but the camera saw nothing for a while: "
                f"say what was done then, or strike entry {self.open}"
            )
        return f"this does not fit, but entry {self.open} was never read or credited: say what it was, or strike it"

    def settle(self, which: Callable[[Laid], bool]) -> None:
        """These cards no longer lie there unread or uncredited."""
        self.unsettled = {number: laid for number, laid in self.unsettled.items() if not which(laid)}

    def fits(self, card: Card) -> None:
        """A card was laid as the game would have it: what nobody watched has left it as it seemed."""
        self.unwatched = None
        if self.unsettled:
            self.settle(lambda laid: laid.card == card)
