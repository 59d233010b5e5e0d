#!/usr/bin/env bash
# Protocol phases has no bad tails: 1,000 runs over 100 instances in lockstep and with delays up to
# 20 rounds, over 600,000 rounds, and with loss, absence, partitions and sites with a hundredth of
# the decisions of others, over 60,000. Fails if a run loses linearly; docs/lab/experiments.md says
# what that is. Results are in runs/; the same command continues where an interrupted one stopped.
# `--set experiment.seeds=100` is a quick look.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/peerd" ./cmd/peerd
for figure in tails-long tails; do
	"$folder/peerd" experiment run "configs/$figure.yaml" -o "runs/$figure" "$@"
done
linear=$(awk '/"linear":/ {n += $2} END {print n + 0}' runs/tails-long/summary.json runs/tails/summary.json)
printf '\nruns that lose linearly: %d\n' "$linear"
[ "$linear" -eq 0 ]
