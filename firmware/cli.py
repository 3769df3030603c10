"""The command ``cardtable``: reads the command line, calls the part that does the work, prints what it says.

Exit status: 0 done; 1 the answer is "no"; 2 wrong usage or unusable input, with one line on standard error.
Parts are imported where they are used, so that ``cardtable --help`` is quick and works without a camera or pins.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .plain import forgiving, plain, plain_json, plain_line

if TYPE_CHECKING:
    from .config import TableConfig
    from .journal.journal import Journal
    from .journal.listing import Query
    from .panel.config import PanelConfig
    from .referee.rulings import Ruling

EXIT_NO = 1
EXIT_UNUSABLE = 2
EXIT_FAULT = 70

as_json = click.option("--json", "as_json", is_flag=True, help="One JSON object a line, and nothing else.")


def main(argv: list[str] | None = None) -> None:
    """Run the command line and leave with its exit status; every failure is one line on standard error."""
    forgiving()
    status = run(sys.argv[1:] if argv is None else argv)
    sys.stdout.flush()
    sys.stderr.flush()
    if any(thread.daemon for thread in threading.enumerate()):
        os._exit(status)  # a camera's thread may be inside a library that does not outlive the interpreter (B04)
    sys.exit(status)


def run(argv: list[str]) -> int:
    """The exit status of ``cardtable ARGV...``. Never raises."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # our own line says what is wrong with a video
    os.environ.setdefault("OPENCV_LOG_LEVEL", "ERROR")  # ... or with a camera
    try:
        status = commands.main(argv or ["--help"], prog_name="cardtable", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as leave:
        return int(leave.exit_code)
    except click.Abort:
        return _say("stopped", 130)
    except click.ClickException as error:
        return _say(f"{_one_line(error.format_message())} See: cardtable --help", EXIT_UNUSABLE)
    except (BrokenPipeError, _NobodyReads):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError) as error:
        if os.environ.get("CARDTABLE_DEBUG"):
            raise
        return _say(_one_line(_words_of(error)), EXIT_UNUSABLE)
    except Exception as error:
        if os.environ.get("CARDTABLE_DEBUG"):
            raise
        words = (
            f"this is a fault of the program, {type(error).__name__}: {error}; with CARDTABLE_DEBUG=1 it shows where"
        )
        return _say(_one_line(words), EXIT_FAULT)
    return int(status or 0)


class _NobodyReads(Exception):
    """The reader of a pipe has gone, for instance `| head`: no fault. (Click would end a `BrokenPipeError` with 1.)"""


def _out(plain_text: str) -> None:
    """A line, or several, on standard output, at once; made plain by who says it."""
    try:
        print(plain_text, flush=True)
    except BrokenPipeError:
        raise _NobodyReads from None


def _say(words: str, status: int) -> int:
    _warn(words)
    return status


def _warn(words: str) -> None:
    """A line on standard error; none for no words."""
    if words:
        print(plain_line(f"cardtable: {words}"), file=sys.stderr, flush=True)


def _words_of(error: ValueError | OSError) -> str:
    if isinstance(error, OSError) and error.errno and error.filename:
        from .sharing import remedy

        return f"{error.filename}: {str(error.strerror).lower()}; {remedy(error)}"
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return "standard output: no space left on device; write to another place or free some space"
    return str(error)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _tell(text: str) -> None:
    """Lines on standard output, at once."""
    _out(plain(text.rstrip("\n")))


def _tell_line(words: str) -> None:
    """One line on standard output, whatever stands in it."""
    _out(plain_line(words))


def _print_json(record: Mapping[str, Any]) -> None:
    _out(plain_json(record))


#: The commands as `cardtable --help` lists them: what a newcomer wants first stands first.
SECTIONS = {
    "To try it, and to read pictures": ("demo", "read", "watch"),
    "At the table": ("play", "run"),
    "Setting up": ("mat", "calibrate", "enrol", "check", "wiring"),
    "The rules": ("rule", "rulebook"),
    "The sessions kept": (
        "sessions",
        "show",
        "explain",
        "replay",
        "verify",
        "settle",
        "stats",
        "export",
        "import",
        "forget",
        "repair",
        "serve",
    ),
    "Many tables, many evenings": ("hub", "rejudge"),
}


