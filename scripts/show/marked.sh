#!/usr/bin/env bash
# One reward is reported thousands of times, among requests of all kinds, to a peer
# that logs as much as it can. Everything that comes out of the peer is searched for it.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_LONG=1 exec go test ./cmd/peerd -count=1 -v -run 'TestAMarkedRewardIsFoundNowhere|TestAStackDumpShowsNoReward'
