#!/bin/sh
# The command for people: Card Table over the sessions and settings of this machine's table, the service's own.
# Files that it makes may be read and changed by the group cardtable. Installed as /usr/local/bin/cardtable.
umask 0007
export CARDTABLE_DATA="${CARDTABLE_DATA:-/var/lib/cardtable}" CARDTABLE_CONFIG="${CARDTABLE_CONFIG:-/etc/cardtable}"
export GPIOZERO_PIN_FACTORY="${GPIOZERO_PIN_FACTORY:-lgpio}"
exec /opt/cardtable/venv/bin/cardtable "$@"
