# What scripts share that play networks of sites; they source it. It makes the folder $dir, in which they work. At their end all
# processes of $pids are stopped and $dir is removed. The folder of a site is called $folder and the site's name, and a site
# runs in the network namespace $net-<site> if $net is set.
dir=$(mktemp -d) pids=() folder='' net='' namespaces=()
trap 'fail "line $LINENO"' ERR
trap cleanup EXIT
cleanup() {
	local p
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done
	wait
	for p in "${namespaces[@]}"; do ip netns del "$p" 2>/dev/null || true; done
	[ -z "$net" ] || ip link del "$net" 2>/dev/null || true
	rm -rf "$dir"
}
fail() {
	echo "FAIL: $*"
	tail -n 20 "$dir"/*.log "$dir"/*.err 2>/dev/null || true
	exit 1
}
# bridge NET SITE=ADDRESS/BITS...: namespaces of sites with an address each, all on one bridge.
bridge() {
	[ "$(id -u)" = 0 ] || fail "network namespaces need root"
	net=$1
	local s
	ip link add "$net" type bridge
	ip link set "$net" up
	for s in "${@:2}"; do
		ip netns add "$net-${s%%=*}"
		namespaces+=("$net-${s%%=*}")
		ip link add "$net${s%%=*}" type veth peer name eth0 netns "$net-${s%%=*}"
		ip link set "$net${s%%=*}" master "$net" up
		ip -n "$net-${s%%=*}" addr add "${s#*=}" dev eth0
		ip -n "$net-${s%%=*}" link set eth0 up
		ip -n "$net-${s%%=*}" link set lo up
	done
}
# at SITE: the beginning of a command that is to run where the site does.
at() { [ -z "$net" ] || echo ip netns exec "$net-$1"; }
# start SITE [PROGRAM] runs a peer, whose process is then $pid_<site>.
start() {
	$(at "$1") "${2:-./peerd}" run --dir "$folder$1" 2>>"$1.log" &
	pids+=($!)
	eval "pid_$1=$!"
}
# end SITE ends the peer.
end() {
	local p
	eval "p=\$pid_$1"
	kill -TERM "$p"
	wait "$p" || fail "$1 ended with $?"
}
# until_ok COMMAND waits until the command succeeds, half a minute at most.
until_ok() { within 30 "$@"; }
# within SECONDS COMMAND
within() {
	local last=$((SECONDS + $1))
	until "${@:2}" >/dev/null 2>&1; do
		[ $SECONDS -lt $last ] || fail "not within $1 s: ${*:2}"
		sleep 0.2
	done
}
# ask SITE PATH [OPTION OF CURL...]
ask() { curl -s --unix-socket "$folder$1/peerd.sock" "${@:3}" "http://peer$2"; }
answers() { ask "$1" /healthz | grep -q .; }
ready() { [ "$(ask "$1" /readyz -o /dev/null -w '%{http_code}')" = 200 ]; }
# linked SITE...
linked() {
	local s
	for s in "$@"; do ask "$s" /v1/status | grep -q '"links_up":true' || return 1; done
}
version() { ./peerd network show --dir "$folder$1" | sed -n '1s/.*version \([0-9]*\),.*/\1/p'; }
# agree VERSION SITE...: they have it, or a later one.
agree() {
	local want=$1 s
	for s in "${@:2}"; do [ "$(version "$s")" -ge "$want" ] || return 1; done
}
# shown TEXT SITE...: a line of what they know of the network has it. What a place says of itself makes no version.
shown() {
	local s
	for s in "${@:2}"; do ./peerd network show --dir "$folder$s" | grep -e "$1" >/dev/null || return 1; done
}
# application SITE asks for decisions and reports rewards, until it is killed. Codes of answers go to SITE.codes.
application() {
	local id
	while :; do
		id=$(ask "$1" /v1/decisions -H 'Content-Type: application/json' -d "{\"subject\":\"$1-$SRANDOM\"}" | sed -n 's/.*"id":"\([^"]*\)".*/\1/p') || true
		if [ -n "$id" ]; then
			ask "$1" /v1/rewards -o /dev/null -w '%{http_code}\n' -H 'Content-Type: application/json' -d "{\"id\":\"$id\",\"value\":$((RANDOM % 2))}" >>"$1.codes" || true
		else
			echo decision >>"$1.codes"
		fi
		sleep 0.2
	done
}
# play SITE runs an application, whose process is then $application_<site>.
play() {
	application "$1" &
	pids+=($!)
	eval "application_$1=$!"
}
# learns SITE fails if there were more than two rounds without a release.
learns() {
	local n
	n=$(ask "$1" "/v1/ledger?limit=10000" | sed -n 's/.*"round":\([0-9]*\).*/\1/p' | sort -n | uniq |
		awk 'NR > 1 && $1 - last > gap { gap = $1 - last } { last = $1 } END { print gap + 0 }')
	echo "$1: at most $((n - 1)) rounds without a release"
	[ "$n" -ge 1 ] && [ "$n" -le 3 ] || fail "$1: releases $n rounds apart"
}
# verify SITE verifies its ledger.
verify() {
	./peerd ledger export --dir "$folder$1" -o "$1.jsonl" >/dev/null
	./peerd ledger verify "$1.jsonl" | sed -n 1p
}
