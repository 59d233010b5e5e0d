#!/usr/bin/env bash
# The variance of released sums against what every mechanism predicts: the tables at 64 to
# 65,536 leaves, and drawn noise at 64, 400, 1024 and 4096 leaves, within 4 %. Takes some
# minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
go test ./dp/factor -count=1 -v -run '^TestVarianceTable$' | grep -v '^=== '
for size in '64 8000' '400 8000' '1024 8000' '4096 4000'; do
	PEERD_VARIANCE="$size" go test ./dp -count=1 -timeout 30m -v -run '^TestEmpiricalVariance$' |
		sed -n 's/.*mechanism_test.go:[0-9]*: //p; /--- FAIL/p; /^ok\|^FAIL/p'
done
go test ./node/lab/printed -count=1 -v -run '^TestTightFactorizationAgainstThePapersTree$' | grep -v '^=== '
