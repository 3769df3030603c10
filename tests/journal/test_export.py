"""Out of the journal and into another one; names that are scripts stay text (E09)."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import random
import re
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from firmware.journal import export as export_module
from firmware.journal import importing
from firmware.journal.chain import canonical, genesis, link
from firmware.journal.errors import BadArchive, JournalError
from firmware.journal.export import Format, export_csv, export_html, export_json, export_session, export_zip
from firmware.journal.importing import MOST_BYTES, import_zip
from firmware.journal.journal import Journal
from firmware.journal.lines import Sealed
from firmware.journal.names import LONGEST
from firmware.journal.photos import PhotoShelf, photo_hash
from firmware.journal.replay import replay_text
from firmware.journal.report import show_text
from firmware.journal.spare import Spare, spare_row
from firmware.journal.verify import Fault, verify
from firmware.referee.events import Entry

from .games import CORRECTION, HEADER, SEATS, WITHHELD, play
from .tools import FakeClock, fill, laid, numbers, picture


@pytest.fixture
def elsewhere(folder: Path) -> Path:
    return folder.with_name("elsewhere")


def test_json_holds_all_and_its_chain_can_be_checked_without_us(journal: Journal) -> None:
    session = play(journal)
    data = json.loads(json.dumps(export_json(journal, session)))
    head = genesis(session)
    for one in data["lines"]:
        head = link(head, canonical(one["line"]))
        assert head == one["hash"]
    assert head == data["head"]
    assert data["header"]["seats"] == list(SEATS)
    assert data["results"][0]["result"]["winner"] == "Ann"
    assert data["settlement"]["transfers"]
    assert any(ruling["code"] == "WITHHELD" for ruling in data["rulings"])


def test_csv_has_a_row_an_entry_and_no_formula(journal: Journal) -> None:
    header = replace(HEADER, seats=("=1+1", "@Bo", "Cy"), deal={})
    session = play(journal, header=header)
    rows = list(csv.DictReader(io.StringIO(export_csv(journal, session))))
    assert [row["entry"] for row in rows] == [str(n) for n in range(8)]
    assert (rows[4]["fact"], rows[4]["card"], rows[4]["seat"]) == ("laid", "2S", "2")
    assert not [cell for row in rows for cell in row.values() if cell[:1] in ("=", "+", "-", "@")]


class Tags(HTMLParser):
    """Every tag with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def test_html_is_one_file_with_its_pictures(journal: Journal) -> None:
    session = play(journal, [*WITHHELD[:6], CORRECTION])
    text = export_html(journal, session)
    tags = Tags(text).seen
    images = [attributes for tag, attributes in tags if tag == "img"]
    assert len(images) == 4  # one for each card laid, and the correction
    assert all(str(image["src"]).startswith("data:image/jpeg;base64,") for image in images)
    assert not re.search(r"(src|href)=\"(?!data:)", text)
    assert len(Tags(export_html(journal, session, whole_views=True)).seen) == len(tags) + 4


EVIL = ["<svg/onload=alert()>", '"><img src=x onerror=1>', "x" * 400, "\u202eAnn\x1b[31m", ""]


@pytest.mark.parametrize("name", EVIL)
def test_e09_a_name_is_text_wherever_it_is_shown(journal: Journal, name: str) -> None:
    header = replace(HEADER, seats=(name or "\u200b", "Bo", "Cy"), deal={})
    session = journal.begin(header)  # as an older program kept it; this one's referee takes no such names
    for number, fact in enumerate(WITHHELD[:5]):
        journal.append(session, Entry(number, fact), [picture(str(number))])
    page, text = export_html(journal, session), show_text(journal, session)
    tags = Tags(page).seen
    assert not [tag for tag, _ in tags if tag == "script"]
    assert {tag for tag, _ in tags if tag in ("svg", "img")} <= {"svg", "img"}
    assert not [key for _, attributes in tags for key in attributes if key.startswith("on")]
    assert all(str(a["src"]).startswith("data:") for tag, a in tags if tag == "img")
    for shown in (page, text):
        assert "x" * (LONGEST + 1) not in shown
        assert not re.search("[\u202a-\u202e\u2066-\u2069\x1b]", shown)
    if not name:
        assert "Seat 1" in text


def test_e09_no_raw_html_is_put_together_elsewhere() -> None:
    for path in Path(export_module.__file__).parent.glob("*.py"):
        if path.name not in ("page.py", "stats.py"):
            assert not re.search(r"</?(td|tr|p|img|bdi|h\d)\b", path.read_text("utf-8")), path


