#!/usr/bin/env bash
# 100,000 random histories of decisions, crashes, restarts, restored backups and wiped
# disks, with everything that leaves held against the ledger. PEERD_HISTORIES=10000 took
# eight minutes on two cores that others used too.
set -euo pipefail
cd "$(dirname "$0")/../.."
PEERD_HISTORIES="${PEERD_HISTORIES:-100000}" exec go test ./node/site -count=1 -timeout 3h -v -run '^TestLedgerNeverBelowReleased$' 2>&1 |
	grep -v '^=== \|^ *--- PASS'
