#!/usr/bin/env bash
# The pure and the panel tests on 64-bit ARM, emulated: what a Pi's processor and its Python make of our code.
# Needs apt (Debian or Ubuntu), network and about 1 GB; no root, no kernel support. The tests take three minutes of one
# core's time.
#
#   tests/arm64.sh [FOLDER]      where the ARM system is kept between runs; default build/arm64
#   SYSTEM=trixie tests/arm64.sh
set -euo pipefail
cd "$(dirname "$0")/.."

system=${SYSTEM:-bookworm}
work=$(mkdir -p "${1:-build/arm64}" && cd "${1:-build/arm64}" && pwd)
arm=$work/$system
# shellcheck disable=SC2016  # the dollar is apt's
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -m1 'debian/\?$')
case $system in
  bookworm) python=3.11 ;;
  trixie) python=3.13 ;;
  *) echo "SYSTEM=$system: bookworm or trixie is wanted" >&2; exit 2 ;;
esac

say() { printf '%s  %s\n' "$(date +%T)" "$*"; }

# A private apt: other suites and architectures without touching this machine's own lists.
private_apt() { # FOLDER SUITE ARCHITECTURE ARGUMENTS...
  local home=$1 suite=$2 architecture=$3
  shift 3
  mkdir -p "$home"/{lists/partial,archives/partial,etc/preferences.d,etc/apt.conf.d}
  : > "$home/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" > "$home/sources.list"
  apt-get -q -o "APT::Architecture=$architecture" -o "APT::Architectures::=$architecture" \
    -o "Dir::State::status=$home/status" -o "Dir::State::lists=$home/lists" -o "Dir::Cache::archives=$home/archives" \
    -o "Dir::Cache::pkgcache=" -o "Dir::Cache::srcpkgcache=" -o "Dir::Etc::sourcelist=$home/sources.list" \
    -o "Dir::Etc::sourceparts=/dev/null" -o "Dir::Etc::preferencesparts=$home/etc/preferences.d" \
    -o "APT::Sandbox::User=" -o "Debug::NoLocking=true" "$@"
}

unpack() { # FOLDER-OF-DEBS ROOT; merges /lib into /usr/lib, as a real system does
  mkdir -p "$2/usr/bin" "$2/usr/sbin" "$2/usr/lib"
  for part in bin sbin lib; do [ -e "$2/$part" ] || ln -s "usr/$part" "$2/$part"; done
  for deb in "$1"/*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$2" --keep-directory-symlink; done
}

if [ ! -x "$work/qemu/usr/bin/qemu-aarch64" ]; then
  say "qemu from trixie (Debian 12's own crashes on onnxruntime)"
  private_apt "$work/apt-host" trixie "$(dpkg --print-architecture)" update > /dev/null
  (mkdir -p "$work/qemu-deb" && cd "$work/qemu-deb" &&
    private_apt "$work/apt-host" trixie "$(dpkg --print-architecture)" download qemu-user > /dev/null)
  unpack "$work/qemu-deb" "$work/qemu"
fi

if [ ! -x "$arm/usr/bin/python$python" ]; then
  say "an ARM system: Debian $system with Python $python"
  private_apt "$work/apt-$system" "$system" arm64 update > /dev/null
  private_apt "$work/apt-$system" "$system" arm64 install -y -d --no-install-recommends \
    python3 libstdc++6 libgomp1 ca-certificates tzdata > /dev/null
  unpack "$work/apt-$system/archives" "$arm"
fi

stamp=$arm/site-$(cat pyproject.toml "systemd/constraints-$system.txt" | sha256sum | cut -c1-12)
if [ ! -e "$stamp" ]; then
  say "our dependencies for ARM"
  python3 - > "$work/wanted" <<'PYTHON'
import pathlib, tomllib
project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]
tests = [d for d in project["optional-dependencies"]["dev"] if d.startswith(("pytest", "hypothesis", "httpx"))]
print(*project["dependencies"], *tests, sep="\n")
PYTHON
  rm -rf "$arm/site"
  python3 -m pip install -qq --target "$arm/site" --only-binary=:all: --implementation cp --python-version "$python" \
    --abi "cp3${python#3.}" --abi abi3 --abi none --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 \
    --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 \
    -c "systemd/constraints-$system.txt" -r "$work/wanted"
  touch "$stamp"
fi

# The package itself, so that importlib.metadata knows our version.
python3 -m pip install -qq --no-deps --upgrade --target "$arm/ours" . 2> /dev/null || true

arm_python() {
  "$work/qemu/usr/bin/qemu-aarch64" -L "$arm" -E "PYTHONPATH=$PWD:$arm/site:$arm/ours" -E PYTHONDONTWRITEBYTECODE=1 -E CI=true \
    "$arm/usr/bin/python$python" "$@"
}

say "the machine: $(arm_python -c 'import platform as p; print(p.machine(), p.python_version())')"
say "one real reading"
arm_python -c '
import numpy as np, cv2, onnxruntime
from vision.reader import Reader
readings = Reader.load().read(np.full((240, 320, 3), 90, np.uint8), 80)
print("numpy", np.__version__, "OpenCV", cv2.__version__, "onnxruntime", onnxruntime.__version__, "readings", readings)'
say "the pure and the panel tests, and the journal's basics"
# Left out, because they take hours when emulated and do not depend on the processor: the laws that play thousands of drawn
# games, brute force, fuzz, crashes and power cuts by the hundred; two of the three boards that every panel test runs on;
# and tests that start Python again (without binfmt_misc the kernel cannot start an ARM program).
mapfile -t quick < <(
  printf '%s\n' tests/referee/test_*.py tests/panel/test_*.py tests/journal/test_{journal,replay,verify,settle,wear}.py \
    tests/test_{service,config,settings_file,reread}.py |
    grep -vE 'test_(laws|knowledge|brute_force|script_fuzz|wiring)\.py' | xargs grep -LE 'sys\.executable|subprocess'
)
arm_python -m pytest -q -p no:cacheprovider -m "not slow and not shared" -k "not 3B and not 5B" --durations=5 "${quick[@]}"
say "done"
