"""The real broker: killed, cut off, with TLS and passwords; the real PostgreSQL; strangers at the door."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from firmware.club import wires
from firmware.club.serve import HubSettings, Opened, open_hub
from firmware.club.wires import broker_of, paho
from firmware.config import WebSettings
from firmware.web.security import Keys

from .broker import MOSQUITTO, mosquitto
from .proxy import Proxy
from .tables import ClubTable, until
from .test_wires import Nobody

pytestmark = pytest.mark.slow
PATIENCE_S = 120.0


@contextmanager
def hub(broker: str, database: str, notes: list[str], **more: str) -> Iterator[Opened]:
    settings = HubSettings(broker=broker, database=database, web=WebSettings(port=0), **more)
    with open_hub(settings, notes.append, Keys.fresh()) as opened:
        yield opened


def told(opened: Opened, tables: list[ClubTable]) -> bool:
    """Whether the hub has every table's ledgers to the counter, and no table has anything to tell."""
    quiet = all(one.teller is not None and one.teller.sender.hub and not one.teller.sender.lacking for one in tables)
    ledgers = {key: value for one in tables for key, value in one.ledgers().items()}
    return quiet and opened.hub.database.ledgers() == ledgers


def test_broker_killed_and_network_cut_and_the_hub_has_every_counter(tmp_path: Path) -> None:
    notes: list[str] = []
    with ExitStack() as stack:
        broker = stack.enter_context(mosquitto(tmp_path))
        proxy = Proxy(broker.port)
        stack.callback(proxy.close)
        opened = stack.enter_context(hub(broker.url, str(tmp_path / "hub.db"), notes))
        tables = [ClubTable(f"hall-{n}", tmp_path / f"t{n}", n).open(proxy.url) for n in range(3)]
        for one in tables:
            stack.callback(one.close)
        for step in range(90):
            for one in tables:
                one.fact()
            if step in (15, 45, 75):
                broker.kill()
            if step in (20, 50, 80):
                broker.start()
            if step in (30, 60):
                proxy.cut(silent=step == 60)
            if step in (38, 66):
                proxy.join()
            time.sleep(0.05)
        until(lambda: told(opened, tables), PATIENCE_S, lambda: [one.teller for one in tables])
        kept = opened.hub.database.sessions()
        assert sum(one["lines"] for one in kept) == sum(one.lines() for one in tables)
        assert any("trying again" in note for note in notes)
        for one in tables:
            one.close()
        until(lambda: not any(online for _, online, _ in opened.hub.database.tables()), PATIENCE_S)


def test_a_hub_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    """`cardtable hub` itself, as a process; what was confirmed to the tables is in its database."""
    with ExitStack() as stack:
        broker = stack.enter_context(mosquitto(tmp_path))
        table = ClubTable("hall-1", tmp_path / "t1", 1).open(broker.url)
        stack.callback(table.close)
        database = tmp_path / "hub.db"
        command = [sys.executable, "-m", "firmware.cli", "hub", "--broker", broker.url, "--database", str(database)]
        environ = {**os.environ, "CARDTABLE_DATA": str(tmp_path / "home")}

        def start() -> subprocess.Popen[str]:
            process = subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, text=True, env=environ)
            assert process.stdout
            assert "join code" in process.stdout.readline() + process.stdout.readline()
            return process

        for _ in range(3):
            process = start()
            for _ in range(25):
                table.fact()
                time.sleep(0.02)
            until(lambda: table.teller is not None and table.teller.sender.hub, PATIENCE_S)
            process.kill()
            process.communicate()
        process = start()
        try:
            until(
                lambda: bool(table.teller and table.teller.sender.hub and not table.teller.sender.lacking), PATIENCE_S
            )
        finally:
            process.terminate()
            process.communicate()
        assert process.returncode == 0
        with hub(broker.url, str(database), []) as opened:
            assert opened.hub.database.ledgers() == table.ledgers()


def test_a_fault_in_a_part_is_said_and_does_not_silence_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wires, "LONGEST_PAUSE_S", 0.1)
    notes: list[str] = []

    class Clumsy(Nobody):
        def up(self, publish: wires.Publish) -> None:
            if not any("Clumsy" in note for note in notes):
                raise RuntimeError("Clumsy")

    with mosquitto(tmp_path) as broker:
        wire = wires.Wire(broker_of(broker.url), "t", wires.Will("w", b"0"), Clumsy(), notes.append, b"0")
        wire.start()
        until(lambda: len(notes) == 3, PATIENCE_S, lambda: notes)
        wire.close()
    assert "RuntimeError: Clumsy; trying again" in notes[1]
    assert notes[2].endswith("connected")


