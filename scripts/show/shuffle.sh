#!/usr/bin/env bash
# Six real processes with protocol shuffle, of both kinds: four silos, the shuffler and the analyzer. They learn together, and equal
# the simulator in lockstep; 50 kills of each network lose nothing and count nothing twice; and what shuffler and
# analyzer have on disk, receive and can open is searched for the numbers of silos, and for whose they are.
# An argument chooses a part: learns, equal, holds or kills.
set -euo pipefail
cd "$(dirname "$0")/../.."
part=${1:-all}
export PEERD_LONG=1
shows() { # NAME TESTS
	[ "$part" = all ] || [ "$part" = "$1" ] || return 0
	local begun=$SECONDS
	go test ./cmd/peerd ./internal/daemon/durabletest -count=1 -v -timeout 30m -run "$2"
	echo "$1: $((SECONDS - begun)) s"
}
case $part in all | learns | equal | holds | kills) ;; *) echo "there is no part $part" >&2 && exit 2 ;; esac
shows learns '^TestShuffledSitesLearn$'
shows equal '^(TestWhatIsSimulatedIsWhatRuns|TestThePapersSystemsRunAsSimulated)$/^(shuffle|sdp)'
shows holds '^TestWhatShufflerAndAnalyzerHold$'
shows kills '^TestANetworkIsKilled$/^sdp-'
