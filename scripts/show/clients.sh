#!/usr/bin/env bash
# The clients in node/api/client against a real network: their tests, with answers lost on
# the way, and both examples, after which the peers have counted each decision once.
# Needs python3 (3.9 or newer), node (18 or newer) and curl; ports 8470 to 8472 must be free.
# Usage: scripts/show.sh clients [seconds of each example]
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-20}

# The network's folder lies in a folder of our own, so that other networks are not mistaken for it.
TMPDIR=$(mktemp -d)
export TMPDIR
net=
finish() {
	if [ -n "$net" ]; then
		kill "$net" 2>/dev/null || true
		wait "$net" || true
	fi
	rm -rf "$TMPDIR"
}
trap finish EXIT

: >"$TMPDIR/said"
scripts/testnet.sh -c configs/application.yaml 2>"$TMPDIR/said" &
net=$!
until grep -q '^interrupt to end' "$TMPDIR/said"; do
	if ! kill -0 "$net" 2>/dev/null; then
		cat "$TMPDIR/said" >&2
		exit 1
	fi
	sleep 0.2
done
dirs=("$TMPDIR"/peerd-testnet-*/site-*)
export PEERD_URL=http://127.0.0.1:8470 PEERD_TOKEN_FILE=${dirs[0]}/api.token

# pulls prints how many decisions all peers have counted.
pulls() {
	for dir in "${dirs[@]}"; do
		curl -sS --fail --unix-socket "$dir/peerd.sock" http://peer/v1/arms
	done | grep -o '"pulls":[0-9]*' | awk -F: '{n += $2} END {print n + 0}'
}

# example runs one and compares the decisions it asked for with those the peers counted.
example() {
	local before asked counted
	before=$(pulls)
	"$@" --seconds "$seconds" | tee "$TMPDIR/table"
	asked=$(awk '/^site-/ {n += $3} END {print n + 0}' "$TMPDIR/table")
	counted=$(($(pulls) - before))
	printf 'asked %d, counted %d\n' "$asked" "$counted"
	[ "$asked" -gt 0 ] && [ "$asked" -eq "$counted" ]
}

go test ./scripts/models
printf '\n== Go %s\n' "$(go env GOVERSION)"
go test -count=1 -v ./node/api/client
printf '\n== Python %s\n' "$(python3 -c 'import platform; print(platform.python_version())')"
(cd node/api/client/python && python3 -B -m unittest)
example env PYTHONPATH=node/api/client/python python3 -B docs/examples/python/example.py
printf '\n== Node %s\n' "$(node --version)"
(cd node/api/client/node && node --test --test-reporter=spec test/)
mkdir "$TMPDIR/node"
cp docs/examples/node/example.mjs "$TMPDIR/node"
tarball=$(cd node/api/client/node && npm pack --silent --pack-destination "$TMPDIR")
npm install --silent --offline --prefix "$TMPDIR/node" "$TMPDIR/$tarball"
example node "$TMPDIR/node/example.mjs"
