#!/usr/bin/env bash
# 20 peers, 30 % loss and a partition of 10 s: all hold identical rows after healing, with protocols
# rows and phases; so do peers that lack different rows, or got different ones of one number.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec go test ./protocol -count=1 -v -run 'TestRowsAgree|TestLateJoiner|TestGapsAndForksHeal'
