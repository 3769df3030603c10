#!/usr/bin/env bash
# The Pi's camera with the real libraries: our PiCamera over picamera2 and libcamera as Debian 13 has them, on libcamera's
# virtual camera, which plays pictures of ours. For a nightly run, not for the gate. Needs root, debootstrap, network and
# 1.5 GB; ten minutes the first time, one later.
#
#   tests/virtual_camera.sh [FOLDER]      where the Debian system is kept between runs; default build/virtual-camera
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
root=$(mkdir -p "${1:-$here/build/virtual-camera}" && cd "${1:-$here/build/virtual-camera}" && pwd)
mkdir -p "$root"
script=/src/tests/virtual_camera/run.py

say() { printf '%s  %s\n' "$(date +%T)" "$*"; }
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }

if [ ! -e "$root/etc/debian_version" ]; then
  say "Debian 13 into $root"
  # shellcheck disable=SC2016  # the dollar is apt's
  debootstrap --variant=minbase trixie "$root" "$(apt-get indextargets --format '$(REPO_URI)' | grep -m1 'debian/\?$')" > /dev/null
fi
cp -L /etc/resolv.conf "$root/etc/"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/trusted.crt"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT

if [ ! -e "$root/opt/venv/ready" ]; then
  say "libcamera from Debian, picamera2 from PyPI"
  inside apt-get update -qq
  inside apt-get install -y -qq --no-install-recommends python3-libcamera python3-venv python3-dev gcc libc6-dev libcap-dev > /dev/null
  inside python3 -m venv --system-site-packages /opt/venv
  inside PIP_CERT=/trusted.crt /opt/venv/bin/pip install -q --disable-pip-version-check picamera2 opencv-python-headless
  touch "$root/opt/venv/ready"
fi

rm -rf "$root/src"
mkdir -p "$root/src"
tar -C "$here" -c --exclude=__pycache__ vision tests/virtual_camera | tar -x -C "$root/src"
inside gcc -shared -fPIC -O1 -Wall -Wextra -o /opt/dma_heap.so /src/tests/virtual_camera/dma_heap.c -ldl
inside PYTHONPATH=/src /opt/venv/bin/python "$script" pictures /opt/pictures
camera=$root/usr/share/libcamera/pipeline/virtual/virtual.yaml
mkdir -p "$(dirname "$camera")"

check() {
  say "$1: $(inside LD_PRELOAD=/opt/dma_heap.so PYTHONPATH=/src 'LIBCAMERA_LOG_LEVELS=*:FATAL' \
    timeout 120 /opt/venv/bin/python "$script" "$1" 2> "$root/said")" || { tail -n 20 "$root/said" >&2; exit 1; }
}

rm -f "$camera"
check absent
cp "$here/tests/virtual_camera/virtual.yaml" "$camera"
check frames
check again
check busy
say "done: $(inside /opt/venv/bin/pip list 2> /dev/null | awk '/^picamera2/ {print $1, $2}'), $(inside dpkg -l python3-libcamera | awk '/^ii/ {print $2, $3}')"
