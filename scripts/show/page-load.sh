#!/usr/bin/env bash
# What open pages of a peer cost: rewards with 16 open pages beside rewards without, in turn; the time, size and memory of views; and
# what the page adds to the program. Prints the limit beside each figure, and fails if one is over. Arguments go to scripts/load.
set -euo pipefail
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
over=0
go build -o "$dir/peerd" ./cmd/peerd
go build -o "$dir/load" ./scripts/load
"$dir/load" -peerd "$dir/peerd" -pages 16 "$@" || over=1
own=$(go tool nm -size -sort size "$dir/peerd" | awk '/peerd.dev\/node\/api\/page[.(]/ { sum += $2 } END { print sum + 0 }')
files=$(cat node/api/page/*.html node/api/page/style.css node/api/page/script.js node/api/page/icon.svg | wc -c)
printf '%-44s %16s %12s\n' 'code and files of the page, bytes' $((own + files)) 150000
[ $((own + files)) -le 150000 ] || over=1
go test ./node/api/page -count=1 -v -run 'TestAnOpenPageDoesNotGrow|TestAViewIsSmall|TestStreamsShareARendering' | sed -n 's/^ *[a-z_]*\.go:[0-9]*: //p; /^\(ok\|FAIL\|---\)/p' || over=1
exit $over
