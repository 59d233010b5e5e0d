#!/usr/bin/env bash
# A peer is killed just before every single call that writes to its store or that syncs,
# creates, renames or removes one of its files, while 50 decisions are requested and
# rewarded: about 500 starts, four minutes. Needs Linux on amd64 and ptrace. (strace
# could kill as well, but counts calls per thread and so cannot identify each of them.)
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_LONG=1 exec go test ./cmd/peerd -count=1 -v -timeout 30m -run 'TestNothingIsLostAtAnyCall'
