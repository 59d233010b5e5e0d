#!/usr/bin/env bash
# Three sites with applications run, and their network changes under them, without a restart: a fourth joins by
# token, one moves to another address, one gets a new key, one leaves permanently, an action is added and another
# retired. Fails if a reward is refused,
# if any site goes more than two rounds without a release, if the sites do not end on one version,
# or if a ledger does not verify. Two minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
go build -o bin/peerd ./cmd/peerd
peerd=$PWD/bin/peerd dir=$(mktemp -d) pids=()
cleanup() {
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done
	wait
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'fail "line $LINENO"' ERR
cd "$dir"
port=${PORT:-23470}
fail() {
	echo "FAIL: $*"
	cat ./*.log
	exit 1
}
at() { echo "/ip4/127.0.0.1/tcp/$((port + $1))"; }
start() {
	"$peerd" run --dir "$1" 2>>"$1.log" &
	pids+=($!)
	eval "pid_$1=$!"
}
# until_all COMMAND: waits until it succeeds, 30 s at most.
until_ok() {
	for _ in $(seq 60); do
		if "$@" >/dev/null 2>&1; then return; fi
		sleep 0.5
	done
	fail "never came: $*"
}
version() { "$peerd" network show --dir "$1" | sed -n '1s/.*version \([0-9]*\),.*/\1/p'; }
agree() {
	local want=$1 s
	shift
	for s in "$@"; do [ "$(version "$s")" -ge "$want" ] || return 1; done
}
ready() { curl -sf --unix-socket "$1/peerd.sock" http://peer/readyz; }
linked() {
	local s
	for s in "$@"; do curl -sf --unix-socket "$s/peerd.sock" -H "Authorization: Bearer none" http://peer/v1/status | grep -q '"links_up":true' || return 1; done
}
# application SITE asks for decisions and reports rewards; codes of answers go to SITE.codes.
application() {
	local id
	while :; do
		id=$(curl -s --unix-socket "$1/peerd.sock" -H 'Content-Type: application/json' -d '{}' http://peer/v1/decisions | sed -n 's/.*"id":"\([^"]*\)".*/\1/p')
		[ -n "$id" ] || { echo decision >>"$1.codes"; sleep 0.2; continue; }
		curl -s -o /dev/null -w '%{http_code}\n' --unix-socket "$1/peerd.sock" -H 'Content-Type: application/json' -d "{\"id\":\"$id\",\"value\":$((RANDOM % 2))}" http://peer/v1/rewards >>"$1.codes"
		sleep 0.2
	done
}
play() {
	application "$1" &
	pids+=($!)
	eval "application_$1=$!"
}
settings=(--set 'arms=[red, green, blue]' --set privacy.epsilon=1 --set privacy.horizon=100000 --set protocol.name=rows
	--set spare_arms=2 --set protocol.rows.every=1 --set protocol.rows.pull=5 --set rounds.every=1s --set api.window=2s)

"$peerd" init --dir a "${settings[@]}" --set "listen=[$(at 0)]" >/dev/null
"$peerd" network new --dir a --name clinics --peer a --addr "$(at 0)" --start "$(date -u -d '+5 seconds' +%Y-%m-%dT%H:%M:%SZ)" >/dev/null
start a
token=$("$peerd" network invite b --dir a)
"$peerd" join "$token" --dir b --listen "$(at 1),$(at 11)" --addr "$(at 1)"
start b
until_ok agree 3 a b
token=$("$peerd" network invite c --dir a) # a majority of two is both
sleep 3
"$peerd" network sign --dir b >/dev/null
"$peerd" join "$token" --dir c --listen "$(at 2)"
start c
until_ok agree 5 a b c
for s in a b c; do until_ok ready $s; done
until_ok linked a b c
for s in a b c; do play $s; done
sleep 10

echo "a fourth joins"
token=$("$peerd" network invite d --dir a)
sleep 3
"$peerd" network sign --dir c >/dev/null
"$peerd" join "$token" --dir d --listen "$(at 3)"
start d
until_ok agree 7 a b c d
until_ok linked a b c d
until_ok ready d
play d
sleep 8
echo "b moves"
"$peerd" network move --dir b --addr "$(at 11)" >/dev/null
until_ok agree 8 a b c d
until_ok linked a b c d
sleep 8
echo "c gets a new key"
before=$("$peerd" id --dir c)
"$peerd" network rotate --dir c >/dev/null
until_ok agree 9 a b c d
rekeyed() { [ "$("$peerd" id --dir c)" != "$before" ]; }
until_ok rekeyed # a second after the version
until_ok linked a b c d
sleep 8
echo "d leaves"
kill "$application_d"
wait "$application_d" 2>/dev/null || true
"$peerd" network remove d --dir d >/dev/null
until_ok agree 10 a b c
until_ok linked a b c
sleep 8
echo "white is added, and red retired"
arms() { curl -s --unix-socket "$1/peerd.sock" http://peer/v1/arms; }
has() { arms "$1" | grep -q "$2"; }
for change in 'extend white' 'retire red'; do
	"$peerd" network $change --dir a >/dev/null
	sleep 3
	"$peerd" network sign --dir b >/dev/null
done
until_ok agree 12 a b c
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
	gap=$(curl -s --unix-socket "$s/peerd.sock" "http://peer/v1/ledger?limit=10000" | sed -n 's/.*"round":\([0-9]*\).*/\1/p' | sort -n | uniq |
		awk 'NR > 1 && $1 - last > gap { gap = $1 - last } { last = $1 } END { print gap + 0 }')
	echo "$s: at most $((gap - 1)) rounds without a release"
	[ "$gap" -ge 1 ] && [ "$gap" -le 3 ] || fail "$s: releases $gap rounds apart"
	"$peerd" ledger export --dir "$s" -o "$s.jsonl" >/dev/null
	"$peerd" ledger verify "$s.jsonl" | sed -n 1p
done
[ "$("$peerd" network show --dir a | sed -n 1p)" = "$("$peerd" network show --dir b | sed -n 1p)" ] || fail "a and b differ"
[ "$("$peerd" network show --dir a | sed -n 1p)" = "$("$peerd" network show --dir c | sed -n 1p)" ] || fail "a and c differ"
echo ok
