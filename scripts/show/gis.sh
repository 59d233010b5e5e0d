#!/usr/bin/env bash
# Protocol gis with 50 peers on a ring, a star, a complete and a random graph: rounds, messages
# and links of an epoch; 30 % loss and restarts; silent, lying and equivocating peers.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_LONG=1 exec go test ./protocol -count=1 -v -timeout 60m \
	-run 'TestGIS|TestASilentNeighbour|TestAnEpochEnds|TestALostLifeGoesOn|TestAPartTakesPart|TestALiarMoves|TestWhatNoHonestPeer'
