"""Pin library, chip, owner and end of process: sections C01 to C04 and C09 of the field reports, in real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.panel.config import SMALL
from firmware.panel.pins import Claim, PanelError, header_chip, open_factory, pipe_folder

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SEAT_2_RED = SMALL.lights[1][0]
LAMPS = {pin for pair in SMALL.lights[:2] for pin in pair}


class Home:
    """Folders and environment for child processes whose GPIO lines live in a file."""

    def __init__(self, folder: Path) -> None:
        self.levels_file, self.log = folder / "gpio.json", folder / "gpio.json.log"
        (folder / "run").mkdir()
        self.environ = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(HERE / "fake_lgpio"), str(ROOT)]),
            "FAKE_GPIO": str(self.levels_file),
            "RUNTIME_DIRECTORY": str(folder / "run"),
        }
        self.environ.pop("LG_WD", None)
        self.children: list[subprocess.Popen[str]] = []

    def start(self, *args: str, cwd: Path = ROOT) -> tuple[subprocess.Popen[str], str]:
        """A child with its panel open, and the line that it printed."""
        command = [sys.executable, str(HERE / "child.py"), *args]
        pipe = subprocess.PIPE
        child = subprocess.Popen(command, env=self.environ, cwd=cwd, text=True, stdin=pipe, stdout=pipe, stderr=pipe)
        self.children.append(child)
        assert child.stdout is not None
        return child, child.stdout.readline().strip()

    def end(self, child: subprocess.Popen[str], how: int) -> int:
        child.send_signal(how)
        child.communicate(timeout=60)
        return child.returncode

    @property
    def lit(self) -> set[int]:
        """The lamps whose lines are high, whoever drove them."""
        levels = json.loads(self.levels_file.read_text())
        return {pin for pin in LAMPS if levels.get(str(pin))}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    for child in made.children:
        if child.poll() is None:
            child.kill()
        child.communicate()


class TestC01AsAService:
    def test_started_in_a_folder_that_cannot_be_written(self, home: Home):
        child, cwd = home.start("wait", "TURN", "PAY", cwd=Path("/proc"))
        assert cwd == "/proc", "the working directory is left alone"
        assert home.lit == {SMALL.lights[0][1], SEAT_2_RED}
        assert home.end(child, signal.SIGTERM) == 143

    def test_the_pipe_goes_where_the_unit_says(self, tmp_path: Path):
        run, other = tmp_path / "run", tmp_path / "other"
        run.mkdir()
        other.mkdir()
        assert pipe_folder({"LG_WD": str(other), "RUNTIME_DIRECTORY": str(run)}) == other
        assert pipe_folder({"LG_WD": "/no/such/folder", "RUNTIME_DIRECTORY": f"{run}:/x"}) == run

    def test_without_either_a_new_folder_is_made(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        assert pipe_folder({}).parent == tmp_path

    def test_the_unit_gives_a_user_and_a_folder_to_write_to(self):
        unit = (ROOT / "systemd" / "cardtable.service").read_text(encoding="utf-8").splitlines()
        settings = dict(line.split("=", 1) for line in unit if "=" in line and not line.startswith("#"))
        assert settings["User"] != "root"
        assert settings["WorkingDirectory"] not in ("", "/")
        assert settings["StateDirectory"]


class TestC02NoOtherLibrary:
    def test_the_panel_refuses_with_the_cause_and_tries_nothing_else(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setitem(sys.modules, "lgpio", None)
        before = set(sys.modules)
        with pytest.raises(PanelError, match=r"^no lights or buttons: lgpio cannot be used \(.*lgpio.*\); on a Pi: "):
            open_factory(SMALL)
        tried = {name for name in set(sys.modules) - before if name.startswith("gpiozero.pins.")}
        assert not tried & {"gpiozero.pins.rpigpio", "gpiozero.pins.pigpio", "gpiozero.pins.native"}


class TestC03ChipsRenumbered:
    @pytest.mark.parametrize(
        ("labels", "number"),
        [
            ({0: "other", 4: "pinctrl-rp1"}, 4),
            ({0: "pinctrl-rp1"}, 0),
            ({0: "gpio-brcmstb@107d508500", 1: "pinctrl-bcm2711"}, 1),
            ({0: "pinctrl-bcm2835", 1: "raspberrypi-exp-gpio"}, 0),
        ],
    )
    def test_the_chip_is_told_by_its_label(self, labels: dict[int, str], number: int):
        assert header_chip(labels) == number

    @pytest.mark.parametrize(
        ("labels", "words"), [({}, "there is no gpiochip"), ({0: "other"}, "gpiochip0 is 'other'")]
    )
    def test_none_of_a_pi_is_said(self, labels: dict[int, str], words: str):
        with pytest.raises(PanelError, match=words):
            header_chip(labels)


class TestC04TwoOwners:
    def test_the_second_program_is_told_who_has_the_panel(self, home: Home):
        child, _ = home.start("wait", "TURN", "PAY")
        with pytest.raises(PanelError, match=f"^panel already in use by pid {child.pid}: stop that program first"):
            Claim(Path(home.environ["RUNTIME_DIRECTORY"]) / "cardtable-panel.lock")
        assert home.end(child, signal.SIGKILL) == -signal.SIGKILL
        Claim(Path(home.environ["RUNTIME_DIRECTORY"]) / "cardtable-panel.lock").close()

    def test_a_forked_copy_leaves_the_lamps_alone(self, home: Home):
        child, _ = home.start("fork", "TURN", "PAY")
        os.waitid(os.P_PID, child.pid, os.WNOHANG | os.WEXITED | os.WNOWAIT)
        assert SEAT_2_RED in home.lit
        assert home.end(child, signal.SIGTERM) == 143
        assert home.lit == set()

    @pytest.mark.parametrize(
        "module",
        ["firmware.referee.rulings", "firmware.panel.signals", "firmware.panel.buttons", "firmware.panel.config"],
    )
    def test_what_other_processes_import_brings_no_gpio(self, module: str):
        code = f"import sys, {module}; sys.exit('gpiozero' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


class TestPinsHeldByTheKernel:
    def test_a_busy_line_is_one_line_with_the_remedy(self, home: Home):
        home.environ["FAKE_GPIO_BUSY"] = str(SMALL.lights[1][1])
        child, _ = home.start("wait", "TURN", "PAY")
        _, errors = child.communicate(timeout=60)
        assert errors.splitlines()[-1] == (
            "firmware.panel.pins.PanelError: the panel's pins cannot be claimed (GPIO busy); stop what else uses "
            "them (systemctl stop cardtable), turn SPI off (sudo raspi-config nonint do_spi 1), and "
            "check [panel] against `cardtable wiring`"
        )
        assert home.lit == set()


class TestC09LightsAfterTheEnd:
    def test_sigterm_turns_them_off(self, home: Home):
        child, _ = home.start("wait", "TURN", "PAY")
        assert home.lit == {SMALL.lights[0][1], SEAT_2_RED}
        assert home.end(child, signal.SIGTERM) == 143
        assert home.lit == set()

    def test_a_check_that_is_ended_leaves_them_off(self, home: Home):
        child, line = home.start("check")
        assert line.startswith("seat 1: its light turns red")
        deadline_s = time.monotonic() + 30
        while not home.lit and time.monotonic() < deadline_s:
            time.sleep(0.01)
        assert home.lit
        assert home.end(child, signal.SIGTERM) == 143
        assert home.lit == set()

    def test_a_program_that_ends_without_closing_its_panel_leaves_them_off(self, home: Home):
        child, line = home.start("leave", "TURN", "PAY")
        child.communicate(timeout=60)
        assert (line, child.returncode, home.lit) == ("left", 0, set())
        assert f"{SEAT_2_RED} 1" in home.log.read_text().splitlines()

    def test_an_exception_turns_them_off(self, home: Home):
        child, line = home.start("crash", "TURN", "PAY")
        child.communicate(timeout=60)
        assert (line, child.returncode, home.lit) == ("", 1, set())

    def test_after_sigkill_the_first_thing_is_all_off_and_then_what_the_log_says(self, home: Home):
        child, _ = home.start("wait", "TURN", "PAY")
        assert home.end(child, signal.SIGKILL) == -signal.SIGKILL
        assert home.lit == {SMALL.lights[0][1], SEAT_2_RED}, "the lines outlive the process: the lamps lie"
        home.log.unlink()
        child, _ = home.start("wait", "WAITING", "PAY")
        writes = [tuple(map(int, line.split())) for line in home.log.read_text().splitlines()]
        first_on = next(place for place, (pin, level) in enumerate(writes) if level and pin in LAMPS)
        off_before = {pin for pin, level in writes[:first_on] if not level}
        assert off_before >= LAMPS
        assert home.lit >= {SEAT_2_RED}
        home.end(child, signal.SIGTERM)

    def test_a_debt_that_is_no_longer_in_the_log_stays_dark(self, home: Home):
        child, _ = home.start("wait", "TURN", "PAY")
        home.end(child, signal.SIGKILL)
        home.start("open")
        assert home.lit == set()

    def test_the_stop_post_step_turns_all_off(self, home: Home, tmp_path: Path):
        child, _ = home.start("wait", "TURN", "PAY")
        home.end(child, signal.SIGKILL)
        assert home.lit
        (tmp_path / "table.toml").write_text(TABLE)
        code = (
            "import gpiozero.pins.local as local; local.get_pi_revision = lambda: 0xC03111; "
            "from firmware.panel import pins; pins.chip_labels = lambda lgpio: {0: 'pinctrl-bcm2711'}; "
            "from firmware import dark; raise SystemExit(dark.main())"
        )
        environ = {**home.environ, "CARDTABLE_CONFIG": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr, home.lit) == (0, "", set())


TABLE = """
[panel]
board = "small"
[camera]
picture = [[0, 0], [9, 0], [9, 9], [0, 9]]
table = [[0, 0], [900, 0], [900, 700], [0, 700]]
""" + "".join(f'[[zone]]\nname = "seat-{n}"\npolygon = [[0, 0], [9, 0], [9, 9]]\n' for n in (1, 2))
