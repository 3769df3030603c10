#!/usr/bin/env bash
# What `install.sh --dry-run --page lan` says on a bare Debian 12 and 13, written to tests/systemd/transcripts/. A Pi's own
# system has picamera2 and lgpio in its archive besides. Needs root, debootstrap and network; run it after a change of
# install.sh (a test compares).
#
#   tests/systemd/dry_run.sh [FOLDER]      where the Debian systems are kept between runs; default build/dry-run
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mkdir -p "${1:-$here/build/dry-run}" && cd "${1:-$here/build/dry-run}" && pwd)
mkdir -p "$here/tests/systemd/transcripts"
for system in bookworm trixie; do
  root=$work/$system
  if [ ! -e "$root/etc/debian_version" ]; then
    # shellcheck disable=SC2016  # the dollar is apt's
    debootstrap --variant=minbase "$system" "$root" "$(apt-get indextargets --format '$(REPO_URI)' | grep -m1 'debian/\?$')" > /dev/null
  fi
  rm -rf "$root/src" && mkdir -p "$root/src"
  tar -C "$here" -c systemd docs | tar -x -C "$root/src"
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin bash /src/systemd/install.sh --dry-run --page lan |
    sed -E 's/[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+/ADDRESS/; s/, (x86_64|aarch64), .*$/, MACHINE/' \
      > "$here/tests/systemd/transcripts/$system.txt"
  echo "$system: $(wc -l < "$here/tests/systemd/transcripts/$system.txt") lines"
done
