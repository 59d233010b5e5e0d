#!/usr/bin/env bash
# What a baseline, a new action and the shadow of an application cost in regret, measured on the site of a live peer with simulated
# rewards. A part by name: baseline, new or shadow; all without one. PEERD_POLICIES_SEEDS sets the number of seeds.
set -euo pipefail
cd "$(dirname "$0")/../.."
for part in "${@:-baseline new shadow}"; do
	for one in $part; do
		PEERD_POLICIES=$one go test ./node/site -count=1 -run '^TestCostOfPolicies$' -v | grep -v '^=== \|^--- \|^PASS\|^ok\|^$'
	done
done
