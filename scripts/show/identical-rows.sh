#!/usr/bin/env bash
# Plays an experiment of 40 cells in many ways, and compares rows.parquet byte for byte: jobs, shards and merge, Ctrl-C and
# kill -9 at random moments with the same command again, and processes in place of the simulator. Prints a table.
# Usage: scripts/show/identical-rows.sh [KILLS] (4 without it). PEERD names a built program.
set -euo pipefail
cd "$(dirname "$0")/../.."
kills=${1:-4}
work=$(mktemp -d /tmp/rows.XXXX)
child=
stop() {
	[ -z "$child" ] || kill -9 "$child" 2>/dev/null || true
	rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM
peerd=${PEERD:-$work/peerd}
[ -n "${PEERD:-}" ] || go build -o "$peerd" ./cmd/peerd

settings=(configs/rows.yaml --set mode=lockstep --set seed=1 --set privacy.horizon=8000 --set rounds.count=8000 --set experiment.seeds=3
	--set 'experiment.cells=[{set: {privacy.epsilon: [1, 2, 3, 4, 5, 6, 7, 8], protocol.rows.every: [50, 100, 200, 400, 800]}}]')
run() { "$peerd" experiment run "${settings[@]}" "$@" >>"$work/log" 2>&1; }
finished() { { cat "$1"/cells/*.jsonl 2>/dev/null || true; } | wc -l; }
failed=0
row() { # WHAT REFERENCE FOLDER
	local same=equal
	cmp -s "$2/rows.parquet" "$3/rows.parquet" || same=DIFFERENT failed=1
	printf '%-58s %s  %s\n' "$1" "$(sha256sum <"$3/rows.parquet" | cut -c1-16)" $same
}
# broken SIGNAL FOLDER: plays, sends the signal at random moments, and goes on with the same command.
broken() {
	local n=0 moments='' before
	until [ $n -eq "$kills" ]; do
		before=$(finished "$2")
		"$peerd" experiment run "${settings[@]}" -o "$2" --jobs 2 >>"$work/log" 2>&1 &
		child=$!
		until [ "$(finished "$2")" -gt "$before" ] || ! kill -0 $child 2>/dev/null; do sleep .05; done
		sleep "0.$((RANDOM % 100))"
		kill "-$1" $child 2>/dev/null || break
		wait $child 2>/dev/null || true
		child=
		n=$((n + 1)) moments+=" $(finished "$2")"
	done
	[ $n -gt 0 ] || { echo "it was over before the first signal" >&2 && return 1; }
	run -o "$2"
	row "$n times signal $1, with${moments} of 120 runs; and again" "$work/one" "$2"
}

run -o "$work/one" --jobs 1
row "40 cells, 3 seeds, 1 job" "$work/one" "$work/one"
run -o "$work/two" --jobs 2
row "2 jobs" "$work/one" "$work/two"
for i in 1 2 3; do run -o "$work/shard$i" --shard $i/3; done
"$peerd" experiment merge "$work"/shard[123] -o "$work/merged" >>"$work/log"
row "3 shards and merge" "$work/one" "$work/merged"
broken INT "$work/int"
broken KILL "$work/kill"

for name in rows average cdp-mab; do
	settings=("configs/$name.yaml" --set mode=lockstep --set seed=1 --set rounds.count=500 --set experiment.seeds=2)
	run -o "$work/$name-sim"
	run -o "$work/$name-processes" --engine processes
	row "$name: processes in lockstep, 500 rounds, 2 seeds" "$work/$name-sim" "$work/$name-processes"
done
exit $failed
