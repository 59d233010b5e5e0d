#!/usr/bin/env bash
# Three sites with applications run, of which two sign changes, and their network changes under them, without a restart: a fourth joins by
# token, one moves to another address, one gets a new key, one leaves permanently, an action is added and another
# retired. Fails if a reward is refused,
# if any site goes more than two rounds without a release, if the sites do not end on one version,
# or if a ledger does not verify. Two minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
go build -o "$dir/peerd" ./cmd/peerd
cd "$dir"
port=${PORT:-23470}
# signs at a site what other sites propose
sign() {
	local hash
	for hash in $(./peerd network show --dir "$1" | grep -o 'network sign [0-9a-f]*' | cut -d' ' -f3); do
		./peerd network sign "$hash" --dir "$1" >/dev/null
	done
}
address() { echo "/ip4/127.0.0.1/tcp/$((port + $1))"; }
settings=(--set 'arms=[red, green, blue]' --set privacy.epsilon=1 --set privacy.horizon=100000 --set protocol.name=rows
	--set spare_arms=2 --set 'api.offer=[all]' --set protocol.rows.every=1 --set protocol.rows.pull=5 --set rounds.every=1s --set api.window=2s)

./peerd init --dir a "${settings[@]}" --set "listen=[$(address 0)]" >/dev/null
./peerd network new --dir a --name clinics --peer a --addr "$(address 0)" --start "$(date -u -d '+5 seconds' +%Y-%m-%dT%H:%M:%SZ)" >/dev/null
start a
token=$(./peerd network invite b --dir a)
./peerd join "$token" --yes --dir b --set 'api.offer=[all]' --listen "$(address 1),$(address 11)" --addr "$(address 1)"
start b
until_ok shown ' b, present' a b
./peerd network admins a b --needed 2 --dir a >/dev/null
until_ok agree 3 a b
token=$(./peerd network invite c --dir a)
sleep 3
sign b
until_ok agree 4 a b
./peerd join "$token" --yes --dir c --set 'api.offer=[all]' --listen "$(address 2)" --addr "$(address 2)"
start c
until_ok shown ' c, present' a b c
for s in a b c; do until_ok ready $s; done
until_ok linked a b c
for s in a b c; do play $s; done
sleep 10

echo "a fourth joins"
token=$(./peerd network invite d --dir a)
sleep 3
sign b
until_ok agree 5 a b
./peerd join "$token" --yes --dir d --set 'api.offer=[all]' --listen "$(address 3)" --addr "$(address 3)"
start d
until_ok shown ' d, present' a b c d
until_ok linked a b c d
until_ok ready d
play d
sleep 8
echo "b moves"
./peerd network move --dir b --addr "$(address 11)" >/dev/null
until_ok shown " b, present.*$(address 11)" a b c d
until_ok linked a b c d
sleep 8
echo "c gets a new key"
before=$(./peerd id --dir c)
./peerd network rotate --dir c >/dev/null
rekeyed() { [ "$(./peerd id --dir c)" != "$before" ]; }
until_ok rekeyed
until_ok shown " c, present.*$(./peerd id --dir c)" a b c d
until_ok linked a b c d
sleep 8
arms() { ask "$1" /v1/arms; }
borrows() { # SITES A B C: on how many other sites the estimates of A, B and C rest
	local s
	for s in "${@:2}"; do arms "$s" | grep -q '"name":"green".*"borrowed_sites":'"$1" || return 1; done
}
within 90 borrows 3 a b c
echo "d leaves"
kill "$application_d"
wait "$application_d" 2>/dev/null || true
./peerd network remove d --dir d >/dev/null
until_ok shown ' d, gone' a b c
[ "$(version a)" = 5 ] || fail "joins, a move, a key and a leave made versions"
until_ok linked a b c
until_ok borrows 2 a b c # none contains what d released
sleep 8
borrows 2 a b c || fail "what d released is in an estimate again"
echo "white is added, and red retired"
has() { arms "$1" | grep -q "$2"; }
v=5
for change in 'extend white' 'retire red'; do
	./peerd network $change --dir a >/dev/null
	sleep 3
	sign b
	until_ok agree $((v += 1)) a b c
done
for s in a b c; do until_ok has $s '"name":"red".*"retired":true.*"name":"white"'; done
until_ok linked a b c
before=$(arms a | sed 's/.*"name":"red","pulls":\([0-9]*\).*/\1/')
sleep 8
[ "$(arms a | sed 's/.*"name":"red","pulls":\([0-9]*\).*/\1/')" = "$before" ] || fail "red is still chosen"
for s in a b c; do has $s '"name":"white","pulls":[1-9]' || fail "$s does not choose white: $(arms $s)"; done
kill -0 "$pid_d" 2>/dev/null && fail "d still runs"

for s in a b c d; do
	refused=$(grep -cv '^200$' "$s.codes" || true)
	echo "$s: $(wc -l <"$s.codes") rewards, $refused not taken"
	[ "$refused" = 0 ] || fail "$s: $(sort "$s.codes" | uniq -c)"
done
for s in a b c; do
	learns $s
	verify $s
done
[ "$(./peerd network show --dir a | sed -n 1p)" = "$(./peerd network show --dir b | sed -n 1p)" ] || fail "a and b differ"
[ "$(./peerd network show --dir a | sed -n 1p)" = "$(./peerd network show --dir c | sed -n 1p)" ] || fail "a and c differ"
echo ok
