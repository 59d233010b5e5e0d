#!/bin/sh
# The peer's folder is kept, also by a purge: its key is the site's place in the network, and its ledger says which budget is spent.
set -e
case "$1" in remove | purge | 0) ;; *) exit 0 ;; esac # dpkg, rpm
[ ! -d /run/systemd/system ] || systemctl daemon-reload
if [ -d /var/lib/peerd ]; then
	echo "peerd: /var/lib/peerd is kept, with the peer's keys, budget and log, and so is its user peerd." >&2
fi
