"""Tampering of many kinds, by somebody who can write the files: each is found, and at its place."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Thread, Timer

import pytest

from firmware.journal.chain import canonical, genesis, head_code, link, same_code
from firmware.journal.errors import BadEntry, NoSuchSession
from firmware.journal.journal import Journal
from firmware.journal.lines import Sealed
from firmware.journal.photos import PhotoShelf
from firmware.journal.spare import spare_row
from firmware.journal.verify import Fault, Report, verify

from .games import CALL, WITHHELD, play
from .tools import FakeClock, fill, laid, picture, sql

ENTRIES = 8
LINES = ENTRIES + 2  # begin and end


@dataclass(frozen=True)
class Scene:
    """A finished session on disk, nobody having it open."""

    folder: Path
    session: str
    other: str
    code: str

    def text(self, seq: int) -> str:
        return str(sql(self.folder, f"SELECT text FROM line WHERE session = 1 AND seq = {seq}")[0][0])

    def put(self, seq: int, text: str) -> None:
        quoted = text.replace("'", "''")
        sql(self.folder, f"UPDATE line SET text = '{quoted}' WHERE session = 1 AND seq = {seq}")

    def change(self, seq: int, old: str, new: str) -> None:
        text = self.text(seq)
        assert old in text
        self.put(seq, text.replace(old, new, 1))

    def photo(self, entry: int, place: int = 0) -> Path:
        return PhotoShelf(self.folder / "pictures").path(json.loads(self.text(entry + 1))["photos"][place])

    def spare(self) -> Path:
        return self.folder / "spare" / f"{self.session}.jsonl"

    def rewrite(self, texts: list[str], *, spare: bool) -> None:
        """A whole new chain, as the best forger would make it: consistent in every table and file."""
        head, rows = genesis(self.session), []
        for text in texts:
            head = link(head, text)
            rows.append(Sealed(text, head))
        sql(self.folder, "DELETE FROM line WHERE session = 1 AND kind = 'end'", "DELETE FROM line WHERE session = 1")
        for seq, sealed in enumerate(rows):
            line = json.loads(sealed.text)
            number = line["body"].get("number", "NULL")
            quoted = sealed.text.replace("'", "''")
            sql(
                self.folder,
                f"INSERT INTO line VALUES (1, {seq}, '{line['kind']}', 1, {number}, '{quoted}', x'{sealed.hash}')",
            )
        facts = sum('"kind":"fact"' in text for text in texts)
        ended = int('"kind":"end"' in texts[-1])
        sql(
            self.folder,
            f"UPDATE session SET lines = {len(rows)}, entries = {facts}, head = x'{head}', ended = {ended} "
            "WHERE number = 1",
            f"DELETE FROM evidence WHERE session = 1 AND seq >= {len(rows)}",
        )
        if spare:
            self.spare().write_bytes(b"".join(map(spare_row, rows)))

    def verify(self, written: str | None = None) -> Report:
        with Journal.open(self.folder, read_only=True) as journal:
            return verify(journal, self.session, written)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = tmp_path_factory.mktemp("original") / "data"
    with Journal.open(folder, clock=FakeClock()) as journal:
        session, other = fill(journal, ENTRIES), fill(journal, ENTRIES)
        journal.end(other, {"winner": "Ann"})
        code = verify(journal, session).code
    return Scene(folder, session, other, code)


@pytest.fixture
def scene(original: Scene, folder: Path) -> Scene:
    shutil.copytree(original.folder, folder, ignore=shutil.ignore_patterns("reserve"))
    return replace(original, folder=folder)


def swap_lines(scene: Scene) -> None:
    one, other = scene.text(3), scene.text(4)
    scene.put(3, other)
    scene.put(4, one)


def cut_tail_and_counts(scene: Scene) -> None:
    head = sql(scene.folder, "SELECT hex(hash) FROM line WHERE session = 1 AND seq = 6")[0][0]
    sql(
        scene.folder,
        "DELETE FROM line WHERE session = 1 AND seq > 6",
        "DELETE FROM evidence WHERE session = 1 AND seq > 6",
        f"UPDATE session SET lines = 7, entries = 6, ended = 0, head = x'{head}' WHERE number = 1",
    )


def insert_copy(scene: Scene) -> None:
    sql(
        scene.folder,
        "UPDATE line SET seq = seq + 101 WHERE session = 1 AND seq > 4",
        "UPDATE line SET seq = seq - 100 WHERE session = 1 AND seq > 100",
        "INSERT INTO line SELECT session, 5, kind, deal, entry, text, hash FROM line WHERE session = 1 AND seq = 4",
    )


def bring_from_other_session(scene: Scene) -> None:
    row = "SELECT {} FROM line WHERE session = 2 AND seq = 4"
    sql(
        scene.folder,
        f"UPDATE line SET text = ({row.format('text')}), hash = ({row.format('hash')}) WHERE session = 1 AND seq = 4",
    )


def forge_one_line(scene: Scene) -> None:
    """Change a card and give the line the hash that fits it."""
    scene.change(3, '"seat":3', '"seat":2')
    before = sql(scene.folder, "SELECT hex(hash) FROM line WHERE session = 1 AND seq = 2")[0][0]
    digest = link(before.lower(), scene.text(3))
    sql(scene.folder, f"UPDATE line SET hash = x'{digest}' WHERE session = 1 AND seq = 3")


def drop_picture_reference(scene: Scene) -> None:
    line = json.loads(scene.text(3))
    line["photos"].pop()
    scene.put(3, canonical(line))
    sql(scene.folder, "DELETE FROM evidence WHERE session = 1 AND seq = 3 AND place = 1")


def exchange_pictures(scene: Scene) -> None:
    one, other = scene.photo(1), scene.photo(2)
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


def rewrite_database(scene: Scene) -> None:
    texts = [scene.text(seq) for seq in range(LINES)]
    texts[3] = texts[3].replace('"seat":3', '"seat":2')
    scene.rewrite(texts, spare=False)


def instead(path: Path, make: Callable[[Path], None]) -> None:
    """Something else in a file's place."""
    path.unlink()
    make(path)


