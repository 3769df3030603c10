#!/usr/bin/env bash
# Table and hub under a real systemd as pid 1, in namespaces of their own over a Debian in a folder. Needs root,
# debootstrap, network, about 2 GB; ten minutes the first time, two later. It shows: install.sh installs both; READY comes;
# a reload is answered by the same process; a program that is stopped (SIGSTOP) starves the watchdog and is started again;
# the step after the end runs; the hub finds Debian's Mosquitto.
#
#   tests/systemd/as_pid1.sh FOLDER RECORDING      RECORDING stands for the camera
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
root=${1:?a folder for the Debian system}
recording=$(cd "${2:?a recording}" && pwd)
self=$(realpath "${BASH_SOURCE[0]}")
release=/lib/systemd/systemd

say() { printf '== %s\n' "$*"; }

prepare() {
  if [ ! -x "$root/bin/bash" ]; then
    say "Debian trixie into $root"
    # shellcheck disable=SC2016  # the dollar is apt's
    debootstrap --variant=minbase trixie "$root" "$(apt-get indextargets --format '$(REPO_URI)' | grep -m1 'debian/\?$')"
  fi
  mkdir -p "$root/src" "$root/recording"
  cp -rL /etc/resolv.conf "$root/etc/"
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/trusted.crt"
  tar -C "$here" -c --exclude=__pycache__ docs firmware models systemd vision pyproject.toml README.md LICENSE |
    tar -x -C "$root/src"
  say "install.sh"
  mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
  local what
  for what in "" --hub; do
    # shellcheck disable=SC2086  # "" is no argument
    chroot "$root" env -u PIP_FIND_LINKS PIP_CERT=/trusted.crt SSL_CERT_FILE=/trusted.crt DEBIAN_FRONTEND=noninteractive \
      bash /src/systemd/install.sh $what --no-start
  done
  umount "$root/proc"
  grep -q '^\[source\]' "$root/etc/cardtable/table.toml" ||
    printf '\n[source]\nkind = "recording"\ndevice = "/recording"\n' >> "$root/etc/cardtable/table.toml"
  # No devices here: what would wait for them is left out.
  local name
  for name in systemd-udev-settle systemd-udevd systemd-udev-trigger systemd-resolved systemd-networkd \
    systemd-timesyncd systemd-logind console-getty getty@tty1; do
    ln -sf /dev/null "$root/etc/systemd/system/$name.service"
  done
  ln -sf /lib/systemd/system/multi-user.target "$root/etc/systemd/system/default.target"
}

# Becomes pid 1 of the namespaces that unshare made.
boot() {
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount -t tmpfs tmpfs "$root/run"
  mount -t tmpfs tmpfs "$root/tmp"
  mount -t cgroup2 none "$root/sys/fs/cgroup"
  mount -t tmpfs tmpfs "$root/dev"
  local name
  for name in null zero full random urandom tty; do
    touch "$root/dev/$name"
    mount --bind "/dev/$name" "$root/dev/$name"
  done
  mkdir -p "$root"/dev/{shm,pts,mqueue,hugepages}
  mount -t devpts devpts "$root/dev/pts" -o newinstance,ptmxmode=0666,mode=620
  ln -s pts/ptmx "$root/dev/ptmx"
  mount --bind "$recording" "$root/recording"
  hostname cardtable-test
  # Not chroot: within one no user namespace can be made, and the hub has one of its own.
  cd "$root"
  mkdir -p before
  pivot_root . before
  exec env -i container=lxc PATH=/usr/bin:/usr/sbin TERM=dumb \
    chroot . sh -c "umount -l /before; exec $release --system --log-target=journal"
}

if [ "${3:-}" = boot ]; then boot; fi

prepare
say "systemd as pid 1"
unshare --mount --pid --fork --uts --ipc --cgroup bash "$self" "$root" "$recording" boot &
outer=$!
sleep 5
init=$(pgrep -P "$outer" | head -n 1)
inside() { timeout 60 nsenter -t "$init" -m -p -u -i -C -r -w env -i PATH=/usr/bin:/usr/sbin TERM=dumb SYSTEMD_PAGER= "$@"; }
trap 'kill -9 "$init" 2> /dev/null || true' EXIT

for _ in $(seq 30); do inside systemctl is-system-running 2> /dev/null | grep -qE 'running|degraded' && break; sleep 1; done
start() { # UNITS...
  inside systemctl start "$@" || { inside journalctl --no-pager -o cat -n 40 -u "${@: -1}" >&2; exit 1; }
}

start cardtable
inside systemctl is-active cardtable
say "READY: $(inside systemctl show cardtable -p StatusText --value)"
pid=$(inside systemctl show cardtable -p MainPID --value)
inside systemctl reload cardtable
[ "$(inside systemctl show cardtable -p MainPID --value)" = "$pid" ] || { echo "a reload started it again" >&2; exit 1; }
say "reloaded: $(inside systemctl is-active cardtable), $(inside journalctl -u cardtable -o cat --no-pager -g settings | tail -n 1)"
say "the hub"
start mosquitto cardtable-hub
inside systemctl is-active cardtable-hub
sleep 3
say "READY: $(inside systemctl show cardtable-hub -p StatusText --value)"
inside journalctl -u cardtable-hub -o cat --no-pager -g '^page|^kept|connected'
inside systemd-analyze security cardtable-hub --no-pager | tail -n 1
before=$(inside systemctl show cardtable -p NRestarts --value)
inside systemctl kill -s STOP cardtable
sleep 32 # WatchdogSec and RestartSec, and the start
after=$(inside systemctl show cardtable -p NRestarts --value)
say "restarts before and after it was stopped: $before, $after"
inside systemctl stop cardtable cardtable-hub
inside journalctl -u cardtable --no-pager -o cat -n 40 | grep -iE 'watchdog|restart|Stopped' | tail -n 5
inside systemd-analyze security cardtable --no-pager | tail -n 1
[ "$after" -gt "$before" ] || { echo "the watchdog did not start it again" >&2; exit 1; }
say "done"
