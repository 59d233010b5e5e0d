#!/usr/bin/env bash
# Two builds in one network: two sites run an earlier build and two this one, with applications; then the
# two are upgraded, one after the other, by a restart of their folders. Fails if a link stays down, if a reward is
# refused while its site is up, if a site goes more than two rounds without a release, or if a ledger
# does not verify. A minute, and the build of the earlier commit. docs/upgrading.md says which builds link:
#
#	scripts/show.sh mixed [COMMIT]     PEERD_BASE names a program of that commit that is built already
set -euo pipefail
cd "$(dirname "$0")/../.."
commit=${1:-5f22b8fdff3bb5b6a0d6570615252cf06885766f}
root=$PWD
source scripts/show/sites.bash
go build -o "$dir/peerd" ./cmd/peerd
if [ -n "${PEERD_BASE:-}" ]; then
	cp "$PEERD_BASE" "$dir/earlier"
else
	git worktree add -q --detach "$dir/source" "$commit"
	(cd "$dir/source" && go build -o "$dir/earlier" ./cmd/peerd)
	git worktree remove "$dir/source"
fi
cd "$dir"
old=./earlier new=./peerd
port=${PORT:-23570}
address() { echo "/ip4/127.0.0.1/tcp/$((port + $1))"; }
settings=(--set 'arms=[red, green, blue]' --set privacy.epsilon=1 --set privacy.horizon=100000 --set protocol.name=rows --set learner.name=ucb
	--set protocol.rows.every=1 --set protocol.rows.pull=5 --set api.window=2s)
i=0 # builds up to 0.2.0 know no network document of this one, so the network is a file
printf 'name: clinics\nstart: %s\nevery: 1s\nlinks: [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]\npeers:\n' "$(date -u -d '+8 seconds' +%Y-%m-%dT%H:%M:%SZ)" >network.yaml
for s in a b c d; do
	"$old" init --dir $s "${settings[@]}" --set "listen=[$(address $i)]" >/dev/null
	echo "  - {name: $s, id: $("$old" id --dir $s), addrs: [$(address $i)]}" >>network.yaml
	i=$((i + 1))
done
for s in a b c d; do
	cp network.yaml $s
	start $s "$old"
done
until_ok linked a b c d
for s in c d; do
	end $s
	start $s "$new"
done
until_ok linked a b c d
for s in a b c d; do
	until_ok ready $s
	play $s
done
echo "a and b run $(git -C "$root" log -1 --format=%h "$commit"), c and d this build: all are linked"
sleep 10
for s in a b; do
	end $s
	start $s "$new"
	until_ok ready $s
	until_ok linked a b c d
	echo "$s is upgraded"
	sleep 5
done
for s in a b c d; do
	refused=$(grep -cv -e '^200$' -e '^000$' -e '^decision$' "$s.codes" || true)
	echo "$s: $(grep -c '^200$' "$s.codes") rewards, $refused refused"
	[ "$refused" = 0 ] || fail "$s: $(sort "$s.codes" | uniq -c)"
	learns $s
	verify $s
done
echo ok
