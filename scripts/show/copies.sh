#!/usr/bin/env bash
# Two equal copies of a folder, started within a second of each other, never both draw: 20 trials.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_COPIES="${PEERD_COPIES:-20}" exec go test ./cmd/peerd -count=1 -timeout 30m -v -run '^TestCopiesStartedTogether$'
