#!/usr/bin/env bash
# Four sites learn through a relay, a peer without arms, in real processes, while the relay
# is killed again and again: the sites go on and favour the best arm, and the relay's ledger
# holds its genesis record alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec go test ./cmd/peerd -count=1 -v -run 'TestARelayIsKilled|TestATestnetHasARelay'
