#!/usr/bin/env bash
# A peer whose folder was restored from a backup releases nothing until `peerd
# recover`; of two peers with one key, one stops releasing.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec go test ./cmd/peerd -count=1 -v -run 'TestARestoredBackupReleasesNothing|TestTheSameKeyTwice'
