#!/usr/bin/env bash
# Noised counts: one more user changes nothing that a site or an agent shows, and is seen where counts are
# public; what is charged is what presence moves; the regret beside public counts over 20 seeds.
set -euo pipefail
cd "$(dirname "$0")/../.."
go test ./dp ./protocol ./node/lab/audit ./node/site ./node/api -count=1 -v -run \
	'Counted|Presence|TestTheNumberOfRewardsIsAllowedFor|TestCountsCannotBeNoised|TestAGapSaysNoCounts|TestNoMetricCountsDecisions'
go run ./cmd/peerd audit configs/rows.yaml --set privacy.counts=noised
go run ./cmd/peerd experiment run configs/figures/counts.yaml -o runs/counts "$@"
