"""What the hub keeps: every table's bulletins, and the ledgers they add up to. SQLite by default, PostgreSQL by URL.

One transaction takes a batch of bulletins whole or not at all, and a bulletin twice is a bulletin once: the hub's word
about what it has is only given after it. The only importer of psycopg.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from threading import RLock
from typing import Any, Protocol

from firmware.config import ConfigError
from firmware.journal.lines import Remark
from firmware.journal.rows import folded

from .messages import Bulletin, pack

#: Tables that the hub keeps; one more is a mistake or somebody's play with the broker.
MOST_TABLES = 1_000
#: An evening belongs to the day on which it began: games after midnight, until this hour, are still of yesterday.
DAY_BEGINS_H = 6
#: A table's clock may be ahead of the hub's by this before the hub believes its own, ns.
AHEAD_NS = 600 * 10**9

SCHEMA = 1
_TABLES = """
CREATE TABLE hub(id TEXT PRIMARY KEY, version BIGINT NOT NULL);
CREATE TABLE club_table(
  name TEXT PRIMARY KEY, online BIGINT NOT NULL, since_ns BIGINT NOT NULL
);
CREATE TABLE session(
  tbl TEXT NOT NULL, id TEXT NOT NULL, game TEXT NOT NULL, title TEXT NOT NULL, seats TEXT NOT NULL,
  began_ns BIGINT NOT NULL, evening TEXT NOT NULL, next_seq BIGINT NOT NULL, head TEXT NOT NULL, ended BIGINT NOT NULL,
  refused TEXT NOT NULL, PRIMARY KEY(tbl, id)
);
CREATE INDEX session_evening ON session(evening);
CREATE TABLE line(
  tbl TEXT NOT NULL, session TEXT NOT NULL, seq BIGINT NOT NULL, hash TEXT NOT NULL, wall_ns BIGINT NOT NULL,
  heard_ns BIGINT NOT NULL, body TEXT NOT NULL, PRIMARY KEY(tbl, session, seq)
);
CREATE TABLE deal(
  tbl TEXT NOT NULL, session TEXT NOT NULL, deal BIGINT NOT NULL, pool BIGINT NOT NULL, done BIGINT NOT NULL,
  winner BIGINT NOT NULL, PRIMARY KEY(tbl, session, deal)
);
CREATE TABLE balance(
  tbl TEXT NOT NULL, session TEXT NOT NULL, deal BIGINT NOT NULL, seat BIGINT NOT NULL, name TEXT NOT NULL,
  folded TEXT NOT NULL, counters BIGINT NOT NULL, PRIMARY KEY(tbl, session, deal, seat)
);
"""


class HubDatabaseError(OSError):
    """The database cannot be used now. One line with the remedy."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the hub has a session: the next line it wants, its head so far, and why it takes no more of it."""

    next: int
    head: str
    refused: str = ""
    gap: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A player's part in the deals of one table, for the leader board. ``live``: sessions of it that go on."""

    table: str
    name: str
    folded: str
    counters: int
    deals: int
    won: int
    live: int


class _Cursor(Protocol):
    rowcount: int

    def fetchall(self) -> list[Any]: ...


Execute = Callable[..., _Cursor]


class _Engine(Protocol):
    """What differs between the two databases."""

    @property
    def name(self) -> str: ...

    @property
    def errors(self) -> type[Exception]: ...

    @property
    def remedy(self) -> str:
        """What helps when it cannot be used."""

    def connect(self) -> Any: ...

    def execute(self, connection: Any, sql: str, values: Sequence[Any]) -> _Cursor: ...

    def is_empty(self, connection: Any) -> bool: ...


@dataclass(frozen=True, slots=True)
class _Sqlite:
    path: Path
    errors: type[Exception] = sqlite3.Error
    remedy: str = "free the disk or mend its rights; a damaged file: move it away, and the tables tell everything again"

    @property
    def name(self) -> str:
        return str(self.path)

    def connect(self) -> Any:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, check_same_thread=False, timeout=5.0)
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    def execute(self, connection: Any, sql: str, values: Sequence[Any]) -> _Cursor:
        cursor: _Cursor = connection.execute(sql, values)
        return cursor

    def is_empty(self, connection: Any) -> bool:
        return not connection.execute("SELECT 1 FROM sqlite_schema").fetchall()


