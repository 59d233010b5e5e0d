#!/usr/bin/env bash
# The samplers' laws on 2,000,000 draws each, compared with Google's library, and the time
# of a draw compared with that library's: both from crypto/rand, in turn. Wanted in each of
# five runs: 20 times faster for Laplace and 15 for Gaussian noise.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_LONG=1 go test ./dp/sample ./dp/account -count=1 -v -run 'HasIts|TheFitRejects|LowBits|ZeroIsDrawn|Intervals|Memory|Google' | grep -v '^=== '
go test ./dp/sample -run '^$' -bench BesideGoogle -benchtime 100x -count 5 | awk '
	{ print }
	/^BenchmarkBesideGoogle/ {
		want = /Laplace/ ? 20 : 15
		for (i = 2; i <= NF; i++) if ($i == "times") { runs++; if ($(i - 1) < want) short++ }
	}
	END {
		printf "%d of 10 runs, %d of them short of what is wanted\n", runs, short
		exit runs != 10 || short > 0
	}'
