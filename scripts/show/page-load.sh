#!/usr/bin/env bash
# What open pages of a peer cost: rewards with 16 open pages beside rewards without, in turn; the time, size and memory of views; and
# what the page adds to the program. Prints the limit beside each figure, and fails if one is over. Arguments go to scripts/load.
# Phases are short: decisions whose rewards come much later are read from the disk, which costs more than what is measured here.
# The program without the page is a build in which scripts/show/page-none.txt takes the place of package node/api/page.
set -euo pipefail
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
over=0
go build -ldflags=-s -o "$dir/peerd" ./cmd/peerd
go build -o "$dir/load" ./scripts/load
{
	echo '{"Replace":{'
	for f in node/api/page/*.go; do
		[[ $f == */page.go || $f == *_test.go ]] || echo "\"$PWD/$f\":\"\","
	done
	echo "\"$PWD/node/api/page/page.go\":\"$PWD/scripts/show/page-none.txt\"}}"
} >"$dir/overlay.json"
go build -overlay "$dir/overlay.json" -ldflags=-s -o "$dir/without" ./cmd/peerd
"$dir/load" -peerd "$dir/peerd" -pages 16 -seconds 3 -pairs 30 "$@" || over=1
more=$(($(stat -c %s "$dir/peerd") - $(stat -c %s "$dir/without")))
files=$(cat node/api/page/*.html node/api/page/style.css node/api/page/script.js node/api/page/icon.svg | wc -c)
printf '%-44s %16s %12s%s\n' 'the program with the page, less without' $more 150000 "$([ $more -le 150000 ] || echo '  OVER')" '    of them files' "$files" '' ''
[ $more -le 150000 ] || over=1
go test ./node/api/page -count=1 -v -run 'TestAnOpenPageDoesNotGrow|TestAViewIsSmall|TestStreamsShareARendering' | sed -n 's/^ *[a-z_]*\.go:[0-9]*: //p; /^\(ok\|FAIL\|---\)/p' || over=1
exit $over
