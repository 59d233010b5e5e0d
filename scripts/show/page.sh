#!/usr/bin/env bash
# The page of a site of three, in a real browser, while things happen to it: it learns, a neighbour is killed, its disk is full,
# there is room again, an action is added, a stranger calls, it is alone, it restarts and may not release, it is linked again. Another
# site's budget ends. Each state has a screenshot of 320 and of 1,280 pixels in runs/page (or SHOTS), and the sentence on the page has to be
# the one of /v1/status, and what /readyz and doctor say. At the beginning every view is looked at in light, dark and forced colours,
# and printed; at the end peers with hostile names and with many. Needs a browser, python3, and root for the disk: without it,
# that state is skipped. Two minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
shots=$(mkdir -p "${SHOTS:-runs/page}" && cd "${SHOTS:-runs/page}" && pwd)
source scripts/show/sites.bash
go build -o "$dir/peerd" ./cmd/peerd
(cd scripts/page && go build -o "$dir/page" .)
root_of_repository=$PWD
cd "$dir"
port=${PORT:-24870}
address() { echo "/ip4/127.0.0.1/tcp/$((port + $1))"; }
mkdir -m 700 a
root=$([ "$(id -u)" != 0 ] || echo yes)
if [ -n "$root" ]; then
	mount -t tmpfs -o size=64m,mode=0700 tmpfs a
	trap 'cleanup 2>/dev/null || true; umount "$dir/a" 2>/dev/null || true; rm -rf "$dir"' EXIT
fi
./peerd init --dir a --set 'arms=[red, "<b>green</b>", "أخضر"]' --set privacy.epsilon=1 --set spare_arms=1 --set privacy.answers=anyone --set 'api.offer=[all]' --set rounds.every=1s --set api.window=2s \
	--set "listen=[$(address 0)]" --set "api.listen=127.0.0.1:$((port + 10))" >/dev/null
./peerd network new --dir a --name clinics --peer a --addr "$(address 0)" >/dev/null
start a
for s in b c; do
	until_ok answers a
	token=$(./peerd network invite $s --dir a)
	at=$(address "$([ $s = b ] && echo 1 || echo 2)")
	./peerd join "$token" --yes --dir $s --set 'api.offer=[all]' --set privacy.answers=anyone --listen "$at" --addr "$at" --set api.listen= >/dev/null
	start $s
	until_ok ready $s
done
until_ok linked a b c
play a
link() { ./peerd page --dir "${1:-a}" --print --json | sed -n 's/.*"url": *"\([^"]*\)".*/\1/p'; }
sentence() { ask "${1:-a}" /v1/status | sed -n 's/.*"state":"\([^"]*\)".*/\1/p'; }
# look STATE WORDS [SITE [TEXT]]: the page of a site has the words in its sentence, as status has, and a text in it.
look() {
	local said page ready doctor site=${3:-a}
	says() { sentence "$site" | grep -q "$1"; }
	within 60 says "$2"
	./page -now "$1" -says "${4:-}" -o "$shots" "$(link "$site")" >"$1.out" || { cat "$1.out"; fail "$1: the browser found something"; }
	page=$(cut -f2 "$1.out" | sort -u)
	said=$(sentence "$site")
	[ "$page" = "$said" ] || fail "$1: the page says '$page', status '$said'"
	ready=$(ask "$site" /readyz | sed -n 's/.*"\(state\|detail\)":"\([^"]*\)".*/\2/p')
	[[ -n $ready && $said == *"$ready" ]] || fail "$1: /readyz says '$ready', status '$said'"
	doctor=$(./peerd doctor --dir "$site" 2>&1 || true)
	[[ $doctor == *"$said"* ]] || fail "$1: doctor does not say '$said'"
	echo "$1: $said"
}
released() { ask a /v1/status | grep -Eq '"released":([5-9]|[1-9][0-9])'; }
within 60 released
echo 'all views, by width and colours'
./page -o "$shots" "$(link)"
look learns 'together with 2 of 2'
kill -9 "$pid_c"
look killed 'with 1 of 2'
start c
until_ok linked a
if [ -n "$root" ]; then
	head -c 70m /dev/zero >a/ballast 2>/dev/null || true
	look full 'accepts nothing'
	rm a/ballast
	look room 'together with'
