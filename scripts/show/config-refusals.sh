#!/usr/bin/env bash
# A wrong value for every key of the schema, and wrong combinations of keys.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec go test ./cmd/peerd ./internal/config -count=1 -v -run 'Refus'
