#!/usr/bin/env bash
# Durable decisions and rewards of a real peer under open-loop load from another
# process, compared with an append and fsync on the same disk. Wanted: decisions
# at 1,000/s with p99 up to 2 ms; rewards at 1,000/s with a median of up to 3 appends
# with fsync; 10,000 rewards a second with p99 up to 25 ms. Five minutes; -seconds 5
# for a quick look, -dir for another disk. Nothing else should run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p bin
go build -o bin/peerd ./cmd/peerd
go build -o bin/load ./scripts/load
exec bin/load -peerd bin/peerd "$@"
