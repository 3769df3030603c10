"""The hash chain: one text for each line, one hash over it and the hash before, one short code for people.

Nothing here knows files or the database.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

from firmware.depth import deeper

#: Crockford's base 32: no I, L, O or U, so that a code can be read aloud and written down by hand.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

#: Characters of a head code: 60 bits, out of reach for forging another evening with the same code at a table.
CODE_CHARS = 12
_GROUP = 4


def canonical(value: Any) -> str:
    """The one JSON text for a value: sorted keys, no spaces, ASCII only (a torn line is never half a character).

    :raises ValueError: for numbers that JSON does not have.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


#: Lists and objects within one another: what a journal writes has fewer than ten levels (the table file has most);
#: far more would only exhaust whoever walks through them.
MOST_LEVELS = 64


def parsed(text: str | bytes) -> Any:
    """The value of a JSON text that `canonical` can write again: whatever somebody else has put into our files.

    :raises ValueError: if it is no JSON, has numbers that JSON does not have, or is nested deeper than `MOST_LEVELS`.
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text))
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if text.count("[") + text.count("{") > MOST_LEVELS and deeper(value, MOST_LEVELS):
        raise ValueError("nested too deeply")
    return value


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _no_number(digits[:20])


_DECODER = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite)


def genesis(session_id: str) -> str:
    """The hash before a session's first line (hex): another one for every session."""
    return hashlib.sha256(b"card table session " + session_id.encode()).hexdigest()


def link(previous: str, text: str) -> str:
    """The hash (hex) of a line with ``text`` (its picture hashes stand in it) after a line with hash ``previous``."""
    return hashlib.sha256(bytes.fromhex(previous) + text.encode()).hexdigest()


def head_code(digest: str) -> str:
    """The short form of a hash for people, ``7K2M-Q9XD-04TB``."""
    number = int(digest, 16) >> (len(digest) * 4 - CODE_CHARS * 5)
    letters = [ALPHABET[(number >> 5 * place) & 31] for place in reversed(range(CODE_CHARS))]
    groups = ("".join(letters[i : i + _GROUP]) for i in range(0, CODE_CHARS, _GROUP))
    return "-".join(groups)


def same_code(written: str, digest: str) -> bool:
    """Whether a code as somebody wrote it down (case, spaces, O for 0 and I or L for 1 forgiven) is this hash's."""
    return _plain(written) == _plain(head_code(digest))


def is_code(written: str) -> bool:
    """Whether somebody may have meant this as a head code: as many letters and digits of the alphabet as one has."""
    plain = _plain(written)
    return len(plain) == CODE_CHARS and set(plain) <= set(ALPHABET)


def slips(written: str, digest: str) -> int:
    """In how many characters a written code differs from this hash's."""
    return sum(a != b for a, b in zip(_plain(written), _plain(head_code(digest)), strict=True))


def _plain(code: str) -> str:
    kept = "".join(c for c in code.upper() if c.isalnum())
    return kept.translate(str.maketrans("OIL", "011"))
