#!/usr/bin/env bash
# Three sites with applications at a real clock: 2,000 decisions a minute each, rewards at a random
# moment of a window of 60 s, ε = 1. In which minute 90 % of the decisions are right, with each
# protocol; fails if protocol phases is not the first, or as early. The budgets of rows and average
# cover a day; that of phases a life. Half an hour; -scale 10 takes 3 minutes, and its 2,000 requests a second
# need a machine with nothing else to do.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p bin
go build -o bin/peerd ./cmd/peerd
go build -o bin/application ./scripts/application
declare -A minute
play() {
	local name=$1 out
	shift
	out=$(bin/application "${flags[@]}" configs/application.yaml --set protocol.name="$name" "$@")
	printf '%s\n%s\n' "$name" "$out"
	minute[$name]=$(sed -n 's/^90 % from minute \([0-9]*\) on$/\1/p' <<<"$out")
}
flags=(-minutes 10 "$@")
play phases --set learner.name=klucb --set privacy.mechanism=each --set privacy.horizon=0
play rows --set learner.name=klucb --set privacy.mechanism=kary --set privacy.horizon=86400 --set protocol.rows.every=10 --set protocol.rows.pull=10
play average --set privacy.mechanism=kary --set privacy.horizon=2880000
first=${minute[phases]:-99}
[ "$first" -le "${minute[rows]:-98}" ] && [ "$first" -le "${minute[average]:-98}" ]
