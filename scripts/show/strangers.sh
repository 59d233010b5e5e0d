#!/usr/bin/env bash
# A stranger that connects again and again, in network namespaces: two sites run, one with an application, and a third machine opens connections
# as fast as it can and says nothing, first from one address and then from 40. Fails if a site that starts meanwhile does not
# link within ten seconds, if a decision or a reward is refused or lost, if the refusals are not counted, or if the log has
# more than a line a minute of them. Needs root and iproute2. Two minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
go build -o "$dir/peerd" ./cmd/peerd
go build -o "$dir/visitors" ./scripts/visitors
cd "$dir"
bridge pd$$ a=10.78.0.1/16 b=10.78.0.2/16 x=10.78.0.3/16
for i in $(seq 40); do ip -n "$net-x" addr add "10.78.1.$i/16" dev eth0; done
limited() { ask a /metrics | sed -n 's/^peerd_limited_connections_total //p'; }
used() { awk '{ print $14 + $15 }' "/proc/$pid_a/stat"; }
# stranger SECONDS [ADDRESS...] opens connections from addresses in turn and keeps 400 open.
stranger() {
	$(at x) python3 - "$@" <<'PY'
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
$(at a) ./peerd init --dir a --set arms=red,green --set privacy.epsilon=1 --set api.window=2s >/dev/null
$(at a) ./peerd network new --dir a --name clinics --peer a --addr /ip4/10.78.0.1/tcp/8471 >/dev/null
begin=$(./peerd network show --dir a | sed -n 's/^rounds of .* from //p')
start a
within 30 answers a
token=$($(at a) ./peerd network invite b --dir a)
$(at b) ./peerd join "$token" --yes --dir b --set api.window=2s >/dev/null
start b
within 30 linked a b
$(at a) ./visitors -dir a -name a -rate 20 -delay 1s -start "$begin" -pays red=.3,green=.6 >a.json 2>a.err &
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
	end b
	begun=$SECONDS
	start b
	within 10 answers b
	within 10 linked a b
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
