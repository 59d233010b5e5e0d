#!/usr/bin/env bash
# Decisions by features over HTTP: 100 actions of 10 features, 1,000/s in an open loop over 64 connections from
# another process, bodies of 20 kB prepared before; beside a bare net/http server that reads the same bodies, in
# turn, three times each. Wanted: p99 up to 2 ms, from when a request was to be sent, in the best of the three.
# Three minutes; -seconds 10 for a quick look. Nothing else should run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p bin
go build -o bin/peerd ./cmd/peerd
go build -o bin/load ./scripts/load
exec bin/load -peerd bin/peerd -features -seconds 30 "$@"
