"""Who may read, who may act, who may overrule: codes, badges (signed cookies) and rate limits.

Reading needs the table's join code, acting needs a seat's token, overruling needs the host's PIN. A badge is signed
with a key made of the kept secret and the join code, so it lives through a restart and dies when the code is changed.
No clock and no sockets here: time is injected.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import json
import os
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

#: Letters for codes that are read aloud and typed on a phone: no 0/O, 1/I/L, U/V.
ALPHABET = "23456789ABCDEFGHJKMNPQRSTWXYZ"
#: 29^8 = 5e11 join codes and 29^10 = 4e14 seat tokens: at 30 tries a minute in all, thousands of years.
JOIN_CHARS, SEAT_CHARS = 8, 10
#: A PIN is typed by people: 10^6 of them, at 20 tries in ten minutes a chance of 1 in 50,000 an evening hour.
PIN_DIGITS = 6
#: The host's power lapses, in seconds, so that a phone left on the table is not the host for ever.
HOST_S = 30 * 60
#: A badge is good for, in seconds (a season of Friday evenings).
BADGE_S = 90 * 24 * 3600
#: Addresses remembered by one limiter; the one heard of longest ago is forgotten first.
ADDRESSES = 1024
#: Most seats at a table (FORMAT and RULES: the Wish Card takes ten).
SEATS = 10


@dataclass(frozen=True, slots=True)
class Badge:
    """What a phone has shown: its own id, the seat it may act for, and until when (s) it is the host."""

    id: str
    seat: int | None = None
    host_until: float = 0.0


@dataclass(frozen=True, slots=True)
class Keys:
    """The table's codes. ``secret`` signs badges and never leaves the machine."""

    join_code: str
    seat_tokens: Mapping[int, str]
    host_pin: str
    secret: bytes = field(repr=False)

    @staticmethod
    def fresh(seats: int = SEATS) -> Keys:
        """New codes from the system's random source."""
        tokens = {seat: _code(SEAT_CHARS) for seat in range(1, seats + 1)}
        pin = "".join(secrets.choice("0123456789") for _ in range(PIN_DIGITS))
        return Keys(_code(JOIN_CHARS), tokens, pin, secrets.token_bytes(32))

    @staticmethod
    def kept(path: Path) -> Keys:
        """The codes kept in the file ``path``; made and written (readable by the owner alone) if there are none.

        :raises ValueError: if the file is not a codes file; the remedy is to delete it.
        """
        try:
            return _from_text(path.read_text("utf-8"))
        except FileNotFoundError:
            keys = Keys.fresh()
            _write(path, keys)
            return keys
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ValueError(f"{path}: not a file of table codes; delete it, and new codes are made") from None


@dataclass(frozen=True, slots=True)
class Limit:
    """A token bucket: at most ``burst`` at once, and one more every ``every_s`` seconds."""

    burst: int
    every_s: float


class Limiter:
    """Counts tries by key (an address, a badge) and in all, within bounds of memory."""

    def __init__(self, each: Limit, total: Limit, now: Callable[[], float]) -> None:
        self._each, self._total, self._now = each, total, now
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._turn = Lock()

    def allows(self, key: str) -> bool:
        """Whether ``key`` has a try left; counts nothing."""
        return self._left(key, self._each) >= 1 and self._left("", self._total) >= 1

    def take(self, key: str, free: bool = False) -> bool:
        """Whether ``key`` has a try left; then it is counted, but for a ``free`` one. No two at once slip through."""
        with self._turn:
            allowed = self.allows(key)
            if allowed and not free:
                self._count(key)
            return allowed

    def _count(self, key: str) -> None:
        now = self._now()
        for name, limit in ((key, self._each), ("", self._total)):
            self._buckets[name] = (max(0.0, self._left(name, limit) - 1), now)
            self._buckets.move_to_end(name)
        while len(self._buckets) > ADDRESSES:
            self._buckets.popitem(last=False)

    def _left(self, key: str, limit: Limit) -> float:
        left, then = self._buckets.get(key, (float(limit.burst), self._now()))
        return min(limit.burst, left + max(0.0, self._now() - then) / limit.every_s)


#: Wrong codes an address may try, and all addresses together; right ones are not counted.
GUESS_EACH, GUESS_TOTAL = Limit(8, 15.0), Limit(40, 2.0)
#: Wrong PINs: five, then one a minute; twenty in all, then one every thirty seconds.
PIN_EACH, PIN_TOTAL = Limit(5, 60.0), Limit(20, 30.0)
#: Taps of one phone, and of all of them (ten seats tapping twice a second).
ACT_EACH, ACT_TOTAL = Limit(10, 0.5), Limit(60, 0.05)


