"""``cardtable check`` with every fault that a Pi on a table has shown."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firmware import dark, selftest
from firmware.mat import table_toml
from firmware.panel.pins import PanelError
from firmware.selftest import Probes, State
from vision.frames import CameraAbsent

PICTURE = np.random.default_rng(1).integers(0, 255, (720, 1280, 3), np.uint8)
HASH = "0123456789abcdef" * 4
FILES = {
    "/proc/meminfo": "MemTotal:        3884000 kB\nMemAvailable:    3100000 kB\n",
    "/sys/class/thermal/thermal_zone0/temp": "54321",
}
COMMANDS = {"timedatectl": "yes", "vcgencmd": "throttled=0x0"}


def probes(**changes: Any) -> Probes:
    """A healthy Pi."""
    healthy = Probes(
        look=lambda config: PICTURE,
        read_file=FILES.get,
        command=lambda *words: COMMANDS.get(words[0]),
        now_s=lambda: 1_800_000_000.0,
        free_bytes=lambda folder: 20_000_000_000,
        import_pins=lambda panel: None,
        read_once=lambda: HASH,
    )
    return dataclasses.replace(healthy, **changes)


def fails(error: Exception) -> Callable[..., Any]:
    def fail(*_: object) -> Any:
        raise error

    return fail


@pytest.fixture(autouse=True)
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table with a small panel, in a settings folder of its own."""
    monkeypatch.setenv("CARDTABLE_CONFIG", str(tmp_path / "etc"))
    monkeypatch.setenv("CARDTABLE_DATA", str(tmp_path / "data"))
    path = tmp_path / "etc" / "table.toml"
    path.parent.mkdir()
    path.write_text(table_toml(4) + '\n[panel]\nboard = "small"\n')
    return path


def lines(found: Probes) -> dict[str, selftest.Line]:
    return {line.what: line for line in selftest.check(found)}


def test_a_healthy_pi_passes_with_one_line_a_part() -> None:
    found = lines(probes())
    assert {n: line.state for n, line in found.items() if line.state is not State.OK} == {}
    assert list(found) == ["settings", "camera", "model", "panel", "disk", "memory", "clock", "temperature", "power"]
    assert not any("\n" in line.text for line in found.values())
    assert not selftest.failed(list(found.values()))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ModuleNotFoundError("No module named 'libcamera'"), "apt install python3-picamera2"),
        (ValueError("numpy.dtype size changed, may indicate binary incompatibility"), "NumPy in our environment"),
        (IndexError("list index out of range"), "reseat the ribbon"),
        (CameraAbsent("camera 0: is not there; plug it in"), "plug it in"),
        (RuntimeError("Camera __init__ sequence did not complete."), "troubleshooting"),
    ],
)
def test_b02_b10_each_camera_fault_has_its_own_remedy(error: Exception, words: str) -> None:
    found = lines(probes(look=fails(error)))
    assert found["camera"].state is State.BAD
    assert words in found["camera"].words
    assert not found["camera"].words.startswith("camera:"), "the line says so already"
    assert [n for n, line in found.items() if line.state is State.BAD] == ["camera"], "everything else still runs"
    assert selftest.failed(list(found.values()))


def test_a_covered_lens_is_told() -> None:
    dark_picture = (8 + np.random.default_rng(1).normal(0, 2, (72, 128, 3))).clip(0).astype(np.uint8)
    assert "covered" in lines(probes(look=lambda config: dark_picture))["camera"].words


@pytest.mark.parametrize(
    ("changes", "what", "words"),
    [
        ({"free_bytes": lambda folder: 300_000_000}, "disk", "300 MB free"),
        ({"now_s": lambda: 86_400.0}, "clock", "shows 1970-01-0"),
        ({"read_file": lambda p: "81000" if "thermal" in p else FILES.get(p)}, "temperature", "81 C"),
        ({"read_file": lambda p: "MemAvailable: 90000 kB" if "mem" in p else FILES.get(p)}, "memory", "90 MB"),
        ({"command": lambda *w: "throttled=0x50005"}, "power", "under-voltage now"),
        ({"import_pins": fails(PanelError("no lights or buttons: lgpio cannot be used"))}, "panel", "lgpio cannot"),
        ({"read_once": lambda: "signal 4"}, "model", "another processor"),
        ({"read_once": fails(OSError("models/index-finder.onnx: no such model"))}, "model", "no such model"),
    ],
)
def test_each_fault_is_told_alone(changes: dict[str, Any], what: str, words: str) -> None:
    found = lines(probes(**changes))
    assert [n for n, line in found.items() if line.state is State.BAD] == [what]
    assert words in found[what].words


