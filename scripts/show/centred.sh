#!/usr/bin/env bash
# On the instance of figure 3(a) of paper 002 (100 silos, 100 actions, 10,000 rounds, 20 seeds) at ε = 1, with centred rewards,
# a silo loses at most 29 with actions of its own and 42 with common ones, 1.5 times less than with plain records, and
# no run loses linearly; then that no pair of records moves more than is charged, and that an audit of such peers passes.
# About 15 minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_LONG=1 go test ./cmd/peerd -count=1 -v -timeout 120m -run 'TestCentredRewardsAtScale'
go test ./node -count=1 -v -run 'TestRecordsMoveWhatIsCharged'
go test ./node/lab/audit -count=1 -v -run 'TestFeaturesStayPrivate'
