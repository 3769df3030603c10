"""A panel that is only a record: what it was told to show, and acts that a test or a script puts in.

`PanelLike` is what the table needs of any panel, real or fake.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from .buttons import Act
from .signals import PanelState


class PanelLike(Protocol):
    """Lights to show a state on, and acts that people make. `board.Panel` and `FakePanel` both fit."""

    def show(self, state: PanelState) -> None:
        """Show ``state`` from now on."""

    def tick(self, now_ns: int | None = None) -> int:
        """Do what is due; returns when to come again, in ns."""

    def acts(self) -> list[Act]:
        """The acts since the last call, each once."""

    def held(self) -> frozenset[int]:
        """Seats whose button must be let go before it counts again."""

    def close(self) -> None:
        """Lights off."""


class FakePanel:
    """Keeps every state that differs from the one before, with its time, in ``trace``; ``press`` makes an act."""

    def __init__(self, clock_ns: Callable[[], int] = lambda: 0) -> None:
        self.clock_ns = clock_ns
        self.trace: list[tuple[int, PanelState]] = []
        self.closed = False
        self._acts: list[Act] = []

    def show(self, state: PanelState) -> None:
        """Note ``state`` if it is new."""
        if not self.trace or self.trace[-1][1] != state:
            self.trace.append((self.clock_ns(), state))

    def press(self, act: Act) -> None:
        """Somebody makes ``act``."""
        self._acts.append(act)

    def tick(self, now_ns: int | None = None) -> int:
        """Nothing is ever due; come again in a second."""
        return (self.clock_ns() if now_ns is None else now_ns) + 1_000_000_000

    def acts(self) -> list[Act]:
        """The acts put in since the last call."""
        taken, self._acts = self._acts, []
        return taken

    def held(self) -> frozenset[int]:
        """No button is ever stuck."""
        return frozenset()

    def close(self) -> None:
        """Note that it was closed."""
        self.closed = True

    @property
    def meanings(self) -> list[tuple[str, ...]]:
        """The trace as meanings a seat, for tests: ``[("TURN", "WAITING"), ...]``."""
        return [tuple(light.meaning.name for light in state.lights) for _, state in self.trace]
