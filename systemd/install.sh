#!/usr/bin/env bash
# Puts Card Table onto a Raspberry Pi (Raspberry Pi OS or Debian, bookworm or trixie), or takes it off again.
# Run it as often as you like: what is there already is left or brought up to date.
#
#   sudo systemd/install.sh [--dry-run] [--page lan|local] [--no-start] [--no-apt]
#   sudo systemd/install.sh --uninstall [--purge] [--dry-run]
#
#   --dry-run      print what would be done, do nothing (needs no root)
#   --page lan     the players' page for phones in this house's network (default: local, this machine alone)
#   --no-start     install, but leave the service stopped and not enabled
#   --no-apt       the apt packages are there already, or there is no network
#   --uninstall    remove the program; sessions and settings stay
#   --purge        with --uninstall: remove sessions, settings and the user, too
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
home=/opt/cardtable
venv=$home/venv
config=/etc/cardtable
data=/var/lib/cardtable
command=/usr/local/bin/cardtable
unit=/etc/systemd/system/cardtable.service
rules=/etc/udev/rules.d/60-cardtable.rules
sysusers=/etc/sysusers.d/cardtable.conf
tmpfiles=/etc/tmpfiles.d/cardtable.conf

dry=no page=local start=yes apt=yes remove=no purge=no

say() { printf '\n== %s\n' "$*"; }
note() { printf '   %s\n' "$*"; }
fail() { printf 'install.sh: %s\n' "$*" >&2; exit 2; }

# Every change to the machine goes through this one.
run() {
  if [ "$dry" = no ]; then "$@"; else printf '   would run:'; printf ' %q' "$@"; printf '\n'; fi
}

# A file of ours with this mode; said only if it changes.
put() { # SOURCE TARGET MODE
  if [ -f "$2" ] && cmp -s "$1" "$2"; then note "$2 is up to date"; else run install -D -m "$3" "$1" "$2"; fi
}

has() { command -v "$1" > /dev/null 2>&1; }

options() {
  while [ "$#" -gt 0 ]; do
    case $1 in
      --dry-run) dry=yes ;;
      --page) page=${2:-}; shift ;;
      --no-start) start=no ;;
      --no-apt) apt=no ;;
      --uninstall) remove=yes ;;
      --purge) purge=yes ;;
      -h | --help) sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0"; exit 0 ;;
      *) fail "unknown option $1; see --help" ;;
    esac
    shift
  done
  case $page in lan | local) ;; *) fail "--page $page: lan or local is wanted" ;; esac
  [ "$purge" = no ] || [ "$remove" = yes ] || fail "--purge goes with --uninstall"
  [ "$dry" = yes ] || [ "$(id -u)" = 0 ] || fail "root is needed: sudo $0 $*"
}

# Which system this is; sets $codename and $python.
look() {
  local id=''
  [ -r /etc/os-release ] || fail "no /etc/os-release: Raspberry Pi OS or Debian is wanted"
  # shellcheck disable=SC1091
  . /etc/os-release
  id=${ID:-} codename=${VERSION_CODENAME:-}
  case $id:$codename in
    debian:bookworm | raspbian:bookworm) python=3.11 ;;
    debian:trixie | raspbian:trixie) python=3.13 ;;
    *) fail "$id $codename: only bookworm (12) and trixie (13) are known to work" ;;
  esac
  say "this machine: ${PRETTY_NAME:-$id}, $(uname -m), $(board)"
  case $(uname -m) in
    armv*) fail "a 32-bit system: onnxruntime has no 32-bit wheel; install the 64-bit Raspberry Pi OS" ;;
  esac
}

board() {
  if [ -r /proc/device-tree/model ]; then tr -d '\0' < /proc/device-tree/model; else echo "no Raspberry Pi"; fi
}

packages() {
  say "packages of the system"
  [ "$apt" = yes ] || { note "left out (--no-apt)"; return; }
  local wanted=(systemd python3 python3-venv fonts-dejavu-core espeak-ng) extra
  for extra in python3-picamera2 python3-lgpio; do # picamera2 brings its libcamera
    if apt-cache policy "$extra" 2> /dev/null | grep -q 'Candidate: [^(]'; then
      wanted+=("$extra")
    else
      note "$extra is not in this system's archive: $(without "$extra")"
    fi
  done
  local missing=() name
  for name in "${wanted[@]}"; do
    dpkg-query -W -f '${Status}' "$name" 2> /dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  if [ "${#missing[@]}" = 0 ]; then note "all there"; return; fi
  run apt-get update
  run apt-get install -y --no-install-recommends "${missing[@]}"
}

