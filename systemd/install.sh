#!/usr/bin/env bash
# Puts Card Table onto a Raspberry Pi (Raspberry Pi OS or Debian, bookworm or trixie), or takes it off again.
# Run it as often as you like: what is there already is left or brought up to date.
#
#   sudo systemd/install.sh [--hub] [--dry-run] [--page lan|local] [--no-start] [--no-apt]
#   sudo systemd/install.sh --uninstall [--purge] [--dry-run]
#
#   --hub          not a table but a club's hub, with its broker (docs/club.md); a machine may be both
#   --dry-run      print what would be done, do nothing (needs no root)
#   --page lan     the page for phones in this house's network; --page local for this machine alone (so at first)
#   --no-start     install, but neither start nor enable the service
#   --no-apt       the apt packages are there already, or there is no network
#   --uninstall    remove the program, table and hub; sessions and settings stay
#   --purge        with --uninstall: remove sessions, settings and the users, too
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail

self=$(readlink -f "${BASH_SOURCE[0]}")
here=$(dirname "$(dirname "$self")")
home=/opt/cardtable
venv=$home/venv
config=/etc/cardtable
hub_config=/etc/cardtable-hub
data=/var/lib/cardtable
hub_data=/var/lib/cardtable-hub
command=/usr/local/bin/cardtable
units=/etc/systemd/system
rules=/etc/udev/rules.d/60-cardtable.rules

dry=no page='' start=yes apt=yes remove=no purge=no name=cardtable

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
  local asked
  asked=$(printf '%q ' "$self" "$@")
  while [ "$#" -gt 0 ]; do
    case $1 in
      --hub) name=cardtable-hub ;;
      --dry-run) dry=yes ;;
      --page)
        case ${2:-} in lan | local) page=$2 ;; *) fail "--page ${2:-}: lan or local is wanted" ;; esac
        shift ;;
      --no-start) start=no ;;
      --no-apt) apt=no ;;
      --uninstall) remove=yes ;;
      --purge) purge=yes ;;
      -h | --help) sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$self" | grep -v '^\[ '; exit 0 ;;
      *) fail "unknown option $1; see --help" ;;
    esac
    shift
  done
  [ "$purge" = no ] || [ "$remove" = yes ] || fail "--purge goes with --uninstall"
  [ "$dry" = yes ] || [ "$(id -u)" = 0 ] || fail "root is needed: sudo $asked"
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
  local wanted=(systemd python3 python3-venv) extras=() extra
  case $name in
    cardtable) wanted+=(fonts-dejavu-core espeak-ng) extras=(python3-picamera2 python3-lgpio) ;; # and their libcamera
    cardtable-hub) wanted+=(mosquitto) ;;
  esac
  for extra in "${extras[@]}"; do
    if apt-cache policy "$extra" 2> /dev/null | grep -q 'Candidate: [^(]'; then
      wanted+=("$extra")
    else
      note "$extra is not in this system's archive: $(without "$extra")"
    fi
  done
  local missing=() package
  for package in "${wanted[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing+=("$package")
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
  say "user, folders, service"
  put "$here/systemd/$name.sysusers" "/etc/sysusers.d/$name.conf" 0644
  put "$here/systemd/$name.tmpfiles" "/etc/tmpfiles.d/$name.conf" 0644
  put "$here/systemd/$name.service" "$units/$name.service" 0644
  run systemd-sysusers "/etc/sysusers.d/$name.conf"
  run systemd-tmpfiles --create "/etc/tmpfiles.d/$name.conf"
  if [ "$name" = cardtable ]; then devices; fi
}

devices() {
  put "$here/systemd/60-cardtable.rules" "$rules" 0644
  if has udevadm && [ -d /run/udev ]; then run udevadm control --reload; run udevadm trigger; fi
  if [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ]; then
    run usermod -a -G cardtable,gpio,i2c,spi,video "$SUDO_USER"
    note "$SUDO_USER belongs to the group cardtable from the next log-in on"
  fi
}

# An environment of this system's Python, whole: one that was begun and not finished has no pip yet.
ready() {
  [ -x "$venv/bin/python" ] && "$venv/bin/python" -m pip --version > /dev/null 2>&1 &&
    [ "$("$venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" = "$python" ]
}

program() {
  say "the program, in $home"
  local what=$here
  if [ "$name" = cardtable-hub ]; then what="${here}[club]"; fi
  # With the system's packages in sight: picamera2 and lgpio come from apt, built for this system's libcamera.
  if ready; then note "$venv is there"; else run python3 -m venv --clear --system-site-packages "$venv"; fi
  run "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade \
    -c "$here/systemd/constraints-$codename.txt" "$what"
  run install -d -m 0755 "$home/docs"
  run cp -r "$here/docs/." "$home/docs/"
  put "$here/systemd/cardtable.sh" "$command" 0755
}

settings() {
  case $name in cardtable) table_settings ;; cardtable-hub) hub_settings ;; esac
}

