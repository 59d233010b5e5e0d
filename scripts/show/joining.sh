#!/usr/bin/env bash
# What joining costs and brings, in the cells of configs/joining.yaml (and configs/joining-linear.yaml): own regret of sites that give
# few decisions, next to the same sites alone, which add no noise.
#
# Founders lose at most 3 rewards more than alone on average (5 by features), and no more of them lose linearly. Late sites lose at
# most .7 of alone in their first 1,000 decisions where ten sites are alike, .45 with `alike`, and no more than alone elsewhere. A limit counts
# as broken if the whole 95 % interval is above it; it is printed with its cell. Results are in runs/; the same command continues
# where an interrupted one stopped.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/peerd" ./cmd/peerd
for file in joining joining-linear; do
	"$folder/peerd" experiment run "configs/$file.yaml" -o "runs/$file" "$@" | tee -a "$folder/table"
done
awk -F '   *' '
function over(what, low, most) {
	if (low + 0 > most + 0) {printf "%s, %s: %s is at least %s, wanted at most %s\n", $1, $2, what, low, most; bad++}
}
/MORE THAN ALONE/ {on = 1; next}
/^Own regret is of a site/ {on = 0}
on && / together/ && $2 != "all" || on && / together/ && !late[$1] {
	rows++
	split($8, linear, "[ ,]+") # N of M, alone K
	more = $9; sub(/.*\(/, "", more); sub(/ to .*/, "", more)
	ratio = $10; sub(/.*\(/, "", ratio); sub(/ to .*/, "", ratio)
	if (linear[1] > linear[5]) {printf "%s, %s: %d lose linearly, alone %d\n", $1, $2, linear[1], linear[5]; bad++}
	if ($2 == "late") {
		most = 1
		if (/alike/) most = .45
		else if (/deviation = 0,.*nodes = 10/) most = .7
		over("the mean to alone", ratio, most)
	} else over("more than alone", more, /features/ ? 5 : 3)
}
END {
	print rows + 0, "rows,", bad + 0, "limits broken"
	exit bad > 0 || rows < 1
}' "$folder/table"
