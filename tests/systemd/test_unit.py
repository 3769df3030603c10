"""Both services: systemd itself checks them, and a few lines are held to what field reports taught."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from firmware.cli import commands
from firmware.club import wires
from firmware.club.serve import BEAT_S, WIRE_REST_NS
from firmware.service import EXIT_CAMERA, EXIT_REBOOT_ADVISED, FEEDS_IN_A_PERIOD

HOME = Path(__file__).resolve().parents[2] / "systemd"
UNIT = (HOME / "cardtable.service").read_text()
#: Exposure as systemd scores it, times ten (1.5). A unit without any hardening scores 9.6.
MOST_EXPOSED_TIMES_10 = 15


def settings(key: str, unit: str = UNIT) -> list[str]:
    return re.findall(rf"^{key}=(.*)$", unit, re.MULTILINE)


@pytest.fixture(params=["cardtable", "cardtable-hub"])
def unit(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The unit with commands that exist on every machine."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not on this machine")
    path = tmp_path / f"{request.param}.service"
    text = (HOME / path.name).read_text()
    path.write_text(re.sub(r"^(Exec\w+=-?).*$", rf"\g<1>{shutil.which('true')}", text, flags=re.MULTILINE))
    return path


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_verify_has_nothing_to_say(unit: Path) -> None:
    done = analyze("verify", str(unit))
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_verify_would_say_something_of_an_unknown_key(unit: Path) -> None:
    unit.write_text(unit.read_text().replace("[Install]", "RestartSecs=3\n[Install]"))
    assert "RestartSecs" in analyze("verify", str(unit)).stderr


def test_exposure_is_low(unit: Path) -> None:
    done = analyze("security", "--offline=true", f"--threshold={MOST_EXPOSED_TIMES_10}", "--no-pager", str(unit))
    if "Unknown" in done.stderr or "unrecognized option" in done.stderr:
        pytest.skip("this systemd-analyze knows no --offline")
    assert done.returncode == 0, done.stdout[-200:]


def test_c01_the_service_has_a_user_and_a_writable_place_to_stand_in() -> None:
    assert settings("User") == ["cardtable"]
    assert settings("WorkingDirectory") == ["/run/cardtable"]
    assert "cardtable" in settings("RuntimeDirectory")
    assert "LG_WD=/run/cardtable" in " ".join(settings("Environment"))


def test_c02_the_pin_library_is_named() -> None:
    assert "GPIOZERO_PIN_FACTORY=lgpio" in " ".join(settings("Environment"))


def test_c09_the_lights_go_out_whatever_ended_the_program() -> None:
    assert settings("ExecStopPost") == ["-/opt/cardtable/venv/bin/python -m firmware.dark"]


def test_reload_asks_for_the_settings_to_be_read_again() -> None:
    assert settings("ExecReload") == ["/bin/sh -c 'kill -HUP \"$MAINPID\"'"]


def test_what_would_break_camera_or_pins_is_not_set() -> None:
    """HARDWARE: these four take the camera, the board's revision or the groups away."""
    assert settings("PrivateDevices") == ["no"]
    assert settings("ProcSubset") == ["all"]
    assert settings("PrivateUsers") == []
    assert "AF_NETLINK" in settings("RestrictAddressFamilies")[0]


def test_a_reboot_is_advised_once_not_in_a_loop() -> None:
    prevented = settings("RestartPreventExitStatus")[0].split()
    assert str(EXIT_REBOOT_ADVISED) in prevented
    assert str(EXIT_CAMERA) not in prevented


def test_groups_of_the_unit_are_made_by_sysusers() -> None:
    made = re.findall(r"^g (\w+)", (HOME / "cardtable.sysusers").read_text(), re.MULTILINE)
    assert set(settings("SupplementaryGroups")[0].split()) <= set(made)
    joined = re.findall(r"^m cardtable (\w+)", (HOME / "cardtable.sysusers").read_text(), re.MULTILINE)
    assert set(made) == set(joined)


def test_the_hubs_settings_are_options_of_the_command_and_its_folders_its_own() -> None:
    hub = (HOME / "cardtable-hub.service").read_text()
    assert settings("EnvironmentFile", hub) == ["-/etc/cardtable-hub/hub.conf"]
    assert settings("StateDirectory", hub) == ["cardtable-hub"]
    assert "CARDTABLE_DATA=/var/lib/cardtable-hub" in settings("Environment", hub)[0]
    named = set(re.findall(r"^#?CARDTABLE_HUB_(\w+)=", (HOME / "cardtable-hub.conf").read_text(), re.MULTILINE))
    options = {(option.name or "").upper() for option in commands.commands["hub"].params}
    assert named == options - {"EVERYWHERE"}


def test_the_hubs_watchdog_is_more_patient_than_its_wire_may_rest() -> None:
    """Fed every `BEAT_S`; a wire that rests for `WIRE_REST_NS` starves it."""
    hub = (HOME / "cardtable-hub.service").read_text()
    assert int(settings("WatchdogSec", hub)[0]) / FEEDS_IN_A_PERIOD > BEAT_S
    assert WIRE_REST_NS / 1e9 > wires.LONGEST_PAUSE_S + 2 * wires.CONNECT_S + wires.KEEPALIVE_S
