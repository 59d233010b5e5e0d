#!/usr/bin/env bash
# 200,000 random histories of decisions, full disks, crashes, restarts, changed settings, neighbours that come
# and go, restored backups, wiped disks and recoveries with some neighbours away: no noise is drawn twice, no
# record is under the noise of two leaves, and the ledger never shows less than was released. Then the
# same with mistakes in the program, each of which a history must find: how many that took is printed.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_HISTORIES="${PEERD_HISTORIES:-200000}" go test ./node/site -count=1 -timeout 3h -v -run '^TestLedgerNeverBelowReleased$' 2>&1 |
	grep -v '^=== \|^ *--- PASS'
export PEERD_HISTORIES=20000 # some mistakes take thousands
exec go run ./scripts/mutants -j 1 -only '^H'
