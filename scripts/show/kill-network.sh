#!/usr/bin/env bash
# 50 kills (SIGKILL, at random moments) of processes of networks with a coordinator, with sinks and a server, and
# without roles; half of the kills are of the coordinator, the server or a sink, where there is one, and every fifth peer
# stays away for 3 s. First with configurations as they are, in runs of 10 s to 30 s, one after another. Then
# in networks that go on for minutes: 64 epochs of nearly one length over arms that differ by 0.02, in rounds of 10 ms,
# since with the configurations as they are most kills come when one arm is left. What was in a ledger stays in
# it and verifies, nothing is blocked, no honest message is refused, and all go on. Names choose among
# the networks: kill-network.sh hdp-mab.
set -euo pipefail
cd "$(dirname "$0")/../.."
only=$(IFS='|'; echo "$*")
PEERD_LONG=1 exec go test ./cmd/peerd -count=1 -v -timeout 60m -run "^TestANetworkIsKilled(AsShipped)?$/^(${only:-.*})$"
