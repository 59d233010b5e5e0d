#!/usr/bin/env bash
# Two builds in one network: two sites run an earlier build and two this one, with applications; then the
# two are upgraded, one after the other, by a restart of their folders. Fails if a link stays down, if a reward is
# refused while its site is up, if a site goes more than two rounds without a release, or if a ledger
# does not verify. A minute, and the build of the earlier commit:
#
#	scripts/show/mixed.sh [COMMIT]
set -euo pipefail
cd "$(dirname "$0")/../.."
commit=${1:-2dacd34da1f099a584dbc699014fee25c769bfe9}
root=$PWD
go build -o bin/peerd ./cmd/peerd
new=$PWD/bin/peerd dir=$(mktemp -d) pids=()
git worktree add -q --detach "$dir/source" "$commit"
(cd "$dir/source" && go build -o "$dir/earlier" ./cmd/peerd)
git worktree remove "$dir/source"
old=$dir/earlier
cleanup() {
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done
	wait
	rm -rf "$dir"
}
trap cleanup EXIT
cd "$dir"
port=${PORT:-23570}
fail() {
	echo "FAIL: $*"
	cat ./*.log
	exit 1
}
trap 'fail "line $LINENO"' ERR
at() { echo "/ip4/127.0.0.1/tcp/$((port + $1))"; }
# start PROGRAM SITE
start() {
	"$1" run --dir "$2" 2>>"$2.log" &
	pids+=($!)
	eval "pid_$2=$!"
}
until_ok() {
	for _ in $(seq 60); do
		if "$@" >/dev/null 2>&1; then return; fi
		sleep 0.5
	done
	fail "never came: $*"
}
ask() { curl -s --unix-socket "$1/peerd.sock" "${@:3}" "http://peer$2"; }
linked() {
	local s
	for s in a b c d; do ask $s /v1/status | grep -q '"links_up":true' || return 1; done
}
ready() { [ "$(ask "$1" /readyz -o /dev/null -w '%{http_code}')" = 200 ]; }
# application SITE: codes of rewards go to SITE.codes; while the site is restarted its socket is not there.
application() {
	local id
	while :; do
		id=$(ask "$1" /v1/decisions -H 'Content-Type: application/json' -d '{}' | sed -n 's/.*"id":"\([^"]*\)".*/\1/p') || true
		if [ -n "$id" ]; then
			ask "$1" /v1/rewards -o /dev/null -w '%{http_code}\n' -H 'Content-Type: application/json' -d "{\"id\":\"$id\",\"value\":$((RANDOM % 2))}" >>"$1.codes" || true
		fi
		sleep 0.2
	done
}
"$old" init --dir a --set 'arms=[red, green, blue]' --set privacy.epsilon=1 --set privacy.horizon=100000 --set protocol.name=rows \
	--set protocol.rows.every=1 --set protocol.rows.pull=5 --set rounds.every=1s --set api.window=2s --set "listen=[$(at 0)]" >/dev/null
"$old" network new --dir a --name clinics --peer a --addr "$(at 0)" --admin --start "$(date -u -d '+3 seconds' +%Y-%m-%dT%H:%M:%SZ)" >/dev/null
start "$old" a
i=0
for s in b c d; do
	i=$((i + 1))
	program=$new
	[ $s = b ] && program=$old
	token=$("$old" network invite $s --dir a)
	"$program" join "$token" --dir $s --listen "$(at $i)" >/dev/null
	start "$program" $s
done
until_ok linked
for s in a b c d; do
	until_ok ready $s
	application $s &
	pids+=($!)
done
echo "a and b run $(git -C "$root" log -1 --format=%h "$commit"), c and d this build: all are linked"
sleep 10
for s in a b; do
	kill "$(eval "echo \$pid_$s")"
	wait "$(eval "echo \$pid_$s")" || fail "$s ended with $?"
	start "$new" $s
	until_ok ready $s
	until_ok linked
	echo "$s is upgraded"
	sleep 5
done
for s in a b c d; do
	refused=$(grep -cv -e '^200$' -e '^000$' "$s.codes" || true)
	echo "$s: $(grep -c '^200$' "$s.codes") rewards, $refused refused"
	[ "$refused" = 0 ] || fail "$s: $(sort "$s.codes" | uniq -c)"
	gap=$(ask $s "/v1/ledger?limit=10000" | sed -n 's/.*"round":\([0-9]*\).*/\1/p' | sort -n | uniq |
		awk 'NR > 1 && $1 - last > gap { gap = $1 - last } { last = $1 } END { print gap + 0 }')
	[ "$gap" -ge 1 ] && [ "$gap" -le 3 ] || fail "$s: releases $gap rounds apart"
	"$new" ledger export --dir $s -o $s.jsonl >/dev/null
	"$new" ledger verify $s.jsonl | sed -n 1p
done
echo ok
