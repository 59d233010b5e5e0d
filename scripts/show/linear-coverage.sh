#!/usr/bin/env bash
# How often the parameter of rewards lies outside of the sets that learners by features state
# (`parameter_error` of the status) and choose by (index calibrated), after any of 20 releases of
# records that the learner has chosen: wanted in at most 1 % of 200 runs, for 10 features, three sizes
# of noise and every index.
# Usage: scripts/show/linear-coverage.sh [runs]
set -euo pipefail
cd "$(dirname "$0")/../.."
go test ./bandit -count=1 -run 'TestStatedSetsHoldForWhatIsChosen' -v -args -sets.features 10 -sets.runs "${1:-200}" | grep -v '^=== '