class _Sections(click.Group):
    """A group whose help shows the commands in their sections, each with its whole first sentence."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, names in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(200)) for name in names])


@click.group(cls=_Sections, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version("cardtable"), prog_name="cardtable")
def commands() -> None:
    """A companion for a real card table: it sees the cards, referees the game and keeps the proof."""


# --- trying it, and pictures -------------------------------------------------------------------------------------


@commands.command()
@click.argument("game", default="fan_tan")
@click.option("--seats", type=click.IntRange(2, 8), help="How many sit at the table.")
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed is another deal and another table.")
@click.option("--headless", is_flag=True, help="No web page, no live drawing: only lines of text.")
@click.option("--strip", type=click.Path(path_type=Path), help="Where the film strip goes (a PNG).")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="Where the session is kept (default: a folder of its own).",
)
@click.option("--stay", is_flag=True, help="Keep the page open when all is played, until Ctrl-C.")
def demo(
    game: str, seats: int | None, seed: int, headless: bool, strip: Path | None, data: Path | None, stay: bool
) -> int:
    """A whole session with no hardware: a drawn table, the real reader, referee, lights, journal and page."""
    from .demo import run_demo

    return run_demo(game, seats=seats, seed=seed, headless=headless, strip=strip, data=data, stay=stay)


@commands.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option("--card-px", type=click.FloatRange(8, 4000), help="Width of a card, px; found when not given.")
@as_json
def read(paths: tuple[Path, ...], card_px: float | None, as_json: bool) -> None:
    """Read the cards in still pictures, or in a folder of them."""
    from vision.reader import Reader
    from vision.stills import read_paths

    if card_px is not None and card_px != card_px:
        raise click.UsageError("--card-px: nan is no width.")

    for picture in read_paths(paths, Reader.load(), card_px):
        if as_json:
            _print_json(picture)
        else:
            found = " ".join(f"{c['card']}({c['confidence']:.2f})" for c in picture["cards"]) or "no card"
            _tell_line(f"{picture['image']}: {found}")


@commands.command()
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--trace", type=click.Path(path_type=Path), metavar="OUT.mp4", help="Draw what was seen into this film.")
@as_json
def watch(recording: Path, trace: Path | None, as_json: bool) -> None:
    """Judge a recording: facts and rulings as they happen, then the result."""
    from vision.reader import Reader

    from .watch import watch as watched

    for record in watched(recording, Reader.load(), trace):
        if as_json:
            _print_json(record)
        else:
            for words in _record_words(record):
                _tell_line(words)


# --- the real table ------------------------------------------------------------------------------


@commands.command()
@click.argument("game")
@click.option("--seats", default="", help="The players' names, seat 1 first: Ann,Bo,Cy.")
@click.option("--record", type=click.Path(path_type=Path), help="Keep the video and the presses in this new folder.")
def play(game: str, seats: str, record: Path | None) -> int:
    """Referee a game at the real table: camera, lights, buttons; Ctrl-C ends it."""
    from .play import play as played

    return played(game, tuple(name.strip() for name in seats.split(",") if name.strip()), record)


@commands.command("run")
def run_() -> int:
    """What the service starts: the table, waiting; the game is chosen on the page."""
    from .play import run as ran

    return ran()


# --- setting up ----------------------------------------------------------------------------------

_FILE = click.Path(path_type=Path)
picture = click.option("--picture", type=_FILE, help="Use this picture instead of the camera.")


@commands.command()
@click.argument("target", type=_FILE, metavar="FILE.pdf")
@click.option("--seats", type=click.IntRange(2, 8), default=4, show_default=True, help="How many sit at the table.")
@click.option("--size", default="900x700", show_default=True, help="The playing area in mm, width x height.")
@click.option("--deep", is_flag=True, help="For games with piles and a stock: Wish Card, Ranter-Go-Round.")
@click.option("--sheets", type=click.Choice(["one", "a4", "a3"]), default="one", show_default=True)
@click.option("--no-ink", is_flag=True, help="Leave the paper white.")
@click.option("--markers", is_flag=True, help="Only four corner markers to cut out, for any cloth.")
def mat(target: Path, seats: int, size: str, deep: bool, sheets: Any, no_ink: bool, markers: bool) -> None:
    """Print a mat (PDF) with the markers and the seat zones, and write the zones to table.toml."""
    from .setting_up import make_markers, make_mat

    plan = target, seats, _size(size), deep
    _tell("\n".join(make_markers(*plan) if markers else make_mat(*plan, sheets, not no_ink)))


@commands.command()
@picture
@click.option(
    "--corners", help='The corners by hand, px clockwise from the top left: "112,60 1172,84 1166,905 98,890".'
)
@click.option("--shown", type=_FILE, help="Draw the result into this picture.")
@as_json
def calibrate(picture: Path | None, corners: str | None, shown: Path | None, as_json: bool) -> int:
    """Find the mat or the corners of the empty table; say how well it is seen, and what to do about it."""
    from .setting_up import calibrate_table, parse_corners

    done = calibrate_table(_picture(picture), parse_corners(corners) if corners else None, shown)
    for finding in done.findings:
        if as_json:
            _print_json({"check": finding.what, "ok": finding.good, "why": finding.words})
        else:
            _tell_line(finding.line)
    return 0 if done.good else EXIT_NO


@commands.command()
@click.argument("pictures", nargs=-1, type=_FILE)
@click.option("--in-order", "suits", default="", help="The cards lie in order, one of these suits a picture: SHDC.")
@click.option("--audit", is_flag=True, help="Only count the spread pack: is any card missing or double?")
def enrol(pictures: tuple[Path, ...], suits: str, audit: bool) -> int:
    """Learn this house's own pack, from the camera or from PICTURES; or audit it."""
    from . import setting_up as setting
    from .config import config_folder

    config, _ = setting.table_settings()
    width, advise, order = setting.card_px(config), partial(setting.advice, config), setting.parse_suits(suits)
    if audit:
        image = _picture(pictures[0] if pictures else None)
        words, whole = setting.audit_picture(image, setting.house_reader(), width, advise)
        _tell(words)
        return 0 if whole else EXIT_NO
    taken = map(_picture, pictures) if pictures else setting.pictures_on_request(lambda: _picture(None), _another)
    enrolment = setting.Enrolment(setting.house_reader(), width, order, advise)
    for line in setting.enrol_pictures(enrolment, taken):
        _tell_line(line)
    if enrolment.missing:
        _tell(setting.missing_words(enrolment.missing))
        return EXIT_NO
    _tell("\n".join(enrolment.finish(config_folder())))
    return 0


