#!/bin/sh
# Before the program is removed, and not before an upgrade, the service is stopped.
set -e
case "$1" in remove | 0) ;; *) exit 0 ;; esac # dpkg, rpm
if [ -d /run/systemd/system ]; then
	systemctl --quiet disable --now peerd.service
else
	systemctl --quiet disable peerd.service || true
fi
