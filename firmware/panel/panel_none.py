"""No panel at all: the page shows the lights and has the buttons."""

from __future__ import annotations

from .buttons import Act
from .signals import PanelState


class NoPanel:
    """A panel without a lamp or a button; see `panel_fake.PanelLike`."""

    def show(self, state: PanelState) -> None:
        """There is nothing to show it on."""

    def tick(self, now_ns: int | None = None) -> int:
        """There is nothing to do."""
        return (now_ns or 0) + 1_000_000_000

    def acts(self) -> list[Act]:
        """Nobody can press anything."""
        return []

    def held(self) -> frozenset[int]:
        """No button is held."""
        return frozenset()

    def close(self) -> None:
        """There is nothing to turn off."""
