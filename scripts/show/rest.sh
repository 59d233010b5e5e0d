#!/usr/bin/env bash
# What peers send while nothing is learned: networks of N sites with four links each and rounds of a second, whose applications ask for
# nothing. Prints, for each N, the payload of TCP that a peer sends in a second, the connections and the memory of a peer. Fails if a peer
# of this build sends more than 1,500 B/s, or if a link is down at the end. 30 peers need 2 GB.
#
#	scripts/show/rest.sh [N...]     5 and 30; PEERD_BASE names another build to compare with, PEERD_REST the seconds (120)
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
go build -o "$dir/peerd" ./cmd/peerd
cd "$dir"
port=${PORT:-23670} seconds=${PEERD_REST:-120}
address() { echo "/ip4/127.0.0.1/tcp/$((port + $1))"; }
# sent prints the bytes that all peers have sent, and the number of connections' ends.
sent() {
	ss -tinH "( sport ge :$port and sport lt :$((port + $1)) ) or ( dport ge :$port and dport lt :$((port + $1)) )" |
		grep -o 'bytes_sent:[0-9]*' | awk -F: '{ sum += $2 } END { printf "%.0f %d\n", sum, NR }'
}
# rest PROGRAM N
rest() {
	local n=$2 i s token links before ends after rss admin all=()
	folder=$(basename "$1")$n-
	"$1" init --dir "${folder}s0" --set 'arms=[red, green]' --set privacy.epsilon=1 --set privacy.horizon=100000 --set rounds.every=1s \
		--set "listen=[$(address 0)]" >/dev/null
	admin=$("$1" network new --help | grep -o -e '--admin' || true) # of builds up to 0.2.0
	# shellcheck disable=SC2086
	"$1" network new --dir "${folder}s0" --name clinics --peer s0 --addr "$(address 0)" $admin >/dev/null
	start s0 "$1"
	until_ok answers s0
	for ((i = 1; i < n; i++)); do # a band, in which the first and the last have fewer links
		links=s$((i - 1))
		[ $i -lt 2 ] || links+=,s$((i - 2))
		token=$("$1" network invite "s$i" --dir "${folder}s0" --links "$links")
		"$1" join "$token" --yes --dir "${folder}s$i" --listen "$(address $i)" --addr "$(address $i)" &>/dev/null
	done
	all=(s0)
	for ((i = 1; i < n; i++)); do
		start s$i "$1"
		all+=(s$i)
	done
	within 300 linked "${all[@]}"
	sleep $((30 + 2 * n)) # announcements are more frequent at first
	read -r before ends < <(sent "$n")
	sleep "$seconds"
	read -r after ends < <(sent "$n")
	linked "${all[@]}" || fail "a link is down"
	rss=0
	for s in "${all[@]}"; do
		eval "i=\$pid_$s"
		rss=$((rss + $(awk '/^RssAnon/ { print $2 }' "/proc/$i/status")))
	done
	for s in "${all[@]}"; do end "$s"; done
	each=$(((after - before) / seconds / n))
	echo "$(basename "$1"), $n sites: $each B/s a peer, $(awk "BEGIN { printf \"%.1f\", $ends / $n }") connections, $(awk "BEGIN { printf \"%.1f\", $rss / $n / 1024 }") MB of anonymous memory"
}
[ $# -gt 0 ] || set -- 5 30
for n in "$@"; do
	if [ -n "${PEERD_BASE:-}" ]; then
		cp "$PEERD_BASE" base
		rest ./base "$n"
	fi
	rest ./peerd "$n"
	[ "$each" -le 1500 ] || fail "more than 1,500 B/s"
done
echo ok
