#!/usr/bin/env bash
# World linear with `actions: lazy`, at the scale of paper 002: 100 silos, 100 new actions of 10 features in every round, of
# which one is better than the others by 0.1 to 0.2. Simulated decisions per second of one core, by processor time, with
# everything in it: over 20,000 rounds with λ = 1, of which 1,000,000 are wanted, over 100,000 rounds with the shift that
# noise of ε = 1 needs, of which 300,000 are wanted, and with the indices that know the noise. The best of several runs
# counts. Then the regret of 40 runs of 400 rounds beside that of 40 in which all actions are drawn.
# Usage: scripts/show.sh lazy-actions [runs]
set -euo pipefail
cd "$(dirname "$0")/../.."
steps() {
	GOMAXPROCS=1 go test ./node/lab/sim -run '^$' -bench "LazySteps/$1" -benchtime "$2x" -count "$3" |
		awk -v wanted="$4" '/steps\/s/ { for (i = 2; i < NF; i++) if ($(i + 1) == "steps/s" && $i > best) { best = $i; name = $1 } }
		END { printf "%-40s %8d steps/s, wanted %s\n", name, best, wanted; exit best < wanted }'
}
steps ridge 2000000 "${1:-5}" 1000000
steps shifted 10000000 "$(((${1:-5} + 1) / 2))" 300000
steps bound 2000000 "${1:-5}" 0
steps sample 2000000 "${1:-5}" 0
PEERD_LONG=1 go test ./node/lab/sim -count=1 -v -timeout 60m -run TestLazyRunsLoseWhatOthersDo | grep -v '^=== '