@commands.command()
@click.option("--panel", is_flag=True, help="Each light in turn, each button asked for, each segment.")
@as_json
def check(panel: bool, as_json: bool) -> int:
    """Test camera, model, panel, disk, memory, clock and power: one line each; 1 if any failed."""
    from . import selftest
    from .setting_up import table_settings

    if panel:
        return _check_panel(as_json)
    lines = []
    for line in selftest.check(selftest.Probes(look=_picture_of)):
        lines.append(line)
        if as_json:
            _print_json(line.to_json())
        else:
            _tell_line(line.text)
    config_notice = table_settings()[1] if not selftest.failed(lines[:1]) else None
    if config_notice and not as_json:
        _tell_line(config_notice)
    return EXIT_NO if selftest.failed(lines) else 0


@commands.command()
@click.option("--seats", type=click.IntRange(1, 8), help="For so many seats (default: those of table.toml, else 4).")
@click.option("--svg", type=_FILE, help="Draw the wiring into this file.")
@click.option("--png", type=_FILE, help="Draw the wiring into this file.")
def wiring(seats: int | None, svg: Path | None, png: Path | None) -> None:
    """Print the wiring of this table's panel, and the parts to buy; draw it."""
    from .panel import drawing
    from .panel.wiring import parts_list, pin_table
    from .panel.wiring_picture import draw

    panel = _panel_config(seats)
    _tell(pin_table(panel) + "\n\n" + parts_list(panel))
    if svg is not None:
        svg.write_text(drawing.svg(draw(panel)), encoding="utf-8")
    if png is not None:
        png.write_bytes(drawing.png(draw(panel), 2))


