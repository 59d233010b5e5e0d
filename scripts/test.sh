#!/usr/bin/env bash
# Runs the default tests: lint, all packages, and those with goroutines again
# under the race detector. Needs Go and git; ten minutes on two cores with empty
# caches, two with full ones. Tests on real data run if PEERD_DATA names their
# folder, and are reported as skipped if not. Longer checks are rows of scripts/show.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

lint=github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

step() {
	printf '\n== %s\n' "$1"
	shift
	local begin=$SECONDS
	"$@"
	printf '   %d s\n' $((SECONDS - begin))
}

step 'module is tidy' go mod tidy -diff
step 'build' go build ./...
step 'tests' go test ./...
# Those that are left out play one goroutine, and were played above.
step 'tests with race detector' go test -race -short -skip 'TestRestartedIsNeverStopped|TestNewMembershipIsARestart' ./node/site ./node/store ./node/api ./node/lab/stats ./gossip
step 'lint' go run "$lint" run ./...

printf '\n== must show\n'
scripts/show.sh
printf '\n== not shown yet\n'
if grep -v '^#' scripts/show/pending.txt; then :; else printf '   nothing\n'; fi
if [ -z "${PEERD_DATA:-}" ]; then
	printf '\nPEERD_DATA is not set: tests on real data were skipped. scripts/fetch-data.sh downloads it.\n'
fi
