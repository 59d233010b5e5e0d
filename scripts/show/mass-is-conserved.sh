#!/usr/bin/env bash
# 1,000 random histories of loss, repetition, reordering and attempts to overlap.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec go test ./protocol -count=1 -v -run 'TestMass'