def test_past_under_voltage_is_told_but_does_not_fail() -> None:
    line = lines(probes(command=lambda *w: "throttled=0x10000"))["power"]
    assert line.state is State.OK
    assert "power supply" in line.words


def test_throttling_is_read_from_the_kernel_where_vcgencmd_is_missing() -> None:
    found = probes(command=lambda *w: None, read_file=lambda p: "4" if "throttled" in p else FILES.get(p))
    assert selftest.throttled_bits(found) == 4


def test_no_pi_skips_what_only_a_pi_has() -> None:
    found = lines(probes(command=lambda *w: None, read_file=lambda p: None))
    assert {n for n, line in found.items() if line.state is State.SKIPPED} == {"memory", "temperature", "power"}
    assert not selftest.failed(list(found.values()))


def test_broken_settings_are_told_and_the_rest_goes_on(table: Path) -> None:
    table.write_text("[table]\nwidht = 900\n")
    found = lines(probes())
    assert "did you mean 'width'" in found["settings"].words
    assert found["camera"].state is State.SKIPPED
    assert found["model"].state is State.OK


def test_e05_damaged_settings_are_told_though_the_game_can_go_on(table: Path) -> None:
    table.with_name("table.toml.previous").write_text(table_toml(3))
    table.write_bytes(b"\0" * 400)
    found = lines(probes())
    assert found["settings"].state is State.BAD
    assert "calibrate" in found["settings"].words
    assert found["camera"].state is State.OK


def test_changed_model_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.onnx").write_bytes(b"weights")
    (tmp_path / "b.onnx").write_bytes(b"others")
    digest = hashlib.sha256(b"weights").hexdigest()
    (tmp_path / "SHA256SUMS").write_text(f"{digest}  a.onnx\n{digest}  b.onnx\n")
    found = selftest.model(probes(), tmp_path)
    assert (found.state, found.words) == (State.BAD, "b.onnx: not as measured (models/SHA256SUMS); install again")


def test_f06_a_child_that_is_killed_does_not_take_us_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selftest, "_READ_ONCE", f"import os; os.kill(os.getpid(), {int(signal.SIGILL)})")
    assert selftest.read_once_in_a_child() == "signal 4"


def test_a_child_that_fails_in_python_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selftest, "_READ_ONCE", "raise SystemExit('models: no such model')")
    with pytest.raises(OSError, match="models: no such model"):
        selftest.read_once_in_a_child()


@pytest.mark.slow
def test_the_real_models_read_once() -> None:
    assert selftest.model(dataclasses.replace(probes(), read_once=selftest.read_once_in_a_child)).state is State.OK


def test_json_has_one_record_a_line() -> None:
    records = selftest.as_json(list(selftest.check(probes())))
    assert {r["check"] for r in records} >= {"camera", "disk"}
    assert all(r["ok"] for r in records)


# --- lights out --------------------------------------------------------------------------------------------------


def run_dark(config: Path) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "CARDTABLE_CONFIG": str(config)}
    command = [sys.executable, "-m", "firmware.dark"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environ, check=False)


def test_c09_stop_post_step_opens_and_closes_the_panel(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    did: list[str] = []

    class Spy:
        def close(self) -> None:
            did.append("closed")

    def opened(panel: object) -> Spy:
        did.append(f"opened {panel.board}")  # type: ignore[attr-defined]
        return Spy()

    monkeypatch.setattr(dark, "open_panel", opened)
    assert dark.main() == 0
    assert did == ["opened small", "closed"]


def test_stop_post_step_without_pins_says_so_in_one_line(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if importlib.util.find_spec("lgpio") is not None:
        pytest.skip("this machine has lgpio, and perhaps real lights")
    table.write_text(table_toml(4) + '\n[panel]\nboard = "small"\nfactory = "lgpio"\n')
    assert dark.main() == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_stop_post_step_is_a_module_and_needs_no_panel(tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "table.toml").write_text(table_toml(4))
    done = run_dark(folder)
    assert (done.returncode, done.stderr) == (0, "")
