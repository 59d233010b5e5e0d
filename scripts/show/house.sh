#!/usr/bin/env bash
# Lines by wing, of the core, the whole and its tests; files of the rooms, the arrows between them, names of table entries quoted
# outside of their files, and functions that no command reaches.
set -euo pipefail
cd "$(dirname "$0")/../.."
deadcode=golang.org/x/tools/cmd/deadcode@v0.49.0

go test ./scripts/style -count=1 -v -run 'TestNoArrowLeadsUp|TestRoomsAreSmall|TestTheHouseDoesNotGrow'
go test ./protocol -count=1 -v -run TestNamesStandInTables
found="$(go run "$deadcode" -f '{{range .Funcs}}{{println .Name}}{{end}}' ./cmd/peerd ./scripts/... | sed '/^$/d' | sort)"
named="$(sed -n 's/^\([^# ][^ ]*\) #.*/\1/p' scripts/show/unreachable.txt | sort)"
if ! diff <(echo "$named") <(echo "$found"); then
	echo 'house.sh: < is named and reached, or gone; > is not reached and not named in scripts/show/unreachable.txt' >&2
	exit 1
fi
echo "functions that no command reaches: $(echo "$found" | wc -l), all named"
