#!/usr/bin/env bash
# What joining gives and costs a site of its own: with learner personalized in the cells of configs/personalized.yaml, where
# sites are alike, differ, are odd, change one by one, or lie. Ratios are to the same sites alone: nothing leaves them, no
# noise, rewards at once.
#
# These are the costs while sites give all decisions, and learn of their own rewards through noised releases only; no limit
# says that joining pays. At most one site in fifty more loses linearly than alone, and one at least may. Sites lose on average
# at most 2 times what they lose alone where all are alike, 1.5 where the arms pay .6 to .2 and others are odd, or one or three of
# ten lie about one arm, and 4 where sites differ; 5 in a network of two; 5 and 9, alike and not, at epsilon .3. 95 % of them
# lose at most 1.2 times as much as the mean may. An odd site loses on average at most 4 times what it loses alone, and at worst 12
# times. With nine liars of ten, and where sites change one by one, nothing is asked.
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
	if (/one by one/ || /count = 9/) next
	over("how many lose linearly", linear[1], linear[5] + (linear[3] > 50 ? linear[3] / 50 : 1))
	if ($2 == "odd") {
		over("the mean to alone", mean[1], 4)
		over("the worst to alone", $12, 12)
		next
	}
	most = 4
	if (/ε = 0.3/) most = /deviation = 0 / ? 5 : 9
	else if (/2 sites/) most = 5
	else if (/at one site|odd sites|liars about/) most = 1.5
	else if (/deviation = 0[ ,]/ && !/swapped/) most = 2
	over("the mean to alone", mean[1], most)
	over("95 % to alone", $10, 1.2 * most)
}
END {
	print rows + 0, "rows,", bad + 0, "limits broken"
	exit bad > 0 || rows < want
}' "$folder/table"