else
	echo 'full, room: skipped, since a full disk needs root'
fi
./peerd network extend blue --dir a >/dev/null
# The action is there at all sites, which link up again with the document that has it.
extended() { local s; for s in a b c; do ask $s /v1/arms | grep -q blue || return 1; done; linked a b c; }
until_ok extended
look action 'together with'
# A stranger: its folder names this network and its peers, and its key is not among theirs. Those that joined were strangers at first.
strangers() { ask a /v1/status | sed -n 's/.*"strangers":\([0-9]*\).*/\1/p'; }
knows() { [ "$(strangers)" -gt "$before" ]; }
before=$(strangers)
./peerd init --dir x --set 'arms=[red, green]' --set privacy.epsilon=1 --set "listen=[$(address 5)]" >/dev/null
cat >x/network.yaml <<YAML
name: clinics
start: $(date -u +%FT%TZ)
every: 1s
peers:
  - {name: x, id: $(./peerd id --dir x), addrs: [$(address 5)]}
  - {name: a, id: $(./peerd id --dir a), addrs: [$(address 0)]}
links: [[0, 1]]
YAML
start x
within 60 knows
kill -9 "$pid_x"
look stranger 'together with 2 of 2' a "Strangers refused $(strangers) "
./peerd doctor --dir a 2>&1 | grep 'not in the network file' || fail 'doctor says nothing of the stranger'
kill -9 "$pid_b" "$pid_c"
look alone 'learns alone: none of 2'
# The peer restarts while its page is open.
cat >again <<'SH'
kill -TERM "$1"
while kill -0 "$1" 2>/dev/null; do sleep .1; done
sleep 2
nohup ./peerd run --dir a 2>>a.log >/dev/null &
echo $! >a.pid
until ./peerd page --dir a --print --json 2>/dev/null | sed -n 's/.*"url": *"\([^"]*\)".*/\1/p' | grep .; do sleep .1; done
SH
./page -o "$shots" -again "bash again $pid_a" "$(link)"
pid_a=$(cat a.pid)
pids+=("$pid_a")
look blocked 'releases nothing: waiting'
start b
start c
until_ok linked a
look again 'together with 2 of 2'
# A network of one site whose budget pays for five rows of rewards.
./peerd init --dir d --set 'arms=[red, green]' --set privacy.epsilon=1 --set privacy.horizon=5 --set rounds.every=100ms --set protocol.name=rows --set protocol.rows.every=5 \
	--set protocol.rows.pull=5 --set privacy.mechanism=tree --set "listen=[$(address 6)]" --set "api.listen=127.0.0.1:$((port + 11))" >/dev/null
./peerd network new --dir d --name clinic --peer d --addr "$(address 6)" >/dev/null
start d
look ended 'learning has ended' d
echo 'names that a configuration refuses:'
for name in $'esc\e[31m' $'line\nbreak' $'\u202eder'; do
	name=$(printf '%s' "$name" | python3 -c 'import json, sys; print(json.dumps(sys.stdin.read()))')
	refusal=$(./peerd init --dir refused --set "arms=[red, $name]" --set privacy.epsilon=1 2>&1) && fail "$name was taken"
	tail -n 1 <<<"$refusal" | grep 'control or format character' || fail "$name: $refusal"
done
echo 'every view of a peer that has such names, and one of 1,000 actions and 200 neighbours'
(cd "$root_of_repository" && go test ./node/api/page -count=1 -run InABrowser -args -shots "$shots")
echo "screenshots are in $shots"
