"""The database's tables, and the steps that bring an older file up to date.

``PRAGMA user_version`` counts the steps a file has had. A step is never changed once released; a new one is added.
Everything here but ``line`` and ``session.number``/``id`` can be told again from the lines and the pictures (``told``
by the hub: it says what it has).
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

from .errors import UnknownSchema

#: Marks the file as ours ("CTJ1"), so that another program's database is never touched.
APPLICATION_ID = 0x43544A31

_FIRST = """
CREATE TABLE session(
  number INTEGER PRIMARY KEY,            -- the order in which sessions came to this journal
  id TEXT NOT NULL UNIQUE,
  game TEXT NOT NULL,
  started_ns INTEGER NOT NULL,           -- wall clock of the first line
  ended INTEGER NOT NULL DEFAULT 0,
  lines INTEGER NOT NULL DEFAULT 0,
  entries INTEGER NOT NULL DEFAULT 0,
  head BLOB NOT NULL                     -- hash of the last line
) STRICT;
CREATE INDEX session_open ON session(number) WHERE ended = 0;
CREATE TABLE seat(
  session INTEGER NOT NULL, seat INTEGER NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL,
  PRIMARY KEY(session, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX seat_name ON seat(folded, session);
CREATE TABLE line(
  session INTEGER NOT NULL, seq INTEGER NOT NULL,
  kind TEXT NOT NULL, deal INTEGER NOT NULL, entry INTEGER,   -- entry: the number of a fact's entry
  text TEXT NOT NULL, hash BLOB NOT NULL,
  PRIMARY KEY(session, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE ruling(
  session INTEGER NOT NULL, deal INTEGER NOT NULL, id INTEGER NOT NULL,
  entry INTEGER NOT NULL, kind TEXT NOT NULL, code TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY(session, deal, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE photo(
  hash BLOB PRIMARY KEY, bytes INTEGER NOT NULL, gone INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX photo_kept ON photo(bytes) WHERE gone = 0;
CREATE TABLE evidence(
  session INTEGER NOT NULL, seq INTEGER NOT NULL, place INTEGER NOT NULL, hash BLOB NOT NULL,
  PRIMARY KEY(session, seq, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_hash ON evidence(hash, session);
"""

# Step 2: which entries are in dispute (their pictures are never thinned), and sessions whose wall times are doubtful.
_DISPUTES = """
CREATE TABLE dispute(
  session INTEGER NOT NULL, deal INTEGER NOT NULL, entry INTEGER NOT NULL,
  PRIMARY KEY(session, deal, entry)
) STRICT, WITHOUT ROWID;
ALTER TABLE session ADD COLUMN disputes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN uncertain INTEGER NOT NULL DEFAULT 0;
"""

# Step 3: sessions played for a club, and how far each hub is known to have them (`Journal.untold`).
_CLUB = """
ALTER TABLE session ADD COLUMN club TEXT NOT NULL DEFAULT '';
CREATE INDEX session_club ON session(club, number) WHERE club <> '';
CREATE TABLE told(
  hub TEXT NOT NULL, session INTEGER NOT NULL, lines INTEGER NOT NULL,
  PRIMARY KEY(hub, session)
) STRICT, WITHOUT ROWID;
"""

# Step 4: `session.disputes` counts what people did (a call, a correction), no longer every entry whose pictures are
# kept because a ruling stands on it; `session.uncertain` is told from the session's own lines alone.
_CALLS = """
UPDATE session SET disputes = 0, uncertain = 0;
UPDATE session SET disputes = told.calls, uncertain = told.steps FROM (
  SELECT session, sum(CASE json_extract(text, '$.body.fact.fact')
      WHEN 'corrected' THEN 1 WHEN 'inserted' THEN 1
      WHEN 'pressed' THEN coalesce(json_extract(text, '$.body.fact.press') = 'long', 0)
      WHEN 'note' THEN coalesce(json_extract(text, '$.body.fact.code') = 'DISPUTE_OPENED', 0) ELSE 0 END) AS calls,
    max(coalesce(json_extract(text, '$.body.code') = 'clock_step', 0)) AS steps
  FROM (SELECT session, CASE WHEN json_valid(text) THEN text ELSE '{}' END AS text FROM line) GROUP BY session
) AS told WHERE told.session = session.number;
"""

STEPS: tuple[str, ...] = (_FIRST, _DISPUTES, _CLUB, _CALLS)


def version(connection: sqlite3.Connection) -> int:
    """How many steps the file has had."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check(connection: sqlite3.Connection, where: Path, steps: tuple[str, ...] = STEPS) -> None:
    """Make sure that the file is a journal that this program knows, or an empty new one.

    :raises UnknownSchema: if it is somebody else's, or from a newer program.
    """
    found = version(connection)
    mark = int(connection.execute("PRAGMA application_id").fetchone()[0])
    empty = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0
    if mark != APPLICATION_ID and not empty:
        raise UnknownSchema(f"{where}: not a Card Table journal: move it away or set CARDTABLE_DATA")
    if found > len(steps):
        raise UnknownSchema(
            f"{where}: written by a newer Card Table (schema {found}, this one knows {len(steps)}): "
            "update the program, or set CARDTABLE_DATA to another folder"
        )


def migrate(connection: sqlite3.Connection, steps: tuple[str, ...] = STEPS) -> tuple[int, int]:
    """Bring the file up to date, each step whole or not at all; the versions before and after."""
    before = version(connection)
    for number in range(before, len(steps)):
        try:
            connection.executescript(
                f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION_ID}; {steps[number]} "
                f"PRAGMA user_version = {number + 1}; COMMIT;"
            )
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    return before, max(before, len(steps))


def strange(connection: sqlite3.Connection) -> str:
    """What of the file's tables, indexes and triggers is not as this program makes them, in words; "" for nothing.

    A trigger that somebody put into the file would change what is written without a word.
    """
    found, ours = _objects(connection), _ours()
    for name in sorted(found.keys() | ours.keys()):
        kind = (found.get(name) or ours[name])[0]
        if name not in ours:
            return f"a {kind} {name!r} that is not ours"
        if name not in found:
            return f"no such {kind}: {name}"
        if found[name] != ours[name]:
            return f"its {kind} {name!r} is another one"
    return ""


def _objects(connection: sqlite3.Connection) -> dict[str, tuple[str, str | None]]:
    sql = "SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"
    return {name: (kind, text) for name, kind, text in connection.execute(sql)}


@cache
def _ours() -> dict[str, tuple[str, str | None]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as memory:
        migrate(memory)
        return _objects(memory)
