#!/usr/bin/env bash
# Every kind of change, in a network of five sites in which not all are linked, and after each change a
# restart of every peer alone, and of all of them in turn without a pause. Fails if a peer does not release again within 40 s
# of its start, or if one asks for `peerd recover`.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/show/sites.bash
go build -o "$dir/peerd" ./cmd/peerd
cd "$dir"
port=${PORT:-23570}
address() { echo "/ip4/127.0.0.1/tcp/$((port + $1))"; }
# sign signs at the admins, of whom two have to at the end, what waits for them.
sign() {
	local hash s
	sleep 1.5
	for s in a b; do
		for hash in $(./peerd network show --dir $s | grep -o 'network sign [0-9a-f]*' | cut -d' ' -f3); do
			./peerd network sign "$hash" --dir $s >/dev/null 2>&1 || true # it may have come in the meantime
		done
	done
}
sites=(a b c d e)
./peerd init --dir a --set 'arms=[red, green]' --set spare_arms=2 --set privacy.epsilon=1 --set privacy.horizon=100000 --set privacy.answers=anyone --set rounds.every=500ms \
	--set api.window=1s --set "listen=[$(address 0)]" >/dev/null
./peerd network new --dir a --name clinics --peer a --addr "$(address 0)" >/dev/null
start a
until_ok answers a
n=0
for s in b c d e; do
	n=$((n + 1))
	token=$(./peerd network invite "$s" --dir a)
	./peerd join "$token" --yes --dir "$s" --set privacy.answers=anyone --listen "$(address $n),$(address $((n + 10)))" --addr "$(address $n)" >/dev/null 2>&1
	start "$s"
	until_ok answers "$s"
done
released() { ask "$1" /v1/status | sed -n 's/.*"released":\([0-9]*\).*/\1/p'; }
opens() { ask "$1" /v1/status | grep -q '"blocked_reason":""' && ready "$1"; }
for s in "${sites[@]}"; do
	within 40 opens "$s"
	play "$s"
done
restart() { # SITE: as long as it takes until it is open
	local began=$SECONDS
	end "$1"
	start "$1"
	within 40 opens "$1"
	took=$((SECONDS - began > took ? SECONDS - began : took))
}
moved() { shown " b, present.*$(address 11)" "$@"; }
rekeyed() { [ "$(./peerd id --dir c)" != "$key" ] && shown " c, present.*$(./peerd id --dir c)" "$@"; }
try() { # WHAT COMMAND...; $seen names what finds its effect at sites, if it makes no version
	local was took=0 s
	was=$(version a)
	"${@:2}" >/dev/null
	sign
	# shellcheck disable=SC2086
	until_ok ${seen:-agree $((was + 1))} "${sites[@]}"
	sleep 2 # the links of the version before end
	for s in "${sites[@]}"; do restart "$s"; done
	for s in "${sites[@]}"; do end "$s"; start "$s"; sleep 0.5; done
	for s in "${sites[@]}"; do within 40 opens "$s"; done
	echo "$1: open again within $took s"
}
try "unlink d and e" ./peerd network unlink d e --dir a
try "unlink b and c" ./peerd network unlink b c --dir a
try "unlink a and e" ./peerd network unlink a e --dir a
try "unlink a and d" ./peerd network unlink a d --dir a
try "link b and c" ./peerd network link b c --dir a
seen=moved try "move b" ./peerd network move --dir b --addr "$(address 11)"
key=$(./peerd id --dir c)
seen=rekeyed try "rotate c" ./peerd network rotate --dir c
try "rotate a" ./peerd network rotate --dir a # a signs versions, with its new key from the next one on
try "set" ./peerd network set protocol.phases.pull 3 --dir a
try "extend" ./peerd network extend blue --dir a
try "retire" ./peerd network retire blue --dir a
try "admins" ./peerd network admins a b c --needed 2 --dir a
kill "$application_e"
sites=(a b c d)
try "remove e" ./peerd network remove e --dir a
for s in "${sites[@]}"; do grep -h 'peerd recover' "$s.log" | grep -v 'If one of them is lost' && fail "$s asks for peerd recover"; verify "$s"; done
echo ok