table_settings() {
  local file=$config/table.toml
  say "settings, in $file"
  if [ -f "$file" ] && [ -z "$page" ]; then note "yours; left as they are"; return; fi
  if [ "$dry" = yes ]; then
    if [ -f "$file" ]; then note "would set [web] host to \"$(host)\", and leave the rest"
    else note "would write it: 4 seats, 900 x 700 mm, [web] host \"$(host)\""; fi
    return
  fi
  "$venv/bin/python" - "$file" "$(host)" << 'PYTHON'
import sys
from pathlib import Path
from firmware import mat, settings_file
file, host = Path(sys.argv[1]), sys.argv[2]
old = file.read_text() if file.is_file() else mat.table_toml(4) + '\n[web]\nport = 8080\n'
settings_file.write(file, settings_file.with_host(old, host))
PYTHON
  chgrp cardtable "$file"
  chmod 0660 "$file"
}

hub_settings() {
  local file=$hub_config/hub.conf
  say "settings, in $file"
  if [ -f "$file" ]; then note "yours; left as they are, but for --page"
  else run install -m 0640 -g cardtable-hub "$here/systemd/cardtable-hub.conf" "$file"; fi
  if [ -n "$page" ]; then run sed -i "s/^#\?CARDTABLE_HUB_HOST=.*/CARDTABLE_HUB_HOST=$(host)/" "$file"; fi
}

# Where the page is to listen. `lan` is this machine's address in the network, whatever the router gives it.
host() {
  if [ "$page" = lan ]; then echo lan; else echo 127.0.0.1; fi
}

service() {
  say "service"
  if ! [ -d /run/systemd/system ]; then note "systemd does not run here (a chroot?); enable $name.service later"; return; fi
  run systemctl daemon-reload
  local other=cardtable-hub
  if [ "$name" = "$other" ]; then other=cardtable; fi
  if [ -f "$units/$other.service" ]; then run systemctl try-restart "$other.service"; fi
  if [ "$start" = no ]; then note "not started (--no-start)"; return; fi
  run systemctl enable "$name.service"
  run systemctl restart "$name.service"
}

farewell() {
  local listens port address file=$config/table.toml usual=8080
  if [ "$name" = cardtable-hub ]; then file=$hub_config/hub.conf usual=8090; fi
  listens=$(said host "$file") port=$(said port "$file")
  if [ "$dry" = yes ] && [ -n "$page" ] || [ -z "$listens" ]; then listens=$(host); fi
  if [ "$listens" = lan ]; then listens=$(first_address); fi
  address="http://$listens:${port:-$usual}/"
  say "the page: $address"
  if [ "$listens" = 127.0.0.1 ]; then
    note "for phones run this again with --page lan"
  elif [ "$dry" = no ] && [ -x "$venv/bin/segno" ]; then
    "$venv/bin/segno" --compact "$address" || true
  fi
  note "its codes: sudo journalctl -u $name -g 'join code' -n 1"
  case $name in
    cardtable) note "log out and in again, then: cardtable check; cardtable mat --help; docs/first-game.md" ;;
    cardtable-hub) note "next, the broker's passwords and the tables: docs/club.md" ;;
  esac
}

# What a settings file says for a key: a table's [web], or a hub's environment; nothing where it says nothing.
said() { # KEY FILE
  sed -nE -e "/^\[web\]/,/^\[[^w]/s/^ *$1 *= *\"?([^\" #]+).*/\1/p" -e "s/^CARDTABLE_HUB_${1^^}=([^ #]+).*/\1/p" "$2" \
    2> /dev/null | head -n 1 || true
}

first_address() {
  local first
  first=$(hostname -I 2> /dev/null | awk '{print $1}') || true
  echo "${first:-127.0.0.1}"
}

uninstall() {
  say "taking Card Table off"
  local one path
  for one in cardtable cardtable-hub; do
    if [ -d /run/systemd/system ] && [ -f "$units/$one.service" ]; then run systemctl disable --now "$one.service"; fi
    for path in "$units/$one.service" "/etc/sysusers.d/$one.conf" "/etc/tmpfiles.d/$one.conf"; do
      if [ -e "$path" ]; then run rm -f "$path"; fi
    done
  done
  for path in "$rules" "$command"; do
    if [ -e "$path" ]; then run rm -f "$path"; fi
  done
  if [ -d "$home" ]; then run rm -rf "$home"; fi
  if [ -d /run/systemd/system ]; then run systemctl daemon-reload; fi
  if [ "$purge" = yes ]; then purge; return; fi
  note "sessions ($data, $hub_data) and settings ($config, $hub_config) stay; --purge removes them"
}

purge() {
  local path one
  for path in "$data" "$config" "$hub_data" "$hub_config" /var/cache/cardtable; do
    if [ -d "$path" ]; then run rm -rf "$path"; fi
  done
  for one in cardtable cardtable-hub; do
    if id "$one" > /dev/null 2>&1; then run userdel "$one"; fi
    if getent group "$one" > /dev/null; then run groupdel "$one"; fi
  done
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
