#!/usr/bin/env bash
# On the instance of paper 002 (100 silos, 10 features, 100 actions, batches of 25): by how much the release of
# a batch changes when one user's reward is the other one, with decide_from releases and raw, against what the
# sensitivity allows, and how many later choices change; then that the audit finds raw. The regret of
# both is configs/figures/rule-4.yaml.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_LONG=1 go test ./node/lab/sim -count=1 -v -timeout 60m -run 'TestOneRewardChangesOneRecord'
go test ./node/lab/audit -count=1 -v -run 'TestChoicesFromRawRecordsAreFound|TestFeaturesStayPrivate'