def spare_row_changed(scene: Scene) -> None:
    scene.spare().write_text(scene.spare().read_text().replace('"seat":3', '"seat":2', 1))


def spare_row_removed(scene: Scene) -> None:
    rows = scene.spare().read_text().splitlines(keepends=True)
    scene.spare().write_text("".join(rows[:4] + rows[5:]))


TAMPERINGS: dict[str, tuple[Callable[[Scene], None], set[Fault], int | None]] = {
    "a card": (lambda s: s.change(3, '"card":"', '"card":"A'), {Fault.CHANGED, Fault.DIFFERS}, 3),
    "a seat": (lambda s: s.change(3, '"seat":3', '"seat":2'), {Fault.CHANGED, Fault.DIFFERS}, 3),
    "a time": (lambda s: s.change(3, '"t":', '"t":1'), {Fault.CHANGED, Fault.DIFFERS}, 3),
    "a confidence": (lambda s: s.change(3, "0.991", "0.999"), {Fault.CHANGED}, 3),
    "a source": (lambda s: s.change(3, '"camera"', '"page"'), {Fault.CHANGED}, 3),
    "the wall clock": (lambda s: s.change(3, '"wall":1', '"wall":2'), {Fault.CHANGED}, 3),
    "one more space": (lambda s: s.change(3, '"kind":', '"kind": '), {Fault.CHANGED}, 3),
    "unreadable": (lambda s: s.put(3, "half a li"), {Fault.CHANGED}, 3),
    "a player's name": (lambda s: s.change(0, '"Ann","Bo"', '"Ann","Bob"'), {Fault.CHANGED, Fault.LIST}, 0),
    "a house rule": (lambda s: s.change(0, '"ante":1', '"ante":5'), {Fault.CHANGED}, 0),
    "the model's hash": (lambda s: s.change(0, '"model":"5f', '"model":"6f'), {Fault.CHANGED}, 0),
    "the program's version": (lambda s: s.change(0, '"0.1.0"', '"0.2.0"'), {Fault.CHANGED}, 0),
    "the result": (lambda s: s.change(LINES - 1, "true", "false"), {Fault.CHANGED}, LINES - 1),
    "a hash": (
        lambda s: sql(s.folder, f"UPDATE line SET hash = x'{'ab' * 32}' WHERE session = 1 AND seq = 3") and None,
        {Fault.CHANGED},
        3,
    ),
    "an entry taken out": (
        lambda s: sql(s.folder, "DELETE FROM line WHERE session = 1 AND seq = 3") and None,
        {Fault.MISSING},
        3,
    ),
    "the beginning taken out": (
        lambda s: sql(s.folder, "DELETE FROM line WHERE session = 1 AND seq = 0") and None,
        {Fault.MISSING},
        0,
    ),
    "the tail cut": (
        lambda s: sql(s.folder, "DELETE FROM line WHERE session = 1 AND seq > 6") and None,
        {Fault.MISSING},
        7,
    ),
    "the tail cut, and the counts with it": (cut_tail_and_counts, {Fault.MISSING}, 7),
    "two entries swapped": (swap_lines, {Fault.ORDER, Fault.CHANGED}, 3),
    "an entry twice": (insert_copy, {Fault.ORDER, Fault.CHANGED}, 4),
    "an entry of another session": (bring_from_other_session, {Fault.CHANGED, Fault.DIFFERS}, 4),
    "an entry with a hash that fits": (forge_one_line, {Fault.CHANGED, Fault.DIFFERS}, 4),
    "a new chain in the database": (rewrite_database, {Fault.DIFFERS}, 3),
    "the spare log's entry": (spare_row_changed, {Fault.CHANGED, Fault.DIFFERS}, 3),
    "the spare log's row taken out": (spare_row_removed, {Fault.MISSING, Fault.DIFFERS}, 4),
    "the spare log removed": (lambda s: s.spare().unlink(), {Fault.MISSING}, 0),
    "a picture removed": (lambda s: s.photo(2).unlink(), {Fault.PHOTO_MISSING}, 3),
    "a picture exchanged": (exchange_pictures, {Fault.PHOTO_CHANGED}, 3),
    "a picture painted over": (lambda s: s.photo(2).write_bytes(picture("x")) and None, {Fault.PHOTO_CHANGED}, 3),
    "a picture cut short": (
        lambda s: s.photo(2).write_bytes(s.photo(2).read_bytes()[:99]) and None,
        {Fault.PHOTO_CHANGED},
        3,
    ),
    "a picture emptied": (lambda s: s.photo(2).write_bytes(b"") and None, {Fault.PHOTO_CHANGED}, 3),
    "an entry's picture no longer named": (drop_picture_reference, {Fault.CHANGED, Fault.DIFFERS}, 3),
    "the picture list": (
        lambda s: sql(s.folder, "DELETE FROM evidence WHERE session = 1 AND seq = 3") and None,
        {Fault.LIST},
        3,
    ),
    "the entry's number in the list": (
        lambda s: sql(s.folder, "UPDATE line SET entry = 77 WHERE session = 1 AND seq = 3") and None,
        {Fault.LIST},
        3,
    ),
    "the game in the list": (
        lambda s: sql(s.folder, "UPDATE session SET game = 'snap' WHERE number = 1") and None,
        {Fault.LIST},
        None,
    ),
    "a player in the list": (
        lambda s: sql(s.folder, "UPDATE seat SET name = 'Eve' WHERE session = 1 AND seat = 2") and None,
        {Fault.LIST},
        None,
    ),
    **{
        what: (lambda s, change=change: sql(s.folder, change) and None, {Fault.LIST}, None)  # type: ignore[misc]
        for what, change in {
            "the club in the list": "UPDATE session SET club = 'x' WHERE number = 1",
            "the number of disputes": "UPDATE session SET disputes = 3 WHERE number = 1",
            "the doubt of the time": "UPDATE session SET uncertain = 1 WHERE number = 1",
            "the name to search by": "UPDATE seat SET folded = 'eve' WHERE session = 1 AND seat = 2",
            "one seat more": "INSERT INTO seat VALUES (1, 9, 'Eve', 'eve')",
            "a mark of evidence set": "INSERT INTO dispute VALUES (1, 1, 3)",
            "what the hub was told": "INSERT INTO told VALUES ('hub', 1, 999)",
            "a picture said to be removed": "UPDATE photo SET gone = 1 WHERE hash IN (SELECT hash FROM evidence "
            "WHERE session = 1 AND seq = 3)",
            "a picture of another size": "UPDATE photo SET bytes = 7 WHERE hash IN (SELECT hash FROM evidence "
            "WHERE session = 1 AND seq = 3)",
            "a picture not in the list": "DELETE FROM photo WHERE hash IN (SELECT hash FROM evidence "
            "WHERE session = 1)",
        }.items()
    },
    "a folder for a picture": (lambda s: instead(s.photo(2), os.mkdir), {Fault.PHOTO_CHANGED}, 3),
    "a pipe for a picture": (lambda s: instead(s.photo(2), os.mkfifo), {Fault.PHOTO_CHANGED}, 3),
    "a pipe for the spare log": (lambda s: instead(s.spare(), os.mkfifo), {Fault.MISSING}, 0),
    "the date in the list": (
        lambda s: sql(s.folder, "UPDATE session SET started_ns = 5 WHERE number = 1") and None,
        {Fault.LIST},
        None,
    ),
}


