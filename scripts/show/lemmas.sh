#!/usr/bin/env bash
# The lemmas of averaging at the full scale of figures 2a and 2b of paper 004
# (docs/papers.md), checked in every round by the simulator: the sum of estimates is the
# sum of own means plus what is in flight, to the integer; news of a count travels one hop
# a round (Lemma 1); counts stay close (Lemmas 2 and 3). Fails on any violation.
set -euo pipefail
cd "$(dirname "$0")/../.."
for figure in fig2a fig2b; do
	go run ./cmd/peerd experiment run "configs/figures/$figure.yaml" -o "runs/lemmas-$figure" \
		--set experiment.lemmas=true --set experiment.seeds=3 --set experiment.figure.kind=none "$@"
done
