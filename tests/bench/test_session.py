"""How the session's bench counts what was told: by hand, on a drawn session's truth."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tests.bench.session import STEADY_S, Outcome, Told, every_frame
from vision.frames import Frame

RATE_HZ = 10.0


def truth(*facts: dict[str, object]) -> SimpleNamespace:
    """What a session's timeline says happened."""
    return SimpleNamespace(timeline=SimpleNamespace(truth=list(facts)))


def test_a_card_told_in_time_is_found_with_its_delay_and_another_is_false() -> None:
    found = Outcome()
    session = truth({"fact": "laid", "card": "7H", "t": 5.0, "rest": 4.5}, {"fact": "laid", "card": "8H", "t": 9.0})
    found.add(session, [Told("7H", 5.3), Told("KS", 6.0), Told("8H", 14.0)], [2.0, 4.0])  # type: ignore[arg-type]
    assert found.laid == 2
    assert found.delays_s == [pytest.approx(0.3)]
    assert found.false == 2  # never laid, and far too late
    assert found.share(RATE_HZ) == pytest.approx(3.0)  # 3 ms of every 100


def test_what_is_no_laid_face_counts_neither_way() -> None:
    found = Outcome()
    found.add(truth({"fact": "pressed", "t": 1.0}, {"fact": "laid", "card": "back", "t": 2.0}), [], [1.0])  # type: ignore[arg-type]
    assert (found.laid, found.false) == (0, 0)


def test_detecting_tells_a_card_once_when_it_was_there_in_all_frames_of_a_while() -> None:
    wanted = round(STEADY_S * RATE_HZ)
    seen = [["2C"]] * 10 + [["2C", "7H"]] * (wanted - 1) + [["2C"]] + [["2C", "7H"]] * wanted + [["7H"]] * 5
    pictures = iter(seen)
    watch = every_frame(lambda image: next(pictures), RATE_HZ)
    blank = np.zeros((2, 2, 3), np.uint8)
    told = [(n, card) for n in range(len(seen)) for card in watch(Frame(blank, n / RATE_HZ, n))]
    assert told == [(10 + wanted + wanted - 1, "7H")]  # and never what lay there from the start
