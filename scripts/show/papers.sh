#!/usr/bin/env bash
# The figures of papers 001 and 003 at their scale, and their systems beside phases and the lower bound: 20
# runs of most lines over 100,000 rounds, and for every line its ratio to the one before and how fast it grows.
# Results are in runs/; the same command continues where an interrupted one stopped.
# `--set privacy.horizon=2000 --set experiment.seeds=3` is a quick look.
set -euo pipefail
cd "$(dirname "$0")/../.."
for figure in paper001-2a paper001-2b paper003-4 paper003-5 paper003-6 paper003-7 paper003-8 paper003-10 paper003-11 paper003-12 paper003-noise systems together; do
	go run ./cmd/peerd experiment run "configs/figures/$figure.yaml" -o "runs/$figure" "$@"
	go run ./scripts/ratios "runs/$figure/rows.jsonl"
done
