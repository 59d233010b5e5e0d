#!/usr/bin/env bash
# Releases, messages and bytes of a peer over 600,000 rounds with each protocol: 3 peers, 5 arms, 10
# instances. Fails if protocol phases makes 100 releases or more, or sends 20 kB or more.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_LONG=1 exec go test ./cmd/peerd -count=1 -v -timeout 60m -run 'TestPhasesSendLittle'
