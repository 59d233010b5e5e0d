#!/usr/bin/env bash
# The audit on peers with and without the faults of scripts/mutants/faults.txt, and on curators with linear records: 20
# fixed seeds each, with 200 plays of a history (400 at a curator); the power of the bound;
# and the command itself, built with one fault after another, which must exit with code 5.
# An argument chooses a part: correct, faults or built. "faults ID" and "built ID" play one fault.
# On a core of its own: correct 5 min, faults 41 min, built 2 min.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PEERD_LONG=1
faults='halved|reused|first|redrawn|levels|adjacency|changed|raw|twice|unnoised|absent|divided|ordered|public-order|coin-order|length'

correct() {
	go test ./node/lab/audit -count=1 -v -timeout 120m -run 'TestCorrectPeersPass|TestLinearRecordsPass|TestPower|TestTheAnalyzersViewPasses' | grep --line-buffered -v '^=== '
}

faults() { go run ./scripts/mutants -j 1 -only "^(${1:-$faults})\$"; }

built() {
	bin=$(mktemp -d)
	trap 'rm -rf "$bin"' EXIT
	for fault in ${1:-none halved reused first changed raw redrawn levels}; do
		if [ "$fault" = none ]; then
			go build -o "$bin/peerd" ./cmd/peerd
		else
			go run ./scripts/mutants -only "^$fault\$" -build "$bin/peerd" ./cmd/peerd
		fi
		for name in "rows tree 1" "average tree 1" "average kary 1" "rows tree-gaussian 5" "testnet each 1" "common each 1" \
			"cdp-mab each 1" "hdp-mab each 1" "ddp-mab each 1" "dp-master-worker hybrid 1" "dp-decentralized hybrid 1" \
			"local-feducb tree-gaussian 1"; do
			read -r config mechanism epsilon <<<"$name"
			set -- -c "configs/$config.yaml" --set "privacy.mechanism=$mechanism" --set "privacy.epsilon=$epsilon"
			if [ "$mechanism" = tree-gaussian ]; then set -- "$@" --set privacy.delta=1e-6; fi
			if [ "$config" = local-feducb ]; then set -- "$@" --set privacy.horizon=10000; fi # its own mechanism needs none
			want=5
			if [ "$fault" = none ]; then want=0; fi
			if [ "$fault $mechanism" = "levels each" ]; then want=0; fi # it has no level that could be left out
			got=0
			"$bin/peerd" audit "$@" --quick --seed 1 >"$bin/report" 2>/dev/null || got=$?
			printf '%-8s %-22s code %d\n' "$fault" "$name" "$got"
			sed -n '/^FAIL/{n;p}' "$bin/report"
			if [ "$got" -ne "$want" ]; then
				printf 'want code %d\n' "$want" >&2
				exit 1
			fi
		done
	done
}

part=${1:-all}
case $part in all | correct | faults | built) ;; *) echo "there is no part $part" >&2 && exit 2 ;; esac
for p in correct faults built; do
	[ "$part" = all ] || [ "$part" = $p ] || continue
	begun=$SECONDS
	$p "${@:2}"
	echo "$p: $((SECONDS - begun)) s"
done
