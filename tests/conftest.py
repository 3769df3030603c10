"""Fixtures that every test may use, and the count of tests that ran on the shared examples."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED_HOME = Path(__file__).resolve().parent.parent.parent / "shared"
#: Set by .ci/run where the shared examples are there: then nothing that needs them may be skipped.
REQUIRED = os.environ.get("CARDTABLE_REQUIRE_SHARED") == "1"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with photographs, recordings and rules beside the checkout (or ``$CARDTABLE_SHARED``)."""
    folder = Path(os.environ.get("CARDTABLE_SHARED", SHARED_HOME))
    if not folder.is_dir():
        if REQUIRED:
            pytest.fail(f"{folder}: the shared examples are required here and missing")
        pytest.skip("the shared photographs, recordings and rules are not beside this checkout")
    return folder


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Where the shared examples are required, a skipped test that needs them is a failed one."""
    outcome = yield
    report = outcome.get_result()
    if item.get_closest_marker("shared") is not None and report.skipped and REQUIRED:
        report.outcome, report.longrepr = "failed", f"{item.nodeid}: skipped, though the shared examples are here"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests ran on the shared examples, in whichever process."""
    passed = terminalreporter.stats.get("passed", [])
    ran = sum(report.when == "call" and "shared" in report.keywords for report in passed)
    terminalreporter.write_line(f"tests run on the shared examples: {ran}")
