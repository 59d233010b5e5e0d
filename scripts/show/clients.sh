#!/usr/bin/env bash
# The clients in node/api/client, as packages and against a real network: their tests, with answers lost on the way, both
# examples, after which the peers have counted each decision once, and peers that are killed while applications decide by tables.
# Needs python3 (3.9 or newer), node (18 or newer), npm and curl; ports 8470 to 8472 and 23870 to 23876 must be free. Types are
# checked where mypy and tsc are there, and a wheel is built where setuptools can.
# Usage: scripts/show.sh clients [seconds of each example, and of the part with kills]
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
(cd node/api/client/node && node --test --test-reporter=spec test/*.test.mjs)
application=$TMPDIR/node
mkdir "$application"
cp docs/examples/node/example.mjs "$application"
tarball=$(cd node/api/client/node && npm pack --silent --pack-destination "$TMPDIR")
npm install --silent --offline --prefix "$application" "$TMPDIR/$tarball"
example node "$application/example.mjs"

printf '\n== packages\n'
cp -r node/api/client/python "$TMPDIR/python" # building one leaves files behind
if python3 -m pip wheel -q --no-index --no-deps --no-build-isolation -w "$TMPDIR/wheel" "$TMPDIR/python" 2>"$TMPDIR/said.pip"; then
	python3 -m venv "$TMPDIR/venv"
	"$TMPDIR/venv/bin/pip" install -q --no-index --no-deps "$TMPDIR"/wheel/*.whl
	(cd "$TMPDIR" && venv/bin/python -c 'import peerd; print("a wheel is built without a network, and installed:", peerd.Client.__name__)')
else
	echo "no wheel is built: $(tail -n 1 "$TMPDIR/said.pip")"
fi
if python3 -m mypy --version >/dev/null 2>&1; then
	(cd node/api/client/python && python3 -m mypy --cache-dir "$TMPDIR/mypy" peerd)
else
	echo 'types of the Python package are not checked: mypy is not there'
fi
tsc=$(command -v tsc || true)
if [ -n "$tsc" ] && [ -d "${PEERD_NODE_TYPES:-}" ]; then # the folder of @types/node's parent
	cp -r node/api/client/node "$TMPDIR/types"
	rm "$TMPDIR"/types/*.d.mts
	(cd "$TMPDIR/types" && "$tsc" -p . --typeRoots "$PEERD_NODE_TYPES")
	for file in node/api/client/node/*.d.mts; do
		diff "$file" "$TMPDIR/types/${file##*/}" || { echo "$file is not what tsc writes"; exit 1; }
	done
	echo "types of the Node package follow from its code: tsc $("$tsc" --version)"
else
	echo 'types of the Node package are not checked: tsc is not on the path, or PEERD_NODE_TYPES names no folder with @types/node'
fi

printf '\n== peers that are killed\n'
scripts/killed/run.bash $((seconds + 20))
