#!/usr/bin/env bash
# Every fuzz target for a minute, or for the time given (as Go writes it: 10m), one after
# another and at low priority: half an hour. An input that breaks a target is kept in its
# package's testdata/fuzz, and the default tests run it from then on.
set -euo pipefail
cd "$(dirname "$0")/../.."
each=${1:-60s}
targets=0
while IFS=: read -r file target; do
	package=./$(dirname "$file")
	printf '%-14s %-20s ' "$package" "$target"
	if ! report=$(nice go test "$package" -run '^$' -fuzz "^$target\$" -fuzztime "$each" -fuzzminimizetime 5s </dev/null 2>&1); then
		printf 'FAILS\n%s\n' "$report"
		exit 1
	fi
	grep '^fuzz: elapsed' <<<"$report" | tail -n 1
	targets=$((targets + 1))
done < <(grep -ro --include='*_test.go' '^func Fuzz[A-Za-z0-9]*' -- * | sed 's/func //' | sort)
printf '%d targets\n' "$targets"
[ "$targets" -gt 0 ]
