#!/usr/bin/env bash
# Decisions that a site logs while it learns serve estimates of other policies: over many seeds, intervals of
# 95 % of inverse propensity scoring and of its self-normalized form cover the truth in at least 93 of 100, with
# learners that sample and that do not.
# Usage: scripts/show/off-policy.sh [seeds]
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_OFF_POLICY_SEEDS=${1:-1000} go test ./node/site -run '^TestOffPolicy$' -count=1 -v
