#!/usr/bin/env bash
# 100,000 random histories of decisions, crashes, restarts, restored backups and wiped
# disks; everything that leaves is compared with the ledger. PEERD_HISTORIES=10000 took
# eight minutes on two cores shared with other work.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_HISTORIES="${PEERD_HISTORIES:-100000}" exec go test ./node/site -count=1 -timeout 3h -v -run '^TestLedgerNeverBelowReleased$' 2>&1 |
	grep -v '^=== \|^ *--- PASS'
