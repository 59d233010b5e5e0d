#!/usr/bin/env bash
# One and three liars among 20 peers, about pulls, rewards, noise and to different peers: regret beside that
# without liars, over 10 seeds. A lie that a check of rows or the trimmed merge sees costs at most 1.25 times
# the regret; those that nothing sees are named. Results are in runs/liars; the same command continues where
# an interrupted one stopped. `--set experiment.seeds=3` is a quick look.
set -euo pipefail
cd "$(dirname "$0")/../.."
go run ./cmd/peerd experiment run configs/liars.yaml -o runs/liars "$@"
echo
go run ./scripts/liars runs/liars/rows.jsonl
