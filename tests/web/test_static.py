"""Laws of the page's own files: no markup from text, nothing from outside, every word in the catalogue."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import firmware.web
from firmware import catalogue, viewfinder
from firmware.referee import games
from firmware.web import assets

STATIC = Path(firmware.web.__file__).parent / "static"
SCRIPTS = sorted(STATIC.rglob("*.js"))
WORDS = json.loads((STATIC / "words" / "en.json").read_text("utf-8"))
RAW = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|createContextualFragment"
    r"|srcdoc|javascript:|setHTML|\.cssText"
)
#: Keys that are made from codes and values: the fixed part, up to the last dot.
MADE = {
    *("state", "nav", "rank", "suit", "zone", "fact", "said", "quiet", "due", "light", "export", "choice", "camera"),
    *("correct", "settle", "error", "film", "said.refused", "source"),
    *("code", "beat", "steps", "game", "rule", "choice.value", "note", "hint", "say", "missed"),
}


@pytest.mark.parametrize("path", [*SCRIPTS, STATIC / "index.html"], ids=lambda path: path.name)
def test_nothing_is_inserted_as_markup(path: Path) -> None:
    assert not RAW.search(path.read_text("utf-8"))


def test_the_grep_finds_what_it_looks_for() -> None:
    assert RAW.search('element.innerHTML = "<b>" + name')


def test_no_script_and_no_style_stands_in_the_page() -> None:
    page = (STATIC / "index.html").read_text("utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    assert not re.search(r"<style|\sstyle=|\son\w+=", page)


@pytest.mark.parametrize("path", sorted(p for p in STATIC.rglob("*") if p.suffix in assets.TYPES), ids=str)
def test_nothing_comes_from_outside(path: Path) -> None:
    addresses = set(re.findall(r"(?:https?:)?//[a-z][\w.-]+\.[a-z]{2,}", path.read_text("utf-8")))
    assert addresses <= {"http://www.w3.org"}


def test_every_file_has_a_type_that_is_served() -> None:
    assert {path.suffix for path in STATIC.rglob("*") if path.is_file()} <= set(assets.TYPES)
    assert len(assets.load()) == sum(path.is_file() for path in STATIC.rglob("*"))


def test_every_word_asked_for_is_in_the_catalogue() -> None:
    asked = {key for path in SCRIPTS for key in re.findall(r'\bt\(\s*"([^"]+)"', path.read_text("utf-8"))}
    asked |= {
        key
        for path in SCRIPTS
        for key in re.findall(r'form\("([^"]+)", "([^"]+)"', path.read_text("utf-8"))
        for key in key
    }
    assert len(asked) > 80
    missing = {key for key in asked if key not in WORDS and f"{key}.other" not in WORDS}
    assert missing == set()


def test_every_word_in_the_catalogue_is_used() -> None:
    text = "".join(path.read_text("utf-8") for path in SCRIPTS)
    unused = set()
    for key in WORDS:
        plain = re.sub(r"\.(one|other)$", "", key)
        made = any(plain.startswith(f"{part}.") for part in MADE)
        if f'"{plain}"' not in text and not made:
            unused.add(key)
    assert unused == set()


def test_counted_words_have_both_forms() -> None:
    for key in WORDS:
        if key.endswith(".one"):
            assert key[:-4] + ".other" in WORDS


def test_no_english_is_left_in_the_scripts() -> None:
    """Two words with a space between, in a string that is not a class list, a path, CSS or an event list."""
    phrase = re.compile(r'(?<!class: )"([A-Z][a-z]+(?: [a-z]+)+[.?!]?)"')
    found = {text for path in SCRIPTS for text in phrase.findall(path.read_text("utf-8"))}
    assert found == set()


def test_the_catalogue_knows_every_fact_ruling_and_card() -> None:
    from firmware.referee.cards import RANKS, SUITS
    from firmware.referee.events import WORDS as FACTS
    from firmware.referee.rulings import Kind

    assert all(f"fact.{word}" in WORDS for word in FACTS.values())
    assert all(f"said.{kind}" in WORDS or f"said.{kind}.other" in WORDS for kind in Kind)
    assert all(f"rank.{rank}" in WORDS for rank in RANKS)
    assert all(f"suit.{suit}" in WORDS for suit in SUITS)


def test_what_the_program_says_by_itself_is_in_the_catalogue_word_for_word() -> None:
    """`python -m firmware.catalogue` writes it: a translator finds every sentence in the one file."""
    said = catalogue.derived()
    assert {key: WORDS.get(key) for key in said} == said
    derived = {key for key in WORDS if key.startswith(catalogue.DERIVED) and key not in catalogue.KEPT}
    assert derived == set(said)


def test_the_referees_dues_and_hints_have_words() -> None:
    asked = {"PLAY", "LEAD", "PAY", "TURN", "GATHER", "REPLY", "EXPOSE", "DEAL"}
    text = "".join(path.read_text("utf-8") for path in Path(games.__file__).parent.rglob("*.py"))
    assert set(re.findall(r'Due\(\s*"([A-Z]+)"', text)) == asked
    assert all(f"due.{due}" in WORDS or f"due.{due}.other" in WORDS for due in asked)
    hints = re.findall(r'_hint\("([A-Z_]+)"', Path(viewfinder.__file__).read_text("utf-8"))
    assert len(hints) == 4
    assert all(f"hint.{code}" in WORDS for code in [*hints, "FOCUS", "LIGHT", "GLARE", "SIZE", "LEVEL"])


def test_a_missing_page_is_said_clearly(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="the page's files are missing; install cardtable again"):
        assets.load(tmp_path)
