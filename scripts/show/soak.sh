#!/usr/bin/env bash
# Four sites of a network with a document, with 50 decisions a second each and their rewards, for an hour or as many minutes as
# the argument says. Prints every minute what the first site takes: resident memory and heap in MB, goroutines, descriptors, and
# the size of its store; and at the end by how much the memory of each site grew in the last half, per minute. Fails if a request
# was refused or lost, or if memory still grows by more than 0.25 MB a minute.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
go build -o "$dir/peerd" ./cmd/peerd
go build -o "$dir/visitors" ./scripts/visitors
cd "$dir"
port=${PORT:-23570} minutes=${1:-60} sites=(a b c d)
address() { echo "/ip4/127.0.0.1/tcp/$((port + $1))"; }
start=$(date -u -d '+10 seconds' +%Y-%m-%dT%H:%M:%SZ)
./peerd init --dir a --set 'arms=[red, green, blue]' --set privacy.epsilon=1 --set api.window=10s --set "listen=[$(address 0)]" >/dev/null
./peerd network new --dir a --name clinics --peer a --addr "$(address 0)" --start "$start" >/dev/null
start a
for i in 1 2 3; do
	s=${sites[i]}
	until_ok answers a
	./peerd join --yes "$(./peerd network invite "$s" --dir a)" --dir "$s" --listen "$(address "$i")" --addr "$(address "$i")" >/dev/null
	start "$s"
	until_ok ready "$s"
done
until_ok linked "${sites[@]}"
for s in "${sites[@]}"; do
	./visitors -dir "$s" -name "$s" -rate 50 -start "$start" -pays red=.3,green=.5,blue=.4 >"$s.outcomes" 2>"$s.err" &
	pids+=($!)
	eval "visitors_$s=$!"
done
# figure SITE METRIC: its value
figure() { ask "$1" /metrics | awk -v name="$2" '$1 == name { printf "%.0f\n", $2 }'; }
printf '%6s %8s %8s %8s %8s %8s\n' minute rss heap routines files store
for m in $(seq "$minutes"); do
	sleep 60
	for s in "${sites[@]}"; do figure "$s" process_resident_memory_bytes >>"$s.rss"; done
	printf '%6d %8.1f %8.1f %8d %8d %8.1f\n' "$m" "$(tail -1 a.rss | awk '{print $1/1e6}')" "$(figure a go_memstats_heap_inuse_bytes | awk '{print $1/1e6}')" \
		"$(figure a go_goroutines)" "$(figure a process_open_fds)" "$(du -sb a/store | awk '{print $1/1e6}')"
done
for s in "${sites[@]}"; do
	p=visitors_$s
	kill -TERM "${!p}"
	wait "${!p}" || fail "$s: $(cat "$s.outcomes")"
	echo "$s: $(cat "$s.outcomes")"
	verify "$s"
	# the slope of a line through the last half
	tail -n $((minutes / 2)) "$s.rss" | awk -v s="$s" '{ n++; x += n; y += $1; xx += n * n; xy += n * $1 }
		END { b = n > 1 ? (xy - x * y / n) / (xx - x * x / n) / 1e6 : 0; printf "%s: %.2f MB a minute\n", s, b; exit b > .25 }' || fail "$s grows"
done
echo ok
