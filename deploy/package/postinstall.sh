#!/bin/sh
# After an installation nothing starts. After an upgrade a service that was running is stopped and started again; it is not waited for, since
# a peer can be ready only when its neighbours are.
set -e
case "$1" in configure | [1-9]*) ;; *) exit 0 ;; esac # dpkg, rpm
systemd-sysusers peerd.conf
systemd-tmpfiles --create peerd.conf
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl --no-block try-restart peerd.service
fi
