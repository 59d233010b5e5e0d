#!/usr/bin/env bash
# What joining costs and brings, in the cells of configs/joining.yaml (and configs/joining-linear.yaml): own regret of sites that give
# few decisions, next to the same sites alone, which add no noise.
#
# Founders lose at most 3 rewards more than alone on average where sites are alike, where they differ by .1 and have at most 5 actions, and at odd
# sites and among liars; at most 15 elsewhere, since the fee of what they give is not paid back there; and 5 by features. At most 1 of 200 more of them lose
# linearly than alone, except where nine of ten lie. Late sites lose at most .7 of alone in their first 1,000 decisions where ten sites or more are alike,
# .45 with `alike`, no more than alone elsewhere, and 1.1 times that by features. A limit is broken if the whole 95 % interval is above it; then it is
# printed with its cell. Results are in runs/; the same command continues where an interrupted one stopped. RUNS=FOLDER judges the results in a folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/peerd" ./cmd/peerd
for file in joining joining-linear; do
	if [ -n "${RUNS:-}" ]; then
		"$folder/peerd" experiment report "$RUNS/$file"
	else
		"$folder/peerd" experiment run "configs/$file.yaml" -o "runs/$file" "$@"
	fi | tee -a "$folder/table"
done
awk -F '   *' '
function over(what, low, most) {
	if (low + 0 > most + 0) {printf "%s, %s: %s is at least %s, wanted at most %s\n", $1, $2, what, low, most; bad++}
}
/MORE THAN ALONE/ {on = 1; next}
/^Own regret is of a site/ {on = 0}
on && / together/ {
	rows++
	split($8, linear, "[ ,]+") # N of M, alone K
	more = $9; sub(/.*\(/, "", more); sub(/ to .*/, "", more)
	ratio = $10; sub(/.*\(/, "", ratio); sub(/ to .*/, "", ratio)
	if (linear[1] > linear[5] + linear[3] / 200 && !/count = 9/) {printf "%s, %s: %d of %d lose linearly, alone %d\n", $1, $2, linear[1], linear[3], linear[5]; bad++}
	if ($2 == "late") {
		most = 1
		if (/features/) most = 1.1
		else if (/sites alike.*nodes = [125]0/) most = .45
		else if (/deviation = 0,.*nodes = [125]0/) most = .7
		over("the mean to alone", ratio, most)
	} else {
		most = 3
		if (/features/) most = 5
		else if (/deviation = 0.3/ || /deviation = 0.1/ && /(10|20|50) arms/) most = 15
		over("more than alone", more, most)
	}
}
END {
	print rows + 0, "rows,", bad + 0, "limits broken"
	exit bad > 0 || rows < 1
}' "$folder/table"
