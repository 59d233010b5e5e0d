#!/usr/bin/env bash
# Steps of agents of phases, rows, average and batch with 10, 100, 400 and 1,000 peers, of this working tree and of an earlier commit
# in turn, by processor time. Personalized of 5f22b8f is another learner, with a guard in place of a price.
#
#	scripts/show/networks.sh [-k PATTERN] [COMMIT]
#
# -k takes the networks whose name matches, as in phases-thompson/400.
set -euo pipefail
cd "$(dirname "$0")/../.."
pattern=.
if [ "${1:-}" = -k ]; then
	pattern=$2
	shift 2
fi
commit=${1:-5f22b8f}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/src"
git archive "$commit" | tar -x -C "$dir/src"
before=$(find "$dir/src" -path '*/lab/sim' -type d)
cp node/lab/sim/load_test.go "$before/"
[ ! -e "$dir/src/bandit/ucb.go" ] || sed -i '/"peerd.dev\/node\/lab\/learner"/d; s/learner\.UCBParams/bandit.UCBParams/' "$before/load_test.go"
! grep -q '^	Guard ' "$dir/src/bandit/personalized.go" || sed -i 's/{Price: 4}/{Guard: 5}/' "$before/load_test.go"
(cd "$before" && go test -vet=off -c -o "$dir/before" .)
go test -vet=off -c -o "$dir/now" ./node/lab/sim
for b in before now before now; do
	echo "$b"
	GOMAXPROCS=1 "$dir/$b" -test.run '^$' -test.bench "Networks/$pattern" -test.benchtime 1x | grep --line-buffered '^Bench'
done
