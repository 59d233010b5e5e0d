#!/usr/bin/env bash
# Three hospital processes on the real data, then 20 simulated seeds: configs/diabetes.yaml, in which every
# hospital chooses for its own patients, and then protocols and learners that choose one arm for all, over 3,000
# rounds: better ones play all records of the best arm soon after.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${PEERD_DATA:?set PEERD_DATA to the folder that holds the data; scripts/fetch-data.sh downloads it}"
play() { scripts/testnet.sh -c configs/diabetes.yaml "$@"; }
play "$@"
common=(--set rounds.count=3000 --set protocol.rows.every=300 --set protocol.rows.pull=25 --set protocol.rows.merge=mean)
for set in "protocol.name=average privacy.mechanism=kary privacy.horizon=4800 learner.name=ucb" \
	"protocol.name=rows privacy.mechanism=tree privacy.horizon=4800 learner.name=ucb" \
	"protocol.name=rows privacy.mechanism=kary privacy.horizon=4800 learner.name=klucb" \
	"protocol.name=phases privacy.mechanism=each privacy.horizon=0 learner.name=klucb"; do
	printf '\n%s\n' "$set"
	flags=()
	for s in $set; do flags+=(--set "$s"); done
	play "${flags[@]}" "${common[@]}" "$@"
done