def _size(text: str) -> tuple[float, float]:
    try:
        width, height = (float(part) for part in text.lower().split("x"))
    except ValueError:
        raise ValueError(f"--size: {text!r} is no size; width x height in mm, such as 900x700") from None
    return width, height


def _panel_config(seats: int | None) -> PanelConfig:
    """The panel that table.toml describes, for so many seats; the usual one where it describes none."""
    from .config import config_folder, load_table
    from .panel.config import BoardKind, default, panel_config

    path = config_folder() / "table.toml"
    if path.is_file():
        config = load_table(path)
        seats = seats or config.seats
        wanted = panel_config(config.panel, seats)
        if wanted.board is not BoardKind.NONE:
            return wanted
    count = seats or 4
    return default(BoardKind.SMALL if count <= 4 else BoardKind.LARGE, count)


def _check_panel(as_json: bool) -> int:
    from .config import config_folder, load_table
    from .panel.check import Outcome, check_panel
    from .selftest import no_panel

    path = config_folder() / "table.toml"
    if path.is_file() and (line := no_panel(load_table(path))) is not None:
        if as_json:
            _print_json(line.to_json())
        else:
            _tell_line(line.text)
        return 0
    good = True
    for report in check_panel(_panel_config(None)):
        good = good and report.outcome is not Outcome.FAILED
        if as_json:
            _print_json(report.to_json())
        else:
            _tell_line(report.words)
    return 0 if good else EXIT_NO


def _picture(path: Path | None) -> Any:
    """A picture from a file, or from this table's camera."""
    from .setting_up import table_settings

    if path is None:
        return _picture_of(table_settings()[0])
    from vision.stills import load_picture

    return load_picture(path)


def _picture_of(config: TableConfig) -> Any:
    """A picture from the table's camera: lent by the running table, or taken by us where none runs."""
    from time import sleep

    from .config import data_folder
    from .lending import borrowed
    from .play import SETUP_TRIES, open_camera
    from .setting_up import one_picture

    lent = borrowed(data_folder())
    return one_picture(open_camera(config.source, sleep, _warn, SETUP_TRIES)) if lent is None else lent


def _another() -> bool:
    return click.confirm("Lay some cards apart, face up. Take a picture", default=True)


# --- the rules ---------------------------------------------------------------------------------------------------


@commands.command()
@click.argument("script", type=click.Path(path_type=Path))
@as_json
def rule(script: Path, as_json: bool) -> None:
    """Judge a written game, or a list of them, with no camera."""
    from .referee.script import is_list, load_scripts, read_script, run_script

    text = read_script(script)
    several = is_list(text)
    for written in load_scripts(text, str(script)):
        match, rulings = run_script(written)
        name = {"id": written.id} if several else {}
        for ruling in rulings:
            if as_json:
                _print_json({**name, **ruling.to_json()})
            else:
                _tell_line(_ruling_words(ruling, match.setup.seats))
        _print_result({**name, "result": match.result()}, as_json)


@commands.command()
@click.argument("game")
def rulebook(game: str) -> None:
    """The rules of a game in plain words, with its house rules and their defaults."""
    from .referee.match import rulebook as text

    _tell(text(game))


