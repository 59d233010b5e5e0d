#!/usr/bin/env bash
# The page of a site of three, in a real browser, while things happen to it: it learns, a neighbour is killed, its disk is full,
# there is room again, an action is added. Each state has a screenshot of 320 and of 1,280 pixels in runs/page (or SHOTS),
# and the sentence on the page has to be the one of /v1/status, and what /readyz and doctor say. At the beginning every view is
# looked at in light, dark and forced colours, too. Needs root, for the disk, and a browser. Three minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
shots=$(mkdir -p "${SHOTS:-runs/page}" && cd "${SHOTS:-runs/page}" && pwd)
source scripts/show/sites.bash
go build -o "$dir/peerd" ./cmd/peerd
(cd scripts/page && go build -o "$dir/page" .)
cd "$dir"
port=${PORT:-24870}
address() { echo "/ip4/127.0.0.1/tcp/$((port + $1))"; }
mkdir a
mount -t tmpfs -o size=64m,mode=0700 tmpfs a
trap 'cleanup 2>/dev/null || true; umount "$dir/a" 2>/dev/null || true; rm -rf "$dir"' EXIT
./peerd init --dir a --set 'arms=[red, "<b>green</b>", "أخضر"]' --set privacy.epsilon=1 --set spare_arms=1 --set 'api.offer=[all]' --set rounds.every=1s --set api.window=2s \
	--set "listen=[$(address 0)]" --set "api.listen=127.0.0.1:$((port + 10))" >/dev/null
./peerd network new --dir a --name clinics --peer a --addr "$(address 0)" --admin >/dev/null
start a
for s in b c; do
	until_ok answers a
	token=$(./peerd network invite $s --dir a)
	./peerd join "$token" --yes --dir $s --set 'api.offer=[all]' --listen "$(address "$([ $s = b ] && echo 1 || echo 2)")" --set api.listen= >/dev/null
	start $s
	until_ok ready $s
done
until_ok linked a b c
play a
link() { ./peerd page --dir a --print --json | sed -n 's/.*"url": *"\([^"]*\)".*/\1/p'; }
sentence() { ask a /v1/status | sed -n 's/.*"state":"\([^"]*\)".*/\1/p'; }
# look STATE WORDS: the page has the words in its sentence, as status has.
look() {
	local said page ready doctor
	says() { sentence | grep -q "$1"; }
	within 60 says "$2"
	./page -now "$1" -o "$shots" "$(link)" >"$1.out" || { cat "$1.out"; fail "$1: the browser found something"; }
	page=$(cut -f2 "$1.out" | sort -u)
	said=$(sentence)
	[ "$page" = "$said" ] || fail "$1: the page says '$page', status '$said'"
	ready=$(ask a /readyz | sed -n 's/.*"\(state\|detail\)":"\([^"]*\)".*/\2/p')
	[[ -n $ready && $said == *"$ready" ]] || fail "$1: /readyz says '$ready', status '$said'"
	doctor=$(./peerd doctor --dir a 2>&1 || true)
	[[ $doctor == *"$said"* ]] || fail "$1: doctor does not say '$said'"
	echo "$1: $said"
}
echo 'all views, by width and colours'
./page -o "$shots" "$(link)"
look learns 'together with 2 of 2'
kill -9 "$pid_c"
look killed 'with 1 of 2'
start c
until_ok linked a
head -c 70m /dev/zero >a/ballast 2>/dev/null || true
look full 'accepts nothing'
rm a/ballast
look room 'together with'
./peerd network extend blue --dir a >/dev/null
extended() { ask a /v1/arms | grep -q blue; }
until_ok extended
look action 'together with'
echo "screenshots are in $shots"
