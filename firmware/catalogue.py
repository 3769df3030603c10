"""The words that the page takes from the rest of the program, put into its catalogue: ``python -m firmware.catalogue``.

A translator finds every word of the page in one file, ``words/en.json``. The keys here are written from the code; the
page shows them in place of the program's own English sentences wherever it runs in another language.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .page import house_rules
from .panel.meanings import TABLE
from .referee.rulings import CODES
from .web import answers, guard

FILE: Final = Path(__file__).parent / "web" / "static" / "words" / "en.json"

#: The parts of the catalogue that are written from the code.
DERIVED: Final = ("code.", "light.", "beat.", "game.", "rule.", "choice.value.", "error.")


def derived() -> dict[str, str]:
    """Rulings' codes, lights and rhythms, games, house rules and refusals in English, by the catalogue's keys."""
    return dict([*_codes(), *_lights(), *_games(), *_errors()])


def _codes() -> Iterator[tuple[str, str]]:
    yield from ((f"code.{code}", words) for code, words in CODES.items())


def _lights() -> Iterator[tuple[str, str]]:
    for meaning, row in TABLE.items():
        words = row.words.replace("{count}", "{n}").replace(": {detail}", "").replace("{detail}", "").strip()
        yield f"light.{meaning.value}", words
        yield f"beat.{meaning.value}", row.beat


def _games() -> Iterator[tuple[str, str]]:
    for game in house_rules():
        yield f"game.{game['key']}", game["title"]
        yield f"game.{game['key']}.summary", game["summary"]
        for rule in game["house"]:
            yield f"rule.{rule['name']}", rule["label"]
            yield f"rule.{game['key']}.{rule['name']}", rule["words"]
            yield from ((f"choice.value.{one['value']}", one["words"]) for one in rule["choices"])


def _errors() -> Iterator[tuple[str, str]]:
    yield from ((f"error.{code}", words) for code, words in {**answers.WORDS, **guard.WORDS}.items())


def write(path: Path = FILE) -> None:
    """Put the derived keys into the English catalogue, after the page's own, in order."""
    kept = {key: words for key, words in json.loads(path.read_text("utf-8")).items() if not _is_derived(key)}
    path.write_text(json.dumps({**kept, **derived()}, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _is_derived(key: str) -> bool:
    return key.startswith(DERIVED) and key not in KEPT


#: Keys of the page's own that look like derived ones.
KEPT: Final = frozenset({"error.OFFLINE", "light.and_beat"})


if __name__ == "__main__":
    write()