without() {
  case $1 in
    python3-picamera2) echo "the Pi's own camera will not work; a USB camera will" ;;
    python3-lgpio) echo "buttons and lights will not work; the page will" ;;
  esac
}

files() {
  say "user, groups, folders, devices, service"
  put "$here/systemd/cardtable.sysusers" "$sysusers" 0644
  put "$here/systemd/cardtable.tmpfiles" "$tmpfiles" 0644
  put "$here/systemd/60-cardtable.rules" "$rules" 0644
  put "$here/systemd/cardtable.service" "$unit" 0644
  run systemd-sysusers "$sysusers"
  run systemd-tmpfiles --create "$tmpfiles"
  if has udevadm && [ -d /run/udev ]; then run udevadm control --reload; run udevadm trigger; fi
  if [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ]; then
    run usermod -a -G cardtable,gpio,i2c,spi,video "$SUDO_USER"
    note "$SUDO_USER belongs to the group cardtable from the next log-in on"
  fi
}

program() {
  say "the program, in $home"
  # With the system's packages in sight: picamera2 and lgpio come from apt, built for this system's libcamera.
  if [ -x "$venv/bin/python" ] && [ "$("$venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" = "$python" ]
  then note "$venv is there"; else run python3 -m venv --clear --system-site-packages "$venv"; fi
  run "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade \
    -c "$here/systemd/constraints-$codename.txt" "$here"
  run install -d -m 0755 "$home/docs"
  run cp -r "$here/docs/." "$home/docs/"
  put "$here/systemd/cardtable.sh" "$command" 0755
}

settings() {
  say "settings, in $config"
  if [ -f "$config/table.toml" ]; then note "$config/table.toml is yours; left as it is"; return; fi
  local address
  address=$(first_address)
  if [ "$dry" = yes ]; then
    note "would write $config/table.toml: 4 seats, 900 x 700 mm, the page at $address"
    return
  fi
  {
    "$venv/bin/python" -c 'from firmware.mat import table_toml; print(table_toml(4))'
    printf '# The page listens at this address. If the router gives the Pi another one, change it here.\n'
    printf '[web]\nhost = "%s"\nport = 8080\n' "$address"
  } > "$config/table.toml"
  chgrp cardtable "$config/table.toml"
  chmod 0660 "$config/table.toml"
}

service() {
  say "service"
  if ! [ -d /run/systemd/system ]; then note "systemd does not run here (a chroot?); enable cardtable.service later"; return; fi
  run systemctl daemon-reload
  if [ "$start" = no ]; then note "left stopped (--no-start)"; return; fi
  run systemctl enable cardtable.service
  run systemctl restart cardtable.service
}

farewell() {
  local address
  address="http://$(first_address):8080/"
  say "the players' page: $address"
  if [ "$page" = local ]; then
    note "for phones run this again with --page lan, or set [web] host in $config/table.toml"
  elif [ "$dry" = no ] && [ -x "$venv/bin/segno" ]; then
    "$venv/bin/segno" --compact "$address" || true
  fi
  note "its join code and the host's PIN: sudo journalctl -u cardtable -g 'join code' -n 1"
  note "log out and in again, then: cardtable check; cardtable mat --help; docs/first-game.md"
}

first_address() {
  local first=''
  if [ "$page" = lan ]; then
    first=$(hostname -I 2> /dev/null | awk '{print $1}') || true
  fi
  echo "${first:-127.0.0.1}"
}

uninstall() {
  say "taking Card Table off"
  if [ -d /run/systemd/system ] && [ -f "$unit" ]; then run systemctl disable --now cardtable.service; fi
  local path
  for path in "$unit" "$rules" "$sysusers" "$tmpfiles" "$command"; do
    if [ -e "$path" ]; then run rm -f "$path"; fi
  done
  if [ -d "$home" ]; then run rm -rf "$home"; fi
  if [ -d /run/systemd/system ]; then run systemctl daemon-reload; fi
  if [ "$purge" = no ]; then note "sessions ($data) and settings ($config) stay; --purge removes them"; return; fi
  for path in "$data" "$config" /var/cache/cardtable; do
    if [ -d "$path" ]; then run rm -rf "$path"; fi
  done
  if id cardtable > /dev/null 2>&1; then run userdel cardtable; fi
  if getent group cardtable > /dev/null; then run groupdel cardtable; fi
}

main() {
  options "$@"
  if [ "$remove" = yes ]; then uninstall; return; fi
  look
  packages
  files
  program
  settings
  service
  farewell
}

main "$@"
