#!/usr/bin/env bash
# Figure 2(b) of paper 004 (docs/papers.md) at full scale, as the paper has it and with
# rewards of 0 and 1: 600,000 rounds, 100 runs a line. Results are in runs/; the same command
# continues where an interrupted one stopped. `--set privacy.horizon=20000 --set
# experiment.seeds=10` is a quick look.
set -euo pipefail
cd "$(dirname "$0")/../.."
for figure in fig2b fig2b-bernoulli; do
	go run ./cmd/peerd experiment run "configs/figures/$figure.yaml" -o "runs/$figure" "$@"
done
