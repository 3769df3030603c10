"""Thousands of odd requests, made by schemathesis from the page's own description: none may be a server error."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from firmware.web import security
from firmware.web.security import Limit
from firmware.web.server import serve

from .conftest import KEYS, Home

#: Requests made for each operation and phase; with 60, 1,425 requests took 131 s on a busy machine of two cores.
EXAMPLES = 20
NO_LIMIT = Limit(10**9, 1e-9)


@pytest.mark.slow
def test_no_request_is_a_server_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("schemathesis") is None:
        pytest.skip("schemathesis is not installed")
    for name in ("GUESS_EACH", "GUESS_TOTAL", "PIN_EACH", "PIN_TOTAL", "ACT_EACH", "ACT_TOTAL"):
        monkeypatch.setattr(security, name, NO_LIMIT)
    home = Home()
    home.table.lay("7H")
    described = home.app.openapi()
    described["paths"].pop("/api/events")  # a stream does not end
    (tmp_path / "openapi.json").write_text(json.dumps(described))
    with serve(home.app, port=0) as running:
        done = subprocess.run(_command(tmp_path / "openapi.json", running.url, _cookie(home)), capture_output=True)
    assert done.returncode == 0, done.stdout.decode()[-3000:]


def _cookie(home: Home) -> str:
    door = home.security
    badge = door.join(KEYS.join_code, "")
    seated = badge and door.sit(badge, KEYS.seat_tokens[1], "")
    host = seated and door.host(seated, KEYS.host_pin, "")
    assert host
    return door.seal(host)


def _command(schema: Path, url: str, cookie: str) -> list[str]:
    how = ["--checks", "not_a_server_error", "--max-examples", str(EXAMPLES), "--phases", "examples,coverage,fuzzing"]
    head = ["-H", f"Cookie: cardtable={cookie}"]
    return [sys.executable, "-m", "schemathesis.cli", "run", str(schema), "--url", url, *head, *how]
