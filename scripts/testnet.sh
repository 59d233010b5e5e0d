#!/usr/bin/env bash
# Builds peerd and runs a network of real processes on this machine: nine peers in
# a ring that learn together, privately. It ends by itself. Flags go to `peerd
# testnet`: -c configs/average.yaml or another configuration, -n peers, -t topology,
# --json, --keep; see --help.
set -euo pipefail
here="$(cd "$(dirname "$0")/.." && pwd)"
mkdir -p "$here/bin"
if [ -t 2 ]; then echo 'building peerd (two to three minutes the first time)…' >&2; fi
(cd "$here" && CGO_ENABLED=0 go build -o bin/peerd ./cmd/peerd) # no C compiler is needed
config=(-c "$here/configs/reminders.yaml")
for arg in "$@"; do
	case "$arg" in -c | --config | -c?* | --config=* | *.yaml) config=() ;; esac
done
exec "$here/bin/peerd" testnet "${config[@]}" "$@"