def test_an_untouched_session_is_whole(scene: Scene) -> None:
    report = scene.verify(scene.code)
    assert report.findings == ()
    assert (report.lines, report.entries, report.photos) == (LINES, ENTRIES, 2 * ENTRIES)
    assert scene.code in report.text()


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_is_found_at_its_place(scene: Scene, name: str) -> None:
    act, faults, seq = TAMPERINGS[name]
    act(scene)
    report = scene.verify()
    assert not report.whole
    found = {finding.fault for finding in report.findings}
    assert faults <= found, report.text()
    assert seq is None or seq in {finding.seq for finding in report.findings}, report.text()
    assert "NOT whole" in report.text()
    with Journal.open(scene.folder, read_only=True) as journal:
        assert verify(journal, scene.other).whole


STRANGE = {
    "a trigger": "CREATE TRIGGER x AFTER INSERT ON line BEGIN SELECT 1; END",
    "a table": "CREATE TABLE x(y)",
    "an index less": "DROP INDEX photo_kept",
    "a view for a table": "DROP TABLE told; "
    "CREATE VIEW told AS SELECT 'x' AS hub, number AS session, 9 AS lines FROM session",
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_database_with_foreign_parts_is_told_of_and_made_anew(scene: Scene, name: str) -> None:
    sql(scene.folder, *STRANGE[name].split("; ", 1 if "TABLE told" in STRANGE[name] else 0))
    assert [finding.fault for finding in scene.verify().findings if "database holds" in finding.words] == [Fault.LIST]
    with Journal.open(scene.folder, clock=FakeClock()) as journal:
        assert "a new one was made from the spare logs" in journal.notices[0]
        assert verify(journal, scene.session).whole
        assert verify(journal, scene.other).whole


def test_marks_that_are_missing_are_found_by_the_log_and_the_rulings(journal: Journal, folder: Path) -> None:
    called, proved = play(journal, [*WITHHELD[:6], CALL]), play(journal)
    assert verify(journal, called).whole
    assert verify(journal, proved).whole
    sql(folder, "DELETE FROM dispute")
    for session in (called, proved):
        assert {finding.fault for finding in verify(journal, session).findings} == {Fault.LIST}


def test_a_session_taken_out_whole_is_known_by_its_spare_log(scene: Scene) -> None:
    sql(scene.folder, "DELETE FROM session WHERE number = 1", "DELETE FROM line WHERE session = 1")
    report = scene.verify()
    assert [finding.fault for finding in report.findings] == [Fault.MISSING]
    assert report.code == scene.code
    with Journal.open(scene.folder, read_only=True) as journal, pytest.raises(NoSuchSession):
        verify(journal, "99999-none")


def test_a_log_rewritten_everywhere_is_found_by_the_written_code(scene: Scene) -> None:
    texts = [scene.text(seq) for seq in range(LINES)]
    texts[3] = texts[3].replace('"seat":3', '"seat":2')
    scene.rewrite(texts, spare=True)
    assert scene.verify().whole, "nothing on this machine can tell"
    assert [finding.fault for finding in scene.verify(scene.code).findings] == [Fault.CODE]


def test_a_tail_cut_everywhere_is_found_by_the_written_code(scene: Scene) -> None:
    scene.rewrite([scene.text(seq) for seq in range(5)], spare=True)
    assert scene.verify().whole
    assert [finding.fault for finding in scene.verify(scene.code).findings] == [Fault.CODE]


def test_a_code_written_down_earlier_still_counts(folder: Path, journal: Journal) -> None:
    session = fill(journal, 3)
    code = verify(journal, session).code
    journal.end(session)
    report = verify(journal, session, code.lower().replace("-", " "))
    assert report.whole
    assert report.since_code == 1


def test_a_code_copied_wrongly_is_told_from_a_forged_log(folder: Path, journal: Journal) -> None:
    session = fill(journal, 3)
    code = verify(journal, session).code
    slip = ("8" if code[0] != "8" else "9") + code[1:]
    (finding,) = verify(journal, session, slip).findings
    assert finding.fault is Fault.CODE
    assert f"but {code} was (1 character apart): was it copied wrongly?" in finding.words
    (finding,) = verify(journal, session, head_code(genesis("another evening"))).findings
    assert "its tail was cut or it was rewritten" in finding.words


@pytest.mark.parametrize("written", ["7K2M-Q9XD", "7K2M-Q9XD-04TBB", "UUUU-UUUU-UUUU", "the code", "7K2M–Q9XD–04T\x1b"])
def test_what_is_no_head_code_is_said_so(journal: Journal, written: str) -> None:
    session = fill(journal, 1)
    with pytest.raises(BadEntry, match="is no head code: 12 letters and digits") as caught:
        verify(journal, session, written)
    assert "\x1b" not in str(caught.value)


def test_codes_can_be_read_aloud() -> None:
    digest = link(genesis("s"), "text")
    code = head_code(digest)
    assert len(code) == 14
    assert not set(code) & set("ILOU")
    assert same_code(code.replace("0", "o").replace("1", "l"), digest)
    assert not same_code(head_code(genesis("t")), digest)


def test_a_game_that_goes_on_in_another_program_is_whole(folder: Path, journal: Journal) -> None:
    """The database is a line ahead while the spare log is being written."""
    session = fill(journal, 3)
    spare = folder / "spare" / f"{session}.jsonl"
    whole = spare.read_bytes()
    spare.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 1])

    def finish() -> None:
        spare.write_bytes(whole)

    with Journal.open(folder, read_only=True) as reader:
        later = Timer(0.1, finish)
        later.start()
        report = verify(reader, session)
        later.join()
        assert report.whole, report.text()
        spare.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 1])
        assert not verify(reader, session).whole


def test_verify_in_the_writing_program_sees_no_half_written_line(journal: Journal) -> None:
    session = fill(journal, 1)
    wrong: list[str] = []

    def check() -> None:
        while not done.is_set():
            report = verify(journal, session)
            if not report.whole:
                wrong.append(report.text())

    done = Event()
    checker = Thread(target=check)
    checker.start()
    for number in range(1, 40):
        journal.append(session, laid(number))
    done.set()
    checker.join()
    assert wrong == []