def test_round_trip(journal: Journal, elsewhere: Path, tmp_path: Path) -> None:
    session = play(journal, [*WITHHELD[:6], CORRECTION])
    before = verify(journal, session)
    path = export_session(journal, session, Format.ZIP, tmp_path / "evening.zip")
    with Journal.open(elsewhere) as other:
        assert import_zip(other, path) == session
        after = verify(other, session, before.code)
        assert after.whole, after.text()
        assert after.code == before.code
        assert (after.entries, after.photos) == (before.entries, before.photos)
        assert list(other.entries(session)) == list(journal.entries(session))
        assert show_text(other, session) == show_text(journal, session)
        assert replay_text(other, session)[1]
        assert export_zip(other, session) == path.read_bytes()
        assert import_zip(other, path) == session
        assert len(other.sessions()) == 1
    with Journal.open(elsewhere) as other:
        assert verify(other, session).whole


def test_an_imported_game_that_was_not_over_is_not_resumed(journal: Journal, elsewhere: Path, tmp_path: Path) -> None:
    session = fill(journal, 3)
    path = export_session(journal, session, Format.ZIP, tmp_path / "evening.zip")
    with Journal.open(elsewhere) as other:
        mine = fill(other, 2)
        import_zip(other, path)
        live = other.live()
        assert live is not None
        assert live.id == mine
        assert verify(other, session, verify(journal, session).code).whole
        other.append(mine, laid(2))


def test_a_session_that_was_continued_is_not_overwritten(journal: Journal, elsewhere: Path, tmp_path: Path) -> None:
    session = fill(journal, 3)
    path = export_session(journal, session, Format.ZIP, tmp_path / "evening.zip")
    journal.append(session, laid(3))
    assert import_zip(journal, path) == session
    assert numbers(journal, session) == [0, 1, 2, 3]


