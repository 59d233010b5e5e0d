#!/usr/bin/env bash
# Plays every figure of the papers and of docs/ in its quick form, into runs/quick; with FORM=full whole, into runs, and
# copies the pictures to docs/figures. The same command continues where an interrupted one stopped.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/peerd" ./cmd/peerd
if [ "${FORM:-quick}" != full ]; then
	"$folder/peerd" experiment run all --quick -o runs/quick "$@"
	exit
fi
"$folder/peerd" experiment run all -o runs "$@"
for picture in docs/figures/*.svg; do
	name=$(basename "$picture" .svg)
	if [ -f "runs/$name/figure.svg" ]; then cp "runs/$name/figure.svg" "$picture"; fi
done
