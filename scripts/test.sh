#!/usr/bin/env bash
# Runs the default tests: gofmt, go vet, and the tests of all packages. Needs Go and git;
# six minutes on two cores with empty caches, a little less with full ones. Tests on real data
# run if PEERD_DATA names their folder, and are reported as skipped if not. Longer checks
# are rows of scripts/show.sh, among them lint and race.
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED=0 # no C compiler is needed

step() {
	printf '\n== %s\n' "$1"
	shift
	local begin=$SECONDS
	"$@"
	printf '   %d s\n' $((SECONDS - begin))
}

step 'module is tidy' go mod tidy -diff
step 'format' test -z "$(gofmt -l . | tee -a /dev/stderr)"
step 'build and vet' env GOGC=400 go vet ./... # compilers then take a tenth less time, and up to a gigabyte
# Some tests wait more than they compute, so one package more than there are processors is tested at a time. Linking without
# symbols takes a third less; compilers get GOGC here, too, and tests do not.
step 'tests' go test -timeout 30m -p $(($(getconf _NPROCESSORS_ONLN) + 1)) -vet=off -ldflags=-s -toolexec 'env GOGC=400' ./...

printf '\n== must show\n'
scripts/show.sh
printf '\n== not shown yet\n'
if grep -v '^#' scripts/show/pending.txt; then :; else printf '   nothing\n'; fi
if [ -z "${PEERD_DATA:-}" ]; then
	printf '\nPEERD_DATA is not set: tests on real data were skipped. scripts/fetch-data.sh downloads it.\n'
fi
