#!/usr/bin/env bash
# 50 kills (SIGKILL, at random moments) in networks of processes with a coordinator, with sinks and a server, and without
# roles; half of the kills are of the coordinator, the server or a sink, where there is one, and every fifth peer stays away for
# longer than a deadline. What was in a ledger stays in it and verifies, nothing is blocked, no honest
# message is refused, and all go on. Names of configurations choose among them: kill-network.sh hdp-mab.
set -euo pipefail
cd "$(dirname "$0")/../.."
only=$(IFS='|'; echo "$*")
PEERD_LONG=1 exec go test ./cmd/peerd -count=1 -v -timeout 60m -run "TestANetworkIsKilled/^(${only:-.*})$"
