#!/usr/bin/env bash
# More than 200 kills of a peer under load with each protocol, at random moments and between commit
# and answer; and kills of one of three averaging peers while its question or answer is durable but not
# sent. Nothing that was acknowledged is lost, nothing is counted twice, no noise is
# drawn twice, the ledger has everything that left and verifies, averaging stays exact, and a
# start takes less than a second. The first command kills the program as it is published, a few times:
# the ledger of one with failpoints does not verify.
set -euo pipefail
cd "$(dirname "$0")/../.."
go test ./cmd/peerd -count=1 -v -run 'TestNothingIsLostWhenKilled'
PEERD_LONG=1 exec go test -tags failpoint ./cmd/peerd -count=1 -v -timeout 40m -run 'TestNothingIsLostWhenKilled|TestAveragingIsExactThroughKills'