def _print_result(record: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        _print_json(record)
        return
    _tell_line(f"result{' of ' + str(record['id']) if 'id' in record else ''}:")
    for key, value in record["result"].items():
        _tell_line(f"  {key:<16} {_value_words(value)}")


def _value_words(value: Any) -> str:
    from .screen import value_words

    return value_words(value)


def _ruling_words(ruling: Ruling, seats: tuple[str, ...]) -> str:
    who = seats[ruling.seat - 1] if ruling.seat else ""
    return f"  [{ruling.id}] {ruling.kind.value}{' ' + ruling.code if ruling.code else ''} {who}: {ruling.why}".rstrip(
        " :"
    )


def _record_words(record: Mapping[str, Any]) -> list[str]:
    """The lines that tell a record of `watch`."""
    if "result" in record:
        return ["result:", *(f"  {k:<16} {_value_words(v)}" for k, v in record["result"].items())]
    time = f"{record['t']:7.2f} s"
    if "ruling" in record:
        return [f"{time}      {record['ruling']} {record.get('code', '')}: {record['why']}"]
    hidden = ("t", "at", "entry", "fact", "note", "confidence", "seat_confidence")
    rest = " ".join(f"{k} {v}" for k, v in record.items() if k not in hidden)
    return [f"{time}  #{record['entry']} {record.get('fact') or record['note']} {rest}"]


# --- the sessions kept ---------------------------------------------------------------------------


_day = click.DateTime(formats=["%Y-%m-%d"])


@commands.command()
@click.option("--game", help="Only this game.")
@click.option("--player", help="Only sessions that this player sat in.")
@click.option("--since", type=_day, metavar="DATE", help="Only sessions of this day or later, such as 2026-11-30.")
@click.option("--until", type=_day, metavar="DATE", help="Only sessions of this day or earlier.")
@click.option("--disputes", is_flag=True, help="Only sessions with a dispute.")
@as_json
def sessions(
    game: str | None, player: str | None, since: datetime | None, until: datetime | None, disputes: bool, as_json: bool
) -> None:
    """The sessions kept here, newest first."""
    from .config import data_folder
    from .journal.listing import Query, day_ns
    from .journal.names import counted

    wanted = Query(
        game=game,
        player=player,
        since_ns=None if since is None else day_ns(since),
        until_ns=None if until is None else day_ns(until + timedelta(days=1)),
        disputes=disputes,
    )
    with _journal() as journal:
        if lost := journal.missing():
            _warn(f"WARNING: of {counted(len(lost), 'session')} only the spare log is left: see `cardtable repair`")
        _warn_of_unknown(journal, wanted)
        found = journal.sessions(wanted)
        if not found and not as_json:
            _tell_line(f"no such session is kept in {data_folder()}; `cardtable demo` or `cardtable play` makes one")
        for one in found:
            if as_json:
                _print_json(one.to_json())
            else:
                _tell_line(one.text())


@commands.command()
@click.argument("session")
def show(session: str) -> None:
    """Tell a session as a person would; `last` is the newest."""
    from .journal.report import show_text

    with _journal() as journal:
        _tell(show_text(journal, session))


@commands.command()
@click.argument("session")
@as_json
def replay(session: str, as_json: bool) -> int:
    """Judge a session's log again, and say where the referee would now say something else."""
    from .journal.replay import replay as judged
    from .journal.replay import replay_text, results
    from .journal.verify import doubt

    with _journal() as journal:
        changed = doubt(journal, session)
        if as_json:
            _warn(changed)
            for result in results(judged(journal, session)):
                _print_json(result)
        text, same = replay_text(journal, session, changed)
        if not as_json:
            _tell(text)
        return 0 if same else EXIT_NO


@commands.command()
@click.argument("session")
@click.argument("ruling")
@click.option("--boxes", type=_FILE, metavar="FOLDER", help="Copy its pictures here, with what the reader reads now.")
@as_json
def explain(session: str, ruling: str, boxes: Path | None, as_json: bool) -> None:
    """Why the referee said that: the rule, the entries and the pictures behind ruling RULING."""
    from .journal.explain import explain as explained

    with _journal() as journal:
        told = explained(journal, session, ruling)
        if boxes is not None:
            from .boxes import with_boxes
            from .setting_up import house_reader

            pictures = (path for shown in told.evidence for path in shown.pictures)
            for path in with_boxes(pictures, house_reader(), boxes):
                (_warn if as_json else _tell_line)(f"boxes: {path}")
        if as_json:
            _warn(told.doubt)
            _print_json(told.to_json())
        else:
            _tell(told.text())


@commands.command()
@click.argument("session")
@click.option("--code", help="A head code that somebody wrote down, to be checked as well.")
@as_json
def verify(session: str, code: str | None, as_json: bool) -> int:
    """Check that nothing of a session was changed; 0 when it is whole, 1 when not."""
    from .journal.verify import verify as verified

    with _journal() as journal:
        report = verified(journal, session, code)
        if as_json:
            _print_json(report.to_json())
        else:
            _tell(report.text())
        return 0 if report.whole else EXIT_NO


@commands.command()
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@click.option("--evening", type=_day, metavar="DATE", help="All sessions begun from noon of this day to the next noon.")
@as_json
def settle(sessions: tuple[str, ...], evening: datetime | None, as_json: bool) -> int:
    """Settle up over these sessions, or a whole evening: who owes whom, in the fewest transfers."""
    from .journal.listing import Query, day_ns
    from .journal.replay import settle_evening
    from .journal.verify import doubt

    with _journal() as journal:
        found: list[str] = []
        if evening is not None:
            noon = evening + timedelta(hours=12)
            wanted = Query(since_ns=day_ns(noon), until_ns=day_ns(noon + timedelta(days=1)))
            found = [one.row.id for one in journal.sessions(wanted)]
        if not (sessions or found):
            raise click.UsageError("No session: name some, or give --evening and a day on which there was play.")
        for session in (*sessions, *found):
            _warn(doubt(journal, session))
        settlement, left_out = settle_evening(journal, sessions, found)
        for words in left_out:
            _warn(f"WARNING: left out: {words}")
        if as_json:
            _print_json(settlement.to_json())
        else:
            _tell(settlement.text())
        return EXIT_NO if left_out else 0


@commands.command()
@click.option("--game", help="Only this game.")
@click.option("--player", help="Only sessions that this player sat in.")
@click.option("--svg", type=click.Path(path_type=Path), help="Draw what everybody won and lost into this file.")
def stats(game: str | None, player: str | None, svg: Path | None) -> None:
    """Figures for the curious: by player and game, passes, false passes proved, payments, longest session."""
    from .journal.listing import Query
    from .journal.stats import net_svg, statistics, total_nets

    wanted = Query(game=game, player=player)
    with _journal() as journal:
        _warn_of_unknown(journal, wanted)
        found = statistics(journal, wanted)
    for words in found.doubts:
        _warn(words)
    _tell(found.text())
    if svg is not None:
        svg.write_text(net_svg(total_nets(found), "Won and lost"), encoding="utf-8")


def _warn_of_unknown(journal: Journal, query: Query) -> None:
    """A game that nobody knows is wrong usage; a player whom no session knows was probably misspelt."""
    from .journal.listing import check_game, unknown_player

    check_game(journal.store, query)
    _warn(unknown_player(journal.store, query))


@commands.command()
@click.argument("session")
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(session: str, yes: bool) -> None:
    """Remove a session's pictures; its ledger and log stay."""
    from .journal.report import what_is_forgotten

    with _journal(write=True, alone=True) as journal:
        row = journal.session(session)
        if not yes and sys.stdin.isatty():
            click.confirm(plain_line(f"{what_is_forgotten(journal, row)} Remove them for good"), abort=True, err=True)
        elif not yes and session == "last":
            raise click.UsageError(f"The last session is {row.id}: say so, or give --yes.")
        _tell(f"{journal.forget(row.id) / 1e6:.1f} MB of pictures of {row.id} removed; the log is kept")


@commands.command()
def repair() -> None:
    """Put a damaged journal right, and look at every session; nothing is deleted, broken files are set aside."""
    from .journal.mend import mend

    with _journal(write=True) as journal:
        for words in mend(journal):
            _tell_line(words)


@commands.command()
@click.argument("session")
@click.option("--format", "form", type=click.Choice(["json", "csv", "html", "zip"]), default="html", show_default=True)
@click.option("--to", "target", type=click.Path(path_type=Path), help="The file to write; - is standard output.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def export(session: str, form: str, target: Path | None, force: bool) -> None:
    """Write a session into one file: to print (html), to count with (csv), to keep or to import (zip)."""
    from .journal.export import WITH_PICTURES, Format, export_session, exported
    from .journal.verify import doubt, spoilt_pictures

    with _journal() as journal:
        _warn(doubt(journal, session))
        if form in WITH_PICTURES:
            _warn(spoilt_pictures(journal, session))
        if str(target) == "-":
            _pour(exported(journal, session, Format(form)))
        else:
            _tell_line(str(export_session(journal, session, Format(form), target, force=force)))


def _pour(data: bytes) -> None:
    """A whole file into standard output."""
    if sys.stdout.isatty():
        raise click.UsageError("--to -: a terminal is no place for a whole file: send it into one, or into a pipe.")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


@commands.command()
def serve() -> int:
    """The web page alone, over the sessions kept here."""
    from .play import serve as served

    return served()


@commands.command("import")
@click.argument("file", type=click.Path(path_type=Path))
def import_(file: Path) -> None:
    """Take a session that was exported as zip into the sessions kept here."""
    from .journal.importing import import_zip
    from .journal.verify import spoilt_pictures

    with _journal(write=True) as journal:
        session = import_zip(journal, file)
        _warn(spoilt_pictures(journal, session))
        _tell_line(session)


# --- many tables ---------------------------------------------------------------------------------


@commands.command(context_settings={"auto_envvar_prefix": "CARDTABLE_HUB"})
@click.option("--broker", default="mqtt://127.0.0.1:1883", show_default=True, help="mqtt://HOST:PORT or mqtts://...")
@click.option("--user", default="", help="As whom the broker knows the hub.")
@click.option("--password-file", default="", help="The file with the password for the broker.")
@click.option("--ca", default="", help="PEM file of the authority behind the broker's certificate.")
@click.option("--database", default="", help="A file, or postgresql://USER@HOST/NAME (default: hub.db in our folder).")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where the page listens; `lan` for the network.")
@click.option("--port", type=click.IntRange(0, 65535), default=8090, show_default=True)
@click.option("--everywhere", is_flag=True, help="Allow a --host that means every network at once.")
def hub(host: str, port: int, everywhere: bool, **settings: str) -> int:
    """Every table of a club on one page: hear them over MQTT, keep their ledgers, settle the evening up."""
    from .club.serve import HubSettings, run_hub
    from .config import WebSettings

    web = WebSettings(host=host, port=port, everywhere=everywhere)
    return run_hub(HubSettings(**settings, web=web), _tell_line)


@commands.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FOLDER...")
@click.option("--house", multiple=True, metavar="NAME=VALUE", help="Under this house rule (or GAME.NAME=VALUE).")
@click.option("--model", default="", metavar="FOLDER", help="With these models; `ours` for the program's own.")
@click.option("--scheduler", default="", metavar="URL", help="On a Dask cluster, tcp://HOST:8786; else here.")
@click.option("--to", "target", type=click.Path(path_type=Path), default="rejudged", show_default=True)
@click.option("--format", "form", type=click.Choice(["csv", "parquet"]), default="csv", show_default=True)
@click.option("--hard", is_flag=True, help="Keep the pictures of hard readings, for training.")
@as_json
def rejudge(folders: tuple[Path, ...], as_json: bool, **asked: Any) -> int:
    """Judge recordings and journals again, under another house rule or with another reader; report what changes."""
    from .rejudge.run import rejudge as rejudged

    good = rejudged(folders, **asked, say=_nothing if as_json else _tell, each=_print_json if as_json else _nothing)
    return 0 if good else EXIT_NO


def _nothing(_: object) -> None:
    """Say nothing."""


def _journal(write: bool = False, alone: bool = False) -> Journal:
    from .config import data_folder
    from .journal.journal import Journal

    return Journal.open(data_folder(), read_only=not write, alone=alone)


if __name__ == "__main__":
    main()
