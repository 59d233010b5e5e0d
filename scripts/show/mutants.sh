#!/usr/bin/env bash
# Shows that the tests notice mistakes: more than 200 of them, one at a time, in the noise, the
# accounts, the protocols, the site and the ledger.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PEERD_HISTORIES="${PEERD_HISTORIES:-20000}" # some mistakes take thousands
exec go run ./scripts/mutants "$@"
