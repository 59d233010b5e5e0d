#!/usr/bin/env bash
# Two real peers, and a third one that is built with a fault: it sends a millisecond later after a reward of 1.
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go run ./scripts/mutants -only '^slow$' -build "$bin/peerd" ./cmd/peerd
export PEERD_ROUNDS="${PEERD_ROUNDS:-10000}" PEERD_SLOW="$bin/peerd"
go test ./internal/daemon/durabletest -count=1 -v -timeout 60m -run TestMomentsDoNotFollowRewards
