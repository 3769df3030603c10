"""The live stream: only what changed, from wherever the reader was."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable

import pytest

from firmware.web import stream
from firmware.web.fake_source import FakeTable
from firmware.web.stream import Feed


def _run(test: Callable[[FakeTable, Feed], Awaitable[None]]) -> None:
    async def whole() -> None:
        table = FakeTable()
        feed = Feed(table.board)
        task = asyncio.create_task(feed.run())
        await asyncio.sleep(0)
        await test(table, feed)
        task.cancel()

    asyncio.run(asyncio.wait_for(whole(), 10))


def _parse(message: bytes) -> tuple[str, str, dict[str, object]]:
    lines = dict(line.partition(": ")[::2] for line in message.decode().splitlines() if line)
    return lines["event"], lines.get("id", ""), json.loads(lines["data"])


def test_first_everything_then_only_what_changed() -> None:
    async def check(table: FakeTable, feed: Feed) -> None:
        events = feed.events("phone", "")
        kind, _, state = _parse(await anext(events))
        assert kind == "table"
        assert state["seats"] == ["Ann", "Bo", "Cy", "Di"]
        table.lay("7H")
        kind, _, changed = _parse(await anext(events))
        assert kind == "change"
        assert set(changed) == {"cards", "entries", "rulings", "view", "lights"}

    _run(check)


def test_a_phone_that_slept_gets_what_it_missed_and_no_more() -> None:
    async def check(table: FakeTable, feed: Feed) -> None:
        _, last, _ = _parse(await anext(feed.events("phone", "")))
        table.lay("7H")
        table.board.publish(state="paused")
        await asyncio.sleep(3 * stream.GAP_S)
        kind, newest, missed = _parse(await anext(feed.events("phone", last)))
        assert kind == "change"
        assert missed["state"] == "paused"
        assert "table" not in missed
        _, same, nothing = _parse(await anext(feed.events("phone", newest)))
        assert (same, nothing) == (newest, {})

    _run(check)


@pytest.mark.parametrize("last", ["", "deadbeef-1", "x", "-", "deadbeef-", "-1", "deadbeef-99999999999999999999"])
def test_after_a_restart_everything_comes_again(last: str) -> None:
    async def check(table: FakeTable, feed: Feed) -> None:
        kind, _, state = _parse(await anext(feed.events("phone", last)))
        assert kind == "table"
        assert "table" in state

    _run(check)


def test_an_id_of_the_future_is_unknown() -> None:
    async def check(table: FakeTable, feed: Feed) -> None:
        _, last, _ = _parse(await anext(feed.events("phone", "")))
        ahead = last.partition("-")[0] + "-999"
        assert _parse(await anext(feed.events("phone", ahead)))[0] == "table"

    _run(check)


def test_a_burst_is_one_message() -> None:
    async def check(table: FakeTable, feed: Feed) -> None:
        events = feed.events("phone", "")
        await anext(events)
        for card in ("7H", "8H", "9H", "7S"):
            table.lay(card)
        _, _, changed = _parse(await anext(events))
        assert len(changed["cards"]) == 4  # type: ignore[arg-type]

    _run(check)


def test_changes_from_another_thread_arrive() -> None:
    async def check(table: FakeTable, feed: Feed) -> None:
        events = feed.events("phone", "")
        await anext(events)
        thread = threading.Thread(target=table.lay, args=("7H",))
        thread.start()
        _, _, changed = _parse(await anext(events))
        thread.join()
        assert changed["cards"]

    _run(check)


def test_a_change_that_may_not_be_shown_is_not_even_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "BEAT_S", 0.05)

    async def check(table: FakeTable, feed: Feed) -> None:
        events = feed.events("phone", "")
        await anext(events)
        table.board.publish(hands={"Bo": ["9H"]})
        assert await anext(events) == b"event: beat\ndata: 1\n\n"

    _run(check)


def test_streams_are_counted_and_given_back() -> None:
    async def check(table: FakeTable, feed: Feed) -> None:
        opened = [feed.events("phone", "") for _ in range(stream.READERS_EACH)]
        for events in opened:
            await anext(events)
        assert not feed.has_room("phone")
        assert feed.has_room("another")
        await opened[0].aclose()  # type: ignore[attr-defined]
        assert feed.has_room("phone")

    _run(check)


def test_a_close_ends_every_stream() -> None:
    async def check(table: FakeTable, feed: Feed) -> None:
        events = feed.events("phone", "")
        await anext(events)
        feed.close()
        assert [message async for message in events] == []

    _run(check)


def test_nothing_is_kept_for_a_reader() -> None:
    async def check(table: FakeTable, feed: Feed) -> None:
        sleeping = feed.events("phone", "")
        await anext(sleeping)
        for number in range(200):
            table.board.publish(deal=number)
            feed.take()
        await asyncio.sleep(0)
        assert len(feed._made) <= 2
        assert _parse(await anext(sleeping))[2] == {"deal": 199}

    _run(check)
