#!/usr/bin/env bash
# Five processes over TCP and Noise in lockstep, each given only its own seed, and
# the simulator produce the same decisions, releases, estimates and frames over 1,000
# rounds with noise on; with one seed changed, the comparison fails. So do the networks of the
# configurations of papers 001 and 003.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_LONG=1 exec go test ./cmd/peerd -count=1 -v -run 'TestWhatIsSimulatedIsWhatRuns|TestThePapersSystemsRunAsSimulated'
