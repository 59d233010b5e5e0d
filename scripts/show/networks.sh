#!/usr/bin/env bash
# Steps of agents of phases, rows, average and batch with 10, 100 and 1,000 peers, of this working tree and of an earlier commit in
# turn, by processor time.
#
#	scripts/show/networks.sh [COMMIT]
set -euo pipefail
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/src"
git archive "${1:-5f22b8f}" | tar -x -C "$dir/src"
before=$(find "$dir/src" -path '*/lab/sim' -type d)
sed '/"peerd.dev\/node\/lab\/learner"/d; s/learner\.UCBParams/bandit.UCBParams/' node/lab/sim/load_test.go >"$before/load_test.go"
(cd "$before" && go test -vet=off -c -o "$dir/before" .)
go test -vet=off -c -o "$dir/now" ./node/lab/sim
cd node/lab/sim
for b in before now before now; do
	echo "$b"
	GOMAXPROCS=1 "$dir/$b" -test.run '^$' -test.bench Networks -test.benchtime 1x | grep '^Bench'
done
