#!/usr/bin/env bash
# A stranger that connects again and again, in network namespaces: two sites run, one with an application, and a third machine opens connections
# as fast as it can and says nothing, first from one address and then from 40. Fails if a site that starts meanwhile does not
# link within ten seconds, if a decision or a reward is refused or lost, if the refusals are not counted, or if the log has
# more than a line a minute of them. Needs root and iproute2. Two minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "$(id -u)" = 0 ] || {
	echo "network namespaces need root"
	exit 1
}
dir=$(mktemp -d) net=pd$$ pids=()
cleanup() {
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done
	wait
	for s in a b x; do ip netns del "$net-$s" 2>/dev/null || true; done
	ip link del "$net" 2>/dev/null || true
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'fail "line $LINENO"' ERR
fail() {
	echo "FAIL: $*"
	tail -n 20 "$dir"/*.log 2>/dev/null || true
	exit 1
}
go build -o "$dir/peerd" ./cmd/peerd
go build -o "$dir/visitors" ./scripts/visitors
cd "$dir"
ip link add "$net" type bridge
ip link set "$net" up
for s in a:1 b:2 x:3; do
	n=${s#*:} s=${s%:*}
	ip netns add "$net-$s"
	ip link add "$net$s" type veth peer name eth0 netns "$net-$s"
	ip link set "$net$s" master "$net" up
	ip -n "$net-$s" addr add "10.78.0.$n/16" dev eth0
	ip -n "$net-$s" link set eth0 up
	ip -n "$net-$s" link set lo up
done
for i in $(seq 40); do ip -n "$net-x" addr add "10.78.1.$i/16" dev eth0; done
in_ns() { ip netns exec "$net-$1" "${@:2}"; }
start() {
	ip netns exec "$net-$1" ./peerd run --dir "$1" 2>>"$1.log" &
	pids+=($!)
	eval "pid_$1=$!"
}
ask() { curl -s --unix-socket "$1/peerd.sock" "http://peer$2"; }
within() { # SECONDS COMMAND
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || fail "not in time: $*"
		sleep 0.1
	done
}
linked() { ask a /v1/status | grep -q '"links_up":true' && ask b /v1/status | grep -q '"links_up":true'; }
answers() { ask "$1" /healthz | grep -q .; }
limited() { ask a /metrics | sed -n 's/^peerd_limited_connections_total //p'; }
used() { awk '{ print $14 + $15 }' "/proc/$pid_a/stat"; }
# stranger SECONDS [ADDRESS...] opens connections from addresses in turn and keeps 400 open.
stranger() {
	in_ns x python3 - "$@" <<'PY'
import socket, sys, time
end, addresses, held, n = time.time() + float(sys.argv[1]), sys.argv[2:], [], 0
while time.time() < end:
    s = socket.socket()
    s.settimeout(1)
    try:
        s.bind((addresses[n % len(addresses)], 0))
        s.connect(("10.78.0.1", 8471))
        held.append(s)
    except OSError:
        s.close()
    n += 1
    if len(held) > 400:
        held.pop(0).close()
    time.sleep(.002)
print(n, "connections tried")
PY
}
in_ns a ./peerd init --dir a --set arms=red,green --set privacy.epsilon=1 --set api.window=2s >/dev/null
in_ns a ./peerd network new --dir a --name clinics --peer a --addr /ip4/10.78.0.1/tcp/8471 --admin >/dev/null
begin=$(./peerd network show --dir a | sed -n 's/^rounds of .* from //p')
start a
within 30 answers a
token=$(in_ns a ./peerd network invite b --dir a)
in_ns b ./peerd join "$token" --dir b --set api.window=2s >/dev/null
start b
within 30 linked
ip netns exec "$net-a" ./visitors -dir a -name a -rate 20 -delay 1s -start "$begin" -pays red=.3,green=.6 >a.json 2>a.err &
visits=$!
pids+=("$visits")
sleep 5
one="10.78.0.3" forty=$(for i in $(seq 40); do echo "10.78.1.$i"; done)
for who in one forty; do
	before=$(limited)
	work=$(used)
	# shellcheck disable=SC2086
	stranger 25 ${!who} >stranger.out &
	pids+=($!)
	sleep 10
	kill -TERM "$pid_b"
	wait "$pid_b" || true
	begun=$SECONDS
	start b
	within 10 answers b
	within 10 linked
	echo "$who: b links $((SECONDS - begun)) s after its start, while the stranger connects"
	sleep 18
	echo "$who: $(cat stranger.out); $(($(limited) - before)) refused unheard; the site took $(($(used) - work)) hundredths of a second of processor time in half a minute"
	[ "$(limited)" -gt "$before" ] || fail "the refusals are not counted"
done
kill -TERM "$visits"
wait "$visits" || fail "$(cat a.json a.err)"
sed -n 's/.*\("decisions":[^}]*"longest_answer_seconds":[0-9.]*\).*/\1/p' a.json
lines=$(grep -c 'too many connections' a.log || true)
echo "$lines lines of the log"
[ "$lines" -ge 1 ] && [ "$lines" -le 3 ] || fail "$lines lines"
echo ok