def remake(path: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    """The archive with members changed or (None) left out."""
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w") as new:
        for name, data in members.items():
            changed = change(name, data)
            if changed is not None:
                new.writestr(name, changed)


def only(member: str, change: Callable[[bytes], bytes | None]) -> Callable[[Path], None]:
    return lambda path: remake(path, lambda name, data: change(data) if member in name else data)


def forged(path: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """A whole chain over lines that were changed."""
    with zipfile.ZipFile(path) as old:
        manifest = json.loads(old.read("manifest.json"))
        rows = [json.loads(row)["line"] for row in old.read("session.jsonl").splitlines()]
    change(rows)
    head, sealed = genesis(manifest["id"]), []
    for row in rows:
        head = link(head, canonical(row))
        sealed.append(Sealed(canonical(row), head))
    new = {
        "manifest.json": json.dumps({**manifest, "head": head}).encode(),
        "session.jsonl": b"".join(map(spare_row, sealed)),
    }
    remake(path, lambda name, data: new.get(name, data))


def broken_packing(path: Path, method: int) -> None:
    """The log packed in another way, and a few bytes of it changed."""
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w", method) as new:
        for name, data in members.items():
            new.writestr(name, data)
    data = bytearray(path.read_bytes())
    place = data.index(b"session.jsonl") + 60
    data[place : place + 40] = bytes(40)
    path.write_bytes(data)


BROKEN: dict[str, Callable[[Path], object]] = {
    "not a zip": lambda p: p.write_bytes(b"hello"),
    "empty": lambda p: p.write_bytes(b""),
    "half a zip": lambda p: p.write_bytes(p.read_bytes()[:-200]),
    "no manifest": only("manifest", lambda d: None),
    "no log": only("session.jsonl", lambda d: None),
    "a changed card": only("session.jsonl", lambda d: d.replace(b'"AS"', b'"AH"', 1)),
    "a cut log": only("session.jsonl", lambda d: b"".join(d.splitlines(keepends=True)[:-1])),
    "a log in bits": only("session.jsonl", lambda d: d[: len(d) // 2]),
    "an empty log": only("session.jsonl", lambda d: b""),
    "another format": only("manifest", lambda d: d.replace(b"session 1", b"session 9")),
    "a manifest that is a list": only("manifest", lambda d: b"[]"),
    "a manifest in bits": only("manifest", lambda d: d[:20]),
    "a name that walks": only("manifest", lambda d: re.sub(rb'"id": "[^"]*"', b'"id": "../../etc/x"', d)),
    "rulings of another kind": only("rulings", lambda d: b'[["x"]]'),
    "a fact that no referee knows": lambda p: forged(
        p, lambda rows: rows[1]["body"].update(fact={"fact": "juggled", "seat": "x"})
    ),
    "a game that nobody knows": lambda p: forged(p, lambda rows: rows[0]["body"].update(game="whist_of_mars")),
    "three thousand seats": lambda p: forged(
        p, lambda rows: rows[0]["body"].update(seats=[f"P{n}" for n in range(3_000)], deal={})
    ),
    "half a character in a name": lambda p: forged(p, lambda rows: rows[0]["body"].update(seats=["\ud800", "B", "C"])),
    "rulings that its end does not seal": lambda p: forged(
        p, lambda rows: rows[-1]["body"]["rulings"].update(sha256="0" * 64)
    ),
    "two ends, the second of which counts other rulings": lambda p: forged(
        p, lambda rows: rows.append({**rows[-1], "seq": len(rows), "body": {"rulings": {"count": 1, "sha256": ""}}})
    ),
    "a log packed with broken bz2": lambda p: broken_packing(p, zipfile.ZIP_BZIP2),
    "a log packed with broken lzma": lambda p: broken_packing(p, zipfile.ZIP_LZMA),
    "a deep manifest": only("manifest", lambda d: b"[" * 100_000),
    "deep rulings": only("rulings", lambda d: b"[" * 400 + b"]" * 400),
    "a manifest too large": only("manifest", lambda d: d + b" " * MOST_BYTES["manifest.json"]),
    "rulings too large": only("rulings", lambda d: d + b" " * MOST_BYTES["rulings.json"]),
    "a pipe that nobody writes": lambda p: (p.unlink(), os.mkfifo(p)),
    "a device that never ends": lambda p: (p.unlink(), p.symlink_to("/dev/zero")),
    "no file": lambda p: p.unlink(),
    "a folder": lambda p: (p.unlink(), p.mkdir()),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_archive_is_refused_with_one_line_and_changes_nothing(
    journal: Journal, elsewhere: Path, tmp_path: Path, name: str
) -> None:
    session = play(journal)
    path = export_session(journal, session, Format.ZIP, tmp_path / "evening.zip")
    BROKEN[name](path)
    with Journal.open(elsewhere) as other:
        with pytest.raises(JournalError) as caught:
            import_zip(other, path)
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)
        assert left_of(elsewhere) == []


def left_of(folder: Path) -> list[str]:
    """What of an import is in a journal that had nothing in it."""
    with Journal.open(folder, read_only=True) as journal:
        rows = [f"{table} {row}" for table in TABLES for row in journal.store.rows(f"SELECT * FROM {table}")]
    return [*rows, *(str(path) for path in (*folder.glob("spare/*"), *folder.glob("pictures/*.jpg")))]


TABLES = ("session", "line", "seat", "ruling", "evidence", "photo", "dispute", "told")
LOSSES: dict[str, Callable[[bytes], bytes | None]] = {
    "no picture": lambda data: None,
    "another picture": lambda data: picture("other"),
    "half a picture": lambda data: data[:50],
    "an empty picture": lambda data: b"",
}


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("over", [True, False])
def test_a_log_is_taken_without_the_pictures_that_were_damaged_and_says_which(
    journal: Journal, elsewhere: Path, tmp_path: Path, name: str, over: bool
) -> None:
    session = play(journal, over=over)
    path = export_session(journal, session, Format.ZIP, tmp_path / "evening.zip")
    whole = path.read_bytes()
    first, second = [name for entry in journal.entries(session) for name in entry.photos][:2]
    remake(path, lambda member, data: LOSSES[name](data) if first in member or second in member else data)
    with Journal.open(elsewhere) as other:
        assert import_zip(other, path) == session
        assert list(other.entries(session)) == list(journal.entries(session))
        found = verify(other, session, verify(journal, session).code).findings
        assert [finding.fault for finding in found] == [Fault.PHOTO_MISSING] * 2
        assert all("lost before the session was imported" in finding.words for finding in found)
        assert "2 pictures lost before the session was imported" in show_text(other, session)
        assert other.live() is None
        path.write_bytes(whole)
        assert import_zip(other, path) == session, "a sound copy gives the pictures back"
        assert verify(other, session).whole


@pytest.mark.parametrize("step", range(6))
def test_an_import_that_fails_on_its_way_leaves_nothing_and_can_be_repeated(
    journal: Journal, elsewhere: Path, tmp_path: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = play(journal)
    path = export_session(journal, session, Format.ZIP, tmp_path / "evening.zip")
    steps = [(PhotoShelf, "put"), (Spare, "rewrite"), (importing, "put_session"), (importing, "put_ruling")]
    steps += [(importing, "log_findings"), (importing, "_check_whole")]
    with Journal.open(elsewhere) as other:
        with monkeypatch.context() as broken:
            broken.setattr(*steps[step], no_room_after(getattr(*steps[step]), 1 if step == 0 else 0))
            with pytest.raises(JournalError) as caught:
                import_zip(other, path)
            assert "\n" not in str(caught.value)
        assert left_of(elsewhere) == []
        assert import_zip(other, path) == session
        assert verify(other, session).whole


def no_room_after(real: Callable[..., Any], calls: int) -> Callable[..., Any]:
    """The function, on a disk that is full after so many calls."""
    left = [calls]

    def full(*args: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*args)

    return full


def test_rulings_that_were_changed_in_the_file_are_told_again(
    journal: Journal, elsewhere: Path, tmp_path: Path
) -> None:
    session = play(journal)
    path = export_session(journal, session, Format.ZIP, tmp_path / "evening.zip")
    whole = path.read_bytes()
    only("rulings", lambda data: data.replace(b'"seat\\":2', b'"seat\\":1'))(path)
    assert path.read_bytes() != whole
    with Journal.open(elsewhere) as other:
        import_zip(other, path)
        assert other.rulings(session) == journal.rulings(session)
        assert verify(other, session).whole


def test_another_session_of_that_name_stays(journal: Journal, elsewhere: Path, tmp_path: Path) -> None:
    session = play(journal)
    path = export_session(journal, session, Format.ZIP, tmp_path / "evening.zip")
    with Journal.open(elsewhere) as other:
        mine = fill(other, 2)
    for file in (elsewhere / "spare").glob("*.jsonl"):
        text = file.read_text()
        head, rows = genesis(session), []
        for row in text.splitlines():
            line = canonical(json.loads(row)["line"])
            head = link(head, line)
            rows.append(Sealed(line, head))
        (elsewhere / "spare" / f"{session}.jsonl").write_bytes(b"".join(map(spare_row, rows)))
        if session != mine:
            file.unlink()
    for file in elsewhere.glob("sessions.db*"):
        file.unlink()
    with Journal.open(elsewhere) as other:
        with pytest.raises(BadArchive, match="another session called"):
            import_zip(other, path)
        assert numbers(other, session) == [0, 1]


def test_forget_removes_the_pictures_and_keeps_the_ledger(journal: Journal, folder: Path, clock: FakeClock) -> None:
    session = play(journal)
    kept = fill(journal, 2)
    code = verify(journal, session).code
    before = show_text(journal, session)
    files = set(folder.glob("pictures/*.jpg"))
    freed = journal.forget(session)
    left = set(folder.glob("pictures/*.jpg"))
    assert freed == sum(400 for _ in files - left) > 0
    assert {path.stem for path in left} == {name for entry in journal.entries(kept) for name in entry.photos}
    report = verify(journal, session, code)
    assert report.whole, report.text()
    assert (report.removed, report.photos, report.since_code) == (10, 0, 1)
    assert "10 pictures removed because people asked" in show_text(journal, session)
    assert before.split("\nCounters")[1].split("Head")[0].splitlines()[0] in show_text(journal, session)
    assert replay_text(journal, session)[1]
    assert "no longer kept" in export_html(journal, session)
    assert journal.forget(session) == 0
    assert verify(journal, kept).whole


def test_a_picture_that_two_sessions_share_is_kept_for_the_other(journal: Journal) -> None:
    first, second = journal.begin(HEADER), ""
    journal.append(first, laid(0), [picture("same"), picture("first")])
    second = journal.begin(HEADER)
    journal.append(second, laid(0), [picture("same")])
    journal.forget(first)
    assert journal.photo(photo_hash(picture("same"))) == picture("same")
    assert journal.photo(photo_hash(picture("first"))) is None
    assert verify(journal, first).whole
    assert verify(journal, second).whole


def damaged(data: bytes, rng: random.Random) -> bytes:
    """A few bytes changed, half of them in the list at the end."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 3, 20))):
        place = rng.randrange(-1_500, 0) if rng.random() < 0.5 else rng.randrange(len(changed))
        changed[place] = rng.randrange(256)
    return bytes(changed)


def refusal(other: Journal, path: Path) -> str:
    """The words with which a file is refused, "" if it is taken."""
    try:
        import_zip(other, path)
    except JournalError as error:
        return str(error)
    return ""


def test_damaged_bytes_are_refused_or_change_nothing(journal: Journal, elsewhere: Path, tmp_path: Path) -> None:
    session = play(journal)
    whole, path = export_zip(journal, session), tmp_path / "evening.zip"
    rng, refused = random.Random(3), 0
    for _ in range(30):
        path.write_bytes(damaged(whole, rng))
        with Journal.open(elsewhere) as other:
            if words := refusal(other, path):
                refused += 1
                assert "\n" not in words
                assert other.sessions() == []
            else:
                assert list(other.entries(session)) == list(journal.entries(session))
                assert {finding.fault for finding in verify(other, session).findings} <= {Fault.PHOTO_MISSING}
        shutil.rmtree(elsewhere)
    assert refused > 10
