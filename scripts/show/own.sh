#!/usr/bin/env bash
# Joining costs a site nothing of its own: with learner personalized the own regret is below the one alone in every
# cell of configs/personalized.yaml, with the whole interval of the ratio. Results are in runs/personalized; the same
# command continues where an interrupted one stopped.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/peerd" ./cmd/peerd
"$folder/peerd" experiment run configs/personalized.yaml -o runs/personalized "$@" | tee "$folder/table"
awk -F '   *' '/95 % OF SITES/ {on = 1; next} /^The ratio/ {on = 0}
on && /^together/ {cells++; split($3, ratio, " to "); if (ratio[2] + 0 >= 1) {print "not below alone: " $0; bad = 1}}
END {print cells + 0, "cells"; exit bad || cells < 38}' "$folder/table"
