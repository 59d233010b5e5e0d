#!/usr/bin/env bash
# What slow clocks, loss, delay, absence and a partition cost protocol average in regret:
# three peers with five arms on a complete graph and ten peers with ten arms on a path,
# every link's clock at the paper's rate of one exchange a round over all links, with ε = 1
# and without noise, for two consistency rules. Absent peers choose nothing, so runs with
# churn are longer: every peer makes about as many choices as without faults. Takes ten
# minutes on two cores and prints the tables of docs/lab/asynchrony.md.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/peerd" ./cmd/peerd

# The means are uniform draws; the local best misleads two of three and eight of ten peers.
three='[[0.13,0.85,0.76,0.26,0.50],[0.45,0.65,0.79,0.09,0.03],[0.84,0.43,0.76,0.00,0.45]]'
ten='[[0.62,0.74,0.80,0.94,0.74,0.92,0.03,0.47,0.94,0.65],[0.90,0.11,0.47,0.25,0.54,0.57,0.01,0.22,0.28,0.92],[0.77,0.16,0.80,0.14,0.62,0.13,0.00,0.87,0.21,0.22],[0.98,0.87,0.29,0.96,0.54,0.68,0.20,0.94,0.69,0.97],[0.89,0.30,0.36,0.17,0.15,0.07,0.30,0.60,0.00,0.68],[0.34,0.31,0.82,0.48,0.32,0.48,0.70,0.06,0.98,0.02],[0.75,0.84,0.02,0.79,0.37,0.58,0.01,0.05,0.18,0.96],[0.20,0.76,0.93,0.94,0.34,0.35,0.52,0.78,0.11,0.75],[0.80,0.86,0.04,0.95,0.09,0.34,0.61,0.92,0.34,0.92],[0.55,0.31,0.32,0.18,0.08,0.15,0.69,1.00,0.16,0.05]]'

network() { # NAME: the settings of an instance
  case $1 in
    three) settings=(--set testnet.nodes=3 --set testnet.topology=complete --set "world.bernoulli.means=$three"
      --set 'arms=[a,b,c,d,e]' --set protocol.average.rate=0.3333333333333333) seeds=20 horizon=20000 ;;
    ten) settings=(--set testnet.nodes=10 --set testnet.topology=path --set "world.bernoulli.means=$ten"
      --set 'arms=[a,b,c,d,e,f,g,h,i,j]' --set protocol.average.rate=0.1111111111111111) seeds=8 horizon=40000 ;;
  esac
}

budget() { # EPSILON: its settings, and the rounds without churn
  case $1 in
    1) settings+=(--set privacy.epsilon=1 --set privacy.mechanism=tree) rounds=$horizon ;;
    inf) settings+=(--set privacy.epsilon=inf --set privacy.mechanism=none) rounds=10000 ;;
  esac
}

# run ROUNDS [SETTING…]: mean regret of a peer, and half the 95 % interval over seeds
run() {
  local more=(--set privacy.horizon="$1")
  shift
  for s in "$@"; do more+=(--set "$s"); done
  "$folder/peerd" experiment run configs/average.yaml --json -o "$folder/run" --set mode=lockstep --set seed=1 \
    --set experiment.seeds="$seeds" "${settings[@]}" "${more[@]}" 2>"$folder/log" |
    awk '/"regret":/ {on = 1} on && /"mean"/ {m = $2 + 0} on && /"high"/ {printf "%.1f %.1f\n", m, $2 - m; exit}'
}

# A cell is a name, its rounds relative to those without churn, and settings. Churn takes a
# peer away for 50 rounds on average, so one that leaves with probability .01 plays 2/3.
f=experiment.faults
cells=(
  "no faults|1|"
  "clocks at 0.5|1|protocol.average.rate=0.5"
  "clocks at 0.01|1|protocol.average.rate=0.01"
  "clocks at 0.001|1|protocol.average.rate=0.001"
  "loss 5 %|1|$f.loss=0.05"
  "loss 20 %|1|$f.loss=0.2"
  "loss 50 %|1|$f.loss=0.5"
  "delay up to 5|1|$f.delay=5"
  "delay up to 20|1|$f.delay=20"
  "churn 0.001|1.05|$f.churn=0.001"
  "churn 0.01|1.5|$f.churn=0.01"
  "partition until round 2,000|1|$f.partition=[0,2000]"
  "loss 20 %, delay up to 5, repeats 10 %, churn 0.001|1.05|$f.loss=0.2 $f.delay=5 $f.duplicate=0.1 $f.churn=0.001"
)

for instance in three ten; do
  printf '\n| %s | ε = 1, max | ε = 1, capped | ε = ∞, max | ε = ∞, capped |\n|---|---|---|---|---|\n' "$instance"
  for cell in "${cells[@]}"; do
    IFS='|' read -r name times list <<<"$cell"
    read -r -a words <<<"$list"
    printf '| %s' "$name"
    for epsilon in 1 inf; do
      for rule in max capped; do
        network "$instance"
        budget "$epsilon"
        settings+=(--set protocol.average.consistency="$rule")
        read -r mean half < <(run "$(awk -v r="$rounds" -v x="$times" 'BEGIN {print r * x}')" "${words[@]}")
        printf ' | %s ± %s' "$mean" "$half"
      done
    done
    printf ' |\n'
  done
done
