"""The command ``cardtable``: reads the command line, calls the part that does the work, prints what it says.

Exit status: 0 done; 1 the answer is "no"; 2 wrong usage or unusable input, with one line on standard error.
Parts are imported where they are used, so that ``cardtable --help`` is quick and works without a camera or pins.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from .referee.rulings import Ruling

EXIT_NO = 1
EXIT_UNUSABLE = 2
EXIT_FAULT = 70

as_json = click.option("--json", "as_json", is_flag=True, help="One JSON object a line, and nothing else.")


def main(argv: list[str] | None = None) -> None:
    """Run the command line and leave with its exit status; every failure is one line on standard error."""
    sys.exit(run(sys.argv[1:] if argv is None else argv))


def run(argv: list[str]) -> int:
    """The exit status of ``cardtable ARGV...``. Never raises."""
    try:
        status = commands.main(argv, prog_name="cardtable", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as leave:
        return int(leave.exit_code)
    except click.Abort:
        return _say("stopped", 130)
    except click.ClickException as error:
        return _say(f"{_one_line(error.format_message())} See: cardtable --help", EXIT_UNUSABLE)
    except BrokenPipeError:  # the reader of a pipe has gone, for instance `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError) as error:
        if os.environ.get("CARDTABLE_DEBUG"):
            raise
        return _say(_one_line(str(error)), EXIT_UNUSABLE)
    except Exception as error:
        if os.environ.get("CARDTABLE_DEBUG"):
            raise
        words = (
            f"this is a fault of the program, {type(error).__name__}: {error}; with CARDTABLE_DEBUG=1 it shows where"
        )
        return _say(_one_line(words), EXIT_FAULT)
    return int(status or 0)


def _say(words: str, status: int) -> int:
    print(f"cardtable: {words}", file=sys.stderr)
    return status


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _print_json(record: Mapping[str, Any]) -> None:
    print(json.dumps(record, ensure_ascii=False), flush=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
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
def demo(game: str, seats: int | None, seed: int, headless: bool, strip: Path | None, data: Path | None) -> int:
    """A whole session with no hardware: a drawn table, the real reader, referee, lights, journal and page."""
    from .demo import run_demo

    return run_demo(game, seats=seats, seed=seed, headless=headless, strip=strip, data=data)


@commands.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option("--card-px", type=click.FloatRange(min=8), help="Width of a card in the pictures; found when not given.")
@as_json
def read(paths: tuple[Path, ...], card_px: float | None, as_json: bool) -> None:
    """Read the cards in still pictures, or in a folder of them."""
    from vision.reader import Reader
    from vision.stills import read_paths

    for picture in read_paths(paths, Reader.load(), card_px):
        if as_json:
            _print_json(picture)
        else:
            found = " ".join(f"{c['card']}({c['confidence']:.2f})" for c in picture["cards"]) or "no card"
            print(f"{picture['image']}: {found}")


@commands.command()
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--trace", type=click.Path(path_type=Path), help="Draw what was seen onto the video, into this file.")
@as_json
def watch(recording: Path, trace: Path | None, as_json: bool) -> None:
    """Judge a recording: facts and rulings as they happen, then the result."""
    from vision.reader import Reader

    from .watch import watch_recording

    for record in watch_recording(recording, Reader.load(), trace=trace):
        if as_json:
            _print_json(record)
        else:
            print(_record_words(record), flush=True)


# --- the rules ---------------------------------------------------------------------------------------------------


@commands.command()
@click.argument("script", type=click.Path(path_type=Path))
@as_json
def rule(script: Path, as_json: bool) -> None:
    """Judge a written game, or a list of them, with no camera."""
    from .referee.script import load_scripts, run_script

    for written in load_scripts(script):
        match, rulings = run_script(written)
        name = {"id": written.id} if written.id else {}
        for ruling in rulings:
            if as_json:
                _print_json({**name, **ruling.to_json()})
            else:
                print(_ruling_words(ruling, match.setup.seats))
        _print_result({**name, "result": match.result()}, as_json)


@commands.command()
@click.argument("game")
def rulebook(game: str) -> None:
    """The rules of a game in plain words, with its house rules and their defaults."""
    from .referee.match import rulebook as text

    print(text(game))


def _print_result(record: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        _print_json(record)
        return
    print(f"result{' of ' + record['id'] if 'id' in record else ''}:")
    for key, value in record["result"].items():
        print(f"  {key:<16} {_value_words(value)}")


def _value_words(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, Mapping):
        return "  ".join(f"{k} {_value_words(v)}" for k, v in value.items()) or "-"
    if isinstance(value, list):
        return ", ".join(" ".join(map(str, v)) if isinstance(v, list) else str(v) for v in value) or "-"
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _ruling_words(ruling: Ruling, seats: tuple[str, ...]) -> str:
    who = seats[ruling.seat - 1] if ruling.seat else ""
    return f"  [{ruling.id}] {ruling.kind.value}{' ' + ruling.code if ruling.code else ''} {who}: {ruling.why}".rstrip(
        " :"
    )


def _record_words(record: Mapping[str, Any]) -> str:
    if "result" in record:
        return "result:\n" + "\n".join(f"  {k:<16} {_value_words(v)}" for k, v in record["result"].items())
    time = f"{record['t']:7.2f} s"
    if "ruling" in record:
        return f"{time}      {record['ruling']} {record.get('code', '')}: {record['why']}"
    rest = {k: v for k, v in record.items() if k not in ("t", "at", "entry", "fact", "confidence")}
    return f"{time}  #{record['entry']} {record['fact']} " + " ".join(f"{k} {v}" for k, v in rest.items())


if __name__ == "__main__":
    main()
