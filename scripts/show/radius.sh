#!/usr/bin/env bash
# The calibrated radius against formula (12) of paper 004 (docs/lab/papers.md) as printed: over
# 100 random instances and 600,000 rounds the printed one has at least 20 times the regret,
# estimates lie outside the radii no more often than the radii promise, and the privacy
# promise is the same under both: charge and noise are equal, and the audit finds nothing
# under either. Results are in runs/radius; the same command continues where an interrupted
# one stopped. Arguments go to `peerd experiment run`: `--set privacy.horizon=20000 --set
# experiment.seeds=20` is a quick look, after which the ratio is not judged.
set -euo pipefail
cd "$(dirname "$0")/../.."
file=configs/figures/radius.yaml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/peerd" ./cmd/peerd

"$folder/peerd" experiment run "$file" -o runs/radius --set experiment.coverage=true "$@"
# The ratio of the last cell, as printed.
read -r rounds ratio < <(awk '/"rounds": [0-9]/ {r = $2 + 0} /"regret_ratio":/ {on = 1} on && /"mean":/ {m = $2 + 0; on = 0} END {print r, m}' runs/radius/summary.json)
printf '\nregret as printed over calibrated, after %d rounds: %s (wanted after 600,000: 20)\n' "$rounds" "$ratio"
awk -v rounds="$rounds" -v ratio="$ratio" 'BEGIN {exit rounds >= 600000 && ratio < 20}'

for learner in ucb ucb-printed; do
	set -- -c "$file" --set "learner.name=$learner"
	"$folder/peerd" privacy explain "$@" | grep -v 'Settings: SHA-256' >"$folder/$learner.promise"  # it has the learner's name
	got=0
	"$folder/peerd" audit "$@" --seed 1 >"$folder/$learner.audit" 2>/dev/null || got=$?
	printf '\naudit of %s: code %d\n' "$learner" "$got"
	sed -n '/claimed/p; /^CANARY/,/^$/p; /^FAIL/,/^$/p; s/^PASS: \([^.]*\).*/\1/p' "$folder/$learner.audit"
	sed -n '/claimed/p; /^CANARY/,/^$/p' "$folder/$learner.audit" | awk '{print $1, $3}' >"$folder/$learner.charged"
	if [ "$got" -ne 0 ]; then exit 1; fi
done
for what in promise charged; do
	cmp "$folder/ucb.$what" "$folder/ucb-printed.$what"
done
printf '\npromise, charge and noise are the same under both radii:\n'
sed -n '/^HOW IT WORKS/,/^WHAT THE NOISE/p' "$folder/ucb-printed.promise" | sed '$d'
