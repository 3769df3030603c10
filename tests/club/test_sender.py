"""What goes out next: in order, a window at a time, again when the hub does not answer, and only as far as it wants."""

from __future__ import annotations

from firmware.club.messages import Ack
from firmware.club.sender import AGAIN_S, LEAST_WINDOW, WINDOW, Sender

from .fakes import FakeSpool

HUB = "0" * 16


def greeted(lines: dict[str, int], **wanted: int) -> Sender:
    sender = Sender(FakeSpool(lines))  # type: ignore[arg-type]
    sender.greet(HUB, 0.0)
    for session in lines:
        sender.hear(Ack(HUB, session, wanted.get(session, 0)), 0.0)
    return sender


def sent(sender: Sender, now_s: float = 0.0) -> list[str]:
    return [payload.decode() for payload in sender.due(now_s)]


def test_nothing_goes_out_before_the_hub_has_said_what_it_wants() -> None:
    sender = Sender(FakeSpool({"a": 3}))  # type: ignore[arg-type]
    assert sent(sender) == []
    assert [offer.session for offer in sender.greet(HUB, 0.0).offers] == ["a"]
    assert sent(sender) == []
    assert not sender.silent(AGAIN_S)
    assert sender.silent(AGAIN_S + 0.1)
    sender.hear(Ack("f" * 16, "a", 0), 1.0)  # another hub's word
    assert sent(sender) == []
    sender.hear(Ack(HUB, "a", 1), 1.0)
    assert sent(sender, 1.0) == ["a 1", "a 2"]


def test_the_oldest_session_first_and_a_window_at_a_time() -> None:
    sender = greeted({"a": 10, "b": 500}, a=7)
    first = sent(sender)
    assert first[:4] == ["a 7", "a 8", "a 9", "b 0"]
    assert len(first) == sender.window
    assert sent(sender) == []
    sender.hear(Ack(HUB, "a", 10), 0.1)
    assert len(sent(sender, 0.1)) == 4  # three confirmed, and the window has grown by one


def test_silence_sends_again_from_where_the_hub_is_and_less_at_once() -> None:
    sender = greeted({"a": 100})
    first, window = sent(sender), sender.window
    assert sent(sender, AGAIN_S) == []
    assert sent(sender, AGAIN_S + 0.1) == first[: window // 2]
    for again in range(2, 20):
        sent(sender, again * (AGAIN_S + 0.1))
    assert sender.window == LEAST_WINDOW


def test_a_hub_that_missed_one_gets_the_rest_once_more() -> None:
    sender = greeted({"a": 20})
    sent(sender)
    sender.hear(Ack(HUB, "a", 5, again=True), 0.2)
    assert sent(sender, 0.2)[0] == "a 5"


def test_a_hub_that_was_set_back_is_followed() -> None:
    sender = greeted({"a": 10}, a=10)
    assert sender.lacking == 0
    sender.hear(Ack(HUB, "a", 3), 1.0)
    assert sent(sender, 1.0) == [f"a {n}" for n in range(3, 10)]


def test_a_refused_session_is_left_alone_and_said_once() -> None:
    sender = greeted({"a": 10, "b": 2})
    assert sender.hear(Ack(HUB, "a", 4, refused="set back"), 0.0) == "set back"
    assert sender.hear(Ack(HUB, "a", 4, refused="set back"), 0.0) == ""
    assert sent(sender) == ["b 0", "b 1"]
    sender.hear(Ack(HUB, "b", 2), 0.1)
    assert sender.lacking == 0


def test_what_is_told_is_marked_once_it_is_over() -> None:
    spool = FakeSpool({"a": 2})
    sender = Sender(spool)  # type: ignore[arg-type]
    sender.greet(HUB, 0.0)
    sender.hear(Ack(HUB, "a", 2), 0.0)
    assert spool.marks == []
    spool.lines["a"], spool.ended = 3, {"a"}
    sender.look()
    assert sent(sender) == ["a 2"]
    sender.hear(Ack(HUB, "a", 3), 0.1)
    assert spool.marks == [(HUB, "a", 3)]


def test_a_new_session_is_told_from_its_first_line_without_being_asked() -> None:
    spool = FakeSpool({})
    sender = Sender(spool)  # type: ignore[arg-type]
    sender.greet(HUB, 0.0)
    spool.lines["b"] = 2
    sender.look()
    assert sent(sender) == ["b 0", "b 1"]


def test_a_word_out_of_bounds_harms_nothing() -> None:
    sender = greeted({"a": 5})
    sender.hear(Ack(HUB, "a", 10**9), 0.0)
    sender.hear(Ack(HUB, "nobody", 3), 0.0)
    assert sent(sender) == []
    assert sender.lacking == 0


def test_the_window_never_outgrows_its_bounds() -> None:
    sender = greeted({"a": 10_000})
    for at in range(1, 3 * WINDOW):
        sent(sender)
        sender.hear(Ack(HUB, "a", at), 0.0)
    assert sender.window == WINDOW
