#!/usr/bin/env bash
# Three sites with an application each, in Go, Python and Node, that decide all the time while peers and applications are
# killed (kill -9) and started again. At the end each peer has what its application did: nothing is lost, nothing is counted
# twice, and propensities are equal.
# Usage: scripts/killed/run.bash [seconds]; scripts/show/clients.sh runs it.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
seconds=${1:-40} port=${PORT:-23870} window=15 folder=site-
here=$PWD
go build -o "$dir/peerd" ./cmd/peerd
go build -o "$dir/killed" ./scripts/killed
mkdir "$dir/npm"
cp scripts/killed/application.mjs "$dir/npm"
tarball=$(cd node/api/client/node && npm pack --silent --pack-destination "$dir")
npm install --silent --offline --prefix "$dir/npm" "$dir/$tarball"
cd "$dir"
address() { echo "/ip4/127.0.0.1/tcp/$((port + $1))"; }
# A peer has to come back within a window, and half of the decisions explore, so that tables have all actions.
export PEERD_API_WINDOW=${window}s # at all sites
./peerd init --dir site-go --set 'arms=[red, green, blue]' --set privacy.epsilon=1 --set privacy.horizon=100000 --set rounds.every=250ms --set privacy.answers=anyone \
	--set learner.explore=0.5 --set "listen=[$(address 0)]" >/dev/null
./peerd network new --dir site-go --name shops --peer go --addr "$(address 0)" >/dev/null
start go
until_ok answers go
for s in python js; do
	token=$(./peerd network invite $s --dir site-go)
	./peerd join "$token" --yes --dir site-$s --set privacy.answers=anyone --listen "$(address ${#s})" --addr "$(address ${#s})" &>/dev/null
	start $s
done
for s in go python js; do until_ok ready $s; done
declare -A program=([go]=./killed [python]="env PYTHONPATH=$here/node/api/client/python python3 -B $here/scripts/killed/application.py" [js]="node npm/application.mjs")
# apply SITE SECONDS runs its application.
apply() {
	${program[$1]} "site-$1" "$1" "$2" >>"$1.out" 2>>"$1.err" &
	pids+=($!)
	eval "application_$1=$!"
}
# kill9 VARIABLE kills a process, as kill -9 does.
kill9() {
	local p
	eval "p=\$$1"
	kill -KILL "$p"
	wait "$p" 2>/dev/null || true
}
for s in go python js; do apply $s "$seconds"; done
begin=$SECONDS kills=0 deaths=0
sleep 3
while left=$((seconds - SECONDS + begin)) && [ $left -gt 8 ]; do
	sleep "1.$((RANDOM % 10))"
	for s in go python js; do kill9 pid_$s; done
	kills=$((kills + 1))
	if [ $((kills % 3)) = 2 ]; then # the application, too, and it is started again before its peer
		sleep 0.5
		for s in go python js; do
			kill9 application_$s
			apply $s $((seconds - SECONDS + begin))
		done
		deaths=$((deaths + 1))
	fi
	sleep "$((1 + RANDOM % 2)).$((RANDOM % 10))"
	for s in go python js; do
		rm -f "site-$s/peerd.sock"
		start $s
	done
	sleep 2
done
for s in go python js; do
	eval "p=\$application_$s"
	wait "$p" || fail "the application of $s ended with $?"
	tail -n 1 "$s.out" | sed "s/^/$s: /"
	tail -n 1 "$s.out" | grep -q '^left 0 ' || fail "$s: something is left"
done
sleep $((window + 2)) # exports leave out decisions whose windows are open
for s in go python js; do
	./peerd decisions export --dir site-$s --format jsonl -o $s.export >/dev/null 2>&1
	pulls=$(ask $s /v1/arms | grep -o '"pulls":[0-9]*' | awk -F: '{n += $2} END {print n + 0}')
	python3 "$here/scripts/killed/compare.py" $s.did $s.export "$pulls" $((kills + deaths)) || fail "$s: the peer has something else"
done
echo "peers were killed $kills times, applications $deaths times: nothing lost, nothing twice, propensities equal"
