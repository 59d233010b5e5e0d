#!/usr/bin/env bash
# One liar among 20 peers, 5,000 rounds, 10 seeds, claims 2^63, t and t/2.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_LONG=1 exec go test ./node/lab/sim -count=1 -v -run 'TestTheLyingPeer'
