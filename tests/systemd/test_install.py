"""install.sh: checked by shellcheck, and its dry run says all that it would do and does nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [
    "tests/systemd/as_pid1.sh",
    "systemd/install.sh",
    "systemd/cardtable.sh",
    "tests/arm64.sh",
    "tests/virtual_camera.sh",
    "tests/systemd/dry_run.sh",
    "tests/wheels.sh",
]


def install(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", str(ROOT / "systemd/install.sh"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def known_system() -> bool:
    path = Path("/etc/os-release")
    return path.exists() and bool(re.search(r"VERSION_CODENAME=(bookworm|trixie)", path.read_text()))


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_shellcheck_has_nothing_to_say(script: str) -> None:
    if shutil.which("shellcheck") is None:
        pytest.skip("shellcheck is not on this machine")
    done = subprocess.run(["shellcheck", str(ROOT / script)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.slow  # apt-cache takes seconds
def test_dry_run_tells_every_step_and_does_none() -> None:
    if not known_system():
        pytest.skip("this machine is no Debian or Raspberry Pi OS 12 or 13")
    before = {
        p: Path(p).exists() for p in ("/opt/cardtable", "/etc/cardtable", "/etc/systemd/system/cardtable.service")
    }
    done = install("--dry-run", "--page", "lan")
    assert (done.returncode, done.stderr) == (0, "")
    told = [line.strip() for line in done.stdout.splitlines()]
    for wanted in (
        r"systemd-sysusers /etc/sysusers\.d/cardtable\.conf",
        r"-m pip install .*constraints-(bookworm|trixie)\.txt",
        r'would write it: 4 seats, 900 x 700 mm, \[web\] host "lan"',
        r"== the page: http://[\d.]+:8080/",
    ):
        assert any(re.search(wanted, line) for line in told), wanted
    assert before == {p: Path(p).exists() for p in before}


def test_a_hub_is_installed_with_its_broker_and_its_libraries_and_no_devices() -> None:
    if not known_system():
        pytest.skip("this machine is no Debian or Raspberry Pi OS 12 or 13")
    done = install("--dry-run", "--hub", "--page", "lan")
    assert (done.returncode, done.stderr) == (0, "")
    for wanted in (
        r"systemd-sysusers /etc/sysusers\.d/cardtable-hub\.conf",
        r"systemd-tmpfiles --create /etc/tmpfiles\.d/cardtable-hub\.conf",
        r"-m pip install .*\\\[club\\\]$",
        r"cardtable-hub\.conf /etc/cardtable-hub/hub\.conf",
        r"CARDTABLE_HUB_HOST=lan",
        r"== the page: http://[\d.]+:8090/",
    ):
        assert re.search(wanted, done.stdout, re.MULTILINE), wanted
    assert not re.search(r"udev|usermod|picamera2|/etc/cardtable/table\.toml", done.stdout)


def test_it_is_started_by_sh_by_a_link_and_from_a_path_with_spaces(tmp_path: Path) -> None:
    if not known_system():
        pytest.skip("this machine is no Debian or Raspberry Pi OS 12 or 13")
    folder = tmp_path / "My Card Table"
    shutil.copytree(ROOT / "systemd", folder / "systemd")
    link = tmp_path / "install"
    link.symlink_to(folder / "systemd/install.sh")
    done = subprocess.run(
        ["sh", str(link), "--dry-run", "--no-apt"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    sources = re.findall(r"would run: install -D -m \d+ (.+) /(?:etc|usr)/", done.stdout)
    assert len(sources) >= 5
    for source in sources:
        assert Path(source.replace("\\", "")).is_file(), source


@pytest.mark.parametrize(
    ("web", "said"),
    [
        ('[panel]\nhost = 5\n\n[web]\nport = 8099\nhost = "192.0.2.7" # ours\n', "192.0.2.7 8099"),
        ('[web]\nhost = "lan"\n\n[panel]\nhost = 5\n', "lan "),
        ("[panel]\nhost = 5\n", " "),
        ("CARDTABLE_HUB_HOST=lan\n#CARDTABLE_HUB_PORT=1\nCARDTABLE_HUB_PORT=8090\n", "lan 8090"),
    ],
)
def test_the_address_that_it_tells_is_the_one_in_the_settings(tmp_path: Path, web: str, said: str) -> None:
    """`--page lan` on a table that was set up for this machine alone told an address at which nobody listened."""
    (tmp_path / "settings").write_text(web)
    source = (ROOT / "systemd/install.sh").read_text()
    function = re.search(r"^said\(\) \{.*?^\}", source, re.MULTILINE | re.DOTALL)
    assert function
    script = f'set -euo pipefail\n{function[0]}\necho "$(said host "$1") $(said port "$1")"'
    command = ["bash", "-c", script, "bash", str(tmp_path / "settings")]
    assert subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout == said + "\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--pgae",), "unknown option --pgae"),
        (("--dry-run", "--page", "everybody"), "lan or local is wanted"),
        (("--dry-run", "--page"), "lan or local is wanted"),
        (("--dry-run", "--purge"), "--purge goes with --uninstall"),
    ],
)
def test_wrong_usage_is_one_line_and_2(arguments: tuple[str, ...], words: str) -> None:
    done = install(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("install.sh: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_help_names_every_option() -> None:
    said = install("--help").stdout
    assert "BASH" not in said
    for option in re.findall(r"^      (--[a-z-]+)\)", (ROOT / "systemd/install.sh").read_text(), re.MULTILINE):
        assert option in said


def test_uninstall_names_only_paths_of_ours() -> None:
    said = install("--uninstall", "--purge", "--dry-run")
    assert said.returncode == 0
    for line in re.findall(r"would run: rm .*", said.stdout):
        assert "cardtable" in line


def test_b10_numpy_stays_in_the_major_version_of_the_systems_camera_package() -> None:
    read = {n: (ROOT / f"systemd/constraints-{n}.txt").read_text() for n in ("bookworm", "trixie")}
    assert re.search(r"^numpy<2$", read["bookworm"], re.MULTILINE)
    assert re.search(r"^numpy>=2,<3$", read["trixie"], re.MULTILINE)
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert next(d for d in wanted if d.startswith("numpy")).startswith("numpy>=1."), "bookworm could not install us"


def test_every_installed_file_is_there() -> None:
    for name in re.findall(r'"\$here/(systemd/[\w.-]+)"', (ROOT / "systemd/install.sh").read_text()):
        assert (ROOT / name).is_file(), name


def changes_of(transcript: str) -> list[str]:
    """What a dry run would do after the packages, whatever the system and whatever address it has."""
    text = re.sub(r"bookworm|trixie", "SYSTEM", transcript.partition("== user,")[2])
    text = re.sub(r"\d+\.\d+\.\d+\.\d+", "ADDRESS", text).replace(f"{ROOT}/", "/src/").replace(str(ROOT), "/src")
    return [line.strip() for line in text.splitlines() if "would" in line or "next:" in line or "page" in line]


def test_transcripts_of_both_systems_are_of_this_installer() -> None:
    """Taken in a bare Debian 12 and 13 (tests/systemd/dry_run.sh); here what does not depend on the machine."""
    told = {name: (ROOT / f"tests/systemd/transcripts/{name}.txt").read_text() for name in ("bookworm", "trixie")}
    assert changes_of(told["bookworm"]) == changes_of(told["trixie"])
    assert "Debian GNU/Linux 12 (bookworm)" in told["bookworm"]
    assert "Debian GNU/Linux 13 (trixie)" in told["trixie"]
    if not known_system() or Path("/opt/cardtable").exists() or Path("/run/udev").exists():
        pytest.skip("this machine is no bare Debian 12 or 13")
    here = [
        line for line in changes_of(install("--dry-run", "--no-apt", "--page", "lan").stdout) if "systemctl" not in line
    ]
    assert here == changes_of(told["bookworm"])
