"""Codes, badges and rate limits, on a clock in the hand."""

from __future__ import annotations

import hmac
import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from firmware.web import security as module
from firmware.web.security import (
    ADDRESSES,
    BADGE_S,
    HOST_S,
    Badge,
    Keys,
    Limit,
    Limiter,
    Security,
    TooMany,
    network,
    plain_code,
)

from .conftest import KEYS, Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def door(clock: Clock) -> Security:
    return Security(KEYS, now=clock)


def test_the_join_code_is_taken_as_people_type_it(door: Security) -> None:
    assert door.join(" abcd-2345 ", "a")
    assert plain_code("k7qm 3pxd") == "K7QM3PXD"
    assert door.join("ABCD2346", "a") is None


def test_a_seat_and_a_pin_are_kept_in_the_badge(door: Security) -> None:
    badge = door.join("ABCD2345", "a")
    assert badge
    seated = door.sit(badge, KEYS.seat_tokens[3], "a")
    assert seated
    assert seated.seat == 3
    host = door.host(seated, "123456", "a")
    assert host
    assert door.is_host(host)
    assert door.unseal(door.seal(host)) == host


def test_the_hosts_power_lapses(door: Security, clock: Clock) -> None:
    host = door.host(Badge("x"), "123456", "a")
    assert host
    clock.t += HOST_S + 1
    assert not door.is_host(host)


def test_a_badge_cannot_be_made_or_changed_outside(door: Security) -> None:
    sealed = door.seal(Badge("x", seat=1))
    other = Security(replace(KEYS, secret=b"q" * 32), now=door.now)
    assert other.unseal(sealed) is None
    text, _, signature = sealed.partition(".")
    forged = door.seal(Badge("x", seat=2)).partition(".")[0]
    for cookie in ("", ".", text, f"{text}.", f"{forged}.{signature}", f"{text}.{signature}0", "é.é", "x" * 9999):
        assert door.unseal(cookie) is None


def test_a_badge_lives_through_a_restart_and_runs_out(door: Security, clock: Clock) -> None:
    sealed = door.seal(Badge("x", seat=1))
    assert Security(KEYS, now=clock).unseal(sealed) == Badge("x", seat=1)
    clock.t += BADGE_S + 1
    assert door.unseal(sealed) is None


def test_new_codes_end_old_badges(door: Security, clock: Clock) -> None:
    sealed = door.seal(Badge("x", seat=1))
    assert Security(replace(KEYS, join_code="WXYZ6789"), now=clock).unseal(sealed) is None
    moved = Security(replace(KEYS, seat_tokens={1: "OTHER"}), now=clock)
    assert moved.unseal(sealed) == Badge("x", seat=None)
    fewer = Security(replace(KEYS, seat_tokens={}), now=clock)
    assert fewer.unseal(sealed) == Badge("x", seat=None)


def test_guessing_the_join_code_is_slowed_down(door: Security, clock: Clock) -> None:
    for _ in range(module.GUESS_EACH.burst):
        assert door.join("WRONG", "a") is None
    with pytest.raises(TooMany):
        door.join("ABCD2345", "a")
    assert door.join("ABCD2345", "another phone")
    clock.t += module.GUESS_EACH.every_s
    assert door.join("ABCD2345", "a")


def test_guessing_the_pin_from_many_addresses_is_slowed_down(door: Security, clock: Clock) -> None:
    for tried in range(module.PIN_TOTAL.burst):
        door.host(Badge("x"), f"{tried:06}", f"10.0.0.{tried}")
    with pytest.raises(TooMany):
        door.host(Badge("x"), "123456", "10.0.1.1")


def test_an_evening_of_guessing_finds_no_pin(door: Security, clock: Clock) -> None:
    tried = 0
    for _ in range(3 * 3600):
        clock.t += 1
        try:
            door.host(Badge("x"), "999999", f"10.0.0.{tried}")
        except TooMany:
            continue
        tried += 1
    assert tried <= module.PIN_TOTAL.burst + 3 * 3600 / module.PIN_TOTAL.every_s
    assert tried < 400  # of a million


def test_one_machine_with_many_addresses_of_its_network_is_one_guesser(door: Security) -> None:
    for at in range(8):
        assert door.join("WRONGCDE", f"2001:db8:1:2::{at:x}") is None
    with pytest.raises(TooMany):
        door.join("WRONGCDE", "2001:db8:1:2:ffff::9")
    assert door.join("WRONGCDE", "2001:db8:1:3::1") is None


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.168.1.20", "192.168.1.20"),
        ("::ffff:192.168.1.20", "192.168.1.20"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%wlan0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_who_counts_as_one(address: str, counted: str) -> None:
    assert network(address) == counted


def test_right_codes_are_not_counted(door: Security) -> None:
    for _ in range(200):
        assert door.join("ABCD2345", "a")


def test_taps_are_limited_for_each_phone(door: Security, clock: Clock) -> None:
    allowed = sum(door.may_act(Badge("x")) for _ in range(50))
    assert allowed == module.ACT_EACH.burst
    assert door.may_act(Badge("y"))
    clock.t += 60
    assert door.may_act(Badge("x"))


def test_a_limiter_forgets_addresses_before_it_grows(clock: Clock) -> None:
    limiter = Limiter(Limit(1, 1.0), Limit(10**9, 1.0), clock)
    for address in range(ADDRESSES * 3):
        limiter.take(str(address))
    assert len(limiter._buckets) <= ADDRESSES


def test_a_clock_that_goes_back_gives_no_tries_away(clock: Clock) -> None:
    limiter = Limiter(Limit(1, 1.0), Limit(9, 1.0), clock)
    limiter.take("a")
    clock.t -= 3600
    assert not limiter.allows("a")


def test_codes_are_compared_in_constant_time(door: Security, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    real = hmac.compare_digest
    monkeypatch.setattr(module.hmac, "compare_digest", lambda a, b: seen.append(bytes(b)) or real(a, b))
    door.join("WRONG", "a")
    door.sit(Badge("x"), KEYS.seat_tokens[1], "a")
    door.host(Badge("x"), "0", "a")
    known = [KEYS.join_code, *KEYS.seat_tokens.values(), KEYS.host_pin]
    assert seen == [text.encode() for text in known]  # every seat is compared, also after the right one


def test_codes_are_kept_for_the_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "codes.json"
    keys = Keys.kept(path)
    assert Keys.kept(path) == keys
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert repr(keys.secret) not in repr(keys)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"join_code": 1}', "\0" * 40, json.dumps({"seat_tokens": [1]})])
def test_a_broken_codes_file_gives_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "codes.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"codes\.json: not a file of table codes; delete it"):
        Keys.kept(path)


def test_fresh_codes_differ_and_are_easy_to_read() -> None:
    one, two = Keys.fresh(), Keys.fresh()
    assert one.join_code != two.join_code
    assert len(set(one.seat_tokens.values())) == 10
    assert not set("01OILUV") & set("".join([one.join_code, *one.seat_tokens.values()]))
    assert one.host_pin.isdecimal()
