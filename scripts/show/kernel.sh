#!/usr/bin/env bash
# How long it takes to score all actions of a decision by features, for three sizes, compared
# with the rate of the machine's arithmetic (fused multiplications and additions of 256 bits), with
# C intrinsics, and with gonum. Wanted: 2.2, 1.5 and 1.25 times what the arithmetic takes. All
# figures of a size are the best of turns in one run. Needs an x86 processor with AVX2 and
# FMA, and a C compiler.
set -euo pipefail
cd "$(dirname "$0")/../.."
skip() {
	echo "skipped: $1"
	exit 0
}
command -v "${CC:-cc}" >/dev/null || skip 'there is no C compiler to make the reference with'
grep -qw avx2 /proc/cpuinfo 2>/dev/null && grep -qw fma /proc/cpuinfo || skip 'this processor has no AVX2 and FMA'
go test -tags purego ./bandit/score
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"${CC:-cc}" -O3 -march=native -x c -o "$dir/reference" scripts/kernel/reference.c.txt -lm
go run ./scripts/kernel "$dir/reference"
