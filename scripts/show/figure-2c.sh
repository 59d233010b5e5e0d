#!/usr/bin/env bash
# Three hospitals on the diabetes records, after figure 2(c) of paper 004 (docs/papers.md),
# with each record drawn once and with replacement: 100 runs a line.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${PEERD_DATA:?set PEERD_DATA to the folder that holds the data; scripts/fetch-data.sh downloads it}"
for figure in fig2c fig2c-resampled; do
	go run ./cmd/peerd experiment run "configs/figures/$figure.yaml" -o "runs/$figure" "$@"
done
