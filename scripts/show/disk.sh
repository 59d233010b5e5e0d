#!/usr/bin/env bash
# A store on a file system of 3 MiB, until it is full and after there is room again; and
# syncs that fail with EIO, one after the other. Skips, with a reason, where nothing can
# be mounted.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_LONG=1 exec go test ./cmd/peerd -count=1 -v -timeout 10m -run 'TestAFullDiskLosesNothing|TestADiskThatOthersFill|TestAFailedSyncEndsThePeer'
