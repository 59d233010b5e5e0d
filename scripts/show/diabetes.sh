#!/usr/bin/env bash
# Three hospital processes on the real data, then 20 simulated seeds: configs/diabetes.yaml, and then
# protocols and learners over 3,000 rounds, since better ones play all records of the best arm before
# round 4,800.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${PEERD_DATA:?set PEERD_DATA to the folder that holds the data; scripts/fetch-data.sh downloads it}"
play() { scripts/testnet.sh -c configs/diabetes.yaml "$@"; }
play "$@"
short=(--set rounds.count=3000 "$@")
for set in "protocol.name=average privacy.mechanism=kary" "protocol.name=rows privacy.mechanism=tree" \
	"protocol.name=rows privacy.mechanism=kary learner.name=klucb" \
	"protocol.name=phases privacy.mechanism=each privacy.horizon=0 learner.name=klucb"; do
	printf '\n%s\n' "$set"
	flags=()
	for s in $set; do flags+=(--set "$s"); done
	play "${flags[@]}" "${short[@]}"
done
