#!/usr/bin/env bash
# What joining gives and costs a site of its own: with learner personalized in the cells of configs/personalized.yaml, where
# sites are alike, differ, are odd, change one by one, or lie.
#
# No more sites lose linearly than the same sites do alone. An odd site loses at most what it loses alone on average, and at
# worst twice that. Others lose at most .6 of it on average where all sites are alike and .85 where they differ, and 1 in a
# network of two; 95 % and 99 % of them, and the worst one, at most 1.1 times what it is alone. With one or three liars of ten, others
# lose at most what they lose alone; with nine, and where sites change one by one, only the first sentence is asked.
# A limit that is broken is printed with its cell. `own.sh long` has configs/personalized-table.yaml: 30,000 rounds, and 50 sites over 10,000, with
# 100 seeds. Results are in runs/; the same command continues where an interrupted one stopped.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
file=personalized rows=68
if [ "${1:-}" = long ]; then
	file=personalized-table rows=20
	shift
fi
go build -o "$folder/peerd" ./cmd/peerd
"$folder/peerd" experiment run "configs/$file.yaml" -o "runs/$file" "$@" | tee "$folder/table"
awk -v want=$rows -F '   *' '
function over(what, got, most) {
	if (got + 0 > most + 0) {printf "%s: %s is %s, wanted at most %s: %s\n", $2 == "odd" ? "odd site" : "sites", what, got, most, $1; bad++}
}
/LOSE LINEARLY/ && /MEAN TO ALONE/ {on = 1; next}
/^Own regret is of a site/ {on = 0}
on && /^together/ {
	rows++
	split($8, linear, "[ ,]+") # N of M, alone K
	split($9, mean, " ")
	over("how many lose linearly", linear[1], linear[5])
	if (/one by one/ || /count = 9/) next
	if ($2 == "odd") {
		over("the mean to alone", mean[1], 1)
		over("the worst to alone", $12, 2)
		next
	}
	most = .85
	if (/liars|withheld|2 sites/) most = 1
	else if (/deviation = 0 / && !/one site of/) most = .6
	over("the mean to alone", mean[1], most)
	over("95 % to alone", $10, 1.1)
	over("99 % to alone", $11, 1.1)
	over("the worst to alone", $12, 1.1)
}
END {
	print rows + 0, "rows,", bad + 0, "limits broken"
	exit bad > 0 || rows < want
}' "$folder/table"
