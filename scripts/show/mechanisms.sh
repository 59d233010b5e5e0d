#!/usr/bin/env bash
# Which mechanism serves averaging best under one budget, over 16,384 and over 600,000
# rounds: 100 runs a line. Results are in runs/; the same command continues where an
# interrupted one stopped. `--set experiment.seeds=6` is a quick look.
set -euo pipefail
cd "$(dirname "$0")/../.."
for figure in mechanisms mechanisms-long; do
	go run ./cmd/peerd experiment run "configs/figures/$figure.yaml" -o "runs/$figure" "$@"
done
