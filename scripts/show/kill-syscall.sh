#!/usr/bin/env bash
# A peer is killed just before every single call by which it writes to its store,
# syncs, makes, renames or removes a file of it, while 50 decisions are asked for and
# rewarded: about 500 starts, four minutes. Needs Linux on amd64 and ptrace. (strace
# could kill as well, but counts calls by thread and so cannot name each of them.)
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_LONG=1 exec go test ./cmd/peerd -count=1 -v -timeout 30m -run 'TestNothingIsLostAtAnyCall'
