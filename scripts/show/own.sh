#!/usr/bin/env bash
# Joining costs a site nothing of its own: with learner personalized the own regret is below the one alone in every
# cell of configs/personalized.yaml, with the whole interval of the ratio, 95 % of sites lose at most 1.1 times what 95 % lose
# alone, and sites that are alike at most 1.15 times what they lose with one best arm for all. Results are in
# runs/personalized; the same command continues where an interrupted one stopped.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/peerd" ./cmd/peerd
"$folder/peerd" experiment run configs/personalized.yaml -o runs/personalized "$@" | tee "$folder/table"
awk -F '   *' '/95 % OF SITES/ {on = 1; next} /^The ratio/ {on = 0}
on && $1 == "common, deviation = 0" {common = $2 + 0}
on && $1 == "together, deviation = 0" {alike = $2 + 0}
on && /^together/ {
	cells++
	split($3, ratio, " to ")
	if (ratio[2] + 0 >= 1) {print "not below alone: " $0; bad = 1}
	if ($5 + 0 > 1.1) {print "a heavier tail than alone: " $0; bad = 1}
}
END {
	print cells + 0, "cells; sites that are alike lose", alike / common, "times as much as with one best arm for all"
	exit bad || cells < 54 || alike > 1.15 * common
}' "$folder/table"
