#!/usr/bin/env bash
# Regret against the spectral gap, every way to learn in one figure, and sites that
# differ against sites that are alike: 100 runs a line.
set -euo pipefail
cd "$(dirname "$0")/../.."
for figure in gap baselines hetero; do
	go run ./cmd/peerd experiment run "configs/figures/$figure.yaml" -o "runs/$figure" "$@"
done
