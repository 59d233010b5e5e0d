#!/usr/bin/env bash
# What open pages of a peer cost: rewards with 16 open pages beside rewards without, in turn; the time, size and memory of views; and
# what the page adds to the program. Prints the limit beside each figure, and fails if one is over; what the program grows by is on pending.txt.
# Arguments go to scripts/load. Phases are short: decisions whose rewards come much later are read from the disk, which costs more than
# what is measured here.
set -euo pipefail
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
over=0
go build -o "$dir/peerd" ./cmd/peerd
go build -o "$dir/load" ./scripts/load
"$dir/load" -peerd "$dir/peerd" -pages 16 -seconds 3 -pairs 30 "$@" || over=1
symbols=$(go tool nm -size -sort size "$dir/peerd" | awk '/peerd.dev\/node\/api\/page[.(]|html\/template[.(]/ { sum += $2 } END { print sum + 0 }')
files=$(cat node/api/page/*.html node/api/page/style.css node/api/page/script.js node/api/page/icon.svg | wc -c)
printf '%-44s %16s %12s\n' 'symbols of the page and of html/template' $symbols '' '    with its files' $((symbols + files)) 150000
go test ./node/api/page -count=1 -v -run 'TestAnOpenPageDoesNotGrow|TestAViewIsSmall|TestStreamsShareARendering' | sed -n 's/^ *[a-z_]*\.go:[0-9]*: //p; /^\(ok\|FAIL\|---\)/p' || over=1
exit $over
