#!/usr/bin/env bash
# A bit is flipped at 200 random places of a folder with 2,000 acknowledged decisions, and every
# file of it is cut at 20 lengths, stopped and killed, with a neighbour running and without. Each
# start goes on with everything or refuses with a sentence, and then `peerd recover` leads on.
# Two minutes on two cores; PEERD_DAMAGES=20 flips fewer bits.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_LONG=1 exec go test ./cmd/peerd -count=1 -v -timeout 3h -run 'TestADamagedFolderLosesNothingSilently|TestATableThatIsDamagedEndsThePeer'