@dataclass(frozen=True, slots=True)
class _Postgres:
    url: str
    driver: Any
    remedy: str = "see whether PostgreSQL runs, and the URL"

    @property
    def name(self) -> str:
        return self.url.rpartition("@")[2].removeprefix("postgresql://")

    @property
    def errors(self) -> type[Exception]:
        error: type[Exception] = self.driver.Error
        return error

    def connect(self) -> Any:
        return self.driver.connect(self.url, connect_timeout=5)

    def execute(self, connection: Any, sql: str, values: Sequence[Any]) -> _Cursor:
        cursor: _Cursor = connection.execute(sql.replace("?", "%s"), values)
        return cursor

    def is_empty(self, connection: Any) -> bool:
        found = "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema()"
        return not connection.execute(found).fetchall()


def _engine(where: str) -> _Engine:
    if not where.startswith(("postgresql://", "postgres://")):
        if "://" in where:
            raise ConfigError(f"database {where.partition('@')[0]!r}: a file's name or postgresql://user@host/name")
        return _Sqlite(Path(where))
    try:
        import psycopg
    except ImportError:
        raise ConfigError("PostgreSQL needs a library that is not installed: pip install 'cardtable[club]'") from None
    return _Postgres(where, psycopg)


class Database:
    """The hub's database. Threads may share it; a lost connection is opened again at the next call."""

    def __init__(self, where: str, *, zone: tzinfo | None = None) -> None:
        """``where``: a file, or a ``postgresql://`` URL. ``zone``: the club's time zone, None for this machine's.

        :raises HubDatabaseError: if it cannot be opened.
        """
        self._engine = _engine(where)
        self.zone = zone
        self._lock = RLock()
        self._connection: Any = None
        self.hub = self._begin()

    @property
    def name(self) -> str:
        """Where it is, for people; no password in it."""
        return self._engine.name

    def close(self) -> None:
        """Close it."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    # -- writing

    def take(self, heard: Iterable[tuple[str, Bulletin]], now_ns: int) -> dict[tuple[str, str], Standing]:
        """Keep bulletins by table, in one transaction; how far each of their sessions is known after it.

        :raises HubDatabaseError: if they cannot be kept; then none was.
        """
        standings: dict[tuple[str, str], Standing] = {}
        with self._writing() as execute:
            for table, bulletin in heard:
                key = table, bulletin.session
                before = standings.get(key) or self._standing(execute, *key)
                standings[key] = self._keep(execute, table, bulletin, before, now_ns)
        return standings

    def standings(self, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Standing]:
        """How far sessions are known, by table and session."""
        with self._reading() as execute:
            return {key: self._standing(execute, *key) for key in wanted}

    def refuse(self, table: str, session: str, why: str) -> None:
        """Take no more of a session, and say why."""
        with self._writing() as execute:
            execute("UPDATE session SET refused = ? WHERE tbl = ? AND id = ?", (why, table, session))

    def see_table(self, name: str, online: bool, now_ns: int) -> bool:
        """A table has said whether it is there; False if it is one table too many."""
        with self._writing() as execute:
            known = execute("SELECT online FROM club_table WHERE name = ?", (name,)).fetchall()
            if not known:
                if execute("SELECT count(*) FROM club_table", ()).fetchall()[0][0] >= MOST_TABLES:
                    return False
                execute("INSERT INTO club_table VALUES (?, ?, ?)", (name, int(online), now_ns))
            elif bool(known[0][0]) != online:
                values = (int(online), now_ns, name)
                execute("UPDATE club_table SET online = ?, since_ns = ? WHERE name = ?", values)
        return True

    # -- reading

    def tables(self) -> list[tuple[str, bool, int]]:
        """Every table: its name, whether it is there, and since when (ns since 1970)."""
        rows = self._rows("SELECT name, online, since_ns FROM club_table ORDER BY name")
        return [(name, bool(online), since) for name, online, since in rows]

    def evenings(self) -> list[str]:
        """The days on which there were sessions, newest first."""
        return [row[0] for row in self._rows("SELECT DISTINCT evening FROM session ORDER BY evening DESC")]

    def board(self, evening: str = "") -> list[Row]:
        """Every player's part at every table of an evening (``""``: of all), added up."""
        sql = (
            "SELECT b.tbl, min(b.name), b.folded, sum(b.counters), count(*), "
            "sum(CASE WHEN d.winner = b.seat THEN 1 ELSE 0 END), "
            "count(DISTINCT CASE WHEN s.ended = 0 THEN s.id END) "
            "FROM balance b JOIN session s ON s.tbl = b.tbl AND s.id = b.session "
            "JOIN deal d ON d.tbl = b.tbl AND d.session = b.session AND d.deal = b.deal "
            "WHERE s.evening = ? OR ? = '' GROUP BY b.tbl, b.folded ORDER BY b.tbl, b.folded"
        )
        return [
            Row(table, name, fold, int(counters), int(deals), int(won), int(live))
            for table, name, fold, counters, deals, won, live in self._rows(sql, evening, evening)
        ]

    def deals(self, evening: str = "") -> int:
        """How many deals an evening had (``""``: all of them)."""
        sql = (
            "SELECT count(*) FROM deal d JOIN session s ON s.tbl = d.tbl AND s.id = d.session "
            "WHERE s.evening = ? OR ? = ''"
        )
        return int(self._rows(sql, evening, evening)[0][0])

    def sessions(self, evening: str = "") -> list[dict[str, Any]]:
        """The sessions of an evening (``""``: of all), the newest first."""
        sql = (
            "SELECT tbl, id, title, seats, began_ns, next_seq, head, ended, refused FROM session "
            "WHERE evening = ? OR ? = '' ORDER BY began_ns DESC, tbl"
        )
        names = ("table", "session", "title", "seats", "began_ns", "lines", "head", "ended", "refused")
        found = [dict(zip(names, row, strict=True)) for row in self._rows(sql, evening, evening)]
        return [{**one, "seats": json.loads(one["seats"]), "ended": bool(one["ended"])} for one in found]

    def ledgers(self) -> dict[tuple[str, str, int], tuple[int, ...]]:
        """What each seat won or lost, by table, session and deal."""
        out: dict[tuple[str, str, int], tuple[int, ...]] = {}
        for table, session, deal, counters in self._rows(
            "SELECT tbl, session, deal, counters FROM balance ORDER BY tbl, session, deal, seat"
        ):
            out[table, session, deal] = (*out.get((table, session, deal), ()), counters)
        return out

    def delays_ns(self) -> list[int]:
        """How long each bulletin took from the table's log to this database, by their two clocks, ns."""
        return [row[0] for row in self._rows("SELECT heard_ns - wall_ns FROM line")]

    # -- one bulletin

    def _standing(self, execute: Execute, table: str, session: str) -> Standing:
        found = execute(
            "SELECT next_seq, head, refused FROM session WHERE tbl = ? AND id = ?", (table, session)
        ).fetchall()
        return Standing(*found[0]) if found else Standing(0, "")

    def _keep(self, execute: Execute, table: str, bulletin: Bulletin, before: Standing, now_ns: int) -> Standing:
        if before.refused:
            return before
        if bulletin.seq > before.next:
            return Standing(before.next, before.head, gap=True)
        if bulletin.seq < before.next:
            return self._heard_before(execute, table, bulletin, before)
        if bulletin.seq == 0:
            if bulletin.begin is None:
                return Standing(0, "", "its first line does not say what is played")
            self._add_session(execute, table, bulletin, now_ns)
        self._add_line(execute, table, bulletin, now_ns)
        self._add_ledger(execute, table, bulletin)
        return Standing(bulletin.seq + 1, bulletin.hash)

    def _heard_before(self, execute: Execute, table: str, bulletin: Bulletin, before: Standing) -> Standing:
        """A line again; another one in its place means that the log is not the one that was told."""
        where = (table, bulletin.session, bulletin.seq)
        kept = execute("SELECT hash FROM line WHERE tbl = ? AND session = ? AND seq = ?", where).fetchall()
        if kept and kept[0][0] == bulletin.hash:
            return before
        why = f"line {bulletin.seq} is not the one that was told before: was the table's disk set back?"
        execute("UPDATE session SET refused = ? WHERE tbl = ? AND id = ?", (why, table, bulletin.session))
        return Standing(before.next, before.head, why)

    def _add_session(self, execute: Execute, table: str, bulletin: Bulletin, now_ns: int) -> None:
        begin = bulletin.begin
        assert begin is not None
        seats = json.dumps(begin.seats, ensure_ascii=False)
        values = (table, bulletin.session, begin.game, begin.title, seats, bulletin.wall_ns)
        execute(
            "INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, 0, '', 0, '')",
            (*values, self._evening(bulletin.wall_ns, now_ns)),
        )

    def _add_line(self, execute: Execute, table: str, bulletin: Bulletin, now_ns: int) -> None:
        body = pack(bulletin).decode()
        values = (table, bulletin.session, bulletin.seq, bulletin.hash, bulletin.wall_ns, now_ns, body)
        execute("INSERT INTO line VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        ended = int(bulletin.kind == "end")
        execute(
            "UPDATE session SET next_seq = ?, head = ?, ended = CASE WHEN ended > ? THEN ended ELSE ? END "
            "WHERE tbl = ? AND id = ?",
            (bulletin.seq + 1, bulletin.hash, ended, ended, table, bulletin.session),
        )
        if bulletin.code == Remark.CLOCK_STEP:  # its clock was set: now it is right (E07)
            evening = self._evening(bulletin.wall_ns, now_ns)
            where = (evening, table, bulletin.session)
            execute("UPDATE session SET evening = ? WHERE tbl = ? AND id = ?", where)

    def _add_ledger(self, execute: Execute, table: str, bulletin: Bulletin) -> None:
        """The deal's ledger as it stands after this line: told whole, so that it never depends on the line before."""
        where = (table, bulletin.session, bulletin.deal)
        execute(
            "INSERT INTO deal VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (tbl, session, deal) DO UPDATE SET "
            "pool = excluded.pool, done = excluded.done, winner = excluded.winner",
            (*where, bulletin.pool, int(bulletin.over), bulletin.winner or 0),
        )
        seats = bulletin.begin.seats if bulletin.begin else self._seats(execute, table, bulletin.session)
        for seat, (name, counters) in enumerate(zip(seats, bulletin.counters, strict=False), start=1):
            execute(
                "INSERT INTO balance VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tbl, session, deal, seat) DO UPDATE "
                "SET counters = excluded.counters WHERE balance.counters <> excluded.counters",
                (*where, seat, name, _player(name), counters),
            )

    def _seats(self, execute: Execute, table: str, session: str) -> list[str]:
        found = execute("SELECT seats FROM session WHERE tbl = ? AND id = ?", (table, session)).fetchall()
        seats: list[str] = json.loads(found[0][0])
        return seats

    def _evening(self, wall_ns: int, now_ns: int) -> str:
        """The day an evening counts for, by the table's clock unless that is ahead of ours."""
        return evening_of(wall_ns if wall_ns <= now_ns + AHEAD_NS else now_ns, self.zone)

    # -- the connection

    def _begin(self) -> str:
        """The hub's own id; the tables are made where there are none."""
        with self._writing() as execute:
            if self._engine.is_empty(self._connection):
                for statement in filter(str.strip, _TABLES.split(";")):
                    execute(statement, ())
                execute("INSERT INTO hub VALUES (?, ?)", (secrets.token_hex(8), SCHEMA))
            try:
                found = execute("SELECT id, version FROM hub", ()).fetchall()
            except self._engine.errors as error:
                if _is_damage(error):
                    raise
                raise ConfigError(f"{self.name}: not a hub's database; name another one") from None
        if not found:
            raise ConfigError(f"{self.name}: not a hub's database; name another one")
        if found[0][1] > SCHEMA:
            raise ConfigError(f"{self.name}: written by a newer Card Table; update the program")
        return str(found[0][0])

    def _rows(self, sql: str, *values: Any) -> list[Any]:
        with self._reading() as execute:
            return execute(sql, values).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[Execute]:
        with self._writing() as execute:
            yield execute

    @contextmanager
    def _writing(self) -> Iterator[Execute]:
        """One transaction, whole or not at all."""
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._engine.connect()
                connection = self._connection
                yield lambda sql, values: self._engine.execute(connection, sql, values)
                connection.commit()
            except self._engine.errors as error:
                self._give_up()
                words = " ".join(str(error).split())
                raise HubDatabaseError(f"{self.name}: {words}; {self._engine.remedy}") from None
            except BaseException:
                self._give_up()
                raise

    def _give_up(self) -> None:
        """Drop the connection with whatever was not committed; the next call opens another one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.rollback()
                connection.close()
            except self._engine.errors:
                return


def _player(name: str) -> str:
    """Who a name is on the board: an accent typed as a character of its own is the same accent."""
    return folded(unicodedata.normalize("NFC", name))


def _is_damage(error: Exception) -> bool:
    """Whether SQLite says that its file is spoilt, not that a table is missing."""
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)


def evening_of(wall_ns: int, zone: tzinfo | None = None) -> str:
    """The day (ISO) that a time counts for: until six in the morning it is still the evening before."""
    local = datetime.fromtimestamp(wall_ns / 1e9, zone) if zone else datetime.fromtimestamp(wall_ns / 1e9).astimezone()
    return (local - timedelta(hours=DAY_BEGINS_H)).date().isoformat()
