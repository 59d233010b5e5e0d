#!/usr/bin/env bash
# Agent steps per second on one core for protocol average, 10 arms, ring, through
# the real agents in the simulator, and memory per agent. Wanted: 1,500,000 with
# exact noise, 2,000,000 without.
set -euo pipefail
cd "$(dirname "$0")/../.."
GOMAXPROCS=1 go test ./node/lab/sim -run '^$' -bench AgentSteps -benchtime 5000000x -count "${1:-5}"
exec go test ./node/lab/sim -run '^$' -bench AgentMemory -benchtime 1x
