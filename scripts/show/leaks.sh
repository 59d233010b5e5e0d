#!/usr/bin/env bash
# Programs that would let a reward out are refused by the compiler, or when they run.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec go test ./protocol ./dp -count=1 -v -run 'Leak|FewMay|NumbersBeside|OnlyTheCodec|NothingLeaves|OnlyLockstep'
