#!/usr/bin/env bash
# Clones this repository's HEAD into an empty folder and runs the README's two
# commands with empty module and build caches.
set -euo pipefail
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
git clone --quiet . "$dir/peerd"
cd "$dir/peerd"
export GOMODCACHE="$dir/mod" GOCACHE="$dir/build" GOLANGCI_LINT_CACHE="$dir/lint"
for command in scripts/testnet.sh scripts/test.sh; do
	begin=$SECONDS
	"$command"
	printf '\n%s: %d s, compiling and downloading included\n\n' "$command" $((SECONDS - begin))
done
