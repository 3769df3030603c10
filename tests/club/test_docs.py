"""The club's pages say what the code does: options, words that are said, commands that exist, pages that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firmware.cli import commands
from firmware.rejudge.report import CHANGES, HARD, ITEMS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
CODE = "".join(
    path.read_text() for folder in ("club", "rejudge") for path in (ROOT / "firmware" / folder).rglob("*.py")
)


def options(command: str) -> set[str]:
    return {name for one in commands.commands[command].params for name in one.opts if name.startswith("--")}


@pytest.mark.parametrize(("command", "page"), [("hub", "club.md"), ("rejudge", "rejudge.md")])
def test_every_option_is_in_the_page(command: str, page: str) -> None:
    text = (DOCS / page).read_text()
    for option in options(command) - {"--json"}:
        assert option in text, option
    assert set(re.findall(r"`(--[a-z-]+)", text)) <= options(command) | {"--json", "--nthreads"}


def test_what_the_page_says_is_said() -> None:
    said = re.findall(r"^\| `([^`]+)`", (DOCS / "club.md").read_text().partition("When something is wrong")[2], re.M)
    words = {part for row in said for part in [row.replace("; trying again", "")]}
    assert words >= {"no answer", "its certificate is not to be trusted", "the connection was lost"}
    for word in words - {"not authorized"}:  # the broker's own word
        assert word in CODE, word


def test_the_columns_of_a_report_are_those_that_the_page_names() -> None:
    text = (DOCS / "rejudge.md").read_text()
    for name in ("what", "before", "after", "code", "seat"):
        assert name in CHANGES
        assert name in text
    assert {"why", "sure", "label", "picture"} <= set(HARD)
    assert {"changed_readings", "changed_rulings", "changed_proofs", "trouble"} <= set(ITEMS)


@pytest.mark.parametrize("page", ["club.md", "rejudge.md", "scale.md", "adr/0006-the-hub-acknowledges.md"])
def test_links_are_there(page: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", (DOCS / page).read_text()):
        assert (DOCS / page).parent.joinpath(target).exists(), target


def test_commands_of_the_page_of_scale_are_targets() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
    for name in re.findall(r"make ([a-z-]+)", (DOCS / "scale.md").read_text()):
        assert name in targets
