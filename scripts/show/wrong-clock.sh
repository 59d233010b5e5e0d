#!/usr/bin/env bash
# Two linked sites, one of which runs with a clock ten years ahead: it plays no round, is not ready, says why, and goes on by itself
# once its clock is right. Then a program that does play such rounds, for 8 s: the site says that its clock was ahead, and
# recover brings it back, with no leaf released twice.
# Usage: scripts/show.sh wrong-clock
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
root=$PWD
# program NAME [CHANGE OF run.go]: peerd with a clock that is ten years ahead
program() {
	mkdir "$dir/$1.go"
	sed 's/c\.Now = time\.Now$/c.Now = func() time.Time { return time.Now().Add(87600 * time.Hour) }/' node/site/open.go >"$dir/$1.go/open.go"
	sed 's/time\.Now()\.Add(c\.wrong)/time.Now().Add(c.wrong + 87600*time.Hour)/' gossip/clock.go >"$dir/$1.go/clock.go"
	sed "${2:-}" node/site/run.go >"$dir/$1.go/run.go"
	local f
	for f in node/site/open.go gossip/clock.go; do ! cmp -s "$f" "$dir/$1.go/${f##*/}" || fail "$f has no clock to move"; done
	printf '{"Replace": {"%s": "%s", "%s": "%s", "%s": "%s"}}' "$root/node/site/open.go" "$dir/$1.go/open.go" "$root/gossip/clock.go" "$dir/$1.go/clock.go" \
		"$root/node/site/run.go" "$dir/$1.go/run.go" >"$dir/$1.json"
	go build -overlay "$dir/$1.json" -o "$dir/$1" ./cmd/peerd
}
go build -o "$dir/peerd" ./cmd/peerd
program ahead
program careless 's/ || s\.isEarly()//'
! cmp -s "$dir/ahead" "$dir/careless" || fail "both programs look at the clock"
cd "$dir"
port=${PORT:-23720}
address() { echo "/ip4/127.0.0.1/tcp/$((port + $1))"; }
./peerd init --dir a --set 'arms=[red, green]' --set privacy.epsilon=1 --set privacy.answers=anyone --set rounds.every=1s --set api.window=1s \
	--set protocol.phases.first=2 --set "listen=[$(address 0)]" >/dev/null
./peerd network new --dir a --name clinics --peer a --addr "$(address 0)" >/dev/null
start a
until_ok answers a
./peerd join "$(./peerd network invite b --dir a)" --yes --dir b --set privacy.answers=anyone --set api.window=1s --listen "$(address 1)" --addr "$(address 1)" >/dev/null 2>&1
start b
until_ok ready b
until_ok linked a b
play b
records() { ask b /v1/status | grep -o '"ledger_records":[0-9]*' | cut -d: -f2; }
has() { [ "$(records)" -gt "$1" ]; }
within 60 has 4
round() { ask b /v1/status | grep -o '"round":[0-9]*' | head -n 1 | cut -d: -f2; }
said() { ask b /readyz | grep -qF "$1"; }
plays() { [ "$(round)" -gt "$1" ] && ready b; }

end b
start b ./ahead
until_ok said "ahead of the clocks of other peers"
before=$(round)
sleep 8
[ "$(round)" = "$before" ] || fail "round $(round) after $before, ten years ahead"
! ready b || fail "b is ready"
echo "ten years ahead for 8 s: no round is played; $(ask b /readyz | cut -c 1-110)"
end b
start b
within 30 plays "$before"
echo "with the right clock: round $(round), ready"

end b
start b ./careless
until_ok answers b
sleep 8
end b
start b
until_ok said "the clock was ahead"
echo "a program that plays them: $(ask b /readyz | cut -c 1-140)"
within 30 linked a b
sleep 2
end b
./peerd recover --dir b
start b
within 60 plays 0
now=$(round)
[ "$now" -lt 100000 ] || fail "round $now"
was=$(records)
play b
within 90 has "$was"
end b
verify b
echo "after recover: round $now, ready, and releases go on"
