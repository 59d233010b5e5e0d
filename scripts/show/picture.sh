#!/usr/bin/env bash
# Plays scripts/testnet.sh --open with arguments, such as --set rounds.every=100ms on a busy machine, and looks at its page in a real browser when it is over: the first screenshots of 1,280 pixels become
# docs/figures/testnet-light.png and testnet-dark.png, or files of PICTURES. SHOTS keeps those of all widths and colours.
set -euo pipefail
cd "$(dirname "$0")/../.."
pictures=${PICTURES:-docs/figures}
dir=$(mktemp -d)
trap 'kill -INT "${pid:-}" 2>/dev/null && wait "$pid" || true; rm -rf "$dir"' EXIT
shots=$(mkdir -p "${SHOTS:-$dir/shots}" && cd "${SHOTS:-$dir/shots}" && pwd)
(cd scripts/page && go build -o "$dir/page" .)
DISPLAY='' WAYLAND_DISPLAY='' scripts/testnet.sh --open "$@" >"$dir/out" 2>"$dir/log" &
pid=$!
link() { sed -n 's/^the page shows this result .*: //p' "$dir/log"; }
until [ -n "$(link)" ]; do
	kill -0 "$pid" 2>/dev/null || { cat "$dir/log"; exit 1; }
	sleep .2
done
cat "$dir/out"
"$dir/page" -now testnet -dark -says 'The testnet is over.' -o "$shots" "$(link)"
for scheme in light dark; do
	cp "$shots/testnet-$scheme-1280.png" "$pictures/testnet-$scheme.png"
	[ "$(wc -c <"$pictures/testnet-$scheme.png")" -le 150000 ] || { echo "testnet-$scheme.png has more than 150 kB"; exit 1; }
done
kill -INT "$pid"
wait "$pid" || { echo "an interrupt of a testnet that is over has exit code $?"; exit 1; }
pid=
