#!/usr/bin/env bash
# From nothing to an estimate of a policy, by documented commands alone: a site without features, and one by named
# features. Each makes a folder and a network, runs a peer and an application of ten lines, for half a minute and for two
# and a half, and evaluates its own log while the peer runs. It prints the commands, their number, files edited by hand
# and seconds, and fails if an interval is far from the truth. The window of a minute for rewards is init's. Needs
# python3. Six minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
clients=$PWD/node/api/client/python
go build -o "$dir/peerd" ./cmd/peerd
cd "$dir"

cat >application.py <<'END'
import random, sys, time, uuid
from peerd import Client

pays = {"mobile": {"mail": 0.7, "banner": 0.3, "call": 0.3}, "desktop": {"mail": 0.3, "banner": 0.3, "call": 0.7}}
peer, end = Client(dir=sys.argv[1]), time.monotonic() + float(sys.argv[3])
while time.monotonic() < end:
    device = random.choice(("mobile", "desktop"))
    context = {"hour": random.uniform(0, 24), "device": device} if sys.argv[2] == "features" else None
    d = peer.decide(subject=uuid.uuid4().hex, context=context)
    peer.reward(d.id, float(random.random() < pays[device][d.action]))
    time.sleep(0.005)
END

commands=0
# typed COMMAND...: what a person types.
typed() {
	commands=$((commands + 1))
	echo "   $ ${*/#.\/peerd/peerd}" | cut -c1-150 >&2
	"$@"
}
# play SITE KIND PORT SECONDS [FLAG OF INIT...]
play() {
	local site=$1 kind=$2 port=$3 begin=$SECONDS
	commands=0
	echo "== $kind"
	typed ./peerd init --dir "$site" --set arms=mail,banner,call --set privacy.epsilon=1 --set "listen=/ip4/127.0.0.1/tcp/$port" "${@:5}" >init.said
	grep '^chose' init.said || true
	typed ./peerd network new --dir "$site" --name shops --peer "$site" --addr "/ip4/127.0.0.1/tcp/$port" >/dev/null
	commands=$((commands + 1))
	echo "   $ peerd run --dir $site" >&2
	start "$site"
	until_ok answers "$site"
	PYTHONPATH=$clients typed python3 -B application.py "$site" "$kind" "$4"
	sleep 62
	typed ./peerd decisions evaluate --dir "$site" >"$site.table"
	cat "$site.table"
	if [ "$kind" = features ]; then # what the learner does now
		typed ./peerd decisions evaluate --dir "$site" --since 100s >recent
		sed -n 1,2p recent
	fi
	echo "$kind: $commands commands, 0 files edited by hand, $((SECONDS - begin)) s from nothing to an estimate, $4 of them the application's and 60 the window's"
}
# near POLICY VALUE SITE fails if the estimate of a policy (the last one of its row) is over .15 from its value.
near() {
	awk -v policy="$1" -v value="$2" 'index($0, policy "  ") == 1 && match($0, /0\.[0-9]+ \(/) {
		n = split($0, part, /  +/); v = part[n - 1] + 0
		print policy ": " v ", really " value; found = 1
		bad = v < value - .15 || v > value + .15
	} END { exit !found || bad }' "$3.table" || fail "$1 is not near $2"
}
play plain plain 8671 30 --set learner.explore=0.1
near 'always mail' .5 plain
near 'always banner' .3 plain
play shop features 8672 150 --set 'features.context=[hour=0..24, device=mobile|desktop]'
near 'always mail' .5 shop
near 'always banner' .3 shop
echo ok