def test_two_tables_of_one_name_do_not_chase_each_other_round(tmp_path: Path) -> None:
    notes: list[str] = []
    with mosquitto(tmp_path) as broker, ExitStack() as stack:
        for _ in range(2):
            wire = wires.Wire(broker_of(broker.url), "t", wires.Will("w", b"0"), Nobody(), notes.append, b"0")
            wire.start()
            stack.callback(wire.close)
        time.sleep(6)
        assert 4 <= len(notes) <= 24  # 0.5, 1, 2, 4 s apart, and not hundreds a second
        assert any("the connection was lost" in note for note in notes)


# -- who may come in


def _certificates(folder: Path) -> None:
    """An authority of the test's own, and the broker's certificate for 127.0.0.1."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl on this machine")

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    for name in ("ca", "other"):
        openssl(
            *("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN=Test {name}"),
            *("-addext", "keyUsage=critical,keyCertSign", "-keyout", f"{name}.key", "-out", f"{name}.pem"),
        )
    openssl(
        *("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=broker", "-keyout", "broker.key", "-out", "broker.csr")
    )
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    openssl(
        *("x509", "-req", "-in", "broker.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "2"),
        *("-extfile", "names", "-out", "broker.pem"),
    )


def _passwords(folder: Path, *users: str) -> None:
    """The broker's passwords, and what each user may say: a table its own topics, the hub its answers."""
    for number, user in enumerate(users):
        (folder / user).write_text(f"word of {user}\n")
        create = ["-c"] if number == 0 else []
        command = ["mosquitto_passwd", "-b", *create, str(folder / "passwords"), user, f"word of {user}"]
        subprocess.run(command, check=True, capture_output=True)
    (folder / "acl").write_text(ACL)


ACL = """\
user hub
topic readwrite cardtable/#
pattern write cardtable/%u/#
pattern read cardtable/%u/ack
pattern read cardtable/hub/available
pattern write homeassistant/+/cardtable_%u/#
"""


def test_the_access_list_is_the_one_in_the_docs() -> None:
    docs = (Path(__file__).resolve().parents[2] / "docs" / "club.md").read_text()
    for line in ACL.splitlines():
        assert line in docs


#: paho-mqtt leaves the socket of a failed TLS handshake to the garbage collector, which closes it with a warning.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_tls_and_passwords_and_only_ones_own_topics(tmp_path: Path) -> None:
    if not Path(MOSQUITTO).exists():
        pytest.skip("no mosquitto on this machine (apt-get install mosquitto)")
    _certificates(tmp_path)
    _passwords(tmp_path, "hub", "hall-1", "hall-2")
    more = (
        f"cafile {tmp_path}/ca.pem", f"certfile {tmp_path}/broker.pem", f"keyfile {tmp_path}/broker.key",
        "allow_anonymous false", f"password_file {tmp_path}/passwords", f"acl_file {tmp_path}/acl",
    )  # fmt: skip
    ca, notes = str(tmp_path / "ca.pem"), []  # type: ignore[var-annotated]
    with ExitStack() as stack:
        broker = stack.enter_context(mosquitto(tmp_path, *more))
        url = broker.url.replace("mqtt:", "mqtts:")
        known = {"user": "hub", "password_file": str(tmp_path / "hub"), "ca": ca}
        opened = stack.enter_context(hub(url, str(tmp_path / "hub.db"), notes, **known))
        table = ClubTable("hall-1", tmp_path / "t1", 1)
        stack.callback(table.close)
        table.open(url, user="hall-1", password_file=str(tmp_path / "hall-1"), ca=ca)
        for _ in range(30):
            table.fact()
        until(lambda: told(opened, [table]), PATIENCE_S, lambda: (notes, table.notes))

        for user, file, authority, words in (
            ("hall-2", "hall-1", "ca", "not authorized"),
            ("", "", "ca", "not authorized"),
            ("hall-2", "hall-2", "other", "not to be trusted"),
        ):
            stranger = ClubTable("hall-2", tmp_path / f"s{user}{file}{authority}", 2)
            password = str(tmp_path / file) if file else ""
            stranger.open(url, user=user, password_file=password, ca=str(tmp_path / f"{authority}.pem"))
            until(
                lambda s=stranger, w=words: any(w in note for note in s.notes), PATIENCE_S, lambda s=stranger: s.notes
            )
            stranger.close()
        plain = ClubTable("hall-2", tmp_path / "plain", 2).open(broker.url)
        until(lambda: any("trying again" in note for note in plain.notes), PATIENCE_S)
        plain.close()

        before = opened.hub.database.ledgers()
        impostor = _client(url, "hall-2", "word of hall-2", ca)
        impostor.publish("cardtable/hall-1/available", b"offline", qos=1, retain=True).wait_for_publish(10)
        impostor.publish("cardtable/hall-1/log", b"{}", qos=1).wait_for_publish(10)
        impostor.publish("cardtable/hall-2/available", b"online", qos=1, retain=True).wait_for_publish(10)
        until(lambda: "hall-2" in [name for name, _, _ in opened.hub.database.tables()], PATIENCE_S)
        cards = opened.hub.board.snapshot()["tables"]
        assert cards["hall-1"]["online"] is True
        assert cards["hall-1"]["unreadable"] == 0
        assert opened.hub.database.ledgers() == before
        impostor.disconnect()
        impostor.loop_stop()


