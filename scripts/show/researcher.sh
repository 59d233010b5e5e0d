#!/usr/bin/env bash
# What a researcher does on the first day, as it is typed, with the seconds of every command: a figure of each paper by name, a
# sweep over protocols with what goes with them, a learner in Python and one in Go, a comparison and a plot of stored rows.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/peerd" ./cmd/peerd
PATH=$folder:$PATH
commands=0
step() {
	local begin=$SECONDS
	printf '\n$ %s\n' "$*"
	"$@" 2>"$folder/words" | tail -n 12 || { cat "$folder/words"; exit 1; }
	commands=$((commands + 1))
	printf '# %d s\n' $((SECONDS - begin))
}

step peerd experiment list
for figure in paper000-local paper001-2a paper002-3a paper003-8 fig2a; do
	step peerd experiment run "$figure" --quick -o "$folder/runs/$figure"
done
cat >"$folder/sweep.yaml" <<'SWEEP'
mode: lockstep
seed: 1
arms: [a, b, c, d, e]
privacy: {epsilon: 1, mechanism: each, horizon: 4000}
learner: {name: imed}
protocol: {name: phases}
world: {kind: bernoulli, bernoulli: {draw: sites}}
testnet: {nodes: 6, topology: complete}
experiment:
  seeds: 10
  cells:
    - each:
        - {name: phases}
        - {name: rows, set: {protocol.name: rows, protocol.rows.every: 50, privacy.mechanism: kary, learner.name: klucb}}
        - {name: average, set: {protocol.name: average, privacy.mechanism: kary, learner.name: ucb}}
      set: {privacy.epsilon: [0.5, 1, 5]}
  figure: {kind: final, x: privacy.epsilon, log: x}
SWEEP
step peerd experiment run "$folder/sweep.yaml" -o "$folder/runs/sweep"
step peerd experiment run docs/examples/python/lab/learner.yaml -o "$folder/runs/own"
cp -r docs/examples/go/learner "$folder/learner"
(cd "$folder/learner" && go mod edit -replace "peerd.dev=$OLDPWD")
step go -C "$folder/learner" mod tidy
step go -C "$folder/learner" run .
step peerd experiment report "$folder/runs/own" --set experiment.figure.log=y -o "$folder/runs/plot"
test -s "$folder/runs/plot/figure.png"
printf '\n%d commands, %d s\n' "$commands" "$SECONDS"
