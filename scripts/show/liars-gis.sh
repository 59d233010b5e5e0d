#!/usr/bin/env bash
# Silent, malformed, lying and equivocating sites among 20 with protocol gis: regret of the others beside
# that without them, and how many messages they refuse, over 20 seeds. Results are in runs/liars-gis.
set -euo pipefail
cd "$(dirname "$0")/../.."
go run ./cmd/peerd experiment run configs/liars-gis.yaml -o runs/liars-gis "$@"
echo
go run ./scripts/liars runs/liars-gis/rows.jsonl