def _client(url: str, user: str = "", password: str = "", ca: str = "") -> Any:
    """A client of anybody's, connected."""
    mqtt = paho()
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    if user:
        client.username_pw_set(user, password)
    if ca:
        client.tls_set(ca)
    broker = broker_of(url)
    client.connect(broker.host, broker.port)
    client.loop_start()
    return client


def test_strangers_on_an_open_broker_do_not_break_the_hub(tmp_path: Path) -> None:
    notes: list[str] = []
    with ExitStack() as stack:
        broker = stack.enter_context(mosquitto(tmp_path))
        opened = stack.enter_context(hub(broker.url, str(tmp_path / "hub.db"), notes))
        table = ClubTable("hall-1", tmp_path / "t1", 1).open(broker.url)
        stack.callback(table.close)
        stranger = _client(broker.url)
        sent = []
        for number in range(600):
            table.fact() if number % 10 == 0 else None
            payload = os.urandom(number * 20) if number % 3 else json.dumps({"seq": number, "counters": "x"}).encode()
            for word in ("log", "state", "inventory", "available", "ack"):
                name = f"cardtable/{'hall-1' if number % 2 else f'x{number % 50}'}/{word}"
                sent.append(stranger.publish(name, payload, qos=1, retain=number % 100 == 0))
        sent.append(stranger.publish("cardtable/hall-1/log", b"[" * 3_000_000, qos=1))
        for one in sent:
            one.wait_for_publish(30)
        stranger.publish("cardtable/hub/available", b"", qos=1, retain=True).wait_for_publish(10)
        stranger.disconnect()
        stranger.loop_stop()
        table.fact()
        broker.kill()  # an open broker believes anybody; from a fresh one the hub is heard again
        broker.start()
        until(lambda: told(opened, [table]), PATIENCE_S, lambda: (notes[-3:], table.teller))
        assert opened.hub.board.snapshot()["tables"]["hall-1"]["unreadable"] > 100
        assert len(opened.hub.database.tables()) <= 51


# -- PostgreSQL


@pytest.fixture
def postgres(tmp_path: Path) -> Iterator[str]:
    """A PostgreSQL of the test's own; its URL."""
    pytest.importorskip("psycopg", reason="psycopg comes with cardtable[club]")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("no PostgreSQL on this machine (apt-get install postgresql)")
    tools, data = found[-1].parent, tmp_path / "pg"
    data.mkdir()
    as_user: list[str] = []
    if os.geteuid() == 0:
        shutil.chown(data, "postgres", "postgres")
        tmp_path.chmod(0o755)
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]

    def run(*command: str) -> None:
        subprocess.run([*as_user, *command], check=True, capture_output=True, cwd=data)

    run(str(tools / "initdb"), "-D", str(data / "db"), "-A", "trust", "-U", "club", "--no-sync")
    server = [str(tools / "pg_ctl"), "-D", str(data / "db"), "-w"]
    options = f"-k {data} -c listen_addresses='' -c fsync=off"
    run(*server, "-o", options, "-l", str(data / "log"), "start")
    try:
        run(str(tools / "createdb"), "-h", str(data), "-U", "club", "club")
        yield f"postgresql://club@/club?host={data}"
    finally:
        run(*server, "-m", "immediate", "stop")


def test_a_hub_on_postgresql_that_is_restarted_under_it(tmp_path: Path, postgres: str) -> None:
    import psycopg

    notes: list[str] = []
    with ExitStack() as stack:
        broker = stack.enter_context(mosquitto(tmp_path))
        opened = stack.enter_context(hub(broker.url, postgres, notes))
        table = ClubTable("hall-1", tmp_path / "t1", 1).open(broker.url)
        stack.callback(table.close)
        for step in range(60):
            table.fact()
            if step in (20, 40):  # its connection is cut from the other side
                with psycopg.connect(postgres, autocommit=True) as other:
                    other.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
                    )
            time.sleep(0.02)
        until(lambda: told(opened, [table]), PATIENCE_S, lambda: (notes, table.teller))
        database = opened.hub.database
        assert "club@" not in database.name
        assert any("terminat" in note or "closed" in note for note in notes), notes
        assert len(database.board(database.evenings()[0])) == len(database.board())
        assert database.tables()[0][0] == "hall-1"
        ledgers = table.ledgers()
    with hub("mqtt://127.0.0.1:1", postgres, notes) as again:
        assert again.hub.database.ledgers() == ledgers
