#!/usr/bin/env bash
# The moments at which a real peer's messages arrive, over 10,000 rounds of 100 ms with rewards of 0 and
# 1 by coin: a two-sample test finds no difference, and finds one of a millisecond that is built into
# another peer. Seventeen minutes; PEERD_ROUNDS plays another number of rounds.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PEERD_ROUNDS="${PEERD_ROUNDS:-10000}"
exec go test -tags auditbug ./cmd/peerd -count=1 -v -timeout 60m -run TestMomentsDoNotFollowRewards
