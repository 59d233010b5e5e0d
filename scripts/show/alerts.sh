#!/usr/bin/env bash
# Every alert of deploy/prometheus fires in the state that it is for, and not otherwise: promtool, which is
# taken from the Debian package prometheus if it is not installed. Without it the script says so and ends with 77.
set -euo pipefail
cd "$(dirname "$0")/../../deploy/prometheus"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
promtool=$(command -v promtool || true)
if [ -z "$promtool" ]; then
	if (cd "$folder" && apt-get download prometheus && dpkg-deb -x prometheus_*.deb .) >"$folder/log" 2>&1; then
		promtool=$folder/usr/bin/promtool
	else
		printf 'skipped: no promtool, and no Debian package prometheus: %s\n' "$(tail -n 1 "$folder/log")"
		exit 77
	fi
fi
"$promtool" check rules peerd.rules.yml
"$promtool" test rules peerd.rules_test.yml
