#!/usr/bin/env bash
# Plays every figure of the papers and of docs/ in its quick form, into runs/quick. With FORM=full it draws the pictures of
# docs/figures with the present code, from the rows in RUNS (runs): a figure that has no rows there is played whole, and one that
# has is not played again. Folders of peerd experiment claims do not serve, since claims play the cells that they need and no others.
# The same command continues where an interrupted one stopped.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/peerd" ./cmd/peerd
if [ "${FORM:-quick}" != full ]; then
	"$folder/peerd" experiment run all --quick -o runs/quick "$@"
	exit
fi
for picture in docs/figures/*.svg; do
	name=$(basename "$picture" .svg)
	rows=${RUNS:-runs}/$name
	if [ ! -f "$rows/summary.json" ]; then "$folder/peerd" experiment run "$name" -o "$rows" "$@"; fi
	"$folder/peerd" experiment report "$rows" -o "$folder" >/dev/null
	cp "$folder/figure.svg" "$picture"
	echo "$name is drawn from $rows"
done