class Security:
    """The door of the page. ``hosts``: names under which the table may be addressed, besides IP literals.

    ``public_url`` goes into the QR codes (``http://192.168.1.20:8000``); where empty, the address the reader used.
    """

    def __init__(
        self,
        keys: Keys | None = None,
        *,
        hosts: tuple[str, ...] = (),
        public_url: str = "",
        now: Callable[[], float] = time.time,
    ) -> None:
        self.keys = keys or Keys.fresh()
        self.hosts = frozenset(name.lower() for name in hosts)
        self.public_url = public_url.rstrip("/")
        self.now = now
        self._guesses = Limiter(GUESS_EACH, GUESS_TOTAL, now)
        self._pins = Limiter(PIN_EACH, PIN_TOTAL, now)
        self._acts = Limiter(ACT_EACH, ACT_TOTAL, now)

    def join(self, code: str, address: str) -> Badge | None:
        """A badge for the right join code, None for a wrong one.

        :raises TooMany: when this address, or all together, has guessed too often.
        """
        right = self._check(self._guesses, address, same(plain_code(code), self.keys.join_code))
        return Badge(secrets.token_hex(8)) if right else None

    def sit(self, badge: Badge, token: str, address: str) -> Badge | None:
        """The badge with the seat whose token this is; None where it is no seat's. :raises TooMany: see `join`."""
        given = plain_code(token)
        seats = [seat for seat, known in self.keys.seat_tokens.items() if same(given, known)]
        right = self._check(self._guesses, address, bool(seats))
        return replace(badge, seat=seats[0]) if right else None

    def host(self, badge: Badge, pin: str, address: str) -> Badge | None:
        """The badge as host for `HOST_S`; None for a wrong PIN. :raises TooMany: see `join`."""
        right = self._check(self._pins, address, same(pin.strip(), self.keys.host_pin))
        return replace(badge, host_until=self.now() + HOST_S) if right else None

    def may_act(self, badge: Badge) -> bool:
        """Whether this phone has not tapped too often; counts the tap."""
        return self._acts.take(badge.id)

    def is_host(self, badge: Badge) -> bool:
        """Whether the host's PIN was given on this phone, and not too long ago."""
        return badge.host_until > self.now()

    def seal(self, badge: Badge) -> str:
        """The badge as a cookie's value."""
        seat_mark = _mark(self.keys.seat_tokens[badge.seat]) if badge.seat else ""
        body = [badge.id, badge.seat, seat_mark, badge.host_until, self.now() + BADGE_S]
        text = base64.urlsafe_b64encode(json.dumps(body).encode()).decode().rstrip("=")
        return f"{text}.{self._sign(text)}"

    def unseal(self, cookie: str) -> Badge | None:
        """The badge in a cookie's value; None if it was not sealed here, has run out, or its codes were changed."""
        text, _, signature = cookie.partition(".")
        if len(cookie) > 512 or not same(signature, self._sign(text)):
            return None
        badge_id, seat, seat_mark, host_until, until = json.loads(base64.urlsafe_b64decode(text + "=" * 3))
        if until < self.now():
            return None
        still = seat in self.keys.seat_tokens and same(seat_mark, _mark(self.keys.seat_tokens[seat]))
        return Badge(badge_id, seat if still else None, host_until)

    def _sign(self, text: str) -> str:
        key = hmac.digest(self.keys.secret, f"{self.keys.join_code}/{self.keys.host_pin}".encode(), "sha256")
        return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()

    def _check(self, limiter: Limiter, address: str, right: bool) -> bool:
        if not limiter.take(network(address), free=right):
            raise TooMany
        return right


class TooMany(Exception):
    """Too many tries: wait a minute."""


def same(given: str, known: str) -> bool:
    """Whether two texts are equal, in a time that does not tell how far they agree."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), known.encode("utf-8"))


def network(address: str) -> str:
    """Who is counted as one guesser: an IPv4 address, or an IPv6 /64, of which one machine has all the addresses."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if known.version == 4:
        return str(known)
    if known.ipv4_mapped:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((known, 64), strict=False))


def plain_code(text: str) -> str:
    """A typed code as it is compared: capitals, without spaces and hyphens."""
    return text.upper().replace("-", "").replace(" ", "").strip()


def spaced(code: str) -> str:
    """A code as people read it: ``K7QM-3PXD``."""
    half = len(code) // 2
    return f"{code[:half]}-{code[half:]}"


def _mark(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()[:16]


def _code(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def _from_text(text: str) -> Keys:
    data: dict[str, Any] = json.loads(text)
    tokens = {int(seat): str(token) for seat, token in data["seat_tokens"].items()}
    return Keys(str(data["join_code"]), tokens, str(data["host_pin"]), bytes.fromhex(data["secret"]))


def _write(path: Path, keys: Keys) -> None:
    data = {"join_code": keys.join_code, "seat_tokens": dict(keys.seat_tokens), "host_pin": keys.host_pin}
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump({**data, "secret": keys.secret.hex()}, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
