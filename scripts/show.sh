#!/usr/bin/env bash
# Shows that a promise of scripts/show/table.txt holds: runs the row of that name, which prints what it measured and fails
# if the promise does not hold. Arguments go to its commands. Without a name: all rows. --record also adds a line to
# docs/lab/runs.md.
# Usage: scripts/show.sh [[--record] NAME [ARGUMENT...]]
set -euo pipefail
cd "$(dirname "$0")/.."
table=scripts/show/table.txt

if [ $# -eq 0 ]; then
	awk '/^## / { printf "\n%s\n", substr($0, 4) }
	/^[a-z0-9]/ { name = $0; needs = "" }
	/^\tshows: / { shows = substr($0, 9) }
	/^\ttime: / { time = substr($0, 8); if (time == "?") time = "-" }
	/^\tneeds: / { needs = "; needs " substr($0, 9) }
	/^$/ && name { printf "  %-23s %-9s %s%s\n", name, time, shows, needs; name = "" }
	END { if (name) printf "  %-23s %-9s %s%s\n", name, time, shows, needs }' $table
	exit
fi
record=
if [ "$1" = --record ]; then
	record=docs/lab/runs.md
	shift
fi
name=${1:?--record wants the name of a row}
shift
row=$(awk -v name="$name" '/^[^\t]/ { on = $0 == name } on' $table)
if [ -z "$row" ]; then
	echo "there is no row $name in $table; show.sh without a name prints all" >&2
	exit 2
fi
needs=$(sed -n 's/^\tneeds: //p' <<<"$row")
if [[ $needs = *data* ]]; then
	: "${PEERD_DATA:?set PEERD_DATA to the folder that holds the data; scripts/fetch-data.sh downloads it}"
fi
if [[ $needs = *root* && $(id -u) != 0 ]]; then
	echo "$name needs root" >&2
	exit 2
fi
if [[ $needs = *quiet* ]]; then
	echo "$name measures: nothing else should run meanwhile" >&2
fi
commands="set -euo pipefail
$(sed -n 's/^\trun: //p' <<<"$row")"
if [ -z "$record" ]; then
	exec bash -c "$commands" "$name" "$@"
fi

commit=$(git rev-parse --short=8 HEAD)
[ -z "$(git status --porcelain -- ":!$record")" ] || commit+=+
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
held=yes
bash -c "$commands" "$name" "$@" 2>&1 | tee "$printed" || held=no
# The figure: the last line with a digit that is no line of go test about itself.
figure=$(sed -E '/^ *(ok|FAIL|PASS|exit status|---|===|#)/d; s/^ +[a-z0-9_]+\.go:[0-9]+: //; s/\|/,/g; s/^[[:space:]]+//' "$printed" | grep '[0-9]' | tail -n 1 | cut -c 1-200) || true
echo "| $name${*:+ $*} | $(date -u +%F) | $commit | $SECONDS | $held | $figure |" >>$record
[ $held = yes ]
