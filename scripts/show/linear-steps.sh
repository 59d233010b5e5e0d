#!/usr/bin/env bash
# Simulated decisions by features per second of one core, by processor time, at the scale of paper
# 002: 100 silos, 100 actions of 10 features, 10,000 rounds, with actions that are drawn for each round and that
# stay the same, and with both indices. Everything is in it: actions, decisions, rewards, sums,
# noise, messages. The best of several runs counts. Wanted: 200,000 with new actions.
# Usage: scripts/show.sh linear-steps [runs]
set -euo pipefail
cd "$(dirname "$0")/../.."
GOMAXPROCS=1 go test ./node/lab/sim -run '^$' -bench LinearSteps -benchtime 1000000x -count "${1:-8}" |
	awk '/steps\/s/ { for (i = 2; i < NF; i++) if ($(i + 1) == "steps/s" && $i > best[$1]) best[$1] = $i }
	END {
		for (name in best) {
			printf "%-40s %8d steps/s\n", name, best[name] | "sort"
			if (name ~ /\/rounds\// && best[name] < 200000) short = 1
		}
		close("sort")
		exit short
	}'
